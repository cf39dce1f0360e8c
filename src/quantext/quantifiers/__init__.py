"""Quantifiers: scores of a bag in, its prevalence out; no texts, no learner."""

from quantext.quantifiers.adaptive import AdaptiveCount
from quantext.quantifiers.base import Quantifier
from quantext.quantifiers.bayesian import BayesianCount, PreciseQuantifier
from quantext.quantifiers.constant import TrainingPrevalence
from quantext.quantifiers.costs import CostCount
from quantext.quantifiers.counting import AdjustedCount, ClassifyAndCount
from quantext.quantifiers.ensemble import EnsembleQuantifier
from quantext.quantifiers.expectation import ExpectationMaximization
from quantext.quantifiers.mixtures import MixtureModel
from quantext.quantifiers.posteriors import ProbabilisticAdjustedCount, ProbabilisticCount
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
    "ClassifyAndCount",
    "ContinuousSweep",
    "CostCount",
    "EnsembleQuantifier",
    "ExpectationMaximization",
    "MedianSweep",
    "MixtureModel",
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
