"""Ratios of gamma functions against products in fractions and 50 decimal digits, and long sums against their terms."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from math import fsum

import numpy as np
import pytest
from scipy.special import digamma

from capstats.tables.gamma_ratios import digamma_rise, log_cross_ratio, log_rise, summation_rule

BERNOULLI = [Fraction(x) for x in ("1/6", "-1/30", "1/42", "-1/30", "5/66", "-691/2730", "7/6", "-3617/510", "43867/798", "-174611/330")]


def log_gamma(x: Decimal) -> Decimal:
    """By Stirling's series beyond 60, with 30 digits and more."""
    shift = Decimal(0)
    while x < 60:
        shift += x.ln()
        x += 1
    series = sum(Decimal(b.numerator) / b.denominator / (2 * k * (2 * k - 1)) / x ** (2 * k - 1) for k, b in enumerate(BERNOULLI, 1))
    return (
        (x - Decimal("0.5")) * x.ln() - x + (2 * Decimal("3.14159265358979323846264338327950288419716939937510")).ln() / 2 + series - shift
    )


CASES = [
    (0.01, 0.99, 10**10),
    (3.5, 0.25, 7),
    (87.59 + 669.45, 0.544, 66_999_330),
    (1e6 + 0.5, 0.5, 99e6),
    (1e9 - 1.5, 0.3, 1),
    (2e14, 0.7, 1e10),
]


@pytest.mark.parametrize(("x", "s", "t"), [*CASES, (5e9, 4e5, 1e6), (17, 1e3, 1e6), (1234.5, 777, 999), (1.0, 1e4, 1e4)])
def test_a_ratio_of_four_gamma_functions_has_all_its_digits(x, s, t):
    with localcontext(prec=50):
        a, b, c = Decimal(x), Decimal(s), Decimal(t)
        exact = float(log_gamma(a) + log_gamma(a + b + c) - log_gamma(a + b) - log_gamma(a + c))
    np.testing.assert_allclose(log_cross_ratio(x, s, t), exact, rtol=2e-15, atol=1e-15)


@pytest.mark.parametrize(("x", "s", "t"), CASES)
def test_a_ratio_of_two_gamma_functions_has_all_its_digits(x, s, t):
    with localcontext(prec=50):
        exact = float(log_gamma(Decimal(x) + Decimal(s)) - log_gamma(Decimal(x)))
    np.testing.assert_allclose(log_rise(x, s), exact, rtol=2e-15)


@pytest.mark.parametrize("x", [0.3, 4.0, 17.5, 1e3])
@pytest.mark.parametrize("s", [0.25, 1.0, 3e4])
def test_a_rise_of_digamma(x, s):
    np.testing.assert_allclose(digamma_rise(x, s), digamma(x + s) - digamma(x), rtol=1e-11)
    np.testing.assert_allclose(digamma_rise(x, 1), 1 / x, rtol=1e-14)


@pytest.mark.parametrize(("first", "last"), [(1, 0), (1, 5), (1, 40), (1, 100_000), (7, 100), (1000, 1000), (999, 54_321), (5, 4)])
@pytest.mark.parametrize("f", [lambda x: 1 / (x - 0.9), lambda x: np.log(x + 50), lambda x: x / (3 + x) ** 2, lambda x: (x + 1e7) ** -2.0])
def test_a_long_sum_is_that_of_its_terms(first, last, f):
    x, w = summation_rule(first, last)
    assert len(x) < 200
    np.testing.assert_allclose(w @ f(x), fsum(f(np.arange(first, last + 1, dtype=float))), rtol=2e-15)


def test_a_sum_of_ten_thousand_million_terms():
    x, w = summation_rule(1, 10**10)
    assert len(x) < 400
    assert w.sum() == pytest.approx(1e10, rel=1e-14)
    assert w @ (1 / x) == pytest.approx(digamma(1e10 + 1) - digamma(1), rel=1e-14)
