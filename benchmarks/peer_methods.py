"""The same methods in four libraries, for classifiers that are not trained but given.

Each library is a function that says how its methods are made, by our names, fitted and asked. It
imports the library when it is called, and nothing else here is imported but what all have, so that
every process has one library alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

# What methods get in place of documents, if not posteriors.
ON_WORDS = {"HDx": "presence", "ReadMe": "presence", "PWK": "weights"}
CONVERGED = "EMQ, converged"  # QuaPy's with another end, for a fair comparison of what it finds


@dataclass(frozen=True)
class Library:
    """How the methods of a library are used.

    Parameters
    ----------
    package
        Its name on the package index.
    make
        Functions that make a quantifier, by our name of the method.
    fit
        Fits a quantifier to posteriors, or documents, and labels.
    predict
        Prevalence of each class, from a fitted quantifier and a bag.
    """

    package: str
    make: Mapping[str, Callable[[], Any]]
    fit: Callable[[Any, Any, Any], Any]
    predict: Callable[[Any, Any], Any]


class Given(ClassifierMixin, BaseEstimator):
    """A fitted classifier whose documents are the posteriors that it gives them."""

    def __init__(self, n_classes=2):
        self.n_classes = n_classes

    def __sklearn_is_fitted__(self):
        return True

    @property
    def classes_(self):
        """The classes are numbered."""
        return np.arange(self.n_classes)

    def fit(self, X, y):
        """Nothing: some libraries fit whatever they are given."""
        return self

    def predict_proba(self, X):
        """Posteriors, as they are."""
        return X

    def predict(self, X):
        """The likelier of two classes, or the likeliest."""
        return X[:, 1] > 0.5 if self.n_classes == 2 else X.argmax(axis=1)

    def decision_function(self, X):
        """Log-odds of the second class."""
        return np.log(X[:, 1] / X[:, 0])


def quantext(n_classes):
    """Ours, with their own parameters; of several classes PCC and PACC take posteriors as given."""
    import quantext as qx

    def make(name):
        quantifier = qx.METHODS[name].make()
        if n_classes > 2 and name in ("PCC", "PACC"):
            quantifier.set_params(posteriors="logistic")
        return quantifier

    def fit(quantifier, X, y):
        if type(quantifier).__name__ in {"FeatureMatching", "PatternMatching", "VoteCount"}:
            return quantifier.fit(X, y)
        return quantifier.fit_scores(qx.TrainingScores.given(X, y))

    names = {name: (lambda name=name: make(name)) for name in qx.METHODS}
    return Library("quantext", names, fit, lambda quantifier, X: quantifier.predict(X))


def quapy(n_classes):
    """QuaPy, with its own parameters; bins, distances and bandwidths are those of ours.

    EMQ has the mean posterior for the training prevalence. DMx has two bins, which is what presence
    needs. ReadMe draws words 300 times for one sample of the training documents: it would do so for
    300 samples, for the sake of intervals, and then fail, since it gives a list to what wants an
    array.
    """
    from quapy.method import aggregative, confidence, non_aggregative

    class ConvergedEMQ(aggregative.EMQ):
        def aggregate(self, classif_posteriors, epsilon=1e-13):
            aggregative.EMQ.MAX_ITER = 100_000
            return super().aggregate(classif_posteriors, epsilon)

    class OneSampleReadMe(non_aggregative.ReadMe):
        def predict(self, X):
            [X_train], [y], draws = self.Xboots, self.yboots, []
            for _ in range(self.bagging_trials):
                words = self.rng.choice(X.shape[1], self.bagging_range, replace=False)
                draws.append(self._quantify_iteration(X_train[:, words], y, X[:, words]))
            return np.mean(draws, axis=0)

    def using(kind, **parameters):
        if kind is not aggregative.CC:
            parameters["val_split"] = None
        return lambda: kind(Given(n_classes), fit_classifier=False, **parameters)

    make = {
        "CC": using(aggregative.CC),
        "PCC": using(aggregative.PCC),
        "ACC": using(aggregative.ACC),
        "PACC": using(aggregative.PACC),
        "T50": using(aggregative.T50),
        "X": using(aggregative.X),
        "MAX": using(aggregative.MAX),
        "MS": using(aggregative.MS),
        "MS2": using(aggregative.MS2),
        "EMQ": using(aggregative.EMQ, exact_train_prev=False),
        CONVERGED: using(ConvergedEMQ, exact_train_prev=False),
        "EMQ(BCTS)": using(aggregative.EMQ, exact_train_prev=False, calib="bcts"),
        "HDy": using(aggregative.HDy),
        "DyS": using(aggregative.DyS, divergence="topsoe"),
        "DMy": using(aggregative.DMy),
        "EDy": using(aggregative.EDy),
        "KDEy-ML": using(aggregative.KDEyML),
        "KDEy-HD": using(aggregative.KDEyHD, random_state=0),
        "KDEy-CS": using(aggregative.KDEyCS),
        "BBSE": using(aggregative.BBSEhard),
        "Bayesian CC": using(confidence.BayesianCC),
        "HDx": lambda: non_aggregative.DMx(nbins=2),
        "ReadMe": lambda: OneSampleReadMe(bootstrap_trials=1, random_state=0),
        "Training prevalence": non_aggregative.MaximumLikelihoodPrevalenceEstimation,
    }

    def fit(quantifier, X, y):
        if not isinstance(quantifier, aggregative.AggregativeQuantifier):
            return quantifier.fit(X, y)
        # Its `fit` but for EMQ's check of parameters, which wants to train where it calibrates.
        if not isinstance(quantifier, aggregative.EMQ):
            quantifier._check_init_parameters()
        return quantifier.aggregation_fit(*quantifier.classifier_fit_predict(X, y))

    return Library("quapy", make, fit, lambda q, X: q.predict(X))


def mlquantify(n_classes):
    """What mlquantify has, with its own parameters; neighbours are weighted as ours are."""
    import mlquantify
    from mlquantify import counting, likelihood, matching, neighbors

    mlquantify.set_config(prevalence_return_type="array")

    def using(kind, **parameters):
        return lambda: kind(Given(n_classes), **parameters)

    make = {
        "CC": using(counting.CC),
        "PCC": using(counting.PCC),
        "ACC": using(counting.ACC),
        "PACC": using(counting.GPACC),
        "T50": using(counting.T50),
        "X": using(counting.TX),
        "MAX": using(counting.TMAX),
        "MS": using(counting.MS),
        "MS2": using(counting.MS2),
        "Friedman": using(counting.FM),
        "EMQ": using(likelihood.EMQ),
        "EMQ(BCTS)": using(likelihood.EMQ, calib_function="bcts"),
        "CDE": using(likelihood.CDE),
        "HDy": using(matching.HDy),
        "DyS": using(matching.DyS),
        "DMy": using(matching.GHDy),
        "EDy": using(matching.EDy),
        "KDEy-ML": using(matching.KDEyML),
        "KDEy-HD": using(matching.KDEyHD),
        "KDEy-CS": using(matching.KDEyCS),
        "HDx": matching.HDx,
        "PWK": lambda: neighbors.PWK(alpha=2),
    }

    def fit(quantifier, X, y):
        takes_fitted = "estimator_fitted" in signature(quantifier.fit).parameters
        if takes_fitted and isinstance(quantifier.estimator, Given):
            return quantifier.fit(X, y, estimator_fitted=True)
        return quantifier.fit(X, y)

    return Library("mlquantify", make, fit, lambda q, X: q.predict(X))


def quantificationlib(n_classes):
    """What quantificationlib has, with its own parameters; its HDy, of 8 bins, is what DMy is."""
    from quantificationlib.baselines.ac import AC, PAC
    from quantificationlib.baselines.cc import CC, PCC
    from quantificationlib.multiclass.df import HDX, HDy
    from quantificationlib.multiclass.em import EM
    from quantificationlib.multiclass.energy import EDy
    from quantificationlib.multiclass.friedman import FriedmanME
    from quantificationlib.multiclass.knn import PWKQuantifier

    def using(kind):
        return lambda: kind(estimator_test=Given(n_classes))

    def trained(kind):
        return lambda: kind(estimator_train=Given(n_classes), estimator_test=Given(n_classes))

    make = {
        "CC": using(CC),
        "PCC": using(PCC),
        "ACC": trained(AC),
        "PACC": trained(PAC),
        "EMQ": trained(EM),
        "DMy": trained(HDy),
        "EDy": trained(EDy),
        "Friedman": trained(FriedmanME),
        "HDx": HDX,
        "PWK": PWKQuantifier,
    }
    return Library(
        "quantificationlib", make, lambda q, X, y: q.fit(X, y), lambda q, X: q.predict(X)
    )


LIBRARIES = {
    "quantext": quantext,
    "QuaPy": quapy,
    "mlquantify": mlquantify,
    "quantificationlib": quantificationlib,
}
