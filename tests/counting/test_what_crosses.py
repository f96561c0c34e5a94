"""Tables that an engine holds stay there: only the counts of distinct rows come back, whatever is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pytest
from doors import DOORS, Columns, parquet
from spark_session import spark_session

import capstats
from capstats.counting import every_column, many_rows
from capstats.screening import sweep
from capstats.sources import dask_frames, relations

pytestmark = pytest.mark.slow

RECORDS, CELLS, FIRST = 3000, 12, 100  # of a table, of keys and target, and of the records that may be looked at
KNOWN: dict[str, Any] = {"keys": ["k", "j"], "target": "t"}


def table(seed: int) -> Columns:
    """Records of few keys and targets, most of which are alone over all columns."""
    rng = np.random.default_rng(seed)
    few = {"k": rng.choice(["a", "b", "c"], RECORDS), "j": rng.integers(0, 2, RECORDS), "t": rng.choice(["u", "v"], RECORDS)}
    return {name: values.tolist() for name, values in (few | {"x": rng.integers(0, 10**6, RECORDS)}).items()}


EVERY = DOORS | {"Spark": lambda columns, folder: spark_session().read.parquet(str(parquet(columns, folder)))}


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
@pytest.mark.parametrize("door", ["relation", "polars lazy", "Dask", pytest.param("Spark", marks=pytest.mark.spark)])
def test_only_counts_come_back(
    door: str, tmp_path_factory: pytest.TempPathFactory, crossed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    original, release = (EVERY[door](table(seed), tmp_path_factory.mktemp("table")) for seed in (1, 2))
    capstats.tabulate(original, release, **KNOWN)
    sweep(original, release, keys=KNOWN["keys"], targets=["t"])
    assert 0 < max(crossed) <= CELLS
    audit = capstats.audit(original, release, **KNOWN)
    assert CELLS < max(crossed, default=0) <= FIRST or audit.provenance["copies"].startswith("not computed")
    assert max(crossed) <= FIRST
    monkeypatch.setattr(every_column, "MOST_LABELS", FIRST)
    capstats.describe(original, release)
    assert max(crossed) <= FIRST + 1
