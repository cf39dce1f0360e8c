"""What all readers have in common."""

from importlib import import_module

import pytest

from quantext import datasets
from quantext.experiments.protocol_names import protocol_settings

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
    settings = dict(module.SPLIT)
    protocol = settings.pop("protocol", "period")
    assert set(settings) <= protocol_settings(protocol)
    assert protocol == "given" or {"train_until", "train_periods"} & set(settings)
    assert all(value >= 0 for value in module.PUBLISHED.values())
