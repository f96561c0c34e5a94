"""Risks of a sample whose population is known: how many people of a register share the key of each record."""

from __future__ import annotations

import xarray as xr

from capstats.codes.checks import check_number
from capstats.disclosure.attribute import ALONE
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
    f, people = aligned.numbers(lambda o, people: {"f": o.key_total, "people": people}, ("key",)).values()
    lacking = (people < f).values
    if lacking.any():
        raise ValueError(
            f"`population` must hold the people of all records of `o`; of {lacking.size} keys {lacking.sum()} have fewer people in it than "
            f"records in `o`. Spell and cut the key columns alike in both tables, and leave out records of people outside the population."
        )
    return f, people


def population_profile(o: Counts, *, population: Counts, s: Counts | None = None, threshold: float = 0.2) -> xr.Dataset:
    """What a table of the population says of a sample: risks of the journalist and the marketer, and how unique the sample's uniques are.

    A record that is unique in the sample is a risk only so far as few people of the population have its key.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Integer counts of the records of the sample.
    population : same
        Integer counts of the people of the population, those of the sample among them, such as ``tabulate(register, keys=...,
        target=None).o``. Keys are matched by their labels; targets do not matter.
    s : same, optional
        Integer counts of a release made of the sample.
    threshold : float
        Risk from 0 to 1 above which a record is at risk.

    Returns
    -------
    Dataset, dims (...)
        - ``k_map``: the least number of people of a key of the sample, at least `k_anonymity` of the sample; larger is safer;
        - ``journalist_greatest``, ``journalist_average``, ``journalist_class_average``, ``journalist_at_risk``: the journalist's risk is 1
          over the number of people of the record's key. The greatest; its mean over records, which is the marketer's risk; the number of
          keys of the sample over all people who have one of them; the share of records whose risk is above the threshold. From 0 to 1;
        - ``expected_matches``, the sum of the risk over records, and ``expected_unique_matches``, over those that are unique in the sample;
        - ``sample_uniques``, ``population_uniques``, numbers of records that are unique in the sample, and in the population as well;
          with `s`, ``replicated_population_uniques``: those of the latter whose key exactly one record of the release has;
        - ``population_unique_share``, the second over the first; ``unique_match_share``, the probability that a match of a person of the
          population with a record that is unique in the sample is correct: sample uniques over all people with their keys.

        Risks are NaN if the sample has no record; the two shares if it has no unique one.

    Raises
    ------
    ValueError, TypeError
        If a key has fewer people in the population than records in the sample, or none (the key is named); if a table holds weights or
        fractions, or is not a table of counts (the cell is named); or if `threshold` is no number from 0 to 1.

    See Also
    --------
    expected_reidentifications : where weights are known in place of the population.

    Notes
    -----
    See theory/population.md#population-table. ARX prints the greater of the two averages as the journalist's. By key, the journalist's risk
    is ``1 / t.o.where(t.s > 0)``, with ``t = tabulate(register, sample, keys=..., target=None)``.

    References
    ----------
    Sweeney (2001), Computational Disclosure Control, PhD thesis, MIT, for k-map.
    El Emam and Dankar (2008), https://doi.org/10.1197/jamia.M2716, for the journalist, Dankar and El Emam (2010),
    https://doi.org/10.1145/1754239.1754271, for the marketer.
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
    held, unique, n = f > 0, f == 1, f.sum("key").where(lambda n: n > 0)
    risk = 1 / people.where(held)
    matches = (f * risk).sum("key").where(n > 0)
    uniques, of_uniques = unique.sum("key"), people.where(unique).sum("key")
    both = (unique & (people == 1)).sum("key")
    found = {
        "k_map": people.where(held).min("key"),
        "journalist_greatest": risk.max("key"),
        "journalist_average": matches / n,
        "journalist_class_average": held.sum("key") / people.where(held).sum("key").where(n > 0),
        "journalist_at_risk": f.where(held & ~at_most(risk, limit), 0).sum("key") / n,
        "expected_matches": matches,
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
