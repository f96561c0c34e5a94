"""Every measure gives the same numbers on dense tables and on tables backed by sparse.COO."""

from __future__ import annotations

import re
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sparse
import xarray as xr
from measures_of_counts import ALONE, BOTH, IN_ORDER, OF_INTEGERS, ONE_TABLE
from small_tables import as_sparse, drawn

import capstats
from capstats.screening.formulas import FORMULAS

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def tables(kind: str, case: str = "") -> tuple[xr.DataArray, xr.DataArray]:
    """Original and synthetic tables: with empty keys on either side, ties, full columns; several synthetic ones; weights.

    Every case has tables of its own, which depend on nothing but its parameters.
    """
    rng = np.random.default_rng([*f"{kind} {case}".encode()])
    o = rng.integers(0, 4, (4, 30)) * rng.integers(0, 2, (4, 30))
    s = rng.integers(0, 4, (4, 30)) * rng.integers(0, 2, (4, 30))
    o[:, 0], s[:, 1], s[:, 2], o[:, 3] = 0, 0, 0, 2
    if kind == "several":
        s = np.stack([s, np.roll(s, 1, axis=1), rng.integers(0, 2, s.shape)])
    if kind == "full":
        o, s = o + 1, s + 1
    if kind == "weights":
        o, s = o * 0.3, s * 0.7
    axis = pd.MultiIndex.from_product([["old", "mid", "young", "new", "none"], [*"fmx"], [1, 2]], names=["age", "sex", "town"])
    labels = xr.Coordinates.from_pandas_multiindex(axis, "key").assign(target=[2, 5, 1, 4])
    o, s = (xr.DataArray(x, dims=("synthetic", "target", "key")[3 - x.ndim :]).assign_coords(labels) for x in (o, s))
    return o, s


def variables(result: xr.Dataset | xr.DataArray) -> dict[Any, xr.DataArray]:
    """The arrays of a result, but for those with a value for each cell: these are in the stored cells alone, and tested below."""
    arrays = result.data_vars.items() if isinstance(result, xr.Dataset) else [(result.name, result)]
    return {name: array for name, array in arrays if not {"target", "key"} <= set(array.dims)}


# Differences of averages, at most 1, of weights: one that is 0 or nearly so in fractions is off by the rounding of sums in another order.
# In units of the last place of 1: a change is one such difference; normalised CAP is divided by a further one, .19 to .46 in 300 tables.
DIFFERENCES = {"change": 1, "normalized_cap": 8}

CASES = {
    **{f"both: {name}": measure for name, measure in BOTH.items()},
    **{f"original: {name}": lambda o, _, measure=measure: measure(o) for name, measure in ALONE.items()},
    **{f"synthetic: {name}": lambda _, s, measure=measure: measure(s) for name, measure in ALONE.items() if not name.startswith(ONE_TABLE)},
    **{f"in order: {name}": measure for name, measure in IN_ORDER.items()},
}


@pytest.mark.parametrize("case", CASES)
def test_a_measure_gives_the_same_numbers_on_both_backings(case: str) -> None:
    compare(case)


def compare(case: str, seed: str = "") -> None:
    """The numbers of a measure on tables of every kind, with other counts for each seed."""
    measure = CASES[case]
    for kind in ("one", "several", "full", "weights"):
        o, s = tables(kind, case + seed)
        if kind == "weights" and case.partition(": ")[2].startswith(OF_INTEGERS):
            with pytest.raises(ValueError, match=r"`(o|s|table)` must hold integers"):
                measure(as_sparse(o), as_sparse(s))
            continue
        dense = variables(measure(o, s))
        for given in ((as_sparse(o), as_sparse(s)), (o, as_sparse(s)), (as_sparse(o), s)):
            found = variables(measure(*given))
            assert found.keys() == dense.keys()
            for name, array in found.items():
                assert isinstance(array.data, np.ndarray)
                assert (array.dims, array.dtype) == (dense[name].dims, dense[name].dtype)
                if array.dtype.kind in "biuf":
                    absolute = DIFFERENCES.get(name, 0) * np.finfo(float).eps * (kind == "weights")
                    np.testing.assert_allclose(array.values, dense[name].values, rtol=1e-12, atol=absolute)
                else:
                    np.testing.assert_array_equal(array.values, dense[name].values)


@pytest.mark.parametrize("name", [name for name in BOTH | ALONE if not name.startswith(ONE_TABLE)])
def test_every_other_dim_broadcasts_wherever_it_stands(name: str) -> None:
    """A batch has the numbers of its members."""
    o, s = tables("several", name)
    o = xr.concat([o, s[2] + s[1]], "year")
    measure = BOTH[name] if name in BOTH else lambda o, _: ALONE[name](o)
    found = variables(measure(o.transpose("key", "year", "target"), s.transpose("target", "synthetic", "key")))
    for year, synthetic in np.ndindex(2, 3):
        for variable, alone in variables(measure(o[year], s[synthetic])).items():
            own = {dim: i for dim, i in (("year", year), ("synthetic", synthetic)) if dim in found[variable].dims}
            if variable == "average_rank" or "outlier" in alone.dims:  # of boxes, one among the others
                continue
            assert own
            here = found[variable].isel(own)
            assert set(here.dims) == set(alone.dims)
            here = here.sel({dim: alone[dim] for dim in ("tau", "size") if dim in alone.dims})  # which has those of the whole batch
            (np.testing.assert_allclose if alone.dtype.kind == "f" else np.testing.assert_array_equal)(here.transpose(*alone.dims), alone)


@pytest.mark.parametrize(("value", "rule"), [(-1, "non-negative"), (np.nan, "finite")])
def test_every_measure_refuses_a_count_that_is_none_in_any_of_its_tables(value: float, rule: str) -> None:
    o, s = (table.astype(float) for table in tables("one"))
    wrong = [table.where(table != table[0, -1], value) for table in (o, s)]
    given = {name: [(wrong[0], s), (o, wrong[1])] for name in BOTH} | {name: [(wrong[0],)] for name in ALONE}
    for name, calls in given.items():
        assert all(f"must be {rule}; got" in refusal((BOTH | ALONE)[name], call) for call in calls), name


def refusal(measure: Any, given: tuple[xr.DataArray, ...]) -> str:
    try:
        measure(*given)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("case", [case for case in CASES if case.partition(": ")[2].startswith("cap_")])
def test_a_measure_of_tables_without_records_is_the_same_on_both_backings(case: str) -> None:
    """Dense tables always have cells to take an extreme or a quantile of."""
    f, (o, s) = CASES[case], tables("several")
    o = o * 0
    for empty in (s * 0, s * xr.DataArray([0, 1, 0], dims="synthetic")):
        try:
            expected = f(o, empty)
        except ValueError as error:
            with pytest.raises(ValueError, match=re.escape(str(error))):
                f(as_sparse(o), as_sparse(empty))
        else:
            found = variables(f(as_sparse(o), as_sparse(empty)))
            for name, array in variables(expected).items():
                np.testing.assert_array_equal(found[name], array)


@pytest.mark.parametrize("unmatched", ["zero", "drop"])
def test_the_mean_over_several_tables_has_the_same_error_on_both_backings(unmatched: str) -> None:
    o, s = tables("several", unmatched)
    dense = capstats.average_cap_interval(o, s, against=s[::-1] + 1, over="synthetic", unmatched=unmatched)
    found = capstats.average_cap_interval(as_sparse(o), as_sparse(s), against=as_sparse(s[::-1] + 1), over="synthetic", unmatched=unmatched)
    for name in dense:
        assert found[name].item() == pytest.approx(dense[name].item(), rel=1e-12)


@pytest.mark.parametrize("kind", ["one", "several", "full"])
@pytest.mark.parametrize(("unmatched", "radius"), [("zero", 0), ("drop", 0), ("nearest", 0), ("zero", 1), ("drop", 2)])
def test_cell_values_agree_where_a_table_holds_records_and_are_0_elsewhere(kind: str, unmatched: str, radius: int) -> None:
    o, s = tables(kind, f"{unmatched} {radius}")
    dense = capstats.individual_cap(o, s, unmatched=unmatched, radius=radius)
    found = capstats.individual_cap(as_sparse(o), as_sparse(s), unmatched=unmatched, radius=radius)
    assert isinstance(found.data, sparse.COO)
    held = ((o + s) > 0).transpose(*dense.dims).values
    np.testing.assert_array_equal(found.data.todense()[held], dense.values[held])
    assert (found.data.todense()[~held] == 0).all()


CELL_BY_CELL = {
    "cap_boxplot": lambda o, s, unmatched: capstats.cap_boxplot(o, s, unmatched=unmatched).individual,
    **{
        f"cap_influence {name} of a {unit} of {of}": lambda o, s, unmatched, name=name, unit=unit, of=of: capstats.screening.cap_influence(
            o, s, unit=unit, of=of, unmatched=unmatched
        )[name]
        for name in ("average_cap", "change")
        for unit, of in (("record", "original"), ("record", "synthetic"), ("cell", "original"), ("cell", "synthetic"), ("cell", "both"))
    },
}


@pytest.mark.parametrize("measure", CELL_BY_CELL)
def test_a_value_for_each_cell_is_the_same_in_all_cells_on_both_backings(measure: str) -> None:
    for kind, unmatched in product(("one", "several", "full"), ("zero", "drop", "nearest")):
        o, s = tables(kind, f"{measure} {unmatched}")
        dense = CELL_BY_CELL[measure](o, s, unmatched)
        found = CELL_BY_CELL[measure](as_sparse(o), as_sparse(s), unmatched)
        assert isinstance(found.data, sparse.COO)
        assert found.dims == dense.dims
        assert found.data.nnz <= ((o > 0) | (s > 0)).sum()
        np.testing.assert_allclose(found.data.todense(), dense.values, rtol=1e-12)


def test_minimal_cells_of_several_tables_are_those_of_each() -> None:
    _, s = tables("several")
    found = capstats.laws.minimal_cells(as_sparse(s)).data
    for i in range(3):
        np.testing.assert_array_equal(found.todense()[i], capstats.laws.minimal_cells(s[i]).values)
    mixed = xr.concat([s[0], s[0] + 1], "synthetic")
    with pytest.raises(ValueError, match="The cells that are not stored hold False in one table and True in another"):
        capstats.laws.minimal_cells(as_sparse(mixed))


def test_at_most_refuses_sparse_tables() -> None:
    o, s = tables("one")
    cap = capstats.individual_cap(as_sparse(o), as_sparse(s))
    for given in ((cap, 0.5), (cap.data, 0.5), (0.5, cap)):
        with pytest.raises(TypeError, match=r"is backed by sparse.COO; at_most compares dense numbers"):
            capstats.at_most(*given)
    assert capstats.at_most(cap.data.data, 1.0).all()


@pytest.mark.parametrize("unmatched", ["zero", "drop"])
@pytest.mark.parametrize("kind", ["one", "full"])
def test_minimal_cells_agree_where_the_original_holds_records_and_are_true_elsewhere_when_the_minimum_is_0(
    kind: str, unmatched: str
) -> None:
    o, _ = tables(kind, unmatched)
    dense = capstats.laws.minimal_cells(o, unmatched=unmatched).values
    found = capstats.laws.minimal_cells(as_sparse(o), unmatched=unmatched).data
    np.testing.assert_array_equal(found.todense()[o.values > 0], dense[o.values > 0])
    assert bool(found.fill_value) == (float(capstats.minimum_cap(o, unmatched=unmatched)) == 0)


def test_tables_with_other_labels_are_aligned_on_sparse_backing() -> None:
    o = xr.DataArray([[1, 2], [3, 0]], dims=("target", "key"), coords={"target": ["a", "b"], "key": ["x", "y"]})
    s = xr.DataArray([[1, 4], [2, 1]], dims=("target", "key"), coords={"target": ["a", "c"], "key": ["y", "z"]})
    dense = capstats.average_cap(o, s)
    assert float(capstats.average_cap(as_sparse(o), as_sparse(s))) == float(dense) == 2 / 3 / 6


# --- tables on both backings ------------------------------------------------------------------------------------------


def both(**options: Any) -> tuple[xr.Dataset, xr.Dataset]:
    arguments = {"keys": ["sex", "age"], "target": "t", "holdout": drawn(5), **options}
    found = [capstats.tabulate(drawn(1), [drawn(2), drawn(3)], backing=b, **arguments) for b in ("dense", "sparse")]
    return found[0], found[1]


def dense(tables: xr.Dataset) -> xr.Dataset:
    return tables.map(lambda array: array.copy(data=array.data.todense()), keep_attrs=True)


@pytest.mark.parametrize("options", [{}, {"weights": "w"}, {"missing": "drop"}])
def test_a_sweep_has_the_same_numbers_on_both_backings(options: dict[str, Any]) -> None:
    arguments = {"keys": ["sex", "age", "u"], "targets": "t" if "weights" in options else ["t", "w"], "measures": [*FORMULAS], **options}
    tables = [drawn(seed).assign(u=drawn(seed).age % 3) for seed in (1, 2, 3)]
    o, s = (capstats.screening.sweep(tables[0], tables[1:], backing=b, **arguments) for b in ("dense", "sparse"))
    xr.testing.assert_allclose(o, s, rtol=1e-12)


def test_domains_and_merging_are_the_same_on_both_backings() -> None:
    o, s = both()
    assert np.array_equal(capstats.observed_domain(s).data.todense(), capstats.observed_domain(o).values)
    assert capstats.observed_domain(s).indexes["key"].equals(capstats.observed_domain(o).indexes["key"])
    assert dense(capstats.full_domain(s)).identical(capstats.full_domain(o))
    other = capstats.tabulate(drawn(7), [drawn(8), drawn(9)], keys=["sex", "age"], target="t", holdout=drawn(4))
    assert dense(capstats.merge_counts(s, other)).identical(capstats.merge_counts(o, other))


def test_the_long_form_of_sparse_tables_has_the_stored_cells_and_loses_no_label() -> None:
    o, s = both(weights="w")
    frame = capstats.to_frame(s)
    full = capstats.to_frame(o)
    counts = ["o", "s[0]", "s[1]", "h"]
    assert len(frame) < len(full)
    assert frame[counts].sum().tolist() == full[counts].sum().tolist()
    again = capstats.tabulate(
        frame,
        [frame, frame],
        keys=["sex", "age"],
        target="t",
        holdout=frame,
        counts=("o", ["s[0]", "s[1]"], "h"),
        backing="sparse",
    )
    for name in ("o", "s", "h"):
        np.testing.assert_array_equal(again[name].data.todense(), s[name].data.todense())
    assert again.indexes["key"].equals(s.indexes["key"])


def test_from_counts_takes_sparse_tables() -> None:
    o, s = both()
    found = capstats.from_counts(s.o, s.s)
    assert isinstance(found.o.data, sparse.COO)
    assert np.array_equal(found.s.data.todense(), o.s.values)
    with pytest.raises(ValueError, match="`o` holds no record"):
        capstats.from_counts(s.o * 0)


def test_a_sparse_table_of_fractions_that_stores_nothing_is_one_without_records() -> None:
    o = xr.DataArray(np.array([[0.5, 1.0]]), dims=("target", "key"))
    assert float(capstats.average_cap(as_sparse(o), as_sparse(0.0 * o))) == 0
    assert np.isnan(capstats.average_cap(as_sparse(0.0 * o), as_sparse(o)))


# --- tables that are given as a Dataset -------------------------------------------------------------------------------


OF_WEIGHTS = ("individual_risk", "household_risk", "expected_reidentifications")
# calls that need tables of their own
NOT_ALONE = ("permuted", "counted", "against", "membership_test", "individual_share", "joint_bounds", "calibrate", *OF_WEIGHTS)


@pytest.mark.parametrize("name", [name for name in [*BOTH, *ALONE] if not any(word in name for word in NOT_ALONE)])
def test_the_dataset_stands_for_its_tables(name: str) -> None:
    o, s = tables("plain")
    whole = capstats.from_counts(o, s)
    found = BOTH[name](whole, None) if name in BOTH else ALONE[name](whole)
    expected = BOTH[name](whole.o, whole.s) if name in BOTH else ALONE[name](whole.s if name == "anonymity_bounds" else whole.o)
    (xr.testing.assert_identical if isinstance(found, (xr.Dataset, xr.DataArray)) else np.testing.assert_array_equal)(found, expected)
