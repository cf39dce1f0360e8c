"""Data files, changed at random.

``python -m tests.support.fuzz_csv 2000`` trains on, and estimates, so many changed files in a
process with limits; it fails at the first that is neither read nor refused by a `ValueError`, takes
more than 5 seconds of processor time or more than 1 GB.
"""

import gzip
import random
import resource
import sys
import tempfile
import warnings
from pathlib import Path

from tests.support.fuzz_modelfile import BLIND, BYTES, Fuzz, hurried, peak_memory
from tests.support.workbooks import ods, xlsx

ANSWERS = [
    "too slow", "slow, and dear", 'a "great" battery', "the screen\nbroke", "Bildschirm größer",
    "电池很好", '5" pipe', "", "good battery", "dear", "screen of glass", "power, hours of it",
]  # fmt: skip
TOPICS = ["speed", "price", "battery|price", "screen", ""]

PIECES = [
    b'"', b'""', b'"""', b",", b";", b"\t", b"|", b"\n", b"\r", b"\r\n", b"\0", b"\xff", b"\xc3",
    b"\xed\xa0\x80", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\x1f\x8b", b"NaN", b"null", b"[]",
    b"['a']", b"1e999", b"-0", b"2024-02-30", b"99999-01-01", b"0000-00-00", b"{", b"}", b"\\",
    b"answer", b",,,", b"\n\n\n", b'"\n"', b"PAR1", b" " * 1000, b"," * 1000,
    b'"' * 999, b"\n" * 1000,
]  # fmt: skip


def insert(rng: random.Random, data: bytes) -> bytes:
    for _ in range(rng.choice([1, 1, 2, 5, 50])):
        at = rng.randrange(len(data) + 1)
        data = data[:at] + rng.choice(PIECES) + data[at:]
    return data


def exchange(rng: random.Random, data: bytes) -> bytes:
    return data.replace(rng.choice([b",", b"\n", b'"', b"a", b" "]), rng.choice(PIECES)[:50])


def swap_lines(rng: random.Random, data: bytes) -> bytes:
    lines = data.split(b"\n")
    rng.shuffle(lines)
    return b"\n".join(lines)


def recode(rng: random.Random, data: bytes) -> bytes:
    encoding = rng.choice(["utf-16", "utf-32", "utf-16-be", "cp1252", "utf-7"])
    return data.decode(errors="replace").encode(encoding, errors="replace")


def enlarge(rng: random.Random, data: bytes) -> bytes:
    at = rng.randrange(len(data) + 1)
    filler = rng.choice([b"a", b"a ", b",", b"\n", b'"', b'""', b"x,y,z\n", b'{"answer": "a"}\n'])
    size = rng.choice([10**5, 10**6, 3 * 10**6])
    return data[:at] + filler * (size // len(filler)) + data[at:]


def zipped(fuzz: Fuzz) -> Fuzz:
    """The same, in a zipped file, or to one."""

    def changed(rng: random.Random, data: bytes) -> bytes:
        if rng.random() < 0.5:
            return gzip.compress(fuzz(rng, data), 1)
        return fuzz(rng, gzip.compress(data, 1))

    return changed


FUZZES: list[Fuzz] = [
    *BLIND, insert, insert, insert, exchange, swap_lines, recode, enlarge, zipped(insert),
    *map(zipped, BLIND),
]  # fmt: skip


def seeds() -> dict[str, bytes]:
    """Valid files, by format."""
    import polars as pl

    rng = random.Random(0)
    table = pl.DataFrame(
        [
            {
                "answer": rng.choice(ANSWERS) + " " + rng.choice(ANSWERS),
                "topic": rng.choice(TOPICS),
                "day": f"2024-01-{rng.randrange(1, 32):02}",
            }
            for _ in range(60)
        ]
    )
    rows = [table.columns, *table.rows()]
    return {
        "csv": table.write_csv().encode(),
        "tsv": table.write_csv(separator="\t").encode(),
        "jsonl": table.write_ndjson().encode(),
        "json": table.write_json().encode(),
        "xlsx": xlsx({"Data": rows}),
        "ods": ods({"Data": rows}),
    }


def try_file(path: Path, kind: str, rng: random.Random, model: object) -> int:
    """How many of three ways to read the file it is good for."""
    from quantext.models.estimates import estimate
    from quantext.texts.columns import Columns
    from quantext.texts.formats import Opening
    from quantext.texts.reading import read_corpus, read_documents

    encoding = rng.choice([None, None, "utf-8", None, "cp1252", "utf-16"])
    options = {"format": kind, "encoding": encoding}
    labels = {"text": "answer", "label": "topic", "separator": rng.choice([None, "|"])}
    dated, named = Columns("answer", date="day"), Columns(**labels, by="day")
    good = 0
    for ask in (
        lambda: read_corpus(path, **labels, by="day", **options),
        lambda: estimate(
            model, read_documents(path, dated, opening=Opening(**options)), level=None
        ),
        lambda: estimate(
            model,
            read_documents(path, named, opening=Opening(**options), unlabelled=True),
            level=None,
        ),
    ):
        try:
            ask()
        except (ValueError, OSError):
            continue
        good += 1
    return good


def run(n: int, seed: int) -> str:
    """Read n changed files; a sentence that says how it went."""
    from quantext.models.train import train
    from quantext.texts.reading import read_corpus

    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        path, files = Path(folder) / "fuzz", seeds()
        for kind, data in files.items():
            path.write_bytes(data)
            corpus = read_corpus(path, text="answer", label="topic", format=kind)
            model = train(corpus, name="cc", folds=0).model
            assert try_file(path, kind, random.Random(0), model) == 3, kind
        before = peak_memory()
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (mapped + BYTES, mapped + BYTES))
        good = 0
        for i in range(n):
            rng = random.Random(f"{seed} {i}")
            kind = rng.choice([*files, "csv", "csv", "csv"])
            fuzz = rng.choice(FUZZES)
            path.write_bytes(fuzz(rng, files[kind]))
            try:
                with hurried():
                    good += try_file(path, kind, rng, model) > 0
            except BaseException:
                print(f"file {i} of seed {seed}, by {fuzz.__qualname__}", file=sys.stderr)
                raise
    grown = (peak_memory() - before) / 2**20
    return f"{n} files: {n - good} refused, {good} read; at most {grown:.0f} MB more memory"


if __name__ == "__main__":
    print(run(int(sys.argv[1]), seed=int(sys.argv[2]) if len(sys.argv) > 2 else 0))
