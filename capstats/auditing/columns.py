"""Average CAP by key column: of each alone, of all others, of the groups that it makes, and of a release without it or with it coarser."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from capstats.auditing.measures import OnScale
from capstats.cap.average import average_cap
from capstats.cap.contributions import leave_one_out, shapley
from capstats.cap.neighbours import rows_used
from capstats.codes.column import Places, in_order, one_kind
from capstats.codes.labels import canonicals
from capstats.counting.lattice import Columns, Lattice
from capstats.tables.aligned import Aligned
from capstats.tables.axes import multi_index
from capstats.tables.printing import Result
from capstats.tables.sums import attribution
from capstats.tables.table import Floats, Table, ratio
from capstats.tables.ties import at_most

MOST_COLUMNS = 6  # key columns of which all subsets are computed
MOST_CELLS = 1 << 25  # cells of the tables of all of these subsets together, at most


class Group(NamedTuple):
    """The people with one level of a key column."""

    column: str
    level: Any
    people: float  # records
    with_release: float  # their average CAP, unmatched keys using the nearest
    above_nine_tenths: float  # how many of them are guessed right with probability above 0.9
    above: float  # by how much the release makes them easier to guess than by the target's frequencies


def by_group(tables: xr.Dataset, s: xr.DataArray, unmatched: OnScale) -> list[Group]:
    """The groups that each key column makes of the original people, without those that nobody is in."""

    def formula(o: Table, s: Table, records: Table) -> Floats:
        read, s_j = rows_of(o, s)
        n, q = o.values, attribution(read, s_j, 0.0).values
        parts = [n + 0 * q, n * q, n * o.on_targets(ratio(o.target_total, o.total[..., None], 0.0)) + 0 * q]
        counted = [records.like(records.values * of).key_total for of in (np.ones_like(q), ~at_most(q, 0.9))]
        return np.stack([*(o.like(part).key_total for part in parts), *counted], axis=-2).astype(np.float64)

    o = tables.o
    aligned = Aligned({"o": o, "s": s, "records": tables.get("o_records", o)})
    rows_of = rows_used(aligned, unmatched)
    weight, right, without, people, above = aligned.map(formula, "by_group", ("part", "key")).values
    axis = aligned.axes["key"]
    if axis is None:
        return []
    found = []
    for name, codes, levels in zip(tables.attrs["key_columns"], axis.codes, axis.levels, strict=True):
        sums = [np.bincount(codes, part, len(levels)) for part in (weight, right, without, people, above)]
        guessed, guessed_without = (ratio(part, sums[0], np.nan) for part in sums[1:3])
        parts = (sums[3], guessed, sums[4], guessed - guessed_without)
        rows = zip(levels, *(part.tolist() for part in parts), strict=True)
        found += [Group(name, *row) for row in rows if row[1] > 0]
    return found


def by_column(tables: xr.Dataset, unmatched: OnScale, average: xr.DataArray) -> xr.Dataset:
    """Average CAP by key column: of it alone, of all but it, what it adds to the others, and its Shapley value; as `sweep` has them.

    ``average`` is that of all key columns. Dims ``key_column`` and, where there are several synthetic tables, ``synthetic``. ``shapley`` is
    there for few columns and tables.
    """
    from capstats.screening.formulas import values_of

    lattice = Lattice.of_tables(tables)
    k = len(lattice.names)
    cells = tables.o.size + tables.s.size
    sizes = range(k) if k <= MOST_COLUMNS and cells << k <= MOST_CELLS else {0, 1, k - 1} - {k}
    everything = tuple(range(k))
    values: dict[Columns, Floats] = {everything: average.values}
    for keyset in lattice.walk(sizes):
        values[keyset.columns] = values_of(lattice, keyset, {"average_cap": "average_cap"}, unmatched)[0, 0]
    found = {
        "alone": np.stack([values[(c,)] for c in everything]),
        "without": np.stack([values[everything[:c] + everything[c + 1 :]] for c in everything]),
        "leave_one_out": leave_one_out(values, k),
        "shapley": shapley(values, k),
    }
    own = tables.attrs["key_columns"]
    coords: dict[str, Any] = {"key_column": own if len(set(own)) == k else lattice.names}
    if lattice.synthetic is not None:
        coords["synthetic"] = lattice.synthetic
    dims = ("key_column", "synthetic")[: len(coords)]
    variables = {name: (dims, shares) for name, shares in found.items() if shares is not None}
    return Result(variables, coords, {"result": "Average CAP by key column", "unmatched": unmatched})


class Change(NamedTuple):
    """A key column of a release that is left out or coarser."""

    column: str
    levels: int  # that are left of it, or 0
    average_cap: float  # unmatched keys using the nearest


def changes(tables: xr.Dataset, s: xr.DataArray, unmatched: OnScale) -> list[Change]:
    """Average CAP of a release without each key column, and with each in half as many levels.

    Levels of numbers, dates, bins and categories are joined in pairs of neighbours; of others the rarest half are joined into one.
    """
    lattice = Lattice.of_tables(Result({"o": tables.o, "s": s}, attrs=tables.attrs))
    k, o_j = len(lattice.names), Aligned({"o": tables.o}).map(lambda o: o.key_total, "records", ("key",)).values
    coarser = [_halved(tables, name, i, lattice.key, o_j) for i, name in enumerate(lattice.names)]
    key = multi_index(
        [*map(np.asarray, lattice.key.codes), *(places[codes] for places, codes in zip(coarser, lattice.key.codes, strict=True))],
        [*map(list, lattice.key.levels), *(range(places.max() + 1) for places in coarser)],
        names := [*lattice.names, *(f"coarser {i}" for i in range(k))],
    )
    wide = replace(lattice, key=key, names=names)
    found = []
    for i, name in enumerate(tables.attrs["key_columns"]):
        others, left = [c for c in range(k) if c != i], int(coarser[i].max()) + 1
        for columns, levels in ((others, 0), ([*others, k + i], left)):
            if columns and levels not in (1, len(coarser[i])):
                pair = wide.pair(wide.only(tuple(columns)), 0, labelled=True)
                found.append(Change(name, levels, average_cap(*pair, unmatched=unmatched).item()))
    return found


def _halved(tables: xr.Dataset, name: str, i: int, key: pd.MultiIndex, o_j: Floats) -> Places:
    """To which of half as many levels each level of a key column belongs."""
    labels, codes = canonicals(key.levels[i]), np.asarray(key.codes[i])
    n, categories = len(labels), tables.attrs.get("categories", {}).get(name)
    kind = one_kind(labels, name, "original", typed=False)
    ordered = categories is not None or name in tables.attrs.get("bins", {}) or kind not in ("text", "bool")
    wanted = in_order(labels, kind) if categories is None and kind not in ("text", "other") else categories or labels
    place = {label: at for at, label in enumerate(wanted)}
    order = sorted(range(n), key=lambda code: place.get(labels[code], n))
    rank = np.argsort(order)
    if ordered:
        return np.asarray(rank // 2)
    common = np.bincount(codes, o_j, n)[order]
    return np.minimum(np.argsort(np.argsort(-common, kind="stable"))[rank], (n + 1) // 2 - 1)
