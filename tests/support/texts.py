"""Made-up texts of a hundred words."""

import numpy as np

from quantext.vectors.batches import BATCH


def many_texts(n=3 * BATCH + 17):
    words = [f"{a}{b}{c}" for a in "bcdfg" for b in "aeiou" for c in ("ng", "ñ", "lling", "st")]
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(words, size)) for size in rng.integers(0, 30, n)]
