import pytest

from quantext.wording import counted, fit_width, listed, visible


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["CC"], "CC"),
        (["CC", "ACC"], "CC and ACC"),
        (["CC", "ACC", "EMQ"], "CC, ACC and EMQ"),
        ((name for name in ("CC", "ACC")), "CC and ACC"),
    ],
)
def test_names_stand_with_commas_and_a_word_before_the_last(names, sentence):
    assert listed(names) == sentence


def test_the_word_before_the_last_name_may_be_another():
    assert listed(["CC", "ACC", "EMQ"], "or") == "CC, ACC or EMQ"


@pytest.mark.parametrize(
    ("n", "sentence"),
    [
        (1, "0"),
        (3, "0, 1 or 2"),
        (4, "0, 1, 2 and 1 more"),
        (2003, "0, 1, 2 and 2,000 more"),
    ],
)
def test_of_many_names_the_first_are_told_and_how_many_more_there_are(n, sentence):
    assert listed(map(str, range(n)), "or", most=3) == sentence


def test_no_names_are_an_error_and_not_an_empty_sentence():
    with pytest.raises(ValueError, match="not enough values"):
        listed([])


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "no classes"), (1, "1 class"), (2, "2 classes"), (1234, "1,234 classes")],
)
def test_a_noun_follows_its_number(number, words):
    assert counted(number, "class", "classes") == words


def test_most_nouns_take_an_s():
    assert counted(3, "task") == "3 tasks"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", r"\x1b[2J"),
        ("\x9b2J", r"\x9b2J"),  # the same in one character, as some terminals have it
        ("a\tb\r\n", r"a\tb\r\n"),
        ("\x00\x7f", r"\x00\x7f"),
        ("\u202egpj.exe \u2066a\u2069", r"\u202egpj.exe \u2066a\u2069"),
        ("one\u2028two", r"one\u2028two"),
        ("C:\\new [/x] “é” مرحبا\u200f 👩\u200d🔬", "C:\\new [/x] “é” مرحبا\u200f 👩\u200d🔬"),
    ],
)
def test_what_a_terminal_would_obey_is_written_out(text, shown):
    assert visible(text) == shown


def test_what_is_written_out_takes_the_room_that_it_needs():
    assert fit_width("a\x1bb", 8) == r"a\x1bb  "
    assert fit_width("\x1b" * 9, 8) == r"\x1b\x1…"
