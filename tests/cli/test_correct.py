"""quantext correct: what a model says and a few truths in, shares out; refusals say what to do."""

import gzip
import json
import random

import polars as pl
import pytest

from quantext.models.correction import COLUMNS
from tests.support.survey import command

BAD = "[bold]odd[/bold] {x} \x1b[31m"


def judged(n=200, n_known=60, seed=0):
    """Rows that a model has labelled, rightly in four of five cases, and people some of them."""
    rng = random.Random(seed)
    truths = [rng.choice(["no", "no", "yes"]) for _ in range(n)]
    says = [t if rng.random() < 0.8 else rng.choice(["no", "yes"]) for t in truths]
    known = set(rng.sample(range(n), n_known))
    return pl.DataFrame(
        {
            "id": [f"d{i}" for i in range(n)],
            "month": [f"month {8 + i % 3}" for i in range(n)],
            "day": [f"2024-0{1 + i % 2}-{1 + i % 28:02}" for i in range(n)],
            "author": [f"a{i % 20}" for i in range(n)],
            "says": says,
            "score": [round((s == "yes") * 0.5 + rng.random() / 2, 3) for s in says],
            "true": truths,
            "checked": [t if i in known else None for i, t in enumerate(truths)],
        }
    )


ROWS = judged()
OPTIONS = ["--proxy", "says", "--truth", "checked"]


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    ROWS.write_csv("judged.csv")
    return command(monkeypatch, capsys)


def refused(result, *words):
    """Whether the command has ended with code 2 and one sentence that has all of these words."""
    code, out, err = result
    assert (code, out) == (2, "")
    assert err.startswith("Error: ")
    assert err.count("\n") == 1
    for word in words:
        assert word in err
    return True


def shares(run, *arguments):
    """What --json prints, which must go well."""
    code, out, err = run("correct", *arguments, "--json", "--quiet")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_the_table_has_shares_intervals_what_the_model_says_and_why(run):
    code, out, err = run("correct", "judged.csv", *OPTIONS, "--design", "srs")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["class", "share", "95%", "interval", "raw", "gold"]
    assert lines[1] == "all (200 documents, 60 of them with a known truth)"
    name, share, low, _, high, raw, gold, _ = lines[2].split()
    assert name == "no"
    assert float(low) <= float(share[:-1]) <= float(high)
    assert raw == f"{100 * (ROWS['says'] == 'no').mean():.1f}%"
    assert gold == f"{100 * (ROWS['checked'].drop_nulls() == 'no').mean():.1f}%"
    assert "correlation" in out
    assert lines[-1].startswith("Shares in these rows")


def test_the_table_that_is_written_has_exactly_these_columns(run):
    arguments = ["correct", "judged.csv", *OPTIONS, "--design", "srs", "--quiet"]
    for extension, read in (
        ("csv", pl.read_csv),
        ("json", pl.read_json),
        ("parquet", pl.read_parquet),
    ):
        assert run(*arguments, "--out", f"a.{extension}")[0] == 0
        table = read(f"a.{extension}")
        assert table.columns == list(COLUMNS)
        assert table.select("class", "n_gold", "size").rows() == [("no", 60, 200), ("yes", 60, 200)]
        assert table["share"].sum() == pytest.approx(1)
    found = shares(run, "judged.csv", *OPTIONS, "--design", "srs")
    assert [row["share"] for row in found["shares"]] == pytest.approx(table["share"].to_list())
    assert set(found["shares"][0]) == {*COLUMNS, "effective", "why"}
    assert (found["design"], found["target"], found["level"]) == ("srs", "batch", 0.95)


def test_batches_come_in_the_order_that_people_count_and_dates_by_their_period(run):
    found = shares(run, "judged.csv", *OPTIONS, "--design", "srs", "--by", "month")
    assert [row["batch"] for row in found["shares"][::2]] == ["month 8", "month 9", "month 10"]
    dated = ["--by", "day", "--period", "month"]
    found = shares(run, "judged.csv", *OPTIONS, "--design", "srs", *dated)
    assert [row["batch"] for row in found["shares"][::2]] == ["2024-01-01", "2024-02-01"]
    code, out, _ = run("correct", "judged.csv", *OPTIONS, "--design", "srs", *dated)
    assert code == 0
    assert [line[:10] for line in out.splitlines() if "2024" in line] == [
        "Jan 2024 (",
        "Feb 2024 (",
    ]


def test_the_shares_of_what_rows_were_drawn_from_are_less_certain(run):
    widths = []
    for target in ("batch", "population"):
        found = shares(run, "judged.csv", *OPTIONS, "--design", "srs", "--target", target)
        widths.append(found["shares"][0]["high"] - found["shares"][0]["low"])
    assert widths[0] < widths[1]


def test_no_design_is_a_question_and_not_an_answer(run):
    assert refused(
        run("correct", "judged.csv", *OPTIONS),
        *("Were these rows drawn at random from this file?", "--design srs", "elsewhere"),
    )
    assert refused(run("correct", "judged.csv", *OPTIONS, "--design", "random"), "random", "srs")
    assert refused(run("correct", "judged.csv", *OPTIONS, "--design", "prob:"), "prob:COL")


def test_a_handful_of_truths_is_too_few(run):
    judged(n_known=4).write_csv("few.csv")
    result = run("correct", "few.csv", *OPTIONS, "--design", "srs")
    assert refused(result, "few.csv", "column 'checked'", "4 documents", "label 100")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--proxy", "say", "--truth", "checked"], ["no column 'say'", "did you mean 'says'"]),
        (["--proxy", "says", "--truth", "says"], ["both name the column 'says'"]),
        (["--proxy", "says", "--truth", "score"], ["column 'score'", "the truth is a class"]),
        (["--proxy", "says", "--truth", "id"], ["column 'id'", "different values"]),
        ([*OPTIONS, "--design", "prob:day"], ["column 'day', row ", "above 0 and at most 1"]),
        (
            [*OPTIONS, "--design", "prob:score", "--strata", "month"],
            ["--strata month", "choose one"],
        ),
        ([*OPTIONS, "--design", "elsewhere", "--cluster", "author"], ["--cluster author"]),
        ([*OPTIONS, "--design", "elsewhere", "--as-given"], ["--as-given"]),
        ([*OPTIONS, "--period", "week"], ["needs --by"]),
        ([*OPTIONS, "--by", "month", "--period", "week"], ["'month', row 1", "is not a date"]),
        ([*OPTIONS, "--level", "95"], ["level is 95"]),
        ([*OPTIONS, "--separator", ""], ["separator is empty"]),
        ([*OPTIONS, "--id", "id"], ["--truth-file"]),
        ([*OPTIONS, "--out", "a.txt"], ["a.txt", ".csv, .xlsx"]),
        ([*OPTIONS, "--out", "judged.csv"], ["judged.csv would be overwritten"]),
        ([*OPTIONS, "--report", "a.pdf"], ["a.pdf", ".html"]),
        ([*OPTIONS, "--out", "there/is/no.csv"], ["there is no folder"]),
        (["--proxy", "score", *OPTIONS, "--as-given"], ["leave out --as-given"]),
        (
            ["--proxy", "score", "--truth", "checked", "--separator", ";"],
            ["column 'score'", "labels"],
        ),
    ],
)
def test_a_mistake_is_one_sentence_that_says_where(run, options, words, tmp_path):
    design = [] if "--design" in options else ["--design", "srs"]
    before = sorted(path.name for path in tmp_path.iterdir())
    assert refused(run("correct", "judged.csv", *options, *design), *words)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_blank_stratum_and_an_infinite_score_are_named_by_their_rows(run):
    spoilt = ROWS.with_row_index().with_columns(
        month=pl.when(pl.col("index") == 6).then(pl.lit(" ")).otherwise("month"),
        score=pl.when(pl.col("index") == 3).then(float("inf")).otherwise("score"),
        author=pl.when(pl.col("checked").is_not_null()).then(None).otherwise("author"),
    )
    spoilt.write_csv("spoilt.csv")
    first = spoilt["checked"].is_not_null().arg_true()[0] + 1
    start = ["correct", "spoilt.csv", *OPTIONS, "--design", "srs"]
    named = "spoilt.csv, column 'month', row 7 is blank"
    assert refused(run(*start, "--strata", "month"), named, "stratum")
    # A batch is only looked at, so a row without one stops nothing.
    code, out, err = run(*start, "--by", "month")
    assert code == 0
    assert "(blank)" in out
    assert "1 row blank in column 'month': they are the batch '(blank)'" in err
    assert refused(run(*start, "--proxy", "score"), "column 'score', row 4", "infinite")
    assert refused(run(*start, "--cluster", "author"), f"column 'author', row {first} is blank")


def gold_of(rows):
    return rows.drop_nulls("checked").select("id", label="checked")


JOIN = ["--proxy", "says", "--truth", "label", "--truth-file", "gold.csv", "--design", "srs"]


def test_truths_of_another_file_are_joined_by_their_ids(run):
    gold_of(ROWS).reverse().write_csv("gold.csv")
    beside = shares(run, "judged.csv", *OPTIONS, "--design", "srs")["shares"]
    joined = shares(run, "judged.csv", *JOIN, "--id", "id")["shares"]
    assert joined == beside
    # It is the extension that tells the format, and not what is said of the other file.
    gold_of(ROWS).write_parquet("gold.parquet")
    other = [option.replace("gold.csv", "gold.parquet") for option in JOIN]
    assert shares(run, "judged.csv", *other, "--id", "id", "--format", "csv")["shares"] == beside


def test_ids_that_cannot_be_joined_are_named_by_file_column_and_row(run):
    gold = gold_of(ROWS)
    first = gold["id"][0]
    assert refused(run("correct", "judged.csv", *JOIN), "there is no file gold.csv")
    gold.write_csv("gold.csv")
    assert refused(run("correct", "judged.csv", *JOIN), "--truth-file gold.csv needs --id")
    by_id = ["correct", "judged.csv", *JOIN, "--id", "id"]
    pl.concat([gold, gold[:1]]).write_csv("gold.csv")
    assert refused(run(*by_id), "gold.csv, column 'id', row 61", repr(first), "row 1 too")
    pl.concat([gold, pl.DataFrame({"id": ["d999"], "label": ["no"]})]).write_csv("gold.csv")
    assert refused(run(*by_id), "row 61: 'd999' is not in judged.csv", "--design elsewhere")
    pl.concat([gold, pl.DataFrame({"id": [" "], "label": ["no"]})]).write_csv("gold.csv")
    assert refused(run(*by_id), "gold.csv, column 'id', row 61 is blank")
    gold.write_csv("gold.csv")
    pl.concat([ROWS, ROWS.filter(pl.col("id") == first)]).write_csv("judged.csv")
    assert refused(run(*by_id), "judged.csv, column 'id', row 201", repr(first))


def planned(labelled=60):
    """A file as `quantext plan` writes it, filled in: yes was drawn twice as often as no."""
    rows = ROWS.with_row_index("row", offset=1)
    parts = [
        rows.filter(pl.col("says") == says)
        .sample(n, seed=1)
        .with_columns(
            probability=pl.lit(n / (ROWS["says"] == says).sum()), stratum=pl.lit(says), truth="true"
        )
        for says, n in (("no", 30), ("yes", 30))
    ]
    table = pl.concat(parts).with_row_index("i")
    return table.with_columns(truth=pl.when(pl.col("i") < labelled).then("truth")).drop("i")


def test_a_file_of_plan_says_its_design_by_itself(run):
    planned().drop("checked", "true").write_csv("to_label.csv")
    options = ["--proxy", "says", "--truth", "truth", "--truth-file", "to_label.csv"]
    code, _, err = run("correct", "judged.csv", *options)
    assert code == 0
    assert "Note: to_label.csv says by itself" in err
    assert "--design prob:probability" in err
    found = shares(run, "judged.csv", *options)
    assert found["design"] == "probabilities"
    # Weights by hand: each truth counts as many documents as it stands for.
    table = planned()
    stands_for = 1 / table["probability"]
    expected = stands_for.filter(table["truth"] == "yes").sum() / stands_for.sum()
    assert found["shares"][1]["gold"] == pytest.approx(expected)


def test_rows_of_a_plan_that_nobody_labelled_are_stood_for_by_others_of_their_stratum(run):
    planned(45).write_csv("to_label.csv")
    options = ["--proxy", "says", "--truth", "truth", "--truth-file", "to_label.csv"]
    found = shares(run, "judged.csv", *options)
    assert "15 rows of to_label.csv without a truth" in found["warnings"][0]
    table = planned(45).drop_nulls("truth")
    stands_for = (
        table["probability"].pow(-1)
        * pl.select(pl.when(table["says"] == "yes").then(2).otherwise(1)).to_series()
    )
    expected = stands_for.filter(table["truth"] == "yes").sum() / stands_for.sum()
    assert found["shares"][1]["gold"] == pytest.approx(expected)
    planned(30).write_csv("to_label.csv")
    assert refused(
        run("correct", "judged.csv", *options), "stratum 'yes' is labelled", "label some"
    )


def test_a_plan_of_another_file_is_refused(run):
    options = ["--proxy", "says", "--truth", "truth", "--truth-file", "to_label.csv"]
    planned().write_csv("to_label.csv")
    ROWS.with_columns(says=pl.lit("maybe")).write_csv("judged.csv")
    result = run("correct", "judged.csv", *options)
    assert refused(result, "to_label.csv, column 'says', row 1", "'maybe' in row", "judged.csv")
    ROWS.head(3).write_csv("judged.csv")
    assert refused(
        run("correct", "judged.csv", *options), "column 'row'", "is no row of judged.csv"
    )
    planned().with_columns(row=1).write_csv("to_label.csv")
    assert refused(run("correct", "judged.csv", *options), "'row', row 2: 1 is in row 1 too")


def test_a_plan_that_lacks_rows_or_is_said_to_be_otherwise_is_refused(run):
    options = ["judged.csv", "--proxy", "says", "--truth", "truth", "--truth-file", "to_label.csv"]
    planned()[:-5].write_csv("to_label.csv")
    assert refused(run("correct", *options), "55 rows of to_label.csv", "judged.csv has 200")
    planned().write_csv("to_label.csv")
    for own in (["--design", "srs"], ["--strata", "says"]):
        assert refused(run("correct", *options, *own), f"leave out {' '.join(own)}")
    told = run("correct", *options, "--design", "prob:probability")
    assert (told[0], "says by itself" in told[2]) == (0, False)


def test_answers_of_a_plan_are_those_of_the_file_however_few_they_are(run):
    # Among those that were drawn all are numbers; in the file they are not.
    rows = ROWS.with_columns(says=pl.col("says").replace({"no": "0.10", "yes": "1.0"}))
    last = pl.DataFrame({"says": ["odd"]})
    pl.concat([rows, last], how="diagonal").write_csv("judged.csv")
    table = planned().with_columns(says=pl.when(pl.col("says") == "no").then(0.1).otherwise(1))
    more = table[:1].with_columns(row=201, stratum=pl.lit("odd"), probability=1.0, says=None)
    pl.concat([table, more.cast(table.schema)]).with_columns(
        pl.col("says").cast(pl.String).fill_null("odd")
    ).write_csv("to_label.csv")
    options = ["--proxy", "says", "--truth", "truth", "--truth-file", "to_label.csv"]
    assert run("correct", "judged.csv", *options)[0] == 0


ELSEWHERE = ["--truth", "true", "--truth-file", "old.csv", "--design", "elsewhere"]


def test_truths_from_elsewhere_are_of_no_batch(run):
    old = judged(150, seed=1)
    old.with_columns(true=pl.when(pl.col("id") != "d3").then("true")).write_csv("old.csv")
    ROWS.drop("true").write_csv("new.csv")
    new = ["new.csv", "--proxy", "says", *ELSEWHERE, "--by", "month"]
    found = shares(run, *new)
    sizes = {row["batch"]: (row["size"], row["n_gold"], row["used"]) for row in found["shares"]}
    assert sizes == {
        f"month {m}": (n, 149, "misclassification") for m, n in ((8, 67), (9, 67), (10, 66))
    }
    assert found["warnings"] == ["1 row of old.csv without a truth were left out"]
    code, out, _ = run("correct", *new, "--quiet")
    assert code == 0
    assert "149 known truths from elsewhere" in out
    by_scores = shares(run, "new.csv", "--proxy", "score", *ELSEWHERE)
    assert {row["used"] for row in by_scores["shares"]} == {"adaptive"}


def test_what_was_never_seen_elsewhere_is_refused(run):
    old = judged(150, seed=1)
    new = ["correct", "judged.csv", "--proxy", "says", *ELSEWHERE]
    old.filter(pl.col("true") == "no").write_csv("old.csv")
    assert refused(run(*new), "judged.csv (truth: column 'true' of old.csv)", "none is 'yes'")
    old.filter(pl.col("score") < 0.5).write_csv("old.csv")
    scored = ["correct", "judged.csv", "--proxy", "score", *ELSEWHERE]
    assert refused(run(*scored), "beyond all scores", "label some of these")
    old.with_columns(score=pl.lit("high")).write_csv("old.csv")
    assert refused(run(*scored), "judged.csv, column 'score' holds numbers", "old.csv")
    assert refused(run(*new, "--id", "id"), "leave out --id")


def test_a_word_that_does_not_tell_classes_apart_elsewhere_is_told(run):
    old = judged(150, seed=1).with_columns(says=pl.Series(["x", "y", "z"] * 50))
    old.write_csv("old.csv")
    ROWS.with_columns(says=pl.Series((["x", "y", "z"] * 70)[:200])).write_csv("new.csv")
    code, _, err = run("correct", "new.csv", "--proxy", "says", *ELSEWHERE)
    assert code == 0
    assert "the intervals leave everything open" in err


def test_documents_may_have_several_labels(run):
    both = pl.DataFrame(
        {
            "says": ["a; b", "a", "b", "", "a;b"] * 20,
            "truth": ["a; b", "a", "b; c", "none", ""] * 20,
        }
    )
    both.write_csv("several.csv")
    options = ["--proxy", "says", "--truth", "truth", "--design", "srs"]
    found = shares(run, "several.csv", *options, "--separator", "; ")["shares"]
    assert [row["class"] for row in found] == ["a", "a;b", "b", "c", "none"]
    assert [row["gold"] for row in found] == pytest.approx([0.5, 0, 0.5, 0.25, 0.25])
    warnings = shares(run, "several.csv", *options, "--separator", "; ")["warnings"]
    assert len([text for text in warnings if "never seen among the known truths" in text]) == 1
    # As lists, in which nothing stands between them, and an empty one is an answer.
    lists = [
        {"says": says.split("; "), "truth": truth.split("; ") if truth else None}
        for says, truth in both.rows()
    ]
    lists[3]["truth"] = []
    pl.DataFrame(lists).write_parquet("several.parquet")
    found = shares(run, "several.parquet", *options)["shares"]
    assert {row["class"]: row["n_gold"] for row in found}["a"] == 80
    assert {row["class"]: row["gold"] for row in found}["none"] == pytest.approx(19 / 80)


def test_scores_posteriors_and_several_models_are_all_a_models_word(run):
    yes = ROWS["score"]
    ROWS.with_columns(p_no=1 - yes, p_yes=yes).write_csv("scored.csv")
    truth = ["--truth", "checked", "--design", "srs"]
    one = shares(run, "scored.csv", "--proxy", "p_no", "--proxy", "p_yes", *truth)["shares"]
    assert one[1]["raw"] == pytest.approx(yes.mean(), abs=1e-6)
    two = shares(run, "scored.csv", "--proxy", "says", "--proxy", "score", *truth)["shares"]
    assert two[0]["used"] == "ppi"
    assert two[0]["correlation"] > 0.4
    # Numbers that are few and whole are labels, however a spreadsheet writes them.
    as_numbers = {"no": "0", "yes": "1"}
    says = ROWS["says"].replace({"no": "0.0", "yes": "1.0"})
    ROWS.with_columns(says=says, checked=pl.col("checked").replace(as_numbers)).write_csv("n.csv")
    found = shares(run, "n.csv", *OPTIONS, "--design", "srs")["shares"]
    assert [row["class"] for row in found] == ["0", "1"]
    assert found[0]["raw"] == pytest.approx((ROWS["says"] == "no").mean())


def test_codes_with_leading_zeros_stay_what_they_are(run):
    codes = {"no": "010", "yes": "020"}
    changed = [pl.col("says").replace(codes), pl.col("checked").replace(codes)]
    ROWS.with_columns(changed).write_csv("codes.csv")
    found = shares(run, "codes.csv", *OPTIONS, "--design", "srs")["shares"]
    assert [row["class"] for row in found] == ["010", "020"]


def test_a_model_that_knows_nothing_is_told(run):
    rng = random.Random(3)
    ROWS.with_columns(says=pl.Series([rng.choice(["no", "yes"]) for _ in range(200)])).write_csv(
        "guess.csv"
    )
    code, out, err = run("correct", "guess.csv", *OPTIONS, "--design", "srs")
    assert code == 0
    assert "Warning: the known truths alone are as good" in err
    assert "always to say 'no' would be right" in err
    assert "The known truths alone: " in out


def test_files_of_any_format_with_any_name_and_standard_input(run, monkeypatch, tmp_path):
    (tmp_path / "[x] a").mkdir()
    ROWS.write_ndjson("[x] a/judged [1].jsonl")
    expected = shares(run, "judged.csv", *OPTIONS, "--design", "srs")["shares"]
    path = "[x] a/judged [1].jsonl"
    paths = ["--out", "[x] a/out [2].csv", "--report", "[x] a/page [3].html"]
    found = shares(run, path, *OPTIONS, "--design", "srs", *paths)["shares"]
    assert found == expected
    assert sorted(p.name for p in (tmp_path / "[x] a").iterdir()) == [
        *("judged [1].jsonl", "out [2].csv", "page [3].html")
    ]
    (tmp_path / "judged.tsv.gz").write_bytes(gzip.compress(ROWS.write_csv(separator="\t").encode()))
    assert shares(run, "judged.tsv.gz", *OPTIONS, "--design", "srs")["shares"] == expected
    with open("judged.csv") as file:
        monkeypatch.setattr("sys.stdin", file)
        arguments = ["-", *OPTIONS, "--design", "srs", "--format", "csv"]
        assert shares(run, *arguments)["shares"] == expected


def test_names_with_markup_are_printed_as_they_are(run):
    named = pl.col("says", "checked").replace({"no": BAD})
    ROWS.with_columns(named).write_csv("odd.csv")
    code, out, _ = run(
        "correct", "odd.csv", *OPTIONS, "--design", "srs", "--report", "a.html", "--force"
    )
    assert code == 0
    assert "[bold]odd" in out


def test_nothing_is_left_half_written(run, monkeypatch, tmp_path):
    from quantext.reports.correction import Correction

    def fail(*_):
        raise OSError("the disk is full")

    monkeypatch.setattr(Correction, "report", fail)
    (tmp_path / "a.html").write_text("old")
    result = run(
        "correct", "judged.csv", *OPTIONS, "--design", "srs", "--report", "a.html", "--force"
    )
    assert refused(result, "the disk is full")
    assert (tmp_path / "a.html").read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.html", "judged.csv"]


def test_truths_that_are_read_are_not_overwritten(run):
    gold = ROWS.filter(pl.col("checked").is_not_null()).select("id", "checked")
    gold.write_csv("gold.csv")
    options = ["--truth-file", "gold.csv", "--id", "id", "--design", "srs", "--out", "gold.csv"]
    assert refused(run("correct", "judged.csv", *OPTIONS, *options), "gold.csv would be")
    assert pl.read_csv("gold.csv").equals(gold)


def test_truths_of_one_class_need_the_others_named(run):
    ROWS.with_columns(says=pl.lit("no"), checked=pl.lit("no")).write_csv("one.csv")
    one = run("correct", "one.csv", *OPTIONS, "--design", "srs")
    assert refused(one, "all known truths are 'no'", "name all with --class")


def test_what_a_model_says_in_place_of_an_answer_is_no_class_if_classes_are_named(run):
    says = pl.when(pl.col("id").str.ends_with("7")).then(pl.lit("N/A")).otherwise("says")
    ROWS.with_columns(says=says).write_csv("other.csv")
    named = ["--class", "no", "--class", "yes"]
    found = shares(run, "other.csv", *OPTIONS, "--design", "srs", *named)["shares"]
    assert [row["class"] for row in found] == ["no", "yes"]
    assert sum(row["share"] for row in found) == pytest.approx(1)
