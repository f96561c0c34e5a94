"""What coalitions of insiders, and intruders who know k records, learn of the others."""

from __future__ import annotations

import json
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest
import sparse
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from strategies import count_tables, theorem

from capstats import tabulate
from capstats.datasets import titanic
from capstats.disclosure import dio
from capstats.population import group_disclosure, subtraction_attribution

REFERENCE = json.loads((Path(__file__).parents[1] / "reference/gausssuppression_coalitions.json").read_text())
CELLS = [[2, 1], [1, 0]]


def remainders(o, k):
    """What is left of a table after each set of k of its records is taken away."""
    records = [cell for cell in np.ndindex(*np.shape(o)) for _ in range(o[cell])]
    for known in combinations(records, k):
        left = np.array(o)
        np.subtract.at(left, tuple(np.transpose(known)), 1) if known else None
        yield left


def one_target(left):
    """Whether all records of a key are in the cell, which has some."""
    return (left > 0) & (left == left.sum(0))


def exact(o, k):
    """The probabilities and expected numbers of subtraction, over all sets of k records."""
    found = {"any_emptied": 0, "cells_emptied": 0, "any_attributed": 0, "keys_attributed": 0, "emptied": 0, "attributed": 0}
    for left in remainders(o, k):
        emptied, attributed = (o > 0) & (left == 0), one_target(left)
        for name, event in (("emptied", emptied), ("attributed", attributed)):
            found[name] = found[name] + event.astype(int)
        found["any_emptied"] += int(emptied.any())
        found["any_attributed"] += int(attributed.any())
        found["cells_emptied"] += int(emptied.sum())
        found["keys_attributed"] += int(attributed.sum())
    return {name: np.asarray(sums) / comb(int(np.sum(o)), k) for name, sums in found.items()}


def proper_pairs(o, k, rows):
    """Pairs of published numbers, as sets of rows, that a coalition of k bridges."""
    targets, keys = np.shape(o)
    published = [{(i, j)} for i in range(targets) for j in range(keys)]
    published += [{(i, j) for i in range(targets)} for j in range(keys)] + [{(i, j) for j in range(keys)} for i in range(targets)]
    published += [set(np.ndindex(targets, keys))]
    sets = {frozenset(cells & rows) for cells in published} - {frozenset()}
    size = {cells: sum(int(o[cell]) for cell in cells) for cells in sets}
    return sum(child < parent and size[child] > 0 and size[parent] - size[child] <= k for child in sets for parent in sets)


# --- coalitions -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@theorem
@given(o=count_tables(3, 3, most=2), k=st.integers(0, 2))
def test_a_cell_is_disclosed_if_some_coalition_leaves_one_target(o, k):
    """Only people outside of the cell are needed, so coalitions of at most k people are enough."""
    disclosed = np.zeros(o.shape, bool)
    for size in range(min(k, o.sum()) + 1):
        for left in remainders(o, size):
            disclosed |= one_target(left)
    found = group_disclosure(o, k=k)
    np.testing.assert_array_equal(found.insiders.values <= k, disclosed)
    assert found.cells == disclosed.sum()
    assert found.records == o[disclosed].sum()
    assert found.disclosing_keys == disclosed.any(0).sum()
    assert found.key_records == o[:, disclosed.any(0)].sum()
    assert found.share.item() == o[disclosed].sum() / o.sum()


@theorem
@given(o=count_tables(3, 4, most=4, empty=True), k=st.integers(0, 9))
def test_pairs_are_those_of_sets_of_cells(o, k):
    assert group_disclosure(o, k=k).pairs == proper_pairs(o, k, set(np.ndindex(*o.shape)))


@pytest.mark.parametrize("case", REFERENCE["group disclosure"], ids=lambda case: case["name"])
def test_numbers_are_those_of_gausssuppression_where_all_cells_are_rows(case):
    o, ks = np.array(case["o"]), case["k"]
    found = group_disclosure(o, k=ks)
    assert found.records.values.tolist() == case["records"]
    assert found.key_records.values.tolist() == case["records_in_disclosing_keys"]
    np.testing.assert_allclose(found.share, case["share"], rtol=1e-12)
    for k, cells in zip(ks, case["disclosing_cells"], strict=True):
        assert sorted(map(list, np.argwhere(found.insiders.values <= k).tolist())) == sorted(cells)
    assert found.pairs.values.tolist() == case["all_pairs_zero_rows"]
    if case["name"] == "one_cell":
        assert case["GaussSuppression full n_pairs"] == [None] * 4  # an error: "1 row in data"
    else:
        assert found.pairs.values.tolist() == case["GaussSuppression full n_pairs"]
        assert found.cells.values.tolist() == case["GaussSuppression full within_key_cells"]


def test_gausssuppression_misses_homogeneous_keys_unless_empty_cells_are_rows():
    o = np.array(CELLS)
    (case,) = [case for case in REFERENCE["group disclosure"] if case["o"] == CELLS]
    filled = set(map(tuple, np.argwhere(o > 0).tolist()))
    assert case["GaussSuppression nozero n_pairs"] == [proper_pairs(o, k, filled) for k in case["k"]] == [0, 4, 7, 9]
    assert group_disclosure(o, k=case["k"]).pairs.values.tolist() == [2, 6, 9, 13]


@theorem
@given(o=count_tables())
def test_outsiders_know_what_dio_counts_and_larger_coalitions_know_more(o):
    found = group_disclosure(o, k=range(8))
    assert found.share[0].item() == dio(o).item()
    for name in ("cells", "records", "disclosing_keys", "key_records", "pairs"):
        assert (found[name].diff("k") >= 0).all()


def test_passengers_of_the_titanic_are_named():
    tables = tabulate(titanic(), keys=["Class", "Age"], target="Survived", counts="count")
    found = group_disclosure(tables.o, k=[5, 1])
    named = found.insiders.where(found.insiders <= 1).to_series().dropna()
    assert named.to_dict() == {("Yes", "1st", "Child"): 0, ("Yes", "2nd", "Child"): 0}
    assert found.cells.sel(k=1) == 2


def test_a_column_may_be_named_k():
    tables = tabulate({"k": ["a", "b", "b"], "t": ["x", "x", "y"]}, keys=["k"], target="t")
    for measure in (group_disclosure, subtraction_attribution):
        assert measure(tables.o, k=[0, 1]).sel(k_="a", k=1).sizes == {"target": 2}


# --- known records ----------------------------------------------------------------------------------------------------


def test_four_people_are_worked_out_by_hand():
    found = subtraction_attribution(CELLS, k=1)
    assert found.any_emptied == 2 / 4  # either of the two people who are alone in their cells
    assert found.any_attributed == 3 / 4  # all but the person with the second key
    assert found.emptied.values.tolist() == [[0, 0.25], [0.25, 0]]


@pytest.mark.slow
@theorem
@given(o=count_tables(3, 3, most=2))
def test_probabilities_are_those_over_all_sets_of_known_records(o):
    ks = range(min(int(o.sum()), 4) + 1)
    found = subtraction_attribution(o, k=ks)
    for k in ks:
        for name, value in exact(o, k).items():
            np.testing.assert_allclose(found[name].sel(k=k), value, rtol=1e-13, atol=1e-15, err_msg=f"{name}, k = {k}")


@pytest.mark.parametrize("case", REFERENCE["subtraction"], ids=lambda case: case["name"])
def test_numbers_are_those_of_exact_computations(case):
    found = subtraction_attribution(case["o"], k=case["k"])
    for name, theirs in (
        ("any_emptied", "p_any_cell_emptied"),
        ("cells_emptied", "expected_cells_emptied"),
        ("any_attributed", "p_any_attribution"),
        ("emptied", "cell_emptied"),
        ("attributed", "p_attribution_cell"),
    ):
        np.testing.assert_allclose(found[name], np.nan_to_num(np.array(case[theirs], float)), rtol=1e-9, atol=1e-14)


@pytest.mark.slow
@theorem
@given(o=count_tables(3, 4, most=3))
def test_emptied_cells_grow_in_number_and_insiders_say_which_cells_can_be_attributed(o):
    """The probability of attribution is positive if and only if the least coalition has at most k < n people."""
    n = int(o.sum())
    found, insiders = subtraction_attribution(o, k=range(n + 1)), group_disclosure(o, k=0).insiders
    assert (found.any_emptied.diff("k") >= -1e-12).all()
    assert (found.cells_emptied.diff("k") >= -1e-12).all()
    np.testing.assert_array_equal(found.attributed > 0, (insiders <= found.k) & (found.k < n))
    np.testing.assert_allclose(found.keys_attributed, found.attributed.sum(("target", "key")), rtol=1e-12)


# --- tables -----------------------------------------------------------------------------------------------------------


def test_a_batch_gives_the_numbers_of_its_tables():
    tables = np.random.default_rng(0).integers(0, 4, (3, 2, 5))
    for measure in (group_disclosure, subtraction_attribution):
        together = measure(xr.DataArray(tables, dims=("year", "target", "key")), k=[3, 0, 1])
        assert set(together.cells.dims if measure is group_disclosure else together.any_emptied.dims) == {"k", "year"}
        for year, table in enumerate(tables):
            xr.testing.assert_allclose(together.isel(year=year).drop_attrs(), measure(table, k=[3, 0, 1]).drop_attrs())
            xr.testing.assert_allclose(together.isel(year=year, k=2).drop_attrs(), measure(table, k=1).drop_attrs())


@pytest.mark.parametrize("measure", [group_disclosure, subtraction_attribution])
def test_cells_are_the_same_on_both_backings(measure):
    tables = xr.DataArray(np.random.default_rng(0).poisson(0.7, (2, 3, 9)), dims=("year", "target", "key"))
    dense, found = measure(tables, k=[0, 2]), measure(tables.copy(data=sparse.COO.from_numpy(tables.values)), k=[0, 2])
    for name in {"insiders", "emptied", "attributed"} & set(dense):
        assert found[name].dims == dense[name].dims
        np.testing.assert_array_equal(found[name].data.todense(), dense[name])


def test_without_records_nothing_is_known():
    found = subtraction_attribution([[0, 0]], k=0)
    assert np.isnan([found.any_emptied, found.cells_emptied, found.any_attributed, found.keys_attributed]).all()
    assert np.isnan(group_disclosure([[0, 0]], k=0).share)
    assert group_disclosure([[0, 0]], k=5).pairs == 0


@pytest.mark.parametrize("measure", [group_disclosure, subtraction_attribution])
@pytest.mark.parametrize("k", [-1, 1.0, True, [], 2**70, [0, "1"], "2", None, [[1]]])
def test_a_number_of_people_is_an_integer(measure, k):
    with pytest.raises(ValueError, match=r"`k` must be a number of people or a sequence of them, integers from 0 to 2\*\*53; got"):
        measure(CELLS, k=k)


def test_nobody_knows_more_records_than_there_are():
    with pytest.raises(ValueError, match="`k` must be at most the number of records of each table, 4; got 5"):
        subtraction_attribution(CELLS, k=[1, 5])
    assert group_disclosure(CELLS, k=5).records == 4


@pytest.mark.parametrize("measure", [group_disclosure, subtraction_attribution])
def test_weights_are_no_people(measure):
    with pytest.raises(ValueError, match=r"`o` must hold integers: people subtract whole records; got fractional counts\. Count without"):
        measure([[0.5, 1]], k=1)
    records = {"k": ["a", "b"], "t": ["x", "y"], "w": [2, 3]}
    tables = tabulate(records, keys=["k"], target="t", weights="w")
    with pytest.raises(
        ValueError, match=r"sampling weights 'w', but people subtract whole records\. Give the numbers of records, tables\.o_r"
    ):
        measure(tables.o, k=1)
    assert measure(tables.o_records, k=1).attrs["records"] == 2
