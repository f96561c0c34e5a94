"""Records that should not count as disclosed: harmless targets, missing values, large groups; and checks for such attributions.

The checks flag what is possible without the release: from the frequency of the target, or from one key column.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from capstats.codes.checks import check_number, shown
from capstats.codes.labels import MISSING, Label, canonical, canonicals
from capstats.codes.names import hint, hint_of_data
from capstats.disclosure.attribute import disclosed, tables_of
from capstats.tables.axes import axis_from, axis_of, names_of
from capstats.tables.backing import filled, held_as, stacked
from capstats.tables.dataset import as_tables
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Counts, Index, Release, Table

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
    See theory/certainty.md#exclusions. Do not use ``o_counted`` in place of `o`: keys with excluded records could then look unique or pure.

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
    if above is not None:
        check_number(above, "above", "a number of records, 0 or more, or None for no limit", least=0)
    target, key = (cast(pd.MultiIndex, axis_of(tables.o, dim)) for dim in ("target", "key"))  # which as_tables gives labels
    stored = {old: new for new, old in tables.attrs.get("renamed", {}).items()}
    if not isinstance(missing_target, (bool, np.bool_)):
        raise TypeError(f"`missing_target` must be True or False; got {shown(missing_target)}.")
    one = isinstance(targets, tuple) and target.nlevels > 1 and bool(targets)
    several = pd.api.types.is_list_like(targets) and not one
    named = np.any([np.zeros(len(target), bool), *(_target(target, x) for x in (targets if several else [targets]))], axis=0)
    unknown = np.any([_is(target, c, MISSING) for c in names_of(target)], axis=0) & missing_target
    unknown_key = np.any([np.zeros(len(key), bool), *(_is(key, c, MISSING) for c in _key_columns(missing_keys, key, stored))], axis=0)
    listed = [(_level(key, levels, stored), _target(target, x)) for levels, x in map(_pair, pairs)]

    found: dict[str, xr.DataArray] = {}
    for name in [name for name in ("o", "s") if name in tables]:
        table = tables[name].transpose(..., "target", "key")
        coords, counts = filled(table.variable.data, name)
        i, j = coords[-2:]
        in_pair = np.zeros(len(counts), bool)
        for keys, of_target in listed:
            in_pair |= keys[j] & of_target[i]
        too_many = counts > (np.inf if above is None else above)
        reason = np.select([named[i], unknown[i], unknown_key[j], in_pair, too_many], range(1, len(REASONS) + 1), 0)
        found |= _parts(table, name, coords, counts, reason)
    return Result(found, attrs={"result": "Records counted and excluded"})


def _parts(table: xr.DataArray, name: str, coords: list[Index], counts: Array, reason: NDArray[Any]) -> dict[str, xr.DataArray]:
    """The counted records, and for each reason the excluded records and their number; reason 0 means counted."""
    data = table.variable.data
    kept, *parts = [held_as(data, [row[reason == r] for row in coords], counts[reason == r]) for r in range(len(REASONS) + 1)]
    excluded = xr.DataArray(stacked(parts), dims=("reason", *table.dims)).assign_coords(table.coords).assign_coords(reason=list(REASONS))
    out = reason > 0
    report = np.zeros((*data.shape[:-2], len(REASONS)), counts.dtype)
    np.add.at(report, (*(row[out] for row in coords[:-2]), reason[out] - 1), counts[out])
    batch = {c: table.coords[c] for c in table.dims[:-2] if c in table.coords}
    of_reasons = xr.DataArray(report, coords={**batch, "reason": list(REASONS)}, dims=(*table.dims[:-2], "reason"))
    return {f"{name}_counted": table.copy(data=kept), f"{name}_excluded": excluded, f"{name}_report": of_reasons}


# --- labels -----------------------------------------------------------------------------------------------------------


def _is(axis: pd.MultiIndex, column: str, label: Label) -> NDArray[np.bool_]:
    """Which entries of an axis have a label in one of its columns."""
    place = names_of(axis).index(column)
    same = [x is label or (type(x) is type(label) and x == label) for x in map(canonical, axis.levels[place])]
    return np.array(same, bool)[np.asarray(axis.codes[place])]


def _target(axis: pd.MultiIndex, label: Any) -> NDArray[np.bool_]:
    """Which targets have a label: a scalar, or a tuple with one label for each column."""
    parts = label if isinstance(label, tuple) and axis.nlevels > 1 else (label,)
    if len(parts) != axis.nlevels:
        raise ValueError(f"A target is a tuple with one label for each of {names_of(axis)}; got {shown(label)}.")
    found = np.all([_is(axis, c, canonical(x)) for c, x in zip(names_of(axis), parts, strict=True)], axis=0)
    if not found.any():
        raise ValueError(f"No target is {shown(label)}." + hint_of_data(label, axis.levels[0] if axis.nlevels == 1 else axis, "level"))
    return np.asarray(found)


def _column(name: Hashable, axis: pd.MultiIndex, stored: Mapping[str, str]) -> str:
    """A key column under the name by which it is stored."""
    column = stored.get(str(name), str(name))
    if column not in names_of(axis):
        raise ValueError(f"{shown(name)} is not a key column." + hint(name, names_of(axis)))
    return column


def _key_columns(chosen: Any, axis: pd.MultiIndex, stored: Mapping[str, str]) -> list[str]:
    if isinstance(chosen, (bool, np.bool_)):
        return names_of(axis) if chosen else []
    return [_column(c, axis, stored) for c in (chosen if pd.api.types.is_list_like(chosen) else [chosen])]


def _pair(pair: Any) -> tuple[Mapping[Hashable, Any], Any]:
    if not (isinstance(pair, (tuple, list)) and len(pair) == 2 and isinstance(pair[0], Mapping) and pair[0]):
        raise TypeError(f"`pairs` must be a list of ({{key column: level}}, target); got {shown(pair)}.")
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


def _check_limits(records: float, share: float) -> None:
    """Raise an error unless they are a number of records and a share."""
    check_number(records, "records", "a number of records, 0 or more", least=0)
    check_number(share, "share", "a fraction from 0 to 1", least=0, most=1, more=" Divide a percentage by 100.")


def one_way_check(o: Counts, s: Release = None, *, counted: Counts | None = None, records: float = 50, share: float = 0.9) -> xr.Dataset:
    """Whether one target makes up most of the disclosed records.

    If nearly all disclosed records have the answer "no", the measure reflects a fact about the population rather than about individuals.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.
    counted : same, optional
        Counts of those records of `o` that may count as disclosed; see `exclude`.
    records : float
        A target is flagged if more records than this are disclosed with it ...
    share : float
        ... and they make up more than this share of all disclosed records.

    Returns
    -------
    Dataset, dims (..., target)
        ``disclosed``, the records of each target that `disco` counts; ``share``, their share of all disclosed records, NaN if there are
        none; ``flagged``.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts or disagree, `counted` exceeds `o` in a cell, `records` is negative, or `share` is no fraction.

    See Also
    --------
    two_way_check, exclude

    Notes
    -----
    See theory/certainty.md#exclusions. synthpop checks only the target with most disclosed records, which gives the same result for a
    `share` of 0.5 or more.

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    >>> found = one_way_check([[60, 0], [0, 2]], [[1, 0], [0, 1]])
    >>> found.disclosed.values.tolist(), found.flagged.values.tolist()
    ([60, 2], [True, False])
    """
    _check_limits(records, share)

    sure = tables_of(counted, o=o, s=s).map(lambda *tables: disclosed(*tables).target_total, "disclosed", ("target",))
    part = sure.copy(data=ratio(sure.values, sure.values.sum(-1, keepdims=True), np.nan))
    found = {"disclosed": sure, "share": part, "flagged": (sure > records) & (part > share)}
    return Result(found, attrs={"result": "One-way check"})


def two_way_check(o: Counts, s: Release = None, *, counted: Counts | None = None, records: float = 4, share: float = 0.8) -> xr.Dataset:
    """Whether one key column alone predicts the target, from facts about the population.

    If nearly all people under 16 are single, an intruder who infers that a child is single learns nothing from the release.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records. Without labels there is one key column, whose levels are the keys.
    counted : same, optional
        Counts of those records of `o` that may count as disclosed; see `exclude`.
    records : float
        Only cells with more disclosed records than this are checked.
    share : float
        A target and a level of a key column are flagged if some such cell has both, and more than this share of all original records with
        that level have that target.

    Returns
    -------
    Dataset, dims (..., target, level)
        One ``level`` for each level of each key column, with the coordinates ``column`` and ``label``. ``disclosed``, the records in the
        checked cells; ``records``, the original records with that target and level; ``share``, their share of all original records with
        that level, NaN if there are none; ``flagged``.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts or disagree, `counted` exceeds `o` in a cell, `records` is negative, or `share` is no fraction.

    See Also
    --------
    one_way_check, exclude

    Notes
    -----
    See theory/certainty.md#exclusions.

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    All 9 children are single, so this attribution is possible without the release, whatever the second key column is:

    >>> import capstats
    >>> labels = {"age": ["child", "child", "adult"], "sex": ["f", "m", "f"]}
    >>> tables = capstats.from_counts([[5, 4, 3], [0, 0, 3]], [[1, 1, 1], [0, 0, 1]], key_labels=labels, target_labels=["single", "not"])
    >>> found = two_way_check(tables.o, tables.s)
    >>> found.flagged.values.tolist(), found.label.values.tolist()
    ([[True, False, False, False], [False, False, False, False]], ['child', 'adult', 'f', 'm'])
    """
    _check_limits(records, share)
    aligned = tables_of(counted, o=o, s=s)
    axis = aligned.axes["key"]
    axis = axis_from(range(aligned.sizes["key"]), aligned.sizes["key"], "key", "key") if axis is None else axis
    codes: list[Any] = list(map(np.asarray, axis.codes))
    columns = list(zip(names_of(axis), codes, list(map(canonicals, axis.levels)), strict=True))

    def levels(of: Table) -> Array:
        return np.concatenate([of.by_level(codes, len(labels)) for _, codes, labels in columns], axis=-1)

    def looked_at(*tables: Table) -> Array:
        found = disclosed(*tables)
        return levels(found.like(found.values * (found.values > records)))

    out = ("target", "level")
    sure = aligned.map(looked_at, "disclosed", out)
    known = aligned.map(lambda o, s, *_: levels(o) + 0 * levels(s), "records", out)
    part = known.copy(data=ratio(known.values, known.values.sum(-2, keepdims=True), np.nan))
    names, shown = zip(*((name, label) for name, _, labels in columns for label in labels), strict=True)
    flagged = (sure > 0) & (part > share)
    found = Result({"disclosed": sure, "records": known, "share": part, "flagged": flagged}, attrs={"result": "Two-way check"})
    return found.assign_coords(column=("level", list(names)), label=("level", np.array(shown, object)))
