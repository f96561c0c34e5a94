"""Tables that an engine holds stay there: only the counts of distinct rows come back, whatever is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest
from spark_session import spark_session

import capstats
from capstats.counting import every_column, many_rows
from capstats.screening import sweep
from capstats.sources import dask_frames, relations

pytestmark = pytest.mark.slow

RECORDS, CELLS, FIRST = 3000, 12, 100  # of a table, of keys and target, and of the records that may be looked at
KNOWN: dict[str, Any] = {"keys": ["k", "j"], "target": "t"}


def table(seed: int) -> pl.DataFrame:
    """Records of few keys and targets, most of which are alone over all columns."""
    rng = np.random.default_rng(seed)
    few = {"k": rng.choice(["a", "b", "c"], RECORDS), "j": rng.integers(0, 2, RECORDS), "t": rng.choice(["u", "v"], RECORDS)}
    return pl.DataFrame(few | {"x": rng.integers(0, 10**6, RECORDS)})


@contextmanager
def of_duckdb(_: Path) -> Iterator[Callable[[pl.DataFrame], Any]]:
    with duckdb.connect() as connection:
        yield lambda frame: connection.from_arrow(frame.to_arrow())


@contextmanager
def of_polars(_: Path) -> Iterator[Callable[[pl.DataFrame], Any]]:
    yield lambda frame: frame.lazy()


@contextmanager
def of_dask(_: Path) -> Iterator[Callable[[pl.DataFrame], Any]]:
    dask = pytest.importorskip("dask.dataframe", reason="Dask is in an extra of its own", exc_type=ImportError)
    yield lambda frame: dask.from_pandas(frame.to_pandas(), npartitions=2)


@contextmanager
def of_spark(folder: Path) -> Iterator[Callable[[pl.DataFrame], Any]]:
    def written(frame: pl.DataFrame) -> Any:
        path = folder / f"{frame['x'].sum()}.parquet"
        frame.write_parquet(path)
        return spark_session().read.parquet(str(path))

    yield written


@pytest.fixture
def crossed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of rows that came back, one an answer."""
    rows: list[int] = []

    def watch(holder: Any, name: str, size: Callable[[Any], int]) -> None:
        own = getattr(holder, name)

        def watched(*args: Any, **given: Any) -> Any:
            found = own(*args, **given)
            rows.append(size(found))
            return found

        monkeypatch.setattr(holder, name, watched)

    watch(relations, "_fetched", lambda found: len(found[next(iter(found.column_names))]))
    watch(nw.LazyFrame, "collect", len)
    watch(dask_frames.DaskSource, "rows", lambda found: len(found[0][0].codes))
    monkeypatch.setattr(many_rows, "SAMPLE", FIRST)
    return rows


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
@pytest.mark.parametrize("engine", [of_duckdb, of_polars, of_dask, pytest.param(of_spark, marks=pytest.mark.spark)])
def test_only_counts_come_back(engine: Any, tmp_path: Path, crossed: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    with engine(tmp_path) as made:
        original, release = made(table(1)), made(table(2))
        capstats.tabulate(original, release, **KNOWN)
        sweep(original, release, keys=KNOWN["keys"], targets=["t"])
        assert 0 < max(crossed) <= CELLS
        audit = capstats.audit(original, release, **KNOWN)
        assert CELLS < max(crossed, default=0) <= FIRST or audit.provenance["copies"].startswith("not computed")
        assert max(crossed) <= FIRST
        monkeypatch.setattr(every_column, "MOST_LABELS", FIRST)
        capstats.describe(original, release)
        assert max(crossed) <= FIRST + 1
