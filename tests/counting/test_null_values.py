"""One rule for texts that mean missing, whatever holds them."""

from __future__ import annotations

from typing import Any

import dask.dataframe as dd
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xarray as xr

from capstats.codes.labels import MISSING
from capstats.counting.tabulate import tabulate

TEXTS = ["1", "NA", "", "2", "1", "30", "NA", None]


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The same records in whatever holds records."""
    folder = tmp_path_factory.mktemp("records")
    columns = {"k": TEXTS, "t": ["x", "y"] * 4, "w": [1, 2] * 4}
    frame = pd.DataFrame(columns).astype({"k": object})
    pq.write_table(pa.table(columns), folder / "t.parquet")
    lines = [",".join(["" if k is None else k if k == "NA" else f'"{k}"', t, str(w)]) for k, t, w in zip(*columns.values(), strict=True)]
    (folder / "t.csv").write_text("\n".join(["k,t,w", *lines]))
    (folder / "odd.csv").write_text("\r\n\n".join(["k,t,w", *lines]))
    return {
        "columns": columns,
        "pandas object": frame,
        "pandas text": frame.astype({"k": "string"}),
        "pandas categories": frame.astype({"k": "category"}),
        "polars": pl.DataFrame(columns),
        "polars categories": pl.DataFrame(columns).with_columns(pl.col("k").cast(pl.Categorical)),
        "polars lazy": pl.LazyFrame(columns),
        "pyarrow": pa.table(columns),
        "pyarrow dictionary": pa.table({**columns, "k": pa.array(TEXTS).dictionary_encode()}),
        "relation": duckdb.from_arrow(pa.table(columns)),
        "relation of an enumeration": duckdb.from_arrow(pa.table(columns)).select("k::ENUM('1', 'NA', '', '2', '30', 'b') AS k, t, w"),
        "Dask": dd.from_pandas(frame, npartitions=3),
        "Parquet": folder / "t.parquet",
        "CSV": folder / "t.csv",
        "odd CSV": folder / "odd.csv",
    }


DOORS = ["columns", "pandas object", "pandas text", "pandas categories", "polars", "polars categories", "polars lazy", "pyarrow"]
DOORS += ["pyarrow dictionary", "relation", "relation of an enumeration", "Dask", "Parquet", "CSV", "odd CSV"]


@pytest.mark.few(5)
@pytest.mark.parametrize("door", DOORS)
def test_without_null_values_an_empty_text_is_a_label(doors: dict[str, Any], door: str) -> None:
    """In CSV: with quotes; without them it is missing."""
    tables = tabulate(doors[door], keys="k", target="t")
    assert {x for (x,) in tables.indexes["key"]} == {"", "1", "2", "30", "NA", MISSING}
    assert int(tables.o.sel(k=MISSING).sum()) == 1


def test_a_pool_of_categories_with_gaps_is_cut_as_text_is() -> None:
    """Polars keeps the texts of all Categorical columns in one pool, so that those of one column need not stand side by side."""
    pool = pl.Series(["7001", "a gap", "7002", "another", "7003"]).cast(pl.Categorical)
    texts = ["7001", "7003", "", "7002", "7003"]
    column = pl.Series(texts).cast(pl.Categorical)
    options: dict[str, Any] = {"keys": "k", "target": "t", "null_values": [""], "bins": {"k": [7001, 7002]}}
    found = tabulate(pl.DataFrame({"k": column, "t": list("xyxyx")}), **options)
    xr.testing.assert_identical(found, tabulate({"k": texts, "t": list("xyxyx")}, **options))
    assert len(pool) == 5


def test_a_null_value_is_no_category_any_more() -> None:
    frame = pd.DataFrame({"k": pd.Categorical(["b", "NA", "a"], ["b", "NA", "a"]), "t": ["x"] * 3})
    tables = tabulate(frame, keys="k", target="t", null_values="NA")
    assert [x for (x,) in tables.indexes["key"]] == ["b", "a", MISSING]
    assert tables.attrs["categories"] == {"k": ["b", "a"]}
