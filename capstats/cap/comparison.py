"""Comparison of a release with its original: protected records, normalized average CAP, and the distance of the targets given the key."""

from __future__ import annotations

import numpy as np
import xarray as xr

from capstats.cap.average import average_cap
from capstats.cap.baselines import baseline_cap
from capstats.cap.neighbours import Convention, rows_used
from capstats.cap.tolerance import Within
from capstats.codes.checks import shown
from capstats.tables.aligned import Aligned
from capstats.tables.checking import given_tables
from capstats.tables.sums import attribution, ratio
from capstats.tables.table import Array, Counts, Floats, Release, Table
from capstats.tables.ties import at_most


def protected_records(o: Counts, s: Release = None, *, unmatched: Convention = "zero", radius: int = 0) -> xr.DataArray:
    """Number of original records whose individual CAP is smaller with the synthetic table than with the original table.

    The paper calls such a record protected by publishing `s` instead of `o`. The CAP of other records with the same key then usually rises.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.
    unmatched : {"zero", "drop", "nearest"}
        Records whose key is not in `s` have CAP 0 and so are protected; or are not counted; or have the CAP of the pooled records of the
        nearest synthetic keys.
    radius : int
        As in `individual_cap`.

    Returns
    -------
    DataArray, dims (...)
        Sum of o_ij over the cells with q_ij < o_ij / o_.j, from 0 to n; larger is safer. An integer if `o` holds integers. Values that
        differ by rounding only count as equal (`at_most`), and equal values are not protected. 0 if no record has a CAP.

    Raises
    ------
    ValueError, TypeError
        As in `individual_cap`.

    See Also
    --------
    individual_cap, normalized_cap

    Notes
    -----
    See theory/baselines.md#comparison. If a key is matched and the synthetic table gives it no new target, some of its records are not
    protected, because the individual CAPs of a key sum to 1 over its targets in both tables.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 2.2.

    Examples
    --------
    The paper's smokers. The 20 sick smokers go from 0.4 to 0.24, and the 30 healthy ones from 0.6 to 0.76. Of the others the 5 sick go from
    0.1 to 0.1045, and the 45 healthy from 0.9 to 0.8955:

    >>> int(protected_records([[20, 5], [30, 45]], [[8, 7], [25, 60]]))
    65
    """
    aligned = Aligned({"o": o, "s": s})
    rows_of = rows_used(aligned, unmatched, radius)
    empty = 0.0 if unmatched == "zero" else np.nan

    def formula(o: Table, s: Table) -> Array:
        q, r = attribution(*rows_of(o, s), empty).values, attribution(o, o.key_total, 0.0).values
        smaller = at_most(q, r) & ~at_most(r, q)
        return s.like(o.values * smaller).total

    return aligned.map(formula, "protected_records")


def normalized_cap(o: Counts, s: Release = None, *, unmatched: Convention = "zero", radius: int = 0, within: Within = None) -> xr.DataArray:
    """Average CAP on the scale from the marginal baseline, 0, to the average CAP of the original with itself, 1.

    It shows which share of the information about the target in the key is still in the synthetic table.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.
    unmatched, radius
        As in `average_cap`. They do not change the scale.
    within : ("triangular", distance), optional
        As in `average_cap`, for all three. With near guesses that count in full CAP(O) may be below b, and there is no scale.

    Returns
    -------
    DataArray, dims (...)
        (CAP(S) - b) / (CAP(O) - b). 1 for S = O. Negative if a guess without the release is better; it can exceed 1. NaN if CAP(O) = b,
        that is, the target is independent of the key in the original, or if average CAP is undefined.

    Raises
    ------
    ValueError, TypeError
        As in `average_cap`; if `within` is a distance or a function.

    See Also
    --------
    average_cap, baseline_cap, goodman_kruskal_tau

    Notes
    -----
    See theory/baselines.md#comparison and, for `within`, theory/cap.md#tolerance. If each target is replaced with probability theta by a
    draw from the target margin of the original, the expected value is 1 - theta.

    References
    ----------
    Taub, Elliot, Pampaka and Smith (2018), https://doi.org/10.1007/978-3-319-99771-1_9 (CAP beside its baseline and that of the original).

    Examples
    --------
    Average CAP is 0.75, the baseline 0.5, and CAP of the original with itself 1:

    >>> float(normalized_cap([[2, 0], [0, 2]], [[3, 1], [1, 3]]))
    0.5
    """
    if within is not None and not isinstance(within, tuple):
        raise ValueError(
            f'`within` must be the pair ("triangular", distance) for normalised CAP; got {shown(within)}. Where near guesses count in '
            "full, CAP of the original may be below its baseline."
        )
    o, s = given_tables({"o": o, "s": s}).values()
    average = average_cap(o, s, unmatched=unmatched, radius=radius, within=within)
    return on_scale(average, baseline_cap(o, within=within), average_cap(o, o, within=within)).rename("normalized_cap")


def on_scale(average: xr.DataArray, baseline: xr.DataArray, original: xr.DataArray) -> xr.DataArray:
    """Average CAP on the scale from the baseline, 0, to the original with itself, 1; NaN where these are equal."""
    return (average - baseline) / (original - baseline).where(~at_most(original, baseline))


def target_distance(o: Counts, s: Release = None) -> xr.DataArray:
    """Distance of the synthetic table from the original in the shares of the targets given the key.

    The share of original records that would need another target for every key to have the shares of targets that the release shows.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.

    Returns
    -------
    DataArray, dims (...)
        D, from 0 to 1; smaller is more useful. 0 if and only if every key of the original is in `s` with the same shares of targets; 1 if
        no key has a target in both tables. NaN if `o` has no record.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or disagree in shape or labels.

    See Also
    --------
    average_cap, normalized_cap

    Notes
    -----
    D = sum_j (o_.j / n) sum_i |r_ij - q_ij| / 2, the mean over original records of the total variation distance between the targets of
    their key in the two tables; a record whose key is not in `s` counts 1. See theory/attainable.md#target-distance: average CAP differs
    from that of the original with itself by at most D.

    References
    ----------
    Levin and Peres (2017), Markov Chains and Mixing Times, 2nd edition, https://doi.org/10.1090/mbk/107, section 4.1 (total variation).

    Examples
    --------
    Of the 4 records of the first key, 1 would need another target for shares of 1/2 and 1/2; the second key agrees, the third is missing:

    >>> float(target_distance([[3, 2, 0], [1, 2, 2]], [[1, 5, 0], [1, 5, 0]]))
    0.3
    """
    return Aligned({"o": o, "s": s}).map(targets_apart, "target_distance")


def targets_apart(o: Table, s: Table) -> Floats:
    """The mean over original records of the distance between the targets of their key in the two tables: shape (...)."""
    r, q = attribution(o, o.key_total, 0.0), attribution(s, s.key_total, 0.0)
    apart = s.like(np.abs(r.values - q.values)).key_total / 2  # total variation of each matched key
    return ratio((o.key_total * np.where(s.key_total > 0, apart, 1.0)).sum(-1), o.total, np.nan)
