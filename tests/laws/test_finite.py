"""The law of average CAP over releases of finitely many records: that of every release, or bounds that hold it."""

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from every_release import average_cap as exact_cap
from every_release import every_release
from hypothesis import given
from hypothesis import strategies as st
from small_laws import CASES
from strategies import count_tables, theorem

import capstats
from capstats.laws import finite
from capstats.laws.atoms import Atoms
from capstats.laws.distribution import cap_law
from capstats.laws.grid import Grid

PAPER = capstats.datasets.paper_originals()
ORIGINALS = {str(name): PAPER.sel(original=name) for name in PAPER.original.values}


def law_of_every_release(o, model, told):
    """Exact probabilities of the values of average CAP, by listing the releases."""
    exact = {name: Fraction(value) if isinstance(value, float) else value for name, value in told.items()}
    found = defaultdict(Fraction)
    for table, probability in every_release(o, exact.pop("m", None), model=model, **exact).items():
        found[exact_cap(o, table)] += probability
    return dict(sorted(found.items()))


def below(law, x):
    return sum((p for value, p in law.items() if capstats.at_most(float(value), x)), Fraction(0))


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_law_is_that_of_every_release(case):
    o, model, told = CASES[case]
    law = cap_law(o, model=model, **told)
    assert isinstance(law, Atoms)
    assert law.probabilities == law_of_every_release(o, model, told)


@pytest.mark.parametrize("case", [i for i, (_, model, _) in enumerate(CASES) if model not in ("permutation", "swap")])
@pytest.mark.parametrize("finest", [4, 16, 64, 1 << 17])
def test_bounds_on_a_grid_hold_the_law(case, finest, monkeypatch):
    o, model, told = CASES[case]
    monkeypatch.setattr(finite, "FINEST", finest)
    monkeypatch.setattr(finite, "COARSEST", 2)
    monkeypatch.setattr(finite, "LISTED", 0)
    law = cap_law(o, model=model, **told)
    exact = law_of_every_release(o, model, told)
    assert isinstance(law, Grid)
    assert (law.least, law.greatest) == pytest.approx((float(min(exact)), float(max(exact))), abs=1e-15)
    values = [float(value) for value in exact]
    asked = np.array(sorted([*values, *np.linspace(0, 1, 23)]))
    found = law.cdf(asked)
    for x, lower, upper in zip(asked, found.lower.values, found.upper.values, strict=True):
        assert lower <= below(exact, x) <= upper
    if finest == 1 << 17:  # a multiple of all key totals: nothing is rounded
        assert (found.upper - found.lower).max() < 1e-9


@theorem
@given(
    count_tables(3, 3, most=4), st.integers(1, 3), st.sampled_from(["uniform", "bootstrap", "independent", "dirichlet"]), st.integers(4, 40)
)
def test_bounds_hold_the_law_of_any_small_table(o, m, model, finest):
    told = {"m": m, **({"alpha": 0.5} if model == "dirichlet" else {})}
    exact = law_of_every_release(o, model, told)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finite, "FINEST", finest)
        patch.setattr(finite, "COARSEST", 2)
        patch.setattr(finite, "LISTED", 0)
        law = cap_law(o, model=model, **told)
    found = law.cdf([float(value) for value in exact])
    for value, lower, upper in zip(exact, found.lower.values, found.upper.values, strict=True):
        assert lower <= below(exact, float(value)) <= upper


SHARES = {"O_1": 1.0, "O_2": 1.0, "O_3": 0.99556, "O_4": 0.99358}


@pytest.mark.parametrize("name", SHARES)
def test_a_release_of_chance_is_at_most_as_risky_as_the_original(name, monkeypatch):
    """P(CAP(S) <= CAP(O)) for 900 records. Two million simulated tables gave .99555 and .99352, each with a standard error of .00006."""
    monkeypatch.setattr(finite, "FINEST", 1 << 12)
    o = ORIGINALS[name]
    found = cap_law(o, 900).cdf(capstats.average_cap(o, o).item())
    assert found.upper - found.lower < 2e-4
    assert found.lower.item() <= SHARES[name] <= found.upper.item()


def kolmogorov_distance(law, values):
    """How far the share of values up to a point is outside the bounds of the law, at all values and between them."""
    values = np.sort(values)
    asked = np.unique(np.concatenate([values[::50], np.linspace(0, 1, 501)]))
    share = np.searchsorted(values, asked * (1 + 1e-12), side="right") / len(values)
    found = law.cdf(asked)
    return max((share - found.upper.values).max(), (found.lower.values - share).max())


@pytest.mark.parametrize("name", SHARES)
def test_a_simulation_agrees_with_the_law(name, monkeypatch):
    """100,000 tables of 900 records. By Massart's inequality the distance is greater once in a million times."""
    monkeypatch.setattr(finite, "FINEST", 1 << 11)
    o = ORIGINALS[name]
    values = capstats.average_cap(o, capstats.laws.sample_tables(o, 900, draws=100_000, rng=1)).values
    assert kolmogorov_distance(cap_law(o, 900), values) < np.sqrt(np.log(2 / 1e-6) / (2 * len(values)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("bootstrap", {"m": 900}),
        ("independent", {"m": 900}),
        ("dirichlet", {"m": 900, "alpha": 0.5}),
        ("partial", {"alpha": 0.5}),
        ("pram", {"theta": 0.3}),
    ],
)
@pytest.mark.parametrize("name", ["O_3", "O_4"])
def test_a_simulation_of_any_model_agrees_with_its_law(name, model, told, monkeypatch):
    monkeypatch.setattr(finite, "FINEST", 1 << 13)
    o = ORIGINALS[name]
    values = capstats.average_cap(o, capstats.laws.sample_tables(o, model=model, **told, draws=100_000, rng=1)).values
    assert kolmogorov_distance(cap_law(o, model=model, **told), values) < np.sqrt(np.log(2 / 1e-6) / (2 * len(values)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["O_3", "O_4"])
def test_this_probability_has_four_digits(name):
    o = ORIGINALS[name]
    found = cap_law(o, 900).cdf(capstats.average_cap(o, o).item())
    assert found.upper - found.lower < 2e-5
    assert round(found.lower.item(), 4) == round(found.upper.item(), 4) == round(SHARES[name], 4)


def test_chance_is_not_the_limit_of_many_records():
    """For 30 records P(CAP(S) <= CAP(O_3)) is .98457; its limit is .995823."""
    o = ORIGINALS["O_3"]
    found = cap_law(o, 30).cdf(capstats.average_cap(o, o).item())
    assert found.lower.item() == pytest.approx(0.984573, abs=1e-5)
    assert found.upper - found.lower < 1e-5


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_values_have_the_mean_and_the_variance_of_the_model(case):
    o, model, told = CASES[case]
    law = cap_law(o, model=model, **told).probabilities
    mean = sum(value * p for value, p in law.items())
    variance = sum((value - mean) ** 2 * p for value, p in law.items())
    assert capstats.laws.expected_cap(o, model=model, **told).item() == pytest.approx(float(mean), rel=1e-12)
    assert capstats.laws.variance_cap(o, model=model, **told).item() == pytest.approx(float(variance), rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        ("uniform", {"m": 400}),
        ("bootstrap", {"m": 400}),
        ("independent", {"m": 400}),
        ("dirichlet", {"m": 400, "alpha": 0.5}),
        ("partial", {"alpha": 0.5}),
        ("pram", {"theta": 0.3}),
    ],
)
@pytest.mark.parametrize("name", ["O_3", "O_4"])
def test_bounds_hold_the_mean_and_almost_the_variance(name, model, told, monkeypatch):
    """A mean is the integral of 1 - F; the variance follows from that of x (1 - F)."""
    monkeypatch.setattr(finite, "FINEST", 1 << 12)
    o = ORIGINALS[name]
    x = (np.arange(20_000) + 0.5) / 20_000
    found = cap_law(o, model=model, **told).cdf(x)
    most, least = ((1 - side.values).mean() for side in (found.lower, found.upper))
    mean = capstats.laws.expected_cap(o, model=model, **told).item()
    assert least - 1e-4 <= mean <= most + 1e-4
    middle = (found.lower.values + found.upper.values) / 2
    deviation = np.sqrt((2 * x * (1 - middle)).mean() - (1 - middle).mean() ** 2)
    assert deviation == pytest.approx(np.sqrt(capstats.laws.variance_cap(o, model=model, **told).item()), rel=0.01)


def test_by_hand_one_record_in_a_table_of_two_cells():
    """CAP is 3/4 or 1/4 with the record in the one or in the other cell."""
    found = cap_law([[3], [1]], 1).atoms()
    assert (found.value.values.tolist(), found.probability.values.tolist()) == ([0.25, 0.75], [0.5, 0.5])


def test_equal_keys_and_unused_keys_are_no_trouble(monkeypatch):
    monkeypatch.setattr(finite, "FINEST", 1 << 12)
    o = np.array([[3, 3, 0, 3], [1, 1, 0, 1], [2, 2, 0, 2]])
    one, other = cap_law(o, 40), cap_law(o[[2, 0, 1]][:, [2, 0, 1, 3]], 40)
    assert isinstance(one, Grid)
    for side in ("lower", "upper"):
        assert one.cdf([0.2, 0.3, 0.4])[side].values == pytest.approx(other.cdf([0.2, 0.3, 0.4])[side].values, abs=1e-9)
    kept = cap_law(o, model="partial", alpha=0)
    assert kept.cdf(0.4).lower.item() <= kept.cdf(0.4).upper.item()


def test_what_is_out_of_reach_is_refused_with_what_would_work():
    with pytest.raises(ValueError, match=r'The law of the model "swap" is given for few tables only.*`expected_cap`'):
        cap_law(ORIGINALS["O_3"], model="swap", swapped=400)
    with pytest.raises(ValueError, match=r"out of reach for this table and number of records. `cap_tail_bound`"):
        cap_law(ORIGINALS["O_3"], 10**6)
    with pytest.raises(ValueError, match=r"out of reach"):
        cap_law(np.arange(400).reshape(4, 100) ** 2, model="partial", alpha=1)
    with pytest.raises(ValueError, match="`o` must hold integers for the law"):
        cap_law([[0.5], [1.5]], 3)
    with pytest.raises(ValueError, match="`swapped` must be at most the number of records of `o`, 4; got 5"):
        cap_law([[3], [1]], model="swap", swapped=5)
    with pytest.raises(ValueError, match="Choose one table"):
        cap_law([[3], [1]], model="permutation", s=[[[3], [1]], [[1], [3]]])


def test_both_backings_have_one_law():
    import sparse
    import xarray as xr

    o = xr.DataArray([[2, 0, 1], [0, 1, 1]], dims=("target", "key"))
    held = o.copy(data=sparse.COO.from_numpy(o.values))
    assert cap_law(held, 3).probabilities == cap_law(o, 3).probabilities
