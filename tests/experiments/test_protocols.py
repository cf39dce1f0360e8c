"""Protocols: what they make of a corpus, what they say of it, and what is measured then."""

import numpy as np
import polars as pl
import pytest

from quantext.experiments.drawing import ListedShares, NaturalShares
from quantext.experiments.protocol_names import (
    PROTOCOLS,
    artificial,
    make_protocol,
    protocol_settings,
)
from quantext.experiments.protocols import AsGiven, ByGroup, ByPeriod, Drawn
from quantext.experiments.run import run
from quantext.models.methods import method
from quantext.texts.corpus import Corpus


def moods(n=400, **rest):
    """Documents of three classes: 50% a, 30% b, 20% c, in turn."""
    labels = [("a", "a", "b", "b", "c", "a", "a", "a", "b", "c")[i % 10] for i in range(n)]
    words = {"a": "good fine", "b": "bad poor", "c": "new old"}
    texts = [f"{words[label]} word{i % 7}" for i, label in enumerate(labels)]
    return Corpus("moods", pl.Series(texts), pl.Series(labels), **rest)


def topics(n=400, **rest):
    """Documents with any of the labels x (a half) and y (a tenth)."""
    labels = [["x"] * (i % 2 == 0) + ["y"] * (i % 10 == 0) for i in range(n)]
    texts = [" ".join([f"word{i % 7}", *row]) for i, row in enumerate(labels)]
    return Corpus("topics", pl.Series(texts), pl.Series(labels, dtype=pl.List(pl.String)), **rest)


def test_bags_are_drawn_from_documents_that_do_not_train():
    corpus = moods()
    [split] = make_protocol("uniform", bags=30, size=40, seed=3).split(corpus)
    assert len(split.train) == 200
    assert len(split.bags) == 30
    assert len({bag.name for bag in split.bags}) == 30
    for bag in split.bags:
        assert len(bag) == 40
        assert not np.isin(bag.indices, split.train).any()
        assert bag.task is None  # all classes are asked
    assert not split.in_time


def test_same_seed_same_bags():
    def bags(seed):
        [split] = make_protocol("uniform", bags=3, size=20, seed=seed).split(moods())
        return [bag.indices.tolist() for bag in split.bags]

    assert bags(1) == bags(1)
    assert bags(1) != bags(2)


def test_labels_that_overlap_have_bags_of_their_own():
    corpus = topics()
    [split] = artificial(prevalences=[0.25, 0.9], repeats=2, size=20).split(corpus)
    shares = [
        corpus.indicator[bag.indices, corpus.classes.index(bag.task)].mean() for bag in split.bags
    ]
    assert [bag.task for bag in split.bags] == ["x"] * 4 + ["y"] * 4
    assert shares == [0.25, 0.25, 0.9, 0.9] * 2
    assert split.bags[0].name == "x: draw 1, 0.25"
    # There are 20 with y in the half to draw from, and 18 are needed; 5 without x are there.
    assert split.notes == ()


def test_a_class_that_is_not_there_to_draw_from_is_left_out():
    corpus = topics()
    lists = pl.concat([corpus.labels[:-1], pl.Series([["z"]])])
    corpus = Corpus("topics", corpus.texts, lists)
    [split] = make_protocol("uniform", bags=2, size=10, seed=0).split(corpus)
    one = {"x", "y"} | ({"z"} if 399 not in split.train else set())
    assert {bag.task for bag in split.bags} == one


def test_a_label_of_all_documents_is_left_out_and_that_is_said():
    lists = [["x", "all"] if i % 2 else ["all"] for i in range(40)]
    corpus = Corpus("c", pl.Series(["a"] * 40), pl.Series(lists))
    [split] = artificial(prevalences=[0.1, 0.5], repeats=1, size=10).split(corpus)
    assert {bag.task for bag in split.bags} == {"x"}
    assert split.notes == (
        "no bags were drawn for all: all documents to draw from are alike in that",
    )


def test_too_few_documents_are_drawn_more_than_once_and_that_is_said():
    [split] = artificial(prevalences=[[0.2, 0.2, 0.6]], repeats=5, size=100).split(moods())
    assert split.notes == (
        "5 of 5 draws have documents more than once: there are too few of a class",
    )
    shares = moods().indicator[split.bags[0].indices].mean(axis=0)
    np.testing.assert_array_equal(shares, [0.2, 0.2, 0.6])


def test_bags_may_be_drawn_from_later_periods():
    corpus = moods(periods=pl.Series([f"week {i // 100}" for i in range(400)]))
    protocol = make_protocol("natural", bags=5, size=50, train_periods=1)
    [split] = protocol.split(corpus)
    assert split.train.tolist() == list(range(100))
    assert min(bag.indices.min() for bag in split.bags) >= 100
    assert "from later periods" in protocol.describe([split])


def test_bags_may_be_drawn_from_those_of_the_files():
    corpus = moods(bags=pl.Series([None] * 300 + ["1"] * 50 + ["2"] * 50))
    [split] = make_protocol("uniform", bags=5, size=10).split(corpus)
    assert split.train.tolist() == list(range(300))
    assert min(bag.indices.min() for bag in split.bags) >= 300


def test_bags_without_labels_cannot_be_drawn_from():
    shares = pl.DataFrame({"bag": ["1"], "a": [1.0], "b": [0.0], "c": [0.0]})
    corpus = moods(bags=pl.Series([None] * 300 + ["1"] * 100), shares=shares)
    with pytest.raises(ValueError, match="have no labels, so none can be drawn"):
        make_protocol("uniform").split(corpus)


def test_training_documents_may_be_drawn_instead():
    corpus = moods()
    splits = artificial(
        prevalences=[[1, 0, 0], [0.2, 0.3, 0.5]], repeats=1, size=30, side="train"
    ).split(corpus)
    y = corpus.indicator
    np.testing.assert_array_equal(y[splits[1].train].mean(axis=0), [0.2, 0.3, 0.5])
    assert [split.name for split in splits] == ["draw 1", "draw 2"]
    assert [bag.name for split in splits for bag in split.bags] == [
        "draw 1: held out",
        "draw 2: held out",
    ]
    assert all(len(split.bags[0]) == 200 for split in splits)


def test_bags_of_one_class_measure_that_class_alone(tmp_path):
    corpus = moods()
    [split] = artificial(prevalences=[0.1, 0.7], repeats=3, size=20, of="b").split(corpus)
    rows = run(corpus, split, tmp_path, methods={"CC": method("CC")}, jobs=1)
    assert rows["task"].unique().to_list() == ["b"]
    np.testing.assert_allclose(rows["p_true"], [0.1] * 3 + [0.7] * 3)
    assert rows["period"].null_count() == len(rows)  # they have no place in time


def test_bags_of_the_commoner_of_two_classes_measure_it(tmp_path):
    labels = pl.Series(["yes"] * 140 + ["no"] * 60)
    texts = pl.Series([f"{label} word{i % 7}" for i, label in enumerate(labels)])
    corpus = Corpus("two", texts, labels)
    [split] = artificial(prevalences=[0.3], repeats=2, size=20, of="yes").split(corpus)
    rows = run(corpus, split, tmp_path, methods={"CC": method("CC")}, jobs=1)
    assert rows.select("task", "p_true").rows() == [("yes", 0.3), ("yes", 0.3)]


def test_bags_of_all_classes_measure_all(tmp_path):
    corpus = moods()
    [split] = make_protocol("uniform", bags=4, size=20).split(corpus)
    rows = run(corpus, split, tmp_path, methods={"CC": method("CC")}, jobs=1)
    assert rows["task"].unique(maintain_order=True).to_list() == ["a", "b", "c", "all classes"]
    joint = rows.filter(pl.col("task") == "all classes")
    shares = np.array([corpus.indicator[bag.indices].mean(axis=0) for bag in split.bags])
    np.testing.assert_array_equal(joint["p_true"], shares.ravel())


def test_each_group_is_estimated_by_what_was_trained_on_the_others(tmp_path):
    groups = pl.Series(["north"] * 100 + ["south"] * 140 + ["west"] * 160)
    corpus = moods(groups=groups)
    splits = ByGroup().split(corpus)
    rows = run(corpus, splits, tmp_path, methods={"TP": method("Training prevalence")}, jobs=1)
    joint = rows.filter(pl.col("task") == "all classes")
    assert joint["bag"].unique(maintain_order=True).to_list() == ["north", "south", "west"]
    assert joint["n_train"].unique(maintain_order=True).to_list() == [300, 260, 240]
    assert joint["period"].null_count() == len(joint)
    for bag, estimates in joint.group_by("bag", maintain_order=True):
        others = (groups != bag[0]).to_numpy()
        expected = corpus.indicator[others].mean(axis=0)
        np.testing.assert_allclose(estimates["p_hat"], expected)


def test_known_shares_are_the_truth_of_bags_without_labels(tmp_path):
    shares = pl.DataFrame({"bag": ["1", "2"], "a": [0.5, 0], "b": [0.25, 0.0], "c": [0.25, 1.0]})
    labels = moods().labels.to_list()[:300] + [None] * 100
    corpus = Corpus(
        "contest",
        moods().texts,
        pl.Series(labels),
        bags=pl.Series([None] * 300 + ["1"] * 40 + ["2"] * 60),
        shares=shares,
    )
    protocol = AsGiven()
    splits = protocol.split(corpus)
    rows = run(corpus, splits, tmp_path, methods={"CC": method("CC")}, jobs=1)
    joint = rows.filter(pl.col("task") == "all classes")
    assert joint["p_true"].to_list() == [0.5, 0.25, 0.25, 0, 0, 1]
    assert joint["size"].to_list() == [40] * 3 + [60] * 3
    # Nobody knows which documents are which.
    assert rows["tp"].null_count() == len(rows)
    assert protocol.describe(splits) == (
        "Trained on 300 documents, tested on the corpus's own 2 bags with 50 documents on average."
    )


# What they say


def test_every_protocol_says_what_it_did_and_for_which_world():
    periods = pl.Series([f"week {i // 100}" for i in range(400)])
    bags = pl.Series([None] * 300 + ["1"] * 100)
    corpus = moods(periods=periods)
    given = moods(bags=bags)
    said = {
        name: (protocol := make()).describe(protocol.split(given if name == "given" else corpus))
        for name, make in PROTOCOLS.items()
    }
    assert said["period"] == (
        "Trained on the first 100 documents, tested on 3 later periods (week 1 to week 3) with 100 "
        "documents on average."
    )
    assert said["group"] == (
        "4 groups, one group left out at a time, which is the bag, with 100 documents on average; "
        "trained on all others."
    )
    assert said["uniform"] == (
        "Trained on 200 documents, tested on 200 bags of 100 documents from the others, drawn "
        "with shares that are uniform among all there can be. Bags share documents, so p-values "
        "hold for these documents alone."
    )
    assert "at all points of a grid, 10 times each" in said["artificial"]
    assert "at random, with shares as they come" in said["natural"]
    assert "from a Dirichlet distribution (alpha 1.)" in said["dirichlet"]
    worlds = {make().world for make in PROTOCOLS.values()}
    assert len(worlds) == 5  # those that move shares by drawing are one


def test_a_list_of_shares_describes_itself():
    assert "with 2 shares from 10% to 90%, 10 bags with each" in ListedShares([0.1, 0.9]).describe()
    assert ListedShares([[1, 0]], repeats=1).describe() == "with 1 given sets of shares"


# By name


def test_protocols_are_made_by_name():
    assert make_protocol("group", min_size=5) == ByGroup(5)
    assert make_protocol("period", train_periods=2, by="week") == ByPeriod(None, 2, None, "week")
    assert make_protocol("natural", bags=7, size=9) == Drawn(NaturalShares(7), 9)
    assert make_protocol("uniform", train_share=0.5).held_out == ByPeriod(train_share=0.5)
    assert {"bags", "size", "seed", "of", "train_until"} <= protocol_settings("uniform")


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("uniformly", {}, "protocol 'uniformly' is unknown; did you mean 'uniform'?"),
        ("q", {}, "protocol 'q' is unknown; choose one of period, group, given, uniform"),
        ("group", {"bags": 3}, "protocol 'group' has no setting 'bags'; it has min_size, parts"),
        ("artificial", {"prevalences": [0.5], "points": 3}, "either prevalences or the points"),
        ("uniform", {"held_out": 0.2, "train_periods": 3}, "held_out and train_periods both say"),
        ("uniform", {"bags": "many"}, "'bags' of protocol 'uniform' is 'many'; it must be a whole"),
        ("uniform", {"size": 4.5}, "is 4.5; it must be a whole number"),
        ("uniform", {"held_out": "half"}, "is 'half'; it must be a share between 0 and 1"),
        ("dirichlet", {"alpha": "x"}, "is 'x'; it must be a number, or a list with one for each"),
        ("artificial", {"prevalences": "0.1"}, "is '0.1'; it must be a list of shares"),
    ],
)
def test_what_a_protocol_does_not_know_is_an_error(name, settings, message):
    with pytest.raises(ValueError, match=message):
        make_protocol(name, **settings)


@pytest.mark.parametrize(
    ("protocol", "message"),
    [
        (Drawn(of="z"), "class 'z' is unknown; choose one of a, b, c"),
        (Drawn(side="both"), "side 'both' is unknown"),
        (Drawn(held_out=1.0), "train on is 0, not between 0 and 1"),
        (ByPeriod(train_periods=1, train_share=0.5), "say how far the training data goes once"),
        (ByPeriod(), "no documents with dates"),
    ],
)
def test_what_cannot_be_done_with_a_corpus_is_an_error(protocol, message):
    with pytest.raises(ValueError, match=message):
        protocol.split(moods())


def test_two_documents_are_too_few_to_hold_some_out():
    with pytest.raises(ValueError, match="1 document with labels; that is too few"):
        Drawn().split(Corpus("c", pl.Series(["a"]), pl.Series(["x"])))
