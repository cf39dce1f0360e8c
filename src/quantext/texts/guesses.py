"""Guesses: what columns are for. Their values say what is possible, their names break ties."""

from collections.abc import Sequence
from dataclasses import dataclass

from quantext.texts.hints import hints
from quantext.texts.shapes import Shape

__all__ = ["Guesses", "guess", "judged_by"]

_FEW_CODES = 100  # classes that have numbers for names, where the column's name says so

_MARKS = frozenset({"true", "false", "yes", "no", "0", "1", "x"})
_NEARLY_ALL = 0.95
_COMPARED = 300  # columns, the first that may hold labels, each of which is compared with each


@dataclass(frozen=True)
class Guesses:
    """What columns are for.

    Parameters
    ----------
    kinds
        What each column holds: text, label, labels, date, group, id, number, score, link, constant,
        blank, model (what a model says), nested or words (names and the like).
    text, label, date, proxy
        The one that is taken for it, if any.
    texts, labels
        Those that could be taken as well, the likeliest first.
    groups
        Columns that divide the rows.
    """

    kinds: dict[str, str]
    text: str | None
    label: str | None
    date: str | None
    proxy: str | None
    texts: tuple[str, ...]
    labels: tuple[str, ...]
    groups: tuple[str, ...]


def guess(
    shapes: Sequence[Shape], *, text: Sequence[str] = (), label: str | None = None
) -> Guesses:
    """What columns are for.

    Parameters
    ----------
    shapes
        Of all columns, in their order.
    text, label
        Columns of which it is known.
    """
    kinds = {shape.name: _kind(shape) for shape in shapes}
    found = {shape.name: shape for shape in shapes}
    texts = sorted(
        (s.name for s in shapes if kinds[s.name] in ("text", "words")),
        key=lambda name: _text_rank(found[name]),
        reverse=True,
    )
    if any(kinds[name] == "text" for name in texts):
        texts = [name for name in texts if kinds[name] == "text"]
    chosen = [*text] or texts[:1]
    texts = [name for name in texts if name not in chosen]
    kinds |= dict.fromkeys(chosen, "text")

    maybe = [s for s in shapes if kinds[s.name] in ("label", "model") and s.name not in chosen]
    proxy, truth = _model_and_truth(maybe, kinds, label)
    after = max((i for i, s in enumerate(shapes) if s.name in chosen), default=0)
    right = {s.name for s in shapes[after:]}
    labels = sorted(
        (s.name for s in maybe if s.name != proxy and kinds[s.name] == "label"),
        key=lambda name: _label_rank(found[name], name in right),
        reverse=True,
    )
    best = label or truth or next(iter(labels), None)
    for name in labels:
        named = hints(name, "label", "code") and not found[name].numeric
        if name != best and not named:
            kinds[name] = "number" if found[name].numeric else "group"
    if proxy is not None:
        kinds[proxy] = "model"
    if best is not None:
        several = found[best].several or found[best].tally.lists
        kinds[best] = "labels" if several else "label"
    dates = [name for name, kind in kinds.items() if kind == "date"]
    return Guesses(
        kinds,
        chosen[0] if chosen else None,
        best,
        dates[0] if dates else None,
        proxy,
        tuple(texts),
        tuple(
            name for name in labels if name != best and _rivals(found[name], found.get(best or ""))
        ),
        tuple(name for name, kind in kinds.items() if kind == "group"),
    )


def _kind(shape: Shape) -> str:
    """What a column holds, the names of the others left aside; any category may be a label."""
    name, tally = shape.name, shape.tally
    match shape.kind:
        case "category" if hints(name, "model") and not hints(name, "truth"):
            return "model"
        case "category" if hints(name, "group", "date") and not hints(name, "label"):
            return "group"
        case "category":
            return "number" if shape.numeric and hints(name, "count") else "label"
        case "number" if shape.labels is not None and hints(name, "group"):
            return "group"
        case "number" if shape.labels is not None and hints(name, "label", "code"):
            return "label" if shape.distinct <= _FEW_CODES else "number"
        case "number" if hints(name, "id") and shape.distinct > 0.9 * tally.filled:
            return "id"
        case "number" if 0 <= tally.low <= tally.high <= 1:
            return "score" if hints(name, "score", "model") else "number"
        case "number" if tally.days and hints(name, "date"):
            return "date"
        case "short":
            return "words"
        case kind:
            return kind


def _text_rank(shape: Shape) -> float:
    """How likely a column is that of the texts: long, different, there, and called so."""
    named = 3.0 if hints(shape.name, "text") else 1.0
    if hints(shape.name, "heading", "group") and not hints(shape.name, "text"):
        named = 0.3
    tally = shape.tally
    return named * shape.distinct / tally.rows * tally.characters / max(1, tally.filled)


def _label_rank(shape: Shape, right: bool) -> tuple[float, ...]:
    """How likely a column of categories is that of the labels."""
    named = hints(shape.name, "label", "code") and not hints(shape.name, "score")
    several = shape.several > 0 or shape.tally.lists
    signs = 2.0 * several + 1.0 * right - 2.0 * shape.in_runs
    signs += 0.0 if shape.labels is None else -0.5 * (len(shape.labels) > 30)
    return (named, not shape.numeric, signs, shape.tally.filled)


def _rivals(other: Shape, best: Shape | None) -> bool:
    """Whether a column could be that of the labels as well: numbers only if it has numbers.

    A mark that nearly all rows have, as that of being finished, is none.
    """
    values = other.labels
    if values is not None and set(values["value"].str.to_lowercase()) <= _MARKS:
        counts = values["n"].to_list()
        if max(counts, default=0) >= _NEARLY_ALL * sum(counts):
            return False
    return not other.numeric or (best is not None and best.numeric)


def _model_and_truth(
    maybe: Sequence[Shape], kinds: dict[str, str], label: str | None
) -> tuple[str | None, str | None]:
    """Which column a model has filled in, and which people, where they say the same things.

    A model is known by its column's name, or because it has an answer nearly everywhere and the
    same answers are elsewhere in a column that is mostly blank.
    """
    maybe = maybe[:_COMPARED]
    models = [shape for shape in maybe if kinds[shape.name] == "model"]
    for model in models or maybe:
        for other in maybe:
            if other is model or kinds[other.name] == "model":
                continue
            if label is not None and other.name != label:
                continue
            sparse = other.tally.filled < 0.5 * model.tally.filled
            if not models and (not sparse or model.name == label):
                continue
            # What takes longest last: there are as many pairs as columns squared.
            unnamed = models or not hints(model.name, "label", "code")
            if unnamed and judged_by(model, other):
                return model.name, other.name
    # What is called a model may be a telephone; without a column to compare it with, it is asked.
    others = [shape for shape in maybe if kinds[shape.name] == "label"]
    for model in models:
        if others and not any(judged_by(model, other) for other in others):
            kinds[model.name] = "group"
    left = [model.name for model in models if kinds[model.name] == "model"]
    return (left[0] if left else None), None


def judged_by(model: Shape, other: Shape) -> bool:
    """Whether two columns have the same labels, most of them."""
    if model.labels is None or other.labels is None:
        return False
    first, second = (
        {str(label).casefold() for label in shape.labels["value"]}
        for shape in (model, other)
        if shape.labels is not None
    )
    return len(first & second) >= max(2, 0.5 * len(second))
