"""A column means the same in every library that holds it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import capstats
from capstats import tabulate
from capstats.codes.labels import MISSING, canonical
from capstats.sources.columns import column_of

ARROW_TEXT = pd.ArrowDtype(pa.string())
CUT = pa.Table.from_pandas(pd.DataFrame({"age": pd.cut([0.5, 1.5], [0, 1, 2])}))["age"]  # a dictionary of intervals, each a struct
ARROW_LEVELS = pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
DAYS = [dt.date(2024, 1, 2), None, dt.date(2024, 1, 1)]
INSTANT = dt.datetime(2024, 1, 2, 3, tzinfo=dt.UTC)


def labels_of(values: Any) -> list[Any]:
    """The label of each row."""
    found = column_of(values, "age", "original")
    assert len(found.codes) == 0 or np.asarray(found.codes).min() >= found.first
    return [found.labels[int(code) - found.first] for code in found.codes]


def shown(labels: list[Any]) -> list[tuple[str, Any]]:
    """Labels with their types, for 1 == True == 1.0."""
    return [(type(x).__name__, x) for x in labels]


def series(values: list[Any], *dtypes: Any) -> list[Any]:
    return [pd.Series(values, dtype=dtype) for dtype in dtypes]


def polars(values: list[Any], *dtypes: Any) -> list[Any]:
    return [pl.Series(values, dtype=dtype) for dtype in dtypes]


def arrow(values: list[Any], *types: Any) -> list[Any]:
    return [pa.array(values, of) for of in types]


TEXTS = ["b", None, "", "a", "b", "10", "2"]
WHOLE = [3, None, -1, 3, 300]
FRACTIONAL = [0.5, None, 2.0, float("nan"), -0.0]
TRUTH = [True, None, False, True]
LARGE = [2**63 + 1, 5]

SAME_COLUMN: dict[str, tuple[list[Any], list[Any]]] = {
    "text": (
        TEXTS,
        [
            TEXTS,
            tuple(TEXTS),
            np.array(TEXTS, object),
            *series(TEXTS, None, object, "category", pd.StringDtype("python"), pd.StringDtype("pyarrow"), ARROW_TEXT, ARROW_LEVELS),
            pd.Index(TEXTS, dtype=object),
            pd.CategoricalIndex(TEXTS),
            *polars(TEXTS, None, pl.Categorical, pl.Enum(["unused", "a", "b", "2", "10", ""])),
            *arrow(TEXTS, None, pa.large_string(), getattr(pa, "string_view", pa.string)()),
            pa.table({"x": pl.Series(TEXTS).to_arrow()})["x"],
            pa.array(TEXTS).dictionary_encode(),
            pa.array(["before", *TEXTS])[1:],
            pa.array(["before", *TEXTS]).dictionary_encode()[1:],
            pa.chunked_array([TEXTS[:2], TEXTS[2:4], [], TEXTS[4:]]),
            pa.chunked_array([pa.array(TEXTS[:3]).dictionary_encode(), pa.array(TEXTS[3:]).dictionary_encode()]),
            pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 3, 0, 4, 5], pa.uint64()), pa.array(["b", None, "", "a", "10", "2"])),
            xr.DataArray(np.array(TEXTS, object)),
            nw.from_native(pl.Series(TEXTS), series_only=True),
        ],
    ),
    "whole numbers": (
        WHOLE,
        [
            WHOLE,
            [3, None, -1, Decimal(3), 300.0],
            *series(WHOLE, None, "Int16", pd.ArrowDtype(pa.int32()), "category", object),
            np.ma.array([3, 0, -1, 3, 300], mask=[0, 1, 0, 0, 0]),
            *polars(WHOLE, None, pl.Int128, pl.Decimal(10, 2), pl.Float32),
            pa.array(WHOLE),
            pa.array(WHOLE, pa.int16()).dictionary_encode(),
            pa.array([None if x is None else Decimal(x) for x in WHOLE]),
        ],
    ),
    "fractional numbers": (
        [0.5, None, 2, None, 0],
        [
            FRACTIONAL,
            *(np.array(FRACTIONAL, dtype) for dtype in (float, np.float16, np.longdouble, ">f4")),
            *series(FRACTIONAL, "Float64", pd.ArrowDtype(pa.float64())),
            pd.arrays.SparseArray(FRACTIONAL),
            pl.Series(FRACTIONAL, dtype=pl.Float64),
            *arrow(FRACTIONAL, None, pa.float32()),
        ],
    ),
    "bools": (
        TRUTH,
        [
            TRUTH,
            *series(TRUTH, "boolean", object, pd.ArrowDtype(pa.bool_())),
            pl.Series(TRUTH),
            pa.array(TRUTH),
            pa.array([False, *TRUTH])[1:],
            pa.chunked_array([TRUTH[:1], TRUTH[1:]]),
            np.array([True, None, np.False_, np.True_], object),
        ],
    ),
    "dates": (
        DAYS,
        [
            DAYS,
            np.array(DAYS, "M8[D]"),
            np.ma.array(np.array(["2024-01-02", "1999-01-01", "2024-01-01"], "M8[D]"), mask=[0, 1, 0]),
            *series(DAYS, object, "category", pd.ArrowDtype(pa.date32())),
            pl.Series(DAYS),
            *arrow(DAYS, None, pa.date64()),
        ],
    ),
    "datetimes": (
        [pd.Timestamp("2024-01-02 03:00"), None],
        [
            [dt.datetime(2024, 1, 2, 3), None],
            *(np.array(["2024-01-02T03", "NaT"], dtype) for dtype in ("M8[h]", "M8[ns]")),
            np.ma.array(np.array(["2024-01-02T03", "1999"], "M8[ns]"), mask=[0, 1]),
            pd.to_datetime(pd.Series(["2024-01-02 03:00", None])),
            pl.Series([dt.datetime(2024, 1, 2, 3), None], dtype=pl.Datetime("ms")),
            *arrow([dt.datetime(2024, 1, 2, 3), None], pa.timestamp("s"), pa.timestamp("ns")),
        ],
    ),
    "datetimes with zone": (
        [pd.Timestamp(INSTANT), None],
        [
            [INSTANT, None],
            pd.Series([pd.Timestamp(INSTANT), None]).dt.tz_convert("Europe/Berlin"),
            pl.Series([INSTANT, None]).dt.convert_time_zone("Asia/Tokyo"),
            pa.array([INSTANT, None], pa.timestamp("us", tz="America/Lima")),
            pd.Series([INSTANT, None], dtype=pd.ArrowDtype(pa.timestamp("ns", tz="UTC"))),
        ],
    ),
    "durations": (
        [pd.Timedelta("1D"), None],
        [
            [dt.timedelta(1), None],
            np.array([1, "NaT"], "m8[D]"),
            pd.to_timedelta(pd.Series([1, None]), unit="D"),
            pl.Series([dt.timedelta(1), None]),
            pa.array([dt.timedelta(1), None]),
        ],
    ),
    "large integers": (LARGE, [LARGE, np.array(LARGE, np.uint64), *polars(LARGE, pl.UInt64), *arrow(LARGE, pa.uint64())]),
    "nothing": (
        [None, None],
        [
            [None, np.nan],
            np.array([None, pd.NaT], object),
            pl.Series([None, None]),
            pa.nulls(2),
            pa.chunked_array([pa.nulls(1)] * 2),
            pd.Series([pd.NA, None]),
        ],
    ),
    "no rows": (
        [],
        [
            *([], pd.Series([], dtype="str"), pd.Categorical([]), pa.chunked_array([], pa.bool_())),
            *(np.array([], dtype) for dtype in (int, object, "M8[D]")),
            *polars([], pl.Int8, pl.String, pl.Categorical),
            *arrow([], pa.int8(), pa.string()),
        ],
    ),
    "tuples": ([(1, "a"), (2, "b")], [[(1, "a"), (2, "b")], pd.Series([(1, "a"), (2, "b")])]),
    "intervals": (
        [pd.Interval(0, 2), None, pd.Interval(2, 10)],
        [pd.cut([1, np.nan, 5], [0, 2, 10]), pd.arrays.IntervalArray.from_tuples([(0, 2), np.nan, (2, 10)])],
    ),
}
CASES = [(expected, values) for expected, several in SAME_COLUMN.values() for values in several]
NAMES = [f"{what}-{i}-{type(values).__name__}" for what, (_, several) in SAME_COLUMN.items() for i, values in enumerate(several)]


@pytest.mark.parametrize(("expected", "values"), CASES, ids=NAMES)
def test_a_column_has_the_same_labels_in_every_library(expected: list[Any], values: Any) -> None:
    assert shown(labels_of(values)) == shown([canonical(x) for x in expected])


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", ">i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("step", [1, -2])
def test_integers_of_any_width_and_stride_are_their_own_labels(dtype: str, step: int) -> None:
    info = np.iinfo(dtype)
    values = np.array([info.max, info.max - 1, 0, 1, info.max], dtype)[::step]
    assert labels_of(values) == values.tolist()
    ends = np.array([info.min, info.max, info.min], dtype)[::step]
    assert labels_of(ends) == ends.tolist()


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=10), st.integers(0, 10))
def test_integers_survive_any_range(values: list[int], spread: int) -> None:
    near = [values[0] // 2 + spread * i for i in range(len(values))]
    for numbers in (values, near):
        assert (
            labels_of(np.array(numbers)) == labels_of(pl.Series(numbers)) == labels_of(pa.array(numbers)) == labels_of(numbers) == numbers
        )


@pytest.mark.parametrize(
    ("values", "order"),
    [
        (pd.Categorical(["b", None, "a"], ["c", "b", "a"]), ["c", "b", "a"]),
        (pl.Series(["b", None, "a"], dtype=pl.Enum(["c", "b", "a"])), ["c", "b", "a"]),
        (pa.DictionaryArray.from_arrays(pa.array([1, None, 2]), pa.array(["c", "b", "a"])), ["c", "b", "a"]),
        (pd.Series(["b", "a"], dtype=ARROW_LEVELS), ["b", "a"]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_categories_are_in_the_order_of_the_caller(values: Any, order: list[str]) -> None:
    found = column_of(values, "age", "original")
    assert found.ordered
    assert [x for x in found.labels if x is not MISSING] == order


@pytest.mark.parametrize(
    "values",
    [["b", "a"], pd.Series(["b", "a"]), *polars(["b", "a"], None, pl.Categorical), pa.array(["b", "a"]), [2, 1], [True]],
    ids=lambda x: type(x).__name__,
)
def test_other_columns_have_no_order_of_their_own(values: Any) -> None:
    assert not column_of(values, "age", "original").ordered


def test_a_polars_categorical_is_read_from_anywhere_in_its_pool() -> None:
    pool = pl.Series([f"filler {i}" for i in range(100_000)], dtype=pl.Categorical)
    early = pl.Series(["early one"], dtype=pl.Categorical)
    more = pl.Series([f"more {i}" for i in range(100_000)], dtype=pl.Categorical)
    assert len(pool) == len(more)
    ends = pl.concat([early, pl.Series(["late one", None, "late one"], dtype=pl.Categorical)])
    assert labels_of(ends) == ["early one", "late one", MISSING, "late one"]
    assert labels_of(ends[1:2]) == ["late one"]
    assert labels_of(ends[2:3]) == [MISSING]
    gap = column_of(pool[[0, 2]], "filler", "original").labels
    assert list(gap) == ["filler 0", MISSING, "filler 2"]  # no record has that between
    with pytest.raises(IndexError):
        gap[3]


@pytest.mark.parametrize(
    "make",
    [
        list,
        np.array,
        lambda x: np.array(x, object),
        lambda x: pd.Series(x, dtype=object),
        lambda x: pd.Series(x, dtype=pd.StringDtype("python")),
        lambda x: pd.Series(x, dtype=ARROW_TEXT),
        lambda x: pd.Categorical.from_codes([x.index(text) for text in x], list(dict.fromkeys(x))),
        pl.Series,
        pa.array,
    ],
)
def test_texts_that_are_alike_up_to_a_nul_stay_apart(make: Callable[[list[Any]], Any]) -> None:
    values = ["a", "a\0b", "a\0c", "", "\0b", "a"]
    assert labels_of(make(values)) == values


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.0, 1.0, 0.5, float("nan")]),
    st.text("a1", max_size=1),
    st.just(Decimal(1)),
)


@given(st.lists(SCALARS, max_size=12))
def test_an_object_column_keeps_type_and_value_of_every_row(values: list[Any]) -> None:
    expected = shown([canonical(x) for x in values])
    assert shown(labels_of(values)) == expected
    assert shown(labels_of(pd.Series(values, dtype=object))) == expected


@pytest.mark.parametrize(
    "values",
    [[["a"], ["b"]], [{"a": 1}], np.array([set()], object), pl.Series([[1]]), pa.array([[1]]), pa.array([{"a": 1}]), pd.Series([[1]]), CUT],
    ids=lambda x: type(x).__name__,
)
def test_values_that_cannot_be_labels_raise_with_column_and_table(values: Any) -> None:
    with pytest.raises(TypeError, match=r"Column 'age' of `original` holds values that cannot be labels .*Convert them"):
        column_of(values, "age", "original")


@pytest.mark.parametrize("raised", [ZeroDivisionError("of Anna Muster"), MemoryError()])
def test_whatever_a_hash_raises_is_said_by_its_class(raised: Exception) -> None:
    class Item:
        def __hash__(self) -> int:
            raise raised

    said = r"Column 'age' of `original` holds values that cannot be labels \(ZeroDivisionError\)"
    memory = isinstance(raised, MemoryError)
    with pytest.raises(MemoryError if memory else TypeError, match="^$" if memory else said):
        column_of([Item(), 1], "age", "original")


@pytest.mark.parametrize("values", [np.ones((2, 2)), "ab", {"a": 1}, 5, None, iter([1])], ids=lambda x: type(x).__name__)
def test_what_is_no_column_raises_with_its_type(values: Any) -> None:
    with pytest.raises(TypeError, match=f"Column 'age' of `original` is {type(values).__name__}; give a list"):
        column_of(values, "age", "original")


def test_each_code_of_a_pool_is_looked_up_in_one_walk_through_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"person {i * 7919 % 20_000}" for i in range(20_000)]
    looked = []
    find = np.flatnonzero
    monkeypatch.setattr(np, "flatnonzero", lambda x: looked.append(len(x)) or find(x))
    column = column_of(pl.Series([*texts, *texts], dtype=pl.Categorical), "age", "original")
    assert [column.labels[int(code) - column.first] for code in column.codes[:20_000]] == texts
    assert sum(looked) <= 40_000


# --- numbers are cut in whatever form a library holds them, exactly and without a look at each ------------------------


def test_integers_are_cut_exactly_where_floats_could_not_tell_them_apart(tmp_path: Path) -> None:
    table = pa.table({"a": pa.array([2**62, 2**62 + 1, 2**62 + 2]), "t": ["x", "y", "z"]})
    pq.write_table(table, tmp_path / "t.parquet")
    for held in (table, pl.from_arrow(table), pl.from_arrow(table).lazy(), tmp_path / "t.parquet"):  # type: ignore[union-attr]
        tables = tabulate(held, keys="a", target="t", bins={"a": [2**62 + 1]})
        assert tables.o.sum("target").values.tolist() == [2, 1]


@pytest.mark.parametrize(
    "values",
    [
        [Decimal("1.1"), Decimal("1.2"), None],
        pd.Categorical([1.1, 1.2, None]),
        np.ma.array([1.1, 1.2, 9], mask=[0, 0, 1]),
        pd.Series([1.1, 1.2, None], dtype="Float64"),
        pd.arrays.SparseArray([1.1, 1.2, np.nan]),
        np.array([1.1, 1.2, np.nan], ">f8"),
        pl.Series([Decimal("1.1"), Decimal("1.2"), None]),
        [" 1.1", "+1.2 ", None],
        xr.DataArray([1.1, 1.2, np.nan]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_numbers_in_any_form_are_cut(values: Any) -> None:
    tables = tabulate({"a": values, "t": [1, 2, 3]}, keys="a", target="t", bins={"a": [1.1]})
    assert tables.o.sum("target").values.tolist() == [1, 1, 1]


def test_cutting_ten_million_floats_looks_at_no_value_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("capstats.sources.columns.canonical", None)  # what makes a label of a value
    values = np.random.default_rng(0).random(10**6)
    tables = tabulate({"a": values, "t": np.zeros(10**6, bool)}, keys="a", target="t", bins={"a": ("quantile", 4)})
    assert tables.o.values.tolist() == [[250_000] * 4]
    assert capstats.average_cap(tables.o, tables.o) == 1
