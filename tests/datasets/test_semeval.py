"""Files of SemEval's Task 4, written by hand after the organisers' READMEs."""

import gzip

import pytest

from quantext.datasets.semeval import read_semeval

# Names as the organisers have them; quotes are only characters, and lines may end with a tab.
TWO = {
    "100_topics_XXX_tweets.topic-two-point.subtask-BD.train.gold.txt": (
        '11\tapple\tpositive\t"So happy with it\n'
        "12\tapple\tnegative\tNot Available\n"
        "13\tbeatles\tnegative\twhy, oh why\u2028?\t\n"
    ),
    "100_topics_XXX_tweets.topic-two-point.subtask-BD.dev.gold.txt": "14\tcher\tpositive\tyes\r\n",
    "100_topics_XXX_tweets.topic-two-point.subtask-BD.devtest.gold.txt": "15\tdylan\tpositive\tok",
    "100_topics_XXX_tweets.topic-two-point.subtask-BD.devtest.input.txt": "15\tdylan\n",
    "SemEval2016-task4-test.subtask-BD.txt": (
        "1\tapple\tUNKNOWN\tbreaks again\n"
        "2\televen\tUNKNOWN\tnice one\n"
        "3\televen\tUNKNOWN\tnice one\n"
        "4\televen\tUNKNOWN\tnobody knows\n"
    ),
    "SemEval2016_task4_subtaskB_test_gold.txt": (
        "1\tapple\tnegative\n2\televen\tpositive\n3\televen\tnegative\n"
    ),
    "SemEval2016_task4_subtaskD_test_gold.txt": "apple\t0\t1\neleven\t0.5\t0.5\n",
    "README.txt": "not tweets of subtask-BD at all",
}
FIVE = {
    "100_topics_100_tweets.topic-five-point.subtask-CE.train.gold.txt": (
        "21\tapple\t-2\tworst\n22\tapple\t2\tbest\n23\tapple\t0\tit is\n24\tapple\t1\tgood\n"
    ),
    "SemEval2017-task4-test.subtask-CE.english.txt": "5\tcher\t-1\thm\n6\tcher\t+1\tah\n",
    "SemEval2017-task4-test.subtask-CE.arabic.txt": "7\tfairuz\t2\tنعم\n",
}


def write(folder, files):
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content.encode())
    return folder


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "task4", TWO | FIVE)


def test_the_topics_of_the_test_are_bags(folder):
    corpus = read_semeval(folder, subtask="D")
    assert corpus.name == "SemEval-2016 Task 4D"
    assert corpus.texts.to_list() == [
        *("yes", "ok", '"So happy with it', "why, oh why\u2028?"),
        *("breaks again", "nice one", "nice one"),
    ]
    assert corpus.labels.to_list() == [
        *("positive", "positive", "positive", "negative", "negative", "positive", "negative"),
    ]
    assert corpus.groups.to_list() == [
        *("cher", "dylan", "apple", "beatles", "apple", "eleven", "eleven"),
    ]
    assert corpus.bags.to_list() == [None, None, None, None, "apple", "eleven", "eleven"]
    assert corpus.classes == ("negative", "positive")
    assert not corpus.multilabel


def test_what_cannot_be_used_is_counted(folder):
    corpus = read_semeval(folder)
    assert corpus.dropped == 2
    assert corpus.notes == (
        "1 document with the text Not Available was left out",
        "1 document whose label is in no file was left out",
    )


def test_subtasks_with_the_same_tweets_are_the_same(folder):
    b, d = (read_semeval(folder, subtask=letter) for letter in "BD")
    assert b.name == "SemEval-2016 Task 4B"
    assert b.checksum() == d.checksum()


def test_five_points_keep_their_names_and_one_language_is_read(folder):
    corpus = read_semeval(folder, subtask="E")
    assert corpus.name == "SemEval-2017 Task 4E"
    assert set(corpus.classes) == {"-2", "-1", "0", "1", "2"}
    assert corpus.labels.to_list() == ["-2", "2", "0", "1", "-1", "1"]
    assert corpus.bags.to_list() == [*4 * [None], "cher", "cher"]


def test_arabic_is_had_if_it_is_asked_for(tmp_path):
    name = "SemEval2017-task4-dev.subtask-CE.arabic.txt"
    folder = write(tmp_path / "task4", FIVE | {name: "8\tfairuz\t1\tلا\n"})
    corpus = read_semeval(folder, subtask="C", language="arabic")
    assert corpus.texts.to_list() == ["لا", "نعم"]
    assert corpus.bags.to_list() == [None, "fairuz"]


def test_subtask_a_has_one_bag_and_no_topics(tmp_path):
    folder = write(
        tmp_path / "a",
        {
            "twitter-2013train-A.tsv": '1\t"objective-OR-neutral"\tso it is\n2\tpositive\tgreat\n',
            "twitter-2016test-A.tsv": "3\tneutral\tmaybe\t\n4\tnegative\tno\t\n",
            "sms-2013test-A.tsv": "5\tnegative\tnever\n",
        },
    )
    corpus = read_semeval(folder, subtask="A")
    assert corpus.groups is None
    assert dict(zip(corpus.texts, corpus.bags, strict=True)) == {
        "never": None, "so it is": None, "great": None, "maybe": "test", "no": "test",
    }  # fmt: skip
    assert corpus.labels.to_list() == ["negative", "neutral", "positive", "neutral", "negative"]


@pytest.mark.parametrize(
    "gold", ["1\tneutral\n2\tpositive\n", "1\tT16\tneutral\n2\tT16\tpositive\n"]
)
def test_the_labels_of_subtask_a_may_be_in_a_file_of_their_own(tmp_path, gold):
    folder = write(
        tmp_path / "a",
        {
            "twitter-2016train-A.tsv": "11\tnegative\tno\n",
            "SemEval2016-task4-test.subtask-A.txt": "1\tUNKNOWN\tmaybe\n2\tUNKNOWN\tyes\n",
            "SemEval2016_task4_subtaskA_test_gold.txt": gold,
        },
    )
    assert read_semeval(folder, subtask="A").labels.to_list() == ["neutral", "positive", "negative"]


def test_of_the_tests_of_several_years_the_last_is_tested_on(tmp_path):
    folder = write(
        tmp_path / "bd",
        {
            "twitter-2015testBD.txt": "1\tadele\tneutral\tmeh\n2\tadele\tnegative\tbad\n",
            "twitter-2016test-BD.txt": "3\tbjork\tpositive\tgood\n",
            "SemEval2017-task4-test.subtask-BD.english.txt": "4\tcher\tpositive\tfine\n",
        },
    )
    corpus = read_semeval(folder)
    assert corpus.bags.to_list() == ["cher", None, None]
    assert corpus.notes == (
        "1 document labelled neutral, which is no class of the subtask, was left out",
    )
    (folder / "SemEval2017-task4-test.subtask-BD.english.txt").unlink()
    assert read_semeval(folder).bags.to_list() == [None, "bjork"]


def test_tweets_that_are_repeated_count_once_in_training_and_as_they_are_in_the_test(tmp_path):
    tweet = "1\tcher\tpositive\tfine\n"
    other = "1\tadele\tpositive\tfine\n"  # the same tweet, of another topic
    folder = write(
        tmp_path / "bd",
        {"twitter-2016train-BD.txt": tweet + 2 * other, "twitter-2016test-BD.txt": 2 * tweet},
    )
    corpus = read_semeval(folder)
    # One is there twice to train on, and one is in the test too.
    assert corpus.groups.to_list() == ["cher", "cher", "adele"]
    assert corpus.bags.to_list() == ["cher", "cher", None]
    assert corpus.dropped == 2
    assert any("to train on that are in the test too" in note for note in corpus.notes)


def test_patterns_say_what_names_do_not(tmp_path):
    folder = write(
        tmp_path / "odd",
        {"one.tsv": "1\tx\tpositive\tyes\n", "two.tsv": "2\ty\tnegative\tno\n", "three.tsv": "?"},
    )
    corpus = read_semeval(folder, train="one.*", test=["two.*"])
    assert corpus.name == "SemEval Task 4D"
    assert corpus.bags.to_list() == [None, "y"]
    files = [folder / "one.tsv", folder / "two.tsv"]
    assert read_semeval(files, test="two.tsv").bags.to_list() == [None, "y"]
    with pytest.raises(FileNotFoundError, match=r"odd has no files of subtask B or D by their nam"):
        read_semeval(folder)


def test_a_table_with_a_header_is_read_by_its_names(tmp_path):
    path = tmp_path / "semeval2016_4d.tsv.gz"
    lines = [
        "split\ttopic\tlabel\ttext",
        'train\tapple\tpositive\tI "like" it',
        'train\tapple\tpositive\tI "like" it',  # without an id nothing tells them apart
        "dev\tapple\tnegative\tno",
        "devtest\tbob\tnegative\tbad",
        "test\tcher\tpositive\tyes",
    ]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))
    corpus = read_semeval(path)
    assert corpus.name == "SemEval-2016 Task 4D"
    assert corpus.bags.to_list() == [None, None, None, None, "cher"]
    assert corpus.groups.to_list() == ["apple", "apple", "apple", "bob", "cher"]
    assert corpus.texts[0] == 'I "like" it'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\tapple\n", "line 1: 2 columns; expected id, topic, label and text"),
        (
            "1\tapple\tpositive\tyes\n\n2\tapple\t1\tno\n",
            "line 3: label '1' is unknown; expected n",
        ),
        ("label\ttext\npositive\tyes\n", "line 1: there is no column topic, but label and text"),
        (
            "split\ttopic\tlabel\ttext\ntrial\ta\tpositive\tb\n",
            "line 2: split 'trial' is not train",
        ),
        ("1\tapple\tpositive\tcaf\xe9\n", r"line 1: byte 0xe9 at offset 20 is not utf-8"),
        ("", "is empty"),
    ],
)
def test_what_is_wrong_is_named_with_its_file_and_line(tmp_path, content, message):
    path = tmp_path / "x.tsv"
    path.write_bytes(content.encode("latin-1"))
    with pytest.raises(ValueError, match=rf"x\.tsv,? {message}"):
        read_semeval(path)


def test_a_test_without_labels_says_what_is_missing(folder):
    (folder / "SemEval2016_task4_subtaskB_test_gold.txt").unlink()
    with pytest.raises(
        ValueError, match=r"no test tweets that have text and label .* file of the labels beside"
    ):
        read_semeval(folder)


def test_files_of_labels_alone_are_no_training_data(tmp_path):
    folder = write(
        tmp_path / "bd",
        {
            "twitter-2016train-BD.tsv": "1\ta\tpositive\n",
            "twitter-2016test-BD.tsv": "2\tb\tpositive\tx\n",
        },
    )
    with pytest.raises(ValueError, match=r"there are no training tweets that have text and label"):
        read_semeval(folder)


def test_an_unknown_subtask_is_an_error(folder):
    with pytest.raises(ValueError, match="subtask 'BD' is unknown; choose one of A, B, C, D and E"):
        read_semeval(folder, subtask="BD")
