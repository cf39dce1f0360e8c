"""Maximum likelihood, against many rounds of expectation maximisation and by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from quantext.quantifiers import ExpectationMaximization
from quantext.quantifiers.expectation import divided, most_likely
from quantext.scores.training import TrainingScores
from tests.support.ten_documents import HALF, HIGH, LOW, METHODS, TWO, share, three_classes


def expectation_maximization(own, prior, rounds=200_000):
    """What Saerens et al. (2002) publish, until rounding leaves no change."""
    p = prior
    for _ in range(rounds):
        corrected = own * p / prior
        corrected /= corrected.sum(axis=1, keepdims=True)
        before, p = p, corrected.mean(axis=0)
        if np.abs(p - before).max() < 1e-16:
            break
    return p


def likeliest(own, prior):
    return most_likely(divided(own, prior), np.full(len(own), 1 / len(own)), prior)


def test_emq_finds_the_maximum_of_the_likelihood():
    # Of ten documents four are at +1 and six at −1, so the mean posterior is
    prior = (4 * HIGH + 6 * LOW) / 10
    # Likelihoods of +1 and −1 in the two classes, posterior over prior:
    positive = np.array([HIGH, LOW]) / prior
    negative = (1 - np.array([HIGH, LOW])) / (1 - prior)
    # With gains d = positive − negative and half of the bag at each score, the derivative
    # ½d₁/(n₁+qd₁) + ½d₂/(n₂+qd₂) is zero at q = −(d₁n₂ + d₂n₁)/(2d₁d₂).
    d = positive - negative
    q = -(d[0] * negative[1] + d[1] * negative[0]) / (2 * d[0] * d[1])
    assert 0 < q < 1
    assert_allclose(share("EMQ", TWO, HALF), q, atol=1e-7)


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_the_maximum_is_where_expectation_maximization_ends(classes):
    rng = np.random.default_rng(classes)
    own = rng.dirichlet(np.full(classes, 0.5), size=60)
    prior = rng.dirichlet(np.full(classes, 5.0))
    expected = expectation_maximization(own, prior)
    assert expected.min() > 1e-3
    assert_allclose(likeliest(own, prior), expected, atol=1e-10)


@pytest.mark.parametrize("classes", [2, 3, 6])
def test_a_class_without_documents_gets_nothing(classes):
    rng = np.random.default_rng(classes)
    # The last class is unlikely for every document, whatever the shares of the others.
    own = rng.dirichlet(np.append(np.full(classes - 1, 2.0), 0.1), size=60)
    prior = np.full(classes, 1 / classes)
    found = likeliest(own, prior)
    assert found[-1] == 0
    assert_allclose(found, expectation_maximization(own, prior), atol=1e-8)


@pytest.mark.parametrize(
    ("posterior", "expected"),
    [([0.5, 0.2, 0.3], [0.5, 0.2, 0.3]), ([0.5, 0.201, 0.299], [0, 1, 0]), ([1, 0, 0], [1, 0, 0])],
)
def test_documents_that_are_all_alike_are_of_the_class_that_they_speak_for(posterior, expected):
    own, prior = np.tile(np.array(posterior, float), (7, 1)), np.array([0.5, 0.2, 0.3])
    assert_allclose(likeliest(own, prior), expected, atol=1e-9)


def test_a_class_of_which_training_has_nothing_gets_nothing():
    own = np.array([[0.2, 0.3, 0.5], [0.4, 0.3, 0.3]])
    prior = np.array([0.4, 0.6, 0.0])
    assert likeliest(own, prior)[2] == 0
    # A document that no class explains says nothing.
    rows = np.vstack([divided(own, prior), np.zeros(3)])
    assert_allclose(most_likely(rows, np.full(3, 1 / 3), prior), likeliest(own, prior))


def drawn(rng, classes, n, p=None):
    """Scores of documents whose classes are told apart with some mistakes."""
    y = rng.choice(classes, n, p=p)
    scores = rng.normal(size=(n, classes)) - 1 + 2 * np.eye(classes)[y]
    return (scores[:, 1:] if classes == 2 else scores), y


@pytest.mark.parametrize("posteriors", ["calibrated", "logistic", "bias-corrected"])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_summary_of_a_bag_hardly_changes_its_estimate(classes, posteriors):
    rng = np.random.default_rng(classes)
    training = TrainingScores.given(*drawn(rng, classes, 500))
    emq = ExpectationMaximization(None, posteriors=posteriors).fit_scores(training)
    bag, _ = drawn(rng, classes, 2_000, rng.dirichlet(np.ones(classes)))
    [learned] = emq.learned_
    expected = likeliest(learned.posteriors(bag), learned.prior)
    assert_allclose(emq.predict(bag), expected, atol=5e-8)


def test_given_posteriors_are_divided_by_their_mean_over_the_training_documents():
    rng = np.random.default_rng(0)
    train, bag = rng.dirichlet(np.ones(3), 200), rng.dirichlet([1.0, 2.0, 1.0], 200)
    y = np.array([rng.choice(3, p=p) for p in train])
    emq = ExpectationMaximization(None, posteriors="logistic")
    fitted = emq.fit_scores(TrainingScores.given(train, y))
    expected = expectation_maximization(bag, train.mean(axis=0))
    assert_allclose(fitted.predict(bag), expected, atol=1e-7)


@pytest.mark.parametrize("posteriors", ["calibrated", "bias-corrected"])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_scores_that_say_nothing_leave_the_training_prevalence(classes, posteriors):
    y = np.arange(90) % (classes + 1) % classes  # twice as many of the first class
    same = np.full((90, 1 if classes == 2 else classes), 0.7)
    training = TrainingScores.given(same, y)
    emq = ExpectationMaximization(None, posteriors=posteriors).fit_scores(training)
    assert_allclose(emq.predict(same[:4]), emq.learned_[0].prior, atol=1e-9)


def test_log_odds_far_out_count_as_certain():
    training = TrainingScores.given(np.array([-1e3, -1e3, 1e3, -1e3]), [0, 0, 1, 1])
    emq = ExpectationMaximization(None, posteriors="logistic").fit_scores(training)
    assert_allclose(emq.predict(np.array([-2e3, 2e3, 2e3, 2e3])), [0.25, 0.75], atol=1e-9)


@pytest.mark.parametrize("spread", [0.3, 2.0, 8.0])
def test_of_two_classes_the_compiled_steps_end_where_the_plain_ones_do(spread):
    rng = np.random.default_rng(0)
    prior = np.array([0.9, 0.1])
    positive = 1 / (1 + np.exp(rng.normal(2, spread, size=300)))
    likelihoods = divided(np.column_stack([1 - positive, positive]), prior)
    shares = np.full(300, 1 / 300)
    found = ExpectationMaximization(None).maximise(prior, likelihoods, shares, 1e-12)
    assert_allclose(found, most_likely(likelihoods, shares, prior), atol=1e-9)


def test_a_class_that_no_posterior_allows_does_not_break_the_estimate():
    training = TrainingScores.given(np.full(4, -1e4), [0, 0, 1, 1])
    emq = ExpectationMaximization(None, posteriors="logistic").fit_scores(training)
    assert_allclose(emq.predict(np.full(3, -1e4)), [1, 0], atol=1e-9)


def test_coarse_posteriors_hardly_change_the_estimate_of_emq():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 600)
    scores = three_classes(2 * np.eye(3)[y] + rng.normal(size=(600, 3)), y)
    emq = METHODS["EMQ"].fit_scores(scores)
    classes = rng.choice(3, 100_000, p=[0.1, 0.3, 0.6])
    bag = 2 * np.eye(3)[classes] + rng.normal(size=(100_000, 3))
    fine = emq.summarise(bag)
    assert fine.counts[0].lost == 8
    # Twice as many posteriors that are hardly others are too many to be told apart.
    coarse = fine + emq.summarise(bag + rng.normal(scale=1e-3, size=bag.shape))
    assert coarse.counts[0].lost == 16
    assert_allclose(emq.aggregate(coarse), emq.aggregate(fine), atol=1e-5)
