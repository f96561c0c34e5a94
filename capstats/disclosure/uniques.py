"""Unique keys: keys with exactly one record, in one table or in both."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.disclosure.attribute import share_of_keys, tables_of
from capstats.tables.checking import weights_of
from capstats.tables.sums import check_integers
from capstats.tables.table import Array, Floats, Table


def alone(x: Table, name: str) -> Array:
    """Whether a key has exactly one record: shape (..., key)."""
    check_integers(x, name, ": a key is unique if one record has it", "Count without weights.")
    return np.asarray(x.key_total() == 1)


def _check_unweighted(tables: dict[str, Any]) -> None:
    """Raise an error if a table holds sums of sampling weights, which are not numbers of records."""
    for name, table in tables.items():
        if (column := weights_of(table)) is not None:
            raise ValueError(
                f"`{name}` holds sums of the sampling weights {column!r}, but a key is unique if one record has it. "
                f"Give the numbers of records, tables.{name}_records."
            )


def sample_uniques(o: Any, s: Any = None, *, counted: Any = None) -> xr.DataArray:
    """Share of the records of a table with a unique key; with `s`, only those whose key occurs in that table too.

    A person with a unique key can be identified by it. ``sample_uniques(o)``, ``sample_uniques(s)`` and ``sample_uniques(o, s)`` are known
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
    replicated_uniques

    Notes
    -----
    See theory/uniques.md.

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    Two of four people have a unique key, and one of these keys is in the synthetic table:

    >>> o, s = [[1, 0, 1], [0, 1, 1]], [[0, 3, 0], [0, 0, 1]]
    >>> float(sample_uniques(o)), float(sample_uniques(o, s))
    (0.5, 0.25)
    """
    _check_unweighted({"o": o})
    if s is None:
        return tables_of(counted, o=o).map(lambda o, counted=None: share_of_keys(o, alone(o, "o"), counted), "sample_uniques")

    def formula(o: Table, s: Table, counted: Table | None = None) -> Floats:
        return share_of_keys(o, alone(o, "o") & (s.key_total() > 0), counted)

    return tables_of(counted, o=o, s=s).map(formula, "sample_uniques")


def replicated_uniques(o: Any, s: Any, *, counted: Any = None) -> xr.DataArray:
    """Share of original records with a unique key that exactly one synthetic record has (repU).

    A single synthetic record with a single person's key looks like that person, whether it was copied or not.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Integer counts of original and synthetic records.
    counted : same, optional
        Counts of those records of `o` that may count in the numerator; see `sample_uniques`.

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
    See theory/uniques.md: never above ``sample_uniques(o, s)``.

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    The second key is unique in `o` and has three synthetic records; the first is unique in both tables:

    >>> float(replicated_uniques([[1, 0, 1], [0, 1, 1]], [[0, 3, 0], [1, 0, 1]]))
    0.25
    """
    _check_unweighted({"o": o, "s": s})

    def formula(o: Table, s: Table, counted: Table | None = None) -> Floats:
        return share_of_keys(o, alone(o, "o") & alone(s, "s"), counted)

    return tables_of(counted, o=o, s=s).map(formula, "replicated_uniques")
