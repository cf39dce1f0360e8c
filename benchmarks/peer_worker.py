"""One measurement of `benchmarks.peers`, in a process of its own, printed as a line of JSON.

``own LIBRARY METHOD FOLDER [posteriors]`` fits a method to given posteriors, or a few dense
documents, and estimates all bags: what the method costs beyond training and scoring. ``train
LIBRARY KIND FOLDER`` trains a classifier, as methods of that kind need it, and scores all bags.
Time is both elapsed and of the processor; memory the most that the process ever had (Linux only).
"""

import contextlib
import io
import json
import sys
import time
import warnings
from importlib.metadata import version
from pathlib import Path

import numpy as np
from scipy import sparse

FEW = 200  # documents on which everything runs once before it is measured
ENOUGH = 0.5  # seconds of work, from which one measurement will do
REPEATS = 5
FOLDS = 50
# What an environment may have for other reasons, but none needs: scikit-learn and QuaPy import it
# where it is, and take more memory.
NOT_THEIRS = {"quantext": ["pandas", "pyarrow"], "QuaPy": ["jax"]}
KINDS = ["plain", "folds", "calibrated", "calibrated folds"]


class Absent:
    """A finder of modules that are as if they were not installed."""

    def __init__(self, names):
        self.names = names

    def find_spec(self, name, path=None, target=None):
        """An error for these, nothing for others, which the next finder finds."""
        if name in self.names:
            raise ModuleNotFoundError(f"{name} is not to be found here", name=name)


def timed(work):
    """What work gives, and its elapsed and processor seconds, the least of some if it is short."""
    taken, value = [], None
    while not taken or (len(taken) < REPEATS and sum(cpu for _, cpu in taken) < ENOUGH):
        value = None  # or there would be two of them
        wall, cpu = time.perf_counter(), time.process_time()
        value = work()
        taken.append((time.perf_counter() - wall, time.process_time() - cpu))
    return value, [min(t) for t in zip(*taken, strict=True)]


def peak_megabytes():
    """The most memory of this process so far."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def own(library_name, method, folder, data=None):
    """Seconds of fit and predict, memory, and estimates of all bags."""
    from benchmarks.peer_methods import LIBRARIES, ON_WORDS  # and scikit-learn, once it may

    arrays = np.load(folder / f"{data or ON_WORDS.get(method, 'posteriors')}.npz")
    X, y = arrays["train"], arrays["y"]
    bags = [arrays[name] for name in sorted(set(arrays) - {"train", "y", "p_true"}, key=int)]
    library = LIBRARIES[library_name](int(y.max()) + 1)
    imported = peak_megabytes()

    def fitted(X, y):
        quantifier = library.make[method]()
        library.fit(quantifier, X, y)
        return quantifier

    library.predict(fitted(X[:FEW], y[:FEW]), bags[len(bags) // 2][:FEW])
    quantifier, fit = timed(lambda: fitted(X, y))
    p_hat, predict = timed(lambda: [library.predict(quantifier, bag) for bag in bags])
    return {
        "version": version(library.package),
        "fit": fit,
        "predict": predict,
        "megabytes": peak_megabytes(),
        "imported": imported,
        "p_hat": np.asarray(p_hat, dtype=float).tolist(),
    }


def train(library_name, kind, folder):
    """Seconds of training and of scoring all bags, and memory."""
    work = {"quantext": _train_ours, "QuaPy": _train_quapy}[library_name]
    X = sparse.load_npz(folder / "documents-train.npz").tocsr()
    y = np.load(folder / "posteriors.npz")["y"]
    bags = sorted(folder.glob("documents-[0-9].npz"))
    work(X[:FEW], y[:FEW], kind)(X[:FEW])  # import and compile
    imported = peak_megabytes()
    score, fit = timed(lambda: work(X, y, kind))
    predict = np.zeros(2)
    for file in bags:
        bag = sparse.load_npz(file).tocsr()
        predict += timed(lambda bag=bag: score(bag))[1]
    return {
        "fit": fit,
        "predict": predict.tolist(),
        "megabytes": peak_megabytes(),
        "imported": imported,
    }


def _train_ours(X, y, kind):
    from quantext import LinearSVM
    from quantext.scores.training import score_training

    return score_training(LinearSVM(), X, y, folds=0 if kind == "plain" else FOLDS).scorer


def _train_quapy(X, y, kind):
    """What QuaPy's methods do first; a classifier without posteriors is calibrated by itself."""
    from quapy.method import aggregative
    from sklearn.svm import LinearSVC

    method = {
        "plain": lambda: aggregative.CC(LinearSVC()),
        "folds": lambda: aggregative.T50(LinearSVC(), val_split=FOLDS),
        "calibrated": lambda: aggregative.PCC(LinearSVC()),
        "calibrated folds": lambda: aggregative.PACC(LinearSVC(), val_split=FOLDS, n_jobs=1),
    }[kind]()
    method.classifier_fit_predict(X, y)
    return method.classify


def main():
    job, library, what, folder, *data = sys.argv[1:]
    warnings.simplefilter("ignore")
    if what != "Bayesian CC":
        sys.meta_path.insert(0, Absent(NOT_THEIRS.get(library, [])))
    with contextlib.redirect_stdout(io.StringIO()):  # libraries that talk
        found = {"own": own, "train": train}[job](library, what, Path(folder), *data)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
