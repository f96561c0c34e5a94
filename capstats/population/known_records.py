"""Probabilities of events in groups of records of which k, drawn at random from all n, are known.

Differences of large binomial coefficients would lose all digits. Here every sum has positive terms only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from capstats.tables.table import Array, Floats, Index

LEAST = 1e-150  # probabilities of a number of known records that are computed together with the likeliest one


class Groups(NamedTuple):
    """Groups of records that are alike: the number of records of each, the number of groups, and the probability of the event in a group.

    ``chance`` has this probability given that t = 0, 1, ... records of the group are known.
    """

    size: int
    number: int
    chance: Floats


def all_known(n: int, k: int, most: int) -> Floats:
    """Probability that m given records are all known, C(n - m, k - m) / C(n, k), for m = 0, ..., most <= n."""
    t = np.arange(most)
    return np.concatenate([[1.0], np.cumprod(np.maximum(k - t, 0) / (n - t))])


def known_before(n: int, k: int, first: Array, size: Array) -> Floats:
    """Probability that ``first`` given records are all known, and not all of ``size`` others: a difference of values of `all_known`.

    In a list of all these records the first unknown one has t known ones before it with probability (n - k) / (n - t) times that of t known
    ones: summed over first <= t < first + size. ``first`` is at most k, ``size`` at least 1.
    """
    if k == n or not len(first):
        return np.zeros(len(first))
    end = np.minimum(first + size, k + 1)  # of more than k records one is always unknown
    pairs, place = np.unique(first * (k + 2) + end, return_inverse=True)
    start, stop = np.divmod(pairs[::-1], k + 2)  # in descending order the gaps between two sums are empty
    t = np.arange(stop.max(initial=0))
    unknown = np.append(all_known(n, k, len(t))[:-1] * (n - k) / (n - t), 0.0)
    sums = np.add.reduceat(unknown, np.column_stack([start, stop]).ravel())[::2]
    return np.asarray(sums[::-1][place])


def known_within(size: int, part: int, most: int) -> Floats:
    """Probability that a given ``part`` of a group is known if t of its records are, C(t, part) / C(size, part), for t <= most."""
    top, u = min(size, most), np.arange(part)
    if top < part:
        return np.zeros(top + 1)
    t = np.arange(top, part, -1)
    falling = np.cumprod(np.concatenate([[np.prod((top - u) / (size - u))], (t - part) / t]))
    return np.concatenate([np.zeros(part), falling[::-1]])


def in_some_group(n: int, known: Index, groups: Sequence[Groups]) -> Floats:
    """Probability that the event occurs in at least one group, for each number of ``known`` records from 0 to n.

    Let every record be known with probability p = k / n, independently of the others: given that k are known, they are a random sample, for
    every p. Numbers of known records of two groups add up by convolution: no event in both, or an event in one of them.
    """
    rest = n - sum(group.size * group.number for group in groups)
    found, left = np.zeros(len(known)), np.ones(len(known), bool)
    while left.any():
        most = int(known[left].max())
        none = _binomial(rest, most / max(n, 1), most)
        both = none, np.zeros_like(none)
        for group in groups:
            law = _binomial(group.size, most / n, most)
            chance = group.chance[: len(law)]
            both = _joined(both, _power((law * (1 - chance), law * chance), group.number, most), most)
        none, some = (x[np.minimum(known, most)] for x in both)
        now = left & (none + some > LEAST)  # the greatest number is the likeliest, at least 1 / (n + 1)
        found[now] = some[now] / (none + some)[now]
        left &= ~now
    return found


Weights = tuple[Floats, Floats]  # of t known records, without and with an event


def _joined(x: Weights, y: Weights, most: int) -> Weights:
    """The weights of two disjoint sets of groups together."""
    none = np.convolve(x[0], y[0])[: most + 1]
    some = np.convolve(x[1], y[0] + y[1])[: most + 1] + np.convolve(x[0], y[1])[: most + 1]
    return none, some


def _power(one: Weights, number: int, most: int) -> Weights:
    """The weights of groups that are alike, by repeated squaring."""
    if number == 1:
        return one
    half = _power(_joined(one, one, most), number // 2, most)
    return _joined(half, one, most) if number % 2 else half


def _binomial(size: int, p: float, most: int) -> Floats:
    """The binomial law up to ``most`` successes, scaled to sum 1: by ratios of neighbours, from the likeliest number on."""
    t = np.arange(1, min(size, most) + 1)
    mode = min(int((size + 1) * p), len(t))
    with np.errstate(divide="ignore"):
        rises = (size - t + 1) / t * np.float64(p) / (1 - p)
    law = np.concatenate([np.cumprod(1 / rises[:mode][::-1])[::-1], [1.0], np.cumprod(rises[mode:])])
    return np.asarray(law / law.sum())
