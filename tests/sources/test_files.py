"""A file is read as it stands: nothing is guessed from its rows, and none of them is left out."""

from __future__ import annotations

import datetime as dt
import os
import re
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from csv_written import counted as records
from csv_written import written

from capstats import audit, tabulate
from capstats.codes.labels import MISSING
from capstats.disclosure import record_risk
from capstats.sources.csv_rules import is_csv
from capstats.sources.door import is_path, open_source
from capstats.sources.source import Query

# --- CSV: values ------------------------------------------------------------------------------------------------------


SAID: dict[str, tuple[str, list[str], dict[Any, int]]] = {
    "an empty field is missing, a quoted one empty text": (
        'a,b\n"",1\n,2\n"NA",3\nNA,4\nNULL,5\n', ["a"], {("",): 1, (MISSING,): 1, ("NA",): 2, ("NULL",): 1},
    ),
    "every label is the text that stands there": (
        "a,b\n01,1\n1,1\n1.0,1\ntrue,1\n2024-01-02,1\n x ,1\nnan,1\n", ["a"],
        {(x,): 1 for x in ["01", "1", "1.0", "true", "2024-01-02", " x ", "nan"]},
    ),
    "quotes, line ends and separators in a field": (
        'a,b\n"x,y",1\n"x""y",1\n"x\ny",1\n"x\r\ny",1\nx"y,1\nä|;\t,1\n', ["a"],
        {("x,y",): 1, ('x"y',): 2, ("x\ny",): 1, ("x\r\ny",): 1, ("ä|;\t",): 1},
    ),
    "no comment": ("# id,b\n#1,x\n#1,x\n2,y\n", ["# id", "b"], {("#1", "x"): 2, ("2", "y"): 1}),
    "a byte order mark": ("\ufeffa,b\nx,1\n", ["a", "b"], {("x", "1"): 1}),
    "a byte order mark before a quote": ('\ufeff"a",b\nx,1\n', ["a", "b"], {("x", "1"): 1}),
    "the separator that occurs most": ("a;income, monthly;c\nx;1;2\n", ["a", "income, monthly"], {("x", "1"): 1}),
    "names told apart by case": ("a,A,b\nx,y,z\n", ["a"], {("x",): 1}),
    "names told apart by case, in another order": ("a,A,b\nx,y,z\n", ["A", "a"], {("y", "x"): 1}),
    "a header without rows": ("a,b\n", ["a"], {}),
    "a name that occurs twice beside it": ("a,b,a\nx,1,y\n", ["b"], {("1",): 1}),
}  # fmt: skip


@pytest.mark.parametrize("what", SAID)
def test_a_csv_file_says_what_stands_there(tmp_path: Path, what: str) -> None:
    text, columns, expected = SAID[what]
    assert records(written(tmp_path, text), columns) == expected


@pytest.mark.parametrize(
    ("nulls", "expected"),
    [
        ([""], {"x": 1, "NA": 2, "-9": 1, MISSING: 2}),
        (["NA"], {"": 2, "x": 1, "NA": 1, "-9": 1, MISSING: 1}),
        (["NA", '"NA"'], {"": 2, "x": 1, "-9": 1, MISSING: 2}),
        (['"NA"'], {"": 2, "x": 1, "NA": 1, "-9": 1, MISSING: 1}),
        (["NA", ""], {"x": 1, "NA": 1, "-9": 1, MISSING: 3}),
        (["-9", '"NA"', "NA"], {"": 2, "x": 1, MISSING: 3}),
        (["it's"], {"": 2, "x": 1, "NA": 2, "-9": 1}),
        ([], {"": 2, "x": 1, "NA": 2, "-9": 1}),
    ],
)
def test_null_values_take_the_place_of_the_empty_field_and_a_word_in_quotes_is_no_code(
    tmp_path: Path, nulls: list[str], expected: dict[Any, int]
) -> None:
    path = written(tmp_path, 'a,b\n"",1\n,2\n"NA",3\nNA,4\n-9,5\nx,6\n')
    tables = tabulate(path, keys="a", target="b", null_values=nulls, allow_unused_codes=True)
    assert {label: int(tables.o.sel(a=label).sum()) for (label,) in tables.indexes["key"]} == expected


UNREAD = r"`original` \(.*t\.csv\) cannot be read: "
WRONG: list[tuple[str | bytes, str]] = [
    ("a,b\nx,1\n#y\nz,3\n", UNREAD + "line 3: the record has 1 field, .* Repair the file"),
    *((text, UNREAD + r"it has no header row\. Add one") for text in ("", "\n", ",,\nx,y,z\n")),
    ("\n\na,b\nx,1\n", r"it has no header row\. .* If line 3 has the names, say .* \(--skip original=2\)"),
    ("A title\na,b\nx,1\n", r"Column 'a' is not in line 1 of `original`; line 2 has it: say skip={'original': 1} \(--skip"),
    ("sex,an\nf,1\n", r"Column 'a' is not in `original`\. Did you mean 'an'\?"),
    ("a,b,a\nx,1,y\n", r"Column 'a' occurs 2 times in `original`\. Rename all but one"),
    ("a,b\nx,1\n".encode("utf-16"), UNREAD + r"line 1 is not UTF-8\. Give its encoding: encoding={'original': 'utf-16'}"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_what_does_not_fit_is_told_and_no_row_is_skipped(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        records(written(tmp_path, text), ["a"])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("last", ["", "end"])
def test_line_ends_of_every_system_and_blank_lines_change_nothing(tmp_path: Path, end: str, last: str) -> None:
    path = written(tmp_path, end.join(["a,b", "x,1", "", "y,2"]) + (end if last else ""))
    assert records(path, ["a", "b"]) == {("x", "1"): 1, ("y", "2"): 1}


# --- CSV: headers -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column",
    ['say "hi"', "two words", " x", "it's", "x,y;z\t", "SELECT * FROM t; --", "ä", "1", "f0", "c0", "c1", "x\ny", "n", "w", "given"],
)
def test_a_column_may_have_any_name(tmp_path: Path, column: str) -> None:
    quoted = column.replace('"', '""')
    pq.write_table(pa.table({column: ["x", "x"], "b": ["1", "1"]}), tmp_path / "t.parquet")
    for path in (written(tmp_path, f'"{quoted}",b\nx,1\nx,1\n'), tmp_path / "t.parquet"):
        assert records(path, [column, "b"]) == records(path, [column, "b"], "b") == {("x", "1"): 2}


@pytest.mark.parametrize(
    ("name", "header", "columns", "separator"),
    [
        ("t.csv", "a,b", ["a", "b"], ","),
        ("t.csv", '"a;c","b"', ["a;c", "b"], ","),
        ("t.csv", '"a\t|;c",b', ["a\t|;c", "b"], ","),
        ("t.CSV", "a;b", ["a", "b"], ";"),
        ("t.csv", 'a;"b,c"', ["a", "b,c"], ";"),
        ("t.csv", "a\tb", ["a", "b"], "\t"),
        ("t.txt", 'a\t"b,c"', ["a", "b,c"], "\t"),
        ("t.csv", "a|b", ["a", "b"], "|"),
        ("t.csv", '"a;\n;b",c', ["a;\n;b", "c"], ","),
        ("t.tsv", "a\tb,c", ["a", "b,c"], "\t"),
        ("folder.tsv/t.csv", "a,b", ["a", "b"], ","),
        ("t.csv.gz", "a;b", ["a", "b"], ";"),
        ("t.TSV.GZ", "a\tb", ["a", "b"], "\t"),
    ],
)
def test_the_separator_is_that_of_the_header(tmp_path: Path, name: str, header: str, columns: list[str], separator: str) -> None:
    path = written(tmp_path, f'{header}\nx{separator}"1,5;\t|"\n', name)
    assert records(path, columns) == {("x", "1,5;\t|"): 1}


# --- Files and globs --------------------------------------------------------------------------------------------------


ODD = ["t[1]", "t*", "what?", "[a]/*/t", "it's", "a=z/t"]


@pytest.mark.parametrize("name", [*(f"{x}.csv" for x in ODD), "t[1].csv.gz", *(f"{x}.parquet" for x in ODD), "t.PARQUET", "t.pq"])
def test_a_file_is_read_whatever_its_own_name(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, "a,b\nx,1\n", name)
    written(tmp_path, "a,b\nother,1\n", "t1.csv")
    pq.write_table(pa.table({"a": ["other"]}), tmp_path / "t1.parquet")
    if ".csv" not in name:
        pq.write_table(pa.table({"a": ["x"]}), path)
    assert is_path(path)
    assert is_csv(path) == (".csv" in name)
    assert records(path, ["a"]) == records(str(path), ["a"]) == {("x",): 1}


def test_a_column_that_one_file_of_a_glob_lacks_raises(tmp_path: Path) -> None:
    written(tmp_path, "a,b\nx,1\n", "1.csv")
    written(tmp_path, "a,c\nx,1\n", "2.csv")
    with pytest.raises(ValueError, match=r"Column 'b' is not in `original`"):
        records(tmp_path / "*.csv", ["a", "b"])


@pytest.mark.parametrize("name", ["t.docx", "t", "csv", "t.csv.7z"])
def test_another_ending_raises_and_lists_those_that_are_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=rf"`original` is '.*{name}'; files are read by their ending.*\.parquet.*\.csv.*Rename"):
        records(written(tmp_path, "a\nx\n", name), ["a"])


def test_an_address_is_no_file() -> None:
    with pytest.raises(ValueError, match=r"`original` is 's3://a/t\.csv'; capstats reads local files only"):
        records("s3://a/t.csv", ["a"])


@pytest.mark.parametrize(("inside", "glob"), [("a.tsv", "*.tsv"), ("_SUCCESS", "*.csv"), ("region=a/part.parquet", "*/*.parquet")])
def test_the_message_for_a_folder_has_the_glob_of_its_files(inside: str, glob: str, tmp_path: Path) -> None:
    (tmp_path / "d" / inside).parent.mkdir(parents=True)
    (tmp_path / "d" / inside).write_text("k,t\n1,2\n")
    with pytest.raises(ValueError, match=re.escape(f"such as {str(tmp_path / 'd' / glob)!r}.")):
        tabulate(tmp_path / "d", keys="k", target="t")


def test_a_glob_of_two_formats_raises(tmp_path: Path) -> None:
    written(tmp_path, "a\nx\n", "1.csv")
    pq.write_table(pa.table({"a": ["x"]}), tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=r"2\.parquet'; files are read by their ending, all of one format"):
        records(tmp_path / "*", ["a"])


def test_a_memory_limit_is_kept_and_one_that_is_none_raises(tmp_path: Path) -> None:
    path = written(tmp_path, "a\nx\n")
    assert records(path, ["a"], memory_limit="200MB") == {("x",): 1}
    with pytest.raises(ValueError, match=r"`memory_limit` must be an amount such as \"1GB\"; got 'lots'"):
        records(path, ["a"], memory_limit="lots")


# --- Parquet: types ---------------------------------------------------------------------------------------------------

COLUMNS: dict[str, pa.Array] = {
    "integers": pa.array([10, 2, None]),
    "no missing": pa.array([10, 2, 2]),
    "int64 ends": pa.array([2**63 - 1, -(2**63), None]),
    "uint64": pa.array([2**64 - 1, 0, None], pa.uint64()),
    "int8": pa.array([-128, 127, None], pa.int8()),
    "floats": pa.array([0.1, -0.0, None, float("nan"), float("inf"), 0.0]),
    "float32": pa.array([0.1, 2, None], pa.float32()),
    "decimals": pa.array([Decimal("1.10"), Decimal("2.00"), None]),
    "large decimals": pa.array([Decimal(2**53), Decimal(2**53 + 1), None]),
    "bools": pa.array([True, False, True]),
    "bools and missing": pa.array([True, None, False]),
    "texts": pa.array(["b", "a", "", "NA", "nan", None]),
    "large texts": pa.array(["b", None], pa.large_string()),
    "dates": pa.array([dt.date(2024, 1, 2), dt.date(1, 1, 1), None]),
    "dates only": pa.array([dt.date(2024, 1, 2), dt.date(2024, 1, 2)]),
    "seconds": pa.array([0, 1, None], pa.timestamp("s")),
    "milliseconds": pa.array([0, 1, None], pa.timestamp("ms")),
    "microseconds": pa.array([0, 1, 1], pa.timestamp("us")),
    "nanoseconds": pa.array([0, 1, None], pa.timestamp("ns")),
    "zone": pa.array([0, 1, None], pa.timestamp("us", tz="Europe/Berlin")),
    "zone only": pa.array([0, 1, 1], pa.timestamp("us", tz="America/Lima")),
    "zone and nanoseconds": pa.array([0, 10**3, None], pa.timestamp("ns", tz="Europe/Berlin")),
    "nothing": pa.nulls(2),
}


@pytest.mark.parametrize("what", COLUMNS)
def test_a_parquet_column_has_the_labels_of_the_column_in_memory(tmp_path: Path, what: str) -> None:
    table = pa.table({"a": COLUMNS[what]})
    pq.write_table(table, tmp_path / "t.parquet")
    found, _ = open_source(table, "original").rows(Query(["a"]))
    expected = Counter((found[0].labels[int(code) - found[0].first],) for code in found[0].codes)
    actual = records(tmp_path / "t.parquet", ["a"])
    assert actual == expected
    assert {type(x) for (x,) in actual} == {type(x) for (x,) in expected}


def test_categories_come_back_from_parquet_as_text_without_order(tmp_path: Path) -> None:
    for i, frame in enumerate((pd.DataFrame({"a": pd.Categorical(["b", None], ["b", "a"])}), pl.DataFrame({"a": ["b", None]}))):
        path = tmp_path / f"{i}.parquet"
        if isinstance(frame, pl.DataFrame):
            frame.with_columns(pl.col("a").cast(pl.Enum(["b", "a"]))).write_parquet(path)
        else:
            frame.to_parquet(path)
        (column,), _ = open_source(path, "original").rows(Query(["a"]))
        assert not column.ordered
        assert records(path, ["a"]) == {("b",): 1, (MISSING,): 1}


def test_lists_cannot_be_labels(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [[1], [2]]}), tmp_path / "t.parquet")
    with pytest.raises(TypeError, match="Column 'a' of `original` holds values that cannot be labels"):
        records(tmp_path / "t.parquet", ["a"])


# --- Weights ----------------------------------------------------------------------------------------------------------


def both(folder: Path, weights: Any) -> list[Path]:
    """The same weighted records as CSV and as Parquet."""
    frame = pd.DataFrame({"a": ["x", "x", "y"], "w": weights})
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_parquet(folder / "t.parquet")
    return [folder / "t.csv", folder / "t.parquet"]


@pytest.mark.parametrize("weights", [[1, -2.5, -3], [1, np.inf, -np.inf], [1, None, -3], ["1", "secret", "x"]], ids=str)
def test_a_weight_that_is_no_weight_raises_with_column_and_row_and_without_its_value(tmp_path: Path, weights: Any) -> None:
    for path in both(tmp_path, weights):
        with pytest.raises(ValueError, match=r"`original` where column 'w' breaks this: 2, the first is row 1 \(from 0\)\.") as raised:
            open_source(path, "original").rows(Query(["a"], "w"))
        assert not any(value in str(raised.value) for value in ("2.5", "inf", "None", "secret"))


def test_weights_may_be_text_and_fractions_stay_fractions_where_they_sum_to_whole_numbers(tmp_path: Path) -> None:
    for weights, (x, y), dtype in ((["1", "2", "0"], (3, 0), "int64"), ([0.5, 0.5, 1], (1, 1), "float64")):
        for path in both(tmp_path, weights):
            assert records(path, ["a"], "w") == {("x",): x, ("y",): y}
            assert open_source(path, "original").rows(Query(["a"], "w"))[1][0].dtype == dtype


def test_a_key_can_be_its_own_weight(tmp_path: Path) -> None:
    for path in both(tmp_path, [1, 1, 3]):
        assert {(int(label), n) for (label,), n in records(path, ["w"], "w").items()} == {(1, 2), (3, 3)}


def shards(folder: Path, *columns: pa.Array) -> str:
    """Parquet files that hold one column each, and the glob that stands for them."""
    for i, column in enumerate(columns):
        pq.write_table(
            pa.table({"t": [i] * len(column), "x": column} if i else {"x": column, "t": [i] * len(column)}), folder / f"{i}.parquet"
        )
    return str(folder / "*.parquet")


def test_parquet_files_whose_numbers_are_of_two_types_lose_nothing(tmp_path: Path) -> None:
    path = shards(tmp_path, pa.array([1, 2]), pa.array([1.5, 2.0, None]), pa.nulls(1), pa.array([2**63], pa.uint64()))
    assert records(path, ["x"]) == {(1,): 1, (2,): 2, (1.5,): 1, (MISSING,): 2, (2**63,): 1}


@pytest.mark.parametrize(
    ("first", "second", "kinds"),
    [
        (pa.array([dt.date(2024, 1, 1)]), pa.array([dt.datetime(2024, 1, 1, 12)]), "date labels in .* and datetime labels"),
        (pa.array(["1"]), pa.array([1]), "text labels in .* and number labels"),
        (pa.array([1]), pa.array(["1"]), "number labels in .* and text labels"),
        (pa.array([True]), pa.array([1]), "bool labels in .* and number labels"),
    ],
)
def test_parquet_files_of_two_kinds_are_not_cast_to_the_first_ones(tmp_path: Path, first: pa.Array, second: pa.Array, kinds: str) -> None:
    path = shards(tmp_path, first, second)
    with pytest.raises(TypeError, match=f"Column 'x' of `original` holds {kinds} in .*1.parquet'. Convert one of them."):
        records(path, ["x"])
    assert records(path, ["t"]) == {(0,): 1, (1,): 1}


@pytest.fixture
def loops(tmp_path: Path) -> Path:
    """A folder with links that lead back to themselves."""
    (tmp_path / "many").mkdir()
    for link, target in (("a.csv", "b.csv"), ("b.csv", "a.csv"), ("a.parquet", "a.parquet"), ("folder", "folder"), ("many/x.csv", "x.csv")):
        (tmp_path / link).symlink_to(target)
    return tmp_path


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
@pytest.mark.parametrize("path", ["a.csv", "a.parquet", "folder", "folder/x.csv", "folder/*.csv", "many/*.csv"])
def test_a_link_that_leads_back_to_itself_is_told(loops: Path, path: str) -> None:
    good = str(written(loops, "a,t\n1,2\n", "good.csv"))
    for original, release in ((str(loops / path), good), (good, str(loops / path))):
        for door in (tabulate, audit):
            with pytest.raises(ValueError, match="a symbolic link that leads back to itself"):
                door(original, release, keys="a", target="t")


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
def test_a_file_that_a_pattern_matches_twice_by_a_link_is_not_counted_twice(tmp_path: Path) -> None:
    written(tmp_path, "a,t\n1,2\n", "a.csv")
    (tmp_path / "again").symlink_to(tmp_path)
    with pytest.raises(ValueError, match=r"`original`: .*matches the same file twice, as '.*a\.csv' and, by a link, as .* Remove the link"):
        tabulate(str(tmp_path / "**" / "*.csv"), keys="a", target="t")


def test_records_of_a_file_come_back_with_their_integers_and_what_is_missing(tmp_path: Path) -> None:
    large = 2**53 + 1
    table = pa.table({"k": pa.array([large, None, 3]), "t": ["a", "b", "a"]})
    pq.write_table(table, tmp_path / "t.parquet")
    found = record_risk(tmp_path / "t.parquet", {"k": [3], "t": ["a"]}, keys="k", target="t")
    assert found["k"].tolist() == [large, pd.NA, 3]
    assert found["cap"].tolist() == [0, 0, 1]
