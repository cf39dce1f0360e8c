"""A small made-up survey, and the command line in this process or one of its own."""

import random
import subprocess
import sys
from pathlib import Path

import polars as pl

WORDS = {
    "battery": ["battery", "charge", "power", "drain", "empty", "hours"],
    "price": ["price", "dear", "money", "worth", "cost", "cheap"],
    "screen": ["screen", "glass", "pixel", "bright", "crack", "display"],
}
SHARED = ["phone", "bought", "week", "good", "bad", "again", "never", "works", "friend", "store"]

QUANTEXT = Path(sys.executable).with_name("quantext")


def survey(shares, seed=0, words=WORDS):
    """Answers with topic and day; ``shares`` are documents of each topic, in alphabetical order."""
    rng = random.Random(seed)
    rows = []
    for topic, n in zip(sorted(words), shares, strict=True):
        for _ in range(n):
            others = [word for key in words for word in words[key]] + SHARED
            picked = [*rng.choices(words[topic], k=3), *rng.choices(others, k=4)]
            rng.shuffle(picked)
            day = f"2024-0{rng.randrange(1, 4)}-{rng.randrange(1, 29):02}"
            rows.append({"answer": " ".join(picked), "topic": topic, "day": day})
    rng.shuffle(rows)
    return pl.DataFrame(rows)


def command(monkeypatch, capsys):
    """A function that runs the command line in this process: exit code, output, errors."""
    from quantext.cli import main

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["quantext", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as end:
            code = end.code
        out, err = capsys.readouterr()
        return code, out, but_for_compiling(err)

    return run


def but_for_compiling(errors):
    """What a command said on standard error, less what only the first that needs a kernel says."""
    return errors.replace("Compiling, once...\n", "")


def start(*arguments, **options):
    """The command line in a process of its own."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "COLUMNS": "80"}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"  # where files are limited it would be cut short
    return subprocess.Popen(
        [str(QUANTEXT), *map(str, arguments)], env=environment, **pipes | options
    )
