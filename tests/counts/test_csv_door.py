"""A CSV file is read byte for byte by the rules of `csv_records`: Python's csv module is the oracle, on files nobody would write."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import os
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from capstats.counts.csv_files import survey
from capstats.counts.csv_survey import look
from capstats.counts.engines import read
from capstats.counts.labels import MISSING
from capstats.counts.options import Options
from capstats.counts.progress import Step

FILES = 3000 if os.environ.get("HYPOTHESIS_PROFILE") == "random" else 100
FORMS = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zip": lambda data: zipped({"t.csv": data}),
}


def zipped(members: dict[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return archive.getvalue()


def written(folder: Path, data: bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(FORMS[path.suffix if path.suffix in FORMS else ""](data))
    return path


def counted(path: Any, columns: list[str], weight: Any = None, **options: Any) -> Counter[Any]:
    found, counts = read(path, columns, weight, "original", {}, Options(**options))
    total: Counter[Any] = Counter()
    for i, n in enumerate(counts.tolist()):
        total[tuple(c.labels[int(c.codes[i]) - c.first] for c in found)] += n
    return total


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


@settings(max_examples=FILES, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
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


@settings(max_examples=FILES)
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
