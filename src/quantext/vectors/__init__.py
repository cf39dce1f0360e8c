"""Vectors: documents in, sparse rows of numbers out, in memory or on disk; no labels."""
