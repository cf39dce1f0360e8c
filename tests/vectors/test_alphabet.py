"""Tokens in alphabetical order, and the commonest of each term, as Python finds them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantext.kernels import Kernel
from quantext.vectors import alphabet
from quantext.vectors.alphabet import alphabetical, commonest, some_tokens
from quantext.vectors.tokenise import Lines, TokenTable, letter_table, new_keys

KERNELS = ["copy_tokens", "find_commonest", "sort_ties", "write_first"]
# Beginnings that many share, so that comparing goes beyond the first eight bytes, and the second.
STEMS = st.sampled_from(["", "ab", "abcdefgh", "abcdefghijklmnop", "ééééé", "z" * 40])
TOKENS = st.lists(st.builds(str.__add__, STEMS, st.text("abzéя😀", max_size=9)), unique=True)


@pytest.fixture(params=["compiled", "interpreted"])
def either_way(request, monkeypatch):
    for name in KERNELS:
        one = getattr(alphabet, name)
        assert isinstance(one, Kernel)
        way = one.compiled if request.param == "compiled" else one.py_func
        monkeypatch.setattr(alphabet, name, way)


def table_of(tokens):
    table = TokenTable(new_keys(), letter_table)
    table.numbers_of(Lines.of(tokens))
    return table


def check_order(tokens):
    order = alphabetical(table_of(tokens))
    assert order.tolist() == sorted(range(len(tokens)), key=tokens.__getitem__)


def check_commonest(tokens, terms, times):
    n_terms = len(tokens)
    best = {}
    for number in sorted(range(n_terms), key=lambda i: (-times[i], tokens[i])):
        best.setdefault(terms[number], number)
    found = commonest(
        table_of(tokens), np.array(terms, np.int32), np.array(times, np.int64), n_terms
    )
    assert found.tolist() == [best.get(term, -1) for term in range(n_terms)]


@pytest.mark.usefixtures("either_way")
def test_order_and_commonest_are_those_of_python():
    @given(TOKENS, st.randoms(use_true_random=False))
    def check(tokens, random):
        check_order(tokens)
        n = len(tokens)
        terms = [random.randrange(-1, max(n // 2, 1)) for _ in range(n)]
        check_commonest(tokens, terms, [random.randrange(1, 4) for _ in range(n)])
        chosen = [random.randrange(n) for _ in range(n)]
        assert some_tokens(table_of(tokens), chosen) == [tokens[i] for i in chosen]

    check()


def test_many_tokens_that_begin_alike_are_sorted():
    tokens = [f"{'a' * 100}{'abcdefghij'[i % 10]}{'b' * (i // 10)}" for i in range(3_000)]
    check_order(tokens)
