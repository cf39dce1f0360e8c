"""How many 95% regions hold the shares of a bag, by their ellipse and by their box.

Scores are made up but calibrated: each class is a normal distribution around a corner, and a
document's score of a class is the log-odds of its true posterior at the training prevalence. For
each bag everything is drawn anew, the labelled documents too. Bags have shares drawn uniformly, or
such that most classes are rare; training is even, or its classes are rare as well.

A thousand bags with 200 replicates take about two minutes of CPU time a row by ACC and PACC, five
by EMQ. Rows of several seeds may be averaged.
"""

import argparse
import time

import numpy as np
from scipy.special import log_softmax

from quantext.models.methods import method
from quantext.scores.training import TrainingScores

UNEVEN = (0.4, 0.3, 0.15, 0.1, 0.05)
CELLS = {  # training prevalence, concentration of the bags' shares: 1 is uniform
    "3": ((1 / 3,) * 3, 1.0),
    "5": ((0.2,) * 5, 1.0),
    "5, rare in bags": ((0.2,) * 5, 0.3),
    "5, rare in training": (UNEVEN, 1.0),
    "5, rare in both": (UNEVEN, 0.3),
}


def documents(rng, counts, p_train, distance=2.0):
    """Scores of documents, and their classes."""
    y = np.repeat(np.arange(len(counts)), counts)
    place = rng.normal(size=(len(y), len(counts)))
    place[np.arange(len(y)), y] += distance
    log_p = log_softmax(distance * place + np.log(p_train), axis=1)
    return log_p - np.log(-np.expm1(log_p)), y


def measure(name, cell, options):
    """Whether ellipse and box hold the truth, and the volume of both, by bag."""
    p_train, concentration = CELLS[cell]
    rng, rows = np.random.default_rng(options.seed), []
    while len(rows) < options.bags:
        labelled, y = documents(rng, rng.multinomial(options.train, p_train), p_train)
        shares = rng.dirichlet(np.full(len(p_train), concentration))
        counts = rng.multinomial(options.size, shares)
        bag, _ = documents(rng, counts, p_train)
        if len(np.unique(y)) < len(p_train):
            continue
        quantifier = method(name).fit_scores(TrainingScores.given(labelled, y))
        summary, p_true = quantifier.summarise(bag), counts / options.size
        region = quantifier.region(summary, replicates=options.replicates)
        volumes = region.volume_share, region.box.volume_share
        rows.append((p_true in region, p_true in region.box, *volumes))
    return np.array(rows, dtype=float)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--methods", nargs="*", default=["ACC", "PACC", "EMQ", "Adaptive"])
    parser.add_argument("--cells", nargs="*", default=list(CELLS), choices=CELLS)
    parser.add_argument("--bags", type=int, default=1000)
    parser.add_argument("--size", type=int, default=250, help="documents in a bag")
    parser.add_argument("--train", type=int, default=400, help="labelled documents")
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(f"{options.bags} bags of {options.size} documents, {options.train} labelled ones each")
    print(f"{'':31}{'holds the truth':>18}{'volume share':>18}")
    head = ("ellipse", "box") * 2
    print(f"{'method':10}{'classes':21}" + "".join(f"{name:>9}" for name in head) + "   CPU s")
    for name in options.methods:
        for cell in options.cells:
            start = time.process_time()
            means = measure(name, cell, options).mean(axis=0)
            cells = "".join(f"{value:9.3f}" for value in means[:2])
            cells += "".join(f"{value:9.4f}" for value in means[2:])
            spent = time.process_time() - start
            print(f"{name:10}{cell:21}{cells}{spent:8.0f}", flush=True)


if __name__ == "__main__":
    main()
