"""Equivalence classes of one table: their sizes, the re-identification risk of their records, and the diversity of their targets.

An equivalence class, or class, is the set of records that share a key. A key without records is not a class.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import xarray as xr

from capstats.codes.checks import check_choice, check_integer, shown
from capstats.tables.aligned import Aligned
from capstats.tables.checking import given_tables
from capstats.tables.printing import Result
from capstats.tables.sums import attribution, check_integers, ratio
from capstats.tables.table import Array, Counts, Floats, Table


def greatest(values: Array, x: Table) -> Floats:
    """The greatest of the values (..., key) over the classes of a table: (...), NaN if it has none."""
    held = x.key_total > 0
    return np.where(held.any(-1), np.where(held, values, -np.inf).max(-1), np.nan)


def least(values: Array, x: Table) -> Floats:
    """The least of the values (..., key) over the classes of a table: (...), NaN if it has none."""
    return -greatest(-values, x)


def smallest_class(x: Table) -> Floats:
    """Number of records of the smallest class, k."""
    return least(x.key_total, x)


def number_of_classes(x: Table) -> Array:
    """Number of keys with records."""
    return np.asarray((x.key_total > 0).sum(-1))


def classes_per_record(x: Table) -> Floats:
    """The mean of 1 / o_.j over records."""
    return ratio(number_of_classes(x), x.total, np.nan)


def check_whole(x: Table) -> None:
    """Raise an error if class sizes may be fractional."""
    check_integers(x, "o", ": the risk is 1 divided by the number of records in a class", "Count the records without weights.")


def k_anonymity(o: Counts) -> xr.DataArray:
    """Number of records in the smallest class: the greatest k for which the table is k-anonymous.

    Every person shares the key with at least k - 1 others.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of the records of one table, of the original, or of a release, given as ``tables.s``; along every other dim each
        element is a separate table.

    Returns
    -------
    DataArray, dims (...)
        min o_.j over keys with o_.j > 0; larger is safer. With weights, the least sum of weights. NaN if the table has no record.

    Raises
    ------
    ValueError, TypeError
        If `o` is not a table of counts (the cell is named).

    See Also
    --------
    class_sizes, anonymity_profile

    Notes
    -----
    See theory/anonymity.md#anonymity. Merging keys never lowers it.

    References
    ----------
    Sweeney (2002), "k-anonymity: a model for protecting privacy", https://doi.org/10.1142/S0218488502001648.

    Examples
    --------
    >>> float(k_anonymity([[2, 0, 1], [3, 0, 1]]))
    2.0
    """
    return Aligned({"o": o}).map(smallest_class, "k_anonymity")


def class_sizes(o: Counts) -> xr.Dataset:
    """Distribution of the class sizes.

    k is the size of the smallest class; this shows how many people are in classes of each size.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of the records of one table; a release is given as ``tables.s``.

    Returns
    -------
    Dataset, dims (..., size)
        ``classes``, the number of classes of each ``size`` that occurs, and ``records``, size times classes. The first
        size is k; ``records`` of size 1 are the unique records. With weights, sizes are sums of weights.

    Raises
    ------
    ValueError, TypeError
        If `o` is not a table of counts (the cell is named).

    See Also
    --------
    k_anonymity, prosecutor_risk

    Notes
    -----
    See theory/anonymity.md#anonymity. The records whose prosecutor risk exceeds 0.2 are those with size below 5.

    References
    ----------
    Sweeney (2002), https://doi.org/10.1142/S0218488502001648.

    Examples
    --------
    >>> sizes = class_sizes([[2, 0, 1, 1], [3, 0, 1, 1]])
    >>> sizes["size"].values.tolist(), sizes.classes.values.tolist(), sizes.records.values.tolist()
    ([2, 5], [2, 1], [4, 5])
    """
    (o,) = given_tables({"o": o}).values()
    aligned = Aligned({"o": o})
    totals = aligned.map(lambda x: x.key_total, "class_sizes", ("key",)).values
    sizes, place = np.unique(totals, return_inverse=True)
    classes = np.zeros((*totals.shape[:-1], len(sizes)), np.int64)
    members = np.ogrid[tuple(map(slice, totals.shape))][:-1]
    np.add.at(classes, (*members, place.reshape(totals.shape)), 1)
    held = sizes > 0
    sizes, classes = sizes[held], classes[..., held]
    found = {"classes": classes, "records": classes * sizes}
    variables = {name: aligned.wrap(values, name, ("size",)) for name, values in found.items()}
    return Result(variables, attrs={"result": "Sizes of equivalence classes", **aligned.weights}).assign_coords(size=sizes)


def prosecutor_risk(o: Counts) -> xr.DataArray:
    """Probability that an intruder who knows a person's key, and that the person is in the table, picks the person's record.

    It depends only on the size of the person's class: it is 1/5 if four others share the key.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of the records of one table; a release is given as ``tables.s``.

    Returns
    -------
    DataArray, dims (..., key)
        1 / o_.j, the risk of each record of a class, from 0 to 1; NaN for a key without records. The greatest value is 1 / k.

    Raises
    ------
    ValueError, TypeError
        If `o` is not a table of counts (the cell is named), or holds fractional weights.

    See Also
    --------
    marketer_risk : its mean over records.

    Notes
    -----
    See theory/anonymity.md#anonymity. Synthetic records do not belong to people. For a synthetic table the value only shows how common
    each released key is.

    References
    ----------
    El Emam and Dankar (2008), "Protecting privacy using k-anonymity", https://doi.org/10.1197/jamia.M2716.

    Examples
    --------
    >>> prosecutor_risk([[2, 0, 1], [3, 0, 1]]).values.tolist()
    [0.2, nan, 0.5]
    """

    def formula(x: Table) -> Floats:
        check_whole(x)
        return ratio(np.ones_like(x.key_total), x.key_total, np.nan)

    return Aligned({"o": o}).map(formula, "prosecutor_risk", ("key",))


def marketer_risk(o: Counts) -> xr.DataArray:
    """Expected share of correct matches if an intruder picks one record for every person of the table.

    A marketer wants many correct matches, not a certain one. Every class gives one correct match on average, whatever its size.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of the records of one table; a release is given as ``tables.s``.

    Returns
    -------
    DataArray, dims (...)
        Number of classes / n, the mean of the prosecutor risk over records, from 0 to 1; NaN if the table has no record.

    Raises
    ------
    ValueError, TypeError
        If `o` is not a table of counts (the cell is named), or holds fractional weights.

    See Also
    --------
    prosecutor_risk

    Notes
    -----
    See theory/anonymity.md#anonymity. It is at most 1 / k.

    References
    ----------
    Dankar and El Emam (2010), "A method for evaluating marketer re-identification risk", https://doi.org/10.1145/1754239.1754271.

    Examples
    --------
    Two classes, seven records:

    >>> round(float(marketer_risk([[2, 0, 1], [3, 0, 1]])), 4)
    0.2857
    """

    def formula(x: Table) -> Floats:
        check_whole(x)
        return classes_per_record(x)

    return Aligned({"o": o}).map(formula, "marketer_risk")


Diversity = Literal["distinct", "entropy", "recursive"]


def greatest_share(x: Table) -> Floats:
    """Greatest share of a target in a class, alpha."""
    return greatest(attribution(x, x.key_total, 0.0).key_greatest(), x)


def distinct_targets(x: Table) -> Floats:
    """Least number of different targets in a class."""
    return least(x.like((x.values > 0).astype(np.int64)).key_total, x)


def least_entropy(x: Table) -> Floats:
    """Exponential of the least entropy of the targets in a class."""
    r = attribution(x, x.key_greatest(), 0.0)  # shares of the greatest, so that equal counts give their number without rounding
    information = r.like(r.values * np.log(np.where(r.values > 0, r.values, 1.0))).key_total
    return least(r.key_total / np.exp(ratio(information, r.key_total, 0.0)), x)


def recursive_factor(x: Table, number: int) -> Floats:
    """Greatest r_1 / (r_l + ... + r_I) of a class, its shares in descending order."""
    return greatest(ratio(x.key_greatest(), x.beyond_largest(number - 1), np.inf), x)


def check_targets(number: Any) -> int:
    """The parameter l of a recursive diversity; raise unless it is a positive integer."""
    return check_integer(number, "l", "an integer number of targets, 1 or more", least=1)


def l_diversity(o: Counts, *, kind: Diversity = "distinct", l: int | None = None) -> xr.DataArray:  # noqa: E741
    """Diversity of the targets in the least diverse class.

    A large class still discloses the target of every member if all of them are ill.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of the records of one table; a release is given as ``tables.s``.
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
        If `kind` is unknown, `l` is missing or superfluous, or `o` is not a table of counts (the cell is named).

    See Also
    --------
    anonymity_profile : all models of two tables.

    Notes
    -----
    See theory/anonymity.md#anonymity. pyCANON sorts the shares in ascending order, truncates the entropy l to an integer, and mixes up
    records if the index of its frame is not 0, 1, ...

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
    check_choice(kind, "kind", get_args(Diversity))
    if (l is not None) != (kind == "recursive"):
        raise ValueError(f'`l` must be given with kind="recursive", and only then; got kind={kind!r}, l={shown(l)}.')
    if l is not None:
        number = check_targets(l)
        return Aligned({"o": o}).map(lambda x: recursive_factor(x, number), "l_diversity")
    return Aligned({"o": o}).map(distinct_targets if kind == "distinct" else least_entropy, "l_diversity")
