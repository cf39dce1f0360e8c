"""Tests of Parquet files: the same values as the engine's, in pieces of a few megabytes."""

import datetime
import gzip
import warnings
from decimal import Decimal

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal

from quantext.texts import pages, parquet
from quantext.texts.encoding import DAMAGE
from quantext.texts.formats import USUAL, Opening, blocks
from tests.support.peaks import measured
from tests.support.workbooks import zipped

N = 600
DAY = datetime.datetime(2024, 1, 1)
HOURS = pl.Series([DAY + datetime.timedelta(hours=i) for i in range(N)])
TABLE = pl.DataFrame(
    {
        "text": [None if i % 7 == 0 else f"t{i}" * (i % 50) for i in range(N)],
        "": [f"c{i % 5}" for i in range(N)],
        "category": pl.Series([f"c{i % 5}" for i in range(N)], dtype=pl.Categorical),
        "enum": pl.Series([f"c{i % 2}" for i in range(N)], dtype=pl.Enum(["c0", "c1"])),
        "boolean": [i % 3 == 0 for i in range(N)],
        "small": pl.Series([i % 100 for i in range(N)], dtype=pl.Int8),
        "unsigned": pl.Series(range(N), dtype=pl.UInt64),
        "fraction": [i / 3 if i % 11 else None for i in range(N)],
        "single": pl.Series([i / 3 for i in range(N)], dtype=pl.Float32),
        "date": HOURS.dt.date(),
        "time": HOURS.dt.time(),
        "hours": HOURS,
        "there": HOURS.dt.replace_time_zone("UTC").dt.convert_time_zone("Europe/Berlin"),
        "fine": HOURS.cast(pl.Datetime("ns")),
        "length": pl.Series([datetime.timedelta(minutes=i) for i in range(N)]),
        "decimal": pl.Series([Decimal(i) / 100 for i in range(N)], dtype=pl.Decimal(20, 2)),
        "bytes": [f"t{i}".encode() for i in range(N)],
        "nothing": pl.Series([None] * N, dtype=pl.Null),
        "labels": [[f"a{i % 5}", "b"] if i % 4 else [] for i in range(N)],
        "lists": [None if i % 9 == 0 else [[i], [i, 2]] for i in range(N)],
        "struct": [{"a": i, "b": {"c": str(i)}} for i in range(N)],
        "array": pl.Series([[i, i + 0.5] for i in range(N)], dtype=pl.Array(pl.Float64, 2)),
    }
)

# But for names that are numbers in the file: how long they are is known of texts only.
NAMES = pl.col("category", "enum").cast(pl.String)
AS_READ = TABLE.with_columns(NAMES)


def read(path, names=None, opening=USUAL):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(blocks(path, opening, names))


@pytest.mark.parametrize("compression", ["zstd", "snappy", "gzip", "uncompressed"])
def test_every_type_is_read_as_the_engine_reads_it(tmp_path, compression):
    path = tmp_path / "a.parquet"
    TABLE.write_parquet(path, compression=compression, row_group_size=250, data_page_size=500)
    assert_frame_equal(pl.concat(read(path)), AS_READ)


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_files_of_other_programs_are_read_as_the_engine_reads_them(tmp_path, version, dictionary):
    path = tmp_path / "a.parquet"
    pq.write_table(
        TABLE.to_arrow(),
        path,
        data_page_version=version,
        use_dictionary=dictionary,
        row_group_size=250,
        data_page_size=200,
        write_batch_size=32,
        write_page_index=dictionary,
        write_page_checksum=dictionary,
        store_schema=dictionary,
    )
    assert_frame_equal(pl.concat(read(path)), pl.read_parquet(path).with_columns(NAMES))


def test_columns_come_in_the_order_that_is_asked_for(tmp_path):
    path = tmp_path / "a.parquet"
    TABLE.write_parquet(path, data_page_size=500)
    names = ["labels", "text", "date"]
    assert_frame_equal(pl.concat(read(path, names)), TABLE.select(names))


def test_rows_of_a_page_come_some_at_a_time(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    TABLE.write_parquet(path)
    monkeypatch.setattr(pages, "ROWS", 70)
    monkeypatch.setattr(pages, "LISTS", 5_000)
    monkeypatch.setattr(parquet, "ROWS", 50)
    found = read(path)
    assert max(map(len, found)) == 50
    assert_frame_equal(pl.concat(found), AS_READ)


def same(path, text, n, **options):
    """A file in which a text is once, and met n times."""
    texts = pa.DictionaryArray.from_arrays(np.zeros(n, np.int32), [text])
    labels = pa.array(["yes", "no"] * (n // 2))
    table = pa.table({"text": texts, "label": labels})
    pq.write_table(table, path, compression="zstd", store_schema=False, **options)
    return path


def test_tables_are_of_few_bytes_however_long_the_texts(tmp_path):
    path = same(tmp_path / "a.parquet", "slow " * 100_000, 100)
    found = read(path)
    assert [len(table) for table in found] == [8] * 12 + [4]  # 8 * 500 kB are just below 4 MB


def test_a_small_file_of_very_many_texts_is_refused(tmp_path):
    path = same(tmp_path / "a.parquet", "a" * 2**20, 1_000)
    with pytest.raises(ValueError, match=r"a\.parquet holds the same texts so often .* 256 MB"):
        read(path)


def test_rows_of_nothing_count_as_well(tmp_path, monkeypatch):
    path = same(tmp_path / "a.parquet", "", 100_000)
    assert sum(map(len, read(path))) == 100_000
    monkeypatch.setattr(parquet, "UNPACKED", 2**20)
    monkeypatch.setattr(parquet, "REPEATED", 1)
    with pytest.raises(ValueError, match="holds the same texts so often"):
        read(path)


def test_a_cell_that_is_too_long_is_named(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"t": ["a", "b" * 3 * 2**20]}).write_parquet(path)
    monkeypatch.setattr(parquet, "LONGEST", 2**20)
    with pytest.raises(ValueError, match=r"row 2, column 't' holds 3 MB, .* more than 1 MB"):
        read(path)


def test_a_page_is_not_unpacked_if_it_says_that_it_is_too_large(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"t": ["a" * 2**21]}).write_parquet(path)
    monkeypatch.setattr(pages, "PAGE", 2**20)
    monkeypatch.setattr(pages, "_values", None)
    with pytest.raises(ValueError, match="column 't': a page would unpack to 2 MB"):
        read(path)


def test_lists_that_unpack_to_too_much_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    n = 1_000
    items = pa.array(np.zeros(1000 * n, np.int8))
    lists = pa.ListArray.from_arrays(np.arange(0, 1000 * n + 1, 1000, dtype=np.int32), items)
    pq.write_table(pa.table({"text": ["a"] * n, "label": lists}), path, compression="zstd")
    monkeypatch.setattr("quantext.texts.unpacking.UNPACKED", 2**20)
    with pytest.raises(ValueError, match=r"column 'label': .* bytes would unpack to 15 MB"):
        read(path)
    assert sum(map(len, read(path, ["text"]))) == n


@pytest.mark.parametrize("pack", ["gzip", "zip", "zip in a zip"])
def test_a_packed_file_is_unpacked_to_the_disk_up_to_a_limit(tmp_path, monkeypatch, pack):
    def packed(data):
        if pack == "gzip":
            return gzip.compress(data)
        inner = zipped({"a.parquet": data})
        return inner if pack == "zip" else zipped({"a.zip": inner})

    plain = tmp_path / "plain.parquet"
    TABLE.write_parquet(plain)
    path = tmp_path / "a.parquet.gz"
    path.write_bytes(packed(plain.read_bytes()))
    assert_frame_equal(pl.concat(read(path)), AS_READ)
    monkeypatch.setattr("quantext.texts.unpacking.UNPACKED", 2**20)
    path.write_bytes(packed(b"PAR1" + bytes(2**22)))
    with pytest.raises(ValueError, match="unpacks to more than 1 MB and 64 times its size"):
        read(path)


def test_zip_files_in_each_other_come_to_an_end(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(zipped({"a.zip": zipped({"a.zip": zipped({"a.csv": b"t\nx\n"})})}))
    with pytest.raises(ValueError, match="a zip file in a zip file in a zip file; unzip it first"):
        read(path)


def test_a_changed_byte_is_an_error_of_ours_or_other_values(tmp_path):
    path = tmp_path / "a.parquet"
    TABLE.select("text", "labels", "date", "small").write_parquet(path, data_page_size=500)
    data = path.read_bytes()
    rng = np.random.default_rng(0)
    ends = []
    for _ in range(60):
        changed = bytearray(data)
        # Half of them in the last bytes, which describe all others.
        place = rng.integers(4, len(data)) if rng.random() < 0.5 else rng.integers(1, 1500)
        changed[-place] = rng.integers(256)
        path.write_bytes(changed)
        try:
            ends.append(len(read(path, opening=Opening("parquet"))))
        except (ValueError, *DAMAGE) as error:
            ends.append(type(error))
    assert ValueError in ends


@pytest.mark.parametrize("cut", [4, 11, 12, 400])
def test_a_file_that_is_cut_off_is_damaged(tmp_path, cut):
    path = tmp_path / "a.parquet"
    TABLE.write_parquet(path)
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ValueError, match="cannot be read: it does not end as a Parquet file does"):
        read(path)


READ = 'read_corpus(sys.argv[1], text="text", label="label")'
STREAM = "for _ in blocks(Path(sys.argv[1]), USUAL, None): pass"
IMPORTS = "from pathlib import Path; from quantext.texts.formats import USUAL, blocks"


@pytest.mark.parametrize("listed", [False, True])
def test_names_by_numbers_are_weighed_as_the_texts_that_they_stand_for(tmp_path, listed):
    path, n = tmp_path / "a.parquet", 300
    numbers = pa.array([0] * n, pa.int32())
    names = pa.DictionaryArray.from_arrays(numbers, pa.array(["a " * 2**19]))
    column = pa.ListArray.from_arrays(pa.array(range(n + 1), pa.int32()), names)
    pq.write_table(pa.table({"text": column if listed else names}), path, compression="zstd")
    assert path.stat().st_size < 2_000
    with pytest.raises(ValueError, match="holds the same texts so often"):
        read(path)


@pytest.mark.slow
def test_a_bomb_of_one_long_text_takes_little_memory(tmp_path):
    path = same(tmp_path / "a.parquet", "a" * 2**20, 16_000, dictionary_pagesize_limit=2**30)
    assert path.stat().st_size < 1_000
    said, megabytes, _ = measured(READ, path)
    assert "holds the same texts so often" in said
    assert megabytes < 500


@pytest.mark.slow
def test_long_texts_in_one_row_group_are_streamed(tmp_path):
    path = tmp_path / "a.parquet"
    rng = np.random.default_rng(0)
    letters = rng.integers(97, 123, 400_000, dtype=np.uint8).tobytes().decode()
    texts = [letters[i : i + 100_000] for i in rng.integers(0, 300_000, 4_000)]
    pq.write_table(pa.table({"text": texts}), path, use_dictionary=False, write_batch_size=16)
    assert pq.ParquetFile(path).num_row_groups == 1
    said, megabytes, _ = measured(STREAM, path, imports=IMPORTS)
    assert not said
    assert megabytes < 150  # of 400
