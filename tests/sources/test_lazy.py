"""Every engine counts the same awkward records alike; only counts come back."""

from __future__ import annotations

import datetime as dt
import decimal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xarray as xr

import capstats

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

dd = pytest.importorskip("dask.dataframe", reason="Dask is in the test extra", exc_type=ImportError)
ibis = pytest.importorskip("ibis", reason="Ibis is in the test extra", exc_type=ImportError)

DAY = dt.date
RAW: dict[str, list[Any]] = {
    "sex": ["f", "m", None, "f", "", "é | x", "m", "f", "10", "9"],
    "size": [2.0, 10.0, float("nan"), 2.0, 1.5, 2.0, None, 10.0, float("inf"), -0.0],
    "day": [
        DAY(2020, 1, 2),
        None,
        DAY(1999, 12, 31),
        DAY(2020, 1, 2),
        DAY(2020, 1, 2),
        DAY(2020, 1, 2),
        DAY(1999, 12, 31),
        None,
        None,
        None,
    ],
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


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    pyspark = pytest.importorskip("pyspark.sql", reason="Spark is in an extra of its own", exc_type=ImportError)
    session = (
        pyspark.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "2")
        .getOrCreate()
    )
    yield session
    session.stop()


def counted(table: Any, weights: Any = None, **options: Any) -> xr.Dataset:
    return capstats.tabulate(table, table, keys=KEYS, target="t", types=TYPES, weights=weights, **options)


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


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # of Ibis, with a newer DuckDB
@pytest.mark.parametrize("weights", [None, "w", "v"])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_counts_the_awkward_records_alike(engine: str, weights: str | None, parquet: str) -> None:
    assert counted(ENGINES[engine](parquet), weights).identical(counted(records(), weights))


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")  # of Dask, with a newer pandas
@pytest.mark.parametrize("weights", [None, "w", "v"])
def test_dask_on_a_local_cluster_counts_them_alike(weights: str | None, parquet: str, cluster: Any) -> None:
    frame = dd.read_parquet(parquet).repartition(npartitions=3)
    assert counted(frame, weights).identical(counted(records(), weights))


@pytest.mark.filterwarnings("ignore:The inplace keyword:DeprecationWarning")
def test_partitions_of_dask_that_differ_in_what_they_hold_are_one_table() -> None:
    sizes = pd.Categorical(["s", "m", "m", "l"] * 25, categories=["xl", "l", "m", "s"])
    frame = pd.DataFrame({"a": sizes, "b": [None] * 50 + [1.5] * 50, "t": range(100), "w": [0] * 10 + [3] * 90})
    many = dd.from_pandas(frame, npartitions=20)  # more than are added up at a time
    empty = many[many.t % 2 == 7]
    for weights in (None, "w"):
        whole = capstats.tabulate(frame, keys=["a", "b"], target="t", weights=weights)
        assert capstats.tabulate(many, keys=["a", "b"], target="t", weights=weights).identical(whole)
        assert capstats.tabulate(dd.concat([empty, many]), keys=["a", "b"], target="t", weights=weights).identical(whole)
    with pytest.raises(ValueError, match="`original` is empty"):
        capstats.tabulate(empty, keys="a", target="t")


def test_integer_weights_of_dask_that_floats_cannot_sum_exactly_raise() -> None:
    frame = dd.from_pandas(pd.DataFrame({"k": [1, 1], "t": [1, 1], "w": [2**53 - 1, 2]}), npartitions=2)
    with pytest.raises(ValueError, match=r"The integer weights 'w' of `original` sum to 2\*\*53 or more"):
        capstats.tabulate(frame, keys="k", target="t", weights="w")


def test_what_is_wrong_in_a_partition_of_dask_is_told_with_the_partition() -> None:
    frame = dd.from_pandas(pd.DataFrame({"k": [1, 2, 3, 4], "t": [1, 1, 1, 1], "w": [1, 1, 1, -1]}), npartitions=2)
    with pytest.raises(ValueError, match=r"`original.partitions\[1\]` where column 'w' breaks this: 1, the first is row 1"):
        capstats.tabulate(frame, keys="k", target="t", weights="w")
    with pytest.raises(ValueError, match=r"Column 'kk' is not in `original`. Did you mean 'k'"):
        capstats.tabulate(frame, keys="kk", target="t")
    mixed = dd.from_map(lambda x: pd.DataFrame({"k": x, "t": [1]}), [[1], [True]], meta={"k": "int64", "t": "int64"})
    with pytest.raises(TypeError, match=r"holds (bool|number) labels in `original.partitions\[\d\]` and (bool|number) labels"):
        capstats.tabulate(mixed, keys="k", target="t")


@pytest.mark.spark
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning", "ignore::UserWarning", "ignore::ResourceWarning")
@pytest.mark.parametrize("weights", [None, "w", "v"])
def test_spark_in_local_mode_counts_them_alike(weights: str | None, parquet: str, spark: Any) -> None:
    assert counted(spark.read.parquet(parquet), weights).identical(counted(records(), weights))


def test_original_and_synthetic_may_live_on_different_relations(parquet: str) -> None:
    found = capstats.tabulate(records().lazy(), [ENGINES["DuckDB relation"](parquet), RAW, parquet], keys=KEYS, target="t", types=TYPES)
    same = capstats.tabulate(records(), [records()] * 3, keys=KEYS, target="t", types=TYPES)
    assert found.identical(same)


def test_partial_counts_of_shards_on_different_relations_add_up_to_the_whole() -> None:
    whole = counted(records())
    first = records().head(4)
    assert capstats.merge_counts(counted(first.lazy()), counted(pd.DataFrame({c: v[4:] for c, v in RAW.items()}))).identical(whole)


def test_missing_records_are_dropped_alike(parquet: str) -> None:
    found = counted(pl.scan_parquet(parquet), missing="drop")
    assert found.identical(counted(records(), missing="drop"))
    assert found.attrs["dropped"] == {"original": 7, "synthetic": 7}  # all but the first, fifth and sixth


def test_exact_numbers_of_a_relation_stay_exact() -> None:
    relation = duckdb.sql("SELECT * FROM (VALUES (0.1::DECIMAL(9, 1), 2::HUGEINT, 'a'), (0.2, 10, 'b')) AS r(x, y, t)")
    tables = capstats.tabulate(relation, keys=["x", "y"], target="t")
    assert list(tables.indexes["key"]) == [(0.1, 2), (0.2, 10)]
    assert tables.identical(
        capstats.tabulate({"x": [decimal.Decimal("0.1"), 0.2], "y": [2, 10], "t": ["a", "b"]}, keys=["x", "y"], target="t")
    )


def test_an_enumeration_of_duckdb_keeps_its_order() -> None:
    relation = duckdb.sql("SELECT x::ENUM('tall', 'small') AS x, 1 AS t FROM (VALUES ('small'), ('tall')) AS r(x)")
    assert capstats.tabulate(relation, keys="x", target="t").indexes["key"].get_level_values("x").tolist() == ["tall", "small"]


def test_an_absent_column_of_a_lazy_frame_is_told_with_the_nearest_name() -> None:
    with pytest.raises(ValueError, match=r"Column 'sxe' is not in `original`. Did you mean 'sex'\?"):
        capstats.tabulate(records().lazy(), keys="sxe", target="t")


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
    assert capstats.tabulate(frame.lazy(), keys="k", target="t", weights="w").identical(whole)


@pytest.mark.parametrize("engine", ["polars", "ibis", "list"])
def test_integers_beyond_int64_are_cut_exactly(engine: str) -> None:
    frame = pl.DataFrame({"x": pl.Series([2**63, 2**63 + 1, 2**64 - 1, 7], dtype=pl.UInt64), "t": [0, 1, 2, 3]})
    table: Any = {"polars": frame.lazy(), "ibis": ibis.memtable(frame.to_arrow()), "list": frame.to_dict(as_series=False)}[engine]
    for points in ([2**63], [7, 2**63], [2**64 - 2, 2**64 - 1], [-1, 2**70]):
        whole = capstats.tabulate(frame, keys="x", target="t", bins={"x": points})
        assert capstats.tabulate(table, keys="x", target="t", bins={"x": points}).identical(whole)


def test_weights_of_text_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Weights and counts must be numbers; column 'w' of `original` holds String"):
        capstats.tabulate(pl.LazyFrame({"k": [1], "t": [1], "w": ["x"]}), keys="k", target="t", weights="w")


def test_an_empty_lazy_frame_is_refused() -> None:
    with pytest.raises(ValueError, match="`original` is empty"):
        capstats.tabulate(pl.LazyFrame({"k": [], "t": []}), keys="k", target="t")


def test_text_in_objects_is_counted_alike_by_duckdb_and_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    from capstats.sources import object_text

    rng = np.random.default_rng(0)
    n = 2_000
    frame = pd.DataFrame(
        {
            "a": pd.Series(rng.choice(np.array(["x", "", "é", None, "10", "9"], object), n), dtype=object),
            "b": rng.integers(0, 5, n),
            "t": pd.Series(rng.choice(np.array(["u", "v", np.nan], object), n), dtype=object),
            "w": rng.integers(0, 4, n),
        }
    )
    for weights in (None, "w"):
        monkeypatch.setattr(object_text, "MUCH", 10**9)
        in_memory = capstats.tabulate(frame, keys=["a", "b"], target="t", weights=weights)
        monkeypatch.setattr(object_text, "MUCH", 1)
        assert object_text.suits(frame, ["a", "b", "t"])
        assert capstats.tabulate(frame, keys=["a", "b"], target="t", weights=weights).identical(in_memory)


CATEGORIES: list[Any] = [
    ["z", "y", "x"],
    [3, 1, 2],
    [1.5, 0.5],
    [True, False],
    [DAY(2020, 1, 2), DAY(2020, 1, 1)],
    pd.to_datetime(["2020-01-02", "2020-01-01"]),
    pd.to_datetime(["2020-01-02", "2020-01-01"]).tz_localize("Europe/Paris"),
]
BESIDE_TEXT: list[Any] = [
    *(pd.Categorical.from_codes([1, 0, -1, 1], categories=x) for x in CATEGORIES),
    pd.period_range("2020", periods=4, freq="D"),
    pd.interval_range(0, 4),
    pd.arrays.SparseArray([1, 0, 0, 1]),
    pd.array([1, None, 1, 2], "Int64"),
    pd.array(["a", None, "a", "b"], "string"),
    pd.array([DAY(2020, 1, 2), None] * 2, pd.ArrowDtype(pa.date32())),
    pd.Series(["half a pair: \ud800", "b", "b", None], dtype=object),
    pd.Categorical.from_codes([0, 1, 1, -1], categories=pd.Index(["half a pair: \ud800", "b"], dtype=object)),
]


@pytest.mark.parametrize("values", BESIDE_TEXT, ids=lambda values: str(values.dtype))
def test_a_column_beside_text_in_objects_keeps_its_labels_and_their_order(values: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from capstats.sources import object_text

    frame = pd.DataFrame({"a": values, "t": pd.Series(["u", "v", "u", None], dtype=object)})
    in_memory = capstats.tabulate(frame, keys="a", target="t")
    monkeypatch.setattr(object_text, "MUCH", 1)
    assert capstats.tabulate(frame, keys="a", target="t").identical(in_memory)


def test_objects_that_are_not_all_text_are_left_to_the_careful_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    from capstats.sources import object_text

    monkeypatch.setattr(object_text, "MUCH", 1)
    frame = pd.DataFrame({"a": pd.Series(["1", 1, True], dtype=object), "t": [1, 1, 1]})
    assert not object_text.suits(frame, ["a", "t"])
    with pytest.raises(TypeError, match="Column 'a' of `original` mixes kinds"):
        capstats.tabulate(frame, keys="a", target="t")


def test_files_are_counted_alike_with_and_without_pyarrow(parquet: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from capstats.sources import relations

    with_arrow = counted(parquet)
    monkeypatch.setattr(relations.importlib.util, "find_spec", lambda name: None)
    assert counted(parquet).identical(with_arrow)


SPANS = [dt.timedelta(hours=1), dt.timedelta(milliseconds=5), None, dt.timedelta(days=2)]


@pytest.mark.parametrize("arrow", [True, False])
def test_durations_of_every_engine_are_the_same_labels(tmp_path: Path, arrow: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    from capstats.sources import relations

    connection = duckdb.connect()
    relation = connection.sql(
        "SELECT * FROM (VALUES (INTERVAL 60 MINUTE, 1), (INTERVAL 5 MILLISECOND, 1), (NULL, 1), (INTERVAL 48 HOUR, 1)) AS v(a, t)"
    )
    relation.write_parquet(str(tmp_path / "spans.parquet"))
    frame = pl.DataFrame({"a": SPANS, "t": [1] * 4})
    expected = capstats.tabulate({"a": SPANS, "t": [1] * 4}, keys="a", target="t")
    assert [str(x) for x in expected.indexes["key"].get_level_values("a")][:2] == ["0 days 00:00:00.005000", "0 days 01:00:00"]
    if not arrow:
        monkeypatch.setattr(relations.importlib.util, "find_spec", lambda name: None)
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


@pytest.mark.parametrize("arrow", [True, False])
@pytest.mark.parametrize(
    "moment", ["DATE '20000-01-01'", "DATE '0044-03-15 (BC)'", "TIMESTAMP '20000-01-01'", "TIMESTAMP 'infinity'", "TIMESTAMPTZ '-infinity'"]
)
def test_dates_that_python_lacks_are_told_with_their_column(
    moment: str, arrow: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from capstats.sources import relations

    if not arrow:
        monkeypatch.setattr(relations.importlib.util, "find_spec", lambda name: None)
    connection = duckdb.connect()
    relation = connection.sql(f"SELECT {moment} AS a, 1 AS t UNION ALL SELECT NULL, 2")
    relation.write_parquet(str(tmp_path / "dates.parquet"))
    for table in (relation, str(tmp_path / "dates.parquet")):
        with pytest.raises(ValueError, match="Column 'a' of `original` holds dates that are infinite or not within the years 1 to 9999"):
            capstats.tabulate(table, keys="a", target="t")


def test_an_error_in_a_users_own_query_is_told_by_its_class_and_quotes_no_value() -> None:
    connection = duckdb.connect()
    relation = connection.sql("SELECT CAST('Zürich-65' AS INTEGER) AS a, 1 AS t FROM range(3)")
    frame = pl.LazyFrame({"a": ["Zürich-65"], "t": [1]}).with_columns(pl.col("a").cast(pl.Int64))
    for table in (relation, frame):
        with pytest.raises(ValueError, match=r"`original` cannot be computed: its engine stops with \w+\. Compute it by itself") as raised:
            capstats.tabulate(table, keys="a", target="t")
        assert raised.value.__suppress_context__
        assert "Zürich" not in str(raised.value)
