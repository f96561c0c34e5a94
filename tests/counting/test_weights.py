"""Sampling weights: their sums, the records and the squares of each cell, the same through every door, and not confused with counts."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import xarray as xr
from doors import DOORS
from hypothesis import given
from hypothesis import strategies as st

import capstats
from capstats import MISSING, expand, full_domain, merge_counts, observed_domain, tabulate, to_frame
from capstats.sources import memory

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

SUMS = ("o", "o_records", "o_squares")
RNG = np.random.default_rng(0)
N = 300
RECORDS: dict[str, list[Any]] = {
    "k": RNG.choice(["a", "b", "c", "d"], N).tolist(),
    "j": RNG.choice(["u", "v", None], N, p=[0.6, 0.3, 0.1]).tolist(),
    "t": RNG.choice(["no", "yes"], N).tolist(),
    "fraction": (RNG.integers(0, 400, N) / 16).tolist(),  # exact in binary, as is the sum of their squares
    "whole": RNG.integers(0, 400, N).tolist(),
    "decimal": RNG.integers(1, 4000, N).astype(float).__truediv__(100).tolist(),
}

NUMBERS = dict.fromkeys(("fraction", "whole", "decimal"), float)
EVERY = DOORS | {"pandas objects": lambda columns, _: pd.DataFrame(columns, dtype=object).astype(NUMBERS)}


def walked(weight: str) -> dict[tuple[Any, ...], tuple[Fraction, int, Fraction]]:
    """Sum, records and sum of squares of each cell, by a loop over records in exact fractions."""
    found: dict[tuple[Any, ...], tuple[Fraction, int, Fraction]] = {}
    for k, j, t, w in zip(RECORDS["k"], RECORDS["j"], RECORDS["t"], map(Fraction, RECORDS[weight]), strict=True):
        total, records, squares = found.get((t, k, j), (Fraction(0), 0, Fraction(0)))
        found[t, k, j] = total + w, records + 1, squares + w**2
    return found


@pytest.mark.parametrize("weight", ["fraction", "whole", "decimal"])
@pytest.mark.parametrize("backing", ["dense", "sparse"])
@pytest.mark.parametrize("door", EVERY)
def test_every_door_sums_weights_records_and_squares(door: str, weight: str, backing: Any, tmp_path: Path, monkeypatch: Any) -> None:
    if door == "pandas objects":  # of which DuckDB counts many
        monkeypatch.setattr(memory, "MUCH", 10)
        assert memory.is_much_text(EVERY[door](RECORDS, tmp_path), ["k", "j", "t"])
    tables = tabulate(EVERY[door](RECORDS, tmp_path), keys=["k", "j"], target="t", weights=weight, backing=backing)
    assert [tables[v].dtype.kind for v in SUMS] == ["i" if weight == "whole" else "f", "i", "f"]
    assert tables.o.attrs == {"weights": weight}
    expected = walked(weight)
    dense = [tables[v].values if backing == "dense" else tables[v].data.todense() for v in SUMS]
    for i, t in enumerate(tables.indexes["target"]):
        for place, (k, j) in enumerate(tables.indexes["key"]):
            sums = expected.get((t, k, None if j is MISSING else j), (0, 0, 0))
            assert [x[i, place] for x in dense] == pytest.approx([float(x) for x in sums], rel=0 if weight != "decimal" else 1e-14)


def test_records_are_taken_apart_in_one_pass_also_where_they_are_sorted() -> None:
    """More combinations than are counted in a grid."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 3000, (2000, 3)), columns=["a", "b", "t"])
    frame = pd.concat([frame, frame.iloc[::3]]).assign(w=1.5)
    tables = tabulate(frame, keys=["a", "b"], target="t", weights="w", backing="sparse")
    numbers = frame.groupby(["a", "b", "t"]).size()
    assert sorted(tables.o_records.data.data.tolist()) == sorted(numbers.tolist())
    np.testing.assert_array_equal(tables.o.data.data, 1.5 * tables.o_records.data.data)
    np.testing.assert_array_equal(tables.o_squares.data.data, 2.25 * tables.o_records.data.data)


def test_each_table_has_the_sums_of_its_own_weights() -> None:
    """Of several synthetic tables those without weights have records and squares that equal their counts."""
    frame = {"k": [0, 0, 1], "t": [0, 0, 1], "w": [0.5, 2, 3], "n": [4, 5, 6]}
    tables = tabulate(
        frame, [frame] * 3, holdout=frame, keys="k", target="t", weights=(None, ["w", None, None]), counts=("n", [None, None, "n"])
    )
    assert list(tables.data_vars) == ["o", "s", "s_records", "s_squares", "h"]
    assert tables.o.values.tolist() == tables.h.values.tolist() == [[9, 0], [0, 6]]
    assert tables.s.values.tolist() == [[[2.5, 0], [0, 3]], [[2, 0], [0, 1]], [[9, 0], [0, 6]]]
    assert tables.s_records.values.tolist() == [[[2, 0], [0, 1]], [[2, 0], [0, 1]], [[9, 0], [0, 6]]]
    assert tables.s_squares.values.tolist() == [[[4.25, 0], [0, 9]], [[2, 0], [0, 1]], [[9, 0], [0, 6]]]
    assert tables.s_records.dtype == np.int64
    assert tables.o.attrs == {}
    assert tables.attrs["weights"] == {"synthetic[0]": "w"}
    assert tables.attrs["counts"] == {"original": "n", "synthetic[2]": "n", "holdout": "n"}


def test_a_weight_of_zero_is_a_record_that_shows_its_cell() -> None:
    tables = tabulate({"k": ["a", "b"], "t": ["x", "x"], "w": [1, 0]}, keys="k", target="t", weights="w")
    assert [tables[v].values.tolist() for v in SUMS] == [[[1, 0]], [[1, 1]], [[1, 0]]]


def test_the_repr_of_a_weighted_dataset_says_so() -> None:
    text = repr(tabulate(RECORDS, keys="k", target="t", weights="fraction"))
    assert all(word in text for word in ("o_records", "o_squares", "weights: original fraction"))


def test_a_key_column_that_is_called_as_a_sum_hides_none() -> None:
    tables = tabulate(
        {"o_records": ["a"], "o_squares": ["b"], "t": ["x"], "w": [2]}, keys=["o_records", "o_squares"], target="t", weights="w"
    )
    assert tables.indexes["key"].names == ["o_records_", "o_squares_"]
    assert [tables[v].item() for v in SUMS] == [2, 1, 4]


@pytest.mark.parametrize(
    ("given", "table"),
    [
        ({"weights": "w", "counts": "n"}, "original"),
        ({"weights": "w", "counts": (None, "n")}, "synthetic"),
        ({"weights": (None, None, "w"), "counts": (None, None, "n")}, "holdout"),
    ],
)
def test_weights_and_counts_for_one_table_are_refused(given: dict[str, Any], table: str) -> None:
    frame = {"k": [0], "t": [0], "w": [1], "n": [1]}
    with pytest.raises(ValueError, match=rf"`{table}` has both `weights` \('w'\) and `counts` \('n'\).* Give one of them, and None for"):
        tabulate(frame, frame, holdout=frame, keys="k", target="t", **given)


# --- what is made of weighted tables ----------------------------------------------------------------------------------


def counted(part: slice, **options: Any) -> xr.Dataset:
    records = {c: values[part] for c, values in RECORDS.items()}
    return tabulate(records, [records, RECORDS], keys=["k", "j"], target="t", **options)


@cache
def counted_with_weights() -> xr.Dataset:
    return counted(slice(None), weights=("fraction", [None, "whole"]))


@given(st.integers(1, N - 1))
def test_sums_of_weights_of_shards_add_up(cut: int) -> None:
    options = {"weights": ("fraction", [None, "whole"])}
    whole = counted_with_weights()
    merged = merge_counts(counted(slice(cut), **options), counted(slice(cut, None), **options))
    for name in SUMS:
        xr.testing.assert_identical(merged[name], whole[name])
    assert merged.s.attrs == {"weights": "whole"}


def test_shards_with_weights_in_different_tables_are_not_merged() -> None:
    a, b = (counted(slice(None), weights=(None, columns)) for columns in (["whole", None], [None, "whole"]))
    with pytest.raises(
        ValueError, match=r"must have the same tables with sampling weights; got \['synthetic\[0\]'\] and \['synthetic\[1\]'\]"
    ):
        merge_counts(a, b)
    with pytest.raises(ValueError, match=r"must have the same variables"):
        merge_counts(counted(slice(None), weights=("whole", None)), counted(slice(None), counts=("whole", None)))


def test_a_larger_and_a_smaller_domain_are_still_weighted() -> None:
    tables = tabulate({c: values[:6] for c, values in RECORDS.items()}, keys=["k", "j"], target="t", weights="fraction")
    wide = full_domain(tables)
    assert wide.sizes["key"] > tables.sizes["key"]
    for name in SUMS:
        assert wide[name].sum() == tables[name].sum()
        assert wide[name].dtype == tables[name].dtype
    assert wide.o.attrs == observed_domain(tables).attrs == {"weights": "fraction"}


@pytest.mark.parametrize("backing", ["dense", "sparse"])
def test_the_long_form_lists_records_and_squares_beside_their_sums(backing: Any) -> None:
    tables = counted(slice(None), weights=("fraction", [None, "whole"]), backing=backing)
    frame = to_frame(tables)
    of_s = [f"{name}[{i}]" for name in ("s", "s_records", "s_squares") for i in (0, 1)]
    assert list(frame.columns) == ["k", "j", "t", *SUMS, *of_s]
    assert frame["o_records"].sum() == N
    again = tabulate(frame, frame, keys=["k", "j"], target="t", counts=("o", "s[0]"), backing=backing)
    np.testing.assert_array_equal(*(x if backing == "dense" else x.todense() for x in (again.o.data, tables.o.data)))


def test_dropped_records_are_records_and_not_weights() -> None:
    dropped = RECORDS["j"].count(None)
    for path in (RECORDS, pl.LazyFrame(RECORDS)):
        tables = tabulate(path, keys=["k", "j"], target="t", weights="fraction", missing="drop")
        assert tables.attrs["dropped"] == {"original": dropped}
        assert tables.o_records.sum() == N - dropped


# --- what needs numbers of records ------------------------------------------------------------------------------------


def test_what_counts_records_refuses_sums_of_weights() -> None:
    """Whole weights of 1 or more would hide everybody who is alone with a key."""
    frame = {"k": [0, 1, 1], "t": [0, 0, 1], "w": [1000, 10, 10]}
    tables = tabulate(frame, frame, keys="k", target="t", weights="w")
    with pytest.raises(ValueError, match=r"`o` holds sums of the sampling weights 'w', .*such as tables\.o_records"):
        expand(tables.o)
    assert len(expand(tables.o_records)) == 3
    with pytest.raises(ValueError, match=r"`o` holds sums of the sampling weights 'w', .*tables\.o_records"):
        capstats.disclosure.share_unique(tables.o)
    with pytest.raises(ValueError, match=r"`s` holds sums of the sampling weights 'w', .*tables\.s_records"):
        capstats.disclosure.share_replicated(tables.o_records, tables.s)
    assert capstats.disclosure.share_unique(tables.o_records) == 1 / 3
    with pytest.raises(ValueError, match=r"`o` holds sums of the sampling weights 'w', not numbers of records\. Give unit="):
        capstats.screening.cap_influence(tables.o, tables.s)
    with pytest.raises(ValueError, match="`o` has sampling weights, and the package counts records"):
        capstats.peers.as_synthpop(tables)
    assert {"unique", "replicated"}.isdisjoint(capstats.disclosure.key_summary(tables.o, tables.s))
    assert "unique" in capstats.disclosure.key_summary(tables.o_records, tables.s_records)
    assert np.isnan(capstats.anonymity.anonymity_profile(tables.o, tables.s).uniques).all()
    assert capstats.anonymity.anonymity_profile(tables.o, tables.s_records).uniques.values[1] == 1


def test_quantiles_of_whole_weights_are_over_the_people_that_the_records_represent() -> None:
    frame = {"k": [0, 0, 1], "t": [0, 1, 1], "w": [1, 3, 5]}
    tables = tabulate(frame, frame, keys="k", target="t", weights=("w", None))
    as_counts = tabulate(frame, frame, keys="k", target="t", counts=("w", None))
    quantiles = [0, 0.2, 0.5, 1]
    assert capstats.cap_quantiles(tables.o, tables.s, quantiles).equals(capstats.cap_quantiles(as_counts.o, as_counts.s, quantiles))
    fractional = tabulate({**frame, "w": [0.5, 1, 2]}, frame, keys="k", target="t", weights=("w", None))
    with pytest.raises(ValueError, match="round the weights to integers"):
        capstats.cap_boxplot(fractional.o, fractional.s)


def test_a_sweep_knows_which_tables_are_weighted() -> None:
    asked: dict[str, Any] = {"keys": ["k", "j"], "targets": "t"}
    found = capstats.screening.sweep(RECORDS, RECORDS, **asked, weights=("whole", None), counts=(None, "whole"))
    assert found.attrs["weights"] == {"original": "whole"}
    assert found.attrs["counts"] == {"synthetic": "whole"}
    error = {"error": lambda o, s: capstats.average_cap_interval(o, s).standard_error}
    with pytest.raises(ValueError, match=r"`o` holds sums of the sampling weights 'whole'"):
        capstats.screening.sweep(RECORDS, RECORDS, **asked, weights=("whole", None), allow_same=True, measures=error)
