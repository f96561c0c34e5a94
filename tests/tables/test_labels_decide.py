"""No order of keys, targets or releases changes a number of any public function of counts, and no label is ignored."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

import measures_of_counts
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from measures_of_counts import Call
from public_names import public_names
from small_tables import as_sparse

import capstats
from capstats import cap, disclosure, laws, peers, plotting, population, screening

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

Result = dict[tuple[Any, ...], Any]  # numbers by the labels that they belong to

KEYS = {"age": ["old", "old", "young", "young", "mid", "mid", "mid", "old"], "sex": [*"fmfmfmff"], "town": [1, 2, 2, 1, 1, 2, 2, 3]}
TARGETS = [3, 1, 10]


def counts() -> dict[str, xr.DataArray]:
    """Original, two releases, a holdout, and a population; the labels are in no natural order."""
    rng = np.random.default_rng(4)
    o, a, b, h, people = rng.integers(0, 5, (5, 3, 8)) * rng.integers(0, 2, (5, 3, 8))
    o[:, 0], a[:, 1], b[:, 2] = 0, 0, 0
    axis = pd.MultiIndex.from_arrays(list(KEYS.values()), names=list(KEYS))
    labels = xr.Coordinates.from_pandas_multiindex(axis, "key").assign(target=TARGETS)
    tables = {"o": o, "s": np.stack([a, b]), "h": h, "people": o + people}
    dims = ("synthetic", "target", "key")
    found = {name: xr.DataArray(x, dims=dims[3 - x.ndim :], name=name).assign_coords(labels) for name, x in tables.items()}
    return found | {"s": found["s"].assign_coords(synthetic=["a", "b"])}


BOTH: dict[str, Call] = measures_of_counts.BOTH | {  # of an original and a release, or two
    "average_cap_interval over": lambda o, s: capstats.average_cap_interval(o, s, over="synthetic"),
    "individual_cap": lambda o, s: capstats.individual_cap(o, s, unmatched="nearest"),
    "cap_influence of cells": lambda o, s: screening.cap_influence(o, s, unit="cell", of="both"),
    "from_counts": capstats.from_counts,
}
ONE: dict[str, Call] = {  # of an original and one release
    "rank_merges": screening.rank_merges,
    "rank_removals": lambda o, s: screening.rank_removals(o, s, unit="cell"),
    "rank_removals zero": lambda o, s: screening.rank_removals(o, s, unmatched="zero"),
}
WITH_HOLDOUT: dict[str, Call] = {  # of an original, releases and a holdout
    "individual_share": lambda o, s, h: cap.individual_share(o, s, h=h),
    "membership_test": lambda o, s, h: laws.membership_test(o, s, h=h, draws=9, rng=1)[["contrast", "standard_deviation"]],
}
WITH_POPULATION: dict[str, Call] = {  # of a sample and the population that it is from
    "population_profile": lambda o, people: population.population_profile(o, population=people),
}
ALONE: dict[str, Call] = measures_of_counts.ALONE | {  # of one table
    "expand": capstats.expand,
    "frontier_tables": lambda o: capstats.average_cap(o, laws.frontier_tables(o, distances=[0.1, 0.4]).least_shares),
    "minimal_cells": laws.minimal_cells,
}
OF_DATASET: dict[str, Call] = {  # of a Dataset of counts
    "audit measures": lambda t: capstats.audit(t, allow_same=True).measures,
    "audit levels": lambda t: capstats.audit(t, allow_same=True).by_target,
    "audit columns": lambda t: capstats.audit(t, allow_same=True).by_column,
    "by_group": lambda t: capstats.by_group(capstats.average_cap, t, by=[t.attrs["key_columns"][0]]),
    "collapse": lambda t: capstats.collapse(t, over=t.attrs["key_columns"][0]),
    "summary": capstats.summary,
    "compare_levels": capstats.compare_levels,
    "full_domain": capstats.full_domain,
    "merge_counts": lambda t: capstats.merge_counts(t, capstats.from_counts(counts()["o"], counts()["s"]), allow_same=True),
    "observed_domain": capstats.observed_domain,
    "to_frame": capstats.to_frame,
    "disclosure_protection": peers.disclosure_protection,
    "exclude": lambda t: disclosure.exclude(t, targets=3, above=2),
    "sweep": lambda t: screening.sweep(t, measures=["average_cap", "average_cap_nearest", "original_modal_accuracy", "share_certain"]),
    **{name: getattr(peers, name) for name in ("as_riskutility", "as_sdmetrics", "as_synthpop")},
}
GROUPS = {
    "both": (BOTH, ("o", "s")),
    "one": (ONE, ("o", "s1")),
    "holdout": (WITH_HOLDOUT, ("o", "s", "h")),
    "population": (WITH_POPULATION, ("o", "people")),
    "alone": (ALONE, ("o",)),
}
LEFT_OUT = {
    "cap_bounds": "key totals and target totals are given by position",
    "dp_audit_release": "pairs people at random, in the order of the cells",
    "singling_out": "takes records",
    "noisy_counts": "draws random numbers cell by cell, in the order of the cells",
    "sample_tables": "draws random numbers cell by cell, in the order of the cells",
    "write_counts": "writes the Dataset in its order; its tests read it back",
    "plot_key_target": "draws the keys and targets in their order",
    "plot_people": "draws people in the order of the keys",
    "audit_targets": "takes records",
    "record_risk": "takes records",
}


def test_every_public_function_of_counts_is_in_the_list() -> None:
    functions = {name.rpartition(".")[2]: public for name, public in public_names().items() if inspect.isfunction(public)}
    takes_counts = {name for name, public in functions.items() if " : Dataset, " in (public.__doc__ or "")}
    functions |= {name: getattr(plotting, name) for name in plotting.__all__}
    given = {name: set(inspect.signature(public).parameters) for name, public in functions.items()}
    of_counts = takes_counts | {name for name, parameters in given.items() if {"o", "s", "table", "tables"} & parameters}
    covered = {case.partition(" ")[0] for cases, _ in [*GROUPS.values(), (OF_DATASET, ())] for case in cases}
    assert of_counts - covered - set(LEFT_OUT) == set()
    assert covered & set(LEFT_OUT) == set()


# --- numbers by label -------------------------------------------------------------------------------------------------


def by_label(result: Any, at: tuple[Any, ...] = ()) -> Result:
    """Every number of a result by its place in labels, whatever order they have."""
    if isinstance(result, xr.Dataset):
        return by_label({str(name): array for name, array in result.data_vars.items()}, at)
    if isinstance(result, xr.DataArray):
        values = result.data.todense() if hasattr(result.data, "todense") else result.values
        labels = [sorted_labels(result, str(dim)) for dim in result.dims]
        return {
            (*at, *sorted(zip(map(str, result.dims), (label[i] for label, i in zip(labels, place, strict=True)), strict=True))): x
            for place, x in np.ndenumerate(values)
        }
    if isinstance(result, pd.DataFrame):
        floats = [c for c in result if pd.api.types.is_float_dtype(result[c])]
        labels = result[sorted(set(result) - set(floats))].astype(str).to_numpy().tolist()
        rows = sorted(zip(map(tuple, labels), result[floats].round(9).to_numpy().tolist(), strict=True))
        return {(*at, i, *row, c): x for i, (row, values) in enumerate(rows) for c, x in zip(floats or [""], values or [1], strict=True)}
    if isinstance(result, Mapping):
        return {place: x for name, value in result.items() for place, x in by_label(value, (*at, str(name))).items()}
    if isinstance(result, (list, tuple)):
        return {place: x for i, value in enumerate(result) for place, x in by_label(value, (*at, i)).items()}
    return {at: result}


def sorted_labels(array: xr.DataArray, dim: str) -> list[str]:
    """The labels along a dim as texts, in which columns are in the order of their names."""
    columns = {str(name): coord.values for name, coord in array.coords.items() if coord.dims == (dim,)}
    if len(columns) > 1:
        columns.pop("key", None)  # the rows of its columns
    rows = zip(*(columns[name] for name in sorted(columns)), strict=True) if columns else ((i,) for i in range(array.sizes[dim]))
    return [str([sorted(str(x).split(" + ")) for x in row]) for row in rows]


def assert_same(found: Any, expected: Any) -> None:
    got, due = by_label(found), by_label(expected)
    assert got.keys() == due.keys()
    for place, x in due.items():
        y = got[place]
        same = (
            math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12) or (x != x and y != y)
            if isinstance(x, (float, np.floating)) and isinstance(y, (float, np.floating))
            else str(x) == str(y)
        )
        assert same, (place, x, y)


ORDER = {"key": [5, 2, 7, 0, 3, 6, 1, 4], "target": [2, 0, 1], "synthetic": [1, 0]}


def permuted(table: Any) -> Any:
    return table.isel({dim: ORDER[dim] for dim in table.dims if table.sizes[dim] == len(ORDER[dim])})


def permuted_cells(table: Any) -> Any:
    return table.isel(key=ORDER["key"], target=ORDER["target"])


def without_index(table: Any) -> Any:
    return permuted_cells(table).reset_index("key").reset_index("target")


def turned(table: Any) -> Any:
    return permuted_cells(table).reorder_levels(key=["town", "age", "sex"]).transpose()


def as_given(table: Any) -> Any:
    return table


# whether a single one of the tables may be changed; and how they are held, once they are turned, since to turn a sparse one takes seconds
CHANGES: list[tuple[Callable[[Any], Any], bool, Callable[[Any], Any]]] = [
    (permuted, False, as_given),
    (permuted_cells, True, as_given),
    (permuted_cells, True, as_sparse),
    (without_index, True, as_given),
    (turned, True, as_given),
]


@pytest.mark.parametrize("case", [f"{group}: {name}" for group, (cases, _) in GROUPS.items() for name in cases])
def test_no_order_of_the_cells_of_any_table_changes_a_number(case: str) -> None:
    group, _, name = case.partition(": ")
    cases, given = GROUPS[group]
    tables = counts()
    tables["s1"] = tables["s"].isel(synthetic=0, drop=True)
    call, originals = cases[name], [tables[x] for x in given]
    expected, of_sparse = call(*originals), call(*map(as_sparse, originals))
    for turn, single, held in CHANGES:
        turned_ones = [held(turn(table)) for table in originals]
        due = expected if held is as_given else of_sparse
        assert_same(call(*turned_ones), due)
        for i in range(len(originals)) if single and len(originals) > 1 else ():
            assert_same(call(*(turned_ones[j] if i == j else held(table) for j, table in enumerate(originals))), due)


@pytest.mark.parametrize("name", OF_DATASET)
def test_no_order_of_a_dataset_of_counts_changes_a_number(name: str) -> None:
    given = counts()
    tables = capstats.from_counts(given["o"], given["s"])
    expected, of_sparse = OF_DATASET[name](tables), OF_DATASET[name](as_sparse(tables))
    for turn, _, held in CHANGES:
        assert_same(OF_DATASET[name](held(turn(tables))), expected if held is as_given else of_sparse)
