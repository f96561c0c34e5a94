"""Tables are checked cell by cell, aligned by label and broadcast over every other dim before a formula sees them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import sparse
import xarray as xr
from small_tables import as_sparse

import capstats
from capstats.tables import dense
from capstats.tables.aligned import Aligned

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

COUNTS = [[1, 2], [3, 4]]
MEASURES = [
    capstats.average_cap,
    capstats.individual_cap,
    capstats.matched_records,
    capstats.correct_predictions,
    lambda o, s: capstats.cap_quantiles(o, s, 0.5),
    lambda o, s: capstats.cap_ecdf(o, s, 0.5),
]
measures = pytest.mark.parametrize("measure", MEASURES, ids=["average", "individual", "matched", "correct", "quantiles", "ecdf"])


def table(values: Any = COUNTS, name: str = "o", key: Any = ("f", "m"), target: Any = ("low", "high"), **coords: Any) -> xr.DataArray:
    """A table as `tabulate` labels it."""
    counts = capstats.from_counts(np.ones((len(target), len(key))), key_labels={"sex": list(key)}, target_labels={"income": list(target)})
    dims = (*coords, "target", "key")
    array = xr.DataArray(np.array(values), dims=dims, name=name)
    return array.assign_coords(counts.o.coords).assign_coords({k: v for k, v in coords.items() if v is not None})


# --- Checked -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "rule"),
    [
        (-2, "non-negative"),
        (-0.5, "non-negative"),
        (np.nan, "finite"),
        (np.inf, "finite"),
        (-np.inf, "finite"),
        (2**53 + 2, "exact"),
        (1e300, "exact"),
    ],
)
def test_a_count_that_is_none_raises_with_rule_value_and_labels_of_its_cell(value: float, rule: str) -> None:
    bad = [[1, 2], [value, 4]]
    place = r"at key='f', target='high'\. Mend that cell"
    with pytest.raises(ValueError, match=rf"`s` must be .*{rule}.*; got .* {place}") as raised:
        capstats.average_cap(table(), table(bad, "s"))
    assert f"got {np.array(bad)[1, 0]} at" in str(raised.value)
    with pytest.raises(ValueError, match=rf"`o` must be .*{rule}.*; got .* at key=0, target=1\. Mend"):
        capstats.average_cap(bad, COUNTS)


@pytest.mark.parametrize("last", [-1, 2**53])
def test_a_bad_cell_is_found_in_the_last_of_many_pieces(monkeypatch: pytest.MonkeyPatch, last: int) -> None:
    monkeypatch.setattr(dense, "BLOCK", 8)
    s = np.ones((10, 2, 2), np.int64)
    s[-1, -1, -1] = last
    for given, place in ((s, "key=1, target=1, draw=9"), (table(s, "s", draw=[*"abcdefghij"]), "key='m', target='high', draw='j'")):
        with pytest.raises(ValueError, match=rf"`s` must be .*; got {last} at {place}"):
            capstats.average_cap(COUNTS, given)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ([[1, 2], [3]], ValueError, r"`s` has rows of different lengths\. Give one row a target, with one count a key"),
        ([1, 2], ValueError, r"`s` has 1 dimensions; give \(target, key\), or \(draw, target, key\).* or a DataArray with named dims"),
        (np.ones((2, 2, 2, 2)), ValueError, r"`s` has 4 dimensions"),
        (5, ValueError, r"`s` has 0 dimensions"),
        ([[], []], ValueError, r"`s` is empty: it has 2 targets, 0 keys\. Give at least one of each"),
        ([["1", "2"]], TypeError, r"`s` must hold numbers; got dtype <U1"),
        ([[1, None]], TypeError, r"`s` must hold numbers; got dtype object"),
        (np.array([[1j]]), TypeError, r"`s` must hold numbers; got dtype complex128"),
        (np.ma.masked_array(COUNTS, mask=np.eye(2)), TypeError, r"`s` has masked cells, which are no counts\. Fill them, as with"),
        (np.array([[2**63]], np.uint64), ValueError, r"`s` must be below 2\*\*53, to be exact; got 9223372036854775808 at key=0, target=0"),
        (sparse.COO(np.array(COUNTS)), TypeError, r"`s` is COO; give an array, or xr\.DataArray\(sparse\.COO"),
        (scipy.sparse.csr_array(COUNTS), TypeError, r"`s` is csr_array; give an array"),
        (
            lambda: xr.DataArray(sparse.GCXS(np.array(COUNTS)), dims=("target", "key")),  # which compiles: not before the tests run
            TypeError,
            r"`s` must hold a numpy array or a sparse\.COO; it holds .*GCXS\. Convert it",
        ),
        (xr.DataArray(COUNTS, dims=("target", "key")).chunk(), TypeError, r"it holds dask\..*Array\. Convert it, as with \.compute\(\)"),
        (np.ones((0, 2, 2)), ValueError, r"`s` is empty: it has 0 draws, 2 targets, 2 keys\. Give at least one of each"),
        (
            pd.DataFrame(COUNTS),
            TypeError,
            r"`s` is a DataFrame\. For records use capstats\.tabulate; give a table of counts as an array, or to capstats\.from_counts",
        ),
        (pl.LazyFrame({"a": [1]}), TypeError, r"`s` is a LazyFrame\..*capstats\.tabulate"),
        ({"a": [1]}, TypeError, r"`s` is a dict\..*capstats\.tabulate"),
        (
            xr.DataArray([1], dims=("x",)),
            ValueError,
            r"`s` has dims \('x',\) and lacks 'target', 'key': rename its dims; rows are targets",
        ),
        (
            xr.DataArray([[1, 2]], dims=("target", "key"), coords={"key": ["a", "a"]}),
            ValueError,
            r"`s` has the key 'a' twice\. Labels must be distinct",
        ),
    ],
)
def test_what_is_no_table_raises_and_names_the_way_out(given: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        capstats.average_cap(COUNTS, given() if callable(given) else given)


def test_a_dataset_that_lacks_a_table_is_refused() -> None:
    tables = capstats.from_counts(COUNTS, COUNTS)
    with pytest.raises(ValueError, match=r"The Dataset holds no table `s`, only o\. Tabulate the original together with a release"):
        capstats.average_cap(tables.o, tables[["o"]])


# --- Two tables -------------------------------------------------------------------------------------------------------


@measures
def test_labels_that_one_table_lacks_count_as_zero(measure: Any) -> None:
    o, s = table(), table([[7]], "s", key=["m"], target=["low"])
    padded = table([[0, 7], [0, 0]], "s")
    xr.testing.assert_identical(measure(o, s), measure(o, padded))
    more = table([[7, 9]], "s", key=["m", "x"], target=["low"])
    assert measure(o, more).sizes.get("key", 3) == 3


@measures
def test_bare_arrays_take_the_labels_of_the_other_by_position(measure: Any) -> None:
    s = [[5, 0], [1, 2]]
    expected = measure(table(), table(s, "s"))
    xr.testing.assert_identical(measure(table(), s), expected)
    xr.testing.assert_identical(measure(COUNTS, table(s, "s")), expected)
    assert measure(COUNTS, s).values.tolist() == expected.values.tolist()


@measures
def test_shapes_that_differ_without_labels_raise(measure: Any) -> None:
    with pytest.raises(ValueError, match=r"`o` has 2 targets x 2 keys, `s` has 2 targets x 3 keys: they must agree"):
        measure(COUNTS, [[1, 2, 3], [4, 5, 6]])
    with pytest.raises(ValueError, match=r"`o` has 2 targets x 2 keys, `s` has 1 targets x 2 keys: they must agree"):
        measure(COUNTS, [[1, 2]])


# --- Batches ----------------------------------------------------------------------------------------------------------

MANY = np.arange(24).reshape(3, 2, 2, 2)


@measures
def test_a_dim_of_both_tables_is_matched_member_by_member(measure: Any) -> None:
    o = xr.DataArray(MANY[:, 0] + 1, dims=("region", "target", "key"))
    s = xr.DataArray(MANY[:, 1], dims=("region", "target", "key"))
    found = measure(o, s)
    for r in range(3):
        xr.testing.assert_allclose(found.isel(region=r), measure(o.isel(region=r), s.isel(region=r)))


@pytest.mark.parametrize(("a", "b"), [(["x", "y"], ["y", "x"]), (["x", "y"], ["x", "z"]), ([1, 2, 3], [1, 2])])
@measures
def test_batches_whose_labels_disagree_raise(measure: Any, a: list[Any], b: list[Any]) -> None:
    o = xr.DataArray(np.ones((len(a), 2, 2), int), dims=("region", "target", "key"), coords={"region": a})
    s = xr.DataArray(np.ones((len(b), 2, 2), int), dims=("region", "target", "key"), coords={"region": b})
    with pytest.raises(ValueError, match=r"tables disagree along 'region': label and order it alike in all of them, or rename it in one"):
        measure(o, s)


@measures
def test_pieces_of_any_size_give_the_same_numbers(monkeypatch: pytest.MonkeyPatch, measure: Any) -> None:
    rng = np.random.default_rng(1)
    o = xr.DataArray(rng.integers(0, 5, (3, 1, 2, 2)), dims=("region", "year", "target", "key"))
    s = xr.DataArray(rng.integers(0, 3, (5, 3, 2, 2)), dims=("draw", "region", "target", "key"))
    expected = measure(o, s)
    for block in (1, 4, 8, 16, 40, 10**6):
        monkeypatch.setattr(dense, "BLOCK", block)
        xr.testing.assert_identical(measure(o, s), expected)


def test_a_measure_changes_no_table_that_it_was_given() -> None:
    o, s = table(), table([[5, 0], [1, 2]], "s", key=["m", "x"])
    before = o.copy(deep=True), s.copy(deep=True)
    for measure in MEASURES:
        measure(o, s)
    assert o.identical(before[0])
    assert s.identical(before[1])


@pytest.mark.parametrize("name", ["dio", "share_unique", "disco", "key_summary"])
def test_none_in_place_of_a_table_is_named(name: str) -> None:
    measure = getattr(capstats.disclosure, name)
    with pytest.raises(TypeError, match=r"^`o` is None; give a table of counts"):
        measure(*[None, COUNTS][: 1 if name in ("dio", "share_unique") else 2])
    with pytest.raises(TypeError, match=r"^`s` is None; give a table of counts"):
        capstats.disclosure.key_summary(COUNTS, None)


@pytest.mark.parametrize(
    "measure", [capstats.average_cap, capstats.disclosure.disco, lambda o, s: capstats.anonymity.anonymity_profile(o, s).prosecutor]
)
@pytest.mark.parametrize("weight", [1e-320, 1e-200])
@pytest.mark.parametrize("stored", [False, True])
def test_weights_whose_products_would_be_0_are_refused(measure: Any, weight: float, stored: bool) -> None:
    counts = xr.DataArray(np.array([[2.5, 1], [0, weight]]), dims=("target", "key"))
    with pytest.raises(ValueError, match=r"`o` must be 0 or at least 1e-100, .*; got 1e-\d+ at key=1, target=1"):
        measure(as_sparse(counts) if stored else counts, COUNTS)
    assert capstats.average_cap([[1e-100, 0], [0, 1e-100]], [[1e-100, 0], [1e-100, 1e-100]]).item() == 0.75


@pytest.mark.parametrize("sparse_too", [False, True])
def test_a_dim_of_the_tables_that_the_result_would_have_twice_is_an_error(sparse_too: bool) -> None:
    o = xr.DataArray([COUNTS, COUNTS], dims=("quantile", "target", "key"))
    table = as_sparse(o) if sparse_too else o
    with pytest.raises(ValueError, match=r"has a dim 'quantile', which is that of the result. Rename it: .rename\(quantile=...\)."):
        Aligned({"o": table}).map(lambda o: o.key_total, "found", ("quantile",))
    assert Aligned({"o": table.rename(quantile="of")}).map(lambda o: o.key_total, "found", ("quantile",)).dims == ("of", "quantile")


@pytest.mark.parametrize("swapped", ["os", "oh"])
def test_tables_that_are_given_the_other_way_round_are_refused_with_the_line_that_renames(swapped: str) -> None:
    """disco of the paper's tables is another number where the original is taken for the release."""
    first, second = swapped
    tables = {
        name: xr.DataArray(rows, dims=("target", "key"), name=name) for name, rows in (("o", [[2, 1]]), ("s", [[0, 3]]), ("h", [[1, 1]]))
    }
    with pytest.raises(ValueError, match=rf'are given the other way round. .*{second}\.rename\("{first}"\), {first}\.rename\("{second}"\)'):
        Aligned({first: tables[second], second: tables[first]})
    Aligned({first: tables[second].rename(first), second: tables[first].rename(second)})
    Aligned({first: tables[second], second: tables[second]})  # a table beside itself is often meant


@pytest.mark.parametrize("backing", ["dense", "sparse"])
def test_numbers_of_one_pass_keep_their_type_and_are_those_of_a_pass_each(backing):
    o, s = np.random.default_rng(0).integers(0, 9, (4, 50)), np.random.default_rng(1).integers(0, 9, (3, 4, 50))
    held = [xr.DataArray(sparse.COO(x) if backing == "sparse" else x, dims=("draw", "target", "key")[-x.ndim :]) for x in (o, s)]
    aligned = Aligned(dict(zip("os", held, strict=True)))
    formulas = {"n": lambda o, _: o.total, "m": lambda _, s: s.total, "share": lambda o, s: o.key_product(s).sum(-1) / s.total}
    found = aligned.numbers(lambda o, s: {name: formula(o, s) for name, formula in formulas.items()})
    assert found["n"].dtype == np.int64
    assert found["n"].values.tolist() == [o.sum()] * 3
    for name in ("m", "share"):
        xr.testing.assert_identical(found[name], aligned.map(formulas[name], name))
        assert found[name].dtype == aligned.map(formulas[name], name).dtype
