"""Model files that are well-formed and validly signed, but inconsistent: each field in turn.

A field of the manifest gets another value, or an array other numbers, and the file is declared and
signed as it is. It must be refused, or give shares and intervals that are some.
"""

import copy
import random
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tests.support.fuzz_children import Attack, WrongAnswerError
from tests.support.fuzz_modelfile import Parts, seeds, take_apart, try_file

NUMBERS: list[Any] = [
    -1, 0, 1, 2, 3, 17, 10**6, 10**9, 2**31, 2**32, 2**63 - 1, 2**63, 10**30, -(2**63), 0.5, 1.5,
    -0.0, 1e-320, 1e99, 1e300, float("nan"), float("inf"), float("-inf"), True, "1", None, [], {},
    [1], "x",
]  # fmt: skip
STRINGS: list[Any] = [
    "", "x", "a" * 10**5, "\0", "\n", "../../x", "__class__", "NaN", "é", "\ud800", "<f8", "|O",
    "linear", "user:x", "y.npy", 0, None, True, [], {}, "binary", "multiclass", "multilabel",
]  # fmt: skip


def prepare(folder: Path) -> None:
    """Valid files of all kinds of model."""
    for number, data in enumerate(seeds(folder)):
        (folder / f"{number:03}").write_bytes(data)
    (folder / "seed.qx").unlink()


@cache
def files(folder: Path) -> list[Parts]:
    return [take_apart(path.read_bytes()) for path in sorted(folder.iterdir())]


@cache
def fields(folder: Path) -> list[tuple[int, tuple[Any, ...]]]:
    """Files and places in them: first each kind of place once, then all of them."""
    places = [
        (number, place)
        for number, parts in enumerate(files(folder))
        for place in [*walk(parts.manifest), *((name,) for name in parts.blocks)]
    ]
    places.sort(key=lambda own: repr(own[1]))
    random.Random(0).shuffle(places)
    first: dict[tuple[Any, ...], tuple[int, tuple[Any, ...]]] = {}
    for own in places:
        first.setdefault(own[1], own)
    chosen = set(first.values())
    return [*first.values(), *(own for own in places if own not in chosen)]


def walk(value: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Places in JSON, those of long lists only at their ends."""
    if isinstance(value, dict):
        keys: list[Any] = list(value)
    elif isinstance(value, list):
        keys = [0, len(value) - 1] if len(value) > 1 else list(range(len(value)))
    else:
        return []
    return [place for key in keys for place in [(*above, key), *walk(value[key], (*above, key))]]


def warm(folder: Path) -> None:
    """Load all kernels: those of learning again, and of estimating."""
    from quantext.models.save import load

    for path in sorted(folder.iterdir()):
        load(path)
    fields(folder)


def another(rng: random.Random, value: Any, manifest: dict[str, Any]) -> Any:
    """Another value for a field."""
    if rng.random() < 0.2:  # one from elsewhere in the file
        place: Any = manifest
        for key in rng.choice(walk(manifest)):
            place = place[key]
        return copy.deepcopy(place)
    if isinstance(value, bool):
        return rng.choice([not value, 0, 1, "true", None])
    if isinstance(value, int | float):
        near = [value + 1, value - 1, -value, value * 2, value / 2, float(value), str(value)]
        return rng.choice(near if rng.random() < 0.4 else NUMBERS)
    if isinstance(value, list) and value:
        return rng.choice(
            [value[:-1], value[1:], value[::-1], value * 2, [], [value[0]] * len(value),
             [*value, value[-1]], [*value, None], value * 1000, [value], dict(enumerate(value)),
             [None] * len(value), [[own] for own in value], rng.choice(STRINGS + NUMBERS)]
        )  # fmt: skip
    if isinstance(value, dict) and value:
        key = rng.choice(list(value))
        rest = {own: value[own] for own in value if own != key}
        return rng.choice(
            [{}, rest, value | {"n_jobs": 1}, value | {key: None}, [*value], value | {key: value},
             rest | {f"{key}x": value[key]}, None, rng.choice(STRINGS + NUMBERS)]
        )  # fmt: skip
    return rng.choice(STRINGS if rng.random() < 0.8 else NUMBERS)


def other_words(rng: random.Random, words: list[str]) -> list[str]:
    return rng.choice(
        [words[:-1], words[::-1], words * 2, [], [*words[:-1], words[0]], [*words[:-1], ""],
         [*words[:-1], "a b"], [*words[:-1], "\0"], [*words[:-1], "w" * 10**6], words[1:]]
    )  # fmt: skip


def other_numbers(rng: random.Random, values: Any, parts: Parts) -> Any:
    """Another array."""
    kind = rng.randrange(11)
    values = np.array(values)
    flat = values.reshape(-1)
    huge = [np.nan, np.inf, -np.inf, 1e99, -1e99, 1e308, -1.0, 5e-324, 0.5]
    if kind <= 2 and values.size:  # at one place
        at = rng.randrange(values.size)
        whole = values.dtype.kind in "iu"
        limits = np.iinfo(values.dtype) if whole else None
        numbers = [limits.min, limits.max, -1, 0, values.max() + 1] if limits else huge
        with np.errstate(all="ignore"):
            flat[at] = np.array(rng.choice(numbers)).astype(values.dtype)
        return values
    if kind == 3:
        return np.full_like(values, rng.choice([0, 1]))
    if kind == 4:
        return np.full_like(values, rng.choice(huge)) if values.dtype.kind == "f" else values[::-1]
    if kind == 5:
        return values.astype(rng.choice(["<f4", "<f8", "<i4", "<i8", "|b1", "|u1", "<f2", ">f8"]))
    if kind == 6 and values.size:
        axis = rng.randrange(values.ndim)
        return np.take(values, [*range(values.shape[axis]), 0][rng.randrange(2) * 2 :], axis=axis)
    if kind == 7:
        return rng.choice([values.T, values[None], values.reshape(-1), -values.astype("<f8")])
    if kind == 8:
        name = rng.choice([own for own in parts.blocks if own.endswith(".npy")])
        return decoded(parts, name)
    if kind == 9:
        scale = rng.choice([1e-300, 1e-12, 1e12, 1e90, -1.0])
        return values * scale if values.dtype.kind == "f" else values[:0]
    rng_array = np.random.default_rng(rng.randrange(2**32))
    return rng_array.permutation(flat).reshape(values.shape)


def decoded(parts: Parts, name: str) -> Any:
    import io

    if name.endswith(".txt"):
        return parts.blocks[name].decode().split("\n")[:-1]
    return np.load(io.BytesIO(parts.blocks[name]))


def attacked(number: int, rng: random.Random, folder: Path) -> bytes:
    places = fields(folder)
    which, place = places[number % len(places)]
    parts = files(folder)[which]
    if len(place) == 1 and place[0] in parts.blocks:
        [name] = place
        if rng.random() < 0.1:  # not there, and not declared
            print(f"file {which}: no {name}", file=sys.stderr)
            left = {own: entry for own, entry in parts.manifest["arrays"].items() if own != name}
            blocks = {own: data for own, data in parts.blocks.items() if own != name}
            return Parts(parts.manifest | {"arrays": left}, blocks).pack()
        old = decoded(parts, name)
        change = other_words if name.endswith(".txt") else None
        new = change(rng, old) if change else other_numbers(rng, old, parts)
        print(f"file {which}: {name} is {str(new)[:300]}", file=sys.stderr)
        if name.endswith(".npy") and isinstance(new, list):
            return parts.pack()
        return parts.changed(name, new).pack()
    manifest = copy.deepcopy(parts.manifest)
    inner: Any = manifest
    for key in place[:-1]:
        inner = inner[key]
    if rng.random() < 0.1:
        print(f"file {which}: no {place}", file=sys.stderr)
        del inner[place[-1]]
    else:
        new = another(rng, inner[place[-1]], parts.manifest)
        old, inner[place[-1]] = inner[place[-1]], new
        print(f"file {which}: {place} is {new!r:.300}, was {old!r:.100}", file=sys.stderr)
    return Parts(manifest, parts.blocks).pack()


def strike(number: int, rng: random.Random, folder: Path, own: Path) -> bool:
    path = own / "model.qx"
    path.write_bytes(attacked(number, rng, folder))
    try:
        loaded = try_file(path)
    except AssertionError as error:
        raise WrongAnswerError(f"no shares: {error}") from error
    if loaded:
        try_interval(path)
    return loaded


def try_interval(path: Path) -> None:
    """Ask for an interval, which is one, or is refused as of any such model."""
    from quantext.models.save import load

    model = load(path)
    quantifier = getattr(model, "quantifier_", None)
    if quantifier is None or hasattr(model.vectorizer_, "answers_"):
        return
    low, high = model.predict_interval(["good battery", "loud and dear", "bad"], replicates=50)
    if not ((low >= 0) & (low <= high) & (high <= 1)).all():
        raise WrongAnswerError(f"no interval: {low} to {high}")


ATTACK = Attack(prepare, warm, strike)
