"""Refuting a claimed epsilon from the averages of several splits and releases."""

from __future__ import annotations

from bisect import bisect_left
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr

from capstats.cap.uncertainty import check_level
from capstats.codes.checks import check_choice
from capstats.laws.guarantees.averages import dp_average_bound
from capstats.laws.guarantees.one_record import Adjacency, epsilons
from capstats.tables.printing import Result
from capstats.tables.table import Floats

BETS = 2.0 ** -np.arange(8)  # shares of the capital that are bet; the bet b has the weight b / sum(BETS)
STEPS = 60  # halvings of the interval for epsilon


def dp_audit(
    contrasts: Any, epsilon: Any, *, adjacency: Adjacency, design: Literal["split", "coins"] = "split", level: float = 0.95
) -> xr.Dataset:
    """Test of a claimed epsilon by average CAP of the people inside and of those outside, over repetitions.

    A private release fits the people in it hardly better than people who were left out. If it fits them much better, again and again, then
    the claim is wrong, or the program that is said to keep it has a mistake. The test bets against the claim; a large gain refutes it.

    Parameters
    ----------
    contrasts : Dataset or mapping, dim "repetition" and any others
        ``original`` and ``holdout``, average CAP of the people inside and outside, from 0 to 1, the ``average_cap`` and
        ``holdout_cap`` of `individual_share` with "zero" or "nearest" (not "drop"). With "coins" also ``share``, the share of the people
        who are inside, n / (n + h); an average without people may be NaN.
    epsilon : float or array-like
        The claim, at least 0; a sequence gives the dim "epsilon".
    adjacency : {"substitution", "add-remove"}
        What the claim is about: one record replaced by another one, or one record added or removed. A program that releases as many
        records as it reads keeps no claim about added or removed ones, unless that number is a fixed setting of it.
    design : {"split", "coins"}
        How chance chose the people inside: a number of them that was fixed before, or each by the toss of an own fair coin. Coins test a
        claim about added or removed records in one step in place of two, and refute more.
    level : float
        Confidence: the test refutes a true claim with a probability of at most 1 - level.

    Returns
    -------
    Dataset, dims (..., epsilon)
        ``original`` and ``holdout``, means over the repetitions (with "coins" of sums over half of the people, outside 1 less that of
        wrong guesses); ``allowed``, the largest
        expectation of the first under the claim, if that of the second is its mean; ``p_value``; ``refuted``; ``epsilon_lower``, a
        confidence limit that the true epsilon exceeds, from 0; and ``repetitions_needed``, how many would refute the claim if all were
        equal to the means: the least number to plan with, inf if no number would.

    Raises
    ------
    ValueError, TypeError
        If an average is missing or not from 0 to 1, the dim "repetition" is missing or empty, averages have other labels, or `epsilon`,
        `adjacency`, `design` or `level` is not as described; if coins are to test a claim about substitution, which says nothing of two
        data sets of different sizes.

    See Also
    --------
    dp_average_bound : what epsilon allows.
    dp_audit_release : from one release.

    Notes
    -----
    See theory/guarantees.md#dp-audit. *Allowed*: to stop at will, and to look after each repetition; the same people in all repetitions;
    other sizes, other settings of the program, another program with the same claim in each; people of any kind, chosen before. *Not
    allowed*: a split that depends on earlier releases; a program that starts from a fixed seed; to leave out or to repeat what was seen;
    a share of people inside chosen after a look. A person with several records is inside or outside with all of them, and counts once,
    with the mean of their CAP; the claim must be about all of them.

    The bets do not depend on the order of the repetitions.

    References
    ----------
    Waudby-Smith and Ramdas (2024), https://doi.org/10.1093/jrsssb/qkad009 (means of bounded variables by betting).
    Ville (1939): a bet that gains nothing on average reaches 1 / alpha with a probability of at most alpha.
    Steinke, Nasr and Jagielski (2023), https://doi.org/10.48550/arXiv.2305.08846 (coins for each person, in one release).
    Amin et al. (2026), https://doi.org/10.48550/arXiv.2606.16952 (what a release shows of a holdout as the mark of what it shows of the
    original).

    Examples
    --------
    In a hundred splits three in ten guesses are right inside and one in twenty outside. Epsilon 0.5 allows 0.0824; epsilon is above 1.1:

    >>> found = dp_audit({"original": [0.3] * 100, "holdout": [0.05] * 100}, 0.5, adjacency="substitution")
    >>> round(float(found.allowed), 4), bool(found.refuted), round(float(found.epsilon_lower), 2), int(found.repetitions_needed)
    (0.0824, True, 1.16, 35)

    A claim about records added or removed takes two steps with splits, and one with coins:

    >>> tossed = {"original": [0.3] * 100, "holdout": [0.05] * 100, "share": [0.5] * 100}
    >>> audits = [dp_audit(tossed, 0.5, adjacency="add-remove", design=design) for design in ("split", "coins")]
    >>> [round(float(found.epsilon_lower), 2) for found in audits]
    [0.56, 1.16]
    """
    check_choice(adjacency, "adjacency", get_args(Adjacency), ", as the claim of epsilon says")
    check_choice(design, "design", ("split", "coins"))
    check_level(level)
    if design == "coins" and adjacency == "substitution":
        raise ValueError(
            "Where coins choose the people, data sets of different sizes are compared; a claim about substitution says nothing of these. "
            'Use splits of fixed sizes, or ask for a claim with adjacency="add-remove".'
        )
    inside, missed = _averages(contrasts, design)
    claim = epsilons(epsilon)
    step: Adjacency = "substitution" if design == "coins" else adjacency
    means = inside.mean("repetition"), missed.mean("repetition")
    over = [["repetition"], ["repetition"]]
    capital = xr.apply_ufunc(partial(_log_capital, adjacency=step), inside, missed, claim, input_core_dims=[*over, []])
    limit = xr.apply_ufunc(partial(_limit, adjacency=step, level=level), inside, missed, input_core_dims=over)
    needed = xr.apply_ufunc(np.vectorize(partial(_needed, adjacency=step, level=level), otypes=[np.float64]), *means, claim)
    found = {
        "original": means[0],
        "holdout": 1 - means[1],
        "allowed": dp_average_bound((1 - means[1]).clip(0, 1), claim, adjacency=step).bound,
        "p_value": np.exp(-capital.clip(min=0)),
        "refuted": capital >= -np.log(1 - level),
        "epsilon_lower": limit,
        "repetitions_needed": needed,
    }
    repetitions = f"Audit of a claimed epsilon, {inside.sizes['repetition']} repetitions"
    return Result(found, attrs={"result": repetitions, "adjacency": adjacency, "design": design})


def _averages(contrasts: Any, design: str) -> tuple[xr.DataArray, xr.DataArray]:
    """Shares of right guesses inside and of wrong guesses outside along "repetition", of a split or of half of the people."""
    names = ["original", "holdout", *(["share"] if design == "coins" else [])]
    tables = {}
    for name in names:
        try:
            table = contrasts[name]
            if not isinstance(table, xr.DataArray):
                values = np.asarray(table, dtype=np.float64)
                table = xr.DataArray(values, dims=["repetition"] if values.ndim == 1 else None)
        except (KeyError, IndexError, TypeError, ValueError) as error:
            listed = ", ".join(f"`{x}`" for x in names)
            raise TypeError(
                f'`contrasts` must hold numbers named {listed} along the dim "repetition", the average_cap and holdout_cap of '
                "individual_share; differences alone are not enough."
            ) from error
        if "repetition" not in table.dims:
            raise ValueError(f'`{name}` must have one number for each repetition, or the dim "repetition", with a fresh release each.')
        if not table.sizes["repetition"]:
            raise ValueError(f"`{name}` has no repetition. Give at least one split and release.")
        tables[name] = table.astype(np.float64)
    tables = dict(zip(tables, xr.align(*tables.values(), join="exact"), strict=True))
    share = tables.get("share", xr.DataArray(0.5))
    inside, outside = tables["original"].where(share > 0, 0), tables["holdout"].where(share < 1, 0)
    for name, table in (("original", inside), ("holdout", outside), ("share", share)):
        if not bool(((table >= -1e-12) & (table <= 1 + 1e-12)).all()):
            raise ValueError(f"`{name}` must be from 0 to 1; some are not, or are NaN.")
    shared = xr.broadcast(2 * share * inside.clip(0, 1), 2 * (1 - share) * (1 - outside.clip(0, 1)))
    return shared[0], shared[1]


def _log_bets(inside: Floats, missed: Floats, epsilon: Floats, adjacency: Adjacency) -> tuple[Floats, Floats]:
    """Logarithms of the gain of each bet on each line, shape (..., bets of all lines), and of its share of the stake."""
    odds = np.exp(-epsilon)
    twice = odds if adjacency == "substitution" else odds**2
    middle = [] if adjacency == "substitution" else [(inside + missed) / (2 - odds)]
    # by which a stake grows on each of the lines a + b q, the least of which is the bound: (inside + b missed) / (a + b)
    lines = [inside * twice + missed, *middle, inside + missed * twice]
    with np.errstate(divide="ignore"):  # a bet that lost the whole stake
        logs = [np.log(np.maximum(1 + (gain - 1)[..., None] * BETS, 0)) for gain in lines]
    return np.concatenate(logs, axis=-1), np.tile(np.log(BETS / BETS.sum() / len(lines)), len(lines))


def _log_capital(inside: Floats, missed: Floats, epsilon: Floats, adjacency: Adjacency) -> Floats:
    """Logarithm of the capital after (..., repetition), from a stake of 1 that is spread over lines and bets."""
    logs, weights = _log_bets(inside, missed, np.asarray(epsilon)[..., None], adjacency)
    return np.asarray(np.logaddexp.reduce(logs.sum(-2) + weights, axis=-1))


def _limit(inside: Floats, missed: Floats, adjacency: Adjacency, level: float) -> Floats:
    """The greatest epsilon, up to 40, that the bets refute, or 0, by bisection, since their gain decreases in epsilon."""
    low = np.zeros(inside.shape[:-1])
    high = low + 40
    for _ in range(STEPS):
        middle = (low + high) / 2
        rejected = _log_capital(inside, missed, middle, adjacency) >= -np.log(1 - level)
        low, high = np.where(rejected, middle, low), np.where(rejected, high, middle)
    return low


def _needed(inside: float, missed: float, epsilon: float, adjacency: Adjacency, level: float) -> float:
    """The least number of repetitions of one value that refutes the claim; the capital is convex in it."""
    logs, weights = _log_bets(np.asarray(inside), np.asarray(missed), np.asarray(epsilon), adjacency)
    if not logs.max() > 0:
        return np.inf

    def refutes(k: int) -> bool:
        return bool(np.logaddexp.reduce(k * logs + weights) >= -np.log(1 - level))

    many = 1
    while not refutes(many):
        many *= 2
    return float(bisect_left(range(many + 1), True, lo=many // 2, key=refutes))
