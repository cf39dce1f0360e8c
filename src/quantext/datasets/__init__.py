"""Corpora, each a function that returns a :class:`quantext.corpus.Corpus`."""
