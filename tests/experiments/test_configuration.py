import json
from io import StringIO

import polars as pl
import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner

from quantext.cli.experiment import experiment, progress_bars, report, run_and_report
from quantext.experiments.configuration import (
    configure,
    configured_protocol,
    load_corpus,
    make_methods,
    make_vectorizer,
    read_settings,
)
from quantext.experiments.drawing import UniformShares
from quantext.experiments.protocols import ByGroup, ByPeriod, Drawn
from quantext.learners.linear import LinearSVM
from quantext.models.methods import METHODS, USUAL_METHODS
from tests.support.places import ROOT
from tests.support.unlucky import Unlucky

FILES = sorted((ROOT / "experiments").glob("*.toml"))


# Settings ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_files_of_experiments_are_valid(file):
    configuration = configure(read_settings(file))
    assert configuration.methods == USUAL_METHODS
    make_vectorizer(configuration)


@pytest.mark.parametrize("name", ["arxiv", "ohsumed", "rcv1", "reuters21578"])
def test_the_file_of_a_corpus_says_what_is_done_without_it(name):
    assert name in [file.stem for file in FILES]
    [file] = [file for file in FILES if file.stem == name]
    written, usual = configure(read_settings(file)), configure({"corpus": name})
    assert written.split == usual.split
    assert written.vectorizer == usual.vectorizer == {"stop_words": "english"}
    assert (written.methods, written.folds, written.seed) == (USUAL_METHODS, 50, 0)
    assert (usual.methods, usual.folds, usual.seed) == (USUAL_METHODS, 50, 0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"corpus": "routers"}, "corpus 'routers' is unknown; choose one of reuters21578, arxiv"),
        ({}, "corpus None is unknown"),
        ({"corpus": "synthetic", "fold": 9}, "setting 'fold' is unknown; did you mean 'folds'"),
        ({"corpus": "synthetic", "xyz": 9}, "'xyz' is unknown; choose one of corpus, data"),
        ({"corpus": "synthetic", "folds": "9"}, "setting 'folds' is '9'; it must be a value like"),
        ({"corpus": "synthetic", "folds": True}, "setting 'folds' is True"),
        ({"corpus": "synthetic", "folds": 1}, "folds is 1; it must be at least 2"),
        ({"corpus": "synthetic", "methods": "CC"}, "'methods' is 'CC'; it must be a list of names"),
        ({"corpus": "synthetic", "methods": ["AC"]}, "method 'AC' is unknown; did you mean ACC"),
        ({"corpus": "synthetic", "split": 3}, "setting 'split' is 3; it must be a table"),
        (
            {"corpus": "synthetic", "split": {"min_sizes": 3}},
            "setting 'min_sizes' of split is unknown; did you mean 'min_size'",
        ),
        (
            {"corpus": "synthetic", "reader": {"topics": 3}},
            "setting 'topics' of reader is unknown; did you mean 'n_topics'",
        ),
        (
            {"corpus": "synthetic", "vectorizer": {"stemer": "english"}},
            "setting 'stemer' of vectorizer is unknown; did you mean 'stemmer'",
        ),
        (
            {"corpus": "synthetic", "parameters": {"svm-kld": {"classifier__c": 2}}},
            r"'classifier__c' of parameters.SVM\(KLD\) is unknown; did you mean 'classifier__C'",
        ),
    ],
)
def test_a_wrong_setting_is_an_error_that_says_what_to_do(settings, message):
    with pytest.raises(ValueError, match=message):
        configure(settings)


def test_parameters_and_general_settings_reach_the_methods():
    settings = {
        "corpus": "synthetic",
        "methods": ["svm-kld", "ACC", "training-prevalence", "acc"],
        "folds": 7,
        "seed": 3,
        "parameters": {"svm-kld": {"classifier__C": 2.0}},
    }
    methods = make_methods(configure(settings))
    assert list(methods) == ["SVM(KLD)", "ACC", "Training prevalence"]
    assert methods["SVM(KLD)"].classifier.C == 2.0
    assert (methods["SVM(KLD)"].folds, methods["ACC"].folds, methods["ACC"].seed) == (0, 7, 3)


def test_with_intervals_a_method_without_folds_gets_ten():
    settings = {"corpus": "synthetic", "methods": ["CC", "ACC"], "intervals": True}
    methods = make_methods(configure(settings))
    assert (methods["CC"].folds, methods["ACC"].folds) == (10, 50)


def test_all_methods_are_there_by_one_word():
    assert configure({"corpus": "synthetic", "methods": ["all"]}).methods == tuple(METHODS)


def test_a_way_to_end_the_training_replaces_the_usual_one():
    usual = configure({"corpus": "reuters21578"})
    other = configure({"corpus": "reuters21578", "split": {"train_periods": 5}})
    periods = {"protocol": "period", "by": "day", "min_size": 100}
    assert usual.split == periods | {"train_until": "1987-03-16"}
    assert other.split == periods | {"train_periods": 5}


def test_false_in_a_file_turns_a_step_of_the_vectorizer_off():
    settings = {"corpus": "synthetic", "vectorizer": {"stemmer": False, "min_df": 2}}
    vectorizer = make_vectorizer(configure(settings))
    assert (vectorizer.stemmer, vectorizer.min_df) == (None, 2)


@pytest.mark.parametrize(
    ("corpus", "expected"),
    [
        ("arxiv", "english"),
        ("lyrl2004_tokens", "english"),
        ("ohsumed", "english"),
        ("rcv1", "english"),
        ("reuters21578", "english"),
        ("synthetic", None),
        ("table", None),
    ],
)
def test_the_corpora_of_the_paper_pass_over_stop_words_unless_told_otherwise(corpus, expected):
    def stop_words(**settings):
        vectorizer = make_vectorizer(configure({"corpus": corpus, "vectorizer": settings}))
        return vectorizer.stop_words

    assert stop_words() == stop_words(min_df=2) == expected
    assert stop_words(stop_words=False) is None
    assert stop_words(stop_words=["the"]) == ["the"]


def test_files_are_needed_where_the_corpus_has_some():
    with pytest.raises(ValueError, match="corpus 'arxiv' needs data"):
        load_corpus(configure({"corpus": "arxiv"}))
    with pytest.raises(ValueError, match="corpus 'synthetic' is generated; it takes no data"):
        load_corpus(configure({"corpus": "synthetic", "data": "x"}))


def test_a_table_is_divided_by_its_dates(tmp_path):
    table = tmp_path / "answers.csv"
    table.write_text(
        "text,label,date\ngood,yes,2024-01-01\nbad,no,2024-01-03\n"
        "good,yes,2024-01-08\nbad,no,2024-01-09\nbad,no,2024-01-20\n"
    )
    settings = {"corpus": "table", "data": str(table), "split": {"train_until": "2024-01-08"}}
    configuration = configure(settings)
    [split] = configured_protocol(configuration).split(load_corpus(configuration))
    assert split.train.tolist() == [0, 1]
    assert [(bag.name, len(bag)) for bag in split.bags] == [("2024-01-08", 2), ("2024-01-15", 1)]


def test_a_protocol_is_named_with_the_settings_of_the_split():
    def protocol(corpus, **split):
        return configured_protocol(configure({"corpus": corpus, "split": split}))

    assert protocol("synthetic") == ByPeriod(train_periods=8, by="week")
    drawn = protocol("synthetic", protocol="uniform", bags=7)
    assert drawn == Drawn(UniformShares(7), held_out=ByPeriod(train_periods=8, by="week"))
    later = protocol("synthetic", protocol="natural", train_until="2024-05-01").held_out
    assert later == ByPeriod("2024-05-01", by="week")
    assert protocol("table", protocol="uniform").held_out == 0.5  # nobody named a column of dates
    assert protocol("table", protocol="group", min_size=9) == ByGroup(9)
    with pytest.raises(ValueError, match="'bag' of split is unknown; did you mean 'bags'"):
        protocol("synthetic", protocol="uniform", bag=7)
    with pytest.raises(ValueError, match="protocol 'unform' is unknown; did you mean 'uniform'"):
        protocol("synthetic", protocol="unform")


def test_a_table_needs_no_dates_for_bags_that_are_drawn_or_groups(tmp_path):
    table = tmp_path / "answers.csv"
    rows = [f"{'good' if i % 3 else 'bad'},{'yes' if i % 3 else 'no'},{i % 4}" for i in range(80)]
    table.write_text("\n".join(["text,label,branch", *rows]))
    drawn = {"protocol": "uniform", "bags": 3, "size": 5}
    configuration = configure({"corpus": "table", "data": str(table), "split": drawn})
    [split] = configured_protocol(configuration).split(load_corpus(configuration))
    assert (len(split.train), [len(bag) for bag in split.bags]) == (40, [5, 5, 5])
    by_group = {"split": {"protocol": "group"}, "reader": {"by": "branch"}}
    configuration = configure({"corpus": "table", "data": str(table), **by_group})
    splits = configured_protocol(configuration).split(load_corpus(configuration))
    assert [split.bags[0].name for split in splits] == ["0", "1", "2", "3"]


def test_a_column_of_a_table_is_named_by_text():
    settings = {"corpus": "table", "data": "x.csv", "reader": {"text": 3, "by": "branch"}}
    with pytest.raises(ValueError, match="setting 'text' of reader is 3; it must be text"):
        load_corpus(configure(settings))


def test_a_file_that_is_no_toml_is_a_clear_error(tmp_path):
    (tmp_path / "x.toml").write_text("corpus = arxiv")
    with pytest.raises(ValueError, match=r"x\.toml is no TOML file: Invalid value"):
        read_settings(tmp_path / "x.toml")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        read_settings(tmp_path / "y.toml")


# Commands ----------------------------------------------------------------------------------------


@pytest.fixture
def quantext():
    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(experiment)
    app.command()(report)
    return lambda *arguments: CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def small(tmp_path):
    """A file that configures a run of a second."""
    file = tmp_path / "small.toml"
    file.write_text(
        'corpus = "synthetic"\nmethods = ["CC", "ACC", "SVM(KLD)", "Training prevalence"]\n'
        "folds = 5\n[reader]\nn_documents = 400\nn_topics = 3\nweeks = 6\n"
        "[split]\ntrain_periods = 3\n"
    )
    return file


def test_the_command_runs_a_file_and_makes_a_report(quantext, small, tmp_path):
    out = tmp_path / "run"
    done = quantext("experiment", small, "--out", out, "--jobs", 1, "--methods", "cc,ACC")
    assert done.exit_code == 0, done.output
    assert done.stdout.strip() == str(out / "report.html")
    assert "documents a bag" in done.stderr
    rows = pl.read_parquet(out / "results.parquet")
    assert rows["method"].unique(maintain_order=True).to_list() == ["CC", "ACC"]
    assert rows["bag"].n_unique() == 3

    page = (out / "report.html").read_bytes()
    (out / "report.html").unlink()
    again = quantext("report", out)
    assert again.exit_code == 0
    assert (out / "report.html").read_bytes() == page


def test_options_of_the_split_override_those_of_the_file(quantext, small, tmp_path):
    out = tmp_path / "run"
    done = quantext(
        *("experiment", small, "--out", out, "--jobs", 1, "--methods", "cc"),
        *("--train-until", "2024-01-29", "--test-periods", 1),
    )
    assert done.exit_code == 0, done.output
    rows = pl.read_parquet(out / "results.parquet")
    assert rows["bag"].unique().to_list() == ["2024-01-29"]


def test_options_name_another_protocol_than_the_file(quantext, small, tmp_path):
    out = tmp_path / "run"
    done = quantext(
        *("experiment", small, "--out", out, "--jobs", 1, "--methods", "cc"),
        *("--protocol", "artificial", "--prevalences", "0.1,0.6", "--repeats", 2, "--size", 20),
    )
    assert done.exit_code == 0, done.output
    rows = pl.read_parquet(out / "results.parquet")
    assert sorted(rows["p_true"].unique()) == [0.1, 0.6]
    assert rows["task"].value_counts()["count"].to_list() == [4, 4, 4]  # each its own bags
    assert "drawn with 2 shares from 10% to 60%, 2 bags with each." in " ".join(done.stderr.split())
    record = json.loads((out / "run.json").read_text())
    assert record["world"] == "shares move a lot, and documents of a class stay the same"


def test_shares_of_ones_own_come_from_a_file(quantext, tmp_path):
    (tmp_path / "shares.csv").write_text("positive,negative\n0.5,0.5\n1,\n")
    moods = tmp_path / "moods.toml"
    moods.write_text(
        'corpus = "synthetic"\nmethods = ["CC"]\n'
        '[reader]\nn_documents = 400\nweeks = 6\nlabels = "sentiment"\n'
        "[split]\ntrain_periods = 3\n"
    )
    done = quantext(
        *("experiment", moods, "--out", tmp_path / "run", "--jobs", 1, "--repeats", 1),
        *("--protocol", "artificial", "--prevalences", tmp_path / "shares.csv"),
    )
    assert done.exit_code == 0, done.output
    rows = pl.read_parquet(tmp_path / "run" / "results.parquet")
    shares = rows.filter(pl.col("class").is_not_null())
    assert shares.select("class", "p_true").rows() == [
        *(("negative", 0.5), ("neutral", 0.0), ("positive", 0.5)),
        *(("negative", 0.0), ("neutral", 0.0), ("positive", 1.0)),
    ]
    for text, message in (("0.1;0.5", "neither numbers"), ("no.csv", "no file no.csv")):
        done = quantext(
            *("experiment", "synthetic", "--out", tmp_path / "run", "--protocol", "artificial"),
            *("--prevalences", text),
        )
        assert message in str(done.exception)


def test_failed_tasks_are_named_and_the_exit_code_is_one(small, tmp_path, capsys):
    settings = configure(read_settings(small))
    corpus = load_corpus(settings)
    [split] = configured_protocol(settings).split(corpus)
    unlucky = Unlucky(LinearSVM(), positives=int(corpus.indicator[split.train, 0].sum()))
    methods, out = {"unlucky": unlucky}, tmp_path / "run"
    with pytest.raises(typer.Exit) as end:
        run_and_report(corpus, split, methods, settings, out, {"jobs": 1}, {}, Console(stderr=True))
    assert end.value.exit_code == 1
    said = capsys.readouterr()
    assert "Error: 1 task failed: battery life. The first: the moon was full" in said.err
    assert said.out.strip() == str(out / "report.html")
    assert (out / "report.html").exists()


def test_ctrl_c_says_that_the_same_command_goes_on():
    said = StringIO()
    with pytest.raises(typer.Exit) as end, progress_bars(Console(file=said)):
        raise KeyboardInterrupt
    assert end.value.exit_code == 130
    assert "The same command goes on from here" in said.getvalue()


def test_a_users_mistake_is_an_error_before_anything_is_read(quantext, tmp_path):
    done = quantext("experiment", "reuters21578", "--out", tmp_path / "run", "--methods", "accc")
    assert isinstance(done.exception, ValueError)
    assert "method 'accc' is unknown" in str(done.exception)
    assert not (tmp_path / "run").exists()
