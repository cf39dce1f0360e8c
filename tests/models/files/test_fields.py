"""Any frozen dataclass is kept by its fields, and only those that are known are made again."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from scipy import sparse

from quantext.learners.linear import LinearSVM
from quantext.models.files import fields
from quantext.models.files.archive import Contents
from quantext.models.files.description import describe
from quantext.models.files.flaws import ModelFileError
from quantext.models.files.known import known_dataclasses
from quantext.models.files.rebuilding import rebuild
from quantext.quantifiers import AdjustedCount, ClassifyAndCount
from quantext.scores.scorers import LinearScorer
from quantext.scores.training import TrainingScores

LIMIT = 2**28


@dataclass(frozen=True)
class Leaf:
    values: NDArray[np.int64]


@dataclass(frozen=True)
class Tree:
    means: NDArray[np.float64]
    counts: sparse.csr_array
    names: NDArray[Any]
    leaf: Leaf | None
    leaves: tuple[Leaf, ...]
    sizes: tuple[int, ...]
    words: list[str]
    rate: float
    title: str | None = None


KNOWN = {"Tree": Tree, "Leaf": Leaf}


def tree(**changes):
    own = {
        "means": np.arange(6.0).reshape(2, 3),
        "counts": sparse.csr_array(np.array([[0, 2, 0], [1, 0, 3]])),
        "names": np.array(["a", None, 3], dtype=object),
        "leaf": Leaf(np.array([1, 2])),
        "leaves": (Leaf(np.array([3])), Leaf(np.array([4]))),
        "sizes": (1, 2),
        "words": ["x", "y\n"],
        "rate": 0.5,
    }
    return Tree(**own | changes)


def described(value):
    arrays: dict[str, Any] = {}
    return fields.describe(value, "", KNOWN, arrays), arrays


def restored(description, arrays):
    source = fields.Source(dict(arrays), KNOWN, LIMIT)
    value = fields.restore(description, "", source)
    assert not source.arrays
    return value


def test_a_dataclass_is_restored_with_all_its_fields():
    before = tree()
    after = restored(*described(before))
    assert_array_equal(after.means, before.means)
    assert type(after.counts) is sparse.csr_array
    assert_array_equal(after.counts.toarray(), before.counts.toarray())
    assert after.names.tolist() == ["a", None, 3]
    assert_array_equal(after.leaf.values, before.leaf.values)
    assert [leaf.values.tolist() for leaf in after.leaves] == [[3], [4]]
    assert (after.sizes, after.words, after.rate, after.title) == ((1, 2), ["x", "y\n"], 0.5, None)


def test_arrays_are_named_by_the_fields_that_lead_to_them():
    _, arrays = described(tree())
    assert set(arrays) == {
        "means", "counts.data", "counts.indices", "counts.indptr", "leaf.values",
        "leaves.0.values", "leaves.1.values",
    }  # fmt: skip


def test_a_dataclass_that_may_be_absent_may_be_absent():
    assert restored(*described(tree(leaf=None))).leaf is None


def test_an_empty_matrix_is_kept():
    after = restored(*described(tree(counts=sparse.csr_array((2, 3)))))
    assert after.counts.shape == (2, 3)
    assert after.counts.nnz == 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"leaf": np.ones(2)}, "leaf of Tree is not of the right type: it is float64"),
        ({"means": np.ones(2, np.int64)}, "means of Tree is not of the right type: it is int64"),
        ({"words": ["x", {}]}, "words of Tree is not of the right type: it is list"),
        ({"names": {1, 2}}, "names of Tree is not of the right type: it is set"),
        ({"names": np.array([["a"]])}, "names of the type <U1 cannot be saved"),
        ({"names": np.array([1j])}, "names of the type complex128 cannot be saved"),
    ],
)
def test_what_is_not_as_annotated_cannot_be_saved(changes, message):
    with pytest.raises(TypeError, match=message):
        described(tree(**changes))


def test_a_dataclass_that_is_not_known_is_neither_saved_nor_made():
    description, arrays = described(tree())
    with pytest.raises(TypeError, match="leaf is a Leaf, which cannot be saved in a model file"):
        fields.describe(tree(), "", {"Tree": Tree}, {})
    with pytest.raises(ModelFileError, match="leaf is of the unknown type 'Leaf'"):
        fields.restore(description, "", fields.Source(arrays, {"Tree": Tree}, LIMIT))


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("indices", np.array([1, 0, 3], np.int32), "column beyond its last"),
        ("indices", np.array([1, 0, -1], np.int32), "column beyond its last"),
        ("indices", np.array([1, 0, 2], np.int64), "do not fit each other"),
        ("indices", np.array([1.0, 0, 2]), "do not fit each other"),
        ("indices", np.array([[1, 0, 2]], np.int32), "not those of a sparse matrix"),
        ("data", np.array([1, 0]), "do not fit each other"),
        ("indptr", np.array([0, 1], np.int32), "not those of a sparse matrix"),
        ("indptr", np.array([0, 4, 3], np.int32), "rows of counts do not follow each other"),
        ("indptr", np.array([1, 1, 3], np.int32), "rows of counts do not follow each other"),
        ("indptr", np.array([0, 1, 2], np.int32), "rows of counts do not follow each other"),
    ],
)
def test_a_sparse_matrix_that_would_read_beyond_its_arrays_is_refused(name, values, message):
    description, arrays = described(tree())
    with pytest.raises(ModelFileError, match=message):
        restored(description, arrays | {f"counts.{name}": values})


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        ([2], "counts has the shape"),
        ([2, 3.0], "counts has the shape"),
        ([2, -3], "counts has the shape"),
        ([2, 2**60], "MB of memory"),
        ([2**60, 3], "not those of a sparse matrix"),
    ],
    ids=str,
)
def test_a_sparse_matrix_of_another_shape_is_refused(shape, message):
    description, arrays = described(tree())
    description["fields"]["counts"]["shape"] = shape
    with pytest.raises(ModelFileError, match=message):
        restored(description, arrays)


@dataclass(frozen=True)
class Halves:
    """Scores by two linear scorers side by side, each of half of the columns."""

    members: tuple[LinearScorer, ...]

    def check(self, n_columns):
        if 2 * len(self.members) != n_columns:
            raise ValueError("there are not two columns a member")
        for member in self.members:
            member.check(2)

    def __call__(self, X):
        return np.hstack([member(X) for member in self.members])


class HalvesCount(ClassifyAndCount):
    stored: ClassVar = (Halves,)


def halves():
    members = tuple(LinearScorer(np.eye(3, 2, k=-k), np.zeros(2)) for k in range(2))
    y = np.random.default_rng(0).random((20, 4)) < 0.5
    scores = TrainingScores(Halves(members), None, y, 1.0, np.arange(4), "multilabel")
    return HalvesCount(LinearSVM()).fit_scores(scores)


def test_a_representation_that_a_quantifier_declares_is_kept():
    model, own = halves(), {"HalvesCount": HalvesCount}
    description, arrays = describe(model, own)
    assert "scorer.members.1.coef" in arrays
    contents = Contents({"quantext": "0", "model": description}, arrays, LIMIT)
    X = np.random.default_rng(1).normal(size=(9, 3))
    assert_array_equal(rebuild(contents, own).predict(X), model.predict(X))


def test_a_representation_checks_its_own_arrays():
    own = {"HalvesCount": HalvesCount}
    description, arrays = describe(halves(), own)
    arrays["scorer.members.1.coef"] = np.ones((3, 3))
    contents = Contents({"quantext": "0", "model": description}, arrays, LIMIT)
    with pytest.raises(ModelFileError, match="weights are not one column for each"):
        rebuild(contents, own)


def test_a_representation_that_is_not_declared_is_refused():
    class Other(ClassifyAndCount):
        pass

    model = Other(LinearSVM()).fit_scores(halves().scores_)
    with pytest.raises(TypeError, match="the scores of a Halves cannot be saved"):
        describe(model, {"Other": Other})


def test_dataclasses_are_known_from_annotations_too():
    class Planted(AdjustedCount):
        stored: ClassVar = (Tree,)

    assert {"Tree", "Leaf", "TrainingScores", "LinearScorer"} <= known_dataclasses(Planted).keys()
    assert "Tree" not in known_dataclasses(AdjustedCount)


def test_a_dataclass_that_can_be_changed_is_not_kept():
    @dataclass
    class Open:
        value: int

    class Planted(AdjustedCount):
        stored: ClassVar = (Open,)

    with pytest.raises(TypeError, match="cannot keep a Open: what it keeps are frozen dataclasses"):
        known_dataclasses(Planted)
