"""Models: one object, texts in, shares by bag out, trained and saved; no choice among methods."""
