"""Diversity of the targets within each class: (alpha, k)-anonymity and l-diversity of one table."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import xarray as xr

from capstats.anonymity.classes import greatest, k_anonymity, least, of_table
from capstats.tables.printing import Result
from capstats.tables.sums import attribution, ratio
from capstats.tables.table import Floats, Table

Diversity = Literal["distinct", "entropy", "recursive"]


def greatest_share(x: Table) -> Floats:
    """Greatest share of a target in a class, alpha."""
    return greatest(attribution(x, x.key_total(), 0.0).key_greatest(), x)


def distinct_targets(x: Table) -> Floats:
    """Least number of different targets in a class."""
    return least(x.like((x.values > 0).astype(np.int64)).key_total(), x)


def least_entropy(x: Table) -> Floats:
    """Exponential of the least entropy of the targets in a class."""
    r = attribution(x, x.key_total(), 0.0)
    information = -np.log(np.where(r.values > 0, r.values, 1.0))
    return np.exp(least(r.like(r.values * information).key_total(), x))


def recursive_factor(x: Table, number: int) -> Floats:
    """Greatest r_1 / (r_l + ... + r_I) of a class, its shares in descending order."""
    return greatest(ratio(x.key_greatest(), x.beyond_largest(number - 1), np.inf), x)


def check_number(number: int) -> None:
    """Raise an error unless `number` is a positive integer."""
    if not isinstance(number, (int, np.integer)) or isinstance(number, bool) or number < 1:
        raise ValueError(f"`l` must be an integer number of targets, 1 or more; got {number!r}.")


def alpha_k_anonymity(table: Any) -> xr.Dataset:
    """The smallest alpha and the greatest k for which a table is (alpha, k)-anonymous.

    k is the least number of people who share a key; alpha is the greatest probability of a correct guess of the target within a class.

    Parameters
    ----------
    table : array-like or DataArray, dims (target, key) and any others
        Counts of the records of one table.

    Returns
    -------
    Dataset, dims (...)
        ``alpha``, the greatest share of a target in a class, max r_ij, above 0 and at most 1, smaller is safer; ``k``, as in
        `k_anonymity`. NaN if the table has no record.

    Raises
    ------
    ValueError, TypeError
        If `table` is not a table of counts (the cell is named).

    See Also
    --------
    satisfies_anonymity : the check for a given alpha and k.

    Notes
    -----
    See theory/anonymity.md. This is the general model, in which every target is sensitive. If only one target is sensitive, alpha is
    ``individual_cap(table, table).sel(target=...).max("key")``.

    References
    ----------
    Wong, Li, Fu and Wang (2006), "(alpha, k)-anonymity", https://doi.org/10.1145/1150402.1150499.

    Examples
    --------
    >>> found = alpha_k_anonymity([[1, 2], [3, 2]])
    >>> float(found.alpha), float(found.k)
    (0.75, 4.0)
    """
    found = {"alpha": of_table(table, greatest_share, "alpha"), "k": k_anonymity(table)}
    return Result(found, attrs={"result": "(alpha, k)-anonymity"})


def l_diversity(table: Any, *, kind: Diversity = "distinct", l: int | None = None) -> xr.DataArray:  # noqa: E741
    """Diversity of the targets in the least diverse class.

    A large class still discloses the target of every member if all of them are ill.

    Parameters
    ----------
    table : array-like or DataArray, dims (target, key) and any others
        Counts of the records of one table.
    kind : {"distinct", "entropy", "recursive"}
        - "distinct": the greatest l for which each class has l different targets;
        - "entropy": the greatest l for which the entropy of the targets in each class is at least log(l);
        - "recursive": for the given `l`, the value that c must exceed for the table to be recursively (c, l)-diverse.
    l : int, optional
        For "recursive": 1 or more.

    Returns
    -------
    DataArray, dims (...)
        - "distinct": min over classes of the number of targets with r_ij > 0, from 1;
        - "entropy": min over classes of exp(-sum_i r_ij ln r_ij), a real number from 1 to the distinct l; larger is safer;
        - "recursive": max over classes of r_1 / (r_l + ... + r_I), the shares of a class in descending order; smaller is safer. The
          definition requires r_1 < c (r_l + ... + r_I), so the table is (c, l)-diverse for every greater c, but not for this one.
          Infinite if a class has fewer than l targets.

        NaN if the table has no record.

    Raises
    ------
    ValueError, TypeError
        If `kind` is unknown, `l` is missing or superfluous, or `table` is not a table of counts (the cell is named).

    See Also
    --------
    satisfies_anonymity : the check for given l and c.

    Notes
    -----
    See theory/anonymity.md. pyCANON sorts the shares in ascending order, truncates the entropy l to an integer, and mixes up records if
    the index of its frame is not 0, 1, ...

    References
    ----------
    Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam (2007), "l-diversity", https://doi.org/10.1145/1217299.1217302.

    Examples
    --------
    The only class has 8, 1 and 1 records of its three targets:

    >>> table = [[8], [1], [1]]
    >>> float(l_diversity(table)), round(float(l_diversity(table, kind="entropy")), 4)
    (3.0, 1.8946)
    >>> float(l_diversity(table, kind="recursive", l=2)), float(l_diversity(table, kind="recursive", l=3))
    (4.0, 8.0)
    """
    if kind not in ("distinct", "entropy", "recursive"):
        raise ValueError(f'`kind` must be "distinct", "entropy" or "recursive"; got {kind!r}.')
    if (l is not None) != (kind == "recursive"):
        raise ValueError(f'`l` must be given with kind="recursive", and only then; got kind={kind!r}, l={l!r}.')
    if l is not None:
        check_number(l)
        return of_table(table, lambda x: recursive_factor(x, l), "l_diversity")
    return of_table(table, distinct_targets if kind == "distinct" else least_entropy, "l_diversity")
