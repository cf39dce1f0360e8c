"""The recipes of CONTRIBUTING.md, followed to the letter in a copy of the package."""

import json
import os
import re
import shutil
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.support.places import ROOT

BLOCK = re.compile(r"^```(python|diff)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TESTED = ["learners/test_losses.py", "contract/test_every_quantifier.py"]


def follow(recipes: str, folder: Path) -> None:
    """Make the files, and the changes to files, that the blocks of a page have."""
    for kind, block in BLOCK.findall(recipes):
        first, _, rest = block.partition("\n")
        path = folder / first.removeprefix("# ").removeprefix("--- ")
        if kind == "python":
            assert not path.exists(), f"{path} is there already"
            path.write_text(rest, "utf-8")
        else:
            lines = rest.splitlines(keepends=True)
            before = "".join(line[1:] for line in lines if line[0] in " -")
            after = "".join(line[1:] for line in lines if line[0] in " +")
            text = path.read_text("utf-8")
            assert text.count(f"\n{before}") == 1, f"{first} has not once\n{before}"
            path.write_text(text.replace(f"\n{before}", f"\n{after}"), "utf-8")


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """Folder with a copy of the package and of two files of tests, after all recipes."""
    folder = tmp_path_factory.mktemp("recipes")
    # Compiled kernels go along: to compile them again takes longer than all the rest.
    unfinished = shutil.ignore_patterns("*.pyc*", "*.tmp.*")
    shutil.copytree(ROOT / "src" / "quantext", folder / "src" / "quantext", ignore=unfinished)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for name in TESTED:
        (folder / "tests" / name).parent.mkdir(parents=True)
        shutil.copy(ROOT / "tests" / name, folder / "tests" / name)
    shutil.copytree(ROOT / "tests" / "support", folder / "tests" / "support", ignore=unfinished)
    follow((ROOT / "CONTRIBUTING.md").read_text("utf-8"), folder)
    return folder


@pytest.fixture
def run(followed):
    """Function that runs the copy in a process of its own and returns what it prints."""

    def run_python(*arguments):
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=followed,
            env=os.environ | {"PYTHONPATH": str(followed / "src")},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run_python


def command(*arguments):
    return "-c", "from quantext.cli import main; main()", *arguments


def test_every_step_fits_the_code_as_it_is(followed):
    assert (followed / "src" / "quantext" / "datasets" / "tickets.py").exists()


@pytest.mark.slow
def test_the_loss_trains_by_its_name(run, followed):
    code = """
import numpy as np, quantext
X, y = np.array([[0.0], [0.2], [0.4], [1.0]]), [0, 0, 0, 1]
svm = quantext.StructuralSVM("balanced_error", C=100).fit(X, y)
print(quantext.__file__, svm.predict(X), svm.solution_.converged)
"""
    assert run("-c", code).split(maxsplit=1) == [
        str(followed / "src" / "quantext" / "__init__.py"),
        "[0 0 0 1] True\n",
    ]


@pytest.mark.slow
def test_the_quantifier_is_found_by_name_saved_and_loaded(run):
    code = """
import quantext as qx
from quantext.testing import check_quantifier
model = qx.TextQuantifier(qx.method("smm", folds=2))
model.fit(["good", "bad", "good one", "bad one"] * 3, ["yes", "no"] * 6)
qx.save(model, "smm.qx")
same = qx.load("smm.qx").predict(["good"] * 3 + ["bad"]) == model.predict(["good"] * 3 + ["bad"])
check_quantifier(qx.MeanMatching(qx.LinearSVM(), folds=3))
print(same.all(), type(qx.load("smm.qx").quantifier_) is qx.MeanMatching, "MeanMatching" in dir(qx))
"""
    assert run("-c", code) == "True True True\n"


@pytest.mark.slow
def test_the_quantifier_is_trained_by_the_command_line(run, followed):
    rows = "".join(f"the {word} broke,{word}\n" for word in ["screen", "battery"] * 20)
    (followed / "answers.csv").write_text("text,label\n" + rows)
    listed = json.loads(run(*command("methods", "--json")))
    assert listed[-1]["alias"] == "smm"
    options = ["--text", "text", "--label", "label", "--method", "smm"]
    run(*command("train", "answers.csv", *options))
    said = run(*command("estimate", "model.qx", "answers.csv", "--replicates", "20"))
    assert re.search(r"battery +50\.0%", said), said


@pytest.mark.slow
def test_the_tests_of_losses_and_of_the_contract_know_the_new_ones(run):
    chosen = "balanced_error or SMM or MeanMatching"
    files = [f"tests/{name}" for name in TESTED]
    said = run(
        "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-vv", "-k", chosen, *files
    )
    assert "test_loss_has_its_hand_worked_value[balanced_error] PASSED" in said
    assert "test_method_keeps_the_contract[SMM-check_summaries_add_up] PASSED" in said
    assert "MeanMatching(" in said


@pytest.mark.slow
def test_the_corpus_runs_as_an_experiment(run, followed):
    day = date(2024, 1, 1)
    topics = {
        "the screen broke": "screen",
        "late and broken": "screen,delivery",
        "late": "delivery",
    }
    lines = [
        f"{day + timedelta(days=i)}\t{names}\t{text}\n"
        for i in range(42)
        for text, names in topics.items()
    ]
    (followed / "tickets.tsv").write_text("".join([*lines, "2024-01-01\tscreen\t \n"]))
    run(*command("experiment", "tickets", "--data", "tickets.tsv", "--methods", "cc",
                 "--out", "tickets", "--jobs", "1"))  # fmt: skip
    code = "import polars; print(*polars.read_parquet('tickets/results.parquet')['task'].unique())"
    assert set(run("-c", code).split()) == {"delivery", "screen"}
