"""How far average CAP strays from its mean where the key totals of the release are known: Hoeffding's bound."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from capstats.codes.checks import check_number
from capstats.laws.models import CellUrn, Dirichlet, Given, KeptKeys, Model, Partial, Permuted, Pram, Uniform, checked_model
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Counts, Floats, Table


def cap_tail_bound(o: Counts, model: Model, *, excess: float, key_totals: ArrayLike | xr.DataArray | None = None) -> xr.Dataset:
    """Bound of the probability that average CAP exceeds its mean by a given amount, where the key totals of the release are known.

    It holds for tables of any size, where the law itself is out of reach.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records.
    model : Model
        `Uniform`, `Bootstrap`, `Independent`, `Dirichlet` or `Given`, given ``key_totals``, so that their own number of records may be
        left out; `Partial`, `Pram` or `Permuted`, which keep the key totals.
    excess : float
        By how much average CAP exceeds its mean, from 0.
    key_totals : array-like or DataArray, dims (key,) and any others, optional
        Numbers of synthetic records of each key, for the first five models.

    Returns
    -------
    Dataset
        ``mean``, the expected average CAP given the key totals, and ``bound``, from 0 to 1: P(CAP - mean >= excess) is at most this, and so
        is P(CAP - mean <= -excess). NaN if `o` holds no record.

    Raises
    ------
    ValueError, TypeError
        If `excess` is negative, the model is `Swap`, key totals are missing or do not belong to the model, or the tables are not counts
        (the cell is named).

    See Also
    --------
    cap_law : the law itself, for tables that are not too large.
    variance_cap : the variance, not given the key totals.

    Notes
    -----
    See theory/law.md#tail-bound: exp(-2 n^2 excess^2 / V), where V adds up, over matched keys, the squared range max_i o_ij - min_i o_ij
    times a factor: 1 / m_j where records of a key are independent, 4 / m_j for `Permuted`, and a number between 1 / m_j and 1 where each
    record makes its target more likely.

    References
    ----------
    Hoeffding (1963), Journal of the American Statistical Association 58, https://doi.org/10.1080/01621459.1963.10500830, Theorem 2.
    Azuma (1967), Tohoku Mathematical Journal 19, https://doi.org/10.2748/tmj/1178243286.

    Examples
    --------
    50 synthetic records in each key; exp(-2 * 100^2 * 0.1^2 / (10^2 / 50 + 40^2 / 50)):

    >>> from capstats.laws import Bootstrap, Uniform
    >>> found = cap_tail_bound([[20, 5], [30, 45]], Bootstrap(), excess=0.1, key_totals=[50, 50])
    >>> round(float(found["mean"]), 4), round(float(found.bound), 6)
    (0.67, 0.002788)

    Three records of a key with two targets, from an urn with A = 2: kappa is 25 / (3 * 2.5 * 5.5), and 1/3 for independent records:

    >>> found = cap_tail_bound([[3], [1]], Uniform(), excess=0.2, key_totals=[3])
    >>> round(float(found.bound / np.exp(-2 * (4 * 0.2) ** 2 / (4 * 25 / (3 * 2.5 * 5.5)))), 12)
    1.0
    """
    model = checked_model(model, o, limit=True)
    _check(model, excess, key_totals)
    aligned = model.aligned(o, None if key_totals is None else {"key_totals": key_totals})

    def mean(o: Table, *given: Any) -> Floats:
        if isinstance(model, Permuted):
            return model.given_margins(o, *given)
        if not isinstance(model, CellUrn):
            return model.mean(o)
        *given_by, m_j = given
        return ratio((model.cells(o, *given_by).mean * (m_j > 0)).sum(-1), o.total(), np.nan)

    def bound(o: Table, *given: Any) -> Floats:
        n = o.total().astype(np.float64)
        least = 0 if isinstance(model, Given) else o.key_least()  # of a target that only the generator gives
        spread = ((o.key_greatest() - least) ** 2.0 * _factor(model, o, *given)).sum(-1)  # V
        held = np.exp(-2 * (n * excess) ** 2 / np.where(spread > 0, spread, 1))
        return np.where(n > 0, np.where(spread > 0, held, float(excess == 0)), np.nan)

    found = {"mean": aligned.map(mean, "mean"), "bound": aligned.map(bound, "bound")}
    return Result(found, attrs={"result": f"Bound of the tail of average CAP, excess {excess:g}"})


def _check(model: Model, excess: Any, key_totals: Any) -> None:
    check_number(excess, "excess", "a number from 0, by which average CAP exceeds its mean", least=0, excluded=[np.inf])
    if not isinstance(model, CellUrn | Permuted | Partial | Pram):
        raise ValueError(
            f"No bound is given for `{type(model).__name__}`. `variance_cap` has its variance, and Chebyshev's inequality holds with it."
        )
    if isinstance(model, CellUrn) and key_totals is None:
        raise ValueError(f'`{model!r}` needs `key_totals`, the synthetic records of each key; give them, such as s.sum("target").')
    if not isinstance(model, CellUrn) and key_totals is not None:
        raise ValueError(f"`key_totals` does not belong to `{model!r}`, which keeps the key totals of its table. Leave it out.")


def _factor(model: Model, o: Table, *tables: Any) -> Floats:
    """By what the squared range of each key is multiplied; 0 where it is empty in the release. The last table: key totals, or a release."""
    given: Any = o.key_total() if isinstance(model, KeptKeys) else tables[-1]
    if isinstance(model, Permuted):
        return ratio(4.0 * (given.key_total() > 0), given.key_total(), 0.0)
    if isinstance(model, KeptKeys):
        model.check(o)
    m_j: Array = given * 1.0
    alone = ratio(np.ones(1), m_j, 0.0)
    urn = Dirichlet(alpha=model.alpha) if isinstance(model, Partial) else model
    if not isinstance(urn, Uniform | Dirichlet):
        return alone
    weight = urn.cells(o).weight()
    return np.minimum(alone * (weight + m_j) ** 2 / ((weight + 0.5) * (weight + m_j + 0.5)), m_j > 0)
