"""How far average CAP strays from its mean where the key totals of the release are known: Hoeffding's bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.laws.cells import BY_CELL, Cells
from capstats.laws.kept_keys import check_whole, kept_mean
from capstats.laws.models import Synthesis, in_order_of
from capstats.tables.aligned import Aligned
from capstats.tables.checking import is_number, shown
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Floats, Table


def cap_tail_bound(
    o: Any,
    *,
    excess: float,
    model: str,
    key_totals: Any = None,
    alpha: float | None = None,
    s: Any = None,
    matrix: Any = None,
    theta: float | None = None,
) -> xr.Dataset:
    """Bound of the probability that average CAP exceeds its mean by a given amount, where the key totals of the release are known.

    It holds for tables of any size, where the law itself is out of reach.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records.
    excess : float
        By how much average CAP exceeds its mean, from 0.
    model : str
        "uniform", "bootstrap", "independent" and "dirichlet", given ``key_totals``; "partial", "pram" and "permutation", which keep them.
    key_totals : array-like or DataArray, dims (key,) and any others, optional
        Numbers of synthetic records of each key, for the first four models.
    alpha, s, matrix, theta
        What the model must be told, as in `cap_law`.

    Returns
    -------
    Dataset
        ``mean``, the expected average CAP given the key totals, and ``bound``, from 0 to 1: P(CAP - mean >= excess) is at most this, and so
        is P(CAP - mean <= -excess). NaN if `o` holds no record.

    Raises
    ------
    ValueError, TypeError
        If `excess` is negative, the model is "swap", key totals are missing or do not belong to the model, or the tables are not counts
        (the cell is named).

    See Also
    --------
    cap_law : the law itself, for tables that are not too large.
    variance_cap : the variance, not given the key totals.

    Notes
    -----
    See theory/tail-bound.md: exp(-2 n^2 excess^2 / V), where V adds up, over matched keys, the squared range max_i o_ij - min_i o_ij times
    a factor: 1 / m_j where records of a key are independent, 4 / m_j for "permutation", and a number between 1 / m_j and 1 where each
    record makes its target more likely.

    References
    ----------
    Hoeffding (1963), Journal of the American Statistical Association 58, https://doi.org/10.1080/01621459.1963.10500830, Theorem 2.
    Azuma (1967), Tohoku Mathematical Journal 19, https://doi.org/10.2748/tmj/1178243286.

    Examples
    --------
    50 synthetic records in each key; exp(-2 * 100^2 * 0.1^2 / (10^2 / 50 + 40^2 / 50)):

    >>> found = cap_tail_bound([[20, 5], [30, 45]], excess=0.1, model="bootstrap", key_totals=[50, 50])
    >>> round(float(found["mean"]), 4), round(float(found.bound), 6)
    (0.67, 0.002788)
    """
    synthesis = _checked(excess, model, key_totals, alpha=alpha, s=s, matrix=in_order_of(o, matrix), theta=theta)
    tables = {"o": o} if synthesis.s is None else {"o": o, "s": synthesis.s}
    aligned = Aligned(tables, None if key_totals is None else {"key_totals": key_totals})

    def mean(o: Table, *known: Any) -> Floats:
        return _mean(o, synthesis, *known)

    def bound(o: Table, *known: Any) -> Floats:
        n = o.total().astype(np.float64)
        spread = ((o.key_greatest() - o.key_least()) ** 2.0 * _factor(o, synthesis, *known)).sum(-1)  # V
        held = np.exp(-2 * (n * excess) ** 2 / np.where(spread > 0, spread, 1))
        return np.where(n > 0, np.where(spread > 0, held, float(excess == 0)), np.nan)

    found = {"mean": aligned.map(mean, "mean"), "bound": aligned.map(bound, "bound")}
    return Result(found, attrs={"result": f"Bound of the tail of average CAP, excess {excess:g}"})


def _checked(excess: Any, model: str, key_totals: Any, **told: Any) -> Synthesis:
    if not is_number(excess) or not 0 <= excess < np.inf:
        raise ValueError(f"`excess` must be a number from 0, by which average CAP exceeds its mean; got {shown(excess)}.")
    if model == "swap":
        raise ValueError('No bound is given for "swap". `variance_cap` has its variance, and Chebyshev\'s inequality holds with it.')
    synthesis = Synthesis.of(model, limit=True, **told)
    if (synthesis.model in BY_CELL) == (key_totals is None):
        raise ValueError(
            f'The model "{model}" needs `key_totals`, the synthetic records of each key; give them, such as s.sum("target").'
            if key_totals is None
            else f'`key_totals` does not belong to the model "{model}", which keeps the key totals of its table. Leave it out.'
        )
    return synthesis


def _mean(o: Table, synthesis: Synthesis, known: Any = None) -> Floats:
    """Expected average CAP given the key totals."""
    if synthesis.model in BY_CELL:
        return ratio((Cells.of(o, synthesis).mean * (known > 0)).sum(-1), o.total(), np.nan)
    if known is None:
        return kept_mean(o, synthesis)
    shares = ratio(known.target_total(), known.total()[..., None], np.nan)
    right = (o.like(o.values * o.on_targets(shares)).key_total() * (known.key_total() > 0)).sum(-1)
    return ratio(right, o.total(), np.nan)


def _factor(o: Table, synthesis: Synthesis, known: Any = None) -> Floats:
    """By what the squared range of each key is multiplied; 0 where it is empty in the release."""
    if synthesis.model in ("partial", "pram"):
        check_whole(o, synthesis)
    if synthesis.model == "permutation":
        return ratio(4.0 * (known.key_total() > 0), known.key_total(), 0.0)
    m_j: Array = (o.key_total() if known is None else known) * 1.0
    alone = ratio(np.ones(1), m_j, 0.0)
    if synthesis.model not in ("uniform", "dirichlet", "partial"):
        return alone
    weight = Cells.of(o, Synthesis("dirichlet", alpha=synthesis.alpha) if synthesis.model == "partial" else synthesis).weight()
    return np.minimum(alone * (weight + m_j) ** 2 / ((weight + 0.5) * (weight + m_j + 0.5)), m_j > 0)
