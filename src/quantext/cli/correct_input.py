"""What the command ``correct`` reads: its options, one file or two, and their columns."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quantext.texts.judgements import JudgementColumns, Judgements
    from quantext.texts.truths import Reading

__all__ = ["Asked"]

ASK = (
    "Were these rows drawn at random from this file? Then say --design srs or, if some were "
    "likelier to be drawn than others, --design prob:COL with the column of the probabilities. If "
    "they are from another time or place, say --design elsewhere"
)


@dataclass(frozen=True)
class Asked:
    """What the options say of files and columns.

    Parameters
    ----------
    file, design, truth_file, by_id
        As they were given.
    columns, reading
        What files hold, and how they are read.
    recognised
        What a file of `plan` told, a sentence.
    """

    file: str
    design: str | None
    truth_file: str | None
    by_id: str | None
    columns: "JudgementColumns"
    reading: "Reading"
    recognised: str | None = None

    def check(self, as_given: bool) -> None:
        """Raise where options contradict each other."""
        columns = self.columns
        if self.columns.truth in columns.proxy:
            raise ValueError(
                f"--proxy and --truth both name the column {columns.truth!r}; the truth is what "
                "people found, and not what the model says"
            )
        if self.reading.separator == "":
            raise ValueError("the separator is empty; say what stands between the labels")
        if self.by_id is not None and self.truth_file is None:
            raise ValueError(
                f"--id {self.by_id} is for truths in a file of their own: --truth-file"
            )
        if self.truth_file == "-":
            raise ValueError("--truth-file - cannot be: truths are read from a file")
        if self.design is None:
            if self.truth_file is None:
                raise ValueError(f"--design is missing. {ASK}")
            return
        known = self.design in ("srs", "elsewhere") or self.design.startswith("prob:")
        if not known or self.design == "prob:":
            raise ValueError(f"--design {self.design} is unknown. {ASK}")
        if self.design == "elsewhere":
            if columns.where and self.truth_file is not None:
                raise ValueError(
                    "--where is for rows of FILE, and with --design elsewhere GOLD has others; "
                    "make a file of the rows in question"
                )
            for name, value in (("--strata", columns.strata), ("--cluster", columns.cluster)):
                if value is not None:
                    raise ValueError(
                        f"{name} {value} says how rows were drawn from FILE; with --design "
                        "elsewhere none were, so leave it out"
                    )
            if self.by_id is not None:
                raise ValueError("with --design elsewhere no rows are joined, so leave out --id")
            if as_given:
                raise ValueError(
                    "--as-given needs truths of FILE itself, so not --design elsewhere"
                )
        elif self.design.startswith("prob:") and columns.strata is not None:
            raise ValueError(
                f"--design {self.design} and --strata {columns.strata} both say how likely rows "
                "were to be drawn; choose one"
            )

    def read(self, merge_labels: bool = False) -> "tuple[Asked, Judgements]":
        """The judgements, and what was asked, with the design that a file of `plan` says.

        Labels that are likely one are pointed out, or merged.
        """
        from quantext.texts.judgements import blank_batches, meant, spelled_alike

        asked, judgements = self._read_all()
        judgements = meant(judgements, self.columns.where)
        if self.columns.by is not None:
            elsewhere = self.design == "elsewhere"
            judgements = blank_batches(judgements, self.columns.by, elsewhere=elsewhere)
        return asked, spelled_alike(judgements, merge=merge_labels)

    def _read_all(self) -> "tuple[Asked, Judgements]":
        """The same of all rows of the file."""
        from quantext.texts.plans import is_plan
        from quantext.texts.truths import read_beside, read_by_id, read_elsewhere

        design, gold = self.design, self.truth_file
        columns = replace(self.columns, chance=_chance(design))
        if gold is None:
            elsewhere = design == "elsewhere"
            return self, read_beside(self.file, columns, self.reading, elsewhere=elsewhere)
        if design == "elsewhere":
            return self, read_elsewhere(self.file, gold, columns, self.reading)
        if self.by_id is None and is_plan(self.reading.columns(gold)):
            return self._read_planned(gold)
        if design is None:
            raise ValueError(f"--design is missing. {ASK}")
        if self.by_id is None:
            raise ValueError(
                f"--truth-file {gold} needs --id with the column that says which row of "
                f"{self.file} each of its rows is"
            )
        return self, read_by_id(self.file, gold, columns, self.reading, self.by_id)

    def _read_planned(self, gold: str) -> "tuple[Asked, Judgements]":
        """The same of a file of `plan`, which says its design by itself."""
        from quantext.texts.plans import CHANCE
        from quantext.texts.truths import read_planned

        design = f"prob:{CHANCE}"
        strata = None if self.columns.strata is None else f"--strata {self.columns.strata}"
        other = f"--design {self.design}" if self.design not in (None, design) else strata
        if other is not None:
            raise ValueError(f"{gold} says by itself how its rows were drawn; leave out {other}")
        read = read_planned(self.file, gold, self.columns, self.reading)
        recognised = (
            f"{gold} says by itself which rows of {self.file} were drawn, and with which "
            f"probability: --design {design}"
        )
        told = recognised if self.design is None else None
        return replace(self, design=design, recognised=told), read

    def facts(self, judgements: "Judgements") -> dict[str, str]:
        """What the page says of files and columns."""
        columns = self.columns
        where = self.truth_file or self.file
        proxy = ", ".join(map(repr, columns.proxy))
        facts = {
            "Documents": f"{len(judgements.truth):,} rows of {self.file}",
            "The model's word": f"column{'s' if len(columns.proxy) > 1 else ''} {proxy}",
            "Truth": f"column {columns.truth!r} of {where}, in "
            f"{len(judgements.truth.drop_nulls()):,} rows",
            "Design": str(self.design),
        }
        if self.truth_file and self.design == "elsewhere":
            here = len(judgements.truth) - len(judgements.truth.drop_nulls())
            facts["Documents"] = f"{here:,} rows of {self.file}"
        others = {"Batches": columns.by or columns.date}
        others |= {"Strata": columns.strata, "Clusters": columns.cluster}
        if columns.where:
            facts["Documents"] += f", where {columns.where}"
        return facts | {name: f"column {own!r}" for name, own in others.items() if own}


def _chance(design: str | None) -> str | None:
    return design.removeprefix("prob:") if design and design.startswith("prob:") else None
