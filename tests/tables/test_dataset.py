"""The Dataset of counts: what it holds, made from given counts, added up, and on other cells."""

from __future__ import annotations

import datetime as dt
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from small_tables import COUNTS, RECORDS, cells, drawn

import capstats
from capstats import from_counts, full_domain, merge_counts, observed_domain, read_counts, tabulate, write_counts
from capstats.codes.labels import MISSING
from capstats.tables.dataset import as_tables

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


@pytest.mark.parametrize("call", [merge_counts, observed_domain, full_domain, capstats.to_frame])
@pytest.mark.parametrize("given", [COUNTS, None, xr.Dataset(), pd.DataFrame(COUNTS), from_counts(COUNTS).o], ids=lambda x: type(x).__name__)
def test_what_is_no_dataset_of_tables_raises(call: Any, given: Any) -> None:
    with pytest.raises(TypeError, match=r"`tables` must be the Dataset that tabulate or from_counts returns, with `o`; got"):
        call(given)


@pytest.mark.parametrize("call", [merge_counts, observed_domain, full_domain, capstats.to_frame])
def test_a_dataset_without_labels_raises(call: Any) -> None:
    with pytest.raises(ValueError, match=r"`tables` has no labels along 'target' and 'key'\. Make it with tabulate or from_counts"):
        call(xr.Dataset({"o": (("target", "key"), COUNTS)}))


# --- from counts -----------------------------------------------------------------------------------------------------


def test_without_labels_the_key_column_is_numbered_and_marked() -> None:
    tables = from_counts(COUNTS, COUNTS)
    assert tables.o.dims == tables.s.dims == ("target", "key")
    assert tables.indexes["key"].names == ["key_"]
    assert tables.indexes["key"].tolist() == [(0,), (1,), (2,)]
    assert tables.indexes["target"].tolist() == [0, 1]
    assert tables.attrs == {"key_columns": ["key_"], "target_columns": ["target"], "unlabelled": True, "capstats": capstats.__version__}


@pytest.mark.parametrize(("flip", "end"), [(1, "last"), (-1, "first")])
@pytest.mark.parametrize("scale", [1, 0.1])
def test_a_cross_tabulation_with_its_margins_is_refused(flip: int, end: str, scale: float) -> None:
    plain = pd.DataFrame([[3, 1, 0], [2, 0, 4]]) * scale
    margins = pd.DataFrame([[3, 1, 0, 4], [2, 0, 4, 6], [5, 1, 4, 10]]).iloc[::flip, ::flip] * scale
    for given, name in (((margins,), "o"), ((plain, margins), "s"), ((plain, {"a": margins}), r"s\['a'\]")):
        with pytest.raises(ValueError, match=rf"`{name}` holds its totals: its {end} row and column are .* counted four times\. Leave"):
            from_counts(*given)
    assert from_counts(margins.to_numpy()).o.sum().item() == pytest.approx(40 * scale)  # as an array they may be counts of their own


def test_hardly_any_other_table_is_taken_for_one_with_margins() -> None:
    """Of 16 tables with these margins the two that have them; none of 500 random tables of 30 records, and none of zeros."""
    inner = [[[a, b, 1], [c, d, 1], [1, 1, 2]] for a, b, c, d in np.ndindex(2, 2, 2, 2)]
    random = np.random.default_rng(1).multinomial(30, np.ones(9) / 9, 500).reshape(-1, 3, 3)
    refused = []
    for counts in [*inner, *random, [[1, 0, 1], [0, 0, 0], [1, 0, 1]]]:
        try:
            from_counts(pd.DataFrame(counts))
        except ValueError:
            refused.append(counts)
    assert refused == [[[0, 1, 1], [1, 0, 1], [1, 1, 2]], [[1, 0, 1], [0, 1, 1], [1, 1, 2]]]
    with pytest.raises(ValueError, match="every count is 0"):
        from_counts(pd.DataFrame(np.zeros((4, 4))))


@pytest.mark.parametrize(
    ("key_labels", "names", "rows"),
    [
        (["b", "a", None], ["key_"], [("b",), ("a",), (MISSING,)]),
        ({"sex": ["f", "m", "f"], "age": [1, 1, 2]}, ["sex", "age"], [("f", 1), ("m", 1), ("f", 2)]),
        (pd.Index([3, 1, 2], name="age"), ["age"], [(3,), (1,), (2,)]),
    ],
)
def test_labels_may_come_in_any_form_and_stay_in_their_order(key_labels: Any, names: list[str], rows: list[Any]) -> None:
    tables = from_counts(COUNTS, COUNTS, key_labels=key_labels, target_labels={"income": ["low", "high"]})
    assert list(tables.indexes["key"].names) == tables.attrs["key_columns"] == names
    assert tables.indexes["key"].tolist() == rows
    assert tables.indexes["target"].tolist() == ["low", "high"]
    assert tables.attrs["target_columns"] == ["income"]
    assert "unlabelled" not in tables.attrs
    assert tables.o.values.tolist() == tables.s.values.tolist() == COUNTS


def test_a_cross_tabulation_of_pandas_brings_its_labels() -> None:
    records = pd.DataFrame({"income": ["low", "high", "low"], "sex": ["f", "m", "f"], "age": [2, 10, 2]})
    crossed = pd.crosstab(records["income"], [records["sex"], records["age"]])
    tables = from_counts(crossed)
    assert cells(tables.o) == {("low", "f", 2): 2, ("high", "m", 10): 1}
    assert tables.attrs["key_columns"] == ["sex", "age"]
    assert tables.attrs["target_columns"] == ["income"]
    assert full_domain(tables).o.shape == (2, 4)


@pytest.mark.parametrize("dtype", ["int64", "Int64", "Float64", "float32"])
def test_a_data_frame_may_have_any_type_of_numbers(dtype: str) -> None:
    tables = from_counts(pd.DataFrame(COUNTS, dtype=dtype))
    assert tables.o.dtype == np.int64
    assert tables.o.values.tolist() == COUNTS


def test_different_labels_in_the_tables_are_aligned_and_absent_cells_are_zero() -> None:
    o = pd.DataFrame([[1, 2], [3, 4]], ["low", "high"], pd.Index(["f", "m"], name="sex"))
    s = pd.DataFrame([[5, 6]], ["mid"], pd.Index(["x", "f"], name="sex"))
    tables = from_counts(o, s)
    assert cells(tables.o) == {("low", "f"): 1, ("low", "m"): 2, ("high", "f"): 3, ("high", "m"): 4}
    assert cells(tables.s) == {("mid", "x"): 5, ("mid", "f"): 6}
    assert tables.indexes["target"].tolist() == ["low", "high", "mid"]
    assert tables.indexes["key"].tolist() == [("f",), ("m",), ("x",)]


@pytest.mark.parametrize("s", [{"a": COUNTS, "b": COUNTS[::-1]}, {1: COUNTS, None: COUNTS}], ids=repr)
def test_a_mapping_of_synthetic_tables_gives_a_labelled_dim(s: dict[Any, Any]) -> None:
    tables = from_counts(COUNTS, s)
    assert tables.s.dims == ("synthetic", "target", "key")
    assert [tables.s.isel(synthetic=i).values.tolist() for i in range(2)] == list(s.values())
    assert tables.indexes["synthetic"].tolist() == [MISSING if x is None else x for x in s]


def test_an_array_of_synthetic_tables_gives_a_dim_that_is_numbered_or_keeps_its_labels() -> None:
    assert from_counts(COUNTS, [COUNTS, COUNTS]).indexes["synthetic"].tolist() == [0, 1]
    draws = xr.DataArray([COUNTS, COUNTS], dims=("draw", "target", "key"), coords={"draw": ["p", "q"]})
    assert from_counts(COUNTS, draws).indexes["synthetic"].tolist() == ["p", "q"]


def test_names_of_a_data_frame_are_kept_in_attrs_too() -> None:
    frame = pd.DataFrame(COUNTS, pd.Index(["low", "high"], name="o"), pd.Index(list("abc"), name="s"))
    tables = from_counts(frame, frame)
    assert tables.indexes["key"].names == ["s_"]
    assert tables.attrs["key_columns"] == ["s"]
    assert tables.attrs["target_columns"] == ["o"]
    assert tables.attrs["renamed"] == {"s_": "s"}


@pytest.mark.parametrize(
    ("o", "s", "options", "error", "message"),
    [
        (COUNTS, [[1, 2], [3, 4]], {}, ValueError, r"`o` has 2 targets x 3 keys, `s` has 2 targets x 2 keys: they must agree"),
        (COUNTS, None, {"key_labels": ["a", "b"]}, ValueError, r"`key_labels`: 2 labels for 3 keys"),
        ([[1, -1]], None, {"key_labels": {"sex": ["f", "m"]}, "target_labels": ["x"]}, ValueError, "got -1 at key='m', target='x'"),
        ([[1]], None, {"key_labels": {"a": ["x"]}, "target_labels": {"a": ["y"]}}, ValueError, "Column 'a' is both a key and the target"),
        (COUNTS, None, {"target_labels": "ab"}, TypeError, r"`target_labels` must be a list of labels"),
        (pd.DataFrame(COUNTS), None, {"key_labels": list("abc")}, ValueError, r"`o` brings its own key labels; leave `key_labels` out"),
        (pd.DataFrame(COUNTS, columns=list("aab")), None, {}, ValueError, r"`o`: label 'a' occurs twice"),
        (pd.DataFrame([["1"]]), None, {}, TypeError, r"`o` must hold numbers; .* or without, are for tabulate\(rows, keys="),
        (pd.DataFrame([[1, -2]], ["lo"], ["f", "m"]), None, {}, ValueError, r"must be non-negative; got -2 at key='m', target='lo'"),
        ([[0, 0]], None, {}, ValueError, r"`o` holds no record: every count is 0"),
        ([[1]], {"a": [[0]]}, {}, ValueError, r"`s\['a'\]` holds no record"),
        ([[1]], {"a": [[-1]]}, {}, ValueError, r"`s\['a'\]` must be non-negative; got -1"),
        ([[1]], {}, {}, ValueError, r"labels of the synthetic tables must be distinct, and one at least; got 0"),
        ([[1]], {None: [[1]], np.nan: [[1]]}, {}, ValueError, r"labels of the synthetic tables must be distinct"),
        ([[[1]]], None, {}, ValueError, r"`o` has dims \('draw', 'target', 'key'\); give \(target, key\)"),
    ],
)
def test_counts_that_are_none_raise_with_rule_value_place(o: Any, s: Any, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        from_counts(o, s, **options)


# --- added up --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "target"),
    [
        (["sex"], "income"),
        (["sex"], "level"),
        (["level"], "sex"),
        (["sex", "level", "age"], "income"),
        (["sex", "level"], ["income", "age"]),
    ],
)
@pytest.mark.parametrize("options", [{}, {"missing": "drop"}, {"weights": "half"}, {"weights": (None, "w")}], ids=repr)
@pytest.mark.parametrize("cut", [2, 4, 7])
def test_the_merged_counts_of_shards_are_those_of_the_whole(keys: list[str], target: Any, options: dict[str, Any], cut: int) -> None:
    """Also where a shard lacks a category, as the last one does, which has one record."""

    def counted(records: pd.DataFrame) -> xr.Dataset:
        held = records.assign(half=records["w"] / 2)
        return tabulate(held, [held.iloc[::-1], held], holdout=held, keys=keys, target=target, **options)

    whole, shards = counted(RECORDS), [counted(RECORDS.iloc[:cut]), counted(RECORDS.iloc[cut:])]
    xr.testing.assert_identical(merge_counts(*shards), whole)
    xr.testing.assert_identical(merge_counts(*reversed(shards)), whole)
    xr.testing.assert_identical(merge_counts(merge_counts(shards[0]), merge_counts(shards[1])), whole)


def test_categories_of_later_shards_follow_those_of_the_first() -> None:
    def shard(labels: list[str], levels: list[str]) -> xr.Dataset:
        return tabulate({"a": pd.Categorical(labels, levels), "t": ["x"] * len(labels)}, keys="a", target="t")

    merged = merge_counts(shard(["c", "a"], ["c", "b", "a"]), shard(["b", "d"], ["d", "b"]))
    assert [x for (x,) in merged.indexes["key"]] == ["c", "b", "a", "d"]
    assert merged.attrs["categories"]["a"] == ["c", "b", "a", "d"]


def test_labels_beside_the_categories_of_another_table_are_merged() -> None:
    original = {"a": pd.Categorical(["b"], ["b", "a"]), "t": ["x"]}
    tables = tabulate(original, {"a": ["z", "y"], "t": ["x", "x"]}, keys="a", target="t")
    assert [x for (x,) in merge_counts(tables, tables, allow_same=True).indexes["key"]] == ["b", "y", "z"]
    levels = merge_counts(tables, tables, allow_same=True).attrs.pop("levels")["a"]["synthetic"]
    assert (levels["absent_records"], levels["foreign_records"]) == (2, 4)
    assert {**merge_counts(tables, tables, allow_same=True).attrs, "levels": None} == {**tables.attrs, "levels": None}
    xr.testing.assert_identical(merge_counts(tables, tables, allow_same=True).s, 2 * tables.s)


def test_unlabelled_tables_merge_by_position_and_only_where_they_have_one_shape() -> None:
    a = from_counts(COUNTS)
    assert merge_counts(a, a, allow_same=True).o.values.tolist() == [[2, 4, 0], [6, 8, 10]]
    with pytest.raises(ValueError, match=r"Tables without labels must have the same shape; tables\[0\] has .*'key': 3.* Label their keys"):
        merge_counts(a, from_counts([[1, 2]]))


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (tabulate(RECORDS, keys="sex", target="income"), "variables"),
        (tabulate(RECORDS, RECORDS, keys="age", target="income"), "columns"),
        (tabulate(RECORDS, RECORDS, keys="sex", target="level"), "columns"),
        (tabulate(RECORDS, RECORDS, keys="sex", target="income", missing="drop"), "missing-value policies"),
        (tabulate(RECORDS, [RECORDS], keys="sex", target="income"), "synthetic tables"),
        (tabulate(RECORDS, {"a": RECORDS}, keys="sex", target="income"), "synthetic tables"),
    ],
)
def test_tables_that_count_different_things_do_not_merge(other: xr.Dataset, what: str) -> None:
    first = tabulate(RECORDS, RECORDS, keys="sex", target="income")
    with pytest.raises(ValueError, match=f"Tables to merge must have the same {what}; got .* and "):
        merge_counts(first, other)


def test_shards_that_are_cut_at_different_points_do_not_merge() -> None:
    cut = [tabulate({"a": ages, "t": [1, 1, 1]}, keys="a", target="t", bins={"a": 2}) for ages in ([0, 5, 10], [0, 5, 20])]
    with pytest.raises(ValueError, match=r"Tables to merge must have the same bins; got \{.*5.*\} and \{.*10.*\}"):
        merge_counts(*cut)
    alike = [tabulate({"a": ages, "t": [1, 1, 1]}, keys="a", target="t", bins={"a": [5]}) for ages in ([0, 5, 10], [0, 5, 20])]
    assert merge_counts(*alike, allow_same=True).o.values.tolist() == [[4, 2]]


def test_kinds_of_shards_must_agree() -> None:
    with pytest.raises(TypeError, match=r"Column 'age' holds number labels in `tables\[0\]` and text labels in `tables\[1\]`"):
        merge_counts(*(tabulate({"age": [x], "t": ["y"]}, keys="age", target="t") for x in (1, "1")))


def test_nothing_to_merge_raises() -> None:
    with pytest.raises(ValueError, match="There is nothing to merge: give at least one Dataset"):
        merge_counts()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint64", "float16", "float32", "bool"])
def test_narrow_numbers_are_added_as_wide_ones(dtype: str) -> None:
    tables = from_counts([[1, 0], [1, 1]], [[1, 1], [1, 1]])
    large = (tables * (1 if dtype == "bool" else 100)).assign_attrs(tables.attrs)
    narrow = large.astype(dtype)
    merged = merge_counts(narrow, narrow, narrow, allow_same=True)
    assert merged.o.values.tolist() == (3 * large.o).values.tolist()
    assert {merged.o.dtype, as_tables(narrow).o.dtype} == {np.dtype(np.int64)}


def test_what_is_no_count_is_no_table() -> None:
    tables = from_counts([[1, 2]])
    for wrong in (tables.astype("U9"), tables.astype(object)):
        with pytest.raises(TypeError, match="`o` must hold numbers"):
            as_tables(wrong)


def test_a_sum_that_integers_do_not_hold_is_an_error() -> None:
    half = from_counts([[2**52, 0]], [[1, 1]])
    for parts, message in (
        ([half, half], "`o` would hold 2\\*\\*53 records or more"),
        ([half * 2**10] * 2, r"`tables\[0\].o` must be below"),
    ):
        with pytest.raises(ValueError, match=message):
            merge_counts(*(part.assign_attrs(half.attrs) for part in parts), allow_same=True)


def test_the_same_records_are_added_up_once_however_they_are_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same file, another path to it, a copy, a frame of it in another order, and a sum that has them already."""
    monkeypatch.chdir(tmp_path)
    RECORDS[["sex", "age"]].to_csv("o.csv", index=False)
    shutil.copy("o.csv", "march.csv")
    RECORDS[["sex", "age"]][::2].to_csv("april.csv", index=False)
    march, april = (tabulate(file, keys="sex", target="age") for file in ("march.csv", "april.csv"))
    write_counts(merge_counts(march, april), "both.csv")
    others = [tabulate(x, keys="sex", target="age") for x in ("o.csv", "./o.csv", "march.csv", pd.read_csv("o.csv", dtype=str)[::-1])]
    for i, other in enumerate([*others, read_counts("both.csv")]):
        write_counts(other, f"{i}.csv")
        for again in (other, read_counts(f"{i}.csv")):
            with pytest.raises(ValueError, match=r"tables\[0\] and tables\[2\] hold the same original.*allow_same=True"):
                merge_counts(march, april.isel(key=[0]), again)
    assert merge_counts(march, others[0], allow_same=True).o.sum() == 2 * march.o.sum()


# --- cells -----------------------------------------------------------------------------------------------------------


def test_the_observed_domain_has_the_keys_and_targets_of_original_records_only() -> None:
    synthetic = pd.DataFrame({"sex": ["z", "f"], "level": ["mid", "low"], "age": [1, 7], "income": ["new", "lo"], "w": [1.0, 1]})
    tables = tabulate(RECORDS, synthetic, keys=["sex", "age"], target="income")
    xr.testing.assert_identical(observed_domain(tables), tabulate(RECORDS, keys=["sex", "age"], target="income").o)
    assert observed_domain(tables).sizes["key"] < tables.sizes["key"]


def test_the_full_domain_has_every_combination_of_levels_in_order() -> None:
    tables = tabulate(RECORDS, RECORDS, holdout=RECORDS, keys=["level", "sex"], target=["income", "age"])
    full = full_domain(tables)
    assert full.sizes == {"key": 4 * 4, "target": 3 * 3}
    levels = ["mid", "low", "high", MISSING]
    assert full.indexes["key"].tolist() == [(level, sex) for level in levels for sex in ["f", "m", "x", MISSING]]
    assert full.indexes["target"].tolist() == [(income, age) for income in ["lo", "hi", "no"] for age in [1, 2, 10]]
    assert all(cells(full[v]) == cells(tables[v]) for v in "osh")
    assert full.attrs == tables.attrs
    xr.testing.assert_identical(full_domain(full), full)


@pytest.mark.parametrize("labels", [{"sex": list("abc")}, {"sex": list("abc"), "age": [1, 2, 3]}])
def test_the_full_domain_of_a_part_has_the_levels_of_the_part(labels: dict[str, Any]) -> None:
    tables = from_counts(COUNTS, key_labels=labels, target_labels={"income": ["low", "high"]})
    part = tables.isel(key=[0, 2], target=[0])
    assert full_domain(part).o.shape == (1, 2 ** len(labels))
    assert cells(full_domain(part).o) == cells(part.o)


def test_a_domain_that_is_too_large_raises_with_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    tables = from_counts(np.ones((1, 40)), key_labels={f"c{i}": list(range(40)) for i in range(6)})
    with pytest.raises(ValueError, match=rf"The full domain has {40**6} cells, more than 2\*\*27\. Give fewer key columns"):
        full_domain(tables)
    monkeypatch.setattr("capstats.tables.domains.LARGEST_DOMAIN", 6)
    assert full_domain(from_counts(COUNTS)).o.shape == (2, 3)


# --- through netCDF


def test_counts_and_results_are_saved_as_netcdf_and_opened_again_with_the_same_numbers(tmp_path: Path) -> None:
    voters = capstats.datasets.anes96()
    release = voters.assign(vote=voters.vote.sample(frac=1, random_state=1).to_numpy())
    tables = capstats.tabulate(voters, {"a": release, "b": voters}, keys=["educ", "PID"], target="vote")
    for name, result in {
        "counts": tables,
        "sweep": capstats.screening.sweep(tables),
        "audit": capstats.audit(tables, allow_same=True).measures,
    }.items():
        result.to_netcdf(tmp_path / f"{name}.nc", engine="scipy")
    with xr.open_dataset(tmp_path / "counts.nc", engine="scipy") as opened:
        again = opened.load()
    turned = again.s.isel(key=slice(None, None, -1))
    np.testing.assert_array_equal(capstats.average_cap(tables.o, turned), capstats.average_cap(tables.o, tables.s))
    swept = [capstats.screening.sweep(x).value.sel(measure="average_cap", keyset="PID") for x in (tables, again)]
    np.testing.assert_allclose(*swept, rtol=1e-12)
    with xr.open_dataset(tmp_path / "sweep.nc", engine="scipy") as opened:
        np.testing.assert_array_equal(opened.value.sel(measure="average_cap", keyset="PID"), swept[0])


def test_what_netcdf_cannot_hold_is_left_out_or_refused_with_the_way_that_holds_it(tmp_path: Path) -> None:
    ages = pd.Categorical(["young", "old", "old", "young"], ["young", "old"], ordered=True)
    people = pd.DataFrame({"age": ages, "n": [1.0, 2, 3, 4], "w": [1.0, 2, 1, 1], "vote": ["a", "b", "a", "a"]})
    tables = capstats.tabulate(people, people[:3], keys=["age", "n"], target="vote", bins={"n": 2}, weights="w")
    tables.to_netcdf(tmp_path / "t.nc", engine="scipy")
    opened = xr.load_dataset(tmp_path / "t.nc", engine="scipy")
    assert capstats.collapse(opened, "n").o.sum() == 5
    assert "Disclosure risk" in str(capstats.audit(opened))
    assert capstats.by_group(capstats.average_cap, opened, by="age").average_cap.max() == 1
    for age in (None, dt.date(2024, 1, 31)):
        known = capstats.tabulate(people.assign(age=[age, *[age or "x"] * 3]), keys="age", target="vote")
        with pytest.raises(ValueError, match="netCDF has no missing labels, and no dates: 'age' holds some"):
            known.to_netcdf(tmp_path / "u.nc", engine="scipy")


def test_releases_without_names_are_numbered() -> None:
    """A dim `synthetic` without a coordinate, as of an array of several tables."""
    rng = np.random.default_rng(3)
    labels = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}
    named = capstats.from_counts(rng.integers(0, 9, (2, 4)), rng.integers(0, 9, (2, 2, 4)), key_labels=labels)
    bare = named.drop_vars("synthetic")
    assert list(capstats.to_frame(bare))[-2:] == ["s[0]", "s[1]"]
    found = capstats.screening.sweep(bare)
    np.testing.assert_array_equal(found.value, capstats.screening.sweep(named).value)
    assert found.synthetic.values.tolist() == [0, 1]
    np.testing.assert_array_equal(capstats.audit(bare).measures.average_cap_zero, capstats.audit(named).measures.average_cap_zero)


# --- collapsed over key columns -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("backing", "weights"), [("dense", None), ("sparse", None), ("dense", "w")])
def test_collapsing_gives_what_tabulating_fewer_columns_gives(backing: Any, weights: Any) -> None:
    people = drawn(3).assign(town=list("abc") * 20)
    options = {"target": "t", "backing": backing, "weights": weights, "holdout": drawn(5).assign(town="a")}
    whole = capstats.tabulate(people, {"x": people[:20], "y": people[30:]}, keys=["sex", "age", "town"], bins={"age": [4, 8]}, **options)
    found = capstats.collapse(whole, over="town")
    anew = capstats.tabulate(people, {"x": people[:20], "y": people[30:]}, keys=["sex", "age"], bins={"age": [4, 8]}, **options)
    assert found.attrs == anew.attrs
    assert found.data_vars.keys() == anew.data_vars.keys()
    for name in found:  # of sparse tables, values alone can be compared by all releases of xarray
        dense = [capstats.tables.backing.filled(x[name].variable.data) for x in (found, anew)] if backing == "sparse" else None
        assert found[name].identical(anew[name]) if dense is None else all(map(np.array_equal, *[[*c, v] for c, v in dense]))
    assert found.indexes["key"].equals(anew.indexes["key"])
    one = [capstats.to_frame(capstats.collapse(*given)) for given in ((found, ["age"]), (whole, ["age", "town"]))]
    pd.testing.assert_frame_equal(*one)


def test_what_cannot_be_collapsed_is_told() -> None:
    tables = capstats.tabulate(drawn(1), keys=["sex", "age"], target="t")
    with pytest.raises(ValueError, match=r"`over` names 'agee', which is no key column\. Did you mean 'age'\?"):
        capstats.collapse(tables, over="agee")
    with pytest.raises(ValueError, match="`over` names all key columns"):
        capstats.collapse(tables, over=["age", "sex"])
