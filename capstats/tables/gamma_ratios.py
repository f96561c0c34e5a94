"""Ratios of gamma functions and long sums, with all their digits where the gamma functions are far too large to be subtracted.

At 10^8 the logarithm of the gamma function is 2 * 10^9, so that a difference of two has seven digits after the point, and nine of sixteen
are lost. All functions are of arrays that broadcast.
"""

from __future__ import annotations

import numpy as np

from capstats.tables.table import Array, Floats

FAR = 16  # from here on Stirling's series has all digits
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)  # B_2k / (2k (2k-1))
DIRECT = 32  # terms of a sum that are added one by one
NODES = 12  # nodes of a block that doubles the number of terms


def log_rise(x: Array | float, s: Array | float) -> Floats:
    """The logarithm of Gamma(x + s) / Gamma(x), for x > 0 and s >= 0."""
    x, s = np.asarray(x, float), np.asarray(s, float)
    near = np.zeros(np.broadcast_shapes(x.shape, s.shape))
    while (x < FAR).any():
        near -= np.where(x < FAR, np.log1p(s / x), 0)
        x = np.where(x < FAR, x + 1, x)
    u = s / x
    convex = u * (u + (1 + u) * _shortfall(u))  # (1 + u) ln(1 + u) - u, which is about u^2 / 2
    series = sum(c * ((x + s) ** -(2 * k + 1) - x ** -(2.0 * k + 1)) for k, c in enumerate(STIRLING))
    return np.asarray(near + s * np.log(x) + x * convex - np.log1p(u) / 2 + series)


def log_cross_ratio(x: Array | float, a: Array | float, b: Array | float) -> Floats:
    """The logarithm of Gamma(x) Gamma(x + a + b) / (Gamma(x + a) Gamma(x + b)), for x, a, b >= 0: 0 where a or b is, infinite where x is.

    For whole a it is the sum of log(1 + b / (x + k)) over k < a. The formula, in which nothing cancels, is proved at
    `capstats.laws.models.urns`.
    """
    x, a, b = np.broadcast_arrays(*(np.asarray(value, float) for value in (x, a, b)))
    low = x < FAR
    found = np.zeros(x.shape)
    if low.any():
        found[low] = first_terms(x[low], a[low], b[low], FAR)
    x = np.where(low, x + FAR, x)
    small, large = np.minimum(a, b), np.maximum(a, b)
    found += small * (_shortfall(small / (x + large)) - _shortfall(small / x) + np.log1p(large / (x + small)))
    found += np.log1p(a * b / (x * (x + a + b))) / 2
    found += a * b * inverse_cross(x, a, b) * STIRLING[0]
    ends = ((x, 1), (x + a + b, 1), (x + a, -1), (x + b, -1))
    return np.asarray(found + sum(sign * c * end ** -(2 * k + 1) for end, sign in ends for k, c in enumerate(STIRLING) if k))


def first_terms(x: Floats, a: Floats, b: Floats, terms: int) -> Floats:
    """``log_cross_ratio(x, a, b) - log_cross_ratio(x + terms, a, b)``, as Gamma(x + 1) = x Gamma(x)."""
    found = np.zeros(np.shape(x))
    for k in range(terms):
        found += np.log1p(a * b / ((x + k) * (x + k + a + b)))
    return found


def inverse_cross(x: Floats, a: Floats, b: Floats) -> Floats:
    """(1/x + 1/(x + a + b) - 1/(x + a) - 1/(x + b)) / (a b)."""
    return np.asarray((2 * x + a + b) / (x * (x + a) * (x + b) * (x + a + b)))


def _shortfall(u: Floats) -> Floats:
    """ln(1 + u) / u - 1, by the series of the area tangent where ln(1 + u) is almost u."""
    near = np.minimum(u, 1.0)
    r = near / (2 + near)
    series = np.zeros(np.shape(u))
    for k in range(35, 1, -2):
        series = r**2 * (series + 1 / k)
    far = np.maximum(u, 1.0)
    return np.where(u < 1, 2 / (2 + near) * series - r, np.log1p(far) / far - 1)


def digamma_rise(x: float, s: float) -> float:
    """digamma(x + s) - digamma(x), for x > 0 and s >= 0."""
    near = 0.0
    while x < FAR:
        near += s / x / (x + s)
        x += 1
    series = sum(c * (2 * k + 1) * (x ** -(2 * k + 2) - (x + s) ** -(2 * k + 2)) for k, c in enumerate(STIRLING))
    return float(near + np.log1p(s / x) + s / x / (x + s) / 2 + series)


def sum_rule(number: int, nodes: int) -> tuple[Floats, Floats]:
    """Places from 1 to ``number``, and weights with which sums over all of these integers are exact for polynomials below degree 2 nodes.

    The Gauss rule of the discrete Chebyshev polynomials, from the eigenvalues of their recurrence (Golub and Welsch).
    """
    k = np.arange(1, nodes, dtype=np.float64)
    beside = number / 2 * np.sqrt((1 - (k / number) ** 2) / (4 - 1 / k**2))
    places, vectors = np.linalg.eigh(np.diag(beside, 1) + np.diag(beside, -1))
    return places + (number + 1) / 2, number * vectors[0] ** 2


def summation_rule(first: int, last: int) -> tuple[Floats, Floats]:
    """Nodes x and weights w such that sum w f(x) is f(first) + ... + f(last), for f that is smooth on the scale of its argument.

    The first terms are added as they are. In each further block, which doubles the number of terms, `sum_rule` is exact for
    polynomials of degree 23, and has 16 digits of functions such as 1 / (x + c)^k and log(x + c) with c > -1.
    """
    nodes = [np.arange(first, min(last, DIRECT) + 1, dtype=float)]
    weights = [np.ones(len(nodes[0]))]
    start = max(first, DIRECT + 1)
    while start <= last:
        terms = min(start, last - start + 1)
        places, of_block = sum_rule(terms, min(NODES, terms))
        nodes.append(start - 1 + places)
        weights.append(of_block)
        start += terms
    return np.concatenate(nodes), np.concatenate(weights)
