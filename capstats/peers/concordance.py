"""The numbers of other packages from our counts, under their names and in their units, so that two reports can lie side by side.

What each number is, and where ours differs, is in theory/concordance.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import numpy as np
import xarray as xr

from capstats.cap.attribution import average_cap, matched_records
from capstats.cap.baselines import baseline_cap
from capstats.cap.distribution import cap_quantiles
from capstats.disclosure.attribute import dio, dis, disco
from capstats.disclosure.exclusions import exclude
from capstats.peers.protection import protections
from capstats.peers.synthpop import DEFAULTS, Version, check_records, disclosure, in_both, percent, plain, records_of
from capstats.tables.batches import Aligned
from capstats.tables.dataset import as_tables
from capstats.tables.primitives import cells, certain, like, total


def as_synthpop(tables: xr.Dataset, version: Version = "1.9-2", **options: Any) -> dict[Any, Any]:
    """The numbers of synthpop's ``disclosure()``, in percent.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with `s`.
    version : {"1.9-2", "development"}
        The release on CRAN (1.9-0 to 1.9-3 agree), or the unreleased commit 218f692, where TCAP is another number.
    **options
        The options of ``disclosure()`` that change numbers, under their names there, with "." or "_": ``not_targetlev``,
        ``usetargetNA``, ``usekeysNA`` (one for all keys, or one each in the order of the keys), ``exclude_keys``, ``exclude_keylevs``,
        ``exclude_targetlevs``, ``denom_lim``, ``exclude_ov_denom_lim``, ``thresh_1way``, ``thresh_2way``.

    Returns
    -------
    dict
        Name to number; NaN for NA, infinite where records are divided by none. ``check_1way`` and ``check_2way`` are lists of rows,
        and ``Nexclusions``, with exclusions, is a dictionary of lists. With several synthetic tables, one such dictionary for each of
        their labels.

    Raises
    ------
    ValueError, TypeError
        If there is no `s`, weights are fractional, a version, option, label or column is unknown, or an option has another form than
        there.

    Notes
    -----
    See theory/concordance.md. With exclusions, synthpop computes the identity measures and the CAP family on what is left, so that
    an exclusion can create uniques; these are its numbers, as they are. `unique_keys` and `disco` with ``counted=`` are free of that.

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    >>> import capstats
    >>> tables = capstats.from_counts([[40, 5, 20], [10, 30, 0]], [[2, 0, 0], [0, 1, 0]])
    >>> found = as_synthpop(tables)
    >>> [round(found[name], 2) for name in ("DiSCO", "DCAP", "TCAP", "baseCAPd")]
    [66.67, 66.67, 82.35, 52.83]
    """
    if version not in get_args(Version):
        raise ValueError(f'`version` must be "1.9-2" or "development"; got {version!r}.')
    given = {name.replace(".", "_"): value for name, value in options.items()}
    unknown = given.keys() - DEFAULTS.keys()
    if unknown:
        raise TypeError(f"{min(unknown)!r} is no option of disclosure() that changes numbers; these are {', '.join(DEFAULTS)}.")
    return _each_table(tables, lambda one: disclosure(one, version, DEFAULTS | given))


def as_riskutility(tables: xr.Dataset) -> dict[Any, Any]:
    """The numbers of riskutility's ``tcap()``, ``dcap()``, ``disco()`` and ``weap()``, as they print them: shares, percentages and counts.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with `s` and integer counts.

    Returns
    -------
    dict
        Name to number. Those that start with ``tcap_c``, ``tcap_matched`` and ``pct_`` are percentages. With several synthetic tables, one
        such dictionary for each of their labels.

    Raises
    ------
    ValueError, TypeError
        If there is no `s`, counts are fractional, or a table has no record without a missing value.

    Notes
    -----
    See theory/concordance.md. riskutility leaves out records with a missing key or target, in both tables, and so does this.

    References
    ----------
    Templ and Thees, riskutility 0.2.0, https://cran.r-project.org/package=riskutility.

    Examples
    --------
    Keys a, a, b, b with targets 1, 2, 1, 1; synthetic a, a, b with 1, 2, 1:

    >>> import capstats
    >>> found = as_riskutility(capstats.from_counts([[1, 2], [1, 0]], [[1, 1], [1, 0]]))
    >>> found["cap"], round(found["baseline"], 4), found["tcap_conditional"]
    (0.75, 0.6667, 100.0)
    """
    return _each_table(tables, _riskutility)


def as_synthgauge(tables: xr.Dataset) -> dict[Any, Any]:
    """The number of synthgauge's ``tcap_score()``, a share, which is DiSCO.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with `s`.

    Returns
    -------
    dict
        ``tcap_score``. With several synthetic tables, one such dictionary for each of their labels.

    Raises
    ------
    ValueError, TypeError
        If there is no `s`.

    Notes
    -----
    See theory/concordance.md.

    References
    ----------
    ONS Data Science Campus, synthgauge 2.2.0, https://github.com/datasciencecampus/synthgauge.

    Examples
    --------
    >>> import capstats
    >>> as_synthgauge(capstats.from_counts([[3, 2], [1, 4]], [[2, 1], [0, 1]]))
    {'tcap_score': 0.3}
    """
    return _each_table(tables, lambda one: {"tcap_score": disco(one.o, one.s).item()})


def as_sdnist(tables: xr.Dataset) -> dict[Any, Any]:
    """The numbers of SDNist's K-DiSCO for one target and one key, which are shares.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with `s`.

    Returns
    -------
    dict
        ``DiSCO``, ``DiO`` and ``DiSCO - DiO``. With several synthetic tables, one such dictionary for each of their labels.

    Raises
    ------
    ValueError, TypeError
        If there is no `s`.

    Notes
    -----
    See theory/concordance.md.

    References
    ----------
    NIST, SDNist 2.5, https://github.com/usnistgov/SDNist.

    Examples
    --------
    >>> import capstats
    >>> as_sdnist(capstats.from_counts([[3, 2], [0, 5]], [[2, 1], [0, 1]]))
    {'DiSCO': 0.3, 'DiO': 0.3, 'DiSCO - DiO': 0.0}
    """

    def numbers(one: xr.Dataset) -> dict[str, float]:
        found, before = disco(one.o, one.s).item(), dio(one.o).item()
        return {"DiSCO": found, "DiO": before, "DiSCO - DiO": found - before}

    return _each_table(tables, numbers)


def as_sdmetrics(tables: xr.Dataset) -> dict[Any, Any]:
    """The scores of SDMetrics' CAP metrics, which are protections: one minus a risk, so that larger is safer.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with `s` and labelled keys.

    Returns
    -------
    dict
        ``CategoricalCAP``, ``CategoricalZeroCAP``, ``CategoricalGeneralizedCAP``, and ``DisclosureProtection`` by its computation method,
        with ``score``, ``cap_protection`` and ``baseline_protection``; NaN where they are undefined. With several synthetic tables, one
        such dictionary for each of their labels.

    Raises
    ------
    ValueError, TypeError
        If there is no `s`, or the keys have no labels.

    Notes
    -----
    See theory/concordance.md. Missing values are a level, as in DisclosureProtection.

    References
    ----------
    SDMetrics 0.32.0, https://docs.sdv.dev/sdmetrics.

    Examples
    --------
    >>> import capstats
    >>> found = as_sdmetrics(capstats.from_counts([[3, 2], [1, 4]], [[2, 0], [2, 0]], key_labels={"sex": ["f", "m"]}))
    >>> found["CategoricalCAP"], found["CategoricalZeroCAP"], found["DisclosureProtection"]["zero_cap"]["score"]
    (0.5, 0.8, 1.0)
    """
    return _each_table(tables, _sdmetrics)


def _each_table(tables: xr.Dataset, numbers: Callable[[xr.Dataset], dict[str, Any]]) -> dict[Any, Any]:
    """The numbers of the one synthetic table, or of each, by its label."""
    tables = as_tables(tables)
    if "s" not in tables:
        raise ValueError("`tables` has no `s`: give tabulate or from_counts a synthetic table.")
    if "synthetic" not in tables.s.dims:
        return numbers(tables)
    return {label: numbers(tables.isel(synthetic=i, drop=True)) for i, label in enumerate(tables.indexes["synthetic"])}


def _riskutility(tables: xr.Dataset) -> dict[str, Any]:
    check_records(tables)
    complete = exclude(tables, missing_target=True, missing_keys=True)
    o, s = complete.o_counted, complete.s_counted
    n, m = records_of(o).item(), records_of(s).item()
    for name, records in (("o", n), ("s", m)):
        if not records:
            raise ValueError(f"`{name}` has no record without a missing key or target, and riskutility looks at no other.")
    pair = Aligned({"o": o, "s": s})
    in_original = pair.map(lambda o, s: total(like(s, cells(s) * (cells(o) > 0))), "records").item()
    told = pair.map(lambda o, s: total(like(o, cells(o) * cells(certain(o)) * (cells(s) > 0))), "records").item()
    matched, both = matched_records(o, s).item(), matched_records(s, o).item()
    sure, right, proven = n * dis(o, s).item(), n * disco(o, s).item(), in_both(o, s, o).item()
    mean = average_cap(o, s, unmatched="drop").item()
    median, greatest = cap_quantiles(o, s, [0.5, 1], unmatched="drop").values
    guess = baseline_cap(o, s, kind="modal_synthetic").item()
    chance = both * baseline_cap(o).item()
    found = {
        "tcap_mean": mean,
        "tcap_median": median,
        "tcap_max": greatest,
        "tcap_certain": percent(proven, matched),
        "tcap_matched": percent(right, matched),
        "tcap_conditional": percent(right, sure) if sure else 0.0,
        "n_certain": proven,
        "n_disclosive_correct": round(right),
        "n_disclosive": round(sure),
        "n_matched": matched,
        "n_unmatched": n - matched,
        "n_total": n,
        "baseline": guess,
        "cap": mean,
        "cap_median": median,
        "dcap": mean - guess,
        "dcap_median": median - guess,
        "n_disco_potential": in_original,
        "pct_disco_potential": percent(in_original, m),
        "n_disco_certain": round(m * disco(s, o).item()),
        "pct_disco_certain": 100 * disco(s, o).item(),
        "n_originals_disclosed": told,
        "pct_original_disclosed": percent(told, n),
        "n_key_matches": both,
        "baseline_disco": chance,
        "disco_ratio": in_original / chance if chance else np.nan,
        "weap_mean": average_cap(s, s).item(),
        "weap_median": cap_quantiles(s, s, 0.5).item(),
        "pct_disclosive": 100 * dio(s).item(),
    }
    return {name: plain(value) for name, value in found.items()}


# --- SDMetrics --------------------------------------------------------------------------------------------------------

_METRICS = {"cap": "CategoricalCAP", "zero_cap": "CategoricalZeroCAP", "generalized_cap": "CategoricalGeneralizedCAP"}


def _sdmetrics(tables: xr.Dataset) -> dict[str, Any]:
    breakdown = {method: {name: number.item() for name, number in protections(tables.o, tables.s, method).items()} for method in _METRICS}
    return {name: breakdown[method]["cap_protection"] for method, name in _METRICS.items()} | {"DisclosureProtection": breakdown}
