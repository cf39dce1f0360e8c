"""What a kernel will need soon, asked of memory ahead: nothing is computed by it.

Documents in a random order lie all over memory, and a million of them in no cache: to wait for each
would take longer than its arithmetic. What is to come is known, so it is fetched meanwhile.
"""

from quantext.kernels import inlined, instruction

__all__ = ["LINE", "fetch", "fetch_rows"]

LINE = 64  # bytes that memory delivers at a time
NEXT = 8  # documents ahead whose entries are fetched; at twice that, where these begin


@instruction
def fetch(array, i):
    """Have the item at this place of an array, counted without regard to its shape, brought in."""


@inlined
def fetch_rows(order, r, end, records, values, features):
    """Fetch the entries of the document that is some places after place ``r`` of the order.

    Returns that document, or −1 if the order ends before.
    """
    if r + 2 * NEXT < end:
        fetch(records, order[r + 2 * NEXT])
    if r + NEXT >= end:
        return -1
    i = order[r + NEXT]
    start = records[i].start
    for t in range(start, start + records[i].length, LINE // 4):  # items have four bytes, mostly
        fetch(values, t)
        fetch(features, t)
    return i
