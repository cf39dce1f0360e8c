"""Whether the model should be retrained: advice for all bags, from the verdict on each.

That prevalences drift is no reason: quantifiers are made to follow it. Reasons are signs that the
documents of a class are no longer what they were, and verdicts tell of these.
"""

from quantext.models.rules import CARE, DISTRUST, FINE, RULES, Level, Rule
from quantext.reports.grid import Grid
from quantext.reports.isolating import isolated
from quantext.wording import listed

__all__ = ["advice", "fitting_rules", "silent_rules"]

_RECENT = 3


def advice(grid: Grid) -> tuple[Level, str, str]:
    """Verdict, headline and text for all: of recent bags, or of all if not in time.

    Parameters
    ----------
    grid
        The estimates.
    """
    n_bags = len(grid.bags)
    first = max(0, n_bags - _RECENT) if grid.in_time else 0
    found = grid.verdicts[first:]
    which = "the batch" if n_bags == 1 else f"the {'last ' if first else ''}{len(found):,} batches"
    bad = [b for b in range(first, n_bags) if grid.verdicts[b].level != FINE]
    if not bad:
        silent = [name.lower() for name in silent_rules(grid)]
        unknown = f" Not known here: {listed(silent)}." if silent else ""
        return (
            FINE,
            "No sign that the model should be retrained",
            f"None of the rules under “How this is judged” applies to {which}.{unknown}",
        )
    worst = [b for b in bad if grid.verdicts[b].level == DISTRUST]
    shown = (worst or bad)[-1]
    where = f"{isolated(grid.bags[shown])}: " if n_bags > 1 else ""
    told = where + " ".join(grid.verdicts[shown].reasons)
    if 2 * len(worst) > len(found):
        return (
            DISTRUST,
            "Retrain the model before these estimates are used",
            f"{told} If these are the documents that you mean, code some hundred of them by hand, "
            "add them to the training data and train again.",
        )
    some = which if len(found) == len(bad) else f"{len(bad):,} of {which}"
    headline = f"Read {some} with care"
    if worst:
        headline += f", and do not trust {len(worst):,} of them"
    if len(worst) == len(bad):
        headline = f"Do not trust {some}"
    return (
        DISTRUST if worst else CARE,
        headline,
        f"{told} To be sure, code some hundred documents of such a batch by hand and compare.",
    )


def silent_rules(grid: Grid) -> list[str]:
    """Names of the rules that have nothing to judge by here.

    Parameters
    ----------
    grid
        The estimates.
    """
    there = {
        "": True,
        "change": any(change is not None for change in grid.changes),
        "known": grid.known is not None,
        "low": grid.low is not None,
        "true_share": grid.true_share is not None,
        # A model that has judged knows its own training; a table of estimates does not.
        "apart": grid.judged_by_model,
        "documents": grid.judged_by_model,
        "known_answers": grid.judged_by_model,
    }
    return [rule.name for rule in fitting_rules(grid) if not there[rule.needs]]


def fitting_rules(grid: Grid) -> list[Rule]:
    """The rules that make sense for what the model reads.

    Parameters
    ----------
    grid
        The estimates.
    """
    return [rule for rule in RULES if rule.reads in ("", grid.reads)]
