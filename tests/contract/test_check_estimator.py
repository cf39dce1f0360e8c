"""scikit-learn's own checks on every public estimator, and the table of them in the docs."""

import re
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.utils.estimator_checks import check_estimator

import quantext as qx
from tests.contract.test_every_quantifier import OF_ROWS, every_quantifier

DOCS = Path(__file__).parents[2] / "docs" / "scikit-learn.md"

OTHERS = [
    qx.LinearSVM(),
    qx.LtcVectorizer(),
    qx.ProxyVectorizer(),
    qx.QuantificationForest(n_trees=5, min_leaf=1),
    qx.RegressionQuantifier(Ridge(), folds=2),
    qx.SearchQ(qx.AdjustedCount(RidgeClassifier(), folds=2), {"folds": [2, 3]}),
    qx.StructuralSVM(),
    qx.TextQuantifier(),
    qx.WeightedNeighbours(n_neighbors=3),
]
ESTIMATORS = {type(e).__name__: e for e in [*every_quantifier(), *OTHERS]}


def table():
    """What the docs say that each estimator passes, by its name."""
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", DOCS.read_text("utf-8"), re.MULTILINE)
    return {name: said for name, said in rows if name not in OF_ROWS}


def test_the_table_has_every_public_estimator():
    public = {name: getattr(qx, name) for name in qx.__all__}
    names = {
        name
        for name, value in public.items()
        if isinstance(value, type) and issubclass(value, BaseEstimator) and value != qx.Quantifier
    }
    assert names == set(ESTIMATORS) == set(table())


def test_the_page_names_the_checks_of_rows():
    named = set(re.findall(r"^\| `(check_\w+)`", DOCS.read_text("utf-8"), re.MULTILINE))
    assert named == OF_ROWS


@pytest.mark.filterwarnings("ignore")  # of checks that are skipped, and of what they try out
@pytest.mark.parametrize("name", ESTIMATORS)
@pytest.mark.slow
def test_only_the_checks_of_rows_fail_as_the_table_says(name):
    results = check_estimator(ESTIMATORS[name], on_fail=None, on_skip=None)
    failed = {result["check_name"] for result in results if result["status"] == "failed"}
    said = {"all": set(), "all but the four": OF_ROWS, "all that take no numbers": set()}
    assert failed == said[table()[name]]
    tried = {result["check_name"] for result in results if result["status"] == "passed"}
    assert ("check_estimators_dtypes" in tried) == (table()[name] != "all that take no numbers")
