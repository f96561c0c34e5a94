"""Records become the same counts wherever they are; labels decide what matches; nothing is dropped in silence."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xarray as xr
from few_records import OTHER, RECORDS, category, csv_file, keys_of
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

from capstats import MISSING, audit, merge_counts, read_counts, tabulate, to_frame, write_counts
from capstats.codes.labels import canonical
from capstats.disclosure import record_risk

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

# --- One awkward table, from everywhere -------------------------------------------------------------------------------

LEVELS = ["z10", "z2", 'say "hi"', "", "a,b;c\td", "ä|\u2603\nnew line", "unused", "NA", "#1"]
AWKWARD: dict[str, list[Any]] = {
    "group": ["z2", None, "", "a,b;c\td", 'say "hi"', "ä|\u2603\nnew line", "z10", "NA", "#1", "z2", "z2"],
    "size": [10, 2, None, 2, 10, 1, 100, 2, -1, 10, 10],
    "day": [dt.date(2024, 1, 2), None, *[dt.date(2023, 12, d) for d in range(1, 9)], dt.date(2024, 1, 2)],
    "target": ["no", "yes", "no", None, "", "yes", "no", "yes", "no", "no", "no"],
}
ROWS = list(zip(*AWKWARD.values(), strict=True))
TYPES = {"group": LEVELS, "size": "number", "day": "date"}


def sources(rows: list[tuple[Any, ...]], folder: Path, name: str, *, categories: bool) -> dict[str, tuple[Any, dict[str, Any]]]:
    """The same records in every form, and the types that it needs."""
    group, size, day, target = map(list, zip(*rows, strict=True))
    table = pa.table(
        {"group": pa.array(group, pa.string()), "size": pa.array(size, pa.int64()), "day": pa.array(day, pa.date32()), "target": target}
    )
    pq.write_table(table, folder / f"{name}.parquet")
    order = {"group": LEVELS} if categories else {}
    dictionary = pa.DictionaryArray.from_arrays(pa.array([LEVELS.index(x) if x is not None else None for x in group]), LEVELS)
    frame = pd.DataFrame({"group": group, "size": size, "day": day, "target": target}, dtype=object)
    return {
        "csv": (
            csv_file(folder / f"{name}.csv", rows, list(AWKWARD)),
            {**TYPES, **order} if categories else {"size": "number", "day": "date"},
        ),
        "parquet": (folder / f"{name}.parquet", order),
        "pandas": (frame.assign(group=pd.Categorical(group, LEVELS) if categories else group).astype({"size": "float64"}), {}),
        "pandas nullable": (frame.assign(group=pd.Categorical(group, LEVELS) if categories else group).astype({"size": "Int16"}), {}),
        "pandas objects": (frame, order),
        "polars": (pl.from_arrow(table).with_columns(pl.col("group").cast(pl.Enum(LEVELS) if categories else pl.Categorical)), {}),
        "polars text": (pl.from_arrow(table), order),
        "arrow": (table.set_column(0, "group", dictionary) if categories else table, {}),
        "mapping": ({"group": group, "size": size, "day": np.array(day, "M8[D]"), "target": target}, order),
    }


@pytest.mark.parametrize("keys", [["group", "size", "day"], ["size"], "group"], ids=str)
@pytest.mark.parametrize("categories", [True, False])
@pytest.mark.parametrize("missing", ["level", "drop"])
def test_every_source_gives_the_identical_dataset(tmp_path: Path, keys: Any, categories: bool, missing: Any) -> None:
    """Values, labels, their order, dtypes and attrs; the synthetic table has its records in another order and lacks some."""
    original = sources(ROWS, tmp_path, "o", categories=categories)
    synthetic = sources(ROWS[:0:-2] + ROWS[:1], tmp_path, "s", categories=categories)
    expected = None
    for name, (table, types) in original.items():
        used = {c: t for c, t in types.items() if c in keys}
        found = tabulate(table, synthetic[name][0], keys=keys, target="target", types=used, missing=missing)
        expected = found if expected is None else expected
        xr.testing.assert_identical(found, expected)
        assert {k: v.dtype for k, v in found.coords.items()} == {k: v.dtype for k, v in expected.coords.items()}
        assert found.o.dtype == found.s.dtype == np.int64
    records = Counter(tuple(MISSING if x is None else x for x in row) for row in ROWS)
    kept = {
        r: n
        for r, n in records.items()
        if missing == "level" or all(r[list(AWKWARD).index(c)] is not MISSING for c in [*np.atleast_1d(keys), "target"])
    }
    assert int(expected.o.sum()) == sum(kept.values())
    if "group" in keys:
        shown = list(dict.fromkeys(x[0] for x in expected.indexes["key"]))
        natural = ["", "#1", "NA", "a,b;c\td", 'say "hi"', "z2", "z10", "ä|\u2603\nnew line"]
        order = [x for x in LEVELS if x in natural] if categories else natural
        assert shown == [x for x in order if missing == "level" or x in {r[0] for r in kept}] + [MISSING] * (missing == "level")


@pytest.mark.parametrize("first", ["csv", "parquet", "pandas", "polars", "arrow", "mapping"])
def test_tables_of_different_sources_match(tmp_path: Path, first: str) -> None:
    every = sources(ROWS, tmp_path, "o", categories=True)
    for second in ("csv", "parquet", "pandas", "polars", "arrow"):
        tables = tabulate(every[first][0], every[second][0], keys=["group", "size", "day"], target="target", types=TYPES)
        xr.testing.assert_equal(tables.o, tables.s)


# --- Shapes of the result ---------------------------------------------------------------------------------------------


def test_a_table_is_not_changed_by_being_counted() -> None:
    frame = pd.DataFrame(RECORDS)
    before = frame.copy(deep=True)
    tabulate(frame, frame, keys="sex", target="income", weights="w", types={"sex": ["m", "f"]})
    pd.testing.assert_frame_equal(frame, before)


# --- Order ------------------------------------------------------------------------------------------------------------


def test_levels_in_types_order_every_table_and_need_not_be_used() -> None:
    assert keys_of(["d", "c", None], category(["a", "b"], "ba")) == ["b", "a", "c", "d", MISSING]
    assert keys_of(["lo", "hi"], category(["mid", "lo"], ["lo", "mid"]), types={"k": ["hi", "none", "mid", "lo"]}) == ["hi", "mid", "lo"]


def test_unused_categories_add_nothing() -> None:
    tables = tabulate({"k": category(["a"], "cab"), "t": category(["x"], "zxy")}, keys="k", target="t")
    assert tables.o.shape == (1, 1)
    assert tables.attrs["categories"] == {"k": ["c", "a", "b"], "t": ["z", "x", "y"]}


# --- Names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "target"), [("o", "t"), ("t", "o")])
def test_an_error_names_a_column_as_the_caller_does(key: str, target: str) -> None:
    with pytest.raises(TypeError, match=r"Column 'o' holds number .*types=\{'o': 'number'\}"):
        tabulate({"o": [1], "t": ["x"]}, {"o": ["1"], "t": ["x"]}, keys=key, target=target)


def test_all_keys_whose_labels_are_of_different_kinds_are_told_at_once() -> None:
    numbers = {"a": [1, 2], "b": [0.5, 2], "t": [0, 1]}
    texts = {name: [*map(str, column)] for name, column in numbers.items()}
    with pytest.raises(TypeError, match=r"\(--type a=number\)\. Column 'b' holds .* \(--type b=number\)\.$"):
        tabulate(numbers, texts, keys=["a", "b"], target="t")


# --- Errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"keys": "sexx"}, ValueError, r"Column 'sexx' is not in `original`\. Did you mean 'sex'\?"),
        ({"keys": ["sex", "income"]}, ValueError, r"Column 'income' is both a key and the target\. A column cannot be both"),
        ({"keys": ["sex", "sex"]}, ValueError, r"Column 'sex' is named twice\..*Name each column once"),
        ({"keys": []}, ValueError, r"`keys` must name at least one column"),
        ({"keys": None}, ValueError, r"`keys` must name at least one column"),
        ({"target": []}, ValueError, r"`target` must name at least one column"),
        ({"keys": [["sex"]]}, TypeError, r"`keys` must be a column name or a list of them; got list of length 1"),
        ({"counts": ["w", "w"]}, ValueError, r"`counts` must be a column name, or a pair of them"),
        ({"missing": "skip"}, ValueError, r'`missing` must be "level" or "drop"; got \'skip\''),
        ({"types": {"sexx": "text"}}, ValueError, r"`types` names 'sexx', which is in no table\. Did you mean 'sex'\?"),
        ({"types": {"sex": "txt"}}, ValueError, r"`types` of column 'sex' must be one of 'number', .*; got 'txt'"),
        ({"types": "text"}, TypeError, r"`types` must be a mapping \{column: type\}; got 'text'"),
        (
            {"types": {"sex": ["f", "n"]}},
            ValueError,
            r"Column 'sex' of `original` holds 1 level \(1 record\) that is not among the levels that `types` lists: 'f', 'n' \(",
        ),
        ({"synthetic": {}}, ValueError, r"Column 'sex' is not in `synthetic`\. It has none"),
        ({"synthetic": []}, ValueError, r"`synthetic` must be at least one table, with distinct labels; got the labels \[\]"),
        ({"synthetic": {None: RECORDS, np.nan: RECORDS}}, ValueError, r"`synthetic` must be at least one table, with distinct labels"),
        ({"synthetic": [RECORDS, {"sex": ["f"]}]}, ValueError, r"Column 'income' is not in `synthetic\[1\]`\. Its only column does not"),
        ({"synthetic": {"a": RECORDS, "b": [1]}}, TypeError, r"`synthetic\['b'\]` is list; give a data frame"),
        ({"synthetic": np.ones((2, 2))}, TypeError, r"`synthetic` is ndarray; give a data frame, .* For tables of counts use from_counts"),
        ({"holdout": [RECORDS]}, TypeError, r"`holdout` is list; give a data frame"),
        ({"synthetic": {k: v[:0] for k, v in RECORDS.items()}}, ValueError, r"`synthetic` is empty: it has no record"),
        ({"holdout": pd.DataFrame(RECORDS).iloc[:0]}, ValueError, r"`holdout` is empty: it has no record"),
        ({"synthetic": pl.DataFrame(RECORDS).clear()}, ValueError, r"`synthetic` is empty: it has no record"),
        (
            {"synthetic": {**RECORDS, "sex": [None] * 4}, "missing": "drop"},
            ValueError,
            r"`synthetic` holds no record without a missing value",
        ),
        ({"synthetic": {**RECORDS, "w": [0] * 4}, "weights": "w"}, ValueError, r"`synthetic` holds no record\."),
        (
            {"synthetic": {**RECORDS, "sex": [None, *"fff"], "w": [5, 0, 0, 0]}, "missing": "drop", "weights": "w"},
            ValueError,
            r"no record without a missing value\. All values of column 'w' are 0 there",
        ),
    ],
)
def test_bad_input_raises_with_rule_value_place_and_remedy(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        tabulate(RECORDS, **{"keys": "sex", "target": "income", **options})


# --- The slow and obvious way -----------------------------------------------------------------------------------------

CELLS = {
    "text": st.sampled_from(["a", "b", "10", "2", "", None]),
    "number": st.sampled_from([1, 2.0, 0.5, -1, float("nan"), None, np.int8(2)]),
    "bool": st.sampled_from([True, False, None]),
    "date": st.sampled_from([dt.date(2024, 1, 1), dt.date(2023, 1, 1), None]),
}


@st.composite
def record_tables(draw: st.DrawFn) -> tuple[list[str], list[list[tuple[Any, ...]]]]:
    """The kinds of some columns, and two tables of records with them; the last column is the target."""
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=2, max_size=4))
    row = st.tuples(*(CELLS[kind] for kind in kinds))
    return kinds, [draw(st.lists(row, min_size=1, max_size=12)) for _ in range(2)]


def frames_of(rows: list[tuple[Any, ...]], kinds: list[str], names: list[str]) -> list[Any]:
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    plain = {
        name: [None if x is None or x != x else (float(x) if kind == "number" else x) for x in values]
        for (name, values), kind in zip(columns.items(), kinds, strict=True)
    }
    types = {"text": pl.String, "number": pl.Float64, "bool": pl.Boolean, "date": pl.Date}
    return [
        columns,
        pd.DataFrame(columns, dtype=object),
        pd.DataFrame(columns).astype("category"),
        pl.DataFrame(plain, schema={name: types[kind] for name, kind in zip(names, kinds, strict=True)}),
        pa.table(plain),
    ]


@given(record_tables())
def test_tabulate_equals_counting_records_one_by_one(tables: tuple[list[str], list[list[tuple[Any, ...]]]]) -> None:
    kinds, several = tables
    names = [f"c{i}" for i in range(len(kinds))]
    o, s = (Counter(tuple(map(canonical, row)) for row in rows) for rows in several)
    for original, synthetic in zip(*(frames_of(rows, kinds, names) for rows in several), strict=True):
        found = tabulate(original, synthetic, keys=names[:-1], target=names[-1])
        keys, targets = found.indexes["key"].tolist(), found.indexes["target"].tolist()
        assert set(keys) == {row[:-1] for row in o | s}
        assert set(targets) == {row[-1] for row in o | s}
        for array, counter in ((found.o.values, o), (found.s.values, s)):
            assert array.tolist() == [[counter[(*key, target)] for key in keys] for target in targets]


@examples(40)
@given(record_tables(), st.randoms(use_true_random=False))
def test_the_order_of_records_changes_nothing(tables: tuple[list[str], list[list[tuple[Any, ...]]]], random: Any) -> None:
    kinds, several = tables
    names = [f"c{i}" for i in range(len(kinds))]
    shuffled = [random.sample(rows, len(rows)) for rows in several]
    before, after = ([frames_of(rows, kinds, names) for rows in each] for each in (several, shuffled))
    for original, synthetic, original_after, synthetic_after in zip(*before, *after, strict=True):
        expected = tabulate(original, synthetic, keys=names[:-1], target=names[-1])
        xr.testing.assert_identical(tabulate(original_after, synthetic_after, keys=names[:-1], target=names[-1]), expected)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.integers(0, 8)), min_size=1, max_size=12))
def test_a_count_is_as_good_as_that_many_records(rows: list[tuple[str, str, int]]) -> None:
    if not any(n for *_, n in rows):
        return
    key, target, weight = map(list, zip(*rows, strict=True))
    weighted = tabulate({"k": key, "t": target, "w": weight}, keys="k", target="t", counts="w")
    repeated = Counter({(t, k): 0 for k, t, _ in rows})
    for k, t, n in rows:
        repeated[t, k] += n
    assert weighted.o.to_series().to_dict() == {(t, k): repeated[t, k] for t in sorted(set(target)) for k in sorted(set(key))}
    halves = tabulate({"k": key, "t": target, "w": [n / 2 for n in weight]}, keys="k", target="t", counts="w")
    assert (2 * halves.o.values).tolist() == weighted.o.values.tolist()


# --- records without a target -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"missing": "drop"}, {"bins": {"age": [3]}}, {"weights": "w"}, {"null_values": {"sex": "m"}}])
@pytest.mark.parametrize("backing", ["dense", "sparse"])
def test_without_a_target_records_are_counted_by_key(options: dict[str, Any], backing: Any) -> None:
    asked = {"keys": ["sex", "age"], "backing": backing, **options}
    found = tabulate(RECORDS, [RECORDS, OTHER], target=None, **asked)
    labelled = [{**records, "t": ["any"] * len(records["sex"])} for records in (RECORDS, OTHER)]
    with_target = tabulate(labelled[0], labelled, target="t", **asked)
    for name in with_target:
        counts, expected = (x[name].data.todense() if backing == "sparse" else x[name].values for x in (found, with_target))
        np.testing.assert_array_equal(counts, expected)
        assert found[name].indexes["key"].equals(with_target[name].indexes["key"])
    assert found.target.values.tolist() == ["any"]
    assert found.attrs | {"target_columns": ["t"]} == with_target.attrs
    assert "target:" not in repr(found)


def test_counts_without_a_target_are_written_added_up_and_put_in_long_form(tmp_path: Path) -> None:
    tables = tabulate(RECORDS, keys=["sex", "age"], target=None)
    write_counts(tables, tmp_path / "register.parquet")
    assert read_counts(tmp_path / "register.parquet").identical(tables)
    assert merge_counts(tables, tables, allow_same=True).o.values.tolist() == (2 * tables.o).values.tolist()
    frame = to_frame(tables)
    assert tabulate(frame, keys=["sex", "age"], target=None, counts="o").o.values.tolist() == tables.o.values.tolist()


def test_a_key_may_be_called_target_where_there_is_none() -> None:
    found = tabulate({"target": [1, 1, 2]}, keys="target", target=None)
    assert found.indexes["key"].names == ["target_"]
    assert found.o.values.tolist() == [[2, 1]]


def test_what_compares_targets_needs_one() -> None:
    for function in (audit, record_risk):
        with pytest.raises(ValueError, match="`target` must name at least one column"):
            function(RECORDS, OTHER, keys="sex", target=None)
