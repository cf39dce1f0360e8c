"""Possible errors: what is drawn where the classes are not quite what training shows of them."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from quantext.quantifiers.possible import possible_errors
from quantext.scores.training import ScoresByClass

# Four documents of the first class, all with one score; six of the second, all with another.
APART = ScoresByClass(np.array([[-1.0], [1.0]]), np.array([[4, 0], [0, 6]]))


class Watched:
    """An estimator that keeps what it is given and counts the bag's second row."""

    def __init__(self):
        self.redrawn = []

    def __call__(self, training):
        assert_array_equal(training.counts, APART.counts[: len(training.scores)])

        def relearn(redrawn):
            def estimate(rows, bags):
                assert_array_equal(rows, np.tile(np.arange(bags.shape[1]), (len(bags), 1)))
                self.redrawn.append(np.concatenate([redrawn, bags[:, None]], axis=1))
                share = bags[:, 1] / bags.sum(axis=1)
                return np.column_stack([1 - share, share])

            return estimate

        return relearn


def drawn(p, size=50, replicates=2000, seed=0):
    watched = Watched()
    rng = np.random.default_rng(seed)
    errors = possible_errors(APART, np.array(p), size, watched, replicates=replicates, rng=rng)
    return errors, np.concatenate(watched.redrawn)


def test_as_many_documents_are_drawn_as_there_are():
    errors, redrawn = drawn([0.5, 0.5], replicates=20)
    assert errors.shape == (20, 2)
    assert_array_equal(redrawn.sum(axis=2), np.tile([4, 6, 50], (20, 1)))
    assert_allclose(errors.sum(axis=1), 0, atol=1e-12)


def test_a_class_has_one_document_more_whose_scores_are_those_of_another():
    # Of 4 + 1 documents with random weights, the one has a share of 1/5 on average; its standard
    # deviation over documents that are drawn is 0.26, that of the mean of 2,000 is 0.006.
    _, redrawn = drawn([0.5, 0.5])
    assert_allclose(redrawn[:, 0, 1].mean() / 4, 1 / 5, atol=0.025)
    assert_allclose(redrawn[:, 1, 0].mean() / 6, 1 / 7, atol=0.025)


def test_training_documents_and_bag_are_drawn_from_the_same_class():
    # All of the bag is of the first class, so that its errors are the share of the other row. Where
    # training documents have much of it the bag has, too: what the class has varies by 1/6 (as a
    # part of 1/5 · 4/5), what 4 documents drawn of it have by 1/6 + 5/6 · 1/4 = 9/24.
    errors, redrawn = drawn([1.0, 0.0], size=10_000)
    assert_allclose(errors[:, 1].mean(), 1 / 5, atol=0.025)
    together = np.corrcoef(errors[:, 1], redrawn[:, 0, 1])[0, 1]
    assert_allclose(together, np.sqrt(4 / 9), atol=0.05)


def test_the_same_seed_gives_the_same_errors_and_another_seed_does_not():
    first, again, other = (drawn([0.3, 0.7], replicates=30, seed=s)[0] for s in (1, 1, 2))
    assert_array_equal(first, again)
    assert (first != other).any()


def test_a_class_without_documents_is_not_drawn():
    counts = np.array([[4, 0, 0], [0, 6, 0]])
    rng = np.random.default_rng(0)

    def estimator(training):
        assert_array_equal(training.counts, counts)

        def relearn(redrawn):
            assert not redrawn[:, 2].any()
            return lambda _rows, _bags: np.tile([0.5, 0.5, 0.0], (len(redrawn), 1))

        return relearn

    training = ScoresByClass(APART.scores, counts)
    p = np.array([0.5, 0.5, 0.0])
    errors = possible_errors(training, p, 10, estimator, replicates=20, rng=rng)
    assert_array_equal(errors[:, 2], 0)
