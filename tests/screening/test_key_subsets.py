"""Every subset of the key columns from one count: held against tabulating each subset anew, and against theorems."""

import io
import sys
import time
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import sparse
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples
from swept_records import KEYS, TARGETS, people

import capstats
from capstats import average_cap, baseline_cap, correct_predictions, matched_records, tabulate
from capstats.codes import progress
from capstats.codes.progress import Progress
from capstats.disclosure import dio, disco
from capstats.screening import key_subsets, sweep
from capstats.screening.formulas import FORMULAS
from capstats.tables import backing

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

ALL = ["average_cap", *FORMULAS]
theorem = examples(40)


def subsets(columns):
    return [list(subset) for size in range(1, len(columns) + 1) for subset in combinations(columns, size)]


def of_tables(tables):
    """All measures of one pair of tables, by the public functions."""
    o, s = tables.o, tables.s
    n = o.data if isinstance(o.data, np.ndarray) else o.data.data
    return {
        "average_cap": average_cap(o, s, unmatched="nearest"),
        "average_cap_zero": average_cap(o, s),
        "average_cap_drop": average_cap(o, s, unmatched="drop"),
        "average_cap_nearest": average_cap(o, s, unmatched="nearest"),
        "original_cap": average_cap(o, o),
        "original_modal_accuracy": correct_predictions(o, o) / float(n.sum()),
        "correct_predictions": correct_predictions(o, s, unmatched="nearest"),
        "matched_records": matched_records(o, s),
        "original_certain": dio(o),
        "share_certain": disco(o, s),
    }


# --- held against tabulating each subset anew


@pytest.mark.parametrize("unmatched", ["nearest", "zero", "drop"])
def test_correct_predictions_count_unmatched_records_as_they_are_asked_to(unmatched):
    o, s, keys = people(60, 1), people(15, 2), ["age", "sex", "job"]
    found = sweep(o, s, keys=keys, targets=TARGETS, measures="correct_predictions", unmatched=unmatched).value.squeeze("measure")
    for subset in subsets(keys):
        for target in TARGETS:
            tables = tabulate(o, s, keys=subset, target=target)
            expected = correct_predictions(tables.o, tables.s, unmatched=unmatched)
            assert found.sel(keyset=" + ".join(subset), target_column=target).item() == pytest.approx(expected.item(), rel=1e-13)


@pytest.mark.parametrize(
    "options",
    [{}, {"weights": "w"}, {"weights": ("v", "w")}, {"bins": {"age": 3}, "types": {"job": "text"}}, {"backing": "sparse"}],
    ids=["plain", "weights", "fractions", "bins", "sparse"],
)
@pytest.mark.parametrize("several", [False, True], ids=["one", "several"])
def test_a_sweep_equals_tabulating_each_subset_anew(options, several):
    o, s = people(120, 1), people(90, 2)
    synthetic = {"a": s, "b": people(40, 3)} if several else s
    keys = ["age", "sex", "job"]
    found = sweep(o, synthetic, keys=keys, targets=TARGETS, measures=ALL, **options)
    assert found.sizes["keyset"] == 7
    for subset in subsets(keys):
        own = {name: value for name, value in options.items() if name not in ("bins", "types")}
        for name in options.keys() - own.keys():
            own[name] = {column: x for column, x in options[name].items() if column in subset}
        for target in TARGETS:
            of_subset = of_tables(tabulate(o, synthetic, keys=subset, target=target, **own))
            assert list(of_subset) == ALL
            for name, expected in of_subset.items():
                value = found.value.sel(keyset=" + ".join(subset), measure=name, target_column=target)
                np.testing.assert_allclose(value, expected, rtol=1e-12, err_msg=f"{name} of {target} by {subset}")


def test_dropping_the_missing_is_decided_over_all_columns_once():
    o, s = people(150, 1), people(100, 2)
    found = sweep(o, s, keys=KEYS, targets=TARGETS, measures=ALL, missing="drop")
    complete = [table.dropna(subset=KEYS + TARGETS) for table in (o, s)]
    again = sweep(*complete, keys=KEYS, targets=TARGETS, measures=ALL)
    xr.testing.assert_allclose(found.value, again.value, rtol=1e-14)
    assert found.attrs["dropped"] == {"original": 150 - len(complete[0]), "synthetic": 100 - len(complete[1])}
    assert found.value.sel(measure="matched_records", keyset="town").values.tolist() == [len(complete[0])] * 2


@pytest.mark.parametrize("sizes", [1, [2], [1, 3], {4}, range(2, 5), np.int64(2)])
def test_chosen_sizes_have_the_values_of_the_whole_sweep(sizes):
    o, s = people(80, 1), people(80, 2)
    whole = sweep(o, s, keys=KEYS, targets=TARGETS, measures=ALL)
    part = sweep(o, s, keys=KEYS, targets=TARGETS, measures=ALL, sizes=sizes)
    chosen = {int(sizes)} if isinstance(sizes, (int, np.integer)) else set(sizes)
    assert set(part["size"].values.tolist()) == chosen
    np.testing.assert_array_equal(part.value, whole.value.sel(keyset=part.keyset))
    np.testing.assert_array_equal(part.rank_in_size, whole.rank_in_size.sel(keyset=part.keyset))
    np.testing.assert_array_equal(part.without_keys, whole.without_keys)
    assert "shapley" not in part
    assert ("leave_one_out" in part) == ({3, 4} <= chosen)


def test_large_tables_are_sparse_from_the_subset_on_where_they_are(monkeypatch):
    o, s = people(40, 1), people(40, 2)
    dense = sweep(o, s, keys=KEYS, targets=TARGETS, measures=ALL, backing="dense")
    monkeypatch.setattr(backing, "LARGE", 100)
    held = set()

    def look(o, s):
        held.add(isinstance(o.data, sparse.COO))
        return 0.0

    found = sweep(o, s, keys=KEYS, targets=TARGETS, measures={**{name: name for name in ALL}, "look": look})
    assert held == {True, False}
    np.testing.assert_allclose(found.value.sel(measure=ALL), dense.value, rtol=1e-12)


def test_keys_with_more_combinations_than_an_integer_has_are_swept():
    """Sixteen columns of 20 labels have 20**16 combinations."""
    rng = np.random.default_rng(0)
    names = [f"k{i}" for i in range(16)]
    o, s = (pd.DataFrame({c: rng.integers(0, 20, 50) for c in [*names, "t"]}) for _ in range(2))
    found = sweep(o, s, keys=names, targets="t", sizes=[15, 16], measures=["original_cap", "average_cap"])
    tables = tabulate(o, s, keys=names[1:], target="t")
    assert found.value.sel(keyset=" + ".join(names[1:]), measure="original_cap").item() == average_cap(tables.o, tables.o)


# --- values by hand


RECORDS = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "t": ["x", "y", "y", "x"]}


def test_the_sweep_of_an_exclusive_or_is_the_one_worked_out_by_hand():
    """Each column alone leaves two equally likely targets, both leave one; without any the same two: nothing but the pair adds."""
    found = sweep(RECORDS, RECORDS, allow_same=True, keys=["a", "b"], targets="t", measures="average_cap").squeeze()
    assert found.value.values.tolist() == [0.5, 0.5, 1]
    assert found["rank"].values.tolist() == [2, 2, 1]
    assert found.rank_in_size.values.tolist() == [1, 1, 1]
    assert found.without_keys.item() == 0.5
    assert found.leave_one_out.values.tolist() == [0.5, 0.5]
    assert found.shapley.values.tolist() == [0.25, 0.25]


def test_one_key_column_contributes_what_it_adds_to_no_key():
    found = sweep(people(30, 1), people(30, 2), keys="age", targets="income", measures=["average_cap"])
    gain = found.value.isel(keyset=0) - found.without_keys
    np.testing.assert_allclose(found.shapley.isel(key_column=0), gain, rtol=1e-14)
    np.testing.assert_allclose(found.leave_one_out.isel(key_column=0), gain, rtol=1e-14)


@pytest.mark.parametrize(
    ("sizes", "rising"), [(None, [1, 2, 3, 4]), ([1, 2], [1, 2]), ([2, 3], [3]), ([1, 3, 4], [1, 4]), ([2, 4], []), (3, []), (1, [1])]
)
def test_mean_increments_are_those_of_the_sizes_counted_with_the_size_below(sizes, rising):
    """Each is the average over all pairs of keysets that differ in the column alone, by their ``known``."""
    o, s = people(80, 1), [people(80, 2), people(60, 3)]
    found = sweep(o, s, keys=KEYS, targets=TARGETS, measures=ALL[:4], sizes=sizes)
    assert ("mean_increment" in found) == bool(rising)
    values = {frozenset(): found.without_keys.values}
    values |= {frozenset(np.flatnonzero(known)): found.value.values[i] for i, known in enumerate(found.known.values)}
    assert rising == (found.subset_size.values.tolist() if rising else [])
    for size in rising:
        for c, column in enumerate(KEYS):
            pairs = [(values[x], values[x - {c}]) for x in values if len(x) == size and c in x]
            expected = np.mean([more - less for more, less in pairs], axis=0)
            np.testing.assert_allclose(found.mean_increment.sel(subset_size=size, key_column=column), expected, rtol=1e-12, atol=1e-15)


def test_a_mean_increment_over_an_undefined_value_is_undefined():
    other = {**RECORDS, "a": [7, 7, 8, 8]}
    found = sweep(RECORDS, other, keys=["a", "b"], targets="t", measures="average_cap_drop").squeeze()
    assert np.isnan(found.mean_increment.sel(key_column="a").values).tolist() == [True, True]
    assert np.isnan(found.mean_increment.sel(key_column="b").values).tolist() == [False, True]


# --- theorems


@st.composite
def tables_of_records(draw):
    n, k = draw(st.integers(1, 12)), draw(st.integers(1, 4))
    column = st.lists(st.integers(0, 2), min_size=n, max_size=n)
    weights = st.lists(st.integers(0, 5), min_size=n, max_size=n).filter(any)
    records = st.fixed_dictionaries({**{f"k{i}": column for i in range(k)}, "t": column, "u": column, "w": weights})
    return [f"k{i}" for i in range(k)], draw(records), draw(records)


def along_the_lattice(found, measure):
    """Pairs of values: of a subset, and of it with one more column; from no column on."""
    values = {frozenset(): found.without_keys.sel(measure=measure).values}
    for i, row in enumerate(found.known.values):
        values[frozenset(np.flatnonzero(row))] = found.value.isel(keyset=i).sel(measure=measure).values
    for columns, value in values.items():
        yield from ((value, more) for other, more in values.items() if columns < other and len(other) == len(columns) + 1)


@theorem
@given(tables_of_records())
def test_added_key_columns_never_lower_cap_of_the_original_and_modal_accuracy_nor_raise_matched_records(drawn):
    keys, o, s = drawn
    rising = ["original_cap", "original_modal_accuracy"]
    found = sweep(o, s, allow_same=True, keys=keys, targets=["t", "u"], weights="w", measures=[*rising, "matched_records"])
    for measure in rising:
        for value, more in along_the_lattice(found, measure):
            assert capstats.at_most(value, more).all()
    for value, more in along_the_lattice(found, "matched_records"):
        assert capstats.at_most(more, value).all()


@theorem
@given(tables_of_records())
def test_shapley_values_add_up_and_are_the_averages_of_the_mean_increments_over_all_sizes(drawn):
    """Their sum is what all columns add to none."""
    keys, o, s = drawn
    measures = [name for name in ALL if name != "average_cap_drop"]
    found = sweep(o, [s, o], allow_same=True, keys=keys, targets=["t", "u"], weights="w", measures=measures)
    whole = found.value.isel(keyset=-1) - found.without_keys
    np.testing.assert_allclose(found.shapley.sum("key_column"), whole, rtol=1e-10, atol=1e-12)
    assert found.mean_increment.dims == ("subset_size", *found.shapley.dims)
    np.testing.assert_allclose(found.mean_increment.mean("subset_size"), found.shapley, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.mean_increment.sel(subset_size=len(keys)), found.leave_one_out, rtol=1e-10, atol=1e-12)


@theorem
@given(tables_of_records())
def test_without_keys_cap_is_the_baseline(drawn):
    keys, o, s = drawn
    found = sweep(
        o, s, allow_same=True, keys=keys, targets="t", measures=["average_cap", "original_cap", "original_modal_accuracy"]
    ).without_keys.squeeze()
    tables = tabulate(o, s, keys=keys, target="t")
    expected = [baseline_cap(tables.o, tables.s, kind="crossed"), baseline_cap(tables.o), baseline_cap(tables.o, kind="modal")]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


# --- measures of the caller's own


def test_a_function_gets_the_tables_that_tabulate_returns():
    o, several = people(30, 1), {"x": people(20, 2), "y": people(25, 3)}
    seen = []

    def look(*pair):
        seen.append(pair)
        return average_cap(*pair)

    found = sweep(o, several, keys=["sex", "age"], targets="income", measures={"own": look, "named": "average_cap_zero"})
    assert len(seen) == 4
    tables = {tuple(names): tabulate(o, several, keys=list(names), target="income") for names in (["sex"], ["age"], ["sex", "age"])}
    for pair in seen:
        names = tuple(pair[0].indexes["key"].names)
        if names == ("key_",):
            assert pair[0].sizes["key"] == 1
            continue
        xr.testing.assert_identical(pair[0], tables[names].o)
        xr.testing.assert_identical(pair[1], tables[names].s)
    np.testing.assert_array_equal(found.value.sel(measure="own"), found.value.sel(measure="named"))


def test_a_function_may_return_one_number_for_all_synthetic_tables():
    found = sweep(
        RECORDS,
        [RECORDS] * 3,
        allow_same=True,
        keys=["a"],
        targets="t",
        measures={"records": lambda o, _: int(o.sum()), "half": lambda *_: True},
    )
    assert found.value.squeeze().values.tolist() == [[4, 4, 4], [1, 1, 1]]


def test_a_measure_that_is_not_defined_is_nan_and_has_neither_rank_nor_contribution():
    other = {**RECORDS, "a": [7, 7, 8, 8]}
    found = sweep(RECORDS, other, keys=["a", "b"], targets="t", measures="average_cap_drop").squeeze()
    assert np.isnan(found.value.values).tolist() == np.isnan(found["rank"].values).tolist() == [True, False, True]
    assert np.isnan(found.shapley.values).all()


# --- what the result says


def test_a_keyset_is_named_and_says_which_columns_are_known():
    found = sweep(RECORDS, RECORDS, allow_same=True, keys=["b", "a"], targets="t")
    assert found.keyset.values.tolist() == ["b", "a", "b + a"]
    assert found.known.values.tolist() == [[True, False], [False, True], [True, True]]
    assert found["size"].values.tolist() == [1, 1, 2]
    assert found.measure.values.tolist() == ["average_cap", "original_cap", "matched_records"]
    told = {"key_columns": ["b", "a"], "target_columns": ["t"], "missing": "level", "capstats": capstats.__version__}
    assert found.attrs == {"result": "Key subsets", "printed": ["shapley"], **told, "unmatched": "nearest", "records": len(RECORDS["t"])}


def test_names_that_read_alike_are_told_apart():
    records = {"a": [0, 1], "b": [0, 1], "a + b": [1, 1], 1: [0, 0], "1": [0, 1], "t": [0, 1]}
    found = sweep(records, records, allow_same=True, keys=["a", "b", "a + b"], targets="t")
    assert found.indexes["keyset"].is_unique
    assert found.keyset.values.tolist()[2:4] == ["'a + b'", "'a' + 'b'"]
    assert sweep(records, records, allow_same=True, keys=[1, "1"], targets="t").key_column.values.tolist() == ["1", "'1'"]


def test_columns_may_be_called_as_parts_of_the_result():
    records = {"keyset": [0, 1, 1], "key": [0, 0, 1], "synthetic": [1, 0, 1], "value": [0, 1, 1], "target": [0, 1, 0], "size": [1, 0, 0]}
    keys = ["keyset", "key", "synthetic", "value"]
    found = sweep(
        records,
        [records],
        allow_same=True,
        keys=keys,
        targets=["target", "size"],
        measures={"own": average_cap, "named": "average_cap_zero"},
    )
    assert found.key_column.values.tolist() == keys
    np.testing.assert_array_equal(found.value.sel(measure="own"), found.value.sel(measure="named"))


def test_attrs_say_how_the_counts_came_to_be():
    o, s = people(30, 1), people(30, 2)
    attrs = sweep(o, s, keys=["sex", "age"], targets="income", weights="w", bins={"age": [3.5]}, missing="drop").attrs
    assert attrs["weights"] == {"original": "w", "synthetic": "w"}
    assert attrs["bins"] == {"age": tabulate(o, s, keys="age", target="income", bins={"age": [3.5]}).attrs["bins"]["age"]}
    assert set(attrs["dropped"]) == {"original", "synthetic"}
    assert attrs["categories"] == {"sex": ["x", "m", "f"], "age": ["(-inf, 3.5]", "(3.5, inf)"]}


def test_a_long_sweep_shows_its_progress(monkeypatch):
    """Its measure takes until the step is shown, at most half a minute."""
    monkeypatch.setattr(progress, "DELAY", 0.0)
    monkeypatch.setattr(progress, "EVERY", 0.001)
    stream, end = io.StringIO(), time.monotonic() + 30
    monkeypatch.setattr(sys, "stderr", stream)

    def slow(o, s):
        while "sweeping subsets of the keys" not in stream.getvalue() and time.monotonic() < end:
            time.sleep(0.001)
        return 0.0

    sweep(people(30, 1), people(30, 2), keys=KEYS, targets=TARGETS, measures={"slow": slow}, progress=True)
    assert "sweeping subsets of the keys" in stream.getvalue()


@pytest.mark.parametrize(("sizes", "counted"), [(None, 8), ([2], 4), ([1, 3], 5)])
def test_the_progress_of_a_sweep_ends_where_it_says_it_will(sizes, counted, monkeypatch):
    """Each subset is a step, and the one without any key column."""
    steps = []

    class Kept(Progress):
        def step(self, what, rows=None):
            steps.append(super().step(what, rows))
            return steps[-1]

    monkeypatch.setattr(key_subsets, "Progress", Kept)
    sweep(people(30, 1), people(30, 2), keys=KEYS[:3], targets=TARGETS, sizes=sizes)
    (step,) = [step for step in steps if step.what == "sweeping subsets of the keys"]
    assert step.rows == step.total == counted


# --- what is refused


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"sizes": 3}, ValueError, "`sizes` must be from 1 to 2, the number of key columns; got 3"),
        ({"sizes": [0, 1]}, ValueError, "`sizes` must be from 1 to 2"),
        ({"sizes": []}, ValueError, "`sizes` must be from 1 to 2"),
        ({"sizes": "2"}, TypeError, "`sizes` must be a number of key columns, or a collection of such numbers; got '2'"),
        ({"sizes": 1.0}, TypeError, "`sizes` must be a number of key columns"),
        ({"sizes": [True]}, TypeError, "`sizes` must be a number of key columns"),
        ({"limit": 0}, ValueError, "`limit` must be a number of subsets, at least 1; got 0"),
        ({"limit": None}, ValueError, "`limit` must be a number of subsets"),
        ({"limit": 2}, ValueError, r"2 key columns have 3 subsets of the sizes 1, 2, more than `limit`=2. Give sizes=range\(1, 2\), fewer"),
        ({"limit": 1}, ValueError, "more than `limit`=1. Give fewer key columns, or a larger limit"),
        ({"measures": "average_ca"}, ValueError, "`measures` names 'average_ca', which is unknown. Did you mean 'average_cap'"),
        ({"measures": []}, ValueError, "`measures` must name at least one measure"),
        ({"measures": ["average_cap"] * 2}, ValueError, "each of them once"),
        ({"measures": [average_cap]}, TypeError, "`measures` must be a name, a list of names, or a mapping"),
        ({"measures": average_cap}, TypeError, "`measures` must be a name, a list of names, or a mapping"),
        ({"measures": {"x": 3}}, TypeError, "Measure 'x' must be a name or a function of `o` and `s`; got 3"),
        ({"measures": {"x": capstats.individual_cap}}, ValueError, r"Measure 'x' must return one number .* got dims \('target', 'key'\)"),
        ({"measures": {"x": lambda *_: None}}, ValueError, "Measure 'x' must return one number for each pair of tables; got NoneType"),
        ({"synthetic": None}, TypeError, "`synthetic` must be a table of records, or several; got None"),
        ({"targets": []}, ValueError, "`targets` must name at least one column"),
        ({"targets": ["t", "a"]}, ValueError, "Column 'a' is both a key and the target"),
        ({"targets": "tt"}, ValueError, "Column 'tt' is not in `original`. Did you mean 't'"),
        ({"missing": "omit"}, ValueError, "`missing` must be"),
        ({"backing": "wide"}, ValueError, "`backing` must be"),
        ({"allow_same": "no"}, TypeError, "`allow_same` must be True or False; got 'no'"),
    ],
)
def test_what_cannot_be_swept_is_refused(options, error, message):
    arguments = {"original": RECORDS, "synthetic": RECORDS, "allow_same": True, "keys": ["a", "b"], "targets": "t", **options}
    with pytest.raises(error, match=message):
        sweep(**arguments)


def test_as_many_subsets_as_the_limit_are_swept():
    found = sweep(RECORDS, RECORDS, allow_same=True, keys=["a", "b"], targets="t", limit=3)
    assert found.sizes["keyset"] == 3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"18 key columns have 262143 subsets of the sizes 1 to 18, .* Give sizes=range\(1, 5\), fewer"),
        ({"sizes": 1, "unmatched": "omit"}, "`unmatched` must be"),
    ],
)
def test_mistakes_are_told_before_anything_is_read(options, message):
    with pytest.raises(ValueError, match=message):
        sweep("nowhere.parquet", "nowhere.parquet", keys=[f"k{i}" for i in range(18)], targets="t", **options)
