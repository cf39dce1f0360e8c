"""Labelling: documents in, waves of them to label out, and shares that each label makes surer.

Label by hand until the answer is sure enough, from nothing or from a model's scores: `first_wave`
draws documents, `shares` says after each label what is known, `learn` learns from the labels so far
and draws those that tell most. All are drawn with known chances, so that shares are unbiased.
"""

from quantext.labelling.drawing import first_wave
from quantext.labelling.found import History, Shares, history, shares
from quantext.labelling.guide import Guide
from quantext.labelling.kappa import Agreement, agreement
from quantext.labelling.learning import learn
from quantext.labelling.representation import Features, features, open_features
from quantext.labelling.task import Labels, Task, Wave

__all__ = [
    "Agreement",
    "Features",
    "Guide",
    "History",
    "Labels",
    "Shares",
    "Task",
    "Wave",
    "agreement",
    "features",
    "first_wave",
    "history",
    "learn",
    "open_features",
    "shares",
]
