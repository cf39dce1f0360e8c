"""Options of ``experiment``: what they stand for, and how they override a file."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quantext.experiments.configuration import Configuration

__all__ = ["files_read", "merged", "read_shares", "setting"]


def merged(corpus: str, settings: dict[str, Any], **tables: dict[str, Any]) -> dict[str, Any]:
    """Settings of a file, if the corpus is one, with those that were given in their place.

    Parameters
    ----------
    corpus
        Name of a corpus, or a file.
    settings, tables
        Those that were given; None where they were not.
    """
    from quantext.experiments.configuration import read_settings
    from quantext.experiments.protocol_names import protocol_settings

    found: dict[str, Any] = {"corpus": corpus}
    if corpus.endswith(".toml"):
        found = read_settings(Path(corpus))
    found |= {name: value for name, value in settings.items() if value is not None}
    for table, values in tables.items():
        given = {name: value for name, value in values.items() if value is not None}
        before = found.get(table, {})
        if table == "split" and {"train_until", "train_periods"} & given.keys():
            before = {k: v for k, v in before.items() if k not in ("train_until", "train_periods")}
        if table == "split" and "protocol" in given:  # then some may be of another protocol
            known = protocol_settings(given["protocol"])
            before = {name: value for name, value in before.items() if name in known}
        found[table] = before | given
    return found


def files_read(
    corpus: str, prevalences: str | None, configuration: "Configuration"
) -> Iterator[str]:
    """What options and settings name that may be a file.

    Parameters
    ----------
    corpus, prevalences
        As they were given.
    configuration
        With settings of a file, too.
    """
    for value in (corpus, prevalences, configuration.data, *configuration.reader.values()):
        names = value if isinstance(value, list) else [value]
        yield from (name for name in names if isinstance(name, str) and os.path.exists(name))


def setting(text: str) -> tuple[str, str | int]:
    """Name and value of a setting.

    Parameters
    ----------
    text
        As ``NAME=VALUE``.
    """
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ValueError(f"--reader {text!r} is no setting; write NAME=VALUE, as task=T1B")
    return name, int(value) if value.isdecimal() else value


def read_shares(text: str) -> list[Any]:
    """Shares to draw bags with.

    Parameters
    ----------
    text
        Numbers with commas between, or the name of a CSV file, of which each row is a bag.
    """
    if not text.lower().endswith(".csv"):
        try:
            return [float(share) for share in text.split(",")]
        except ValueError:
            raise ValueError(
                f"--prevalences {text!r} is neither numbers with commas between nor a CSV file"
            ) from None
    import polars as pl

    try:
        with open(text, "rb") as file:
            table = pl.read_csv(file)
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {text}") from None
    except pl.exceptions.PolarsError as error:
        raise ValueError(f"{text} is no table of shares: {error}") from None
    if words := [name for name, dtype in table.schema.items() if not dtype.is_numeric()]:
        raise ValueError(f"{text}, column {words[0]!r} does not hold numbers only")
    return table.fill_null(0).to_dicts()
