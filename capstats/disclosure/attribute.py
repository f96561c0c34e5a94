"""Disclosure with certainty: pure keys, whose records all have the same target; and unique keys, which one record has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from capstats.tables.aligned import Aligned
from capstats.tables.checking import check_unweighted, given_tables
from capstats.tables.sums import certain, check_integers, ratio
from capstats.tables.table import Array, Counts, Floats, Release, Table

ALONE = "a key is unique if one record has it"


def among(o: Table, counted: Table | None = None) -> Table:
    """The records of `o` that may count in a numerator: all of them, or those given as `counted`."""
    if counted is None:
        return o
    if (counted.values > o.values).any():
        raise ValueError(
            "`counted` must hold a part of the records of `o`; it has more than `o` in at least one cell. "
            "Give `o_counted` of the result of `exclude`, or counts of a part of the same records."
        )
    return counted


def tables_of(counted: Any, **tables: Any) -> Aligned:
    """The aligned tables, followed by `counted` if given."""
    return Aligned(tables if counted is None else {**tables, "counted": counted})


def disclosed(o: Table, s: Table, counted: Table | None = None) -> Table:
    """The records that an intruder attributes with certainty and correctly, in their cells."""
    sure = certain(s)
    return sure.like(sure.values * among(o, counted).values)


def share_of_keys(o: Table, keys: Array, counted: Table | None = None) -> Floats:
    """Share of the records of `o` that are counted and have one of the given keys: shape (...)."""
    return ratio((among(o, counted).key_total * keys).sum(-1), o.total, np.nan)


def _share(name: str, keys: Callable[..., Array], counted: Counts | None, *tables: Release) -> xr.DataArray:
    """Share of the records of the first table that are counted and have one of the keys that a formula of all tables gives."""

    def formula(*aligned: Table) -> Floats:
        return share_of_keys(aligned[0], keys(*aligned[: len(tables)]), *aligned[len(tables) :])

    return tables_of(counted, **dict(zip("os", tables, strict=False))).map(formula, name)


def disco(o: Counts, s: Release = None, *, counted: Counts | None = None) -> xr.DataArray:
    """Share of original records whose target is disclosed with certainty: all synthetic records with their key have it (DiSCO).

    For these people an intruder is certain of the target, and right.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.
    counted : same, optional
        Counts of those records of `o` that may count in the numerator, such as `exclude` returns. The others stay in the denominator, and
        only `o` and `s` decide which keys are pure, so an exclusion never creates a disclosure.

    Returns
    -------
    DataArray, dims (...)
        d / n, from 0 to 1; larger is riskier. NaN if `o` has no record.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), disagree in shape or labels, or `counted` exceeds `o` in a cell.

    See Also
    --------
    dis, dio, tcap, record_risk

    Notes
    -----
    See theory/certainty.md#attribute-disclosure.

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    Both synthetic records of the first key are sick, and so are 3 of its 4 original records; the second key is not pure:

    >>> float(disco([[3, 2], [1, 4]], [[2, 1], [0, 1]]))
    0.3
    """
    aligned = tables_of(counted, o=o, s=s)
    return aligned.map(lambda o, *others: ratio(disclosed(o, *others).total, o.total, np.nan), "disco")


def dis(o: Counts, s: Release = None, *, counted: Counts | None = None) -> xr.DataArray:
    """Share of original records whose key has a single target in the synthetic table, right or wrong (DiS).

    For these people an intruder is certain of the target.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.
    counted : same, optional
        Counts of those records of `o` that may count in the numerator; see `disco`.

    Returns
    -------
    DataArray, dims (...)
        From 0 to 1. NaN where `o` holds no record.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), disagree in shape or labels, or `counted` exceeds `o` in a cell.

    Notes
    -----
    See theory/certainty.md#attribute-disclosure: `disco` is at most this share, which is at most the share of matched records.

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    >>> float(dis([[3, 2], [1, 4]], [[2, 1], [0, 1]]))
    0.4
    """
    return _share("dis", lambda _, s: certain(s).key_total, counted, o, s)


def dio(o: Counts, *, counted: Counts | None = None) -> xr.DataArray:
    """Share of the records of a table whose key has a single target in the same table (DiO).

    For the original: the share of people whose target is determined by their key, regardless of the release. For the synthetic table: the
    share of synthetic records that look disclosive (Dsyn).

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of records.
    counted : same, optional
        Counts of those records of `o` that may count in the numerator; see `disco`.

    Returns
    -------
    DataArray, dims (...)
        From 0 to 1. NaN where `o` holds no record.

    Raises
    ------
    ValueError, TypeError
        If the table is not one of counts (the cell is named), or `counted` disagrees with `o` or exceeds it in a cell.

    Notes
    -----
    See theory/certainty.md#attribute-disclosure. Adding a key column never lowers it.

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    >>> float(dio([[3, 2, 0], [1, 0, 4]]))
    0.6
    """
    return _share("dio", lambda o: certain(o).key_total, counted, o)


def records_by_key(x: Table, name: str = "o") -> Array:
    """Number of records of each key: shape (..., key); raise where counts are fractional."""
    check_integers(x, name, f": {ALONE}", "Count without weights.")
    return x.key_total


def share_unique(o: Counts, s: Release = None, *, counted: Counts | None = None) -> xr.DataArray:
    """Share of the records of a table with a unique key; with `s`, only those whose key occurs in that table too.

    A person with a unique key can be identified by it. ``share_unique(o)``, ``share_unique(s)`` and ``share_unique(o, s)`` are known
    as UiO, UiS and UiOiS.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Integer counts of the table in which keys are unique.
    s : same, optional
        Counts of the other table.
    counted : same, optional
        Counts of those records of `o` that may count in the numerator, such as `exclude` returns. The others stay in the denominator.
        Only `o` decides which keys are unique, so an exclusion never creates a unique.

    Returns
    -------
    DataArray, dims (...)
        From 0 to 1. NaN where `o` holds no record.

    Raises
    ------
    ValueError, TypeError
        If `o` has fractional counts or sampling weights (then give ``tables.o_records``), the tables are not counts or disagree, or
        `counted` exceeds `o` in a cell.

    See Also
    --------
    share_replicated

    Notes
    -----
    See theory/certainty.md#uniques.

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    Two of four people have a unique key, and one of these keys is in the synthetic table:

    >>> o, s = [[1, 0, 1], [0, 1, 1]], [[0, 3, 0], [0, 0, 1]]
    >>> float(share_unique(o)), float(share_unique(o, s))
    (0.5, 0.25)
    """
    (o,) = given_tables({"o": o}).values()
    check_unweighted(ALONE, o=o)
    if s is None:
        return _share("share_unique", lambda o: records_by_key(o) == 1, counted, o)
    return _share("share_unique", lambda o, s: (records_by_key(o) == 1) & (s.key_total > 0), counted, o, s)


def share_replicated(o: Counts, s: Release = None, *, counted: Counts | None = None) -> xr.DataArray:
    """Share of original records with a unique key that exactly one synthetic record has (repU).

    A single synthetic record with a single person's key looks like that person, whether it was copied or not.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Integer counts of original and synthetic records.
    counted : same, optional
        Counts of those records of `o` that may count in the numerator; see `share_unique`.

    Returns
    -------
    DataArray, dims (...)
        From 0 to 1. NaN where `o` holds no record.

    Raises
    ------
    ValueError, TypeError
        If counts are fractional or sums of sampling weights, the tables are not counts or disagree, or `counted` exceeds `o` in a cell.

    Notes
    -----
    See theory/certainty.md#uniques: never above ``share_unique(o, s)``.

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    The second key is unique in `o` and has three synthetic records; the first is unique in both tables:

    >>> float(share_replicated([[1, 0, 1], [0, 1, 1]], [[0, 3, 0], [1, 0, 1]]))
    0.25
    """
    o, s = given_tables({"o": o, "s": s}).values()
    check_unweighted(ALONE, o=o, s=s)
    return _share("share_replicated", lambda o, s: (records_by_key(o) == 1) & (records_by_key(s, "s") == 1), counted, o, s)
