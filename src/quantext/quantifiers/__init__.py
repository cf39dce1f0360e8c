"""Quantifiers: scores of a bag in, its prevalence out; no texts, no learner.

As in ``quantext``, a name is imported when it is first asked for: nobody uses all of them at once.
"""

from importlib import import_module
from typing import Any

_NAMES_IN = {
    "adaptive": ["AdaptiveCount"],
    "base": ["Quantifier"],
    "bayesian": ["BayesianCount", "PreciseQuantifier"],
    "constant": ["TrainingPrevalence"],
    "costs": ["CostCount"],
    "counting": ["AdjustedCount", "BlackBoxShift", "ClassifyAndCount"],
    "densities": ["KernelDensity"],
    "energy": ["EnergyDistance"],
    "ensemble": ["EnsembleQuantifier"],
    "expectation": ["ExpectationMaximization"],
    "friedman": ["FriedmanCount"],
    "matching": ["DistributionMatching"],
    "mixtures": ["MixtureModel"],
    "patterns": ["PatternMatching"],
    "posteriors": ["ProbabilisticAdjustedCount", "ProbabilisticCount"],
    "presence": ["FeatureMatching"],
    "regression": ["RegressionQuantifier"],
    "regularized": ["RegularizedLikelihood"],
    "stacked": ["StackedCount"],
    "sweep": ["ContinuousSweep"],
    "thresholds": ["MedianSweep", "ThresholdCount"],
    "votes": ["VoteCount"],
}
_HOME = {name: module for module, names in _NAMES_IN.items() for name in names}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"quantext.quantifiers.{_HOME[name]}"), name)
    raise AttributeError(f"module 'quantext.quantifiers' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(_HOME)
