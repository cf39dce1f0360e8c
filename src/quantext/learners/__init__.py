"""Learners: vectors and labels in, hyperplanes with a certificate out; no bags."""
