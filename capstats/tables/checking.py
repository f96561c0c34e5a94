"""What a table of counts must be: dims, labels, and numbers whose sums are exact."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from capstats.codes.checks import is_integer as is_integer
from capstats.codes.checks import is_number as is_number
from capstats.codes.checks import shown as shown
from capstats.codes.labels import canonical
from capstats.sources.door import is_frame
from capstats.tables.axes import Held, index_of, indexed, labels_of
from capstats.tables.backing import Data, coo, filled, is_sparse
from capstats.tables.table import EXACT, Array, Counts

LEAST = 1e-100  # the least weight: the product of two smaller ones may be 0 as a float

Core = Sequence[str]
CELLS = ("target", "key")


def as_counts(table: Counts, name: str, core: Core = CELLS, exact: bool = True) -> xr.DataArray:
    """A table of counts as a DataArray whose last dims are ``core``, checked cell by cell; integers wherever all are whole.

    Where sums need not be ``exact``, it holds floats of any size.
    """
    found = checked(table, name, core, exact)
    labels_of(found, core, name)
    check_range(found, found.data, name, len(core))
    return found if isinstance(found, xr.DataArray) else xr.DataArray(found, name=name)


def weights_of(table: Any) -> str | None:
    """The column of sampling weights whose sums a table holds; None where it holds counts."""
    return table.attrs.get("weights") if isinstance(table, xr.DataArray) else None


def check_unweighted(why: str, **tables: Any) -> None:
    """Raise an error, with ``why`` in it, if a table holds sums of sampling weights, which are not numbers of records."""
    for name, table in tables.items():
        if (column := weights_of(table)) is not None:
            records = f"tables.{name}_records" if name in "osh" else "such as tables.o_records"
            raise ValueError(f"`{name}` holds sums of the sampling weights {column!r}, but {why}. Give the numbers of records, {records}.")


def given_tables(tables: Mapping[str, Any], optional: Collection[str] = ()) -> dict[str, Any]:
    """The tables of a measure by their names: those that were given, and for None the one of that name in the Dataset that was.

    A Dataset is replaced by its table of that name, for a population by its original. What it does not hold is an error, unless it is
    ``optional``.
    """
    whole = next((table for table in tables.values() if isinstance(table, xr.Dataset)), None)
    if whole is None:
        return {name: table for name, table in tables.items() if table is not None or name not in optional}
    found = {}
    for name, table in tables.items():
        holder = table if isinstance(table, xr.Dataset) else whole
        own = name if table is None else _ROLES.get(name, name)
        if table is not holder and table is not None:
            found[name] = table
        elif own in holder:
            found[name] = holder[own]
        elif name not in optional:
            raise ValueError(f"The Dataset holds no table `{own}`, only {', '.join(map(str, holder.data_vars))}. {_REMEDIES.get(own, '')}")
    return found


_ROLES = {"population": "o", "prior": "o", "against": "s"}  # as which table a Dataset gives what is no table of its own
_REMEDIES = {  # for a table that a Dataset lacks
    "s": "Tabulate the original together with a release.",
    "h": "Tabulate a holdout with them (holdout=...).",
    "o_records": "Tabulate with sampling weights (weights=...).",
    "o": "Give the Dataset that tabulate or from_counts returns.",
}


def checked_together(
    tables: Mapping[str, Any], by_key: Mapping[str, Any], inexact: Collection[str], large: int
) -> tuple[dict[str, Held], dict[str, Held], bool]:
    """The tables of one formula and its numbers of each key, checked; and whether any table is sparse.

    Tables of more than ``large`` cells are returned again, with their range still to be checked. No two tables may be swapped.
    """
    names = {name: str(table.name) for name, table in tables.items() if isinstance(table, xr.DataArray)}
    for name, own in names.items():
        if own != name and names.get(own) == name:
            raise ValueError(
                f"`{name}` is a table called {own!r}, and `{own}` one called {name!r}: they are given the other way round. "
                f'If that is meant, rename them: {own}.rename("{name}"), {name}.rename("{own}").'
            )
    counts = {name: checked(table, name, CELLS, name not in inexact) for name, table in tables.items()}
    keyed = {name: checked(array, name, ("key",)) for name, array in by_key.items()}
    sparse = any(map(is_sparse, [array.data for array in counts.values()]))
    later = {name: array for name, array in counts.items() if array.size > large and not sparse}
    for name, array in (counts | keyed).items():
        if name not in later:
            check_range(array, array.data, name, 1 if name in keyed else 2)
    return counts | keyed, later, sparse


def checked(table: Any, name: str, core: Core, exact: bool = True) -> Held:
    """As `as_counts`, with labels and the range of integers still to be checked.

    A Variable, which is faster to make, if the table has no labels.
    """
    if table is None:
        whole = "" if name == "o" else ", or in place of `o` the Dataset that holds all of them, as tabulate returns it"
        raise TypeError(f"`{name}` is None; give a table of counts, with one row a target and one column a key{whole}.")
    if isinstance(table, xr.Dataset):
        table = given_tables({name: table})[name]
    if not isinstance(table, xr.DataArray):
        if not isinstance(table, (np.ndarray, list, tuple)) and is_frame(table):
            raise TypeError(
                f"`{name}` is a {type(table).__name__}. For records use capstats.tabulate; give a table of counts as an array, or to "
                f"capstats.from_counts as a DataFrame of pandas with one row a target and one column a key."
            )
        table = nested(table, name, core)
    elif not isinstance(table.variable.data, np.ndarray) and not hasattr(table.variable.data, "coords"):
        raise TypeError(
            f"`{name}` must hold a numpy array or a sparse.COO; it holds {type(table.variable.data).__module__}."
            f"{type(table.variable.data).__name__}. Convert it, as with .compute() of a dask array."
        )
    else:
        table = indexed(table, core)
    lacking = [dim for dim in core if dim not in table.dims]
    if lacking:
        raise ValueError(
            f"`{name}` has dims {tuple(map(str, table.dims))} and lacks {', '.join(map(repr, lacking))}: "
            f"rename its dims; rows are targets and columns are keys."
        )
    if not table.size:
        sizes = ", ".join(f"{size} {dim}s" for dim, size in table.sizes.items())
        raise ValueError(f"`{name}` is empty: it has {sizes}. Give at least one of each.")
    if core != CELLS and is_sparse(table.data):
        table = table.copy(data=table.data.todense())
    if table.dims[-len(core) :] != tuple(core):
        table = table.transpose(..., *core)
    data = table.data
    values = _numbers(data)
    counts = _integers(table, values, name, exact)
    if counts is not values:
        table = table.copy(data=coo(data.coords, counts, table.shape) if is_sparse(data) else counts)
    found: Held = table
    return found


def nested(table: Any, name: str, core: Core = CELLS) -> xr.Variable:
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
    return xr.Variable(("draw", *core)[-values.ndim :], values)


def _integers(table: Held, values: Array, name: str, exact: bool) -> Array:
    """Counts as int64; weights as float64 where some are fractional; all as float64 where sums need not be ``exact``."""
    if values.dtype.kind not in "biuf":
        long = " Rows of labels, with a column of counts or without, are for tabulate(rows, keys=..., target=..., counts=...)."
        raise TypeError(f"`{name}` must hold numbers; got dtype {values.dtype}.{long if values.dtype.kind in 'OU' else ''}")
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


def check_range(table: Held, part: Data, name: str, core: int = 2) -> None:
    """Raise unless the sums of the integers in a part of a table, or in all of it, are exact; floats have been checked before."""
    counts = _numbers(part)
    if table.dtype.kind == "i" and not in_range(counts, core if counts is part else 1):
        raise ValueError(_refusal(table, name))


def _numbers(data: Data) -> Array:
    """The numbers that a table stores."""
    return data if isinstance(data, np.ndarray) else data.data


def in_range(counts: np.ndarray, core: int = 2) -> bool:
    """Whether all integers are from 0 to below 2**53, and so is the total of each table: then every sum is exact."""
    bits = int(np.bitwise_or.reduce(counts, axis=None, initial=0))  # negative, or large, where any of them is
    if not 0 <= bits < EXACT:
        return False
    per_table = math.prod(counts.shape[-core:])
    return bits * per_table < EXACT or bool((counts.sum(tuple(range(-core, 0)), dtype=np.float64) < EXACT).all())


def _refusal(table: Held, name: str) -> str:
    coords, values = filled(table.data, name) if is_sparse(table.data) else (None, table.values)
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
            got = f"{values.ravel()[first]} at {cell_at(table, place)}"
            return f"`{name}` must be {rule}; got {got}. Mend that cell, or the records behind it."
    return f"`{name}` must hold fewer than 2**53 records in all, to be exact. Scale its weights down."


def cell_at(table: Held, place: Sequence[Any]) -> str:
    """The labels of a cell, as an error message names it."""
    parts = []
    for dim, i in reversed(list(zip(table.dims, place, strict=True))):
        index = index_of(table, str(dim))
        label = int(i) if index is None else index[i]
        names = tuple(map(canonical, label)) if isinstance(label, tuple) else (canonical(label),)
        parts.append(f"{dim}={names if len(names) > 1 else names[0]!r}")
    return ", ".join(parts)
