"""Individual risk of Benedetti and Franconi: the mean of 1 / F, F the size of a class in the population, of which only a sample is known.

The hard part is `mean_reciprocal`: the usual closed form loses all digits for large classes, and for weights near 1.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.labels import MISSING
from capstats.codes.names import hint
from capstats.tables.aligned import Aligned
from capstats.tables.axes import UNLABELLED, names_of
from capstats.tables.checking import shown
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Floats, Index, Table, group_sums
from capstats.tables.ties import at_most

FEW = 20  # records of a class from which TERMS terms of the series are exact for all weights
TERMS = 60


def mean_reciprocal(f: Array, total: Array) -> Floats:
    """E(1 / F) given f, with p = f / total: p * integral of u**(f - 1) / (p + q u) from 0 to 1; NaN where f is 0."""
    f, total = np.broadcast_arrays(np.where(f > 0, f, np.nan), total)
    total = np.maximum(f, total)
    p, q = f / total, (total - f) / total
    few = (f < FEW) & (p < 0.5)
    found = np.empty(p.shape)
    found[few], found[~few] = _by_recurrence(f[few], p[few]), _by_series(f[~few], q[~few])
    return p * found


def _by_series(f: Floats, q: Floats) -> Floats:
    """sum_m q**m / (f C(f + m, m)), whose terms are positive."""
    term = found = 1 / f
    for m in range(1, TERMS):
        term = term * (q * m / (f + m))
        found = found + term
    return found


def _by_recurrence(f: Floats, p: Floats) -> Floats:
    """The integral by I_(g + 1) = (1 / g - p I_g) / q from I_1 = log(1 / p) / q: each step multiplies an error by p / q, below 1 here."""
    q = 1 - p
    found = -np.log(p) / q
    for g in range(1, int(f.max(initial=1))):
        found = np.where(g < f, (1 / g - p * found) / q, found)
    return found


def risks(o: Table, records: Table) -> Floats:
    """The individual risk of the records of each key: shape (..., key)."""
    return mean_reciprocal(records.key_total, o.key_total)


def _sample(tables: xr.Dataset) -> Aligned:
    """Sums of weights and numbers of records on the same cells; raise unless they can be those of the same records."""
    if not isinstance(tables, xr.Dataset):
        raise TypeError(f"`tables` must be the Dataset that tabulate(..., weights=...) returns; got {type(tables).__name__}.")
    aligned = Aligned({"o": tables, "o_records": None})
    if not aligned.whole["o_records"]:
        raise ValueError("`o_records` must hold integers: numbers of records; got fractional counts. Count the records without weights.")
    total, f = aligned.numbers(lambda o, records: {"o": o.key_total, "o_records": records.key_total}, ("key",)).values()
    for rule, wrong in (
        ("`o` must be at least `o_records`, since a record represents at least itself", ~at_most(f, total)),
        ("`o_records` must count the records whose weights `o` adds up", (f == 0) & (total > 0)),
    ):
        if wrong.any():
            raise ValueError(
                f"{rule}; this fails at {int(wrong.sum())} of {wrong.size} keys. A weight is the number of people of the population that a "
                f"record represents: correct the weights, or give both tables of the same records."
            )
    return aligned


def individual_risk(tables: xr.Dataset) -> xr.DataArray:
    """Probability that a record of a weighted sample, linked by its key to a person of the population, is that person's, by key.

    If ten people of the population share your key, a link to you is right with probability 1/10. The ten are not known: the weights of the
    sample say how many there are likely to be.

    Parameters
    ----------
    tables : Dataset, dims (target, key) and any others
        Result of ``tabulate(..., weights=...)``: the sums of sampling weights ``o`` and the numbers of the same records ``o_records``.

    Returns
    -------
    DataArray, dims (..., key)
        E(1 / F) given the f records of the key, each of which is in the sample with probability p = f / sum of their weights: F - f is
        negative binomial. Above p / f, at most 1 / f, and 1 / f where p is 1; larger is riskier. NaN for a key without records.

    Raises
    ------
    ValueError, TypeError
        If the weights of a key add up to less than its number of records, or to more than 0 without any (the key is named); if there
        are no weights, or ``o_records`` holds fractions; if the tables are not counts (the cell is named) or disagree.

    See Also
    --------
    expected_reidentifications : its sum over records. household_risk
    population_profile : 1 / F where a table of the population is known.

    Notes
    -----
    See theory/population.md#individual-risk. Exact to 15 digits for all f and weights. sdcMicro has p / (f - (1 - p)) for f of 3 or more,
    which is too large, by up to 4 % of the risk; and it takes weights below 1, with which the risk may exceed 1. The model is for keys that
    several people of the population share: where most are unique there it is too low, by a factor of 2 to 11 in the notebook's populations.

    References
    ----------
    Benedetti and Franconi (1998), "Statistical and technological solutions for controlled data dissemination", NTTS 98, 225-232.
    Franconi and Polettini (2004), "Individual risk estimation in mu-Argus", https://doi.org/10.1007/978-3-540-25955-8_20.

    Examples
    --------
    One record of weight 5: p = 1/5 and the risk is log(5) / 4. Two records with weights of 11 in all, and three that are everybody:

    >>> import capstats
    >>> people = {"key": ["a", "b", "b", "c", "c", "c"], "weight": [5, 5, 6, 1, 1, 1]}
    >>> risk = individual_risk(capstats.tabulate(people, keys="key", target=None, weights="weight"))
    >>> risk.values.round(5).tolist()
    [0.40236, 0.13804, 0.33333]
    """
    return _sample(tables).map(risks, "individual_risk", ("key",))


def expected_reidentifications(tables: xr.Dataset) -> xr.Dataset:
    """Expected number of records of a weighted sample that are linked to the right person, if each is linked by its key.

    A person of the population with the key of the record is picked at random for each record.

    Parameters
    ----------
    tables : Dataset, dims (target, key) and any others
        Sums of sampling weights and numbers of records, as in `individual_risk`.

    Returns
    -------
    Dataset, dims (...)
        ``records``, the sum of the individual risk over records, from 0 to the number of keys with records; ``share``, the same over all
        records, from 0 to 1. NaN if the sample has no record.

    Raises
    ------
    ValueError, TypeError
        As `individual_risk`.

    See Also
    --------
    individual_risk
    population_profile : the same where a table of the population is known.

    Notes
    -----
    See theory/population.md#individual-risk. The share is the global risk of sdcMicro.

    References
    ----------
    Franconi and Polettini (2004), "Individual risk estimation in mu-Argus", https://doi.org/10.1007/978-3-540-25955-8_20.

    Examples
    --------
    Risks of log(5) / 4 and 1: of the two records, 1.40 are expected to be linked to the right person.

    >>> import capstats
    >>> people = {"key": ["a", "b"], "weight": [5, 1]}
    >>> found = expected_reidentifications(capstats.tabulate(people, keys="key", target=None, weights="weight"))
    >>> round(float(found.records), 5), round(float(found.share), 5)
    (1.40236, 0.70118)
    """

    def formula(o: Table, records: Table) -> dict[str, Floats]:
        f, n = records.key_total, records.total
        expected = np.where(n > 0, np.nansum(f * risks(o, records), -1), np.nan)
        return {"records": expected, "share": ratio(expected, n, np.nan)}

    return Result(_sample(tables).numbers(formula), attrs={"result": "Expected re-identifications"})


def household_risk(tables: xr.Dataset, *, household: str | None = None) -> xr.Dataset:
    """Probability that at least one member of a household is linked to the right person, for each household of a weighted sample.

    Who finds one member of a household has found all of them.

    Parameters
    ----------
    tables : Dataset, dims (target, key) and any others
        Sums of sampling weights and numbers of records, as in `individual_risk`, with the household as a target column:
        ``tabulate(sample, keys=..., target="household", weights=...)``, or ``target=["income", "household"]``.
    household : str, optional
        The target column that says which household a record is of, where there are several.

    Returns
    -------
    Dataset, dims (..., household)
        ``members``, the records of each household; ``risk``, 1 - product of (1 - individual risk) over them, from 0 to 1, at least the
        greatest risk of a member and at most their sum, NaN without members. Of dims (...): ``households``, the expected number of
        households of which a member is linked; ``records``, the expected number of records in them, and ``share``, that over all records.
        These are NaN if the sample has no record.

    Raises
    ------
    ValueError, TypeError
        As `individual_risk`; if there are several target columns and `household` is none of them, or if a household is missing.

    See Also
    --------
    individual_risk

    Notes
    -----
    See theory/population.md#individual-risk: members are linked independently of each other. ``records`` and ``share`` are sdcMicro's
    expected number of re-identifications and global risk by households.

    References
    ----------
    Franconi and Polettini (2004), "Individual risk estimation in mu-Argus", https://doi.org/10.1007/978-3-540-25955-8_20.

    Examples
    --------
    The first household has members with risks 1/2 and 1/2, the second one with risk 1/2. With all weights 1, two records share each key:

    >>> import capstats
    >>> people = {"key": ["a", "b", "b", "a"], "household": [1, 1, 2, 3], "weight": [1, 1, 1, 1]}
    >>> found = household_risk(capstats.tabulate(people, keys="key", target="household", weights="weight"))
    >>> found.risk.values.tolist(), float(found.households), float(found.records)
    ([0.75, 0.5, 0.5], 1.75, 2.5)
    """
    aligned = _sample(tables)
    labels, place, number = _households(aligned, household)

    def formula(o: Table, records: Table) -> dict[str, Array]:
        risk = np.nan_to_num(risks(o, records))
        with np.errstate(divide="ignore", invalid="ignore"):
            nobody = records.values * np.log1p(-records.on_cells(risk))
        missed = records.like(np.where(records.values > 0, nobody, 0.0)).target_total
        members, missed = (group_sums(values, place, number) for values in (records.target_total, missed))
        return {"members": members, "risk": np.where(members > 0, -np.expm1(missed), np.nan)}

    members, risk = aligned.numbers(formula, ("household",)).values()
    n = members.sum("household")
    households, records = (x.sum("household").where(n > 0) for x in (risk, members * risk))
    found = {"members": members.astype(np.int64), "risk": risk, "households": households, "records": records, "share": records / n}
    return Result(found, attrs={"result": "Household risk"}).assign_coords(labels)


def _households(aligned: Aligned, household: str | None) -> tuple[dict[str, pd.Index], Index, int]:
    """The labels of the households, if there are any; the household of each target; and the number of households."""
    axis = aligned.axes["target"]
    names = [UNLABELLED["target"]] if axis is None else names_of(axis)
    if not (isinstance(household, str) and household in names) and (household is not None or len(names) > 1):
        given = "is not given" if household is None else f"is {shown(household)}, which is no target column"
        raise ValueError(f"`household` {given}: name the column with the household of each record.{hint(household, names)}")
    if axis is None:
        number = aligned.sizes["target"]
        return {}, np.arange(number), number
    column = 0 if household is None else names.index(household)
    level = axis.levels[column]
    if MISSING in level:
        raise ValueError(
            f"Records have no household: {names[column]!r} is missing, and they would count as members of one. Give each of them a label "
            f'of its own, or drop them with missing="drop".'
        )
    return {"household": level.rename("household")}, np.asarray(axis.codes[column]), len(level)
