import tracemalloc

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from quantext.models.correction import COLUMNS
from quantext.reports.correct import correct


def simulated(seed=0, size=400, gold=100, classes=3, accuracy=0.8):
    """Labels of a model, truths, and the truths of some documents."""
    rng = np.random.default_rng(seed)
    names = np.array(["a", "b", "c", "d"][:classes])
    truth = rng.integers(0, classes, size)
    said = np.where(rng.random(size) < accuracy, truth, rng.integers(0, classes, size))
    known = np.full(size, None, dtype=object)
    rows = rng.choice(size, gold, replace=False)
    known[rows] = names[truth[rows]]
    return names[said], names[truth], known


def numbers(result, name):
    return result.to_frame()[name].to_numpy()


def assert_sound(result):
    """Shares are some of one whole, and lie within their bounds."""
    for [batch], own in result.to_frame().drop_nulls("share").group_by("batch"):
        share, low, high = (own[name].to_numpy() for name in ("share", "low", "high"))
        assert share.sum() == pytest.approx(1), batch
        assert (low >= 0).all()
        assert (low <= share).all()
        assert (share <= high).all()
        assert (high <= 1).all()


def test_the_table_has_a_row_for_each_class_and_says_how_it_was_found():
    said, _, known = simulated()
    result = correct(said, known, design="srs")
    table = result.to_frame()
    assert table.columns == list(COLUMNS)
    assert table["class"].to_list() == ["a", "b", "c"]
    assert set(table["used"]) == {"ppi"}
    assert set(table["n_gold"]) == {100}
    assert set(table["size"]) == {400}
    for k, name in enumerate("abc"):
        assert table["raw"][k] == pytest.approx((said == name).mean())
        assert table["gold"][k] == pytest.approx((known == name).sum() / 100)
    assert_sound(result)


def test_a_model_that_helps_makes_intervals_shorter_than_one_that_guesses():
    said, _, known = simulated(size=2000, gold=200, accuracy=0.9)
    guesses = np.random.default_rng(1).permutation(said)
    good, bad = (correct(own, known, design="srs") for own in (said, guesses))
    assert (numbers(good, "high") - numbers(good, "low") < 0.6 * (
        numbers(bad, "high") - numbers(bad, "low"))).all()  # fmt: skip
    assert set(bad.to_frame()["used"]) == {"gold"}
    assert_allclose(numbers(bad, "share"), numbers(bad, "gold"))
    assert any("known truths alone are as good" in note for note in bad.notes)


def test_all_truths_known_is_exact_whatever_the_model_says():
    said, truth, _ = simulated(size=120)
    scores = np.random.default_rng(0).normal(size=120) + (truth == "a")
    for proxy in (said, {"x": said, "y": said[::-1]}, scores):
        result = correct(proxy, truth, design="srs")
        expected = [(truth == name).mean() for name in "abc"]
        for name in ("share", "low", "high", "gold"):
            assert_allclose(numbers(result, name), expected)


def test_the_share_is_the_sample_s_plus_a_part_of_what_it_is_unlike_the_rest():
    # Two answers and two classes, worked by hand: 30 of 100 documents say yes.
    said = ["yes"] * 30 + ["no"] * 70
    known = ["yes"] * 8 + ["no"] * 2 + [None] * 20 + ["yes"] + ["no"] * 9 + [None] * 60
    result = correct(said, known, design="srs")
    # Leaving one out, 10 answers "yes", 8 of them true; all but one: 9 with 7 or 8, one of 19 more.
    of_yes = {1: (7 + 8 / 19) / 10, 0: (8 + 9 / 19) / 10}
    of_no = {1: (0 + 8 / 19) / 10, 0: (1 + 9 / 19) / 10}
    own = np.array([of_yes[1]] * 8 + [of_yes[0]] * 2 + [of_no[1]] + [of_no[0]] * 9)
    y = np.array([1] * 8 + [0] * 2 + [1] + [0] * 9)
    rest = (20 * (8 + 0.45) / 11 + 60 * (1 + 0.45) / 11 + own.sum()) / 100
    power = np.clip(np.cov(y, own, bias=True)[0, 1] / own.var(), 0, 1)
    expected = y.mean() + power * (rest - own.mean())
    assert result.to_frame()["weight"][1] == pytest.approx(power)
    assert result.to_frame()["share"][1] == pytest.approx(expected)


@pytest.mark.parametrize("classes", [2, 3])
def test_given_labels_and_a_population_are_ppi_plus_plus(classes):
    said, _, known = simulated(3, 500, 80, classes)
    names = "abcd"[:classes]
    labelled = np.array([label is not None for label in known])
    Y = np.column_stack([known[labelled] == name for name in names]).astype(float)
    F = np.column_stack([said == name for name in names]).astype(float)
    here, there = F[labelled], F[~labelled]
    covariance = ((Y - Y.mean(axis=0)) * (here - here.mean(axis=0))).mean(axis=0).sum()
    variance = np.vstack([here, there]).var(axis=0, ddof=1).sum()
    power = covariance / ((1 + len(here) / len(there)) * variance)
    expected = Y.mean(axis=0) + power * (there.mean(axis=0) - here.mean(axis=0))
    result = correct(said, known, design="srs", target="population", reading="given")
    assert_allclose(numbers(result, "weight"), power, atol=1e-9)
    assert_allclose(numbers(result, "share"), expected, atol=1e-6)


def test_given_posteriors_of_two_classes_may_be_one_column():
    said, _, known = simulated(classes=2)
    q = np.where(said == "b", 0.85, 0.1)
    one, two = (
        correct(own, known, design="srs", reading="given")
        for own in (q, np.column_stack([1 - q, q]))
    )
    assert_allclose(numbers(one, "share"), numbers(two, "share"))
    assert one.to_frame()["raw"][1] == pytest.approx(q.mean())


def test_from_elsewhere_two_classes_are_those_of_rogan_and_gladen():
    # Elsewhere 9 of 10 "no" and 8 of 10 "yes" are right; here 3 of 10 documents are said "yes".
    said = ["no"] * 9 + ["yes"] + ["yes"] * 8 + ["no"] * 2 + ["yes"] * 300 + ["no"] * 700
    known = ["no"] * 10 + ["yes"] * 10 + [None] * 1000
    result = correct(said, known, design="elsewhere")
    table = result.to_frame()
    assert table["share"][1] == pytest.approx((0.3 - 0.1) / (0.8 - 0.1))
    assert set(table["used"]) == {"misclassification"}
    assert set(table["size"]) == {1000}
    assert table["raw"].to_list() == [0.7, 0.3]
    assert_sound(result)


def test_from_elsewhere_scores_are_for_the_adaptive_method():
    rng = np.random.default_rng(0)
    truth = rng.random(400) < np.r_[np.full(100, 0.5), np.full(300, 0.2)]
    scores = 4.0 * truth + rng.normal(size=400)
    known = np.where(np.arange(400) < 100, truth.astype(int), np.nan)
    scores[:2] = scores.min() - 1, scores.max() + 1  # nothing lies beyond what is known
    result = correct(scores, known, design="elsewhere")
    assert set(result.to_frame()["used"]) == {"adaptive"}
    assert result.to_frame()["share"][1] == pytest.approx(truth[100:].mean(), abs=0.05)
    assert_sound(result)


def test_batches_each_have_their_own_shares():
    said, _, known = simulated(size=600, gold=300)
    by = np.repeat(["x", "y", "z"], 200)
    result = correct(said, known, design="srs", by=by)
    table = result.to_frame()
    assert table["batch"].unique(maintain_order=True).to_list() == ["x", "y", "z"]
    for batch in "xyz":
        own = table.filter(pl.col("batch") == batch)
        labels = known[by == batch]
        n = sum(label is not None for label in labels)
        assert set(own["n_gold"]) == {n}
        assert own["gold"][0] == pytest.approx((labels == "a").sum() / n)
        assert own["raw"][1] == pytest.approx((said[by == batch] == "b").mean())
    assert_sound(result)


def test_a_batch_with_too_few_truths_is_left_blank_and_named():
    said, _, known = simulated(size=300)
    by = np.where(np.arange(300) < 200, "many", "few")
    known[200:] = None
    result = correct(said, known, design="srs", by=by)
    few = result.to_frame().filter(pl.col("batch") == "few")
    assert few["share"].is_null().all()
    assert few["raw"].is_not_null().all()
    assert any("few" in note for note in result.notes)


def test_many_batches_of_scores_need_no_more_memory_than_documents():
    # A table of batches by documents would have 64 MB.
    rng = np.random.default_rng(0)
    truth = rng.random(4000) < 0.3
    known = np.where(rng.random(4000) < 0.05, truth.astype(float), np.nan)
    by = np.maximum(np.arange(4000), 2000)
    scores = truth + rng.normal(size=4000)
    tracemalloc.start()
    result = correct(scores, known, design="srs", by=by)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.to_frame().height == 2 * 2000
    assert peak < 30e6


@pytest.mark.parametrize("design", ["srs", "elsewhere"])
def test_the_order_of_documents_says_nothing(design):
    said, _, known = simulated()
    order = np.random.default_rng(5).permutation(len(said))
    one, two = (
        correct(said, known, design=design),
        correct(said[order], known[order], design=design),
    )
    for name in ("share", "low", "high", "ppi", "misclassification"):
        assert_allclose(numbers(one, name), numbers(two, name), equal_nan=True)


@pytest.mark.parametrize("names", [["x", "y"], [1, 2], [False, True], [10, 9]])
def test_labels_are_only_names(names):
    said, _, known = simulated(classes=2)
    as_names = dict(zip("ab", names, strict=True)) | {None: None}
    plain = correct(said, known, design="srs").to_frame()
    other = correct(
        [as_names[v] for v in said], [as_names[v] for v in known], design="srs", classes=names
    ).to_frame()
    assert other["class"].to_list() == [str(name) for name in names]
    for column in ("raw", "share", "low", "high"):
        assert_allclose(plain[column].to_numpy(), other[column].to_numpy())


def test_a_missing_answer_is_an_answer_of_its_own():
    said, _, known = simulated()
    said = said.astype(object)
    lost = np.random.default_rng(2).random(len(said)) < 0.2
    blank, named = said.copy(), said.copy()
    blank[lost], named[lost] = None, "no idea"
    one = correct(blank, known, design="srs")
    two = correct(named, known, design="srs", classes=["a", "b", "c"])
    for column in ("share", "low", "high"):
        assert_allclose(numbers(one, column), numbers(two, column))
    assert numbers(one, "raw").sum() == pytest.approx(1 - lost.mean())
    assert any("no answer" in note for note in one.notes)


def test_a_second_model_that_knows_more_makes_intervals_shorter():
    said, truth, known = simulated(size=1000, gold=200, accuracy=0.5)
    better = np.where(np.random.default_rng(3).random(1000) < 0.95, truth, "a")
    one, two = (correct(own, known, design="srs") for own in (said, {"x": said, "y": better}))
    assert_sound(two)
    assert (numbers(two, "high") - numbers(two, "low")).sum() < 0.7 * (
        numbers(one, "high") - numbers(one, "low")
    ).sum()


def test_several_labels_each_have_a_share_of_their_own():
    rng = np.random.default_rng(4)
    truth = rng.random((300, 2)) < [0.2, 0.6]
    said = truth ^ (rng.random((300, 2)) < 0.1)
    known = np.where(np.arange(300)[:, None] < 100, truth, np.nan)
    columns = correct(said.astype(float), known, design="srs").to_frame()
    names = np.array(["0", "1"])
    texts = [";" + ";".join(names[row]) for row in said]
    labels = [";" + ";".join(names[row]) for row in truth[:100]] + [""] * 200
    same = correct(texts, labels, design="srs", separator=";").to_frame()
    assert columns.equals(same)
    assert columns["class"].to_list() == ["0", "1"]
    assert_allclose(columns["gold"], truth[:100].mean(axis=0))


def test_strata_weigh_as_much_as_they_have_documents():
    # 10 of 100 documents of one stratum and 10 of 900 of the other; the model says nothing.
    strata = ["x"] * 100 + ["y"] * 900
    known = ["yes"] * 6 + ["no"] * 4 + [None] * 90 + ["yes"] + ["no"] * 9 + [None] * 890
    table = correct(["yes", "no"] * 500, known, design="srs", strata=strata).to_frame()
    assert table["gold"][1] == pytest.approx(0.1 * 0.6 + 0.9 * 0.1)
    chances = [0.1] * 100 + [10 / 900] * 900
    same = correct(["yes", "no"] * 500, known, design=chances).to_frame()
    assert_allclose(same["share"], table["share"])


def test_documents_of_the_same_author_say_less():
    rng = np.random.default_rng(6)
    author = np.repeat(np.arange(100), 10)
    truth = np.where(rng.random(100) < 0.4, "a", "b")[author]
    said = np.where(rng.random(1000) < 0.8, truth, "a")
    known = np.where(author < 30, truth, None)
    alone, alike = (
        correct(said, known, design="srs", clusters=groups) for groups in (None, author)
    )
    ratio = (numbers(alike, "high") - numbers(alike, "low")) / (
        numbers(alone, "high") - numbers(alone, "low")
    )
    assert (ratio > 1.5).all()


def test_a_population_is_less_sure_than_the_batch():
    said, _, known = simulated(size=200)
    batch, population = (
        correct(said, known, design="srs", target=target) for target in ("batch", "population")
    )
    assert (numbers(population, "low") < numbers(batch, "low")).all()
    assert (numbers(population, "high") > numbers(batch, "high")).all()


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    size=st.integers(20, 60),
    classes=st.integers(2, 4),
    design=st.sampled_from(["srs", "elsewhere", "given", "population"]),
)
def test_shares_sum_to_1_and_lie_between_0_and_1(seed, size, classes, design):
    rng = np.random.default_rng(seed)
    names = np.array(["a", "b", "c", "d"][:classes])
    said = names[rng.integers(0, classes, size)]
    known = np.full(size, None, dtype=object)
    known[:12] = np.r_[names, rng.choice(names, 12 - classes)]
    if design == "elsewhere":
        said[:classes] = names
    options = {"reading": "given"} if design == "given" else {}
    options |= {"target": "population"} if design == "population" else {}
    result = correct(said, known, design="elsewhere" if design == "elsewhere" else "srs", **options)
    assert_sound(result)
    table = result.to_frame()
    for way in ("gold", "ppi", "misclassification"):
        if table[way].is_not_null().all():
            assert table[way].sum() == pytest.approx(1)
            assert table[way].is_between(-1e-9, 1 + 1e-9).all()


SAID, KNOWN = ["a", "b"] * 10, ["a", "b"] * 4 + [None] * 12
SCORES = np.linspace(0.01, 0.99, 20)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"design": None}, "^say how the documents with a known truth were chosen"),
        ({"design": "random"}, "'random' is not a design"),
        ({"design": "srs", "level": 95}, "level"),
        ({"design": "srs", "target": "both"}, "target is 'both'"),
        ({"design": "srs", "reading": "guessed"}, "reading is 'guessed'"),
        ({"design": "srs", "truth": ["a", "b"] * 2 + [None] * 16}, "4 documents is known, and"),
        ({"design": "srs", "truth": ["a"] * 20, "proxy": ["a"] * 20}, "all known truths are 'a'"),
        ({"design": "elsewhere", "strata": SAID}, "not of elsewhere"),
        ({"design": "elsewhere", "clusters": SAID}, "not of elsewhere"),
        ({"design": "elsewhere", "classes": ["a", "b", "c"]}, "none is 'c'"),
        ({"design": "elsewhere", "truth": SAID}, "no batch to estimate"),
        ({"design": "elsewhere", "proxy": ["a", "b"] * 5 + ["c", "d"] * 5,
          "classes": ["a", "b"]}, "83% of the batch has answers.* the answer 'c'"),
        ({"design": "elsewhere", "proxy": ["a", "b"] * 5 + [None] * 10}, "such as no answer"),
        ({"design": "elsewhere", "proxy": SCORES}, "12 documents of the batch.*lie beyond"),
        ({"design": [0.5] * 3}, "3 probabilities for 20 documents"),
        ({"design": [1.5] + [0.5] * 19}, "row 0 .* but 1.5 is not the probability"),
        ({"design": [0.5] * 20, "strata": SAID}, "either probabilities or strata"),
        ({"design": "srs", "strata": ["x"]}, "1 values of the stratum for 20 rows"),
        ({"design": "srs", "strata": ["x"] * 19 + ["y"]}, "stratum 'y', which has 1"),
        ({"design": "srs", "clusters": ["x"]}, "1 values of the cluster for 20 rows"),
        ({"design": "srs", "clusters": ["x"] * 20}, "are of one cluster"),
        ({"design": "srs", "by": ["x", "y"] * 10}, "no batch has 5 documents"),
        ({"design": "srs", "reading": "given", "proxy": ["u", "v"] * 10}, "taken as given if"),
        ({"design": "srs", "reading": "given", "proxy": 10 * SCORES}, "taken as given if"),
        ({"design": "srs", "reading": "given", "proxy": {"x": SAID, "y": SAID}}, "one model"),
    ],
)  # fmt: skip
def test_what_cannot_be_answered_is_an_error_that_says_why(arguments, message):
    proxy, truth = arguments.get("proxy", SAID), arguments.get("truth", KNOWN)
    options = {name: v for name, v in arguments.items() if name not in ("proxy", "truth")}
    with pytest.raises(ValueError, match=message):
        correct(proxy, truth, **options)


def test_few_truths_are_not_refused_for_scores_that_lie_beyond_them_by_chance():
    rng = np.random.default_rng(0)
    truth = rng.random(320) < 0.4
    scores = rng.normal(size=320) + 3 * truth
    known = np.where(np.arange(320) < 20, truth, np.nan)
    table = correct(scores, known, design="elsewhere").to_frame()
    assert (scores[20:] < scores[:20].min()).mean() + (
        scores[20:] > scores[:20].max()
    ).mean() > 0.05
    assert table["share"].is_not_null().all()
