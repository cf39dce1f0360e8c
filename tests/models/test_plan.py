"""Plans: strata, how many of each, draws that go on from others, and files of plans."""

import numpy as np
import polars as pl
import pytest

import quantext as qx
from quantext.models.allocation import Spread, allocate, allocate_number, half_widths
from quantext.models.plan import PILOT, read_plan
from quantext.models.strata import MOST_STRATA, strata_by_column, strata_by_models
from quantext.vectors.answers import read_proxy

Z = 1.959964


def judged(n=4000, shares=(0.7, 0.3), right=0.8, seed=0):
    """What a model says, and the truth; it guesses where it does not know."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(shares), n, p=shares)
    says = np.where(rng.random(n) < right, truth, rng.choice(len(shares), n))
    return says.astype(str), truth.astype(str)


def labelled(plan, truth, only=None):
    """Truths and probabilities of what is drawn, spread over all documents."""
    rows = plan.rows[:only]
    known = np.full(len(truth), None, dtype=object)
    known[rows] = truth[rows]
    design = np.full(len(truth), np.nan)
    design[plan.rows] = plan.chances
    return known, design


# Strata


def test_strata_are_the_labels_and_no_answer():
    strata = strata_by_models(read_proxy(["b", "a", "", "b", None]))
    assert strata.names == ("a", "b", "(no answer)")
    assert strata.sizes.tolist() == [1, 2, 2]


def test_scores_are_divided_in_fifths():
    scores = np.r_[np.arange(100) / 100, np.nan]
    strata = strata_by_models(read_proxy(scores))
    assert strata.sizes.tolist() == [20] * 5 + [1]
    assert strata.names[0] == "0 to 0.19"
    assert strata.names[-1] == "(no answer)"


def test_posteriors_of_several_classes_are_divided_by_the_highest():
    strata = strata_by_models(read_proxy(np.array([[0.2, 0.8], [0.6, 0.4], [0.1, 0.9]])))
    assert strata.names == ("highest in column 1", "highest in column 2")
    assert strata.codes.tolist() == [1, 0, 1]


def test_what_two_models_seldom_say_together_is_one_stratum():
    first = ["x"] * 500 + ["y"] * 500
    second = ["x"] * 497 + ["y", "z", "z"] + ["y"] * 500
    strata = strata_by_models(read_proxy({"one": first, "two": second}))
    assert dict(zip(strata.names, strata.sizes.tolist(), strict=True)) == {
        "x + x": 497,
        "y + y": 500,
        "(others)": 3,
    }


def test_many_labels_are_twenty_strata_at_most_and_the_rarest_are_one():
    values = [f"{i:02}" for i in range(30) for _ in range(40 - i)]
    strata = strata_by_column(values, len(values))
    assert len(strata) == MOST_STRATA
    assert strata.names[-1] == "(others)"
    assert strata.sizes[-1] == sum(40 - i for i in range(19, 30))


def test_scores_that_are_all_missing_are_one_stratum():
    strata = strata_by_models(read_proxy({"a": np.array([0.5, np.nan, 0.25]), "b": ["x"] * 3}))
    assert sum(strata.sizes) == 3


# Allocation


def test_a_stratum_gets_documents_by_its_size_and_deviation():
    spread = Spread(("a",), np.array([0.25]), np.array([[0.16], [0.01]]))
    sizes = np.array([10**6, 4 * 10**6])
    # 1 × 0.4 against 4 × 0.1.
    assert allocate_number(spread, sizes, np.array([5, 5]), 600).tolist() == [300, 300]


def test_the_half_width_of_two_strata_is_that_of_their_shares():
    spread = Spread(("a",), np.array([0.25]), np.array([[0.16], [0.04]]))
    half = half_widths(spread, np.array([100, 300]), np.array([10, 60]), 0.95)
    variance = 0.25**2 * 0.16 * (1 / 10 - 1 / 100) + 0.75**2 * 0.04 * (1 / 60 - 1 / 300)
    assert half == pytest.approx([Z * variance**0.5])


def test_no_stratum_gets_more_than_it_has_nor_less_than_a_few():
    spread = Spread(("a",), np.array([0.25]), np.array([[0.25], [1e-4], [0.25]]))
    sizes = np.array([10_000, 5_000, 8])
    numbers = allocate(spread, sizes, np.minimum(5, sizes), 0.01, 0.95)
    assert numbers[1] >= 5
    assert numbers[2] <= 8
    assert (half_widths(spread, sizes, numbers, 0.95) <= 0.01).all()
    assert (half_widths(spread, sizes, numbers - [2, 0, 0], 0.95) > 0.01).all()


def test_a_target_that_only_all_documents_reach_takes_all():
    spread = Spread(("a",), np.array([0.25]), np.array([[0.25]]))
    assert allocate(spread, np.array([50]), np.array([5]), 1e-9, 0.95).tolist() == [50]


# Plans


def test_a_given_correlation_tells_how_many_with_the_model_and_without():
    says = ["yes"] * 50_000 + ["no"] * 50_000
    plan = qx.plan(says, target=0.03, correlation=0.8)
    # Without: 1067.07 / (1 + 1067.07 / 100,000). With: 1 - 0.64 of that, and 1 / 0.95² for bounds
    # that are wider than the normal law's.
    assert plan.needed_without == 1056
    assert plan.needed == pytest.approx(1067.07 * 0.36 / 0.95**2, abs=4)
    assert plan.basis == "correlation"
    assert plan.correlation == pytest.approx(0.8)
    assert len(plan.rows) == plan.to_label == plan.needed


def test_scores_say_nothing_of_shares_so_that_half_is_taken():
    plan = qx.plan(np.linspace(-3, 3, 10_001), target=0.05, correlation=0.5)
    assert plan.needed_without == 370  # 384.1 / (1 + 384.1 / 10,001)
    assert plan.allocation["to_label"].max() - plan.allocation["to_label"].min() <= 1


def test_probabilities_are_the_part_of_each_stratum_and_rows_are_drawn_once():
    says, _ = judged()
    plan = qx.plan(says, target=0.04, correlation=0.7)
    assert len(set(plan.rows.tolist())) == len(plan.rows)
    for name, size, more in plan.allocation.select("stratum", "size", "to_label").iter_rows():
        own = np.array(plan.strata) == name
        assert (says[plan.rows[own]] == name).all()
        assert own.sum() == more
        assert plan.chances[own] == pytest.approx(more / size)
    assert 1 / plan.chances @ np.ones(len(plan.rows)) == pytest.approx(len(says))


def test_the_same_seed_draws_the_same_rows_and_another_does_not():
    says, _ = judged()
    first, again, other = (qx.plan(says, number=60, seed=seed) for seed in (1, 1, 2))
    assert first.rows.tolist() == again.rows.tolist()
    assert first.rows.tolist() != other.rows.tolist()


def test_every_document_of_a_stratum_is_drawn_as_often_as_another():
    says = ["a"] * 30 + ["b"] * 70
    drawn = np.zeros(100)
    for seed in range(150):
        drawn[qx.plan(says, number=20, correlation=0.5, seed=seed).rows] += 1
    for part in (drawn[:30], drawn[30:]):
        # Binomial deviations, of which none of 100 is likely to exceed four.
        p = part.mean() / 150
        assert np.abs(part - part.mean()).max() < 4 * (150 * p * (1 - p)) ** 0.5


def test_the_first_rows_have_two_of_each_stratum_and_then_about_the_same_part():
    says = ["a"] * 3000 + ["b"] * 900 + ["c"] * 100
    plan = qx.plan(says, number=200, correlation=0.6)
    assert sorted(plan.strata[:6]) == ["a", "a", "b", "b", "c", "c"]
    half = pl.Series(plan.strata[:100]).value_counts()
    whole = pl.Series(plan.strata).value_counts()
    parts = half.join(whole, on="", suffix="_all").select(pl.col("count") / pl.col("count_all"))
    assert parts["count"].is_between(0.4, 0.75).all()


def test_without_truths_or_a_correlation_it_is_a_pilot():
    says, _ = judged()
    plan = qx.plan(says, target=0.03)
    assert (plan.basis, plan.to_label, plan.needed) == ("pilot", PILOT, None)
    assert plan.needed_without > 500
    assert "correlation of 0.7" in plan.notes[0]


def test_truths_of_unknown_origin_tell_how_good_the_model_is_and_no_more():
    says, truth = judged()
    known = np.where(np.arange(len(says)) < 400, truth, None)
    plan = qx.plan(says, target=0.03, truth=known)
    assert (plan.basis, plan.labelled, plan.progress) == ("truths", 0, None)
    assert plan.correlation == pytest.approx(0.78, abs=0.06)
    assert plan.needed < plan.needed_without / 2
    assert "400 documents" in plan.notes[0]
    assert "srs" in plan.notes[0]


def test_truths_that_were_drawn_at_random_count():
    says, truth = judged()
    known = np.full(len(says), None, dtype=object)
    rows = np.random.default_rng(3).choice(len(says), 150, replace=False)
    known[rows] = truth[rows]
    plan = qx.plan(says, target=0.03, truth=known, design="srs")
    assert plan.labelled == 150
    assert sorted(plan.rows[:150].tolist()) == sorted(rows.tolist())
    assert plan.progress["class"].to_list() == ["0", "1"]
    assert not plan.reached
    assert 0 < plan.to_label < 300


def test_a_plan_that_goes_on_keeps_what_was_drawn_and_has_the_chances_of_both_draws():
    says, truth = judged()
    pilot = qx.plan(says, target=0.03, seed=1)
    known, design = labelled(pilot, truth, only=70)
    more = qx.plan(says, target=0.03, truth=known, design=design, seed=1)
    assert more.labelled == 70
    assert set(pilot.rows.tolist()) < set(more.rows.tolist())
    assert set(pilot.rows[:70].tolist()) == set(more.rows[:70].tolist())
    for code in "01":
        own = np.array(more.strata) == code
        assert more.chances[own] == pytest.approx(own.sum() / (says == code).sum())
    assert more.to_frame().columns == ["row", "stratum", "probability"]
    assert more.to_frame()["row"][0] == more.rows[0] + 1


def test_a_stratum_without_a_label_is_named_and_nothing_is_told():
    says, truth = judged(shares=(0.5, 0.3, 0.2))
    plan = qx.plan(says, number=60, correlation=0.7)
    known, design = labelled(plan, truth)
    known[says == "2"] = None
    again = qx.plan(says, target=0.1, truth=known, design=design, correlation=0.7)
    assert again.progress is None
    assert "'2'" in again.notes[-1]


@pytest.mark.parametrize("correlation", [None, 0.99])
def test_what_few_labels_show_counts_more_than_what_is_expected(correlation):
    says, truth = judged(right=0.3)
    known, design = labelled(qx.plan(says, number=30), truth)
    expected = {"target": 0.1, "correlation": correlation}
    before, after = qx.plan(says, **expected), qx.plan(says, truth=known, design=design, **expected)
    assert not after.reached
    assert after.to_label > 10
    assert after.basis == before.basis
    assert correlation is None or after.needed > 3 * before.needed


def test_a_target_that_is_reached_leaves_nothing_to_label():
    says, truth = judged()
    known, design = labelled(qx.plan(says, number=300), truth)
    done = qx.plan(says, target=0.1, truth=known, design=design)
    assert done.reached
    assert (done.to_label, done.needed, len(done.rows)) == (0, 300, 300)
    more = qx.plan(says, target=0.1, truth=known, design=design, number=10)
    assert (more.labelled, more.to_label) == (300, 10)


@pytest.mark.parametrize(
    ("shares", "target"), [((0.7, 0.3), 0.05), ((0.4, 0.25, 0.15, 0.1, 0.1), 0.05)]
)
def test_the_planned_number_reaches_the_target_and_intervals_hold_the_truth(shares, target):
    widths, hits = [], []
    for seed in range(16):
        says, truth = judged(n=3000, shares=shares, seed=seed)
        known, design = labelled(qx.plan(says, target=target, seed=seed), truth)
        plan = qx.plan(says, target=target, truth=known, design=design, seed=seed)
        known, design = labelled(plan, truth)
        table = qx.correct(says, known, design=design).to_frame()
        true = np.array([(truth == name).mean() for name in table["class"]])
        low, high = table["low"].to_numpy(), table["high"].to_numpy()
        widths.append((high - low).max() / 2)
        hits += [((low <= true) & (true <= high)).mean()]
    assert np.mean(widths) < 1.1 * target
    # Of 16 files with intervals that hold in 95% of cases, fewer than 86% are one in a hundred.
    assert np.mean(hits) > 0.86


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "say how exactly"),
        ({"target": 0.5}, "target is 0.5; .*below 0.5"),
        ({"target": 3}, "0.03 for ±3 points"),
        ({"number": 0}, "at least one"),
        ({"number": 9}, "too few for 2 strata.*draw 10 or more"),
        ({"number": 4001}, "4,001 documents are to be drawn, and 4,000 are without"),
        ({"target": 0.1, "correlation": 1}, "correlation is 1"),
        ({"target": 0.1, "level": 95}, "level"),
        ({"target": 0.1, "strata": ["a"]}, "strata has 1 values for 4,000"),
        ({"target": 0.1, "truth": ["a"]}, "truth has 1 values for 4,000"),
        ({"target": 0.1, "design": "random"}, "'random' is not a design"),
        ({"target": 0.1, "design": [0.5]}, "1 probabilities for 4,000"),
        ({"target": 0.1, "design": np.full(4000, 0.5)}, "drawn with probability 0.5, but of its"),
    ],
)
def test_what_cannot_be_planned_is_an_error(options, message):
    says, _ = judged()
    with pytest.raises(ValueError, match=message):
        qx.plan(says, **options)


def test_few_documents_and_those_that_are_all_labelled_are_errors():
    with pytest.raises(ValueError, match="label all of them"):
        qx.plan(["a", "b"] * 4, target=0.1)
    says, truth = judged(n=200)
    with pytest.raises(ValueError, match="1 document is to be drawn, and none is without a label"):
        qx.plan(says, number=1, truth=truth, design="srs")
    assert qx.plan(says, target=0.01, truth=truth, design="srs").reached
    with pytest.raises(ValueError, match="truth of all documents is known"):
        qx.plan(says, target=0.01, truth=truth)


def test_where_only_one_class_was_seen_more_labels_are_needed_all_the_same():
    known, design = labelled(qx.plan(["a"] * 5000, number=60), np.array(["a"] * 5000))
    plan = qx.plan(["a"] * 5000, target=0.01, truth=known, design=design)
    assert plan.progress["half_width"].item() > 0.01
    assert plan.to_label > 60
    assert plan.needed_without > 100


# Files of plans

FRAME = pl.DataFrame(
    {
        "row": ["9", "2", "4", "10", "7"],
        "stratum": ["a", "a", "a", "b", "b"],
        "probability": ["0.5", "0.5", "0.5", "0.5", "0.5"],
        "truth": ["x ", "", "y", "x", None],
    }
)


def test_what_is_not_labelled_lowers_the_probability_of_the_rest_of_its_stratum():
    rows, truth, chances = read_plan(FRAME, 10, "truth")
    assert rows.tolist() == [8, 3, 9]
    assert truth == ["x", "y", "x"]
    assert chances == pytest.approx([1 / 3, 1 / 3, 1 / 4])


def test_commas_of_a_spreadsheet_are_decimal_points():
    commas = FRAME.with_columns(probability=pl.lit("0,5"))
    assert read_plan(commas, 10, "truth").chances == pytest.approx([1 / 3, 1 / 3, 1 / 4])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"row": pl.Series(["9", "2", "4", "11", "7"])},
            "row 4: '11' is no row of the data, which has 10",
        ),
        ({"row": pl.Series(["9", "", "4", "1", "7"])}, "row 2: '' is no row"),
        ({"row": pl.Series(["9", "2.5", "4", "1", "7"])}, "row 2: '2.5' is no row"),
        ({"row": pl.Series(["9", "9", "4", "1", "7"])}, "'row', row 2: 9 is in row 1 too"),
        ({"probability": pl.lit("0")}, "'probability', row 1 is '0'"),
        ({"probability": pl.lit("often")}, "'often'"),
        (
            {"probability": pl.Series(["0.5", "0.25", "0.5", "0.5", "0.5"])},
            "row 2: rows of the stratum 'a' were",
        ),
        ({"stratum": pl.Series(["a", "a", "a", "b", "c"])}, "no row of the stratum 'c'.*row 7"),
        ({"truth": pl.lit("")}, "is blank"),
    ],
)
def test_a_plan_that_was_changed_is_an_error(change, message):
    with pytest.raises(ValueError, match=message):
        read_plan(FRAME.with_columns(**change), 10, "truth")


def test_a_plan_that_lacks_rows_or_columns_or_is_of_another_file_is_an_error():
    with pytest.raises(ValueError, match="4 rows of the plan stand for 8 documents"):
        read_plan(FRAME[:4], 10, "truth")
    with pytest.raises(ValueError, match="the data has 12"):
        read_plan(FRAME, 12, "truth")
    with pytest.raises(ValueError, match="no column 'stratum'"):
        read_plan(FRAME.drop("stratum"), 10, "truth")
    with pytest.raises(ValueError, match="no rows"):
        read_plan(FRAME[:0], 10, "truth")


# Several labels a document


def test_strata_of_several_labels_are_their_sets_and_each_label_is_assumed_by_itself():
    says = ["a|b"] * 5 + ["b|a"] * 5 + ["a"] * 30 + ["|"] * 60
    plan = qx.plan(says, number=30, correlation=0.5, separator="|")
    table = plan.allocation.sort("size")
    assert table.select("stratum", "size").rows() == [("a|b", 10), ("a", 30), ("(no label)", 60)]
    # With share 0.4 of a and 0.1 of b: .7 × .3 + .55 × .45, .7 × .3 + .05 × .95, .2 × .8 + ...
    expected = np.sqrt(np.array([0.21 + 0.2475, 0.21 + 0.0475, 0.16 + 0.0475]) / 2)
    assert table["spread"].to_list() == pytest.approx(expected.tolist())


def test_scores_have_no_labels_to_separate():
    with pytest.raises(ValueError, match="must give labels, not numbers"):
        qx.plan(np.linspace(0, 1, 60), number=30, separator="|")
