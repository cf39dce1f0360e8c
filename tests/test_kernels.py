"""Kernels: interpreted while they have little to do, then compiled, and kept if possible."""

import logging
import pickle
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from quantext import LinearSVM, TextQuantifier, kernels
from quantext.cli.compiling import told_of_compiling
from quantext.kernels import Kernel
from quantext.quantifiers import AdaptiveCount
from quantext.texts.fields import split_fields
from quantext.texts.reading import read_corpus
from quantext.vectors import csr
from quantext.vectors.sparse import is_canonical

INTERPRETED = {
    "quantext.quantifiers.adaptive.grid": ["count_bins"],
    "quantext.texts.fields": ["glue_fields", "scan_records"],
    "quantext.vectors.alphabet": ["copy_tokens", "find_commonest", "sort_ties", "write_first"],
    "quantext.vectors.csr": ["csr_count", "csr_matmat", "csr_matvec", "csr_matvec_count"],
    "quantext.vectors.sparse": ["find_fault", "is_canonical"],
    "quantext.vectors.terms": ["count"],
    "quantext.vectors.scan": ["number_lines", "scan"],
    "quantext.vectors.weighing": ["weigh"],
}  # fmt: skip
TEXTS = [
    "Battery lasts, battery charges; the battery!",
    "Ünïcödé wörds – naïve Straße, 東京 и Москва",
    "it isn't the \N{PILE OF POO} emoji, e\u0301 combines",
    "averyveryverylongwordthatneedsmorethanasingle64bitword twice averyveryverylongword",
    "screen broke", "", "123 456", "broken screen and a bad battery",
]  # fmt: skip


@pytest.fixture
def both_ways(monkeypatch):
    """Every kernel that may be interpreted is, and is run compiled too; what both do is equal."""
    seen = set()

    def call(self, *arguments):
        if self._steps is None:
            return self.compiled(*arguments)
        seen.add(f"{self.__module__}.{self.__name__}")
        copies = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
        interpreted = kernels._interpret(self.py_func, copies)
        given = self.compiled(*arguments)
        assert interpreted == given
        for own, other in zip(arguments, copies, strict=True):
            assert_array_equal(own, other)
        return given

    monkeypatch.setattr(Kernel, "__call__", call)
    return seen


def rows_of(X, W):
    out = np.zeros((X.shape[0], W.shape[1]))
    csr.csr_matmat(X.indptr, X.indices, X.data, W, out)


def test_what_is_interpreted_is_the_same_as_what_is_compiled(both_ways, tmp_path):
    y = np.array([["a", "b", "c"][i % 3] for i in range(48)])
    texts = [f"{TEXTS[i % 8]} {'abc'[i % 3] * 3}" for i in range(48)]
    for labels in (y, y == "a", np.column_stack([y == "a", y == "b"])):
        model = TextQuantifier(AdaptiveCount(LinearSVM(C=0.3), folds=5)).fit(texts, labels)
        model.predict(TEXTS)
        X = model.vectorizer_.transform(texts)
        for weights in (np.ones(X.shape[1]), np.ones(X.shape[1], np.float32)):
            csr.csr_matvec(X.indptr, X.indices, X.data, weights, np.zeros(X.shape[0]))
            seen = np.zeros(X.shape[1], np.int32)
            out = np.zeros(X.shape[0])
            csr.csr_matvec_count(X.indptr, X.indices, X.data, weights, out, seen)
        is_canonical(X.indptr, X.indices)
        rows_of(X, np.linspace(-1, 1, 3 * X.shape[1]).reshape(-1, 3))
    file = tmp_path / "new.csv"
    file.write_text(
        'text,label\n"a ""quoted"" text\nin lines",a\r\nplain,b\n"more, of it",c', "utf-8"
    )
    read_corpus(file, text="text", label="label")
    for block in (
        b'1\t"No!" he said\n2\t"what\n3\t"no"\n',
        b'a,"b""',
        b"a,b\r\n\r\n,",
        b'"a"x,b\n',
    ):
        for last in (True, False):
            split_fields(block, b"\t" if b"\t" in block else b",", last=last)
    assert both_ways == {f"{module}.{name}" for module, names in INTERPRETED.items()
                         for name in names}  # fmt: skip


def test_all_kernels_that_may_be_interpreted_are_compared():
    for module, names in INTERPRETED.items():
        own = [thing for thing in vars(import_module(module)).values() if isinstance(thing, Kernel)]
        found = [each.__name__ for each in own if each._steps and each.__module__ == module]
        assert sorted(found) == names


def python(code, **environment):
    """What a fresh process prints, and says on standard error."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env={**ENVIRONMENT, **environment})  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


ENVIRONMENT = {"PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
COUNT = """
import logging, sys
import numpy as np
logging.basicConfig(level=logging.INFO, format="%(message)s")
from quantext.vectors.csr import csr_count
def count(n, kind=np.int32):
    documents = np.zeros(3, np.int32)
    csr_count(np.arange(n, dtype=kind) % 3, np.ones(n, np.float32), documents)
    print(*documents, "numba" in sys.modules)
"""


def test_numba_is_loaded_only_where_it_pays():
    printed, _ = python(COUNT + "count(7)\ncount(30_000)\ncount(30_000)\ncount(7)")
    assert printed.splitlines() == [
        "3 2 2 False", "10000 10000 10000 False", "10000 10000 10000 True", "3 2 2 True",
    ]  # fmt: skip


def test_a_kernel_travels_by_its_name():
    assert pickle.loads(pickle.dumps(csr.csr_count)) is csr.csr_count


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A cache with what two signatures of a kernel were compiled to."""
    folder = tmp_path_factory.mktemp("cache")
    code = COUNT + "count(50_000)\ncount(50_000, np.int64)"
    _, said = python(code, NUMBA_CACHE_DIR=str(folder))
    assert said == "compiling quantext.vectors.csr.csr_count\n" * 2
    assert len(list(folder.rglob("*.nbc"))) == 2
    return folder


def copy_of(kept, folder):
    for file in kept.rglob("*.nb?"):
        (folder / file.parent.name).mkdir(exist_ok=True)
        (folder / file.parent.name / file.name).write_bytes(file.read_bytes())
    return folder


def test_another_process_compiles_nothing(kept):
    printed, said = python(COUNT + "count(60_000)", NUMBA_CACHE_DIR=str(kept))
    assert printed == "20000 20000 20000 True\n"
    assert said == ""


@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_what_is_damaged_is_compiled_again_and_kept(kept, tmp_path, kind):
    folder = copy_of(kept, tmp_path)
    for file in folder.rglob(f"*.{kind}"):
        file.write_bytes(file.read_bytes()[:30])
    printed, said = python(COUNT + "count(60_000)", NUMBA_CACHE_DIR=str(folder))
    assert printed == "20000 20000 20000 True\n"
    assert "is damaged in" in said
    assert python(COUNT + "count(60_000)", NUMBA_CACHE_DIR=str(folder)) == (printed, "")


def test_a_file_of_another_signature_is_not_run(kept, tmp_path):
    # Two processes that compile at once may both take the name of the first file.
    folder = copy_of(kept, tmp_path)
    one, two = sorted(folder.rglob("*.nbc"))
    contents = one.read_bytes(), two.read_bytes()
    one.write_bytes(contents[1])
    two.write_bytes(contents[0])
    printed, said = python(COUNT + "count(60_000)\ncount(60_000, np.int64)",
                           NUMBA_CACHE_DIR=str(folder))  # fmt: skip
    assert printed == "20000 20000 20000 True\n" * 2
    assert said == "compiling quantext.vectors.csr.csr_count\n" * 2


def test_what_cannot_be_kept_is_compiled_all_the_same(tmp_path):
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
    printed, said = python(full + COUNT + "count(60_000)", NUMBA_CACHE_DIR=str(tmp_path))
    assert printed == "20000 20000 20000 True\n"
    assert "csr_count cannot be kept in" in said
    assert str(tmp_path) in said
    assert not [file for file in tmp_path.rglob("*") if file.is_file()]


def test_a_folder_that_cannot_be_made_is_no_obstacle():
    # As with a package, a home and a folder of caches that are all read-only.
    nowhere = "from numba.core.caching import CacheImpl; CacheImpl._locator_classes = []\n"
    printed, said = python(nowhere + COUNT + "count(60_000)")
    assert printed == "20000 20000 20000 True\n"
    assert "neither it nor the user's cache can be written to" in said


@pytest.fixture
def compile_something(monkeypatch, tmp_path):
    """Function that compiles a kernel for two signatures, which are on no disk."""
    monkeypatch.setattr("numba.config.CACHE_DIR", str(tmp_path))

    def double(x):
        return x + x

    def run():
        own = kernels.kernel(double)
        assert (own(2), own(2.5)) == (4, 5.0)

    yield run
    assert len(list(tmp_path.rglob("*.nbc"))) == 2


def test_people_are_told_once_of_compiling(compile_something, capsys):
    with told_of_compiling(quiet=False):
        compile_something()
    assert capsys.readouterr() == ("", "Compiling, once...\n")


def test_people_are_told_nothing_where_nothing_is_compiled(compile_something, capsys):
    compile_something()
    with told_of_compiling(quiet=False):
        compile_something()
    assert capsys.readouterr() == ("", "")


def test_programs_are_told_in_json(compile_something, capsys, monkeypatch):
    monkeypatch.setenv("QUANTEXT_PROGRESS", "json")
    with told_of_compiling(quiet=False):
        compile_something()
    said = '{"stage": "compiling, once", "done": 0, "total": null}\n'
    assert capsys.readouterr() == ("", said)


def test_nobody_is_told_who_wants_quiet(compile_something, capsys):
    with told_of_compiling(quiet=True):
        compile_something()
    assert capsys.readouterr() == ("", "")


def test_people_are_told_what_cannot_be_kept(capsys):
    with told_of_compiling(quiet=False):
        kernels.LOGGER.info(kernels.NOT_KEPT, "scan", "/full", "No space left on device")
        kernels.LOGGER.info(kernels.NOT_KEPT, "count", "/full", "No space left on device")
    assert capsys.readouterr().err == (
        "Note: what is compiled cannot be kept in /full (No space left on device); until it can, "
        "every run compiles again\n"
    )
    assert kernels.LOGGER.level == logging.NOTSET
