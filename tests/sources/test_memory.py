"""A column means the same in every library that holds it."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st

import capstats
from capstats.codes.labels import MISSING, canonical
from capstats.sources.columns import column_of
from capstats.sources.door import is_frame, open_source
from capstats.sources.source import Query
from capstats.sources.weights import whole_weights

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

ARROW_TEXT = pd.ArrowDtype(pa.string())
DAYS = [dt.date(2024, 1, 2), None, dt.date(2024, 1, 1)]
INSTANT = dt.datetime(2024, 1, 2, 3, tzinfo=dt.UTC)


def read(table: Any, columns: list[Any], weight: Any, name: str) -> tuple[list[Any], Any]:
    """The columns as codes, and the weights, None where each row is one record."""
    found, sums = open_source(table, name).rows(Query(columns, weight))
    return found, sums[0] if sums else None


def labels_of(values: Any) -> list[Any]:
    """The label of each row."""
    found = column_of(values, "age", "original")
    assert len(found.codes) == 0 or np.asarray(found.codes).min() >= found.first
    return [found.labels[int(code) - found.first] for code in found.codes]


def shown(labels: list[Any]) -> list[tuple[str, Any]]:
    """Labels with their types, for 1 == True == 1.0."""
    return [(type(x).__name__, x) for x in labels]


TEXTS = ["b", None, "", "a", "b", "10", "2"]
WHOLE = [3, None, -1, 3, 300]
FRACTIONAL = [0.5, None, 2.0, float("nan"), -0.0]
TRUTH = [True, None, False, True]

SAME_COLUMN: dict[str, tuple[list[Any], list[Any]]] = {
    "text": (
        TEXTS,
        [
            TEXTS,
            tuple(TEXTS),
            np.array(TEXTS, object),
            pd.Series(TEXTS),
            pd.Series(TEXTS, dtype=object),
            pd.Series(TEXTS, dtype="category"),
            pd.Series(TEXTS, dtype=pd.StringDtype("python")),
            pd.Series(TEXTS, dtype=pd.StringDtype("pyarrow")),
            pd.Series(TEXTS, dtype=ARROW_TEXT),
            pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))),
            pd.Index(TEXTS, dtype=object),
            pd.CategoricalIndex(TEXTS),
            pl.Series(TEXTS),
            pl.Series(TEXTS, dtype=pl.Categorical),
            pl.Series(TEXTS, dtype=pl.Enum(["unused", "a", "b", "2", "10", ""])),
            pa.array(TEXTS),
            pa.array(TEXTS, pa.large_string()),
            pa.array(TEXTS, getattr(pa, "string_view", pa.string)()),
            pa.table({"x": pl.Series(TEXTS).to_arrow()})["x"],
            pa.array(TEXTS).dictionary_encode(),
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
            pd.Series(WHOLE),
            pd.Series(WHOLE, dtype="Int16"),
            pd.Series(WHOLE, dtype=pd.ArrowDtype(pa.int32())),
            pd.Series(WHOLE, dtype="category"),
            pd.Series(WHOLE, dtype=object),
            np.ma.array([3, 0, -1, 3, 300], mask=[0, 1, 0, 0, 0]),
            pl.Series(WHOLE),
            pl.Series(WHOLE, dtype=pl.Int128),
            pl.Series(WHOLE, dtype=pl.Decimal(10, 2)),
            pl.Series(WHOLE, dtype=pl.Float32),
            pa.array(WHOLE),
            pa.array(WHOLE, pa.int16()).dictionary_encode(),
            pa.array([None if x is None else Decimal(x) for x in WHOLE]),
        ],
    ),
    "fractional numbers": (
        [0.5, None, 2, None, 0],
        [
            FRACTIONAL,
            np.array(FRACTIONAL, float),
            np.array(FRACTIONAL, np.float16),
            np.array(FRACTIONAL, np.longdouble),
            np.array(FRACTIONAL, ">f4"),
            pd.Series(FRACTIONAL, dtype="Float64"),
            pd.Series(FRACTIONAL, dtype=pd.ArrowDtype(pa.float64())),
            pd.arrays.SparseArray(FRACTIONAL),
            pl.Series(FRACTIONAL, dtype=pl.Float64),
            pa.array(FRACTIONAL),
            pa.array(FRACTIONAL, pa.float32()),
        ],
    ),
    "bools": (
        TRUTH,
        [
            TRUTH,
            pd.Series(TRUTH, dtype="boolean"),
            pd.Series(TRUTH, dtype=object),
            pd.Series(TRUTH, dtype=pd.ArrowDtype(pa.bool_())),
            pl.Series(TRUTH),
            pa.array(TRUTH),
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
            pd.Series(DAYS, dtype=object),
            pd.Series(DAYS, dtype="category"),
            pd.Series(DAYS, dtype=pd.ArrowDtype(pa.date32())),
            pl.Series(DAYS),
            pa.array(DAYS),
            pa.array(DAYS, pa.date64()),
        ],
    ),
    "datetimes": (
        [pd.Timestamp("2024-01-02 03:00"), None],
        [
            [dt.datetime(2024, 1, 2, 3), None],
            np.array(["2024-01-02T03", "NaT"], "M8[h]"),
            np.array(["2024-01-02T03", "NaT"], "M8[ns]"),
            np.ma.array(np.array(["2024-01-02T03", "1999"], "M8[ns]"), mask=[0, 1]),
            pd.to_datetime(pd.Series(["2024-01-02 03:00", None])),
            pl.Series([dt.datetime(2024, 1, 2, 3), None], dtype=pl.Datetime("ms")),
            pa.array([dt.datetime(2024, 1, 2, 3), None], pa.timestamp("s")),
            pa.array([dt.datetime(2024, 1, 2, 3), None], pa.timestamp("ns")),
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
    "large integers": (
        [2**63 + 1, 5],
        [
            [2**63 + 1, 5],
            np.array([2**63 + 1, 5], np.uint64),
            pl.Series([2**63 + 1, 5], dtype=pl.UInt64),
            pa.array([2**63 + 1, 5], pa.uint64()),
        ],
    ),
    "nothing": (
        [None, None],
        [[None, np.nan], np.array([None, pd.NaT], object), pl.Series([None, None]), pa.nulls(2), pd.Series([pd.NA, None])],
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


@pytest.mark.parametrize("values", [range(3, 6), np.array([2**62, 2**62 + 1]), pa.array([1_000_000, 1_000_002]), pl.Series([-70_000, -1])])
def test_integers_of_a_small_range_are_not_encoded(values: Any) -> None:
    assert labels_of(values) == list(values) if not isinstance(values, pa.Array) else values.to_pylist()


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=10), st.integers(0, 10))
def test_integers_survive_any_range(values: list[int], spread: int) -> None:
    near = [values[0] // 2 + spread * i for i in range(len(values))]
    for numbers in (values, near):
        assert (
            labels_of(np.array(numbers)) == labels_of(pl.Series(numbers)) == labels_of(pa.array(numbers)) == labels_of(numbers) == numbers
        )


EMPTY: list[Any] = [
    [],
    np.array([], int),
    np.array([], object),
    np.array([], "M8[D]"),
    pd.Series([], dtype="str"),
    pd.Categorical([]),
    pl.Series([], dtype=pl.Int8),
    pl.Series([], dtype=pl.String),
    pl.Series([], dtype=pl.Categorical),
    pa.array([], pa.int8()),
    pa.array([], pa.string()),
    pa.chunked_array([], pa.bool_()),
]


@pytest.mark.parametrize("values", EMPTY, ids=lambda x: f"{type(x).__name__} {getattr(x, 'dtype', '')}")
def test_a_column_without_rows_has_none(values: Any) -> None:
    assert labels_of(values) == []


def test_sliced_arrow_columns_are_read_from_their_offset() -> None:
    assert labels_of(pa.array([True, False, True])[1:]) == [False, True]
    assert labels_of(pa.array(["a", "b", None])[1:]) == ["b", MISSING]
    assert labels_of(pa.array(["a", "b", None]).dictionary_encode()[1:]) == ["b", MISSING]


@pytest.mark.parametrize(
    ("values", "order"),
    [
        (pd.Categorical(["b", None, "a"], ["c", "b", "a"]), ["c", "b", "a"]),
        (pl.Series(["b", None, "a"], dtype=pl.Enum(["c", "b", "a"])), ["c", "b", "a"]),
        (pa.DictionaryArray.from_arrays(pa.array([1, None, 2]), pa.array(["c", "b", "a"])), ["c", "b", "a"]),
        (pd.Series(["b", "a"], dtype=pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))), ["b", "a"]),
    ],
    ids=lambda x: type(x).__name__,
)
def test_categories_are_in_the_order_of_the_caller(values: Any, order: list[str]) -> None:
    found = column_of(values, "age", "original")
    assert found.ordered
    assert [x for x in found.labels if x is not MISSING] == order


@pytest.mark.parametrize(
    "values",
    [
        ["b", "a"],
        pd.Series(["b", "a"]),
        pl.Series(["b", "a"]),
        pl.Series(["b", "a"], dtype=pl.Categorical),
        pa.array(["b", "a"]),
        [2, 1],
        [True],
    ],
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


@pytest.mark.parametrize("values", [[1, "1", True], [True, 1], [1.0, True], ["True", True], [np.True_, 1, None]], ids=repr)
@pytest.mark.parametrize("make", [list, lambda x: np.array(x, object), lambda x: pd.Series(x, dtype=object)])
def test_labels_that_hashing_would_merge_stay_apart(values: list[Any], make: Callable[[list[Any]], Any]) -> None:
    assert shown(labels_of(make(values))) == shown([canonical(x) for x in values])


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


def test_records_with_texts_that_are_alike_up_to_a_nul_are_counted_apart() -> None:
    records = pd.DataFrame({"k": pd.Series(["a", "a\0b", "a"], dtype=object), "t": [1, 1, 1]})
    assert capstats.tabulate(records, keys="k", target="t").o.values.tolist() == [[2, 1]]


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
    [[["a"], ["b"]], [{"a": 1}], np.array([set()], object), pl.Series([[1]]), pa.array([[1]]), pa.array([{"a": 1}]), pd.Series([[1]])],
    ids=lambda x: type(x).__name__,
)
def test_values_that_cannot_be_labels_raise_with_column_and_table(values: Any) -> None:
    with pytest.raises(TypeError, match=r"Column 'age' of `original` holds values that cannot be labels .*Convert them"):
        column_of(values, "age", "original")


@pytest.mark.parametrize("values", [np.ones((2, 2)), "ab", {"a": 1}, 5, None, iter([1])], ids=lambda x: type(x).__name__)
def test_what_is_no_column_raises_with_its_type(values: Any) -> None:
    with pytest.raises(TypeError, match=f"Column 'age' of `original` is {type(values).__name__}; give a list"):
        column_of(values, "age", "original")


# --- Frames -----------------------------------------------------------------------------------------------------------

RECORDS = {"sex": ["f", "m", "f"], "age": [1, 2, 1], "w": [1, 2, 3]}
FRAMES: list[Callable[[Any], Any]] = [dict, pd.DataFrame, pl.DataFrame, pa.table, lambda x: nw.from_native(pl.DataFrame(x))]
frames = pytest.mark.parametrize("frame", FRAMES, ids=["mapping", "pandas", "polars", "arrow", "narwhals"])


def rows(table: Any, columns: list[Any], weight: Any = None) -> Counter[Any]:
    """Records of a table as it was read, with their multiplicity or weight."""
    found, weights = read(table, columns, weight, "original")
    total: Counter[Any] = Counter()
    for i in range(len(found[0].codes)):
        total[tuple(c.labels[int(c.codes[i]) - c.first] for c in found)] += 1 if weights is None else weights[i]
    return total


@frames
def test_every_frame_gives_its_records_and_weights(frame: Callable[[Any], Any]) -> None:
    assert rows(frame(RECORDS), ["sex", "age"]) == {("f", 1): 2, ("m", 2): 1}
    assert rows(frame(RECORDS), ["age", "sex"], "w") == {(1, "f"): 4, (2, "m"): 2}


@frames
@pytest.mark.parametrize("name", ["records", "0", "1", "^.*$", "*", ""])
def test_a_column_may_have_any_name(frame: Callable[[Any], Any], name: str) -> None:
    records = frame({name: ["x", "x"], "b": ["y", "y"], "a": [1, 2]})
    assert rows(records, [name, "b"]) == {("x", "y"): 2}
    assert rows(records, [name, "b"], "a") == {("x", "y"): 3}


@pytest.mark.parametrize("name", ["^a.*$", "*"])
def test_a_polars_column_whose_name_is_a_pattern_is_itself(name: str) -> None:
    frame = pl.DataFrame({name: [1, None, 2], "a1": ["x", "y", "y"]})
    assert capstats.tabulate(frame, keys=name, target="a1").o.values.tolist() == [[1, 0, 0], [0, 1, 1]]
    assert capstats.tabulate(frame, keys=name, target="a1", bins={name: 2}).o.values.tolist() == [[1, 0, 0], [0, 1, 1]]
    with pytest.raises(ValueError, match="Rename it, or collect the frame"):
        capstats.tabulate(frame.lazy(), keys=name, target="a1")
    with pytest.raises(ValueError, match="Rename it, or collect the frame"):
        capstats.tabulate(frame.lazy(), keys=name, target="a1", bins={name: 2})


def test_polars_groups_no_objects() -> None:
    frame = pl.DataFrame({"a": pl.Series(["x", 1, "x"], dtype=pl.Object), "b": ["y", "y", "y"]})
    assert rows(frame, ["a", "b"]) == {("x", "y"): 2, (1, "y"): 1}


def test_a_frame_of_narwhals_is_the_frame_that_it_wraps() -> None:
    frame = pl.DataFrame({"day": DAYS, "sex": ["f", "m", None]})
    assert rows(nw.from_native(frame), ["day", "sex"]) == rows(frame, ["day", "sex"])
    assert capstats.tabulate(nw.from_native(frame.lazy()), keys="day", target="sex").identical(
        capstats.tabulate(frame, keys="day", target="sex")
    )


def test_is_frame_tells_frames_from_other_things() -> None:
    assert all(is_frame(frame(RECORDS)) for frame in FRAMES)
    assert is_frame(pl.LazyFrame(RECORDS))
    assert not any(is_frame(x) for x in (np.ones((2, 2)), [[1]], pd.Series([1]), xr.DataArray([1]), None, "a.csv"))


@frames
def test_an_absent_column_raises_with_the_nearest_name(frame: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match=r"Column 'sexx' is not in `original`\. Did you mean 'sex'\?"):
        read(frame(RECORDS), ["sexx"], None, "original")
    with pytest.raises(ValueError, match=r"Column 'weight' is not in `original`\. It has 'sex', 'age', 'w'"):
        read(frame(RECORDS), ["sex"], "weight", "original")


@pytest.mark.parametrize("table", [pd.DataFrame([[1, 2]], columns=["a", "a"]), pa.table([[1], [2]], names=["a", "a"])])
def test_a_column_that_occurs_twice_raises(table: Any) -> None:
    with pytest.raises(ValueError, match=r"Column 'a' occurs 2 times in `original`\. Rename all but one"):
        read(table, ["a"], None, "original")


def test_a_column_that_occurs_twice_is_no_matter_where_it_is_not_used() -> None:
    assert rows(pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"]), ["b"]) == {(3,): 1}


@pytest.mark.parametrize("value", [5, np.array(5), None, iter([1, 2])])
def test_what_a_mapping_holds_beside_its_columns_is_no_matter(value: Any) -> None:
    table = {"about": value, "sex": ["f", "m"], "t": [1, 2]}
    assert capstats.tabulate(table, table, keys="sex", target="t").o.values.tolist() == [[1, 0], [0, 1]]
    with pytest.raises(TypeError, match=r"Column 'about' of `original` is .*give a list, a one-dimensional array"):
        capstats.tabulate(table, keys="about", target="t")


def test_a_ragged_mapping_raises_with_the_lengths() -> None:
    with pytest.raises(
        ValueError, match=r"columns of `original` differ in length: \{'sex': 2, 'age': 1\}\. Give each one value per record"
    ):
        read({"sex": ["f", "m"], "age": [1]}, ["sex", "age"], None, "original")
    with pytest.raises(ValueError, match=r"\{'sex': 2, 'w': 1\}"):
        read({"sex": ["f", "m"], "w": [1]}, ["sex"], "w", "original")


# --- Weights ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weights", "dtype"),
    [
        ([1, 2, 0], "int64"),
        ([1.0, 2.0, 0.0], "int64"),
        (["1", "2", "0"], "int64"),
        ([True, False, True], "int64"),
        ([Decimal(1), Decimal(2), Decimal(0)], "int64"),
        (np.array([255, 255, 255], np.uint8), "int64"),
        ([0.5, 1, 1], "float64"),
        (np.array([0.5, 1, 1], np.float32), "float64"),
        (["0.5", "1", "1"], "float64"),
    ],
    ids=repr,
)
@frames
def test_whole_weights_are_integers_and_fractional_ones_are_floats(frame: Callable[[Any], Any], weights: Any, dtype: str) -> None:
    _, found = read(frame({**RECORDS, "w": weights}), ["sex"], "w", "original")
    assert found is not None
    assert found.dtype == dtype
    assert found.tolist() == [float(x) for x in weights]


@pytest.mark.parametrize("bad", [-1, -0.5, np.inf, -np.inf, np.nan, None])
@frames
def test_a_weight_that_is_no_weight_raises_with_its_row(frame: Callable[[Any], Any], bad: float | None) -> None:
    with pytest.raises(ValueError, match=r"finite .*; rows of `original` where column 'w' breaks this: 2, the first is row 1 \(") as raised:
        read(frame({**RECORDS, "w": [1.0, bad, -3.0]}), ["sex"], "w", "original")
    assert not any(value in str(raised.value) for value in (str(bad), "-3"))


@frames
def test_a_weight_that_is_no_number_raises_without_its_text(frame: Callable[[Any], Any]) -> None:
    with pytest.raises(ValueError, match=r"rows of `original` where column 'w' breaks this: 1, the first is row 2") as raised:
        read(frame({**RECORDS, "w": ["1", "2", "many"]}), ["sex"], "w", "original")
    assert "many" not in str(raised.value)


@pytest.mark.parametrize("dtype", ["Int64", "Float64", pd.ArrowDtype(pa.int64())])
def test_a_missing_nullable_weight_raises_with_its_row(dtype: Any) -> None:
    with pytest.raises(ValueError, match=r"`original` where column 'w' breaks this: 1, the first is row 1 "):
        read(pd.DataFrame({"sex": ["f", "m"], "w": pd.Series([1, None], dtype=dtype)}), ["sex"], "w", "original")


@pytest.mark.parametrize("weights", [np.array([2**53 - 1, 1]), np.array([2.0**53, 0.0]), np.array([2**63, 2**63], np.uint64)])
def test_integer_weights_that_floats_cannot_sum_exactly_raise(weights: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"integer weights 'w' of `original` sum to 2\*\*53 or more, which is not exact\. Scale"):
        whole_weights(weights, "w", "original")


@pytest.mark.parametrize("values", [[2**63 + 1, 2**63, 2**63 + 1], [2**63, 2**63 - 1, 2**63]])
def test_unsigned_integers_beyond_int64_are_their_own_labels(values: list[int]) -> None:
    array = np.array(values, np.uint64)
    for table in ({"id": array, "t": [1, 1, 2]}, pl.DataFrame({"id": array, "t": [1, 1, 2]}), pa.table({"id": array, "t": [1, 1, 2]})):
        counts = capstats.tabulate(table, keys="id", target="t").o
        assert counts.sel(id=values[0]).values.ravel().tolist() == [1, 1]
        assert counts.sel(id=values[1]).values.ravel().tolist() == [1, 0]


def test_each_code_of_a_pool_is_looked_up_in_one_walk_through_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"person {i * 7919 % 20_000}" for i in range(20_000)]
    looked = []
    find = np.flatnonzero
    monkeypatch.setattr(np, "flatnonzero", lambda x: looked.append(len(x)) or find(x))
    column = column_of(pl.Series([*texts, *texts], dtype=pl.Categorical), "age", "original")
    assert [column.labels[int(code) - column.first] for code in column.codes[:20_000]] == texts
    assert sum(looked) <= 40_000
    with pytest.raises(IndexError):
        _ = column_of(pl.Series(["a", "c"], dtype=pl.Categorical), "age", "original").labels[5]
