"""The number of people copied into a release beyond chance: tests and estimates from the multiplicities of values in the tables.

A value is a whole record, over the columns that are compared. With a holdout, people of the original are compared with people of the
holdout; without one, the release with a fresh sample of the population. See theory/individuals.md#copies.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.005  # of the two tests together, one-sided
MISSED = 0.05  # probability that the number of copied people is outside its interval, at most
REPEATED = 0.2  # share of the level for the test of repeated records, whose p-values are tiny where they are significant
DEVIATIONS = 12  # standard deviations of a hypergeometric law, beyond which its terms do not change a float
STEPS = 40  # of a bisection

Numbers = NDArray[np.int64]
Copies = dict[str, Any]  # the copies in all releases, as JSON holds them


class Beyond(NamedTuple):
    """People of the original whose record the release has, and how many of them it would not have by chance.

    By chance means: by a model that has not seen them. Without a holdout, chance is a fresh sample of the same population.
    """

    people: int  # of the original whose record the release has
    shared: int  # those of them whose record is shared by another person of original or holdout; without a holdout all of them
    p_value: float  # of both tests, Holm's
    lower: int  # ends of an interval of 95 % of the people beyond chance
    upper: int
    estimate: float  # of the same; NaN without a holdout
    fewest: float  # the fewest people beyond chance that the test could detect; NaN where it could detect none, and without a holdout
    exists: bool  # whether one of the tests could have been significant

    @property
    def found(self) -> bool:
        """Whether more people are copied than chance explains."""
        return self.p_value <= LEVEL


def beyond_chance(o: Numbers, s: Numbers, h: Numbers | None = None, times: Numbers | None = None) -> Beyond:
    """Test and estimate of copied people, from the multiplicities of values.

    Parameters
    ----------
    o, s, h : array of int, shape (values,)
        How often each value occurs in the original, in the release, and, if there is one, in the holdout.
    times : array of int, shape (values,), optional
        How many values have these multiplicities; 1 if not given.
    """
    times = np.ones(len(o), np.int64) if times is None else times
    return _from_fresh(o, s, times) if h is None else _from_holdout(o, s, h, times)


def by_multiplicities(o: Numbers, s: Numbers, h: Numbers | None, n: Numbers, judges: bool, apart: Mapping[str, str]) -> dict[str, Any]:
    """Numbers of released records that are copies, and whether people were copied beyond chance: 1, 0, or None where it cannot be told.

    ``n`` different records occur ``o`` times in the original, ``s`` times in the release and ``h`` times in the holdout, if there is one;
    ``judges`` is whether it is valid as a measure of chance, ``apart`` the columns in which equal values may not be found, and why.
    """
    found: dict[str, Any] = {"records": int((s * n).sum())}
    for prefix, real in {"": o, **({} if h is None else {"holdout_": h})}.items():
        found[f"{prefix or 'original_'}people"] = int((real * n).sum())
        found[f"{prefix}copied_records"] = int((s * n)[real > 0].sum())
        found[f"{prefix}copied_unique_records"] = int((s * n)[real == 1].sum())
    beyond = beyond_chance(o, s, h if judges else None, n)
    told = beyond.people == 0 or beyond.exists
    found |= {
        "copied_people": beyond.people,
        "copied_beyond_chance": 1 if beyond.found else 0 if told and not apart else None,
        "copied_p_value": beyond.p_value,
        "copied_people_lower": beyond.lower,
        "copied_people_upper": beyond.upper,
        "copied_people_shared": beyond.shared,
        "by_holdout": judges,
        "apart": dict(apart),
    }
    if h is not None:
        known = {"copied_people_beyond_chance": beyond.estimate, "copied_people_fewest": beyond.fewest}
        found |= {name: None if np.isnan(x) else x for name, x in known.items()}
        found["holdout_copied_people"] = int((h * n)[s > 0].sum())
        found["holdout_alike"] = alike = beyond_chance(h, s, None, n).found
        found["too_small"] = judges and not beyond.found and not alike and beyond_chance(o, s, None, n).found
        if found["too_small"]:
            found["copied_beyond_chance"] = None
    return found


# --- with a holdout -----------------------------------------------------------------------------------------------------


class _Group(NamedTuple):
    """People of original and holdout, and those of them whose record the release has."""

    original: int
    holdout: int
    matched: int
    others: int  # matched people of the holdout

    def by_chance(self, level: float) -> int:
        """An upper bound of the people of the original matched by chance, which fails with at most this probability."""
        return _last(lambda x: at_least(x, self.original, self.holdout, x + self.others) > level, self.original)

    def at_least_by_chance(self, level: float) -> int:
        """A lower bound of the people of the original matched by chance, which fails with at most this probability."""
        return self.original - _last(
            lambda y: at_least(self.others, self.holdout, self.original, self.original - y + self.others) > level, self.original
        )

    @property
    def expected(self) -> float:
        """The number of people of the original matched by chance, estimated by the share of the holdout that is matched."""
        return self.others * self.original / self.holdout if self.holdout else np.nan if self.original else 0.0

    @property
    def fewest(self) -> float:
        """The fewest people beyond chance that the test detects; NaN where it could not detect any number."""
        needed = self.by_chance(LEVEL / 2) + 1
        return max(1.0, np.ceil(needed - self.expected)) if needed <= self.original else np.nan


def _from_holdout(o: Numbers, s: Numbers, h: Numbers, times: Numbers) -> Beyond:
    alone, matched = o + h == 1, s > 0

    def group(of: NDArray[np.bool_]) -> _Group:
        return _Group(*(int((people * times)[rows].sum()) for rows in (of, of & matched) for people in (o, h)))

    singles, everybody = group(alone), group(o + h > 0)
    rest = group(~alone)
    p = min(at_least(x.matched, x.original, x.holdout, x.matched + x.others) for x in (singles, everybody))
    lower = max(0, *(x.matched - x.by_chance(MISSED / 4) for x in (singles, everybody)))
    upper = max(lower, singles.matched - min(singles.matched, singles.at_least_by_chance(MISSED / 2)) + rest.matched)
    estimate = singles.matched - singles.expected + rest.matched - (rest.expected if rest.holdout else 0)
    fewest = np.fmin(singles.fewest, everybody.fewest)
    return Beyond(everybody.matched, rest.matched, min(1.0, 2 * p), lower, upper, estimate, float(fewest), bool(fewest > 0))


def at_least(x: int, good: int, bad: int, drawn: int) -> float:
    """The hypergeometric probability of at least ``x`` good ones among ``drawn`` ones of ``good + bad``, without replacement."""
    total = max(1, good + bad)
    mean = drawn * good / total

    def log_at(k: int) -> float:
        return _log_choices(good, k) + _log_choices(bad, drawn - k) - _log_choices(total, drawn)

    def ratios(k: Numbers) -> NDArray[np.float64]:
        return (good - k) / (k + 1) * ((drawn - k) / (bad - drawn + k + 1))

    support = max(0, drawn - bad), min(good, drawn)
    return _upper_tail(x, support, mean, mean * (bad / total) * (total - drawn) / max(total - 1, 1), log_at, ratios)


def _upper_tail(
    x: int,
    support: tuple[int, int],
    mean: float,
    variance: float,
    log_at: Callable[[int], float],
    ratios: Callable[[Numbers], NDArray[np.float64]],
) -> float:
    """The probability of at least ``x``, of a law with one mode: ``ratios`` are those of the probabilities of k + 1 and k.

    The terms next to ``x`` are added on its side of the mean, as far as they change a float.
    """
    least, most = support
    if x <= least:
        return 1.0
    if x > most:
        return 0.0
    far, above = int(DEVIATIONS * (1 + variance**0.5)) + STEPS, x > mean
    first, last = (x, min(most, x + far)) if above else (max(least, x - far), x - 1)
    tail = float(np.exp(log_at(first) + np.append(0.0, np.log(ratios(np.arange(first, last))).cumsum())).sum())
    return min(1.0, tail) if above else max(0.0, 1 - tail)


def _log_choices(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _last(holds: Callable[[int], bool], most: int) -> int:
    """The last of 0 to ``most`` for which a condition holds, by bisection; it holds for 0 and, once it fails, for none after."""
    return bisect_left(range(1, most + 1), True, key=lambda x: not holds(x))


# --- without a holdout --------------------------------------------------------------------------------------------------


def _from_fresh(o: Numbers, s: Numbers, times: Numbers) -> Beyond:
    n, m, t = int((o * times).sum()), int((s * times).sum()), o + s
    people, once = int((o * times)[s > 0].sum()), o == 1
    mixed, pure = (int(times[(t == 2) & of].sum()) for of in (once, ~once))  # values that occur twice, once in each table or not
    released = int((s * times)[once].sum())
    rows = t > 1
    sizes, place = np.unique(t[rows], return_inverse=True)
    values = np.bincount(place, times[rows], len(sizes)).astype(np.float64)
    p = min(_pairs(mixed, pure, n, m) / (1 - REPEATED), _repeated(released, sizes, values, n, m) / REPEATED)
    fewer = max(n, m - released) if m > n else m  # released records that are no copies, in the least favourable case
    by_chance = _last(lambda x: _pairs(x, pure, n, fewer) > MISSED / 2, mixed)
    lower = max(mixed - by_chance, int(p <= LEVEL))
    return Beyond(people, people, min(1.0, p), lower, people, np.nan, np.nan, bool(times[once].any()))


def _pairs(mixed: int, pure: int, n: int, m: int) -> float:
    """A bound of the probability that ``mixed`` or more of the values that occur twice occur once in each table."""
    if not mixed:
        return 1.0
    k, p = mixed + pure, 2 * n * m / (n + m) ** 2  # p is at most 1/2

    def log_at(x: int) -> float:
        return _log_choices(k, x) + x * math.log(p) + (k - x) * math.log1p(-p)

    def ratios(x: Numbers) -> NDArray[np.float64]:
        return (k - x) / (x + 1) * (p / (1 - p))

    return min(1.0, _cost(2 * k, n, m) * _upper_tail(mixed, (0, k), k * p, k * p * (1 - p), log_at, ratios))


def _repeated(released: int, sizes: Numbers, values: NDArray[np.float64], n: int, m: int) -> float:
    """A bound of the probability that ``released`` or more released records are equal to a record that is unique in the original.

    ``values`` values occur ``sizes`` times in both tables together.
    """
    if not released:
        return 1.0
    f, g, records = n / (n + m), m / (n + m), sizes - 1
    log_q = np.log(sizes) + np.log(f) + records * np.log(g)
    odds = log_q - np.log1p(-np.exp(log_q))
    least, most = 0.0, 1.0

    def above(rate: float) -> bool:
        return bool((values * records) @ np.exp(-np.logaddexp(0, -odds - rate * records)) > released)

    if above(least):
        return 1.0
    while most < STEPS and not above(most):
        most *= 2
    for _ in range(STEPS):
        middle = (least + most) / 2
        least, most = (least, middle) if above(middle) else (middle, most)
    log_mean = values @ np.logaddexp(np.log1p(-np.exp(log_q)), log_q + least * records)
    return float(min(1.0, _cost(int(values @ sizes), n, m) * np.exp(min(0.0, log_mean - least * released))))


def _cost(part: int, n: int, m: int) -> float:
    """By how much an event of ``part`` of the records is at most more probable in a random split than with independent labels."""
    total, rest = n + m, max(0, n + m - part)
    mode = min(rest, (rest + 1) * n // total)
    logs = [_log_choices(size, k) + k * np.log(n / total) + (size - k) * np.log(m / total) for size, k in ((rest, mode), (total, n))]
    return float(np.exp(logs[0] - logs[1]))
