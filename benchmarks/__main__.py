"""Run all benchmarks, one after the other: ``python -m benchmarks`` or ``make bench``.

Name some to run only those: ``python -m benchmarks vectorizer svm_speed``. Each prints what it
measured, as ratios against a named peer in the same run where there is one.
"""

import subprocess
import sys

SPEED = [
    "vectorizer", "svm_speed", "folds_speed", "intervals_speed", "quapy_acc", "estimate_speed",
    "search_speed", "many_bags", "start_speed",
]  # fmt: skip
PEERS = ["peers"]  # in an environment of its own; some of their methods take minutes
SCALE = ["scale", "out_of_core"]
ACCURACY = [
    "adaptive",
    "svm_accuracy",
    "svm_default_c",
    "coverage --methods ACC PACC",
    "regions --methods ACC PACC",
    "plan",
    "correction",
    "labelling",
]  # all take an hour


def main():
    names = sys.argv[1:] or SPEED + PEERS + SCALE + ACCURACY
    for name in names:
        print(f"\n== {name}", flush=True)
        subprocess.run([sys.executable, "-m", *f"benchmarks.{name}".split()], check=True)


if __name__ == "__main__":
    main()
