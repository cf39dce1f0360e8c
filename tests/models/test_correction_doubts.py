"""What makes a correction doubtful is said, or refused: designs, names, posteriors, classes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import quantext as qx


def file_of(number=2000, gold=200, seed=0, right=0.8):
    """Truths, a model's labels, and rows drawn at random."""
    rng = np.random.default_rng(seed)
    truth = np.where(rng.random(number) < 0.3, "yes", "no")
    other = np.where(truth == "yes", "no", "yes")
    said = np.where(rng.random(number) < right, truth, other)
    return truth, said, rng.permutation(number)[:gold]


def known(truth, rows):
    labels = np.full(len(truth), None, dtype=object)
    labels[rows] = truth[rows]
    return labels


def test_rows_chosen_by_what_the_model_says_are_no_random_sample():
    truth, said, rows = file_of()
    picked = np.r_[np.flatnonzero(said == "yes")[:150], np.flatnonzero(said == "no")[:50]]
    notes = qx.correct(said, known(truth, picked), design="srs").notes
    assert any("do not look drawn at random: the model says 'no' of 25%" in n for n in notes)
    assert not any("drawn" in n for n in qx.correct(said, known(truth, rows), design="srs").notes)


def test_probabilities_of_another_file_are_noticed():
    truth, said, rows = file_of()
    right, wrong = np.full(2000, 0.1), np.full(2000, 0.02)
    assert not qx.correct(said, known(truth, rows), design=right).notes
    [note] = qx.correct(said, known(truth, rows), design=wrong).notes
    assert note.startswith("the probabilities are those of a sample from 10,000 documents, and")


def test_truths_picked_by_the_models_word_are_refused_from_elsewhere():
    truth, said, _ = file_of()
    # The model says "yes" of nearly all that was picked, whatever the truth, and of 38% here.
    picked = np.flatnonzero(said == "yes")[:150]
    some = np.r_[picked, np.flatnonzero(said == "no")[:6]]
    with pytest.raises(ValueError, match="no shares at all explain what the model says here"):
        qx.correct(said, known(truth, some), design="elsewhere")


def test_names_that_differ_in_capitals_alone_are_pointed_out():
    truth, said, rows = file_of()
    labels = known(truth, rows)
    labels[rows[:60]] = [name.title() for name in labels[rows[:60]]]
    notes = qx.correct(said, labels, design="srs").notes
    assert sum("only capital letters or spaces tell them apart" in note for note in notes) == 2


@pytest.mark.parametrize("dtype", ["string", "object"])
def test_missing_values_of_pandas_are_missing(dtype):
    truth, said, rows = file_of()
    labels = pd.Series(known(truth, rows), dtype=dtype)
    same = qx.correct(said, known(truth, rows), design="srs").to_frame()
    assert qx.correct(pd.Series(said), labels, design="srs").to_frame().equals(same)


def test_one_posterior_is_that_of_the_class_it_goes_with():
    truth, _, rows = file_of()
    rng = np.random.default_rng(1)
    no = np.clip(np.where(truth == "no", 0.75, 0.3) + rng.normal(0, 0.1, 2000), 0.01, 0.99)
    labels = known(truth, rows)
    frames = [qx.correct(p, labels, design="srs", reading="given").to_frame() for p in (no, 1 - no)]
    assert frames[0]["raw"].to_list() == pytest.approx([no.mean(), 1 - no.mean()])
    assert frames[0]["share"].to_list() == pytest.approx(frames[1]["share"].to_list())
    both = {"second": 1 - no, "first": no}
    given = qx.correct(both, labels, design="srs", reading="given").to_frame()
    assert given["share"].to_list() == pytest.approx(frames[0]["share"].to_list())


def test_a_rating_does_not_speak_of_classes_that_are_numbers_too():
    truth, _, rows = file_of()
    rng = np.random.default_rng(2)
    stars = np.clip(np.where(truth == "yes", 4, 1) + rng.integers(-1, 2, 2000), 0, 5)
    frame = qx.correct(stars, known(np.where(truth == "yes", 1, 0), rows), design="srs").to_frame()
    assert frame["class"].to_list() == ["0", "1"]
    assert frame["low"][1] <= 0.3 <= frame["high"][1]


def test_unequal_probabilities_do_not_bias_the_share_of_a_population():
    rng = np.random.default_rng(3)
    errors = []
    for _ in range(30):
        truth, said, _ = file_of(1500, seed=int(rng.integers(2**31)))
        chance = np.where(said == "yes", 0.6, 0.1)
        rows = np.flatnonzero(rng.random(1500) < chance)
        found = qx.correct(said, known(truth, rows), design=chance, target="population")
        errors.append(found.to_frame()["share"][1] - 0.3)
    assert abs(np.mean(errors)) < 3 * np.std(errors) / 30**0.5


def test_weights_that_go_with_the_truth_widen_the_interval():
    rng = np.random.default_rng(4)
    held = 0
    for _ in range(60):
        varies = rng.random(4000) < 0.2
        truth = np.where(varies & (rng.random(4000) < 0.5), "yes", "no")
        chance = np.where(varies, 0.05, 0.5)
        rows = np.flatnonzero(rng.random(4000) < chance)
        said = np.full(4000, "no")
        row = qx.correct(said, known(truth, rows), design=chance).to_frame().row(1, named=True)
        held += row["low"] <= (truth == "yes").mean() <= row["high"]
    assert held >= 53  # of 60; by the weights alone 72% of the intervals held


def test_many_classes_from_elsewhere_are_solved():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 60, 3000)
    said = np.where(rng.random(3000) < 0.8, truth, rng.integers(0, 60, 3000))
    frame = qx.correct(
        said.astype(str), known(truth.astype(str), np.arange(2400)), design="elsewhere"
    ).to_frame()
    assert frame["share"].sum() == pytest.approx(1)
    assert ((frame["low"] <= frame["share"]) & (frame["share"] <= frame["high"])).all()


def test_a_batch_whose_truths_are_of_one_cluster_is_left_out():
    truth, said, rows = file_of()
    by = np.where(np.arange(2000) < 1000, "a", "b")
    author = np.where(by == "a", np.arange(2000) % 40, 99)
    found = qx.correct(said, known(truth, rows), design="srs", by=by, clusters=author)
    shares = found.to_frame().filter(pl.col("class") == "yes")["share"].to_list()
    assert shares[0] is not None
    assert shares[1] is None


def test_a_class_that_was_never_seen_has_room_above_its_share():
    truth, said, rows = file_of()
    said = said.astype(object)
    said[:300] = "maybe"
    frame = qx.correct(said, known(truth, rows), design="srs", reading="given").to_frame()
    maybe = frame.filter(pl.col("class") == "maybe").row(0, named=True)
    assert maybe["share"] < maybe["high"]


def test_the_prediction_powered_share_is_shown_where_it_is_not_used():
    truth, _, rows = file_of()
    rng = np.random.default_rng(8)
    for _ in range(50):  # labels by chance, until they go with the truth a little
        says = rng.choice(["yes", "no"], 2000)
        if 0.01 < np.corrcoef(says[rows] == "yes", truth[rows] == "yes")[0, 1] < 0.06:
            break
    frame = qx.correct(says, known(truth, rows), design="srs", reading="given").to_frame()
    assert frame["used"].to_list() == ["gold", "gold"]
    assert frame["share"].to_list() == pytest.approx(frame["gold"].to_list())
    assert frame["ppi"].to_list() != pytest.approx(frame["gold"].to_list(), abs=1e-9)
