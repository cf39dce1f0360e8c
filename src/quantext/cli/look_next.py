"""What to do with a table that was looked at: commands to paste, or what is missing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quantext.cli.common import separator_named
from quantext.cli.terminal import pasted
from quantext.wording import counted, listed

if TYPE_CHECKING:
    from quantext.texts.seen import Labels, Look

__all__ = ["Step", "command_lines", "next_steps", "no_labels", "train_options"]

_WIDTH = 80
_MOST_LABELS = 1000
_MANY_ROWS = 20  # from which on labels that are all different are none
_MOSTLY = 0.9  # share of labelled rows up to which the rest is a question for `correct`


@dataclass(frozen=True)
class Step:
    """A sentence, and the command that follows from it, if any."""

    sentence: str
    command: tuple[str, ...] = ()


def train_options(look: "Look") -> list[str]:
    """Options by which `train` knows the columns, as far as they are known."""
    options: list[str] = []
    for texts in look.texts:
        options += ["--text", texts.name]
    if look.labels is not None:
        options += ["--label", look.labels.name]
        if look.labels.separator is not None:
            options += ["--separator", separator_named(look.labels.separator)]
    languages = {texts.language for texts in look.texts}
    if len(languages) == 1 and languages.isdisjoint({None, "english"}):
        options += ["--stemmer", str(languages.pop())]
    if any(texts.emoji for texts in look.texts):
        options.append("--emoji")
    return options


def next_steps(look: "Look", data: Sequence[str], opening: Sequence[str]) -> Iterator[Step]:
    """What to do now.

    Parameters
    ----------
    look
        What is in the table.
    data
        Files, as they were typed.
    opening
        Options by which they were opened.
    """
    labels, proxy = look.labels, look.guesses.proxy
    if proxy is not None and len(data) == 1:
        yield from _corrected(look, proxy, data, opening)
    if look.texts and labels is not None:
        if (fault := no_labels(labels)) is not None:
            yield Step(f"Column {labels.name!r} has {fault}; name another with --label.")
            return
        if labels.mixed:
            yield Step(
                f"Column {labels.name!r} has lists of labels in one file and single labels in "
                "another; write them in one way, or train on one of the files."
            )
            return
        merged = ("--merge-labels",) if labels.variants else ()
        command = ("quantext", "train", *data, *train_options(look), *merged, *opening)
        sentence = "To learn from the texts instead:" if proxy else "Next:"
        yield Step(sentence, command)
    elif not look.texts:
        if proxy is None:
            yield Step("No column looks like texts. If one holds them, name it with --text.")
    elif proxy is None:
        yield from _unlabelled(look, data, opening)


def no_labels(labels: "Labels") -> str | None:
    """Why a column that was named cannot be one of labels, if it cannot.

    Parameters
    ----------
    labels
        What is in the column.
    """
    n = None if labels.counts is None else len(labels.counts)
    if n is not None and n < 2 and not labels.several:
        return "one value, and there must be two to tell apart" if n else "no labels"
    if n is None or n > _MOST_LABELS or n == labels.rows > _MANY_ROWS:
        return "too many different values for labels"
    return None


def _corrected(
    look: "Look", proxy: str, data: Sequence[str], opening: Sequence[str]
) -> Iterator[Step]:
    """Where a model has filled in a column, the commands for that."""
    labels = look.labels
    told = f"If {proxy!r} is what a model says"
    if labels is None:
        options = ("--proxy", proxy, "--target", "0.03", "--out", "to_label.csv")
        sentence = f"{told}: which rows to label by hand, so that its shares can be corrected:"
        yield Step(sentence, ("quantext", "plan", *data, *options, *opening))
    elif labels.rows < _MOSTLY * look.rows or not look.texts:
        divided = (
            () if labels.separator is None else ("--separator", separator_named(labels.separator))
        )
        drawn = ("--proxy", proxy, "--truth", labels.name, "--design", "srs", *divided)
        sentence = (
            f"{told}, and the {counted(labels.rows, 'row')} with a label in {labels.name!r} were "
            "drawn at random, the corrected shares:"
        )
        yield Step(sentence, ("quantext", "correct", *data, *drawn, *opening))


def _unlabelled(look: "Look", data: Sequence[str], opening: Sequence[str]) -> Iterator[Step]:
    """Where there are texts and no labels."""
    missing = (
        "No column looks like labels. To learn there must be one, filled in by hand for a few "
        "hundred rows."
    )
    if look.guesses.groups:
        names = listed(map(repr, look.guesses.groups), "or", most=3)
        missing += f" If {names} holds them, name it with --label."
    yield Step(missing)
    options = [option for texts in look.texts for option in ("--text", texts.name)]
    if look.dates is not None:
        options += ["--by", look.dates.name, "--period", "month"]
    command = ("quantext", "estimate", "model.qx", *data, *options, *opening)
    yield Step("With a model that was trained before, here model.qx:", command)


def command_lines(command: Sequence[str]) -> list[str]:
    """A command to paste, indented, in several lines if one is too short for it.

    Examples
    --------
    >>> command_lines(["quantext", "train", "my file.csv", "--text", "answer"])
    ["  quantext train 'my file.csv' --text answer"]
    """
    lines = [" "]
    pieces = [pasted([part]) for part in command]
    while pieces:
        # An option stays with its value.
        size = 2 if pieces[0].startswith("--") and not "".join(pieces[1:2]).startswith("--") else 1
        piece, pieces = " ".join(pieces[:size]), pieces[size:]
        if len(lines[-1]) + len(piece) + 3 > _WIDTH and lines[-1].strip():
            lines[-1] += " \\"
            lines.append("     ")
        lines[-1] += f" {piece}"
    return lines
