"""Pieces of words, and the themes that they share."""

import numpy as np
import pytest
from scipy import sparse

from quantext.labelling import letters
from quantext.labelling.letters import BUCKETS, letter_themes, pieces
from quantext.labelling.themes import directions


def piece_counts(text):
    """The plain twin: how often a text has each piece, by itself."""
    found = {}
    for word in text.lower().split():
        spaced = f" {word} "
        for i in range(len(spaced) - 3):
            found[spaced[i : i + 4]] = found.get(spaced[i : i + 4], 0) + 1
    return sorted(found.values())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "a",
        "so",
        "Sooo good, sooo so",
        "tabs\tand\nlines",
        "Straße 😀😀😀 İstanbul",
        "\udc80abc",
    ],
)
def test_a_text_has_the_pieces_of_its_words(text):
    alone = pieces([text])
    assert sorted(alone.data.tolist()) == piece_counts(text)
    among = pieces(["before it", text, "after it"])
    assert (among[1] != alone).nnz == 0


def test_pieces_do_not_depend_on_case_nor_on_spaces():
    one, other = pieces(["Good  Day"]), pieces([" good day\n"])
    assert (one != other).nnz == 0


def test_different_pieces_seldom_meet_in_a_bucket():
    words = [
        f"{a}{b}{c}{d}" for a in "abcdefgh" for b in "ijklmnop" for c in "qrst" for d in "uvwx"
    ]
    buckets = pieces([" ".join(words)]).nnz
    whole = {p for w in words for p in (f" {w[:3]}", w, f"{w[1:]} ")}
    # Of n in B buckets, some n² / 2B meet another.
    assert len(whole) - buckets < 3 * len(whole) ** 2 / (2 * BUCKETS)


def test_words_of_the_same_letters_are_near_in_themes():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    # No word is shared, but beginnings are.
    texts = [f"{('hopeful', 'dismal')[k]}{''.join(rng.choice(list('xyzvw'), 6))}" for k in truth]
    found = letter_themes(texts, 8)
    alike, same = found @ found.T, truth[:, None] == truth
    assert alike[same].mean() > alike[~same].mean() + 0.2


def test_themes_learned_from_some_documents_are_told_of_all(monkeypatch):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    texts = [f"{('hopeful', 'dismal')[k]} {rng.integers(0, 9)}" for k in truth]
    monkeypatch.setattr(letters, "SAMPLE", 50)
    monkeypatch.setattr(letters, "_BLOCK", 64)
    found = letter_themes(texts, 4)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-5)
    assert (found @ found[0] > 0.5).tolist() == (truth == truth[0]).tolist()


def test_themes_do_not_depend_on_how_texts_are_cut_into_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(["hopeful", "dismal", "rainy"], n)) for n in range(60)]
    whole = letter_themes(texts, 4)
    monkeypatch.setattr(letters, "_OF_BLOCK", 100)
    assert [own.stop - own.start for own in letters._blocks(texts)][-1] == 1  # a long text
    assert sum(own.stop - own.start for own in letters._blocks(texts)) == len(texts)
    np.testing.assert_allclose(letter_themes(texts, 4), whole, atol=1e-6)


def test_themes_are_learned_from_so_many_letters_and_of_a_text_from_its_first(monkeypatch):
    texts = ["hopeful days", "hopefully", "a rainy day", "rainy days"] * 30
    monkeypatch.setattr(letters, "_OF_SAMPLE", 500)
    assert letter_themes(texts, 4).shape[0] == len(texts)
    monkeypatch.setattr(letters, "_OF_TEXT", 4)
    assert (pieces(["hope and rain"]) != pieces(["hope"])).nnz == 0


@pytest.mark.parametrize("texts", [[], [""], ["", " ", ""], ["abc", "def"], ["same one"] * 5])
def test_texts_that_share_nothing_have_no_themes(texts):
    assert letter_themes(texts, 8).shape == (len(texts), 0)


def test_a_text_without_pieces_has_no_theme():
    found = letter_themes(["good day", "good night", "good", "day", "day", "night", "night", ""], 4)
    assert np.linalg.norm(found, axis=1).round(5).tolist() == [1] * 7 + [0]


def test_directions_are_those_of_a_singular_value_decomposition():
    rows = sparse.random(60, 20, density=0.3, random_state=np.random.default_rng(1), format="csr")
    found = directions(rows.astype(np.float32), 4, [0])
    _, _, expected = np.linalg.svd(rows.toarray())
    assert np.allclose(np.abs(np.diag(expected[:4] @ found)), 1, atol=0.02)
