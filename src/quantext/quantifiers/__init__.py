"""Quantifiers: scores of a bag in, its prevalence out; no texts, no learner."""

from quantext.quantifiers.adaptive import AdaptiveCount
from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.constant import TrainingPrevalence
from quantext.quantifiers.counting import AdjustedCount, ClassifyAndCount
from quantext.quantifiers.expectation import ExpectationMaximization
from quantext.quantifiers.mixtures import MixtureModel
from quantext.quantifiers.posteriors import ProbabilisticAdjustedCount, ProbabilisticCount
from quantext.quantifiers.thresholds import MedianSweep, ThresholdCount

__all__ = [
    "AdaptiveCount",
    "AdjustedCount",
    "ClassifyAndCount",
    "ExpectationMaximization",
    "MedianSweep",
    "MixtureModel",
    "ProbabilisticAdjustedCount",
    "ProbabilisticCount",
    "Quantifier",
    "ThresholdCount",
    "TrainingPrevalence",
]
