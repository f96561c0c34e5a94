"""How many of the people who are unique in a sample are unique in the population.

The models of class sizes are in `class_size_models`; the log-linear model, which uses the columns of the key, is here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr

from capstats.codes.checks import check_choice, check_integer, whole
from capstats.codes.labels import canonical
from capstats.disclosure.attribute import ALONE, records_by_key, share_replicated
from capstats.population.class_size_models import PARAMETERS, ClassSizes, estimated
from capstats.tables.aligned import Aligned
from capstats.tables.checking import check_unweighted, given_tables
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import EXACT, Array, Counts, Floats, Release, Table

PopulationModel = Literal["pitman", "ewens", "zayatz", "snb", "dankar", "loglinear"]

NAMES = {
    "pitman": "Ewens-Pitman model",
    "ewens": "Ewens model",
    "zayatz": "Zayatz's estimate",
    "snb": "slide negative binomial model",
    "dankar": "rule of Dankar and others",
    "loglinear": "log-linear model, main effects",
}
TOTALS = ["given_sample", "unconditional", "asymptotic"]
ERRORS = ["probability_error", "among_sample_uniques_error", "given_sample_error"]
UNDEFINED = {
    "zayatz": "two totals; standard errors, for want of a likelihood",
    "snb": "two totals; standard errors, for want of a likelihood",
    "loglinear": "totals and standard errors, which need all keys",
}


def population_uniqueness(
    o: Counts | Mapping[int, int] | xr.Dataset,
    *,
    population_size: float,
    model: PopulationModel = "pitman",
    s: Release = None,
    margins: Counts | None = None,
) -> xr.Dataset:
    """Probability that a person who is unique in the sample is unique in the population, and expected numbers of such people.

    A person whose key is unique in the sample may share it with people outside. Only a person whose key is unique in the population is
    identified by it.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others; or class sizes
        Integer counts of the records of the sample, or only its class sizes: a mapping {size: number of classes}, or what
        `anonymity.class_sizes` returns. The sample is a simple random one, of n records.
    population_size : int
        N, the number of people in the population, n or more.
    model : {"pitman", "ewens", "zayatz", "snb", "dankar", "loglinear"}
        - "pitman": the Ewens-Pitman partition with parameters alpha, from 0 to 1, and theta, fitted by maximum likelihood;
        - "ewens": the same with alpha = 0;
        - "zayatz": the shares of classes of each size are taken to be those of the sample;
        - "snb": class sizes are 1 + a negative binomial number, fitted to the numbers of classes with one and with two records;
        - "dankar": Pitman where n is at most N / 10, or else the lower total of SNB and Zayatz; Zayatz where the first does not exist;
        - "loglinear": the columns of the key are independent. Needs a labelled table.
    s : same as `o`, optional
        Counts of a release, made of the sample and of nothing else that is known of the population.
    margins : same as `o`, optional
        With "loglinear": the table whose levels have the shares of the population, such as sums of sampling weights. By default `o`. They
        mend the margins alone: every record is still taken to be sampled with probability n / N.

    Returns
    -------
    Dataset, dims (...)
        - ``probability``, P(population unique | sample unique), from 0 to 1; NaN without a sample unique;
        - ``among_sample_uniques``, the expected number of population uniques among the sample uniques, n_1 times the probability;
        - ``among_replicated_uniques``, with `s`: that number among the sample uniques that `share_replicated` counts;
        - ``given_sample``, ``unconditional`` and ``asymptotic``, the expected number of uniques in the whole population: given the sample;
          before it is drawn; and the limit of this for a large population. NaN where the model has no such number;
        - ``theta``, ``alpha``, ``beta``, ``population_classes``: the parameters of the model; ``chosen``: the model that "dankar" took;
        - ``correct_matches``, with "loglinear": the expected number of correct matches, if each sample unique is matched with one person
          who has the key;
        - ``probability_error``, ``among_sample_uniques_error``, ``given_sample_error``: standard errors, of the parameters alone, for
          Pitman and Ewens;
        - ``status``: "estimated", or why numbers are NaN. What is not estimable is NaN, never 0. Numbers that the model never has are named
          in ``attrs["undefined"]``.

    Raises
    ------
    ValueError, TypeError
        If `o` has fractional counts or sampling weights (then give ``tables.o_records``), the sample is larger than the population,
        "loglinear" or `s` comes with class sizes, the tables are not counts or disagree, or `margins` lacks a level of a sample unique.

    See Also
    --------
    capstats.disclosure.share_unique, capstats.disclosure.share_replicated

    Notes
    -----
    See theory/population.md#population-uniqueness; for the only root of the equations of "snb"
    theory/population.md#slide-negative-binomial; for "loglinear" theory/population.md#poisson-models; for
    releases theory/population.md#replicated-population-uniques. No model is right for every population: estimates can differ by a
    factor of ten and more (notebook "population"). Where "pitman" has alpha = 0, "ewens" has the errors. Zayatz's probability is 1
    where all records are unique, an upper bound. The errors say how exactly the parameters are known, not whether the model holds.

    References
    ----------
    Hoshino (2001), "Applying Pitman's sampling formula to microdata disclosure risk assessment", Journal of Official Statistics 17.
    Skinner and Shlomo (2008), https://doi.org/10.1198/016214507000001328. Dankar et al. (2012), https://doi.org/10.1186/1472-6947-12-66.

    Examples
    --------
    Two of four people are unique in the sample. With theta = 3.7664 a unique of 4 of 8 people stays one with probability
    (theta + 3) / (theta + 7):

    >>> found = population_uniqueness({1: 2, 2: 1}, population_size=8, model="ewens")
    >>> round(float(found.theta), 4), round(float(found.probability), 4), round(float(found.among_sample_uniques), 4)
    (3.7664, 0.6285, 1.2569)

    One of the two has a key that exactly one record of the release has:

    >>> o, s = [[1, 1, 1], [1, 0, 0]], [[0, 1, 0], [1, 0, 2]]
    >>> round(float(population_uniqueness(o, population_size=8, model="ewens", s=s).among_replicated_uniques), 4)
    0.6285
    """
    check_choice(model, "model", get_args(PopulationModel))
    people = "the number of people in the population, a whole number"
    population = check_integer(whole(population_size), "population_size", people, least=1, most=EXACT)
    if margins is not None and model != "loglinear":
        raise ValueError(f'`margins` are those of the model "loglinear"; got model={model!r}.')
    if not _are_sizes(o):
        given = given_tables({"o": o, "s": s}, ("s",))
        o, s = given["o"], given.get("s")
    attrs = {"result": f"Population uniqueness, {NAMES[model]}", "population_size": population}
    attrs |= {"undefined": UNDEFINED[model]} if model in UNDEFINED else {}
    if model == "loglinear":
        return Result(_loglinear(o, s, margins, population), attrs=attrs)
    if s is not None and _are_sizes(o):
        raise ValueError("`s` is compared with `o` key by key; give `o` as a table of counts, not as class sizes.")
    counts: Any = o
    members, shape = _class_sizes(counts)
    found = []
    for sample in members:
        _check_sampled(sample.n, population)
        found.append(estimated(model, sample, population))
    of_release = [] if s is None else ["among_replicated_uniques"]
    numbers = ["probability", "among_sample_uniques", *of_release, *TOTALS, *PARAMETERS.get(model, []), *ERRORS]
    variables = {name: _of_members([x.get(name, math.nan) for x in found], shape) for name in numbers}
    texts = {"chosen": "none", "status": "estimated"} if model == "dankar" else {"status": "estimated"}
    variables |= {name: _of_members([x.get(name, usual) for x in found], shape) for name, usual in texts.items()}
    if s is not None:
        replicated = np.rint(share_replicated(counts, s).fillna(0) * shape)
        variables["among_replicated_uniques"] = (variables["probability"] * replicated).where(replicated > 0, 0.0)
    return Result(variables, attrs=attrs)


def _check_sampled(records: float, population: int) -> None:
    if records > population:
        raise ValueError(f"`population_size` must be at least the number of records of the original, {records:.0f}; got {population}.")


# --- class sizes ------------------------------------------------------------------------------------------------------


def _are_sizes(o: Any) -> bool:
    return {"classes", "size"} <= set(o.variables) if isinstance(o, xr.Dataset) else isinstance(o, Mapping)


def _class_sizes(o: Any) -> tuple[Iterator[ClassSizes], xr.DataArray]:
    """The class sizes of each member of a batch, and an array with its dims, which holds the numbers of records where `o` is a table."""
    if not _are_sizes(o):
        check_unweighted(ALONE, o=o)
        totals = Aligned({"o": o}).map(records_by_key, "records", ("key",))
        return (_sizes(*np.unique(row[row > 0], return_counts=True)) for row in _rows(totals)), totals.sum("key")
    if isinstance(o, xr.Dataset):
        if "weights" in o.attrs:
            given = f"`o` gives class sizes that are sums of the sampling weights {o.attrs['weights']!r}"
            raise ValueError(f"{given}, but {ALONE}. Give those of the numbers of records, tables.o_records.")
        classes = o["classes"].transpose(..., "size")
        classes = classes.copy(data=_whole(classes.values.ravel(), "number of classes", 0).reshape(classes.shape))
        sizes = _whole(o["size"].values, "size", 1)
    else:
        sizes = _whole(list(o), "size", 1)
        classes = xr.DataArray(_whole(list(o.values()), "number of classes", 0), dims=["size"])
    order = np.argsort(sizes)
    return (_sizes(sizes[order], row[order]) for row in _rows(classes)), classes.sum("size")


def _sizes(sizes: Array, classes: Array) -> ClassSizes:
    held = classes > 0
    found = ClassSizes(sizes[held].astype(np.float64), classes[held].astype(np.float64))
    if found.n >= EXACT:
        raise ValueError("`o` must hold fewer than 2**53 records in all.")
    return found


def _rows(array: xr.DataArray) -> Iterator[Array]:
    return iter(array.values.reshape(math.prod(array.shape[:-1]), array.shape[-1]))


def _whole(values: Any, what: str, least: int) -> Array:
    """Numbers as integers; raise unless all of them are whole, and at least ``least``."""
    rule = f"class sizes: each {what} an integer, {least} or more, below 2**53"
    return np.array([check_integer(whole(value), "o", rule, least=least, most=EXACT - 1) for value in list(values)], np.int64)


def _of_members(values: list[Any], shape: xr.DataArray) -> xr.DataArray:
    return shape.copy(data=np.array(values).reshape(shape.shape))


# --- log-linear model -------------------------------------------------------------------------------------------------


def _loglinear(o: Any, s: Counts | None, margins: Counts | None, population: int) -> dict[str, xr.DataArray]:
    if _are_sizes(o):
        raise ValueError('model="loglinear" needs the columns of the key; give `o` as a table of counts, not as class sizes.')
    among, matches, uniques = _sums_of_uniques(o, margins, population)
    variables = {"probability": among / uniques.where(uniques > 0), "among_sample_uniques": among}
    if s is not None:
        variables["among_replicated_uniques"], *_ = _sums_of_uniques(o, margins, population, s)
    variables["correct_matches"] = matches
    variables |= {name: xr.full_like(among, math.nan) for name in [*TOTALS, *ERRORS]}
    return variables | {"status": _of_members(["estimated" if x else "no sample unique" for x in uniques.values.flat], uniques)}


def _sums_of_uniques(o: Any, margins: Counts | None, population: int, *s: Counts) -> xr.DataArray:
    """Sums of P(F = 1), of E(1 / F) and of 1 over the keys that are unique in `o`, and in a release if one is given.

    The numbers F of people with a key are Poisson with means N prod_c p_c, where the levels of each column c of the key have shares p_c.
    """
    given = {"o": o, **({} if margins is None else {"margins": margins}), **dict(zip("s", s, strict=False))}
    check_unweighted(ALONE, **{name: table for name, table in given.items() if name != "margins"})
    aligned = Aligned(given)
    axis = aligned.axes["key"]
    if axis is None:
        raise ValueError('model="loglinear" needs a table whose keys have labels; make it with tabulate or from_counts.')
    columns = [(np.asarray(codes, np.intp), len(level)) for codes, level in zip(axis.codes, axis.levels, strict=True)]

    def formula(o: Table, *others: Table) -> Floats:
        alone, n = records_by_key(o) == 1, o.total[..., None]
        for records in n.ravel().tolist():
            _check_sampled(records, population)
        model = o if margins is None else others[0]
        expected = np.asarray(float(population))
        for codes, levels in columns:
            expected = expected * ratio(model.by_level(codes, levels).sum(-2), model.total[..., None], 0.0)[..., codes]
        if (lacking := alone & (expected == 0)).any():
            key = tuple(map(canonical, axis[np.nonzero(lacking)[-1][0]]))
            raise ValueError(
                f"`margins` must have records at every level that a sample unique has; a level of the key {key} has none. "
                f"Give margins of people to whom those of the sample belong."
            )
        if s:
            alone = alone & (records_by_key(others[-1], "s") == 1)
        outside = np.maximum((1 - n / population) * expected, 1e-300)  # expected number of people with the key who are not in the sample
        sums = [(alone * x).sum(-1) for x in (np.exp(-outside), -np.expm1(-outside) / outside, np.ones_like(outside))]
        return np.stack(sums, axis=-1)

    return aligned.map(formula, "sums", ("part",)).transpose("part", ...)
