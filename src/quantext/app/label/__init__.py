"""Label here: one question, one folder; documents to label, one after the other, until it is sure.

``labels.csv`` is an ordinary table: what people said. How documents were drawn, and what was
learned from their labels, is in ``.quantext/labelling``.
"""
