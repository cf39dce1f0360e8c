"""The oldest versions that are allowed, which `make test-oldest` installs."""

import tomllib

import pytest

from tests.support.oldest import PYPROJECT, oldest


def test_each_bound_is_a_version_to_install():
    project = {
        "dependencies": ["numpy>=2.0", "rich"],
        "optional-dependencies": {"dask": ["dask[array,distributed]>=2025.3", "quantext[dask]"]},
    }
    assert oldest(project) == ["numpy==2.0", "dask==2025.3"]


def test_a_requirement_without_a_plain_bound_is_refused():
    with pytest.raises(ValueError, match="requires 'numpy<3'; write it as name>=version"):
        oldest({"dependencies": ["numpy<3"]})


def test_every_dependency_has_a_bound():
    project = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]
    assert len(oldest({"dependencies": project["dependencies"]})) == len(project["dependencies"])
