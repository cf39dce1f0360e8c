"""Labelling: documents in, waves of them to label out, and shares that each label makes surer.

Label by hand until the answer is sure enough, from nothing or from a model's scores: `first_wave`
draws documents, `shares` says after each label what is known, `learn` learns from the labels so far
and draws those that tell most. All are drawn with known chances, so that shares are unbiased.
"""
