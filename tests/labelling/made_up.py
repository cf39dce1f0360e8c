"""Documents of two or three kinds of words, for tests of labelling."""

import numpy as np
from scipy import sparse

from quantext.labelling.representation import Features, features
from quantext.labelling.task import Labels

__all__ = ["labels_of", "texts", "toy_features"]


def texts(truth, seed=0):
    """A short text for each class number: two words of its own, two of all classes."""
    rng = np.random.default_rng(seed)
    return [
        " ".join(
            [f"{'abcdef'[k]}{'xyz'[i]}" for i in rng.integers(0, 3, 2)]
            + [f"common{'pqrstuvw'[i]}" for i in rng.integers(0, 8, 2)]
        )
        for k in truth
    ]


def toy_features(n=60, seed=0):
    """Features of random documents, with scores and themes of letters."""
    rng = np.random.default_rng(seed)
    words = sparse.random(n, 12, density=0.3, random_state=rng, format="csr", dtype=np.float64)
    found = features(words)
    letters = rng.standard_normal((n, 3)).astype(np.float32)
    letters /= np.linalg.norm(letters, axis=1, keepdims=True)
    return Features(found.words, found.themes, rng.random((n, 2)), letters)


def labels_of(waves, truths, skipped=()):
    """Truths of all documents of some waves but the skipped."""
    rows = np.concatenate([wave.rows for wave in waves])
    rows = rows[~np.isin(rows, skipped)]
    return Labels(rows, truths[rows], np.asarray(skipped, dtype=np.int64))
