"""Configurations: an experiment in words, as a TOML file has it, and what they stand for."""

import inspect
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from quantext.experiments.corpora import CORPORA, Source
from quantext.experiments.protocol_names import make_protocol, protocol_settings
from quantext.experiments.protocols import BagProtocol
from quantext.models.methods import INTERVAL_FOLDS, METHODS, USUAL_METHODS, find_method, method
from quantext.quantifiers import Quantifier
from quantext.texts.corpus import Corpus, VectorCorpus
from quantext.vectors.ltc import LtcVectorizer

__all__ = [
    "Configuration",
    "configure",
    "configured_protocol",
    "load_corpus",
    "make_methods",
    "make_vectorizer",
    "read_settings",
]


@dataclass(frozen=True)
class Configuration:
    """An experiment in words.

    Parameters
    ----------
    corpus
        A name in CORPORA.
    data
        Path of its files.
    methods
        Names or aliases of methods, or "all" alone; USUAL_METHODS by default.
    folds
        Of the cross-validation.
    seed
        Of folds and intervals.
    intervals
        Whether each estimate gets an interval.
    level, replicates
        Of the intervals.
    reader, split, vectorizer
        Settings of the corpus's reader, of the protocol, and of `LtcVectorizer`, in which false
        stands for None: no stop words, no stemmer. ``protocol`` in split names one of PROTOCOLS,
        by period unless the corpus has another. One that draws bags draws them from the documents
        that are later than the corpus's training documents, if it has dates. The corpora of the
        paper pass over English stop words if nothing else is said, as it does.
    parameters
        Parameters of methods, by their names: ``{"SVM(KLD)": {"classifier__C": 24}}``.
    """

    corpus: str
    data: str | None = None
    methods: tuple[str, ...] = USUAL_METHODS
    folds: int = 50
    seed: int = 0
    intervals: bool = False
    level: float = 0.95
    replicates: int = 200
    reader: Mapping[str, Any] = field(default_factory=dict)
    split: Mapping[str, Any] = field(default_factory=dict)
    vectorizer: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def source(self) -> Source:
        """Where the corpus comes from."""
        return CORPORA[self.corpus]


def read_settings(path: Path) -> dict[str, Any]:
    """Settings in a TOML file, not yet checked.

    Parameters
    ----------
    path
        Of the file.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {path}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is no TOML file: {error}") from None


def configure(settings: Mapping[str, Any]) -> Configuration:
    """The configuration of these settings, with the corpus's own ones of split and vectorizer.

    What they name themselves comes first.

    Parameters
    ----------
    settings
        Fields of `Configuration`.

    Examples
    --------
    >>> configure({"corpus": "synthetic", "methods": ["svm-kld"]}).methods
    ('SVM(KLD)',)
    >>> configure({"corpus": "synthetic", "split": {"train_untill": "2024-03-01"}})
    Traceback (most recent call last):
    ValueError: setting 'train_untill' of split is unknown; did you mean 'train_until'?
    """
    known = {entry.name: entry.default for entry in fields(Configuration)}
    _check_names("", settings, known)
    if settings.get("corpus") not in CORPORA:
        raise ValueError(
            f"corpus {settings.get('corpus')!r} is unknown; choose one of {', '.join(CORPORA)}"
        )
    for name, value in settings.items():
        _check_type(name, value, known[name])
    configuration = Configuration(**settings)
    if configuration.folds < 2:
        raise ValueError(f"folds is {configuration.folds}; it must be at least 2")
    if _is_dated_table(configuration):
        configuration = replace(configuration, reader={"date": "date", **configuration.reader})
    split = _split_settings(configuration)
    _check_names("reader", configuration.reader, _keywords(configuration.source.read))
    _check_names("vectorizer", configuration.vectorizer, _keywords(LtcVectorizer) - {"n_jobs"})
    given = list(METHODS) if list(configuration.methods) == ["all"] else configuration.methods
    names = tuple(dict.fromkeys(find_method(name).name for name in given))
    parameters = {find_method(name).name: given for name, given in configuration.parameters.items()}
    configuration = replace(
        configuration,
        methods=names,
        parameters=parameters,
        split=split,
        vectorizer={**configuration.source.vectorizer, **configuration.vectorizer},
    )
    make_methods(configuration)  # for its errors
    return configuration


def load_corpus(configuration: Configuration) -> Corpus | VectorCorpus:
    """The corpus, read from its files or generated.

    Parameters
    ----------
    configuration
        What to read.
    """
    has_files = configuration.corpus != "synthetic"
    if has_files and configuration.data is None:
        raise ValueError(f"corpus {configuration.corpus!r} needs data: the path of its files")
    if not has_files and configuration.data is not None:
        raise ValueError(f"corpus {configuration.corpus!r} is generated; it takes no data")
    paths = [configuration.data] if has_files else []
    return configuration.source.read(*paths, **configuration.reader)


def configured_protocol(configuration: Configuration) -> BagProtocol:
    """How training documents and bags are made.

    Parameters
    ----------
    configuration
        As `configure` gives it.
    """
    settings = dict(configuration.split)
    return make_protocol(settings.pop("protocol"), **settings)


def _is_dated_table(configuration: Configuration) -> bool:
    """Whether it is a table that is divided by dates and nobody said where they are."""
    by_period = configuration.split.get("protocol", "period") == "period"
    return (
        configuration.corpus == "table"
        and by_period
        and not {"date", "by"} & configuration.reader.keys()
    )


def _split_settings(configuration: Configuration) -> dict[str, Any]:
    """Settings of the split, with those of the corpus where they apply and no other is given."""
    given, usual = dict(configuration.split), dict(configuration.source.split)
    protocol = given.get("protocol", usual.get("protocol", "period"))
    known = protocol_settings(protocol)
    _check_names("split", given, {*known, "protocol"})
    if configuration.corpus == "table" and not {"date", "by"} & configuration.reader.keys():
        usual = {}  # without dates, what is held out is drawn at random
    training = {"train_until", "train_periods", "train_share"}
    if training & given.keys():
        usual = {name: value for name, value in usual.items() if name not in training}
    usual = {name: value for name, value in usual.items() if name in known}
    if "seed" in known:
        usual["seed"] = configuration.seed
    return {"protocol": protocol} | usual | given


def make_methods(configuration: Configuration) -> dict[str, Quantifier]:
    """Unfitted quantifiers by name.

    Parameters
    ----------
    configuration
        Which, and with which parameters.
    """
    quantifiers = {}
    for name in configuration.methods:
        quantifier = method(name)
        general: dict[str, Any] = {"seed": configuration.seed}
        if getattr(quantifier, "folds", 0):
            general["folds"] = configuration.folds
        elif configuration.intervals:
            general["folds"] = INTERVAL_FOLDS
        takes = quantifier.get_params()
        general = {key: value for key, value in general.items() if key in takes}
        own = configuration.parameters.get(name, {})
        _check_names(f"parameters.{name}", own, takes)
        quantifiers[name] = quantifier.set_params(**{**general, **own})
    return quantifiers


def make_vectorizer(configuration: Configuration) -> LtcVectorizer:
    """The vectorizer, not yet fitted.

    Parameters
    ----------
    configuration
        Its settings.
    """
    settings: dict[str, Any] = {
        name: None if value is False else value for name, value in configuration.vectorizer.items()
    }
    return LtcVectorizer(**settings)


def _keywords(function: Callable[..., Any]) -> set[str]:
    parameters = inspect.signature(function).parameters.values()
    return {p.name for p in parameters if p.name not in ("corpus", "path", "paths", "self")}


def _check_names(table: str, found: Iterable[str], known: Iterable[str]) -> None:
    of_table = f" of {table}" if table else ""
    for name in found:
        if name not in (known := sorted(known)):
            close = get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"choose one of {', '.join(known)}"
            raise ValueError(f"setting {name!r}{of_table} is unknown; {hint}")


def _check_type(name: str, value: Any, default: Any) -> None:
    wanted: type | tuple[type, ...]
    match name:
        case "corpus" | "data":
            kind, wanted = "text", str
        case "methods":
            kind, wanted = "a list of names", (list, tuple)
            if isinstance(value, wanted) and not all(isinstance(entry, str) for entry in value):
                value = None
        case "reader" | "split" | "vectorizer" | "parameters":
            kind, wanted = "a table", Mapping
        case "level":
            kind, wanted = "a number", (int, float)
        case _:
            kind, wanted = f"a value like {default!r}".lower(), type(default)
    if not isinstance(value, wanted) or (isinstance(value, bool) and wanted is not bool):
        raise ValueError(f"setting {name!r} is {value!r}; it must be {kind}")
