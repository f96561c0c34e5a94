"""How much to perturb: the parameter of a model that gives a wanted expected average CAP."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

import numpy as np
import xarray as xr

from capstats.codes.checks import check_number, shown
from capstats.laws.models import Dirichlet, Model, Partial, Pram, Swap, check_records
from capstats.laws.models.sampling import one_table
from capstats.laws.models.urns import Urn
from capstats.tables.aligned import Aligned
from capstats.tables.printing import Result
from capstats.tables.sums import check_integers, ratio
from capstats.tables.table import Counts, Floats, Table
from capstats.tables.ties import at_most

Bounds = Callable[[Floats, Floats], tuple[Floats, Floats]]  # of a function on each interval: below and above all of its values there

ROUNDING = 1e-13  # relative error of an expected CAP, and more
OF_BOUNDS = 1e-12  # relative error of a computed bound, and more
START = 64  # intervals
FINEST = 2.0**-36  # length at which an interval is cut no more
MOST = 1 << 14  # intervals from which they are cut no more
WITHIN = 1e-6  # to which the extremes are found
TURNS = 100  # of Newton's method, whose steps about double alpha until they are near


def calibrate(o: Counts, model: type[Model], *, risk: float, m: int | None = None) -> xr.Dataset:
    """The parameter of a synthesis model with which average CAP is, on average, as large as wanted.

    How many records must be swapped, or how strong must the noise be, for a risk of .42?

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key)
        Counts of original records; sums of weights for `Pram` only.
    model : Pram, Swap, Partial or Dirichlet
        The class whose parameter is wanted: `theta` of `Pram`, `records` of `Swap`, or `alpha` of `Partial` or `Dirichlet`.
    risk : float
        The wanted expected average CAP, version 1, between 0 and 1. (For the first three models it is version 2 too.)
    m : int, optional
        Number of records of a release, at least 1; for `Dirichlet` only.

    Returns
    -------
    Dataset
        ``theta``, ``records`` or ``alpha``; the ends ``lower`` and ``upper`` of a bracket that holds the exact one; the expected average
        CAP of the three, ``expected_cap``, ``at_lower`` and ``at_upper``; and ``least`` and ``greatest``, between which the expected
        average CAP can be chosen. For `Swap` it is the smallest number with an expected average CAP of at most `risk`, and the bracket
        is this number and the one before it. For `Dirichlet` there is a dim ``root``: every alpha from 0 on with the wanted mean lies in
        one of the brackets, and where ``crossing`` is True there is one in it; `least` and `greatest` are known to 1e-6.

    Raises
    ------
    ValueError, TypeError
        If `risk` cannot be reached (the message has the range that can), every parameter has the same expected CAP, `risk` is not between
        0 and 1, the model is another one, `m` is missing or does not belong to the model, or `o` is not one table of counts.

    See Also
    --------
    expected_cap, sample_tables

    Notes
    -----
    See theory/perturbation.md#calibration. Under `Pram`, `Swap` and `Partial` the expected CAP falls from CAP(O). Under `Dirichlet` it may
    rise and fall: intervals of alpha are cut in half until bounds on them exclude the wanted value.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 4 (tables O_1 to O_4).

    Examples
    --------
    A third of the way from CAP(O) = 1 to the baseline 1/2 is left behind:

    >>> from capstats.laws import Pram, Swap
    >>> found = calibrate([[2, 0], [0, 2]], Pram, risk=5 / 6)
    >>> round(float(found.theta), 12), float(found.least), float(found.greatest)
    (0.333333333333, 0.5, 1.0)

    With four records, two are swapped; three would go below the wanted value:

    >>> found = calibrate([[2, 0], [0, 2]], Swap, risk=0.9)
    >>> int(found.records), round(float(found.at_lower), 4), round(float(found.at_upper), 4)
    (2, 1.0, 0.8333)
    """
    if not any(model is known for known in (Pram, Swap, Partial, Dirichlet)):
        names = "laws.Pram, laws.Swap, laws.Partial, laws.Dirichlet"
        got = model if isinstance(model, type) else shown(model)
        raise TypeError(f"`model` must be a class of models with a parameter to choose, {names}; got {got}.")
    wanted = check_number(risk, "risk", "a wanted expected CAP, between 0 and 1", least=0, most=1, excluded=[0, 1])
    if (m is None) == (model is Dirichlet):
        raise ValueError(
            "`Dirichlet` needs `m`, the number of records of a release."
            if m is None
            else f"`m` does not belong to `{model.__name__}`, whose releases have as many records as `o`. Leave it out."
        )
    aligned = one_table(Aligned({"o": o}))
    if not aligned.totals("o") > 0:
        raise ValueError("`o` holds no record, so that no release has an average CAP. Give a table with records.")
    if model is Dirichlet:
        found = _roots(aligned, check_records(m), wanted)
    else:
        found = (_theta if model is Pram else _swapped if model is Swap else _smoothing)(aligned, wanted)
    return Result(found, attrs={"result": f"Calibration of {model.__name__}", "risk": wanted})


# --- one answer: the expected CAP falls -------------------------------------------------------------------------------


def _theta(aligned: Aligned, risk: float) -> dict[str, Any]:
    least, greatest = (_expected(aligned, Pram(theta=theta)) for theta in (1.0, 0.0))
    _check_range("theta", risk, least, greatest)
    theta = min(max((greatest - risk) / (greatest - least), 0.0), 1.0)
    return _bracketed("theta", lambda x: _expected(aligned, Pram(theta=x)), theta, 1.0, risk) | {"least": least, "greatest": greatest}


def _swapped(aligned: Aligned, risk: float) -> dict[str, Any]:
    n = int(aligned.totals("o"))
    least, greatest = (_expected(aligned, Swap(records=records)) for records in (n, 0))
    _check_range("number of swapped records", risk, least, greatest)

    def expected(records: int) -> float:
        left = 1 - max(records - 1, 0) / (n - 1)
        return left * greatest + (1 - left) * least

    enough = bisect_left(range(n), True, key=lambda records: expected(records) <= risk)
    records = 0 if at_most(greatest, risk) else enough
    before = max(records - 1, 0)
    found = {"records": records, "lower": before, "upper": records, "expected_cap": expected(records)}
    return found | {"at_lower": expected(before), "at_upper": expected(records), "least": least, "greatest": greatest}


def _smoothing(aligned: Aligned, risk: float) -> dict[str, Any]:
    """Newton's method: E CAP - 1/I is a sum of e_j / (o_.j + I alpha), which falls and is convex, so that it comes from the left."""
    totals, squares = _keys(aligned)
    targets, n = aligned.sizes["target"], totals.sum()
    excess = np.maximum(squares - totals**2 / targets, 0)[totals > 0]  # e_j
    balls = totals[totals > 0].astype(np.float64)
    least, greatest = 1 / targets, _expected(aligned, Partial(alpha=0.0))
    _check_range("alpha", risk, least, greatest, reached=False)
    alpha = 0.0
    for _ in range(TURNS):
        terms = excess / (balls + targets * alpha)
        step = (terms.sum() - n * (risk - least)) / (targets * (terms / (balls + targets * alpha)).sum())
        alpha += max(float(step), 0.0)
    found = _bracketed("alpha", lambda x: _expected(aligned, Partial(alpha=x)), alpha, np.inf, risk)
    return found | {"least": least, "greatest": greatest}


def _bracketed(name: str, expected: Callable[[float], float], found: float, most: float, risk: float) -> dict[str, Any]:
    """A bracket around a solution: at its ends the expected CAP is beyond the wanted one by more than rounding, or they are the last."""
    lower = upper = found
    step = max(1e-15 * found, 1e-300)
    while lower > 0 and not expected(lower) >= risk * (1 + ROUNDING):
        lower, step = max(found - step, 0.0), 2 * step
    step = max(1e-15 * found, 1e-15)
    while upper < most and not expected(upper) <= risk * (1 - ROUNDING):
        upper, step = min(found + step, most), 2 * step
    ends = {"lower": lower, "upper": upper, "expected_cap": expected(found), "at_lower": expected(lower), "at_upper": expected(upper)}
    return {name: found, **ends}


# --- all answers: the expected CAP may rise and fall ------------------------------------------------------------------


def _roots(aligned: Aligned, m: int, risk: float) -> dict[str, Any]:
    mean = Saturated(m, aligned.sizes["target"], *_keys(aligned))
    least, greatest = extremes(mean.bounds, mean.expected)
    _check_varies("alpha", least, greatest)
    lower, upper = brackets(mean.bounds, risk)
    if not len(lower):
        raise ValueError(_unreachable("alpha", risk, least, greatest))
    ends = np.stack([mean.expected(lower), mean.expected(upper)])
    crossing = (ends.min(0) * (1 + OF_BOUNDS) < risk) & (risk < ends.max(0) * (1 - OF_BOUNDS))
    inside = _halfway(mean, lower, upper, risk)
    found = {
        "alpha": mean.alpha(inside),
        "lower": mean.alpha(lower),
        "upper": mean.alpha(upper),
        "expected_cap": mean.expected(inside),
        "at_lower": ends[0],
        "at_upper": ends[1],
        "crossing": crossing,
    }
    return {name: ("root", values) for name, values in found.items()} | {"least": least, "greatest": greatest}


def _halfway(mean: Saturated, lower: Any, upper: Any, risk: float) -> Any:
    """The place in each bracket at which a straight line between its ends has the wanted value; its middle where it has not."""
    low, high = mean.expected(lower), mean.expected(upper)
    with np.errstate(divide="ignore", invalid="ignore"):
        part = (risk - low) / (high - low)
    return lower + np.where((part >= 0) & (part <= 1), part, 0.5) * (upper - lower)


# --- what all of them ask ---------------------------------------------------------------------------------------------


def _expected(aligned: Aligned, model: Model) -> float:
    return float(aligned.map(model.mean, "expected_cap"))


def _keys(aligned: Aligned) -> tuple[Any, Any]:
    """o_.j and sum_i o_ij^2 of each key."""

    def formula(o: Table) -> Any:
        check_integers(o, "o", ": an urn gives whole records", "Give unweighted counts of records.")
        counts = o.like(o.values.astype(np.float64))
        return np.stack([counts.key_total(), counts.key_product(counts)])

    return tuple(aligned.map(formula, "keys", ("part", "key")).values)


def _check_range(what: str, risk: float, least: float, greatest: float, reached: bool = True) -> None:
    """Raise where no parameter, or every one, has the wanted expected CAP; the least one may be a limit that none reaches."""
    _check_varies(what, least, greatest)
    if not at_most(risk, greatest) or (not at_most(least, risk) if reached else at_most(risk, least)):
        raise ValueError(_unreachable(what, risk, least, greatest, reached))


def _check_varies(what: str, least: float, greatest: float) -> None:
    if at_most(greatest, least):
        raise ValueError(f"Every {what} has the same expected CAP, {greatest:.6g}: there is nothing to choose.")


def _unreachable(what: str, risk: float, least: float, greatest: float, reached: bool = True) -> str:
    above = "" if reached else "above "
    return f"No {what} has the expected CAP {risk:.6g}; it can be chosen from {above}{least:.6g} to {greatest:.6g}. Choose `risk` there."


# --- the mean of saturated synthesis as a function of alpha -------------------------------------------------------------


class Saturated:
    """The mean of version 1 under `Dirichlet` on one table, its keys grouped by their number of records.

    Alpha is ``scale`` u / (1 - u) with u from 0 to 1, where 1 stands for the limit of large alpha.
    """

    def __init__(self, m: int, targets: int, key_totals: Floats, key_squares: Floats):
        """From o_.j and sum_i o_ij^2 of each key."""
        self.m, self.targets, self.keys = m, targets, len(key_totals)
        sizes, group = np.unique(key_totals, return_inverse=True)
        held = sizes > 0
        self.records = sizes[held].astype(np.float64)  # of a key, one for each group
        self.number, self.squares = np.bincount(group)[held] * 1.0, np.bincount(group, key_squares)[held]  # keys of the group; of all these
        self.total = float((self.records * self.number).sum())
        self.scale = self.total / (self.targets * self.keys)  # records of a cell on average

    def alpha(self, u: Floats) -> Floats:
        """The alpha that belongs to u."""
        return ratio(self.scale * np.asarray(u), 1 - np.asarray(u), np.inf)

    def expected(self, u: Floats) -> Floats:
        """The mean at each u."""
        rising, falling = self._log_missed(self.alpha(u))
        return np.asarray((-np.expm1(rising + falling) * self._right(self.alpha(u))).sum(-1) / self.total)

    def bounds(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        """Below and above all means on the intervals from ``lower`` to ``upper``."""
        (rising_a, falling_a), (rising_b, falling_b) = (self._log_missed(self.alpha(u)) for u in (lower, upper))
        right_a, right_b = (self._right(self.alpha(u)) for u in (lower, upper))
        below = (-np.expm1(rising_b + falling_a) * right_b).sum(-1) / self.total
        above = (-np.expm1(rising_a + falling_b) * right_a).sum(-1) / self.total
        return below * (1 - OF_BOUNDS), above * (1 + OF_BOUNDS)

    def _right(self, alpha: Floats) -> Floats:
        """Records of each group for which an attribution is right on average, given that their keys are matched; falls in alpha."""
        alpha = alpha[..., None]
        limit = self.number * self.records / self.targets
        finite = np.where(np.isfinite(alpha), alpha, 0.0)
        found = (self.squares + self.number * self.records * finite) / (self.records + self.targets * finite)
        return np.where(np.isfinite(alpha), found, limit)

    def _log_missed(self, alpha: Floats) -> tuple[Floats, Floats]:
        """Logarithm of the probability that a key of each group is missed, as a part that rises in alpha and one that falls.

        The draw after t others misses the key with probability 1 - (o_.j + I alpha) / (n + t + I J alpha), which rises for t < J o_.j - n.
        """
        turn = np.clip(np.ceil(self.keys * self.records - self.total), 0, self.m)
        alpha = alpha[..., None]
        finite = np.where(np.isfinite(alpha), alpha, 0.0)
        part = self.records + self.targets * finite
        rest = self.total - self.records + self.targets * (self.keys - 1) * finite

        def of_draws(first: Floats, last: Floats) -> Floats:
            """Of draws ``first`` to ``last`` - 1, given that those before miss the key too."""
            with np.errstate(divide="ignore", invalid="ignore"):
                limit = np.where(last > first, (last - first) * np.log1p(-1 / self.keys), 0.0)
            found = Urn(self.m, True).log_missed(part, rest + first, last - first)
            return np.where(last > first, np.where(np.isfinite(alpha), found, limit), 0.0)

        return of_draws(np.zeros_like(turn), turn), of_draws(turn, np.full_like(turn, self.m))


# --- all places where a function has a value, from its bounds on intervals ----------------------------------------------


def brackets(bounds: Bounds, wanted: float) -> tuple[Floats, Floats]:
    """Ends of intervals that hold every place where the function has the wanted value, in order; none where it nowhere has it."""
    lower, upper = _equal_parts()
    while True:
        below, above = bounds(lower, upper)
        may = (below <= wanted) & (wanted <= above)
        lower, upper = lower[may], upper[may]
        if not len(lower) or upper[0] - lower[0] <= FINEST or len(lower) > MOST:
            break
        lower, upper = _halved(lower, upper)
    starts = np.append(True, lower[1:] > upper[:-1])[: len(lower)]
    return lower[starts], upper[np.append(starts[1:], True)[: len(lower)]]


def extremes(bounds: Bounds, function: Callable[[Floats], Floats]) -> tuple[float, float]:
    """The least and the greatest value of the function: values that it has, at most ``WITHIN`` from the extremes."""
    found = []
    for sign in (1, -1):
        lower, upper = _equal_parts()
        best = np.inf
        while len(lower):
            best = min(best, (sign * function(lower)).min(), (sign * function(upper)).min())
            below, above = bounds(lower, upper)
            may = (below if sign > 0 else -above) < best - WITHIN
            lower, upper = _halved(lower[may], upper[may])
        found.append(float(sign * best))
    return found[0], found[1]


def _equal_parts() -> tuple[Floats, Floats]:
    ends = np.linspace(0, 1, START + 1)
    return ends[:-1], ends[1:]


def _halved(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    middle = (lower + upper) / 2
    return np.column_stack([lower, middle]).ravel(), np.column_stack([middle, upper]).ravel()
