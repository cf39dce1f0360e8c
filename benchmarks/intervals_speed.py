"""CPU time of 1,000 replicates for a bag of 15,000 documents, by method.

The scores are made up: 12,800 out of fold, a tenth of them positive. Fitting is what a method
learns from these scores, without the classifier.
"""

import time

import numpy as np

from quantext.models.methods import METHODS, USUAL_METHODS
from quantext.scores.training import TrainingScores


def scores(rng, n, p):
    y = rng.random(n) < p
    return (rng.normal(size=n) + 2 * y - 1)[:, None], y[:, None]


def seconds(work, *arguments, **options):
    start = time.process_time()
    result = work(*arguments, **options)
    return time.process_time() - start, result


def main():
    rng = np.random.default_rng(0)
    out_of_fold, y = scores(rng, 12_800, 0.1)
    bag, _ = scores(rng, 15_000, 0.3)
    training = TrainingScores(np.asarray, out_of_fold, y, 0.0, np.arange(2), "binary")
    print(f"{'':20}{'fit, ms':>9}{'summary, ms':>13}{'estimate, ms':>14}{'interval, s':>13}")
    for name in USUAL_METHODS:
        method = METHODS[name]
        if name.startswith("SVM"):
            continue  # the same as CC, but for the classifier
        fitted = method.make().fit_scores(training)
        fitted.predict_interval(bag, replicates=2)  # compile
        fit, _ = seconds(fitted.fit_scores, training)
        summarise, summary = seconds(fitted.summarise_scores, bag)
        estimate, _ = seconds(fitted.aggregate, summary)
        interval, _ = seconds(fitted.interval, summary, replicates=1000)
        times = f"{1e3 * fit:9.1f}{1e3 * summarise:13.2f}{1e3 * estimate:14.2f}{interval:13.2f}"
        print(f"{name:20}{times}")


if __name__ == "__main__":
    main()
