"""Choosing parameters: settings and documents in, the one that counts best out."""

from quantext.experiments.search.searchq import SearchQ

__all__ = ["SearchQ"]
