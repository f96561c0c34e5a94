"""One synthetic table or several, and the column of weights of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from few_records import OTHER, RECORDS, counts

from capstats import MISSING, tabulate

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


@pytest.mark.parametrize(
    ("synthetic", "labels"),
    [
        ([OTHER, RECORDS], [0, 1]),
        ((OTHER, RECORDS), [0, 1]),
        ({"b": OTHER, "a": pd.DataFrame(RECORDS)}, ["b", "a"]),
        ({2: pl.DataFrame(OTHER, strict=False), None: RECORDS}, [2, MISSING]),
        ([OTHER], [0]),
    ],
)
def test_several_synthetic_tables_have_a_dim_of_their_own(synthetic: Any, labels: list[Any]) -> None:
    tables = tabulate(RECORDS, synthetic, keys="sex", target="income")
    assert tables.s.dims == ("synthetic", "target", "key")
    assert tables.indexes["synthetic"].tolist() == labels
    each = synthetic.values() if isinstance(synthetic, dict) else synthetic
    for i, table in enumerate(each):
        alone = tabulate(RECORDS, table, keys="sex", target="income")
        assert counts(tables.s.isel(synthetic=i, drop=True)) == counts(alone.s)


def test_a_mapping_of_columns_is_one_table_and_a_mapping_of_tables_is_several(tmp_path: Path) -> None:
    pd.DataFrame(RECORDS).to_csv(tmp_path / "r.csv", index=False)
    several = {"columns": RECORDS, "path": tmp_path / "r.csv", "text": str(tmp_path / "r.csv"), "frame": pd.DataFrame(RECORDS)}
    tables = tabulate(RECORDS, several, keys="sex", target="income")
    assert all(counts(tables.s.sel(synthetic=name, drop=True)) == counts(tables.o) for name in several)
    assert tabulate(RECORDS, RECORDS, keys="sex", target="income").s.dims == ("target", "key")


@pytest.mark.parametrize(
    ("weights", "o", "s", "h"),
    [
        ("w", 6, 5.5, 6),
        (("w", None), 6, 2, 6),
        ((None, "w"), 4, 5.5, 4),
        (("w", "age"), 6, 4, 6),
        (("w", "w", None), 6, 5.5, 4),
        ((None, None, "w"), 4, 2, 6),
        (None, 4, 2, 4),
    ],
)
def test_weights_are_summed_for_the_tables_that_have_one(weights: Any, o: float, s: float, h: float) -> None:
    tables = tabulate(RECORDS, OTHER, holdout=RECORDS, keys="sex", target="income", weights=weights)
    assert [float(tables[v].sum()) for v in "osh"] == [o, s, h]
    assert [tables[v].dtype for v in "osh"] == ["int64", "float64" if s == 5.5 else "int64", "int64"]


@pytest.mark.parametrize("of_s", [["w", "age"], {"a": "w", "b": "age"}, {"b": "age", "a": "w"}], ids=str)
def test_each_synthetic_table_may_have_its_own_weight(of_s: Any) -> None:
    tables = tabulate(RECORDS, {"a": RECORDS, "b": RECORDS}, keys="sex", target="income", weights=("w", of_s))
    assert [int(x) for x in tables.s.sum(["target", "key"])] == [6, 16]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (["w", "w"], r"`weights` must be a column name, or a pair of them for original and synthetic records; got list of length 2"),
        (("w",), r"`weights` must be a column name, or a pair"),
        (("w", "w", "w", "w"), r"`weights` must be a column name, or a pair"),
        (("w", ["w"]), r"`weights` has 1 names for 2 synthetic tables\. Give one for each"),
        (("w", {"a": "w"}), r"`weights` is for the synthetic tables \['a'\]; they are \['a', 'b'\]\. Give one for each"),
        ("weight", r"Column 'weight' is not in `original`\. Did you mean"),
        (("w", "v"), r"Column 'v' is not in `synthetic\['a'\]`\. None of its \d columns has a similar name"),
    ],
)
def test_weights_that_name_no_column_of_each_table_raise(weights: Any, message: str) -> None:
    records = {**RECORDS, "weigh": [1] * 4} if weights == "weight" else RECORDS
    with pytest.raises(ValueError, match=message):
        tabulate(records, {"a": RECORDS, "b": RECORDS}, keys="sex", target="income", weights=weights)
