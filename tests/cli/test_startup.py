"""How commands start: at once, since they load no more than they need."""

import subprocess
import sys

import polars as pl
import pytest

from quantext import TextQuantifier, save
from quantext.datasets.synthetic import synthetic

HEAVY = {"matplotlib", "numba", "numpy", "polars", "scipy", "sklearn"}


def modules_of(arguments):
    """Names of the modules that a command has loaded in the end."""
    code = (
        "import sys; from quantext.cli import app\n"
        "app(sys.argv[1:], standalone_mode=False); print('loaded:', *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.rpartition("loaded:")[2].split())
    assert "quantext.cli" in loaded
    return loaded


@pytest.mark.parametrize("arguments", [["--help"], ["train", "--help"], ["--version"]])
def test_help_loads_no_heavy_library(arguments):
    assert not HEAVY & modules_of(arguments)


@pytest.fixture
def ten(tmp_path):
    """A file of ten documents, as long as people write and of more than a hundred words."""
    texts = synthetic(10, weeks=1, labels="sentiment").texts
    assert len({word for text in texts for word in text.lower().split()}) > 100
    file = tmp_path / "ten.csv"
    pl.DataFrame({"text": texts}).write_csv(file)
    return file


def test_looking_loads_no_library_for_learning(ten):
    loaded = modules_of(["look", ten])
    assert "polars" in loaded
    assert not loaded & {"jinja2", "matplotlib", "numba", "scipy", "sklearn"}


def test_an_estimate_of_ten_documents_loads_nothing_that_only_training_needs(ten, tmp_path):
    corpus = synthetic(90, labels="sentiment", seed=1)
    save(TextQuantifier().fit(corpus.texts, corpus.labels), tmp_path / "model.qx",
         about={"text": ["text"]})  # fmt: skip
    loaded = modules_of(["estimate", tmp_path / "model.qx", ten])
    assert {"polars", "sklearn", "quantext.quantifiers.adaptive"} <= loaded
    assert not loaded & {
        "jinja2", "llvmlite", "matplotlib", "numba", "sklearn.feature_extraction",
        "sklearn.linear_model", "sklearn.metrics", "sklearn.model_selection", "sklearn.pipeline",
        "sklearn.svm", "quantext.cli.train", "quantext.learners.descent",
        "quantext.learners.forest", "quantext.learners.neighbours", "quantext.learners.structural",
        "quantext.quantifiers.thresholds", "quantext.texts.parquet", "quantext.texts.sheets",
        "quantext.vectors.porter",
    }  # fmt: skip


JUDGED = ["--proxy", "model", "--truth", "truth"]


@pytest.mark.parametrize(
    "command", [["correct", *JUDGED, "--design", "srs"], ["plan", *JUDGED, "--target", "0.1"]]
)
def test_what_needs_no_learning_loads_no_library_for_it(command, tmp_path):
    rows = ["yes,yes", "no,no", "yes,no"] * 12 + ["yes,", "no,"] * 30
    file = tmp_path / "judged.csv"
    file.write_text("\n".join(["model,truth", *rows]), "utf-8")
    out = ["--out", tmp_path / "drawn.csv"] if command[0] == "plan" else []
    loaded = modules_of([*command, file, *out])
    assert {"polars", "scipy.special"} <= loaded
    assert not loaded & {
        "jinja2", "matplotlib", "numba", "pandas", "scipy.optimize", "scipy.stats", "sklearn",
        "threadpoolctl",
    }  # fmt: skip


def test_without_its_extra_the_page_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['starlette'] = None; from quantext.cli import main\n"
        "sys.argv = ['quantext', 'app', sys.argv[1]]; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "new")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "pip install 'quantext[app]'" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "new").exists()
