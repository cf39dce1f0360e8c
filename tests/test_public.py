"""The public names."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import quantext
from quantext import quantifiers


@pytest.mark.parametrize("name", dir(quantext))
def test_every_public_name_is_there(name):
    assert getattr(quantext, name) is not None


def test_public_names_are_sorted_as_ruff_sorts_them_and_listed_by_dir():
    assert dir(quantext) == sorted([*quantext.__all__, "distributed"])


def test_every_name_can_be_imported_at_once_without_dask():
    code = (
        "import sys; sys.modules |= dict.fromkeys(['dask', 'distributed'])\n"
        "from quantext import *; print(LinearSVM.__name__)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "LinearSVM\n", result.stderr


def test_type_checkers_are_told_the_same_names():
    stub = ast.parse(Path(quantext.__file__).with_suffix(".pyi").read_text("utf-8"))
    imports = [(node.module, alias) for node in ast.walk(stub) if isinstance(node, ast.ImportFrom)
               for alias in node.names]  # fmt: skip
    assert ("quantext.quantifiers", "*") in [(module, alias.name) for module, alias in imports]
    assert all(alias.name in ("*", alias.asname) for _, alias in imports)
    told = {alias.name: module for module, alias in imports if alias.name != "*"}
    assert told.keys() | set(quantifiers.__all__) == set(dir(quantext))
    for name, module in told.items():
        assert getattr(import_module(module), name) is getattr(quantext, name)


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        quantext.nonsense  # noqa: B018 (the access is the test)


def test_a_name_is_the_same_object_as_in_its_module():
    assert quantext.LtcVectorizer is import_module("quantext.vectors.ltc").LtcVectorizer


def test_importing_the_package_imports_no_heavy_library():
    code = "import quantext, sys; print({'numba', 'polars', 'sklearn', 'scipy'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout == "set()\n", result.stderr
