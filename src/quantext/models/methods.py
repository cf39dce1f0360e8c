"""METHODS: complete recipes by the names under which they are published.

It is longer than other files, for it is one list.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import quantext as qx

if TYPE_CHECKING:
    from quantext.quantifiers import Quantifier
    from quantext.scores.labels import Kind

__all__ = [
    "DEFAULT_METHOD",
    "INTERVAL_FOLDS",
    "METHODS",
    "USUAL_METHODS",
    "Method",
    "find_method",
    "method",
]

DEFAULT_METHOD = "Adaptive"
USUAL_METHODS = (
    *(DEFAULT_METHOD, "SVM(KLD)", "CC", "PCC", "ACC", "PACC", "T50", "X", "MAX", "MS"),
    *("MM(KS)", "MM(PP)", "PCC(logistic)", "PACC(logistic)", "MS2", "EMQ", "Training prevalence"),
    *("SVM(NKLD)", "SVM(AE)", "SVM(RAE)", "SVM(Q)"),
)
"""Those that an experiment runs if none are named: the default, and those of the paper and their
kin. Some of the others take longer than all of these."""

INTERVAL_FOLDS = 10  # of methods that estimate without any, where they are to give intervals


@dataclass(frozen=True)
class Method:
    """A named recipe.

    Parameters
    ----------
    name
        As it is printed in the literature.
    alias
        The same, safe in a shell.
    make
        Makes a fresh, unfitted quantifier.
    summary
        What it does, in a line.
    reference
        Author and year of its publication.
    when
        When to choose it, and what is good to know then; it completes "choose it ...".
    aliases
        Other names under which it is published.

    Examples
    --------
    >>> METHODS["EMQ"].aliases, METHODS["EMQ"].kinds
    (('SLD',), ('binary', 'multiclass', 'multilabel'))
    """

    name: str
    alias: str
    make: "Callable[[], Quantifier]"
    summary: str
    reference: str
    when: str
    aliases: tuple[str, ...] = ()

    @property
    def kinds(self) -> "tuple[Kind, ...]":
        """Kinds of y that it can be fitted to."""
        return self.make().kinds


_FORMAN_2005 = "Forman (2005)"
_FORMAN_2008 = "Forman (2008)"
_BELLA = "Bella et al. (2010)"
_ESULI = "Esuli & Sebastiani (2015)"
_MOREO = "Moreo & Sebastiani (2021)"
_KERNELS = "Moreo et al. (2023)"

_ONE_CLASS = "to compare with the literature, or for one rare class among two"
_LITERATURE = "to compare with the literature; calibrated posteriors do better"
_SIBLING = "as SVM(KLD), if this is the error that counts for you"
_TWO_CLASSES = "if shares move much; of several classes, each is estimated by itself"
_SMOOTHED = "to compare with KDEy-ML, which mostly does as well in less time"

METHODS: Mapping[str, Method] = MappingProxyType(
    {
        entry.name: entry
        for entry in [
            Method(
                "Adaptive",
                "adaptive",
                lambda: qx.AdaptiveCount(qx.LinearSVM(C=0.3)),
                "posteriors, corrected as far as the bag, its words and training give reason to",
                "our own: docs/adaptive.md",
                "unless you know a reason not to: it is at or near the best of all others whether "
                "shares move or not, its intervals hold, and it says when documents have changed",
            ),
            Method(
                "SVM(KLD)",
                "svm-kld",
                lambda: qx.ClassifyAndCount(qx.StructuralSVM("kld")),
                "classify and count with a linear classifier trained for the KLD of its count",
                _ESULI,
                "for many or rare classes, for labels that overlap, and for large data: there "
                "is no correction that could go wrong, and it estimates fastest. Far from the "
                "training prevalence its intervals miss the truth more often than they say",
            ),
            Method(
                "CC",
                "cc",
                lambda: qx.ClassifyAndCount(qx.LinearSVM()),
                "classify the documents and count",
                _FORMAN_2005,
                "to see what plain classification gives; it is biased as soon as shares move",
            ),
            Method(
                "PCC",
                "pcc",
                lambda: qx.ProbabilisticCount(qx.LinearSVM()),
                "mean of the calibrated posteriors",
                _BELLA,
                "if shares hardly move: then it is the most exact. It is drawn towards the "
                "training prevalence, and lags behind where they do move",
            ),
            Method(
                "ACC",
                "acc",
                lambda: qx.AdjustedCount(qx.LinearSVM()),
                "the count, corrected by the rates of true and false positives",
                "Gart & Buck (1966), Forman (2005)",
                "if shares move and every class has some hundreds of training documents",
                ("GAC",),
            ),
            Method(
                "PACC",
                "pacc",
                lambda: qx.ProbabilisticAdjustedCount(qx.LinearSVM()),
                "mean of the calibrated posteriors, corrected in the same way",
                _BELLA,
                "if shares move and every class has some tens of training documents; rare "
                "classes make it unsteady",
                ("GPAC",),
            ),
            Method(
                "T50",
                "t50",
                lambda: qx.ThresholdCount(qx.LinearSVM(), policy="t50"),
                "ACC at the threshold whose rate of true positives is closest to one half",
                _FORMAN_2008,
                _ONE_CLASS,
            ),
            Method(
                "X",
                "x",
                lambda: qx.ThresholdCount(qx.LinearSVM(), policy="x"),
                "ACC at the threshold where false positives are as frequent as false negatives",
                _FORMAN_2008,
                _ONE_CLASS,
            ),
            Method(
                "MAX",
                "max",
                lambda: qx.ThresholdCount(qx.LinearSVM(), policy="max"),
                "ACC at the threshold where the two rates differ most",
                _FORMAN_2008,
                _ONE_CLASS,
            ),
            Method(
                "MS",
                "ms",
                lambda: qx.MedianSweep(qx.LinearSVM()),
                "median of ACC over all thresholds",
                _FORMAN_2008,
                _ONE_CLASS,
            ),
            Method(
                "MM(KS)",
                "mm-ks",
                lambda: qx.MixtureModel(qx.LinearSVM(), distance="ks"),
                "blend of both classes' scores that fits the bag's, by Kolmogorov–Smirnov",
                _FORMAN_2005,
                _ONE_CLASS,
            ),
            Method(
                "MM(PP)",
                "mm-pp",
                lambda: qx.MixtureModel(qx.LinearSVM(), distance="pp"),
                "blend of both classes' scores that fits the bag's, by the area of a P–P plot",
                _FORMAN_2005,
                _ONE_CLASS,
            ),
            Method(
                "PCC(logistic)",
                "pcc-logistic",
                lambda: qx.ProbabilisticCount(qx.LinearSVM(), posteriors="logistic"),
                "mean of 1/(1+e^−score)",
                _ESULI,
                _LITERATURE,
            ),
            Method(
                "PACC(logistic)",
                "pacc-logistic",
                lambda: qx.ProbabilisticAdjustedCount(qx.LinearSVM(), posteriors="logistic"),
                "mean of 1/(1+e^−score), corrected as in ACC",
                _ESULI,
                _LITERATURE,
            ),
            Method(
                "MS2",
                "ms2",
                lambda: qx.MedianSweep(qx.LinearSVM(), min_difference=0.25),
                "median of ACC over the thresholds where the two rates differ by more than 1/4",
                _FORMAN_2008,
                _ONE_CLASS,
            ),
            Method(
                "EMQ",
                "emq",
                lambda: qx.ExpectationMaximization(qx.LinearSVM()),
                "maximum-likelihood prevalence, given calibrated posteriors",
                "Saerens et al. (2002)",
                "if shares move much, and each document has one class",
                ("SLD",),
            ),
            Method(
                "Training prevalence",
                "training-prevalence",
                lambda: qx.TrainingPrevalence(),
                "prevalence in the training documents, whatever the bag",
                "the honest zero",
                "never as an estimate, always as a yardstick: a method that does worse has "
                "learned nothing",
                ("MLPE",),
            ),
            Method(
                "SVM(NKLD)",
                "svm-nkld",
                lambda: qx.ClassifyAndCount(qx.StructuralSVM("nkld")),
                "classify and count with a linear classifier trained for normalised KLD",
                "Esuli & Sebastiani (2014)",
                _SIBLING,
            ),
            Method(
                "SVM(AE)",
                "svm-ae",
                lambda: qx.ClassifyAndCount(qx.StructuralSVM("ae")),
                "classify and count with a linear classifier trained for absolute error",
                _MOREO,
                _SIBLING,
            ),
            Method(
                "SVM(RAE)",
                "svm-rae",
                lambda: qx.ClassifyAndCount(qx.StructuralSVM("rae")),
                "classify and count with a linear classifier trained for relative absolute error",
                _MOREO,
                _SIBLING,
            ),
            Method(
                "SVM(Q)",
                "svm-q",
                lambda: qx.ClassifyAndCount(qx.StructuralSVM("q")),
                "classify and count with a linear classifier trained for both count and recall",
                "Barranquero et al. (2015)",
                "as SVM(KLD), if the documents that are counted should also be the right ones",
            ),
            Method(
                "BBSE",
                "bbse",
                lambda: qx.BlackBoxShift(qx.LinearSVM()),
                "training prevalence, weighted as the count and the classifier's errors demand",
                "Lipton et al. (2018)",
                "to compare with the literature on label shift; for two classes it is ACC",
            ),
            Method(
                "Friedman",
                "friedman",
                lambda: qx.FriedmanCount(qx.LinearSVM()),
                "posteriors above the training prevalence, counted and corrected as in ACC",
                "Friedman (2014)",
                "to compare with the literature: it is ACC at other thresholds",
            ),
            Method(
                "HDy",
                "hdy",
                lambda: qx.DistributionMatching(qx.LinearSVM(), bins="sweep", classes="each"),
                "blend of both classes' histograms of posteriors that fits the bag's, by Hellinger",
                "González-Castro et al. (2013)",
                "to compare with the literature; with fewer bins, DyS and DMy do better",
            ),
            Method(
                "DMy",
                "dmy",
                lambda: qx.DistributionMatching(qx.LinearSVM()),
                "blend of all classes' histograms of posteriors that fits the bag's, by Hellinger",
                "Firat (2016), Bunse (2022)",
                "if shares move much and classes are few, each with hundreds of training documents",
            ),
            Method(
                "DyS",
                "dys",
                lambda: qx.DistributionMatching(qx.LinearSVM(), distance="topsoe", classes="each"),
                "blend of both classes' histograms of posteriors that fits the bag's, by Topsøe",
                "Maletzke et al. (2019)",
                _TWO_CLASSES,
            ),
            Method(
                "HDx",
                "hdx",
                lambda: qx.FeatureMatching(),
                "blend of the classes that has each word as often as the bag, by Hellinger",
                "González-Castro et al. (2013)",
                "to compare with the literature. Of most words little is seen, and all count "
                "alike; with distance squared-hellinger it does better. It gives no intervals",
            ),
            Method(
                "ReadMe",
                "readme",
                lambda: qx.PatternMatching(),
                "blend of the classes in which some random words occur together as in the bag",
                "Hopkins & King (2010)",
                "to compare with the social sciences, where it is the best known; it needs no "
                "classifier, and many training documents",
            ),
            Method(
                "EDy",
                "edy",
                lambda: qx.EnergyDistance(qx.LinearSVM()),
                "blend of the classes' posteriors that is nearest to the bag's by energy distance",
                "Kawakubo et al. (2016), Castaño et al. (2018)",
                "in place of PACC: it sees more of the posteriors than their mean, without bins",
            ),
            Method(
                "KDEy-ML",
                "kdey-ml",
                lambda: qx.KernelDensity(qx.LinearSVM()),
                "blend of the classes' smoothed posteriors under which the bag's are most likely",
                _KERNELS,
                "if shares move much and classes are few: the literature finds it best there. Its "
                "intervals take long if classes are more than two",
            ),
            Method(
                "KDEy-HD",
                "kdey-hd",
                lambda: qx.KernelDensity(qx.LinearSVM(), distance="hellinger"),
                "blend of the classes' smoothed posteriors that fits the bag's, by Hellinger",
                _KERNELS,
                _SMOOTHED,
            ),
            Method(
                "KDEy-CS",
                "kdey-cs",
                lambda: qx.KernelDensity(qx.LinearSVM(), distance="cauchy-schwarz"),
                "blend of the classes' smoothed posteriors that fits the bag's, by Cauchy–Schwarz",
                _KERNELS,
                _SMOOTHED,
            ),
            # Methods since, that are no matching of distributions.
            Method(
                "EMQ(BCTS)",
                "emq-bcts",
                lambda: qx.ExpectationMaximization(qx.LinearSVM(), posteriors="bias-corrected"),
                "EMQ, with posteriors calibrated by a temperature and a bias for each class",
                "Alexandari et al. (2020)",
                "as EMQ, if every class has some hundreds of training documents; with few, Platt's "
                "calibration is more cautious",
            ),
            Method(
                "RML",
                "rml",
                lambda: qx.RegularizedLikelihood(qx.LinearSVM()),
                "maximum likelihood with a penalty: towards training, or for uneven neighbours",
                "Blobel (1985), Bunse et al. (2024)",
                "as EMQ, if bags are small or classes have an order "
                "(penalty='ordered'): the penalty steadies it",
            ),
            Method(
                "Bayesian CC",
                "bayesian-cc",
                lambda: qx.BayesianCount(qx.LinearSVM()),
                "mean over all prevalences that explain the count, given how classes were mistaken",
                "Ziegler & Czyż (2024)",
                "as ACC, if there are few classes and few training documents, and you want to know "
                "how much that leaves open",
            ),
            Method(
                "PQ",
                "pq",
                lambda: qx.PreciseQuantifier(qx.LinearSVM()),
                "as Bayesian CC, with documents counted by four bins of their posterior",
                "Igiraneza et al. (2025)",
                "as Bayesian CC, for two classes that are both common, where its intervals are "
                "shorter; in four bins a rare class is lost",
            ),
            Method(
                "CDE",
                "cde",
                lambda: qx.CostCount(qx.LinearSVM()),
                "the count at the threshold that its own result would make the right one",
                "Xue & Weiss (2009)",
                "to compare with the literature; rare classes tend to vanish",
            ),
            Method(
                "CS",
                "cs",
                lambda: qx.ContinuousSweep(qx.LinearSVM()),
                "mean of ACC over all thresholds worth it, with normal scores in each class",
                "Kloos et al. (2023)",
                "as MS, if training documents are few: normal curves need fewer than counts do",
                ("Continuous Sweep",),
            ),
            Method(
                "PWK",
                "pwk",
                lambda: qx.VoteCount(qx.WeightedNeighbours()),
                "classify and count by ten nearest neighbours, whose votes weigh less in large "
                "classes",
                "Barranquero et al. (2013)",
                "to compare with the literature; classes must be of about the same size. Its model "
                "file holds the vectors of all training documents",
            ),
            Method(
                "QF",
                "qf",
                lambda: qx.VoteCount(qx.QuantificationForest()),
                "mean count of trees whose splits balance false positives and false negatives",
                "Milli et al. (2013)",
                "to compare with the literature, or for a few dense features, where trees are good",
                ("Quantification forest",),
            ),
            Method(
                "Ensemble",
                "ensemble",
                lambda: qx.EnsembleQuantifier(qx.AdjustedCount(qx.LinearSVM(), folds=5)),
                "mean of ACC with ten classifiers, trained at prevalences drawn uniformly",
                "Pérez-Gállego et al. (2017)",
                "if shares may move anywhere and training may take sixty times that of CC",
            ),
            Method(
                "Stacked",
                "stacked",
                lambda: qx.StackedCount(qx.LinearSVM()),
                "PACC on scores of a second layer, whose features are the scores of all labels",
                "Moreo et al. (2023)",
                "for labels that go together, in bags as in training. Where each moves by itself, "
                "as in our synthetic survey, PACC does better",
            ),
        ]
    }
)
"""All methods by name: ours, those of the paper in the order of its tables, and others."""


def find_method(name: str) -> Method:
    """The entry of METHODS with this name or alias.

    Parameters
    ----------
    name
        A name in METHODS, or any of the aliases, in any case.

    Examples
    --------
    >>> find_method("svm-kld").name, find_method("SLD").name
    ('SVM(KLD)', 'EMQ')
    >>> find_method("adaptiv")
    Traceback (most recent call last):
    ValueError: method 'adaptiv' is unknown; did you mean Adaptive? `quantext methods` lists all
    """
    by_any_name = {
        key.lower(): m for m in METHODS.values() for key in (m.name, m.alias, *m.aliases)
    }
    if found := by_any_name.get(name.lower()):
        return found
    close = get_close_matches(name.lower(), by_any_name, n=3)
    names = list(dict.fromkeys(by_any_name[key].name for key in close))
    hint = f"did you mean {' or '.join(names)}?" if names else "choose a name or alias:"
    raise ValueError(f"method {name!r} is unknown; {hint} `quantext methods` lists all")


def method(name: str, **params: Any) -> "Quantifier":
    """Fresh, unfitted quantifier of a named method.

    Parameters
    ----------
    name
        A name in METHODS, or an alias, in any case.
    params
        Parameters to change, as in ``set_params``: ``classifier__C=8``.

    Examples
    --------
    >>> method("MM(PP)", folds=10).folds
    10
    """
    quantifier: Quantifier = find_method(name).make().set_params(**params)
    return quantifier
