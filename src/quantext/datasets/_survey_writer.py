"""From what an answer of the synthetic survey speaks of, and how, to its words."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from quantext.datasets import _survey_phrases as phrases

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Subjects of a sentence: the topics by number, then these.
MAX_TOPICS = 150
ANYTHING, CUSTOMER, NOTHING = MAX_TOPICS, MAX_TOPICS + 1, MAX_TOPICS + 2

# A voice is how a sentence speaks of its subject.
NEGATIVE, NEUTRAL, POSITIVE, NO_OPINION = range(4)
POLARITY = np.array([-1, 0, 1, 0])

# Where a sentence on a topic takes its words from, by voice: clauses of the topic, its nouns, both,
# nouns of its area, or clauses too vague to tell the topics of an area apart.
CLAUSE, NAMED, REASONED, AREA, VAGUE = range(5)
SOURCES = np.array(
    [
        [0.20, 0.25, 0.20, 0.17, 0.18],
        [0.00, 0.72, 0.00, 0.28, 0.00],
        [0.20, 0.25, 0.20, 0.17, 0.18],
        [0.00, 1.00, 0.00, 0.00, 0.00],
    ]
)

# What stands before a sentence: something at the start of the answer; after another sentence, what
# suits one of the opposite opinion, of none, of the same; nothing.
OPENING, TURN, BREAK, LINK, BLANK = range(5)
P_OPENING, P_SMALL_LETTERS, P_TYPO, P_LETTER_LOST = 0.5, 0.12, 0.15, 0.4

CONTRACTIONS = (
    ("cannot", "can't"),
    ("will not", "won't"),
    ("I am ", "I'm "),
    ("I have had", "I've had"),
    *(
        (f"{verb} not", f"{verb}n't")
        for verb in ("do", "does", "did", "is", "was", "has", "have", "could", "would", "should")
    ),
    ("I would ", "I'd "),
    ("it is ", "it's "),
    ("there is ", "there's "),
)


def topic_names() -> list[str]:
    """Names of the topics, in the order in which longer and longer coding frames take them."""
    return [topic.name for topic in _topics(phrases.AREAS)]


def writer() -> Callable[[np.random.Generator, Ints, Ints], pl.Series]:
    """A function that writes answers, given subject and voice of each of their sentences."""
    plain, contracted = _sentences(str), _sentences(_contract)
    forms = pl.Series(
        [
            *plain.phrases,
            *map(_capital, plain.phrases),
            *contracted.phrases,
            *map(_capital, contracted.phrases),
        ]
    )
    joints = _joints()
    before = pl.Series(joints.phrases)
    starts_sentence = (before.str.ends_with(". ") | (before == "")).to_numpy()
    asides = pl.Series([*(f", {aside}" for aside in _split(phrases.ASIDES)), ""])
    ends = pl.Series(phrases.ENDS)

    def write(rng: np.random.Generator, subjects: Ints, voices: Ints) -> pl.Series:
        n, columns = subjects.shape
        # Who has much to say gives few reasons and makes no asides.
        many = (subjects != NOTHING).sum(axis=1, keepdims=True) > 2
        sources = np.where(subjects < MAX_TOPICS, pick(rng, SOURCES[voices]), CLAUSE)
        sources[(sources == REASONED) & many] = NAMED

        polarity = POLARITY[voices]
        kinds = np.full(subjects.shape, OPENING)
        kinds[:, 1:] = BREAK + polarity[:, 1:] * polarity[:, :-1]
        kinds[(rng.random(n) >= P_OPENING) | (voices[:, 0] == NO_OPINION), 0] = BLANK
        kinds[subjects == NOTHING] = BLANK
        joint = joints.draw(rng, kinds)

        sentence = plain.draw(rng, (subjects, voices, sources))
        sentence += starts_sentence[joint] * len(plain.phrases)
        sentence += 2 * rng.integers(2, size=(n, 1)) * len(plain.phrases)

        aside = rng.integers(len(asides), size=subjects.shape)
        elsewhere = np.arange(columns) != rng.integers(columns, size=(n, 1))
        aside[elsewhere | many | (voices == NO_OPINION)] = len(asides) - 1

        pieces = []
        for i in range(columns):
            pieces += [
                before.gather(joint[:, i]),
                forms.gather(sentence[:, i]),
                asides.gather(aside[:, i]),
            ]
        pieces.append(ends.gather(rng.integers(len(ends), size=(n,))))
        return _mistype(rng, pl.select(pl.concat_str(pieces)).to_series())

    return write


def pick(rng: np.random.Generator, probabilities: Floats) -> Ints:
    """An index from each distribution along the last axis."""
    bounds = probabilities.cumsum(axis=-1)[..., :-1]
    picked: Ints = (rng.random(bounds.shape[:-1])[..., None] >= bounds).sum(axis=-1)
    return picked


def _mistype(rng: np.random.Generator, texts: pl.Series) -> pl.Series:
    """The texts as typed: some in small letters, some with two letters swapped or one lost."""
    small = pl.Series(rng.random(len(texts)) < P_SMALL_LETTERS)
    texts = texts.str.to_lowercase().zip_with(small, texts)
    rows = np.flatnonzero(rng.random(len(texts)) < P_TYPO)
    slips = rng.random(len(rows))
    losses = rng.random(len(rows)) < P_LETTER_LOST
    typed = []
    for text, slip, lost in zip(texts.gather(rows), slips, losses, strict=True):
        i = 1 + int(slip * (len(text) - 3))
        pair = text[i : i + 2]
        if text[i - 1 : i + 2].isalpha():  # the first letter of a word is always right
            pair = pair[1] if lost else pair[::-1]
        typed.append(text[:i] + pair + text[i + 2 :])
    return texts.scatter(rows, typed)


class _Pools(NamedTuple):
    """Phrases in one list, of which pool ``i`` has ``size[i]`` from ``start[i]`` on."""

    phrases: list[str]
    start: Ints
    size: Ints

    def draw(self, rng: np.random.Generator, pool: Ints | tuple[Ints, ...]) -> Ints:
        """Index of a phrase from each of the given pools."""
        size = self.size[pool]
        drawn: Ints = self.start[pool] + (rng.random(size.shape) * size).astype(np.int64)
        return drawn


def _pools(pools: Sequence[Sequence[str]], shape: tuple[int, ...]) -> _Pools:
    size = np.array([len(pool) for pool in pools])
    start = np.cumsum(size) - size
    together = [phrase for pool in pools for phrase in pool]
    return _Pools(together, start.reshape(shape), size.reshape(shape))


def _sentences(edit: Callable[[str], str]) -> _Pools:
    """Sentences by subject, voice and source, from edited phrases."""
    blame, neutral, praise, mention = map(
        edit,
        (
            phrases.BLAME_FRAMES,
            phrases.NEUTRAL_FRAMES,
            phrases.PRAISE_FRAMES,
            phrases.MENTION_FRAMES,
        ),
    )
    pools: list[list[str]] = []
    for topic in _topics(edit(phrases.AREAS)):
        for frames, clauses, vague in (
            (blame, topic.blame, topic.area_blame),
            (neutral, [], []),
            (praise, topic.praise, topic.area_praise),
            (mention, [], []),
        ):
            named = _fill(frames, topic.nouns)
            reasoned = [f"{first}: {why}" for first in named if "," not in first for why in clauses]
            pools += [clauses, named, reasoned, _fill(frames, topic.area_nouns), vague]
    anything = (phrases.BLAME, phrases.NEUTRAL, phrases.PRAISE, "")
    customer = ("", "", "", phrases.REMARKS)
    for opinions in (*anything, *customer):
        pools += [_split(edit(opinions)), [], [], [], []]
    pools += [[""]] * SOURCES.size
    return _pools(pools, (NOTHING + 1, *SOURCES.shape))


def _joints() -> _Pools:
    openings = [
        *_split(phrases.OPENINGS),
        *_fill(phrases.TIMED_OPENINGS, _split(phrases.TIMES)),
        *_fill(phrases.REASON_OPENINGS, _split(phrases.REASONS)),
    ]
    openings = [f"{_capital(opening)} " for opening in openings]
    return _pools([openings, phrases.TURNS, phrases.BREAKS, phrases.LINKS, [""]], (5,))


class _Topic(NamedTuple):
    """What is said of a topic, and of any topic in its area."""

    name: str
    nouns: list[str]
    praise: list[str]
    blame: list[str]
    area_nouns: list[str]
    area_praise: list[str]
    area_blame: list[str]


def _topics(text: str) -> list[_Topic]:
    """The topics: two of each area, then two more of each, then the rest."""
    areas = []
    for block in text.strip().split("\n\n"):
        lines = [line.strip("[]+-") for line in block.split("\n")]
        shared = [_split(line) for line in lines[:3]]
        area = []
        for i in range(3, len(lines), 3):
            name, nouns = lines[i].split(" = ")
            own = [_split(line) for line in (nouns, lines[i + 1], lines[i + 2])]
            area.append(_Topic(name, *own, *shared))
        areas.append(area)
    return [topic for i in (0, 2, 4) for area in areas for topic in area[i : i + 2]]


def _split(text: str) -> list[str]:
    return [phrase.strip() for phrase in text.replace("\n", "|").split("|") if phrase.strip()]


def _fill(frames: str, nouns: list[str]) -> list[str]:
    return [frame.replace("{}", noun) for frame in _split(frames) for noun in nouns]


def _contract(text: str) -> str:
    for long, short in CONTRACTIONS:
        text = text.replace(long, short)
    return text


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
