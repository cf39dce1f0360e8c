"""What the command ``plan`` reads: all documents, and what is known of some."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

    from quantext.texts.cells import Table
    from quantext.texts.formats import Opening

__all__ = ["Asked", "Known", "read_data", "read_known"]


@dataclass(frozen=True)
class Asked:
    """What the options say of columns.

    Parameters
    ----------
    proxy, truth, strata
        Names of columns.
    separator
        What stands between the labels of a document.
    """

    proxy: tuple[str, ...]
    truth: str
    strata: str | None
    separator: str | None

    def answers(self, table: "Table") -> "dict[str, pl.Series]":
        """What each model says."""
        from quantext.texts.cells import answers_in

        return {
            name: self._texts(table, name, answers_in(table, name, self.separator))
            for name in self.proxy
        }

    def truths(self, table: "Table") -> "pl.Series":
        """What people know."""
        from quantext.texts.cells import truths_in

        return self._texts(table, self.truth, truths_in(table, self.truth, self.separator))

    def _texts(self, table: "Table", name: str, labels: "pl.Series") -> "pl.Series":
        from quantext.texts.cells import rejoined

        if self.separator is not None:
            return rejoined(labels, self.separator)
        if table.holds_lists(name):
            raise ValueError(
                f"{table.where(name)} holds lists; say with --separator what shall stand between "
                "labels in the file to fill in"
            )
        return labels


@dataclass(frozen=True)
class Known:
    """Truths and how their documents were chosen, as `quantext.plan` takes them."""

    truth: "pl.Series"
    design: Any


def read_data(
    path: str,
    asked: Asked,
    *,
    opening: "Opening",
    whole: bool,
) -> "Table":
    """All documents, with all columns or those that the plan needs."""
    from quantext.texts.cells import read_table
    from quantext.texts.formats import check_columns

    if asked.separator == "":
        raise ValueError("the separator is empty; say what stands between the labels")
    if asked.truth in asked.proxy:
        raise ValueError(
            f"--proxy and --truth both name the column {asked.truth!r}; the truth is what people "
            "find, and not what the model says"
        )
    needed = [*asked.proxy, *([asked.strata] if asked.strata else [])]
    names = None if whole else list(dict.fromkeys([*needed, asked.truth]))
    data = read_table(path, names, opening=opening, optional=asked.truth)
    check_columns(needed, data.frame.columns, data.source)
    return data


def read_known(
    data: "Table", asked: Asked, file: Path | None, design: str | None, opening: "Opening"
) -> Known:
    """Truths of the data, and of an earlier plan."""
    import polars as pl

    from quantext.cli.plan_files import read_plan
    from quantext.texts.cells import rejoined
    from quantext.texts.plans import COLUMNS, check_same, is_plan, read_drawn
    from quantext.wording import listed

    truth, separator = asked.truth, asked.separator
    known = pl.repeat(None, len(data), dtype=pl.String, eager=True)
    if truth in data.frame.columns:
        known = asked.truths(data)
    elif design is not None:
        raise ValueError(
            f"--design {design} is of labels, and there is no column {truth!r} of them"
        )
    if file is None:
        return Known(known, design)
    if design is not None:
        raise ValueError("--truth-file says how rows were drawn; leave --design out")
    plan = read_plan(file, opening)
    if not is_plan(plan.frame.columns):
        raise ValueError(
            f"--truth-file {file} was not written by `quantext plan`, whose files have the columns "
            f"{listed(COLUMNS)}"
        )
    drawn = read_drawn(plan, len(data), truth, separator=separator, data=str(data.source))
    check_same(data, plan, drawn.rows, asked.proxy)
    labels = drawn.truth if separator is None else rejoined(drawn.truth, separator)
    chances = pl.repeat(None, len(data), dtype=pl.Float64, eager=True)
    chances = chances.scatter(drawn.rows, drawn.chances)
    return Known(known.scatter(drawn.rows, labels), chances.to_numpy())
