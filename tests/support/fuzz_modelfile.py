"""Model files, taken apart, changed and put together again.

``python -m tests.support.fuzz_modelfile 2000`` loads so many changed files in a process with
limits; it fails at the first that is not refused by `ModelFileError` and gives no estimate either,
takes more than 5 seconds or more than 1 GB. Half of them carry a valid checksum, as an attacker's
would.
"""

import faulthandler
import hashlib
import json
import random
import resource
import struct
import sys
import tempfile
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

HEADER = struct.Struct("<8sII")
SECONDS, BYTES = 5, 2**30
WORDS = ["battery", "screen", "sound", "price", "good", "bad", "broken", "loud", "cheap", "dear"]


@dataclass(frozen=True)
class Parts:
    """A model file in parts; the format is written down here once more, from its description."""

    manifest: dict[str, Any]
    blocks: dict[str, bytes]  # uncompressed, by name
    version: int = 1
    magic: bytes = b"\x93QXMODEL"

    def pack(self, *, sizes: bool = True) -> bytes:
        """The file, with a valid checksum; its sizes are put right if asked for."""
        stored = {name: zlib.compress(block) for name, block in sorted(self.blocks.items())}
        manifest = json.loads(json.dumps(self.manifest))
        if sizes:
            for name, block in stored.items():
                manifest["arrays"].setdefault(name, {})
                manifest["arrays"][name]["stored"] = len(block)
                manifest["arrays"][name]["size"] = len(self.blocks[name])
        return self.sign(json.dumps(manifest).encode(), stored)

    def sign(self, manifest: bytes, stored: dict[str, bytes]) -> bytes:
        """The file of a manifest's bytes and compressed blocks."""
        header = HEADER.pack(self.magic, self.version, len(manifest))
        content = header + manifest + b"".join(stored.values())
        return content + hashlib.sha256(content).digest()


def take_apart(data: bytes) -> Parts:
    """Parts of a valid file."""
    magic, version, length = HEADER.unpack(data[: HEADER.size])
    at = HEADER.size + length
    manifest = json.loads(data[HEADER.size : at])
    blocks = {}
    for name, entry in manifest["arrays"].items():
        blocks[name] = zlib.decompress(data[at : at + entry["stored"]])
        at += entry["stored"]
        entry["stored"] = len(zlib.compress(blocks[name]))  # as it will be put together again
    assert data[at:] == hashlib.sha256(data[:at]).digest()
    return Parts(manifest, blocks, version, magic)


def planes(numbers: Any) -> bytes:
    """Bytes of an array of floats as a file holds them."""
    numbers = np.asarray(numbers, "<f8").ravel()
    return numbers.view(np.uint8).reshape(-1, 8).T.tobytes()


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
        changed = fuzz(rng, data[:-32])
        return changed + hashlib.sha256(changed).digest()

    return signed


def change_header(rng: random.Random, data: bytes) -> bytes:
    parts = take_apart(data)
    text = json.dumps(parts.manifest).encode()
    length = rng.choice([0, 1, len(text) - 1, len(text) + 1, 2**23, 2**23 + 1, 2**32 - 1])
    content = HEADER.pack(parts.magic, rng.choice([0, 1, 1, 1, 2, 2**31]), length) + text
    content += b"".join(map(zlib.compress, parts.blocks.values()))
    return content + hashlib.sha256(content).digest()


HOSTILE = [
    None, True, False, 0, 1, -1, 2, 3, 7, 2**31, 2**63, 2**64, 10**30, -(2**63), 0.5, -0.0, 1e308,
    "", "a", "C", "F", "|O", "<U999999999", "<M8", "float64", "bits", "words", "../../etc/passwd",
    "user:x", "\ud800", "x" * 10_000, "Pipeline", "ThresholdCount", "StructuralSVM", "MedianSweep",
    "multiclass", "multilabel", "binary", [], [[]], [1], [2**40, 2**40], [-1, 5], ["a", "a"], {},
    {"type": "eval", "params": {}}, {"a": {"b": {}}},
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
    arrays = manifest.get("arrays")
    described = isinstance(arrays, dict) and all(isinstance(a, dict) for a in arrays.values())
    return replace(parts, manifest=manifest).pack(sizes=described and rng.random() < 0.5)


def change_text(rng: random.Random, data: bytes) -> bytes:
    parts = take_apart(data)
    text = json.dumps(parts.manifest)
    at = rng.randrange(len(text))
    piece = rng.choice(
        ["[" * 100_000, '{"a":' * 50_000, "1" * 5000, "NaN", "Infinity", "1e999", '"', "}", ",",
         '"arrays":{},', "[]," * 100_000]
    )  # fmt: skip
    stored = {name: zlib.compress(block) for name, block in parts.blocks.items()}
    return parts.sign((text[:at] + piece + text[at + rng.randrange(3) :]).encode(), stored)


def change_block(rng: random.Random, data: bytes) -> bytes:
    parts = take_apart(data)
    name = rng.choice(list(parts.blocks))
    block = bytearray(parts.blocks[name])
    match rng.randrange(5):
        case 0:
            block = bytearray(rng.randbytes(len(block)))
        case 1:
            number = struct.pack(
                "<d", rng.choice([np.nan, np.inf, 1e308, 1e99, -1e99, 5e-324, -0.0])
            )
            count = len(block) // 8
            for byte in range(8 if count else 0):
                block[byte * count + rng.randrange(count)] = number[byte]
        case 2:
            del block[rng.randrange(len(block)) :]
        case 3:
            block *= rng.choice([2, 3, 1000])
        case _:
            block = bytearray(flip_bits(rng, bytes(block)))
    return replace(parts, blocks=parts.blocks | {name: bytes(block)}).pack(sizes=rng.random() < 0.8)


def bomb(rng: random.Random, data: bytes) -> bytes:
    parts = take_apart(data)
    name = rng.choice(list(parts.blocks))
    size = rng.choice([10**6, 10**8, 3 * 10**8])
    filler = rng.choice([b"\0", b"\n", b"a\n"]) * (size // 2)
    manifest = json.loads(json.dumps(parts.manifest))
    shape = manifest["arrays"][name]["shape"]
    match rng.randrange(3):
        case 0:
            shape[0] = len(filler) // 8 // (shape[1] if len(shape) > 1 else 1)
            filler = filler[: 8 * shape[0] * (shape[1] if len(shape) > 1 else 1)]
        case 1:
            shape[0] = rng.choice([10**7, 10**12, 2**63, 2**70])
        case _:
            shape[:] = [max(1, filler.count(b"\n"))]
    return replace(parts, manifest=manifest, blocks=parts.blocks | {name: filler}).pack()


def exchange(rng: random.Random, data: bytes) -> bytes:
    parts = take_apart(data)
    first, second = rng.sample(list(parts.blocks), 2)
    entries = parts.manifest["arrays"]
    swapped = entries | {first: entries[second], second: entries[first]}
    blocks = parts.blocks | {first: parts.blocks[second], second: parts.blocks[first]}
    return replace(parts, manifest=parts.manifest | {"arrays": swapped}, blocks=blocks).pack()


BLIND: list[Fuzz] = [flip_bits, cut, grow, repeat]
KNOWING: list[Fuzz] = [
    sign_again(flip_bits), sign_again(cut), sign_again(grow), sign_again(repeat), change_header,
    change_manifest, change_manifest, change_manifest, change_text, change_block, change_block,
    bomb, exchange,
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
    return files


def try_file(path: Path) -> bool:
    """Whether the file loads, and then gives an estimate."""
    from quantext.models.save import ModelFileError, load

    try:
        model = load(path)
    except ModelFileError:
        return False
    if hasattr(model, "vectorizer_") or hasattr(model, "steps"):
        estimate = model.predict(["good battery", "loud and dear", ""])
    else:
        estimate = model.predict(np.ones((3, model.n_features_in_)))
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
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            try:
                loaded += try_file(path)
            except BaseException:
                print(f"file {i} of seed {seed}, by {fuzz.__qualname__}", file=sys.stderr)
                raise
            finally:
                faulthandler.cancel_dump_traceback_later()
    grown = (peak_memory() - before) / 2**20
    return f"{n} files: {n - loaded} refused, {loaded} loaded; at most {grown:.0f} MB more memory"


def peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    print(run(int(sys.argv[1]), seed=int(sys.argv[2]) if len(sys.argv) > 2 else 0))
