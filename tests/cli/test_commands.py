"""The command line, by running it."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from tests.support.survey import command

QUANTEXT = Path(sys.executable).with_name("quantext")


def run(*arguments):
    return subprocess.run(
        [QUANTEXT, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        env={"COLUMNS": "80", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
    )


def test_help_lists_the_commands():
    result = run("--help")
    assert result.returncode == 0
    assert "demo" in result.stdout


def test_version_is_that_of_the_package():
    result = run("--version")
    assert result.returncode == 0
    assert result.stdout == f"quantext {version('quantext')}\n"


def test_the_package_runs_as_a_module_too():
    result = subprocess.run(
        [sys.executable, "-m", "quantext", "--version"], capture_output=True, text=True
    )
    assert (result.returncode, result.stdout) == (0, f"quantext {version('quantext')}\n")


def test_the_demo_shows_truth_and_estimates_and_leaves_files_to_go_on_with(
    monkeypatch, capsys, tmp_path
):
    monkeypatch.chdir(tmp_path)
    code, out, err = command(monkeypatch, capsys)("demo")
    assert code == 0, err
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    for name in ("Adaptive", "CC", "PACC", "SVM(KLD)", "Training prevalence"):
        assert name in out
    battery = next(line for line in lines if line.startswith("battery life"))
    # Share in training, truth, estimate, and bounds with a dash between.
    assert len(battery.removeprefix("battery life").split()) == 6
    assert {file.name for file in (tmp_path / "quantext-demo").iterdir()} == {
        "coded.csv",
        "judged.csv",
        "later.csv",
        "report.html",
    }


def test_an_unknown_command_is_a_sentence_and_exit_code_2():
    result = run("estimat")
    assert result.returncode == 2
    assert "No such command" in result.stderr
    assert "Traceback" not in result.stderr
