"""arXiv metadata from lines written by hand after both formats, with their oddities."""

import gzip
from datetime import date

import pytest

from quantext.datasets.arxiv import SPLIT, read_arxiv
from quantext.experiments.counts import describe
from quantext.experiments.splits import by_period
from tests.support.places import REAL_CORPORA

PLAIN = (
    r'{"id": "1801.00001", "date": "2018-01-01", "categories": ["math.CO", "cs.DM"], '
    r'"primary": "math.CO", "title": "Odd $\\alpha$", "abstract": "A \"perfect\" tiling."}'
    "\n"
    r'{"id": "1801.002", "date": "2018-01-09", "categories": ["hep-th"], "primary": "hep-th", '
    r'"title": "Branes", "abstract": "Caf\u00e9 branes."}'
    "\n"
    r'{"id": "1801.00003", "date": "2018-02-01", "categories": ["cs.DM", "cs.LG"], '
    r'"primary": "cs.DM", "title": "Graphs", "abstract": "Trees."}'
    "\n"
)

# As the snapshot has them: categories in one text, a line break and blanks within a title, versions
# with a date in the manner of e-mail, nulls, keys that nobody asked for, and dates of last updates.
SNAPSHOT = (
    r'{"id":"0704.9991","submitter":"A. Person","authors":"A. Person, B. Person",'
    r'"title":"Jets, and how to\n  count them","comments":null,"journal-ref":"J.X 1","doi":null,'
    r'"report-no":null,"categories":"hep-ph","license":null,"abstract":"  We count jets.\n",'
    r'"versions":[{"version":"v1","created":"Mon, 2 Apr 2007 19:18:42 GMT"},'
    r'{"version":"v2","created":"Tue, 24 Jul 2007 20:10:27 GMT"}],"update_date":"2008-11-26",'
    r'"authors_parsed":[["Person","A.",""],["Person","B.",""]]}'
    "\n"
    r'{"id":"hep-th/9909999","submitter":null,"authors":"C. Person","title":"Old style",'
    r'"comments":null,"journal-ref":null,"doi":null,"report-no":null,'
    r'"categories":"math.CO cs.CG","license":null,"abstract":"On pebbles.",'
    r'"versions":[{"version":"v1","created":"Sat, 31 Mar 2007 02:26:18 GMT"}],'
    r'"update_date":"2008-12-13","authors_parsed":[["Person","C.",""]]}'
    "\n"
)


def write(folder, content, name="papers.jsonl"):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("zipped", [False, True])
def test_papers_have_text_categories_and_day(tmp_path, zipped):
    content = gzip.compress(PLAIN.encode()) if zipped else PLAIN
    corpus = read_arxiv(write(tmp_path, content))
    assert corpus.texts.to_list() == [
        'Odd $\\alpha$\nA "perfect" tiling.',
        "Branes\nCafé branes.",
        "Graphs\nTrees.",
    ]
    assert corpus.labels.to_list() == [["math.CO", "cs.DM"], ["hep-th"], ["cs.DM", "cs.LG"]]
    assert corpus.periods.to_list() == [date(2018, 1, 1), date(2018, 1, 9), date(2018, 2, 1)]
    assert corpus.notes == ()


def test_the_snapshot_dates_a_paper_by_its_first_version(tmp_path):
    corpus = read_arxiv(write(tmp_path, SNAPSHOT))
    assert " ".join(corpus.texts[0].split()) == "Jets, and how to count them We count jets."
    assert corpus.labels.to_list() == [["hep-ph"], ["math.CO", "cs.CG"]]
    assert corpus.periods.to_list() == [date(2007, 4, 2), date(2007, 3, 31)]


def test_a_snapshot_without_versions_dates_a_paper_by_its_last_update(tmp_path):
    path = write(
        tmp_path,
        '{"id":"1","title":"a","abstract":"b","categories":"cs.CL","update_date":"2008-11-26"}\n',
    )
    assert read_arxiv(path).periods.to_list() == [date(2008, 11, 26)]


def test_archives_are_a_coarser_labelling(tmp_path):
    corpus = read_arxiv(write(tmp_path, PLAIN), labels="archives")
    assert corpus.labels.to_list() == [["math", "cs"], ["hep-th"], ["cs"]]


def test_a_range_of_dates_ends_before_its_end(tmp_path):
    corpus = read_arxiv(write(tmp_path, PLAIN), since="2018-01-09", before=date(2018, 2, 1))
    assert corpus.periods.to_list() == [date(2018, 1, 9)]
    assert corpus.notes == (
        "1 document before 2018-01-09 was left out",
        "1 document of 2018-02-01 or later was left out",
    )
    assert corpus.dropped == 2


@pytest.mark.parametrize(
    ("line", "note"),
    [
        (PLAIN.splitlines()[0], "1 document with an id that was seen before was left out"),
        (
            '{"id": "2", "title": "a", "categories": ["x"]}',
            "1 document without a date was left out",
        ),
        (
            '{"id": "2", "title": "a", "categories": ["x"], "date": "2018-02-30"}',
            "1 document without a date was left out",
        ),
        (
            '{"id": "2", "title": "a", "categories": [], "date": "2018-02-03"}',
            "1 document without a category was left out",
        ),
        (
            '{"id": "2", "title": "", "abstract": null, "categories": ["x"], "date": "2018-02-03"}',
            "1 document without a text was left out",
        ),
    ],
)
def test_papers_that_are_left_out_are_counted(tmp_path, line, note):
    corpus = read_arxiv(write(tmp_path, PLAIN + line + "\n"))
    assert len(corpus) == 3
    assert corpus.dropped == 1
    assert corpus.notes == (note,)


def test_blocks_of_any_size_give_the_same_corpus(tmp_path):
    path = write(tmp_path, PLAIN)
    whole = read_arxiv(path).checksum()
    for size in (1, 200, 300):
        assert read_arxiv(path, block_bytes=size).checksum() == whole


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (PLAIN.encode()[:-20], "line 3 is not a JSON object: "),
        (gzip.compress(PLAIN.encode(), mtime=0)[:-30], "cannot be read: .*; get a whole copy"),
        (
            PLAIN.replace("\\u00e9", "\xe9").encode("latin-1"),
            "line 2: byte 0xe9 .* is not utf-8; get a",
        ),
        (PLAIN.encode("utf-16"), "line 1: byte 0xff at offset 0 is not utf-8"),
        (b"", "is empty"),
        (b'{"id": "1"}\n', "line 1 has no abstract, categories, title; expected arXiv metadata"),
        (
            b'{"id": "1", "title": "", "abstract": "", "categories": ""}\n',
            "line 1 has no date and no versions; expected arXiv metadata",
        ),
        (
            PLAIN.replace("2018-", "").encode(),
            "no paper of .* can be used: 3 documents without a date were left out",
        ),
    ],
    ids=["cut", "cut gzip", "latin-1", "utf-16", "empty", "keys", "no date", "no dates"],
)
@pytest.mark.parametrize("block", [100, 1 << 25])
def test_a_damaged_file_is_an_error(tmp_path, content, message, block):
    with pytest.raises(ValueError, match=message):
        read_arxiv(write(tmp_path, content), block_bytes=block)


def test_a_wrong_path_says_what_is_missing_and_where_it_is_had_from(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"there is no .*x.jsonl; expected .* had from arXiv"
    ):
        read_arxiv(tmp_path / "x.jsonl")


def test_a_range_that_is_no_date_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="since='2018' is no date; write 1987-03-16"):
        read_arxiv(write(tmp_path, PLAIN), since="2018")


def test_unknown_labels_are_an_error(tmp_path):
    with pytest.raises(
        ValueError, match="labels 'topics' is unknown; choose one of categories, arc"
    ):
        read_arxiv(write(tmp_path, PLAIN), labels="topics")


REAL = REAL_CORPORA / "arxiv_2018_2019.jsonl.gz"


@pytest.mark.skipif(not REAL.exists(), reason="the real corpora are not at hand")
def test_the_real_papers_are_divided_into_weeks():
    corpus = read_arxiv(REAL)
    assert len(corpus) == 126_492
    assert corpus.notes == ()
    counts = describe(corpus, [by_period(corpus, **SPLIT)])
    assert (counts["training documents"], counts["tasks"], counts["bags"]) == (12_500, 155, 52)
