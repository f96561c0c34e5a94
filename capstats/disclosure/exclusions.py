"""Records that should not count as disclosed: harmless targets, missing values, large groups."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from capstats.codes.labels import MISSING, Label, canonical
from capstats.codes.names import hint, hint_of_data
from capstats.tables.axes import axis_of, names_of
from capstats.tables.backing import filled, held_as, stacked
from capstats.tables.dataset import as_tables
from capstats.tables.printing import Result
from capstats.tables.table import Array, Index

REASONS = ("target", "missing target", "missing key", "pair", "size")


def exclude(
    tables: xr.Dataset,
    *,
    targets: Any = (),
    missing_target: bool = False,
    missing_keys: bool | Hashable | Sequence[Hashable] = False,
    pairs: Sequence[tuple[Mapping[Hashable, Any], Any]] = (),
    above: float | None = None,
) -> xr.Dataset:
    """The records that may count as disclosed, and the number excluded for each reason.

    Inferring "not in prison", or "retired" about a pensioner, harms nobody: exclude such records from the numerators and report their
    number.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`.
    targets : label or list of labels
        Harmless targets. With several target columns, a label is a tuple.
    missing_target : bool
        Whether to exclude records whose target is missing, in any target column.
    missing_keys : bool, column name or list of names
        Whether to exclude records with a missing key: in any key column, or in the named columns.
    pairs : sequence of ({key column: level, ...}, target)
        Levels of key columns that determine the target by themselves: ``[({"age": "0-15"}, "single")]``.
    above : float, optional
        Exclude cells with more records than this in the same table, as too large to be sensitive.

    Returns
    -------
    Dataset
        ``o_counted`` and ``s_counted``, shaped as `o` and `s`: the records that may count, to be given as ``counted=`` together with the
        whole tables. Only the whole tables decide which keys are unique or pure, and they remain the denominators.
        ``o_excluded`` and ``s_excluded``, dims (reason, ..., target, key): the excluded records. ``o_report`` and ``s_report``, dims
        (..., reason): their numbers. A record has the first reason that applies, in the order of the arguments.

    Raises
    ------
    ValueError, TypeError
        If a label or column is not in the tables, or `tables` is not such a Dataset.

    See Also
    --------
    one_way_check, two_way_check : candidates for exclusion.

    Notes
    -----
    See theory/exclusions.md. Do not use ``o_counted`` in place of `o`: keys with excluded records could then look unique or pure.

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    >>> import capstats
    >>> tables = capstats.from_counts([[5, 0], [0, 1]], [[2, 0], [0, 1]], target_labels={"prison": ["no", "yes"]})
    >>> found = exclude(tables, targets="no")
    >>> found.o_report.to_series().to_dict()
    {'target': 5, 'missing target': 0, 'missing key': 0, 'pair': 0, 'size': 0}
    >>> float(capstats.disclosure.disco(tables.o, tables.s, counted=found.o_counted).round(4))
    0.1667
    """
    tables = as_tables(tables)
    if above is not None and not (isinstance(above, (int, float, np.number)) and above >= 0):
        raise ValueError(f"`above` must be a number of records, 0 or more, or None for no limit; got {above!r}.")
    target, key = (_axis(tables.o, dim) for dim in ("target", "key"))
    stored = {old: new for new, old in tables.attrs.get("renamed", {}).items()}
    if not isinstance(missing_target, (bool, np.bool_)):
        raise TypeError(f"`missing_target` must be True or False; got {missing_target!r}.")
    one = isinstance(targets, tuple) and target.nlevels > 1 and bool(targets)
    several = pd.api.types.is_list_like(targets) and not one
    named = np.any([np.zeros(len(target), bool), *(_target(target, x) for x in (targets if several else [targets]))], axis=0)
    unknown = np.any([_is(target, c, MISSING) for c in names_of(target)], axis=0) & missing_target
    unknown_key = np.any([np.zeros(len(key), bool), *(_is(key, c, MISSING) for c in _key_columns(missing_keys, key, stored))], axis=0)
    listed = [(_level(key, levels, stored), _target(target, x)) for levels, x in map(_pair, pairs)]

    found: dict[str, xr.DataArray] = {}
    for name in ("o", "s"):
        if name not in tables:
            continue
        table = tables[name].transpose(..., "target", "key")
        coords, counts = filled(table.variable.data, name)
        i, j = coords[-2:]
        in_pair = np.zeros(len(counts), bool)
        for keys, targets_ in listed:
            in_pair |= keys[j] & targets_[i]
        too_many = np.zeros(len(counts), bool) if above is None else counts > above
        reason = np.select([named[i], unknown[i], unknown_key[j], in_pair, too_many], range(1, len(REASONS) + 1), 0)
        found |= _parts(table, name, coords, counts, reason)
    return Result(found, attrs={"result": "Records counted and excluded"})


def _parts(table: xr.DataArray, name: str, coords: list[Index], counts: Array, reason: NDArray[Any]) -> dict[str, xr.DataArray]:
    """The counted records, and for each reason the excluded records and their number; reason 0 means counted."""
    data = table.variable.data
    kept, *parts = [held_as(data, [row[reason == r] for row in coords], counts[reason == r]) for r in range(len(REASONS) + 1)]
    excluded = xr.DataArray(stacked(parts), dims=("reason", *table.dims)).assign_coords(table.coords)
    out = reason > 0
    report = np.zeros((*data.shape[:-2], len(REASONS)), counts.dtype)
    np.add.at(report, (*(row[out] for row in coords[:-2]), reason[out] - 1), counts[out])
    batch = {c: table.coords[c] for c in table.dims[:-2] if c in table.coords}
    found = {
        f"{name}_excluded": excluded.assign_coords(reason=list(REASONS)),
        f"{name}_report": xr.DataArray(report, coords={**batch, "reason": list(REASONS)}, dims=(*table.dims[:-2], "reason")),
    }
    return {f"{name}_counted": table.copy(data=kept), **found}


# --- labels -----------------------------------------------------------------------------------------------------------


def _axis(array: xr.DataArray, dim: str) -> pd.MultiIndex:
    """The axis of a table that as_tables has checked, so it has labels."""
    return cast(pd.MultiIndex, axis_of(array, dim))


def _is(axis: pd.MultiIndex, column: str, label: Label) -> NDArray[np.bool_]:
    """Which entries of an axis have a label in one of its columns."""
    place = names_of(axis).index(column)
    same = [x is label or (type(x) is type(label) and x == label) for x in map(canonical, axis.levels[place])]
    return np.array(same, bool)[np.asarray(axis.codes[place])]


def _target(axis: pd.MultiIndex, label: Any) -> NDArray[np.bool_]:
    """Which targets have a label: a scalar, or a tuple with one label for each column."""
    parts = label if isinstance(label, tuple) and axis.nlevels > 1 else (label,)
    if len(parts) != axis.nlevels:
        raise ValueError(f"A target is a tuple with one label for each of {names_of(axis)}; got {label!r}.")
    found = np.all([_is(axis, c, canonical(x)) for c, x in zip(names_of(axis), parts, strict=True)], axis=0)
    if not found.any():
        raise ValueError(f"No target is {label!r}." + hint_of_data(label, axis.levels[0] if axis.nlevels == 1 else axis, "level"))
    return np.asarray(found)


def _column(name: Hashable, axis: pd.MultiIndex, stored: Mapping[str, str]) -> str:
    """A key column under the name by which it is stored."""
    column = stored.get(str(name), str(name))
    if column not in names_of(axis):
        raise ValueError(f"{name!r} is not a key column." + hint(name, names_of(axis)))
    return column


def _key_columns(chosen: Any, axis: pd.MultiIndex, stored: Mapping[str, str]) -> list[str]:
    if isinstance(chosen, (bool, np.bool_)):
        return names_of(axis) if chosen else []
    return [_column(c, axis, stored) for c in (chosen if pd.api.types.is_list_like(chosen) else [chosen])]


def _pair(pair: Any) -> tuple[Mapping[Hashable, Any], Any]:
    if not (isinstance(pair, (tuple, list)) and len(pair) == 2 and isinstance(pair[0], Mapping) and pair[0]):
        raise TypeError(f"`pairs` must be a list of ({{key column: level}}, target); got {pair!r}.")
    return pair[0], pair[1]


def _level(axis: pd.MultiIndex, levels: Mapping[Hashable, Any], stored: Mapping[str, str]) -> NDArray[np.bool_]:
    """Which keys have the given levels of the given columns."""
    found = np.ones(len(axis), bool)
    for name, label in levels.items():
        column = _column(name, axis, stored)
        has = _is(axis, column, canonical(label))
        if not has.any():
            raise ValueError(f"No key has {name} = {label!r}." + hint_of_data(label, axis.levels[names_of(axis).index(column)], "level"))
        found &= has
    return found
