"""What all readers have in common."""

from importlib import import_module

import pytest

from quantext import datasets
from quantext.experiments.protocols import protocol_settings

READERS = [name for name in datasets.__all__ if name.startswith("read_")]


@pytest.mark.parametrize("name", READERS)
def test_every_reader_takes_a_path_and_says_what_is_missing_there(name, tmp_path):
    path = tmp_path / "nowhere"
    with pytest.raises(
        FileNotFoundError, match=r"there is no .*nowhere; expected .* had from [A-Zatw]"
    ):
        getattr(datasets, name)(path)


@pytest.mark.parametrize("name", READERS)
def test_every_corpus_has_a_split_that_can_be_made(name):
    module = import_module(getattr(datasets, name).__module__)
    protocol = module.SPLIT.get("protocol", "period")
    assert set(module.SPLIT) <= {"protocol", *protocol_settings(protocol)}
    assert protocol != "period" or {"train_until", "train_periods"} & set(module.SPLIT)
    assert all(value >= 0 for value in module.PUBLISHED.values())
