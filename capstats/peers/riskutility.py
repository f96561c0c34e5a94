"""The numbers of riskutility, from counts."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.cap.average import average_cap, matched_records
from capstats.cap.baselines import baseline_cap
from capstats.cap.distribution import cap_quantiles
from capstats.disclosure.attribute import dio, dis, disco
from capstats.disclosure.exclusions import exclude
from capstats.peers.reports import check_records, each_table, in_both, percent, plain, records_of
from capstats.tables.aligned import Aligned
from capstats.tables.sums import certain
from capstats.tables.table import Tables


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
    See docs/coming-from/concordance.md. riskutility leaves out records with a missing key or target, in both tables, and so does this.

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
    n, m = records_of(o).item(), records_of(s).item()
    for name, records in (("o", n), ("s", m)):
        if not records:
            raise ValueError(f"`{name}` has no record without a missing key or target, and riskutility looks at no other.")
    pair = Aligned({"o": o, "s": s})
    in_original = pair.map(lambda o, s: s.like(s.values * (o.values > 0)).total(), "records").item()
    disclosed = pair.map(lambda o, s: o.like(o.values * certain(o).values * (s.values > 0)).total(), "records").item()
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
