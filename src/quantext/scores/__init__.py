"""Scores: any classifier in, out-of-fold scores of its training documents out; no prevalence."""
