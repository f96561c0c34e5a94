"""CAP from neighbouring synthetic keys, by Hamming distance: the number of key columns in which two keys differ.

A key without synthetic records takes those of the nearest keys that have some; with a radius, each key takes those of all keys within it.
The formulas of CAP need two numbers of the records taken: their counts by target, and their sum. So rows are added up, and pairs of keys
are never kept.

There are three ways to the same numbers, since keys may be few with thousands of releases, or millions with one release:

1. Few pairs of keys (`_few_distances`): one matrix of distances for all tables of a batch. The keys at one distance are a mask of it, and
   the rows that they give are one matrix product with that mask for all releases at once (`donated`).
2. Otherwise (`_pooled`): a search by sub-keys for each table of the batch, see `capstats.cap.subkeys`; the matrix would not fit in memory.
3. Where a caller needs all cells of the rows, those of a sparse table that hold no record included (`nearest_rows`), or the distances of
   all keys (`distances`): some keys at a time, so that memory is bounded by FULL cells.

Weights that are fractions need care in a search within a radius. It adds and subtracts the same rows, and in floats a remainder of 10^-17
can be left where nothing is within the radius: CAP would then be one rounding error divided by another. `_in_whole_numbers` therefore
writes all weights as integers of two units, adds these exactly, and scales the sums back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr

from capstats.cap.subkeys import Pool, Search, differences, effort
from capstats.cap.tolerance import Within, windows_of
from capstats.codes.checks import check_integer, shown
from capstats.codes.column import Ints
from capstats.tables.aligned import Aligned
from capstats.tables.axes import UNLABELLED
from capstats.tables.dense import Dense
from capstats.tables.printing import many
from capstats.tables.table import Array, Cells, Counts, Floats, Index, Release, Table, place_in

Unmatched = Literal["zero", "drop"]
Convention = Literal["zero", "drop", "nearest"]
RowsUsed = Callable[[Table, Table], tuple[Table, Array]]

FEW = 1 << 16  # pairs of keys whose distances are held in one table, for all tables of a batch at once
FULL = 1 << 20  # cells of whole rows of a sparse table that are held at a time
LONG = 3e9  # nanoseconds for each table, as `effort` estimates them, from which nearest keys are looked for on demand alone

MEANINGS = {"zero": "a record whose key is not in `s` counts 0", "drop": "it is left out", "nearest": "it uses the nearest keys in `s`"}


def check_unmatched(unmatched: str, conventions: Sequence[str] = get_args(Unmatched)) -> None:
    """Raise unless it is a convention for records whose key is not in the synthetic table."""
    if not isinstance(unmatched, str) or unmatched not in conventions:
        *first, last = [f'"{convention}" ({MEANINGS[convention]})' for convention in conventions]
        raise ValueError(f"`unmatched` must be {', '.join(first)} or {last}; got {shown(unmatched)}.")


def check_convention(unmatched: str) -> None:
    """Raise unless it is one of these conventions, or "nearest"."""
    check_unmatched(unmatched, get_args(Convention))


def rows_used(aligned: Aligned, unmatched: str, radius: int = 0, *, everybody: bool = False, within: Within = None) -> RowsUsed:
    """A function of both tables that gives the synthetic counts that each key of `o` uses, and their totals: by default its own.

    Keys without original records may have no rows, unless ``everybody`` is set. With ``within`` near guesses have weights, too.
    """
    check_convention(unmatched)
    check_integer(radius, "radius", "0, 1, ... up to the number of key columns", least=0)
    if unmatched == "nearest" and radius:
        raise ValueError(
            f'`unmatched` "nearest" needs radius 0, where an unmatched key uses the nearest keys; got radius {radius!r}. '
            f'Give unmatched="zero" or "drop" for keys without a synthetic key within the radius.'
        )
    what = '`unmatched` "nearest"' if unmatched == "nearest" else f"`radius` {radius}"
    codes = key_columns(aligned, what) if unmatched == "nearest" or radius else []
    if radius > len(codes):
        raise ValueError(f"`radius` must be at most the number of key columns, {len(codes)}; got {shown(radius)}.")
    windows = windows_of(aligned, within)
    if windows is not None and radius:
        raise ValueError(f"`within` needs radius 0; got radius {radius!r}. Give one of the two.")

    def rows_of(o: Table, s: Table) -> tuple[Table, Array]:
        if not codes:
            return s, s.key_total
        recipients = np.ones_like(o.key_total, bool) if everybody else o.key_total > 0
        return nearest(codes, recipients, s)[:2] if unmatched == "nearest" else within_radius(codes, recipients, s, int(radius))

    return rows_of if windows is None else lambda o, s: s.rows_in_windows(windows, lambda table: rows_of(o, table))


def in_average(rows: Table, totals: Array, unmatched: str, *tables: Table) -> tuple[Table, ...]:
    """Tables of records, or of their squared weights, without those that an average leaves out because their key has no rows."""
    if unmatched == "zero":
        return tables
    counted = rows.on_cells(totals > 0)
    return tuple(table.like(table.values * counted) for table in tables)


def key_columns(aligned: Aligned, what: str) -> list[Ints]:
    """The codes of the keys, column by column; raises an error if the keys have no labels."""
    axis = aligned.axes["key"]
    if axis is None or numbered(axis):
        raise ValueError(
            f"{what} compares keys column by column, and the keys of these tables have no labels. "
            f"Label them: capstats.from_counts(o, s, key_labels={{column: labels}}), or tabulate the records."
        )
    return [np.asarray(column) - min(0, int(np.min(column))) for column in axis.codes]  # pandas has missing labels at -1


def convention_used(axis: pd.MultiIndex | None, unmatched: Convention) -> Convention:
    """The convention that is asked for; "zero" for "nearest" where the keys have no labels, and so no nearest ones."""
    check_convention(unmatched)
    return "zero" if unmatched == "nearest" and (axis is None or numbered(axis)) else unmatched


def numbered(axis: pd.MultiIndex) -> bool:
    """Whether keys have no labels but the numbers 0, 1, ... that from_counts gives them."""
    return list(axis.names) == [UNLABELLED["key"]] and axis.levels[0].equals(pd.RangeIndex(len(axis)))


def without_nearest(aligned: Aligned) -> str:
    """Why the nearest keys of two tables, the first ones, are not searched unless asked for; "" where they always are."""
    axis = aligned.axes["key"]
    if axis is None or numbered(axis):
        return "the keys have no labels"

    def efforts(o: Table, s: Table, *_: Table) -> Array:
        donates = s.key_total > 0
        return np.asarray(effort(axis.nlevels, donates.sum(-1), ((o.key_total > 0) & ~donates).sum(-1)))

    if aligned.map(efforts, "effort").mean().item() <= LONG:
        return ""
    return f'comparing the keys in {many(axis.nlevels, "column")} takes long; average_cap(o, s, unmatched="nearest") does it'


def nearest(codes: list[Ints], recipients: Array, s: Table) -> tuple[Table, Array, Array]:
    """The rows of each key or, for recipients without any, those of the nearest keys; their totals; and the distance of these keys."""
    s_j = s.key_total
    receives = _shaped(recipients, s_j) & (s_j == 0)
    distance = np.zeros(s_j.shape, np.int64)
    if not receives.any():
        return s, s_j, distance
    if few := _few_distances(codes, receives, s_j > 0):
        return _nearest_in_table(few, receives, s, s_j, len(codes))

    def impute(search: Search, at: tuple[int, ...], recipients: Index) -> None:
        distance[at][recipients] = search.nearest()

    rows, totals = _pooled(codes, receives, s, s_j, impute)
    return s.like(s.values + rows.values), s_j + totals, distance


def nearest_rows(codes: list[Ints], o: Table, s: Table) -> Iterator[tuple[Table, Table]]:
    """The original records whose key is not in `s`, a block of keys at a time, and the rows that they take from the nearest keys.

    All cells of their keys are in both, also those that hold no record of a sparse table.
    """
    recipients = (o.key_total > 0) & (s.key_total == 0)
    if isinstance(o, Dense) or isinstance(s, Dense):
        yield Dense(o.values * o.on_cells(recipients)), nearest(codes, recipients, s)[0]
        return
    keys, donors, step = np.flatnonzero(recipients), np.flatnonzero(s.key_total), max(1, FULL // s.shape[0])
    for start in range(0, len(keys), step):
        some = keys[start : start + step]
        yield o.columns(some), _whole_rows(codes, some, donors, s)


def _whole_rows(codes: list[Ints], keys: Index, donors: Index, s: Cells) -> Dense:
    """The rows that some keys of one sparse table take from the nearest ones, with all cells: shape (target, keys)."""
    rows = np.zeros((len(keys), s.shape[0]), s.values.dtype)

    def add(donors: Index, donor_group: Index, recipients: Index, recipient_group: Index, groups: int, times: int = 1) -> None:
        rows[np.searchsorted(keys, recipients)] += times * s.sums_of_rows(donors, donor_group, groups)[recipient_group]

    if len(donors):
        Search(codes, keys, donors, add).nearest()
    return Dense(rows.T)


def distances(codes: list[Ints], o: Table, s: Table, beside: int = 0) -> Iterator[tuple[Index, Index, Ints]]:
    """The keys of one original table, a block at a time; all keys of one synthetic table; and their distances: (keys, keys).

    ``beside`` is how many numbers the caller holds for each key of the original.
    """
    o_j, s_j = o.key_total, s.key_total
    readers, donors = np.flatnonzero(o_j), np.flatnonzero(s_j)
    step = max(1, FULL // (len(donors) * (1 + s.values.size // len(s_j)) + beside + 1))
    for start in range(0, len(readers) if len(donors) else 0, step):
        some = readers[start : start + step]
        yield some, donors, differences([column[some] for column in codes], [column[donors] for column in codes]).astype(np.int64)


def one_by_one(formula: Callable[[Table, Table], tuple[Array, ...]], o: Table, s: Table) -> Iterator[Array]:
    """The results of a formula for one pair of tables, over all pairs of a batch."""
    batches = [x.key_total.shape[:-1] for x in (o, s)]
    batch = np.broadcast_shapes(*batches)
    own = [[place_in(shape, at) for at in np.ndindex(batch)] for shape in batches]
    for results in zip(*(formula(o.member(a), s.member(b)) for a, b in zip(*own, strict=True)), strict=True):
        yield np.reshape(results, (*batch, *results[0].shape))


def within_radius(codes: list[Ints], recipients: Array, s: Table, radius: int) -> tuple[Table, Array]:
    """The rows of all keys within a radius of each recipient, and their totals."""
    s_j = s.key_total
    receives = _shaped(recipients, s_j)
    if few := _few_distances(codes, receives, s_j > 0):
        a, b, apart = few
        return s.donated(a, b, apart <= radius)
    if s_j.dtype.kind == "f":
        return _in_whole_numbers(s, lambda part: within_radius(codes, recipients, part, radius))
    return _pooled(codes, receives, s, s_j, lambda search, _at, _recipients: search.within(radius))


def _shaped(recipients: Array, s_j: Array) -> Array:
    """Which keys are recipients in any of the tables that share a synthetic table, in the shape of the synthetic tables' keys."""
    sharing = tuple(i for i, (a, b) in enumerate(zip(recipients.shape, s_j.shape, strict=True)) if a > b)
    return np.broadcast_to(recipients.any(sharing, keepdims=True), s_j.shape)


def _pooled(
    codes: list[Ints], receives: Array, s: Table, s_j: Array, impute: Callable[[Search, tuple[int, ...], Index], None]
) -> tuple[Table, Array]:
    """The rows that the recipients get, and their totals, one table of the batch after the other."""
    pools = []
    for at in np.ndindex(s_j.shape[:-1]):
        pool = Pool(s.member(at))
        recipients, donors = np.flatnonzero(receives[at]), np.flatnonzero(s_j[at])
        if len(recipients) and len(donors):
            impute(Search(codes, recipients, donors, pool.add), at, recipients)
        pools.append(pool)
    rows = np.reshape([pool.values for pool in pools], s.values.shape)
    return s.like(rows), np.reshape([pool.totals for pool in pools], s_j.shape)


# --- few keys: one table of distances for the whole batch -------------------------------------------------------------


def _few_distances(codes: list[Ints], receives: Array, donates: Array) -> tuple[Index, Index, Ints] | None:
    """All donors and recipients of a batch, and their distances, (donors, recipients); None if there are too many pairs."""
    a, b = (np.flatnonzero(keys.reshape(-1, keys.shape[-1]).any(0)) for keys in (donates, receives))
    return (a, b, differences([column[a] for column in codes], [column[b] for column in codes])) if len(a) * len(b) <= FEW else None


def _nearest_in_table(few: tuple[Index, Index, Ints], receives: Array, s: Table, s_j: Array, columns: int) -> tuple[Table, Array, Array]:
    """The same as `nearest`, from the distances of few keys."""
    a, b, apart = few
    values, totals, distance, far = s.values, s_j, np.zeros(s_j.shape, np.int64), np.zeros(s_j.shape[-1], np.int64)
    everybody = bool(s_j[..., a].all())  # then the nearest keys are the same in every table
    for d in [apart.min(0, initial=columns)] if everybody else range(1, columns + 1):
        left = receives & (totals == 0)
        if not left.any():
            break
        rows, received = s.donated(a, b, apart == d)
        values = values + rows.values * s.on_cells(left)
        totals = totals + received * left
        far[b] = d
        distance += far * (left & (totals > 0))
    return s.like(values), totals, distance


# --- fractional weights -----------------------------------------------------------------------------------------------


def _in_whole_numbers(s: Table, pool: Callable[[Table], tuple[Table, Array]]) -> tuple[Table, Array]:
    """Pooled rows of a table of fractional weights, added up as integer multiples of a large and of a small unit.

    The result is then exactly 0 if no key is within the radius; sums of floats would leave a rounding error.
    """
    unit = np.ldexp(1.0, np.frexp(s.total[..., None])[1] - 52)
    scale = s.on_cells(unit)
    small = 2.0 ** (s.values.size.bit_length() - 52)
    whole = np.floor(s.values / scale)
    rest = np.rint((s.values / scale - whole) / small)
    (rows, totals), (more, other) = (pool(s.like(part.astype(np.int64))) for part in (whole, rest))
    return s.like((rows.values + more.values * small) * scale), (totals + other * small) * unit


# --- how far ----------------------------------------------------------------------------------------------------------


def nearest_distance(o: Counts, s: Release = None) -> xr.DataArray:
    """Distance from each key to the nearest key of the synthetic table: the number of key columns in which they differ.

    It is the number of columns that an intruder must change or ignore to find a synthetic record.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records, labelled by key columns. `o` only adds its keys; its counts are
        not used.

    Returns
    -------
    DataArray, dims (..., key)
        0 for matched keys, otherwise from 1 to the number of key columns. NaN if `s` has no record.

    Raises
    ------
    ValueError, TypeError
        If neither table has key labels, or the tables are not counts (the cell is named), or disagree in shape or labels.

    See Also
    --------
    average_cap : with ``unmatched="nearest"``, an unmatched key uses the records of all keys at this distance.

    Notes
    -----
    See theory/attacks.md#neighbours.

    References
    ----------
    Hamming (1950), https://doi.org/10.1002/j.1538-7305.1950.tb00463.x.

    Examples
    --------
    No synthetic record is both old and male, but one is old and female:

    >>> from capstats import from_counts
    >>> keys = {"age": ["young", "young", "old", "old"], "sex": ["f", "m", "f", "m"]}
    >>> tables = from_counts([[3, 1, 2, 2], [0, 4, 1, 1]], [[2, 0, 1, 0], [2, 0, 0, 0]], key_labels=keys)
    >>> nearest_distance(tables.o, tables.s).values.tolist()
    [0.0, 1.0, 0.0, 1.0]
    """
    aligned = Aligned({"o": o, "s": s})
    codes = key_columns(aligned, "The distance between keys")

    def formula(o: Table, s: Table) -> Floats:
        donates = s.key_total > 0
        distance = nearest(codes, np.ones_like(donates), Dense(donates.astype(np.int64)[..., None, :]))[2]
        return np.asarray(np.where(donates.any(-1, keepdims=True), distance, np.nan) + 0 * o.key_total)

    return aligned.map(formula, "nearest_distance", ("key",))
