"""The adaptive method: how much of a bag's drift to believe, by Bayes' rule."""

from quantext.quantifiers.adaptive.count import AdaptiveCount, Explanation

__all__ = ["AdaptiveCount", "Explanation"]
