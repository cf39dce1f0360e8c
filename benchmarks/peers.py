"""Every method that we share with QuaPy, mlquantify or quantificationlib, side by side.

The peers live in an environment of their own, `.venv-peers` beside this folder, which the script
makes on its first run; ``--python`` names another interpreter that has them. Every measurement is a
process of its own, ours and theirs in turn, with one thread.

A method's own part is what it does beyond training and scoring: all libraries get the same
calibrated posteriors of a logistic regression. Methods on words get the same dense arrays of few
documents. In all: with 50 folds of our LinearSVM, and of LinearSVC in QuaPy, which calibrates it in
each fold where a method needs posteriors; training and scoring are measured once for all methods
that need them alike, and added to their own parts. All takes half an hour of the processor.
``--small`` tries everything in few minutes; ``--methods`` measures only some. ``--kept`` names a
file to which each measurement is written and from which, after an interruption, it is read; methods
that are named are always measured anew.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import venv
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.peer_data import N_BAGS, SMALL, Sizes, exact_kernel_likelihood, write_data
from benchmarks.peer_methods import CONVERGED, LIBRARIES, ON_WORDS
from benchmarks.peer_worker import KINDS
from quantext import METHODS

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv-peers"
PEERS = ["quapy[bayes]==0.2.3", "mlquantify==0.5.1", "quantificationlib==0.1.2"]
# quantificationlib imports six and does not say so; with later JAX, QuaPy's Bayesian CC fails.
BESIDES = ["six", "jax==0.4.38", "jaxlib==0.4.38", "numpyro==0.16.1"]
ONE_THREAD = dict.fromkeys(
    ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"], "1"
)
SHARED = [
    "CC", "PCC", "ACC", "PACC", "T50", "X", "MAX", "MS", "MS2", "EMQ", "EMQ(BCTS)", "CDE",
    "HDy", "DyS", "DMy", "EDy", "KDEy-ML", "KDEy-HD", "KDEy-CS", "BBSE", "Friedman", "Bayesian CC",
    "HDx", "ReadMe", "PWK", "Training prevalence",
]  # fmt: skip
SEVERAL = ["CC", "PCC", "ACC", "PACC", "EMQ"]  # also compared with several classes
# How methods are trained: QuaPy's, if not with calibrated folds, and ours, if not with folds.
UNTRAINED = [*ON_WORDS, "Training prevalence"]
QUAPY_KINDS = {"CC": "plain", "PCC": "calibrated"} | dict.fromkeys(
    ["ACC", "T50", "X", "MAX", "MS", "MS2", "BBSE", "Bayesian CC"], "folds"
)
COLUMNS = [
    "method", "library", "fit, s", "predict 10 bags, s", "times ours", "in all, s", "times ours",
    "peak MB", "beyond import", "AE × 100", "from ours",
]  # fmt: skip
OWN_TIMES, ALL_TIMES, KDEY_TIMES = 3, 10, 50  # how much faster than QuaPy we mean to be
WORTH = 0.1  # seconds of QuaPy, from which that is asked


@dataclass(frozen=True)
class Measured:
    """What a process measured: CPU seconds of fit and predict, megabytes, estimates.

    `imported` is what it had before there was anything to do.
    """

    fit: float
    predict: float
    megabytes: float
    imported: float
    p_hat: np.ndarray | None = None

    @property
    def own(self):
        """Seconds of both."""
        return self.fit + self.predict

    @property
    def more(self):
        """Megabytes beyond those of importing the library."""
        return self.megabytes - self.imported


@dataclass(frozen=True)
class Bench:
    """Where data are, which interpreter the peers have, and what is measured already.

    Parameters
    ----------
    folder
        Of the data.
    python
        Of the peers.
    kept
        Where measurements are written, a line each; None: nowhere.
    anew
        Methods of which nothing is taken from there.
    """

    folder: Path
    python: Path
    kept: Path | None = None
    anew: tuple[str, ...] = ()

    def run(self, job, library, what, *data):
        """What a process measured, now or before, or the last line of its error."""
        key = [job, library, what, *data]
        found = None if what in self.anew else self._found(key)
        if found is None:
            found = self._measured(*key)
            if self.kept is not None:
                with self.kept.open("a") as file:
                    file.write(json.dumps([key, found]) + "\n")
        if isinstance(found, str):
            return found
        p_hat = np.array(found["p_hat"]) if "p_hat" in found else None
        memory = found["megabytes"], found["imported"]
        return Measured(found["fit"][1], found["predict"][1], *memory, p_hat)

    def _found(self, key):
        """The last of these measurements that was kept, if there is any."""
        if self.kept is None or not self.kept.exists():
            return None
        lines = map(json.loads, self.kept.read_text().splitlines())
        return next((found for own, found in reversed(list(lines)) if own == key), None)

    def _measured(self, job, library, what, *data):
        python = sys.executable if library == "quantext" else self.python
        command = [python, "-m", "benchmarks.peer_worker", job, library, what, self.folder, *data]
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=os.environ | ONE_THREAD,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            return (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1]
        found = json.loads(done.stdout)
        print(f"{job} {what}, {library}: {found['fit']} {found['predict']}", file=sys.stderr)
        return found


def peers_python():
    """The interpreter of the peers' environment, which is made if it is not there."""
    python = ENVIRONMENT / "bin" / "python"
    if not (ENVIRONMENT / ".complete").exists():
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        (ENVIRONMENT / ".gitignore").write_text("*\n")
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *PEERS, *BESIDES], check=True)
        (ENVIRONMENT / ".complete").touch()
    return python


def names_in_libraries(python):
    """The methods of each peer, by our names."""
    code = (
        "import json; from benchmarks.peer_methods import LIBRARIES; "
        "print(json.dumps({k: [*v(2).make] for k, v in LIBRARIES.items() if k != 'quantext'}))"
    )
    done = subprocess.run(
        [python, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout.splitlines()[-1])


def seconds(value):
    return f"{value:.4f}" if value < 0.1 else f"{value:.2f}"


def difference(one, other):
    return float(np.abs(one.p_hat - other.p_hat).max())


def print_training(trained):
    print("\n| training and scoring | library | fit, s | score 10 bags, s | peak MB |")
    print("|---|---|--:|--:|--:|")
    for (kind, library), m in trained.items():
        print(f"| {kind} | {library} | {m.fit:.2f} | {m.predict:.2f} | {m.megabytes:.0f} |")


def training_seconds(trained, method, library):
    """CPU seconds of training and scoring, None where that is not measured."""
    if method in UNTRAINED:
        return 0.0
    if library == "quantext":
        kind = "plain" if method == "CC" else "folds"
    elif library == "QuaPy":
        kind = QUAPY_KINDS.get(method, "calibrated folds")
    else:
        return None
    return trained[kind, library].own


def print_method(method, measured, trained, p_true):
    """The rows of a method in the table: ours first."""
    ours = measured["quantext"]
    for library, m in measured.items():
        if isinstance(m, str):
            print(f"| {method} | {library} | fails: {m[:60]} | | | | | | | | |", flush=True)
            continue
        error = f"{100 * np.abs(m.p_hat[:, 1] - p_true).mean():.2f}"
        training = training_seconds(trained, method, library)
        in_all = "" if training is None else f"{training + m.own:.2f}"
        times = all_times = apart = ""
        if m is not ours:
            times, apart = f"{m.own / ours.own:.1f}", f"{difference(m, ours):.1e}"
            if training:
                our_all = training_seconds(trained, method, "quantext") + ours.own
                all_times = f"{(training + m.own) / our_all:.1f}"
        cells = [method, library, seconds(m.fit), seconds(m.predict), times, in_all, all_times]
        cells += [f"{m.megabytes:.0f}", f"{m.more:.0f}", error, apart]
        print(f"| {' | '.join(cells)} |", flush=True)


def print_demands(own, trained):
    """Which of the things that we mean to hold against QuaPy do hold."""
    print("\nAgainst QuaPy:")
    for method, measured in own.items():
        ours, theirs = measured["quantext"], measured.get("QuaPy")
        if not isinstance(theirs, Measured):
            continue
        told = []
        times = theirs.own / ours.own
        if theirs.own > WORTH:
            told.append((times >= OWN_TIMES, f"own part {times:.1f} times as fast"))
        if method == "KDEy-ML":
            times = theirs.predict / ours.predict
            told.append((times >= KDEY_TIMES, f"predict {times:.0f} times as fast"))
        if training := training_seconds(trained, method, "QuaPy"):
            our_all = training_seconds(trained, method, "quantext") + ours.own
            times = (training + theirs.own) / our_all
            told.append((times >= ALL_TIMES, f"in all {times:.1f} times as fast"))
        less = ours.megabytes <= theirs.megabytes
        told.append((less, f"{ours.megabytes:.0f} MB for {theirs.megabytes:.0f}"))
        told.append(
            (ours.more <= theirs.more, f"{ours.more:.0f} beyond import for {theirs.more:.0f}")
        )
        print(f"{method:20}" + "; ".join(f"{'yes' if ok else 'NO'}: {text}" for ok, text in told))
    for kind in ("plain", "folds"):
        pair = trained[kind, "quantext"].megabytes, trained[kind, "QuaPy"].megabytes
        ok = "yes" if pair[0] <= pair[1] else "NO"
        print(f"training, {kind:10}{ok}: {pair[0]:.0f} MB for {pair[1]:.0f}")


def residuals(rows, train_rows, y, p_hat):
    """Distances |q − Mp| that ACC and PACC make least, of each bag."""
    rates = np.column_stack([train_rows[y == k].mean(axis=0) for k in range(train_rows.shape[1])])
    pairs = zip(rows, p_hat, strict=True)
    return np.array([np.linalg.norm(own.mean(axis=0) - rates @ p) for own, p in pairs])


def print_agreement(bench, own, data):
    """How far our estimates are from QuaPy's on the same posteriors, and who fits them better."""
    arrays = np.load(bench.folder / f"{data}.npz")
    train, y = arrays["train"], arrays["y"]
    bags = [arrays[str(i)] for i in range(N_BAGS)]
    n_classes = train.shape[1]
    print(f"\nOn the same posteriors of {n_classes} classes, largest difference from QuaPy:")
    for method in SEVERAL:
        if method not in own:
            continue
        ours = own[method]["quantext"]
        peer = CONVERGED if method == "EMQ" else method
        theirs = bench.run("own", "QuaPy", peer, data) if method == "EMQ" else own[method]["QuaPy"]
        if isinstance(theirs, str) or isinstance(ours, str):
            print(f"{method:6}not compared: {theirs if isinstance(theirs, str) else ours}")
            continue
        line = f"{peer:16}{difference(ours, theirs):.1e}"
        if method in ("ACC", "PACC"):
            pick = np.eye(n_classes)
            rows = [pick[b.argmax(axis=1)] if method == "ACC" else b for b in (train, *bags)]
            found = [residuals(rows[1:], rows[0], y, m.p_hat) for m in (ours, theirs)]
            worse = float((found[0] - found[1]).max())
            line += f"; our |q − Mp| less theirs, at most {worse:.1e}"
        print(line, flush=True)


def print_exact_kernels(bench, own):
    """How far KDEy-ML is from the sum over all kernels."""
    arrays = np.load(bench.folder / "posteriors.npz")
    exact = [
        exact_kernel_likelihood(arrays["train"], arrays["y"], arrays[str(i)]) for i in range(N_BAGS)
    ]
    for library, m in own["KDEy-ML"].items():
        if isinstance(m, Measured):
            apart = np.abs(m.p_hat[:, 1] - exact).max()
            print(f"KDEy-ML, {library}: {apart:.1e} from the sum over all kernels")


def measure_several_classes(bench):
    """Estimates of some methods for posteriors of several classes, by us and by QuaPy."""
    own = {}
    for method in SEVERAL:
        if method != "EMQ":  # which calibrates them anew, so that they would be others
            libraries = ["quantext", "QuaPy"]
            own[method] = {name: bench.run("own", name, method, "several") for name in libraries}
    return own


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true", help="a tenth of the documents")
    parser.add_argument("--methods", nargs="*", default=[], help="of ours, by name; all of them")
    parser.add_argument("--python", type=Path, help="an interpreter that has the peers")
    parser.add_argument("--kept", type=Path, help="a file of what is measured, to go on from")
    options = parser.parse_args()
    python = options.python or peers_python()
    sizes = SMALL if options.small else Sizes()
    if unknown := sorted(set(options.methods) - set(SHARED)):
        parser.error(f"no library shares {', '.join(unknown)}; choose of {', '.join(SHARED)}")
    methods = [name for name in options.methods or SHARED if name in METHODS]
    print(f"quantext {version('quantext')}, {', '.join(PEERS)}; Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as name, threadpool_limits(1):
        bench = Bench(Path(name), python, options.kept, tuple(options.methods))
        accuracy, length = write_data(bench.folder, sizes)
        print(
            f"{sizes.n_train:,} × {sizes.n_words:,}, {length:.0f} non-zeros a row, accuracy "
            f"{accuracy:.2f}; {N_BAGS} bags of {sizes.n_bag:,}; processor seconds, one thread"
        )
        pairs = [(k, own) for k in KINDS for own in ("quantext", "QuaPy")]
        pairs = [(k, own) for k, own in pairs if own == "QuaPy" or k in ("plain", "folds")]
        trained = {(kind, library): bench.run("train", library, kind) for kind, library in pairs}
        if failed := [told for told in trained.values() if isinstance(told, str)]:
            raise SystemExit(f"training fails: {failed[0]}")
        print_training(trained)
        measure_methods(bench, methods, trained)


def measure_methods(bench, methods, trained):
    """Measure, and print, one method after the other, in all libraries that have it."""
    peers = names_in_libraries(bench.python)
    print(f"\n| {' | '.join(COLUMNS)} |")
    print("|---|---|" + "--:|" * (len(COLUMNS) - 2))
    own = {}
    for method in methods:
        libraries = [name for name in LIBRARIES if name == "quantext" or method in peers[name]]
        if len(libraries) == 1:
            continue
        measured = {library: bench.run("own", library, method) for library in libraries}
        if isinstance(measured["quantext"], str):
            raise SystemExit(f"{method} of quantext fails: {measured['quantext']}")
        own[method] = measured
        on = ON_WORDS.get(method)
        p_true = np.load(bench.folder / f"{on}.npz")["p_true"] if on else None
        if p_true is None:
            p_true = np.load(bench.folder / "labels.npy")
        print_method(method, measured, trained, p_true)
    print_demands(own, trained)
    print_agreement(bench, own, "posteriors")
    print_agreement(bench, measure_several_classes(bench), "several")
    if "KDEy-ML" in own:
        print_exact_kernels(bench, own)


if __name__ == "__main__":
    main()
