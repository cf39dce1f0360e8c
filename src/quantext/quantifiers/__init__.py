"""Quantifiers: scores of a bag in, its prevalence out; no texts, no learner."""

from quantext.quantifiers.adaptive import AdaptiveCount
from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.constant import TrainingPrevalence
from quantext.quantifiers.counting import AdjustedCount, BlackBoxShift, ClassifyAndCount
from quantext.quantifiers.densities import KernelDensity
from quantext.quantifiers.energy import EnergyDistance
from quantext.quantifiers.expectation import ExpectationMaximization
from quantext.quantifiers.friedman import FriedmanCount
from quantext.quantifiers.matching import DistributionMatching
from quantext.quantifiers.mixtures import MixtureModel
from quantext.quantifiers.patterns import PatternMatching
from quantext.quantifiers.posteriors import ProbabilisticAdjustedCount, ProbabilisticCount
from quantext.quantifiers.presence import FeatureMatching
from quantext.quantifiers.thresholds import MedianSweep, ThresholdCount

__all__ = [
    "AdaptiveCount",
    "AdjustedCount",
    "BlackBoxShift",
    "ClassifyAndCount",
    "DistributionMatching",
    "EnergyDistance",
    "ExpectationMaximization",
    "FeatureMatching",
    "FriedmanCount",
    "KernelDensity",
    "MedianSweep",
    "MixtureModel",
    "PatternMatching",
    "ProbabilisticAdjustedCount",
    "ProbabilisticCount",
    "Quantifier",
    "ThresholdCount",
    "TrainingPrevalence",
]
