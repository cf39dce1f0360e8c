"""Files: one idea each, which fits in a head."""

import ast

import pytest

from tests.support.places import ROOT

MOST_LINES = 350
SOURCE = ROOT / "src" / "quantext"
LONG = [
    path for path in SOURCE.rglob("*.py") if len(path.read_text("utf-8").splitlines()) > MOST_LINES
]


@pytest.mark.parametrize("path", LONG, ids=lambda path: path.name)
def test_a_long_file_says_why_it_is_long(path):
    said = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
    assert " long " in said or " longer " in said, f"{path} has more than {MOST_LINES} lines"


ROOMS = sorted(path.parent for path in SOURCE.glob("*/__init__.py"))


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_room_has_several_files_says_what_goes_in_and_is_on_the_map(room):
    said = ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8")))
    assert " in, " in said
    assert len(list(room.glob("*.py"))) >= 4
    assert f"| `{room.name}/` |" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")


@pytest.mark.parametrize("path", sorted(SOURCE.glob("[a-z]*.py")), ids=lambda path: path.name)
def test_a_file_without_a_room_is_on_the_map(path):
    assert f"`{path.name}`" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")
