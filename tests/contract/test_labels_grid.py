"""Labels of every type × documents in every form × every method: the same shares, or our error.

What is right is said by strings in a list and a CSR matrix of floats: other names and other forms
must not change a share. All three are crossed for one type of each dtype that labels may end in;
any type meets every method and every form, and every method every form.
"""

from functools import cache
from itertools import cycle, islice

import numpy as np
import pytest

from quantext import TextQuantifier
from quantext.models.methods import METHODS
from quantext.scores.labels import read_labels
from tests.support.labels import BAG, FORMS, MULTILABEL, READABLE, REFUSED, X, as_texts
from tests.support.quick import quick

OF_EACH_DTYPE = (
    *("strings, list", "NUL at the end", "whole numbers", "numbers beyond those with a sign"),
    *("booleans", "whole floats", "NumPy days", "NumPy seconds"),
)
PLAIN = {"binary": READABLE["strings, list"], "multilabel": MULTILABEL["array"]}


@cache
def shares(method, kind, form="CSR", texts=False):
    """What the method says of the bag, given plain labels and a plain matrix."""
    if texts:
        model = TextQuantifier(quick(method, folds=2)).fit(as_texts(X), PLAIN[kind].y)
        return model.predict(as_texts(X[BAG]))
    quantifier = quick(method, folds=2).fit(FORMS[form](X), PLAIN[kind].y)
    return quantifier.predict(FORMS[form](X[BAG]))


def check(method, labels, form, kind="binary"):
    """Raise unless the method says the same with these labels and documents of this form."""
    fitted = quick(method, folds=2).fit(FORMS[form](X), labels.y)
    assert fitted.classes_.tolist() == labels.classes
    assert list(map(_kind, fitted.classes_.tolist())) == list(map(_kind, labels.classes))
    assert fitted.kind_ == kind
    found = fitted.predict(FORMS[form](X[BAG]))
    # Features are words in a sparse matrix only, for methods that look at words.
    dense = fitted.counts_features and not form.startswith(("CS", "COO"))
    expected = shares(method, kind, "dense" if dense else "CSR")
    np.testing.assert_allclose(found, expected, atol=1e-6)


def _kind(label):
    """Whether a text, a boolean or a number; 1 and 1.0 are the same name."""
    boolean = isinstance(label, bool | np.bool_)
    return str if isinstance(label, str) else bool if boolean else object


def diagonal():
    """Each type of labels, each form and each method once, or as often as it takes."""
    length = max(len(READABLE), len(FORMS), len(METHODS))
    forms, methods, labels = cycle(FORMS), cycle(METHODS), cycle(READABLE)
    return [(next(labels), next(forms), next(methods)) for _ in range(length)]


@pytest.mark.parametrize(("labels", "form", "method"), diagonal())
def test_labels_are_only_names_and_forms_only_forms(labels, form, method):
    check(method, READABLE[labels], form)


@pytest.mark.parametrize("name", REFUSED)
def test_labels_that_cannot_be_read_are_refused_in_a_sentence(name):
    with pytest.raises((TypeError, ValueError), match=REFUSED[name].message):
        quick("CC").fit(FORMS["CSR"](X), REFUSED[name].y)


@pytest.mark.parametrize("name", MULTILABEL)
def test_columns_of_labels_are_the_same_in_every_form(name):
    check("ACC", MULTILABEL[name], "CSR", "multilabel")


def test_a_message_shows_the_beginning_of_a_long_label():
    with pytest.raises(TypeError) as error:
        read_labels(["a" * 1_000_000, 1])
    assert len(str(error.value)) < 250


def test_every_type_of_labels_becomes_one_of_those_that_are_tried_with_everything():
    dtypes = {read_labels(READABLE[name].y).classes.dtype.kind for name in OF_EACH_DTYPE}
    assert {read_labels(labels.y).classes.dtype.kind for labels in READABLE.values()} == dtypes


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.slow
def test_every_dtype_of_labels_and_every_form_give_the_same_shares(method):
    for name in OF_EACH_DTYPE:
        for form in FORMS:
            check(method, READABLE[name], form)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.slow
def test_every_type_of_labels_gives_the_same_shares(method):
    start = list(METHODS).index(method)  # so that methods meet types in different forms
    forms = islice(cycle(FORMS), start, None)
    for labels, form in zip(READABLE.values(), forms, strict=False):
        check(method, labels, form)


@pytest.mark.slow
def test_every_type_of_labels_is_read_with_every_form():
    for labels in READABLE.values():
        for form in FORMS:
            check("Training prevalence", labels, form)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.slow
def test_every_method_reads_columns_of_labels_in_every_form(method):
    if "multilabel" not in METHODS[method].kinds:
        return
    for labels, form in zip(cycle(MULTILABEL.values()), FORMS, strict=False):
        check(method, labels, form, "multilabel")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.slow
def test_every_method_refuses_what_cannot_be_read(method):
    for labels, form in zip(REFUSED.values(), cycle(FORMS), strict=False):
        with pytest.raises((TypeError, ValueError), match=labels.message):
            quick(method, folds=2).fit(FORMS[form](X), labels.y)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.slow
def test_texts_with_every_dtype_of_labels_give_the_same_shares(method):
    texts, bag = as_texts(X), as_texts(X[BAG])
    for labels in (READABLE[name] for name in OF_EACH_DTYPE):
        model = TextQuantifier(quick(method, folds=2)).fit(texts, labels.y)
        assert model.classes_.tolist() == labels.classes
        np.testing.assert_allclose(
            model.predict(bag), shares(method, "binary", texts=True), atol=1e-6
        )
    for labels in REFUSED.values():
        with pytest.raises((TypeError, ValueError), match=labels.message):
            TextQuantifier(quick(method, folds=2)).fit(texts, labels.y)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.slow
def test_one_class_has_all_the_documents(method):
    for label in ("a", 1, False, "a\0"):
        fitted = quick(method, folds=2).fit(FORMS["CSR"](X), [label] * len(X))
        assert fitted.classes_.tolist() == [label]
        assert fitted.predict(FORMS["CSR"](X[BAG])).tolist() == [1]
