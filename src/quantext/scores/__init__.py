"""Scores: a classifier and its training documents in, out-of-fold scores out; no prevalence."""
