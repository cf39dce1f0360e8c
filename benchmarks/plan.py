"""Whether the number of labels that a plan says is needed is enough, and intervals hold the truth.

Made-up files of 20,000 documents, of which a model labels a part right and guesses the rest. Each
is labelled as somebody would: a pilot of 100, then what the plan says then, once or until it says
that the target is reached. Printed are the half width of the widest interval as a share of the
target, how many intervals hold the true share, and the labels, with the number that would be needed
without the model. 40 files of each kind take half a minute of CPU time.
"""

import argparse

import numpy as np

import quantext as qx

KINDS = [
    ("two classes", (0.8, 0.2), 0.8, 0.03),
    ("two, even", (0.5, 0.5), 0.9, 0.03),
    ("five classes", (0.4, 0.3, 0.15, 0.1, 0.05), 0.8, 0.03),
    ("three, rare", (0.9, 0.08, 0.02), 0.95, 0.01),
]


def label(plan, truth):
    """All rows of a plan labelled, and the probabilities with which they were drawn."""
    known, design = np.full(len(truth), None, dtype=object), np.full(len(truth), np.nan)
    known[plan.rows], design[plan.rows] = truth[plan.rows], plan.chances
    return known, design


def simulate(shares, right, target, rounds, size, seed):
    """Relative half width, share of intervals that hold the truth, labels, labels without."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(len(shares), size, p=shares)
    says = np.where(rng.random(size) < right, truth, rng.choice(len(shares), size)).astype(str)
    truth = truth.astype(str)
    plan = qx.plan(says, target=target, seed=seed)
    for _ in range(rounds):
        known, design = label(plan, truth)
        plan = qx.plan(says, target=target, truth=known, design=design, seed=seed)
        if plan.reached:
            break
    known, design = label(plan, truth)
    table = qx.correct(says, known, design=design).to_frame()
    true = np.array([(truth == name).mean() for name in table["class"]])
    low, high = table["low"].to_numpy(), table["high"].to_numpy()
    held = (low <= true + 1e-9) & (true <= high + 1e-9)
    return (high - low).max() / 2 / target, held.mean(), len(plan.rows), plan.needed_without


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--size", type=int, default=20_000)
    options = parser.parse_args()
    print(f"{'':16}{'rounds':>8}{'width':>8}{'held':>7}{'labels':>8}{'without':>9}")
    for name, shares, right, target in KINDS:
        for rounds, called in ((1, "one"), (9, "all")):
            found = [
                simulate(shares, right, target, rounds, options.size, seed)
                for seed in range(options.files)
            ]
            width, held, labels, without = np.mean(found, axis=0)
            print(f"{name:16}{called:>8}{width:8.2f}{held:7.3f}{labels:8.0f}{without:9.0f}")


if __name__ == "__main__":
    main()
