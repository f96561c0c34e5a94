"""Ratios of gamma functions and long sums, with all their digits where both gamma functions are far too large to be subtracted.

At 10^8 the logarithm of the gamma function is 2 * 10^9, so that a difference of two has nine digits after the point and seven of them are
lost. All functions are of arrays that broadcast.
"""

from __future__ import annotations

import numpy as np

from capstats.tables.table import Array, Floats

FAR = 16  # from here on Stirling's series has all digits
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)  # B_2k / (2k (2k-1))
DIRECT = 32  # terms of a sum that are added one by one
NODES = 12  # of a block of twice as many terms as before it


def log_rise(x: Array | float, s: Array | float) -> Floats:
    """The logarithm of Gamma(x + s) / Gamma(x), for x > 0 and s >= 0."""
    x, s = np.asarray(x, float), np.asarray(s, float)
    near = np.zeros(np.broadcast_shapes(x.shape, s.shape))
    while (x < FAR).any():
        near -= np.where(x < FAR, np.log1p(s / x), 0)
        x = np.where(x < FAR, x + 1, x)
    return np.asarray(near + s * np.log(x) + _excess(x, s))


def log_cross_ratio(x: Array | float, s: Array | float, t: Array | float) -> Floats:
    """The logarithm of Gamma(x) Gamma(x + s + t) / (Gamma(x + s) Gamma(x + t)), for x > 0 and t >= s >= 0.

    For whole s it is the sum of log(1 + t / (x + k)) over k < s.
    """
    x, s, t = (np.asarray(value, float) for value in (x, s, t))
    near = np.zeros(np.broadcast_shapes(x.shape, s.shape, t.shape))
    while (x < FAR).any():
        near += np.where(x < FAR, np.log1p(s / x * (t / (x + s + t))), 0)
        x = np.where(x < FAR, x + 1, x)
    return np.asarray(near + s * np.log1p(t / x) + _excess(x + t, s) - _excess(x, s))


def digamma_rise(x: float, s: float) -> float:
    """digamma(x + s) - digamma(x), for x > 0 and s >= 0."""
    near = 0.0
    while x < FAR:
        near += s / x / (x + s)
        x += 1
    series = sum(c * (2 * k + 1) * (x ** -(2 * k + 2) - (x + s) ** -(2 * k + 2)) for k, c in enumerate(STIRLING))
    return float(near + np.log1p(s / x) + s / x / (x + s) / 2 + series)


def _excess(x: Array, s: Array) -> Floats:
    """The logarithm of Gamma(x + s) / (Gamma(x) x^s), for x of at least ``FAR``."""
    series = sum(c * ((x + s) ** -(2 * k + 1) - x ** -(2.0 * k + 1)) for k, c in enumerate(STIRLING))
    return np.asarray(x * _convex(s / x) - np.log1p(s / x) / 2 + series)


def _convex(x: Array) -> Floats:
    """(1 + x) log(1 + x) - x, which is about x^2 / 2."""
    y = np.minimum(x, 0.5) / (2 + np.minimum(x, 0.5))  # log(1 + x) = 2 (y + y^3 / 3 + y^5 / 5 + ...), and x = 2 y / (1 - y)
    series = np.zeros_like(y)
    for k in range(23, 1, -2):
        series = y * y * (1 / k + series)
    return np.where(x < 0.5, 2 * y * (y + (1 + y) * series) / (1 - y), (1 + x) * np.log1p(x) - x)


def summation_rule(first: int, last: int) -> tuple[Floats, Floats]:
    """Nodes x and weights w such that sum w f(x) is f(first) + ... + f(last), for f that is smooth on the scale of its argument.

    The first terms are added as they are. Of every further block of twice as many terms as lie before it, Gauss's rule for sums, with nodes
    from the recurrence of the discrete Chebyshev polynomials, is exact for polynomials of degree 23, and has 16 digits of functions such as
    1 / (x + c)^k and log(x + c) with c > -1.
    """
    nodes = [np.arange(first, min(last, DIRECT) + 1, dtype=float)]
    weights = [np.ones(len(nodes[0]))]
    start = max(first, DIRECT + 1)
    while start <= last:
        terms = min(start, last - start + 1)
        k = np.arange(1, min(NODES, terms), dtype=float)
        beside = k / 2 * np.sqrt((terms - k) * (terms + k) / (4 * k * k - 1))
        values, vectors = np.linalg.eigh(np.diag(beside, 1) + np.diag(beside, -1))
        nodes.append(start + (terms - 1) / 2 + values)
        weights.append(terms * vectors[0] ** 2)
        start += terms
    return np.concatenate(nodes), np.concatenate(weights)
