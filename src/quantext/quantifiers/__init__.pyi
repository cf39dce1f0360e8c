"""The quantifiers, for type checkers; ``__init__.py`` says where each is at run time."""

from quantext.quantifiers.adaptive import AdaptiveCount as AdaptiveCount
from quantext.quantifiers.base import Quantifier as Quantifier
from quantext.quantifiers.bayesian import BayesianCount as BayesianCount
from quantext.quantifiers.bayesian import PreciseQuantifier as PreciseQuantifier
from quantext.quantifiers.constant import TrainingPrevalence as TrainingPrevalence
from quantext.quantifiers.costs import CostCount as CostCount
from quantext.quantifiers.counting import AdjustedCount as AdjustedCount
from quantext.quantifiers.counting import BlackBoxShift as BlackBoxShift
from quantext.quantifiers.counting import ClassifyAndCount as ClassifyAndCount
from quantext.quantifiers.densities import KernelDensity as KernelDensity
from quantext.quantifiers.energy import EnergyDistance as EnergyDistance
from quantext.quantifiers.ensemble import EnsembleQuantifier as EnsembleQuantifier
from quantext.quantifiers.expectation import ExpectationMaximization as ExpectationMaximization
from quantext.quantifiers.friedman import FriedmanCount as FriedmanCount
from quantext.quantifiers.matching import DistributionMatching as DistributionMatching
from quantext.quantifiers.mixtures import MixtureModel as MixtureModel
from quantext.quantifiers.patterns import PatternMatching as PatternMatching
from quantext.quantifiers.posteriors import ProbabilisticAdjustedCount as ProbabilisticAdjustedCount
from quantext.quantifiers.posteriors import ProbabilisticCount as ProbabilisticCount
from quantext.quantifiers.presence import FeatureMatching as FeatureMatching
from quantext.quantifiers.regression import RegressionQuantifier as RegressionQuantifier
from quantext.quantifiers.regularized import RegularizedLikelihood as RegularizedLikelihood
from quantext.quantifiers.stacked import StackedCount as StackedCount
from quantext.quantifiers.sweep import ContinuousSweep as ContinuousSweep
from quantext.quantifiers.thresholds import MedianSweep as MedianSweep
from quantext.quantifiers.thresholds import ThresholdCount as ThresholdCount
from quantext.quantifiers.votes import VoteCount as VoteCount

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
