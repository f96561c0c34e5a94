"""How tables with different labels are brought together: the same cells in the same places, and one set of other dims."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import xarray as xr

from capstats.codes.column import Places
from capstats.tables.axes import alike, axis_of, join
from capstats.tables.backing import placed
from capstats.tables.levels import compared, warn_of_levels

Axes = dict[str, pd.MultiIndex | None]


def on_same_cells(arrays: Mapping[str, xr.DataArray]) -> tuple[dict[str, xr.DataArray], Axes, bool]:
    """The arrays on the same targets and keys, with no records where one lacks a label; the two axes; and whether labels differed.

    An array may lack the dim target.
    """
    found, axes, joined = dict(arrays), Axes(), False
    for dim in ("target", "key"):
        holders = {name: array for name, array in found.items() if dim in array.dims}
        axis, positions = align(holders, dim)
        axes[dim] = axis
        for (name, array), where in zip(holders.items(), positions, strict=True):
            if where is not None and axis is not None:
                found[name], joined = _spread(array, dim, where, len(axis)), True
    return found, axes, joined


def align(arrays: Mapping[str, xr.DataArray], dim: str) -> tuple[pd.MultiIndex | None, list[Places | None]]:
    """One axis for several arrays, and where the entries of each stand on it (None: as they are).

    Arrays without labels take those of the others by position, and must then have their length.
    """
    labelled = [name for name, array in arrays.items() if dim in array.xindexes]
    first = next(iter(labelled), next(iter(arrays)))
    for name, array in arrays.items():
        if name not in labelled and array.sizes[dim] != arrays[first].sizes[dim]:
            raise ValueError(
                f"`{first}` has {_size(arrays[first])}, `{name}` has {_size(array)}: they must agree. "
                f"Rows are targets and columns are keys; label both tables where they hold different ones."
            )
    if not labelled:
        return None, [None] * len(arrays)
    others = [name for name in labelled[1:] if not alike(arrays[first], arrays[name], dim)]
    if not others:
        return axis_of(arrays[first], dim), [None] * len(arrays)
    axes = {name: axis for name in labelled if (axis := axis_of(arrays[name], dim)) is not None}
    axis, positions = join([axes.get(name, axes[first]) for name in arrays], list(arrays))
    return axis, list(positions)


def _size(array: xr.DataArray) -> str:
    return " x ".join(f"{array.sizes[d]} {d}s" for d in ("target", "key") if d in array.dims)


def _spread(array: xr.DataArray, dim: str, where: Places, size: int) -> xr.DataArray:
    """The table on a longer axis: its entries at ``where``, no records elsewhere."""
    kept = {c: v for c, v in array.coords.items() if dim not in v.dims}
    wide = placed(array.variable.data, array.dims.index(dim), where, size)
    return xr.DataArray(wide, dims=array.dims, coords=kept, name=array.name)


def warn_of_other_levels(arrays: Mapping[str, xr.DataArray], axes: Axes) -> None:
    """Warn where tables that had other labels than the first share none with it, or write some of its labels in another way."""
    first, *_ = arrays
    labelled = {dim: axis for dim, axis in axes.items() if axis is not None}
    parts = {"original" if name == first else name: array.variable.data for name, array in arrays.items()}
    warn_of_levels(compared(labelled, parts), first)


# --- all other dims ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Batch:
    """The dims of aligned tables besides target and key: their lengths and their labels."""

    dims: list[str]
    shape: tuple[int, ...]
    coords: dict[Hashable, Any]

    @classmethod
    def of(cls, arrays: Mapping[str, xr.DataArray]) -> Batch:
        """Those of all the arrays, which must agree where they share one."""
        shape: dict[str, int] = {}
        coords: dict[Hashable, Any] = {}
        for array in arrays.values():
            own = [dim for dim in map(str, array.dims) if dim not in ("target", "key")]
            for dim in own:
                same = dim not in array.indexes or dim not in coords or array.indexes[dim].equals(coords[dim].to_index())
                if shape.setdefault(dim, array.sizes[dim]) != array.sizes[dim] or not same:
                    raise ValueError(f"The tables disagree along {dim!r}: label and order it alike in all of them, or rename it in one.")
            if own:
                coords |= {c: v for c, v in array.coords.items() if v.dims and not {"target", "key"} & set(v.dims)}
        return cls(list(shape), tuple(shape.values()), coords)
