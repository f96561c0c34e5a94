"""What every law of average CAP answers, on laws that are known without computing."""

import numpy as np
import pytest

from capstats.laws.law import Law


class Even(Law):
    """The even law from 1/4 to 3/4, known to within a given error."""

    def __init__(self, error=0.0):
        super().__init__(0.25, 0.75, about="even")
        self.error = error

    def _below(self, x):
        exact = np.clip(2 * x - 0.5, 0, 1)
        return np.clip(exact - self.error, 0, 1), np.clip(exact + self.error, 0, 1)

    def _density(self, x):
        exact = np.where((x >= 0.25) & (x < 0.75), 2.0, 0.0)
        return exact - self.error, exact + self.error


class Coin(Law):
    """1/4 with probability .3, else 3/4."""

    def __init__(self):
        super().__init__(0.25, 0.75)

    def _below(self, x):
        exact = np.where(x >= 0.75 * (1 - 1e-12), 1.0, np.where(x >= 0.25 * (1 - 1e-12), 0.3, 0.0))
        return exact, exact


def test_the_distribution_function_is_asked_at_numbers_and_rows_of_numbers():
    law = Even()
    found = law.cdf([-1, 0.25, 0.5, 0.75, 2, np.nan])
    assert found.lower.dims == ("value",)
    assert found.value.values[:3].tolist() == [-1, 0.25, 0.5]
    np.testing.assert_array_equal(found.lower, [0, 0, 0.5, 1, 1, np.nan])
    np.testing.assert_array_equal(found.lower, found.upper)
    one = law.cdf(0.5)
    assert one.lower.dims == ()
    assert (one.lower, one.value) == (0.5, 0.5)


def test_the_density_is_zero_outside_the_support():
    found = Even(0.1).density([0.1, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(found.lower, [0, 1.9, 1.9, 0, 0])
    np.testing.assert_allclose(found.upper, [0, 2.1, 2.1, 0, 0])
    with pytest.raises(ValueError, match="This law has no density: it has atoms"):
        Coin().density(0.5)


@pytest.mark.parametrize("error", [0, 1e-9, 1e-3])
def test_quantiles_are_between_bounds_that_follow_from_those_of_the_distribution_function(error):
    p = np.array([0, 0.1, 0.5, 0.9, 1])
    found = Even(error).quantile(p)
    exact = 0.25 + p / 2
    assert (found.lower <= exact).all()
    assert (exact <= found.upper).all()
    assert (found.upper - found.lower).max() <= error * 1.001 + 1e-11


def test_the_quantile_of_an_atom_is_its_value():
    found = Coin().quantile([0, 0.2, 0.3, 0.31, 1])
    exact = np.array([0.25, 0.25, 0.25, 0.75, 0.75])
    assert (found.lower <= exact).all()
    assert (exact <= found.upper).all()
    assert (found.upper - found.lower).max() <= 1e-11


def test_a_law_prints_its_support_and_quantiles():
    assert repr(Even()) == ("Law of average CAP (even)\nfrom 0.25 to 0.75; median 0.5, 5 % and 95 % quantiles 0.275 and 0.725")
    wide = repr(Even(error=0.02))  # quantiles that are known to within .01 are no numbers
    assert wide.endswith("; median [0.49, 0.51], 5 % and 95 % quantiles [0.265, 0.285] and [0.715, 0.735]")
    assert repr(Even(error=1e-12)) == repr(Even())
    assert "law: even" in repr(Even().cdf([0.5]))
    assert repr(Coin()).startswith("Law of average CAP\nfrom 0.25 to 0.75; median 0.75")


def test_what_cannot_be_asked_is_refused():
    law = Even()
    with pytest.raises(ValueError, match=r"`probabilities` must be from 0 to 1; got 1.5 at place 1\."):
        law.quantile([0.5, 1.5])
    with pytest.raises(TypeError, match="`values` must be a number or one row of numbers"):
        law.cdf("0.5")
    with pytest.raises(ValueError, match="`values` must be a number or one row of numbers; got float64 with 2 dims"):
        law.cdf([[0.5]])
    with pytest.raises(ValueError, match="The atoms of this law are not listed"):
        law.atoms()
