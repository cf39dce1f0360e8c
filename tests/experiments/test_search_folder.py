"""The folder of a search: what counts as the same search, and what is left of damaged files."""

import functools
import os
import subprocess
import sys
import threading

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import quantext as qx
from quantext.experiments import folder
from quantext.experiments.folder import OtherRunError
from quantext.experiments.protocol_names import uniform
from quantext.experiments.search import searchq
from quantext.experiments.search.identity import identity
from quantext.measures import absolute_error
from quantext.progress import silent
from tests.support.searching import HALVES, CountingSVM, Says, X, Y
from tests.support.survey import survey

FEW = uniform(bags=8, size=20)


@pytest.fixture
def validated(monkeypatch):
    monkeypatch.setattr(CountingSVM, "validated", [])
    return lambda: sorted(CountingSVM.validated)


def search(out, **options):
    given = {"quantifier": qx.AdjustedCount(LogisticRegression(), folds=5)}
    given |= {"param_grid": {"classifier__C": [0.1, 1.0]}, "protocol": FEW, "out": out}
    return qx.SearchQ(**given | options)


# What is the same


def times(factor):
    return lambda p_true, p_hat, **_: factor * np.abs(p_true - p_hat).mean()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda p, q, **_: np.abs(p - q).mean(), lambda p, q, **_: 9 + np.abs(p - q).mean()),
        (times(1), times(2)),
        (functools.partial(times(1)), functools.partial(times(2))),
    ],
)
def test_a_measure_with_another_code_is_another_search(tmp_path, one, other):
    search(tmp_path, measure=one).fit(X, Y)
    with pytest.raises(OtherRunError, match="measure is"):
        search(tmp_path, measure=other).fit(X, Y)
    search(tmp_path, measure=one).fit(X, Y)


def test_functions_of_a_grid_are_told_apart_by_what_they_do(tmp_path):
    def found(*functions):
        whole = make_pipeline(
            FunctionTransformer(), qx.AdjustedCount(LogisticRegression(), folds=5)
        )
        grid = {"functiontransformer__func": list(functions)}
        return qx.SearchQ(whole, grid, protocol=FEW, out=tmp_path).fit(X, Y)

    same, nothing = (lambda X: X), (lambda X: 0 * X)
    assert found(same, nothing).best_params_["functiontransformer__func"] is same
    with pytest.raises(OtherRunError, match="setting 1 is"):
        found(nothing, same)


def test_the_number_of_jobs_makes_no_other_search(tmp_path):
    table = survey([30, 30, 30])

    def found(n_jobs):
        forest = RandomForestClassifier(3, random_state=0, n_jobs=n_jobs)
        quantifier = qx.AdjustedCount(forest, folds=3)
        model = qx.TextQuantifier(quantifier, qx.LtcVectorizer(n_jobs=n_jobs))
        out = qx.SearchQ(model, {"folds": [3]}, protocol=FEW, out=tmp_path)
        return out.fit(table["answer"], table["topic"]).best_error_

    assert found(1) == found(2)


def test_identities_are_of_code_state_and_parameters():
    fitted = [FrozenEstimator(LogisticRegression().fit(X, y)) for y in (Y, np.roll(Y, 1))]
    assert identity(fitted[0]) != identity(fitted[1])
    assert identity(np.arange(2000)) != identity(np.arange(2000)[::-1])
    assert identity(np.log) == "ufunc log"
    assert identity(len) == "len of builtins"
    assert identity({"a", "b"}) == identity({"b", "a"})
    assert identity(np.random.RandomState(0)) == identity(np.random.RandomState(0))
    assert identity(lambda x, y=1: x + y) != identity(lambda x, y=2: x + y)
    assert identity("".join) != identity(" ".join)
    assert identity(times(1)) == identity(times(1))


@pytest.mark.slow
def test_identities_are_the_same_in_another_process():
    script = (
        "from quantext.experiments.search.identity import identity\n"
        "print(identity([lambda x: x in {'a', 'b', 'c'}, {'a', 'b', 'c'}, str.lower, 'x'.join]))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
        ).stdout
        for seed in "12"  # they order these names differently
    }
    assert len(told) == 1


def test_what_cannot_be_told_from_others_is_refused():
    class Locks:
        def __init__(self):
            self.lock = threading.Lock()

        def __call__(self, *_, **__):
            return 0.0

    with pytest.raises(ValueError, match=r"cannot be told from others .* or search without out="):
        identity(Locks())


# What is left


@pytest.mark.parametrize("damage", [b"x", b"", None])
def test_a_damaged_piece_is_tried_again(tmp_path, damage):
    first = search(tmp_path).fit(X, Y)
    file = tmp_path / "tasks" / "00000.parquet"
    if damage is None:
        pl.DataFrame({"other": [1]}).write_parquet(file)
    else:
        file.write_bytes(damage)
    again = search(tmp_path).fit(X, Y)
    np.testing.assert_array_equal(first.errors_, again.errors_)
    assert pl.read_parquet(file)["bag"].to_list() == list(range(8))


def test_results_are_written_while_the_folder_is_locked(tmp_path, monkeypatch):
    locked = []

    def write(path, frame):
        with pytest.raises(BlockingIOError), folder.locked(tmp_path):
            pass
        locked.append(path.name)
        folder.write_frame(path, frame)

    monkeypatch.setattr(searchq, "write_frame", write)
    search(tmp_path).fit(X, Y)
    assert locked == ["results.parquet"]


# What is done again


def stop_after(number):
    """Progress that stops the search when so many settings are done."""

    def progress(stage, done, total):
        assert (stage, total) == ("search", 6)
        if done == number:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_search_that_was_stopped_goes_on(tmp_path, validated, n_jobs):
    quantifiers = [qx.AdjustedCount(CountingSVM(), folds=5), qx.ClassifyAndCount(CountingSVM())]
    grid = {"quantifier": quantifiers, "classifier__C": [0.01, 0.1, 1.0]}
    search = qx.SearchQ("CC", grid, protocol=uniform(bags=10), out=tmp_path / "a")
    stopped = clone(search).set_params(progress=stop_after(4), n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(X, Y)
    finished = len(list((tmp_path / "a" / "tasks").glob("*.parquet")))
    assert finished == 2
    CountingSVM.validated.clear()
    heard = []
    search.set_params(progress=lambda *told: heard.append(told[1:]), refit=False).fit(X, Y)
    assert len(validated()) == 1
    assert heard == [(4, 6), (6, 6)]
    whole = clone(search).set_params(out=None, progress=silent).fit(X, Y)
    np.testing.assert_array_equal(search.errors_, whole.errors_)
    assert pl.read_parquet(tmp_path / "a" / "results.parquet").equals(search.results_)
    names = {path.name for path in (tmp_path / "a").iterdir()}
    assert names == {".quantext-lock", "run.json", "results.parquet", "tasks"}


def test_a_finished_search_is_only_read(tmp_path, validated):
    grid = {"classifier__C": [0.1, 1.0]}
    search = qx.SearchQ(
        qx.AdjustedCount(CountingSVM(), folds=5), grid, protocol=uniform(bags=5), out=tmp_path
    )
    first = clone(search).fit(X, Y)
    CountingSVM.validated.clear()
    again = search.fit(X, Y)
    assert len(validated()) == 1  # to fit the best one
    np.testing.assert_array_equal(first.errors_, again.errors_)
    np.testing.assert_array_equal(first.predict(X[:50]), again.predict(X[:50]))


@pytest.mark.parametrize("other", ["X", "y", "grid", "protocol", "measure", "seed"])
def test_the_folder_of_another_search_is_refused(tmp_path, other):
    given = {
        "quantifier": Says(),
        "param_grid": {"share": [0.5]},
        "protocol": "uniform",
        "out": tmp_path,
    }
    qx.SearchQ(**given).fit(X, Y)
    changed = {
        "grid": {"param_grid": {"share": [0.4]}},
        "protocol": {"protocol": "natural"},
        "measure": {"measure": absolute_error},
        "seed": {"seed": 1},
    }
    again = qx.SearchQ(**given | changed.get(other, {}))
    with pytest.raises(OtherRunError, match="holds another run"):
        again.fit(X + (other == "X"), Y[::-1] if other == "y" else Y)


def test_failures_are_tried_again(tmp_path):
    search = qx.SearchQ(Says(), {"share": [2.0, 0.4]}, protocol=HALVES, out=tmp_path)
    for _ in range(2):
        with pytest.warns(FitFailedWarning, match="a share above 1"):
            search.fit(X, Y)
    assert len(list((tmp_path / "tasks").glob("*.parquet"))) == 1
