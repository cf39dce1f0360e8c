"""ACC with 50 folds against QuaPy's, and all ten baselines against ACC alone.

CPU time of ``fit``, one thread, the same generated matrix and process, interleaved rounds. QuaPy
has LinearSVC, as double-precision data, which it likes best. It lives in an environment of its own,
`.venv-bench` beside this folder, which the script makes on its first run and goes on in.
"""

import importlib.util
import json
import subprocess
import sys
import time
import venv
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks.ratios import MissingPeerError, Ratio, cpu_seconds, in_turns

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENT = ROOT / ".venv-bench"
QUAPY = "quapy==0.2.3"
ROUNDS = 3
BASELINES = ["CC", "PCC", "ACC", "PACC", "T50", "X", "MAX", "MS", "MM(KS)", "MM(PP)"]


def own_python():
    """The interpreter of the environment, which is made if it is not there or not whole."""
    python, whole = ENVIRONMENT / "bin" / "python", ENVIRONMENT / ".installed"
    if not whole.exists():
        print(f"making {ENVIRONMENT} with {QUAPY}, once", file=sys.stderr, flush=True)
        venv.create(ENVIRONMENT, with_pip=True)
        (ENVIRONMENT / ".gitignore").write_text("*\n")
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        done = subprocess.run(
            [*pip, QUAPY, "-e", ROOT], check=False, capture_output=True, text=True
        )
        if done.returncode:
            reason = (done.stderr.strip().splitlines() or ["pip did not say why"])[-1]
            raise MissingPeerError(f"the peer {QUAPY} could not be installed: {reason}")
        whole.touch()
    return python


def ratios(folder: Path) -> list[Ratio]:
    """CPU time of a fit of ACC, measured in the environment of the peer."""
    del folder
    command = [own_python(), "-m", "benchmarks.quapy_acc", "--ratios"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["it did not say why"])[-1]
        raise MissingPeerError(
            f"the peer {QUAPY} could not be measured: {reason}; if {ENVIRONMENT} is damaged, "
            "delete it and run this again"
        )
    return [Ratio(**own) for own in json.loads(done.stdout.splitlines()[-1])]


def measured():
    """What `ratios` tells, for one label of generated documents."""
    from quapy.method.aggregative import ACC
    from sklearn.svm import LinearSVC

    from benchmarks.folds_speed import generated
    from quantext.models.methods import method

    X, Y = generated(6_000)
    y = Y[:, 2]
    double = X.astype(np.float64)
    method("ACC").fit(X, y)  # loads the kernels
    return in_turns(
        f"ACC with 50 folds, {len(y):,} generated documents",
        lambda: cpu_seconds(lambda: method("ACC").fit(X, y)),
        {
            QUAPY: lambda: cpu_seconds(
                lambda: ACC(LinearSVC(), val_split=50, n_jobs=1).fit(double, y)
            )
        },
        rounds=3,
    )


def seconds(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def compare(X, y):
    from quapy.method.aggregative import ACC
    from sklearn.svm import LinearSVC

    from quantext.learners.linear import LinearSVM
    from quantext.models.methods import method
    from quantext.scores.training import score_training

    double = X.astype(np.float64)

    def acc():
        method("ACC").fit(X, y)

    def quapy():
        ACC(LinearSVC(), val_split=50, n_jobs=1).fit(double, y)

    def ten():
        scores = score_training(LinearSVM(), X, y, folds=50)
        for name in BASELINES:
            method(name).fit_scores(scores)

    ten()  # compile
    rounds = [(seconds(acc), seconds(ten), seconds(quapy)) for _ in range(ROUNDS)]
    return np.median(rounds, axis=0)


def main():
    if importlib.util.find_spec("quapy") is None:
        command = [own_python(), "-m", "benchmarks.quapy_acc"]
        sys.exit(subprocess.run(command, cwd=ROOT, check=False).returncode)
    if sys.argv[1:] == ["--ratios"]:
        print(json.dumps([asdict(own) for own in measured()]))
        return
    from benchmarks.folds_speed import generated

    X, Y = generated()
    print(f"{X.shape[0]:,} × {X.shape[1]:,}, {X.nnz / X.shape[0]:.0f} non-zeros a row; {QUAPY}")
    print(f"{'prevalence':>12}{'ACC, s':>9}{'QuaPy, s':>10}{'ratio':>8}{'ten, s':>9}{'ten/ACC':>9}")
    for y in Y.T:
        acc, ten, quapy = compare(X, y)
        ratios = f"{acc:9.3f}{quapy:10.2f}{quapy / acc:8.1f}{ten:9.3f}{ten / acc:9.2f}"
        print(f"{y.mean():12.4f}{ratios}", flush=True)


if __name__ == "__main__":
    main()
