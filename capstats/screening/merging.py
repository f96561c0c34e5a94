"""Average CAP after two levels of a column are merged, for every pair of levels, from the counts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from capstats.cap.average import average_cap, correct_by_key
from capstats.cap.neighbours import Convention, convention_used, distances, key_columns, nearest, nearest_rows, one_by_one
from capstats.codes.checks import shown
from capstats.codes.column import Ints
from capstats.codes.labels import MISSING, canonicals
from capstats.codes.names import check_named
from capstats.screening.influence import counted_by_key
from capstats.tables.aligned import Aligned
from capstats.tables.axes import UNLABELLED, names_of
from capstats.tables.checking import given_tables
from capstats.tables.sums import attribution, ratio, shared, shared_across
from capstats.tables.table import Array, Counts, Floats, Release, Table
from capstats.tables.ties import ranks

MOST_LEVELS = 1 << 11  # greatest number of levels of a column, or of targets, for all pairs


def _after_merge(o: Counts, s: Counts, column: str, unmatched: Convention) -> tuple[list[Any], Floats]:
    """The levels of a column, and average CAP after merging two of them, for every pair; without a merge on the diagonal."""
    aligned = Aligned({"o": o, "s": s})
    key_codes = key_columns(aligned, '`unmatched` "nearest"') if unmatched == "nearest" else None
    dim, place, codes = _located(aligned, column)
    axis = aligned.axes[dim]
    shown, level = np.unique(codes[place], return_inverse=True)
    if (size := len(level) if dim == "target" else len(shown)) > MOST_LEVELS:
        what = "targets" if dim == "target" else "levels"
        raise ValueError(f"Column {column!r} has {size} {what}, more than {MOST_LEVELS} to merge in pairs. Bin or group them first.")
    pairs = list(_pairs(level, [other for i, other in enumerate(codes) if i != place]))

    def formula(o: Table, s: Table) -> Floats:
        c, n = (x.sum(-1) for x in (correct_by_key(o, s), counted_by_key(o, s, unmatched)))
        parts = [] if key_codes is None else list(nearest_rows(key_codes, o, s))  # for unmatched keys
        for people, rows in parts:
            c = c + correct_by_key(people, rows).sum(-1)
        more_c, more_n = np.zeros((2, *np.broadcast_shapes(c.shape, n.shape), len(shown), len(shown)))
        if dim == "target":
            for people, rows in [(o, s), *parts]:
                confused = people.across_targets(attribution(rows, rows.key_total, 0.0))
                for left, right in pairs:
                    at: Any = (..., level[left], level[right])
                    np.add.at(more_c, at, confused[..., left, right] + confused[..., right, left])
        elif key_codes is not None:
            (more_c,) = one_by_one(lambda o, s: (_near_merged_keys(key_codes, o, s, level, len(shown)),), o, s)
        else:
            for left, right in pairs:
                at = (..., level[left], level[right])
                gained_c, gained_n = _merged_keys(o, s, left, right, unmatched)
                np.add.at(more_c, at, gained_c)
                np.add.at(more_n, at, gained_n)
        more_c, more_n = (x + np.swapaxes(x, -1, -2) for x in (more_c, more_n))
        return np.clip(ratio(c[..., None, None] + more_c, n[..., None, None] + more_n, np.nan), 0, 1)

    found = aligned.map(formula, "average_cap", ("level", "other")).values
    labels = [*range(len(level))] if axis is None else [*canonicals(axis.levels[place]), MISSING]
    return [labels[code] for code in shown], found


def _near_merged_keys(codes: list[Ints], o: Table, s: Table, level: Array, levels: int) -> Floats:
    """Correct attributions gained by the people of each level if it is merged with another, by nearest keys: shape (level, other).

    Their distance to keys with the other level decreases by 1. So if some of these are among the nearest, only these remain, and if some
    are one column farther away, they join the nearest. For all other people nothing changes.
    """
    gained, s_j = np.zeros((levels, levels)), s.key_total
    rows, totals, _ = nearest(codes, o.key_total > 0, s)
    summed = shared(o, rows, totals)
    for readers, donors, apart in distances(codes, o, s, levels):
        own, beyond = level[readers], apart - apart.min(1, keepdims=True)
        a, b = np.nonzero(beyond <= 1)
        p, j = readers[a], donors[b]
        group = (beyond[a, b] * len(readers) + a) * levels + level[j]
        size = (2, len(readers), levels)
        sums = (np.bincount(group, x, math.prod(size)).reshape(size) for x in (shared_across(o, s, s_j, p, j), s_j[j]))
        (right, more), (records, others) = sums
        c, n = summed[readers, None], totals[readers, None]
        gain = np.where(records > 0, ratio(right, records, 0.0), ratio(c + more, n + others, 0.0)) - ratio(c, n, 0.0)
        gain[np.arange(len(readers)), own] = 0
        np.add.at(gained, own, gain)
    return gained


def _merged_keys(o: Table, s: Table, left: Array, right: Array, unmatched: Convention) -> tuple[Floats, Array]:
    """Correct attributions, and records in the average, gained by merging pairs of keys: shape (..., pairs)."""
    s_j = s.key_total
    c_j, n_j = correct_by_key(o, s), counted_by_key(o, s, unmatched)
    a, b = s_j[..., left], s_j[..., right]
    crossed = shared_across(o, s, s_j, left, right) + shared_across(o, s, s_j, right, left)
    own = c_j[..., left] * a + c_j[..., right] * b
    gained_c = ratio(crossed + own, a + b, 0.0) - c_j[..., left] - c_j[..., right]
    o_j = o.key_total
    matched = a + b > 0
    return gained_c, np.where(matched, o_j[..., left] + o_j[..., right] - n_j[..., left] - n_j[..., right], 0)


def _located(aligned: Aligned, column: str) -> tuple[str, int, list[Array]]:
    """The dim of a column, its position there, and the codes of all columns of that dim."""
    columns = columns_of(aligned)
    check_named("columns", [column], [*columns["target"], *columns["key"]], "neither a key column nor a target column")
    dim = "target" if column in columns["target"] else "key"
    axis = aligned.axes[dim]
    if axis is None:
        return dim, 0, [np.arange(aligned.sizes[dim])]
    missing_last = zip(map(np.asarray, axis.codes), axis.levels, strict=True)
    return dim, columns[dim].index(column), [np.where(code < 0, len(level), code) for code, level in missing_last]


def columns_of(aligned: Aligned) -> dict[str, list[str]]:
    """The columns of each dim of aligned tables."""
    return {dim: [UNLABELLED[dim]] if axis is None else names_of(axis) for dim, axis in aligned.axes.items()}


def _pairs(level: Array, others: Sequence[Array]) -> Iterator[tuple[Array, Array]]:
    """Pairs of positions that differ only in their level, not in other codes: each pair once, in batches of distinct positions."""
    codes = dict(enumerate([np.zeros_like(level), *others]))
    rest = pd.DataFrame(codes).groupby(list(codes), sort=False).ngroup().to_numpy()
    order = np.lexsort((level, rest))
    sorted_rest = rest[order]
    for step in range(1, len(order)):
        same = sorted_rest[step:] == sorted_rest[:-step]
        if not same.any():
            return
        yield order[:-step][same], order[step:][same]


def rank_merges(o: Counts, s: Release = None, *, columns: Sequence[str] | None = None, unmatched: Convention = "nearest") -> pd.DataFrame:
    """Candidates for coarsening: pairs of levels, sorted by the average CAP after their merge, smallest first.

    Coarser columns hold less information, but not every merge lowers average CAP: no merge of targets does.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key)
        Counts of original and synthetic records, one table of each.
    columns : sequence of str, optional
        Key or target columns, under their stored names; without labels there are "key_" and "target". All key columns unless given.
    unmatched : {"nearest", "zero", "drop"}
        What becomes of records whose key is not in `s`, as in `average_cap`. Keys without labels have no nearest ones: there "nearest" is
        "zero".

    Returns
    -------
    DataFrame
        One row for each pair of levels: ``column``, ``level``, ``other`` (in the column's order), ``average_cap`` after they are merged,
        and ``change``, by which the rows are sorted, ties in the order of the levels. NaN if no record is in the average, or with
        "nearest" if `s` has no record. ``attrs["unmatched"]`` tells how records without their key were counted.

    Raises
    ------
    ValueError, TypeError
        If `columns` is a string, there is no such column, it has more than 2048 levels (for a target column: there are more than 2048
        targets), there is more than one pair of tables, or the tables are not counts or differ.

    See Also
    --------
    rank_removals

    Notes
    -----
    See theory/columns.md#influence. After one merge the effects of the others change. Merging a and b of the target adds the records of a
    attributed to b, and those of b to a; so average CAP never falls. With "nearest" each key of `o` is compared with each of `s`, once for
    all merges of a key column: ten thousand keys take seconds, a hundred thousand take minutes.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Definitions 2 and 3.

    Examples
    --------
    >>> rank_merges([[4, 1, 0], [0, 5, 2]], [[2, 2, 0], [0, 2, 2]]).round(3)
      column level other  average_cap  change
    0   key_     0     2        0.500  -0.250
    1   key_     0     1        0.583  -0.167
    2   key_     1     2        0.750   0.000
    """
    aligned = Aligned({"o": o, "s": s})
    if aligned.shape:
        dim = aligned.dims[0]
        raise ValueError(f"A ranked list needs one pair of tables; got dim {dim!r}. Choose one, such as s.isel({dim}=0).")
    if isinstance(columns, str):
        raise TypeError(f"`columns` must be a sequence of column names; got {shown(columns)}. Give [{columns!r}].")
    o, s = given_tables({"o": o, "s": s}).values()
    used = convention_used(aligned.axes["key"], unmatched)
    before = average_cap(o, s, unmatched=used).item()
    parts = []
    for column in columns_of(aligned)["key"] if columns is None else columns:
        levels, found = _after_merge(o, s, column, used)
        first, second = np.triu_indices(len(levels), 1)
        pairs = {"level": [levels[i] for i in first], "other": [levels[i] for i in second], "average_cap": found[first, second]}
        parts.append(pd.DataFrame({"column": column, **pairs}).astype({"level": object, "other": object}))
    if not parts:
        raise ValueError("`columns` is empty: give at least one column, or leave it out for all key columns.")
    joined = pd.concat(parts)
    ranked: pd.DataFrame = joined.assign(change=joined["average_cap"] - before)
    ranked.attrs["unmatched"] = used
    return ranked.sort_values("change", kind="stable", ignore_index=True, key=lambda x: -ranks(x.to_numpy(), before))
