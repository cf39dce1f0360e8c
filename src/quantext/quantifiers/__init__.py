"""Quantifiers: scores in, prevalence out."""

from quantext.quantifiers.base import Quantifier, Summary, Tally
from quantext.quantifiers.counting import (
    AdjustedCount,
    ClassifyAndCount,
    ProbabilisticAdjustedCount,
    ProbabilisticCount,
)
from quantext.quantifiers.training import TrainingPrevalence

__all__ = [
    "AdjustedCount",
    "ClassifyAndCount",
    "ProbabilisticAdjustedCount",
    "ProbabilisticCount",
    "Quantifier",
    "Summary",
    "Tally",
    "TrainingPrevalence",
]
