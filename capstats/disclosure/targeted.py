"""Targeted attribution (TCAP): success for keys whose most frequent synthetic target reaches a threshold, and its curve."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr

from capstats.cap.average import modal_hits
from capstats.codes.checks import check_choice, check_number
from capstats.disclosure.attribute import among, tables_of
from capstats.tables.aligned import Aligned, same_or_span
from capstats.tables.backing import listed
from capstats.tables.checking import given_tables
from capstats.tables.sums import attribution, ratio
from capstats.tables.table import Array, Counts, Floats, Release, Table

Variant = Literal["all", "matched", "disclosive", "certain", "synthetic"]
Rule = Literal["class", "cell"]
COVERED: dict[str, tuple[str, ...]] = {"class": get_args(Variant), "cell": ("all", "matched")}
AMONG_CONFIDENT = ("disclosive", "synthetic")  # variants that average over the keys that pass the threshold


def _check(variant: str, rule: str, eqmax: float | None) -> None:
    """Raise an error unless this variant is defined for this rule."""
    check_choice(rule, "rule", COVERED)
    check_choice(variant, "variant", COVERED["class"])
    if variant not in COVERED[rule]:
        raise ValueError(
            f"No definition covers `variant` {variant!r} with `rule` {rule!r}, which is defined for "
            f'{" and ".join(map(repr, COVERED[rule]))}. Give one of these, or rule="class", which covers all five.'
        )
    if eqmax is not None:
        check_number(eqmax, "eqmax", "a number of records above 0, or None for no limit", least=0, excluded=(0,))


def tcap(
    o: Counts,
    s: Release = None,
    *,
    variant: Variant,
    tau: float = 1.0,
    rule: Rule = "class",
    eqmax: float | None = None,
    counted: Counts | None = None,
) -> xr.DataArray:
    """Targeted Correct Attribution Probability (TCAP): success of an intruder who guesses only for confident keys.

    The acronym has several definitions, which give different numbers for the same data. So there is no default variant.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.
    variant : {"all", "matched", "disclosive", "certain", "synthetic"}
        A key is *confident* if one target has at least the share `tau` of its synthetic records. The *right* records are its original
        records with this target (with t tied targets, 1/t of the records of each).

        - "all": right records of confident keys, over all original records; at tau = 1 this is `disco`;
        - "matched": the same over the records whose key occurs in `s`;
        - "disclosive": the same over the records of confident keys;
        - "certain": those right records whose key has a single target in `o` too, over the records whose key occurs in `s`;
        - "synthetic": the share of right records of a key, averaged over the synthetic records of the confident keys that `o` has.
    tau : float
        From 0 to 1. A share q = s_ij / s_.j passes if q >= tau, without a tolerance; 7 of 25 reaches 0.28.
    rule : {"class", "cell"}
        "class" is described above. With "cell" each record counts q_ij of its cell if q_ij >= tau, and 0 otherwise. This is defined for
        "all" and "matched"; at tau = 0 these are the two average CAPs.
    eqmax : float, optional
        Only keys with at most this many original records are used, in numerator and denominator. The corresponding baseline is
        ``baseline_cap(o.where(o.sum("target") <= eqmax, 0), o, kind="crossed")``.
    counted : array-like or DataArray, optional
        Counts of those records of `o` that may count in the numerator, such as `exclude` returns; the others stay in the denominator.

    Returns
    -------
    DataArray, dims (...)
        From 0 to 1. NaN if the denominator is 0: no record, no matched record, or no confident key.

    Raises
    ------
    ValueError, TypeError
        If `variant` is unknown, or no definition covers it with this `rule`; `tau` is outside [0, 1]; `eqmax` is not positive; or the
        tables are not counts or disagree.

    See Also
    --------
    tau_curve : all values of tau at once.

    Notes
    -----
    See theory/certainty.md#tcap: "certain" is at most "matched", which is at most "disclosive", where they are defined.

    References
    ----------
    Taub and Elliot (2019), "The synthetic data challenge", UNECE work session on statistical data confidentiality ("synthetic").
    Little, Elliot and Allmendinger (2025), https://doi.org/10.1177/0282423X241266523 ("disclosive").
    Raab, Nowok and Dibben (2024), https://doi.org/10.48550/arXiv.2406.16826 ("matched").

    Examples
    --------
    10 original records; the first key is pure in `s` and right for 3 of its 4 records, the second is not pure, the third unmatched:

    >>> o, s = [[3, 2, 1], [1, 2, 1]], [[2, 1, 0], [0, 1, 0]]
    >>> [round(float(tcap(o, s, variant=v)), 4) for v in ("all", "matched", "disclosive", "certain", "synthetic")]
    [0.3, 0.375, 0.75, 0.0, 0.75]
    """
    _check(variant, rule, eqmax)
    check_number(tau, "tau", "a number from 0 to 1", least=0, most=1, more=" For many of them at once use tau_curve.")

    def formula(o: Table, s: Table, counted: Table | None = None) -> Floats:
        share, right, weight = _parts(o, s, among(o, counted), variant, rule, eqmax)
        passes = share >= tau
        below = weight * passes if variant in AMONG_CONFIDENT else weight
        return ratio((right * passes).sum(-1), below.sum(-1), np.nan)

    return tables_of(counted, o=o, s=s).map(formula, "tcap")


def tau_curve(
    o: Counts, s: Release = None, *, variant: Variant, rule: Rule = "class", eqmax: float | None = None, counted: Counts | None = None
) -> xr.DataArray:
    """Targeted Correct Attribution Probability as a step function of the threshold tau.

    It shows how the success changes if an intruder also guesses without being certain.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.
    variant, rule, eqmax, counted
        As in `tcap`.

    Returns
    -------
    DataArray, dims (..., tau)
        ``tau`` holds the greatest shares of the keys of `s` (with the rule "cell", the shares of its cells) in ascending order, 1 last.
        Between two of them the function has the value of the upper one, so ``curve.sel(tau=x, method="bfill")`` is `tcap` at any x from 0
        to 1. NaN where `tcap` is. The attrs hold `variant`, `rule` and ``records``, the number of original records (the least and the
        greatest where several tables differ).

    Raises
    ------
    ValueError, TypeError
        As `tcap`.

    See Also
    --------
    tcap : at one threshold.

    Notes
    -----
    See theory/certainty.md#tcap. It takes one sort by share, and cumulated sums.

    References
    ----------
    Taub, Elliot, Pampaka and Smith (2018), https://doi.org/10.1007/978-3-319-99771-1_9, for the threshold.

    Examples
    --------
    >>> curve = tau_curve([[3, 2], [1, 4]], [[2, 1], [0, 2]], variant="all")
    >>> curve.tau.values.round(4).tolist(), curve.values.tolist()
    ([0.6667, 1.0], [0.7, 0.3])
    """
    _check(variant, rule, eqmax)
    o, s = given_tables({"o": o, "s": s}).values()
    taus = _thresholds(s, rule)

    def formula(o: Table, s: Table, counted: Table | None = None) -> Floats:
        share, right, weight = _parts(o, s, among(o, counted), variant, rule, eqmax)
        above = _sums_above(share, right, taus)
        below = _sums_above(share, weight, taus) if variant in AMONG_CONFIDENT else weight.sum(-1)[..., None]
        return ratio(above, below, np.nan)

    tables = tables_of(counted, o=o, s=s)
    found = tables.map(formula, "tau_curve", ("tau",)).assign_coords(tau=taus)
    return found.assign_attrs(variant=variant, rule=rule, records=same_or_span(tables.totals("o")))


def _parts(o: Table, s: Table, x: Table, variant: str, rule: str, eqmax: float | None) -> tuple[Floats, Floats, Array]:
    """For each key: its greatest share, the records x that are right if it passes, and its weight in the denominator.

    With the rule "cell" the first two are for each cell: its share, and the expected number of right records.
    """
    o_j, s_j = o.key_total, s.key_total
    eligible = o_j <= (math.inf if eqmax is None else eqmax)
    weight = o_j * eligible
    if variant != "all":
        weight = weight * (s_j > 0)
    if rule == "cell":
        q = attribution(s, s_j, 0.0)
        expected = x.values * q.values * o.on_cells(eligible)
        return q.side_by_side(), q.like(expected).side_by_side(), weight
    right = modal_hits(x, s) * eligible
    if variant == "certain":
        right = right * (o.key_greatest() == o_j)
    if variant == "synthetic":
        right = ratio(right, o_j, 0.0) * s_j  # s_.j r_{i* j}
        weight = s_j * ((o_j > 0) & eligible)
    return ratio(s.key_greatest(), s_j, 0.0), right, weight


def _thresholds(s: Any, rule: str) -> Floats:
    """The distinct shares of keys, or of cells, in ascending order, and 1."""
    aligned = Aligned({"s": s})
    if rule == "cell":
        shares = aligned.map(lambda s: attribution(s, s.key_total, 0.0), "q", ("target", "key"))
    else:
        shares = aligned.map(lambda s: ratio(s.key_greatest(), s.key_total, 0.0), "q", ("key",))
    values = listed(shares.variable.data)[1]
    return np.union1d(values[values > 0], [1.0])


def _sums_above(share: Floats, values: Array, taus: Floats) -> Floats:
    """For each threshold the sum of the values whose share reaches it: shape (..., taus)."""
    share, values = np.broadcast_arrays(share, values)
    order = np.argsort(share, axis=-1)
    ordered, values = (np.take_along_axis(x, order, axis=-1) for x in (share, values))
    rows = ordered.reshape(-1, ordered.shape[-1])
    first = np.array([np.searchsorted(row, taus) for row in rows]).reshape(*ordered.shape[:-1], len(taus))
    through = np.concatenate([np.cumsum(values[..., ::-1], axis=-1)[..., ::-1], np.zeros_like(values[..., :1])], axis=-1)
    return np.take_along_axis(through, first, axis=-1).astype(np.float64)
