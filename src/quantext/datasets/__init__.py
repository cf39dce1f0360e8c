"""Datasets: the files of a corpus in, or nothing for a made-up one, a `Corpus` out; no models.

Each module of a corpus that has files also has ``SPLIT``, how it is divided by default (by period,
or as its files say), and ``PUBLISHED``, its counts as `describe` names them, as far as they are
published.
"""

from quantext.datasets.arxiv import read_arxiv
from quantext.datasets.judged import JudgedSurvey, judged_survey
from quantext.datasets.lequa import read_lequa2022, read_lequa2024
from quantext.datasets.lyrl2004 import read_lyrl2004_tokens, read_lyrl2004_vectors
from quantext.datasets.made_up_model import GUESSER, PESSIMIST, made_up_labels, made_up_scores
from quantext.datasets.ohsumed import read_ohsumed
from quantext.datasets.rcv1 import read_rcv1
from quantext.datasets.reuters21578 import read_reuters21578
from quantext.datasets.semeval import read_semeval
from quantext.datasets.synthetic import expected_prevalence, synthetic, synthetic_weeks
from quantext.datasets.vectors import read_vectors

__all__ = [
    "GUESSER",
    "PESSIMIST",
    "JudgedSurvey",
    "expected_prevalence",
    "judged_survey",
    "made_up_labels",
    "made_up_scores",
    "read_arxiv",
    "read_lequa2022",
    "read_lequa2024",
    "read_lyrl2004_tokens",
    "read_lyrl2004_vectors",
    "read_ohsumed",
    "read_rcv1",
    "read_reuters21578",
    "read_semeval",
    "read_vectors",
    "synthetic",
    "synthetic_weeks",
]
