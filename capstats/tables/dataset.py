"""The Dataset of counts ``o``, ``s`` and ``h`` on the same cells: made of given counts, added up, cut or widened to other cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.labels import Label, canonical
from capstats.codes.names import shortened
from capstats.sources.door import is_frame
from capstats.tables.aligned import axes_of, on_same_cells
from capstats.tables.axes import (
    axis_from,
    axis_of,
    columns_of,
    coords_of,
    coords_of_all,
    indexed,
    join,
    level_index,
    names_of,
    original_names,
)
from capstats.tables.backing import Data, added, filled, stacked, summed, widened
from capstats.tables.checking import CELLS, as_counts, nested
from capstats.tables.digests import digests_of
from capstats.tables.levels import codes_among, compared, parts_of, warn_of_levels
from capstats.tables.printing import Result
from capstats.tables.table import EXACT, Array, Counts

VERSION = version("capstats")
SUMS = ("", "_records", "_squares")  # the sums of each table with sampling weights: o, o_records, o_squares
TABLES = {"original": "o", "synthetic": "s", "holdout": "h"}


def dataset(
    tables: Mapping[str, Data], axes: Mapping[str, pd.MultiIndex], synthetic: Sequence[Label] | None, attrs: Mapping[str, Any]
) -> xr.Dataset:
    """Aligned arrays of shape (target, key), or (synthetic, target, key), as a labelled Dataset."""
    coords = coords_of_all({dim: axes[dim] for dim in ("key", "target")})
    if synthetic is not None:
        coords = coords.merge({"synthetic": level_index(synthetic)}).coords
    own = attrs_of_tables(attrs.get("weights", {}))
    variables = {name: (("synthetic", "target", "key")[3 - values.ndim :], values, own.get(name, {})) for name, values in tables.items()}
    kept = {name: value for name, value in attrs.items() if name not in ("levels", "unmatched_tables", "fine_keys", "fine_targets")}
    if not attrs.get("unlabelled"):
        of_cut = {column: codes for column, codes in kept.pop("likely_codes", {}).items() if column in attrs.get("bins", {})}
        codes = {**of_cut, **codes_among(axes)}
        known = {*attrs.get("bins", {}), *attrs.get("categories", {})}
        kept |= {**compared(axes, parts_of(tables, synthetic), known), **({"likely_codes": codes} if codes else {})}
    return Result(variables, coords, {**kept, "capstats": VERSION})


def attrs_of_tables(weights: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The attrs of a table of sampling weights, which tell a measure that gets this table alone."""
    return {TABLES[table.partition("[")[0]]: {"weights": column} for table, column in weights.items()}


def as_tables(tables: Any) -> xr.Dataset:
    """The Dataset that `tabulate` or `from_counts` returned, its counts as int64 or float64, or an error that says so."""
    if not isinstance(tables, xr.Dataset) or "o" not in tables:
        raise TypeError(f"`tables` must be the Dataset that tabulate or from_counts returns, with `o`; got {type(tables).__name__}.")
    tables = indexed(tables, ("synthetic", "target", "key"))
    bare = [dim for dim in ("target", "key") if dim not in tables.indexes]
    if bare:
        raise ValueError(f"`tables` has no labels along {' and '.join(map(repr, bare))}. Make it with tabulate or from_counts.")
    if "synthetic" in tables.dims and "synthetic" not in tables.indexes:
        tables = tables.assign_coords(synthetic=range(tables.sizes["synthetic"]))
    for name, array in tables.data_vars.items():
        if not set(CELLS) <= set(array.dims):
            raise ValueError(f"`{name}` has the dims {array.dims}; a table of counts has the dims target and key.")
    if any(array.dims[-2:] != CELLS for array in tables.data_vars.values()):
        tables = tables.transpose(..., *CELLS)
    others = {name: x for name, x in tables.data_vars.items() if x.dtype not in (np.int64, np.float64)}
    if others:
        encoding = tables.encoding
        tables = tables.assign({name: as_counts(array, str(name)).variable for name, array in others.items()})
        tables.encoding = encoding
    renamed = tables.attrs.get("renamed", {})
    columns = {
        f"{dim}_columns": [renamed.get(x, x) for x in names]
        for dim in CELLS
        if tables.attrs.get(f"{dim}_columns", True) and (names := columns_of(tables.o, dim)) is not None
    }
    found: xr.Dataset = tables if columns.items() <= tables.attrs.items() else tables.assign_attrs(columns)
    return found


def synthetic_labels(tables: xr.Dataset) -> list[Label] | None:
    """The labels of the synthetic tables of such a Dataset; None where there is one table or none."""
    return list(tables.indexes["synthetic"]) if "synthetic" in tables.indexes else None


# --- what is known of the records behind tables, in ``encoding`` ---------------------------------------------------------


def with_origin(tables: xr.Dataset, origin: Mapping[str, Any]) -> xr.Dataset:
    """The tables with what is known of the records that they count: files, whether they were compared, and copies."""
    tables.encoding = {**origin, "sums": _sums(tables)}
    return tables


def with_own_origin(tables: xr.Dataset) -> xr.Dataset:
    """The tables without what is known of the records of others: xarray keeps ``encoding`` where counts are selected or replaced."""
    if not tables.encoding or tables.encoding.get("sums") == _sums(tables):
        return tables
    tables = tables.copy(deep=False)
    tables.encoding = {}
    return tables


def _sums(tables: xr.Dataset) -> dict[str, str]:
    """The sums of the counts and of their squares, which do not depend on the order of the cells."""
    stored = {str(name): array.variable.data for name, array in tables.data_vars.items()}
    numbers = {name: data.ravel() if isinstance(data, np.ndarray) else data.data for name, data in stored.items()}
    return {name: f"{x.sum():.12g} {np.vdot(x, x):.12g}" for name, x in numbers.items()}


# --- from counts -----------------------------------------------------------------------------------------------------


def from_counts(
    o: Counts, s: Counts | Mapping[Any, Counts] | None = None, *, key_labels: Any = None, target_labels: Any = None
) -> xr.Dataset:
    """Tables of counts, labelled and checked, from counts that already exist.

    Where the records themselves are available, use `tabulate`.

    Parameters
    ----------
    o : array-like, DataFrame or DataArray, shape (target, key)
        Counts of original records: one row a target, one column a key. A DataFrame or DataArray brings its own labels.
    s : same, or a mapping {label: table}, optional
        Counts of synthetic records; a mapping, or an array of shape (synthetic, target, key), gives the dim ``synthetic``.
    key_labels : list of labels, list of tuples, mapping {column: labels}, or index, optional
        Labels of the keys, for tables that do not bring their own. Without any there is one key column, ``key_``, with 0, 1, ...
    target_labels : same, optional
        Labels of the targets.

    Returns
    -------
    Dataset
        ``o`` and, where given, ``s``; dims ``target`` and ``key``, in the order given where both tables have the same labels.

    Raises
    ------
    ValueError, TypeError
        If counts are negative, infinite or NaN (the cell is named), shapes or labels disagree, a label occurs twice, a table holds no
        record, or the last row and column of a DataFrame, or its first ones, are the sums of the others.

    See Also
    --------
    tabulate : counts of records.

    Notes
    -----
    See theory/notation.md for o_ij and s_ij.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 2.1.

    Examples
    --------
    Smoking and health, Tables 1 and 2 of the paper:

    >>> tables = from_counts(
    ...     [[20, 5], [30, 45]],
    ...     [[8, 7], [25, 60]],
    ...     key_labels={"smoking": ["yes", "no"]},
    ...     target_labels={"health": ["sick", "healthy"]},
    ... )
    >>> int(tables.o.sel(target="sick", smoking="yes").item())
    20
    """
    given = {"o": o}
    synthetic: list[Label] | None = None
    if isinstance(s, Mapping):
        synthetic = [canonical(x) for x in s]
        if not synthetic or len(set(synthetic)) < len(synthetic):
            raise ValueError(f"The labels of the synthetic tables must be distinct, and one at least; got {len(synthetic)}.")
        given |= {f"s[{label!r}]": table for label, table in zip(synthetic, s.values(), strict=True)}
    elif s is not None:
        given["s"] = s
    labels = {dim: x for dim, x in (("key", key_labels), ("target", target_labels)) if x is not None}
    arrays = {name: as_counts(_named(table, name, labels), name) for name, table in given.items()}
    for name, array in arrays.items():
        if array.ndim > (3 if name == "s" else 2):
            raise ValueError(f"`{name}` has dims {array.dims}; give (target, key){', or one more before them' if name == 's' else ''}.")
        if not filled(array.variable.data, name)[1].any():
            raise ValueError(f"`{name}` holds no record: every count is 0.")
        if isinstance(given[name], pd.DataFrame):
            _check_margins(array.values, name)
    if s is not None and synthetic is None and arrays["s"].ndim == 3:
        index = arrays["s"].indexes.get(arrays["s"].dims[0])
        synthetic = list(range(len(arrays["s"]))) if index is None else [canonical(x) for x in index]
    renamed: dict[str, str] = {}
    for dim, side in (("key", "columns"), ("target", "index")):
        frames = [getattr(table, side) for table in given.values() if isinstance(table, pd.DataFrame)]
        for named in [labels[dim]] if dim in labels else frames:
            renamed |= original_names(named, dim)
    unlabelled = not any("key" in array.indexes for array in arrays.values())
    arrays, joined = on_same_cells(arrays)
    sizes = arrays["o"].sizes
    axes = {dim: axis_from(range(sizes[dim]), sizes[dim], dim, "") if x is None else x for dim, x in axes_of(arrays, joined).items()}
    first, *others = [array.variable.data for array in arrays.values()]
    tables = {"o": first, **({"s": stacked(others) if isinstance(s, Mapping) else others[0]} if others else {})}
    attrs: dict[str, Any] = {f"{dim}_columns": [renamed.get(name, name) for name in names_of(axes[dim])] for dim in ("key", "target")}
    attrs |= {name: value for name, value in (("renamed", renamed), ("unlabelled", unlabelled)) if value}
    if both := set(names_of(axes["key"])) & set(names_of(axes["target"])):
        raise ValueError(f"Column {min(both)!r} is both a key and the target. Rename one of them.")
    made = dataset(tables, axes, synthetic, attrs)
    warn_of_levels({**made.attrs, "fine_targets": {}})  # a measure may let near guesses count
    return made


def _named(table: Any, name: str, labels: Mapping[str, Any]) -> Any:
    """The table with the given labels, so that an error names a cell by them."""
    if isinstance(table, pd.DataFrame):
        table = _unframed(table, name)
    elif not isinstance(table, (xr.DataArray, xr.Dataset)) and not is_frame(table):
        table = xr.DataArray(nested(table, name))
    if isinstance(table, xr.DataArray):
        table = table.rename(name)
        for dim in labels.keys() & set(table.dims):
            if dim in table.indexes:
                raise ValueError(f"`{name}` brings its own {dim} labels; leave `{dim}_labels` out, or give its bare values.")
            table = table.assign_coords(coords_of(dim, axis_from(labels[dim], table.sizes[dim], dim, f"`{dim}_labels`")))
    return table


def _check_margins(counts: Array, name: str) -> None:
    """Raise where the last row and column, or the first ones, are the sums of the others: margins, which count each record four times."""
    for end, cut in ((-1, ":-1"), (0, "1:")):
        rows, columns = np.delete(counts, end, 0), np.delete(counts, end, 1)
        several = min(rows.any(1).sum(), columns.any(0).sum()) > 1
        if several and np.allclose(rows.sum(0), counts[end], atol=0) and np.allclose(columns.sum(1), counts[:, end], atol=0):
            raise ValueError(
                f"`{name}` holds its totals: its {'last' if end else 'first'} row and column are the sums of the others, so each record "
                f"would be counted four times. Leave them out: .iloc[{cut}, {cut}], or no margins=True in pandas. If they are no totals, "
                f"give the counts as an array, with `target_labels` and `key_labels`."
            )


def _unframed(table: pd.DataFrame, name: str) -> xr.DataArray:
    """A pandas cross-tabulation as a labelled array."""
    of = {"target": table.index, "key": table.columns}
    coords = coords_of_all({dim: axis_from(labels, len(labels), dim, f"`{name}`") for dim, labels in of.items()})
    values = table.to_numpy()
    if values.dtype == object and all(map(pd.api.types.is_numeric_dtype, table.dtypes)):  # nullable columns
        values = table.to_numpy(np.float64, na_value=np.nan)
    return xr.DataArray(values, dims=("target", "key"), coords=coords, name=name)


# --- added up --------------------------------------------------------------------------------------------------------


def merge_counts(*tables: xr.Dataset, allow_same: bool = False) -> xr.Dataset:
    """Sum of tables that counted different records: the counts of shards add up to the count of the whole.

    Parameters
    ----------
    *tables : Dataset
        Results of `tabulate` or `from_counts` with the same key and target columns, cut alike, and the same synthetic tables.
    allow_same : bool
        Whether originals with the same labels and counts may be added up. They are the same records, as a rule, under another path.

    Returns
    -------
    Dataset
        On the union of their keys and targets; attrs as in the first, with the numbers of dropped records added.

    Raises
    ------
    ValueError, TypeError
        If there is nothing to merge, or the tables differ in variables, columns, missing-value policy, bins, synthetic labels, or in
        which of them have sampling weights; if records are added up twice, also as parts of earlier sums, unless `allow_same`; or if
        there are 2**53 records or more, whose sums would not be exact.

    Notes
    -----
    Counts add over shards, and so do sums of weights and of squared weights; measures do not, except those of a fixed `s` over shards of
    `o`: see theory/cap.md#average-cap.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 2.1.

    Examples
    --------
    >>> from capstats import from_counts
    >>> a = from_counts([[1, 2]], key_labels={"sex": ["f", "m"]})
    >>> b = from_counts([[3, 4]], key_labels={"sex": ["m", "x"]})
    >>> merge_counts(a, b).o.values.tolist()
    [[1, 5, 4]]
    """
    if not tables:
        raise ValueError("There is nothing to merge: give at least one Dataset.")
    parts = [with_own_origin(as_tables(table)) for table in tables]
    first = parts[0]
    releases = synthetic_labels(first)
    own = [synthetic_labels(part) for part in parts]
    turned = [labels != releases and set(labels or ()) == set(releases or ()) for labels in own]  # sparse ones compile functions
    parts = [part.sel(synthetic=releases) if other else part for part, other in zip(parts, turned, strict=True)]
    for i, other in enumerate(parts[1:], start=1):
        if first.attrs.get("unlabelled") and dict(first.sizes) != dict(other.sizes):
            raise ValueError(
                f"Tables without labels must have the same shape; tables[0] has {dict(first.sizes)}, tables[{i}] {dict(other.sizes)}. "
                f"Label their keys and targets."
            )
        theirs = _described(other)
        for what, own in _described(first).items():
            if own != theirs[what]:
                raise ValueError(
                    f"Tables to merge must have the same {what}; got {shortened(repr(own), 200)} and {shortened(repr(theirs[what]), 200)}."
                )
    names = [f"tables[{i}]" for i in range(len(parts))]
    orders = _category_orders(parts)
    axes, places = {}, {}
    for dim in ("target", "key"):
        axes[dim], places[dim] = join([axis for part in parts if (axis := axis_of(part.o, dim)) is not None], names, orders)
    shape = (len(axes["target"]), len(axes["key"]))
    _check_sums(parts)
    origin = _origin(parts, allow_same)
    sums: dict[str, Data] = {}
    for part, t, k in zip(parts, places["target"], places["key"], strict=True):
        for name in map(str, part.data_vars):
            wide = widened(part[name].variable.data, t, k, shape)
            sums[name] = added(sums[name], wide) if name in sums else wide
    attrs = dict(first.attrs)
    if "dropped" in attrs:
        attrs["dropped"] = {name: sum(part.attrs["dropped"][name] for part in parts) for name in attrs["dropped"]}
    if orders:
        attrs["categories"] = orders
    return with_origin(dataset(sums, axes, releases, attrs), origin)


def _check_sums(parts: Sequence[xr.Dataset]) -> None:
    """Raise unless all parts hold counts, and integers hold their sums exactly."""
    for name in [name for name in parts[0].data_vars if not str(name).endswith("_squares")]:
        counts = [as_counts(part[name], f"tables[{i}].{name}").variable.data for i, part in enumerate(parts)]
        if not np.all(sum((summed(data, (-2, -1)) for data in counts), 0.0) < EXACT):
            raise ValueError(f"`{name}` would hold 2**53 records or more, whose sums are not exact. Scale the weights or counts down.")


def _origin(parts: Sequence[xr.Dataset], allow_same: bool) -> dict[str, Any]:
    """The origin of the merged records: digests of all parts; and whether the tables of each part are known to differ."""
    known: dict[str, int] = {}
    for i, part in enumerate(parts):
        for digest in digests_of(part):
            if (first := known.setdefault(digest, i)) != i and not allow_same:
                raise ValueError(
                    f"tables[{first}] and tables[{i}] hold the same original: its labels and counts, or those of a part of it, are the "
                    f"same, and would be added up twice. Give each once; for different records with the same counts, allow_same=True."
                )
    found = {"digests": list(known), "different_records": all(part.encoding.get("different_records") for part in parts)}
    return {name: value for name, value in found.items() if value}


def _described(tables: xr.Dataset) -> dict[str, Any]:
    """The properties that tables must share to be merged."""
    return {
        "variables": sorted(map(str, tables.data_vars)),
        "columns": (sorted(tables.attrs["key_columns"]), sorted(tables.attrs["target_columns"])),
        "missing-value policies": tables.attrs.get("missing"),
        "tables with sampling weights": sorted(tables.attrs.get("weights", ())),
        "bins": tables.attrs.get("bins"),
        "synthetic tables": synthetic_labels(tables) or [],
    }


def _category_orders(parts: Sequence[xr.Dataset]) -> dict[str, list[Label]]:
    """The category order of each column over all parts: the first one's, then what the others add."""
    orders: dict[str, list[Label]] = {}
    for column, labels in (item for part in parts for item in part.attrs.get("categories", {}).items()):
        orders[column] = list(dict.fromkeys([*orders.get(column, []), *labels]))
    return orders


def copies_known(tables: xr.Dataset) -> dict[str, Any]:
    """What is known of copies in these releases; nothing where the tables are of other releases than when it was found."""
    known: dict[str, Any] = tables.encoding.get("copies", {})
    if any("spelled" not in release for release in known.get("releases", [])):
        return {"not_computed": "another version of capstats counted them; count the records again"}
    return known if known.get("synthetic") == synthetic_labels(tables) else {}
