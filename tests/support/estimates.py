"""Made-up estimates of drifting shares, as the page of estimates takes them."""

import datetime

import numpy as np
import polars as pl

TOPICS = ("battery", "camera", "screen", "price", "delivery", "support", "sound", "design")
MONDAY = datetime.date(2024, 2, 26)


def example_estimates(
    n_classes=12, n_bags=32, *, intervals=True, truth=True, multilabel=True, names=None, seed=0
):
    """A row per bag and class; the truth wanders, estimates err by about a point."""
    rng = np.random.default_rng(seed)
    if names is None:
        names = [
            f"{TOPICS[k % 8]} {k // 8 + 1}" if k >= 8 else TOPICS[k % 8] for k in range(n_classes)
        ]
    p_train = rng.dirichlet(np.full(n_classes, 1.5))
    p_train = np.clip(2.5 * p_train, 0.001, 0.6) if multilabel else p_train
    steps = rng.normal(0, 0.06, (n_bags, n_classes)).cumsum(axis=0)
    true = p_train * np.exp(steps - 0.02)
    true = np.clip(true, 0, 0.9) if multilabel else true / true.sum(axis=1, keepdims=True)
    size = rng.integers(400, 700, n_bags)
    error = np.sqrt(true * (1 - true) / 500)
    share = np.clip(true + rng.normal(0, 1, true.shape) * error, 0, 1)
    share = share if multilabel else share / share.sum(axis=1, keepdims=True)
    rows = [
        {
            "batch": MONDAY + datetime.timedelta(weeks=b),
            "class": names[k],
            "share": share[b, k],
            "count": round(share[b, k] * size[b]),
            "low": max(0.0, share[b, k] - 1.96 * error[b, k]) if intervals else None,
            "high": min(1.0, share[b, k] + 1.96 * error[b, k]) if intervals else None,
            "size": int(size[b]),
            "p_train": p_train[k],
            **({"true_share": true[b, k]} if truth else {}),
        }
        for b in range(n_bags)
        for k in range(n_classes)
    ]
    schema = {"low": pl.Float64, "high": pl.Float64}
    return pl.DataFrame(rows, schema_overrides=schema)
