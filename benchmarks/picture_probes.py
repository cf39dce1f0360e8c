"""Which functions are the stages of `speed_picture`, and how many bytes each of them moves.

Bytes are counted from the sizes of arrays: what a stage reads from end to end, and what it writes.
Tables that are looked up here and there, such as that of the tokens, are not counted, except the
weights of the folds: a row of them for each feature of each document that is visited.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.probes import Probe, Stage
from quantext.learners import descent
from quantext.learners.linear import LinearSVM

FULL, ALL_FOLDS = "the fit to all", "the folds, together"
FOLD_LANES = 56  # 50 folds, in whole vectors of eight


def matrix_bytes(X: Any) -> int:
    """Bytes of the arrays of a CSR matrix."""
    return int(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


def _encoded(encoded: Any) -> float:
    return 2.0 * encoded.data.nbytes + encoded.ends.nbytes  # read and written


def _scanned(_: Any, encoded: Any, __: Any) -> tuple[float, float]:
    return float(encoded.data.nbytes), 0.0


def _new_tokens(_: Any, known: Any, first: int) -> tuple[float, float]:
    return float(known.starts[known.n_tokens] - known.starts[first]), 0.0


def _stream(_: Any, ends: Any, *__: Any) -> tuple[float, float]:
    return 4.0 * float(ends[-1]) if len(ends) else 0.0, 0.0


def _learned(_: Any, counters: Any, __: int) -> tuple[float, float]:
    arrays = [
        array
        for own in counters
        for array in (own.tallies, own.token_frequency, own.term_of_token, own.known.letters)
    ]
    return float(sum(array.nbytes for array in arrays)), 0.0


def _weighed(terms: Any, frequencies: Any, ends: Any, *others: Any) -> tuple[float, float]:
    weights, columns = others[-3:-1]
    arrays = (terms, frequencies, ends, ends, weights, columns)
    return float(sum(array.nbytes for array in arrays)), 0.0


def _scored(scorer: Any, X: Any) -> tuple[float, float]:
    return float(matrix_bytes(X)), 2.0 * X.nnz * scorer.coef.shape[1]


def _matvec(products: Any, w: Any) -> tuple[float, float]:
    X = products.X
    return matrix_bytes(X) + w.nbytes + 8.0 * X.shape[0], 2.0 * X.nnz


def _rmatvec(products: Any, v: Any) -> tuple[float, float]:
    X = products.X
    return matrix_bytes(X) + v.nbytes + 8.0 * X.shape[1], 2.0 * X.nnz


def _searched(_: Any, scores: Any) -> tuple[float, float]:
    return 5.0 * scores.nbytes, 0.0  # scores, sorted, counted, compared, and the labelling


def _csr(X: Any, *_: Any) -> tuple[float, float]:
    return float(matrix_bytes(X)), 0.0


WEIGH = Probe("weigh", "quantext.vectors.weighing:weigh", reads=_weighed)
TEXT = [
    Probe("encode", "quantext.vectors.terms:encode_column", writes=_encoded),
    Probe("encode", "quantext.vectors.terms:encode", writes=_encoded),
    Probe(
        "scan",
        "quantext.vectors.tokenise:TokenTable.numbers",
        reads=_scanned,
        writes=lambda ends: 4.0 * float(ends[-1]) + ends.nbytes if len(ends) else 0.0,
    ),
    Probe("number new terms", "quantext.vectors.vocabulary:Numbering.__call__", reads=_new_tokens),
    Probe("count", "quantext.vectors.terms:count", reads=_stream, writes=lambda n: 8.0 * n),
    Probe(
        "finish the vocabulary",
        "quantext.vectors.ltc:LtcVectorizer._choose_columns",
        reads=_learned,
    ),
    Probe("finish the vocabulary", "quantext.vectors.ltc:LtcVectorizer._name_columns"),
    WEIGH,
]
SCORING = [
    Probe(
        "scores",
        "quantext.scores.scorers:LinearScorer.__call__",
        reads=_scored,
        writes=lambda scores: scores.nbytes,
    )
]
FOLDS = [
    Probe("documents read for the kernels", "quantext.learners.descent:read_documents", reads=_csr),
    Probe(FULL, "quantext.learners.descent:descend"),
    Probe(ALL_FOLDS, "quantext.learners.descent:descend_folds"),
]
STRUCTURAL = [
    Probe("scores, X @ w", "quantext.learners.products:CsrProducts.matvec", reads=_matvec),
    Probe("normals, X.T @ v", "quantext.learners.products:CsrProducts.rmatvec", reads=_rmatvec),
    Probe("the oracle", "quantext.learners.oracle:Oracle.__call__", reads=_searched),
    Probe("the quadratic programme", "quantext.learners.bundle:minimise_on_simplex"),
]
FEATURES = [Probe("words by class", "quantext.scores.training:describe_features", reads=_csr)]
ESTIMATE = [Probe("estimates and intervals", "quantext.models.estimates:bag_shares")]


@contextmanager
def folds_in_view() -> Iterator[list[int]]:
    """Inside, each pass over the folds is noted: how many documents it visits."""
    visits: list[int] = []
    a_pass, a_look, shuffle = descent._pass, descent._look, descent._shuffle

    def visit(rows: Any, order: Any, n_active: int, *others: Any) -> Any:
        visits.append(n_active)
        return a_pass(rows, order, n_active, *others)

    def look(rows: Any, *others: Any) -> Any:
        visits.append(len(rows[2]))
        return a_look(rows, *others)

    def shuffled(order: Any, n: int, state: Any) -> Any:
        return shuffle(order, n, np.uint64(state))  # else it comes back as one of Python's

    with (
        patch.object(descent, "_shuffle", shuffled),
        patch.object(descent, "_pass", visit),
        patch.object(descent, "_look", look),
        patch.object(descent, "_descend_folds", descent._descend_folds.py_func),
    ):
        yield visits


def count_folds(stages: dict[str, Stage], X: Any, y: Any) -> None:
    """Enter what 50 folds and the full fit move and reckon; another fit says how much.

    Of the folds that is the scores of each document that is visited, in all of them; moves of
    weights, at most as much again, are not counted, as how many there are is not known. Of the full
    fit it is all documents in each pass, which is the most that it can be.
    """
    learner = LinearSVM()
    with folds_in_view() as visits:
        learner.fold_scores(X, y, 50, seed=0)
    length = X.nnz / X.shape[0]
    stages[ALL_FOLDS].bytes = sum(visits) * (length * (8 + 4 * FOLD_LANES) + 4 * FOLD_LANES)
    stages[ALL_FOLDS].operations = sum(visits) * length * 2 * FOLD_LANES
    passes = int(learner.n_iter_)
    stages[FULL].bytes = float(passes * (matrix_bytes(X) + 8 * X.nnz))
    stages[FULL].operations = passes * 2.0 * X.nnz
