"""Models: a vectorizer and a quantifier as one object, trained, asked, saved; no experiments."""
