"""Ten training documents and as many in a bag, small enough to work every method by hand."""

import numpy as np

from quantext.quantifiers import (
    AdjustedCount,
    BlackBoxShift,
    ClassifyAndCount,
    DistributionMatching,
    EnergyDistance,
    ExpectationMaximization,
    FriedmanCount,
    KernelDensity,
    MedianSweep,
    MixtureModel,
    ProbabilisticAdjustedCount,
    ProbabilisticCount,
    ThresholdCount,
    TrainingPrevalence,
)
from quantext.scores.training import TrainingScores

# The scores are given, so the classifier is never asked.
METHODS = {
    "CC": ClassifyAndCount(None),
    "PCC": ProbabilisticCount(None),
    "PCC(logistic)": ProbabilisticCount(None, posteriors="logistic"),
    "ACC": AdjustedCount(None),
    "PACC": ProbabilisticAdjustedCount(None),
    "PACC(logistic)": ProbabilisticAdjustedCount(None, posteriors="logistic"),
    "T50": ThresholdCount(None, policy="t50"),
    "X": ThresholdCount(None, policy="x"),
    "MAX": ThresholdCount(None, policy="max"),
    "MS": MedianSweep(None),
    "MS2": MedianSweep(None, min_difference=0.25),
    "MM(KS)": MixtureModel(None, distance="ks"),
    "MM(PP)": MixtureModel(None, distance="pp"),
    "EMQ": ExpectationMaximization(None),
    "Training prevalence": TrainingPrevalence(),
    "BBSE": BlackBoxShift(None),
    "Friedman": FriedmanCount(None),
    "HDy": DistributionMatching(None, bins="sweep", classes="each"),
    "DMy": DistributionMatching(None),
    "DyS": DistributionMatching(None, distance="topsoe", classes="each"),
    "EDy": EnergyDistance(None),
    "KDEy-ML": KernelDensity(None),
    "KDEy-HD": KernelDensity(None, distance="hellinger"),
    "KDEy-CS": KernelDensity(None, distance="cauchy-schwarz"),
}


def training(positive, negative):
    scores = np.array([*positive, *negative], dtype=float)
    y = np.arange(len(scores)) < len(positive)
    return TrainingScores(
        np.asarray, scores[:, None], y[:, None], 0.0, np.array(["no", "yes"]), "binary"
    )


def share(method, scores, bag):
    """Estimated prevalence of the positive class."""
    return METHODS[method].fit_scores(scores).predict(np.array(bag, dtype=float)[:, None])[1]


# Ten training documents, four of them positive. Above (strictly) the thresholds
#     t     −4   −3   −2   −1    0    1    2    3
# lie tp     4    4    4    3    3    2    1    0   of P = 4 positives
#     fp     5    4    2    1    1    0    0    0   of N = 6 negatives
POSITIVE = [3, 2, 1, -1]
NEGATIVE = [1, -1, -2, -2, -3, -4]
TEN = training(POSITIVE, NEGATIVE)
# and of the bag's ten documents
#     cc     .9   .9   .8   .6   .5   .3   .1   .1
BAG = [4, 2, 2, 0.5, 0.25, 0, -1, -1.5, -2, -5]

# The same, with two distinct scores only, at which a fitted sigmoid meets the mean targets exactly.
# Platt's targets are (4+1)/(4+2) = 5/6 for positives and 1/(6+2) = 1/8 for negatives.
#     at +1: 3 positives, 1 negative:   posterior (3·5/6 + 1/8)/4 = 21/32
#     at −1: 1 positive, 5 negatives:   posterior (5/6 + 5·1/8)/6 = 35/144
TWO = training([1, 1, 1, -1], [1, -1, -1, -1, -1, -1])
HALF = [1, 1, 1, 1, 1, -1, -1, -1, -1, -1]
HIGH, LOW = 21 / 32, 35 / 144

THREE = np.array(["a", "b", "c"])


def three_classes(out_of_fold, y, **options):
    labels = np.array(y)[:, None] == np.arange(3)
    return TrainingScores(
        np.asarray, np.array(out_of_fold, float), labels, 0.0, THREE, "multiclass", **options
    )


# Rows are documents, the highest score of each row decides; class b is mistaken for c half the time
OUT_OF_FOLD = [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]]
SCORES = three_classes(OUT_OF_FOLD, [0, 0, 1, 1, 2, 2])
