"""Learning: guides that never saw what they predict, waves that follow, files of guides."""

import io
import zipfile

import numpy as np
import pytest

from quantext.labelling import learning, ridge
from quantext.labelling.drawing import first_wave
from quantext.labelling.found import shares
from quantext.labelling.guide import Guide
from quantext.labelling.learning import LARGEST, SMALLEST, learn
from quantext.labelling.representation import features
from quantext.labelling.task import Labels, Task, Wave
from tests.labelling.made_up import labels_of, texts

TASK = Task(("ham", "spam"), seed=3)
TRUTH = (np.random.default_rng(0).random(600) < 0.3).astype(int)
TEXTS = texts(TRUTH)
TRUTHS = np.eye(2, dtype=bool)[TRUTH]


@pytest.fixture(scope="module")
def seen():
    return features(TEXTS)


@pytest.fixture(scope="module")
def begun(seen):
    """A first wave, its labels, and what was learned from it."""
    waves = [first_wave(TASK, 600)]
    guide, wave = learn(TASK, seen, waves, labels_of(waves, TRUTHS))
    return waves, guide, wave


def test_the_next_wave_has_new_documents(begun):
    waves, guide, wave = begun
    assert wave.number == 1
    assert SMALLEST <= len(wave) <= LARGEST
    assert not set(wave.rows.tolist()) & set(waves[0].rows.tolist())
    assert guide.rows.tolist() == [*waves[0].rows.tolist(), *wave.rows.tolist()]
    assert guide.n_labels == 40


def test_texts_and_features_of_them_teach_the_same(begun):
    waves, guide, wave = begun
    other, same = learn(TASK, TEXTS, waves, labels_of(waves, TRUTHS))
    assert same.rows.tolist() == wave.rows.tolist()
    assert np.allclose(other.predictions, guide.predictions, atol=1e-5)


def test_no_prediction_has_seen_the_truth_of_its_document(seen, monkeypatch):
    monkeypatch.setattr(ridge, "PENALTIES", (1.0,))  # which is chosen by all truths
    waves = [first_wave(TASK, 600)]
    turned = TRUTHS.copy()
    turned[waves[0].rows[5]] = ~turned[waves[0].rows[5]]
    guide, other = (learn(TASK, seen, waves, labels_of(waves, t))[0] for t in (TRUTHS, turned))
    assert np.allclose(other.predictions[5], guide.predictions[5])
    assert not np.allclose(other.predictions[6], guide.predictions[6])
    # Without the label, the total is the same too.
    totals = [g.totals[0] + g.shifts[5] for g in (guide, other)]
    assert np.allclose(*totals, rtol=1e-5)


def test_what_is_told_without_a_label_is_what_is_learned_without_it(seen, monkeypatch):
    monkeypatch.setattr(ridge, "PENALTIES", (1.0,))
    waves = [first_wave(TASK, 600)]
    whole = labels_of(waves, TRUTHS)
    less = labels_of(waves, TRUTHS, skipped=[int(waves[0].rows[5])])
    guide, other = (learn(TASK, seen, waves, labels)[0] for labels in (whole, less))
    assert np.allclose(other.predictions[5], guide.predictions[5], atol=1e-5)
    assert np.allclose(other.totals[0], guide.totals[0] + guide.shifts[5], rtol=1e-5)


def test_totals_are_of_what_was_left_before_each_wave(begun):
    _, guide, _ = begun
    assert guide.totals.shape == (2, 2)
    # One of the classes, of all 600 and of the 560 that are left.
    assert guide.totals.sum(axis=1).tolist() == pytest.approx([600, 560], rel=1e-3)


def test_documents_that_are_unsure_are_drawn_with_larger_chances(begun):
    _, guide, wave = begun
    said = np.clip(guide.predictions[40:, 1], 0.03, 0.97)
    doubt = said * (1 - said)
    assert np.corrcoef(doubt, wave.chances)[0, 1] > 0.95
    assert wave.chances.min() >= 0.25 * len(wave) / 560


def test_a_guide_narrows_intervals(begun):
    waves, guide, _ = begun
    labels = labels_of(waves, TRUTHS)
    alone, guided = (shares(TASK, 600, waves, labels, g) for g in (None, guide))
    assert guided.half_width.max() < 0.9 * alone.half_width.max()
    assert guided.share.sum() == pytest.approx(1.0)


def test_a_guide_stays_true_when_labels_come_after_it(begun):
    waves, guide, wave = begun
    both = [*waves, wave]
    rows = np.concatenate([waves[0].rows, wave.rows[:7]])
    found = shares(TASK, 600, both, Labels(rows, TRUTHS[rows]), guide)
    assert found.n_labels == 47
    assert found.low[1] <= TRUTHS[:, 1].mean() <= found.high[1]


def test_a_guide_of_other_waves_is_refused(begun):
    waves, guide, wave = begun
    other = [first_wave(Task(TASK.classes, seed=4), 600)]
    for those in (other, [*waves, wave, Wave([], [], 2)]):
        with pytest.raises(ValueError, match="other documents, classes or waves"):
            shares(TASK, 600, those, labels_of(those, TRUTHS), guide)
    with pytest.raises(ValueError, match="other documents, classes or waves"):
        shares(TASK, 700, waves, labels_of(waves, TRUTHS), guide)


def test_the_same_seed_learns_and_draws_the_same(begun, seen):
    waves, _, wave = begun
    _, again = learn(TASK, seen, waves, labels_of(waves, TRUTHS))
    assert again.rows.tolist() == wave.rows.tolist()


def test_the_last_wave_is_empty_and_everything_is_known():
    waves, found = [first_wave(TASK, 50)], features(TEXTS[:50])
    while len(waves[-1]):
        guide, wave = learn(TASK, found, waves, labels_of(waves, TRUTHS))
        waves.append(wave)
    known = shares(TASK, 50, waves, labels_of(waves, TRUTHS), guide)
    assert known.share.tolist() == pytest.approx(TRUTHS[:50].mean(axis=0).tolist())
    assert known.half_width.max() == pytest.approx(0.0, abs=1e-9)


def test_several_classes_and_one_never_seen_can_be_learned(seen):
    task = Task(("ham", "spam", "other"), several=True)
    truths = np.column_stack([TRUTHS, np.zeros(600, dtype=bool)])
    waves = [first_wave(task, 600)]
    guide, wave = learn(task, seen, waves, labels_of(waves, truths))
    found = shares(task, 600, [*waves, wave], labels_of([*waves, wave], truths), guide)
    assert found.share[2] == pytest.approx(0.0, abs=1e-6)
    assert found.high[2] > 0.03
    assert guide.explained[2] == 0.0


def test_progress_is_told(begun, seen):
    waves, told = begun[0], []
    learn(TASK, seen, waves, labels_of(waves, TRUTHS), lambda *what: told.append(what))
    assert told[0][0] == "model"
    assert told[-1] == ("predictions", 600, 600)


def test_of_one_label_nothing_is_learned(seen):
    wave = first_wave(TASK, 600)
    with pytest.raises(ValueError, match="there are 1 labels"):
        learn(TASK, seen, [wave], Labels(wave.rows[:1], TRUTHS[wave.rows[:1]]))


def test_scores_of_a_good_model_make_intervals_narrow_at_once():
    scores = TRUTHS * 0.8 + 0.1
    seen = features(TEXTS, scores)
    waves = [first_wave(TASK, 600, scores)]
    guide, _ = learn(TASK, seen, waves, labels_of(waves, TRUTHS))
    assert guide.explained.min() > 0.95


def test_of_many_labels_the_last_are_learned_from(begun, seen, monkeypatch):
    monkeypatch.setattr(learning, "MOST", 30)
    waves = begun[0]
    labels = labels_of(waves, TRUTHS)
    guide, _ = learn(TASK, seen, waves, labels)
    assert guide.n_labels == 30
    assert not guide.shifts[:10].any()
    assert guide.shifts[10:40].all()
    assert shares(TASK, 600, waves, labels, guide).n_labels == 40


# Files


def test_a_saved_guide_is_the_same(begun, tmp_path):
    _, guide, _ = begun
    guide.save(tmp_path / "guide.npz")
    again = Guide.load(tmp_path / "guide.npz")
    for name in ("rows", "ends", "predictions", "totals", "shifts", "explained"):
        assert np.array_equal(getattr(again, name), getattr(guide, name))
    assert (again.n_documents, again.n_labels) == (600, 40)


def test_a_file_that_is_no_guide_is_refused(tmp_path):
    path = tmp_path / "guide.npz"
    path.write_bytes(b"no guide")
    with pytest.raises(ValueError, match=r"guide\.npz is no guide, or is damaged"):
        Guide.load(path)
    with pytest.raises(FileNotFoundError):
        Guide.load(tmp_path / "absent.npz")


def damage(guide, path, **parts):
    """A file of a guide of which some parts are others."""
    guide.save(path)
    with np.load(path) as file:
        values = dict(file) | parts
    held = io.BytesIO()
    np.savez(held, **values)
    path.write_bytes(held.getvalue())


@pytest.mark.parametrize(
    "parts",
    [
        {"format": 2},
        {"rows": np.arange(3)},
        {"predictions": np.zeros((60, 3))},
        {"totals": np.full((2, 2), np.nan)},
        {"ends": np.array([50, 40])},
        {"n_documents": 10},
        {"n_documents": np.array([600, 600])},
        {"n_labels": 10_000},
        {"rows": np.zeros(60, dtype=np.int64)},
        {"rows": np.array([None] * 60)},
    ],
)
def test_a_damaged_guide_is_refused(begun, tmp_path, parts):
    damage(begun[1], tmp_path / "guide.npz", **parts)
    with pytest.raises(ValueError, match="damaged"):
        Guide.load(tmp_path / "guide.npz")


def test_a_guide_without_a_part_is_refused(begun, tmp_path):
    path = tmp_path / "guide.npz"
    begun[1].save(path)
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(tmp_path / "less.npz", "w") as less:
        for name in whole.namelist():
            if name != "totals.npy":
                less.writestr(name, whole.read(name))
    with pytest.raises(ValueError, match="damaged"):
        Guide.load(tmp_path / "less.npz")
