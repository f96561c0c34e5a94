"""A CSV file is read byte for byte by the rules of `csv_rules`: Python's csv module is the oracle, on files nobody would write."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest
from csv_written import FORMS, counted, files, written
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st
from strategies import examples

from capstats.codes.labels import MISSING
from capstats.sources import csv_rules
from capstats.sources.csv_files import Ordinary, look


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
    assert counted(path, columns, null_values=()) == Counter(tuple(row[p] for p in places) for row in expected)
    told = Counter(tuple(MISSING if row[p] is None else row[p] for p in places) for row in by_hand(data))
    assert counted(path, columns) == told
    assert [["" if x is None else x for x in row] for row in by_hand(data)] == expected


@pytest.mark.parametrize("size", [1 << 20, 40 << 20])
@pytest.mark.parametrize("form", ["", ".gz"])
def test_a_last_line_is_read_however_long_it_is(tmp_path: Path, size: int, form: str) -> None:
    long = b"z" * size
    for end in (b"", b"\n"):
        path = written(tmp_path, b"a,b\nx,1\ny,2\nx," + long + end, f"t.csv{form}")
        assert counted(path, ["a"]) == {("x",): 2, ("y",): 1}
    assert counted(path, ["b"])[(long.decode(),)] == 1


def test_a_hundred_thousand_columns_are_no_more_work_than_their_text(tmp_path: Path) -> None:
    wide = ",".join(f"x{i}" for i in range(100_000)) + "\n" + (",".join(["1"] * 99_999) + ",z\n") * 3
    assert counted(written(tmp_path, wide.encode()), ["x99999", "x3"]) == {("z", "1"): 3}


@pytest.mark.parametrize(
    ("data", "place"),
    [
        (b"a,b\nSecret,1\nSecret\n", r"line 3: the record has 1 field, the header has 2; field 2 is missing"),
        (b"a,b\nSecret,1,\n", r"line 2: the record has 3 fields, the header has 2; field 3 is one too many"),
        (b'a,b\n"Secret\nSecret",1\nx,"Secret" x\n', r"line 4, field 2: text follows the closing quote"),
        (b'"a" "b"\n"1" 2 "x"\n', r"line 1, field 1: text follows the closing quote; fields are separated by blanks. In R: write\.csv"),
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


MB = 1 << 20
LONG = b"x" * MB


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"," * MB, "its header names more than 100,000 columns. Keep those that are needed"),
        (b"k,t," + 5 * LONG + b"\n1,2,3\n", "its header is longer than 4 MB; perhaps line 1 has a quote that is not closed"),
        (b"k,t\n\nx,1\n" + 6 * LONG + b",1\n", "line 4: the record is longer than 5 MB. Repair the file"),
        (b'k,t\nx,1\n"' + 6 * LONG + b'",1\n', "line 3: the record is longer than 5 MB"),
        (b'k,t\nx,1\n"' + 6 * (LONG + b"\n") + b'",1\n', "line 3: the record is longer than 5 MB; perhaps the quote of field 1 is not"),
        (b"k,t\nx,1\n" + b"," * MB + b"\n", "line 3: the record has more than 100,000 fields"),
        (b"k,t\nx,1\nx" + b"," * 100_000 + b"\n", "line 3: the record has more than 100,000 fields"),
        (b'k,t\nx,1\n"x",' + b"," * MB + b"\n", "line 3: the record has more than 100,000 fields"),
    ],
)
def test_a_header_or_a_record_that_is_too_long_is_refused_before_it_is_split(
    tmp_path: Path, data: bytes, message: str, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_rules, "LONGEST_RECORD", 5 * MB)
    with pytest.raises(ValueError, match=message):
        counted(written(tmp_path, data, f"t.csv{form}"), ["k"])


# --- an ordinary stretch of a CSV file has the records that Python's csv module finds ---------------------------------


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


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_empty_lines_are_no_records_and_a_doubt_where_there_is_one_column(end: bytes) -> None:
    """A line of one column may be a missing value."""
    text = end.join([b"", b"1,2", b"", b"3,4", b""])
    assert look(text, b",", 2, end) == Ordinary(len(text), 2, broken=False)
    assert look(text.replace(b",", b""), b",", 1, end) is None
