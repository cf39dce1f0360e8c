from dataclasses import replace

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from quantext.datasets import judged_survey
from quantext.reports.demo import DEMO_METHODS, run_demo, write_demo


@pytest.fixture(scope="module")
def ran():
    """The demo, and the steps that it told of."""
    steps = []
    return run_demo(progress=lambda *step: steps.append(step)), steps


def test_the_demo_tells_its_story(ran):
    demo, steps = ran
    n = 2 + len(DEMO_METHODS)
    assert [(done, total) for _, done, total in steps] == [(done, n) for done in range(n)]
    assert demo.p_true.shape == demo.p_hat["CC"].shape == (32, 12)
    # Prevalence drifts, so the training prevalence is far off; counting helps, and a count that
    # was trained for or corrected helps more.
    assert demo.mean_kld("CC") < demo.mean_kld("Training prevalence")
    assert demo.mean_kld("SVM(KLD)") < demo.mean_kld("CC")
    assert demo.mean_kld("PACC") < demo.mean_kld("CC")


def test_the_file_of_the_made_up_model_is_that_of_the_seed_and_keeps_the_truth_to_itself(
    ran, tmp_path
):
    assert ran[0].seed == 0
    files = write_demo(replace(ran[0], seed=1), tmp_path)
    survey = judged_survey(seed=1)
    assert files["judged.csv"].read_bytes() == survey.table.write_csv().encode()
    table = pl.read_csv(files["judged.csv"], try_parse_dates=True)
    assert table.columns == ["id", "week", "answer", "model", "model_score", "checked"]
    assert_frame_equal(table, survey.table)
    # A label that is not there is blank, not a word.
    assert set(table["model"]) == {"negative", "neutral", "positive", None}
