"""The tables of the paper have its cells and labels, and give the numbers that it prints."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from capstats import average_cap
from capstats.datasets import ERRATA, paper_originals, paper_synthetics, smoking


def test_smoking_holds_tables_1_and_2() -> None:
    tables = smoking()
    assert tables.o.dims == tables.s.dims == ("target", "key")
    assert tables.o.values.tolist() == [[20, 5], [30, 45]]
    assert tables.s.values.tolist() == [[8, 7], [25, 60]]
    assert tables.indexes["target"].tolist() == ["Sick", "Healthy"]
    assert tables.indexes["key"].tolist() == [("Smoking",), ("Non-smoking",)]
    assert tables.indexes["key"].names == ["smoking"]
    assert list(tables.attrs["target_columns"]) == ["health"]


@pytest.mark.parametrize(
    ("tables", "first", "labels"),
    [(paper_originals, "original", ["O_1", "O_2", "O_3", "O_4"]), (paper_synthetics, "synthetic", ["a", "b", "e", "g"])],
)
def test_paper_tables_are_labelled_as_in_the_paper(tables: Callable[[], xr.DataArray], first: str, labels: list[str]) -> None:
    table = tables()
    assert table.dims == (first, "target", "key")
    assert table.dtype == np.int64
    assert table.indexes[first].tolist() == labels
    assert table.indexes["target"].tolist() == ["T_1", "T_2", "T_3"]
    assert isinstance(table.indexes["key"], pd.MultiIndex)
    assert table.indexes["key"].names == ["K"]
    assert table.indexes["key"].tolist() == [("K_1",), ("K_2",), ("K_3",)]


def test_paper_originals_and_synthetics_align_without_loss() -> None:
    o, s = xr.align(paper_originals(), paper_synthetics(), join="exact")
    assert (o + s).shape == (4, 3, 3, 4)


def test_paper_tables_have_the_printed_cells() -> None:
    o, s = paper_originals(), paper_synthetics()
    assert o.sel(original="O_1").values.tolist() == [[100] * 3] * 3
    assert o.sel(original="O_2").values.tolist() == np.diag([400, 250, 350]).tolist()
    assert o.sel(original="O_3", target="T_1").values.tolist() == [0, 176, 204]
    assert o.sel(original="O_4", target="T_3").values.tolist() == [74, 99, 198]
    assert s.sel(synthetic="a", target="T_2").values.tolist() == [104, 44, 134]
    assert s.sel(synthetic="b", target="T_3").values.tolist() == [216, 54, 3]
    assert s.sel(synthetic="e", target="T_3").values.tolist() == [169, 14, 148]
    assert s.sel(synthetic="g", target="T_2").values.tolist() == [2, 131, 147]


def test_o_3_and_o_4_are_as_the_prose_describes_them() -> None:
    """Section 4: K_1 implies T_3 in O_3, and T_1 implies K_3 in O_4."""
    o = paper_originals()
    assert o.sel(original="O_3").values[:, 0].tolist() == [0, 0, 127]
    assert o.sel(original="O_4").values[0].tolist() == [0, 0, 62]


def test_errata_name_what_they_correct() -> None:
    places = ["Table 3", "Table 4", "Tables 9", "Theorem 2", "CAP_S(x_l)", "C_alpha", "one of the larger ones"]
    assert len(ERRATA) == len(places) == 7
    for erratum, place in zip(ERRATA, places, strict=True):
        assert place in erratum


def test_the_average_cap_of_an_original_with_itself_is_not_one_of_the_larger_ones() -> None:
    """By the paper's own example; and two of the nine tables with two records of each key exceed it."""
    tables = smoking()
    itself = average_cap(tables.o, tables.o)
    assert itself.item() == 0.67 < average_cap(tables.o, tables.s)
    others = [tables.s.copy(data=[[a, b], [2 - a, 2 - b]]) for a in range(3) for b in range(3)]
    assert sum(average_cap(tables.o, s) > itself for s in others) == 2
