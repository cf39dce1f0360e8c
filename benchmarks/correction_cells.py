"""Simulated files for `benchmarks.correction`: one cell of the table, many replicates of it.

A file has 20,000 documents. The model is right in a given share of the documents of each class, and
wrong in the rest, which it spreads over the other classes. In the design "srs" some of the file's
documents, at random, have a known truth. In the design "elsewhere" they are others, of which each
class has the same share. Asked is the share of the first class in the file itself.
"""

from dataclasses import asdict, dataclass
from itertools import product

import numpy as np
from scipy.special import ndtri
from threadpoolctl import threadpool_limits

from quantext import correct
from quantext.models.judged import Judged, Question
from quantext.models.sampled import from_sample, read_drawing
from quantext.quantifiers.intervals import whole_documents
from quantext.quantifiers.misclassified import unmix
from quantext.quantifiers.sample_bounds import wilson
from quantext.vectors.answers import Answers

SIZE = 20_000
LEVEL = 0.95
DRAWS = 500  # of a posterior, an eighth of those that `correct` takes: bounds are a little rougher

GOLD = (50, 100, 300, 1000)
CLASSES = (2, 6)
PREVALENCES = (0.02, 0.05, 0.1, 0.2, 0.5)
ACCURACIES = {"srs": (0.6, 0.8, 0.9, 0.95), "elsewhere": (0.6, 0.8, 0.95)}


@dataclass(frozen=True)
class Cell:
    """What is alike in many simulated files."""

    design: str
    classes: int
    gold: int
    prevalence: float
    accuracy: float

    @property
    def shares(self):
        """Of the classes in what files are drawn from."""
        rest = (1 - self.prevalence) / (self.classes - 1)
        return np.r_[self.prevalence, np.full(self.classes - 1, rest)]

    @property
    def rates(self):
        """Share of the documents of each class (column) that the model puts in each (row)."""
        wrong = (1 - self.accuracy) / (self.classes - 1)
        return np.where(np.eye(self.classes, dtype=bool), self.accuracy, wrong)

    @property
    def expected(self):
        """Documents of the class among those with a known truth."""
        share = self.prevalence if self.design == "srs" else 1 / self.classes
        return self.gold * share

    def rng(self, block):
        """Random numbers of this cell and block alone, so that they may be run in any order."""
        places = round(1000 * self.prevalence), round(1000 * self.accuracy)
        return np.random.default_rng(
            [self.design == "srs", self.classes, self.gold, *places, block]
        )


def cells(design, *, small=False):
    """All cells of a design; a few of them for a trial."""
    grid = product(CLASSES, GOLD, PREVALENCES, ACCURACIES[design])
    if small:
        grid = product(CLASSES, (50, 300), (0.02, 0.2, 0.5), (0.6, 0.95))
    return [Cell(design, *own) for own in grid]


def judged_of(all_by, gold_by):
    """Documents from their numbers by answer (row) and truth (column); the first are the gold ones.

    This is what `quantext.correct` reads lists into; the order of documents says nothing.
    """
    names = tuple(str(k) for k in range(len(all_by)))
    answer, truth = np.indices(all_by.shape).reshape(2, -1)
    said = np.repeat(answer, gold_by.ravel())
    rest = np.repeat(answer, (all_by - gold_by).ravel())
    model = Answers(np.r_[said, rest], names)
    question = Question(names, (model,), np.repeat(truth, gold_by.ravel()), (0,))
    bags = np.zeros(len(model), dtype=np.int64)
    return Judged((question,), np.arange(len(said)), bags, ("all",))


def draw_srs(cell, rng):
    """Numbers of documents by answer and truth: of a file, and of the gold ones in it."""
    joint = cell.rates * cell.shares
    all_by = rng.multinomial(SIZE, joint.ravel())
    gold_by = rng.multivariate_hypergeometric(all_by, cell.gold)
    return all_by.reshape(joint.shape), gold_by.reshape(joint.shape)


def draw_elsewhere(cell, rng):
    """Gold documents by answer and truth, of all classes; the file's by answer, and its shares."""
    gold = np.zeros(cell.classes, dtype=np.int64)
    while not gold.all():  # `correct` refuses what was never seen
        gold = rng.multinomial(cell.gold, np.full(cell.classes, 1 / cell.classes))
    own = rng.multinomial(SIZE, cell.shares)
    put = [rng.multinomial(numbers, cell.rates.T) for numbers in (gold, own)]
    return put[0].T, put[1].sum(axis=0), own / SIZE


def by_sample(judged, *, population=False, reading="learned"):
    """Share and bounds of the first class, as `quantext.correct` finds them; and the way used."""
    drawing = read_drawing(judged, None, None, None)
    found = from_sample(
        judged,
        judged.questions[0],
        drawing,
        level=LEVEL,
        population=population,
        reading=reading,
        seed=0,
    )
    numbers = (found.numbers[name][0, 0] for name in ("share", "low", "high"))
    return (*numbers, found.used[0][0] == "ppi")


def by_rates(table, counts, seed, draws=DRAWS):
    """Share and bounds of the first class by how classes are mistaken elsewhere."""
    found = unmix(table, counts, level=LEVEL, seed=seed, draws=draws)
    low, high = whole_documents(found.low, found.high, int(counts.sum()))
    return found.p[0], min(low[0], found.p[0]), max(high[0], found.p[0])


def check_same(cell):
    """Raise if `quantext.correct`, given lists, finds something else than these functions do."""
    rng = cell.rng(0)
    names = np.array([str(k) for k in range(cell.classes)])
    if cell.design == "srs":
        judged = judged_of(*draw_srs(cell, rng))
        ours = by_sample(judged)[:3]
        codes, truth = judged.questions[0].models[0].codes, judged.questions[0].truth
    else:
        table, counts, _ = draw_elsewhere(cell, rng)
        ours = by_rates(table, counts, 0, draws=4000)
        answer, truth = (np.repeat(own.ravel(), table.ravel()) for own in np.indices(table.shape))
        codes = np.r_[answer, np.repeat(np.arange(cell.classes), counts)]
    known = [*names[truth], *[None] * (len(codes) - len(truth))]
    first = (
        correct(names[codes], known, design=cell.design, level=LEVEL).to_frame().row(0, named=True)
    )
    np.testing.assert_allclose(ours, [first[name] for name in ("share", "low", "high")])


def ppi_python(all_by, gold_by):
    """Bounds of ppi-python's tuned interval of the first class, and lambda; clipped to [0, 1].

    The formula that `ppi_mean_ci` computes, from counts; `benchmarks.correction_ppi` holds it
    against the library itself.
    """
    n, total = gold_by.sum(), all_by.sum()
    others = total - n
    truth, said, both = gold_by[:, 0].sum() / n, gold_by[0].sum() / n, gold_by[0, 0] / n
    rest = (all_by[0].sum() - gold_by[0].sum()) / others
    every = all_by[0].sum() / total
    variance = every * (1 - every) * total / (total - 1)
    power = np.clip((both - truth * said) / ((1 + n / others) * variance), 0, 1) if variance else 0
    spread = truth * (1 - truth) + power**2 * said * (1 - said) - 2 * power * (both - truth * said)
    half = ndtri((1 + LEVEL) / 2) * np.sqrt(
        max(spread, 0) / n + power**2 * rest * (1 - rest) / others
    )
    share = truth + power * (rest - said)
    return max(share - half, 0.0), min(share + half, 1.0), float(power)


def run(job):
    """What was seen in a block of a cell's replicates: sums over them, as a dictionary."""
    cell, block, replicates = job
    draw = _one_srs if cell.design == "srs" else _one_elsewhere
    rng = cell.rng(block)
    with threadpool_limits(1):
        rows = [draw(cell, rng) for _ in range(replicates)]
    sums = {name: float(np.sum([row[name] for row in rows])) for name in rows[0]}
    return asdict(cell) | {"block": block, "replicates": replicates, "sums": sums}


def _one_srs(cell, rng):
    all_by, gold_by = draw_srs(cell, rng)
    truth = all_by[:, 0].sum() / SIZE
    share, low, high, helped = by_sample(judged_of(all_by, gold_by))
    alone = gold_by[:, 0].sum() / cell.gold
    wide = wilson(alone, cell.gold / (1 - cell.gold / SIZE), LEVEL)
    return (
        _row("ours", truth, low, high)
        | _row("wilson", truth, *wide)
        | _row("ppi", truth, *ppi_python(all_by, gold_by)[:2])
        | {"helped": helped, "error": abs(share - truth), "gold error": abs(alone - truth)}
    )


def _one_elsewhere(cell, rng):
    table, counts, shares = draw_elsewhere(cell, rng)
    truth = shares[0]
    share, low, high = by_rates(table, counts, int(rng.integers(2**31)))
    errors = {"error": abs(share - truth), "raw error": abs(counts[0] / SIZE - truth)}
    return _row("ours", truth, low, high) | errors


def _row(name, truth, low, high):
    held = low <= truth + 1e-9 and truth <= high + 1e-9
    return {name: bool(held), f"{name} width": high - low}
