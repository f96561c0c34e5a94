"""Average CAP of an attacker who does not trust shares of few records: posterior means under a Dirichlet prior."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.tables.checking import is_number, shown
from capstats.tables.mapping import Aligned
from capstats.tables.sums import ratio, shared
from capstats.tables.table import Floats, Table


def smoothed_cap(o: Any, s: Any, *, alpha: float) -> xr.DataArray:
    """Average CAP where the attacker smooths the shares of each key: alpha records of every target are added to the synthetic ones.

    One synthetic record of a key then is weak evidence, and a key without any gives an even guess.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.
    alpha : float
        Records that are added to each cell of `s`, above 0: the parameter of a symmetric Dirichlet prior. 1 is Laplace's rule, 1/2 that of
        Jeffreys.

    Returns
    -------
    DataArray, dims (...)
        Sum of o_ij (s_ij + alpha) / (s_.j + I alpha) over n, from 0 to 1; larger is riskier. I is the number of targets that either table
        has. NaN if `o` has no record.

    Raises
    ------
    ValueError, TypeError
        If `alpha` is not a positive number, or the tables are not counts (the cell is named) or disagree in shape or labels.

    See Also
    --------
    average_cap : without smoothing.

    Notes
    -----
    See theory/smoothed-cap.md. For alpha near 0 it is average CAP with 1 / I for an unmatched key; for large alpha it is 1 / I.

    References
    ----------
    Good (1965), The Estimation of Probabilities, chapter 3 (the symmetric Dirichlet prior).

    Examples
    --------
    Three of four people have the first target. The release has one record, with this target, and 2/3 of the smoothed share:

    >>> float(smoothed_cap([[3], [1]], [[1], [0]], alpha=1)) * 12  # 12 (3/4 * 2/3 + 1/4 * 1/3)
    7.0
    """
    if not is_number(alpha) or not 0 < alpha < np.inf:
        raise ValueError(f"`alpha` must be a number above 0, added to every cell of `s`; got {shown(alpha)}.")
    added = float(alpha)

    def formula(o: Table, s: Table) -> Floats:
        o_j, s_j = o.key_total(), s.key_total()
        targets = s.target_total().shape[-1]
        right = (shared(o, s, s_j) + added * o_j) / (s_j + targets * added)
        return ratio(right.sum(-1), o.total(), np.nan)

    return Aligned({"o": o, "s": s}).map(formula, "smoothed_cap")
