"""Coverage of `quantext.correct` beyond the table: other designs, and other kinds of models.

Each function draws one file and gives a row for each share that is asked for: the truth, the lower
bound and the upper bound.
"""

import numpy as np

from quantext.models.correction import correct_judged
from quantext.models.judged import read_judged

RATES = np.array([[0.9, 0.2], [0.1, 0.8]])  # of the classes (columns), by the model's word (rows)


def says(truth, rng, rates=RATES):
    """The model's word on each document."""
    chances = np.cumsum(rates, axis=0)[:, truth]
    return (rng.random(len(truth)) > chances).sum(axis=0)


def known(truth, rows):
    """Labels as texts, blank but for these rows."""
    labels = np.full(len(truth), "", dtype=object)
    labels[rows] = truth[rows].astype(str)
    return labels


def asked(proxy, labels, design, shares, **options):
    """Rows of the class "1", or of all labels, in every bag."""
    reading = {name: options.pop(name) for name in ("by", "separator") if name in options}
    found = correct_judged(read_judged(proxy, labels, **reading), design, **options)
    table = found.table.drop_nulls("low")
    if "separator" not in reading:
        table = table.filter(table["class"] == "1")
    return [
        (shares[row["batch"], row["class"]], row["low"], row["high"])
        for row in table.iter_rows(named=True)
    ]


def one(share):
    return {("all", "1"): share}


def strata(rng, *, equal=False):
    """Three sources of 2,000, 1,500 and 500 documents; 150 truths, in proportion or 50 of each."""
    source = np.repeat([0, 1, 2], [2000, 1500, 500])
    truth = (rng.random(4000) < np.array([0.05, 0.25, 0.7])[source]).astype(int)
    sizes = (50, 50, 50) if equal else (75, 56, 19)
    rows = [rng.choice(np.flatnonzero(source == k), n, replace=False) for k, n in enumerate(sizes)]
    labels = known(truth, np.concatenate(rows))
    return asked(says(truth, rng), labels, "srs", one(truth.mean()), strata=source)


def equal_strata(rng):
    """The same, 50 truths of each source."""
    return strata(rng, equal=True)


def probabilities(rng):
    """5% are of the class; half of 200 truths are drawn from what the model says is of it."""
    truth = (rng.random(4000) < 0.05).astype(int)
    said = says(truth, rng)
    chances = np.where(said == 1, 100 / max((said == 1).sum(), 1), 100 / (said == 0).sum())
    rows = np.flatnonzero(rng.random(4000) < chances)
    return asked(said, known(truth, rows), np.minimum(chances, 1), one(truth.mean()))


def unlike_probabilities(rng):
    """Long documents are drawn four times as often, and twice as often of the class."""
    long = rng.random(4000) < 0.3
    truth = (rng.random(4000) < np.where(long, 0.4, 0.2)).astype(int)
    chances = np.where(long, 0.08, 0.02)
    rows = np.flatnonzero(rng.random(4000) < chances)
    return asked(says(truth, rng), known(truth, rows), chances, one(truth.mean()))


def clusters(rng, *, drawn=50):
    """Authors have ten documents each, alike with an intraclass correlation of 0.2."""
    author = np.repeat(np.arange(500), 10)
    truth = (rng.random(5000) < rng.beta(0.3 * 4, 0.7 * 4, 500)[author]).astype(int)
    rows = np.flatnonzero(np.isin(author, rng.choice(500, drawn, replace=False)))
    labels = known(truth, rows)
    return asked(says(truth, rng), labels, "srs", one(truth.mean()), clusters=author)


def twenty_clusters(rng):
    """The same, all documents of 20 of 500 authors."""
    return clusters(rng, drawn=20)


def hundred_clusters(rng):
    """The same, all documents of 100 of 500 authors."""
    return clusters(rng, drawn=100)


def bags(rng):
    """Four batches of 1,000 documents, 75 truths of each; of the class are 5, 15, 30 and 50%."""
    bag = np.repeat(np.arange(4), 1000)
    truth = (rng.random(4000) < np.array([0.05, 0.15, 0.3, 0.5])[bag]).astype(int)
    rows = [1000 * b + rng.choice(1000, 75, replace=False) for b in range(4)]
    shares = {(str(b), "1"): truth[bag == b].mean() for b in range(4)}
    return asked(says(truth, rng), known(truth, np.concatenate(rows)), "srs", shares, by=bag)


def population(rng):
    """1,000 documents of a population with 20% of the class, whose share is asked; 200 truths."""
    truth = (rng.random(1000) < 0.2).astype(int)
    labels = known(truth, rng.choice(1000, 200, replace=False))
    return asked(says(truth, rng), labels, "srs", one(0.2), target="population")


def posteriors(rng):
    """A model's posteriors, too sure of themselves; 100 truths of 4,000, 20% of the class."""
    truth = (rng.random(4000) < 0.2).astype(int)
    odds = 3 * (truth - 0.5) + rng.normal(0, 1.5, 4000)
    labels = known(truth, rng.choice(4000, 100, replace=False))
    return asked(1 / (1 + np.exp(-2 * odds)), labels, "srs", one(truth.mean()))


def many_scores(rng):
    """Posteriors of six classes in six columns; 300 truths, 15% of the class."""
    p = np.array([0.25, 0.15, 0.15, 0.15, 0.15, 0.15])
    truth = rng.choice(6, 4000, p=p)
    odds = 2.5 * np.eye(6)[truth] + rng.normal(0, 1, (4000, 6))
    said = np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)
    labels = known(truth, rng.choice(4000, 300, replace=False))
    return asked(said, labels, "srs", one((truth == 1).mean()))


def two_models(rng):
    """Two models of which one is better; 100 truths, 20% of the class."""
    truth = (rng.random(4000) < 0.2).astype(int)
    proxy = {
        "first": says(truth, rng),
        "second": says(truth, rng, np.array([[0.8, 0.4], [0.2, 0.6]])),
    }
    labels = known(truth, rng.choice(4000, 100, replace=False))
    return asked(proxy, labels, "srs", one(truth.mean()))


def unnamed_answers(rng):
    """Answers of one to five stars, of which 100 truths tell the meaning; 20% of the class."""
    truth = (rng.random(4000) < 0.2).astype(int)
    shares = np.array([[0.4, 0.3, 0.15, 0.1, 0.05], [0.05, 0.1, 0.15, 0.3, 0.4]])
    said = (rng.random((4000, 1)) > np.cumsum(shares[truth], axis=1)).sum(axis=1)
    stars = np.array(["one", "two", "three", "four", "five"])[np.minimum(said, 4)]
    labels = known(truth, rng.choice(4000, 100, replace=False))
    return asked(stars, labels, "srs", one(truth.mean()))


def several_labels(rng):
    """Documents with none to three labels, of 5, 20 and 40% of them; 150 truths."""
    truth = rng.random((3000, 3)) < [0.05, 0.2, 0.4]
    said = truth ^ (rng.random((3000, 3)) < 0.1)
    names = np.array(["a", "b", "c"])
    texts = [[";" + ";".join(names[row]) for row in own] for own in (said, truth)]
    labels = np.full(3000, "", dtype=object)
    rows = rng.choice(3000, 150, replace=False)
    labels[rows] = np.array(texts[1], dtype=object)[rows]
    shares = {("all", name): truth[:, j].mean() for j, name in enumerate(names)}
    return asked(texts[0], labels, "srs", shares, separator=";")


DESIGNS = {
    "strata, in proportion": strata,
    "strata, as many of each": equal_strata,
    "probabilities, by the model's word": probabilities,
    "probabilities, by length": unlike_probabilities,
    "20 clusters of 10": twenty_clusters,
    "50 clusters of 10": clusters,
    "100 clusters of 10": hundred_clusters,
    "four batches, 75 truths each": bags,
    "target: population": population,
    "one posterior a document": posteriors,
    "six posteriors a document": many_scores,
    "two models": two_models,
    "answers that are no classes": unnamed_answers,
    "several labels a document": several_labels,
}

REGRESSED = ("one posterior a document", "six posteriors a document", "two models")  # slower


def run_design(job):
    """Coverage and mean width of a design, with the number of intervals."""
    name, replicates = job
    rng = np.random.default_rng([7, list(DESIGNS).index(name)])
    rows = np.array([row for _ in range(replicates) for row in DESIGNS[name](rng)])
    truth, low, high = rows.T
    held = (low <= truth + 1e-9) & (truth <= high + 1e-9)
    return name, float(held.mean()), float((high - low).mean()), len(rows)
