"""Bounds of shares whose variance was estimated from few documents."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from quantext.labelling.estimator import Estimate

__all__ = ["bounds"]

Array = NDArray[Any]

DOUBT = 6.0  # seen documents of a class, or differences, at which a variance is trusted by half
FREEDOM = 1.5  # degrees of freedom of the variance for each of them


def bounds(found: Estimate, level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lower and upper bounds, those of Wilson (1927) with an effective number of labels.

    The effective number is that of a simple random sample with the same variance. The variance of a
    class that was seen seldom, or whose predictions were hardly ever wrong, is hardly known: it
    leans towards that of a simple random sample of as many documents, whose bounds are Wilson's.

    Parameters
    ----------
    found
        Shares and their variance.
    level
        Of the intervals.
    """
    m = found.n_labels
    share = np.clip(found.share, 0.0, 1.0)
    # Of a good model few differences are seen, of a rare class few documents.
    seen = np.minimum(np.minimum(found.counts, m - found.counts), found.effective)
    usual = (share * m + 1) / (m + 2)
    effect = found.variance / (usual * (1 - usual) * max(found.plain, 1e-300))
    trust = seen**2 / (seen**2 + DOUBT**2)
    effect = trust * effect + (1 - trust)
    quantile = stdtrit(FREEDOM * seen + DOUBT, (1 + level) / 2)
    spread = quantile**2 * effect * found.plain
    centre = (share + spread / 2) / (1 + spread)
    half = np.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)
