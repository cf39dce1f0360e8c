"""The page of a labelling by hand."""

import numpy as np
import pytest

from quantext.labelling.found import shares
from quantext.labelling.task import Labels, Task, Wave
from quantext.reports.labelled_page import labelled_page, summarise_labelled


def example(n_labels=50):
    truths = np.eye(2, dtype=bool)[np.arange(n_labels) % 5 % 2]
    labels = Labels(np.arange(n_labels), truths, np.array([50]))
    waves = [Wave(np.arange(60), np.full(60, 0.06))]
    return shares(Task(("<b>ham</b>", "spam")), 1000, waves, labels, None)


def test_the_largest_share_is_the_headline_and_the_table_has_all():
    summary = summarise_labelled(example(), 1000, 0.95)
    assert summary["headline"].startswith("“<b>ham</b>” is the most frequent: 60.0% of 1,000")
    assert summary["lead"] == "2 classes in 1,000 documents, of which 50 were labelled by hand."
    cells = [[cell["text"] for cell in row] for row in summary["table"]["rows"]]
    assert [row[0] for row in cells] == ["<b>ham</b>", "spam"]
    assert [row[-1] for row in cells] == ["30", "20"]
    assert "more than the ±3 that were asked for" in summary["warnings"][0]


def test_names_never_become_markup():
    page = labelled_page(example(), 1000, 0.95, {"Table": "<i>t</i>.csv"})
    assert "<b>ham" not in page
    assert "<i>t" not in page


def test_without_labels_there_is_nothing_to_say():
    with pytest.raises(ValueError, match="no document is labelled yet"):
        labelled_page(example(0), 1000, 0.95)
