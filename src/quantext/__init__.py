"""How many? Estimate the share of each class among unlabelled documents."""

from quantext import measures
from quantext.corpus import Corpus, read_corpus
from quantext.text import LtcVectorizer

__all__ = ["Corpus", "LtcVectorizer", "measures", "read_corpus"]
