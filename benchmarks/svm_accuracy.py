"""Mean KLD of SVM(KLD) and its alternatives on two corpora, over all and by quartile of drift.

Run with ``python -m benchmarks.svm_accuracy``. Every class of the training set and every later bag
is one estimate. Drift is the KLD of a class's true prevalence in the bag from that in training.
"""

import time

import numpy as np
from sklearn.svm import LinearSVC

from benchmarks.corpora import Split, arxiv, folder_argument, reuters
from quantext import measures
from quantext.models.methods import method


class LinearSVCCount:
    """Classify and count with scikit-learn's LinearSVC, one for each class."""

    def fit(self, X, Y):
        """One model for each column."""
        self.models = [LinearSVC().fit(X, y) for y in Y.T]
        return self

    def predict(self, X):
        """Share of positives among the predictions."""
        return np.array([model.predict(X).mean() for model in self.models])


METHODS = {
    "SVM(KLD)": lambda: method("SVM(KLD)"),
    "CC, LinearSVC": LinearSVCCount,
    "PCC, calibrated": lambda: method("PCC"),
    "PCC, bare logistic": lambda: method("PCC(logistic)"),
    "EMQ": lambda: method("EMQ"),
    "Training prevalence": lambda: method("Training prevalence"),
}


def errors(split: Split, p_hat: np.ndarray) -> np.ndarray:
    """KLD of each estimate, by bag and class."""
    binary = measures.binary
    return measures.kld(binary(split.p_true), binary(p_hat), size=split.sizes[:, np.newaxis])


def main() -> None:
    folder = folder_argument(__doc__)
    for split in (reuters(folder), arxiv(folder)):
        n_bags, n_classes = split.p_true.shape
        print(f"\n{split.name}: {len(split.Y):,} documents, {n_classes} classes, {n_bags} bags")
        print(f"{'mean KLD':22}{'all':>10}{'drift: lowest':>15}{'2nd':>10}{'3rd':>10}", end="")
        print(f"{'highest':>10}{'CPU s to fit':>14}")
        drift = errors(split, np.broadcast_to(split.Y.mean(axis=0), split.p_true.shape))
        rank = np.argsort(np.argsort(drift.ravel(), kind="stable"), kind="stable")
        quartile = (4 * rank // rank.size).reshape(drift.shape)
        for name, make in METHODS.items():
            start = time.process_time()
            quantifier = make().fit(split.X, split.Y)
            seconds = time.process_time() - start
            kld = errors(split, np.array([quantifier.predict(X) for X, _ in split.bags]))
            parts = [kld[quartile == part].mean() for part in range(4)]
            print(f"{name:22}{kld.mean():10.2e}{parts[0]:15.2e}", end="")
            print("".join(f"{part:10.2e}" for part in parts[1:]), f"{seconds:13.1f}", flush=True)


if __name__ == "__main__":
    main()
