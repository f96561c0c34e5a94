"""Every column by itself: labels, missing values, kinds, and how two tables compare; the same from every kind of table."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from doors import DOORS

from capstats.counting import every_column as module
from capstats.counting.every_column import compared_labels, every_column, is_accepted, is_complete, is_identifier, joint_kind
from capstats.sources import files
from capstats.sources.source import Options

RECORDS: dict[str, list[Any]] = {"sex": [*"fm", None, *"ff"], "age": [30, 41, 30, None, 30], "town": [*"abcde"], "gone": [None] * 5}


def looked(table: Any, other: Any = None, **options: Any) -> Any:
    return every_column(table, other, Options(**options))[0]


def written(folder: Path, records: dict[str, list[Any]], name: str = "t") -> Path:
    path = folder / f"{name}.csv"
    pd.DataFrame(records, dtype=object).to_csv(path, index=False)
    return path


def zipped(columns: dict[str, list[Any]], folder: Path) -> Path:
    """A file whose text is not read by DuckDB itself."""
    pd.DataFrame(columns, dtype=object).to_csv(folder / "t.csv.zip", index=False)
    return folder / "t.csv.zip"


EVERY = DOORS | {"zip": zipped}


@pytest.mark.parametrize("door", EVERY)
def test_labels_and_missing_values_are_those_of_a_loop_over_records(tmp_path: Path, door: str) -> None:
    (table,) = looked(EVERY[door](RECORDS, tmp_path))
    assert table.records == 5
    for column, values in RECORDS.items():
        counts = Counter(x for x in values if x is not None)
        margin = table.columns[column].margin
        read = map(int, margin.labels) if column == "age" else margin.labels  # texts in CSV
        assert dict(zip(read, margin.records.tolist(), strict=True)) == counts
        assert (margin.levels, margin.missing, margin.total) == (len(counts), values.count(None), 5)
        assert table.columns[column].kind == {"age": "number", "gone": None}.get(column, "text")


@pytest.mark.parametrize("door", ["pandas", "parquet", "csv", "relation"])
def test_of_many_levels_the_most_frequent_are_looked_at_and_all_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, door: str
) -> None:
    monkeypatch.setattr(module, "MOST_LABELS", 3)
    frame = pd.DataFrame({"x": [1, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, None]}).astype("Int64")
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False, na_rep="NA")
    tables: dict[str, Any] = {
        "pandas": frame,
        "parquet": tmp_path / "t.parquet",
        "csv": tmp_path / "t.csv",
        "relation": duckdb.sql(f"SELECT * FROM '{tmp_path / 't.parquet'}'"),
    }
    (table,) = looked(tables[door], null_values="NA" if door == "csv" else None)
    look = table.columns["x"]
    levels = dict(zip(map(int, look.margin.labels), look.margin.records.tolist(), strict=True))
    assert {1: 3, 2: 2}.items() <= levels.items()
    assert look.margin.levels == (7 if door != "csv" else 8)  # of CSV the code was not among the labels that were looked at
    assert look.margin.total == 12
    assert not is_complete(look)


def test_csv_whose_columns_do_not_fit_at_once_is_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, RECORDS)
    whole = looked(path)[0].columns
    monkeypatch.setattr(files, "HELD", 1)
    parts = looked(path)[0].columns
    assert list(parts) == list(RECORDS)
    assert [list(parts[c].margin.labels) for c in parts] == [list(whole[c].margin.labels) for c in whole]


@pytest.mark.parametrize(
    ("values", "held", "kind"),
    [
        (["1", "2", "-9"], "text", "number"),
        (["1", "two"], "text", "text"),
        (["01", "02"], "text", "text"),  # a code such as that of a region
        (["2024-01-31", "2024-02-01"], "text", "date"),
        (["true", "FALSE"], "text", "bool"),
        (["1.5", "2", "NA"], "text", "number"),
        ([True, False], "bool", "bool"),
        ([1.5, 2.0], "number", "number"),
        ([1, "a"], "other", "other"),
        ([None, None], None, None),
    ],
)
def test_the_kind_is_that_of_all_values_which_are_no_code(values: list[Any], held: str | None, kind: str | None) -> None:
    look = looked({"x": values})[0].columns["x"]
    assert (look.held, look.kind) == (held, kind)


def test_a_decimal_comma_is_found_unless_another_column_has_points(tmp_path: Path) -> None:
    (commas,) = looked(written(tmp_path, {"x": ["1,5", "2"], "y": ["1", "2"]}))
    assert [(look.kind, look.decimal) for look in commas.columns.values()] == [("number", ","), ("number", ",")]
    (both,) = looked(written(tmp_path, {"x": ["1,5", "2"], "y": ["1.5", "2"]}))
    assert [look.kind for look in both.columns.values()] == ["text", "number"]
    (text,) = looked(written(tmp_path, {"x": ["a,b", "2"]}))
    assert text.columns["x"].decimal == "."


def test_types_and_codes_are_applied(tmp_path: Path) -> None:
    (table,) = looked(written(tmp_path, {"x": ["1", "2", "-9", "-9"]}), types={"x": "number"}, null_values={"x": -9})
    margin = table.columns["x"].margin
    assert (list(margin.labels), margin.records.tolist(), margin.levels, margin.missing) == ([1, 2], [1, 1], 2, 2)
    with pytest.raises(ValueError, match="`types` names 'y', which is in no table"):
        looked({"x": [1]}, types={"y": "number"})
    with pytest.raises(TypeError, match=r"`types` must be a mapping \{column: type\}; got 'number'"):
        looked({"x": [1]}, types="number")
    with pytest.raises(ValueError, match="`null_values` names 'y', which is in no table"):
        looked({"x": [1]}, null_values={"y": "NA"})


def test_identifiers_are_whole_numbers_or_texts_that_are_nearly_all_distinct() -> None:
    n = 40
    columns = {"id": list(range(n)), "name": [f"p{i}" for i in range(n)], "measured": [i + 0.5 for i in range(n)], "few": [1, 2] * (n // 2)}
    (table,) = looked(columns)
    assert [is_identifier(look) for look in table.columns.values()] == [True, True, False, False]
    for few, identifies in ((5, False), (19, False), (20, True)):
        (short,) = looked({"id": list(range(few))})
        assert is_identifier(short.columns["id"]) is identifies


def test_texts_that_are_numbers_have_a_least_a_mean_and_a_greatest_one(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"x;y;z;u\n1,5;a;-99;1\n4;b;1;2\n4;1;;{10**400}\n2;c;2;3\n")
    (table,) = looked(path, decimal=",")
    assert [look.spread for look in table.columns.values()] == [(1.5, 2.875, 4.0), None, (-99.0, -32.0, 2.0), None]


def test_names_that_occur_twice_are_no_column(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,b,a\n1,2,3\n")
    (table,) = looked(path)
    assert (list(table.columns), table.twice) == (["b"], ["a"])


def test_texts_are_compared_with_the_numbers_they_are(tmp_path: Path) -> None:
    one, other = looked({"x": [1, 2, 2]}, written(tmp_path, {"x": ["2", "3"]}))
    mine, theirs = one.columns["x"], other.columns["x"]
    assert joint_kind(mine, theirs) == "number"
    entry = compared_labels(mine, theirs)
    assert (entry["shared"], entry["absent"], entry["absent_records"], entry["foreign"]) == (1, 1, 1, 1)
    one, other = looked({"x": [1, 2]}, {"x": ["a", "b"]})
    assert joint_kind(one.columns["x"], other.columns["x"]) is None


def test_a_column_that_was_not_looked_at_as_a_whole_is_tried_before_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_LABELS", 2)
    good, bad = ["1", "1", "2", "2", "3", "NA", "NA"], ["1", "1", "2", "2", "x"]
    tables = looked({"good": good, "bad": [*bad, "1", "1"]})
    assert is_accepted("good", tables, Options(null_values={"good": ["NA"]}), 10)
    assert not is_accepted("good", tables, Options(), 10)
    assert not is_accepted("bad", tables, Options(), 10)


@pytest.mark.parametrize(
    ("original", "released", "options", "bins", "accepted"),
    [
        ([1000, 2500], ["1000", "2.500"], {"types": {"x": "number"}}, None, True),
        ([1000, 2500], ["1.000", "2.500"], {"types": {"x": "number"}}, None, False),  # which reads them as 1 and 2.5
        ([1000, 2500], ["1000", "2500"], {}, None, False),
        ([1000, 2500], ["1.000", "2.500"], {}, 2, False),
        ([1000, 2500], [None, None], {}, 2, False),
        (["a", "-"], ["a", "-"], {"null_values": {"x": ["-"]}}, None, True),
        (["a", "b"], ["a", "b"], {"null_values": {"x": ["-"]}}, None, False),  # a code that occurs nowhere
        (["a", "-"], ["b", "-"], {"null_values": {"x": ["-"]}}, None, False),  # a missing value is nothing in common
    ],
)
def test_a_reading_is_tried_on_the_labels(original: Any, released: Any, options: Any, bins: Any, accepted: bool) -> None:
    assert is_accepted("x", looked({"x": original}, {"x": released}), Options(**options), bins) == accepted


def test_numbers_of_levels_of_random_columns_are_exact(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({f"c{i}": rng.integers(0, 1 + 3**i, 200) for i in range(8)})
    frame.to_csv(tmp_path / "t.csv", index=False)
    (table,) = looked(tmp_path / "t.csv")
    assert {c: look.margin.levels for c, look in table.columns.items()} == {c: frame[c].nunique() for c in frame}
