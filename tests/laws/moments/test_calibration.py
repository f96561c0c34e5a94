"""The parameter for a wanted expected CAP: the paper's tables, brackets, several answers, and what cannot be reached."""

from fractions import Fraction

import numpy as np
import pytest
import sparse
import xarray as xr
from every_release import class_of, made
from hypothesis import given
from hypothesis import strategies as st
from strategies import count_tables, theorem

import capstats
from capstats.datasets import anes96, paper_originals
from capstats.laws import Dirichlet, Partial, Pram, Swap, Uniform, calibrate, expected_cap, sample_tables, variance_cap
from capstats.laws.moments.calibration import FINEST, WITHIN, Saturated, brackets, extremes

PARAMETER = {"pram": "theta", "swap": "records", "partial": "alpha", "dirichlet": "alpha"}
TWO_ANSWERS = [[0, 5], [1, 8]]


def original(name):
    return paper_originals().sel(original=name, drop=True)


def exact_cap(o):
    """CAP(O) and the marginal baseline, in fractions."""
    o = np.asarray(o).tolist()
    n = sum(map(sum, o))
    keys = [column for column in zip(*o, strict=True) if sum(column)]
    cap = sum((Fraction(sum(x * x for x in column), sum(column)) for column in keys), Fraction(0)) / n
    return cap, sum(Fraction(sum(row), n) ** 2 for row in o)


def test_the_values_of_o_3_for_a_risk_of_42_per_cent():
    o, risk = original("O_3"), Fraction(42, 100)
    cap, b = exact_cap(o.values)
    theta = (cap - risk) / (cap - b)
    assert calibrate(o, Pram, risk=0.42).theta.item() == pytest.approx(float(theta), rel=1e-12)
    found = calibrate(o, Swap, risk=0.42)
    assert found.records.item() == -(-(1 + 899 * theta) // 1) == 463
    assert found.at_lower.item() > 0.42 >= found.at_upper.item() == found.expected_cap.item()


@pytest.mark.slow
@theorem
@given(count_tables(), st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100))
def test_the_bracket_of_one_answer_holds_the_exact_one(o, part):
    """The wanted risk is a part of the way from the least to the greatest."""
    cap, b = exact_cap(o)
    n = int(o.sum())
    if cap > b:
        risk = float(b + part * (cap - b))
        exact = (cap - Fraction(risk)) / (cap - b)
        found = calibrate(o, Pram, risk=risk)
        assert found.lower.item() <= exact <= found.upper.item()
        assert found.upper.item() - found.lower.item() < 1e-10 / float(cap - b)
        assert found.theta.item() == pytest.approx(float(exact), rel=1e-9, abs=1e-11)
        found = calibrate(o, Swap, risk=risk)
        assert found.lower.item() == found.records.item() - 1
        assert found.at_upper.item() <= risk * (1 + 1e-12)
        assert found.at_lower.item() >= risk * (1 - 1e-12) or found.at_lower.item() > found.at_upper.item()
        assert found.upper.item() <= n
    even = Fraction(1, len(o))
    if cap > even:
        risk = float(even + part * (cap - even))
        found = calibrate(o, Partial, risk=risk)
        assert found.at_lower.item() >= risk >= found.at_upper.item()
        assert found.lower.item() <= found.alpha.item() <= found.upper.item()
        assert found.expected_cap.item() == pytest.approx(risk, rel=1e-12)


@pytest.mark.slow
@theorem
@given(count_tables(3, 4), st.integers(1, 12), st.floats(0.05, 0.95))
def test_every_alpha_of_a_grid_on_which_the_wanted_mean_is_crossed_is_in_a_bracket(o, m, part):
    alphas = np.concatenate([[0], np.geomspace(1e-3, 1e3, 60)])
    means = np.array([expected_cap(o, Dirichlet(m, alpha=alpha)).item() for alpha in alphas])
    if np.ptp(means) < 1e-6:
        return
    risk = means.min() + part * np.ptp(means)
    found = calibrate(o, Dirichlet, risk=risk, m=m)
    assert found.expected_cap.values == pytest.approx(risk, rel=1e-9)
    crossed = np.flatnonzero(np.diff(np.sign(means - risk)))
    for k in crossed:
        assert ((found.lower <= alphas[k + 1]) & (alphas[k] <= found.upper)).any()
    assert found.least.item() <= means.min() + 1e-6
    assert found.greatest.item() >= means.max() - 1e-6


def test_saturated_synthesis_may_have_two_answers():
    found = calibrate(TWO_ANSWERS, Dirichlet, risk=0.521, m=10)
    assert found.crossing.values.tolist() == [True, True]
    assert (found.upper - found.lower < 1e-8).all()
    for alpha in found.alpha.values:
        assert expected_cap(TWO_ANSWERS, Dirichlet(10, alpha=alpha)).item() == pytest.approx(0.521, rel=1e-9)
    assert found.greatest.item() == pytest.approx(0.522309, abs=1e-6)
    assert found.least.item() == pytest.approx((1 - 0.5**10) / 2, rel=1e-12)


@pytest.mark.slow
def test_a_mean_that_is_touched_is_bracketed_without_a_promise():
    greatest = calibrate(TWO_ANSWERS, Dirichlet, risk=0.52, m=10).greatest.item()
    found = calibrate(TWO_ANSWERS, Dirichlet, risk=greatest, m=10)
    assert found.expected_cap.values == pytest.approx(greatest, abs=1e-9)


def test_a_risk_of_the_original_needs_no_change():
    o = original("O_3")
    own = capstats.average_cap(o, o).item()
    assert calibrate(o, Swap, risk=own).records.item() == 0
    for model in ("pram", "partial"):
        assert calibrate(o, class_of(model), risk=own)[PARAMETER[model]].item() == pytest.approx(0, abs=1e-9)
    b = capstats.baseline_cap(o).item()
    assert calibrate(o, Swap, risk=b).records.item() == 900
    assert calibrate(o, Pram, risk=b).theta.item() == pytest.approx(1, rel=1e-12)


def test_backings_agree_and_weights_have_a_theta():
    o = original("O_4")
    held = xr.DataArray(sparse.COO.from_numpy(o.values), dims=("target", "key"))
    for model, m in [("pram", None), ("swap", None), ("partial", None), ("dirichlet", 900)]:
        found, same = (calibrate(table, class_of(model), risk=0.46, m=m) for table in (o, held))
        np.testing.assert_allclose(found[PARAMETER[model]], same[PARAMETER[model]], rtol=1e-10)
    assert calibrate(o * 0.5, Pram, risk=0.46).theta.item() == pytest.approx(calibrate(o, Pram, risk=0.46).theta.item())
    for model, m in [("swap", None), ("partial", None), ("dirichlet", 9)]:
        with pytest.raises(ValueError, match="`o` must hold integers"):
            calibrate(o * 0.5, class_of(model), risk=0.46, m=m)


@pytest.mark.parametrize(("model", "m"), [("pram", None), ("swap", None), ("partial", None), ("dirichlet", 944)])
def test_drawn_tables_have_the_wanted_average_cap(model, m):
    """The vote in 1996 by schooling and party: 944 records. 2,000 releases with the calibrated parameter, a z-test of their mean."""
    o = capstats.tabulate(anes96(), keys=["educ", "PID"], target="vote").o
    found = calibrate(o, class_of(model), risk=0.75, m=m)
    told = {PARAMETER[model]: found[PARAMETER[model]].values.ravel()[0].item()}
    caps = capstats.average_cap(o, sample_tables(o, made(model, m, **told), draws=2000, rng=7)).values
    deviation = np.sqrt(variance_cap(o, made(model, m, **told)).item())
    wanted = found.expected_cap.item() if model == "swap" else 0.75
    assert abs(caps.mean() - wanted) < 4 * deviation / np.sqrt(2000)
    assert caps.std() == pytest.approx(deviation, rel=0.1)
    assert found.least.item() < 0.75 < found.greatest.item()


def test_the_result_prints_as_a_table():
    text = repr(calibrate(original("O_3"), Swap, risk=0.42))
    assert text.startswith("Calibration of Swap")
    assert "records          463" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"model": "pram", "risk": 0.3},
            "No theta has the expected CAP 0.3; it can be chosen from 0.540816 to 0.56044. Choose `risk` there",
        ),
        ({"model": "swap", "risk": 0.9}, "No number of swapped records has the expected CAP 0.9; it can be chosen from 0.540816"),
        ({"model": "partial", "risk": 0.5}, "No alpha has the expected CAP 0.5; it can be chosen from above 0.5 to 0.56044"),
        ({"model": "dirichlet", "risk": 0.6, "m": 10}, "No alpha has the expected CAP 0.6; it can be chosen from 0.499512 to 0.522309"),
        ({"model": "pram", "risk": 0.5, "o": [[1, 1], [1, 1]]}, "Every theta has the same expected CAP, 0.5: there is nothing to choose"),
        ({"model": "partial", "risk": 0.5, "o": [[1, 1], [1, 1]]}, "Every alpha has the same expected CAP, 0.5"),
        ({"model": "dirichlet", "risk": 0.5, "o": [[4]], "m": 3}, "Every alpha has the same expected CAP, 1"),
        ({"model": "pram", "risk": 1.0}, "`risk` must be a wanted expected CAP, between 0 and 1; got 1.0"),
        ({"model": "pram", "risk": "0.5"}, "`risk` must be a wanted expected CAP"),
        ({"model": "dirichlet", "risk": 0.5}, "`Dirichlet` needs `m`, the number of records of a release"),
        ({"model": "swap", "risk": 0.5, "m": 5}, "`m` does not belong to `Swap`, whose releases have as many records as `o`"),
        ({"model": "pram", "risk": 0.5, "o": [[0]]}, "`o` holds no record"),
        ({"model": "pram", "risk": 0.5, "o": [[[1, 2]], [[2, 1]]]}, "`o` must be one table of .*Choose one table"),
    ],
)
def test_what_cannot_be_calibrated_is_refused(options, message):
    given = {"o": TWO_ANSWERS} | options
    with pytest.raises(ValueError, match=message):
        calibrate(given.pop("o"), class_of(given.pop("model")), **given)


@pytest.mark.parametrize("model", ["pram", Pram(theta=0), Uniform, None])
def test_what_is_no_class_with_a_parameter_to_choose_is_refused(model):
    with pytest.raises(TypeError, match=r"must be a class of models with a parameter to choose, laws\.Pram, laws\.Swap, "):
        calibrate(TWO_ANSWERS, model, risk=0.5)


# --- The mean under saturated synthesis as a function of alpha: its value, its bounds on intervals, its limit ---


def saturated(o, m):
    o = np.asarray(o)
    return Saturated(m, len(o), o.sum(0), (o.astype(float) ** 2).sum(0))


@pytest.mark.slow
@theorem
@given(count_tables(), st.integers(1, 30), st.floats(0, 0.999))
def test_it_is_the_expected_cap_of_the_model(o, m, u):
    mean = saturated(o, m)
    alpha = float(mean.alpha(np.array(u)))
    assert mean.expected(np.array([u])).item() == pytest.approx(expected_cap(o, Dirichlet(m, alpha=alpha)).item(), rel=1e-12)


@pytest.mark.slow
@theorem
@given(count_tables(most=12), st.integers(1, 40), st.integers(0, 99))
def test_bounds_hold_every_value_of_the_interval(o, m, seed):
    mean, rng = saturated(o, m), np.random.default_rng(seed)
    lower, upper = np.sort(np.append(rng.random((40, 2)), [[0, 1], [0, 0.01], [0.99, 1]], axis=0), axis=1).T
    below, above = mean.bounds(lower, upper)
    for part in np.linspace(0, 1, 9):
        values = mean.expected(lower + part * (upper - lower))
        assert (below <= values * (1 + 1e-13)).all()
        assert (values <= above * (1 + 1e-13)).all()


@theorem
@given(count_tables(), st.integers(1, 10))
def test_bounds_of_short_intervals_are_close(o, m):
    mean = saturated(o, m)
    lower = np.linspace(0, 1, 50)[:-1]
    below, above = mean.bounds(lower, lower + 1e-9)
    assert (above - below < 1e-6).all()


def test_the_limit_of_large_alpha_is_that_of_uniform_cells():
    """1/I times the probability that a key is in m records that fall into the keys like dice."""
    o, m = [[5, 1, 0], [0, 2, 1]], 4
    assert saturated(o, m).expected(np.array([1.0])).item() == pytest.approx((1 - (2 / 3) ** 4) / 2, rel=1e-14)


def test_keys_of_one_size_are_grouped():
    mean = saturated([[1, 0, 2, 0], [0, 1, 0, 0]], 3)
    assert mean.records.tolist() == [1, 2]
    assert mean.number.tolist() == [2, 1]
    assert mean.squares.tolist() == [2, 4]
    assert (mean.total, mean.keys, mean.scale) == (4, 4, 0.5)


# --- Every root of a function lies in a bracket, and extremes are found ---


def of_lipschitz(function, constant):
    def bounds(lower, upper):
        middle, reach = function((lower + upper) / 2), constant * (upper - lower) / 2
        return middle - reach, middle + reach

    return bounds


def wave(u):
    return np.sin(7 * u) + u


WAVE = of_lipschitz(wave, 8.0)


def test_every_root_is_in_a_bracket():
    """sin 7u + u = 1/2 at three places, found by a fine grid."""
    lower, upper = brackets(WAVE, 0.5)
    grid = np.linspace(0, 1, 10**6 + 1)
    changes = grid[:-1][np.diff(np.sign(wave(grid) - 0.5)) != 0]
    assert len(changes) == len(lower) == 3
    assert (np.abs(lower - changes) < 2e-6).all()
    assert ((wave(lower) - 0.5) * (wave(upper) - 0.5) < 0).all()
    assert (upper - lower < 100 * FINEST).all()


@theorem
@given(st.lists(st.floats(0, 1), min_size=1, max_size=3, unique=True))
def test_roots_that_are_given_are_held(roots):
    def product(u):
        return np.prod([u - root for root in roots], axis=0)

    lower, upper = brackets(of_lipschitz(product, 3.0), 0.0)
    for root in roots:
        assert ((lower <= root) & (root <= upper)).any()
    assert (lower[1:] > upper[:-1]).all()


def test_nothing_is_found_where_the_value_is_not_reached():
    lower, upper = brackets(WAVE, 5.0)
    assert len(lower) == len(upper) == 0


def test_a_function_that_is_the_wanted_value_everywhere_ends_in_one_bracket():
    lower, upper = brackets(of_lipschitz(np.zeros_like, 0.0), 0.0)
    assert (lower.tolist(), upper.tolist()) == ([0.0], [1.0])


def test_extremes_are_those_of_a_fine_grid():
    values = wave(np.linspace(0, 1, 10**6 + 1))
    least, greatest = extremes(WAVE, wave)
    assert least == pytest.approx(values.min(), abs=WITHIN)
    assert greatest == pytest.approx(values.max(), abs=WITHIN)
