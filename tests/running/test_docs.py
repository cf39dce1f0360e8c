"""The documentation: its commands and its notebook are run, its references are complete."""

import doctest
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import polars as pl
import pytest
import yaml

import quantext as qx
from quantext import datasets
from quantext.cli import main
from quantext.experiments.configuration import configure, configured_protocol
from tests.support.places import ROOT

DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
CHECKER = doctest.OutputChecker()
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page, language):
    """What stands in the page's blocks of a language."""
    return [code for kind, code in FENCE.findall(page.read_text("utf-8")) if kind == language]


def commands(page):
    """Commands of the page's console blocks, each with the output that the page shows."""
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output


def timeless(output):
    """The output without what differs between machines: seconds, also in a last column of them."""
    tables = re.compile(r"^(.* seconds\n)((?:.+\n)+)", re.MULTILINE)
    output = tables.sub(lambda t: t[1] + re.sub(r"\d+\.\d+$", "0.0", t[2], flags=re.M), output)
    return re.sub(r"\d+\.\d+ (s|MB)\b", r"0.0 \1", output)


@pytest.fixture
def run(tmp_path, monkeypatch, capfd):
    """Function that runs a page in an empty folder: its Python, then its commands in order.

    Commands are run in this process, since most of their time goes into starting another.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def run_page(page):
        doctest.testfile(str(page), module_relative=False, optionflags=LENIENT, raise_on_error=True)
        for command, shown in commands(page):
            monkeypatch.setattr(sys, "argv", shlex.split(command))
            capfd.readouterr()
            with pytest.raises(SystemExit) as end:
                main()
            out, err = capfd.readouterr()
            assert (end.value.code or 0) == (2 if shown.startswith("Error:") else 0), err
            # Pages may leave out progress and warnings, which go to standard error.
            same = [
                CHECKER.check_output(timeless(shown), timeless(printed), LENIENT)
                for printed in (out, err + out)
            ]
            assert any(same), f"$ {command}\nprints\n{err + out}\nbut {page.name} shows\n{shown}"

    return run_page


@pytest.mark.slow
def test_every_command_of_the_spreadsheet_tutorial_prints_what_it_shows(run, tmp_path):
    run(DOCS / "spreadsheet.md")
    assert {"shares.csv", "report.html"} <= set(os.listdir(tmp_path))


@pytest.mark.slow
def test_every_command_of_the_tutorial_on_a_models_labels_prints_what_it_shows(run, tmp_path):
    run(DOCS / "correct.md")
    assert {"page.html", "to_label.csv", "judge.qx"} <= set(os.listdir(tmp_path))


@pytest.mark.slow
def test_the_readme_followed_to_the_letter_leads_from_the_demo_to_estimates(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    (tmp_path / ".venv" / ".usable").touch()  # as if make had installed everything already
    readme = (ROOT / "README.md").read_text("utf-8")
    steps = re.findall(
        r"^    (make demo|\.venv/bin/quantext .+?)(?:  +#.*)?$", readme, re.MULTILINE
    )
    assert [step.split()[1] for step in steps] == ["demo", "train", "estimate", "correct"]
    printed = {}
    for step in steps:
        done = subprocess.run(
            step, shell=True, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False
        )
        assert done.returncode == 0, f"{step}\n{done.stderr}"
        printed[step.split()[1]] = done.stdout
    assert "95% interval" in printed["estimate"]
    assert "Sep 2024 (2,500 documents)" in printed["estimate"]
    line = next(line for line in printed["correct"].splitlines() if "negative" in line)
    for share in ("34.4%", "30.2", "38.6", "43.8%"):
        assert share in line
        assert share in readme


@pytest.mark.slow
def test_the_tables_for_choosing_a_method_are_those_of_the_experiment(run, tmp_path):
    page = DOCS / "choosing.md"
    run(page)
    for table, head in (
        ("kld_by_drift", "| hardly moved |"),
        ("kld_by_prevalence", "| below 1% |"),
    ):
        measured = pl.read_csv(tmp_path / "run" / "tables" / f"{table}.csv")
        for name, *shown in table_after(page, head):
            row = measured.row(by_predicate=pl.col("method") == name)[1:]
            assert shown == pytest.approx([1000 * error for error in row[: len(shown)]], abs=0.06)


def table_after(page, head):
    """Rows of the table with these words in its head: a name and numbers."""
    rows = page.read_text("utf-8").partition(head)[2].split("\n")[2:]
    for row in rows[: rows.index("")]:
        name, *cells = row.strip("| ").split(" | ")
        yield name, *map(float, cells)


def test_every_snippet_is_one_that_is_run():
    for page in PAGES:
        kinds = {kind for kind, _ in FENCE.findall(page.read_text("utf-8"))}
        assert kinds <= {"python", "console", "toml"}, f"{page.name} has blocks that nothing runs"
        scripts = [code for code in blocks(page, "python") if not code.startswith(">>> ")]
        assert len(scripts) == (page.name == "scale.md"), page.name  # it is run in a file below
    run_here = {DOCS / "choosing.md", DOCS / "correct.md", DOCS / "spreadsheet.md"}
    assert {page for page in PAGES if blocks(page, "console")} == run_here


def test_the_reference_of_commands_has_every_argument_and_option():
    from typer.main import get_command

    from quantext.cli import app

    text = hooks().commands()
    for name, command in get_command(app).commands.items():
        section = text.partition(f"## quantext {name}\n")[2].partition("\n## ")[0]
        assert command.help.split("\n")[0] in section
        for parameter in command.params:
            assert parameter.help, f"{name}: {parameter.name} has no help"
            assert parameter.help in section, f"{name}: {parameter.name} is missing"
            if parameter.param_type_name == "option":
                assert all(f"{option}" in section for option in parameter.opts)


def test_the_reference_in_python_has_every_public_name():
    listed = {name.rpartition(".")[2] for name in referred_to("api.md")}
    assert set(dir(qx)) <= listed


def test_the_reference_in_python_has_every_reader_of_a_corpus_and_all_made_up_data():
    listed = set(referred_to("api-data.md"))
    assert {f"quantext.datasets.{name}" for name in datasets.__all__} <= listed


def referred_to(page):
    """Names whose docstrings the page shows."""
    text = hooks().on_page_markdown((DOCS / page).read_text("utf-8"))
    return re.findall(r"^::: (\S+)", text, re.MULTILINE)


def test_the_table_of_methods_has_every_method():
    table = hooks().methods()
    assert all(f"**{name}** `{entry.alias}`" in table for name, entry in qx.METHODS.items())


@pytest.mark.slow
def test_the_notebook_run_again_gives_what_it_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((DOCS / "weeks.ipynb").read_text("utf-8"))
    runner = script("notebook")
    shown = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert list(map(runner.said, runner.run(notebook))) == list(map(runner.said, shown))
    assert {"mood.qx", "mood.html"} <= set(os.listdir(tmp_path))
    assert any("image/png" in output.get("data", {}) for outputs in shown for output in outputs)


def test_the_page_of_the_notebook_has_its_words_its_code_and_what_that_gives():
    page = hooks().notebook()
    assert page.startswith("# Answers by week\n")
    assert "```python\nmodel = qx.TextQuantifier()" in page
    assert "```text\n12 of 12\n```" in page
    assert "<table><thead><tr><th>batch</th>" in page
    assert "![Share of negative, neutral and positive answers" in page


def test_the_citation_has_the_version_of_the_package_and_the_paper():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == version("quantext")
    assert citation["license"] == "Apache-2.0"
    paper = citation["preferred-citation"]
    assert f"{paper['title']}" in (ROOT / "README.md").read_text("utf-8")


def test_the_picture_of_the_readme_is_small():
    [picture] = re.findall(r"!\[.+?\]\((.+?)\)", (ROOT / "README.md").read_text("utf-8"))
    assert 10_000 < (ROOT / picture).stat().st_size < 250_000


def hooks():
    """What MkDocs calls when it builds the site."""
    return script("hooks")


def script(name):
    """A script of the documentation, as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_script_of_the_page_on_scale_estimates_on_its_cluster(tmp_path):
    [script] = [code for code in blocks(DOCS / "scale.md", "python") if code.startswith("# ")]
    (tmp_path / "cluster.py").write_text(script)
    result = subprocess.run(
        [sys.executable, "cluster.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    shares = [float(number) for number in re.findall(r"\d\.\d+", result.stdout)]
    assert len(shares) == 3
    assert sum(shares) == pytest.approx(1, abs=1e-6)


def test_every_configuration_is_one_that_can_be_run():
    found = [code for page in PAGES for code in blocks(page, "toml")]
    assert found
    for code in found:
        configured_protocol(configure(tomllib.loads(code)))
