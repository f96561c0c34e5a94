"""Population uniqueness where the numbers of people with each key are Poisson, with log-normal means.

The hard part is the range: the integrals are far below the least float where keys are common.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import xarray as xr

from capstats.codes.checks import check_number
from capstats.tables.printing import Result
from capstats.tables.table import Floats

TAIL = 9.0  # beyond this distance from its mode an integrand is below exp(-TAIL^2 / 2), 3e-18, of it
STEPS = 8  # of the trapezoidal rule in the width of the mode


def poisson_lognormal_uniqueness(mu: float, sigma: float, *, sampling_fraction: float, classes: float = 1) -> xr.Dataset:
    """Population uniqueness under the Poisson-lognormal model with given parameters.

    Each key is held by a Poisson number of people; its mean is log-normal, so that a few keys are common and many are rare.

    Parameters
    ----------
    mu, sigma : float
        Mean, at most 25 (7e10 people), and standard deviation, 0 or more, of the logarithm of the mean number of people with a key.
    sampling_fraction : float
        pi, above 0 and at most 1: each person is in the sample with this probability.
    classes : float
        Number of possible keys. By default 1: expected numbers are those of one key.

    Returns
    -------
    Dataset
        - ``probability``, P(population unique | sample unique), from 0 to 1;
        - ``mean_inverse_class_size``, E(1 / F | sample unique), F the number of people who have the key, from 0 to 1: the probability that
          a sample unique is matched correctly with one of them;
        - ``sample_uniques``, ``among_sample_uniques``, ``unconditional``: the expected number of sample uniques, of population uniques
          among them, and of population uniques.

    Raises
    ------
    ValueError
        If a parameter is no number of its range.

    See Also
    --------
    population_uniqueness

    Notes
    -----
    See theory/population.md#poisson-models. With sigma = 0 the probability is exp(-(1 - pi) exp(mu)).

    References
    ----------
    Skinner and Holmes (1993), "Modelling population uniqueness", Proceedings of the International Seminar on Statistical Confidentiality.
    Elamir and Skinner (2006), "Record level measures of disclosure risk for survey microdata", Journal of Official Statistics 22.

    Examples
    --------
    Keys that two people have on average, and a sample of half of the population: exp(-1)

    >>> import math
    >>> found = poisson_lognormal_uniqueness(math.log(2), 0, sampling_fraction=0.5)
    >>> round(float(found.probability), 4), round(float(found.mean_inverse_class_size), 4)
    (0.3679, 0.6321)
    """
    check_number(mu, "mu", "a number between -1000 and 25, the logarithm of 7e10 people", least=-1000, most=25)
    check_number(sigma, "sigma", "a number from 0 to 1000", least=0, most=1000)
    check_number(sampling_fraction, "sampling_fraction", "above 0 and at most 1", least=0, most=1, excluded=[0])
    check_number(classes, "classes", "a positive number of keys", least=0, most=math.inf, excluded=[0, math.inf])
    mean = mu + sigma * sigma  # E[L g(L)] = E[L] E[g(L')], where log L' has this mean

    def none_of(share: float) -> float:
        """The logarithm of E[exp(-share L')]."""
        return _log_mean(mean, sigma, lambda v: -share * v, lambda v: -share * v)

    def matched(v: Floats) -> Floats:
        """The logarithm of exp(-pi v) times (1 - exp(-w)) / w, w = (1 - pi) v."""
        w = np.maximum((1 - sampling_fraction) * v, 1e-300)
        return np.log(-np.expm1(-w) / w) - sampling_fraction * v

    def slope_of_matched(v: Floats) -> Floats:
        w = np.clip((1 - sampling_fraction) * v, 1e-300, 700)
        return w / np.expm1(w) - 1 - sampling_fraction * v

    sample, population = none_of(sampling_fraction), none_of(1.0)
    people = math.log(classes) + mu + sigma * sigma / 2  # expected number of people
    numbers = {
        "probability": population - sample,
        "mean_inverse_class_size": _log_mean(mean, sigma, matched, slope_of_matched) - sample,
        "sample_uniques": people + math.log(sampling_fraction) + sample,
        "among_sample_uniques": people + math.log(sampling_fraction) + population,
        "unconditional": people + population,
    }
    return Result(
        {name: math.exp(value) for name, value in numbers.items()}, attrs={"result": "Population uniqueness, Poisson-lognormal model"}
    )


def _log_mean(mean: float, sigma: float, log_g: Callable[[Floats], Floats], slope: Callable[[Floats], Floats]) -> float:
    """The logarithm of E[g(exp(mean + sigma z))], z standard normal, where log g is concave and falling in z / sigma, with this slope.

    The integrand is log-concave, at least as much as the normal density; the trapezoidal rule around its mode converges geometrically.
    """
    from scipy.special import logsumexp

    def value(z: Floats) -> Floats:
        return np.exp(np.minimum(mean + sigma * z, 700))

    def derivative(z: float) -> float:
        return -z + sigma * float(slope(value(np.asarray(z))))

    low, high = -1.0, 0.0
    while derivative(low) < 0:
        low *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if derivative(middle) > 0 else (low, middle)
    width = 1 / math.sqrt(1 + sigma * abs(low))
    z = np.arange(low - TAIL, low + TAIL, width / STEPS)
    return float(logsumexp(log_g(value(z)) - z * z / 2)) + math.log(width / STEPS / math.sqrt(2 * math.pi))
