"""Files of Excel, Stata, SPSS, SAS and Arrow say what their own programs say."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from pyarrow import feather

from capstats.codes.labels import MISSING
from capstats.counting.tabulate import tabulate

FRAME = pd.DataFrame({"region": [2.0, 1.0, 2.0, 9.0], "age": [30.0, 41.0, None, 30.0], "job": ["cook", "", "smith", "cook"]})
LABELS = {"region": {1: "South", 2: "North"}}


def stata(path: Path) -> None:
    FRAME.to_stata(path, write_index=False, value_labels=LABELS)


def spss(path: Path) -> None:
    pyreadstat.write_sav(FRAME, path, variable_value_labels=LABELS, missing_ranges={"age": [41]})


WRITERS: dict[str, Any] = {
    "t.dta": stata,
    "t.sav": spss,
    "t.ZSAV": lambda path: pyreadstat.write_sav(FRAME, path, variable_value_labels=LABELS, missing_ranges={"age": [41]}, compress=True),
}


def keys(table: Any, column: str, **options: Any) -> dict[Any, int]:
    tables = tabulate(table, keys=column, target="age" if column == "job" else "job", **options)
    return {label: int(n) for (label,), n in zip(tables.indexes["key"], tables.o.sum("target").values, strict=True)}


@pytest.mark.parametrize("name", WRITERS)
def test_values_are_read_as_their_labels_ordered_as_coded(tmp_path: Path, name: str) -> None:
    """A value that has no label is the text of its number."""
    WRITERS[name](tmp_path / name)
    assert list(keys(tmp_path / name, "region").items()) == [("South", 1), ("North", 2), ("9", 1)]
    assert keys(str(tmp_path / name), "job") == {"cook": 2, "smith": 1, MISSING: 1}


def test_user_missing_values_are_missing(tmp_path: Path) -> None:
    spss(tmp_path / "t.sav")
    assert keys(tmp_path / "t.sav", "age") == {30: 2, MISSING: 2}
    stata(tmp_path / "t.dta")
    assert keys(tmp_path / "t.dta", "age") == {30: 2, 41: 1, MISSING: 1}


def test_a_transport_file_of_sas_and_a_portable_file_of_spss_are_read(tmp_path: Path) -> None:
    pyreadstat.write_xport(FRAME, tmp_path / "t.xpt")
    pyreadstat.write_por(FRAME.rename(columns=str.upper), tmp_path / "t.por")
    assert keys(tmp_path / "t.xpt", "region") == {1: 1, 2: 2, 9: 1}
    tables = tabulate(tmp_path / "t.por", keys="REGION", target="JOB")
    assert [x for (x,) in tables.indexes["key"]] == [1, 2, 9]


def test_the_first_sheet_of_a_workbook_is_read_cell_by_cell(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    rows = [
        ["born", 2024, "job"],
        [dt.datetime(1990, 1, 2), 1, "NA"],
        [None, 2.5, "cook"],
        [None, None, None],
        [dt.datetime(1990, 1, 2), 1, "NA"],
    ]
    for row in rows:
        book.active.append(row)
    book.create_sheet("notes").append(["nothing"])
    book.save(tmp_path / "t.xlsx")
    assert keys(tmp_path / "t.xlsx", "born") == {pd.Timestamp("1990-01-02"): 2, MISSING: 1}
    assert keys(tmp_path / "t.xlsx", "2024") == {1: 2, 2.5: 1}
    assert keys(tmp_path / "t.xlsx", "2024", null_values="NA", missing="drop") == {2.5: 1}
    assert keys(tmp_path / "t.xlsx", "2024", bins={"2024": [2]}) == {"(-inf, 2]": 2, "(2, inf)": 1}


def test_formulas_need_a_stored_value(tmp_path: Path) -> None:
    """Those of Excel have one, which may be an empty text; what another program wrote may have none, where Excel would show one."""
    book = openpyxl.Workbook()
    for row in (["a", "b"], ["x", None], ['=UPPER("y")', 1]):
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(ValueError, match=r"has formulas without a stored value in 1 cells of sheet 'Sheet', .* save it again\."):
        tabulate(tmp_path / "t.xlsx", keys="a", target="b")
    with zipfile.ZipFile(tmp_path / "t.xlsx") as old, zipfile.ZipFile(tmp_path / "stored.xlsx", "w") as new:
        for part in old.namelist():
            new.writestr(part, old.read(part).replace(b'<c r="A3"><f>UPPER("y")</f><v />', b'<c r="A3" t="str"><f>UPPER("y")</f><v></v>'))
    assert tabulate(tmp_path / "stored.xlsx", keys="b", target="a").o.values.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize("rows", [[], [["a", "b"]], [["a", "a"], [1, 2]]])
def test_a_workbook_without_the_column_or_records_raises(tmp_path: Path, rows: list[list[Any]]) -> None:
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(ValueError, match=r"is not in `original`|is empty: it has no record|occurs 2 times"):
        tabulate(tmp_path / "t.xlsx", keys="a", target="b")


def test_a_sheet_that_is_not_there_is_told_with_those_that_are(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["a", "b"])
    book.create_sheet("notes")
    book.save(tmp_path / "t.xlsx")
    with pytest.raises(ValueError, match=r"has no sheet 'data'; it has 'Sheet', 'notes'\."):
        tabulate(tmp_path / "t.xlsx", keys="a", target="b", sheet="data")


def test_arrow_files_are_read_whatever_their_form(tmp_path: Path) -> None:
    table = pa.table({"region": pa.array(["North", None, "North"]).dictionary_encode(), "job": ["cook"] * 3})
    feather.write_feather(table, str(tmp_path / "t.feather"))
    feather.write_feather(table, str(tmp_path / "file.arrow"))
    with pa.OSFile(str(tmp_path / "stream.arrow"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    for name in ("t.feather", "file.arrow", "stream.arrow"):
        assert keys(tmp_path / name, "region") == {"North": 2, MISSING: 1}


@pytest.mark.parametrize("name", ["t.dta", "t.sav", "t.por", "t.sas7bdat", "t.xpt", "t.xlsx", "t.feather", "t.arrow"])
def test_a_file_that_is_not_of_its_format_raises_without_its_text(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"Secret,Secret\n" * 50)
    with pytest.raises(ValueError, match=rf"`original` \(.*{name}\) cannot be read: it is damaged, or not a file of the format") as raised:
        tabulate(tmp_path / name, keys="a", target="b")
    assert "Secret" not in str(raised.value)
    with pytest.raises(FileNotFoundError, match="no file matches"):
        tabulate(tmp_path / f"no{name}", keys="a", target="b")


def test_one_file_of_a_format_is_one_table(tmp_path: Path) -> None:
    stata(tmp_path / "1.dta")
    stata(tmp_path / "2.dta")
    with pytest.raises(ValueError, match=r"`original` is 2 files; of .* one file is read\. Combine them in a data frame"):
        tabulate(tmp_path / "*.dta", keys="region", target="job")


@pytest.mark.parametrize(("name", "package"), [("t.dta", "pyreadstat"), ("t.xlsx", "openpyxl"), ("t.feather", "pyarrow")])
def test_a_missing_package_is_named_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, package: str) -> None:
    (tmp_path / name).write_bytes(b"")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        ImportError, match=rf'`original` \(.*\) needs the package {package}\. Install it: pip install "capstats\[formats\]"'
    ):
        tabulate(tmp_path / name, keys="a", target="b")


def test_the_packages_are_loaded_by_such_a_file_only(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    code = f"import sys, capstats; capstats.tabulate({str(tmp_path / 't.csv')!r}, keys='a', target='b'); print(*sys.modules)"
    loaded = set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())
    assert not loaded & {"pyreadstat", "openpyxl"}
