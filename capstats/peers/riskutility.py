"""The numbers of riskutility, from counts."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import xarray as xr

from capstats.cap.average import average_cap, matched_records
from capstats.cap.baselines import baseline_cap
from capstats.cap.distribution import cap_quantiles
from capstats.cap.neighbours import Convention, rows_used
from capstats.codes.checks import check_choice, check_number
from capstats.disclosure.attribute import dio, dis, disco
from capstats.disclosure.exclusions import exclude
from capstats.peers.reports import check_records, each_table, in_both, percent, plain
from capstats.tables.aligned import Aligned, total_of
from capstats.tables.sums import attribution, certain, ratio
from capstats.tables.table import Counts, Floats, Release, Table, Tables
from capstats.tables.ties import at_most

Score = Literal["marginal", "conditional", "entropy"]


def as_riskutility(tables: Tables) -> dict[Any, Any]:
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
    See docs/coming-from/riskutility.md. riskutility leaves out records with a missing key or target, in both tables, and so does this.

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
    return each_table(tables, _riskutility)


def _riskutility(tables: xr.Dataset) -> dict[str, Any]:
    check_records(tables)
    complete = exclude(tables, missing_target=True, missing_keys=True)
    o, s = complete.o_counted, complete.s_counted
    n, m = total_of(o).item(), total_of(s).item()
    for name, records in (("o", n), ("s", m)):
        if not records:
            raise ValueError(f"`{name}` has no record without a missing key or target, and riskutility uses no other records.")
    pair = Aligned({"o": o, "s": s})
    in_original = pair.map(lambda o, s: s.like(s.values * (o.values > 0)).total, "records").item()
    disclosed = pair.map(lambda o, s: o.like(o.values * certain(o).values * (s.values > 0)).total, "records").item()
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
        "n_originals_disclosed": disclosed,
        "pct_original_disclosed": percent(disclosed, n),
        "n_key_matches": both,
        "baseline_disco": chance,
        "disco_ratio": in_original / chance if chance else np.nan,
        "weap_mean": average_cap(s, s).item(),
        "weap_median": cap_quantiles(s, s, 0.5).item(),
        "pct_disclosive": 100 * dio(s).item(),
    }
    return {name: plain(value) for name, value in found.items()}


def rapid(o: Counts, s: Release = None, *, score: Score, tau: float, unmatched: Convention = "zero") -> xr.DataArray:
    """RAPID (Risk of Attribute Prediction-Induced Disclosure): the share of people whose target is predicted with high confidence.

    The confidence is the probability that the intruder gives to the person's target. How much is too much depends on the target.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records.
    s : same
        Counts of synthetic records: the intruder looks the key up, and the confidence is individual CAP. Or the probabilities of a fitted
        model, ``probability`` of `attacks.model_attack`.
    score : {"marginal", "conditional", "entropy"}
        A person with target i is at risk if the confidence g exceeds

        - "marginal": p_i + tau (1 - p_i), with p_i the share of the target in `o`: (g - p_i) / (1 - p_i) > tau (``RCS_marginal``);
        - "conditional": tau times the mean confidence of all people with this target (``RCS_conditional``);
        - "entropy": I ** (tau - 1), with I the number of targets in `o`: 1 + log(g) / log(I) > tau (``NCE``).
    tau : float
        0 or more. Usual are 0.3 for "marginal", 1 to 1.25 for "conditional" and 0.5 to 0.7 for "entropy".
    unmatched : {"zero", "drop", "nearest"}
        Records whose key is not in `s` are not at risk, are left out, or use the nearest keys, as in `average_cap`.

    Returns
    -------
    DataArray, dims (...)
        From 0 to 1; larger is riskier. NaN if no record is counted. A confidence that ties with its limit (`at_most`) is not above it.

    Raises
    ------
    ValueError, TypeError
        If `score` is unknown, `tau` is negative, or as in `average_cap`.

    See Also
    --------
    cap_ecdf : one minus it is the share above one limit for all. attacks.model_attack : the confidences of a fitted model.

    Notes
    -----
    See docs/coming-from/riskutility.md. "conditional" compares people with each other: with tau = 1 some are at risk whenever confidences
    differ, however low they are.

    References
    ----------
    Templ, Thees and Müller (2026), "RAPID: Risk of Attribute Prediction-Induced Disclosure in Synthetic Microdata",
    https://doi.org/10.48550/arXiv.2602.09235 ("marginal").

    Examples
    --------
    Three in ten people are sick. The 2 sick smokers have the confidence 1/2, above 0.3 + 0.2 * 0.7 = 0.44, the 7 healthy non-smokers 0.9,
    above 0.7 + 0.2 * 0.3 = 0.76:

    >>> float(rapid([[2, 1], [0, 7]], [[5, 1], [5, 9]], score="marginal", tau=0.2))
    0.9
    """
    check_choice(score, "score", get_args(Score))
    tau = check_number(tau, "tau", "a number, 0 or more", least=0, excluded=(np.inf,))
    aligned = Aligned({"o": o, "s": s})
    rows_of = rows_used(aligned, unmatched)

    def formula(o: Table, s: Table) -> Floats:
        rows, s_j = rows_of(o, s)
        g = attribution(rows, s_j, 0.0)
        o_i, counted = o.target_total, o.like(o.values * rows.on_cells(s_j > 0)) if unmatched == "drop" else o
        if score == "marginal":
            p = ratio(o_i, o.total[..., None], 0.0)
            limit = p + tau * (1 - p)
        elif score == "conditional":
            limit = tau * ratio(o.like(o.values * g.values).target_total, counted.target_total, 0.0)
        else:
            limit = np.maximum((o_i > 0).sum(-1, keepdims=True), 1) ** (tau - 1) * np.ones(o_i.shape)
        at_risk = ~at_most(g.values, g.on_targets(limit))
        return ratio(counted.like(counted.values * at_risk).total, counted.total, np.nan)

    return aligned.map(formula, "rapid")
