"""Folders of runs with a file that is damaged, replaced, swapped, forged or something else.

To run the same again must give the same results or a sentence, and so must reading them; and what
is not of the run stays as it was.
"""

import io
import json
import os
import random
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.fuzz_children import Attack, WrongAnswerError, refused
from tests.support.fuzz_modelfile import BLIND
from tests.support.fuzz_models import NUMBERS, STRINGS, walk

NAMES = (
    "run.json", "results.parquet", "failures.json", "warnings.log", "tasks/00000.parquet",
    "tasks/00000.parquet.sum", "tasks/00001.parquet", "tasks/00002.parquet.sum", "report.html",
    "tasks/00003.parquet", ".quantext-lock", ".quantext-vectors", "tasks", "tables", "figures",
)  # fmt: skip


def again(folder: Path) -> Any:
    """Results of the run in the folder, which goes on if it is unfinished."""
    from quantext.datasets.synthetic import synthetic
    from quantext.experiments.results import TIMES
    from quantext.experiments.run import run
    from quantext.experiments.splits import by_period
    from quantext.models.methods import method

    corpus = synthetic(200, n_topics=2, weeks=4)
    methods = {name: method(name) for name in ("CC", "Training prevalence")}
    return run(
        corpus, by_period(corpus, train_periods=2), folder, methods=methods, jobs=1, level=0.9,
        replicates=20,
    ).drop(TIMES)  # fmt: skip


def prepare(folder: Path) -> None:
    """A finished run with its files, its results, and another run."""
    from quantext.reports.run_files import write_run_files

    results = again(folder / "run")
    write_run_files(folder / "run")
    results.write_parquet(folder / "results.parquet")
    (folder / "mine").mkdir()
    (folder / "mine" / "notes.txt").write_text("mine", encoding="utf-8")


def warm(_: Path) -> None:
    """Load what children need; no method, since polars would start its threads."""
    import quantext.datasets.synthetic
    import quantext.experiments.run
    import quantext.reports.run_files  # noqa: F401


Change = Callable[[random.Random, Path], None]


def blindly(rng: random.Random, path: Path) -> None:
    path.write_bytes(rng.choice(BLIND)(rng, path.read_bytes() or b"\0\0"))


def replaced(rng: random.Random, path: Path) -> None:
    path.write_bytes(
        rng.choice(
            [b"", b"\0" * 5000, b"{}", b"[]", b"null", b"[" * 10**5, b"1" * 5000, b"\xff\xfe{",
             b'{"a": 1, "a": 2}', b"PAR1" * 20, rng.randbytes(500), b"NaN", b'"\\ud800"',
             b'{"configuration": {}}', b"\xef\xbb\xbf{}"]
        )
    )  # fmt: skip


def by_another(rng: random.Random, path: Path) -> None:
    """With the content of another file of the run, checksum and all."""
    files = [own for own in path.parent.iterdir() if own.is_file() and own != path]
    if files:
        other = rng.choice(files)
        shutil.copyfile(other, path)
        own_sum, other_sum = (file.with_name(f"{file.name}.sum") for file in (path, other))
        if other_sum.exists():
            shutil.copyfile(other_sum, own_sum)


def exchanged(rng: random.Random, path: Path) -> None:
    files = [own for own in path.parent.iterdir() if own.suffix == path.suffix and own != path]
    if files:
        other = rng.choice(files)
        for first, second in ((path, other), *([sums(path, other)] if sums(path, other) else [])):
            kept = first.read_bytes()
            first.write_bytes(second.read_bytes())
            second.write_bytes(kept)


def sums(path: Path, other: Path) -> tuple[Path, Path] | None:
    found = tuple(own.with_name(f"{own.name}.sum") for own in (path, other))
    return (found[0], found[1]) if all(own.exists() for own in found) else None


def not_there(_: random.Random, path: Path) -> None:
    path.unlink()


def not_a_file(rng: random.Random, path: Path) -> None:
    path.unlink()
    match rng.randrange(5):
        case 0:
            path.mkdir()
            (path / "notes.txt").write_text("mine", encoding="utf-8")
        case 1:
            os.mkfifo(path)
        case 2:
            path.symlink_to(path.name)
        case 3:
            path.symlink_to("nowhere")
        case _:
            path.symlink_to("/dev/zero")


def a_file(rng: random.Random, path: Path) -> None:
    """In place of a folder of the run, something else."""
    if path.is_dir():
        shutil.rmtree(path)
    match rng.randrange(3):
        case 0:
            path.write_bytes(b"x")
        case 1:
            path.symlink_to(Path("..", "mine"))
        case _:
            path.symlink_to(path.name)


def facts(rng: random.Random, path: Path) -> None:
    """Another fact in a JSON file."""
    if path.suffix != ".json":
        return blindly(rng, path)
    value = json.loads(path.read_text(encoding="utf-8"))
    places = walk(value)
    if not places:
        return replaced(rng, path)
    place = rng.choice(places)
    inner = value
    for key in place[:-1]:
        inner = inner[key]
    if rng.random() < 0.2:
        del inner[place[-1]]
    else:
        inner[place[-1]] = rng.choice(NUMBERS + STRINGS)
    print(f"{place}", file=sys.stderr)
    text = json.dumps(value)
    path.write_text(text.replace("\ud800", "\\ud800"), encoding="utf-8")
    return None


def forged(rng: random.Random, path: Path) -> None:
    """A table with other columns, types or rows; that of a task is signed as it is."""
    import polars as pl

    if path.suffix != ".parquet":
        return blindly(rng, path)
    table = pl.read_parquet(io.BytesIO(path.read_bytes()))
    name = rng.choice(table.columns)
    kind = rng.choice([pl.String, pl.Float32, pl.List(pl.Int8), pl.Int8, pl.Date, pl.Null])
    table = rng.choice(
        [
            lambda: table.drop(name),
            lambda: table.rename({name: f"{name}x"}),
            lambda: table.with_columns(pl.lit(None).cast(kind).alias(name)),
            lambda: table.with_columns(pl.lit(None).cast(table.schema[name]).alias(name)),
            lambda: table.head(0),
            lambda: table.head(len(table) // 2),
            lambda: pl.concat([table, table]),
            lambda: table.select(reversed(table.columns)),
            lambda: table.with_columns(extra=pl.lit(1)),
            lambda: table.with_columns(pl.lit("x").alias(rng.choice(["task", "method", "bag"]))),
        ]
    )()
    path.unlink()
    if path.parent.name == "tasks":
        from quantext.experiments.folder import write_piece

        write_piece(path, table)
    else:
        table.write_parquet(path)
    return None


CHANGES: list[Change] = [
    blindly, blindly, replaced, by_another, exchanged, not_there, not_a_file, facts, facts, forged,
    forged,
]  # fmt: skip


def strike(number: int, rng: random.Random, folder: Path, own: Path) -> bool:
    import polars as pl

    place = own / "run"
    shutil.copytree(folder / "run", place)
    shutil.copytree(folder / "mine", own / "mine")
    path = place / NAMES[number % len(NAMES)]
    change = CHANGES[number // len(NAMES) % len(CHANGES)]
    if path.name in ("tasks", "tables", "figures", ".quantext-vectors"):
        change = a_file
    elif not path.exists():
        path.write_bytes(b"{}")
        change = rng.choice([replaced, not_a_file])
    print(f"{path.name}: {change.__name__}", file=sys.stderr)
    change(rng, path)
    # A forger can write any numbers, so nobody can say which results are right then.
    known = change is not forged
    if rng.random() < 0.4:
        read = not refused(lambda: look_at(place, folder, known))
        check_mine(own)
        return read
    if rng.random() < 0.3:
        for piece in sorted(place.glob("tasks/*"))[: rng.randrange(1, 4)]:
            if piece.is_file():
                piece.unlink()
    results: list[Any] = []
    if refused(lambda: results.append(again(place))):
        check_mine(own)
        return False
    check_mine(own)
    if known and not results[0].equals(pl.read_parquet(folder / "results.parquet")):
        raise WrongAnswerError(f"other results after {change.__name__} of {path.name}")
    look_at(place, folder, known)
    return True


def look_at(place: Path, folder: Path, known: bool) -> None:
    """Read the results, and make the page of them."""
    import polars as pl

    from quantext.experiments.results import TIMES, with_errors
    from quantext.reports.experiment_page import render, summarise
    from quantext.reports.run_files import read_run

    results, about = read_run(place)
    if known and not results.drop(TIMES).equals(pl.read_parquet(folder / "results.parquet")):
        raise WrongAnswerError("other results were read")
    render(summarise(with_errors(results), about))


def check_mine(own: Path) -> None:
    """Raise if what is not of the run was touched."""
    if (own / "mine" / "notes.txt").read_text(encoding="utf-8") != "mine":
        raise WrongAnswerError("a file that is not of the run was changed")
    if {path.name for path in (own / "mine").iterdir()} - {"notes.txt"} > {"x"}:
        raise WrongAnswerError("there are files where they do not belong")


ATTACK = Attack(prepare, warm, strike)
