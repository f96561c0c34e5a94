"""Targeted attribution (TCAP): success for keys whose most frequent synthetic target reaches a threshold."""

from __future__ import annotations

import math
from typing import Literal, get_args

import numpy as np
import xarray as xr

from capstats.cap.average import modal_hits
from capstats.codes.checks import check_choice, check_number
from capstats.disclosure.attribute import among, tables_of
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
    disco : this with "all" at tau = 1. average_cap : with the rule "cell" at tau = 0.

    Notes
    -----
    See theory/certainty.md#tcap: "certain" is at most "matched", which is at most "disclosive", where they are defined. As a function of
    tau it has steps at the greatest shares of keys, ``individual_cap(s, s).max("target")``; with "cell", at the shares of cells.

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
    check_number(tau, "tau", "a number from 0 to 1", least=0, most=1)

    def formula(o: Table, s: Table, counted: Table | None = None) -> Floats:
        share, right, weight = _parts(o, s, among(o, counted), variant, rule, eqmax)
        passes = share >= tau
        below = weight * passes if variant in AMONG_CONFIDENT else weight
        return ratio((right * passes).sum(-1), below.sum(-1), np.nan)

    return tables_of(counted, o=o, s=s).map(formula, "tcap")


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
