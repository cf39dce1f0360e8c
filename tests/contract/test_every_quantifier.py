from inspect import signature

import pytest
from sklearn.linear_model import RidgeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from quantext import quantifiers
from quantext.models.methods import METHODS
from quantext.quantifiers import Quantifier
from quantext.testing import QUANTIFIER_CHECKS


def quick(name):
    """The method, with fewer folds and draws; classify-and-count keeps to none."""
    quantifier = METHODS[name].make()
    fewer = {"folds": 5, "draws": 20}
    return quantifier.set_params(**{k: n for k, n in fewer.items() if getattr(quantifier, k, 0)})


@pytest.mark.parametrize("check", QUANTIFIER_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", METHODS)
def test_method_keeps_the_contract(name, check):
    check(quick(name))


@pytest.mark.parametrize("check", QUANTIFIER_CHECKS, ids=lambda check: check.__name__)
def test_structural_svm_with_folds_keeps_the_contract(check):
    check(METHODS["SVM(KLD)"].make().set_params(folds=3))


OF_THE_BAG = "it assumes one output a row; predict gives one share a class, of the whole bag"
EXPECTED_FAILURES = {
    "check_estimator_sparse_array": OF_THE_BAG,
    "check_estimator_sparse_matrix": OF_THE_BAG,
    "check_methods_sample_order_invariance": OF_THE_BAG,
    "check_methods_subset_invariance": OF_THE_BAG,
}


def every_quantifier():
    public = (getattr(quantifiers, name) for name in quantifiers.__all__)
    classes = [c for c in public if issubclass(c, Quantifier) and c is not Quantifier]
    return [
        c(RidgeClassifier(), folds=2) if "classifier" in signature(c).parameters else c()
        for c in sorted(classes, key=lambda c: c.__name__)
    ]


def expected_failures(quantifier):
    del quantifier  # the same for all
    return EXPECTED_FAILURES


@parametrize_with_checks(every_quantifier(), expected_failed_checks=expected_failures)
def test_quantifier_is_a_scikit_learn_estimator(estimator, check):
    check(estimator)
