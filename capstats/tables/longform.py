"""Tables as data frames: one row a cell, one row a record, or one row a level."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.labels import MISSING, Label, canonical
from capstats.codes.missing_codes import likely_codes
from capstats.tables.axes import axis_from, axis_of, free_name, level_index
from capstats.tables.backing import Data, filled, filled_in, is_sparse, totals_of, unstacked, values_at
from capstats.tables.checking import as_counts, given_tables, weights_of
from capstats.tables.dataset import SUMS, TABLES, as_tables, synthetic_labels
from capstats.tables.levels import lookalike_pairs, pairs_within, parts_of, records_by_level
from capstats.tables.table import Counts, Index

CODE = "likely missing code"


def to_frame(tables: xr.Dataset) -> pd.DataFrame:
    """The tables in long form: one row a cell, with its labels and its counts.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`.

    Returns
    -------
    DataFrame
        The key columns and the target columns under their stored names, categorical, in the order of their levels, null where
        missing; then ``o``, ``s`` (or one ``s[label]`` for each synthetic table) and ``h``. `tabulate` with these columns as
        ``counts=`` is the inverse, through Parquet too (there the order of text levels is kept by pandas and pyarrow, and given as
        ``types=`` to DuckDB). A table of sampling weights is followed by its ``o_records`` and ``o_squares``.

    Raises
    ------
    TypeError
        If `tables` is not such a Dataset.

    See Also
    --------
    expand : one row a record.

    Notes
    -----
    See theory/notation.md.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 2.1.

    Examples
    --------
    >>> import capstats
    >>> tables = capstats.from_counts([[1, 2]], [[0, 3]], key_labels={"sex": ["f", "m"]}, target_labels={"sick": ["no"]})
    >>> capstats.to_frame(tables).values.tolist()
    [['f', 'no', 1, 0], ['m', 'no', 2, 3]]
    """
    tables = as_tables(tables)
    parts = {}
    for variable in (f"{table}{part}" for table in TABLES.values() for part in SUMS):
        if variable in tables and tables[variable].ndim == 2:
            parts[variable] = tables[variable].variable.data
        elif variable in tables:
            each = zip(synthetic_labels(tables) or (), unstacked(tables[variable].variable.data, 0), strict=True)
            parts |= {f"{variable}[{label}]": data for label, data in each}
    target, key = _listed(list(parts.values()))
    columns = label_columns(tables.o, {"key": key, "target": target})
    for name, data in parts.items():
        columns[free_name(name, columns) if "[" in name else name] = values_at(data, target, key)
    return pd.DataFrame(columns)


def _listed(tables: list[Data]) -> tuple[Index, Index]:
    """Targets and keys of the cells to list, by key, then target: all cells, or those that some sparse table stores.

    On sparse backing a target or a key without any such cell is listed once, so that no label is lost.
    """
    targets, keys = tables[0].shape
    listed = np.arange(targets * keys)
    if any(map(is_sparse, tables)):
        stored = filled_in(tables)
        empty_keys, empty_targets = np.setdiff1d(np.arange(keys), stored // targets), np.setdiff1d(np.arange(targets), stored % targets)
        listed = np.unique(np.concatenate([stored, empty_keys * targets, empty_targets]))
    key, target = np.divmod(listed, targets)
    return target, key


def expand(o: Counts) -> pd.DataFrame:
    """One row a record: the microdata that a table of counts sums up.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key)
        One table of integer counts, such as ``tables.o``; of a table with sampling weights its records, ``tables.o_records``.

    Returns
    -------
    DataFrame
        As many rows as there are records, with the key columns and the target columns, categorical; sorted by key, then target.

    Raises
    ------
    ValueError, TypeError
        If the counts are fractional, or sums of sampling weights (which say how many people a record represents, and not how many
        records there are), or there is more than one table.

    See Also
    --------
    to_frame : one row a cell.

    Notes
    -----
    See theory/notation.md. No measure needs this; it is for tools that know only records.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 2.1.

    Examples
    --------
    >>> expand([[2, 0], [0, 1]]).values.tolist()
    [[0, 0], [0, 0], [1, 1]]
    """
    (o,) = given_tables({"o": o}).values()
    if (column := weights_of(o)) is not None:
        raise ValueError(
            f"`o` holds sums of the sampling weights {column!r}, which are not numbers of records. Expand the numbers of records, "
            f"such as tables.o_records; for a column of frequencies tabulate with counts={column!r}."
        )
    array = as_counts(o, "o")
    if array.ndim != 2:
        raise ValueError(f"`o` has dims {array.dims}; give one table of (target, key), such as o.isel(draw=0).")
    if array.dtype.kind != "i":
        raise ValueError("`o` holds fractional counts, which are no numbers of records. Use to_frame, which keeps weights.")
    (target, key), times = filled(array.variable.data)
    order = np.lexsort((target, key))
    target, key = (np.repeat(x[order], times[order]) for x in (target, key))
    return pd.DataFrame(label_columns(array, {"key": key, "target": target}))


def label_columns(array: xr.DataArray, places: Mapping[str, Index]) -> dict[str, Any]:
    """The label columns of the entries at the given places of each dim, such as those of listed cells: categorical, null where missing."""
    columns: dict[str, Any] = {}
    for dim, place in places.items():
        axis = axis_of(array, dim)
        if axis is None:
            axis = axis_from(range(array.sizes[dim]), array.sizes[dim], dim, "")
        for name, codes, level in zip(axis.names, axis.codes, axis.levels, strict=True):
            known = [x for x in level if x is not MISSING]
            categories = level_index(known) if len(known) < len(level) else level
            if len(known) < len(level) and categories.dtype.kind == "i":  # else pandas makes integers of the missing ones in an array
                categories = categories.astype(object)
            codes = np.asarray(codes)[place]
            column = pd.Categorical.from_codes(np.where(codes < len(known), codes, -1), categories=categories)
            columns[free_name(str(name), columns)] = column
    return columns


def compare_levels(tables: xr.Dataset) -> pd.DataFrame:
    """The levels of each column and the records that hold them in each table, with the likely cause where a table lacks one.

    Use it where a risk is lower than you expected: a release that writes `40.0` where the original writes `40` matches no record.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`.

    Returns
    -------
    DataFrame
        One row a level, in the order of the columns and of their levels:

        - ``column``, ``level``: the column and its level, null where missing;
        - ``o``, ``s`` (or one ``s[label]`` for each synthetic table), ``h``: records that hold it, at least 0; of weighted tables the
          number of records;
        - ``resembles``: a level of the column that is likely the same in another spelling, else null;
        - ``cause``: what makes the difference: spaces, case, Unicode form, dashes or quotes, numbers, dates or truth values written in
          another way, numbers of another precision, a missing value written as text or code, text decoded with the wrong encoding; or
          "likely missing code", such as -99 and "NA", which `null_values` of `tabulate` names; empty where there is none.

    Raises
    ------
    TypeError
        If `tables` is not such a Dataset.

    See Also
    --------
    tabulate : warns where a column shares no level, or levels look like other spellings.

    Notes
    -----
    Labels match when they are equal; nothing is matched by its cause. In a column with more than 50,000 levels the
    50,000 with the most records are compared.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Definition 1: a key that is not in the
    synthetic data has CAP 0.

    Examples
    --------
    >>> import capstats, warnings
    >>> original = {"region": ["South", "South", "North"], "t": [1, 0, 1]}
    >>> synthetic = {"region": ["south", "North", "North"], "t": [1, 0, 1]}
    >>> with warnings.catch_warnings(action="ignore"):
    ...     tables = capstats.tabulate(original, synthetic, keys="region", target="t")
    >>> found = capstats.compare_levels(tables)
    >>> found[found.cause != ""][["column", "level", "o", "s", "resembles", "cause"]].values.tolist()
    [['region', 'South', 2, 0, 'south', 'case'], ['region', 'south', 0, 1, 'South', 'case']]
    """
    tables = as_tables(tables)
    parts = parts_of({str(name): array.variable.data for name, array in tables.data_vars.items()}, synthetic_labels(tables))
    columns = {name: name.replace("synthetic", "s").replace("original", "o").replace("holdout", "h") for name in parts}
    pieces = []
    for dim in ("key", "target"):
        axis = axis_of(tables.o, dim)
        for column, labels, records in () if axis is None else records_by_level(axis, totals_of(parts, dim)):
            twins: dict[int, tuple[Label, str]] = {}
            for name in list(parts)[1:]:
                both = labels, records["original"], records[name]
                for i, j, cause in (*lookalike_pairs(*both), *pairs_within(*both)):
                    for one, other in ((i, j), (j, i)):
                        twins.setdefault(one, (labels[other], cause))
            codes = set(likely_codes(labels))
            found = [twins.get(i, (None, CODE if canonical(x) in codes else "")) for i, x in enumerate(labels)]
            piece = {"column": column, "level": _objects(labels), **{columns[name]: x for name, x in records.items()}}
            piece |= {"resembles": _objects(x for x, _ in found), "cause": [cause for _, cause in found]}
            pieces.append(pd.DataFrame(piece))
    return pd.concat(pieces, ignore_index=True)


def _objects(labels: Iterable[Label]) -> pd.Series:
    """Labels as they are, null where missing."""
    return pd.Series([None if x is MISSING else x for x in labels], dtype=object)
