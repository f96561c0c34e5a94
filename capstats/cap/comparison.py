"""The release compared with publishing the original itself: who is better off, and how much of the link between key and target is left."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.cap.attribution import average_cap
from capstats.cap.baselines import baseline_cap
from capstats.cap.neighbours import Convention, lender
from capstats.tables.mapping import Aligned
from capstats.tables.sums import attribution
from capstats.tables.table import Array, Table
from capstats.tables.ties import at_most


def protected_records(o: Any, s: Any, *, unmatched: Convention = "zero", radius: int = 0) -> xr.DataArray:
    """Number of original records whose individual CAP is smaller with the synthetic table than with the original table.

    The paper calls such a person protected by publishing `s` in place of `o`. In the same key, other people's CAP then usually rises.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.
    unmatched : {"zero", "drop", "nearest"}
        Records whose key is not in `s` have CAP 0, so that they are protected; or they are not counted; or their CAP is that of the pooled
        records of the nearest synthetic keys.
    radius : int
        As in `individual_cap`.

    Returns
    -------
    DataArray, dims (...)
        Sum of o_ij over the cells with q_ij < o_ij / o_.j, from 0 to n; more is safer. An integer where `o` holds integers. Equal values
        are not protected, also where rounding sets them apart (`at_most`). 0 where no record counts.

    Raises
    ------
    ValueError, TypeError
        As in `individual_cap`.

    See Also
    --------
    individual_cap, normalized_cap

    Notes
    -----
    See theory/comparison.md. If a key is matched and the synthetic table gives it no new target, some of its records are not protected:
    over the targets of a key individual CAP adds up to 1 in both tables.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 2.2.

    Examples
    --------
    The paper's smokers. The 20 sick smokers go from .4 to .24, and the 30 healthy ones from .6 to .76. Of the others the 5 sick go from .1
    to .1045, and the 45 healthy from .9 to .8955:

    >>> int(protected_records([[20, 5], [30, 45]], [[8, 7], [25, 60]]))
    65
    """
    aligned = Aligned({"o": o, "s": s})
    lend = lender(aligned, unmatched, radius)
    empty = 0.0 if unmatched == "zero" else np.nan

    def formula(o: Table, s: Table) -> Array:
        q, r = attribution(*lend(o, s), empty).values, attribution(o, o.key_total(), 0.0).values
        smaller = at_most(q, r) & ~at_most(r, q)
        return s.like(o.values * smaller).total()

    return aligned.map(formula, "protected_records")


def normalized_cap(o: Any, s: Any, *, unmatched: Convention = "zero", radius: int = 0) -> xr.DataArray:
    """Average CAP on the scale from the marginal baseline, 0, to the average CAP of the original with itself, 1.

    It says which share of what the key tells about the target in the original is still told by the synthetic table.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.
    unmatched, radius
        As in `average_cap`. The scale is the same for all of them.

    Returns
    -------
    DataArray, dims (...)
        (CAP(S) - b) / (CAP(O) - b). 1 for S = O. Below 0 where an attacker does better without the release; it can pass 1. NaN where the
        original's key says nothing about the target, CAP(O) = b, or average CAP is undefined.

    Raises
    ------
    ValueError, TypeError
        As in `average_cap`.

    See Also
    --------
    average_cap, baseline_cap, goodman_kruskal_tau

    Notes
    -----
    See theory/comparison.md. If each target is replaced, with probability theta, by a draw from the original's distribution of targets, the
    expected value is 1 - theta.

    References
    ----------
    Taub, Elliot, Pampaka and Smith (2018), https://doi.org/10.1007/978-3-319-99771-1_9 (CAP beside its baseline and that of the original).

    Examples
    --------
    Average CAP is .75, the baseline .5, and CAP of the original with itself 1:

    >>> float(normalized_cap([[2, 0], [0, 2]], [[3, 1], [1, 3]]))
    0.5
    """
    least, most = baseline_cap(o), average_cap(o, o)
    span = (most - least).where(~at_most(most, least))
    return ((average_cap(o, s, unmatched=unmatched, radius=radius) - least) / span).rename("normalized_cap")
