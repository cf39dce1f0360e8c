"""Mean KLD of SVM(KLD) by C on two corpora: where the default of StructuralSVM comes from.

Run with ``python -m benchmarks.svm_default_c``.
"""

import time

import numpy as np

from benchmarks.corpora import Split, arxiv, folder_argument, reuters
from quantext import measures
from quantext.learners.structural import StructuralSVM

GRID = (1.0, 2.0, 4.0, 8.0, 16.0, 24.0, 48.0)


def mean_kld(split: Split, p_hat: np.ndarray) -> float:
    """Mean over classes and bags of the divergence of the estimated from the true prevalence."""
    binary = measures.binary
    size = split.sizes[:, np.newaxis]
    return float(measures.kld(binary(split.p_true), binary(p_hat), size=size).mean())


def counted(split: Split, model) -> np.ndarray:
    """Share of positives among the predictions, by bag and class."""
    return np.array([model.predict(X).mean(axis=0) for X, _ in split.bags])


def main() -> None:
    folder = folder_argument(__doc__)
    print(f"{'corpus':15}{'C':>6}{'mean KLD':>12}{'CPU s/class':>13}{'planes/class':>14}")
    for split in (reuters(folder), arxiv(folder)):
        for C in GRID:
            start = time.process_time()
            model = StructuralSVM("kld", C=C).fit(split.X, split.Y)
            seconds = (time.process_time() - start) / split.Y.shape[1]
            kld = mean_kld(split, counted(split, model))
            planes = model.n_iter_.mean()
            print(f"{split.name:15}{C:6g}{kld:12.2e}{seconds:13.3f}{planes:14.1f}", flush=True)


if __name__ == "__main__":
    main()
