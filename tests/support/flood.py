"""Tokens that someone who knows the keys of a hash makes to flood its table: all have one slot.

``python -m tests.support.flood 20000 18`` prints so many tokens for a table of 2¹⁸ slots whose keys
are `KNOWN_KEYS`, as a text of one line.
"""

import sys

import numpy as np

KNOWN_KEYS = np.array([0, 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93], np.uint64)
_AT_ONCE = 1 << 20  # tokens that are tried


def slots_of(words, keys, n_slots):
    """First slot of tokens of up to eight bytes, each a number whose lowest byte is the first."""
    start, first, second = (np.uint64(key) for key in keys)
    hashed = start
    for word in (words, np.uint64(0)):  # the second eight bytes are empty
        hashed = (hashed ^ word) * first
        hashed = (hashed ^ (hashed >> np.uint64(32))) * second
    return (hashed >> np.uint64(32)) & np.uint64(n_slots - 1)


def flood(n, keys, n_slots):
    """Distinct tokens of eight letters, n of them, whose first slot is 0."""
    rng = np.random.default_rng(0)
    found = set()
    while len(found) < n:
        letters = rng.integers(ord("a"), ord("z") + 1, (_AT_ONCE, 8), dtype=np.uint8)
        words = letters.view("<u8")[:, 0]
        hits = letters[slots_of(words, keys, n_slots) == 0]
        found.update(bytes(token).decode() for token in hits)
    return sorted(found)[:n]


def most_probes(slots):
    """Most slots that are looked at for one token: those of the longest run of taken ones."""
    empty = np.flatnonzero(slots == 0)
    return int(np.diff(empty, append=empty[0] + len(slots)).max())


if __name__ == "__main__":
    print(" ".join(flood(int(sys.argv[1]), KNOWN_KEYS, 1 << int(sys.argv[2]))))
