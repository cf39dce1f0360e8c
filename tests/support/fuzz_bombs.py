"""Parquet and JSON Lines files that are small and expand, or are deep, wide or long.

They must be read or refused, in little memory and time, by all that reads tables.
"""

import gzip
import io
import json
import random
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.fuzz_children import Attack, refused

Bomb = Callable[[random.Random], bytes]


def prepare(folder: Path) -> None:
    """A model to estimate with."""
    import polars as pl

    from quantext.models.save import save
    from quantext.models.train import train
    from quantext.texts.corpus import Corpus

    texts = pl.Series(["good battery", "loud and dear", "bad screen"] * 10)
    labels = pl.Series(["battery", "price", "screen"] * 10)
    save(train(Corpus("a", texts, labels), name="cc", folds=0).model, folder / "model.qx")


def warm(_: Path) -> None:
    """Load what children need, without a table: polars would start its threads."""
    import quantext.models.estimates
    import quantext.models.save
    import quantext.texts.look
    import quantext.texts.reading  # noqa: F401


def parquet(columns: dict[str, Any], **options: Any) -> bytes:
    import polars as pl

    file = io.BytesIO()
    pl.DataFrame(columns).write_parquet(file, **options)
    return file.getvalue()


def long_strings(rng: random.Random) -> bytes:
    """Long texts, all the same, so that the file is small."""
    text = "a b " * rng.choice([10**4, 10**5, 2**18])
    n = rng.choice([20, 100, 200])
    options = {"compression": "zstd", "row_group_size": rng.choice([None, 10])}
    return parquet({"answer": [text] * n, "topic": ["x"] * n}, **options)


def dictionary_of_one(rng: random.Random) -> bytes:
    """A dictionary of one long string, by another writer."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    length, n = rng.choice(
        [(10**5, 5000), (10**6, 500), (10**7, 50), (10**7, 2000), (10**5, 10**6)]
    )
    text = "a" * length
    column = pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), pa.array([text]))
    topic = pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int32()), pa.array(["x"]))
    file = io.BytesIO()
    pq.write_table(pa.table({"answer": column, "topic": topic}), file, compression="zstd")
    return file.getvalue()


def many_rows(rng: random.Random) -> bytes:
    """Rows that take no room."""
    n = rng.choice([10**5, 10**6, 3 * 10**6])
    return parquet({"answer": [None] * n, "topic": ["x"] * n}, compression="zstd")


def many_columns(rng: random.Random) -> bytes:
    n = rng.choice([1000, 5000])
    return parquet({f"c{i}": [1] for i in range(n)} | {"answer": ["a"], "topic": ["x"]})


def many_labels(rng: random.Random) -> bytes:
    """Lists of very many labels."""
    n = rng.choice([10**3, 10**5])
    labels = [[str(i) for i in range(n)]] * 3
    return parquet({"answer": ["a b", "b c", "c d"], "topic": labels})


def distinct_labels(rng: random.Random) -> bytes:
    n = rng.choice([5000, 100_000])
    return parquet({"answer": ["a b"] * n, "topic": [f"t{i}" for i in range(n)]})


def nested(rng: random.Random) -> bytes:
    value: Any = "a"
    for _ in range(rng.choice([5, 50, 200])):
        value = [value] if rng.random() < 0.5 else {"a": value}
    return parquet({"answer": [value], "topic": ["x"]})


def lying(rng: random.Random) -> bytes:
    """Other numbers in what Parquet says of itself."""
    data = bytearray(parquet({"answer": ["a b", "c d"] * 20, "topic": ["x", "y"] * 20}))
    length = struct.unpack("<I", data[-8:-4])[0]
    for _ in range(rng.choice([1, 2, 5])):
        at = len(data) - 8 - rng.randrange(length)
        data[at] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
    if rng.random() < 0.2:
        data[-8:-4] = struct.pack("<I", rng.choice([0, 2**31, 2**32 - 1, len(data)]))
    return bytes(data)


def deep(rng: random.Random) -> bytes:
    n = rng.choice([50, 1000, 10**5])
    way = rng.choice([("[", "]"), ('{"a":', "}")])
    value = way[0] * n + "1" + way[1] * n
    line = f'{{"answer": "a b", "topic": "x", "more": {value}}}\n'
    return (line * rng.choice([1, 20])).encode()


def many_keys(rng: random.Random) -> bytes:
    """Keys that no two rows share."""
    n = rng.choice([100, 1000, 5000])
    lines = (
        json.dumps({"answer": "a b", "topic": "x"} | {f"k{i}_{j}": 1 for j in range(10)})
        for i in range(n)
    )
    return "\n".join(lines).encode()


def long_key(rng: random.Random) -> bytes:
    key = "k" * rng.choice([10**4, 10**6])
    return (f'{{"answer": "a b", "topic": "x", "{key}": 1}}\n' * 10).encode()


def long_line(rng: random.Random) -> bytes:
    text = rng.choice(["a", "a ", "\\u0061", "\\n", '\\"']) * rng.choice([10**5, 5 * 10**6])
    return f'{{"answer": "{text}", "topic": "x"}}\n'.encode()


def odd_values(rng: random.Random) -> bytes:
    """Rows of which each has another type."""
    values = [
        "1", "null", "[]", "{}", "1e999", "-1e999", "NaN", "1" * 5000, '"\\ud800"', "[[1]]", "true",
        '"\\u0000"', '{"a": []}', "1.5", '["a"]', "0x1", "-0",
    ]  # fmt: skip
    topics = [*values, '"x"', '"y"']
    lines = [
        f'{{"answer": {rng.choice(values)}, "topic": {rng.choice(topics)}}}' for _ in range(30)
    ]
    return "\n".join(lines).encode()


def twice_the_same_key(_: random.Random) -> bytes:
    return b'{"answer": "a", "answer": "b", "topic": "x", "topic": 1}\n' * 20


def expanded(rng: random.Random) -> bytes:
    """A file of very many equal bytes, compressed: some MB that become GB."""
    filler = rng.choice([b"\0", b"\n", b" ", b"{}\n", b"[", b'"', b'{"answer": "a"}\n'])
    most = 100 if filler.endswith(b"\n") else 3000  # many rows are no fault
    head = b'{"answer": "a b", "topic": "x"}\n' if rng.random() < 0.5 else b""
    # Parts that are compressed one by one may follow each other: so making it takes no time.
    part = gzip.compress(filler * (2**20 // len(filler)))
    return gzip.compress(head) + part * rng.choice([1, 100, most])


PARQUET: list[Bomb] = [
    long_strings, dictionary_of_one, many_rows, many_columns, many_labels, distinct_labels, nested,
    lying, lying, lying,
]  # fmt: skip
LINES: list[Bomb] = [
    deep, deep, many_keys, long_key, long_line, odd_values, twice_the_same_key,
]  # fmt: skip


def strike(number: int, rng: random.Random, folder: Path, own: Path) -> bool:
    bombs = [(own, ".parquet") for own in PARQUET] + [(own, ".jsonl") for own in LINES]
    bombs += [(expanded, ".jsonl.gz"), (expanded, ".parquet.gz")]
    bomb, suffix = bombs[number % len(bombs)]
    data = bomb(rng)
    if not suffix.endswith(".gz") and rng.random() < 0.2:
        if rng.random() < 0.5:
            data, suffix = gzip.compress(data, 1), f"{suffix}.gz"
        else:
            file = io.BytesIO()
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr(f"table{suffix}", data)
            data, suffix = file.getvalue(), f"{suffix}.zip"
    path = own / f"table{suffix}"
    path.write_bytes(data)
    ways = {"read": read, "estimate": estimate, "look": look}
    name = rng.choice(list(ways))
    print(f"{bomb.__name__}{suffix} of {len(data)} bytes: {name}", file=sys.stderr)
    del data
    return not refused(lambda: ways[name](path, folder))


def read(path: Path, _: Path) -> None:
    from quantext.texts.reading import read_corpus

    read_corpus(path, text="answer", label="topic")


def estimate(path: Path, folder: Path) -> None:
    from quantext.models.estimates import estimate
    from quantext.models.save import load
    from quantext.texts.columns import Columns
    from quantext.texts.reading import read_documents

    estimate(load(folder / "model.qx"), read_documents(path, Columns("answer")), level=None)


def look(path: Path, _: Path) -> None:
    from quantext.texts.look import look

    look(path)


ATTACK = Attack(prepare, warm, strike)
