"""The numbers of an audit: of all people in the original, and of those with each level of the target."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.permuted import p_values
from capstats.cap.attribution import Unmatched, average_cap, correct_predictions, matched_records
from capstats.cap.baselines import baseline_cap
from capstats.cap.comparison import target_distance
from capstats.cap.distribution import cap_quantiles
from capstats.cap.uncertainty import average_cap_interval, holdout_contrast
from capstats.disclosure.attribute import dio, disclosed, replicated_uniques, sample_uniques
from capstats.laws.attainable.extremes import maximum_cap, minimum_cap
from capstats.tables.domains import observed_domain
from capstats.tables.mapping import Aligned
from capstats.tables.results import Result
from capstats.tables.sums import attribution, certain
from capstats.tables.table import Array, Floats, Table
from capstats.tables.ties import at_most

QUANTILES = {
    "least": 0.0,
    "lower_quartile": 0.25,
    "median": 0.5,
    "upper_quartile": 0.75,
    "upper_decile": 0.9,
    "upper_percentile": 0.99,
    "greatest": 1.0,
}
WEIGHTS = {"o": "original_weight", "s": "synthetic_weight", "h": "holdout_weight"}  # sums of the weights of weighted tables
WEIGHTED = ("o_records", "s_records")
OF_HOLDOUT = (
    "holdout_records",
    "holdout_weight",
    "holdout_cap",
    "individual_disclosure",
    "individual_disclosure_error",
    "membership_p_value",
    "permutation_p_value",
)
MEASURES = (  # all that an audit can give, in the order in which it gives them
    "original_records",
    "original_weight",
    "synthetic_records",
    "synthetic_weight",
    "keys",
    "unmatched_records",
    "matched_share",
    "average_cap",
    "average_cap_error",
    "average_cap_least",
    "average_cap_greatest",
    "average_cap_matched",
    "average_cap_matched_least",
    "average_cap_matched_greatest",
    "original_cap",
    "baseline",
    *OF_HOLDOUT,
    "records_above_half",
    "share_above_half",
    "records_above_nine_tenths",
    "share_above_nine_tenths",
    "records_certain",
    "share_certain",
    "share_certain_wrong",
    "original_certain",
    "share_unique",
    "share_replicated",
    "predictive_success",
    "correct_predictions",
    *(f"individual_cap_{name}" for name in QUANTILES),
    "target_distance",
)


def measured(tables: xr.Dataset) -> tuple[xr.Dataset, xr.Dataset]:
    """All measures of the tables, and those of the people with each level of the target.

    Numbers and quantiles count each record of the original once; shares weigh it where it has a sampling weight.
    """
    o, s = tables.o, tables.s
    records = tables.get("o_records", o)
    observed = observed_domain(tables)
    shares, levels = by_target(o, s), by_target(records, s)
    levels = Result({x: (levels if str(x).startswith("records") else shares)[x] for x in levels.data_vars}, attrs=levels.attrs)
    matched = matched_records(o, s) / _total(o)
    found: dict[str, Any] = {
        "original_records": _total(records),
        "synthetic_records": _total(tables.get("s_records", s)),
        **{name: _total(tables[of]) for of, name in WEIGHTS.items() if f"{of}_records" in tables},
        "keys": xr.DataArray(observed.sizes["key"]),
        "unmatched_records": _total(records) - matched_records(records, s),
        "matched_share": matched,
        "average_cap": average_cap(o, s),
        "average_cap_matched": average_cap(o, s, unmatched="drop"),
        "original_cap": average_cap(o, o),
        "baseline": baseline_cap(o),
        "predictive_success": correct_predictions(o, s) / _total(o),
        "correct_predictions": correct_predictions(records, s),
        "original_certain": dio(o),
        "target_distance": target_distance(o, s),
        **bounds(o, s, observed),
    }
    if errors_known(tables, "o"):
        found["average_cap_error"] = average_cap_interval(o, s, o_squares=tables.get("o_squares")).standard_error
    for name in ("above_half", "above_nine_tenths", "certain"):
        found[f"records_{name}"] = levels[f"records_{name}"].sum("target")
        found[f"share_{name}"] = shares[f"records_{name}"].sum("target") / _total(o)
    found["share_certain_wrong"] = _certain_and_wrong(o, s) / _total(o)
    if o.dtype.kind == s.dtype.kind == "i" and not set(WEIGHTED) & set(tables.data_vars):
        found["share_unique"] = sample_uniques(o)
        found["share_replicated"] = replicated_uniques(o, s)
    if "h" in tables:
        found["holdout_records"] = _total(tables.get("h_records", tables.h))
        if errors_known(tables, "o") and errors_known(tables, "h"):
            contrast = holdout_contrast(o, s, h=tables.h, o_squares=tables.get("o_squares"), h_squares=tables.get("h_squares"))
            found["holdout_cap"] = contrast.holdout
            found["individual_disclosure"] = contrast.estimate
            found["individual_disclosure_error"] = contrast.standard_error
        found |= p_values(tables)
    if records.dtype.kind == "i":
        quantiles = cap_quantiles(records, s, list(QUANTILES.values()))
        found |= {f"individual_cap_{name}": quantiles.isel(quantile=i, drop=True) for i, name in enumerate(QUANTILES)}
    held = np.flatnonzero(levels.records.values > 0)
    measures = {name: found[name] for name in MEASURES if name in found}
    return Result(measures, attrs={"result": "Measures of an audit"}), levels.isel(target=held)


def errors_known(tables: xr.Dataset, name: str) -> bool:
    """Whether standard errors follow from a table: it has whole counts, or sums of weights with those of their squares."""
    return tables[name].dtype.kind == "i" or f"{name}_squares" in tables


def _certain_and_wrong(o: xr.DataArray, s: xr.DataArray) -> xr.DataArray:
    """Original records whose key has one synthetic target, and not theirs."""

    def formula(o: Table, s: Table) -> Array:
        sure = certain(s)
        return o.like(o.values * (sure.on_cells(sure.key_total()) - sure.values)).total()

    return Aligned({"o": o, "s": s}).map(formula, "certain_and_wrong")


def _total(table: xr.DataArray) -> xr.DataArray:
    return Aligned({"o": table}).map(lambda o: o.total(), "records")


def by_target(o: xr.DataArray, s: xr.DataArray) -> xr.Dataset:
    """Who bears the risk: of the original people with each level of the target, how many are guessed right, and how surely.

    Average CAP is that of these people alone, and NaN where there are none; the baseline is the share of their level.
    """

    def formula(o: Table, s: Table) -> Floats:
        n, q = o.values, attribution(s, s.key_total(), 0.0).values
        parts = [n + 0 * q, n * q, n * ~at_most(q, 0.5), n * ~at_most(q, 0.9), disclosed(o, s).values]
        return np.stack([o.like(part).target_total().astype(np.float64) for part in np.broadcast_arrays(*parts)], axis=-2)

    parts = Aligned({"o": o, "s": s}).map(formula, "by_target", ("part", "target"))
    people = parts.isel(part=0)
    for dim in [dim for dim in people.dims if dim != "target"]:
        people = people.isel({dim: 0}, drop=True)
    counts = {
        "records": people,
        **{f"records_{name}": parts.isel(part=i) for i, name in ((2, "above_half"), (3, "above_nine_tenths"), (4, "certain"))},
    }
    if o.dtype.kind == "i":
        counts = {name: array.astype(np.int64) for name, array in counts.items()}
    shares = {"average_cap": parts.isel(part=1) / people, "baseline": people / people.sum()}
    return Result({**shares, **counts}, attrs={"result": "People by target level"})


def bounds(o: xr.DataArray, s: xr.DataArray, observed: xr.DataArray) -> dict[str, xr.DataArray]:
    """Least and greatest average CAP over all synthetic tables on the targets and keys that the original or the synthetic table has.

    A target that only the synthetic table has is an empty row of the original, so both versions can be 0 (Theorems 2 and 3); a key that
    only the synthetic table has is an empty column, so version 1 can be. Neither changes what is greatest.
    """
    targets, keys = (foreign(o, s, dim) > 0 for dim in ("target", "key"))
    versions: dict[str, tuple[Unmatched, xr.DataArray]] = {
        "average_cap": ("zero", targets | keys),
        "average_cap_matched": ("drop", targets),
    }
    found = {}
    for name, (unmatched, lowered) in versions.items():
        found[f"{name}_least"] = minimum_cap(observed, unmatched=unmatched) * ~lowered
        found[f"{name}_greatest"] = maximum_cap(observed, unmatched=unmatched)
    return found


def foreign(o: xr.DataArray, s: xr.DataArray, dim: str) -> xr.DataArray:
    """Number of targets, or of keys, that a synthetic table has and the original has not."""

    def records(x: Table) -> Array:
        return x.target_total() if dim == "target" else x.key_total()

    return Aligned({"o": o, "s": s}).map(lambda o, s: ((records(o) == 0) & (records(s) > 0)).sum(-1), "foreign")
