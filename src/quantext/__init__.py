"""How many? Estimate the share of each class among unlabelled documents."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quantext import distributed as distributed
    from quantext import measures
    from quantext.corpus import Corpus, VectorCorpus, read_corpus
    from quantext.losses import LOSSES, ContingencyTable, PrevalenceLoss
    from quantext.mapped import open_vectors, write_vectors
    from quantext.methods import METHODS, Method, method
    from quantext.modelfile import ModelFileError, load, save
    from quantext.quantifiers import (
        AdjustedCount,
        ClassifyAndCount,
        ExpectationMaximization,
        MedianSweep,
        MixtureModel,
        ProbabilisticAdjustedCount,
        ProbabilisticCount,
        Quantifier,
        ThresholdCount,
        TrainingPrevalence,
    )
    from quantext.scores import TrainingScores, score_training
    from quantext.svm import LinearSVM, StructuralSVM
    from quantext.text import LtcVectorizer
    from quantext.textquantifier import TextQuantifier

# Names are imported when they are first asked for: the command line answers at once that way.
_HOME = {
    "corpus": ["Corpus", "VectorCorpus", "read_corpus"],
    "losses": ["LOSSES", "ContingencyTable", "PrevalenceLoss"],
    "mapped": ["open_vectors", "write_vectors"],
    "methods": ["METHODS", "Method", "method"],
    "modelfile": ["ModelFileError", "load", "save"],
    "quantifiers": [
        "AdjustedCount",
        "ClassifyAndCount",
        "ExpectationMaximization",
        "MedianSweep",
        "MixtureModel",
        "ProbabilisticAdjustedCount",
        "ProbabilisticCount",
        "Quantifier",
        "ThresholdCount",
        "TrainingPrevalence",
    ],
    "scores": ["TrainingScores", "score_training"],
    "svm": ["LinearSVM", "StructuralSVM"],
    "text": ["LtcVectorizer"],
    "textquantifier": ["TextQuantifier"],
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = [
    "LOSSES",
    "METHODS",
    "AdjustedCount",
    "ClassifyAndCount",
    "ContingencyTable",
    "Corpus",
    "ExpectationMaximization",
    "LinearSVM",
    "LtcVectorizer",
    "MedianSweep",
    "Method",
    "MixtureModel",
    "ModelFileError",
    "PrevalenceLoss",
    "ProbabilisticAdjustedCount",
    "ProbabilisticCount",
    "Quantifier",
    "StructuralSVM",
    "TextQuantifier",
    "ThresholdCount",
    "TrainingPrevalence",
    "TrainingScores",
    "VectorCorpus",
    "load",
    "measures",
    "method",
    "open_vectors",
    "read_corpus",
    "save",
    "score_training",
    "write_vectors",
]

_OPTIONAL = "distributed"  # it needs Dask, and `import *` must work without


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        return getattr(import_module(f"quantext.{_MODULE_OF[name]}"), name)
    if name in (*__all__, _OPTIONAL):
        return import_module(f"quantext.{name}")
    raise AttributeError(f"module 'quantext' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, _OPTIONAL]
