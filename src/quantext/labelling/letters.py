"""Pieces of words, four letters each, and the themes that documents share by them.

Words that few documents have still share pieces with others: endings, compounds, spellings of their
own. Of pieces alone themes are kept, which are learned from some of the documents and told of all,
block by block: so many pieces take no more memory than those of some documents, however many there
are and however long.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from quantext.labelling.themes import directions, unit_rows
from quantext.progress import Progress, silent

__all__ = ["letter_themes", "pieces"]

Array = NDArray[Any]

PIECE = 4  # letters
_BITS = 16
BUCKETS = 1 << _BITS  # for pieces, by a hash: a few that meet in one do no harm
LEAST = 3  # documents that have a piece, for it to be shared
SAMPLE = 20_000  # documents that themes are learned from
_BLOCK = 8192
# Letters of a text that count, of a block, and of the documents that themes are learned from: each
# takes 32 bytes while it is cut, and 8 or less when pieces that are the same have been counted.
_OF_TEXT, _OF_BLOCK, _OF_SAMPLE = 1 << 18, 1 << 21, 1 << 24
_ODD = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio: spreads numbers (Knuth 1973)


def letter_themes(
    texts: Sequence[str], n_themes: int, seed: int = 0, progress: Progress = silent
) -> NDArray[np.float32]:
    """Each text's place in the directions in which pieces of words differ most, of unit length.

    Parameters
    ----------
    texts
        Of all documents.
    n_themes
        Directions, at most.
    seed
        Of the documents that are learned from, and of the search.
    progress
        Told how far it is.

    Examples
    --------
    >>> found = letter_themes(["hopeful days", "hopefully", "a rainy day", "rainy days"] * 3, 4)
    >>> bool(found[0] @ found[1] > found[0] @ found[2])
    True
    """
    N = len(texts)
    rng = np.random.default_rng([seed, 1])
    chosen = rng.choice(N, SAMPLE, replace=False) if N > SAMPLE else rng.permutation(N)
    letters = np.cumsum([min(len(texts[i]), _OF_TEXT) for i in chosen])
    chosen = np.sort(chosen[: max(1, np.searchsorted(letters, _OF_SAMPLE))])
    some = [texts[i] for i in chosen]
    parts = [pieces(some[own]) for own in _blocks(some)]
    counts = sparse.csr_matrix(sparse.vstack(parts)) if parts else pieces([])
    having = np.bincount(counts.indices, minlength=BUCKETS)
    # What all documents have weighs nothing, as in words.
    weights = np.where(having >= LEAST, np.log(max(len(chosen), 1) / np.maximum(having, 1)), 0.0)
    kept = np.flatnonzero(weights)
    if not len(kept):
        return np.zeros((N, 0), dtype=np.float32)
    own = weights[kept].astype(np.float32)
    found = directions(_weighed(counts, kept, own), n_themes, [seed, 1], progress)
    themes = np.empty((N, found.shape[1]), dtype=np.float32)
    for block in _blocks(texts):
        themes[block] = _weighed(pieces(texts[block]), kept, own) @ found
        progress("pieces of words", block.stop, N)
    return unit_rows(themes)


def _blocks(texts: Sequence[str]) -> Iterator[slice]:
    """Runs of texts of which none has many letters, but for one long text."""
    start = letters = 0
    for i, text in enumerate(texts):
        letters += min(len(text), _OF_TEXT)
        if i > start and (letters > _OF_BLOCK or i - start == _BLOCK):
            yield slice(start, i)
            start, letters = i, min(len(text), _OF_TEXT)
    if start < len(texts):
        yield slice(start, len(texts))


def pieces(texts: Sequence[str]) -> sparse.csr_matrix:
    """How often each text has each piece, by buckets; a piece may begin or end where a word does.

    Parameters
    ----------
    texts
        Of some documents.

    Examples
    --------
    >>> pieces(["So so", "sooo", ""]).sum(axis=1).ravel().tolist()
    [[2.0, 3.0, 0.0]]
    """
    spaced = [f" {' '.join(text[:_OF_TEXT].lower().split())} " for text in texts]
    ends = np.cumsum([len(text) for text in spaced])
    joined = "".join(spaced).encode("utf-32-le", "surrogatepass")
    letters = np.frombuffer(joined, dtype="<u4").astype(np.uint64)
    n = max(len(letters) - PIECE + 1, 0)
    keys = np.zeros(n, dtype=np.uint64)
    for place in range(PIECE):
        keys = (keys + letters[place : place + n]) * _ODD
    gap = letters == ord(" ")
    whole = np.ones(n, dtype=bool)  # of one word: no gap but at the ends
    for place in range(1, PIECE - 1):
        whole &= ~gap[place : place + n]
    # A piece of two texts would have the gap after one and the gap before the other within it.
    buckets = (keys[whole] >> np.uint64(64 - _BITS)).astype(np.int32)
    starts = np.searchsorted(np.flatnonzero(whole), np.concatenate([[0], ends]))
    ones = np.ones(len(buckets), dtype=np.float32)
    found = sparse.csr_matrix((ones, buckets, starts), shape=(len(texts), BUCKETS))
    found.sum_duplicates()
    return found


def _weighed(counts: sparse.csr_matrix, kept: Array, weights: Array) -> sparse.csr_matrix:
    """Rows of unit length, of the pieces that count, by their weights and 1 + log of how often."""
    found = sparse.csr_matrix(counts[:, kept])
    found.data = (1 + np.log(found.data)) * weights[found.indices]
    lengths = np.sqrt(np.asarray(found.multiply(found).sum(axis=1), dtype=np.float32).ravel())
    scale = 1 / np.where(lengths > 0, lengths, 1.0)
    found.data *= np.repeat(scale.astype(np.float32), np.diff(found.indptr))
    return found
