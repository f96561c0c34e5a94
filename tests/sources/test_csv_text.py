"""The text of a CSV file: its encoding and its compression are read right, or refused with the line and a remedy."""

from __future__ import annotations

import lzma
import os
from pathlib import Path
from typing import Any

import pytest
from csv_written import FORMS, counted, written, zipped

from capstats.codes.labels import MISSING
from capstats.counting.tabulate import tabulate
from capstats.sources.csv_rules import BLOCK, Malformed, blocks, is_csv

PEOPLE = "Straße,Ort\nBäcker,Zürich\nMüller,Genève\nBäcker,Zürich\n"
EXPECTED = {("Bäcker", "Zürich"): 2, ("Müller", "Genève"): 1}


# --- encodings --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "encoding", ["cp1252", "latin-1", "utf-16", "utf-16-le", "utf-32", "utf-8", "UTF8", "utf-8-sig", "cp850", "mac_roman"]
)
@pytest.mark.parametrize("form", FORMS)
def test_a_file_is_read_in_its_encoding(tmp_path: Path, encoding: str, form: str) -> None:
    path = written(tmp_path, PEOPLE.encode(encoding), f"t.csv{form}")
    assert counted(path, ["Straße", "Ort"], encoding=encoding) == EXPECTED


def test_an_encoding_that_splits_signs_between_blocks_is_read_right(tmp_path: Path) -> None:
    text = "a,b\n" + "äöü,1\n" * 100_001
    for encoding in ("utf-8", "utf-16-le", "gb18030"):
        path = written(tmp_path, b" " + text.encode(encoding) if encoding == "utf-8" else text.encode(encoding), f"{encoding}.csv")
        assert counted(path, [" a" if encoding == "utf-8" else "a"], encoding=encoding) == {("äöü",): 100_001}


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("Straße,Ort\nx,y\n", 1),
        ("a,b\nx,y\nBäcker,Zürich\n", 3),
        ("a,b,c\n1,2,3\n1,2,4\n1,2,é\n", 4),
        ('a,b\n"x\ny",1\r\nz,1\rö,2\n', 5),
        ("a,b\n" + "x,1\n" * 200_000 + "é,1\n", 200_002),
    ],
)
def test_a_file_that_is_not_utf_8_is_told_with_its_line_and_an_encoding_to_try(tmp_path: Path, text: str, line: int) -> None:
    """For the header, for values and for columns that are not read alike; never with the text."""
    path = written(tmp_path, text.encode("cp1252"))
    with pytest.raises(
        ValueError,
        match=rf"line {line} is not UTF-8\. Give its encoding, such as encoding={{'original': 'cp1252'}} \(--encoding original=cp1252\)",
    ) as raised:
        counted(path, ["a"])
    assert "Bäcker" not in str(raised.value)
    assert "\ufffd" not in str(raised.value)


def test_utf_16_is_named_where_it_is_likely(tmp_path: Path) -> None:
    """The encoding that is named reads the file."""
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"):
        path = written(tmp_path, "a,b\nx,1\n".encode(encoding))
        with pytest.raises(
            ValueError, match=rf"Give its encoding: encoding={{'original': '{encoding}'}} \(--encoding original={encoding}\)"
        ):
            counted(path, ["a"])
        assert counted(path, ["a"], encoding=encoding) == {("x",): 1}


@pytest.mark.parametrize(
    ("text", "encoding", "message"),
    [
        (b"a,b\nx,1\ny\0,2\n", "utf-8", "line 3 is not UTF-8 text: it holds a zero byte"),
        (b'a,b\n"x\ny\n\0",2\n', "utf-8", "line 4 is not UTF-8 text: it holds a zero byte"),
        (b"a\0,b\n", "utf-8", "line 1 is not UTF-8 text: it holds a zero byte"),
        ("a,b\nä,1\n".encode(), "ascii", r"line 2 is not ascii\. Give the file's own encoding"),
    ],
)
def test_what_is_no_text_is_refused_with_its_line(tmp_path: Path, text: bytes, encoding: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        counted(written(tmp_path, text), ["a"], encoding=encoding)


@pytest.mark.parametrize("options", [{"decimal": ";"}, *({"encoding": x} for x in ("cp99999", "hex", "rot13", "", 5, "utf 8\0"))])
def test_an_encoding_or_a_decimal_sign_that_is_none_raises(tmp_path: Path, options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r'`encoding` must be the name of a text encoding that Python|`decimal` must be "\." or ","; got'):
        tabulate(written(tmp_path, b"k,t\n1,2\n"), keys="k", target="t", **options)


@pytest.mark.parametrize("options", [{"encoding": "cp1252"}, {"decimal": ","}])
def test_what_is_of_csv_raises_where_no_table_is_csv(options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=rf"`{next(iter(options))}` applies to CSV files only; no CSV file was given\. Leave it out"):
        tabulate({"k": ["a"], "t": ["x"]}, keys="k", target="t", **options)


# --- decimal commas ---------------------------------------------------------------------------------------------------


def test_a_decimal_comma_is_read_in_numbers_and_bins_and_weights_only(tmp_path: Path) -> None:
    path = written(tmp_path, b"k;x;t;w\n1,5;0,25;1,5;0,5\n-2;10;1.5;1\n;1e1;;2\n")
    options: dict[str, Any] = {"decimal": ",", "weights": "w"}
    tables = tabulate(path, keys=["k", "x"], target="t", types={"k": "number"}, bins={"x": [5]}, **options)
    assert sorted(x for x in tables.indexes["key"].get_level_values("k") if x is not MISSING) == [-2, 1.5]
    assert tables.attrs["bins"] == {"x": [5]}
    assert {x for x in tables.indexes["target"] if x is not MISSING} == {"1,5", "1.5"}
    assert float(tables.o.sum()) == 3.5
    assert [x for (x,) in tabulate(path, keys="k", target="t", types={"k": [-2, 1.5]}, decimal=",").indexes["key"]][:2] == [-2, 1.5]


@pytest.mark.parametrize("options", [{"types": {"k": "number"}}, {"bins": {"k": 2}}, {"bins": {"k": [1]}}, {"weights": "k"}])
def test_a_point_is_no_number_where_the_decimal_is_a_comma(tmp_path: Path, options: dict[str, Any]) -> None:
    path = written(tmp_path, b"k;j;t\n1.5;1;x\n")
    keys = "j" if "weights" in options else "k"
    with pytest.raises(ValueError, match=r"Column 'k' of `original` holds a value with a point, which is not a number where `decimal` is"):
        tabulate(path, keys=keys, target="t", decimal=",", **options)


def test_a_point_may_mean_missing_where_the_decimal_is_a_comma(tmp_path: Path) -> None:
    path = written(tmp_path, b"k;t\n1,5;x\n.;x\n")
    assert list(tabulate(path, keys="k", target="t", types={"k": "number"}, decimal=",", null_values=".").o.values[0]) == [1, 1]


# --- compression ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ending", [".csv", ".tsv", ".txt"])
def test_a_compressed_file_is_read_as_what_it_holds(tmp_path: Path, form: str, ending: str) -> None:
    data = PEOPLE.replace(",", "\t").encode()
    path = tmp_path / f"t{ending}{form}"
    path.write_bytes(zipped({f"inner{ending}": data}) if form == ".zip" else FORMS[form](data))
    assert counted(path, ["Straße", "Ort"]) == EXPECTED
    assert is_csv(path)


def test_the_separator_of_a_zipped_file_is_that_of_its_own_ending(tmp_path: Path) -> None:
    (tmp_path / "t.zip").write_bytes(zipped({"folder/t.tsv": b"a,b\tc\nx\t1\n"}))
    assert counted(tmp_path / "t.zip", ["a,b"]) == {("x",): 1}


@pytest.mark.parametrize("form", [".gz", ".bz2", ".xz"])
def test_streams_one_after_the_other_are_one_file_and_one_that_is_damaged_raises(tmp_path: Path, form: str) -> None:
    """Python's own readers take a damaged second stream for garbage, and leave it out in silence."""
    compress, path = FORMS[form], tmp_path / f"t.csv{form}"
    path.write_bytes(compress(b"a,b\nx,1\n") + compress(b"x,1\ny,") + compress(b"2\n"))
    assert counted(path, ["a", "b"]) == {("x", "1"): 2, ("y", "2"): 1}
    second = bytearray(compress(b"y,2\n"))
    second[1] ^= 1
    path.write_bytes(compress(b"a,b\nx,1\n") + bytes(second))
    with pytest.raises(ValueError, match=r"data are damaged or incomplete\. Copy or compress"):
        counted(path, ["a"])


@pytest.mark.parametrize("form", [".gz", ".bz2", ".xz", ".zip"])
def test_a_damaged_compressed_file_raises_or_counts_the_same(tmp_path: Path, form: str) -> None:
    """Every single bit of a file flipped, and every beginning of it: no other counts."""
    text = b"a,b\n" + b"".join(b"%d,%d\n" % (i * i % 97, i % 7) for i in range(300))
    whole = written(tmp_path, text, f"t.csv{form}").read_bytes()
    expected = counted(tmp_path / f"t.csv{form}", ["a", "b"])
    steps = range(0, 8 * len(whole), max(1, 8 * len(whole) // 150))
    damaged = [whole[: i // 8] + bytes([whole[i // 8] ^ 1 << i % 8]) + whole[i // 8 + 1 :] for i in steps]
    damaged += [whole[: i // 8] for i in steps]
    accepted = 0
    path = tmp_path / f"damaged.csv{form}"
    for data in damaged:
        path.write_bytes(data)
        try:
            for _ in blocks(str(path)):
                pass
        except Malformed:
            continue
        accepted += 1
        assert counted(path, ["a", "b"]) == expected
    assert accepted < len(damaged) / 4  # names, times and padding are not data


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({}, "the zip archive holds 0 files, where one is read"),
        ({"a.csv": b"a\n1\n", "b.csv": b"a\n1\n"}, "the zip archive holds 2 files, where one is read"),
        ({"a.exe": b"a\n1\n"}, r"the file in the zip archive is not CSV: its ending must be one of \.csv"),
    ],
)
def test_a_zip_archive_holds_one_file_of_csv(tmp_path: Path, members: dict[str, bytes], message: str) -> None:
    (tmp_path / "t.zip").write_bytes(zipped(members))
    with pytest.raises(ValueError, match=message):
        counted(tmp_path / "t.zip", ["a"])


def test_an_encrypted_zip_archive_raises(tmp_path: Path) -> None:
    data = bytearray(zipped({"t.csv": b"a\n1\n"}))
    at = data.rindex(b"PK\x01\x02")
    data[6] |= 1  # the flag in the file's own header, and in the directory
    data[at + 8] |= 1
    (tmp_path / "t.csv.zip").write_bytes(bytes(data))
    with pytest.raises(ValueError, match="the zip archive is encrypted"):
        counted(tmp_path / "t.csv.zip", ["a"])


# --- names of files ---------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="names of files are bytes")
def test_a_file_whose_name_is_not_utf_8_is_told_to_be_renamed(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/M\xfcller.csv"
    with open(path, "wb") as file:  # noqa: PTH123
        file.write(b"a,b\nx,1\n")
    for given in (os.fsdecode(path), str(tmp_path / "*.csv")):
        with pytest.raises(ValueError, match=r"the name of this file, or of its folder, is not valid UTF-8\. Rename it"):
            counted(given, ["a"])


@pytest.mark.parametrize("form", FORMS)
def test_what_is_decompressed_comes_in_blocks_however_strongly_it_is_compressed(tmp_path: Path, form: str) -> None:
    path = written(tmp_path, b"a" * (1 << 26), f"t.csv{form}")
    assert max(map(len, blocks(str(path)))) <= 2 * BLOCK


def test_xz_that_needs_much_memory_to_be_decompressed_is_refused(tmp_path: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}]
    (tmp_path / "t.csv.xz").write_bytes(lzma.compress(b"k,t\n1,2\n", filters=filters))
    with pytest.raises(ValueError, match=r"its xz data need more than 256 MB to be decompressed\. Compress the file with xz -6"):
        counted(tmp_path / "t.csv.xz", ["k"])
