"""Vectors: documents in, sparse rows of numbers out; no labels."""
