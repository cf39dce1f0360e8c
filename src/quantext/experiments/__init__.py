"""Experiments: methods and bags in, one long table of results out; no pages."""
