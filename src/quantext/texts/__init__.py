"""Texts: files in, documents with labels and periods out; no numbers."""
