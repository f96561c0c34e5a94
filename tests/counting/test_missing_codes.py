"""Codes of missing values: numbers, dates and texts, for all columns or one, mean the same in whatever holds the records."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest
import xarray as xr
from doors import DOORS, csv, parquet
from spark_session import spark_session

from capstats import audit, disclosure
from capstats.attacks import membership_scores
from capstats.codes.labels import MISSING
from capstats.counting.tabulate import tabulate
from capstats.peers import disclosure_protection
from capstats.screening import sweep

CODES: dict[str, Any] = {
    "income": [-99, Decimal("-98.5")],
    "children": "99",
    "born": [dt.date(1900, 1, 1), "9999-12-31"],
    "word": ["?", "-1"],
}
TYPES = {"income": "number", "children": "number", "born": "date"}
COLUMNS = list(CODES)


def records(seed: int, n: int = 60) -> dict[str, list[Any]]:
    """Random records, each code and some missing values among them."""
    rng = np.random.default_rng(seed)
    born = [dt.date(1950, 1, 1) + dt.timedelta(days=int(x)) for x in rng.integers(0, 20_000, n - 8)]
    columns: dict[str, list[Any]] = {
        "income": [-99.0, -98.5, None, *rng.normal(20, 9, n - 3).round(1).tolist()],
        "children": [99, 99, *rng.integers(0, 5, n - 2).tolist()],
        "born": [dt.date(1900, 1, 1), dt.date(9999, 12, 31), None, *born, *born[:5]],
        "word": ["?", "-1", None, *rng.choice(["a", "b", "7"], n - 3).tolist()],
        "t": rng.choice(["x", "y"], n).tolist(),
        "w": rng.integers(1, 4, n).tolist(),
    }
    order = rng.permutation(n).tolist()
    return {name: [values[i] for i in order] for name, values in columns.items()}


def without_codes(columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """The same records with None for each code, which somebody else replaced."""
    codes = {"income": (-99, -98.5), "children": (99,), "born": (dt.date(1900, 1, 1), dt.date(9999, 12, 31)), "word": ("?", "-1")}
    return {name: [None if x in codes.get(name, ()) else x for x in values] for name, values in columns.items()}


ENUM = "ENUM('1', 'NA', '', '2', '30', '?', '-1', 'a', 'b', '7')"
EVERY = DOORS | {
    "pandas categories": lambda columns, _: pd.DataFrame(columns).astype({c: "category" for c in columns if c in ("word", "children")}),
    "pandas nullable": lambda columns, _: pd.DataFrame(columns).convert_dtypes(),
    "polars categories": lambda columns, _: pl.DataFrame(columns).with_columns(pl.col("^word$").cast(pl.Categorical)),
    "pyarrow dictionary": lambda columns, _: pa.table(columns | {"word": pa.array(columns["word"]).dictionary_encode()}),
    "Ibis": lambda columns, _: ibis.memtable(pa.table(columns)),
    "relation of an enumeration": lambda columns, _: duckdb.from_arrow(pa.table(columns)).select(f"* REPLACE (word::{ENUM} AS word)"),
    "odd CSV": lambda columns, folder: csv(columns, folder / "odd.csv", end="\r\n\n"),
}
BINS = [
    None,
    {"income": 3, "children": 2},
    {"income": ("quantile", 4), "born": 2},
    {"income": [-99, 0, 20.5], "born": ["1900-01-01", "1980-01-01"]},
]


@pytest.mark.parametrize("bins", BINS, ids=repr)
@pytest.mark.parametrize("door", EVERY)
def test_codes_are_as_missing_as_values_that_somebody_else_removed(door: str, bins: Any, tmp_path: Path) -> None:
    columns = records(seed=len(bins or ()))
    options: dict[str, Any] = {"keys": COLUMNS, "target": "t", "bins": bins, "types": TYPES, "weights": "w" if bins else None}
    found = tabulate(EVERY[door](columns, tmp_path), null_values=CODES, **options)
    expected = tabulate(without_codes(columns), **options)
    xr.testing.assert_identical(found.o.sel(key=expected.indexes["key"]), expected.o)
    assert found.sizes == expected.sizes
    assert found.attrs.get("bins") == expected.attrs.get("bins")
    assert found.attrs["null_values"]["income"] == ["-99", "-98.5"]


@pytest.mark.parametrize("door", EVERY)
def test_without_null_values_an_empty_text_is_a_label(door: str, tmp_path: Path) -> None:
    """In CSV: with quotes; without them it is missing."""
    texts = ["1", "NA", "", "2", "1", "30", "NA", None]
    tables = tabulate(EVERY[door]({"word": texts, "t": ["x", "y"] * 4}, tmp_path), keys="word", target="t")
    assert {x for (x,) in tables.indexes["key"]} == {"", "1", "2", "30", "NA", MISSING}
    assert int(tables.o.sel(word=MISSING).sum()) == 1


def test_a_pool_of_categories_with_gaps_is_cut_as_text_is() -> None:
    """Polars keeps the texts of all Categorical columns in one pool, so that those of one column need not stand side by side."""
    pool = pl.Series(["7001", "a gap", "7002", "another", "7003"]).cast(pl.Categorical)
    texts = ["7001", "7003", "", "7002", "7003"]
    options: dict[str, Any] = {"keys": "k", "target": "t", "null_values": [""], "bins": {"k": [7001, 7002]}}
    found = tabulate(pl.DataFrame({"k": pl.Series(texts).cast(pl.Categorical), "t": list("xyxyx")}), **options)
    xr.testing.assert_identical(found, tabulate({"k": texts, "t": list("xyxyx")}, **options))
    assert len(pool) == 5


def test_a_null_value_is_no_category_any_more() -> None:
    frame = pd.DataFrame({"k": pd.Categorical(["b", "NA", "a"], ["b", "NA", "a"]), "t": ["x"] * 3})
    tables = tabulate(frame, keys="k", target="t", null_values="NA")
    assert [x for (x,) in tables.indexes["key"]] == ["b", "a", MISSING]
    assert tables.attrs["categories"] == {"k": ["b", "a"]}


@pytest.mark.spark
@pytest.mark.parametrize("bins", BINS, ids=repr)
def test_spark_knows_codes_alike(bins: Any, tmp_path: Path) -> None:
    columns = records(1)
    options: dict[str, Any] = {"keys": COLUMNS, "target": "t", "bins": bins, "types": TYPES}
    found = tabulate(spark_session().read.parquet(str(parquet(columns, tmp_path))), null_values=CODES, **options)
    expected = tabulate(without_codes(columns), **options)
    xr.testing.assert_identical(found.o.sel(key=expected.indexes["key"]), expected.o)


@pytest.mark.parametrize("code", [-99, -99.0, "-99", "-99.0", "-9.9e1", Decimal("-99.00"), np.float32(-99), np.int8(-99)], ids=repr)
@pytest.mark.parametrize("values", [[-99, 1], [-99.0, 1.5], ["-99", "1"], ["-99.0", "b"], [Decimal("-99.0"), Decimal(1)]], ids=repr)
def test_a_code_and_a_label_are_compared_as_numbers(code: Any, values: list[Any]) -> None:
    for null_values in (code, [code], {"k": code}, {"*": [code]}):
        tables = tabulate({"k": values, "t": ["x", "x"]}, keys="k", target="t", null_values=null_values)
        assert tables.indexes["key"][1] == (MISSING,)
        assert len(tables.indexes["key"]) == 2


@pytest.mark.parametrize(
    ("code", "values"),
    [(7, ["007", "8"]), ("7", [" 7", "8"]), (1, [True, False]), (0, ["no", "yes"]), (-99, [dt.date(1900, 1, 1)]), ("a", ["A"])],
    ids=repr,
)
def test_what_is_no_number_is_not_compared_as_one(code: Any, values: list[Any]) -> None:
    columns = {"k": values, "t": ["x"] * len(values)}
    with pytest.raises((ValueError, TypeError), match="`null_values` of column 'k' has"):
        tabulate(columns, keys="k", target="t", null_values={"k": code})
    with pytest.raises(ValueError, match="occurs in none of the columns that were read"):
        tabulate(columns, keys="k", target="t", null_values=code)


@pytest.mark.parametrize(
    "code", [dt.date(1900, 1, 1), dt.datetime(1900, 1, 1), pd.Timestamp("1900-01-01"), np.datetime64("1900-01-01"), "1900-01-01"]
)
@pytest.mark.parametrize(
    "values",
    [
        [dt.date(1900, 1, 1), dt.date(1990, 1, 1)],
        [dt.datetime(1900, 1, 1), dt.datetime(1990, 1, 1, 12, 30)],
        [dt.datetime(1900, 1, 1, tzinfo=dt.UTC), dt.datetime(1990, 1, 1, tzinfo=dt.UTC)],
        ["1900-01-01", "1990-01-01"],
    ],
    ids=repr,
)
def test_a_code_and_a_label_are_compared_as_dates(code: Any, values: list[Any]) -> None:
    columns = {"k": values, "t": ["x", "x"]}
    assert tabulate(columns, keys="k", target="t", null_values={"k": code}).indexes["key"][1] == (MISSING,)
    options: dict[str, Any] = {} if not isinstance(values[0], str) else {"types": {"k": "datetime"}}
    cut = tabulate(columns, keys="k", target="t", null_values={"k": code}, bins={"k": 2}, **options)
    assert [x for (x,) in cut.indexes["key"]] == ["(-inf, inf)", MISSING]


def test_codes_of_named_columns_leave_empty_fields_and_other_columns_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b,t\n-9,-9,x\n,,x\n"",1,x\n')
    tables = tabulate(path, keys=["a", "b"], target="t", null_values={"a": [-9]})
    assert set(tables.indexes["key"]) == {(MISSING, "-9"), (MISSING, MISSING), ("", "1")}
    both = tabulate(path, keys=["a", "b"], target="t", null_values={"*": [""], "a": [-9]})
    assert set(both.indexes["key"]) == {(MISSING, "-9"), (MISSING, MISSING), (MISSING, "1")}


def test_decimal_commas_and_codes(tmp_path: Path) -> None:
    columns = {"income": [-99.5, 1.5, 2.5, 3.5], "t": ["x"] * 4}
    path = csv(columns, tmp_path / "t.csv", sign=",")
    for code in (-99.5, "-99.5", "-99,5"):
        options: dict[str, Any] = {"keys": "income", "target": "t", "decimal": ",", "null_values": {"income": code}}
        cut = tabulate(path, bins={"income": [2]}, **options)
        assert [x for (x,) in cut.indexes["key"]] == ["(-inf, 2]", "(2, inf)", MISSING]
        read = tabulate(path, types={"income": "number"}, **options)
        assert [x for (x,) in read.indexes["key"]] == [1.5, 2.5, 3.5, MISSING]


def test_stata_and_excel_files_know_codes(tmp_path: Path) -> None:
    frame = pd.DataFrame({"income": [-99.0, 1.5, 2.5, 8.0], "n": [99, 1, 2, 2], "t": ["x", "x", "y", "y"]})
    pyreadstat.write_dta(frame, str(tmp_path / "t.dta"))
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    expected = tabulate(frame.replace({-99.0: None, 99: None}), keys=["income", "n"], target="t", bins={"income": 2})
    for file in ("t.dta", "t.xlsx"):
        for codes in ({"income": [-99], "n": 99}, ["-99", "99"]):
            found = tabulate(tmp_path / file, keys=["income", "n"], target="t", bins={"income": 2}, null_values=codes)
            xr.testing.assert_identical(found.o, expected.o)


# --- errors -----------------------------------------------------------------------------------------------------------

RECORDS = {"income": [-99, 10, 20, 30], "sick": ["yes", "no", "no", "yes"]}


@pytest.mark.parametrize("bins", [None, {"income": 2}, {"income": ("quantile", 2)}], ids=repr)
@pytest.mark.parametrize("door", ["mapping", "Parquet", "polars lazy", "CSV", "Dask"])
def test_a_code_that_occurs_in_no_table_is_an_error_with_the_likely_codes(door: str, bins: Any, tmp_path: Path) -> None:
    table = DOORS[door](RECORDS, tmp_path)
    options: dict[str, Any] = {"keys": "income", "target": "sick", "bins": bins}
    with pytest.raises(
        ValueError, match=r"of column 'income' has -98, which occurs in no table\. Levels of it that look like codes: '?-99'?\."
    ):
        tabulate(table, null_values={"income": [-98]}, **options)
    with pytest.raises(
        ValueError,
        match=r"has 'zzz', which occurs in none of the columns that were read\. Levels that look like codes: '?-99'? of 'income'\.",
    ):
        tabulate(table, null_values="zzz", **options)
    for unused in ({"income": [-98, -99]}, ["zzz", -99]):
        found = tabulate(table, null_values=unused, allow_unused_codes=True, **options)
        assert int(found.o.sel(income=MISSING).sum()) == 1


def test_a_code_may_occur_in_any_of_the_tables() -> None:
    other = {"income": [-98, 10, 20], "sick": ["yes", "no", "no"]}
    tables = tabulate(
        RECORDS, {"a": RECORDS, "b": other}, keys="income", target="sick", null_values={"income": [-99, -98]}, bins={"income": 2}
    )
    assert int(tables.s.sel(synthetic="b", income=MISSING).sum()) == 1


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        ({"incom": [-99]}, "`null_values` names 'incom', which is in no table. Did you mean 'income'?"),
        ({"sick": [True]}, "of column 'sick' has True, which is no text, as all labels of the column are."),
        ({"income": ["NA"]}, "of column 'income' has 'NA', which is no number, as all labels of the column are."),
        ({"income": [dt.date(1900, 1, 1)]}, "of column 'income' has '1900-01-01', which is no number, as all labels of the column are."),
        ([None], "`null_values` must be texts, numbers or dates, or a mapping"),
        ({"income": [float("nan")]}, "None and NaN are missing anyway."),
        ({"income": [[-99]]}, "`null_values` must be texts, numbers or dates, or a mapping"),
        ({"income": {-99: "x"}}, "`null_values` names 'income', which is no table; the tables are 'original'."),
        (b"NA", "`null_values` must be texts, numbers or dates, or a mapping"),
        ([float("inf")], "`null_values` must be texts, numbers or dates, or a mapping"),
        ([dt.timedelta(1)], "`null_values` must be texts, numbers or dates, or a mapping"),
        ("-99,-98", "Give several codes one by one: '-99', '-98'."),
    ],
    ids=repr,
)
def test_codes_that_can_be_none_are_refused(codes: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError)) as error:
        tabulate(RECORDS, keys="income", target="sick", null_values=codes)
    assert message in str(error.value)


def test_every_door_of_the_library_takes_codes_by_column() -> None:
    options: dict[str, Any] = {"keys": "income", "target": "sick", "null_values": {"income": [-99]}}
    release = {"income": [None, 10, 20, 20], "sick": ["yes", "no", "no", "no"]}
    assert audit(RECORDS, release, **options).provenance["null_values"] == {"income": ["-99"]}
    assert "missing in all tables: -99 of income" in str(audit(RECORDS, release, **options))
    assert disclosure.record_risk(RECORDS, release, **options)["cap"].tolist() == [1, 1, 1, 0]
    assert float(disclosure_protection(RECORDS, release, **options).matched_share) == 0.75
    swept = sweep(RECORDS, release, keys="income", targets="sick", null_values={"income": [-99]}, measures="average_cap_zero")
    assert float(swept.value.squeeze()) == 0.75
    known: dict[str, Any] = {"columns": ["income", "sick"], "widths": 1}
    removed = {**RECORDS, "income": [None, *RECORDS["income"][1:]]}
    scores = membership_scores(RECORDS, release, null_values={"income": [-99]}, **known)
    assert scores.values.tolist() == membership_scores(removed, release, **known).values.tolist()
    unused = {"income": [-98]}
    with pytest.raises(ValueError, match="-98, which occurs in no table"):
        membership_scores(RECORDS, release, null_values=unused, **known)
    calls: list[Callable[..., Any]] = [audit, disclosure.record_risk, disclosure_protection]
    for call in calls:
        with pytest.raises(ValueError, match="-98, which occurs in no table"):
            call(RECORDS, release, **{**options, "null_values": unused})
        call(removed, release, **{**options, "null_values": unused, "allow_unused_codes": True})


def test_two_spellings_of_one_code_are_both_used():
    for codes in (["-99", "-99.0"], [-99, "-99.00"]):
        found = tabulate({"k": ["-99", "5", "7"], "t": [*"xyx"]}, keys="k", target="t", null_values=codes)
        assert found.o.sel(k=MISSING).sum() == 1


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_a_column_without_a_value_is_cut_for_codes_of_its_type(tmp_path):
    (tmp_path / "o.csv").write_text("d,t\n,a\n,b\n", encoding="utf-8")
    (tmp_path / "s.csv").write_text("d,t\n1900-01-01,a\n2001-05-03,b\n", encoding="utf-8")
    of: dict[str, Any] = {"keys": "d", "target": "t", "bins": {"d": 2}, "types": {"d": "datetime"}, "null_values": {"d": ["1900-01-01"]}}
    found = tabulate(tmp_path / "o.csv", tmp_path / "s.csv", **of)
    assert (found.o.sel(d=MISSING).sum(), found.s.sel(d=MISSING).sum()) == (2, 1)
