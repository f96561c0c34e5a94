"""The parameter for a wanted expected CAP: the paper's tables, one of several answers, and what cannot be reached."""

from fractions import Fraction

import numpy as np
import pytest
import sparse
import xarray as xr
from every_release import average_cap, class_of, rows
from hypothesis import given
from hypothesis import strategies as st
from strategies import count_tables, theorem

import capstats
from capstats.datasets import paper_originals
from capstats.laws import Dirichlet, Partial, Pram, Swap, Uniform, calibrate, expected_cap

PARAMETER = {"pram": "theta", "swap": "records", "partial": "alpha", "dirichlet": "alpha"}
TWO_ANSWERS = [[0, 5], [1, 8]]


def original(name):
    return paper_originals().sel(original=name, drop=True)


def exact_cap(o):
    """CAP(O) and the marginal baseline, in fractions."""
    o = rows(o)
    return average_cap(o, o), sum(Fraction(sum(row), sum(map(sum, o))) ** 2 for row in o)


def test_the_values_of_o_3_for_a_risk_of_42_per_cent():
    o, risk = original("O_3"), Fraction(42, 100)
    cap, b = exact_cap(o.values)
    theta = (cap - risk) / (cap - b)
    assert calibrate(o, Pram, risk=0.42).theta.item() == pytest.approx(float(theta), rel=1e-12)
    found = calibrate(o, Swap, risk=0.42)
    assert found.records.item() == -(-(1 + 899 * theta) // 1) == 463
    assert found.expected_cap.item() <= 0.42 < expected_cap(o, Swap(records=462)).item()


@theorem
@given(count_tables(), st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100))
def test_the_answer_is_the_exact_one(o, part):
    """The wanted risk is a part of the way from the least to the greatest."""
    cap, b = exact_cap(o)
    if cap > b:
        risk = float(b + part * (cap - b))
        exact = (cap - Fraction(risk)) / (cap - b)
        found = calibrate(o, Pram, risk=risk)
        assert found.theta.item() == pytest.approx(float(exact), rel=1e-9, abs=1e-11)
        records = calibrate(o, Swap, risk=risk).records.item()
        assert 2 <= records <= o.sum()
        assert expected_cap(o, Swap(records=records)).item() <= risk * (1 + 1e-12)
        assert records == 2 or expected_cap(o, Swap(records=records - 1)).item() >= risk * (1 - 1e-12)
    even = Fraction(1, len(o))
    if cap > even:
        risk = float(even + part * (cap - even))
        alpha = calibrate(o, Partial, risk=risk).alpha.item()
        assert expected_cap(o, Partial(alpha=alpha)).item() == pytest.approx(risk, rel=1e-12)


@theorem
@given(count_tables(3, 4), st.integers(1, 12), st.floats(0.05, 0.95))
def test_it_is_the_smallest_alpha_of_a_grid_at_which_the_wanted_mean_is_crossed(o, m, part):
    alphas = np.concatenate([[0], np.geomspace(1e-3, 1e3, 60)])
    means = np.array([expected_cap(o, Dirichlet(m, alpha=alpha)).item() for alpha in alphas])
    if np.ptp(means) < 1e-6:
        return
    risk = means.min() + part * np.ptp(means)
    found = calibrate(o, Dirichlet, risk=risk, m=m)
    assert found.expected_cap.item() == pytest.approx(risk, rel=1e-9)
    first = np.flatnonzero(np.diff(np.sign(means - risk)))[0]
    assert found.alpha.item() <= alphas[first + 1]
    assert found.least.item() <= means.min() + 1e-4
    assert found.greatest.item() >= means.max() - 1e-4


def test_of_two_answers_of_saturated_synthesis_the_smaller_is_given():
    found = calibrate(TWO_ANSWERS, Dirichlet, risk=0.521, m=10)
    assert found.alpha.item() == pytest.approx(0.1563, abs=5e-5)
    for alpha in (found.alpha.item(), 1.9471):
        assert expected_cap(TWO_ANSWERS, Dirichlet(10, alpha=alpha)).item() == pytest.approx(0.521, abs=1e-6)
    assert found.greatest.item() == pytest.approx(0.5223, abs=5e-5)
    assert found.least.item() == pytest.approx((1 - 0.5**10) / 2, rel=1e-6)


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
    for model, m in [("swap", None), ("partial", None)]:
        with pytest.raises(ValueError, match="`o` must hold integers"):
            calibrate(o * 0.5, class_of(model), risk=0.46, m=m)


def test_the_result_prints_as_a_table():
    text = repr(calibrate(original("O_3"), Swap, risk=0.42))
    assert text.startswith("Calibration of Swap")
    assert "records          463" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"model": "pram", "risk": 0.3},
            "No theta has the expected CAP 0.3; it can be chosen between 0.5408163265 and 0.5604395604. Choose `risk` there",
        ),
        ({"model": "swap", "risk": 0.9}, "No number of swapped records has the expected CAP 0.9; it can be chosen between 0.540816"),
        ({"model": "partial", "risk": 0.5}, "No alpha has the expected CAP 0.5; it can be chosen between 0.50000000"),
        ({"model": "dirichlet", "risk": 0.6, "m": 10}, "No alpha has the expected CAP 0.6; it can be chosen between 0.49951"),
        ({"model": "pram", "risk": 0.5, "o": [[1, 1], [1, 1]]}, "Every theta has the same expected CAP, 0.5: there is nothing to choose"),
        ({"model": "partial", "risk": 0.5, "o": [[1, 1], [1, 1]]}, "Every alpha has the same expected CAP, 0.5"),
        ({"model": "dirichlet", "risk": 0.5, "o": [[4]], "m": 3}, "Every alpha has the same expected CAP, 1"),
        ({"model": "pram", "risk": 1.0}, "`risk` must be a wanted expected CAP, between 0 and 1; got 1.0"),
        ({"model": "pram", "risk": "0.5"}, "`risk` must be a wanted expected CAP"),
        ({"model": "dirichlet", "risk": 0.5}, "`Dirichlet` needs `m`, the number of records of a release"),
        ({"model": "swap", "risk": 0.5, "m": 5}, "`m` does not belong to `Swap`, whose releases have the same number of records as `o`"),
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
