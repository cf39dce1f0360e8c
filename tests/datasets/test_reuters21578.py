"""Reuters-21578 from files written by hand after the collection's README, with its oddities."""

import io
import tarfile
from datetime import date

import pytest

from quantext.datasets.reuters21578 import PUBLISHED, SPLIT, read_reuters21578
from quantext.experiments.counts import describe
from quantext.experiments.splits import by_period
from tests.support.places import REAL_CORPORA

HEAD = '<!DOCTYPE lewis SYSTEM "lewis.dtd">\n'

# A day of one digit has a blank before it; a sixth attribute may come first; a company's name has
# an opening angle bracket; control characters are written as entities; a bracket is in no tag.
NORMAL = """<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="TRAINING-SET" OLDID="5544" NEWID="1">
<DATE> 2-MAR-1987 15:01:01.79</DATE>
<TOPICS><D>cocoa</D><D>money-fx</D></TOPICS>
<PLACES><D>usa</D></PLACES>
<PEOPLE></PEOPLE>
<ORGS></ORGS>
<EXCHANGES></EXCHANGES>
<COMPANIES></COMPANIES>
<UNKNOWN>
&#5;&#5;&#5;C T
&#22;&#22;&#1;f0704&#31;reute
u f BC-COCOA   02-26 0105</UNKNOWN>
<TEXT>&#2;
<TITLE>COCOA &lt;CCA> AT&amp;T REVIEW</TITLE>
<AUTHOR>    By A Reporter, Reuters</AUTHOR>
<DATELINE>    SALVADOR, March 2 - </DATELINE><BODY>Showers continued
in M\xfcnchen.
 Reuter
&#3;</BODY></TEXT>
</REUTERS>
"""
BRIEF = """<REUTERS CSECS="1" TOPICS="YES" LEWISSPLIT="TEST" CGISPLIT="X" OLDID="2" NEWID="2">
<DATE>26-FEB-1987 15:02:20.00&#9;&#9;&#9;RM</DATE>
<TOPICS></TOPICS>
<PLACES></PLACES>
<PEOPLE></PEOPLE>
<ORGS></ORGS>
<EXCHANGES></EXCHANGES>
<COMPANIES></COMPANIES>
<TEXT TYPE="BRIEF">&#2;
******<TITLE>BLAH SAYS YES
</TITLE>Blah blah blah.
&#3;

</TEXT>
</REUTERS>
"""
UNPROCESSED = """<REUTERS TOPICS="YES" LEWISSPLIT="TRAIN" CGISPLIT="X" OLDID="3" NEWID="3">
<DATE>31-MAR-1987 605:12:19.12</DATE>
<MKNOTE>topics corrected by hand</MKNOTE>
<TOPICS><D>trade</D><D>trade</D></TOPICS>
<PLACES></PLACES>
<PEOPLE></PEOPLE>
<ORGS></ORGS>
<EXCHANGES></EXCHANGES>
<COMPANIES></COMPANIES>
<TEXT TYPE="UNPROC">&#2;
TABLE OF   TRADE
Jan 5 Feb 6
&#3;

</TEXT>
</REUTERS>
"""
TOPICS = "cocoa            \nmoney-fx\ntrade\n"


def write(folder, *stories, name="reut2-000.sgm", topics=TOPICS):
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes((HEAD + "".join(stories)).encode("latin-1"))
    if topics is not None:
        (folder / "all-topics-strings.lc.txt").write_text(topics)
    return folder


def test_stories_have_text_topics_and_day(tmp_path):
    corpus = read_reuters21578(write(tmp_path / "r", NORMAL, BRIEF, UNPROCESSED))
    first, second, third = corpus.texts
    assert first.split() == [
        *("COCOA", "<CCA>", "AT&T", "REVIEW"),
        *("Showers", "continued", "in", "München.", "Reuter"),
    ]
    assert second.split() == ["BLAH", "SAYS", "YES"]
    assert third.split() == ["TABLE", "OF", "TRADE", "Jan", "5", "Feb", "6"]
    assert corpus.labels.to_list() == [["cocoa", "money-fx"], [], ["trade"]]
    assert corpus.periods.to_list() == [date(1987, 3, 2), date(1987, 2, 26), date(1987, 3, 31)]
    assert corpus.dropped == 0


def test_missing_files_are_named(tmp_path):
    corpus = read_reuters21578(write(tmp_path / "r", NORMAL))
    [note] = corpus.notes
    assert note.startswith("of the 22 files, reut2-001.sgm, reut2-002.sgm, ")
    assert note.endswith(", reut2-021.sgm are not there")


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_a_tar_archive_is_read_without_extracting_it(tmp_path, mode):
    files = {"reut2-001.sgm": BRIEF, "reut2-000.sgm": NORMAL, "README.txt": "no stories"}
    path = tmp_path / "reuters.tar"
    with tarfile.open(path, mode) as archive:
        for name, content in files.items():
            data = content.encode("latin-1")
            member = tarfile.TarInfo(f"../reuters21578/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    corpus = read_reuters21578(path)
    assert corpus.labels.to_list() == [["cocoa", "money-fx"], []]
    assert [entry.name for entry in tmp_path.iterdir()] == ["reuters.tar"]
    path.write_bytes(path.read_bytes()[: 400 if ":" in mode else 700])
    with pytest.raises(ValueError, match=r"reuters.tar cannot be read: .*; get a whole copy"):
        read_reuters21578(path)


@pytest.mark.parametrize(
    ("story", "note"),
    [
        (
            NORMAL.replace('TOPICS="YES"', 'TOPICS="NO"').replace('NEWID="1"', 'NEWID="9"'),
            '1 document without TOPICS="YES", which no indexer looked at, was left out',
        ),
        (
            BRIEF.replace('TOPICS="YES"', 'TOPICS="BYPASS"'),
            '1 document without TOPICS="YES", which no indexer looked at, was left out',
        ),
        (NORMAL, "1 document with an id that was seen before was left out"),
        (BRIEF.replace("26-FEB-1987", "sometime"), "1 document without a date was left out"),
        (BRIEF.replace("26-FEB-1987", "26-FEV-1987"), "1 document without a date was left out"),
        (BRIEF.replace("26-FEB-1987", "30-FEB-1987"), "1 document without a date was left out"),
    ],
    ids=["no", "bypass", "twice", "date", "month", "day"],
)
def test_stories_that_are_left_out_are_counted(tmp_path, story, note):
    corpus = read_reuters21578(write(tmp_path / "r", NORMAL, story, UNPROCESSED))
    assert len(corpus) == 2
    assert corpus.dropped == 1
    assert note in corpus.notes


def test_a_topic_that_the_list_does_not_have_is_ignored_and_counted(tmp_path):
    story = NORMAL.replace("<D>cocoa", "<D>coca")
    corpus = read_reuters21578(write(tmp_path / "r", story, UNPROCESSED))
    assert corpus.labels.to_list() == [["money-fx"], ["trade"]]
    assert corpus.notes[-1] == (
        "topics that are not in all-topics-strings.lc.txt were ignored: 'coca' (1×)"
    )
    anything = read_reuters21578(write(tmp_path / "s", story, topics=None))
    assert anything.classes == ("coca", "money-fx")


@pytest.mark.parametrize("cut", [-1, -5, -40, -len(BRIEF) + 4, -len(BRIEF) + 60])
def test_a_file_that_is_cut_off_is_an_error(tmp_path, cut):
    content = (HEAD + NORMAL + BRIEF).rstrip()[:cut]
    (tmp_path / "reut2-000.sgm").write_text(content, encoding="latin-1")
    with pytest.raises(
        ValueError, match=r"reut2-000.sgm is cut off or damaged: at most [12] stories"
    ):
        read_reuters21578(tmp_path)


@pytest.mark.parametrize("content", [b"", HEAD.encode(), (HEAD + NORMAL).encode("utf-16")])
def test_a_file_without_stories_in_its_encoding_is_an_error(tmp_path, content):
    (tmp_path / "reut2-000.sgm").write_bytes(content)
    with pytest.raises(ValueError, match="has no <REUTERS> element in latin-1; get a whole copy"):
        read_reuters21578(tmp_path)


def test_stories_without_any_date_are_an_error(tmp_path):
    with pytest.raises(ValueError, match='has no document with TOPICS="YES" and a date'):
        read_reuters21578(write(tmp_path / "r", BRIEF.replace("26-FEB-1987", "")))


def test_a_wrong_path_says_what_is_missing_and_where_it_is_had_from(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"has no files reut2-000.sgm to .* had from the UCI"
    ):
        read_reuters21578(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"there is no .*nowhere; expected files reut2-000"):
        read_reuters21578(tmp_path / "nowhere")


REAL = REAL_CORPORA / "reuters21578.tar.xz"


@pytest.mark.skipif(not REAL.exists(), reason="the real corpora are not at hand")
def test_the_real_collection_has_its_published_counts():
    corpus = read_reuters21578(REAL)
    assert {name: describe(corpus)[name] for name in PUBLISHED} == PUBLISHED
    split = by_period(corpus, **SPLIT)
    counts = describe(corpus, [split])
    assert counts["training documents"] == 3_597
    assert counts["tasks"] == 95
    assert counts["bags"] == 28
    assert split.notes[0].startswith("16 of 44 test periods, with fewer than 100 documents")
    assert len(corpus.notes) == 1  # the stories without TOPICS="YES"
