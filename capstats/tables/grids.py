"""The variables of a Dataset as tables to read: which dims go down, which across, and what their cells say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.labels import canonical
from capstats.codes.printable import in_cell, shortened
from capstats.tables.backing import is_sparse, listed
from capstats.tables.digits import alike
from capstats.tables.table import Array, Index

ROWS = 20  # rows of a table that are shown
ACROSS = 12  # columns that dims may make of the variables of a table
TURNED = 6  # rows of which a table that is too wide has no more is turned: a row for each variable
LONGEST = 32  # characters of a label

Dims = tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """A column: the heading that it shares with its neighbours, its own, and its cells."""

    over: str
    heading: str
    cells: Sequence[str]


@dataclass(frozen=True)
class Grid:
    """A table: columns of labels, columns of values, the number of rows that are not shown, and what to read in their place."""

    labels: Sequence[Column]
    columns: Sequence[Column]
    more: int = 0

    @property
    def turned(self) -> Grid:
        """The same with a row for each column, where no two columns share a heading and no row is left out."""
        names = Column("", "", [column.heading for column in self.columns])
        heads = [", ".join(cells) for cells in zip(*(label.cells for label in self.labels), strict=True)] or ["value"]
        values = zip(*(column.cells for column in self.columns), strict=True)
        return Grid([names], [Column("", shortened(head, LONGEST), cells) for head, cells in zip(heads, values, strict=True)])

    @property
    def may_turn(self) -> bool:
        """Whether it has few rows, all of them shown, and a heading of its own for each column."""
        return not self.more and not any(column.over for column in self.columns) and 0 < len(self.columns[0].cells) <= TURNED


def grids(result: xr.Dataset) -> list[Grid]:
    """One table for all variables with the same dims down, in the order of the variables."""
    variables = {str(name): array for name, array in result.data_vars.items()}
    shapes = [frozenset(array.dims) for array in variables.values()]
    groups: dict[Dims, dict[str, Dims]] = {}
    for name, array in variables.items():
        across = _across(array, shapes.count(frozenset(array.dims)))
        down = tuple(sorted((str(dim) for dim in array.dims if dim not in across), key=lambda dim: dim == "target"))
        down = next((dims for dims in groups if set(dims) == set(down)), down)
        groups.setdefault(down, {})[name] = across
    return [_grid(result, down, {name: (variables[name], across) for name, across in group.items()}) for down, group in groups.items()]


def _across(array: xr.DataArray, variables: int) -> Dims:
    """The dims of an array that go across: measures, whose numbers have nothing in common; target in a table of counts; short ones."""
    dims = sorted(map(str, array.dims), key=lambda dim: (dim != "measure", array.sizes[dim]))
    counts = {"target", "key"} <= set(dims)
    chosen: list[str] = []
    cells = variables
    for dim in ["target", *(dim for dim in dims if dim not in ("target", "key"))] if counts else dims[:-1]:
        if not array.sizes[dim]:
            continue
        cells *= array.sizes[dim]
        if cells > ACROSS and dim != "measure":
            break
        chosen.append(dim)
    return tuple(str(dim) for dim in array.dims if dim in chosen)


def _grid(result: xr.Dataset, down: Dims, variables: dict[str, tuple[xr.DataArray, Dims]]) -> Grid:
    sizes = [result.sizes[dim] for dim in down]
    rows = math.prod(sizes)
    shown = np.unravel_index(np.arange(min(rows, ROWS)), sizes) if down else ()
    labels = [label for dim, where in zip(down, shown, strict=True) for label in _labels(result, dim, where)]
    columns = [
        column
        for name, (array, across) in variables.items()
        for column in _columns(result, name, array, dict(zip(down, shown, strict=True)), across)
    ]
    return Grid(labels, columns, rows - min(rows, ROWS))


def _columns(result: xr.Dataset, name: str, array: xr.DataArray, shown: dict[str, Index], across: Dims) -> Iterator[Column]:
    """A column for each combination of the labels of the dims across; each has a format of its own for its numbers."""
    sizes = [result.sizes[dim] for dim in across]
    ends = {str(dim): size for dim, size in result.sizes.items()}
    ends |= {dim: int(where.max(initial=-1)) + 1 for dim, where in shown.items()}
    corner = _corner(array.variable.data, [ends[str(dim)] for dim in array.dims])
    values = corner.transpose([array.dims.index(dim) for dim in (*shown, *across)])[tuple(shown.values())]
    cells = [[shortened(text, LONGEST) for text in alike(column)] for column in values.reshape(-1, math.prod(sizes)).T]
    places = np.unravel_index(np.arange(math.prod(sizes)), sizes) if across else ()
    held = [(dim, at) for dim, at in zip(across, places, strict=True) if result.sizes[dim] > 1 or dim == "target"]
    heads = [[", ".join(labels) for labels in zip(*_cells(result, dim, at), strict=True)] for dim, at in held]
    if not held or len(cells) == 1:
        labels = f"[{', '.join(head[0] for head in heads)}]" if held else ""
        yield from [Column("", f"{label_text(name)}{labels}", column) for column in cells]
        return
    spans = [f"{label_text(name)}[{', '.join(outer)}]" if outer else label_text(name) for *outer, _ in zip(*heads, strict=True)]
    for over, own, column in zip(spans, heads[-1], cells, strict=True):
        yield Column(over, own.rjust(math.ceil((len(over) + 6) / spans.count(over)) - 2), column)


def _corner(data: Any, shape: Sequence[int]) -> Array:
    """The first cells of an array along each dim, as a numpy array; of a sparse one, only these."""
    if not is_sparse(data):
        return np.asarray(data[tuple(map(slice, shape))])
    if not shape:
        return np.asarray(data.todense())
    coords, values = listed(data)
    inside = np.all([where < end for where, end in zip(coords, shape, strict=True)], axis=0)
    found = np.full(tuple(shape), data.fill_value, values.dtype)
    found[tuple(where[inside] for where in coords)] = values[inside]
    return found


# --- labels -----------------------------------------------------------------------------------------------------------


def _labels(result: xr.Dataset, dim: str, where: Index) -> list[Column]:
    """The labels of rows along a dim: a column for each level of its index and each further coordinate; numbers where there is none."""
    index = result.indexes.get(dim)
    names = list(map(str, index.names)) if isinstance(index, pd.MultiIndex) else [dim]
    found = [Column("", label_text(name), cells) for name, cells in zip(names, _cells(result, dim, where), strict=True)]
    others = {str(name): array for name, array in result.coords.items() if name not in result.xindexes and array.dims == (dim,)}
    beside = [Column("", label_text(name), list(map(label_text, np.asarray(array.variable.data)[where]))) for name, array in others.items()]
    return [*(found if index is not None or not beside else []), *beside]


def _cells(result: xr.Dataset, dim: str, where: Index) -> list[list[str]]:
    """The labels at some places of a dim as text, for each level of its index; their numbers where there is none."""
    index = result.indexes.get(dim)
    if index is None:
        return [[f"{place}" for place in where]]
    labels = index[where]
    levels = [labels.get_level_values(i) for i in range(labels.nlevels)] if isinstance(labels, pd.MultiIndex) else [labels]
    return [[label_text(label) for label in level] for level in levels]


def label_text(label: object) -> str:
    """A label as text, without what a terminal would obey, shortened where it is long."""
    label = canonical(label)
    text = f"{label:.12g}" if isinstance(label, float) else in_cell(label)
    return shortened(text, LONGEST)
