"""Headers: titles are passed over, and rows that name columns never are."""

import pytest

from quantext.texts.headers import find_start, header_at, may_be_title

NORMAL = {
    "full": ["a,b,c", "1,2,3", "4,5,6"],
    "numbers as names": ["2023,2024,2025", "1,2,3"],
    "an index without a name": [",a", "0,x", "1,y"],
    "one name above numbers, which are no names": ["a,,", "1,x,y", "2,x,z"],
    "one name of two": ["a,", "x,y", "z,w"],
    "trailing columns without names": ["a,,", "x,,", "y,z,", "w,,"],
    "a column with notes beside it": ["a,,", "x,,", "y,z,v", "w,,", "u,t,", "s,,"],
    "notes beside it from the first row on": ["a,,", "x,y,", "z,,", "w,,v", "u,,"],
    "texts that are often blank": ["text,label,note", "x,,", "y,,", ",,z"],
    "one column": ["a", "x", "y"],
    "a blank row below the header": ["a,b,c", ",,", "1,2,3", "4,5,6"],
    "half of the names": ["a,b,,", "1,2,3,4", "5,6,7,8"],
    "missing name at the end": ["a,b,c", "w,x,y,z", "k,l,m,n"],
    "header alone": ["a,b,c"],
    "two rows alone": ["a,b", "x,y"],
}  # fmt: skip

TITLED = {
    "short line": (["Survey", "a,b", "x,y", "z,w"], 1),
    "several": (["Survey", "of 2024", "a,b,c", "x,y,z"], 2),
    "padded": (["Survey,,", "a,b,c", "x,y,z", "k,l,m"], 1),
    "two columns, blank row": (["Survey,", ",", "a,b", "x,y"], 2),
    "pairs before a blank row": (["By:,me,,", "On:,Monday,,", ",,,", "a,b,c,d", "w,x,y,z"], 3),
    "blank rows": ([",,", ",,", "a,b,c", "x,y,z"], 2),
    "rows of one cell": (["Survey,,", "a,b,c", "x,y,", "k,,", "l,,", "m,,", "n,,z"], 1),
    "rows of one cell, two titles": (
        ["Survey,,", "2024,,", ",,", "a,b,c", "x,y,", "k,,", "l,,", "m,,"], 3,
    ),
    "an index without a name": (["Survey,,", ",,", ",a,b", "0,x,y", "1,z,w"], 2),
    # What it says is not judged: these may be headers, and a note says that they are passed over.
    "one name of three": (["answer,,", "slow,x,y", "fast,z,q"], 1),
    "the last name of three": ([",,answer", "a,b,slow", "c,d,fast", "e,f,ok"], 1),
    "not every cell is filled": (["Survey,,", "a,b,c", "x,,z", "k,l,"], 1),
}  # fmt: skip

DOUBTFUL = {
    "years as names": ["Survey,,", "a,2023,2024", "x,1,2"],
    "names that repeat": ["Survey,,", "a,b,b", "x,1,2"],
    "one name above numbers": NORMAL["one name above numbers, which are no names"],
}  # fmt: skip

SURE = {
    "full": NORMAL["full"],
    "an index": NORMAL["an index without a name"],
    "one column, and separators": ["a,,", "x,,", "y,,"],
    "a title that is passed over": ["Survey,,", "a,b,c", "x,y,z"],
    "a short line, at which reading fails": ["Survey", "a,2024", "x,1"],
    "nothing": [""],
}  # fmt: skip


def cells(lines):
    return [line.split(",") for line in lines]


@pytest.mark.parametrize("name", NORMAL)
def test_a_first_row_that_names_columns_is_the_header(name):
    assert header_at(cells(NORMAL[name])) == 0


@pytest.mark.parametrize("name", TITLED)
def test_the_header_is_below_titles(name):
    lines, at = TITLED[name]
    assert header_at(cells(lines)) == at


def test_a_header_that_may_be_a_title_is_doubtful_and_others_are_not():
    assert [name for name in DOUBTFUL if not may_be_title(cells(DOUBTFUL[name]))] == []
    assert [name for name in SURE if may_be_title(cells(SURE[name]))] == []
    assert [name for name in DOUBTFUL if header_at(cells(DOUBTFUL[name]))] == []


@pytest.mark.parametrize(
    ("head", "separator"),
    [
        (b"answer\ntoo slow; dear\nfine; ok\n", b","),
        (b"a;b,c;d\n1;2,5;3\n", b";"),
        (b"a,b|c\n1|2\n3|4\n", b"|"),
        (b"no, title here\n\na\tb\n1\t2\n3\t4\n5\t6\n7\t8\n", b"\t"),
        (b'"a;b";"c"\n"1";"2"\n', b";"),
        (b"a,b,c\n1,2,3,4\n1,2,3,4\n", b","),
        (b"text,label\n" + 9 * b"Li; ok,a\n" + b"a, b; c,a\n", b","),
        (b"text,label\n" + b"a, b; c,a\n" + 9 * b"Li; ok,a\n", b","),
        (b"price, EUR;topic\n" + 9 * b"3,5;a\n" + b"1,000,5;b\n", b";"),
        (b"May, 2024\nprice;topic\n" + 9 * b"3,5;a\n", b";"),
        (b'5" and 7" pipes;topic, main; all\n5" pipe;a, b;c\nd;e, f;g\n', b";"),
    ],
)
def test_what_divides_most_rows_alike_divides_them(head, separator):
    assert find_start(head, None, None, True).separator == separator
