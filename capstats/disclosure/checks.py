"""Checks for attributions that are possible without the release: from the frequency of the target, or from one key column."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.codes.labels import canonical
from capstats.disclosure.attribute import disclosed, tables_of
from capstats.tables.axes import names_of
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Table


def _check_limits(records: float, share: float) -> None:
    """Raise an error unless they are a number of records and a share."""
    if not (isinstance(records, (int, float, np.number)) and records >= 0):
        raise ValueError(f"`records` must be a number of records, 0 or more; got {records!r}.")
    if not (isinstance(share, (int, float, np.number)) and 0 <= share <= 1):
        raise ValueError(f"`share` must be a fraction from 0 to 1; got {share!r}. Divide a percentage by 100.")


def one_way_check(o: Any, s: Any, *, counted: Any = None, records: float = 50, share: float = 0.9) -> xr.Dataset:
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
    See theory/exclusions.md. synthpop checks only the target with most disclosed records, which gives the same result for a `share` of 0.5
    or more.

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

    def formula(o: Table, s: Table, counted: Table | None = None) -> Array:
        return disclosed(o, s, counted).target_total()

    sure = tables_of(counted, o=o, s=s).map(formula, "disclosed", ("target",))
    part = sure.copy(data=ratio(sure.values, sure.values.sum(-1, keepdims=True), np.nan))
    found = {"disclosed": sure, "share": part, "flagged": (sure > records) & (part > share)}
    return Result(found, attrs={"result": "One-way check"})


def two_way_check(o: Any, s: Any, *, counted: Any = None, records: float = 4, share: float = 0.8) -> xr.Dataset:
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
    See theory/exclusions.md.

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

    def looked_at(o: Table, s: Table, counted: Table | None = None) -> Table:
        found = disclosed(o, s, counted)
        return found.like(found.values * (found.values > records))

    aligned = tables_of(counted, o=o, s=s)
    axis = aligned.axes["key"]
    if axis is None:
        columns = [("key_", np.arange(aligned.sizes["key"]), list(range(aligned.sizes["key"])))]
    else:
        columns = list(zip(names_of(axis), map(np.asarray, axis.codes), [list(map(canonical, x)) for x in axis.levels], strict=True))

    def levels(of: Table) -> Array:
        return np.concatenate([of.by_level(codes, len(labels)) for _, codes, labels in columns], axis=-1)

    out = ("target", "level")
    sure = aligned.map(lambda *tables: levels(looked_at(*tables)), "disclosed", out)
    known = aligned.map(lambda o, s, *_: levels(o) + 0 * levels(s), "records", out)
    part = known.copy(data=ratio(known.values, known.values.sum(-2, keepdims=True), np.nan))
    names = [(name, label) for name, _, labels in columns for label in labels]
    shown = np.empty(len(names), object)
    shown[:] = [label for _, label in names]
    flagged = (sure > 0) & (part > share)
    found = Result({"disclosed": sure, "records": known, "share": part, "flagged": flagged}, attrs={"result": "Two-way check"})
    return found.assign_coords(column=("level", [name for name, _ in names]), label=("level", shown))
