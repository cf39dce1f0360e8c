import pytest

from quantext.methods import METHODS
from quantext.testing import QUANTIFIER_CHECKS


def quick(name):
    """The method, with fewer folds; classify-and-count keeps to none."""
    quantifier = METHODS[name].make()
    return quantifier.set_params(folds=5) if getattr(quantifier, "folds", 0) else quantifier


@pytest.mark.parametrize("check", QUANTIFIER_CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", METHODS)
def test_method_keeps_the_contract(name, check):
    check(quick(name))
