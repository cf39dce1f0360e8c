"""The table of a contest in one command, on folders written by hand."""

import polars as pl
import pytest
from typer.testing import CliRunner

from quantext.cli import app

WORDS = {"0": "alpha apple acorn", "1": "beta bread butter", "2": "gamma goat grape"}


def experiment(*arguments):
    done = CliRunner().invoke(app, ["experiment", *map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done


def errors(out):
    return {row["method"]: row for row in pl.read_csv(out / "tables" / "errors.csv").to_dicts()}


def documents(counts):
    return [f"{words} n{k}" for y, words in WORDS.items() for k in range(counts[int(y)])]


@pytest.fixture
def texts(tmp_path):
    """A task of texts with three classes: 20, 10 and 10 to train on, and two bags of ten."""
    folder = tmp_path / "T2B" / "public"
    (folder / "test_samples").mkdir(parents=True)
    labels = [*20 * "0", *10 * "1", *10 * "2"]
    rows = [f"{y},{text}" for y, text in zip(labels, documents((20, 10, 10)), strict=True)]
    (folder / "training_data.txt").write_text("\n".join(["label,text", *rows]))
    for bag, counts in enumerate([(5, 3, 2), (1, 1, 8)]):
        (folder / "test_samples" / f"{bag}.txt").write_text("\n".join(["text", *documents(counts)]))
    (folder / "test_prevalences.txt").write_text("id,0,1,2\n0,0.5,0.3,0.2\n1,0.1,0.1,0.8\n")
    return tmp_path


def test_a_folder_of_lequa_gives_the_table_of_the_contest(texts, tmp_path):
    out = tmp_path / "run"
    experiment(
        *("lequa2022", "--data", texts, "--out", out, "--folds", 5),
        *("--methods", "cc,training-prevalence", "--jobs", 1),
    )
    table = errors(out)
    assert [*table] == ["CC", "Training prevalence"]
    # Words tell the classes apart, so that counting is right.
    assert table["CC"]["ae"] == pytest.approx(0, abs=1e-12)
    # Training has .5 .25 .25: off by 0, .05, .05, and by .4, .15, .55, over 3 classes and 2 bags.
    reference = table["Training prevalence"]
    assert reference["ae"] == pytest.approx((0.1 + 1.1) / 3 / 2)
    # The bags have 10 documents: .05 is added to what an error is relative to.
    rae = (0.05 / 0.35 + 0.05 / 0.25) / 3, (0.4 / 0.15 + 0.15 / 0.15 + 0.55 / 0.85) / 3
    assert reference["rae"] == pytest.approx(sum(rae) / 2)
    assert reference["test_sets"] == 2


def test_vectors_of_lequa_take_the_same_command(tmp_path):
    folder, out = tmp_path / "T1A", tmp_path / "run"
    (folder / "test_samples").mkdir(parents=True)
    points = {0: "1.0,0.1", 1: "0.1,1.0"}
    rows = [f"{k % 2},{points[k % 2]}" for k in range(20)]
    (folder / "training_data.txt").write_text("\n".join(["label,0,1", *rows]))
    bag = [points[k % 4 // 3] for k in range(20)]  # a quarter is of class 1
    (folder / "test_samples" / "0.txt").write_text("\n".join(["0,1", *bag]))
    (folder / "test_prevalences.txt").write_text("id,0,1\n0,0.75,0.25\n")
    experiment(
        *("lequa2022", "--data", folder, "--out", out, "--folds", 5),
        *("--methods", "cc,training-prevalence", "--jobs", 1),
    )
    table = errors(out)
    assert table["CC"]["ae"] == pytest.approx(0, abs=1e-12)
    assert table["Training prevalence"]["ae"] == pytest.approx(0.25)
    assert table["Training prevalence"]["rae"] == pytest.approx((0.25 / 0.775 + 0.25 / 0.275) / 2)


def test_files_of_semeval_give_a_table_over_their_topics(tmp_path):
    data, out = tmp_path / "task4", tmp_path / "run"
    data.mkdir()
    says = {"positive": "love great happy", "negative": "hate awful sad"}
    train = [f"{k}\tapple\t{y}\t{says[y]} {k}" for k, y in enumerate(10 * [*says, "positive"])]
    test = [
        *(f"{k}\tcher\tpositive\tgreat happy" for k in range(100, 104)),
        *(f"{k}\tdylan\t{y}\t{says[y]}" for k, y in enumerate([*says, *says], 200)),
    ]
    (data / "twitter-2016train-BD.txt").write_text("\n".join(train))
    (data / "twitter-2016test-BD.txt").write_text("\n".join(test))
    experiment(
        *("semeval2016", "--data", data, "--out", out, "--folds", 5),
        *("--methods", "cc,training-prevalence", "--jobs", 1),
    )
    table = errors(out)
    assert table["CC"]["kld"] == pytest.approx(0, abs=1e-12)
    # Two thirds in training are positive; all of four about one topic are, half about the other.
    assert table["Training prevalence"]["ae"] == pytest.approx((1 / 3 + 1 / 6) / 2)
    assert table["Training prevalence"]["test_sets"] == 2
