import numpy as np
import pytest
from numpy.testing import assert_allclose

from quantext.quantifiers.powered import (
    Sample,
    design_effects,
    moments,
    powered,
    tune,
    tune_for_population,
)

Z, T_OF_ONE, T_OF_TWO = 1.959964, 12.706205, 4.302653  # 97.5% quantiles


def sample_of(positive, said=None, chances=0.01, **groups):
    """Documents that are of the second of two classes, or not."""
    y = np.asarray(positive, dtype=bool)
    f = y.astype(float) if said is None else np.asarray(said, dtype=float)
    groups = {name: np.asarray(values) for name, values in groups.items()}
    return Sample(
        np.column_stack([~y, y]),
        np.column_stack([1 - f, f]),
        np.zeros(len(y), dtype=np.int64),
        np.broadcast_to(np.asarray(chances, dtype=float), y.shape),
        **groups,
    )


def test_a_document_drawn_half_as_often_counts_twice():
    sample = sample_of([1, 0], chances=[0.1, 0.2])
    assert_allclose(sample.weights, [2 / 3, 1 / 3])
    assert_allclose(sample.shares, [1 / 3, 2 / 3])
    assert sample.size == pytest.approx(1.8)  # 1 / (4/9 + 1/9)
    assert sample.left_out == pytest.approx((4 * 0.9 + 1 * 0.8) / 5)


def test_lambda_is_covariance_by_variance():
    # Said, less its mean of .5: .4, -.2, 0, -.2; truth, less its mean: .5, .5, -.5, -.5.
    sample = sample_of([1, 1, 0, 0], [0.9, 0.3, 0.5, 0.3])
    covariance, truth, said = moments(sample)
    assert_allclose(covariance, [0.05, 0.05])
    assert_allclose(truth, [0.25, 0.25])
    assert_allclose(said, [0.06, 0.06])
    assert tune(sample) == pytest.approx(5 / 6)


@pytest.mark.parametrize(
    ("said", "power"),
    [([0.1, 0.1, 0.9, 0.9], 0), ([0.5, 0.5, 0.5, 0.5], 0), ([0.6, 0.6, 0.4, 0.4], 1)],
)
def test_lambda_stays_between_0_and_1(said, power):
    assert tune(sample_of([1, 1, 0, 0], said)) == power


def test_what_differs_between_bags_alone_tells_nothing_within_them():
    sample = sample_of([1, 1, 0, 0], [0.9, 0.9, 0.1, 0.1])
    assert tune(sample) == 1
    assert tune(sample, np.array([0, 0, 1, 1])) == 0


def test_lambda_for_a_population_is_that_of_ppi_plus_plus():
    y, f = np.array([1, 1, 0, 0, 1]), np.array([0.8, 0.4, 0.4, 0.2, 0.8])
    everything = np.r_[f, [0.2, 0.2, 0.4, 0.8, 0.8, 0.2, 0.2]]
    values, counts = np.unique(everything, return_counts=True)
    covariance = ((y - y.mean()) * (f - f.mean())).mean()
    expected = covariance / ((1 + 5 / 7) * everything.var(ddof=1))
    found = tune_for_population(sample_of(y, f), np.column_stack([1 - values, values]), counts)
    assert found == pytest.approx(expected)
    assert 0.1 < expected < 0.9


def test_a_part_of_how_unlike_the_rest_the_sample_is_is_added():
    # Of the sample 1/2 are of the class and the model says 0.6; of all documents it says 0.4.
    sample = sample_of([1, 1, 0, 0], [0.9, 0.9, 0.3, 0.3])
    mean = np.array([0.6, 0.4])
    assert_allclose(powered(sample, mean, 0), [0.5, 0.5])
    assert_allclose(powered(sample, mean, 0.5), [0.6, 0.4])
    assert_allclose(powered(sample, mean, 1), [0.7, 0.3])


def test_without_clusters_and_strata_there_is_no_design_effect():
    assert_allclose(design_effects(sample_of([1, 0, 0]), 0.5, 0.95), [1, 1])


def test_clusters_that_are_all_alike_count_as_one_document_each():
    # Residuals ±1/2 of weight 1/4. Single documents: 4 (1/8)² · 4/3 = 1/12; clusters: 2 (1/4)² · 2.
    sample = sample_of([1, 1, 0, 0], clusters=[0, 0, 1, 1])
    expected = (2 / 16) * 2 / (1 / 12) * (T_OF_ONE / Z) ** 2
    assert_allclose(design_effects(sample, 0, 0.95), [expected] * 2, rtol=1e-5)


def test_clusters_that_are_all_mixed_are_no_better_than_single_documents():
    sample = sample_of([1, 0, 1, 0, 1, 0], clusters=[0, 0, 1, 1, 2, 2])
    assert_allclose(design_effects(sample, 0, 0.95), 3 / 2 * (T_OF_TWO / Z) ** 2, rtol=1e-5)


def test_a_model_that_explains_what_clusters_have_in_common_leaves_no_design_effect():
    sample = sample_of([1, 1, 0, 0], [0.9, 0.9, 0.1, 0.1], clusters=[0, 0, 1, 1])
    with_model, alone = (design_effects(sample, power, 0.95) for power in (1.25, 0))
    assert (with_model < alone).all()  # Y - 1.25 F is -.125 for all


def test_strata_count_what_differs_within_them():
    # In both strata 1 of 4 is unlike the rest: squares 2 · 3/4, times 4/3; in all 2, times 8/7.
    sample = sample_of([1, 1, 1, 0, 0, 0, 0, 1], strata=[0, 0, 0, 0, 1, 1, 1, 1])
    assert_allclose(design_effects(sample, 0, 0.95), 2 / (2 * 8 / 7))


def test_strata_are_never_worse_than_none():
    sample = sample_of([1, 0, 1, 0], strata=[0, 0, 1, 1])
    assert_allclose(design_effects(sample, 0, 0.95), [1, 1])


def test_a_stratum_of_one_document_is_held_against_all():
    # Mean 1/2; the first, alone, is 1/2 off; the others' stratum has a mean of 1/3 and squares of
    # 2/3, times 3/2. In all: 1 · 4/3.
    sample = sample_of([1, 1, 0, 0], strata=[0, 1, 1, 1])
    assert_allclose(design_effects(sample, 0, 0.95), (1 / 4 + 2 / 3 * 3 / 2) / (4 / 3))
