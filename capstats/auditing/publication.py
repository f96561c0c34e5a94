"""The numbers of an audit that may be published with the data: rounded first, so that nothing exact reaches a text or a figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.findings import Findings
from capstats.cap.distribution import cap_ecdf
from capstats.codes.labels import canonical
from capstats.tables.mapping import Aligned
from capstats.tables.table import Array, Floats, Table

STEPS = (1000, 500, 250, 200, 100, 50, 40, 25, 20, 10, 5, 4, 2)  # numbers of steps from 0 to 1; a whole one, so that complements are steps
OF_ORIGINAL = ("baseline", "original_cap", "share_unique")  # shares of the people in the original, whatever is released
OF_RELEASES = (  # those of each release
    "average_cap",
    "average_cap_error",
    "holdout_cap",
    "individual_disclosure_error",
    "difference_error",
    "matched_share",
    "share_above_half",
    "share_above_nine_tenths",
    "share_certain",
    "share_replicated",
)
OF_COLUMNS = ("alone", "without")
SQUARES = ("baseline", "original_cap")  # sums of squares: a record changes them by up to two records' worth
BANDS = np.linspace(0, 1, 21)  # values of individual CAP at which the distribution is given
DRAWN = 4  # releases whose distribution is given


@dataclass(frozen=True)
class Publication:
    """What the public version of a report is made of: names of columns, and rounded numbers.

    ``people`` and ``holdout`` (0 without one) are multiples of ``base``; every share is a multiple of 1 / ``steps``. ``shares`` has one
    number for each release, and one for those of the original; ``columns`` has them for each key column. ``below`` has the shares of people
    whose individual CAP is at most each of ``BANDS``, empty where there are more than ``DRAWN`` releases.
    """

    version: str
    threshold: int
    steps: int
    base: int
    people: int
    holdout: int
    releases: int
    against: int | None
    weighted: bool
    holdout_differs: bool  # whether original and holdout differ by more than chance allows, the one answer that is not rounded
    missing: str
    keys: list[str]
    target: list[str]
    shares: Mapping[str, list[float]]
    columns: Mapping[str, Floats]
    below: Floats


def publication(audit: Findings, threshold: int = 10) -> Publication:
    """The rounded numbers of an audit.

    ``2 * threshold`` records, however they are weighted, are at most one step of the shares: a printed share then leaves open whether
    nobody or `threshold` people are in a group. See theory/public-report.md. ValueError if there are too few records.
    """
    if isinstance(threshold, bool) or not isinstance(threshold, (int, np.integer)) or threshold < 2:
        raise ValueError(f"`threshold` must be a whole number of records, 2 or more; got {threshold!r}.")
    tables, p, m = audit.tables, audit.provenance, audit.measures
    base = _base(threshold)
    people, holdout = (_rounded_total(tables, name, base) for name in "oh")
    counted = [("o", people), ("h", holdout)][: 1 + ("h" in tables)]
    fewest = min(min(total, 1 / _largest_weight(tables, name)) for name, total in counted)
    fitting = [steps for steps in STEPS if 2 * threshold * steps <= fewest]
    if not fitting:
        where = " and in the holdout" if "h" in tables else ""
        remedies = [*(["leave out the holdout"] if where else []), *(["audit without weights"] if "o_records" in tables else [])]
        remedy = ", ".join([*remedies, "or take" if remedies else "take"])
        raise ValueError(
            f"A public report with threshold={threshold} needs at least {4 * threshold} records in the original{where}, none of them with "
            f"a large part of the weight. {remedy[0].upper()}{remedy[1:]} a lower threshold."
        )
    steps = fitting[0]

    def rounded(values: Any) -> Floats:
        return np.round(np.asarray(values, dtype=np.float64) * steps) / steps

    releases = m.sizes.get("synthetic", 1)
    shares = {name: rounded(m[name]).reshape(-1) for name in (*OF_ORIGINAL, *OF_RELEASES) if name in m}
    for name in SQUARES:
        shares[name] = np.minimum(shares[name], 1 - 1 / steps)
    columns = audit.by_column
    below = cap_ecdf(tables.o, tables.s, BANDS).transpose("at", ...).values if releases <= DRAWN else np.zeros((0, releases))
    against = [canonical(label) for label in m.indexes.get("synthetic", [])].index(canonical(p["against"])) if "against" in p else None
    return Publication(
        version=p["capstats"],
        threshold=threshold,
        steps=steps,
        base=base,
        people=people,
        holdout=holdout,
        releases=releases,
        against=against,
        weighted="original_weight" in m,
        holdout_differs="holdout_differs" in p,
        missing=p["missing"],
        keys=list(p["columns"]["keys"]),
        target=list(p["columns"]["target"]),
        shares={name: values.tolist() for name, values in shares.items()},
        columns={name: rounded(columns[name].transpose("key_column", ...)).reshape(columns.sizes["key_column"], -1) for name in OF_COLUMNS},
        below=rounded(below).reshape(len(below), releases),
    )


def _base(threshold: int) -> int:
    """The least of 1, 2, 5, 10, 20, 50, ... that is not below the threshold."""
    return min(number for power in range(len(str(threshold)) + 1) for x in "125" if (number := int(x + "0" * power)) >= threshold)


def _rounded_total(tables: xr.Dataset, name: str, base: int) -> int:
    """The number of records of a table as a multiple of the base; 0 if there is no such table."""
    if name not in tables:
        return 0
    records = tables.get(f"{name}_records", tables[name])
    return base * round(float(Aligned({name: records}).map(lambda x: x.total(), "records")) / base)


def _largest_weight(tables: xr.Dataset, name: str) -> float:
    """The largest share of the sum of the weights that one record can have.

    Of weighted records only sums are known: of k weights with mean a and variance v, none is above a + sqrt((k - 1) v) (Samuelson 1968,
    https://doi.org/10.1080/01621459.1968.10480944).
    """
    table = tables[name]
    if f"{name}_records" not in tables:
        if table.dtype.kind != "i":
            raise ValueError("A public report needs whole counts of records; those of the original or of the holdout are fractional.")
        return 1 / max(int(Aligned({name: table}).map(lambda x: x.total(), "records")), 1)

    def formula(weights: Table, records: Table, squares: Table) -> Array:
        k = np.maximum(records.values, 1)
        mean = weights.values / k
        variance = np.maximum(squares.values / k - mean**2, 0)
        return np.asarray((mean + np.sqrt((k - 1) * variance)).max(initial=0) / weights.total())

    parts = {"o": table, "records": tables[f"{name}_records"], "squares": tables[f"{name}_squares"]}
    return float(Aligned(parts, inexact=("squares",)).map(formula, "weight"))
