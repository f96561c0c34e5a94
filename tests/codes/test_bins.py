"""Bins: what the caller asks for, where columns are cut, and bins of codes that mean missing."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import dask.dataframe as dd
import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from spark_session import spark_session
from strategies import examples

from capstats import MISSING, LevelsWarning, tabulate
from capstats.codes.bins import Numbers, code_numbers, cut_at_points, cut_column, equal_width, with_codes
from capstats.codes.missing_codes import Codes

pytestmark = pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # Ibis with a newer DuckDB

N = 300
RNG = np.random.default_rng(5)
DAY = dt.date(1969, 12, 1)
MOMENT = dt.datetime(1969, 12, 31, 23)


def holes(values: Any, every: int) -> list[Any]:
    return [None if i % every == 3 else x for i, x in enumerate(values)]


COLUMNS: dict[str, list[Any]] = {
    "float": [*holes(np.round(RNG.normal(40, 15, N - 3), 2).tolist(), 17), math.inf, -math.inf, math.nan],
    "int": holes(RNG.integers(-5, 90, N).tolist(), 13),
    "whole": RNG.integers(0, 90, N).tolist(),
    "date": holes([DAY + dt.timedelta(int(d)) for d in RNG.integers(0, 90, N)], 11),
    "datetime": holes([MOMENT + dt.timedelta(microseconds=int(d)) for d in RNG.integers(0, 10**11, N)], 19),
    "zone": holes([(MOMENT + dt.timedelta(seconds=int(d))).replace(tzinfo=dt.UTC) for d in RNG.integers(0, 10**6, N)], 19),
    "constant": [7.5] * N,
    "infinite": [math.inf, -math.inf, None] * (N // 3),
    "nothing": [None] * N,
    "w": RNG.integers(0, 4, N).tolist(),
    "t": [str(x) for x in RNG.choice(["x", "y"], N)],
}
POINTS: dict[str, list[Any]] = {
    "float": [18, 40.5, 65],
    "int": [18, 40.5, 65],
    "whole": [18],
    "date": ["1969-12-31", dt.date(1970, 1, 2)],
    "datetime": [dt.date(1970, 1, 1), dt.datetime(1970, 1, 1, 12)],
    "zone": [dt.datetime(1970, 1, 2, tzinfo=dt.UTC), dt.datetime(1970, 1, 5, 3, tzinfo=dt.timezone(dt.timedelta(hours=2)))],
    "constant": [7.5],
    "infinite": [0],
    "nothing": [1],
}
ARROW_TYPES = {"whole": pa.int8(), "zone": pa.timestamp("us", "Europe/Berlin"), "nothing": pa.float64()}  # that are not the usual ones
ARROW = pa.table({c: pa.array(values, ARROW_TYPES.get(c)) for c, values in COLUMNS.items()})
TYPES = {"date": "date", "datetime": "datetime", "zone": "datetime"}  # of columns that are text in CSV


def pandas_frame() -> pd.DataFrame:
    frame = ARROW.to_pandas()
    frame["int"] = pd.array(COLUMNS["int"], "Int64")
    return frame


def parquet(folder: Path) -> str:
    ARROW.to_pandas(date_as_object=True).to_parquet(folder / "t.parquet")
    return str(folder / "t.parquet")


def csv(folder: Path) -> str:
    rows = [",".join("" if x is None or x != x else str(x) for x in row) for row in zip(*COLUMNS.values(), strict=True)]
    (folder / "t.csv").write_text("\n".join([",".join(COLUMNS), *rows]))
    return str(folder / "t.csv")


ENGINES: dict[str, Callable[[Path], Any]] = {
    "pandas": lambda _: pandas_frame(),
    "pandas arrow": lambda _: ARROW.to_pandas(types_mapper=pd.ArrowDtype),
    "pandas objects": lambda _: pd.DataFrame({c: pd.Series(v, dtype=object) for c, v in COLUMNS.items()}),
    "polars": lambda _: pl.from_arrow(ARROW),
    "polars lazy": lambda _: pl.from_arrow(ARROW).lazy(),  # type: ignore[union-attr]
    "pyarrow": lambda _: ARROW,
    "mapping": lambda _: COLUMNS,
    "CSV": csv,
    "Parquet": parquet,
    "DuckDB relation": lambda folder: duckdb.sql(f"SELECT * FROM '{parquet(folder)}'"),
    "Ibis": lambda folder: ibis.duckdb.connect().read_parquet(parquet(folder)),
    "Dask": lambda _: dd.from_pandas(ARROW.to_pandas(types_mapper=pd.ArrowDtype), npartitions=3),
}


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Any]:
    return request.param, ENGINES[request.param](tmp_path_factory.mktemp("tables"))


def sizes(tables: xr.Dataset, column: str) -> dict[Any, float]:
    return dict(zip(tables.indexes["key"].get_level_values(column), tables.o.sum("target").values.tolist(), strict=True))


def missing(x: Any) -> bool:
    return x is None or x != x


def expected(column: str, points: list[Any], weights: list[int] | None = None) -> dict[Any, float]:
    """Record by record: compare with each point."""
    texts = [p.isoformat() if isinstance(p, dt.date) else f"{p:.12g}" for p in points]
    labels = [f"({a}, {b}{']' if b != 'inf' else ')'}" for a, b in zip(["-inf", *texts], [*texts, "inf"], strict=True)]
    found: Counter[Any] = Counter()
    for x, w in zip(COLUMNS[column], weights or [1] * N, strict=True):
        found[MISSING if missing(x) else labels[sum(x > p for p in points)]] += w
    return {x: found[x] for x in [*labels, MISSING] if x in found}


def all_counted(
    table: Any, bins: Any, weights: str | None, types: dict[str, str] | None = None, columns: Any = tuple(POINTS)
) -> xr.Dataset:
    """All columns at once, so that each bin of each of them meets those of the others."""
    asked = {column: POINTS[column] if bins == "points" else bins for column in columns}
    return tabulate(table, keys=list(columns), target="t", bins=asked, types=types, weights=weights)


@cache
def all_counted_in_memory(bins: Any, weights: str | None) -> xr.Dataset:
    """What every engine is compared with."""
    return all_counted(COLUMNS, bins, weights)


# --- every engine -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bins", "weights"), [(1, "w"), (7, None), (("quantile", 7), None), (("quantile", 4), "w"), ("points", "w")], ids=str
)
def test_every_engine_gives_the_same_dataset(engine: tuple[str, Any], bins: Any, weights: str | None) -> None:
    name, table = engine
    tables = all_counted(table, bins, weights, TYPES if name == "CSV" else None)
    xr.testing.assert_identical(tables, all_counted_in_memory(bins, weights))
    assert int(tables.o.sum()) == (N if weights is None else sum(COLUMNS["w"]))


@pytest.mark.parametrize("column", POINTS)
def test_explicit_points_cut_as_a_slow_loop_does(column: str) -> None:
    tables = tabulate(COLUMNS, keys=column, target="t", bins={column: POINTS[column]})
    points = {
        "date": [dt.date(1969, 12, 31), dt.date(1970, 1, 2)],
        "datetime": [dt.datetime(1970, 1, 1), dt.datetime(1970, 1, 1, 12)],
        "zone": [dt.datetime(1970, 1, 2, tzinfo=dt.UTC), dt.datetime(1970, 1, 5, 1, tzinfo=dt.UTC)],
    }.get(column, POINTS[column])
    assert sizes(tables, column) == expected(column, points)
    assert tables.attrs["bins"] == {column: [p.isoformat() if isinstance(p, dt.date) else p for p in points]}


def test_every_engine_cuts_at_more_than_a_thousand_points(engine: tuple[str, Any]) -> None:
    points = np.linspace(-50, 50, 1201).tolist()
    of_engine, of_pandas = (tabulate(x, keys="whole", target="t", bins={"whole": points}) for x in (engine[1], pandas_frame()))
    xr.testing.assert_identical(of_engine, of_pandas)


def test_bins_of_two_columns_and_a_plain_one_are_counted_together(engine: tuple[str, Any]) -> None:
    name, table = engine
    types = {"date": "date"} if name == "CSV" else None
    tables = tabulate(table, keys=["float", "t"], target="date", bins={"float": 3, "date": 2}, types=types)
    assert tables.identical(tabulate(COLUMNS, keys=["float", "t"], target="date", bins={"float": 3, "date": 2}))


def test_a_column_of_another_kind_raises_on_every_engine(engine: tuple[str, Any]) -> None:
    name, table = engine
    original = {"date": [1.5, 2.5], "t": ["x", "y"]}
    if name == "CSV":
        with pytest.raises(
            ValueError, match=r"Column 'date' of `synthetic` holds \d+ levels \(\d+ records\) that are not a number.* type in `types`"
        ):
            tabulate(original, table, keys="date", target="t", bins={"date": 2})
    else:
        with pytest.raises(
            TypeError, match=r"Column 'date' holds date labels in `synthetic(\.partitions\[\d\])?`, and its cut points are of kind number"
        ):
            tabulate(original, table, keys="date", target="t", bins={"date": 2})


@pytest.mark.parametrize("bins", [2, ("quantile", 2), [1]], ids=str)
def test_text_that_is_no_number_raises_on_every_engine(engine: tuple[str, Any], bins: Any) -> None:
    with pytest.raises(
        ValueError,
        match=r"Column 't' of `original(\.partitions\[\d\])?` holds [12] levels? \(\d+ records?\) that (is|are) not a number",
    ):
        tabulate(engine[1], keys="whole", target="t", bins={"t": bins})


def test_a_missing_column_agrees_with_cut_points_of_any_kind(engine: tuple[str, Any]) -> None:
    original = {"nothing": [DAY, DAY + dt.timedelta(9)], "t": ["x", "y"]}
    types = {"nothing": "date"} if engine[0] == "CSV" else None
    with pytest.warns(LevelsWarning, match="'nothing' has no level in common"):
        tables = tabulate(original, engine[1], keys="nothing", target="t", bins={"nothing": 2}, types=types)
    assert tables.indexes["key"].get_level_values(0).tolist() == ["(-inf, 1969-12-05]", "(1969-12-05, inf)", MISSING]


# --- where to cut -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 10])
@pytest.mark.parametrize("column", ["int", "whole", "float"])
def test_equal_width_is_that_of_pandas_cut(column: str, n: int) -> None:
    values = pd.Series([math.nan if missing(x) or math.isinf(x) else float(x) for x in COLUMNS[column]])
    codes, edges = pd.cut(values, n, labels=False, retbins=True)
    tables = tabulate({"a": values, "t": COLUMNS["t"]}, keys="a", target="t", bins={"a": n})
    assert tables.attrs["bins"]["a"] == edges[1:-1].tolist()
    found = [int(tables.o.sel(a=x).sum()) for x in tables.indexes["key"].get_level_values("a")]
    assert found == [*codes.value_counts().sort_index().tolist(), *([int(values.isna().sum())] if values.isna().any() else [])]


@pytest.mark.parametrize("n", [2, 4, 10])
def test_quantiles_are_those_of_numpy_over_expanded_records(n: int) -> None:
    values, weights = np.array(COLUMNS["whole"]) / 7, COLUMNS["w"]
    tables = tabulate({"a": values, "w": weights, "t": COLUMNS["t"]}, keys="a", target="t", bins={"a": ("quantile", n)}, weights="w")
    assert tables.attrs["bins"]["a"] == np.quantile(np.repeat(values, weights), [i / n for i in range(1, n)]).tolist()


def test_equal_quantiles_merge_and_those_at_the_ends_cut_nothing() -> None:
    values = [0] * 10 + [1] * 5 + [2] * 5 + [6] * 30
    tables = tabulate({"a": values, "t": values}, keys="a", target="t", bins={"a": ("quantile", 20)})
    kept = pd.qcut(pd.Series(values), 20, duplicates="drop", retbins=True)[1][1:-1]
    assert tables.attrs["bins"]["a"] == pytest.approx(kept.tolist(), rel=1e-12)


def test_a_record_of_weight_zero_does_not_move_the_cut_points() -> None:
    table = {"a": [0, 10, 1000], "w": [1, 1, 0], "t": ["x", "y", "x"]}
    for bins in (2, ("quantile", 2)):
        tables = tabulate(table, keys="a", target="t", bins={"a": bins}, weights="w")
        assert tables.attrs["bins"]["a"] == [5]


def test_fractional_weights_have_no_quantiles_between_records(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2], "w": [0.5, 1.5], "t": ["x", "y"]})
    frame.to_parquet(tmp_path / "t.parquet")
    for table in (frame, tmp_path / "t.parquet", pl.LazyFrame(frame)):
        assert tabulate(table, keys="a", target="t", bins={"a": 2}, weights="w").o.sum() == 2
        with pytest.raises(
            ValueError, match=r"weights must be whole numbers; those of `original` are fractional, and .*'a'\. Give cut points"
        ):
            tabulate(table, keys="a", target="t", bins={"a": ("quantile", 2)}, weights="w")


def test_the_original_alone_decides_and_the_outer_bins_are_open() -> None:
    o, s = {"a": [0, 10], "t": ["x", "y"]}, {"a": [-100, 5, 6, 1e9, math.inf, -math.inf, math.nan], "t": ["x"] * 7}
    tables = tabulate(o, s, keys="a", target="t", bins={"a": 2})
    assert tables.indexes["key"].get_level_values("a").tolist() == ["(-inf, 5]", "(5, inf)", MISSING]
    assert tables.s.sum("target").values.tolist() == [3, 3, 1]


def test_a_whole_double_is_a_number_of_bins_and_a_list_a_pair() -> None:
    """As R has them, which knows neither integers without an L nor pairs."""
    frame = pd.DataFrame({"age": range(20), "sick": ["no", "yes"] * 10})
    for plain, of_r in ((4, 4.0), (("quantile", 4), ["quantile", 4.0])):
        found, expected = (tabulate(frame, keys="age", target="sick", bins={"age": bins}) for bins in (of_r, plain))
        assert found.identical(expected)


@pytest.mark.parametrize("bins", [1, 5, ("quantile", 5)], ids=str)
@pytest.mark.parametrize("values", [[7.5, 7.5], [math.inf, -math.inf]], ids=str)
def test_a_column_without_extent_is_one_bin(values: list[float], bins: Any) -> None:
    tables = tabulate({"a": values, "t": [1, 2]}, keys="a", target="t", bins={"a": bins})
    assert sizes(tables, "a") == {"(-inf, inf)": 2}
    assert tables.attrs["bins"] == {"a": []}


def test_missing_records_are_dropped_after_cutting() -> None:
    tables = tabulate({"a": [1, None, 3], "t": [1, 2, 3]}, keys="a", target="t", bins={"a": [2]}, missing="drop")
    assert sizes(tables, "a") == {"(-inf, 2]": 1, "(2, inf)": 1}
    assert tables.attrs["dropped"] == {"original": 1}


def test_cut_points_beyond_an_integer_type_leave_one_side_empty() -> None:
    for dtype, values in (("int8", [-128, 127]), ("uint8", [0, 255])):
        tables = tabulate({"a": np.array(values, dtype), "t": [1, 2]}, keys="a", target="t", bins={"a": [-1e5, 1e5]})
        assert sizes(tables, "a") == {"(-100000.0, 100000.0]".replace(".0", ""): 2}


def test_a_lazy_column_of_text_is_parsed_as_numbers() -> None:
    table = {"a": ["1", " 2.5", "inf", None, "-1e3"], "t": ["x"] * 5}
    for bins in (3, ("quantile", 2), [1]):
        lazy = tabulate(pl.LazyFrame(table), keys="a", target="t", bins={"a": bins})
        assert lazy.identical(tabulate(table, keys="a", target="t", bins={"a": bins}))


def test_lazy_text_is_not_parsed_as_dates() -> None:
    with pytest.raises(TypeError, match="'a' of `original` is text in a lazy frame, where it is not parsed as a date to be cut"):
        tabulate(pl.LazyFrame({"a": ["2024-01-01"], "t": [1]}), keys="a", target="t", bins={"a": 2}, types={"a": "date"})


def test_dates_are_datetimes_where_types_says_so(tmp_path: Path) -> None:
    dates = pa.table({"a": pa.array(COLUMNS["date"]), "t": COLUMNS["t"]})
    pa.parquet.write_table(dates, tmp_path / "t.parquet")
    (tmp_path / "t.csv").write_text(
        "a,t\n" + "".join(f"{'' if a is None else a},{t}\n" for a, t in zip(COLUMNS["date"], COLUMNS["t"], strict=True))
    )
    given = [dates, pl.from_arrow(dates), pl.from_arrow(dates).lazy(), tmp_path / "t.parquet", tmp_path / "t.csv"]  # type: ignore[union-attr]
    for bins in (7, ("quantile", 3), ["1969-12-30T12:00:00"]):
        first, *others = [tabulate(x, keys="a", target="t", bins={"a": bins}, types={"a": "datetime"}) for x in given]
        assert "T" in first.attrs["bins"]["a"][0]
        assert all(other.identical(first) for other in others)


# --- labels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "bins", "labels"),
    [
        ([0, 1], 10, ["(-inf, 0.1]", "(0.9, inf)"]),
        ([0, 1], 3, ["(-inf, 0.3333]", "(0.6667, inf)"]),
        ([17, 90], 2, ["(-inf, 53.5]", "(53.5, inf)"]),
        ([0, 2469135.6], 2, ["(-inf, 1234567.8]", "(1234567.8, inf)"]),
        ([0, 4e9], 2, ["(-inf, 2000000000]", "(2000000000, inf)"]),
        ([0, 1, 2], [0.1 + 0.2], ["(-inf, 0.30000000000000004]", "(0.30000000000000004, inf)"]),
        ([1e300, -1e300], [-1e299, 1e299], ["(-inf, -1e+299]", "(1e+299, inf)"]),
        ([-1.7e308, 1.7e308], 2, ["(-inf, 0]", "(0, inf)"]),
    ],
)
def test_labels_are_short_and_tell_whole_numbers_from_fractions(values: list[float], bins: Any, labels: list[str]) -> None:
    tables = tabulate({"a": values, "t": values}, keys="a", target="t", bins={"a": bins})
    assert tables.indexes["key"].get_level_values("a").tolist() == labels


def test_the_stored_name_of_a_column_tells_its_cut_points() -> None:
    tables = tabulate({"o": [1, 5], "t": [1, 2]}, keys="o", target="t", bins={"o": 2})
    assert tables.attrs["bins"] == {"o_": [3]}


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bins", "error", "message"),
    [
        ([1], TypeError, r"`bins` must be a mapping \{column: bins\}; got list of length 1\. Give"),
        ({"ag": 3}, ValueError, r"`bins` names 'ag', which is neither a key nor the target\. Did you mean 'age'"),
        ({"age": 0}, ValueError, r"number of bins must be a whole number, from 1 to 1000000; `bins` of column 'age' has 0"),
        ({"age": 10**20}, ValueError, r"number of bins must be a whole number, from 1 to 1000000; `bins` of column 'age' has 1000"),
        ({"age": ("quantile", 0)}, ValueError, r"number of bins must be .*'age' has 0"),
        ({"age": ("quantile", 2.5)}, ValueError, r"number of bins must be .*'age' has 2.5"),
        ({"age": True}, TypeError, r"`bins` of column 'age' must be a number of bins such as 10, .*; got True"),
        ({"age": 2.5}, TypeError, r"`bins` of column 'age' must be .*; got 2.5"),
        ({"age": "quantile"}, TypeError, r"`bins` of column 'age' must be .*; got 'quantile'"),
        ({"age": []}, ValueError, r"`bins` of column 'age' must have at least one cut point; got list of length 0"),
        (
            {"age": [1, math.nan]},
            ValueError,
            r"Cut points must be finite; .*'age' has \[1, nan\]\. Leave that one out: the outer bins are open",
        ),
        ({"age": [-math.inf, 1]}, ValueError, r"Cut points must be finite; .*'age' has \[-inf, 1\]"),
        ({"age": [65, 18]}, ValueError, r"Cut points must increase; `bins` of column 'age' has 65 before 18\. Sort them"),
        ({"age": [18, 18.0]}, ValueError, r"Cut points must increase; .* 18 before 18"),
        ({"age": [True]}, TypeError, r"Cut points must be numbers, dates or datetimes; .*'age' has True"),
        ({"age": [1, dt.date(2024, 1, 1)]}, TypeError, r"Column 'age' of `bins` mixes kinds"),
        ({"age": [dt.date(2024, 1, 1)]}, TypeError, r"Column 'age' holds number labels in `original`, and its cut points are of kind date"),
        ({"age": ["old"]}, ValueError, r"Column 'age' of `bins` holds 'old', which is not a number"),
        ({"day": [1]}, ValueError, r"Column 'day' of `bins` holds 1, which is not a date"),
        ({"ok": 2}, TypeError, r"Only numbers, dates and datetimes can be cut; column 'ok' of `original` holds bool labels\. Leave it out"),
    ],
    ids=str,
)
@pytest.mark.parametrize("form", ["mapping", "lazy", "Parquet"])
def test_a_mistake_is_told_with_rule_value_place_and_remedy(
    tmp_path: Path, form: str, bins: Any, error: type[Exception], message: str
) -> None:
    table: Any = {"age": [10, 20], "day": [DAY, DAY], "ok": [True, False], "t": ["x", "y"]}
    if form == "Parquet":
        pl.DataFrame(table).write_parquet(tmp_path / "t.parquet")
    given = {"mapping": table, "lazy": pl.LazyFrame(table), "Parquet": tmp_path / "t.parquet"}[form]
    with pytest.raises(error, match=message):
        tabulate(given, keys=["age", "day", "ok"], target="t", bins=bins)


def test_types_of_a_cut_column_must_be_ones_that_can_be_cut() -> None:
    with pytest.raises(ValueError, match=r"A column that is cut must be of type 'number', 'date', 'datetime'; `types` says 'text' for 'a'"):
        tabulate({"a": [1], "t": [1]}, keys="a", target="t", bins={"a": 2}, types={"a": "text"})


# --- Spark ------------------------------------------------------------------------------------------------------------


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("bins", [4, ("quantile", 4), "points"], ids=str)
def test_spark_gives_the_same_dataset(tmp_path: Path, bins: Any) -> None:
    """Of all columns at once but those of times, whose zone is the session's."""
    table, columns = spark_session().read.parquet(parquet(tmp_path)), [c for c in POINTS if c not in ("datetime", "zone")]
    assert all_counted(table, bins, "w", columns=columns).identical(all_counted(COLUMNS, bins, "w", columns=columns))


# --- columns as numbers ----------------------------------------------------------------------------------------------


def test_a_cut_point_that_only_unsigned_integers_hold_is_exact() -> None:
    tables = tabulate({"k": [1, 2**63, 2**63 + 1], "t": [1, 1, 1]}, keys="k", target="t", bins={"k": [2**63]})
    assert tables.o.values.tolist() == [[2, 1]]


def test_nanoseconds_are_cut_exactly(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array([-1_500, -1_000, -999, 1_000, 1_001], pa.timestamp("ns")), "t": list("vwxyz")})
    pq.write_table(table, tmp_path / "t.parquet")
    points = [dt.datetime(1969, 12, 31, 23, 59, 59, 999_999), dt.datetime(1970, 1, 1, 0, 0, 0, 1)]
    for data in (table, table.to_pandas(), pl.from_arrow(table), pl.from_arrow(table).lazy(), tmp_path / "t.parquet"):  # type: ignore[union-attr]
        tables = tabulate(data, keys="a", target="t", bins={"a": points})
        assert tables.o.sum("target").values.tolist() == [2, 2, 1]


def test_a_cut_point_between_two_microseconds_is_refused() -> None:
    table = {"a": [dt.datetime(1970, 1, 1)], "t": ["x"]}
    with pytest.raises(
        ValueError, match=r"Cut points must be whole microseconds; `bins` of column 'a' has 1970-01-01T00:00:00\.000000001\."
    ):
        tabulate(table, keys="a", target="t", bins={"a": [pd.Timestamp(1)]})


def test_types_that_a_column_is_not_of_are_told(tmp_path: Path) -> None:
    table = {"a": [1, 2], "t": ["x", "y"]}
    pl.DataFrame(table).write_parquet(tmp_path / "t.parquet")
    for data in (table, pl.LazyFrame(table), tmp_path / "t.parquet"):
        with pytest.raises(TypeError, match=r"Column 'a' of `original` holds number labels, and `types` says 'date'\. Convert"):
            tabulate(data, keys="a", target="t", bins={"a": 2}, types={"a": "date"})


# --- codes that mean missing -----------------------------------------------------------------------------------------


NUMBERS = st.one_of(st.integers(-120, 120), st.floats(-120, 120).map(lambda x: round(x, 1)))


@examples(60)
@given(st.lists(NUMBERS, min_size=1), st.lists(NUMBERS, min_size=1, unique=True), st.lists(NUMBERS, max_size=4), st.booleans())
def test_other_values_stay_in_their_bins_and_codes_are_told_apart(values: Any, points: Any, codes: Any, whole: bool) -> None:
    numbers = Numbers("number", np.array([int(x) if whole else x for x in values]))
    given_codes = Codes(codes)
    plain = cut_at_points(sorted(points), "number", None, "x")
    coded = with_codes(plain, given_codes)
    before, after = cut_column(numbers, plain, "x", "t"), cut_column(numbers, coded, "x", "t")
    for value, old, new in zip(numbers.values.tolist(), before.codes, after.codes, strict=True):
        label = after.labels[new]
        meaning = coded.meanings[label] if codes else label
        expected = frozenset(i for i, code in enumerate(codes) if code == value)
        assert meaning == (expected or before.labels[old])


@pytest.mark.parametrize("kind", ["date", "datetime", "datetime with zone"])
def test_the_first_day_has_nothing_below_it(kind: Any) -> None:
    codes = Codes(["0001-01-01", "9999-12-31"])
    first, last = code_numbers(codes, kind)
    cut = with_codes(cut_at_points(["1980-01-01"], "date", "date" if kind == "date" else "datetime", "x"), codes)
    if kind == "datetime with zone":
        return
    found = cut_column(Numbers(cut.kind, np.array([first, 0, last])), cut, "x", "t")
    assert [cut.meanings[found.labels[code]] for code in found.codes] == [frozenset({0}), cut.meanings["bin 1"], frozenset({1})]


def test_texts_come_after_the_bins() -> None:
    cut = with_codes(cut_at_points([10], "number", None, "x"), Codes(["NA", -99]))
    assert list(cut.texts) == ["NA", "-99"]
    numbers = Numbers("number", np.array([0.0, 0.0, -99.0]), np.array([True, False, False]), texts=np.array([0, -1, -1]))
    found = cut_column(numbers, cut, "x", "t")
    assert [cut.meanings.get(found.labels[code], MISSING) for code in found.codes] == [frozenset({0}), "(-inf, 10]", frozenset({1})]
    assert with_codes(cut, Codes([])) is cut


def test_a_day_beside_a_code_is_no_code() -> None:
    """31 December 9999 means missing; the day before does not."""
    days = [dt.date(2020, 1, 1), dt.date(2021, 1, 1), dt.date(9999, 12, 30), dt.date(9999, 12, 31)]
    tables = tabulate({"k": days, "t": [1] * 4}, keys="k", target="t", bins={"k": [dt.date(2020, 6, 1)]}, null_values=[days[-1]])
    assert tables.o.sum("target").to_series().tolist() == [1, 2, 1]


def test_parts_of_equal_width_of_dates_are_fractions_of_days() -> None:
    assert equal_width(3, 13, 4, "date") == [5.5, 8, 10.5]
