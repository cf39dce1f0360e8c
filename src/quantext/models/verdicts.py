"""Verdicts: what an estimate of a bag deserves, and why, in words for whoever reads it.

Rules look at one thing each. Each speaks for itself and the worst counts, so that nothing that
looks well makes up for what does not. That prevalences drift is no fault: quantifiers are made to
follow it. Faults are signs that documents are not what they were, that the model never could tell,
or that the bag is too small to say.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from quantext.models.evidence import Evidence, Trained
from quantext.models.rules import CARE, DISTRUST, FINE, LEVELS, RULES, Level

__all__ = ["HEADLINES", "Verdict", "judge"]

HEADLINES = {FINE: "Fine", CARE: "Read with care", DISTRUST: "Do not trust"}


@dataclass(frozen=True)
class Verdict:
    """What the estimate of a bag deserves.

    Parameters
    ----------
    level
        One of LEVELS: "fine", "care" (read with care) or "distrust" (do not trust).
    reasons
        A sentence each, those of the worst level first; none if it is fine.
    """

    level: Level
    reasons: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.reasons:
            return HEADLINES[self.level]
        first, *others = self.reasons
        return " ".join([f"{HEADLINES[self.level]}: {first[0].lower()}{first[1:]}", *others])


def judge(trained: Trained, bags: Sequence[Evidence], *, in_time: bool = False) -> list[Verdict]:
    """The verdict on each bag: the worst that any rule says, with all reasons.

    Parameters
    ----------
    trained
        The model.
    bags
        In order.
    in_time
        Whether they follow each other in time, so that earlier ones tell of later ones.

    Examples
    --------
    >>> import numpy as np
    >>> trained = Trained(["no", "yes"], np.array([0.5, 0.5]), single_label=True, level=0.95)
    >>> [verdict] = judge(trained, [Evidence(12, np.array([0.4, 0.6]))])
    >>> print(verdict)
    Read with care: the batch has only 12 documents; look at several such batches as one.
    """
    found = []
    for b in range(len(bags)):
        window = bags[: b + 1] if in_time else bags[b : b + 1]
        signs = [sign for rule in RULES for sign in rule.find(trained, window)]
        signs.sort(key=lambda sign: -LEVELS.index(sign[0]))
        found.append(Verdict(signs[0][0] if signs else FINE, tuple(text for _, text in signs)))
    return found
