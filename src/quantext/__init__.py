"""How many? Estimate the share of each class among unlabelled documents.

The table below is all that is public, beside the quantifiers, which ``quantext.quantifiers`` lists.
A name is imported when it is first asked for: the command line answers at once that way.
``__init__.pyi`` says the same to type checkers.
"""

from importlib import import_module
from typing import Any

_NAMES_IN = {
    "experiments.search": ["SearchQ"],
    "learners.forest": ["QuantificationForest"],
    "learners.linear": ["LinearSVM"],
    "learners.losses": ["LOSSES", "ContingencyTable", "PrevalenceLoss"],
    "learners.neighbours": ["WeightedNeighbours"],
    "learners.structural": ["StructuralSVM"],
    "models.methods": ["METHODS", "Method", "method"],
    "models.plan": ["Plan", "plan"],
    "models.save": ["ModelFileError", "load", "save"],
    "models.textquantifier": ["TextQuantifier"],
    "reports.correct": ["correct"],
    "reports.correction": ["Correction"],
    "reports.difference": ["Difference"],
    "reports.estimate": ["estimate"],
    "reports.result": ["Result"],
    "scores.training": ["TrainingScores", "score_training"],
    "texts.corpus": ["Corpus", "VectorCorpus"],
    "texts.reading": ["read_corpus"],
    "vectors.disk": ["open_vectors", "write_vectors"],
    "vectors.ltc": ["LtcVectorizer"],
    "vectors.proxy": ["ProxyVectorizer"],
}
_HOME = {name: module for module, names in _NAMES_IN.items() for name in names}
_MODULES = {"measures": "measures", "distributed": "models.distributed"}
_NEEDS_DASK = "distributed"  # and `import *` must work without


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f"quantext.{_HOME[name]}"), name)
    if name in _MODULES:
        return import_module(f"quantext.{_MODULES[name]}")
    if name == "__all__":
        return [public for public in __dir__() if public != _NEEDS_DASK]
    if name[:1].isupper() and name in _quantifiers().__all__:
        return getattr(_quantifiers(), name)
    raise AttributeError(f"module 'quantext' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_HOME, *_MODULES, *_quantifiers().__all__])


def _quantifiers() -> Any:
    return import_module("quantext.quantifiers")
