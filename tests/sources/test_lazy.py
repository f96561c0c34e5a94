"""Every engine counts the same awkward records alike; only counts come back."""

from __future__ import annotations

import datetime as dt
import decimal
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from spark_session import spark_session

import capstats

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

dd = pytest.importorskip("dask.dataframe", reason="Dask is in the test extra", exc_type=ImportError)
ibis = pytest.importorskip("ibis", reason="Ibis is in the test extra", exc_type=ImportError)

EARLY, LATE = dt.date(1999, 12, 31), dt.date(2020, 1, 2)
RAW: dict[str, list[Any]] = {
    "sex": ["f", "m", None, "f", "", "é | x", "m", "f", "10", "9"],
    "size": [2.0, 10.0, float("nan"), 2.0, 1.5, 2.0, None, 10.0, float("inf"), -0.0],
    "day": [LATE, None, EARLY, LATE, LATE, LATE, EARLY, None, None, None],
    "ok": [True, False, None, True, True, True, False, True, None, False],
    'q"; DROP TABLE x; --': [1, 2, None, 1, 1, 1, 2, 1, 2, 1],
    "t": ["low", "high", "mid", None, "low", "low", "mid", "high", "low", "low"],
    "w": [1, 2, 3, 4, 5, 6, 7, 8, 0, 1],
    "v": [0.5, 0.5, 1.0, 1.5, 2.0, 2.0, 2.0, 0.25, 0.0, 1.0],
}
KEYS = ["sex", "size", "day", "ok", 'q"; DROP TABLE x; --']
TYPES = {"t": ["mid", "low", "high"]}  # an odd order, which several relations cannot keep by themselves


def records() -> pl.DataFrame:
    return pl.DataFrame(RAW, strict=False)


@pytest.fixture(scope="module")
def parquet(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("awkward") / "records.parquet"
    records().write_parquet(path)
    return str(path)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed", reason="Dask is in the test extra", exc_type=ImportError)
    with (
        distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as local,
        distributed.Client(local) as client,
    ):
        yield client


def counted(table: Any, **options: Any) -> xr.Dataset:
    return capstats.tabulate(table, table, keys=KEYS, target="t", types=TYPES, **options)


DUCKDB = duckdb.connect()  # an older relation does not keep its connection open

ENGINES: dict[str, Callable[[str], Any]] = {
    "pandas": lambda path: pd.DataFrame(RAW),
    "pyarrow": lambda path: records().to_arrow(),
    "mapping": lambda path: RAW,
    "polars lazy frame": lambda path: records().lazy(),
    "polars scan": pl.scan_parquet,
    "Parquet file": Path,
    "DuckDB relation": lambda path: DUCKDB.read_parquet(path),
    "Ibis table": lambda path: ibis.duckdb.connect().read_parquet(path),
}


OF_SPARK = ("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning", "ignore::ResourceWarning")


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # of Ibis, with a newer DuckDB
@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")  # of Dask, with a newer pandas
@pytest.mark.parametrize("options", [{}, {"weights": "w"}, {"weights": "v"}, {"missing": "drop"}], ids=str)
@pytest.mark.parametrize(
    "engine",
    [
        *ENGINES,
        pytest.param("cluster", marks=pytest.mark.slow),
        pytest.param("spark", marks=[pytest.mark.slow, pytest.mark.spark, pytest.mark.filterwarnings(*OF_SPARK)]),
    ],
)
def test_every_engine_counts_the_awkward_records_alike(
    engine: str, options: dict[str, Any], parquet: str, request: pytest.FixtureRequest
) -> None:
    if engine == "cluster":
        request.getfixturevalue("cluster")
        table = dd.read_parquet(parquet).repartition(npartitions=3)
    else:
        table = spark_session().read.parquet(parquet) if engine == "spark" else ENGINES[engine](parquet)
    assert counted(table, **options).identical(counted(records(), **options))


def test_original_and_synthetic_may_live_on_different_relations(parquet: str) -> None:
    found = capstats.tabulate(records().lazy(), [ENGINES["DuckDB relation"](parquet), RAW, parquet], keys=KEYS, target="t", types=TYPES)
    same = capstats.tabulate(records(), [records()] * 3, keys=KEYS, target="t", types=TYPES)
    assert found.identical(same)


def test_partial_counts_of_shards_on_different_relations_add_up_to_the_whole() -> None:
    whole = counted(records())
    first = records().head(4)
    assert capstats.merge_counts(counted(first.lazy()), counted(pd.DataFrame({c: v[4:] for c, v in RAW.items()}))).identical(whole)


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf"), None])
@pytest.mark.parametrize("lazy", [True, False])
def test_weights_that_are_none_are_refused(bad: float | None, lazy: bool) -> None:
    frame = pl.DataFrame({"k": [1, 2], "t": [1, 1], "w": [1.0, bad]})
    table = frame.lazy() if lazy else duckdb.sql("SELECT * FROM frame")
    with pytest.raises(ValueError, match=r"Weights and counts must be numbers that are finite and not negative; rows of `original` where"):
        capstats.tabulate(table, keys="k", target="t", weights="w")


@pytest.mark.parametrize(
    ("weights", "dtype"),
    [
        ([2_000_000_000, 2_000_000_000], pl.Int32),
        ([4_000_000_000, 4_000_000_000], pl.UInt32),
        ([2.0**24, 1.0], pl.Float32),
        ([decimal.Decimal("0.25"), decimal.Decimal("0.75")], pl.Decimal(10, 2)),
    ],
)
def test_sums_of_weights_are_wider_than_the_weights(weights: list[Any], dtype: Any) -> None:
    frame = pl.DataFrame({"k": ["a", "a"], "t": [1, 1], "w": pl.Series(weights, dtype=dtype)})
    whole = capstats.tabulate(frame, keys="k", target="t", weights="w")
    assert whole.o.item() == sum(weights)
    found = capstats.tabulate(frame.lazy(), keys="k", target="t", weights="w")
    assert found.identical(whole)
    assert found.o.dtype == whole.o.dtype == ("float64" if dtype == pl.Decimal(10, 2) else "int64")


@pytest.mark.parametrize("engine", ["polars", "ibis", "list"])
def test_integers_beyond_int64_are_cut_exactly(engine: str) -> None:
    frame = pl.DataFrame({"x": pl.Series([2**63, 2**63 + 1, 2**64 - 1, 7], dtype=pl.UInt64), "t": [0, 1, 2, 3]})
    table: Any = {"polars": frame.lazy(), "ibis": ibis.memtable(frame.to_arrow()), "list": frame.to_dict(as_series=False)}[engine]
    for points in ([2**63], [7, 2**63], [2**64 - 2, 2**64 - 1], [-1, 2**70]):
        whole = capstats.tabulate(frame, keys="x", target="t", bins={"x": points})
        assert capstats.tabulate(table, keys="x", target="t", bins={"x": points}).identical(whole)


@pytest.mark.parametrize("point", [2**63, 10**25])
def test_a_cut_point_may_be_beyond_all_integers_of_the_column(point: int) -> None:
    """Ibis has no literal of it among integers."""
    frame = pl.DataFrame({"x": [2**63 - 1, -5], "t": [0, 1]})
    found = capstats.tabulate(ibis.memtable(frame.to_arrow()), keys="x", target="t", bins={"x": [0, point]})
    assert found.identical(capstats.tabulate(frame, keys="x", target="t", bins={"x": [0, point]}))


@pytest.mark.parametrize("wanted", [None, "date"])
@pytest.mark.parametrize("value", [True, dt.time(1), dt.timedelta(1), 1], ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("points", [2, ["2020-01-01"]])
def test_a_column_that_cannot_be_cut_is_refused_where_it_holds_a_value(value: Any, wanted: Any, points: Any) -> None:
    if (value, wanted) == (1, None):
        return
    frame = pl.DataFrame({"a": [value, None], "t": ["x", "y"]})
    types = {"a": wanted} if wanted else None
    with pytest.raises(TypeError, match="olumn 'a' of `original` holds") as eager:
        capstats.tabulate(frame, keys="a", target="t", bins={"a": points}, types=types)
    with pytest.raises(TypeError, match=re.escape(str(eager.value))):
        capstats.tabulate(frame.lazy(), keys="a", target="t", bins={"a": points}, types=types)
    nothing = frame.with_columns(pl.lit(None, frame.schema["a"]).alias("a"))
    found = capstats.tabulate(nothing.lazy(), keys="a", target="t", bins={"a": points}, types=types)
    assert found.indexes["key"].tolist() == [(capstats.MISSING,)]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"k": [1], "w": ["x"]}, r"Weights and counts must be numbers; column 'w' of `original` holds String"),
        ({"k": [], "w": pl.Series([], dtype=pl.Int64)}, "`original` is empty"),
        ({"kk": [1], "w": [1]}, r"Column 'k' is not in `original`. Did you mean 'kk'\?"),
    ],
)
def test_a_lazy_frame_that_cannot_be_counted_is_refused(columns: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        capstats.tabulate(pl.LazyFrame({**columns, "t": columns["w"]}), keys="k", target="t", weights="w")


def test_files_are_counted_alike_with_and_without_pyarrow(parquet: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from capstats.sources import relations

    with_arrow = counted(parquet)
    monkeypatch.setattr(relations.importlib.util, "find_spec", lambda name: None)
    assert counted(parquet).identical(with_arrow)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of Ibis, which pandas warns
@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
def test_texts_are_equal_where_their_bytes_are_whatever_the_collation(engine: str) -> None:
    """Those of PostgreSQL, with a collation that is not deterministic, are in tests/cli/test_sql.py."""
    connection = getattr(ibis, engine).connect()
    connection.raw_sql("CREATE TABLE people (b0 TEXT COLLATE NOCASE, t TEXT COLLATE NOCASE)")
    rows = [("a", "x"), ("A", "x"), ("A", "X"), ("é", None), ("É", "x"), ("\\x41", ""), (None, "x")]
    texts = ["(" + ", ".join("NULL" if x is None else f"'{x}'" for x in row) + ")" for row in rows]
    connection.raw_sql(f"INSERT INTO people VALUES {', '.join(texts)}")
    found, frame = connection.table("people"), pd.DataFrame(rows, columns=["b0", "t"], dtype=object)
    assert capstats.tabulate(found, keys="b0", target="t").equals(capstats.tabulate(frame, keys="b0", target="t"))


@pytest.mark.spark
@pytest.mark.filterwarnings(*OF_SPARK)
def test_texts_of_spark_too() -> None:
    found = spark_session().sql("SELECT k, collate(t, 'UTF8_LCASE') AS t FROM VALUES (1, 'a'), (1, 'A'), (2, 'é'), (2, NULL) AS x(k, t)")
    frame = pd.DataFrame({"k": [1, 1, 2, 2], "t": ["a", "A", "é", None]})
    assert capstats.tabulate(found, keys="k", target="t").equals(capstats.tabulate(frame, keys="k", target="t"))
