"""Partitions of Dask are one table, whatever each of them holds."""

from __future__ import annotations

import pandas as pd
import pytest

import capstats

pytestmark = pytest.mark.slow

dd = pytest.importorskip("dask.dataframe", reason="Dask is in the test extra", exc_type=ImportError)


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
