"""Data that every library in `benchmarks.peers` gets: generated documents, bags, posteriors.

Two classes whose words overlap, so that a linear classifier is right on four documents of five;
words have Zipf's frequencies, and some documents have more words of their class than others. Files
are written to a folder, from which the processes that are measured read.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import expit, softmax
from sklearn.linear_model import LogisticRegression

from quantext.scores.calibration import calibrate
from quantext.scores.training import ScoresByClass, score_training

N_BAGS = 10
PREVALENCES = np.linspace(0.05, 0.95, N_BAGS)
P_TRAIN = 0.3
LENGTH = 72  # of a document in words, nearly all of them distinct
TOPIC, ON_TOPIC = 600, 0.022  # words that tell of a class, and half their share in its documents
FOLDS = 10
N_CLASSES = 5  # of the posteriors with which several classes are compared


@dataclass(frozen=True)
class Sizes:
    """Numbers of documents and words.

    Parameters
    ----------
    n_train, n_words, n_bag
        Of the large problem: training documents, features, documents in a bag.
    n_dense, n_presence, n_weights
        Of the small dense ones: documents in training and in each bag, most frequent words whose
        presence is given, and whose weight is.
    """

    n_train: int = 12_800
    n_words: int = 50_000
    n_bag: int = 15_000
    n_dense: int = 2_000
    n_presence: int = 100
    n_weights: int = 300


SMALL = Sizes(n_train=1_500, n_words=20_000, n_bag=1_500, n_dense=400, n_presence=30, n_weights=50)


def write_data(folder, sizes, seed=0):
    """Files of training documents and bags, sparse and dense, and of posteriors.

    Returns the accuracy of the classifier whose posteriors they are, and non-zeros a row.
    """
    rng = np.random.default_rng(seed)
    y = rng.random(sizes.n_train) < P_TRAIN
    labels = [rng.permutation(sizes.n_bag) < round(p * sizes.n_bag) for p in PREVALENCES]
    counts = [_documents(own, sizes.n_words, rng) for own in (y, *labels)]
    idf = np.log(sizes.n_train / np.maximum(counts[0].count_nonzero(axis=0), 1))
    X, *bags = (_weighted(own, idf) for own in counts)
    for name, own in zip(["train", *map(str, range(N_BAGS))], (X, *bags), strict=True):
        sparse.save_npz(folder / f"documents-{name}.npz", own, compressed=False)
    accuracy = _write_posteriors(folder, X, y, bags, labels)
    _write_dense(folder, sizes, (X, *bags), (y, *labels))
    _write_several_classes(folder, sizes, rng)
    return accuracy, X.nnz / X.shape[0]


def _documents(y, n_words, rng):
    """Numbers of words in documents, of which those with y have some words of one topic."""
    lengths = np.maximum(10, rng.lognormal(np.log(LENGTH), 0.4, len(y))).astype(int)
    documents = np.repeat(np.arange(len(y), dtype=np.int32), lengths)
    frequency = np.cumsum(1 / np.arange(20, n_words + 20))
    words = np.searchsorted(frequency, rng.random(lengths.sum()) * frequency[-1]).astype(np.int32)
    # Each class has a topic, and each document says more or less of its own.
    strength = (ON_TOPIC * rng.gamma(2.0, 1.0, len(y)))[documents]
    on_topic = rng.random(len(words)) < strength
    topics = np.random.default_rng(1).permutation(5_000)[: 2 * TOPIC].reshape(2, TOPIC)
    chosen = (TOPIC * rng.random(on_topic.sum()) ** 2).astype(int)
    words[on_topic] = topics[y[documents[on_topic]].astype(int), chosen]
    shape = (len(y), n_words)
    return sparse.coo_array((np.ones(len(words)), (documents, words)), shape=shape).tocsr()


def _weighted(X, idf):
    """Rows of unit length, weighted by the logarithm of counts and by inverse frequency."""
    X.data = (1 + np.log(X.data)) * idf[X.indices]
    lengths = np.sqrt((X * X).sum(axis=1))
    X.data /= np.repeat(lengths, np.diff(X.indptr))
    return X


def _write_posteriors(folder, X, y, bags, labels):
    """Calibrated posteriors of logistic regression: out-of-fold for training, and of all bags.

    A method that calibrates after Platt finds them calibrated, so that ours and those that take
    posteriors as they are learn from the same numbers.
    """
    scores = score_training(LogisticRegression(C=10), X, y, folds=FOLDS)
    own = scores.out_of_fold
    [sigmoid] = calibrate(ScoresByClass(own, np.column_stack([~y, y]).astype(np.int64)))

    def posteriors(column):
        positive = expit(sigmoid.log_odds(column[:, 0]))
        return np.column_stack([1 - positive, positive])

    given = {str(i): posteriors(scores.scorer(bag)) for i, bag in enumerate(bags)}
    np.savez(folder / "posteriors.npz", train=posteriors(own), y=y.astype(np.int64), **given)
    np.save(folder / "labels.npy", np.array([own.mean() for own in labels]))
    return float(((own[:, 0] > 0) == y).mean())


def _write_dense(folder, sizes, documents, labels):
    """The most frequent words of a few documents as dense arrays: their presence, their weights."""
    n = sizes.n_dense
    frequent = np.argsort(-documents[0].count_nonzero(axis=0), kind="stable")
    names = ["train", *map(str, range(N_BAGS))]
    y = labels[0][:n].astype(np.int64)
    p_true = np.array([own[:n].mean() for own in labels[1:]])
    for name, number in [("presence", sizes.n_presence), ("weights", sizes.n_weights)]:
        dense = [X[:n][:, np.sort(frequent[:number])].toarray() for X in documents]
        if name == "presence":
            dense = [(X > 0).astype(np.int64) for X in dense]
        arrays = dict(zip(names, dense, strict=True))
        np.savez(folder / f"{name}.npz", y=y, p_true=p_true, **arrays)


def _write_several_classes(folder, sizes, rng):
    """Posteriors of several classes, noisy and right on the average."""
    n_train, n_bag = sizes.n_train // 3, sizes.n_bag // 3

    def draw(n, p):
        y = rng.choice(N_CLASSES, n, p=p)
        scores = rng.normal(0, 1, (n, N_CLASSES)) + 1.5 * np.eye(N_CLASSES)[y]
        return softmax(1.5 * scores, axis=1), y

    p_true = rng.dirichlet(np.ones(N_CLASSES), N_BAGS)
    train, y = draw(n_train, np.full(N_CLASSES, 1 / N_CLASSES))
    bags = {str(i): draw(n_bag, p)[0] for i, p in enumerate(p_true)}
    np.savez(folder / "several.npz", train=train, y=y, p_true=p_true, **bags)


def exact_kernel_likelihood(train, y, bag, bandwidth=0.1):
    """Share of class 1 under which posteriors are most likely, by all kernels one by one.

    Each class has the density of a Gaussian kernel, of this deviation in both of its posteriors, at
    each of its documents.
    """
    densities = [_density(train[y == k, 1], bag[:, 1], bandwidth / np.sqrt(2)) for k in (0, 1)]
    low, high = 0.0, 1.0
    for _ in range(60):  # the derivative of a concave function: halve where it changes its sign
        p = (low + high) / 2
        slope = np.mean((densities[1] - densities[0]) / (p * densities[1] + (1 - p) * densities[0]))
        low, high = (p, high) if slope > 0 else (low, p)
    return p


def _density(centres, points, deviation):
    at_a_time = 500
    parts = [
        np.exp(-0.5 * ((points[i : i + at_a_time, None] - centres) / deviation) ** 2).mean(axis=1)
        for i in range(0, len(points), at_a_time)
    ]
    return np.concatenate(parts)
