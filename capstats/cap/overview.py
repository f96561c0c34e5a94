"""How exposed people are, in one sentence: average CAP of a release with its interval, beside what it is high or low against."""

from __future__ import annotations

import numpy as np
import xarray as xr

from capstats.cap.average import average_cap, correct_predictions, matched_records
from capstats.cap.baselines import baseline_cap
from capstats.cap.neighbours import Convention, convention_used
from capstats.cap.uncertainty import average_cap_interval, check_level
from capstats.codes.names import in_cell, listed
from capstats.tables.aligned import total_of
from capstats.tables.axes import axis_of
from capstats.tables.checking import given_tables
from capstats.tables.dataset import as_tables
from capstats.tables.printing import Result, count, many, percent


def summary(tables: xr.Dataset, *, unmatched: Convention = "nearest", level: float = 0.95) -> xr.Dataset:
    """How often an intruder guesses right with a release, without any data, and with the original itself; prints as a sentence.

    A probability of 0.77 alone says nothing: it may be what everybody knows anyhow.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with an original and at least one release; a holdout is used where there is one.
    unmatched : {"nearest", "zero", "drop"}
        Records whose key is not in the release use the nearest keys, count 0, or are left out, as in `average_cap`. Keys without labels
        have no nearest ones: there "nearest" is "zero". ``attrs["unmatched"]`` tells which was used.
    level : float
        Coverage of the interval, between 0 and 1.

    Returns
    -------
    Dataset, dims (...)
        ``average_cap``, from 0 to 1, of an intruder who draws one of the records with the person's keys, with the ends ``lower`` and
        ``upper`` of its confidence interval (NaN where fractional counts allow none), ``baseline``, the same without any data, and
        ``original_cap``, with the original in place of the release; ``predictive_success``, of an intruder who names the commonest target
        of these records, with ``baseline_success`` and ``original_success``; and ``holdout_cap``, average CAP of people who are not in
        the data, where there is a holdout. ``attrs["result"]`` is the sentence; of several releases it is about the riskiest.

    Raises
    ------
    ValueError, TypeError
        If `tables` is no such Dataset or has no release, `unmatched` is another word, or `level` is not between 0 and 1.

    See Also
    --------
    average_cap_interval, baseline_cap, correct_predictions : the numbers.
    by_group : any measure by groups of people.
    audit : the whole report.

    Notes
    -----
    See theory/cap.md#average-cap and theory/baselines.md#baselines. Above `original_cap` a release says more than the data themselves.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Definition 3 and section 4.
    Taub, Elliot, Pampaka and Smith (2018), https://doi.org/10.1007/978-3-319-99771-1_9 (baseline and original).

    Examples
    --------
    The paper's smokers and their release:

    >>> from capstats import from_counts
    >>> keys, targets = {"smoking": ["yes", "no"]}, {"health": ["sick", "healthy"]}
    >>> tables = from_counts([[20, 5], [30, 45]], [[8, 7], [25, 60]], key_labels=keys, target_labels=targets)
    >>> print(summary(tables).attrs["result"])
    A guess of health from smoking is right with probability 68.4 % on average over 100 people (95 % interval 62.1 % to 73.3 %); \
without the release 62.5 %, with the original itself 67 %. For an intruder who names the commonest answer: 75 %, 75 % and 75 %
    """
    tables = as_tables(tables)
    check_level(level)
    o, s = given_tables({"o": tables, "s": None}).values()
    used = convention_used(axis_of(o, "key"), unmatched)
    n = total_of(o)
    counted = matched_records(o, s) if used == "drop" else n
    whole = o.dtype.kind == "i" or "o_squares" in tables
    interval = average_cap_interval(tables, unmatched=used, level=level) if whole else None
    average = average_cap(o, s, unmatched=used) if interval is None else interval.estimate
    found = {
        "average_cap": average,
        "lower": xr.full_like(average, np.nan) if interval is None else interval.lower,
        "upper": xr.full_like(average, np.nan) if interval is None else interval.upper,
        "baseline": baseline_cap(o),
        "original_cap": average_cap(o, o),
        "predictive_success": correct_predictions(o, s, unmatched=used) / counted.where(counted > 0),
        "baseline_success": baseline_cap(o, kind="modal"),
        "original_success": correct_predictions(o, o) / n.where(n > 0),
    }
    if "h" in tables:
        found["holdout_cap"] = average_cap(tables.h, s.rename("s"), unmatched=used)
    records = tables.get("o_records", o)
    people = [total_of(records), *([matched_records(records, s)] if used == "drop" else [])]
    return Result(found, attrs={"result": _sentence(found, tables, people, level), "unmatched": used})


def _sentence(found: dict[str, xr.DataArray], tables: xr.Dataset, people: list[xr.DataArray], level: float) -> str:
    """What the numbers say of the only release, or of the riskiest; ``people`` are all, and those in the average where these are fewer."""
    average = found["average_cap"]
    at = average.fillna(-1).argmax(...) if average.ndim else {}
    x = {name: percent(array.isel(at, missing_dims="ignore").item()) for name, array in found.items()}
    n, *matched = (x.isel(at, missing_dims="ignore").item() for x in people)
    names = [listed(list(map(in_cell, tables.attrs[f"{dim}_columns"]))) for dim in ("target", "key")]
    guess = "A guess of the target from the key" if tables.attrs.get("unlabelled") else f"A guess of {names[0]} from {names[1]}"
    which = [f"{dim} {in_cell(average[dim].values[i.item()] if dim in average.coords else i.item())}" for dim, i in at.items()]
    where = f"Of {many(average.size, 'release')} the riskiest is {', '.join(which)}. " if which else ""
    over = f"{many(n, 'record')}, by weight" if "o_records" in tables else many(n, "person")
    over, of_all = (f"{count(matched[0])} of {over}, those whose key it has", "for all, ") if matched else (over, "")
    within = f" ({100 * level:g} % interval {x['lower']} to {x['upper']})" if x["lower"] != "undefined" else ""
    return (
        f"{where}{guess} is right with probability {x['average_cap']} on average over {over}{within}; {of_all}without the release "
        f"{x['baseline']}, with the original itself {x['original_cap']}. For an intruder who names the commonest answer: "
        f"{x['predictive_success']}, {x['baseline_success']} and {x['original_success']}"
        + (f". People who are not in the data: {x['holdout_cap']}" if "holdout_cap" in x else "")
    )
