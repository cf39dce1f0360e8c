"""Sparse matrices with one invariant broken, at every door of quantifiers, learners and files.

What is malformed must be refused; what is only unusual (columns out of order or twice in a row,
other formats and types) must give the answer of the same matrix in its usual form.
"""

import random
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from tests.support.fuzz_children import Attack, WrongAnswerError, refused

ROWS, COLUMNS = 36, 6
Y = np.arange(ROWS) % 3
FORMATS: list[Callable[[Any], Any]] = [
    sparse.csr_matrix, sparse.csr_array, sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix,
    sparse.csc_array, sparse.bsr_array,
]  # fmt: skip


def dense() -> np.ndarray:
    rng = np.random.default_rng(0)
    X = rng.exponential(size=(ROWS, COLUMNS)) * (rng.random((ROWS, COLUMNS)) < 0.6)
    X[np.arange(ROWS), Y] += 1
    return X


Fault = Callable[[random.Random, Any], object]


def some(rng: random.Random, array: Any) -> int:
    return rng.randrange(len(array))


def index_outside(rng: random.Random, X: Any) -> None:
    across = X.shape[0 if X.format == "csc" else 1]
    outside = rng.choice([across, across + 1, 10**6, 2**31 - 1, -1, -2, -(2**31)])
    X.indices[some(rng, X.indices)] = outside


def wide_index_outside(rng: random.Random, X: Any) -> None:
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    X.indices[some(rng, X.indices)] = rng.choice([2**32, 2**32 + 1, 2**63 - 1, -(2**63), 2**40])


def first_place(rng: random.Random, X: Any) -> None:
    X.indptr[0] = rng.choice([1, -1, 2**31 - 1, -(2**31)])


def last_place(rng: random.Random, X: Any) -> None:
    X.indptr[-1] = rng.choice([len(X.indices) + 1, 2**31 - 1, -1, -(2**31)])


def falling_places(rng: random.Random, X: Any) -> None:
    at = rng.randrange(1, len(X.indptr) - 1)
    X.indptr[at] = rng.choice([-1, X.indptr[-1] + 1, 2**31 - 1, -(2**31)])


def wide_places(rng: random.Random, X: Any) -> None:
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    X.indptr[rng.randrange(1, len(X.indptr) - 1)] += rng.choice([2**32, -(2**32), 2**62])


def too_few_places(rng: random.Random, X: Any) -> None:
    X.indptr = X.indptr[: rng.randrange(len(X.indptr))]


def too_many_places(rng: random.Random, X: Any) -> None:
    X.indptr = np.append(X.indptr, rng.choice([X.indptr[-1], 0, 2**31 - 1])).astype(np.int32)


def fewer_indices(rng: random.Random, X: Any) -> None:
    X.indices = X.indices[: rng.randrange(len(X.indices))]


def fewer_numbers(rng: random.Random, X: Any) -> None:
    X.data = X.data[: rng.randrange(len(X.data))]


def numbers_of_two_dimensions(rng: random.Random, X: Any) -> None:
    X.data = rng.choice([X.data.reshape(-1, 1), np.zeros((len(X.data), 2)), np.array(1.0)])


def odd_indices(rng: random.Random, X: Any) -> None:
    name = rng.choice(["indices", "indptr"])
    values = getattr(X, name)
    other: Any = rng.choice(
        [values.astype(float), values.astype(float) + 0.5, values.astype(object), values.tolist(),
         values.astype(str), values.reshape(-1, 1), None, values.astype(complex),
         values.astype(values.dtype.newbyteorder()), np.full(len(values), np.nan), iter(values)]
    )  # fmt: skip
    setattr(X, name, other)


def odd_shape(rng: random.Random, X: Any) -> None:
    """Rows or columns that are not there, or too few of them."""
    rows, columns = X.shape
    if X.format == "csc":  # with more rows, these would be empty, and it sound
        X._shape = rng.choice(
            [(rows - 1, columns), (rows, columns + 1), (rows, -columns), (rows, 0)]
        )
        return
    X._shape = rng.choice(
        [(rows + 1, columns), (rows - 1, columns), (rows, 1), (2**40, columns), (rows, 0),
         (0, columns), (-rows, columns), (1, columns)]
    )  # fmt: skip


def odd_numbers(rng: random.Random, X: Any) -> None:
    """Numbers with which nothing can be done."""
    X.data = rng.choice(
        [X.data.astype(object), np.full(X.data.shape, "a"), np.full(X.data.shape, None),
         np.full(X.data.shape, np.datetime64("2024-01-01")), X.data * 1j,
         np.zeros(X.data.shape, "V8"), X.data.astype(X.data.dtype.newbyteorder())]
    )  # fmt: skip


def not_finite(rng: random.Random, X: Any) -> None:
    X.data.reshape(-1)[rng.randrange(X.data.size)] = rng.choice([np.nan, np.inf, -np.inf])


MALFORMED: list[Fault] = [
    index_outside, wide_index_outside, first_place, last_place, falling_places, wide_places,
    too_few_places, too_many_places, fewer_indices, fewer_numbers, numbers_of_two_dimensions,
    odd_indices, odd_shape, odd_numbers, not_finite,
]  # fmt: skip


def out_of_order(rng: random.Random, X: Any) -> Any:
    for first, last in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        order = rng.sample(range(first, last), last - first)
        X.indices[first:last], X.data[first:last] = X.indices[order], X.data[order]
    X.has_sorted_indices = X.has_canonical_format = False
    return X


def twice(rng: random.Random, X: Any) -> Any:
    """Each number in two parts, in the same place."""
    part = rng.choice([0.5, 0.25, 3.0, 0.0])
    data = np.stack([X.data * part, X.data * (1 - part)], axis=1).reshape(-1, *X.data.shape[1:])
    return type(X)((data, np.repeat(X.indices, 2), X.indptr * 2), shape=X.shape)


def room_at_the_end(_: random.Random, X: Any) -> Any:
    X.indices = np.append(X.indices, X.indices[:5])
    X.data = np.concatenate([X.data, X.data[:5]])
    return X


def wide(_: random.Random, X: Any) -> Any:
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def with_zeros(_: random.Random, X: Any) -> Any:
    """Zeros that are stored."""
    full = X.toarray()
    there = sparse.csr_array(np.ones_like(full))
    there.data = full.reshape(-1)
    return there


def read_only(_: random.Random, X: Any) -> Any:
    for own in (X.data, X.indices, X.indptr):
        own.flags.writeable = False
    return X


def other_format(rng: random.Random, X: Any) -> Any:
    return getattr(X, f"to{rng.choice(['coo', 'lil', 'dok', 'dia', 'csc', 'bsr'])}")()


USUAL: list[Callable[[random.Random, Any], Any]] = [
    out_of_order, twice, room_at_the_end, wide, with_zeros, read_only, other_format,
]  # fmt: skip


@cache
def doors() -> dict[str, Callable[[Any, Path], Any]]:
    """All that takes a sparse matrix, by name; each gives numbers that depend on it."""
    from sklearn.base import clone
    from sklearn.linear_model import Ridge

    import quantext as qx
    from quantext.quantifiers import RegressionQuantifier

    X, found = dense(), {}

    def add(name: str, call: Callable[[Any, Path], Any]) -> None:
        found[name] = call

    for name in qx.METHODS:
        fitted = qx.method(name).fit(X, Y)
        add(f"{name}.fit", lambda Z, _, name=name: qx.method(name).fit(Z, Y).predict(X))
        add(f"{name}.predict", lambda Z, _, q=fitted: q.predict(Z))
        add(f"{name}.score", lambda Z, _, q=fitted: q.score(Z, Y))
        if fitted.gives_intervals and name in ("Adaptive", "ACC", "KDEy-ML", "HDx"):
            add(f"{name}.predict_interval", lambda Z, _, q=fitted: q.predict_interval(Z))
            add(f"{name}.predict_region", lambda Z, _, q=fitted: q.predict_region(Z).estimate)
    learners = [
        qx.LinearSVM(), qx.StructuralSVM(), qx.QuantificationForest(n_trees=3),
        qx.WeightedNeighbours(),
    ]  # fmt: skip
    two = Y == 1
    for learner in learners:
        fitted = clone(learner).fit(X, two)
        name = type(learner).__name__
        add(f"{name}.fit", lambda Z, _, own=learner: clone(own).fit(Z, two).predict(X))
        for door in ("predict", "decision_function", "predict_proba"):
            if hasattr(fitted, door):
                add(f"{name}.{door}", lambda Z, _, own=fitted, door=door: getattr(own, door)(Z))
    add("LinearSVM.fold_scores", lambda Z, _: qx.LinearSVM().fold_scores(Z, two, 3, 0))
    mean = RegressionQuantifier(Ridge())
    fitted = clone(mean).fit(X, X[:, 0])
    add("RegressionQuantifier.fit", lambda Z, _: clone(mean).fit(Z, X[:, 0]).predict(X))
    add("RegressionQuantifier.predict", lambda Z, _: fitted.predict(Z))
    add(
        "score_training",
        lambda Z, _: qx.score_training(qx.LinearSVM(), Z, Y, folds=3).out_of_fold,
    )
    add("write_vectors", lambda Z, own: qx.write_vectors([Z], own / "vectors").toarray())
    add("run", experimented)
    add("SearchQ.fit", lambda Z, _: searched(Z).predict(X))
    return found


def experimented(Z: Any, own: Path) -> Any:
    """Estimates of an experiment with vectors."""
    import quantext as qx
    from quantext.experiments.run import run
    from quantext.experiments.splits import Bag, Split

    corpus = qx.VectorCorpus("a", Z, Y[:, None] == np.arange(3), ("a", "b", "c"))
    split = Split(np.arange(18), (Bag("one", np.arange(18, ROWS)),))
    rows = run(corpus, split, own / "run", methods={"CC": qx.method("CC")}, jobs=1)
    return rows["p_hat"].to_numpy()


def searched(Z: Any) -> Any:
    import quantext as qx

    search = qx.SearchQ(qx.method("ACC"), {"classifier__C": [0.1, 1.0]}, n_jobs=1)
    return search.fit(Z, Y)


def prepare(_: Path) -> None:
    """Nothing: matrices are made in memory. But the kernels are compiled, once."""
    warm(_)


def warm(folder: Path) -> None:
    """Load all kernels."""
    for name, door in list(doors().items()):
        if name in ("SearchQ.fit", "run", "write_vectors"):
            continue  # of which polars would start its threads, or files be written
        try:
            door(sparse.csr_array(dense()), folder)
        except Exception as error:
            raise RuntimeError(f"{name} fails with a sound matrix") from error


def strike(number: int, rng: random.Random, _: Path, own: Path) -> bool:
    names = sorted(doors())
    name = names[number % len(names)]
    door = doors()[name]
    if rng.random() < 0.7:
        fault = MALFORMED[(number // len(names)) % len(MALFORMED)]
        X = rng.choice(FORMATS)(dense())
        fault(rng, X)
        print(f"{name}: a {type(X).__name__} with {fault.__name__}", file=sys.stderr)
        if not refused(lambda: door(X, own)):
            raise WrongAnswerError(f"{name} took a matrix with {fault.__name__}")
        return False
    change = rng.choice(USUAL)
    X = change(rng, sparse.csr_array(dense()))
    print(f"{name}: {change.__name__}, a {type(X).__name__}", file=sys.stderr)
    (own / "usual").mkdir()
    wanted, got = door(sparse.csr_array(dense()), own / "usual"), door(X, own)
    if not np.allclose(flat(wanted), flat(got), rtol=1e-3, atol=1e-3):
        raise WrongAnswerError(f"{name} after {change.__name__}: {got} for {wanted}")
    return True


def flat(answer: Any) -> Any:
    if isinstance(answer, tuple):
        return np.concatenate([np.ravel(flat(own)) for own in answer])
    if hasattr(answer, "positives"):
        return np.concatenate([np.ravel(answer.positives), np.ravel(answer.negatives)])
    return np.ravel(np.asarray(answer, dtype=np.float64))


ATTACK = Attack(prepare, warm, strike)
