"""The parameter of a model that gives a wanted expected average CAP."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import xarray as xr

from capstats.codes.checks import check_number, shown
from capstats.laws.models.cell_urns import Dirichlet
from capstats.laws.models.model import Model, check_records
from capstats.laws.models.partial import Partial
from capstats.laws.models.pram import Pram
from capstats.laws.models.sampling import with_records
from capstats.laws.models.swap import Swap
from capstats.tables.aligned import Aligned
from capstats.tables.printing import Result
from capstats.tables.table import Counts
from capstats.tables.ties import TIE, at_most

Found = tuple[dict[str, float], dict[str, float]]  # the parameter; the least and the greatest expected CAP
TRIED = np.concatenate(([0.0], np.geomspace(1e-5, 1e7, 90)))  # alpha, in records of a cell on average


def calibrate(o: Counts, model: type[Model], *, risk: float, m: int | None = None) -> xr.Dataset:
    """The parameter of a synthesis model with which average CAP is, on average, as large as wanted.

    How many records must be swapped, or how strong must the noise be, for a risk of 0.42?

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key)
        Counts of original records; sums of weights for `Pram` and `Dirichlet` only.
    model : Pram, Swap, Partial or Dirichlet
        The class whose parameter is wanted: `theta` of `Pram`, `records` of `Swap`, or `alpha` of `Partial` or `Dirichlet`.
    risk : float
        The wanted expected average CAP, version 1, between 0 and 1. (For the first three models it is version 2 too.)
    m : int, optional
        Number of records of a release, at least 1; for `Dirichlet` only.

    Returns
    -------
    Dataset
        ``theta``, ``records`` or ``alpha``; the ``expected_cap`` with it; and ``least`` and ``greatest``, between which the expected
        average CAP can be chosen, as far as was found. For `Swap` it is the smallest number with an expected average CAP of at most `risk`;
        for `Dirichlet` the smallest alpha whose mean is found to cross `risk`.

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
    See theory/perturbation.md#calibration. Under `Pram` and `Swap` the parameter has a formula. Under `Partial` the expected CAP falls in
    alpha, under `Dirichlet` it may rise and fall: `expected_cap` at 90 values of alpha, from 10^-5 to 10^7 of the records of a cell on
    average, and at 0, shows where it first crosses `risk`, and Brent's method finds the place.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 4 (tables O_1 to O_4).
    Brent (1973), Algorithms for Minimization Without Derivatives, chapter 4.

    Examples
    --------
    A third of the way from CAP(O) = 1 to the baseline 1/2 is left behind:

    >>> from capstats.laws import Pram, Swap
    >>> found = calibrate([[2, 0], [0, 2]], Pram, risk=5 / 6)
    >>> round(float(found.theta), 12), float(found.least), float(found.greatest)
    (0.333333333333, 0.5, 1.0)

    With four records, two are swapped; three would go farther below the wanted value:

    >>> found = calibrate([[2, 0], [0, 2]], Swap, risk=0.9)
    >>> int(found.records), round(float(found.expected_cap), 4)
    (2, 0.8333)
    """
    if not any(model is known for known in (Pram, Swap, Partial, Dirichlet)):
        names = "laws.Pram, laws.Swap, laws.Partial, laws.Dirichlet"
        got = model if isinstance(model, type) else shown(model)
        raise TypeError(f"`model` must be a class of models with a parameter to choose, {names}; got {got}.")
    wanted = check_number(risk, "risk", "a wanted expected CAP, between 0 and 1", least=0, most=1, excluded=[0, 1])
    if m is None and model is Dirichlet:
        raise ValueError("`Dirichlet` needs `m`, the number of records of a release.")
    if m is not None and model is not Dirichlet:
        raise ValueError(f"`m` does not belong to `{model.__name__}`, whose releases have the same number of records as `o`. Leave it out.")
    aligned = with_records(Aligned({"o": o}))
    build: Callable[..., Model] = model if m is None else partial(Dirichlet, check_records(m))
    find: Callable[[Aligned, float], Found] = _theta if model is Pram else _swapped if model is Swap else partial(_alpha, build)
    chosen, ends = find(aligned, wanted)
    found = {**chosen, "expected_cap": _expected(aligned, build(**chosen)), **ends}
    return Result(found, attrs={"result": f"Calibration of {model.__name__}", "risk": wanted})


def _theta(aligned: Aligned, risk: float) -> Found:
    left, ends = _left(aligned, risk, "theta", Pram(theta=1), Pram(theta=0))
    return {"theta": 1 - left}, ends


def _swapped(aligned: Aligned, risk: float) -> Found:
    n = int(aligned.totals("o"))
    left, ends = _left(aligned, risk, "number of swapped records", Swap(records=n), Swap(records=0))
    return {"records": math.ceil(1 + (n - 1) * (1 - left) * (1 - TIE)) if left < 1 else 0}, ends


def _left(aligned: Aligned, risk: float, what: str, most: Model, none: Model) -> tuple[float, dict[str, float]]:
    """The position of the wanted CAP between the least expected CAP, at the strongest change (0), and that without a change (1)."""
    ends = {"least": _expected(aligned, most), "greatest": _expected(aligned, none)}
    _check_range(what, risk, **ends)
    left = (risk - ends["least"]) / (ends["greatest"] - ends["least"])
    return 1.0 if at_most(ends["greatest"], risk) else max(left, 0.0), ends


def _alpha(model: Callable[..., Model], aligned: Aligned, risk: float) -> Found:
    """The first root on a grid of the expected CAP minus the wanted one, to the last digits."""
    from scipy.optimize import brentq

    def expected(alpha: float) -> float:
        return _expected(aligned, model(alpha=alpha))

    alphas = (TRIED * float(aligned.totals("o")) / (aligned.sizes["target"] * aligned.sizes["key"])).tolist()
    means = np.array([expected(alpha) for alpha in alphas])
    ends = {"least": float(means.min()), "greatest": float(means.max())}
    _check_range("alpha", risk, **ends)
    wanted = min(max(risk, ends["least"]), ends["greatest"])
    first = int(np.flatnonzero((means[:-1] - wanted) * (means[1:] - wanted) <= 0)[0])
    alpha = brentq(lambda x: expected(x) - wanted, alphas[first], alphas[first + 1], xtol=1e-300, rtol=1e-14, maxiter=1000)
    return {"alpha": alpha}, ends


def _expected(aligned: Aligned, model: Model) -> float:
    return float(aligned.map(model.mean, "expected_cap"))


def _check_range(what: str, risk: float, least: float, greatest: float) -> None:
    """Raise where no parameter, or every one, has the wanted expected CAP."""
    if at_most(greatest, least):
        raise ValueError(f"Every {what} has the same expected CAP, {greatest:.6g}: there is nothing to choose.")
    if not (at_most(risk, greatest) and at_most(least, risk)):
        raise ValueError(
            f"No {what} has the expected CAP {risk:.6g}; it can be chosen between {least:.10g} and {greatest:.10g}. Choose `risk` there."
        )
