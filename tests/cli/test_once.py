"""Options that take one value, given twice."""

import pytest

from tests.support.survey import command


@pytest.fixture
def run(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    return command(monkeypatch, capsys)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["train", "a.csv", "--text", "t", "--label", "a", "--label=b"],
            "--label is given twice: 'a' and 'b'; give it once",
        ),
        (
            ["estimate", "m.qx", "a.csv", "--seed", "1", "--seed", "1", "--seed", "2"],
            "--seed is given 3 times: '1', '1' and '2'; give it once",
        ),
        (
            ["estimate", "m.qx", "a.csv", "--difference", "a", "b", "--difference", "c", "d"],
            "--difference is given twice: 'a b' and 'c d'; give it once",
        ),
        (
            ["correct", "a.csv", "--proxy", "a", "--proxy", "b", "--truth", "c", "--truth", "d"],
            "--truth is given twice: 'c' and 'd'; give it once",
        ),
        (["plan", "a.csv", "--proxy", "a", "--number", "1", "--number", "2"], "--number is given"),
        (["compare", "a.csv", "--text", "t", "--label", "a", "--label", "b"], "--label is given"),
        (["experiment", "a.toml", "--jobs", "1", "--jobs", "2"], "--jobs is given twice"),
    ],
)
def test_an_option_that_takes_one_value_is_given_once(run, arguments, said):
    code, out, err = run(*arguments)
    assert code == 2, err
    assert said in err
    assert not out


def test_flags_and_options_for_several_values_may_repeat(run, tmp_path):
    (tmp_path / "a.csv").write_text("answer,body,topic\nx,y,z\n")
    twice = ["--text", "answer", "--text", "body", "--quiet", "--quiet"]
    code, _, err = run("train", "a.csv", *twice, "--label", "topic")
    assert code == 2
    assert "one class, 'z'" in err
    assert "given" not in err


def test_a_value_that_looks_like_an_option_is_a_value(run, tmp_path):
    (tmp_path / "a.csv").write_text("answer,--label\nx,z\n")
    code, _, err = run("train", "a.csv", "--text", "answer", "--label", "--label")
    assert code == 2
    assert "one class, 'z'" in err
