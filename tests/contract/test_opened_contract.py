"""What a quantifier may be beside an aggregation of a classifier's scores: each kept by one."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy import sparse
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from quantext import LtcVectorizer, TextQuantifier, TrainingScores
from quantext.quantifiers import AdjustedCount, ClassifyAndCount, Quantifier
from quantext.quantifiers.correction import mean_by_class
from quantext.quantifiers.problems import Problems
from quantext.quantifiers.summary import FEATURE_UNIT, Summary, exact_sums, feature_sums
from quantext.scores.labels import read_labels
from quantext.scores.training import score_training
from quantext.testing import QUANTIFIER_CHECKS, check_sparse_equals_dense


@dataclass(frozen=True)
class Features:
    """Rows that are the documents themselves."""

    n_features: int

    def __call__(self, X):
        rows = X.toarray() if sparse.issparse(X) else np.asarray(X)
        if rows.shape[1] != self.n_features:
            raise ValueError(f"{rows.shape[1]} features instead of {self.n_features}")
        return rows / 100


class NearestMeans(Quantifier):
    """A representation without a classifier: class means of features, and the bag's mean."""

    stored = (Features,)

    def represent(self, X, y):
        labels, rows = read_labels(y), Features(X.shape[1])
        return TrainingScores(rows, rows(X), labels.y, 0.0, labels.classes, labels.kind)

    def divide(self, scores):
        return Problems.all_classes(scores, all_columns=True)

    def learn(self, training):
        return mean_by_class(training.scores, training.counts)

    def count(self, learned, scores, weights=None):
        return exact_sums(scores, weights)

    def estimate(self, learned, counts, size):
        from scipy.optimize import nnls

        mean = counts.astype(float) / (2**44 * size)
        system = np.vstack([learned, 1e3 * np.ones(learned.shape[1])])
        share, _ = nnls(system, np.append(mean, 1e3))
        return share / share.sum()


class Committee(Quantifier):
    """An ensemble: members' scores side by side, and their counts in a tuple."""

    members = (GaussianNB(), DecisionTreeClassifier(max_depth=2, random_state=0))

    def represent(self, X, y):
        parts = [score_training(member, X, y, folds=4) for member in self.members]
        rows = np.hstack([part.out_of_fold for part in parts])
        scorer = SideBySide(tuple(part.scorer for part in parts))
        return TrainingScores(scorer, rows, parts[0].y, 0.0, parts[0].classes, parts[0].kind)

    def divide(self, scores):
        return Problems.everything(scores)

    def learn(self, training):
        width = training.scores.shape[1] // len(self.members)
        return [slice(i * width, (i + 1) * width) for i in range(len(self.members))]

    def count(self, learned, scores, weights=None):
        assert weights is None
        return tuple(self._counts(scores[:, columns]) for columns in learned)

    def _counts(self, scores):
        if self.kind_ == "multiclass":
            return np.bincount(scores.argmax(axis=1), minlength=scores.shape[1])
        positive = (scores > 0).sum(axis=0)
        return (
            positive if self.kind_ == "multilabel" else np.append(len(scores) - positive, positive)
        )

    def estimate(self, learned, counts, size):
        constant = np.isin(self.prevalence_, (0, 1))
        return np.where(constant, self.prevalence_, np.mean(counts, axis=0) / size)

    @property
    def gives_intervals(self):
        return False


@dataclass(frozen=True)
class SideBySide:
    scorers: tuple

    def __call__(self, X):
        X = X.toarray() if sparse.issparse(X) else X
        return np.hstack([scorer(X) for scorer in self.scorers])


class FirstFeatures(ClassifyAndCount):
    """A method that also counts features, where it is given them."""

    counts_features = True

    def summarise_scores(self, scores, X=None):
        counts = super().summarise_scores(scores).counts
        columns = np.arange(2)
        features = np.zeros(2, np.int64) if X is None else feature_sums(X, columns)
        return Summary(len(scores), (counts, features))

    def aggregate(self, summary):
        counts, self.seen_ = summary.counts
        return super().aggregate(Summary(summary.size, counts))


OTHERS = [NearestMeans(), Committee(), FirstFeatures(GaussianNB(), folds=3)]


@pytest.mark.parametrize("check", QUANTIFIER_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("quantifier", OTHERS, ids=lambda q: type(q).__name__)
def test_it_keeps_the_contract(quantifier, check):
    if check is check_sparse_equals_dense and not isinstance(quantifier, NearestMeans):
        return  # trees and naive Bayes are trained on arrays
    check(quantifier)


def test_a_kind_of_y_that_a_method_does_not_take_is_an_error():
    class TwoClasses(AdjustedCount):
        kinds = ("binary",)

    with pytest.raises(ValueError, match="TwoClasses is made for a binary y, and this one is mult"):
        TwoClasses(GaussianNB(), folds=2).fit(np.eye(6), list("abcabc"))


def test_features_are_counted_from_texts_and_in_parts():
    texts = ["b a", "b", "c a", "c"] * 4
    model = TextQuantifier(FirstFeatures(DenseNB(), folds=2), LtcVectorizer()).fit(
        texts, ["b", "b", "c", "c"] * 4
    )
    whole = model.summarise(texts)
    assert model.summarise(texts[:3]) + model.summarise(texts[3:]) == whole
    X = model.vectorizer_.transform(texts).toarray()
    np.testing.assert_allclose(whole.counts[1] / FEATURE_UNIT, X[:, :2].sum(axis=0), rtol=1e-6)


class DenseNB(GaussianNB):
    def fit(self, X, y):
        return super().fit(X.toarray(), y)

    def predict_proba(self, X):
        return super().predict_proba(X.toarray())
