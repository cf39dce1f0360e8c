"""How many intervals contain the share they are about, for every method.

Bags drawn from the synthetic survey at prevalences from 0 to 1, 500 in all. Each has a training set
of its own, because bags that share one share its errors: with 20 bags a set, the figure of one run
is good to a few points only. The documents are those of one week, so that nothing but the
prevalence moves. Nominal level 95%, replicates as in ``predict_interval``.

ACC and PACC take four minutes of CPU time, all methods more than an hour; `--bags-a-set 20
--replicates 200` makes that ten minutes.
"""

import argparse
import time

import numpy as np

from quantext.datasets.synthetic import synthetic
from quantext.models.methods import METHODS, USUAL_METHODS
from quantext.scores.training import score_training
from quantext.vectors.ltc import LtcVectorizer


def documents(n_train_sets, n_train, n_pool, positive):
    """Vectors and labels; the vocabulary and its weights are those of the first training set."""
    corpus = synthetic(
        n_train_sets * n_train + n_pool, weeks=1, labels="sentiment", seed=1, n_topics=12
    )
    vectorizer = LtcVectorizer().fit(corpus.texts[:n_train])
    return vectorizer.transform(corpus.texts), corpus.y == positive


def quantifiers():
    """All methods, by those that can share their scores; counts are cross-validated too."""
    groups = {}
    for name in USUAL_METHODS:
        method = METHODS[name]
        quantifier = method.make()
        if hasattr(quantifier, "classifier"):
            folds = quantifier.folds or (10 if name.startswith("SVM") else 50)
            key = repr(quantifier.classifier)
            groups.setdefault(key, (quantifier.classifier, folds, {}))[2][name] = quantifier
    return list(groups.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bags", type=int, default=500)
    parser.add_argument("--size", type=int, default=500, help="documents in a bag")
    parser.add_argument("--train", type=int, default=1000, help="documents in a training set")
    parser.add_argument("--bags-a-set", type=int, default=1, help="bags for a training set")
    parser.add_argument("--replicates", type=int, default=1000)
    parser.add_argument("--positive", default="negative", help="class of interest")
    parser.add_argument("--methods", nargs="*", help="of USUAL_METHODS; all by default")
    options = parser.parse_args()
    rng = np.random.default_rng(0)
    n_sets = -(-options.bags // options.bags_a_set)
    X, y = documents(n_sets, options.train, 40 * options.size, options.positive)
    pool = np.arange(n_sets * options.train, len(y))
    prevalences = rng.permutation(np.linspace(0, 1, options.bags))
    rows, start = {}, time.process_time()
    for i, bags in enumerate(np.array_split(prevalences, n_sets)):
        train = slice(i * options.train, (i + 1) * options.train)
        truths, draws = [], []
        for p in bags:
            positives = round(p * options.size)
            truths.append(positives / options.size)
            parts = (
                rng.choice(pool[y[pool]], positives),
                rng.choice(pool[~y[pool]], options.size - positives),
            )
            draws.append(X[np.concatenate(parts)])
        for classifier, folds, methods in quantifiers():
            chosen = {k: q for k, q in methods.items() if k in (options.methods or USUAL_METHODS)}
            if not chosen:
                continue
            scores = score_training(classifier, X[train], y[train], folds=folds)
            scored = list(map(scores.scorer, draws))
            for name, quantifier in chosen.items():
                fitted = quantifier.fit_scores(scores)
                for truth, bag in zip(truths, scored, strict=True):
                    summary = fitted.summarise_scores(bag)
                    low, high = fitted.interval(summary, replicates=options.replicates)
                    row = truth, fitted.aggregate(summary)[1], low[1], high[1]
                    rows.setdefault(name, []).append(row)
    print(
        f"{options.bags} bags of {options.size} documents, {n_sets} training sets of "
        f"{options.train}, class {options.positive!r} at {y.mean():.2f}, "
        f"{options.replicates} replicates; {time.process_time() - start:.0f} s of CPU time"
    )
    print(f"{'':16}{'coverage':>9}{'p<.1':>7}{'.1–.9':>7}{'p>.9':>7}{'width':>8}{'|error|':>9}")
    for name in USUAL_METHODS:
        if name in rows:
            truth, p_hat, low, high = np.array(rows[name]).T
            hit = (low <= truth + 1e-9) & (truth <= high + 1e-9)
            parts = [truth < 0.1, (truth >= 0.1) & (truth <= 0.9), truth > 0.9]
            cells = "".join(f"{hit[part].mean():7.2f}" for part in parts)
            error = np.abs(p_hat - truth).mean()
            print(f"{name:16}{hit.mean():9.3f}{cells}{np.mean(high - low):8.3f}{error:9.3f}")


if __name__ == "__main__":
    main()
