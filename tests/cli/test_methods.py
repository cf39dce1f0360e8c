"""quantext methods, and help."""

import json
import subprocess
import sys

import pytest

from quantext.cli.methods import complete_method
from quantext.models.methods import METHODS
from tests.support.survey import command


@pytest.fixture
def run(monkeypatch, capsys):
    return command(monkeypatch, capsys)


def test_the_shell_completes_the_aliases_of_all_methods():
    assert complete_method("") == [entry.alias for entry in METHODS.values()]
    assert complete_method("PCC") == ["pcc", "pcc-logistic"]


def test_all_methods_are_listed_within_80_columns(run):
    code, out, _ = run("methods")
    assert code == 0
    for method in METHODS.values():
        assert f"\n{method.name}  ({method.alias}" in f"\n{out}"
    assert max(map(len, out.splitlines())) <= 80
    assert "Adaptive  (adaptive, the default of `quantext train`)" in out


def test_one_method_is_explained_by_name_or_alias(run):
    code, out, _ = run("methods", "svm-kld")
    assert code == 0
    assert "Choose it for many or rare classes" in out
    assert "Esuli & Sebastiani (2015)" in out
    assert "Share of the bag's documents that the classifier puts in each class" in out
    assert "Parameters" not in out
    assert run("methods", "SVM(KLD)") == (code, out, "")


@pytest.mark.parametrize("name", METHODS)
def test_explanations_fit_in_80_columns(run, name):
    out = run("methods", name)[1]
    assert max(map(len, out.splitlines())) <= 80


def test_other_names_of_a_method_are_listed_and_lead_to_it(run):
    assert "\nEMQ  (emq, SLD)\n" in run("methods")[1]
    code, out, _ = run("methods", "sld")
    assert code == 0
    assert "Also known as SLD." in out
    found = json.loads(run("methods", "GPAC", "--json")[1])
    assert [(entry["name"], entry["aliases"]) for entry in found] == [("PACC", ["GPAC"])]


def test_an_unknown_method_is_an_error_with_a_suggestion(run):
    code, out, err = run("methods", "pac")
    assert (code, out) == (2, "")
    assert "did you mean PACC" in err


def test_methods_are_there_for_machines_too(run):
    found = json.loads(run("methods", "--json")[1])
    assert [entry["name"] for entry in found] == list(METHODS) == list(dict.fromkeys(METHODS))
    assert all(entry["when"] == METHODS[entry["name"]].when for entry in found)


COMMANDS = ["demo", "train", "estimate", "compare", "methods", "experiment", "report"]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_examples_that_fit_in_a_line(run, monkeypatch, name):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run(name, "--help")
    assert code == 0
    _, _, examples = out.partition("For example:")
    lines = [line.strip() for line in examples.partition("╭")[0].splitlines() if line.strip()]
    assert lines
    assert all(f"quantext {name}" in line for line in lines)


def test_help_says_what_exit_codes_mean(run):
    code, out, _ = run("--help")
    assert code == 0
    assert "Exit codes: 0 fine, 1 some part failed, 2 the input is at fault" in out


def test_help_does_not_wait_for_the_libraries_that_do_the_work():
    program = (
        "import sys; sys.argv = ['quantext', '--help']\n"
        "from quantext.cli import main\n"
        "try: main()\n"
        "except SystemExit: print(*sys.modules, file=sys.stderr)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "estimate" in run.stdout
    loaded = set(run.stderr.split())
    assert "typer" in loaded
    assert not loaded & {"numpy", "scipy", "sklearn", "numba", "polars", "matplotlib", "jinja2"}
