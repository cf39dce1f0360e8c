"""Model files, taken apart, changed and put together again.

``python -m tests.support.fuzz_modelfile 2000`` loads so many changed files in a process with
limits; it fails at the first that is not refused by `ModelFileError` and gives no estimate either,
takes more than 5 seconds of processor time or more than 1 GB. Half of them carry a valid checksum,
as an attacker's would.
"""

import faulthandler
import hashlib
import io
import json
import random
import resource
import struct
import sys
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

SECONDS, BYTES = 5, 2**30
WORDS = ["battery", "screen", "sound", "price", "good", "bad", "broken", "loud", "cheap", "dear"]


@dataclass(frozen=True)
class Parts:
    """A model file in parts; the format is written down here once more, from its description."""

    manifest: dict[str, Any]
    blocks: dict[str, bytes]  # uncompressed, by the name of the member

    def pack(self) -> bytes:
        """The file, with a valid checksum."""
        return pack([("manifest.json", json.dumps(self.manifest).encode()), *self.blocks.items()])

    def changed(self, name: str, values: Any) -> "Parts":
        """Parts with other values for an array or words, which the manifest declares."""
        if name.endswith(".txt"):
            entry, block = {"words": len(values)}, "".join(f"{word}\n" for word in values).encode()
        else:
            entry, block = {"dtype": values.dtype.str, "shape": list(values.shape)}, npy(values)
        arrays = self.manifest["arrays"] | {name: entry}
        return Parts(self.manifest | {"arrays": arrays}, self.blocks | {name: block})

    def described(self, *keys: str, value: Any) -> "Parts":
        """Parts with another value at these keys of the manifest."""
        manifest = inner = json.loads(json.dumps(self.manifest))
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = value
        return replace(self, manifest=manifest)


def pack(members: Sequence[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A file of these members, with a valid checksum."""
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", method) as archive:
        warnings.simplefilter("ignore")  # of names that are there twice: that is what is meant
        for name, data in members:
            archive.writestr(name, data)
        archive.comment = b"sha256 " + b"0" * 64
    return sign(file.getvalue())


def sign(data: bytes) -> bytes:
    """The same file with a valid checksum."""
    return data[:-64] + hashlib.sha256(data[:-64]).hexdigest().encode()


def take_apart(data: bytes) -> Parts:
    """Parts of a valid file."""
    assert sign(data) == data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        blocks = {name: archive.read(name) for name in archive.namelist()}
    return Parts(json.loads(blocks.pop("manifest.json")), blocks)


def npy(values: Any) -> bytes:
    """Bytes of an array as NumPy writes them, with Python objects too."""
    file = io.BytesIO()
    np.save(file, values, allow_pickle=True)
    return file.getvalue()


Fuzz = Callable[[random.Random, bytes], bytes]


def flip_bits(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8, 64])):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def cut(rng: random.Random, data: bytes) -> bytes:
    return data[: rng.randrange(len(data))]


def grow(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + rng.randbytes(rng.choice([1, 7, 1000])) + data[at:]


def repeat(rng: random.Random, data: bytes) -> bytes:
    start, end = sorted(rng.randrange(len(data)) for _ in range(2))
    return data[:end] + data[start:end] + data[end:]


def sign_again(fuzz: Fuzz) -> Fuzz:
    """The same change, under a valid checksum."""

    def signed(rng: random.Random, data: bytes) -> bytes:
        return sign(fuzz(rng, data[:-64]) + bytes(64))

    return signed


HOSTILE = [
    None, True, False, 0, 1, -1, 2, 3, 7, 2**31, 2**63, 2**64, 10**30, -(2**63), 0.5, -0.0, 1e308,
    "", "a", "C", "F", "|O", "<U999999999", "<M8", "<f8", "|b1", "words", "../../etc/passwd",
    "user:x", "\ud800", "x" * 10_000, "Pipeline", "ThresholdCount", "StructuralSVM", "MedianSweep",
    "multiclass", "multilabel", "binary", [], [[]], [1], [2**40, 2**40], [-1, 5], ["a", "a"], {},
    {"type": "eval", "params": {}}, {"a": {"b": {}}}, {"array": "y"}, {"array": "out_of_fold"},
    {"tuple": [1.0]}, {"tuple": [0.0, 0.0, 0.0]}, {"dtype": "<U1", "values": ["a", "b"]},
    {"csr_array": "y", "shape": [2, 2]}, {"type": "ModelScorer", "fields": {"models": [1.0]}},
    {"type": "ModelScorer", "fields": {"models": {"tuple": [1.0]}}},
    {"type": "TrainingScores", "fields": {}}, {"type": "Popen", "fields": {"args": "true"}},
]  # fmt: skip


def places(value: Any) -> list[tuple[Any, Any]]:
    """All (container, key) of a JSON value."""
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    return [place for key in keys for place in [(value, key), *places(value[key])]]


def change_manifest(rng: random.Random, data: bytes) -> bytes:
    parts = take_apart(data)
    manifest = json.loads(json.dumps(parts.manifest))
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        container, key = rng.choice(places(manifest))
        match rng.randrange(4):
            case 0:
                del container[key]
            case 1 if isinstance(container, dict):
                container[rng.choice(["arrays", "__class__", "n_jobs", "type"])] = container[key]
            case 2:
                other, its_key = rng.choice(places(manifest))
                container[key] = json.loads(json.dumps(other[its_key]))
            case _:
                container[key] = rng.choice(HOSTILE)
        if not places(manifest):
            break
    return replace(parts, manifest=manifest).pack()


def change_text(rng: random.Random, data: bytes) -> bytes:
    parts = take_apart(data)
    text = json.dumps(parts.manifest)
    at = rng.randrange(len(text))
    piece = rng.choice(
        ["[" * 100_000, '{"a":' * 50_000, "1" * 5000, "NaN", "Infinity", "1e999", '"', "}", ",",
         '"arrays":{},', "[]," * 100_000, " " * 2**23]
    )  # fmt: skip
    changed = (text[:at] + piece + text[at + rng.randrange(3) :]).encode()
    return pack([("manifest.json", changed), *parts.blocks.items()])


def change_block(rng: random.Random, data: bytes) -> bytes:
    """Other bytes in a member."""
    parts = take_apart(data)
    name = rng.choice(list(parts.blocks))
    block = bytearray(parts.blocks[name])
    start = 128 if name.endswith(".npy") and rng.random() < 0.7 else 0  # NumPy's header
    match rng.randrange(5):
        case 0:
            block[start:] = rng.randbytes(len(block) - start)
        case 1 if len(block) >= start + 8:
            number = rng.choice([np.nan, np.inf, 1e308, 1e99, -1e99, 5e-324, -0.0])
            at = start + 8 * rng.randrange((len(block) - start) // 8)
            block[at : at + 8] = struct.pack("<d", number)
        case 2:
            del block[rng.randrange(len(block)) :]
        case 3:
            block[start:] = block[start:] * rng.choice([2, 3, 1000])
        case _:
            block[start:] = flip_bits(rng, bytes(block[start:]) or b"\0")
    return replace(parts, blocks=parts.blocks | {name: bytes(block)}).pack()


def change_array(rng: random.Random, data: bytes) -> bytes:
    """Another array, which is declared as it is."""
    parts = take_apart(data)
    name = rng.choice([name for name in parts.blocks if name.endswith(".npy")])
    values = np.load(io.BytesIO(parts.blocks[name]))
    match rng.randrange(7):
        case 0:
            values = values.T
        case 1:
            values = values.astype(rng.choice(["<f4", "<i4", "<i8", "|b1", "|u1", "<f2", ">f8"]))
        case 2:
            values = np.repeat(values, rng.choice([0, 2, 3]), axis=rng.randrange(values.ndim))
        case 3:
            values = values[..., None] if rng.random() < 0.5 else values.reshape(-1)
        case 4:
            values = values[: rng.randrange(len(values) + 1)]
        case 5:
            values = values.astype(object)
        case _:
            values = np.asfortranarray(values)[:, ::-1] if values.ndim > 1 else values * 0
    return parts.changed(name, values).pack()


def bomb(rng: random.Random, data: bytes) -> bytes:
    """A member that expands a thousandfold, declared or not."""
    parts = take_apart(data)
    name = rng.choice(list(parts.blocks))
    size = rng.choice([10**6, 10**8, 2 * 10**8])
    if name.endswith(".txt"):
        block = rng.choice([b"\n", b"a\n", b"a"]) * (size // 2)
        entry: dict[str, Any] = {"words": block.count(b"\n")}
    else:
        entry = json.loads(json.dumps(parts.manifest["arrays"][name]))
        length = rng.choice([size // 8, 10**12, 2**63, 2**70])
        header = io.BytesIO()
        entry["shape"][rng.randrange(len(entry["shape"]))] = length
        np.lib.format.write_array_header_1_0(
            header,
            {"descr": entry["dtype"], "fortran_order": False, "shape": tuple(entry["shape"])},
        )
        block = header.getvalue() + bytes(size)
    declared = parts.manifest["arrays"] | ({name: entry} if rng.random() < 0.7 else {})
    blocks = parts.blocks | {name: block}
    packed = replace(parts, manifest=parts.manifest | {"arrays": declared}, blocks=blocks).pack()
    if rng.random() < 0.3:  # announces less than it is
        return packed.replace(struct.pack("<I", len(block)), struct.pack("<I", 200))
    return packed


def many_classes(rng: random.Random, data: bytes) -> bytes:
    """A small file that is all consistent, of very many classes."""
    parts = take_apart(data)
    n, m = rng.choice([1, 3, 100]), rng.choice([1000, 4000, 30_000, 10**6])
    if n * m > 10**7:
        n = 1
    y = np.zeros((n, m), np.bool_)
    y[:, 0] = True
    parts = parts.changed("y.npy", y)
    if "out_of_fold.npy" in parts.blocks:
        parts = parts.changed("out_of_fold.npy", np.zeros((n, m)))
    if "scorer.coef.npy" in parts.blocks:
        d = parts.manifest["arrays"]["scorer.coef.npy"]["shape"][0]
        parts = parts.changed("scorer.coef.npy", np.zeros((d, m)))
        parts = parts.changed("scorer.intercept.npy", np.zeros(m))
    scores = parts.manifest["model"]["quantifier"]["scores"]
    values = scores["fields"] | {
        "kind": rng.choice(["multiclass", "multilabel"]),
        "classes": {"dtype": "|O", "values": [0] * m},
    }
    if "scorer.coef.npy" not in parts.blocks:
        models = {"tuple": [0.0] * m}
        values["scorer"] = {"type": "ModelScorer", "fields": {"models": models}}
    return parts.described("model", "quantifier", "scores", "fields", value=values).pack()


def exchange(rng: random.Random, data: bytes) -> bytes:
    parts = take_apart(data)
    first, second = rng.sample(list(parts.blocks), 2)
    entries = parts.manifest["arrays"]
    swapped = entries | {first: entries[second], second: entries[first]}
    blocks = parts.blocks | {first: parts.blocks[second], second: parts.blocks[first]}
    return Parts(parts.manifest | {"arrays": swapped}, blocks).pack()


def odd_members(rng: random.Random, data: bytes) -> bytes:
    """A sound zip, but of other members than a model file has."""
    parts = take_apart(data)
    members = [("manifest.json", json.dumps(parts.manifest).encode()), *parts.blocks.items()]
    match rng.randrange(5):
        case 0:
            members.append(rng.choice(members))
        case 1:
            name = rng.choice(["../x", "/etc/passwd", "folder/", "é.npy", "x.py", "y.pkl"])
            members.insert(rng.randrange(len(members) + 1), (name, b"x"))
        case 2:
            rng.shuffle(members)
        case 3:
            del members[rng.randrange(len(members))]
        case _:
            method = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
            return pack(members, method)
    return pack(members)


def odd_zip(rng: random.Random, data: bytes) -> bytes:
    """Another number in a field of the zip's own headers, in one place or in both."""
    parts = take_apart(data)
    changed = bytearray(parts.pack())
    end = len(changed) - 71 - 22
    with zipfile.ZipFile(io.BytesIO(changed)) as archive:
        start, entries = archive.start_dir, archive.infolist()
    if rng.random() < 0.2:
        at, width = rng.choice([(4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)])
        spots = [(end + at, width)]
    else:
        i = rng.randrange(len(entries))
        entry = start + sum(46 + len(own.filename) for own in entries[:i])
        at, width = rng.choice(
            [(4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 4), (24, 4), (28, 2), (30, 2),
             (32, 2), (34, 2), (36, 2), (38, 4), (42, 4), (46, 1)]
        )  # fmt: skip
        spots = [(entry + at, width)]
        if 6 <= at < 32 and rng.random() < 0.7:
            spots.append((entries[i].header_offset + at - 2, width))
    old = int.from_bytes(changed[spots[0][0] : spots[0][0] + spots[0][1]], "little")
    value = rng.choice([0, 1, 2, 8, 20, 64, old - 1, old + 1, entries[-1].header_offset, 2**32 - 1])
    for spot, width in spots:
        changed[spot : spot + width] = (value % 256**width).to_bytes(width, "little")
    if rng.random() < 0.1:
        changed[:0] = rng.choice([b"#!/bin/sh\n", bytes(changed)])
    return sign(bytes(changed))


BLIND: list[Fuzz] = [flip_bits, cut, grow, repeat]
KNOWING: list[Fuzz] = [
    sign_again(flip_bits), sign_again(cut), sign_again(grow), sign_again(repeat), odd_members,
    odd_zip, odd_zip, change_manifest, change_manifest, change_manifest, change_manifest,
    change_text, change_block, change_block, change_array, change_array, bomb, many_classes,
    exchange,
]  # fmt: skip


def seeds(folder: Path) -> list[bytes]:
    """Valid files of all kinds of model."""
    from sklearn.pipeline import make_pipeline

    from quantext.models.methods import METHODS
    from quantext.models.save import save
    from quantext.models.textquantifier import TextQuantifier
    from quantext.vectors.ltc import LtcVectorizer

    rng = random.Random(0)
    texts = [" ".join(rng.choices(WORDS, k=5)) for _ in range(40)]
    classes = [min(WORDS.index(text.split()[0]), 2) for text in texts]
    several = np.array([[word in text.split() for word in WORDS[:3]] for text in texts])
    files = []
    for i, method in enumerate(METHODS.values()):
        quantifier = method.make()
        if "folds" in quantifier.get_params():
            quantifier.set_params(folds=3 if i % 2 or quantifier.folds else 0)
        labels = [np.array(classes) == 1, np.array(["a", "b", "c"])[classes], several][i % 3]
        vectorizer = LtcVectorizer(stop_words=None if i % 2 else ["the", "and"])
        match i % 4:
            case 0:
                model = make_pipeline(vectorizer, quantifier).fit(texts, labels)
            case 1:
                model = quantifier.fit(vectorizer.fit_transform(texts), labels)
            case _:
                model = TextQuantifier(quantifier, vectorizer).fit(texts, labels)
        about = {"text": ["answer"], "label": "topic", "known_share": 0.9} if i % 2 else None
        save(model, folder / "seed.qx", about=about)
        files.append((folder / "seed.qx").read_bytes())
    for model in proxy_models(texts, classes, several):
        save(model, folder / "seed.qx")
        files.append((folder / "seed.qx").read_bytes())
    return files


def proxy_models(texts: list[str], classes: list[int], several: Any) -> list[Any]:
    """Models that read what others say: labels alone, numbers beside them, several labels."""
    from quantext.models.proxy import train_proxy
    from quantext.texts.answers import join_answers
    from quantext.texts.corpus import Corpus

    labels = pl.Series([text.split()[1] for text in texts])
    numbers = pl.Series([len(text) / 7 for text in texts])
    one = pl.Series(np.array(["a", "b", "c"])[classes])
    some = pl.Series([[w for w, h in zip("abc", has, strict=True) if h] for has in several])
    return [
        train_proxy(Corpus("gold", join_answers(said), truth), names, folds=3).model
        for said, truth, names in (
            ([labels], one, ["model"]),
            ([labels, numbers], one, ["model", "score"]),
            ([some], some, ["model"]),
        )
    ]


def try_file(path: Path) -> bool:
    """Whether the file loads, and then gives an estimate."""
    from quantext.models.save import ModelFileError, load

    try:
        model = load(path)
    except ModelFileError:
        return False
    if hasattr(getattr(model, "vectorizer_", None), "answers_"):
        columns = model.vectorizer_.columns_
        estimate = model.predict({name: ["0.5", None, "1"] for name in columns})
    elif hasattr(model, "vectorizer_") or hasattr(model, "steps"):
        estimate = model.predict(["good battery", "loud and dear", ""])
    else:
        # One that was fitted to scores need not know the number.
        estimate = model.predict(np.ones((3, getattr(model, "n_features_in_", len(WORDS)))))
    assert estimate.shape == (len(model.classes_),)
    assert ((estimate >= 0) & (estimate <= 1)).all(), estimate
    return True


def run(n: int, seed: int) -> str:
    """Load n changed files; a sentence that says how it went."""
    warnings.simplefilter("ignore")  # of numbers that overflow: the files are absurd
    with tempfile.TemporaryDirectory() as folder:
        files, path = seeds(Path(folder)), Path(folder) / "fuzz.qx"
        for data in files:
            path.write_bytes(data)
            assert try_file(path)
        before = peak_memory()
        # Address space is what a limit can be set on; what is mapped already does not count.
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (mapped + BYTES, mapped + BYTES))
        loaded = 0
        for i in range(n):
            rng = random.Random(f"{seed} {i}")
            fuzz = rng.choice(KNOWING if i % 2 else BLIND)
            path.write_bytes(fuzz(rng, rng.choice(files)))
            try:
                with hurried():
                    loaded += try_file(path)
            except BaseException:
                print(f"file {i} of seed {seed}, by {fuzz.__qualname__}", file=sys.stderr)
                raise
    grown = (peak_memory() - before) / 2**20
    return f"{n} files: {n - loaded} refused, {loaded} loaded; at most {grown:.0f} MB more memory"


@contextmanager
def hurried() -> Iterator[None]:
    """Inside, no more than some seconds of processor time are taken.

    By the clock it may be many more, as other processes may want the processors too.
    """
    faulthandler.dump_traceback_later(12 * SECONDS, exit=True)
    start = time.process_time()
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
    if (spent := time.process_time() - start) > SECONDS:
        raise TimeoutError(f"it took {spent:.1f} s of processor time")


def peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    print(run(int(sys.argv[1]), seed=int(sys.argv[2]) if len(sys.argv) > 2 else 0))
