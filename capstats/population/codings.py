"""Small cells that exact counts disclose if they are published under two codings of the key.

The hard part is to find the cells that two margins determine, by Gusfield's theorem on a graph with an arc for each change of a cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from capstats.codes.checks import check_integer, shown
from capstats.codes.labels import canonical
from capstats.codes.names import check_named, hint_of_data
from capstats.tables.aligned import Aligned
from capstats.tables.axes import UNLABELLED, names_of
from capstats.tables.checking import check_unweighted
from capstats.tables.table import Array, Counts, Index

COUNTED = "people are counted"
Coding = Mapping[str, Mapping[Any, Any] | None]


def differencing(o: Counts, a: Coding, b: Coding, *, k: int) -> pd.DataFrame:
    """The small cells that two exact tables of the same records give away together, and neither does alone.

    Each table is safe, but the people who are in an age group of one and not in that of the other are counted by their difference.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key)
        Counts of the records, one table. Its keys, those without records too, are all that the intruder holds possible.
    a, b : mapping of key column to mapping of level to label, or to None
        The two codings under which o is published: columns, under their stored names ("key_" without labels), with the labels that replace
        their levels, as in ``{"age": {18: "18-19", 19: "18-19"}}``. Levels and columns that are not named stay as they are; with None a
        column is left out.
    k : int
        Greatest number of records of a cell that is to be kept secret, 0 or more.

    Returns
    -------
    DataFrame
        One row for each cell given away: ``target``, the labels ``a`` and ``b`` of its records under the two codings (tuples where several
        columns are coded), and ``records``, its count. A count of 0 means that no one is there.

    Raises
    ------
    ValueError, TypeError
        If `o` is not a table of counts (the cell is named), has fractional counts or sampling weights, or is more than one table; if `a` or
        `b` is no such mapping, names a column that `o` lacks, or names none of the levels of a column.

    See Also
    --------
    capstats.screening.rank_merges

    Notes
    -----
    See theory/population.md#differencing. The tables hold, for each target, the exact number of records of each label. A cell is given away
    if every table of non-negative integers that agrees with both publications has the same number there, at most `k`, and some table that
    agrees with one of them alone has another one. Rounded, noisy and synthetic tables are out of scope: they are no exact counts.

    References
    ----------
    Gusfield (1988), "A graph theoretic approach to statistical data security", SIAM Journal on Computing 17, 552-571.

    Examples
    --------
    Counts of three ages are published with the first two together, and with the last two together. Of the six people of the first target
    in the first two ages, five have the first age, so one has the second:

    >>> young, old = {0: "18-19", 1: "18-19", 2: "20"}, {0: "18", 1: "19-20", 2: "19-20"}
    >>> differencing([[5, 1, 7], [3, 2, 4]], {"key_": young}, {"key_": old}, k=1)
      target      a      b  records
    0      0  18-19  19-20        1
    """
    check_integer(k, "k", "a number of records, an integer of 0 or more", least=0)
    check_unweighted(COUNTED, o=o)
    aligned = Aligned({"o": o})
    if not aligned.whole["o"]:
        raise ValueError(f"`o` must hold integers: {COUNTED}; got fractional counts. Count without weights.")
    if aligned.shape:
        raise ValueError(f"`o` must be one table; got dim {aligned.dims[0]!r}. Choose one, such as o.isel({aligned.dims[0]}=0).")
    (labels_a, of_a), (labels_b, of_b) = _coded(aligned, "a", a), _coded(aligned, "b", b)
    cells, cell = np.unique(of_a * len(labels_b) + of_b, return_inverse=True)
    left, right = np.divmod(cells, len(labels_b))
    counts = aligned.map(lambda o: o.by_level(cell, len(cells)), "o", ("target", "cell")).values
    alone = _by_one(counts, left) | _by_one(counts, right)
    given = np.array([_by_both(x, left, right) for x in counts]) & ~alone & (counts <= k)
    target, place = np.nonzero(given)
    targets = _together(list(_columns(aligned, "target").values()), len(counts))
    found = {
        "target": [targets[i] for i in target],
        "a": [labels_a[i] for i in left[place]],
        "b": [labels_b[i] for i in right[place]],
    }
    return pd.DataFrame({name: pd.Series(labels, dtype=object) for name, labels in found.items()} | {"records": counts[given]})


# --- which cells are determined ---------------------------------------------------------------------------------------


def _by_one(counts: Array, group: Index) -> Array:
    """Whether the total of its group determines a cell: it is the only cell of the group, or all of them are empty."""
    single = np.bincount(group)[group] == 1
    totals = np.array([np.bincount(group, x)[group] for x in counts])
    return np.asarray(single | (totals == 0))


def _by_both(x: Array, left: Index, right: Index) -> Array:
    """Whether the totals of its left and of its right group determine a cell, which is an edge between the two.

    An arc from left to right adds 1 to a cell; one from right to left takes 1 from a cell that has records. Tables with the same totals
    differ by closed paths. So a cell may change if and only if it is on one that is more than forth and back.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    u, v, nodes = left, left.max() + 1 + right, int(left.max() + right.max() + 2)
    start, end = np.concatenate([u, v[x > 0]]), np.concatenate([v, u[x > 0]])
    arcs = coo_array((np.ones(len(start)), (start, end)), shape=(nodes, nodes))
    _, part = connected_components(arcs, connection="strong")
    fixed = part[u] != part[v]
    within = np.flatnonzero(~fixed)
    fixed[within] = _bridges(u[within], v[within], nodes) & (x[within] > 0)
    return np.asarray(fixed)


def _bridges(u: Index, v: Index, nodes: int) -> Array:
    """Whether an edge is the only connection of its ends.

    It is one to the parent of a node in a spanning tree, and no other edge leaves the node's subtree. Bit r of ``leaving`` says whether the
    r-th edge that is not in the tree does.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import breadth_first_order, connected_components

    _, part = connected_components(coo_array((np.ones(len(u)), (u, v)), shape=(nodes, nodes)), directed=False)
    roots = np.unique(part, return_index=True)[1]
    start, end = np.concatenate([u, np.full(len(roots), nodes)]), np.concatenate([v, roots])  # a node above all roots
    edges = coo_array((np.ones(len(start)), (start, end)), shape=(nodes + 1, nodes + 1)).tocsr()
    order, parent = breadth_first_order(edges, nodes, directed=False)
    child = np.where(parent[u] == v, u, np.where(parent[v] == u, v, -1))
    leaving = [0] * (nodes + 1)
    for bit, edge in enumerate(np.flatnonzero(child < 0).tolist()):
        for node in (u[edge], v[edge]):
            leaving[node] ^= 1 << bit
    for node in order[:0:-1].tolist():
        leaving[parent[node]] ^= leaving[node]
    return np.asarray((child >= 0) & (np.array(leaving, dtype=object) == 0)[child])


# --- codings ----------------------------------------------------------------------------------------------------------


def _columns(aligned: Aligned, dim: str) -> dict[str, list[Any]]:
    """The labels of each place of a dim, by column."""
    axis = aligned.axes[dim]
    if axis is None:
        return {UNLABELLED[dim]: list(range(aligned.sizes[dim]))}
    labels = [list(map(canonical, level)) for level in axis.levels]
    return {name: [level[i] for i in code] for name, level, code in zip(names_of(axis), labels, axis.codes, strict=True)}


def _together(columns: Sequence[Sequence[Any]], length: int) -> list[Any]:
    """The labels of several columns as tuples, those of one column as they are."""
    return list(columns[0]) if len(columns) == 1 else list(zip(*columns, strict=True)) if columns else [()] * length


def _coded(aligned: Aligned, name: str, coding: Any) -> tuple[list[Any], Index]:
    """The distinct labels of the keys under a coding, in order of appearance, and the index of each key's label."""
    columns = _columns(aligned, "key")
    if not isinstance(coding, Mapping) or not all(of is None or isinstance(of, Mapping) for of in coding.values()):
        raise TypeError(f"`{name}` must map columns to mappings of level to label, or to None; got {shown(coding)}.")
    check_named(name, coding, columns, "no key column")
    coded = []
    for column, levels in columns.items():
        if column not in coding:
            coded.append(levels)
        elif coding[column] is not None:
            labels = {canonical(level): canonical(label) for level, label in coding[column].items()}
            if not labels.keys() & set(levels):
                near = hint_of_data(next(iter(labels), None), dict.fromkeys(levels), "level")
                raise ValueError(f"`{name}` names no level that column {column!r} has.{near}")
            coded.append([labels.get(level, level) for level in levels])
    keys = _together(coded, aligned.sizes["key"])
    places = {key: place for place, key in enumerate(dict.fromkeys(keys))}
    return list(places), np.array([places[key] for key in keys])
