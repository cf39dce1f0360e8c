"""From what an answer of the synthetic survey speaks of, and how, to its words."""

import tomllib
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

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
    return [topic.name for topic in _topics(_phrases()["areas"], str)]


def writer() -> Callable[[np.random.Generator, Ints, Ints], pl.Series]:
    """A function that writes answers, given subject and voice of each of their sentences."""
    phrases = _phrases()
    plain, contracted = _sentences(phrases, str), _sentences(phrases, _contract)
    forms = pl.Series(
        [
            *plain.phrases,
            *map(_capital, plain.phrases),
            *contracted.phrases,
            *map(_capital, contracted.phrases),
        ]
    )
    joints = _joints(phrases)
    before = pl.Series(joints.phrases)
    starts_sentence = (before.str.ends_with(". ") | (before == "")).to_numpy()
    asides = pl.Series([*(f", {aside}" for aside in phrases["asides"]), ""])
    ends = pl.Series(phrases["joints"]["ends"])

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


def _phrases() -> dict[str, Any]:
    """What the answers are made of."""
    return tomllib.loads(
        files("quantext.datasets").joinpath("survey.toml").read_text(encoding="utf-8")
    )


def _sentences(phrases: dict[str, Any], edit: Callable[[str], str]) -> _Pools:
    """Sentences by subject, voice and source, from edited phrases."""
    frames = {voice: _edited(pool, edit) for voice, pool in phrases["frames"].items()}
    pools: list[list[str]] = []
    for topic in _topics(phrases["areas"], edit):
        for voice, clauses, vague in (
            ("blame", topic.blame, topic.area_blame),
            ("neutral", [], []),
            ("praise", topic.praise, topic.area_praise),
            ("mention", [], []),
        ):
            named = _fill(frames[voice], topic.nouns)
            reasoned = [f"{first}: {why}" for first in named if "," not in first for why in clauses]
            pools += [clauses, named, reasoned, _fill(frames[voice], topic.area_nouns), vague]
    anything = [*(phrases["opinions"][voice] for voice in ("blame", "neutral", "praise")), []]
    customer = [[], [], [], phrases["remarks"]]
    for said in (*anything, *customer):
        pools += [_edited(said, edit), [], [], [], []]
    pools += [[""]] * SOURCES.size
    return _pools(pools, (NOTHING + 1, *SOURCES.shape))


def _joints(phrases: dict[str, Any]) -> _Pools:
    """What stands before a sentence, by kind."""
    openings, joints = phrases["openings"], phrases["joints"]
    first = [
        *openings["plain"],
        *_fill(openings["with_time"], openings["times"]),
        *_fill(openings["with_reason"], openings["reasons"]),
    ]
    first = [f"{_capital(opening)} " for opening in first]
    return _pools([first, joints["turns"], joints["breaks"], joints["links"], [""]], (5,))


class _Topic(NamedTuple):
    """What is said of a topic, and of any topic in its area."""

    name: str
    nouns: list[str]
    praise: list[str]
    blame: list[str]
    area_nouns: list[str]
    area_praise: list[str]
    area_blame: list[str]


def _topics(areas: list[dict[str, Any]], edit: Callable[[str], str]) -> list[_Topic]:
    """The topics: two of each area, then two more of each, then the rest."""

    def words(of: dict[str, Any]) -> list[list[str]]:
        return [_edited(of[kind], edit) for kind in ("nouns", "praise", "blame")]

    topics = [
        [_Topic(topic["name"], *words(topic), *words(area)) for topic in area["topics"]]
        for area in areas
    ]
    return [topic for i in (0, 2, 4) for area in topics for topic in area[i : i + 2]]


def _edited(phrases: list[str], edit: Callable[[str], str]) -> list[str]:
    return [edit(phrase) for phrase in phrases]


def _fill(frames: list[str], nouns: list[str]) -> list[str]:
    return [frame.replace("{}", noun) for frame in frames for noun in nouns]


def _contract(text: str) -> str:
    for long, short in CONTRACTIONS:
        text = text.replace(long, short)
    return text


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
