"""Risks of a sample whose population is known: how many people of a register share the key of each record."""

from __future__ import annotations

import numpy as np
import xarray as xr

from capstats.codes.checks import check_number
from capstats.disclosure.attribute import ALONE
from capstats.population.individual import parts
from capstats.tables.aligned import Aligned
from capstats.tables.checking import CELLS, check_unweighted, checked, given_tables
from capstats.tables.printing import Result
from capstats.tables.table import Counts
from capstats.tables.ties import at_most


def classes(o: Counts, population: Counts) -> tuple[xr.DataArray, xr.DataArray]:
    """By key, dims (..., key), matched by their labels: the records f of the sample, and the people of the population.

    Raise unless all records of the sample can belong to people of the population.
    """
    o, population = given_tables({"o": o, "population": population}).values()
    check_unweighted("the risk is 1 divided by a number of people", o=o, population=population)
    of_population = checked(population, "population", CELLS).sum("target")
    aligned = Aligned({"o": o}, by_key={"population": of_population})
    for name, whole in (("o", aligned.whole["o"]), ("population", of_population.dtype.kind == "i")):
        if not whole:
            raise ValueError(f"`{name}` must hold integers: numbers of people; got fractional counts. Count the records without weights.")
    sums = aligned.map(lambda o, people: np.stack(np.broadcast_arrays(o.key_total, people), -2), "o", ("part", "key"))
    f, people = parts(sums, "f", "people").values()
    lacking = (people < f).values
    if lacking.any():
        raise ValueError(
            f"`population` must hold the people of all records of `o`; of {lacking.size} keys {lacking.sum()} have fewer people in it than "
            f"records in `o`. Spell and cut the key columns alike in both tables, and leave out records of people outside the population."
        )
    return f, people


def records(f: xr.DataArray) -> xr.DataArray:
    """Records of the sample; NaN if it has none."""
    n = f.sum("key")
    return n.where(n > 0)


def k_map(o: Counts, *, population: Counts) -> xr.DataArray:
    """Number of people of the population with the key that fewest of them have, of the keys of a sample: the greatest k of a k-map.

    Every person of the sample shares the key with at least k - 1 others, who need not be in the sample.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Integer counts of the records of the sample.
    population : same
        Integer counts of the people of the population, those of the sample among them, such as ``tabulate(register, keys=...,
        target=None).o``. Keys are matched by their labels; targets do not matter.

    Returns
    -------
    DataArray, dims (...)
        Least number of people of a key with records, at least `k_anonymity` of the sample; larger is safer. NaN if the sample has no
        record.

    Raises
    ------
    ValueError, TypeError
        If a key has fewer people in the population than records in the sample, or none (the key is named); if a table holds weights or
        fractions, or is not a table of counts (the cell is named).

    See Also
    --------
    journalist_risk : 1 / k is its greatest value.

    Notes
    -----
    See theory/population.md#population-table.

    References
    ----------
    Sweeney (2001), Computational Disclosure Control, PhD thesis, MIT, for k-map.
    El Emam and Dankar (2008), "Protecting privacy using k-anonymity", https://doi.org/10.1197/jamia.M2716.

    Examples
    --------
    Three keys with 1, 2 and 1 records, and 3, 4 and 5 people in the population:

    >>> float(k_map([[1, 2, 1]], population=[[3, 4, 5]]))
    3.0
    """
    f, people = classes(o, population)
    return people.where(f > 0).min("key").rename("k_map")


def journalist_risk(o: Counts, *, population: Counts) -> xr.DataArray:
    """Probability that a record, linked by its key to a person of the population, is that person's, by key.

    A journalist wants to find anybody, and does not know who is in the sample; whoever knows that is a prosecutor, who finds more.

    Parameters
    ----------
    o, population : array-like or DataArray, dims (target, key) and any others
        Integer counts of the sample and of its population, as in `k_map`.

    Returns
    -------
    DataArray, dims (..., key)
        1 / number of people of the key, from 0 to 1, at most the prosecutor risk; larger is riskier. NaN for a key without records.

    Raises
    ------
    ValueError, TypeError
        As `k_map`.

    See Also
    --------
    population_marketer_risk : its mean over records. population_profile : the greatest, the averages, the share of records at risk.
    individual_risk : its mean where weights are known in place of the population.

    Notes
    -----
    See theory/population.md#population-table. riskutility calls the sampling fraction / f the journalist risk, which takes every key to be
    as frequent in the population as in the sample.

    References
    ----------
    El Emam and Dankar (2008), "Protecting privacy using k-anonymity", https://doi.org/10.1197/jamia.M2716.

    Examples
    --------
    >>> journalist_risk([[1, 2, 0]], population=[[4, 2, 5]]).values.tolist()
    [0.25, 0.5, nan]
    """
    f, people = classes(o, population)
    return (1 / people.where(f > 0)).rename("journalist_risk")


def population_marketer_risk(o: Counts, *, population: Counts) -> xr.DataArray:
    """Expected share of correct matches if an intruder links every record of the sample to a person of the population with its key.

    A marketer wants many correct matches, not a certain one.

    Parameters
    ----------
    o, population : array-like or DataArray, dims (target, key) and any others
        Integer counts of the sample and of its population, as in `k_map`.

    Returns
    -------
    DataArray, dims (...)
        (1 / n) sum over keys of records / people, the mean of `journalist_risk` over records, from 0 to `marketer_risk`, which it is where
        the sample is the population. NaN if the sample has no record.

    Raises
    ------
    ValueError, TypeError
        As `k_map`.

    See Also
    --------
    population_profile

    Notes
    -----
    See theory/population.md#population-table.

    References
    ----------
    Dankar and El Emam (2010), "A method for evaluating marketer re-identification risk", https://doi.org/10.1145/1754239.1754271.

    Examples
    --------
    (1/1 + 2/4 + 1/5) / 4:

    >>> float(population_marketer_risk([[1, 2, 1]], population=[[1, 4, 5]]))
    0.425
    """
    f, people = classes(o, population)
    return (matches(f, people) / records(f)).rename("population_marketer_risk")


def matches(f: xr.DataArray, people: xr.DataArray) -> xr.DataArray:
    """Expected number of correct matches, the sum of f / people over keys."""
    return (f / people.where(f > 0)).sum("key")


def population_profile(o: Counts, *, population: Counts, s: Counts | None = None, threshold: float = 0.2) -> xr.Dataset:
    """What a table of the population says of a sample: risks of the journalist and the marketer, and how unique the sample's uniques are.

    A record that is unique in the sample is a risk only so far as few people of the population have its key.

    Parameters
    ----------
    o, population : array-like or DataArray, dims (target, key) and any others
        Integer counts of the sample and of its population, as in `k_map`.
    s : same, optional
        Integer counts of a release made of the sample.
    threshold : float
        Risk from 0 to 1 above which a record is at risk.

    Returns
    -------
    Dataset, dims (...)
        - ``k_map``, as the function of this name;
        - ``journalist_greatest``, ``journalist_average``, ``journalist_class_average``, ``journalist_at_risk``: the greatest
          `journalist_risk`; its mean over records, which is `population_marketer_risk`; the number of keys of the sample over all people
          who have one of them; the share of records whose risk is above the threshold. From 0 to 1;
        - ``expected_matches``, the sum of the risk over records, and ``expected_unique_matches``, over those that are unique in the sample;
        - ``sample_uniques``, ``population_uniques``, numbers of records that are unique in the sample, and in the population as well;
          with `s`, ``replicated_population_uniques``: those of the latter whose key exactly one record of the release has;
        - ``population_unique_share``, the second over the first; ``unique_match_share``, the probability that a match of a person of the
          population with a record that is unique in the sample is correct: sample uniques over all people with their keys.

        Risks are NaN if the sample has no record; the two shares if it has no unique one.

    Raises
    ------
    ValueError, TypeError
        As `k_map`; if `threshold` is no number from 0 to 1.

    See Also
    --------
    expected_reidentifications : where weights are known in place of the population.

    Notes
    -----
    See theory/population.md#population-table. ARX prints the greater of the two averages as the journalist's.

    References
    ----------
    El Emam (2013), Guide to the De-Identification of Personal Health Information, https://doi.org/10.1201/b14764.
    Skinner and Elliot (2002), "A measure of disclosure risk for microdata", https://doi.org/10.1111/1467-9868.00365, for the last share.

    Examples
    --------
    Two of the three keys are unique in the sample. One of them is unique in the population, the other one is shared by five people:

    >>> found = population_profile([[1, 2, 1]], population=[[1, 4, 5]])
    >>> found.journalist_average.item(), found.journalist_class_average.item(), found.journalist_at_risk.item()
    (0.425, 0.3, 0.75)
    >>> found.population_unique_share.item(), round(found.unique_match_share.item(), 3), found.expected_unique_matches.item()
    (0.5, 0.333, 1.2)
    """
    limit = check_number(threshold, "threshold", "a risk from 0 to 1", least=0, most=1)
    f, people = classes(o, population)
    held, unique, n = f > 0, f == 1, records(f)
    risk = 1 / people.where(held)
    uniques, of_uniques = unique.sum("key"), people.where(unique).sum("key")
    both = (unique & (people == 1)).sum("key")
    found = {
        "k_map": people.where(held).min("key"),
        "journalist_greatest": risk.max("key"),
        "journalist_average": matches(f, people) / n,
        "journalist_class_average": held.sum("key") / people.where(held).sum("key").where(n > 0),
        "journalist_at_risk": f.where(held & ~at_most(risk, limit), 0).sum("key") / n,
        "expected_matches": matches(f, people).where(n > 0),
        "expected_unique_matches": risk.where(unique).sum("key").where(n > 0),
        "sample_uniques": uniques,
        "population_uniques": both,
        **({} if s is None else {"replicated_population_uniques": (_replicated(o, s) & (people == 1)).sum("key")}),
        "population_unique_share": both / uniques.where(uniques > 0),
        "unique_match_share": uniques / of_uniques.where(uniques > 0),
    }
    return Result(found, attrs={"result": "Sample in its population", "threshold": limit})


def _replicated(o: Counts, s: Counts) -> xr.DataArray:
    """Whether one record of the sample and one of the release have the key: dims (..., key)."""
    check_unweighted(ALONE, s=s)
    return Aligned({"o": o, "s": s}).map(lambda o, s: (o.key_total == 1) & (s.key_total == 1), "replicated", ("key",))


def delta_presence(o: Counts, *, population: Counts) -> xr.Dataset:
    """Least and greatest probability that a person of the population is in the sample, for an intruder who knows the person's key.

    To be in a sample of patients may be the secret. If all people of the population with your key are in it, so are you.

    Parameters
    ----------
    o, population : array-like or DataArray, dims (target, key) and any others
        Integer counts of the sample and of its population, as in `k_map`.

    Returns
    -------
    Dataset, dims (...)
        ``delta_min`` and ``delta_max``, the least and the greatest records / people over all keys of the population, those that are not in
        the sample (0) included; the sampling fraction is between them. From 0 to 1; NaN if the population has nobody.

    Raises
    ------
    ValueError, TypeError
        As `k_map`.

    Notes
    -----
    See theory/population.md#population-table. A table is (a, b)-present if a <= ``delta_min`` and ``delta_max`` <= b.

    References
    ----------
    Nergiz, Atzori and Clifton (2007), "Hiding the presence of individuals from shared databases",
    https://doi.org/10.1145/1247480.1247554.

    Examples
    --------
    Nobody of the first key is in the sample, and everybody of the third:

    >>> found = delta_presence([[0, 2, 3]], population=[[5, 4, 3]])
    >>> float(found.delta_min), float(found.delta_max)
    (0.0, 1.0)
    """
    f, people = classes(o, population)
    share = f / people.where(people > 0)
    found = {"delta_min": share.min("key"), "delta_max": share.max("key")}
    return Result(found, attrs={"result": "Delta-presence"})
