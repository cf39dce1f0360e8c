import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from quantext.learners.structural import StructuralSVM
from quantext.models.methods import DEFAULT_METHOD, METHODS, find_method, method
from quantext.quantifiers import ClassifyAndCount, Quantifier
from quantext.vectors.ltc import LtcVectorizer


def test_methods_have_the_names_of_the_literature():
    paper = ["SVM(KLD)", "CC", "PCC", "ACC", "PACC", "T50", "X", "MAX", "MS", "MM(KS)", "MM(PP)"]
    others = ["PCC(logistic)", "PACC(logistic)", "MS2", "EMQ", "Training prevalence"]
    siblings = ["SVM(NKLD)", "SVM(AE)", "SVM(RAE)", "SVM(Q)"]
    assert list(METHODS)[: len(paper) + 1] == [DEFAULT_METHOD, *paper]
    assert {*others, *siblings} <= METHODS.keys()


def test_aliases_are_distinct_and_safe_in_a_shell():
    aliases = [m.alias for m in METHODS.values()]
    assert len(set(aliases)) == len(aliases)
    assert all(re.fullmatch(r"[a-z0-9-]+", alias) for alias in aliases)


@pytest.mark.parametrize("entry", METHODS.values(), ids=lambda m: m.alias)
def test_every_method_makes_a_fresh_quantifier_and_says_what_it_is(entry):
    made = entry.make()
    assert isinstance(made, Quantifier)
    assert made is not entry.make()
    assert repr(clone(made)) == repr(made)
    assert entry.summary
    assert entry.reference
    assert entry.when


def test_method_is_found_by_name_and_alias_in_any_case():
    for name in ("SVM(KLD)", "svm-kld", "svm(kld)"):
        assert find_method(name) is METHODS["SVM(KLD)"]
        found = method(name)
        assert isinstance(found, ClassifyAndCount)
        assert isinstance(found.classifier, StructuralSVM)
        assert found.classifier.loss == "kld"


def test_a_method_is_found_by_the_other_names_of_the_literature():
    names = {"GAC": "ACC", "GPAC": "PACC", "SLD": "EMQ", "mlpe": "Training prevalence"}
    assert {name: find_method(name).name for name in names} == names
    keys = [key.lower() for m in METHODS.values() for key in {m.name, *m.aliases}]
    assert len(set(keys)) == len(keys)


def test_a_method_says_which_kinds_of_y_it_takes():
    assert METHODS["CC"].kinds == ("binary", "multiclass", "multilabel")


def test_method_takes_parameters_of_the_classifier():
    made = method("MM(PP)", folds=10, classifier__C=8)
    assert (made.folds, made.classifier.C) == (10, 8)


def test_unknown_method_is_an_error_with_suggestions():
    with pytest.raises(ValueError, match=r"method 'svm-kdl' is unknown; did you mean SVM\(KLD\)"):
        find_method("svm-kdl")
    with pytest.raises(ValueError, match="choose a name or alias: `quantext methods` lists all"):
        method("zzzzzzzz")


def test_texts_go_in_through_a_pipeline():
    texts = ["good fine lovely", "fine good day", "bad awful rain", "awful bad news"] * 5
    y = ["yes", "yes", "no", "no"] * 5
    pipeline = make_pipeline(LtcVectorizer(), method("SVM(KLD)")).fit(texts, y)
    p_hat = pipeline.predict(["lovely good", "good fine", "fine day", "bad rain"])
    np.testing.assert_allclose(p_hat, [0.25, 0.75])


def test_structural_svm_counts_each_of_several_classes_by_itself():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b", "c"], 20)
    X = rng.normal(size=(60, 4)) + 2 * (y[:, None] == np.array(["a", "b", "c", "d"]))
    fitted = method("SVM(KLD)").fit(X, y)
    above = (fitted.scores_.scorer(X) > 0).sum(axis=0)
    np.testing.assert_allclose(fitted.predict(X), above / above.sum())
