"""Numbers, durations, dates and enumerations of DuckDB become the labels that they are elsewhere."""

from __future__ import annotations

import datetime as dt
import decimal
from decimal import Decimal
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xarray as xr

import capstats
from capstats import MISSING, audit, tabulate
from capstats.sources import relations


def test_exact_numbers_of_a_relation_stay_exact() -> None:
    relation = duckdb.sql("SELECT * FROM (VALUES (0.1::DECIMAL(9, 1), 2::HUGEINT, 'a'), (0.2, 10, 'b')) AS r(x, y, t)")
    tables = capstats.tabulate(relation, keys=["x", "y"], target="t")
    assert list(tables.indexes["key"]) == [(0.1, 2), (0.2, 10)]
    assert tables.identical(
        capstats.tabulate({"x": [decimal.Decimal("0.1"), 0.2], "y": [2, 10], "t": ["a", "b"]}, keys=["x", "y"], target="t")
    )


def test_a_column_that_a_relation_lacks_is_named() -> None:
    relation = duckdb.sql("SELECT 1 AS age, 2 AS sick")
    for bins in (None, {"aeg": 2}):
        with pytest.raises(ValueError, match=r"Column 'aeg' is not in `original`. Did you mean 'age'\?"):
            capstats.tabulate(relation, keys="aeg", target="sick", bins=bins)


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_a_collation_takes_no_text_for_another() -> None:
    people = {"k": ["a", "A", "a", "é", "E"], "t": ["x", "x", "x", "X", "x"]}
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE people (k VARCHAR COLLATE NOCASE.NOACCENT, t VARCHAR COLLATE NOCASE)")
        connection.executemany("INSERT INTO people VALUES (?, ?)", list(zip(*people.values(), strict=True)))
        table = connection.table("people")
        found = tabulate(table, table, keys="k", target="t", null_values={"k": "A"})
        copies = audit(table, people, keys="k", target="t", allow_same=True).measures
    assert found.equals(tabulate(people, people, keys="k", target="t", null_values={"k": "A"}))
    assert copies.copied_records == 5


def test_an_enumeration_of_duckdb_keeps_its_order() -> None:
    relation = duckdb.sql("SELECT x::ENUM('tall', 'small') AS x, 1 AS t FROM (VALUES ('small'), ('tall')) AS r(x)")
    assert capstats.tabulate(relation, keys="x", target="t").indexes["key"].get_level_values("x").tolist() == ["tall", "small"]


SPANS = [dt.timedelta(hours=1), dt.timedelta(milliseconds=5), None, dt.timedelta(days=2)]


@pytest.mark.usefixtures("with_and_without_pyarrow")
def test_durations_of_every_engine_are_the_same_labels(tmp_path: Path) -> None:
    connection = duckdb.connect()
    relation = connection.sql(
        "SELECT * FROM (VALUES (INTERVAL 60 MINUTE, 1), (INTERVAL 5 MILLISECOND, 1), (NULL, 1), (INTERVAL 48 HOUR, 1)) AS v(a, t)"
    )
    relation.write_parquet(str(tmp_path / "spans.parquet"))
    frame = pl.DataFrame({"a": SPANS, "t": [1] * 4})
    expected = capstats.tabulate({"a": SPANS, "t": [1] * 4}, keys="a", target="t")
    assert [str(x) for x in expected.indexes["key"].get_level_values("a")][:2] == ["0 days 00:00:00.005000", "0 days 01:00:00"]
    for table in (frame, frame.lazy(), frame.to_pandas(), frame.to_arrow(), relation, str(tmp_path / "spans.parquet")):
        assert capstats.tabulate(table, keys="a", target="t").identical(expected)


def test_durations_are_a_kind_and_match_no_number() -> None:
    with pytest.raises(TypeError, match="Column 'a' holds duration labels in `original` and number labels in `synthetic`"):
        capstats.tabulate({"a": SPANS, "t": [1] * 4}, {"a": [1, 2], "t": [1, 1]}, keys="a", target="t")


def test_calendar_intervals_are_durations_unless_they_have_months() -> None:
    day = pa.array([pa.MonthDayNano([0, 1, 0]), pa.MonthDayNano([0, 0, 86_400 * 10**9])])
    tables = capstats.tabulate(pa.table({"a": day, "t": [1, 1]}), keys="a", target="t")
    assert tables.o.values.tolist() == [[2]]
    connection = duckdb.connect()
    month = connection.sql("SELECT INTERVAL 1 MONTH AS a, 1 AS t")
    for table in (month, month.to_arrow_table() if hasattr(month, "to_arrow_table") else month.arrow()):
        with pytest.raises(ValueError, match="Column 'a' of `original` holds intervals of months or years, whose length varies"):
            capstats.tabulate(table, keys="a", target="t")


@pytest.mark.usefixtures("with_and_without_pyarrow")
@pytest.mark.parametrize(
    "moment", ["DATE '20000-01-01'", "DATE '0044-03-15 (BC)'", "TIMESTAMP '20000-01-01'", "TIMESTAMP 'infinity'", "TIMESTAMPTZ '-infinity'"]
)
def test_dates_that_python_lacks_are_told_with_their_column(moment: str, tmp_path: Path) -> None:
    connection = duckdb.connect()
    relation = connection.sql(f"SELECT {moment} AS a, 1 AS t UNION ALL SELECT NULL, 2")
    relation.write_parquet(str(tmp_path / "dates.parquet"))
    for table in (relation, str(tmp_path / "dates.parquet")):
        with pytest.raises(ValueError, match="Column 'a' of `original` holds dates that are infinite or not within the years 1 to 9999"):
            capstats.tabulate(table, keys="a", target="t")


@pytest.mark.usefixtures("with_and_without_pyarrow")
def test_labels_that_are_too_long_in_all_are_refused_before_they_are_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relations, "MOST_TEXT", 1 << 20)
    relation = duckdb.sql("SELECT repeat('Secret', 1000) AS k, range AS t FROM range(10000)")
    relation.write_parquet(str(tmp_path / "long.parquet"))
    relation.write_csv(str(tmp_path / "long.csv.gz"))
    for table in (relation, tmp_path / "long.parquet", tmp_path / "long.csv.gz"):
        with pytest.raises(
            ValueError, match=r"The labels of `original` are too long: .* beyond 256 bytes adds up to more than 1 MB"
        ) as raised:
            capstats.tabulate(table, keys="k", target="t")
        assert "Secret" not in str(raised.value)
    short = relation.select("left(k, 256) AS k, t")  # however many there are
    assert capstats.tabulate(short, keys="k", target="t").o.sum() == 10_000


# --- a file is cut within DuckDB as a table in memory is, and what is not of a form that is cut there raises ----------


def test_decimals_are_cut_alike_in_memory_and_in_files(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array([Decimal(i) / 100 for i in range(200)], pa.decimal128(9, 2)), "t": ["x"] * 200})
    pq.write_table(table, tmp_path / "t.parquet")
    for bins in (7, ("quantile", 7), [0.1, 0.29, 1.1]):
        tables = tabulate(table, keys="a", target="t", bins={"a": bins})
        for other in (tmp_path / "t.parquet", pl.from_arrow(table).lazy()):  # type: ignore[union-attr]
            assert tabulate(other, keys="a", target="t", bins={"a": bins}).identical(tables)


@pytest.mark.newest  # DuckDB 1 reads no zone after minutes
def test_a_file_with_zones_in_some_rows_only_raises(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,t\n2024-01-01 00:00,1\n2024-01-01 00:00Z,1\n")
    for bins in (2, ["2024-01-01"]):
        with pytest.raises(TypeError, match=r"mixes kinds|holds datetime with zone labels in `original`"):
            tabulate(tmp_path / "t.csv", keys="a", target="t", bins={"a": bins}, types={"a": "datetime"})


def test_a_file_with_dates_in_another_form_raises(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,t\n20240101,1\n")
    with pytest.raises(ValueError, match=r"holds 1 level \(1 record\) that is not in a form that is cut in files: 2024-01-31"):
        tabulate(tmp_path / "t.csv", keys="a", target="t", bins={"a": 2}, types={"a": "date"})


@pytest.mark.parametrize("spec", [2, ("quantile", 2), [2.0]])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_nan_of_a_parquet_file_with_statistics_is_missing(dtype, spec, tmp_path):
    """With the least and the greatest number in the statistics, DuckDB takes `isnan` for false; an infinity would hide it."""
    table = pa.table({"x": pa.array([1.0, 2.0, 3.0, np.nan, np.nan], dtype), "t": list("ababa")})
    pq.write_table(table, tmp_path / "n.parquet")
    of_file, of_memory = (tabulate(x, keys="x", target="t", bins={"x": spec}).o for x in (tmp_path / "n.parquet", table))
    assert of_file.sel(x=MISSING).sum() == 2
    xr.testing.assert_identical(of_file, of_memory)
