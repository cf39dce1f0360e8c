"""Mean KLD of Adaptive beside the best of all other methods, and how many of its intervals hold.

Run with ``python -m benchmarks.adaptive``, or name some corpora. All methods have the same
vectors, bags and default parameters. Labels are asked one by one of all methods but Adaptive, which
sees them together. A test set is a class, or label, in a bag; groups are made by its training
prevalence, and shown if they have 100 test sets or more. All takes about ten minutes.

``--methods`` names others than the usual ones; those take part that are made for a setting's
kind of problem; then all of them are listed, from the best.
"""

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.corpora import DEFAULT_FOLDER
from benchmarks.settings import CORPORA, Problem, Setting
from quantext.experiments.fits import fit_methods, score_documents, scored_together
from quantext.measures import binary, kld
from quantext.models.methods import METHODS, USUAL_METHODS

OURS = "Adaptive"
GROUPS = {"<.01": (0, 0.01), "–.05": (0.01, 0.05), "–.10": (0.05, 0.10), "more": (0.10, 1.01)}
MIN_GROUP = 100  # test sets
POSITIVE, GROUP = 0.90, 0.90  # least coverage of shares above zero, and in each group
WIDE, MIN_WIDE = 0.995, 1000  # intervals that always hold are too wide; test sets to say so


@dataclass(frozen=True)
class Outcome:
    """What the methods said of the bags of a setting, all arrays by bag and column.

    Parameters
    ----------
    p_train, p_true
        Shares in training and in the bags.
    holds
        Whether Adaptive's interval holds the share.
    errors
        KLD of each method: by bag, or by bag and label.
    milliseconds
        That Adaptive's estimates and intervals took.
    """

    p_train: np.ndarray
    p_true: np.ndarray
    holds: np.ndarray
    errors: dict[str, np.ndarray]
    milliseconds: np.ndarray


def measure(problem: Problem, methods: Sequence[str]) -> list[tuple[Setting, Outcome]]:
    """Outcome of each setting of a problem, with these methods and ours."""
    if problem.settings[0].column is None:
        p_hat, bounds, seconds = _estimates(problem, problem.settings, methods)
        return [
            (setting, _outcome(problem, setting, *(x[i] for x in (p_hat, bounds, seconds))))
            for i, setting in enumerate(problem.settings)
        ]
    found = []
    for setting in problem.settings:
        j = setting.column
        Y, Y_later = problem.Y[:, [j]], problem.Y_later[:, [j]]
        alone = Problem("binary", problem.X, Y, problem.X_later, Y_later, (setting,))
        estimates = _estimates(alone, [setting], methods)
        found.append(_outcome(alone, setting, *(x[0] for x in estimates)))
    joined = Outcome(
        *(np.concatenate([getattr(o, name) for o in found]) for name in ("p_train", "p_true")),
        np.concatenate([o.holds for o in found]),
        {name: np.concatenate([o.errors[name] for o in found]) for name in found[0].errors},
        np.concatenate([o.milliseconds for o in found]),
    )
    return [(problem.settings[0], joined)]


def _estimates(
    problem: Problem, settings: Any, methods: Sequence[str]
) -> tuple[list[Any], list[Any], list[Any]]:
    """Estimates of all methods, bounds of ours, and the milliseconds of both, by setting."""
    y = {"binary": problem.Y[:, 0], "multiclass": problem.Y.argmax(axis=1)}.get(
        problem.kind, problem.Y.astype(np.int8)
    )
    p_hat: list[dict[str, Any]] = [{} for _ in settings]
    bounds: list[Any] = [[] for _ in settings]
    milliseconds: list[Any] = [[] for _ in settings]
    made = {name: METHODS[name].make() for name in dict.fromkeys([OURS, *methods])}
    made = {
        name: quantifier for name, quantifier in made.items() if problem.kind in quantifier.kinds
    }
    fits = fit_methods(made, problem.X, y)
    for group in scored_together(fits):
        scores, _ = score_documents([fit.scores.scorer for fit in group], problem.X_later)
        for fit, own in zip(group, scores, strict=True):
            quantifier = fit.quantifier
            for i, setting in enumerate(settings):
                rows = []
                for bag in setting.bags:
                    X = problem.X_later[bag] if quantifier.counts_features else None
                    summary = quantifier.summarise_scores(own[bag], X)
                    if fit.name != OURS:
                        rows.append(quantifier.aggregate(summary))
                        continue
                    start = time.process_time()
                    p, low, high = quantifier.aggregate_interval(summary)
                    milliseconds[i].append(1000 * (time.process_time() - start))
                    rows.append(p)
                    bounds[i].append((low, high))
                p_hat[i][fit.name] = np.array(rows)
    return p_hat, bounds, milliseconds


def _outcome(
    problem: Problem, setting: Setting, p_hat: Any, bounds: Any, milliseconds: Any
) -> Outcome:
    p_true = np.array([problem.Y_later[bag].mean(axis=0) for bag in setting.bags])
    sizes = np.array([len(bag) for bag in setting.bags])
    low, high = np.array(bounds).transpose(1, 0, 2)
    if problem.kind == "binary":
        low, high = low[:, 1:], high[:, 1:]
        p_hat = {name: p[:, 1:] for name, p in p_hat.items()}
    return Outcome(
        np.broadcast_to(problem.Y.mean(axis=0), p_true.shape),
        p_true,
        (low <= p_true + 1e-9) & (p_true <= high + 1e-9),
        {name: _errors(problem.kind, p_true, p, sizes) for name, p in p_hat.items()},
        np.array(milliseconds),
    )


def _errors(kind: str, p_true: np.ndarray, p_hat: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    if kind == "multiclass":
        return kld(p_true, p_hat, size=sizes)
    return kld(binary(p_true), binary(np.clip(p_hat, 0, 1)), size=sizes[:, None])


def row(setting: Setting, outcome: Outcome) -> str:
    """A line of the table."""
    errors = {name: 1000 * float(e.mean()) for name, e in outcome.errors.items()}
    ours = errors.pop(OURS)
    best = min(errors, key=errors.__getitem__)
    ratio = ours / errors[best]
    holds = outcome.holds
    cover, positive = holds.mean(), holds[outcome.p_true > 0].mean()
    groups = {}
    for name, (low, high) in GROUPS.items():
        inside = (outcome.p_train >= low) & (outcome.p_train < high)
        if inside.sum() >= MIN_GROUP:
            groups[name] = float(holds[inside].mean())
    broken = {
        f"KLD above {setting.ratio} times": setting.ratio is not None and ratio > setting.ratio,
        f"holds below {setting.cover:.0%}": cover < setting.cover,
        f"above zero below {POSITIVE:.0%}": positive < POSITIVE,
        f"a group below {GROUP:.0%}": min(groups.values(), default=1.0) < GROUP,
        f"holds above {WIDE:.1%}": holds.size >= MIN_WIDE and cover > WIDE,
    }
    cells = " ".join(f"{groups[name]:6.3f}" if name in groups else f"{'–':>6}" for name in GROUPS)
    limit = "" if setting.ratio is None else f"{setting.ratio:g}"
    verdict = "; ".join(name for name, is_so in broken.items() if is_so) or "all hold"
    return (
        f"{setting.name:21}{ours:8.3f}{errors[best]:9.3f} {best:14}{ratio:6.3f}{limit:>6} |"
        f"{cover:6.3f}{positive:7.3f} {cells} |{holds.size:6}"
        f"{np.median(outcome.milliseconds):6.1f} | {verdict}"
    )


def ranking(outcome: Outcome) -> str:
    """All methods and their mean KLD × 1,000, from the best."""
    errors = {name: 1000 * float(e.mean()) for name, e in outcome.errors.items()}
    in_order = sorted(errors.items(), key=lambda pair: pair[1])
    return "    " + ", ".join(f"{name} {value:.3f}" for name, value in in_order)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpora", nargs="*", help=f"some of {', '.join(CORPORA)}; all by default")
    parser.add_argument("--data", type=Path, default=DEFAULT_FOLDER, help="folder of the corpora")
    parser.add_argument("--methods", nargs="*", choices=METHODS, metavar="METHOD")
    options = parser.parse_args()
    print(
        f"{'KLD × 1,000':21}{OURS:>8}{'best other':>24}{'ratio':>6}{'limit':>6} |"
        f"{'holds':>6}{'p > 0':>7} {' '.join(f'{name:>6}' for name in GROUPS)} |"
        f"{'sets':>6}{'ms':>6} | limits",
        flush=True,
    )
    for name in options.corpora or CORPORA:
        read, file = CORPORA[name]
        if file is not None and not (options.data / file).exists():
            print(f"{name}: {options.data / file} is absent, nothing to measure; pass --data")
            continue
        for problem in read(options.data):
            for setting, outcome in measure(problem, options.methods or USUAL_METHODS):
                print(row(setting, outcome), flush=True)
                if options.methods:
                    print(ranking(outcome), flush=True)


if __name__ == "__main__":
    main()
