import numpy as np
import polars as pl
import pytest

from quantext.datasets import GUESSER, PESSIMIST, made_up_labels, made_up_scores

SENTIMENTS = ("negative", "neutral", "positive")
N = 40_000  # of each class
TRUTH = pl.Series(SENTIMENTS).gather(np.repeat(range(3), N))


@pytest.mark.parametrize("rates", [PESSIMIST, GUESSER], ids=["pessimist", "guesser"])
def test_the_error_rates_of_a_large_draw_are_those_that_were_asked_for(rates):
    labels = made_up_labels(TRUTH, rates)
    for i, name in enumerate(SENTIMENTS):
        said = labels[i * N : (i + 1) * N].to_list()
        for what in (*SENTIMENTS, None):
            p = rates[name][what]
            share = said.count(what) / N
            # 24 cells: the largest |z| is beyond 4 once in 600 draws.
            assert abs(share - p) < 4 * np.sqrt(p * (1 - p) / N), (name, what)


def test_the_guesser_is_worse_than_the_pessimist_for_every_class():
    for name in SENTIMENTS:
        assert GUESSER[name][name] < PESSIMIST[name][name]


def test_rates_of_nought_and_one_leave_nothing_to_chance():
    rates = {"yes": {"y": 1.0}, "no": {"n": 1.0, "y": 0.0}, "well": {None: 1.0}}
    labels = made_up_labels(["no", "well", "yes", "no"], rates)
    assert labels.to_list() == ["n", None, "y", "n"]


def test_no_documents_have_no_labels():
    assert made_up_labels([], PESSIMIST).to_list() == []


def test_same_seed_same_labels_and_scores():
    labels, again, others = (made_up_labels(TRUTH, PESSIMIST, seed=seed) for seed in (3, 3, 4))
    assert labels.equals(again)
    assert not labels.equals(others)
    scores, same, different = (
        made_up_scores(TRUTH, labels, "negative", seed=seed) for seed in (3, 3, 4)
    )
    assert scores.equals(same)
    assert not scores.equals(different)


def test_models_of_different_seeds_err_apart():
    wrong, also = (
        (made_up_labels(TRUTH, PESSIMIST, seed=seed)[:N] != "negative").fill_null(value=True)
        for seed in (0, 1)
    )
    # Each errs on 0.1 of the negative ones, so both on 0.01, ± 4·√(0.01·0.99/40000) = 0.002.
    assert (wrong & also).mean() == pytest.approx(0.01, abs=0.002)


def test_scores_are_above_one_half_just_where_the_model_says_the_class():
    labels = made_up_labels(TRUTH, PESSIMIST)
    scores = made_up_scores(TRUTH, labels, "negative")
    assert scores.is_null().equals(labels.is_null())
    assert scores.drop_nulls().is_between(0, 1).all()
    assert (scores > 0.5).equals(labels == "negative")
    assert not (scores == 0.5).any()
    assert scores.equals(scores.round(2))


def test_scores_tell_right_labels_from_wrong_ones():
    labels = made_up_labels(TRUTH, PESSIMIST)
    scores = made_up_scores(TRUTH, labels, "negative")
    said, so = labels == "negative", TRUTH == "negative"
    # Doubt is 1/4 in the mean where the model is right and 1/2 where it errs, of a half, rounded
    # down to hundredths: 0.125 and 0.25, less 0.005.
    for rows, mean in [
        (said & so, 0.88),
        (said & ~so, 0.755),
        (~said & ~so, 0.12),
        (~said & so, 0.245),
    ]:
        assert scores.filter(rows.fill_null(value=False)).mean() == pytest.approx(mean, abs=0.01)


@pytest.mark.parametrize(
    ("rates", "message"),
    [
        ({"a": {"a": 0.9}}, r"rates of 'a' must be 0 or more and sum to 1, but are \[0.9\]; give"),
        ({"a": {"a": 1.2, None: -0.2}}, "rates of 'a' must be 0 or more"),
        ({"a": {}}, "rates of 'a' must be 0 or more"),
        ({"b": {"a": 1.0}}, "rates have no row for 'a', which documents have; .* rows for b"),
    ],
)
def test_rates_that_are_none_are_refused(rates, message):
    with pytest.raises(ValueError, match=message):
        made_up_labels(["a"], rates)


def test_a_negative_seed_is_refused():
    with pytest.raises(ValueError, match="seed must not be negative, but is -1"):
        made_up_labels(["negative"], PESSIMIST, seed=-1)
