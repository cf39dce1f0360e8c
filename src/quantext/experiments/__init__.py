"""Experiments: methods and bags in, one long table of their errors out; no pages."""
