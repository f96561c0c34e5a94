"""A CSV file is read byte for byte by the rules of `csv_records`: Python's csv module is the oracle, on files nobody would write."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from csv_written import FORMS, counted, written
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from strategies import examples

from capstats.codes.labels import MISSING
from capstats.codes.progress import Step
from capstats.sources.csv_files import survey
from capstats.sources.csv_survey import look


def reader_of(path: Path, encoding: str = "utf-8") -> str:
    return survey(str(path), encoding, Step("")).reader


# --- the oracle -------------------------------------------------------------------------------------------------------


def by_the_rules(data: bytes) -> list[list[str]]:
    """The records as Python's csv module reads them; what the rules refuse raises ValueError."""
    if b"\0" in data:
        raise ValueError
    text = data.decode("utf-8").removeprefix("\ufeff")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise ValueError from error
    if not rows or not any(rows[0]):
        raise ValueError
    names, *others = rows
    found = [row for row in others if row]
    if any(len(row) != len(names) for row in found):
        raise ValueError
    return [names, *found]


def by_hand(data: bytes) -> list[list[str | None]]:
    """The records of legal text, sign by sign; an empty field is None where it has no quotes, which the csv module does not tell."""
    text = data.decode("utf-8").removeprefix("\ufeff") + "\n"
    rows: list[list[str | None]] = [[]]
    field, quoted, inside, i = "", False, False, 0
    while i < len(text):
        sign, i = text[i], i + 1
        if inside:
            if sign != '"':
                field += sign
            elif text[i : i + 1] == '"':
                field, i = field + '"', i + 1
            else:
                inside = False
        elif sign == '"' and not field and not quoted:
            quoted = inside = True
        elif sign in ",\n\r":
            empty_line = sign != "," and not rows[-1] and not field and not quoted
            if not empty_line:
                rows[-1].append(field if field or quoted else None)
                if sign != ",":
                    rows.append([])
            field, quoted = "", False
        else:
            field += sign
    return rows[1:-1]


SIGNS = st.sampled_from(["a", "b", "1", " ", '"', '""', ",", "\n", "\r", "\r\n", "ä", "\u2028", "#", "'", "\\", "\t", ";", ".5"])
CELLS = st.one_of(
    st.sampled_from(["", '""', "x", " x ", '"x"', '"a,b"', '"a\nb"', '"a""b"', '"a\r\nb"', '"\r"', 'a"b', ' "x"', '"x" ', "NA", "é" * 40]),
    st.lists(SIGNS, max_size=5).map("".join),
)


@st.composite
def files(draw: Any) -> bytes:
    """A header of one to three columns and rows that mostly fit it, with line ends that mostly are of one kind."""
    width = draw(st.integers(1, 3))
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ["\r"], ["\n", "\r\n"], ["\n", "\r", "\r\n", "\n\n", "\r\n\r\n"]]))
    names = draw(
        st.sampled_from([["a", "b", "c"], ['"a"', "b", "c"], ['"a\nx"', "b", "c"], ['"a\r\nx"', '"b"', "c"], ["a", '"b""c"', "d"]])
    )
    lines = [names[:width]]
    for _ in range(draw(st.integers(0, 6))):
        lines.append(draw(st.lists(CELLS, min_size=width, max_size=width)))
        if draw(st.integers(0, 19)) == 0:
            lines[-1].append(draw(CELLS))
        if draw(st.integers(0, 19)) == 0:
            lines[-1].pop()
    text = draw(st.sampled_from(["", "", "\ufeff"])) + "".join(",".join(line) + draw(st.sampled_from(ends)) for line in lines)
    data = (text if draw(st.booleans()) else text.rstrip("\r\n")).encode()
    if draw(st.integers(0, 29)) == 0:
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.sampled_from([b"\0", b"\xff", b"\xe9", b'"'])) + data[at:]
    return data


@examples(100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(files(), st.sampled_from(["", "", "", *FORMS]))
@example('\ufeff"a\nx","b"\n1,2\n'.encode(), "")  # the header was a record
@example(b'"a\r\nx",b\r\n1,2\r\n', "")  # the header was empty
@example(b"a,b\n1,2,\n", "")  # an empty additional field was accepted
@example(b"a,b\r\n 1,2\n 1,2\r\n", "")  # a space was lost after mixed line ends
@example(b'a,b\n"1" ,2\n', "")  # spaces around quotes were lost
@example(b'a,b\n "1",2\n', "")
@example(b"a\n1\n\n2\n", "")
def test_random_files_are_read_as_pythons_csv_module_reads_them(tmp_path: Path, data: bytes, form: str) -> None:
    path = written(tmp_path, data, f"t.csv{form}")
    try:
        names, *expected = by_the_rules(data)
    except ValueError:
        names = ["a"]
        with pytest.raises(ValueError, match=r"cannot be read: (line \d+|it has no header row)|Column 'a' is not in"):
            counted(path, names)
        return
    columns = [name for name in names if names.count(name) == 1]
    places = [names.index(name) for name in columns]
    assert counted(path, columns, null_values=[]) == Counter(tuple(row[p] for p in places) for row in expected)
    told = Counter(tuple(MISSING if row[p] is None else row[p] for p in places) for row in by_hand(data))
    assert counted(path, columns) == told
    assert [["" if x is None else x for x in row] for row in by_hand(data)] == expected


@examples(100)
@given(files(), st.integers(0, 40))
def test_an_ordinary_stretch_has_the_records_that_pythons_csv_module_finds(data: bytes, cut: int) -> None:
    """The survey may doubt a legal file; it must not accept another one, nor another number of records."""
    data = data.removeprefix("\ufeff".encode())
    for end in (b"\n", b"\r\n"):
        found = look(data[: len(data) - cut] if cut else data, b",", 2, end)
        if found is None or b"\0" in data or b"\xff" in data or b"\xe9" in data.replace("é".encode(), b""):
            continue
        rows = [row for row in csv.reader(io.StringIO(data[: found.end].decode(), newline=""), strict=True) if row]
        assert len(rows) == found.records
        assert sum(map(len, rows)) == 2 * len(rows)


# --- who reads --------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("size", [1 << 20, 40 << 20])
@pytest.mark.parametrize("form", ["", ".gz"])
def test_a_last_line_is_read_however_long_it_is(tmp_path: Path, size: int, form: str) -> None:
    long = b"z" * size
    for end in (b"", b"\n"):
        path = written(tmp_path, b"a,b\nx,1\ny,2\nx," + long + end, f"t.csv{form}")
        assert counted(path, ["a"]) == {("x",): 2, ("y",): 1}
    assert counted(path, ["b"])[(long.decode(),)] == 1


def test_files_of_all_kinds_are_pooled_by_their_columns(tmp_path: Path) -> None:
    written(tmp_path, b"a,b\nx,1\n", "1.csv")
    written(tmp_path, b"b;a\r\n1;x\r\n\n2;y\n", "2.csv")
    written(tmp_path, b'"a","b"\nx,1\n', "3.csv.bz2")
    written(tmp_path, b"a,b\rx,1", "4.csv.gz")
    assert counted(tmp_path / "*.csv*", ["a", "b"]) == {("x", "1"): 4, ("y", "2"): 1}


def test_a_hundred_thousand_columns_are_no_more_work_than_their_text(tmp_path: Path) -> None:
    wide = ",".join(f"x{i}" for i in range(100_000)) + "\n" + (",".join(["1"] * 99_999) + ",z\n") * 3
    assert counted(written(tmp_path, wide.encode()), ["x99999", "x3"]) == {("z", "1"): 3}


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"a,b\nSecret,1\nSecret\n", r"line 3: the record has 1 field, the header has 2; field 2 is missing"),
        (b"a,b\nSecret,1,\n", r"line 2: the record has 3 fields, the header has 2; field 3 is one too many"),
        (b'a,b\n"Secret\nSecret",1\nx,"Secret" x\n', r"line 4, field 2: text follows the closing quote"),
        (b'a,b\n"Secret\n\nSecret"x,1\n', r"line 4, field 1: text follows the closing quote"),
        (b'a,b\nx,1\n"Secret,1\nSecret,2\n', r"line 3, field 1: its quote is not closed before the end of the file"),
        (b'"a,b\nSecret,2\n', r"line 1, field 1: its quote is not closed before the end of the file"),
        (b"a,b\nx,1\nSecret\nx,1,Secret\n", r"line 3: the record has 1 field"),
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_errors_give_line_and_field_and_never_the_text(tmp_path: Path, data: bytes, place: str, form: str) -> None:
    """The last file has as many separators as its records need: DuckDB refuses it, and the place is looked for here."""
    with pytest.raises(ValueError, match=rf"`original` \(.*t\.csv.*\) cannot be read: {place}.* Repair the file, or read it") as raised:
        counted(written(tmp_path, data, f"t.csv{form}"), ["a"])
    assert "Secret" not in str(raised.value)
    assert raised.value.__cause__ is None
