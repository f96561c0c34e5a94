"""Correct Attribution Probability: of a record, on average, and its distribution over records.

An intruder who knows a person's key looks it up in the synthetic data and guesses the target in proportion to what is there.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import xarray as xr

from capstats.counts.batches import Aligned
from capstats.counts.primitives import TIE, Array, Floats, attribution, is_tie, key_total, mode, ratio, shared, total

Unmatched = Literal["zero", "drop"]


def check_unmatched(unmatched: str) -> None:
    if unmatched not in ("zero", "drop"):
        raise ValueError(
            f'`unmatched` must be "zero" (a record whose key is not in `s` counts 0) or "drop" (it is left out); got {unmatched!r}.'
        )


def individual_cap(o: Any, s: Any, *, unmatched: Unmatched = "zero") -> xr.DataArray:
    """Correct Attribution Probability of a record in each cell: the share of its key's synthetic records that have its target.

    It answers, for one person: if the intruder guesses from the synthetic records that look like you, how likely is the guess right?

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records, o_ij and s_ij, at least 0.
    unmatched : {"zero", "drop"}
        A key without synthetic records gives 0 (Definition 1), or NaN.

    Returns
    -------
    DataArray, dims (..., target, key)
        q_ij = s_ij / s_.j, from 0 (never right) to 1 (always right).

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or disagree in shape or labels.

    Notes
    -----
    See theory/average-cap.md. Over the targets of a matched key the values add up to 1 (theory/theorem-1.md).

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Definition 1.
    Taub, Elliot, Pampaka and Smith (2018), https://doi.org/10.1007/978-3-319-99771-1_9.

    Examples
    --------
    A sick and a healthy smoker, when 8 sick and 25 healthy smokers are released:

    >>> individual_cap([[20, 5], [30, 45]], [[8, 7], [25, 60]]).values[:, 0].round(4).tolist()
    [0.2424, 0.7576]
    """
    check_unmatched(unmatched)
    empty = 0.0 if unmatched == "zero" else np.nan

    def formula(o: Array, s: Array) -> Floats:
        q = attribution(s, empty)  # Definition 1
        return np.broadcast_to(q, np.broadcast_shapes(o.shape, s.shape))

    return Aligned({"o": o, "s": s}).map(formula, "individual_cap", ("target", "key"))


def average_cap(o: Any, s: Any, *, unmatched: Unmatched = "zero") -> xr.DataArray:
    """Average over the original records of their Correct Attribution Probability.

    It answers: of all the people in the original data, what share does an intruder expect to guess right?

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records. Every other dim broadcasts: thousands of synthetic tables are one call.
    unmatched : {"zero", "drop"}
        Records whose key is not in `s` count 0 (version 1 of the average) or are left out (version 2).

    Returns
    -------
    DataArray, dims (...)
        c / n, or c / n_M with "drop", from 0 to 1; larger is riskier. NaN where no original record counts: n = 0, or n_M = 0 with "drop".

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or disagree in shape or labels.

    See Also
    --------
    individual_cap, matched_records, baseline_cap, cap_quantiles

    Notes
    -----
    c = sum_j (sum_i o_ij s_ij) / s_.j, over matched keys: see theory/average-cap.md. No table of q_ij is made.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Definitions 2 and 3.

    Examples
    --------
    The paper's O_3 with the synthetic table S_b:

    >>> o = [[0, 176, 204], [0, 78, 93], [127, 163, 59]]
    >>> s = [[24, 36, 15], [226, 113, 213], [216, 54, 3]]
    >>> round(float(average_cap(o, s)), 4)
    0.3074
    """
    check_unmatched(unmatched)

    def formula(o: Array, s: Array) -> Floats:
        s_j = key_total(s)
        c = ratio(shared(o, s, s_j), s_j, 0.0).sum(-1)
        n = total(o) if unmatched == "zero" else (key_total(o) * (s_j > 0)).sum(-1)
        return ratio(c, n, np.nan)  # Definitions 2 and 3

    return Aligned({"o": o, "s": s}).map(formula, "average_cap")


def matched_records(o: Any, s: Any) -> xr.DataArray:
    """Number of original records whose key occurs in the synthetic table, n_M.

    Only these give the intruder something to look up.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.

    Returns
    -------
    DataArray, dims (...)
        From 0 to n; an integer where `o` holds integers.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or disagree in shape or labels.

    Notes
    -----
    See theory/average-cap.md: average CAP with "zero" is the one with "drop" times n_M / n.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Definition 3 (n - \\|A\\|).

    Examples
    --------
    The second key is not in the synthetic table:

    >>> int(matched_records([[1, 2], [3, 4]], [[5, 0], [0, 0]]))
    4
    """
    return Aligned({"o": o, "s": s}).map(lambda o, s: (key_total(o) * (key_total(s) > 0)).sum(-1), "matched_records")


def correct_predictions(o: Any, s: Any) -> xr.DataArray:
    """Number of original records whose target an intruder predicts who always names the key's most frequent synthetic target.

    The modal attacker does not guess in proportion: everybody with the same key gets the same prediction.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.

    Returns
    -------
    DataArray, dims (...)
        From 0 to n. Where t targets tie, each is named with probability 1/t, so the number is an expectation.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts (the cell is named), or disagree in shape or labels.

    Notes
    -----
    See theory/predictive-success.md. Unmatched keys get no prediction.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 4.

    Examples
    --------
    The paper's O_4 with S_a; average CAP is higher than with S_e, the success of the prediction lower:

    >>> o = [[0, 0, 62], [197, 136, 134], [74, 99, 198]]
    >>> float(correct_predictions(o, [[114, 118, 77], [104, 44, 134], [105, 86, 118]]))
    134.0
    >>> float(correct_predictions(o, [[67, 97, 153], [37, 114, 101], [169, 14, 148]]))
    272.0
    """

    def formula(o: Array, s: Array) -> Floats:
        best = mode(s)
        return ratio((o * best).sum(-2), best.sum(-2), 0.0).sum(-1)

    return Aligned({"o": o, "s": s}).map(formula, "correct_predictions")


# --- distribution over records ----------------------------------------------------------------------------------------


def cap_quantiles(o: Any, s: Any, q: Any, *, unmatched: Unmatched = "zero") -> xr.DataArray:
    """Quantiles of individual CAP over the original records, with linear interpolation.

    A low average can hide people at high risk: the 0.9 quantile is the risk that a tenth of the records exceed.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records; `o` must hold integers, for a quantile interpolates between records.
    q : float or sequence of floats
        Probabilities from 0 to 1.
    unmatched : {"zero", "drop"}
        Records whose key is not in `s` have CAP 0, or are left out.

    Returns
    -------
    DataArray, dims (quantile, ...), without ``quantile`` where `q` is one number
        From 0 to 1: exactly ``numpy.quantile`` of the individual CAP of all n records, which are never expanded. NaN where no
        record counts.

    Raises
    ------
    ValueError, TypeError
        If `o` has fractional counts, `q` is outside [0, 1], or the tables are not counts or disagree.

    Notes
    -----
    See theory/distribution.md: the value of the k-th record is found in the cumulated counts of the sorted cells.

    References
    ----------
    Hyndman and Fan (1996), definition 7, https://doi.org/10.1080/00031305.1996.10473566.

    Examples
    --------
    >>> cap_quantiles([[1, 0], [2, 1]], [[1, 1], [1, 3]], [0, 0.5, 1]).values.tolist()
    [0.5, 0.5, 0.75]
    """
    check_unmatched(unmatched)
    probabilities = np.asarray(q, dtype=np.float64)
    if probabilities.ndim > 1 or not ((probabilities >= 0) & (probabilities <= 1)).all():
        raise ValueError(f"`q` must be one probability or a sequence of them, from 0 to 1; got {q!r}.")
    p = probabilities.reshape(-1)

    def formula(o: Array, s: Array) -> Floats:
        if o.dtype.kind != "i":
            raise ValueError(
                "`o` must hold integers for quantiles, which interpolate between records; got fractional counts. "
                "Use cap_ecdf, which takes weights."
            )
        values, weights = _by_value(o, s, unmatched)
        through = np.cumsum(weights, axis=-1)
        n = through[..., -1:]
        position = (n - 1) * p
        below = np.floor(position)
        a = _kth(values, through, below)
        b = _kth(values, through, np.minimum(below + 1, n - 1))
        t = position - below
        found = np.where(t >= 0.5, b - (b - a) * (1 - t), a + (b - a) * t)  # as numpy rounds it
        return np.where(n > 0, found, np.nan)

    aligned = Aligned({"o": o, "s": s})
    return _leading(aligned.map(formula, "cap_quantiles", ("quantile",)), "quantile", probabilities)


def cap_ecdf(o: Any, s: Any, at: Any, *, unmatched: Unmatched = "zero") -> xr.DataArray:
    """Share of the original records whose individual CAP is at most a given value.

    One minus it is the share of people whose risk exceeds that value.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records; weights may be fractional.
    at : float or sequence of floats
        Values of individual CAP; ties count (see `at_most`).
    unmatched : {"zero", "drop"}
        Records whose key is not in `s` have CAP 0, or are left out.

    Returns
    -------
    DataArray, dims (at, ...), without ``at`` where it is one number
        From 0 to 1, never falling along ``at``. NaN where no record counts.

    Raises
    ------
    ValueError, TypeError
        If `at` holds NaN, or the tables are not counts or disagree.

    Notes
    -----
    See theory/distribution.md.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 1 shows this distribution.

    Examples
    --------
    Five smokers' worth of cells; half of the records have CAP at most 0.5:

    >>> float(cap_ecdf([[2, 0], [2, 4]], [[1, 1], [1, 3]], 0.5))
    0.5
    """
    check_unmatched(unmatched)
    places = np.asarray(at, dtype=np.float64)
    if places.ndim > 1 or np.isnan(places).any():
        raise ValueError(f"`at` must be one number or a sequence of numbers; got {at!r}.")

    def formula(o: Array, s: Array) -> Floats:
        values, weights = _by_value(o, s, unmatched)
        through = np.concatenate([np.zeros_like(weights[..., :1]), np.cumsum(weights, axis=-1)], axis=-1)
        n = through[..., -1:]
        below = np.stack([at_most(values, x).sum(-1) for x in places.reshape(-1)], axis=-1)
        return ratio(np.take_along_axis(through, below, axis=-1), n, np.nan)

    aligned = Aligned({"o": o, "s": s})
    return _leading(aligned.map(formula, "cap_ecdf", ("at",)), "at", places)


def at_most(value: Any, reference: Any, *, rtol: float = TIE) -> Any:
    """Whether value <= reference, where a difference that rounding explains is a tie, and a tie counts.

    Two ways to the same number can differ in the last bit; which synthetic tables are "no riskier" must not depend on it.

    Parameters
    ----------
    value, reference : float, array or DataArray
        Numbers to compare; they broadcast.
    rtol : float
        Largest difference, relative to the larger magnitude, that is a tie.

    Returns
    -------
    bool, array or DataArray of bool
        False wherever either is NaN.

    Raises
    ------
    ValueError
        If `rtol` is negative or NaN.

    Notes
    -----
    See theory/distribution.md.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 4 compares CAP(S) with CAP(O).

    Examples
    --------
    >>> bool(0.1 + 0.2 <= 0.3), bool(at_most(0.1 + 0.2, 0.3))
    (False, True)
    """
    if not rtol >= 0:
        raise ValueError(f"`rtol` must be 0 or more; got {rtol!r}.")
    if isinstance(value, xr.DataArray) or isinstance(reference, xr.DataArray):
        return xr.apply_ufunc(lambda a, b: at_most(a, b, rtol=rtol), value, reference, join="exact")
    value, reference = np.asarray(value, dtype=np.float64), np.asarray(reference, dtype=np.float64)
    return (value <= reference) | is_tie(value, reference, rtol)


def _by_value(o: Array, s: Array, unmatched: Unmatched) -> tuple[Floats, Array]:
    """Cells sorted by individual CAP, and the records in each: two arrays of shape (..., cells)."""
    q = attribution(s, 0.0)
    if unmatched == "drop":
        o = o * (key_total(s) > 0)[..., None, :]
    q, o = np.broadcast_arrays(q, o)
    q, o = (x.reshape(*x.shape[:-2], -1) for x in (q, o))
    order = np.argsort(q, axis=-1)
    return np.take_along_axis(q, order, axis=-1), np.take_along_axis(o, order, axis=-1)


def _kth(values: Floats, through: Array, k: Floats) -> Floats:
    """The value of the k-th record (from 0) where ``through`` records have a value no greater."""
    cell = np.stack([(through <= k[..., i, None]).sum(-1) for i in range(k.shape[-1])], axis=-1)
    return np.take_along_axis(values, np.minimum(cell, values.shape[-1] - 1), axis=-1)


def _leading(result: xr.DataArray, dim: str, values: Floats) -> xr.DataArray:
    result = result.assign_coords({dim: values.reshape(-1)}).transpose(dim, ...)
    return result if values.ndim else result.isel({dim: 0})
