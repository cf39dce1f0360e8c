"""Kernels of quantification forests: grow a tree, and let trees vote."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from quantext.kernels import kernel

__all__ = ["best_split", "count_votes", "grow", "imbalance"]

Array = NDArray[Any]


@kernel
def imbalance(left: Array, right: Array, power: int) -> tuple[float, int]:
    """Σ_c |FP_c − FN_c|·(FP_c + FN_c)^power of a split, and its number of errors.

    Parameters
    ----------
    left, right
        Documents of each class on both sides, each of which is put in its commonest class.
    power
        0 or 1.
    """
    to_left, to_right, n_left, n_right = 0, 0, 0, 0
    for c in range(len(left)):
        n_left += left[c]
        n_right += right[c]
        to_left = c if left[c] > left[to_left] else to_left
        to_right = c if right[c] > right[to_right] else to_right
    total, errors = 0, 0
    for c in range(len(left)):
        fp, fn = 0, 0
        if c == to_left:
            fp += n_left - left[c]
        else:
            fn += left[c]
        if c == to_right:
            fp += n_right - right[c]
        else:
            fn += right[c]
        total += abs(fp - fn) * (fp + fn if power else 1)
        errors += fn
    return float(total), errors


@kernel
def best_split(
    values: Array, codes: Array, times: Array, whole: Array, power: int, min_leaf: int
) -> tuple[float, int, float]:
    """Imbalance and errors of the best split by one feature, and its threshold; infinite if none.

    Parameters
    ----------
    values, codes, times
        Of the node's documents that have the feature: its value, their class, and how often each
        was drawn. The others have the value 0.
    whole
        Documents of each class in the node.
    power, min_leaf
        As in `grow`.
    """
    absent = whole.copy()
    for i in range(len(values)):
        absent[codes[i]] -= times[i]
    n_absent = absent.sum()
    order = np.argsort(values, kind="mergesort")
    left, right = np.zeros_like(whole), whole.copy()
    best, fewest, threshold = np.inf, 0, 0.0
    n_left, size = 0, whole.sum()
    waiting = n_absent > 0  # for their place among the values
    position = 0
    while position < len(order) or waiting:
        if waiting and (position == len(order) or values[order[position]] > 0):
            value = 0.0
            for c in range(len(whole)):
                left[c] += absent[c]
                right[c] -= absent[c]
            n_left += n_absent
            waiting = False
        else:
            value = values[order[position]]
            while position < len(order) and values[order[position]] == value:
                i = order[position]
                left[codes[i]] += times[i]
                right[codes[i]] -= times[i]
                n_left += times[i]
                position += 1
        if n_left >= size:
            break
        if n_left < min_leaf or size - n_left < min_leaf:
            continue
        cost, errors = imbalance(left, right, power)
        if cost < best or (cost == best and errors < fewest):
            following = values[order[position]] if position < len(order) else 0.0
            if waiting and following > 0:
                following = 0.0
            best, fewest, threshold = cost, errors, value + (following - value) / 2
    return best, fewest, threshold


@kernel
def grow(
    rows: tuple[Array, Array],
    columns: tuple[Array, Array, Array],
    codes: Array,
    n_classes: int,
    drawn: Array,
    power: int,
    min_leaf: int,
    tries: int,
    rng: np.random.Generator,
) -> tuple[Array, Array, Array, Array, Array]:
    """Nodes of a tree: features, thresholds, left, right and labels.

    Parameters
    ----------
    rows
        Pointers and columns of the documents.
    columns
        Pointers, rows and values of the features.
    codes, n_classes
        Class of each document, from 0, and how many there are.
    drawn
        How often the tree has each document.
    power
        Of the errors, by which the imbalance is multiplied.
    min_leaf
        Least number of documents on each side of a split.
    tries
        Features that a node looks at.
    rng
        Source of randomness.
    """
    row_starts, row_columns = rows
    starts, places, data = columns
    own = np.flatnonzero(drawn)
    most = 2 * len(own) + 1
    features, labels = np.full(most, -1, np.int64), np.zeros(most, np.int64)
    left, right = np.zeros(most, np.int64), np.zeros(most, np.int64)
    thresholds = np.zeros(most)
    firsts, lasts = np.zeros(most, np.int64), np.zeros(most, np.int64)
    node_of = np.full(len(codes), -1, np.int64)
    node_of[own] = 0
    lasts[0] = len(own)
    n_nodes, node = 1, 0
    while node < n_nodes:
        members = own[firsts[node] : lasts[node]]
        whole = np.zeros(n_classes, np.int64)
        for i in members:
            whole[codes[i]] += drawn[i]
        labels[node] = np.argmax(whole)
        best, fewest, feature, threshold = np.inf, 0, -1, 0.0
        if whole.max() < whole.sum():
            for _ in range(tries):
                document = members[int(rng.random() * len(members))]
                first, last = row_starts[document], row_starts[document + 1]
                if first == last:
                    continue
                tried = row_columns[first + int(rng.random() * (last - first))]
                n = 0
                values = np.empty(len(members))
                classes, times = np.empty(len(members), np.int64), np.empty(len(members), np.int64)
                # By the feature or by the documents, whichever are fewer to look at.
                if starts[tried + 1] - starts[tried] < 8 * len(members):
                    for k in range(starts[tried], starts[tried + 1]):
                        i = places[k]
                        if node_of[i] == node:
                            values[n], classes[n], times[n] = data[k], codes[i], drawn[i]
                            n += 1
                else:
                    own_places = places[starts[tried] : starts[tried + 1]]
                    for i in members:
                        k = np.searchsorted(own_places, i)
                        if k < len(own_places) and own_places[k] == i:
                            values[n] = data[starts[tried] + k]
                            classes[n], times[n] = codes[i], drawn[i]
                            n += 1
                cost, errors, at = best_split(
                    values[:n], classes[:n], times[:n], whole, power, min_leaf
                )
                if cost < best or (cost == best and errors < fewest):
                    best, fewest, feature, threshold = cost, errors, tried, at
        if feature >= 0:
            features[node], thresholds[node] = feature, threshold
            left[node], right[node] = n_nodes, n_nodes + 1
            elsewhere = n_nodes if threshold >= 0 else n_nodes + 1  # for whoever has it not
            for k in range(starts[feature], starts[feature + 1]):
                if node_of[places[k]] == node:
                    node_of[places[k]] = n_nodes if data[k] <= threshold else n_nodes + 1
            for i in members:
                if node_of[i] == node:
                    node_of[i] = elsewhere
            middle = firsts[node]
            others = np.empty(len(members), np.int64)
            n = 0
            for i in members:  # those to the left move up, in order
                if node_of[i] == n_nodes:
                    own[middle] = i
                    middle += 1
                else:
                    others[n] = i
                    n += 1
            for k in range(n):
                own[middle + k] = others[k]
            firsts[n_nodes], lasts[n_nodes] = firsts[node], middle
            firsts[n_nodes + 1], lasts[n_nodes + 1] = middle, lasts[node]
            n_nodes += 2
        node += 1
    return (
        features[:n_nodes],
        thresholds[:n_nodes],
        left[:n_nodes],
        right[:n_nodes],
        labels[:n_nodes],
    )


@kernel
def count_votes(
    documents: tuple[Array, Array, Array],
    nodes: tuple[Array, Array, Array, Array, Array],
    roots: Array,
    votes: Array,
) -> None:
    """Add the votes of all trees for each document to `votes`.

    Parameters
    ----------
    documents
        Pointers, columns in ascending order and values of the rows.
    nodes
        Features, thresholds, left, right and labels, as `grow` gives them.
    roots
        First node of each tree.
    votes
        Zeros, shape (n, K).
    """
    starts, places, data = documents
    features, thresholds, left, right, labels = nodes
    for i in range(len(votes)):
        own, values = places[starts[i] : starts[i + 1]], data[starts[i] : starts[i + 1]]
        for root in roots:
            node = root
            while features[node] >= 0:
                k = np.searchsorted(own, features[node])
                value = values[k] if k < len(own) and own[k] == features[node] else 0.0
                node = left[node] if value <= thresholds[node] else right[node]
            votes[i, labels[node]] += 1
