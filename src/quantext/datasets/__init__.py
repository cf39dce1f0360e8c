"""Datasets: the files of a corpus in, or nothing for a made-up one, a `Corpus` out; no models.

Each module of a published corpus also has ``SPLIT``, how `by_period` divides it by default, and
``PUBLISHED``, its counts as `describe` names them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from quantext.datasets.synthetic import expected_prevalence, synthetic, synthetic_weeks

if TYPE_CHECKING:
    from quantext.datasets.arxiv import read_arxiv
    from quantext.datasets.lyrl2004 import read_lyrl2004_tokens, read_lyrl2004_vectors
    from quantext.datasets.ohsumed import read_ohsumed
    from quantext.datasets.rcv1 import read_rcv1
    from quantext.datasets.reuters21578 import read_reuters21578
    from quantext.datasets.vectors import read_vectors

# Readers are imported when they are first asked for, since some need scikit-learn.
_MODULE_OF = {
    "read_arxiv": "arxiv",
    "read_lyrl2004_tokens": "lyrl2004",
    "read_lyrl2004_vectors": "lyrl2004",
    "read_ohsumed": "ohsumed",
    "read_rcv1": "rcv1",
    "read_reuters21578": "reuters21578",
    "read_vectors": "vectors",
}

__all__ = [
    "expected_prevalence",
    "read_arxiv",
    "read_lyrl2004_tokens",
    "read_lyrl2004_vectors",
    "read_ohsumed",
    "read_rcv1",
    "read_reuters21578",
    "read_vectors",
    "synthetic",
    "synthetic_weeks",
]


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        return getattr(import_module(f"quantext.datasets.{_MODULE_OF[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
