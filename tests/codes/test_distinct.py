"""Counting codes is counting records, on every route; labels of several tables come into one order."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capstats.codes import column
from capstats.codes.column import Column, count, factor, union

INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


def records(columns: list[Column]) -> list[tuple[int, ...]]:
    """One tuple of places a row."""
    return list(zip(*([int(code) - c.first for code in c.codes] for c in columns), strict=True))


def counted(columns: list[Column], weights: Any = None) -> dict[tuple[int, ...], Any]:
    rows, (sums,) = count(columns, () if weights is None else [weights])
    found = list(zip(*(c.tolist() for c in rows.codes), strict=True))
    assert len(set(found)) == len(found), "a row occurs twice"
    return dict(zip(found, sums.tolist(), strict=True))


@st.composite
def tables(draw: st.DrawFn) -> list[Column]:
    """Columns of any number of levels, any least code and any integers that hold their codes."""
    n = draw(st.integers(1, 30))
    columns = []
    for _ in range(draw(st.integers(1, 6))):
        levels = draw(st.sampled_from([1, 2, 3, 127, 128, 255, 40_000, 70_000, 2**31, 2**40]))
        first = draw(st.sampled_from([0, -1, 5, -128, -40_000, 60_000]))
        fitting = [t for t in INTEGERS if np.iinfo(t).min <= first and first + levels - 1 <= np.iinfo(t).max]
        places = draw(st.lists(st.sampled_from([0, levels - 1, levels // 2, min(1, levels - 1)]), min_size=n, max_size=n))
        values = np.array([first + x for x in places], draw(st.sampled_from(fitting)))
        columns.append(Column(values, range(levels), first=first))
    return columns


@given(tables())
def test_count_equals_a_counter_of_the_records(columns: list[Column]) -> None:
    """Up to six columns of up to 2**40 levels: their product is mostly above 2**62."""
    assert counted(columns) == Counter(records(columns))


def test_more_columns_are_counted_than_an_array_of_numpy_has_dims() -> None:
    """Of 1 level each, or of 2, whose combinations may fit one code."""
    rng = np.random.default_rng(3)
    for levels, number in ((1, 40), (1, 100), (2, 33), (2, 70)):
        columns = [Column(rng.integers(0, levels, 20), range(levels)) for _ in range(number)]
        assert counted(columns) == Counter(records(columns))


@given(tables(), st.data())
def test_weights_are_summed_by_record_and_a_weight_of_zero_keeps_its_row(columns: list[Column], data: st.DataObject) -> None:
    n = len(columns[0].codes)
    weights = data.draw(st.lists(st.integers(0, 2**40), min_size=n, max_size=n))
    expected: dict[tuple[int, ...], int] = defaultdict(int)
    for record, weight in zip(records(columns), weights, strict=True):
        expected[record] += weight
    _, (sums,) = count(columns, [np.array(weights, np.int64)])
    assert sums.dtype == np.int64
    assert counted(columns, np.array(weights, np.int64)) == expected
    halves = counted(columns, np.array(weights) / 2)  # exact
    assert halves == {record: weight / 2 for record, weight in expected.items()}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "levels"), [(1, 2), (5_000, 3), (5_000, 40), (200_000, 3), (200_000, 58), (70_000, 100)])
def test_grid_and_sorted_route_agree(monkeypatch: pytest.MonkeyPatch, n: int, levels: int, weighted: bool) -> None:
    """From one row to several blocks, with few cells a block and with many."""
    rng = np.random.default_rng(n + levels)
    columns = [Column(rng.integers(-1, levels - 1, n, dtype=t), range(levels), first=-1) for t in (np.int16, np.int64, np.int32)]
    weights = rng.integers(0, 3, n)
    given = [weights] if weighted else []
    expected: dict[tuple[int, ...], int] = defaultdict(int)
    for record, weight in zip(records(columns), weights.tolist(), strict=True):
        expected[record] += weight if weighted else 1
    if levels**3 <= max(1 << 16, n):  # else the grid is never used
        monkeypatch.setattr(column, "DENSE", levels**3)
        monkeypatch.setattr(column, "_count_sorted", None)
        assert counted(columns, *given) == expected
        monkeypatch.undo()
    monkeypatch.setattr(column, "DENSE", 0)
    monkeypatch.setattr(column, "_count_grid", None)
    assert counted(columns, *given) == expected
    codes = np.stack([c.astype(np.int64) for c in count(columns, given)[0].codes])
    assert (np.diff(codes[0] * levels**2 + codes[1] * levels + codes[2]) > 0).all()


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_large_codes_are_folded_exactly(dtype: type) -> None:
    """Added to a code above 2**53, unsigned codes would turn into floats and their rows merge."""
    ends = [[0, 65_535, 65_535, 1], [0, 65_535, 65_535, 2], [0, 65_535, 65_534, 3], [7_999, 7_999, 7_998, 5]]
    columns = [Column(np.array(e, dtype), range(65_536)) for e in ends[:3]]
    columns.append(Column(np.array(ends[3], dtype), range(8_000)))
    assert counted(columns) == Counter(records(columns))


@pytest.mark.parametrize("sizes", [(2**16 - 1, 2**16 + 1), (2**16, 2**16), (2**31 - 1, 2), (2**31, 2)])
def test_codes_next_to_the_widest_of_32_bits_are_counted_exactly(sizes: tuple[int, int]) -> None:
    ends = [np.array([0, size - 1, size - 1, size - 2]) for size in sizes]
    rows, (counts,) = count([Column(end, range(size)) for end, size in zip(ends, sizes, strict=True)])
    first, second = sizes
    assert list(zip(*(c.tolist() for c in rows.codes), strict=True)) == [(0, 0), (first - 2, second - 2), (first - 1, second - 1)]
    assert counts.tolist() == [1, 1, 2]


def test_distinct_rows_come_in_the_order_of_their_codes() -> None:
    columns = [Column(np.array([1, 0, 1, 0]), "ab"), Column(np.array([0, 1, 0, 0]), "xy")]
    assert list(counted(columns).items()) == [((0, 0), 1), ((0, 1), 1), ((1, 0), 2)]


# --- Several tables ---------------------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 1)), max_size=8), min_size=1, max_size=4))
def test_union_is_the_sorted_set_of_rows_and_finds_each_row_in_it(rows: list[list[tuple[int, ...]]]) -> None:
    if not any(rows):
        return
    sizes = [3, 4, 2]
    split = [[np.array([row[k] for row in table], np.int64) for k in range(3)] for table in rows]
    distinct, positions = union(split, sizes)
    found = list(zip(*(c.tolist() for c in distinct), strict=True))
    assert found == sorted({row for table in rows for row in table})
    assert [[found[i] for i in where] for where in positions] == rows


@pytest.mark.parametrize("kept", [(0, 1, 2), (0, 2), (1, 2), (0, 1), (2,), (1,), (0,), ()])
@pytest.mark.parametrize("widest", [400, 399])
def test_combinations_of_fewer_columns_are_those_of_them_alone(monkeypatch: pytest.MonkeyPatch, widest: int, kept: tuple[int, ...]) -> None:
    """Also where the numbers of all 400 combinations are more than an integer holds."""
    monkeypatch.setattr(column, "WIDEST", widest)
    rows = np.random.default_rng(3).integers(0, [4, 1, 5], (40, 3))
    columns = [Column(rows[:, c], range(size)) for c, size in enumerate((4, 2, 50))]
    whole = factor(columns)
    fewer = whole.only(kept)
    of_rows = fewer.of_row[whole.of_row]
    if not kept:
        assert len(fewer.flat) == 1
        assert (of_rows == 0).all()
        return
    found = np.stack(fewer.codes, axis=1)
    np.testing.assert_array_equal(found[of_rows], rows[:, kept])
    np.testing.assert_array_equal(found, np.unique(rows[:, kept], axis=0))


def test_equal_rows_are_found_where_all_combinations_exceed_64_bits() -> None:
    """Forty columns of codes below a thousand need more than 64 bits together."""
    rng = np.random.default_rng(5)
    rows = rng.integers(0, 1000, (20, 40))[rng.integers(0, 20, 300)]
    found = factor([Column(codes, range(1000)) for codes in rows.T])
    of_row = np.asarray(found.of_row)
    assert of_row.max() + 1 == len(np.unique(rows, axis=0))
    assert all(len(np.unique(rows[of_row == k], axis=0)) == 1 for k in range(of_row.max() + 1))
