"""Population uniqueness from the class sizes of a sample, by models in which all classes are alike.

Of a sample only the number of classes of each size counts. From it each model estimates how many classes of one record the population has.
The hard parts are digits and time.

*The obvious way* writes each likelihood and each prediction with log-gamma functions, as the papers do, and maximises numerically. With
10^8 records log-gamma is about 2 x 10^9, the difference of two of them is of order 1, and nine of sixteen digits are gone before anything
is estimated. To add the terms one by one has all digits, but 10^10 terms in each step of a root search. The tests do so for small samples.

*Sums.* A sum over records of a smooth function, such as log(theta + i), is a weighted sum over a few hundred nodes, to all digits of a
float (`summation_rule`, a Gauss rule for sums). A sum over classes of all sizes, of 1 / (j - alpha) for j below the size, is taken for
each alpha: small sizes are added with their number of classes; larger ones use an expansion in 1 / size, whose coefficients in the sizes,
their inverse moments, are computed once (`Likelihood.moments`). So a step costs the same for any number of records.

*Ratios* of gamma functions never are differences of two logarithms: `log_rise` and `log_cross_ratio` have formulas in which nothing
cancels.

*Maxima* are roots of the score. For a given alpha the score of theta has exactly one, which is searched as log(theta + alpha), since theta
spans many powers of ten; then alpha is searched along that curve, on which all samples that were tried have one maximum. It may be at the
border, alpha 0, where the model is that of Ewens. Where there is no maximum, or no root, a status says so, and there is no number.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from capstats.tables.gamma_ratios import digamma_rise, log_cross_ratio, log_rise, summation_rule
from capstats.tables.table import Floats

SMALL = 32  # classes below this size are added directly, larger ones by a series in 1 / size
ORDER = 11  # terms of this series
AT_ONE = (1, 1 / 2, 1 / 6, 0, -1 / 30, 0, 1 / 42, 0, -1 / 30, 0, 5 / 66, 0)  # Bernoulli polynomials at 1
EXACT = {"xtol": 1e-15, "rtol": 8.9e-16}  # tolerances of a root, as exact as floats allow

Estimate = dict[str, Any]  # numbers by name, and the status: why some are missing


@dataclass(frozen=True)
class ClassSizes:
    """A sample: the sizes of its classes, in ascending order, and the number of classes of each size."""

    sizes: Floats
    classes: Floats

    @cached_property
    def n(self) -> float:
        """Number of records."""
        return float(self.sizes @ self.classes)

    @cached_property
    def u(self) -> float:
        """Number of classes."""
        return float(self.classes.sum())

    def of_size(self, size: int) -> float:
        """Number of classes of one size."""
        return float(self.classes[self.sizes == size].sum())


# --- Ewens and Pitman -------------------------------------------------------------------------------------------------


class Likelihood:
    """Score and observed information of the Ewens-Pitman model with 0 <= alpha < 1 and theta > -alpha.

    The log-likelihood of u classes of sizes f with n records in all is, up to a constant,
    sum_{i < u} log(theta + i alpha) - sum_{i < n} log(theta + i) + sum_f sum_{j < f} log(j - alpha), with sums from 1.
    """

    def __init__(self, sample: ClassSizes):
        self.n, self.u = sample.n, sample.u
        self.i, self.w = summation_rule(1, int(self.u) - 1)
        self.k, self.v = summation_rule(int(self.u), int(self.n) - 1)
        self.j = np.arange(1, SMALL)
        above = np.concatenate([np.cumsum(sample.classes[::-1])[::-1], [0]])  # classes of at least each size
        self.larger = above[np.searchsorted(sample.sizes, self.j, side="right")]  # c_j, classes of more than j records
        large = sample.sizes >= SMALL
        sizes, classes = sample.sizes[large], sample.classes[large]
        self.log_sizes = float(classes @ np.log(sizes))
        # inverse moments of large sizes, once: each alpha needs only a polynomial in these
        powers, self.moments = classes, [classes.sum()]  # sums of f^-k over these classes
        for _ in range(ORDER):
            powers = powers / sizes
            self.moments.append(powers.sum())

    def theta(self, alpha: float) -> float:
        """The theta that maximises the likelihood for an alpha: the only root of its score."""
        from scipy.optimize import brentq

        def score(log_sum: float) -> float:
            theta = math.exp(log_sum) - alpha
            terms = self.i / ((theta + self.i * alpha) * (theta + self.i))
            return float((1 - alpha) * (self.w @ terms) - self.v @ (1 / (theta + self.k)))

        least = -math.log(1 / (1 - alpha) + 1 + math.log(self.n))
        most = math.log(alpha + (self.u - 1) * self.n / (2 * (self.n - self.u)))
        return math.exp(brentq(score, least - 1e-9, most + 1e-9, **EXACT)) - alpha

    def alpha_score(self, alpha: float) -> float:
        """The derivative by alpha where theta maximises the likelihood."""
        theta = self.theta(alpha)
        return float(self.w @ (self.i / (theta + self.i * alpha))) - self._within_classes(alpha)[0]

    @cached_property
    def alpha(self) -> float:
        """The alpha that maximises the likelihood."""
        from scipy.optimize import brentq

        return float(brentq(self.alpha_score, 0.0, 1 - 2.0**-51, **EXACT)) if self.alpha_score(0.0) > 0 else 0.0

    def information(self, theta: float, alpha: float) -> Floats:
        """Minus the second derivatives by theta and alpha."""
        i, first, second = self.i, theta + self.i * alpha, theta + self.i
        of_theta = self.w @ (i * (1 - alpha) * (first + second) / (first * second) ** 2) - self.v @ (theta + self.k) ** -2.0
        of_both = self.w @ (i / first**2)
        of_alpha = self.w @ (i / first) ** 2 + self._within_classes(alpha)[1]
        return np.array([[of_theta, of_both], [of_both, of_alpha]])

    def _within_classes(self, alpha: float) -> tuple[float, float]:
        """sum_f sum_{j < f} 1 / (j - alpha), and its derivative by alpha."""
        from scipy.special import digamma, polygamma

        def bernoulli(k: int) -> float:
            return sum(math.comb(k, m) * AT_ONE[m] * alpha ** (k - m) for m in range(k + 1))

        count, *moments = self.moments
        small = self.larger / (self.j - alpha)
        value = self.log_sizes - count * digamma(SMALL - alpha) - sum(bernoulli(k) * m / k for k, m in enumerate(moments, 1))
        slope = count * polygamma(1, SMALL - alpha) - sum(bernoulli(k - 1) * m for k, m in enumerate(moments, 1))
        return float(small.sum() + value), float((small / (self.j - alpha)).sum() + slope)


def pitman(sample: ClassSizes, population: int) -> Estimate:
    """The Ewens-Pitman model, both parameters by maximum likelihood."""
    if status := _no_maximum(sample):
        return {"status": status}
    likelihood = Likelihood(sample)
    alpha = likelihood.alpha
    theta = likelihood.theta(alpha)
    if not alpha:
        return _predicted(sample, population, theta, 0.0) | {"status": "alpha is 0: the Ewens model"}
    covariance = np.asarray(np.linalg.inv(likelihood.information(theta, alpha)), np.float64)
    return _predicted(sample, population, theta, alpha) | _errors(sample, population, theta, alpha, covariance)


def ewens(sample: ClassSizes, population: int) -> Estimate:
    """The Ewens model, theta by maximum likelihood."""
    if status := _no_maximum(sample):
        return {"status": status}
    likelihood = Likelihood(sample)
    theta = likelihood.theta(0.0)
    covariance = np.diag([1 / likelihood.information(theta, 0.0)[0, 0], 0.0])
    found = _predicted(sample, population, theta, 0.0) | _errors(sample, population, theta, 0.0, covariance)
    return {name: value for name, value in found.items() if name != "alpha"}


def _no_maximum(sample: ClassSizes) -> str:
    return "not estimable: one class" if sample.u <= 1 else "not estimable: all unique" if sample.u == sample.n else ""


def remains_unique(records: float, population: int, theta: float, alpha: float) -> float:
    """The probability that a class with one of ``records`` records has one of the population."""
    return math.exp(-log_cross_ratio(theta + alpha + records - 1, 1 - alpha, population - records))


def _predicted(sample: ClassSizes, population: int, theta: float, alpha: float) -> Estimate:
    n, u, unique = sample.n, sample.u, sample.of_size(1)
    probability = remains_unique(n, population, theta, alpha)
    return {
        "probability": probability,
        "among_sample_uniques": unique * probability,
        "given_sample": probability * (unique + (population - n) * (theta + u * alpha) / (theta + n - 1 + alpha)),
        "unconditional": population * remains_unique(1, population, theta, alpha),
        "asymptotic": math.exp(alpha * math.log(population) + log_rise(theta + alpha, 1 - alpha)),
        "theta": theta,
        "alpha": alpha,
    }


def _errors(sample: ClassSizes, population: int, theta: float, alpha: float, covariance: Floats) -> Estimate:
    """Standard errors by the delta method, with the sample's numbers of classes and of uniques held fixed."""
    u, unique, more = sample.u, sample.of_size(1), population - sample.n
    x = theta + alpha + sample.n - 1
    p = remains_unique(sample.n, population, theta, alpha)
    of_p = p * np.array([digamma_rise(x, 1 - alpha) - digamma_rise(x + more, 1 - alpha), digamma_rise(x, more)])
    new = theta + u * alpha
    expected = unique + more * new / x
    of_expected = more * np.array([x - new, u * x - new]) / x**2
    gradients = {"probability": of_p, "among_sample_uniques": unique * of_p, "given_sample": expected * of_p + p * of_expected}
    return {f"{name}_error": math.sqrt(gradient @ covariance @ gradient) for name, gradient in gradients.items()}


# --- Zayatz -----------------------------------------------------------------------------------------------------------


def zayatz(sample: ClassSizes, population: int) -> Estimate:
    """Zayatz's estimate: the sample's shares of classes of each size in place of the population's."""
    n, unique, more = sample.n, sample.of_size(1), population - sample.n
    possible = (sample.sizes - 1 <= more) & ((sample.sizes - 1) * np.log1p(n / population) < 800)  # other terms are 0
    i = sample.sizes[possible]
    to_unique = i * np.exp(-log_cross_ratio(more - i + 2, i - 1, n - 1))  # h(i) / h(1), h(i) the probability that one of i is drawn
    probability = unique / float(sample.classes[possible] @ to_unique) if unique else 0.0
    among = unique * probability
    return {"probability": probability, "among_sample_uniques": among, "unconditional": among * population / n}


# --- slide negative binomial ------------------------------------------------------------------------------------------


def shlosser(sample: ClassSizes, population: int) -> float:
    """Shlosser's third estimate of the number of classes in the population (Haas and Stokes 1998), for a sample with a unique."""
    i, p = sample.sizes, sample.n / population
    within = np.exp((i - 1) * np.log1p(-p))  # (1 - p)^(i - 1)
    twice = np.exp((i - 1) * np.log1p(-p * p))
    terms = (i * p * p * twice, -(1 + p) * twice * np.expm1(-i * np.log1p(p)), within, i * p * within)
    a, b, c, d = (float(sample.classes @ x) for x in terms)
    return sample.u + sample.of_size(1) * (1 - p) * a / b * (c / d) ** 2


def snb(sample: ClassSizes, population: int) -> Estimate:
    """The slide negative binomial model: the only alpha and beta with the sample's numbers of classes of one and of two records."""
    from scipy.optimize import brentq

    unique, pairs, p = sample.of_size(1), sample.of_size(2), sample.n / population
    if not unique:
        return {"unconditional": 0.0}
    classes = shlosser(sample, population)
    found: Estimate = {"population_classes": classes}
    if not pairs:
        return found | {"status": "not estimable: no class of two"}
    r = 2 * pairs / unique * (1 - p) / p

    def at(log_w: float) -> tuple[float, float, float]:
        """alpha, w and alpha x of the curve on which the expected classes of two and of one record have the sample's ratio."""
        w = math.exp(log_w)
        x = -math.expm1(-w) * (1 - p) / p
        b = r - 2 - x
        root = math.hypot(b, 2 * math.sqrt(r))
        s = (root + b) / 2 if b >= 0 else 2 * r / (root - b)
        return s / x, w, s

    def excess(log_w: float) -> float:
        """The logarithm of expected over observed classes of one record, which falls along the curve."""
        alpha, w, s = at(log_w)
        return math.log(classes * p / unique) - alpha * w + math.log1p(s)

    if excess(-36.0) <= 0:
        return found | {"status": "not estimable: no root"}
    alpha, w, _ = at(brentq(excess, -36.0, 60.0, **EXACT))
    x = -math.expm1(-w) * (1 - p) / p
    total = classes * math.exp(-alpha * (w + math.log1p(x)))  # K beta^alpha
    among, beta = p * total, math.exp(-w) / (1 + x)
    uniques = {"probability": among / unique, "among_sample_uniques": among, "unconditional": total}
    return found | uniques | {"alpha": alpha, "beta": beta}


# --- Dankar and others ------------------------------------------------------------------------------------------------


def dankar(sample: ClassSizes, population: int) -> Estimate:
    """The rule of Dankar and others: Pitman for samples of up to a tenth of the population, otherwise the smaller of SNB and Zayatz."""
    preferred = "pitman" if sample.n / population <= 0.1 else "snb"
    first, second = MODELS[preferred](sample, population), zayatz(sample, population)
    if "probability" in first and (preferred == "pitman" or first["unconditional"] < second["unconditional"]):
        return first | {"chosen": preferred}
    why = {"status": f"{preferred} {first['status']}"} if "status" in first else {}
    return second | why | {"chosen": "zayatz"}


MODELS: dict[str, Callable[[ClassSizes, int], Estimate]] = {model.__name__: model for model in (pitman, ewens, zayatz, snb, dankar)}
PARAMETERS = {"pitman": ["theta", "alpha"], "ewens": ["theta"], "snb": ["alpha", "beta", "population_classes"]}


def estimated(model: str, sample: ClassSizes, population: int) -> Estimate:
    """The numbers of a model, and why some are missing; the sample may be empty, or be the population."""
    unique = sample.of_size(1)
    if not sample.n:
        return {"among_sample_uniques": 0.0, "status": "no record"}
    if sample.n == population:
        known = dict.fromkeys(("among_sample_uniques", "given_sample"), unique)
        return known | {"probability": 1.0 if unique else math.nan, "status": "sample is the population"}
    found = MODELS[model](sample, population)
    if not unique:
        status = "; ".join(["no sample unique", *([found["status"]] if "status" in found else [])])
        found |= {"probability": math.nan, "among_sample_uniques": 0.0, "status": status}
    return found
