"""axe, which knows the rules of accessible pages, finds nothing to say of ours."""

import numpy as np
import pytest

from quantext.labelling.found import shares
from quantext.labelling.task import Labels, Task, Wave
from quantext.models.changes import Change, WordChange
from quantext.models.verdicts import Verdict
from quantext.reports.correct import correct
from quantext.reports.estimates_page import estimates_page
from quantext.reports.experiment_page import render, summarise
from quantext.reports.labelled_page import labelled_page
from tests.support.browser import started
from tests.support.estimates import example_estimates
from tests.support.results import example_results

pytestmark = pytest.mark.slow


def trends(path):
    table = example_estimates(30, 12)
    weeks = table["batch"].unique(maintain_order=True).to_list()
    verdicts = {week: Verdict("fine") for week in weeks}
    verdicts[weeks[-1]] = Verdict("distrust", ("It rains.", "It pours."))
    verdicts[weeks[-2]] = Verdict("care", ("It rains.",))
    changes = {week: Change(0.3, 1.0, (WordChange("umbrella", 0.75, 0.04),)) for week in weeks}
    about = {"verdicts": verdicts, "changes": changes, "warnings": ["Rain."], "method": "Adaptive"}
    path.write_text(estimates_page(table, about), encoding="utf-8")


def groups(path):
    table = example_estimates(3, 5, truth=False)
    path.write_text(estimates_page(table, {"in_time": False}), encoding="utf-8")


def one_batch(path):
    path.write_text(estimates_page(example_estimates(3, 1)), encoding="utf-8")


def correction(path):
    says = ["no", "yes", "perhaps"] * 200
    truth = [name if i % 4 < 2 else None for i, name in enumerate(says)]
    by = [f"week {1 + i // 300}" for i in range(600)]
    correct(says, truth, design="srs", by=by).report(path)


def labelled(path):
    waves = [Wave(np.arange(60), np.full(60, 0.06))]
    labels = Labels(np.arange(50), np.eye(2, dtype=bool)[np.arange(50) % 5 % 2])
    found = shares(Task(("ham", "spam")), 1000, waves, labels, None)
    path.write_text(labelled_page(found, 1000, 0.95), encoding="utf-8")


def experiment(path):
    path.write_text(render(summarise(example_results(5, 6, intervals=True))), encoding="utf-8")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    # axe is a script that the policy of our pages would not run.
    with started(tmp_path_factory.mktemp("profile"), bypass_csp=True) as context:
        yield context


@pytest.mark.parametrize("write", [trends, groups, one_batch, correction, labelled, experiment])
def test_axe_finds_nothing_in_light_and_dark_on_a_desk_and_on_a_phone(browser, tmp_path, write):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not there")
    write(tmp_path / "page.html")
    page = browser.new_page()
    found = {}
    for width in (1280, 390):
        for theme in ("light", "dark"):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=theme)
            page.goto((tmp_path / "page.html").as_uri())
            page.wait_for_selector(".plot svg")
            violations = axe.Axe().run(page).response["violations"]
            found[width, theme] = [
                (one["id"], [node["target"] for node in one["nodes"]]) for one in violations
            ]
    page.close()
    assert found == {where: [] for where in found}
