"""The two axes of a table: how keys and targets are labelled, and how axes with different labels are joined.

An axis is a pandas MultiIndex, one level a column, whose levels are in the order of the column's labels. Labels decide which
cells belong together, never positions; all matching is done on integer codes.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence, Sized
from typing import Any, TypeVar

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from xarray.indexes import PandasIndex, PandasMultiIndex

from capstats.codes.column import Column, Ints, Places, in_order, joint_labels, one_kind, union
from capstats.codes.labels import MISSING, Kind, Label, canonical, canonicals

Held = xr.DataArray | xr.Variable  # a table as formulas take it: a Variable has no labels
Labelled = TypeVar("Labelled", xr.DataArray, xr.Dataset)
TOLD = 5  # columns with labels of different kinds that are told of at once
UNLABELLED = {"key": "key_", "target": "target"}  # the name of the only column where none was given

# Reserved names: dims, variables and arguments of tables and results, which a column or level of that name would hide.
_RESERVED = (
    "o s h key target original synthetic holdout draw keyset quantile at radius distance tau reason least greatest average_cap change "
    "individual_cap nearest_distance minimal_cells prosecutor_risk individual_risk "
    "o_records o_squares s_records s_squares h_records h_squares "
    "records synthetic_records matched share certain original_certain correct cap disclosed unique replicated "  # of keys
    "o_counted o_excluded o_report s_counted s_excluded s_report flagged column label "  # of cells
    "lower_whisker lower_quartile median upper_quartile upper_whisker average original_cap individual "  # of boxes
    "average_rank baseline_cap outlier outliers outlier_records "
    "msu msu_size known key_column column_level suda_score contribution contribution_share column_contribution column_share "  # of uniques
    "level_contribution file_dis dis_suda "
    "indexers method tolerance drop missing_dims"  # arguments of `sel`
)
RESERVED = frozenset(_RESERVED.split())


def multi_index(codes: Iterable[Ints], labels: Iterable[Sequence[Label] | Places], names: Iterable[Hashable]) -> pd.MultiIndex:
    """Rows of codes as a MultiIndex whose levels keep the order of their labels."""
    levels: list[Any] = [level_index(x) for x in labels]  # the stubs of pandas know no index as a level, no array as codes
    places: list[Any] = list(codes)
    return pd.MultiIndex(levels=levels, codes=places, names=list(names), verify_integrity=False)


def level_index(labels: Sequence[Label] | NDArray[np.int64]) -> pd.Index:
    """Labels as an index: int64, uint64, float64, bool or datetime64 (without zone) where they fit without loss, else objects."""
    if isinstance(labels, np.ndarray):
        return pd.Index(labels)
    kinds = {type(x) for x in labels}
    dtype: Any = object
    if kinds == {bool}:
        dtype = bool
    elif kinds == {int} and all(-(2**63) <= x < 2**63 for x in labels):
        dtype = np.int64
    elif kinds == {int} and all(0 <= x < 2**64 for x in labels):
        dtype = np.uint64
    elif kinds <= {int, float} and kinds and all(isinstance(x, float) or _is_float(x) for x in labels):
        dtype = np.float64
    elif kinds == {pd.Timestamp} and labels[0].tzinfo is None:
        dtype = "datetime64[ns]" if any(x.nanosecond for x in labels) else "datetime64[us]"
        labels = [x.to_datetime64() for x in labels]
    values = np.fromiter(labels, dtype, len(labels))  # one by one: a label may be a tuple
    index: pd.Index = pd.Index(values, dtype=dtype)
    return index


def _is_float(x: int) -> bool:
    """Whether a 64-bit float holds an integer exactly."""
    return abs(x) <= sys.float_info.max and x == float(x)


def free_name(column: Hashable, taken: Iterable[Hashable]) -> str:
    """The name under which a column is stored: its own, or with a trailing ``_``, more until it is free and no name of unlabelled keys."""
    taken = set(taken)
    name = column if isinstance(column, str) else f"{column}_"
    while not name or name in RESERVED or name in taken or name == UNLABELLED["key"] != column:
        name += "_"
    return name


def stored_names(keys: Sequence[Hashable], targets: Sequence[Hashable]) -> list[str]:
    """The names under which the columns of a table are stored, keys first; an only target keeps its own."""
    columns, stored = [*keys, *targets], list[str]()
    for column in columns:
        own = [column] == [*targets] and str(column) not in stored
        taken = [UNLABELLED["key"], *stored, *(c for c in columns if c != column)]
        stored.append(str(column) if own else free_name(column, taken))
    return stored


def names_of(axis: pd.MultiIndex) -> list[str]:
    """The columns of an axis."""
    return [str(name) for name in axis.names]


def columns_of(array: Held, dim: str) -> list[str] | None:
    """The columns of a dim that has labels."""
    axis = axis_of(array, dim)
    return None if axis is None else names_of(axis)


def shown(axis: pd.MultiIndex) -> pd.MultiIndex:
    """The axis without unused labels, in the narrowest types for the others."""
    axis = axis.remove_unused_levels()
    return multi_index(map(np.asarray, axis.codes), list(map(canonicals, axis.levels)), names_of(axis))


def coords_of(dim: str, axis: pd.MultiIndex) -> xr.Coordinates:
    """Coordinates for a dim: always a MultiIndex for ``key``; for ``target`` a plain index unless it has several columns."""
    return coords_of_all({dim: axis})


def coords_of_all(axes: Mapping[str, pd.MultiIndex]) -> xr.Coordinates:
    """The same for several dims, made at once: to merge coordinates of xarray takes twice as long."""
    variables: dict[Hashable, Any] = {}
    indexes: dict[Hashable, xr.Index] = {}
    for dim, axis in axes.items():
        plain = dim == "target" and axis.nlevels == 1
        index = PandasIndex(axis.levels[0].take(axis.codes[0]).rename(dim), dim) if plain else PandasMultiIndex(axis, dim)
        own = index.create_variables()
        if plain:
            own[dim].attrs["long_name"] = axis.names[0]
        variables |= own
        indexes |= dict.fromkeys(own, index)
    return xr.Coordinates(variables, indexes)


def axis_of(array: Held, dim: str) -> pd.MultiIndex | None:
    """The axis that an array carries for a dim, or None where it carries no labels."""
    index = index_of(array, dim)
    if index is None or isinstance(array, xr.Variable):
        return None
    if isinstance(index, pd.MultiIndex):
        return _with_missing(index)
    if index.is_unique and not index.hasnans:
        levels: list[Any] = [index]
        names = _stored([array.coords[dim].attrs.get("long_name")], dim)
        return pd.MultiIndex(levels=levels, codes=[range(len(index))], names=names, verify_integrity=False)
    return axis_from(index.rename(array.coords[dim].attrs.get("long_name")), len(index), dim, f"`{array.name}`")


def _with_missing(axis: pd.MultiIndex) -> pd.MultiIndex:
    """The axis with a label for missing values, for which pandas itself has no label."""
    codes = [np.asarray(places) for places in axis.codes]
    if all(places.min(initial=0) == 0 for places in codes):
        return axis
    levels = [[*canonicals(level), MISSING] for level in axis.levels]
    return multi_index([np.where(p < 0, len(level) - 1, p) for p, level in zip(codes, levels, strict=True)], levels, names_of(axis))


def index_of(array: Held, dim: str) -> pd.Index | None:
    """The index of a dim, or None where it has no labels; looked up alone, which is quicker than ``array.indexes``."""
    if isinstance(array, xr.Variable):
        return None
    index = array.xindexes.get(dim)
    return None if index is None else index.to_pandas_index()


def indexed(held: Labelled, dims: Iterable[str]) -> Labelled:
    """The same with an index along each dim whose labels have none, as after ``reset_index`` or through a file of another format."""
    for dim in dims:
        if dim in held.dims and dim not in held.xindexes:
            columns = {str(name): array for name, array in held.coords.items() if array.dims == (dim,)}
            if dim in columns:
                held = held.drop_indexes([name for name in columns if name in held.xindexes]).set_xindex(dim)
            elif columns:
                axis = pd.MultiIndex.from_arrays([array.to_index() for array in columns.values()], names=list(columns))
                held = held.drop_vars(list(columns)).assign_coords(coords_of(dim, _with_missing(axis)))
    return held


def alike(a: Held, b: Held, dim: str) -> bool:
    """Whether two arrays carry the same labels, with order, names and kinds; pandas compares neither names nor kinds."""
    x, y = index_of(a, dim), index_of(b, dim)
    if x is y or isinstance(a, xr.Variable) or isinstance(b, xr.Variable) or x is None or y is None:
        return x is y
    return bool(x.equals(y)) and _names_and_kinds(x, a, dim) == _names_and_kinds(y, b, dim)


def _names_and_kinds(index: pd.Index, array: xr.DataArray, dim: str) -> list[tuple[Hashable, Kind | None]]:
    columns = {array.coords[dim].attrs.get("long_name"): index}
    if isinstance(index, pd.MultiIndex):
        columns = dict(zip(index.names, index.levels, strict=True))
    return [(name, one_kind(map(canonical, level[:1]), dim, "an index")) for name, level in columns.items()]


def labels_of(array: Held, dims: Iterable[str], name: str) -> dict[str, pd.Index]:
    """The indexes of those of the dims that have one; raise where a label occurs twice."""
    found = {dim: index for dim in dims if (index := index_of(array, dim)) is not None}
    for dim, index in found.items():
        if not index.is_unique:
            raise ValueError(f"`{name}` has the {dim} {index[index.duplicated()][0]!r} twice. Labels must be distinct.")
    return found


def axis_from(labels: Any, size: int, dim: str, place: str) -> pd.MultiIndex:
    """An axis from labels in any form: a list of labels or of tuples, a mapping {column: labels}, or an index."""
    rows, names = _rows_and_names(labels, place)
    if len(rows) != size:
        raise ValueError(f"{place}: {len(rows)} labels for {size} {dim}s. Give one label for each.")
    if any(len(row) != len(names) for row in rows):
        raise ValueError(f"{place}: labels must be tuples of one length; got {rows[:3]}.")
    rows = [tuple(map(canonical, row)) for row in rows]
    try:
        times = Counter(rows)
    except Exception as error:  # whatever the hash of a label raises
        raise TypeError(f"{place}: {error}. Give each label as one scalar, or as a tuple with one scalar a column.") from error
    if len(times) < len(rows):
        twice = max(times, key=lambda row: times[row])
        raise ValueError(f"{place}: label {twice if len(twice) > 1 else twice[0]!r} occurs twice. Labels must be distinct.")
    stored = _stored(names, dim)
    codes, levels = [], []
    for name, column in zip(stored, zip(*rows, strict=True), strict=True):
        one_kind(column, name, place.strip("`"), typed=False)
        level = sorted(dict.fromkeys(column), key=lambda x: x is MISSING)
        at = {x: i for i, x in enumerate(level)}
        codes.append(np.array([at[x] for x in column]))
        levels.append(level)
    return multi_index(codes, levels, stored)


def original_names(labels: Any, dim: str) -> dict[str, str]:
    """What the columns of labels in any form were called, by the names under which they are stored, where the two differ."""
    _, names = _rows_and_names(labels, "")
    return {new: str(old) for new, old in zip(_stored(names, dim), names, strict=True) if old is not None and new != old}


def _rows_and_names(labels: Any, place: str) -> tuple[list[tuple[Any, ...]], list[Any]]:
    if isinstance(labels, pd.MultiIndex):
        return list(labels), list(labels.names)
    if isinstance(labels, Mapping):
        lengths = {str(name): len(column) if isinstance(column, Sized) else 1 for name, column in labels.items()}
        if len(set(lengths.values())) != 1 or not all(map(_is_list, labels.values())):
            raise ValueError(f"{place}: give a list of labels for every column, all of one length, at least one column; got {lengths}.")
        return list(zip(*labels.values(), strict=True)), list(labels)
    if not _is_list(labels):
        raise TypeError(
            f"{place} must be a list of labels, a list of tuples, a mapping {{column: labels}} or an index; got {type(labels).__name__}."
        )
    rows = [x if isinstance(x, tuple) else (x,) for x in labels]
    if rows and len(rows[0]) == 1:
        return rows, [getattr(labels, "name", None)]
    return rows, [None] * len(rows[0] if rows else ())


def _is_list(labels: Any) -> bool:
    """Whether it holds labels in an order of its own, and is not itself a label."""
    return isinstance(labels, Collection) and not isinstance(labels, (str, bytes, set, frozenset, Mapping, pd.DataFrame))


def _stored(names: Sequence[Any], dim: str) -> list[str]:
    if len(names) == 1 and names[0] in (None, dim):
        return [UNLABELLED[dim]]
    if len(names) == 1 and dim == "target":
        return [str(names[0])]  # it names no coordinate, so it can hide nothing
    stored: list[str] = []
    for i, name in enumerate(names):
        others = [x for j, x in enumerate(names) if j != i]
        stored.append(free_name(f"{dim}_{i}" if name is None else name, [*stored, *others]))
    return stored


def join(
    axes: Sequence[pd.MultiIndex], tables: Sequence[str], orders: Mapping[str, Sequence[Label]] | None = None
) -> tuple[pd.MultiIndex, list[Places]]:
    """The union of axes over the same columns, in order, and the places of the entries of each in it.

    ``orders`` has the category order of columns that have one. Without it the order that the axes show is taken for one, the
    first axis's before the next one's, unless all show the natural order.
    """
    naming = next((i for i, axis in enumerate(axes) if not _unnamed(axis)), 0)
    names = names_of(axes[naming])
    for axis, table in zip(axes, tables, strict=True):
        if sorted(names_of(axis)) != sorted(names) and not (_unnamed(axis) and len(names) == 1):
            raise ValueError(f"`{tables[naming]}` is labelled by {names}, `{table}` by {names_of(axis)}: label them alike.")
    axes = [axis if axis.nlevels == 1 else axis.reorder_levels(names) for axis in axes]
    rows = [_columns(axis) for axis in axes]
    for name, columns in zip(names, zip(*rows, strict=True), strict=True):
        if name not in (orders or {}) and not all(_is_natural(column.labels, name) for column in columns):
            for column in columns:
                column.ordered = True
    return join_columns(rows, names, tables, orders)


def _unnamed(axis: pd.MultiIndex) -> bool:
    return axis.nlevels == 1 and axis.names[0] in UNLABELLED.values()


def _columns(axis: pd.MultiIndex) -> list[Column]:
    return [Column(np.asarray(codes), canonicals(level)) for codes, level in zip(axis.codes, axis.levels, strict=True)]


def _is_natural(labels: Sequence[Label], name: str) -> bool:
    return labels == in_order(labels, one_kind(labels, name, "an index"))


def join_columns(
    rows: Sequence[Sequence[Column]], names: Sequence[Hashable], tables: Sequence[str], orders: Mapping[str, Sequence[Label]] | None = None
) -> tuple[pd.MultiIndex, list[Places]]:
    """The same for rows given as columns of codes, one list of columns a table."""
    labels, codes, apart = [], [], list[str]()
    for name, columns in zip(names, zip(*rows, strict=True), strict=True):
        try:
            joint, maps = joint_labels(columns, name, tables, (orders or {}).get(str(name), ()))
        except TypeError as error:  # all such columns are told at once
            apart.append(str(error))
            continue
        labels.append(joint)
        same = [(to_joint == np.arange(len(to_joint))).all() for to_joint in maps]
        own = [c.codes - c.first for c in columns]
        codes.append([c if s else to_joint[c] for s, to_joint, c in zip(same, maps, own, strict=True)])
    if apart:
        raise TypeError(" ".join(apart[:TOLD]))
    distinct, positions = union(list(zip(*codes, strict=True)), [len(x) for x in labels])
    return multi_index(distinct, labels, names), positions
