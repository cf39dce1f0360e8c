"""A synthetic survey that a made-up model has labelled, and of which a sample was checked."""

from dataclasses import dataclass

import polars as pl

from quantext.datasets.made_up_model import (
    PESSIMIST,
    SAMPLE,
    made_up_labels,
    made_up_scores,
    stream,
)
from quantext.datasets.synthetic import synthetic

__all__ = ["JudgedSurvey", "judged_survey"]


@dataclass(frozen=True)
class JudgedSurvey:
    """What is known of a survey that a model has labelled, and what is not.

    Parameters
    ----------
    table
        One row per answer: ``id`` from 1, ``week`` (its first day), ``answer``, ``model`` (what the
        model says of its sentiment; null where it gives no answer), ``model_score`` (how sure the
        model says it is that the answer is negative; null likewise) and ``checked`` (the true
        sentiment of the answers in the sample; null elsewhere).
    truth
        The true sentiment of every answer, which the table keeps to itself.
    """

    table: pl.DataFrame
    truth: pl.Series


def judged_survey(
    n_documents: int = 5_000, *, weeks: int = 12, n_checked: int = 300, seed: int = 0
) -> JudgedSurvey:
    """Sentiments of a survey, as the model `PESSIMIST` says and, in a random sample, as they are.

    About 35% of the answers are negative, 20% in the first week and 50% in the last. The model says
    so of about 45%, so counts of its labels mislead; the sample of 300 is right, but to ±5 points
    only.

    Parameters
    ----------
    n_documents
        Number of answers, spread evenly over the weeks.
    weeks
        Number of weeks.
    n_checked
        Size of the sample: simple, without replacement, of all weeks together.
    seed
        Same seed, same survey.

    See Also
    --------
    quantext.datasets.made_up_model.made_up_labels : The error rates of the model, and other models.

    Examples
    --------
    >>> survey = judged_survey()
    >>> survey.table.columns
    ['id', 'week', 'answer', 'model', 'model_score', 'checked']
    >>> survey.table["checked"].count()
    300
    >>> round((survey.truth == "negative").mean(), 3)
    0.351
    >>> round((survey.table["model"] == "negative").mean(), 3)  # of the answers that it labelled
    0.448

    A second model, which knows less:

    >>> from quantext.datasets.made_up_model import GUESSER
    >>> second = made_up_labels(survey.truth, GUESSER, seed=1)
    >>> both = survey.table.with_columns(second.alias("second_model"))
    """
    if not 0 <= n_checked <= n_documents:
        raise ValueError(
            f"n_checked must lie between 0 and n_documents={n_documents}, but is {n_checked}"
        )
    corpus = synthetic(n_documents, weeks=weeks, labels="sentiment", seed=seed)
    assert corpus.labels is not None
    truth = corpus.labels.alias("sentiment")
    labels = made_up_labels(truth, PESSIMIST, seed=seed)
    sample = stream(seed, SAMPLE).choice(n_documents, size=n_checked, replace=False)
    rows = pl.int_range(n_documents, eager=True)
    table = pl.DataFrame(
        {
            "id": rows + 1,
            "week": corpus.periods,
            "answer": corpus.texts,
            "model": labels,
            "model_score": made_up_scores(truth, labels, "negative", seed=seed),
            "checked": pl.select(pl.when(rows.is_in(sample)).then(truth)).to_series(),
        }
    )
    return JudgedSurvey(table, truth)
