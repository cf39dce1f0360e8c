"""Kernels that find the tokens of texts in their bytes, and look each up in a table."""

from __future__ import annotations

import numpy as np

from quantext.kernels import kernel, part
from quantext.vectors.eight import copy_bytes, count_bits, load8, lowest_bit

__all__ = ["CHUNK", "HALF", "LOW", "MASKS", "ONE", "SPARE", "TOP", "enter", "number_lines", "scan"]

SPARE = 80  # bytes behind the last text: what a kernel may read beyond its end
CHUNK = np.uint64(4096)  # bytes whose tokens are found at once, before they are looked up
ONE, TWO, THREE, EIGHT, SIXTEEN, BLOCK = map(np.uint64, (1, 2, 3, 8, 16, 64))
HALF, LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
# In each of the eight bytes of a word: 1, the top bit, the bit that makes an ASCII letter small.
ONES = np.uint64(0x0101010101010101)
TOP = np.uint64(0x8080808080808080)
CASE = np.uint64(0x2020202020202020)
# At n, up to 16, the mask of the first eight of n bytes; at n + 17, that of the eight behind them.
MASKS = np.array(
    [(1 << 8 * min(max(n - skipped, 0), 8)) - 1 for skipped in (0, 8) for n in range(17)], np.uint64
)


@part
def _mix(hashed, word, first, second):
    """Hash of the words so far and one more.

    Two products, since after one alone the difference that the top bit of a word makes would be
    the same whatever the factor, and the next word could cancel it.
    """
    hashed = (hashed ^ word) * first
    return (hashed ^ (hashed >> HALF)) * second


@part
def _in_words(eight):
    """The top bit of each of eight bytes that is an ASCII letter or not ASCII.

    With bit 5 set, a letter is between "a" and "z"; adding 0x1F carries into the top bit from "a"
    on, adding 0x05 from after "z".
    """
    lower = (eight | CASE) & ~TOP
    letters = (lower + ONES * np.uint64(0x1F)) & ~(lower + ONES * np.uint64(0x05))
    return (letters | eight) & TOP


@part
def _small(eight):
    """Eight bytes, those that are ASCII letters in lower case; no other byte may be ASCII."""
    return eight | (CASE ^ ((eight & TOP) >> TWO))


@part
def _word(data, start, length, k):
    """The eight bytes of a token from its byte ``k`` on, in lower case; zero beyond its end."""
    eight = _small(load8(data, start + k))
    left = length - k
    return eight if left >= EIGHT else eight & ((ONE << (left << THREE)) - ONE)


@part
def _hash_rest(hashed, keys, data, start, length):
    """Hash of a token of more than two words, which are in it already."""
    k = SIXTEEN
    while k < length:
        hashed = _mix(hashed, _word(data, start, length, k), keys[1], keys[2])
        k += EIGHT
    return hashed


@part
def _same_rest(data, start, letters, other, length):
    """Whether the bytes of two tokens are the same from the seventeenth on."""
    k = SIXTEEN
    while k < length:
        if _word(data, start, length, k) != _word(letters, other, length, k):
            return False
        k += EIGHT
    return True


@part
def _edges(data, start, end, edges):
    """Write where runs of bytes of words begin and end, from ``start``; return how many edges.

    A word's bytes are ASCII letters and whatever is not ASCII. 64 bytes become the bits of one
    number, in which a bit that differs from the one before it is an edge.
    """
    n = np.uint64(0)
    before = np.uint64(0)
    at = start
    while at < end:
        bits = np.uint64(0)
        for k in range(8):
            flags = _in_words(load8(data, at + np.uint64(8 * k))) >> np.uint64(7)
            # The product gathers the lowest bits of the eight bytes in its top byte.
            bits |= flags * np.uint64(0x0102040810204080) >> np.uint64(56) << np.uint64(8 * k)
        if end - at < BLOCK:
            bits &= (ONE << (end - at)) - ONE
        changes = bits ^ (bits << ONE | before)
        before = bits >> np.uint64(63)
        next_n = n + count_bits(changes)
        while n < next_n:  # eight at a time, some of them for nothing, rather than guess how many
            for k in range(8):
                edges[n + np.uint64(k)] = at - start + lowest_bit(changes)
                changes &= changes - ONE
            n += EIGHT
        n = next_n
        at += BLOCK
    return n


@part
def _is_in_word(byte):
    return byte >= 0x80 or ord("a") <= byte | 0x20 <= ord("z")


@part
def _next_token(data, start, end, code_points):
    """Where the first token of a run of bytes of words begins and ends; both at its end if none."""
    begin = i = start
    while i < end:
        code = np.uint64(data[i])
        width = ONE
        if code >= np.uint64(0x80):
            # UTF-8: 110xxxxx, 1110xxxx or 11110xxx, then bytes of six bits each.
            width += ONE + np.uint64(code >= np.uint64(0xE0)) + np.uint64(code >= np.uint64(0xF0))
            code &= np.uint64(0x7F) >> width
            k = ONE
            while k < width:
                code = code << np.uint64(6) | np.uint64(data[i + k]) & np.uint64(0x3F)
                k += ONE
            if not code_points[code]:
                if begin < i:
                    return begin, i
                begin = i + width
        i += width
    return begin, end


@kernel(steps=lambda data, *_: len(data))
def scan(
    data, ends, code_points, keys, masks, slots, letters, starts, state, edges, stream, stream_ends
):
    """Write the token numbers of the documents to ``stream``.

    ``state`` says where to begin and, on return, where it stopped: document, byte, place in the
    stream, and the number of tokens met. It stops before a token for which something is too small,
    whose length is in ``state`` as well; the caller makes room and calls again. Every document ends
    with a line feed, so no token runs over an end.

    A slot is four numbers: the first sixteen bytes of a token, in lower case, as two of them, then
    its length and its number (length << 32 | number), which is 0 when the slot is empty; the fourth
    is its hash. ``letters`` has the bytes of each token, with a line feed behind them, from
    ``starts`` on.
    """
    n_tokens = np.uint64(state[3])
    written = np.uint64(state[2])
    position = np.uint64(state[1])
    mask = np.uint64((len(slots) >> 2) - 1)
    key, first, second = keys[0], keys[1], keys[2]
    has_code_points = len(code_points) > 0
    for document in range(state[0], len(ends)):
        end = np.uint64(ends[document])
        while position < end:
            base = position
            position = min(base + CHUNK, end)
            n = _edges(data, base, position, edges)
            if n & ONE:  # the last token goes on beyond the chunk
                while _is_in_word(data[position]):
                    position += ONE
                edges[n] = position - base
                n += ONE
            j = np.uint64(0)
            while j < n:
                begin = base + np.uint64(edges[j])
                run_end = base + np.uint64(edges[j + ONE])
                j += TWO
                while begin < run_end:  # once, if all is ASCII
                    token_end = run_end
                    if has_code_points:
                        begin, token_end = _next_token(data, begin, run_end, code_points)
                        if begin == token_end:
                            break
                    length = token_end - begin
                    of_masks = min(length, SIXTEEN)
                    word = _small(load8(data, begin)) & masks[of_masks]
                    other = _small(load8(data, begin + EIGHT)) & masks[of_masks + np.uint64(17)]
                    hashed = _mix(_mix(key, word, first, second), other, first, second)
                    if length > SIXTEEN:
                        hashed = _hash_rest(hashed, keys, data, begin, length)
                    slot = hashed >> HALF & mask
                    number = n_tokens
                    while True:
                        at = slot << TWO
                        found = slots[at + TWO]
                        if (
                            slots[at] == word
                            and slots[at + ONE] == other
                            and found >> HALF == length
                        ):
                            if length <= SIXTEEN or _same_rest(
                                data, begin, letters, np.uint64(starts[found & LOW]), length
                            ):
                                number = found & LOW
                                break
                        elif found == 0:
                            used = np.uint64(starts[n_tokens])
                            if (
                                TWO * n_tokens + TWO > mask + ONE
                                or n_tokens + TWO > np.uint64(len(starts))
                                or used + length + np.uint64(SPARE) > np.uint64(len(letters))
                            ):
                                state[0], state[1], state[2] = document, begin, written
                                state[3], state[4] = n_tokens, length
                                return
                            slots[at] = word
                            slots[at + ONE] = other
                            slots[at + TWO] = length << HALF | n_tokens
                            slots[at + THREE] = hashed
                            k = np.uint64(0)
                            while k < length:
                                byte = data[begin + k]
                                letters[used + k] = byte if byte >= 0x80 else byte | 0x20
                                k += ONE
                            letters[used + length] = ord("\n")
                            n_tokens += ONE
                            starts[n_tokens] = used + length + ONE
                            break
                        slot = (slot + ONE) & mask
                    stream[written] = number
                    written += ONE
                    begin = token_end
        stream_ends[document] = written
    state[0], state[3] = len(ends), n_tokens


@part
def _hashed(data, begin, length, keys, masks):
    """The first sixteen bytes of a token that is in lower case, as two words, and its hash."""
    of_masks = min(length, SIXTEEN)
    word = load8(data, begin) & masks[of_masks]
    other = load8(data, begin + EIGHT) & masks[of_masks + np.uint64(17)]
    hashed = _mix(_mix(keys[0], word, keys[1], keys[2]), other, keys[1], keys[2])
    if length > SIXTEEN:
        hashed = _hash_rest(hashed, keys, data, begin, length)
    return word, other, hashed


@kernel
def enter(known, slots):
    """Enter the tokens of slots into empty ones, of which there are more.

    A token moves to one of a few places, in the order in which it lay: memory is read and written
    from front to back, and of tokens that lie in a row, those that came first stay first.
    """
    mask = np.uint64((len(slots) >> 2) - 1)
    for old in range(0, len(known), 4):
        if known[old + 2] == 0:
            continue
        slot = known[old + 3] >> HALF & mask
        while slots[slot << TWO | TWO]:
            slot = (slot + ONE) & mask
        for k in range(4):
            slots[slot << TWO | np.uint64(k)] = known[old + k]


@kernel(steps=lambda _, size, *__: size)
def number_lines(data, size, keys, masks, slots, letters, starts, state, stream):
    """Write the number of each line, which is a token in lower case or nothing, to ``stream``.

    The table is that of `scan`, and so is ``state``: where in the data and in the stream to begin,
    the number of tokens met and, on return, the length of one for which there is no room. Its last
    number is that of the empty line, which has no slot, or -1.
    """
    begin = np.uint64(state[0])
    written = np.uint64(state[1])
    n_tokens = np.uint64(state[2])
    mask = np.uint64((len(slots) >> 2) - 1)
    while begin < np.uint64(size):
        end = begin
        while data[end] != ord("\n"):
            end += ONE
        length = end - begin
        word, other, hashed = _hashed(data, begin, length, keys, masks)
        slot = hashed >> HALF & mask
        number = n_tokens
        if length == 0 and state[4] >= 0:
            number = np.uint64(state[4])
        while length:
            at = slot << TWO
            found = slots[at + TWO]
            if found == 0:
                break
            if (
                slots[at] == word
                and slots[at + ONE] == other
                and found >> HALF == length
                and (
                    length <= SIXTEEN
                    or _same_rest(data, begin, letters, np.uint64(starts[found & LOW]), length)
                )
            ):
                number = found & LOW
                break
            slot = (slot + ONE) & mask
        if number == n_tokens:
            used = np.uint64(starts[n_tokens])
            if (
                TWO * n_tokens + TWO > mask + ONE
                or n_tokens + TWO > np.uint64(len(starts))
                or used + length + np.uint64(SPARE) > np.uint64(len(letters))
            ):
                break
            if length:
                slots[slot << TWO] = word
                slots[slot << TWO | ONE] = other
                slots[slot << TWO | TWO] = length << HALF | n_tokens
                slots[slot << TWO | THREE] = hashed
            else:
                state[4] = n_tokens
            copy_bytes(letters, used, data, begin, length + ONE)
            n_tokens += ONE
            starts[n_tokens] = used + length + ONE
        stream[written] = number
        written += ONE
        begin = end + ONE
    state[0], state[1], state[2], state[3] = begin, written, n_tokens, length
