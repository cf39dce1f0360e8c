"""Features: words, themes, scores, and their folder."""

import numpy as np
import pytest
from scipy import sparse

from quantext.labelling.representation import features, open_features
from tests.labelling.made_up import texts, toy_features


def test_themes_put_documents_of_the_same_words_together():
    truth = np.arange(200) % 2
    themes = features(texts(truth)).themes
    alike = themes @ themes.T
    same = truth[:, None] == truth
    assert alike[same].mean() > alike[~same].mean() + 0.2


def test_themes_span_what_a_singular_value_decomposition_finds():
    words = sparse.random(80, 30, density=0.2, random_state=np.random.default_rng(0), format="csr")
    themes = features(words).themes  # all 30 directions, so that nothing is lost but lengths
    rows = words.toarray()
    lengths = np.linalg.norm(rows, axis=1)
    lengths[lengths == 0] = 1.0
    rows /= lengths[:, None]
    assert np.allclose(themes @ themes.T, rows @ rows.T, atol=1e-3)


def test_vectors_may_be_given_instead_of_texts():
    words = sparse.eye(10, format="csr")
    assert features(words).words.shape == (10, 10)
    assert features(words).letters is None


def test_texts_have_themes_of_letters_too():
    found = features(texts(np.arange(200) % 2))
    assert found.letters.shape[0] == 200
    assert np.allclose(np.linalg.norm(found.letters, axis=1), 1, atol=1e-5)


def test_a_saved_folder_is_opened_again(tmp_path):
    found = toy_features()
    found.save(tmp_path / "features")
    again = open_features(tmp_path / "features")
    assert len(again) == 60
    assert (again.words != found.words).nnz == 0
    assert np.array_equal(again.themes, found.themes)
    assert np.array_equal(again.scores, found.scores)
    assert np.array_equal(again.letters, found.letters)


def test_without_scores_and_texts_neither_is_saved(tmp_path):
    features(sparse.eye(10, format="csr")).save(tmp_path / "features")
    again = open_features(tmp_path / "features")
    assert again.scores is None
    assert again.letters is None


@pytest.mark.parametrize("name", ["themes", "letters", "scores"])
def test_parts_of_different_folders_are_refused(tmp_path, name):
    toy_features().save(tmp_path / "features")
    np.save(tmp_path / "features" / f"{name}.npy", np.zeros((3, 2), dtype=np.float32))
    with pytest.raises(ValueError, match="do not belong together"):
        open_features(tmp_path / "features")


@pytest.mark.parametrize(
    ("scores", "message"),
    [(np.zeros((3, 2)), r"shape \(3, 2\) for 4 documents"), (np.full((4, 2), np.nan), "finite")],
)
def test_scores_that_do_not_fit_are_refused(scores, message):
    with pytest.raises(ValueError, match=message):
        features(["a b", "b c", "c d", "d a"], scores)
