"""Results of an experiment that was never run: plausible, seeded, of any size."""

from datetime import date, timedelta

import numpy as np
import polars as pl

from quantext.experiments.results import SCHEMA

# name: share of the positives that it loses, noise of its log-odds, classifies, shares scoring
METHODS = {
    "SVM(KLD)": (0.05, 0.12, True, False),
    "CC": (0.30, 0.12, True, False),
    "ACC": (0.06, 0.25, False, True),
    "PACC": (0.04, 0.22, False, True),
    "PCC": (0.02, 0.16, False, True),
    "MAX": (0.10, 0.45, False, True),
    "MS": (0.00, 0.80, False, True),
    "Training prevalence": None,
}
MORE_METHODS = {
    name: (0.05, noise, name.startswith("SVM"), not name.startswith("SVM"))
    for name, noise in {
        "T50": 0.9, "X": 0.5, "MM(KS)": 0.7, "MM(PP)": 0.6, "PCC(logistic)": 1.2,
        "PACC(logistic)": 0.4, "MS2": 0.5, "EMQ": 0.2, "SVM(NKLD)": 0.15, "SVM(AE)": 0.2,
        "SVM(RAE)": 0.22, "SVM(Q)": 0.3,
    }.items()
}  # fmt: skip


def example_results(
    n_tasks=30, n_bags=12, methods=METHODS, *, intervals=False, by="week", seed=0, names=None
):
    """One row per task, method and bag, task by task, bags in order of time."""
    rng = np.random.default_rng(seed)
    n_train = 12_800
    sizes = rng.integers(900, 4000, n_bags)
    p_train = np.maximum(np.round(np.sort(rng.beta(0.35, 9, n_tasks))[::-1] * n_train), 1) / n_train
    walk = rng.normal(0, 0.12, (n_tasks, n_bags)).cumsum(1) + rng.normal(0, 0.15, (n_tasks, 1))
    positives = rng.binomial(sizes, _expit(_logit(p_train)[:, None] + walk))
    task, bag = (grid.ravel() for grid in np.mgrid[:n_tasks, :n_bags])
    size, p_train, positives = sizes[bag], p_train[task], positives.ravel()
    names = np.array(names or [f"C{t:03d}" for t in range(n_tasks)])
    days = [date(1996, 8, 26) + timedelta(weeks=b) for b in range(n_bags)]
    labels = [f"{by} {b + 1}" for b in range(n_bags)]
    frames = []
    for method, kind in methods.items():
        loss, noise, classifies, shares = kind or (0, 0, False, False)
        p_true = positives / size
        p_hat = p_train
        if kind:
            p = np.clip(p_true * (1 - loss), 0.3 / size, 0.999)
            p_hat = _expit(_logit(p) + rng.normal(0, noise, len(p)))
        tp = rng.binomial(positives, 0.7)
        predicted = np.clip(np.round(p_hat * size).astype(int), tp, size - positives + tp)
        if classifies:
            p_hat = predicted / size
        columns = {
            "task": names[task],
            "method": [method] * len(task),
            "bag": [labels[b] for b in bag],
            "class": pl.Series([None] * len(task), dtype=pl.String),
            "period": [days[b] if by == "week" else labels[b] for b in bag],
            "size": size,
            "n_train": np.full(len(task), n_train),
            "p_train": p_train,
            "p_true": p_true,
            "p_hat": p_hat,
            "tp": tp,
            "fp": predicted - tp,
            "fn": positives - tp,
            "tn": size - positives - predicted + tp,
            "tpr_train": np.full(len(task), 0.7),
            "fpr_train": np.full(len(task), 0.003),
            "low": np.maximum(p_hat - 2 * np.sqrt(p_hat / size), 0),
            "high": np.minimum(p_hat + 2 * np.sqrt(p_hat / size) + 1 / size, 1),
            "fit_seconds": np.full(len(task), 0.2 if shares else 0.05),
            "shared_seconds": np.full(len(task), 0.18 if shares else 0.0),
            "predict_seconds": rng.uniform(1e-4, 3e-4, len(task)),
        }
        none = [] if classifies else ["tp", "fp", "fn", "tn", "tpr_train", "fpr_train"]
        none += [] if intervals and kind else ["low", "high"]
        frame = pl.DataFrame(columns)
        frames.append(frame.with_columns(pl.lit(None, frame[c].dtype).alias(c) for c in none))
    order = pl.Enum(list(dict.fromkeys(names.tolist())))
    return pl.concat(frames).sort(pl.col("task").cast(order), maintain_order=True)


def row(task="c", method="CC", bag="b", **values):
    """One row: what a test does not name is null, or an ordinary number."""
    ordinary = {"size": 100, "n_train": 100, "p_train": 0.2, "p_true": 0.2, "p_hat": 0.2}
    return dict.fromkeys(SCHEMA) | {"task": task, "method": method, "bag": bag} | ordinary | values


def joint(shares, p_true, p_train, *, method="CC", bag="b", **values):
    """Rows of all classes at once: estimates by class, and their true and training prevalences."""
    return [
        row("all classes", method, bag, **{"class": name}, p_hat=p, p_true=q, p_train=r, **values)
        for (name, p), q, r in zip(shares.items(), p_true, p_train, strict=True)
    ]


def frame(*rows):
    """The rows as a frame with the types of results."""
    return pl.DataFrame(list(rows), schema=SCHEMA)


def _logit(p):
    return np.log(p / (1 - p))


def _expit(x):
    return 1 / (1 + np.exp(-x))
