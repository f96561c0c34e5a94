"""What the public moments do for every model: who computes them, labels and batches, and what they refuse."""

from fractions import Fraction

import numpy as np
import pytest
from every_release import average_cap, every_release, moments

from capstats import average_cap as measured
from capstats.laws import expected_cap, variance_cap

ORIGINAL = [[2, 1], [0, 1]]
CASES = [
    ("uniform", {"m": 3}),
    ("bootstrap", {"m": 3}),
    ("independent", {"m": 3}),
    ("dirichlet", {"m": 3, "alpha": Fraction(1, 2)}),
    ("partial", {"alpha": Fraction(1)}),
    ("pram", {"theta": Fraction(1, 4)}),
    ("pram", {"matrix": [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 2), Fraction(1, 2)]]}),
    ("swap", {"swapped": 2}),
]


def as_floats(told):
    turned = {name: float(value) if isinstance(value, Fraction) else value for name, value in told.items()}
    if "matrix" in turned:
        turned["matrix"] = [[float(x) for x in row] for row in turned["matrix"]]
    return turned


@pytest.mark.parametrize(("model", "told"), CASES)
def test_every_model_has_its_exact_mean_and_variance(model, told):
    mean, variance = moments(every_release(ORIGINAL, model=model, **told), lambda s: average_cap(ORIGINAL, s))
    assert expected_cap(ORIGINAL, model=model, **as_floats(told)).item() == pytest.approx(float(mean), rel=1e-12)
    assert variance_cap(ORIGINAL, model=model, **as_floats(told)).item() == pytest.approx(float(variance), rel=1e-12)


def test_the_expected_value_is_held_against_a_release():
    """The release that is the original has more than 3 standard deviations above what chance alone gives."""
    o = [[40, 0, 0], [0, 40, 0], [0, 0, 40]]
    mean, variance = expected_cap(o, 120, model="uniform").item(), variance_cap(o, 120, model="uniform").item()
    assert measured(o, o).item() > mean + 3 * np.sqrt(variance)


def test_options_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match='The model "uniform" needs `m`'):
        expected_cap(ORIGINAL, model="uniform")
    with pytest.raises(ValueError, match='`unmatched` must be "zero"'):
        variance_cap(ORIGINAL, 3, model="uniform", unmatched="nearest")
    with pytest.raises(ValueError, match="`o` must be non-negative"):
        expected_cap([[1, -1]], 3, model="uniform")
