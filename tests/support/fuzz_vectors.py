"""Vectors on disk whose files lie: each file damaged, each invariant broken, headers forged.

They must be refused, or be a sound matrix, with which a method is trained or refuses to be.
"""

import io
import os
import random
import shutil
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.support import fuzz_sparse
from tests.support.fuzz_children import Attack, WrongAnswerError, refused
from tests.support.fuzz_modelfile import BLIND

FILES = ("shape", "indptr", "indices", "data")
NUMBERS = [-1, 0, 1, 7, 100, 2**31 - 1, 2**31, 2**32, 2**62, -(2**31), -(2**63)]


def prepare(folder: Path) -> None:
    """A folder of valid vectors."""
    from scipy import sparse

    import quantext as qx

    qx.write_vectors([sparse.csr_array(fuzz_sparse.dense())], folder / "vectors")
    use(qx.open_vectors(folder / "vectors"))


def warm(folder: Path) -> None:
    """Load the kernels."""
    import quantext as qx

    use(qx.open_vectors(folder / "vectors"))


def use(X: Any) -> None:
    """Train a method with the vectors, and estimate."""
    import quantext as qx

    p = qx.method("CC").fit(X, np.arange(X.shape[0]) % 3).predict(X)
    if not (abs(p.sum() - 1) < 1e-6 and (p >= 0).all()):
        raise WrongAnswerError(f"no shares: {p}")


Change = Callable[[random.Random, Path], None]


def blindly(rng: random.Random, path: Path) -> None:
    """Bits of a file."""
    fuzz = rng.choice(BLIND)
    path.write_bytes(fuzz(rng, path.read_bytes()))


def one_number(rng: random.Random, path: Path) -> None:
    values = np.load(path)
    limits = [np.nan, np.inf, -1e300, 1e300] if values.dtype.kind == "f" else NUMBERS
    with np.errstate(all="ignore"):
        values[rng.randrange(len(values))] = np.array(rng.choice(limits)).astype(values.dtype)
    np.save(path, values)


def other_length(rng: random.Random, path: Path) -> None:
    values = np.load(path)
    np.save(path, rng.choice([values[:-1], values[1:], np.append(values, values[-1]), values[:0]]))


def other_order(rng: random.Random, path: Path) -> None:
    values = np.load(path)
    np.save(path, rng.choice([values[::-1], np.sort(values), np.zeros_like(values)]))


def other_type(rng: random.Random, path: Path) -> None:
    values = np.load(path)
    kinds = ["<f4", "<f8", "<i4", "<i8", ">i4", ">f8", "|b1", "<u8", "<f2", "<c16", "|S8", "<U3"]
    with np.errstate(all="ignore"):
        np.save(path, values.astype(rng.choice([*kinds, "<M8[s]", "<m8[s]", "|V8"])))


def other_dimensions(rng: random.Random, path: Path) -> None:
    values = np.load(path)
    np.save(path, rng.choice([values[None], values[:, None], values[0], values.reshape(1, 1, -1)]))


def objects(_: random.Random, path: Path) -> None:
    """Python objects, which only a pickle can hold."""
    np.save(path, np.load(path).astype(object), allow_pickle=True)


def forged_header(rng: random.Random, path: Path) -> None:
    """A header that says something else than the file holds."""
    values = np.load(path)
    shape: Any = rng.choice(
        [(2**62,), (10**9,), (-1,), (len(values) + 1,), (len(values) - 1,), (), (0,), (2**70,),
         (len(values), 1), (1.5,), ("a",), None, [len(values)], (True,), (2**31, 2**31)]
    )  # fmt: skip
    kind: Any = rng.choice(
        [values.dtype.str, values.dtype.str, "|O", "<f16", [("a", "<f8")], "x", None, 3, "<i4",
         ("<f8", (2,)), "|S0", "|V0", [("a", "|O")]]
    )  # fmt: skip
    order: Any = rng.choice([False, False, True, None, "x"])
    text = repr({"descr": kind, "fortran_order": order, "shape": shape})
    if rng.random() < 0.3:
        text = rng.choice(
            ["", "{", "{}", "[]", "(" * 5000, "1" * 5000, text[:-1], text + text, f"{text} and 1",
             "__import__('os').abort()", "{'descr': '<f8', 'a': 1}", "9**9**9", text * 100]
        )  # fmt: skip
    head = text.encode("latin1", "replace").ljust(rng.choice([0, 118, 2000]), b" ") + b"\n"
    version = rng.choice([1, 1, 1, 2, 3, 9])
    length = struct.pack("<H" if version == 1 else "<I", rng.choice([len(head)] * 4 + [65535]))
    magic = b"\x93NUMPY" + bytes([version, 0])
    path.write_bytes(magic + length + head + values.tobytes())


def much_header(_: random.Random, path: Path) -> None:
    """A header that announces 4 GB of itself."""
    path.write_bytes(b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**32 - 1) + b" " * 10**6)


def of_another(rng: random.Random, path: Path) -> None:
    """The content of another of the files."""
    other = rng.choice([name for name in FILES if name != path.stem])
    shutil.copyfile(path.with_name(f"{other}.npy"), path)


def not_there(_: random.Random, path: Path) -> None:
    path.unlink()


def not_a_file(rng: random.Random, path: Path) -> None:
    path.unlink()
    match rng.randrange(4):
        case 0:
            path.mkdir()
        case 1:
            os.mkfifo(path)
        case 2:
            path.symlink_to(path.name)
        case _:
            path.symlink_to("/dev/zero")


def an_archive(_: random.Random, path: Path) -> None:
    file = io.BytesIO()
    np.savez(file, a=np.load(path))
    path.write_bytes(file.getvalue())


CHANGES: list[Change] = [
    blindly, blindly, one_number, one_number, one_number, other_length, other_order, other_type,
    other_type, other_dimensions, objects, forged_header, forged_header, forged_header, much_header,
    of_another, not_there, not_a_file, an_archive,
]  # fmt: skip


def strike(number: int, rng: random.Random, folder: Path, own: Path) -> bool:
    import quantext as qx

    place = own / "vectors"
    shutil.copytree(folder / "vectors", place)
    before = qx.open_vectors(folder / "vectors")
    for turn in range(rng.choice([1, 1, 1, 2])):
        at = number + turn
        name, change = FILES[at % 4], CHANGES[at // 4 % len(CHANGES)]
        if not (place / f"{name}.npy").is_file():
            break
        print(f"{name}: {change.__name__}", file=sys.stderr)
        try:
            change(rng, place / f"{name}.npy")
        except (ValueError, OSError, IndexError, TypeError):
            break  # what the first change left, the second cannot read
    opened: list[Any] = []
    if refused(lambda: opened.append(qx.open_vectors(place))):
        return False
    X = opened[0]
    X.check_format(full_check=True)
    if X.dtype.kind not in "biufc":
        raise WrongAnswerError(f"vectors of {X.dtype} were opened")
    if X.shape[1] > 10**6:  # such a matrix is sound, and takes what it takes
        return True
    if not refused(lambda: use(X)):
        same = X.shape == before.shape and X.dtype == before.dtype
        print(f"answered; {'the same size' if same else X.shape}", file=sys.stderr)
    return True


ATTACK = Attack(prepare, warm, strike)
