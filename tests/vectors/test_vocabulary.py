"""Vocabularies of several counters as one."""

from itertools import islice, product

import numpy as np
import pytest
import Stemmer

from quantext.vectors.terms import TermCounter
from quantext.vectors.vocabulary import Numbering, commonest_tokens, learned
from quantext.vectors.words import FEW, stem_function


def counted(*batches, stop_words=()):
    counters = [TermCounter(Numbering(stem_function("porter")()), stop_words) for _ in batches]
    for counter, batch in zip(counters, batches, strict=True):
        counter(batch)
    return counters


def by_term(counters):
    """Document frequency, frequency and commonest token of each term."""
    learnt = learned(counters)
    terms = learnt.terms.tokens()
    words = commonest_tokens(counters, learnt, np.arange(len(terms)))
    return {
        term: (int(d), int(t), word)
        for term, d, t, word in zip(
            terms, learnt.document_frequency, learnt.frequency, words, strict=True
        )
    }


def test_what_two_counters_learn_is_what_one_does():
    first = ["Running runs, run", "Ünïted runs and the sea", ""]
    second = ["the runner ran running", "seas, seas and ünïted Straßen", "x" * 30]
    together = by_term(counted([*first, *second], stop_words=["and"]))
    assert by_term(counted(first, second, stop_words=["and"])) == together
    # "run" stands in two texts as running, runs, run and runs, in another as running: runs and
    # running come twice, and running is first.
    assert together["run"] == (3, 5, "running")
    assert together["the"] == (2, 2, "the")
    assert "and" not in together


def test_a_word_that_only_both_together_have_most_often_is_found():
    counters = counted(["run run runs"], ["runs runs running running"])
    assert by_term(counters)["run"] == (2, 7, "runs")


@pytest.mark.parametrize("n", [1, FEW - 1, FEW, 3 * FEW])
def test_stems_of_few_tokens_and_of_many_are_the_same(n):
    letters = "abcdefghijklmnopqrst"
    tokens = ["".join([*four, "ations"]) for four in islice(product(letters, repeat=4), n)]
    counter = TermCounter(lambda known, first: np.zeros(known.n_tokens - first, np.int32))
    counter([" ".join([*tokens, "été", "s"])])
    stems = stem_function("porter")()(counter.known, 0).tokens()
    assert stems == Stemmer.Stemmer("porter").stemWords([*tokens, "été", "s"])
    assert stems[-1] == ""
    assert stem_function(None)()(counter.known, n).tokens() == ["été", "s"]
