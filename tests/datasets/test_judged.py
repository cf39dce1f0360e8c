import numpy as np
import polars as pl
import pytest

from quantext.datasets import GUESSER, PESSIMIST, judged_survey, made_up_labels


@pytest.fixture(scope="module")
def survey():
    return judged_survey()


def test_the_table_has_all_but_the_truth(survey):
    assert survey.table.schema == {
        "id": pl.Int64(),
        "week": pl.Date(),
        "answer": pl.String(),
        "model": pl.String(),
        "model_score": pl.Float64(),
        "checked": pl.String(),
    }
    assert len(survey.table) == len(survey.truth) == 5000
    assert survey.table["id"].to_list() == list(range(1, 5001))
    assert survey.table["week"].n_unique() == 12
    assert survey.table["answer"].null_count() == 0


def test_what_was_checked_is_true_and_a_sample_of_300_from_all_weeks(survey):
    checked = survey.table["checked"]
    rows = checked.is_not_null()
    assert rows.sum() == 300
    assert checked.filter(rows).equals(survey.truth.filter(rows))
    assert survey.table["week"].filter(rows).n_unique() == 12


def test_the_sample_looks_at_neither_the_truth_nor_the_model_nor_the_week(survey):
    rows = survey.table["checked"].is_not_null()
    late = survey.table["week"] > survey.table["week"].median()
    for what in (survey.truth == "negative", survey.table["model_score"] > 0.8, late):
        p = what.mean()
        sd = np.sqrt(p * (1 - p) / 300 * (4700 / 4999))
        assert abs(what.filter(rows).mean() - p) < 4 * sd


def test_the_raw_share_of_negative_is_several_points_above_the_truth(survey):
    true = (survey.truth == "negative").mean()
    raw = (survey.table["model"].drop_nulls() == "negative").mean()
    assert true == pytest.approx(0.35, abs=0.02)
    # 0.446 of all answers and 0.456 of those with a label are expected at shares of 35, 25 and 40%.
    assert raw == pytest.approx(0.455, abs=0.025)
    assert raw - true > 0.07


def test_the_model_errs_as_its_rates_say(survey):
    said = survey.table["model"]
    for name, row in PESSIMIST.items():
        of_class = said.filter(survey.truth == name).to_list()
        for what, p in row.items():
            share = of_class.count(what) / len(of_class)
            assert abs(share - p) < 4 * np.sqrt(p * (1 - p) / len(of_class)), (name, what)


def test_same_seed_same_survey():
    survey, again, other = (judged_survey(600, seed=seed) for seed in (3, 3, 4))
    assert survey.table.equals(again.table)
    assert survey.truth.equals(again.truth)
    for column in ("answer", "model", "model_score", "checked"):
        assert not survey.table[column].equals(other.table[column])


def test_a_second_model_can_be_put_beside_the_first(survey):
    second = made_up_labels(survey.truth, GUESSER, seed=1)
    first_right, second_right = (
        (labels == survey.truth).sum() for labels in (survey.table["model"], second)
    )
    assert second_right < first_right - 500


def test_none_or_all_may_be_checked():
    none, every = (judged_survey(24, n_checked=n) for n in (0, 24))
    assert none.table["checked"].null_count() == 24
    assert every.table["checked"].to_list() == every.truth.to_list()


@pytest.mark.parametrize("n_checked", [-1, 25])
def test_a_sample_of_more_than_there_is_is_refused(n_checked):
    message = f"n_checked must lie between 0 and n_documents=24, but is {n_checked}"
    with pytest.raises(ValueError, match=message):
        judged_survey(24, n_checked=n_checked)
