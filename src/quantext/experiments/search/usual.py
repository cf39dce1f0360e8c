"""The usual search: a method with the strength of its classifier that counts best."""

from time import perf_counter
from typing import Any, Literal

from quantext.experiments.protocol_names import make_protocol
from quantext.experiments.search.plan import usual_size
from quantext.experiments.search.searchq import SearchQ
from quantext.models.methods import DEFAULT_METHOD
from quantext.models.train import Training, make_model, training_of
from quantext.progress import Progress, silent
from quantext.quantifiers import Quantifier
from quantext.texts.corpus import Corpus

__all__ = ["search_and_train", "usual_grid"]

# Of C, about the method's own. To go on by factors of three finds what is to be found: errors are
# flat about the best. Above, training takes longer and longer, and seldom counts better.
FACTORS = (1 / 9, 1 / 3, 1, 3)
_BAGS = 200
_OF_LABELS = 400  # bags of all labels together, but at least two of each


def usual_grid(quantifier: Quantifier) -> dict[str, list[float]]:
    """Values of the classifier's C, about the one that it has.

    Parameters
    ----------
    quantifier
        Unfitted.

    Examples
    --------
    >>> from quantext.models.methods import method
    >>> usual_grid(method("CC"))
    {'classifier__C': [0.111, 0.333, 1.0, 3.0]}
    """
    params = quantifier.get_params()
    if "classifier__C" not in params:
        raise ValueError(
            f"{type(quantifier).__name__} has no classifier with a parameter C to search; train "
            "it without a search, or choose another method"
        )
    return {
        "classifier__C": [float(f"{factor * params['classifier__C']:.3g}") for factor in FACTORS]
    }


def search_and_train(
    corpus: Corpus,
    *,
    name: str = DEFAULT_METHOD,
    protocol: Literal["uniform", "natural"] = "uniform",
    seed: int = 0,
    n_jobs: int | None = -1,
    progress: Progress = silent,
    **options: Any,
) -> tuple[Training, SearchQ]:
    """Model trained with the parameters of `usual_grid` whose estimates are best, and the search.

    Parameters
    ----------
    corpus
        With labels.
    name
        Of the method, or its alias.
    protocol
        How shares of new documents are expected to move: anywhere, or by chance alone.
    seed
        Of folds and bags.
    n_jobs
        Threads; -1 is one a core.
    progress
        As in `SearchQ`.
    options
        Further ones of `train`.
    """
    start = perf_counter()
    model = make_model(name, seed=seed, n_jobs=n_jobs, **options)
    assert isinstance(model.quantifier, Quantifier)
    bags = max(2, _OF_LABELS // len(corpus.classes)) if corpus.multilabel else _BAGS
    search = SearchQ(
        model,
        usual_grid(model.quantifier),
        protocol=make_protocol(protocol, bags=bags, seed=seed, size=usual_size(len(corpus))),
        n_jobs=n_jobs,
        seed=seed,
        progress=progress,
    )
    search.fit(corpus.texts, corpus.named_y)
    return training_of(search.best_quantifier_, corpus, name, start), search
