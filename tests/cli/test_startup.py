"""How commands start: help is there at once, since nothing heavy is loaded for it."""

import subprocess
import sys

import pytest

HEAVY = {"matplotlib", "numba", "numpy", "polars", "scipy", "sklearn"}


@pytest.mark.parametrize("arguments", [["--help"], ["train", "--help"], ["--version"]])
def test_help_loads_no_heavy_library(arguments):
    code = (
        "import sys; from quantext.cli import app\n"
        "app(sys.argv[1:], standalone_mode=False); print('loaded:', *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    loaded = done.stdout.rpartition("loaded:")[2].split()
    assert "quantext.cli" in loaded
    assert not HEAVY & set(loaded)


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
