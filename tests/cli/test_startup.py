"""How commands start: at once, since they load no more than they need."""

import subprocess
import sys

import pytest

from quantext import TextQuantifier, save

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
    """A file of ten documents."""
    texts = [f"the battery of my {word} lasts" for word in ("phone", "watch") * 5]
    file = tmp_path / "ten.csv"
    file.write_text("\n".join(["text", *texts]), "utf-8")
    return file


def test_looking_loads_no_library_for_learning(ten):
    loaded = modules_of(["look", ten])
    assert "polars" in loaded
    assert not loaded & {"jinja2", "matplotlib", "numba", "scipy", "sklearn"}


def test_an_estimate_of_ten_documents_loads_nothing_that_only_training_needs(ten, tmp_path):
    model = TextQuantifier().fit(["battery lasts", "screen broke"] * 30, ["battery", "screen"] * 30)
    save(model, tmp_path / "model.qx", about={"text": ["text"]})
    loaded = modules_of(["estimate", tmp_path / "model.qx", ten])
    assert {"polars", "sklearn", "quantext.quantifiers.adaptive"} <= loaded
    assert not loaded & {
        "jinja2", "matplotlib", "numba", "sklearn.linear_model", "sklearn.model_selection",
        "quantext.cli.train", "quantext.learners.descent", "quantext.learners.forest",
        "quantext.learners.neighbours", "quantext.learners.structural",
        "quantext.quantifiers.thresholds", "quantext.texts.parquet", "quantext.texts.sheets",
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
