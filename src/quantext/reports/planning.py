"""Plans as lines of a terminal: what to label, how many, and how far one has come."""

from collections.abc import Iterator
from textwrap import wrap

from quantext.models.plan import Plan
from quantext.wording import counted, fit_width

__all__ = ["plan_lines"]

WIDTH = 80


def plan_lines(plan: Plan) -> Iterator[str]:
    """The plan in lines of 80 columns.

    Parameters
    ----------
    plan
        What was planned.
    """
    if plan.progress is not None:
        yield from _progress_lines(plan)
        yield ""
    if plan.reached and not plan.to_label:
        yield from wrap(
            f"The target is reached: {plan.labelled:,} labels tell every share to "
            f"{_points(plan.target)} or better.{_without(plan)}",
            WIDTH,
        )
        return
    yield from _strata_lines(plan)
    yield ""
    yield from wrap(" ".join(_sentences(plan)), WIDTH)


def _progress_lines(plan: Plan) -> Iterator[str]:
    assert plan.progress is not None
    yield f"  {'class':40} {'share':>6}  {'now':>6}" + (f"  {'wanted':>6}" if plan.target else "")
    for name, share, half in plan.progress.select("class", "share", "half_width").iter_rows():
        line = f"  {fit_width(name, 40)} {100 * share:5.1f}%  {f'±{100 * half:.1f}':>6}"
        if plan.target is not None:
            line += f"  {f'±{100 * plan.target:.3g}':>6}"
            line += "" if half <= plan.target else "  not yet"
        yield line


def _strata_lines(plan: Plan) -> Iterator[str]:
    labelled = plan.labelled > 0
    yield (
        f"  {'stratum':30} {'rows':>9}"
        + (f"  {'labelled':>8}" if labelled else "")
        + f"  {'to label':>8}  why"
    )
    rows = [*plan.allocation.drop("spread").iter_rows()]
    for name, size, done, more, why in [*rows, _sum(plan)]:
        line = f"  {fit_width(name, 30)} {size:9,}" + (f"  {done:8,}" if labelled else "")
        yield f"{line}  {more:8,}  {why}".rstrip()


def _sum(plan: Plan) -> tuple[str, int, int, int, str]:
    totals = plan.allocation.select("size", "labelled", "to_label").sum().row(0)
    return ("all", *totals, "")


def _sentences(plan: Plan) -> Iterator[str]:
    if plan.basis == "pilot":
        yield (
            f"Nothing says yet how good the model is, so this is a pilot: label "
            f"{counted(plan.to_label, 'row')} first, and their labels tell how many are needed."
        )
        if plan.needed_without is not None:
            yield (
                f"Without the model {plan.needed_without:,} would be, for {_points(plan.target)} "
                "in every share; with it, fewer."
            )
        return
    if plan.needed is not None:
        yield (
            f"With the model about {plan.needed:,} labels tell every share to "
            f"{_points(plan.target)}, {plan.level:.0%} of the time; without it "
            f"{plan.needed_without:,} would."
        )
    if plan.labelled:
        yield f"{plan.labelled:,} are there, {plan.to_label:,} to go."
    source = "as the known truths show" if plan.basis == "truths" else "as you expect"
    yield (
        f"The model's word has a correlation of {plan.correlation:.2f} with the truth, {source}; "
        "strata get more the larger they are and the more their truths vary (spread)."
    )


def _without(plan: Plan) -> str:
    if plan.needed_without is None or plan.needed_without <= plan.labelled:
        return ""
    return f" Without the model {plan.needed_without:,} would be needed."


def _points(half: float | None) -> str:
    return f"±{100 * (half or 0):.3g} points"
