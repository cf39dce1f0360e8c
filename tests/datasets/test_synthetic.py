from itertools import islice

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_less
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import f1_score
from sklearn.model_selection import cross_val_predict
from sklearn.svm import LinearSVC

from quantext.datasets import _survey_writer, expected_prevalence, synthetic, synthetic_weeks
from quantext.datasets.synthetic import _draw_probability, _topic_curves


@pytest.fixture(scope="module")
def answers():
    return synthetic()


@pytest.fixture(scope="module")
def opinions():
    return synthetic(labels="sentiment")


def indicator(corpus):
    """Whether each document has each class, single label or several."""
    return corpus.y if corpus.multilabel else corpus.y[:, None] == np.array(corpus.classes)


def weekly_shares(corpus, indicator):
    weeks = corpus.periods.rank("dense").to_numpy() - 1
    return np.array([indicator[weeks == week].mean(axis=0) for week in np.unique(weeks)])


@pytest.mark.parametrize("labels", ["topics", "sentiment"])
def test_weekly_shares_follow_the_known_curves(labels, answers, opinions):
    corpus = answers if labels == "topics" else opinions
    curves = expected_prevalence(labels=labels)
    assert tuple(curves.columns[1:]) == corpus.classes
    p = curves.drop("period").to_numpy()
    z = (weekly_shares(corpus, indicator(corpus)) - p) / np.sqrt(p * (1 - p) / 500)
    # Binomial counts: over the weeks, a class's mean z is within 4/√40 and its mean z² near 1.
    assert_array_less(np.abs(z.mean(axis=0)), 4 / np.sqrt(40))
    assert_array_less(np.abs((z**2).mean(axis=0) - 1), 1.2)


def test_a_long_coding_frame_follows_its_curves_too():
    corpus = synthetic(40_000, n_topics=150, weeks=2)
    p = expected_prevalence(n_topics=150, weeks=2).drop("period").to_numpy()
    z = (weekly_shares(corpus, corpus.y) - p) / np.sqrt(p * (1 - p) / 20_000)
    assert np.abs(z).max() < 5


def test_topics_are_rare_to_common_and_fit_into_an_answer_for_every_coding_frame():
    for n_topics in range(2, 151):
        curves = _topic_curves(n_topics, weeks=101)
        assert 0.005 - 1e-9 < curves.min() < 0.0075
        assert curves.max() == pytest.approx(0.30)
        # A draw names one topic at most: beyond 1, the last topics would be cut off.
        assert _draw_probability(curves).sum(axis=1).max() < 1


def test_most_topics_are_rare():
    usual = _topic_curves(99, weeks=40).mean(axis=0)
    assert (usual < 0.02).mean() > 0.5
    assert (usual > 0.05).mean() < 0.1


def test_the_probability_of_a_draw_gives_the_prevalence():
    # 1 − G(1 − 0.1) = 1 − (0.20·0.9 + 0.35·0.9² + 0.30·0.9³ + 0.15·0.9⁴) = 0.219385
    assert _draw_probability(np.array([0.219385])) == pytest.approx([0.1], abs=1e-8)


def test_same_seed_same_corpus():
    corpus, again, other = (synthetic(400, weeks=2, seed=seed) for seed in (3, 3, 4))
    assert corpus.texts.equals(again.texts)
    assert corpus.labels.equals(again.labels)
    assert not corpus.texts.equals(other.texts)


def test_a_week_does_not_depend_on_the_other_weeks():
    # One document more goes to the first week.
    some, more = (list(synthetic_weeks(n, weeks=3)) for n in (300, 301))
    assert [len(week) for week in some] == [100, 100, 100]
    assert [len(week) for week in more] == [101, 100, 100]
    assert some[1].texts.equals(more[1].texts)
    assert some[2].labels.equals(more[2].labels)
    assert not some[1].texts.equals(some[2].texts)


def test_weeks_are_the_parts_of_the_corpus(answers):
    week = next(islice(synthetic_weeks(), 7, None))
    rows = answers.periods == week.periods[0]
    assert answers.texts.filter(rows).equals(week.texts)
    assert answers.labels.filter(rows).equals(week.labels)
    assert answers.classes == week.classes


def test_periods_are_mondays(answers):
    assert answers.periods.dtype == pl.Date
    assert answers.periods.n_unique() == 40
    assert set(answers.periods.dt.weekday()) == {1}


def test_documents_have_several_topics_one_or_none(answers):
    counts = answers.labels.list.len()
    assert answers.labels.list.n_unique().equals(counts)
    for n_topics in range(4):
        assert (counts == n_topics).mean() > 0.01


def words_by_half(corpus, rows):
    """Share of documents that use each common word, in the first and the second half of weeks."""
    texts, periods = corpus.texts.filter(rows), corpus.periods.filter(rows)
    X = TfidfVectorizer(min_df=50, use_idf=False, norm=None).fit_transform(texts) > 0
    late = (periods > corpus.periods.median()).to_numpy()
    return [(np.asarray(X[half].mean(axis=0)).ravel(), half.sum()) for half in (~late, late)]


@pytest.mark.parametrize("labels", [["negative"], ["neutral"], ["positive"], []])
def test_given_its_labels_the_wording_of_an_answer_does_not_drift(labels, answers, opinions):
    if labels:
        corpus, rows = opinions, opinions.labels == labels[0]
    else:
        corpus, rows = answers, answers.labels.list.len() == 0
    (early, n_early), (late, n_late) = words_by_half(corpus, rows)
    p = (early * n_early + late * n_late) / (n_early + n_late)
    z = (late - early) / np.sqrt(p * (1 - p) * (1 / n_early + 1 / n_late))
    assert len(z) > 100
    assert np.abs(z).max() < 5
    assert 0.7 < (z**2).mean() < 1.4


def test_answers_are_short_varied_and_mostly_distinct():
    texts = synthetic(50_000).texts
    words = texts.str.split(" ").list.len()
    assert words.min() >= 4
    assert words.max() <= 64
    assert 20 < words.mean() < 30
    assert texts.n_unique() > 0.97 * len(texts)
    openings = texts.str.to_lowercase().str.extract(r"^(\S+ \S+)")
    assert openings.value_counts(sort=True)["count"][0] < 0.1 * len(texts)


def test_answers_are_clean_sentences(answers):
    texts = answers.texts
    assert not texts.str.contains(r"[{}|=+\[\]]|  |^\s|\s$|[,;:]$| [,.;:!]|\.\.|,,").any()
    in_small_letters = texts == texts.str.to_lowercase()
    assert 0.05 < in_small_letters.mean() < 0.25
    capitals = texts.filter(~in_small_letters)
    assert capitals.str.contains(r"^[A-Z]").all()
    assert not capitals.str.contains(r"\. [a-z]").any()


def test_every_topic_has_a_name_and_words_of_its_own():
    topics = _survey_writer._topics(_survey_writer._phrases()["areas"], str)
    assert len({topic.name for topic in topics}) == 150
    for own in ("nouns", "praise", "blame"):
        phrases = [phrase for topic in topics for phrase in getattr(topic, own)]
        assert len(set(phrases)) == len(phrases) == 150 * (3 if own == "nouns" else 2)


def test_sentences_have_four_words_or_more_and_contractions_keep_their_place():
    phrases = _survey_writer._phrases()
    plain, contracted = (
        _survey_writer._sentences(phrases, edit) for edit in (str, _survey_writer._contract)
    )
    assert min(len(phrase.split()) for phrase in contracted.phrases if phrase) >= 4
    assert np.array_equal(plain.size, contracted.size)
    i = plain.phrases.index("I would not call the cover good")
    assert contracted.phrases[i] == "I wouldn't call the cover good"


def counted_and_adjusted(corpus, *, train_weeks=8):
    """Later weekly shares: true, counted and adjusted; and F1 by class."""
    Y = indicator(corpus)
    train = (corpus.periods.rank("dense") <= train_weeks).to_numpy()
    later = corpus.select(~train)
    vectorizer = TfidfVectorizer(sublinear_tf=True, stop_words="english")
    X = vectorizer.fit_transform(corpus.texts.filter(train))
    X_later = vectorizer.transform(later.texts)
    predicted = np.empty((len(later), Y.shape[1]), dtype=bool)
    tpr, fpr = np.empty((2, Y.shape[1]))
    for j, y in enumerate(Y[train].T):
        predicted[:, j] = LinearSVC().fit(X, y).predict(X_later)
        held_out = cross_val_predict(LinearSVC(), X, y, cv=4)
        tpr[j], fpr[j] = held_out[y].mean(), held_out[~y].mean()
    counted = weekly_shares(later, predicted)
    # A class that is never found cannot be adjusted.
    gain = np.where(tpr > fpr + 0.1, tpr - fpr, 1)
    adjusted = np.clip((counted - fpr) / gain, 0, 1)
    return (
        weekly_shares(later, Y[~train]),
        counted,
        adjusted,
        f1_score(Y[~train], predicted, average=None),
    )


def test_classify_and_count_is_biased_on_topics_and_an_adjusted_count_less_so(answers):
    true, counted, adjusted, f1 = counted_and_adjusted(answers)
    assert 0.55 < f1.mean() < 0.85
    assert f1.max() < 0.92
    bias = (counted - true).mean(axis=0)
    assert np.abs(bias).max() > 0.04
    rare = true.mean(axis=0) < 0.03
    assert rare.sum() >= 3
    assert_array_less(bias[rare], -0.25 * true.mean(axis=0)[rare])
    assert np.abs(adjusted - true).mean() < 0.8 * np.abs(counted - true).mean()


def test_classify_and_count_is_biased_on_sentiment_and_an_adjusted_count_is_not(opinions):
    true, counted, adjusted, f1 = counted_and_adjusted(opinions)
    assert_array_less(f1, 0.92)
    assert np.abs(counted - true).mean() > 0.03
    assert np.abs(adjusted - true).mean() < 0.025


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_topics": 1}, "n_topics must lie between 2 and 150, but is 1"),
        ({"n_topics": 151}, "n_topics must lie between 2 and 150, but is 151"),
        ({"weeks": 0}, "weeks must be 1 or more, but is 0"),
        ({"labels": "topic"}, "labels 'topic' is unknown; choose one of topics, sentiment"),
        ({"n_documents": 39}, "n_documents=39 leaves weeks empty; ask for 40 or more"),
        ({"seed": -1}, "seed must not be negative, but is -1"),
    ],
)
def test_impossible_wishes_are_refused_before_the_first_week(arguments, message):
    with pytest.raises(ValueError, match=message):
        synthetic_weeks(**arguments)


def test_one_week_of_one_document_is_a_corpus():
    corpus = synthetic(1, weeks=1, labels="sentiment")
    assert len(corpus) == 1
    assert corpus.classes == ("negative", "neutral", "positive")
