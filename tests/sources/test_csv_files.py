"""Ordinary CSV files are left to DuckDB, the others are loaded from where the doubt begins; the counts are the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from csv_written import counted, written

from capstats.codes.labels import MISSING
from capstats.codes.progress import Step
from capstats.counting.tabulate import tabulate
from capstats.sources import csv_files
from capstats.sources.csv_files import Ordinary, survey
from capstats.sources.source import Options


def reader_of(path: Path, encoding: str = "utf-8") -> str:
    return survey(str(path), Options(encoding=encoding), Step("")).reader


@pytest.mark.parametrize(
    ("data", "reader"),
    [
        (b"a,b\nx,1\n", "file"),
        (b"a,b\r\nx,1\r\n", "file"),
        (b'"a","b"\n"x","1"\n"x,\n""y""","1"\n', "file"),
        (b"\xef\xbb\xbfa,b\nx,1\n", "file"),
        (b"a,b\nx,1\n\ny,2\n", "file"),
        (b'\xef\xbb\xbf"a",b\nx,1\n', "text"),
        (b'"a\nb",b\r\nx,1\r\n', "text"),
        (b"a,b\nx,1\r\n", "text"),
        (b'a,b\n"x" ,1\n', "text"),
        (b"a,b\nx,1,2\n", "text"),
        (b"a,b\rx,1\r", "records"),
        (",".join(f"x{i}" for i in range(2000)).encode() + b"\n", "records"),
    ],
)
def test_ordinary_files_are_left_to_duckdb(tmp_path: Path, data: bytes, reader: str) -> None:
    assert reader_of(written(tmp_path, data)) == reader


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_a_file_that_is_odd_at_its_end_only_is_read_right(tmp_path: Path, encoding: str) -> None:
    """DuckDB loads what is ordinary; from the first doubt on, records are split here."""
    rows = '"x","1"\n"ä","2"\n' * 150_000
    path = written(tmp_path, ('"a","b"\n' + rows + ' "x", 1\r\nx"y,"1\n1"\r' + rows).encode(encoding))
    expected = {("x", "1"): 300_000, ("ä", "2"): 300_000, (' "x"', " 1"): 1, ('x"y', "1\n1"): 1}
    assert counted(path, ["a", "b"], encoding=encoding) == expected
    with path.open("ab") as file:
        file.write(b'"x","1')
    with pytest.raises(ValueError, match=r"line 600005, field 2: its quote is not closed before the end of the file"):
        counted(path, ["a"], encoding=encoding)


def test_the_records_of_an_odd_file_keep_their_weights_and_rows(tmp_path: Path) -> None:
    path = written(tmp_path, b"a,w\nx,1\r\nx,2\ny,0.5\n")
    assert counted(path, ["a"], "w") == {("x",): 3, ("y",): 0.5}
    with pytest.raises(ValueError, match="row 1"):
        counted(written(tmp_path, b"a,w\nx,1\r\nx,-2\ny,0.5\n"), ["a"], "w")


def test_files_of_all_kinds_are_pooled_by_their_columns(tmp_path: Path) -> None:
    written(tmp_path, b"a,b\nx,1\n", "1.csv")
    written(tmp_path, b"b;a\r\n1;x\r\n\n2;y\n", "2.csv")
    written(tmp_path, b'"a","b"\nx,1\n', "3.csv.bz2")
    written(tmp_path, b"a,b\rx,1", "4[*].csv.gz")
    written(tmp_path, b'c,b,a\n0,1,"x"\n0,1,x\n', "5.csv")
    for pattern in ("*.csv*", "[1-5]*"):  # an ending says the format of each file, whatever the pattern ends with
        assert counted(tmp_path / pattern, ["a", "b"]) == {("x", "1"): 6, ("y", "2"): 1}
        tables = tabulate(tmp_path / pattern, keys="a", target="b", null_values="x")  # which the one in quotes is not
        assert {label: int(tables.o.sel(a=label).sum()) for (label,) in tables.indexes["key"]} == {"x": 1, "y": 1, MISSING: 5}


@pytest.mark.parametrize("header", [b"k,t", b'"k",t', b'k,t,"a\nb"', b'"k",t,"a\r\nb"'])
@pytest.mark.parametrize("form", ["", ".bz2"])
def test_a_mark_at_the_start_of_the_first_record_is_text(tmp_path: Path, header: bytes, form: str) -> None:
    rest = b",z" * (b"b" in header)
    path = written(tmp_path, header + b"\n\xef\xbb\xbfx,1" + rest + b"\nx,1" + rest + b"\n", f"t.csv{form}")
    assert counted(path, ["k"]) == {("\ufeffx",): 1, ("x",): 1}


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("first", ["y", 'y" z'])
def test_a_word_in_quotes_is_no_code_whoever_reads_the_file(tmp_path: Path, encoding: str, end: str, first: str) -> None:
    """DuckDB reads stretches of text, or none where a quote leaves a doubt; and each column has codes of its own."""
    lines = ["a,b", f"x,{first}", '"NA",NA', 'NA,"NA"', '"NA","ü"', '"say ""NA""","NA"', '"-9",-9', ',""']
    path = written(tmp_path, (end.join(lines) + end).encode(encoding))
    tables = tabulate(path, keys="a", target="b", null_values={"a": ["NA", -9]}, encoding=encoding)
    counts = {(a, b): int(n) for (b, a), n in tables.o.to_series().items() if n}
    assert counts == {
        ("x", first): 1, ("NA", "NA"): 1, (MISSING, "NA"): 1, ("NA", "ü"): 1, ('say "NA"', "NA"): 1, (MISSING, "-9"): 1, (MISSING, ""): 1,
    }  # fmt: skip
    both = tabulate(path, keys="a", target="b", null_values={"a": ["NA", '"NA"', -9]}, encoding=encoding)
    assert int(both.o.sel(a=MISSING).sum()) == 5


def test_a_word_in_quotes_is_missing_in_a_column_of_numbers(tmp_path: Path) -> None:
    path = written(tmp_path, b'a,b\n"1","x"\n"NA","x"\n"3","y"\n')
    for options in ({"types": {"a": "number"}}, {"bins": {"a": [2]}}):
        tables = tabulate(path, keys="a", target="b", null_values=["NA"], **options)
        assert int(tables.o.sel(a=MISSING).sum()) == 1


def test_pieces_are_joined_up_to_the_bytes_that_are_loaded_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of six bytes at a time: three pieces of two, then the rest; the piece that is not ordinary comes last, by itself."""
    monkeypatch.setattr(csv_files, "LOADED", 6)
    pieces = [(b"x\n", Ordinary(2, i, broken=False)) for i in range(1, 6)]
    assert list(csv_files._joined([*pieces, (b'"', None)])) == [(b"x\nx\nx\n", 6), (b"x\nx\n", 9), (b'"', None)]
