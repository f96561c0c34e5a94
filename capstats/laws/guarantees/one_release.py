"""Refuting a claimed epsilon from the pairs of one release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, get_args

import numpy as np
import xarray as xr

from capstats.cap.neighbours import Convention, rows_used
from capstats.cap.uncertainty import check_level
from capstats.codes.checks import check_choice, shown
from capstats.codes.column import Ints
from capstats.laws.guarantees.one_record import Adjacency, epsilons
from capstats.laws.guarantees.permutation import UNWEIGHTED, of_each_release, seed_of
from capstats.tables.aligned import Aligned
from capstats.tables.checking import check_unweighted, given_tables
from capstats.tables.printing import Result
from capstats.tables.sums import check_integers
from capstats.tables.table import Array, Floats, Table
from capstats.tables.ties import at_most, ranks

LARGEST = 700.0  # an epsilon from here on allows everything; e^-700 is still above 0 as a float


def dp_audit_release(
    o: Any,
    s: Any = None,
    epsilon: Any = None,
    *,
    h: Any = None,
    adjacency: Adjacency,
    unmatched: Convention = "zero",
    over: str | None = None,
    level: float = 0.95,
    rng: Any = None,
) -> xr.Dataset:
    """Test of a claimed epsilon by one release: pairs of an original and a held out record, and which of the two has the larger CAP.

    Of each pair chance decided which record was used for the release. A private release hardly tells which one: its guess by the larger
    CAP is right with a probability of at most e^eps / (1 + e^eps), pair after pair. The pairs whose CAPs differ most are looked at first,
    so that a few people who are revealed are not lost among many who are not.

    Parameters
    ----------
    o, s, h : array-like or DataArray, dims (target, key) and any others
        Counts of original, synthetic and holdout records; `o` and `h` must hold integers and be a random split of the same people, with
        one record each.
    epsilon : float or array-like
        The claim, at least 0; a sequence gives the dim "epsilon".
    adjacency : {"substitution", "add-remove"}
        What the claim is about: one record replaced by another one, or one record added or removed.
    unmatched : {"zero", "drop", "nearest"}
        Records whose key is not in the synthetic table have CAP 0, are left out with their pair, or use the nearest keys.
    over : str, optional
        A dim of all three tables along which they are independent repetitions, each with a fresh split and release; their pairs are pooled.
    level : float
        Confidence: the test refutes a true claim with a probability of at most 1 - level.
    rng : None, int, or numpy Generator
        Passed to ``numpy.random.default_rng``; it makes the pairs.

    Returns
    -------
    Dataset, dims (..., epsilon)
        ``pairs``, those in which the two records differ in CAP; ``right``, those in which the original one has the larger CAP; ``allowed``,
        the largest probability of each pair to be right under the claim; ``leading``, how many pairs, those with the largest differences,
        are the strongest evidence against the claim, and ``leading_right``, how many of them are right; ``p_value``; ``refuted``; and
        ``epsilon_lower``, a confidence limit that the true epsilon exceeds, from 0. Where nothing speaks against the claim, no pair leads
        and the p-value is 1.

    Raises
    ------
    ValueError, TypeError
        If `o` or `h` holds fractional counts or sums of weights, `over` is not a dim of all tables, the tables are not counts or differ, or
        `epsilon`, `adjacency` or `level` is not as described.

    See Also
    --------
    dp_audit : from contrasts alone.
    membership_test : of the claim that the release knows nothing of the split, epsilon 0.

    Notes
    -----
    See theory/guarantees.md#dp-audit-release. A capital of 1 is bet on each pair to be right, in all shares from 0 to 1 at once, and read
    whenever all pairs of equal difference are open; the p-value is 1 over the largest capital. Where records are added or removed, a swap
    is two steps, and the probability is e^(2 eps) / (1 + e^(2 eps)). Choose `rng` before looking; the
    level counts its chance too, so that many audits with one number err together. Records of one person are in or out together, and would
    count as several coins: keep one of each, chosen before the split.

    References
    ----------
    Steinke, Nasr and Jagielski (2023), https://doi.org/10.48550/arXiv.2305.08846 (auditing with one run).
    Barber and Candes (2015), https://doi.org/10.1214/15-AOS1337 (signs read in the order of their magnitudes).
    Amin et al. (2026), https://doi.org/10.48550/arXiv.2606.16952 (a holdout as the control of a release).
    Shafer, Shen, Vereshchagin and Vovk (2011), https://doi.org/10.1214/10-STS347 (p-values from the largest capital).

    Examples
    --------
    The release is the original: 40 people with keys and targets of their own. Of all 40 pairs the original record has the larger CAP.

    >>> import numpy as np
    >>> o, h = np.hstack([np.eye(40, dtype=int), np.zeros((40, 40), int)]), np.hstack([np.zeros((40, 40), int), np.eye(40, dtype=int)])
    >>> found = dp_audit_release(o, o, 0.5, h=h, adjacency="substitution", rng=1)
    >>> int(found.right), round(float(found.allowed), 4), bool(found.refuted), round(float(found.epsilon_lower), 2)
    (40, 0.6225, True, 2.13)
    """
    check_choice(adjacency, "adjacency", get_args(Adjacency), ", as the claim of epsilon says")
    check_level(level)
    o, s, h = given_tables({"o": o, "s": s, "h": h}).values()
    aligned = Aligned({"o": o, "s": s, "h": h})
    if over is not None and not all(over in getattr(table, "dims", ()) for table in (o, s, h)):
        raise ValueError(f"`over` must be a dim of `o`, `s` and `h`, one split and release each; got {shown(over)}.")
    check_unweighted("records are paired", o=o, h=h)
    rows_of, rng = rows_used(aligned, unmatched), np.random.default_rng(seed_of(rng))

    def formula(o: Table, s: Table, h: Table) -> Array:
        for name, table in (("o", o), ("h", h)):
            check_integers(table, name, ", because records are paired", UNWEIGHTED)
        read, s_j = rows_of(o.like(o.values + h.values), s)
        s_j = read.on_cells(s_j)
        score = read.values / np.where(s_j > 0, s_j, 1) - (s_j == 0) * (unmatched != "zero")  # -1: left out
        return of_each_release(partial(_paired, rng), o, o.values, h.values, score, dtype=object)

    opened = aligned.map(formula, "pairs", ("part",)).isel(part=0)
    if over is not None:
        opened = xr.apply_ufunc(_pooled, opened, input_core_dims=[[over]], vectorize=True, output_dtypes=[object])
    steps, claim = 1 if adjacency == "substitution" else 2, epsilons(epsilon)
    three = partial(xr.apply_ufunc, output_core_dims=[[], [], []], vectorize=True)
    pairs, right, epsilon_lower = three(partial(Opened.without_claim, level=level), opened, output_dtypes=[int, int, float])
    gained, leading, leading_right = three(Opened.evidence, opened, steps * claim, output_dtypes=[float, int, int])
    found = {
        "pairs": pairs,
        "right": right,
        "allowed": 1 / (1 + np.exp(-steps * claim)),
        "leading": leading,
        "leading_right": leading_right,
        "p_value": np.exp(-gained),
        "refuted": gained >= -np.log1p(-level),
        "epsilon_lower": epsilon_lower / steps,
    }
    return Result(found, attrs={"result": "Audit of a claimed epsilon, by pairs", "adjacency": adjacency})


@dataclass(frozen=True)
class Opened:
    """Pairs in descending order of the difference of their scores: the numbers of right and of wrong pairs for each difference."""

    difference: Floats
    right: Ints
    wrong: Ints

    def evidence(self, epsilon: float) -> tuple[float, int, int]:
        """Logarithm of the largest capital, at least 0, and the numbers of pairs and of right pairs at that point."""
        right, wrong = self.right.cumsum(), self.wrong.cumsum()
        logs = log_capital(right, wrong, epsilon)
        if not logs.max(initial=0.0) > 0:
            return 0.0, 0, 0
        best = logs.argmax()
        return logs[best], right[best] + wrong[best], right[best]

    def without_claim(self, level: float) -> tuple[int, int, float]:
        """The numbers of pairs and of right pairs, and the largest epsilon that is refuted, 0 if none is."""
        from scipy.optimize import brentq

        right, wanted, refuted = int(self.right.sum()), -np.log1p(-level), 0.0
        if self.evidence(refuted)[0] > wanted:  # it decreases in epsilon
            most = -np.log(np.expm1(wanted / right))  # an upper bound, where all is bet and all pairs are right
            refuted = float(brentq(lambda epsilon: self.evidence(epsilon)[0] - wanted, 0.0, most, xtol=1e-14))
        return right + int(self.wrong.sum()), right, refuted


def log_capital(right: Any, wrong: Any, epsilon: float) -> Floats:
    """Logarithm of the integral of (1 + b e^-epsilon)^right (1 - b)^wrong over b from 0 to 1."""
    from scipy.special import betainc, betaln, expit

    epsilon = min(epsilon, LARGEST)
    with np.errstate(divide="ignore"):  # of a capital near 0
        integral = betaln(wrong + 1, right + 1) + np.log(betainc(wrong + 1, right + 1, expit(-epsilon)))
    return np.asarray(integral + (right + wrong + 1) * np.log1p(np.exp(-epsilon)) + (wrong + 1) * epsilon)


def _paired(rng: np.random.Generator, n_o: Array, n_h: Array, score: Array) -> tuple[Opened]:
    """Random pairs of an original and a held out record; a score of -1 is left out with its pair, as are pairs of equal scores.

    Every table gets its own permutation: records are sorted, so that with the same one the same pairs would be right in all repetitions.
    """
    records = [rng.permutation(np.repeat(score, counts)) for counts in (n_o, n_h)]
    size = min(map(len, records))
    first, second = records[0][:size], records[1][:size]
    differ = (first >= 0) & (second >= 0) & ~at_most(np.abs(first - second), 0, scale=1)
    gap = (first - second)[differ]
    return (_by_difference(np.abs(gap), gap > 0, gap < 0),)


def _pooled(opened: Array) -> Opened:
    """The pairs of several repetitions."""
    return _by_difference(*(np.concatenate([getattr(x, name) for x in opened]) for name in ("difference", "right", "wrong")))


def _by_difference(difference: Floats, right: Array, wrong: Array) -> Opened:
    """Right and wrong pairs in descending order of difference; pairs with equal difference are counted together."""
    _, first, block = np.unique(ranks(difference, scale=1.0), return_index=True, return_inverse=True)
    return Opened(difference[first], *(np.bincount(block, x, len(first)).astype(np.int64) for x in (right, wrong)))
