"""What every law of average CAP answers, on laws that are known without computing; the mean and the greatest of several releases."""

import pickle
import re
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from every_release import made
from hypothesis import given
from hypothesis import strategies as st
from small_laws import CASES, LISTED
from strategies import theorem

import capstats
from capstats.laws import Bootstrap, Uniform, cap_law
from capstats.laws.distribution.exact import Atoms
from capstats.laws.distribution.law import BUDGET, OF_SCIPY, Extreme, Law, Simulated, check_cells, clopper_pearson


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


def test_the_distribution_function_is_asked_at_numbers_and_rows_of_numbers():
    law = Even()
    found = law.cdf([-1, 0.25, 0.5, 0.75, 2, np.nan])
    assert found.least.dims == ("value",)
    assert found.value.values[:3].tolist() == [-1, 0.25, 0.5]
    np.testing.assert_array_equal(found.least, [0, 0, 0.5, 1, 1, np.nan])
    np.testing.assert_array_equal(found.least, found.greatest)
    one = law.cdf(0.5)
    assert one.least.dims == ()
    assert (one.least, one.value) == (0.5, 0.5)


def test_the_density_is_zero_outside_the_support():
    found = Even(0.1).density([0.1, 0.25, 0.5, 0.75, 1])
    np.testing.assert_allclose(found.least, [0, 1.9, 1.9, 0, 0])
    np.testing.assert_allclose(found.greatest, [0, 2.1, 2.1, 0, 0])


@pytest.mark.parametrize("error", [0, 1e-9, 1e-3])
def test_quantiles_are_between_bounds_that_follow_from_those_of_the_distribution_function(error):
    p = np.array([0, 0.1, 0.5, 0.9, 1])
    found = Even(error).quantile(p)
    exact = 0.25 + p / 2
    assert (found.least <= exact).all()
    assert (exact <= found.greatest).all()
    assert (found.greatest - found.least).max() <= error * 1.001 + 1e-11


def test_a_law_prints_its_support_and_quantiles():
    assert repr(Even()) == ("Law of average CAP (even)\nfrom 0.25 to 0.75; median 0.5, 5 % and 95 % quantiles 0.275 and 0.725")
    wide = repr(Even(error=0.02))  # quantiles that are known to within .01 are no numbers
    assert wide.endswith("; median [0.49, 0.51], 5 % and 95 % quantiles [0.265, 0.285] and [0.715, 0.735]")
    assert repr(Even(error=1e-12)) == repr(Even())
    assert "law: even" in repr(Even().cdf([0.5]))


def uniform_draws(number, rng):
    return rng.random(number)


SIMULATED = Simulated(uniform_draws, (0, 1), about="even", cost=1, rng=0)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda: Even().quantile([0.5, 1.5]), ValueError, r"`probabilities` must be from 0 to 1; got 1.5 at place 1\."),
        (lambda: Even().cdf("0.5"), TypeError, "`values` must be a number or one row of numbers"),
        (lambda: Even().cdf([[0.5]]), ValueError, "`values` must be a number or one row of numbers; got float64 with 2 dims"),
        (lambda: Even().atoms(), ValueError, "The atoms of this law are not listed"),
        (lambda: SIMULATED.atoms(), ValueError, "The atoms of this law are not listed"),
        (lambda: SIMULATED.density(0.5), ValueError, "A simulated law has no density, only sampled values"),
        (lambda: Atoms({1: 1}, 2).density(0.5), ValueError, "This law has no density, because it has atoms"),
        (lambda: Simulated(None, (0, 1), about="", cost=1, level=1), ValueError, "`level` must be between 0 and 1"),
        (lambda: check_cells(100_001), ValueError, "takes 100,001 cells .* the limit is 100,000.*`expected_cap`"),
    ],
)
def test_what_cannot_be_asked_is_refused(ask, error, message):
    with pytest.raises(error, match=message):
        ask()


# --- several releases -------------------------------------------------------------------------------------------------


def by_hand(law, releases, judged):
    """The exact law of a function of the values of several releases."""
    found = {(): Fraction(1)}
    for _ in range(releases):
        found = {(*values, value): p * q for values, p in found.items() for value, q in law.probabilities.items()}
    merged = defaultdict(Fraction)
    for values, p in found.items():
        merged[judged(values)] += p
    return dict(sorted(merged.items()))


@pytest.mark.parametrize("case", LISTED)
@pytest.mark.parametrize("releases", [1, 2, 3])
def test_mean_and_greatest_of_few_values_are_exact(case, releases):
    o, model, told = CASES[case]
    law = cap_law(o, made(model, **told))
    if len(law.weights) ** releases > 20_000:
        releases = 2
    assert law.mean_of(releases).probabilities == by_hand(law, releases, lambda values: sum(values) / len(values))
    assert law.best_of(releases).probabilities == by_hand(law, releases, max)
    assert law.least_of(releases).probabilities == by_hand(law, releases, min)


@theorem
@given(st.dictionaries(st.integers(0, 12), st.integers(1, 5), min_size=1, max_size=5), st.integers(1, 4))
def test_the_bounds_of_the_greatest_and_of_the_least_hold_the_exact_law(weights, releases):
    exact = Atoms(weights, 12)
    of_atoms = {max: Law.best_of(exact, releases), min: Law.least_of(exact, releases)}
    for judged, own in of_atoms.items():
        expected = by_hand(exact, releases, judged)
        asked = [*map(float, expected), *np.linspace(-0.1, 1.1, 13)]
        held = [sum(p for value, p in expected.items() if float(value) <= x * (1 + 1e-12)) for x in asked]
        for law in (own, Extreme(exact, releases, least=judged is min)):  # the second as of any law
            found = law.cdf(asked)
            for share, lower, upper in zip(held, found.least.values, found.greatest.values, strict=True):
                assert lower <= share <= upper
                assert upper - lower < 1e-13


def test_the_mean_of_values_that_are_too_many_is_simulated():
    """One key in the limit: CAP is uniform from 1/4 to 3/4; the greatest of two has P(X <= x) = (2 x - 1/2)^2, and mean 7/12."""
    law = cap_law([[3], [1]], Uniform()).best_of(2).mean_of(3, rng=0)
    assert isinstance(law, Simulated)
    assert law.values.mean() == pytest.approx(7 / 12, abs=4 * np.sqrt(1 / 72 / 3 / 20_000))
    assert law.values.var() == pytest.approx(1 / 72 / 3, rel=0.05)
    steps = Atoms({2**k: 1 for k in range(19)}, 2**18, about="19 values")  # all sums are different
    six = steps.mean_of(6, rng=0)
    assert "mean of 6 releases (19 values); 20,000 simulated releases, 95 % interval" in repr(six)
    mean = sum(2**k for k in range(19)) / 19 / 2**18
    assert six.values.mean() == pytest.approx(mean, abs=4 * six.values.std() / np.sqrt(20_000))


def test_a_simulated_mean_has_the_seed_and_the_level_that_it_is_given():
    law = cap_law([[3], [1]], Uniform()).best_of(2)
    one, again, other = (law.mean_of(2, rng=rng, level=0.9) for rng in (0, 0, 1))
    assert one.values.tolist() == again.values.tolist() != other.values.tolist()
    assert "90 % interval" in other.about


def test_the_greatest_is_never_below_the_mean_of_the_same_releases():
    """So it has the smaller distribution function: one page of theory/law.md#several-releases."""
    law = cap_law([[2, 0, 1], [0, 1, 1]], Uniform(4))
    values = np.linspace(0, 1, 50)
    assert (law.best_of(3).cdf(values).least <= law.mean_of(3, rng=0).cdf(values).greatest + 1e-15).all()


def test_laws_of_one_value_and_bad_numbers_of_releases():
    law = cap_law([[1], [1]], Uniform(3))
    assert law.mean_of(5).probabilities == {Fraction(1, 2): 1}
    assert Law.mean_of(law, 5).values.tolist() == [0.5] * 20_000
    assert "greatest of 2 releases (Uniform(m=3); all releases)" in repr(law.best_of(2))
    assert "least of 2 releases (Uniform(m=3); all releases)" in repr(law.least_of(2))
    for wrong in (0, 1.5, True, None):
        with pytest.raises(ValueError, match="`releases` must be a number of releases"):
            law.mean_of(wrong)
    with pytest.raises(ValueError, match="takes 1,000,000 cells of simulated releases, and the limit is 100,000"):
        Law.mean_of(law, 10**6)


# --- a simulated law -------------------------------------------------------------------------------------------------


def test_clopper_and_pearson_is_the_interval_of_binomial_tails():
    """At its ends the probability of that many events, or more extreme, is half of what the level leaves."""
    from scipy.stats import binom

    lower, upper = clopper_pearson(np.array([0, 3, 50]), 50, 0.9)
    assert (lower[0], upper[2]) == (0, 1)
    assert binom.sf(2, 50, lower[1]) == pytest.approx(0.05, rel=1e-9)
    assert binom.cdf(3, 50, upper[1]) == pytest.approx(0.05, rel=1e-9)
    assert lower[2] == pytest.approx(0.05 ** (1 / 50), rel=1e-12)


def test_quantiles_of_a_simulated_law_are_order_statistics():
    """X_(l) and X_(u), where l is the greatest number with P(B < l) at most half of what the level leaves, u the least with P(B >= u)."""
    from scipy.stats import binom

    law = Simulated(uniform_draws, (0, 1), about="even", cost=10**4, rng=0)
    p = np.array([0.001, 0.05, 0.3, 0.5, 0.95, 0.999])
    number = len(law.values)
    assert number == BUDGET // 10**4
    found = law.quantile(p)
    held = np.array([0.0, *law.values, 1.0])  # ranks from 1; before and after them the ends of the support
    ranks = np.arange(number + 2)
    for i, chance in enumerate(p):
        least = ranks[binom.cdf(ranks - 1, number, chance) <= 0.025].max()
        greatest = ranks[binom.sf(ranks - 1, number, chance) <= 0.025].min()
        assert found.least.values[i] == pytest.approx(held[least], abs=1e-9)
        assert found.greatest.values[i] == pytest.approx(held[greatest], abs=1e-9)


def test_a_simulated_law_prints_intervals():
    assert repr(SIMULATED).startswith("Law of average CAP (even; 20,000 simulated releases, 95 % interval)\nfrom 0 to 1; median [0.4")
    assert "95 % interval" in SIMULATED.cdf([0.5]).attrs["law"]
    check_cells(100_000)


def test_the_quantile_of_0_is_between_the_least_value_that_is_possible_and_the_least_that_was_drawn():
    """The least average CAP of any release may be below the least one of the model; the greatest of several values has the same least."""
    law = Simulated(lambda number, rng: rng.uniform(0.3, 0.4, number), (0, 1), about="narrow", cost=10**4)
    for found in (law.quantile(0), law.best_of(2).quantile(0)):
        assert found.least == 0
        assert 0.3 <= found.greatest == pytest.approx(law.values[0])


def test_an_interval_covers_the_exact_number_at_its_level():
    """400 laws of 200 values: at each point the share of intervals that hold the exact number is at least the level, up to 4 errors."""
    level, laws = 0.9, 400
    p = np.array([0.05, 0.25, 0.5, 0.9])
    of_cdf, of_quantile = np.zeros(4), np.zeros(4)
    for seed in range(laws):
        law = Simulated(uniform_draws, (0, 1), about="", cost=BUDGET // 200, rng=seed, level=level)
        for held, found in ((of_cdf, law.cdf(p)), (of_quantile, law.quantile(p))):
            held += (found.least.values <= p) & (p <= found.greatest.values)
    least = level - 4 * np.sqrt(level * (1 - level) / laws)
    assert (of_cdf / laws >= least).all()
    assert (of_quantile / laws >= least).all()
    assert (of_cdf / laws < 0.97).all()  # and it is not much more


@pytest.mark.parametrize("name", OF_SCIPY)
def test_a_method_of_scipy_is_answered_with_what_there_is_here(name):
    law = cap_law([[2, 1], [1, 3]], Bootstrap(10))
    with pytest.raises(AttributeError, match=f"has no attribute '{name}'. Use ") as raised:
        getattr(law, name)
    called = re.findall(r"`(\w+)", str(raised.value))
    assert all(hasattr(law, x) or hasattr(capstats.laws, x) or hasattr(capstats, x) for x in called)
    with pytest.raises(AttributeError, match=r"has no attribute 'ppg'\.$"):
        law.ppg  # noqa: B018
    assert pickle.loads(pickle.dumps(law)).cdf(0.5).equals(law.cdf(0.5))
