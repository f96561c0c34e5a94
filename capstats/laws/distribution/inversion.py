"""The law of a sum of independent B-splines from its Fourier series, with bounds of all that is cut off and rounded."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from capstats.laws.distribution.closed_form import Knots, SimplexSum, is_spline, size
from capstats.laws.distribution.law import UNIT, Law
from capstats.tables.table import Floats

Complex = NDArray[np.complex128]

SMALL = 1e-9  # what the terms that are left out may add up to
KNOTS = 24  # of a key, up to which its characteristic function is found by doubling
TOGETHER = 512  # keys of few knots
ORDERS = 256  # knots of a key up to which two outer ones bound it
COARSE = 4  # places of a table that share one bound
WORK = 2e9  # multiplications that a law may take: some seconds
BLOCK = 1 << 17  # numbers of an array that stays in cache
ORDER = 20  # terms of a power series up to 1 in absolute value: the rest is below 1 / 20!
STEPS = 16  # of the table of `size_bound`, to each doubling
FIRST, LAST = -60 * STEPS, 80 * STEPS  # its ends: 2^-60 and 2^80
CELLS = 128  # of the sum that bounds an integral
GRID = 70 * STEPS  # of `Inversion`, from 1 to 2^70 terms
LEAST = 8  # total weight: with less the integrand falls too slowly
TINY = 40.0  # what is left out is at most about exp(-TINY)
CUTS = 7  # ways to divide the places in two that a bound tries
NODES = 1 << 16  # numbers of an array that stays in cache


class Inversion(Law):
    """The law of a sum on an interval, whose Fourier coefficients are values of its characteristic function.

    The period is the length of the support, so that nothing wraps around. Numbers of a term: psi_k, the characteristic function at
    2 pi k / length of the sum about the middle of its support, and a bound of its error.
    """

    def __init__(self, total: SimplexSum, about: str):
        super().__init__(float(total.least), float(total.greatest), about=f"{about}; by inversion")
        self.total = total
        self.length = (total.greatest - total.least) * total.n  # in records, as the knots
        self.middle = (total.greatest + total.least) / 2
        self.per_unit = self.total.n / self.length  # of the support to one of CAP
        self.mean = float((total.mean - self.middle) * self.per_unit)
        self.shares = {knots: float((knots[-1][0] - knots[0][0]) / self.length) for knots in total.keys}  # widths, of all of it
        self.most = min((_order(knots) / self.shares[knots] for knots in total.keys if is_spline(knots)), default=np.inf)
        self.terms, self.rest, self.rest_of_density = self._cut()
        self.psi, self.error = self._coefficients()
        k = np.arange(1, self.terms + 1)
        sizes = np.abs(self.psi) + self.error
        rounding = 2 * (self.terms + 20) * UNIT
        self.wrong = float((self.error / k).sum() / np.pi + (12 * UNIT + rounding / k) @ sizes + 4 * UNIT) * 1.001 + self.rest
        by_density = 2 * (self.error.sum() + ((14 * (k + 2) + 20) * UNIT + rounding) @ sizes) + 8 * UNIT
        self.wrong_density = float(by_density) * 1.001 + self.rest_of_density

    @property
    def width(self) -> float:
        """Width of the bracket of the distribution function."""
        return 2 * self.wrong

    # --- Fourier series

    def _below(self, x: Floats) -> tuple[Floats, Floats]:
        k = np.arange(1, self.terms + 1)
        weights = self.psi / (np.pi * k)
        at = self._places(x)
        found = 0.5 + (at - self.mean) - self._sums(at, weights).imag
        return np.clip(found - self.wrong, 0, 1), np.clip(found + self.wrong, 0, 1)

    def _density(self, x: Floats) -> tuple[Floats, Floats]:
        found, wrong = 1 + 2 * self._sums(self._places(x), self.psi).real, self.wrong_density
        lower, upper = np.clip(found - wrong, 0, self.most), np.clip(found + wrong, 0, self.most * (1 + 1e-12))
        return lower * float(self.per_unit) * (1 - 8 * UNIT), upper * float(self.per_unit) * (1 + 8 * UNIT)

    def _places(self, x: Floats) -> Floats:
        """Where the numbers are in the support, from -1/2 to 1/2, rounded once."""
        return np.array([float((Fraction(value) - self.middle) * self.per_unit) for value in x.tolist()], np.float64)

    def _sums(self, at: Floats, weights: Complex) -> Complex:
        """Sum over k of weight_k exp(-2 pi i k at)."""
        found = np.zeros(len(at), np.complex128)
        step = max(1, BLOCK // max(len(at), 1))
        for start in range(0, self.terms, step):
            k = np.arange(start + 1, min(start + step, self.terms) + 1)
            turns = np.multiply.outer(at, k)
            angle = -2 * np.pi * (turns - np.rint(turns))
            part = weights[start : start + step]
            found += (np.cos(angle) @ part) + 1j * (np.sin(angle) @ part)
        return found

    # --- how many terms, and what the others add up to

    def _cut(self) -> tuple[int, float, float]:
        """The number of terms and bounds of the sums of all others, for the distribution function and for the density.

        The terms after K = k_0 < k_1 < ... < k_e are cut at these places. By theory/limit-law.md#limit-law-inversion, part 2, those from
        k_r to k_(r+1) add at most (k_(r+1) - k_r) / (pi k_r) prod_j beta(pi k_r w_j / W) to the distribution function. Beyond k_e,
        beta_N(y) <= N / y for the h keys where this is below 1 at k_e: the product falls at least as (k_e / k)^h, and the sum of
        (k_e / k)^h / k over k > k_e is at most 1 / h. In the density terms are doubled and not divided by pi k, and the sum of (k_e / k)^h
        is at most k_e / (h - 1).
        """
        ends = 2.0 ** (np.arange(GRID + 1) / STEPS)
        log_size = self._log_sizes(ends)
        whole = np.floor(ends)
        counts = np.diff(whole)  # terms in each step, of which none is larger than at its beginning
        sizes = np.exp(np.minimum(log_size, 0.0))
        log_last, exponent = self._last(float(ends[-1]))
        beyond = math.exp(log_last) / exponent if exponent else math.inf
        beyond_density = ends[-1] * math.exp(log_last) / (exponent - 1) if exponent > 1 else math.inf
        of_step, of_density = counts * sizes[:-1] / ends[:-1] / np.pi, 2 * counts * sizes[:-1]
        rest = (np.append(np.cumsum(of_step[::-1])[::-1], 0) + beyond) * 1.001
        rest_of_density = (np.append(np.cumsum(of_density[::-1])[::-1], 0) + 2 * beyond_density) * 1.001
        enough = int(np.argmax(rest <= SMALL)) if (rest <= SMALL).any() else GRID
        possible = max(int(np.searchsorted([self._work(end) for end in ends[: enough + 1]], WORK, side="right")) - 1, 0)
        place = min(enough, possible)
        return int(whole[place]), float(rest[place]), float(rest_of_density[place])

    def _log_sizes(self, ends: Floats) -> Floats:
        """Logarithms of bounds of |psi_k| for all k from each end of a step on."""
        found = np.zeros(len(ends))
        alike = Counter[tuple[int, int]]()
        for knots, number in self.total.keys.items():
            if _by_doubling(knots):
                alike[_order(knots), math.floor(STEPS * math.log2(math.pi * self.shares[knots])) - 1] += number
            else:
                found += number * _halved(_log_size(knots, math.pi * self.shares[knots] * ends))
        steps = np.arange(len(ends))
        for (order, place), number in alike.items():
            found += number * size_bound(order, place + steps)
        return found

    def _last(self, end: float) -> tuple[float, int]:
        """For all k beyond the end, |psi_k| is at most exp(first) (end / k)^second."""
        log, exponent = 0.0, 0
        for knots, number in self.total.keys.items():
            y = math.pi * end * self.shares[knots]
            bound = math.log(_order(knots) / y) if _by_doubling(knots) else float(_log_size(knots, np.array([y]))[0])
            if bound < 0:
                log += number * bound
                exponent += number
        return log, exponent

    def _work(self, end: float) -> float:
        """Multiplications for a number of terms."""
        found = 0.0
        for (weight, places, share), number in self._sizes.items():
            y = math.pi * end * share
            if places:
                step, beyond = nodes(weight)
                found += number * end * 24 * places * (y / weight + beyond) / step
            else:
                found += number * end * (20 + max(0.0, math.log2(max(y, 1.0))) * weight**3 / 3)
        return found

    @cached_property
    def _sizes(self) -> Counter[tuple[float, int, float]]:
        """Numbers of different keys by weight, places and width, the first and the last to a power of 2; 0 places where knots are few."""

        def power_of_2(x: float) -> float:
            return 2.0 ** math.ceil(math.log2(x))

        found = Counter[tuple[float, int, float]]()
        for knots, share in self.shares.items():
            few = _by_doubling(knots)
            weight = float(size(knots))
            found[weight if few else power_of_2(weight), 0 if few else len(knots), power_of_2(share)] += 1
        return found

    # --- characteristic function

    def _coefficients(self) -> tuple[Complex, Floats]:
        """psi_k of all terms, and bounds of their errors."""
        psi, error = np.ones(self.terms, np.complex128), np.zeros(self.terms)
        for block in self._blocks():
            numbers = np.array([self.total.keys[knots] for knots in block], np.int64)
            shares = np.array([self.shares[knots] for knots in block])
            start = 0
            while start < self.terms:
                end = min(max(2 * start, 64), start + max(BLOCK // len(block), 1), self.terms)
                y = np.pi * np.multiply.outer(shares, np.arange(start + 1, end + 1))
                if _by_doubling(block[0]):
                    values, errors = characteristic(np.array([_places(knots, repeated=True) for knots in block]), y)
                else:
                    value, of_value = conditioned(_places(block[0]), _weights(block[0]), y[0])
                    values, errors = value[None], of_value[None]
                found = product(*power(values, errors, numbers))
                psi[start:end], error[start:end] = times(psi[start:end], error[start:end], *found)
                start = end
        return psi, error

    def _blocks(self) -> Iterator[list[Knots]]:
        """Keys that have equally many knots and similar widths, or one key of many."""
        block: list[Knots] = []
        for knots in sorted(self.total.keys, key=lambda knots: (size(knots), self.shares[knots])):
            if block and not (
                _by_doubling(knots)
                and _by_doubling(block[0])
                and size(knots) == size(block[0])
                and self.shares[knots] <= 2 * self.shares[block[0]]
                and len(block) < TOGETHER
            ):
                yield block
                block = []
            block.append(knots)
        yield block


def _by_doubling(knots: Knots) -> bool:
    return is_spline(knots) and size(knots) <= KNOTS


def _order(knots: Knots) -> int:
    return int(size(knots)) - 1


def _places(knots: Knots, *, repeated: bool = False) -> Floats:
    """Knots about their middle, from -1 to 1, rounded once."""
    (low, _), (high, _) = knots[0], knots[-1]
    return np.array([float((2 * place - low - high) / (high - low)) for place, k in knots for _ in range(int(k) if repeated else 1)])


def _weights(knots: Knots) -> Floats:
    return np.array([float(weight) for _, weight in knots])


def _log_size(knots: Knots, y: Floats) -> Floats:
    """The logarithm of a bound of the characteristic function of a key of many knots, at all arguments from y on."""
    found = np.repeat(conditioned_bound(_places(knots), _weights(knots), y[::COARSE]), COARSE)[: len(y)]  # y increases
    if is_spline(knots) and size(knots) <= ORDERS:
        found = np.minimum(found, size_bound(_order(knots), np.floor(STEPS * np.log2(y)).astype(np.int64) - 1))
    return found


def _halved(log_size: Floats) -> Floats:
    """Better bounds at small arguments from those at twice the argument, STEPS places on: 1 - |psi(2 y)|^2 <= 4 (1 - |psi(y)|^2)."""
    found = log_size.copy()
    for start in range(len(found) - 2 * STEPS, -1, -STEPS):
        here, twice = slice(start, start + STEPS), slice(start + STEPS, start + 2 * STEPS)
        found[here] = np.minimum(found[here], 0.5 * np.log1p(np.expm1(2 * found[twice]) / 4) + 1e-13)
    return np.minimum(found, 0.0)


# --- characteristic function of even weights ---------------------------------------------------------------------------
#
# Rounding, in the symbols of theory/limit-law.md#limit-law-inversion, u = 2^-53, with sine and cosine wrong by at most four units in the
# last place. Part 3: its weights add up to 1 and all |psi| <= 1, so a doubling at most doubles errors; complex products are wrong by 3 u,
# weights and their product by 2 u, the sum by N u: after s doublings of errors e it is at most 2^s (e + (N + 8) u), to first order.
# Knots are scaled to [-1, 1] in fractions and rounded once; y is wrong by at most 5 u y. For y <= 1, psi_ab(y) is the sum of E D_ab^p (i
# y)^p / p! to 20 terms, with E D_ab^p = (b - a) / (p + b - a) E D_(a, b-1)^p + p / (p + b - a) d_b E D_ab^(p-1), that of complete
# homogeneous symmetric polynomials. Its weights add up to 1: errors grow by at most 6 u a step, to 6 (p + N) u. By Horner's rule the sum
# is wrong by less than (17 N + 140) u, with part 3 and the argument a factor by less than 2^s (20 N + 200) u. Of a product, |x' y' - x y|
# <= e_x (|y'| + e_y) + |x'| e_y plus 4 u |x' y'|; summed with 1 / (pi k), this is part of the bracket. The angle 2 pi k z, reduced by
# full turns, is wrong by at most 2 pi u (k + 2), a term by less than 12 u |psi_k|, and a sum of K by less than 2 (K + 20) u times that of
# absolute values.


def characteristic(knots: Floats, y: Floats) -> tuple[Complex, Floats]:
    """E exp(i y D) for the mean D of knots in [-1, 1], and a bound of the error, in which y may be wrong by 5 roundings.

    Knots have the shape (keys, knots) and y (keys, frequencies), at least 0.
    """
    order = knots.shape[-1] - 1
    doublings = max(0, math.ceil(math.log2(max(float(y.max()), 1.0))))
    y = y / 2**doublings
    averages = _power_means(knots, all_ranges=doublings > 0)
    found = {ends: _series(means, y) for ends, means in averages.items()}
    for doubling in range(doublings):
        last = doubling == doublings - 1
        found = {(a, b): _doubled(found, a, b) for a, b in found if not last or (a, b) == (0, order)}
    return found[0, order], np.full(y.shape, 2.0**doublings * (20 * order + 200) * UNIT)


def _power_means(knots: Floats, all_ranges: bool) -> dict[tuple[int, int], list[Floats]]:
    """E D^p / p! for p below ORDER, where D is the mean of the knots a to b; all (a, b), or the whole range alone."""
    count = knots.shape[-1]
    found: dict[tuple[int, int], list[Floats]] = {}
    for a in range(count if all_ranges else 1):
        before: list[Floats] = []
        for b in range(a, count):
            d, own = knots[:, b], [np.ones(len(knots))]
            for p in range(1, ORDER):  # one knot more, or one power more
                one = own[-1] * d
                own.append(one if a == b else (before[p] * (b - a) + one * p) / (p + b - a))
            before = own
            if all_ranges or b == count - 1:
                found[a, b] = [means / math.factorial(p) for p, means in enumerate(own)]
    return found


def _series(means: Sequence[Floats], y: Floats) -> Complex:
    """The sum of (i y)^p E D^p / p!, for y up to 1."""
    needed = next((p for p in range(2, ORDER, 2) if float(y.max()) ** p / math.factorial(p) < UNIT), ORDER)
    square = -(y**2)
    even, odd = np.zeros_like(y), np.zeros_like(y)
    for p in range(needed - 2, -1, -2):
        even *= square
        even += means[p][:, None]
        odd *= square
        odd += means[p + 1][:, None]
    found = np.empty(y.shape, np.complex128)
    found.real, found.imag = even, odd * y
    return found


def _doubled(found: dict[tuple[int, int], Complex], a: int, b: int) -> Complex:
    """At 2 y from those at y: the rule of Leibniz for divided differences, whose weights add up to 1."""
    total = np.zeros_like(found[a, b])
    for c in range(a, b + 1):
        total += found[a, c] * found[c, b] * (math.comb(b - a, c - a) / 2.0 ** (b - a))
    return total


# --- products, with running bounds of their errors --------------------------------------------------------------------


def product(values: Complex, errors: Floats) -> tuple[Complex, Floats]:
    """The product over the first axis and a bound of its error, where the exact factors are at most 1 in absolute value."""
    while len(values) > 1:
        if len(values) % 2:
            values = np.concatenate([values, np.ones((1, *values.shape[1:]), np.complex128)])
            errors = np.concatenate([errors, np.zeros((1, *errors.shape[1:]))])
        values, errors = times(values[::2], errors[::2], values[1::2], errors[1::2])
    return values[0], errors[0]


def times(x: Complex, of_x: Floats, y: Complex, of_y: Floats) -> tuple[Complex, Floats]:
    """A product and a bound of its error; 1.0001 covers the rounding of the bound."""
    size_x, size_y = np.abs(x), np.abs(y)
    return x * y, 1.0001 * (of_x * (size_y + of_y) + size_x * (of_y + 4 * UNIT * size_y)) + 1e-300


def power(values: Complex, errors: Floats, exponents: NDArray[np.int64]) -> tuple[Complex, Floats]:
    """Each row to its own power, by squaring."""
    found, of_found = np.ones_like(values), np.zeros_like(errors)
    left = exponents.copy()
    while True:
        odd = left % 2 == 1
        found[odd], of_found[odd] = times(found[odd], of_found[odd], values[odd], errors[odd])
        left //= 2
        if not left.any():
            return found, of_found
        values, errors = times(values, errors, values, errors)


# --- a bound that falls with the frequency ----------------------------------------------------------------------------


@cache
def size_bounds(order: int) -> Floats:
    """Logarithms of bounds of |E exp(i z D)| for all z >= y, where D has order + 1 knots from -1 to 1, at y = 2^(FIRST/STEPS), ....

    With S the weight of the two outer knots, D is a constant and S times an even number on [-1, 1], given all else; S has the law
    Beta(2, order - 1).
    """
    y = 2.0 ** (np.arange(FIRST, LAST + 1) / STEPS)
    if order == 1:
        edges, probability = np.array([1.0]), np.array([1.0])
    else:
        rest = (1 - np.linspace(0, 1, CELLS + 1)) ** (1 / order)  # 1 - S at the edges of the cells
        above = rest ** (order - 1) * (order * (1 - rest) + rest)  # P(S > s)
        edges, probability = 1 - rest[:-1], -np.diff(above)
    argument = y[:, None] * edges
    sizes = np.minimum(1 / np.sqrt(1 + argument**2 / 3), 1 / np.maximum(argument, 1.0))  # of sin(z) / z for all z >= argument
    return np.asarray(np.log(np.minimum(np.minimum((sizes * probability).sum(-1), order / y) * (1 + 1e-12), 1.0)))


def size_bound(order: int, place: NDArray[np.int64]) -> Floats:
    """The logarithm at y = 2^(place / STEPS), or in front of it."""
    return size_bounds(order)[np.clip(place, FIRST, LAST) - FIRST] * (place >= FIRST)


# --- shares that are gamma variables over their total ------------------------------------------------------------------


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
        part = slice(start, start + max(1, NODES // max(many, 1)))
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
    # A term is exp of -sum A_i log(1 + v_i^2) / 2 + i (sum A_i arctan v_i - u A), with logarithm and arctangent wrong by at most four units
    # in the last place: by less than 2 A (|u| + theta) (r + 12) u in all. Places and y are wrong by 7 roundings of y.
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
