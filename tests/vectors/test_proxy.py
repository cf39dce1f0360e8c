"""ProxyVectorizer: labels and scores of other models as numbers, worked by hand."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from quantext import ProxyVectorizer

SAID = pl.DataFrame({"model": ["spam", "ham", None, "spam"], "score": [0.5, 0.9, None, 0.1]})


def test_labels_are_columns_of_0_and_1_and_no_answer_is_one_of_them():
    vectorizer = ProxyVectorizer()
    X = vectorizer.fit_transform(SAID.select("model"))
    assert vectorizer.get_feature_names_out().tolist() == ["model=ham", "model=spam", "model="]
    assert_array_equal(X, [[0, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 0]])


def test_posteriors_are_log_odds_in_standard_deviations_with_a_column_for_none():
    X = ProxyVectorizer().fit_transform(SAID.select("score"))
    # Log-odds 0, ln 9 and -ln 9: mean 0, standard deviation ln 9 times the root of 2/3.
    root = np.sqrt(1.5)
    assert_allclose(X, [[0, 0], [root, 0], [0, 1], [-root, 0]], atol=1e-12)


def test_scores_beyond_0_and_1_stay_as_they_are():
    X = ProxyVectorizer().fit_transform(["-1.5", "1.5", "", "-1.5", "1.5"])
    assert_allclose(X, [[-1, 0], [1, 0], [0, 1], [-1, 0], [1, 0]])


@pytest.mark.parametrize(
    "said",
    [
        SAID.to_pandas(),
        SAID.to_dict(as_series=False),
        SAID.select("score", "model", other=pl.lit("x")),
        SAID.with_columns(pl.col("score").cast(pl.String)),
        pd.DataFrame({"model": ["spam ", "ham", "  ", "spam"], "score": ["0.5", "0.90", "", ".1"]}),
    ],
)
def test_it_does_not_matter_in_what_answers_are(said):
    vectorizer = ProxyVectorizer(["model", "score"])
    assert_array_equal(vectorizer.fit(SAID).transform(said), vectorizer.fit(said).transform(SAID))


def test_whole_numbers_are_labels_however_they_are_written():
    stars = ProxyVectorizer().fit(pl.DataFrame({"stars": [1.0, None, 5.0]}))
    assert stars.get_feature_names_out().tolist() == ["stars=1", "stars=5", "stars="]
    assert_array_equal(stars.transform(pl.DataFrame({"stars": [5, 1]})), [[0, 1, 0], [1, 0, 0]])


def test_documents_may_have_several_labels():
    X = ProxyVectorizer().fit_transform(pl.DataFrame({"topics": [["a", "b"], ["b"], []]}))
    assert_array_equal(X, [[1, 1, 0], [0, 1, 0], [0, 0, 1]])


def test_answers_that_training_never_had_are_counted_and_are_no_answer():
    vectorizer = ProxyVectorizer().fit(SAID)
    new = pl.Series(["eggs\x1f0.5", "\x1f0.5", "ham\x1f"])
    [(X, counts)] = vectorizer.map_counted(lambda X: X, [new])
    assert_array_equal(X[:, :3], [[0, 0, 1], [0, 0, 1], [1, 0, 0]])
    assert_array_equal(counts, [[1, 2], [2, 2], [2, 2]])
    # If all had an answer in training, none is one that training never had.
    full = ProxyVectorizer().fit(["ham", "spam"])
    [(_, counts)] = full.map_counted(lambda X: X, [pl.Series(["ham", None])])
    assert_array_equal(counts, [[1, 1], [0, 1]])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ProxyVectorizer(["modell"]).fit(SAID), "no column 'modell' .did you mean 'model'"),
        (lambda: ProxyVectorizer(["model"] * 2).fit(SAID), "named twice: 'model', 'model'"),
        (lambda: ProxyVectorizer().fit([None, ""]), "'model' has no answer for any of the 2 doc"),
        (lambda: ProxyVectorizer().fit(map("text {}".format, range(30))), "30 different answers"),
        (lambda: ProxyVectorizer().fit(np.ones((2, 2))), "shape .2, 2.; give a list"),
        (lambda: ProxyVectorizer().fit(SAID).transform(["ham"]), "answers of 1 models.* be 2"),
        (
            lambda: ProxyVectorizer().fit(["0.5", "1.5"]).transform(["0.5", "high"]),
            "'model' has 'high', and in training it had one number",
        ),
        (
            lambda: ProxyVectorizer().fit(["0.5", "0.7"]).transform(["70"]),
            "'model' has 70, and in training all of its numbers were between 0 and 1",
        ),
    ],
)
def test_what_cannot_be_read_is_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_one_text_is_no_column():
    with pytest.raises(TypeError, match="not one str"):
        ProxyVectorizer().fit("spam")
