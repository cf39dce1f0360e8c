"""Corpora, each a function that returns a :class:`quantext.corpus.Corpus`."""

from quantext.datasets.synthetic import expected_prevalence, synthetic, synthetic_weeks

__all__ = ["expected_prevalence", "synthetic", "synthetic_weeks"]
