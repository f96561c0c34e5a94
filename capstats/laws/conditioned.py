"""The characteristic function of a mean whose shares are gamma variables over their total: an integral, conditioned on the total."""

from __future__ import annotations

import math

import numpy as np

from capstats.laws.characteristic import UNIT, Complex
from capstats.tables.table import Floats

LEAST = 8  # total weight: with less the integrand falls too slowly
TINY = 40.0  # what is left out is at most about exp(-TINY)
CUTS = 7  # ways to divide the places in two that a bound tries
BLOCK = 1 << 16  # numbers of an array that stays in cache


def nodes(weight: float) -> tuple[float, float]:
    """The step of the rule and how far beyond y / weight it reaches, for a total weight.

    One period, 2 pi / step, beyond its mean the density of the total is exp(-TINY) times as large; before the mean it is 0.
    """
    period = 1.0
    while (weight - 1) * math.log1p(period) - weight * period > -TINY:
        period *= 1.1
    step = 2 * math.pi / (weight * period)
    reach = math.sqrt(math.expm1((TINY + math.log(weight)) / (weight / 2 - 1)))
    return step, reach + step


def conditioned(places: Floats, weights: Floats, y: Floats) -> tuple[Complex, Floats]:
    """E exp(i y D) for the mean D of places in [-1, 1] by Dirichlet shares, and a bound of the error, for one row of y of at least 0."""
    weight = float(weights.sum())
    step, beyond = nodes(weight)
    at_zero, wrong_at_zero = _rule(places, weights, np.zeros(1), step, beyond)
    psi, error = np.empty(len(y), np.complex128), np.empty(len(y))
    start = 0
    while start < len(y):
        many = int(2 * (y[start:].min() / weight + beyond) / step) * len(places)
        part = slice(start, start + max(1, BLOCK // max(many, 1)))
        found, wrong = _rule(places, weights, y[part], step, beyond)
        psi[part] = found / at_zero
        error[part] = 1.001 * (wrong + wrong_at_zero) / (at_zero.real - wrong_at_zero) + (8 + 7 * y[part]) * UNIT + 4 * math.exp(-TINY)
        start = part.stop
    return psi, error


def _rule(places: Floats, weights: Floats, y: Floats, step: float, beyond: float) -> tuple[Complex, Floats]:
    """2 pi / step times density of the total at its mean times E exp(i y D), and a bound of the error."""
    weight = float(weights.sum())
    theta = y / weight
    count = math.ceil((float(theta.max()) + beyond) / step)
    u = step * np.arange(-count, count + 1)
    log_size, angle = np.zeros((len(y), len(u))), np.tile(-weight * u, (len(y), 1))
    for place, own in zip(places, weights, strict=True):
        v = u + (theta * place)[:, None]
        log_size -= own / 2 * np.log1p(v * v)
        angle += own * np.arctan(v)
    size = np.exp(log_size)
    found = (size * np.cos(angle)).sum(1) + 1j * (size * np.sin(angle)).sum(1)
    rounding = (2 * weight * (np.abs(u) + theta[:, None]) * (len(places) + 12) + len(u) + 20) * UNIT
    distance = u[-1] - theta  # beyond the last node the integrand is at most (1 + (u - theta)^2)^(-weight / 2)
    left_out = 2 / step * (1 + distance**2) ** (1 - weight / 2) / (distance * (weight - 2))
    return found, 1.001 * ((size * rounding).sum(1) + left_out)


def conditioned_bound(places: Floats, weights: Floats, y: Floats) -> Floats:
    """The logarithm of a bound of |E exp(i z D)| for all z >= y."""
    weight = float(weights.sum())
    theta = y / weight
    log_density = (weight - 1) * math.log(weight) - weight - math.lgamma(weight) + math.log(2 * math.pi)
    best = np.zeros(len(y))
    for cut in np.unique(np.linspace(1, len(places) - 1, CUTS).astype(int)):
        low, high = float(weights[:cut].sum()), float(weights[cut:].sum())
        if min(low, high) <= 1:
            continue
        for middle in places[cut - 1] + (places[cut] - places[cut - 1]) * np.array([0.3, 0.6]):
            sizes = -0.5 * np.log1p(np.multiply.outer(theta, places - middle) ** 2) * weights
            sides = sizes[:, cut:].sum(1) + _log_integral(low), sizes[:, :cut].sum(1) + _log_integral(high)
            best = np.minimum(best, np.logaddexp(*sides) - log_density + 1e-6)
    return best


def _log_integral(weight: float) -> float:
    """Of (1 + u^2)^(-weight / 2) over all u."""
    return 0.5 * math.log(math.pi) + math.lgamma((weight - 1) / 2) - math.lgamma(weight / 2)
