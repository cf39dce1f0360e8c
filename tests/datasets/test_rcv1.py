"""RCV1-v2 from XML files written by hand after the distribution, with its oddities."""

import zipfile
from datetime import date

import pytest

from quantext.datasets.rcv1 import PUBLISHED, SPLIT, TOPICS, read_rcv1, with_ancestors
from quantext.experiments.counts import describe
from quantext.experiments.splits import by_period


def codes(kind, names):
    """Codes as the files have them, each with its history."""
    inside = "".join(
        f'  <code code="{name}">\n'
        '    <editdetail attribution="Reuters BIP Coding Group" action="confirmed" '
        'date="1996-08-20"/>\n'
        "  </code>\n"
        for name in names
    )
    return f'<codes class="bip:{kind}:1.0">\n{inside}</codes>\n' if names else ""


def story(
    number, day="1996-08-20", topics=("E11", "ECAT"), regions=("MEX",), title="MEXICO: Up again."
):
    # Industry codes look like topics and are none; the text has entities and a letter of latin-1.
    return (
        '<?xml version="1.0" encoding="iso-8859-1" ?>\n'
        f'<newsitem itemid="{number}" id="root" date="{day}" xml:lang="en">\n'
        f"<title>{title}</title>\n"
        "<headline>Up again.</headline>\n"
        "<byline>A. Reporter</byline>\n"
        "<dateline>MEXICO CITY 1996-08-20</dateline>\n"
        "<text>\n<p>Peso &amp; stocks rose &quot;sharply&quot;.</p>\n"
        "<p>In Canc\xfan too.</p>\n</text>\n"
        "<copyright>(c) Reuters Limited 1996</copyright>\n"
        "<metadata>\n"
        f"{codes('countries', regions)}{codes('industries', ['I81501'])}{codes('topics', topics)}"
        '<dc element="dc.publisher" value="Reuters Holdings Plc"/>\n'
        '<dc element="dc.date.published" value="1996-08-20"/>\n'
        "</metadata>\n</newsitem>\n"
    ).encode("latin-1")


def write_zip(path, stories):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in stories.items():
            archive.writestr(name, data)


@pytest.fixture
def days(tmp_path):
    """A folder with two days."""
    write_zip(
        tmp_path / "19960827.zip",
        {"9000newsML.xml": story(9000, "1996-08-27", ["C1511"], title="UK: Results.")},
    )
    write_zip(
        tmp_path / "19960820.zip",
        {"2287newsML.xml": story(2287, topics=["GSPO", "GCAT"]), "2286newsML.xml": story(2286)},
    )
    return tmp_path


def test_stories_have_text_topics_with_ancestors_and_day(days):
    corpus = read_rcv1(days)
    assert corpus.texts[0] == 'MEXICO: Up again.\nPeso & stocks rose "sharply".\nIn Cancún too.'
    assert [sorted(topics) for topics in corpus.labels] == [
        ["E11", "ECAT"],
        ["GCAT", "GSPO"],
        ["C15", "C151", "C1511", "CCAT"],
    ]
    assert corpus.periods.to_list() == [date(1996, 8, 20), date(1996, 8, 20), date(1996, 8, 27)]
    assert corpus.notes == ()


def test_folders_of_xml_files_and_one_zip_file_are_read_too(days, tmp_path):
    expected = read_rcv1(days)
    assert read_rcv1(days / "19960827.zip").texts.to_list() == expected.texts.to_list()[2:]
    for path in sorted(tmp_path.glob("*.zip")):
        (tmp_path / "unpacked" / path.stem).mkdir(parents=True)
        with zipfile.ZipFile(path) as archive:
            for name in archive.namelist():
                target = tmp_path / "unpacked" / path.stem / name.upper()
                target.write_bytes(archive.read(name))
    assert read_rcv1(tmp_path / "unpacked").checksum() == expected.checksum()


def test_the_first_week_trains(days):
    corpus = read_rcv1(days)
    split = by_period(corpus, **SPLIT)
    assert split.train.tolist() == [0, 1]
    assert [bag.name for bag in split.bags] == ["1996-08-27"]
    assert set(describe(corpus, [split])).union({"features"}) == set(PUBLISHED)


def test_every_topic_but_the_roots_lies_under_another():
    assert len(TOPICS) == 103
    roots = {topic for topic in TOPICS if with_ancestors([topic]) == [topic]}
    assert roots == {"CCAT", "ECAT", "GCAT", "MCAT"}
    assert all(with_ancestors([topic])[-1] in roots for topic in TOPICS)
    assert with_ancestors(["M143", "M14"]) == ["M143", "M14", "MCAT"]


@pytest.mark.parametrize(
    ("extra", "note"),
    [
        (story(1, topics=[]), "1 document without a topic code was left out"),
        (story(1, regions=[]), "1 document without a region code was left out"),
        (story(2286), "1 document with an id that was seen before was left out"),
        (story(1, day=""), "1 document without a date was left out"),
        (story(1, day="1996-02-31"), "1 document without a date was left out"),
    ],
    ids=["topic", "region", "twice", "date", "day"],
)
def test_stories_that_are_left_out_are_counted(days, extra, note):
    write_zip(days / "19960828.zip", {"1newsML.xml": extra})
    corpus = read_rcv1(days)
    assert len(corpus) == 3
    assert corpus.dropped == 1
    assert corpus.notes == (note,)


def test_files_without_any_region_keep_all_stories(tmp_path):
    write_zip(tmp_path / "a.zip", {"1.xml": story(1, regions=[]), "2.xml": story(2, regions=[])})
    assert len(read_rcv1(tmp_path)) == 2


def test_codes_that_are_no_topics_are_ignored_and_counted(days):
    write_zip(days / "19960828.zip", {"1newsML.xml": story(1, topics=["GMIL", "1POL"])})
    corpus = read_rcv1(days)
    assert corpus.labels[3].to_list() == ["GMIL", "GCAT"]
    assert corpus.notes == ("topics that are not in RCV1-v2 were ignored: '1POL' (1×)",)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (story(1)[:-30], r"1newsML.xml is not whole XML in its encoding: .*; get a whole copy"),
        (story(1).replace(b"iso-8859-1", b"utf-8"), "is not whole XML in its encoding: "),
        (b"<html><title>login</title></html>", "has no <newsitem> with an itemid"),
    ],
    ids=["cut", "encoding", "another"],
)
def test_a_damaged_story_is_named(days, data, message):
    write_zip(days / "19960828.zip", {"1newsML.xml": data})
    with pytest.raises(ValueError, match=message):
        read_rcv1(days)


def test_a_damaged_zip_file_is_named(days):
    path = days / "19960820.zip"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ValueError, match=r"19960820.zip cannot be read: .*; get a whole copy"):
        read_rcv1(days)


def test_files_without_any_usable_story_are_an_error(tmp_path):
    write_zip(tmp_path / "a.zip", {"1.xml": story(1, day="")})
    with pytest.raises(ValueError, match=r"no story of .* can be used: 1 document without a date"):
        read_rcv1(tmp_path)


def test_a_wrong_path_says_what_is_missing_and_where_it_is_had_from(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(
            FileNotFoundError, match=r"zip or XML files of stories\. It is had from"
        ):
            read_rcv1(path)
