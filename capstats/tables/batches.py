"""How a formula meets its tables: checked, aligned, broadcast over every other dim, and computed in blocks that stay in cache."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.labels import canonical
from capstats.sources.door import is_frame
from capstats.tables.axes import align, coords_of, index_of
from capstats.tables.backing import Index, Stored, assembled, coo, filled, is_sparse, on_union, placed
from capstats.tables.primitives import EXACT, Array, Cells, total

BLOCK = 240_000  # cells computed at a time
LEAST = 1e-100  # the least weight: the product of two smaller ones may be 0 as a float
MANY = 16  # pieces from which threads pay

Core = Sequence[str]
CELLS: Core = ("target", "key")


# --- one table, checked -----------------------------------------------------------------------------------------------


def as_counts(table: Any, name: str, core: Core = CELLS) -> xr.DataArray:
    """A table of counts as a DataArray whose last dims are ``core``, checked cell by cell; integers wherever all are whole."""
    array = _as_table(table, name, core)
    if array.dtype.kind == "i":
        _check_range(array, name, len(core))
    return array


def weights_of(table: Any) -> str | None:
    """The column of sampling weights whose sums a table holds; None where it holds counts."""
    return table.attrs.get("weights") if isinstance(table, xr.DataArray) else None


def _as_table(table: Any, name: str, core: Core, exact: bool = True) -> xr.DataArray:
    """The same, with integers still to be checked for their range; floats of any size where sums need not be ``exact``."""
    if table is None:
        raise TypeError(f"`{name}` is None; give a table of counts, with one row a target and one column a key.")
    if isinstance(table, xr.Dataset):
        table = "o_squares" if "squares" in name else name[0] if name[0] in "osh" else "o"
        raise TypeError(f"`{name}` is a Dataset; give one of its tables, such as tables.{table}.")
    if not isinstance(table, xr.DataArray):
        if is_frame(table):
            raise TypeError(
                f"`{name}` is a {type(table).__name__}. For records use capstats.tabulate; for a table of counts capstats.from_counts."
            )
        table = nested(table, name, core)
    elif not isinstance(table.variable.data, np.ndarray) and not hasattr(table.variable.data, "coords"):
        raise TypeError(
            f"`{name}` must hold a numpy array or a sparse.COO; it holds {type(table.variable.data).__module__}."
            f"{type(table.variable.data).__name__}. Convert it, as with .compute() of a dask array."
        )
    lacking = [dim for dim in core if dim not in table.dims]
    if lacking:
        raise ValueError(
            f"`{name}` has dims {tuple(map(str, table.dims))} and lacks {', '.join(map(repr, lacking))}: "
            f"rename its dims; rows are targets and columns are keys."
        )
    if not table.size:
        sizes = ", ".join(f"{size} {dim}s" for dim, size in table.sizes.items())
        raise ValueError(f"`{name}` is empty: it has {sizes}. Give at least one of each.")
    for dim in core:
        index = index_of(table, dim)
        if index is not None and not index.is_unique:
            raise ValueError(f"`{name}` has the {dim} {index[index.duplicated()][0]!r} twice. Labels must be distinct.")
    if core != CELLS and is_sparse(table.variable.data):
        table = table.copy(data=table.variable.data.todense())
    if table.dims[-len(core) :] != tuple(core):
        table = table.transpose(..., *core)
    values = table.variable.data.data if is_sparse(table.variable.data) else table.values
    counts = _integers(table, values, name, exact)
    if counts is not values:
        table = table.copy(data=coo(table.variable.data.coords, counts, table.shape) if is_sparse(table.variable.data) else counts)
    checked: xr.DataArray = table
    return checked


def nested(table: Any, name: str, core: Core = CELLS) -> xr.DataArray:
    """A table given as an array or as nested lists, one list a target."""
    if np.ma.is_masked(table):
        raise TypeError(f"`{name}` has masked cells, which are no counts. Fill them, as with .filled(0).")
    if hasattr(table, "todense"):
        raise TypeError(f'`{name}` is {type(table).__name__}; give an array, or xr.DataArray(sparse.COO(...), dims=("target", "key")).')
    try:
        values = np.asarray(table)
    except ValueError as error:
        raise ValueError(f"`{name}` has rows of different lengths. Give one row a target, with one count a key.") from error
    if values.ndim not in (len(core), len(core) + 1):
        raise ValueError(
            f"`{name}` has {values.ndim} dimensions; give ({', '.join(core)}), or (draw, {', '.join(core)}) for many tables at once, "
            f"or a DataArray with named dims."
        )
    return xr.DataArray(values, dims=("draw", *core)[-values.ndim :], name=name)


def _integers(table: xr.DataArray, values: Array, name: str, exact: bool) -> Array:
    """Counts as int64; weights as float64 where some are fractional; all as float64 where sums need not be ``exact``."""
    if values.dtype.kind not in "biuf":
        raise TypeError(f"`{name}` must hold numbers; got dtype {values.dtype}.")
    if exact and values.dtype == np.uint64 and values.max(initial=0) >= EXACT:
        raise ValueError(_refusal(table, name))
    if values.dtype.kind == "f" or not exact:
        values = values.astype(np.float64, copy=False)
        least = values.min(initial=1, where=values > 0) if exact else 1
        if not (values.min(initial=0) >= 0 and values.max(initial=0) < (EXACT if exact else np.inf) and least >= LEAST):
            raise ValueError(_refusal(table, name))
        if not exact or (values != np.floor(values)).any():
            return values
    return values.astype(np.int64, copy=False)


def _check_range(array: xr.DataArray, name: str, core: int) -> None:
    if not (in_range(array.variable.data.data, 1) if is_sparse(array.variable.data) else in_range(array.values, core)):
        raise ValueError(_refusal(array, name))


def in_range(counts: np.ndarray, core: int = 2) -> bool:
    """Whether all integers are from 0 to below 2**53, and so is the total of each table: then every sum is exact."""
    bits = int(np.bitwise_or.reduce(counts, axis=None, initial=0))  # negative, or large, where any of them is
    if not 0 <= bits < EXACT:
        return False
    per_table = math.prod(counts.shape[-core:])
    return bits * per_table < EXACT or bool((counts.sum(tuple(range(-core, 0)), dtype=np.float64) < EXACT).all())


def _refusal(table: xr.DataArray, name: str) -> str:
    coords, values = filled(table.variable.data, name) if is_sparse(table.variable.data) else (None, table.values)
    broken = {
        "finite": ~np.isfinite(values),
        "non-negative": values < 0,
        "below 2**53, to be exact": values >= EXACT,
        f"0 or at least {LEAST:g}, so that no product of two counts is lost": (values > 0) & (values < LEAST),
    }
    for rule, wrong in broken.items():
        if wrong.any():
            first = int(np.argmax(wrong))
            place = np.unravel_index(first, values.shape) if coords is None else tuple(row[first] for row in coords)
            return (
                f"`{name}` must be {rule}; got {values.ravel()[first]} at {_cell(table, place)}. Mend that cell, or the records behind it."
            )
    return f"`{name}` must hold fewer than 2**53 records in all, to be exact. Scale its weights down."


def _cell(table: xr.DataArray, place: Sequence[Any]) -> str:
    """The labels of a cell, as an error message names it."""
    parts = []
    for dim, i in reversed(list(zip(table.dims, place, strict=True))):
        index = index_of(table, str(dim))
        label = int(i) if index is None else index[i]
        names = tuple(map(canonical, label)) if isinstance(label, tuple) else (canonical(label),)
        parts.append(f"{dim}={names if len(names) > 1 else names[0]!r}")
    return ", ".join(parts)


def same_or_span(records: Array) -> Any:
    """Numbers of records for the attrs of a result: one number where all tables have as many, else the least and the greatest."""
    ends = [int(x) if x == int(x) else float(x) for x in (np.min(records), np.max(records))]
    return ends[0] if ends[0] == ends[1] else ends


# --- a formula over tables --------------------------------------------------------------------------------------------


class Aligned:
    """Tables with the same cells in the same places, as arrays whose other dims broadcast against each other.

    Those named in ``inexact`` are sums of floats, such as squared weights; all others are counts or weights, which sum exactly.
    """

    def __init__(self, tables: Mapping[str, Any], core: Mapping[str, Core] | None = None, inexact: Collection[str] = ()):
        cores = {name: (core or {}).get(name, CELLS) for name in tables}
        arrays = {name: _as_table(table, name, cores[name], name not in inexact) for name, table in tables.items()}
        self.sparse = any(is_sparse(array.variable.data) for array in arrays.values())
        self.large: dict[str, xr.DataArray] = {}  # checked while they are computed on, when they are in cache anyway
        for name, array in arrays.items():
            if array.dtype.kind == "i" and not self.sparse and array.size > BLOCK:
                self.large[name] = array
            elif array.dtype.kind == "i":
                _check_range(array, name, len(cores[name]))
        self.axes: dict[str, pd.MultiIndex | None] = {}
        for dim in CELLS:
            holders = {name: array for name, array in arrays.items() if dim in cores[name]}
            axis, positions = align(holders, dim)
            self.axes[dim] = axis
            for name, where in zip(holders, positions, strict=True):
                if where is not None and axis is not None:
                    arrays[name] = _spread(arrays[name], dim, where, len(axis))
        self.sizes = {dim: array.sizes[dim] for array in arrays.values() for dim in array.dims if dim in CELLS}
        self.dims: list[str] = []
        self.coords: dict[Any, Any] = {}
        shape: dict[str, int] = {}
        for name, array in arrays.items():
            for dim in map(str, array.dims[: -len(cores[name])]):
                if dim in shape and (shape[dim] != array.sizes[dim] or not self._same(dim, array)):
                    raise ValueError(f"The tables disagree along {dim!r}: label and order it alike in all of them, or rename it in one.")
                if dim not in shape:
                    self.dims.append(dim)
                    shape[dim] = array.sizes[dim]
            if array.ndim > len(cores[name]):
                self.coords.update({c: v for c, v in array.coords.items() if not set(v.dims) & set(CELLS) and v.dims})
        self.shape = tuple(shape[dim] for dim in self.dims)
        self.arrays: dict[str, Any] = {}
        for name, array in arrays.items():
            if self.sparse and cores[name] == CELLS:
                self.arrays[name] = Stored.of(array, self.dims)
            else:
                self.arrays[name] = self._expanded(array, len(cores[name]))

    def _same(self, dim: str, array: xr.DataArray) -> bool:
        return dim not in array.indexes or dim not in self.coords or array.indexes[dim].equals(self.coords[dim].to_index())

    def _expanded(self, array: xr.DataArray, core: int) -> np.ndarray:
        """The values with one axis for each of the batch dims, of length 1 where the table does not have it."""
        own = list(map(str, array.dims[: len(array.dims) - core]))
        values = array.values.transpose([own.index(d) for d in self.dims if d in own] + list(range(len(own), array.ndim)))
        shape = [array.sizes[d] if d in own else 1 for d in self.dims]
        return values.reshape(*shape, *values.shape[len(own) :])

    def map(self, formula: Callable[..., Any], name: str, out: Core = ()) -> xr.DataArray:
        """The formula, which takes tables of shape (..., *core) and returns (..., *out), of every member of the batch."""
        if self.sparse:
            return self._map_sparse(formula, name, out)
        pieces = list(cut(self.shape, [self.sizes[d] for d in CELLS if d in self.sizes]))
        first = np.asarray(self._at(pieces[0], formula))
        if len(pieces) == 1:
            return self.wrap(first, name, out)
        result = np.empty(self.shape + first.shape[len(self.shape) :], first.dtype)
        result[pieces[0]] = first

        def fill(piece: tuple[slice, ...]) -> None:
            result[piece] = self._at(piece, formula)

        if len(pieces) < MANY:
            list(map(fill, pieces[1:]))
        else:  # numpy computes outside the interpreter's lock, so pieces run side by side
            with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
                list(pool.map(fill, pieces[1:]))
        return self.wrap(result, name, out)

    def totals(self, name: str) -> Array:
        """Records of one of the tables, in a shape that broadcasts against the batch."""
        array = self.arrays[name]
        return array.totals() if isinstance(array, Stored) else total(array)

    def _map_sparse(self, formula: Callable[..., Any], name: str, out: Core) -> xr.DataArray:
        """The same on sparse tables, one member of the batch after the other."""
        tables = [array for array in self.arrays.values() if isinstance(array, Stored)]
        results = []
        for at in np.ndindex(self.shape):
            cells = iter(on_union(tables, at))
            taken = []
            for array in self.arrays.values():
                own = (
                    tuple(0 if size == 1 else i for size, i in zip(array.shape, at, strict=False)) if isinstance(array, np.ndarray) else ()
                )
                taken.append(next(cells) if isinstance(array, Stored) else array[own])
            results.append(formula(*taken))
        if isinstance(results[0], Cells):
            return self.wrap(assembled(results, self.shape), name, out)
        return self.wrap(np.reshape(results, (*self.shape, *np.shape(results[0]))), name, out)

    def _at(self, piece: tuple[slice, ...], formula: Callable[..., Any]) -> Any:
        """The formula of one piece of the batch, whose integers are checked while they are in cache anyway."""
        taken = []
        for name, array in self.arrays.items():
            part = array[tuple(slice(None) if size == 1 else at for size, at in zip(array.shape, piece, strict=False))]
            if name in self.large and not in_range(part, part.ndim - len(self.shape)):
                raise ValueError(_refusal(self.large[name], name))
            taken.append(part)
        return formula(*taken)

    def wrap(self, values: np.ndarray, name: str, out: Core = (), before: Core = ()) -> xr.DataArray:
        """An array of shape (*before, batch, *out) as a DataArray with the tables' labels."""
        coords = xr.Coordinates(self.coords)
        for dim in out:
            axis = self.axes.get(dim)
            if axis is not None:
                coords = coords.merge(coords_of(dim, axis)).coords
        return xr.DataArray(values, coords=coords, dims=[*before, *self.dims, *out], name=name)


def _spread(array: xr.DataArray, dim: str, where: Index, size: int) -> xr.DataArray:
    """The table on a longer axis: its entries at ``where``, no records elsewhere."""
    kept = {c: v for c, v in array.coords.items() if dim not in v.dims}
    wide = placed(array.variable.data, array.dims.index(dim), where, size)
    return xr.DataArray(wide, dims=array.dims, coords=kept, name=array.name)


def cut(batch: Sequence[int], cells: Sequence[int]) -> Iterator[tuple[slice, ...]]:
    """Slices that cut a batch of tables into pieces of about ``BLOCK`` cells, in memory order."""
    if not batch:
        yield ()
        return
    inner = int(np.prod(cells)) * int(np.prod(batch[1:]))
    step = max(1, BLOCK // max(inner, 1))
    for start in range(0, batch[0], step):
        outer = slice(start, min(start + step, batch[0]))
        if step == 1 and inner > BLOCK:
            for rest in cut(batch[1:], cells):
                yield (outer, *rest)
        else:
            yield (outer, *(slice(None),) * (len(batch) - 1))
