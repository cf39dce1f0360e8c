"""Texts to vectors: LtcVectorizer against scikit-learn's CountVectorizer with two stemmers.

All split, stop and stem alike; CountVectorizer does less (no weights). Rates are MB of text a
second of CPU time, the best of interleaved rounds, one thread; the NLTK stemmer has no cache, as
people use it, and gets fewer texts because it is slow. Two threads: by wall time, the median of the
ratios of rounds, in each of which one and two threads take turns.
"""

import argparse
import multiprocessing
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

from benchmarks.corpora import DEFAULT_FOLDER
from benchmarks.ratios import Ratio, cpu_seconds, in_turns, peer_module
from quantext.datasets.synthetic import synthetic
from quantext.vectors.ltc import LtcVectorizer

LETTERS = re.compile(r"[^\W\d_]+")


def analyzer(stem):
    def analyse(text):
        return [stem(t) for t in LETTERS.findall(text.lower()) if t not in ENGLISH_STOP_WORDS]

    return analyse


def stemmers():
    """Porter's algorithm by two peers: a cached one in C, and that of NLTK."""
    nltk, stemmer = peer_module("nltk.stem.porter"), peer_module("Stemmer")
    return {
        "PyStemmer": stemmer.Stemmer("porter", 1_000_000).stemWord,
        "NLTK": nltk.PorterStemmer().stem,
    }


def ratios(folder: Path) -> list[Ratio]:
    """CPU time of vectors of generated answers, and of abstracts if they are there."""
    corpora = {"generated answers": synthetic(20_000).texts.to_list()}
    path = folder / "arxiv_2018_2019.jsonl.gz"
    if path.exists():
        corpora["arXiv abstracts"] = pl.read_ndjson(path, n_rows=4_000)["abstract"].to_list()
    ours = LtcVectorizer(stop_words="english")
    ours.fit_transform(corpora["generated answers"])  # loads the kernels
    found = []
    for (name, stem), share in zip(stemmers().items(), (1, 0.25), strict=True):  # NLTK is slow
        peer = CountVectorizer(analyzer=analyzer(stem))
        for corpus, documents in corpora.items():
            some = documents[: int(share * len(documents))]
            found += in_turns(
                f"vectors of {len(some):,} {corpus}",
                lambda some=some: cpu_seconds(lambda: ours.fit_transform(some)),
                {
                    f"CountVectorizer, {name}": lambda some=some, peer=peer: cpu_seconds(
                        lambda: peer.fit_transform(some)
                    )
                },
                rounds=5 if name == "PyStemmer" else 3,
            )
    return found


def texts(folder: Path) -> list[str]:
    path = folder / "arxiv_2018_2019.jsonl.gz"
    if path.exists():
        print(f"abstracts of {path.name}")
        return pl.read_ndjson(path)["abstract"].to_list()
    print(f"{path} is absent: generated answers instead")
    return synthetic(100_000).texts.to_list()


def rate(vectorizer, documents, clock=time.process_time):
    start = clock()
    vectorizer.fit_transform(documents)
    return sum(map(len, documents)) / 1e6 / (clock() - start)


def first_call_seconds():
    with tempfile.TemporaryDirectory() as folder:
        code = "from quantext import LtcVectorizer; LtcVectorizer().fit_transform(['ä b', 'c'])"
        start = time.perf_counter()
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)
        return time.perf_counter() - start


def peak_megabytes(work):
    """Most resident memory during the work, above what was there before (Linux only)."""
    Path("/proc/self/clear_refs").write_text("5")  # sets the peak back to the present size
    before = high_water_mark()
    work()
    return high_water_mark() - before


def high_water_mark():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+)", status)[1]) / 1024


def process_ratio(documents, rounds):
    """How much faster two processes with half of the texts each are than one that has both."""
    context = multiprocessing.get_context("spawn")
    start, seconds = context.Barrier(3), context.Queue()
    middle = len(documents) // 2
    halves = documents[:middle], documents[middle:]
    children = [
        context.Process(target=take_turns, args=(half, start, seconds), daemon=True)
        for half in halves
    ]
    for child in children:
        child.start()
    ratios = []
    for i in range(rounds + 1):
        alone = sum(wall_seconds(half) for half in halves)
        start.wait()
        ratios += [alone / max(seconds.get(), seconds.get())] if i else []  # kernels are loaded
    for child in children:
        child.terminate()
    return statistics.median(ratios)


def take_turns(documents, start, seconds):
    while True:
        start.wait()
        seconds.put(wall_seconds(documents))


def wall_seconds(documents):
    start = time.perf_counter()
    LtcVectorizer(n_jobs=1).fit_transform(documents)
    return time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="folder of the corpora")
    documents = texts(parser.parse_args().data)
    print(f"first-ever call, compiling: {first_call_seconds():.1f} s")

    for name in ("fit", "fit_transform"):
        peak = peak_megabytes(lambda name=name: getattr(LtcVectorizer(), name)(documents))
        size = sum(map(len, documents)) / 1e6
        print(f"{name} on {len(documents):,} texts of {size:.0f} MB: {peak:.0f} MB above the texts")

    cached, plain = stemmers().values()
    contenders = {
        "LtcVectorizer": (LtcVectorizer(stop_words="english"), documents[:20_000]),
        "CountVectorizer, PyStemmer": (
            CountVectorizer(analyzer=analyzer(cached)),
            documents[:20_000],
        ),
        "CountVectorizer, NLTK": (
            CountVectorizer(analyzer=analyzer(plain)),
            documents[:1_000],
        ),
    }
    best = dict.fromkeys(contenders, 0.0)
    for _ in range(5):
        for name, contender in contenders.items():
            best[name] = max(best[name], rate(*contender))
    for name, value in best.items():
        print(
            f"{name:28} {value:7.1f} MB/s   ours is {best['LtcVectorizer'] / value:6.1f} times it"
        )

    rounds = [
        [rate(LtcVectorizer(n_jobs=n), documents, time.perf_counter) for n in (1, 2)]
        for _ in range(7)
    ]
    one, two = map(max, zip(*rounds, strict=True))
    ratio = statistics.median(second / first for first, second in rounds)
    print(
        f"all texts, wall time: 1 thread {one:.0f} MB/s, 2 threads {two:.0f} MB/s at best; "
        f"{ratio:.2f} times, the median of {len(rounds)} rounds"
    )
    print(f"two processes that share nothing: {process_ratio(documents, 7):.2f} times one")


if __name__ == "__main__":
    main()
