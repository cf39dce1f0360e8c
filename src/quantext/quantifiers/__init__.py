"""Quantifiers: scores of a bag in, its prevalence out; no texts, no learner."""

from quantext.quantifiers.adaptive import AdaptiveCount
from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.bayesian import BayesianCount, PreciseQuantifier
from quantext.quantifiers.constant import TrainingPrevalence
from quantext.quantifiers.costs import CostCount
from quantext.quantifiers.counting import AdjustedCount, BlackBoxShift, ClassifyAndCount
from quantext.quantifiers.densities import KernelDensity
from quantext.quantifiers.energy import EnergyDistance
from quantext.quantifiers.ensemble import EnsembleQuantifier
from quantext.quantifiers.expectation import ExpectationMaximization
from quantext.quantifiers.friedman import FriedmanCount
from quantext.quantifiers.matching import DistributionMatching
from quantext.quantifiers.mixtures import MixtureModel
from quantext.quantifiers.patterns import PatternMatching
from quantext.quantifiers.posteriors import ProbabilisticAdjustedCount, ProbabilisticCount
from quantext.quantifiers.presence import FeatureMatching
from quantext.quantifiers.regression import RegressionQuantifier
from quantext.quantifiers.regularized import RegularizedLikelihood
from quantext.quantifiers.stacked import StackedCount
from quantext.quantifiers.sweep import ContinuousSweep
from quantext.quantifiers.thresholds import MedianSweep, ThresholdCount
from quantext.quantifiers.votes import VoteCount

__all__ = [
    "AdaptiveCount",
    "AdjustedCount",
    "BayesianCount",
    "BlackBoxShift",
    "ClassifyAndCount",
    "ContinuousSweep",
    "CostCount",
    "DistributionMatching",
    "EnergyDistance",
    "EnsembleQuantifier",
    "ExpectationMaximization",
    "FeatureMatching",
    "FriedmanCount",
    "KernelDensity",
    "MedianSweep",
    "MixtureModel",
    "PatternMatching",
    "PreciseQuantifier",
    "ProbabilisticAdjustedCount",
    "ProbabilisticCount",
    "Quantifier",
    "RegressionQuantifier",
    "RegularizedLikelihood",
    "StackedCount",
    "ThresholdCount",
    "TrainingPrevalence",
    "VoteCount",
]
