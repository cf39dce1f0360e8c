"""Two labels in every type that people have them in, and documents in every form."""

import datetime
import decimal
import enum
import fractions
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

N = 12
SECOND = np.arange(N) % 2  # documents with the second of both labels
_WORDS = np.array([1, 2, 1, 1, 2, 1, 2, 2, 1, 1, 2, 1])
X = np.column_stack([
    _WORDS * (SECOND == 0), _WORDS * SECOND, [1, 0, 0, 1, 1, 0, 0, 1, 2, 0, 1, 2]
])  # fmt: skip
BAG = [0, 1, 2, 4, 6]


class Mood(enum.Enum):
    BAD = 1
    GOOD = 2


class Grade(enum.IntEnum):
    BAD = 1
    GOOD = 2


class Word(enum.StrEnum):
    BAD = "bad"
    GOOD = "good"


@dataclass(frozen=True)
class Readable:
    """A y that can be read, and the classes that it has, the first before the second."""

    y: Any
    classes: list[Any]


@dataclass(frozen=True)
class Refused:
    """A y that cannot be read, and what is said of it."""

    y: Any
    message: str


def listed(first, second):
    return [(first, second)[i] for i in SECOND]


def objects(first, second):
    values = np.empty(N, object)
    for i, value in enumerate(listed(first, second)):
        values[i] = value
    return values


def _strings():
    no_yes = listed("no", "yes")
    ordered = pd.Categorical(no_yes, categories=["yes", "no"], ordered=True)
    unused = pd.Categorical(no_yes, categories=["maybe", "no", "yes"])
    forms = {
        "list": no_yes,
        "tuple": tuple(no_yes),
        "array": np.array(no_yes),
        "array of another byte order": np.array(no_yes).astype(">U3"),
        "array of objects": objects("no", "yes"),
        "array of any length": np.array(no_yes, np.dtypes.StringDType()),
        "array with strides": np.repeat(no_yes, 2)[::2],
        "pandas": pd.Series(no_yes),
        "pandas with an index": pd.Series(no_yes, index=[5] * N),
        "pandas string": pd.Series(no_yes, dtype="string"),
        "pandas of objects": pd.Series(no_yes, dtype=object),
        "pandas category": pd.Series(no_yes, dtype="category"),
        "pandas categories in order": ordered,
        "pandas categories without documents": unused,
        "pandas index": pd.Index(no_yes),
        "polars": pl.Series(no_yes),
        "polars categorical": pl.Series(no_yes, dtype=pl.Categorical),
        "polars enum": pl.Series(no_yes, dtype=pl.Enum(["yes", "no"])),
    }
    return {f"strings, {name}": Readable(y, ["no", "yes"]) for name, y in forms.items()}


def _pairs():
    """Lists and arrays of objects of two labels that can be read, and are what they were."""
    pairs = {
        "NumPy strings": (np.str_("no"), np.str_("yes")),
        "whole numbers": (1, 2),
        "negative numbers": (-5, -3),
        "numbers of both signs": (-1, 1),
        "numbers beyond those of a float": (2**53, 2**53 + 1),
        "numbers beyond those with a sign": (2**63, 2**63 + 1),
        "NumPy numbers": (np.int8(1), np.int8(2)),
        "booleans": (False, True),
        "NumPy booleans": (np.False_, np.True_),
        "whole floats": (1.0, 2.0),
        "huge floats": (1e300, 1e301),
        "a whole number and a float": (1, 2.0),
        "enum of strings": (Word.BAD, Word.GOOD),
        "enum of numbers": (Grade.BAD, Grade.GOOD),
        "NUL at the end": ("a", "a\0"),
        "nothing and NUL": ("", "\0"),
        "NULs": ("a\0", "b\0\0"),
        "NUL inside": ("a\0b", "a\0c"),
        "surrogates": ("a", "\ud800"),
        "very long": ("a" * 10_000 + "b", "a" * 10_000 + "c"),
        "nothing": ("", "a"),
        "blanks": (" ", "  "),
        "two forms of a letter": ("e\u0301", "\xe9"),
        "emoji": ("\U0001f600", "\U0001f601"),
        "line break": ("a", "a\n"),
        "another case": ("A", "a"),
        "markup": ("[/x]", "\x1b[31m"),
        "from right to left": ("א", "ב"),
        "named as missing": ("NaN", "None"),
    }
    pairs["markup"] = tuple(sorted(pairs["markup"]))
    for name, pair in pairs.items():
        yield name, Readable(listed(*pair), list(pair))
        yield f"{name}, objects", Readable(objects(*pair), list(pair))


def _columns():
    """Arrays and columns of types that only they have."""
    days = [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)]
    times = [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2)]
    as_days = np.array(listed(*days), "datetime64[D]")
    for dtype in ("i1", "u1", "i4", ">i4", "u8", "f2", "f4", "f8", "longdouble"):
        yield f"NumPy {dtype}", Readable(np.array(listed(1, 2), dtype), [1, 2])
    for dtype in ("Int64", "Float64", "UInt8", "int64[pyarrow]"):
        yield f"pandas {dtype}", Readable(pd.Series(listed(1, 2), dtype=dtype), [1, 2])
    yield "pandas boolean", Readable(pd.Series(listed(False, True), dtype="boolean"), [False, True])
    yield "pandas sparse", Readable(pd.Series(pd.arrays.SparseArray(SECOND)), [0, 1])
    yield "polars numbers", Readable(pl.Series(listed(1, 2)), [1, 2])
    yield "polars UInt64", Readable(pl.Series(listed(1, 2**63), dtype=pl.UInt64), [1, 2**63])
    yield "polars booleans", Readable(pl.Series(listed(False, True)), [False, True])
    yield "polars NUL", Readable(pl.Series(listed("a", "a\0")), ["a", "a\0"])
    yield "pandas NUL", Readable(pd.Series(listed("a", "a\0")), ["a", "a\0"])
    yield "polars days", Readable(pl.Series(listed(*days)), days)
    yield "NumPy days", Readable(as_days, days)
    yield "NumPy seconds", Readable(np.array(listed(1, 2), "m8[s]"), [
        datetime.timedelta(seconds=1), datetime.timedelta(seconds=2)
    ])  # fmt: skip
    yield "pandas times", Readable(pd.Series(listed(*times)).astype("datetime64[us]"), times)
    yield "a sparse column", Readable(sparse.coo_array(SECOND), [0, 1])
    yield "masked, without a mask", Readable(np.ma.array(SECOND, mask=[False] * N), [0, 1])


def _refused():
    utc = datetime.UTC
    pairs = {
        "bytes": (b"no", b"yes"),
        "NUL in bytes": (b"a", b"a\0"),
        "mutable bytes": (bytearray(b"a"), bytearray(b"b")),
        "complex numbers": (1j, 2j),
        "decimals": (decimal.Decimal(1), decimal.Decimal(2)),
        "fractions": (fractions.Fraction(1), fractions.Fraction(1, 2)),
        "enum": (Mood.BAD, Mood.GOOD),
        "days": (datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)),
        "a time with a zone": (datetime.datetime(2020, 1, 1), datetime.datetime.now(utc)),
        "durations": (datetime.timedelta(1), datetime.timedelta(2)),
        "sets": ({"a"}, {"b"}),
        "dictionaries": ({"a": 1}, {"a": 2}),
        "identifiers": (uuid.UUID(int=1), uuid.UUID(int=2)),
        "paths": (Path("a"), Path("b")),
        "types": (int, str),
        "objects": (object(), object()),
        "a number and a text": (1, "a"),
        "a number and the same as text": (1, "1"),
        "a boolean and the same as text": (True, "True"),
        "a boolean and a number": (True, 1),
        "a text and bytes": ("a", b"b"),
        "a list and a text": (["a"], "a"),
    }
    one_type = r"^y\[[01]\] is .*labels are strings, whole numbers or booleans, all of one type"
    for name, pair in pairs.items():
        yield name, Refused(listed(*pair), one_type)
        yield f"{name}, objects", Refused(objects(*pair), one_type)
    yield "NumPy bytes", Refused(np.array(listed(b"no", b"yes")), one_type)
    yield "records", Refused(np.array(listed((1, 2), (2, 3)), "i4,i4"), one_type)
    yield "pandas periods", Refused(pd.Series(pd.PeriodIndex(["2020-01"] * N, freq="M")), one_type)
    yield "pandas intervals", Refused(pd.cut(pd.Series(SECOND), [-1, 0, 1]), one_type)
    yield "polars bytes", Refused(pl.Series(listed(b"no", b"yes")), one_type)
    yield "polars structs", Refused(pl.Series(listed({"a": 1}, {"a": 2})), one_type)
    yield "polars clock", Refused(pl.Series(listed(datetime.time(1), datetime.time(2))), one_type)
    yield "tuples, objects", Refused(objects(("a", 1), ("b", 2)), one_type)

    beyond = r"^y\[1\] is 1.*, a number beyond 64 bits; make strings"
    yield "numbers beyond all", Refused(listed(10**30, 10**30 + 1), beyond)
    yield "a number beyond others", Refused(objects(1, 10**30), beyond)
    yield "polars Int128", Refused(pl.Series(listed(1, 10**30), dtype=pl.Int128), beyond)
    whole = r"^y\[[01]\] is .*: labels are names, and of numbers only whole ones"
    yield "numbers with fractions", Refused(listed(1, 1.5), whole)
    yield "NumPy fractions", Refused(np.array(listed(0.5, 1.5)), whole)
    yield "infinite numbers", Refused(listed(0.0, float("inf")), whole)

    missing = r"^y\[1\] is (None|nan|NaN|NaT|<NA>|--): that document has no label"
    for lacking in (None, float("nan"), np.nan, pd.NA, pd.NaT, np.datetime64("NaT")):
        yield f"{lacking!r} among texts", Refused(listed("a", lacking), missing)
        yield f"{lacking!r} among numbers", Refused(objects(1, lacking), missing)
    yield "NumPy NaN", Refused(np.array(listed(1.0, np.nan)), missing)
    yield "NumPy NaT", Refused(np.array(listed("2020-01-01", "NaT"), "datetime64[D]"), missing)
    yield "masked", Refused(np.ma.array(SECOND, mask=SECOND), missing)
    for dtype in ("string", "category", "Int64", "datetime64[ns]"):
        yield f"pandas {dtype} without", Refused(pd.Series([1, None] * 6, dtype=dtype), missing)
    yield "polars without", Refused(pl.Series(listed("a", None)), missing)
    yield (
        "polars categorical without",
        Refused(pl.Series(listed("a", None), dtype=pl.Categorical), missing),
    )

    columns = r"^y has two dimensions, so each column is a label and holds only 0 and 1"
    yield "tuples", Refused(listed(("a", 1), ("b", 2)), columns)
    yield "lists of texts", Refused(listed(["a", "b"], ["c", "d"]), columns)
    yield "a column of texts", Refused(np.array(listed("a", "b"))[:, None], columns)
    yield "columns of counts", Refused(np.array(listed([1, 2], [2, 0])), columns)
    yield "sparse counts", Refused(sparse.csr_array(listed([0, 2], [2, 0])), columns)
    yield "a data frame of texts", Refused(pd.DataFrame({"a": listed("a", "b")}), columns)
    yield "a polars frame of texts", Refused(pl.DataFrame({"a": listed("a", "b")}), columns)
    uneven = "^y has lists of labels, not all of one length"
    yield "uneven lists", Refused(listed(["a"], ["a", "b"]), uneven)
    yield "polars lists", Refused(pl.Series(listed(["a"], ["a", "b"])), uneven)
    yield "lists within lists", Refused(listed([["a"]], [["b"]]), "^y has 3 dimensions")
    yield "three dimensions", Refused(np.zeros((N, 2, 2)), "^y has 3 dimensions")

    no_column = "^y is of the type .*; give a list, an array or a column"
    yield "a text", Refused("ab" * 6, no_column)
    yield "a number", Refused(7, no_column)
    yield "an array of no dimension", Refused(np.array("a"), no_column)
    yield "a set", Refused(set(range(N)), no_column)
    yield "a dictionary", Refused(dict(enumerate(listed("a", "b"))), no_column)
    yield "a lazy frame", Refused(pl.LazyFrame({"a": SECOND}), no_column)
    yield "an expression", Refused(pl.col("a"), no_column)
    yield "none at all", Refused([], "^y is empty")
    yield "too few", Refused(listed("a", "b")[:5], "^X has 12 documents but y has labels for 5")
    yield "too many", Refused(listed("a", "b") * 2, "^X has 12 documents but y has labels for 24")


READABLE = {**_strings(), **dict(_pairs()), **dict(_columns())}
REFUSED = dict(_refused())

_INDICATORS = np.column_stack([SECOND, 1 - SECOND])
MULTILABEL = {
    "lists": Readable(_INDICATORS.tolist(), [0, 1]),
    "array": Readable(_INDICATORS, [0, 1]),
    "booleans": Readable(_INDICATORS == 1, [0, 1]),
    "floats": Readable(_INDICATORS.astype(float), [0, 1]),
    "objects": Readable(_INDICATORS.astype(object), [0, 1]),
    "CSR": Readable(sparse.csr_array(_INDICATORS), [0, 1]),
    "COO": Readable(sparse.coo_matrix(_INDICATORS), [0, 1]),
    "pandas": Readable(pd.DataFrame(_INDICATORS, columns=["a", "b"]), ["a", "b"]),
    "polars": Readable(pl.DataFrame(_INDICATORS, ["a", "b"], orient="row"), ["a", "b"]),
}

FORMS = {
    "CSR": lambda X: sparse.csr_matrix(X, dtype=float),
    "CSR array": lambda X: sparse.csr_array(X, dtype=float),
    "CSC": lambda X: sparse.csc_matrix(X, dtype=float),
    "COO array": lambda X: sparse.coo_array(X, dtype=float),
    "CSR, whole numbers": sparse.csr_array,
    "CSR, float32": lambda X: sparse.csr_array(X, dtype=np.float32),
    "CSR, long indices": lambda X: _long(sparse.csr_array(X, dtype=float)),
    "dense": lambda X: np.asarray(X, float),
    "dense, whole numbers": np.asarray,
    "dense, float32": lambda X: np.asarray(X, np.float32),
    "dense, by columns": lambda X: np.asfortranarray(X, float),
    "lists": lambda X: np.asarray(X, float).tolist(),
    "pandas": lambda X: pd.DataFrame(X, columns=list("abc"), dtype=float),
    "polars": lambda X: pl.DataFrame(np.asarray(X, float), list("abc"), orient="row"),
}
"""Documents, or some of them, as a quantifier takes them."""


def _long(X):
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def as_texts(X):
    """The same documents as texts: a word as often as its column says."""
    return [" ".join(["great"] * a + ["awful"] * b + ["service"] * c) for a, b, c in X.tolist()]
