"""Utility of a release for what CAP asks of it: how far the targets of each key are from those of the original."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.tables.aligned import Aligned
from capstats.tables.sums import attribution, ratio
from capstats.tables.table import Floats, Table


def target_distance(o: Any, s: Any) -> xr.DataArray:
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
    their key in the two tables; a record whose key is not in `s` counts 1. See theory/target-distance.md: average CAP differs from that
    of the original with itself by at most D.

    References
    ----------
    Levin and Peres (2017), Markov Chains and Mixing Times, 2nd edition, https://doi.org/10.1090/mbk/107, section 4.1 (total variation).

    Examples
    --------
    Of the 4 records of the first key, 1 would need another target for shares of 1/2 and 1/2; the second key agrees, the third is missing:

    >>> float(target_distance([[3, 2, 0], [1, 2, 2]], [[1, 5, 0], [1, 5, 0]]))
    0.3
    """

    def formula(o: Table, s: Table) -> Floats:
        o_j, s_j = o.key_total(), s.key_total()
        r, q = attribution(o, o_j, 0.0), attribution(s, s_j, 0.0)
        apart = s.like(np.abs(r.values - q.values)).key_total() / 2  # total variation of each matched key
        return ratio((o_j * np.where(s_j > 0, apart, 1.0)).sum(-1), o.total(), np.nan)

    return Aligned({"o": o, "s": s}).map(formula, "target_distance")
