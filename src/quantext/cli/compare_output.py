"""What ``compare`` prints: a table for people, JSON for programs, and the command to train."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from quantext.cli.terminal import pasted, say

if TYPE_CHECKING:
    import polars as pl

    from quantext.experiments.comparison import Comparison

__all__ = ["print_json", "print_table", "train_command"]

WIDTH = 80
LEGEND = """
KLD      mean error over all classes and bags, in thousandths; lower is better
points   mean error in percentage points
drift    KLD in the quarter of the tests whose shares moved most
rare     KLD of classes below 5% of the training documents, each by itself
seconds  of processor time to train all classes
"""


def train_command(
    comparison: "Comparison",
    data: list[str],
    text: list[str],
    label: str,
    given: Mapping[str, str | bool | list[str] | None],
) -> list[str]:
    """What to type next, in phrases, with the options that are not as they are by default.

    Parameters
    ----------
    comparison
        What it showed.
    data, text, label
        As they were given.
    given
        Other options of both commands, by name; a list of those that may be given again.
    """
    from quantext.models.methods import METHODS

    usual = {"stemmer": "porter", "stop-words": "none"}
    options: list[tuple[str, str | bool]] = [("text", name) for name in text]
    options.append(("label", label))
    for key, value in given.items():
        values = value if isinstance(value, list) else [value]
        options += [(key, own) for own in values if own and own != usual.get(key)]
    options.append(("method", METHODS[comparison.recommendation.method].alias))
    phrases = ([f"--{k}"] if isinstance(v, bool) else [f"--{k}", v] for k, v in options)
    return [pasted(["quantext", "train", *data]), *map(pasted, phrases)]


def print_table(comparison: "Comparison", page: Path, command: list[str]) -> None:
    """Print how it was found out, how each method did, and which to take.

    Parameters
    ----------
    comparison
        What it showed.
    page
        The report.
    command
        What to type next.
    """
    from textwrap import wrap

    say(*wrap(comparison.protocol, WIDTH), "", *_lines(comparison.table), *LEGEND.split("\n"))
    recommendation = comparison.recommendation
    text = " ".join([comparison.answer, *recommendation.reasons])
    say(*wrap(text, WIDTH, break_on_hyphens=False))
    if recommendation.pays:
        say("", "Next:", "", *_broken(command))
    say("", f"Tables, figures and each class by itself: {page}")


def _broken(phrases: list[str]) -> list[str]:
    r"""The phrases in lines of at most 80 columns, which a shell takes for one.

    Examples
    --------
    >>> print(*_broken(["quantext train coded.csv", 30 * "-", 30 * "-"]), sep="\n")
      quantext train coded.csv ------------------------------ \
          ------------------------------
    """
    lines = [f"  {phrases[0]}"]
    for phrase in phrases[1:]:
        if len(lines[-1]) + len(phrase) + 3 > WIDTH:
            lines.append(f"      {phrase}")
        else:
            lines[-1] += f" {phrase}"
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]


def _lines(table: "pl.DataFrame") -> Iterator[str]:
    """The table of methods in 80 columns."""
    yield f"{'method':20} {'KLD':>9} {'points':>9} {'drift':>9} {'rare':>9} {'seconds':>9}"
    for row in table.iter_rows(named=True):
        far, rare = (
            "–" if row[column] is None else f"{1000 * row[column]:.2f}"
            for column in ("kld_far", "kld_rare")
        )
        yield (
            f"{row['method']:20} {1000 * row['kld']:9.2f} {100 * row['absolute_error']:9.2f} "
            f"{far:>9} {rare:>9} {row['seconds']:9.2f}"
        )


def print_json(comparison: "Comparison", page: Path, command: list[str], notes: list[str]) -> None:
    """Print the same for programs.

    Parameters
    ----------
    comparison, page, command
        As in `print_table`.
    notes
        What there is to warn of.
    """
    import json

    from quantext.models.methods import METHODS

    recommendation = comparison.recommendation
    print(
        json.dumps(
            {
                "world": comparison.world,
                "protocol": comparison.protocol,
                "methods": [
                    row | {"alias": METHODS[row["method"]].alias}
                    for row in comparison.table.to_dicts()
                ],
                "recommendation": {
                    "method": recommendation.method,
                    "reasons": recommendation.reasons,
                    "pays": recommendation.pays,
                    "command": " ".join(command),
                },
                "report": str(page),
                "warnings": notes,
                "failures": dict(comparison.failures),
            }
        )
    )
