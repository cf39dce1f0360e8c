"""The training prevalence."""

from tests.support.ten_documents import BAG, TEN, share


def test_training_prevalence_is_that_of_training_whatever_the_bag():
    assert share("Training prevalence", TEN, BAG) == 4 / 10
