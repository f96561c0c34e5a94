"""What a synthesis model must be told, and the oracle that enumerates its releases."""

from fractions import Fraction

import numpy as np
import pytest
import xarray as xr
from every_release import average_cap, every_release, moments

from capstats.laws import (
    cap_law,
    cap_tail_bound,
    dp_mechanism,
    expected_cap,
    expected_cap_bounds,
    protected_law,
    sample_tables,
    variance_cap,
)
from capstats.laws.models import Synthesis

ORIGINAL = [[2, 1], [0, 1]]
EVERY_MODEL = [
    ("uniform", {"m": 3}),
    ("bootstrap", {"m": 3}),
    ("independent", {"m": 3}),
    ("dirichlet", {"m": 3, "alpha": Fraction(1, 2)}),
    ("permutation", {"s": [[1, 1], [1, 0]]}),
    ("partial", {"alpha": Fraction(1)}),
    ("pram", {"theta": Fraction(1, 3)}),
    ("pram", {"matrix": [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 2), Fraction(1, 2)]]}),
    ("swap", {"swapped": 2}),
]


@pytest.mark.parametrize(("model", "told"), EVERY_MODEL)
def test_the_probabilities_of_all_releases_add_up_to_one(model, told):
    assert sum(every_release(ORIGINAL, model=model, **told).values()) == 1


def test_a_permutation_of_three_records_by_hand():
    # the targets a, a, b over the keys 0, 0, 1: b is in key 1 with probability 1/3, otherwise the keys are {a, b} and {a}
    releases = every_release(ORIGINAL, model="permutation", s=[[1, 1], [1, 0]])
    assert releases == {((2, 0), (0, 1)): Fraction(1, 3), ((1, 1), (1, 0)): Fraction(2, 3)}
    # average CAP: (2 + 1) / 4 and (1 + 1) / 4
    assert moments(releases, lambda s: average_cap(ORIGINAL, s)) == (Fraction(7, 12), Fraction(1, 72))


@pytest.mark.parametrize(("model", "told"), EVERY_MODEL)
def test_a_model_is_told_what_it_needs_and_nothing_else(model, told):
    assert Synthesis.of(model, **told).model == model
    name = next(iter(told))
    with pytest.raises(ValueError, match=f'The model "{model}" needs .*`{name}`'):
        Synthesis.of(model, **{key: value for key, value in told.items() if key != name})
    other = "swapped" if model != "swap" else "alpha"
    with pytest.raises(ValueError, match=f'`{other}` does not belong to the model "{model}"'):
        Synthesis.of(model, **told, **{other: 1})


def test_the_limit_of_many_records_has_no_m():
    assert Synthesis.of("uniform", limit=True).m is None
    with pytest.raises(ValueError, match='`m` does not belong to the model "partial": its releases have as many records as `o`'):
        Synthesis.of("partial", m=3, alpha=1)


def test_pram_takes_a_matrix_or_a_share_but_not_both():
    with pytest.raises(ValueError, match="needs `matrix` or `theta`; give one of them"):
        Synthesis.of("pram", matrix=[[1.0]], theta=0.5)


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"model": "random"}, "`model` must be one of 'uniform', .*; got 'random'"),
        ({"model": "uniform", "m": 0}, "`m` must be a number of synthetic records"),
        ({"model": "partial", "alpha": -1}, "`alpha` must be a number from 0, added to every cell; got -1"),
        ({"model": "partial", "alpha": "1"}, "`alpha` must be a number from 0, added to every cell; got '1'"),
        ({"model": "pram", "theta": 1.5}, "`theta` must be a share of redrawn targets, from 0 to 1; got 1.5"),
        ({"model": "swap", "swapped": 2.5}, "`swapped` must be a number of records, an integer from 0; got 2.5"),
        ({"model": "pram", "matrix": [[1, 0]]}, r"`matrix` must be square, .*; its shape is \(1, 2\)"),
        ({"model": "pram", "matrix": [[-1, 2], [0, 1]]}, "`matrix` must hold probabilities"),
        ({"model": "pram", "matrix": [[1, 0], [0.5, 0.4]]}, "row 1 sums to 0.9"),
    ],
)
def test_what_a_model_cannot_be_told_is_refused(told, message):
    with pytest.raises(ValueError, match=message):
        Synthesis.of(told.pop("model"), **told)


def labelled(values, targets):
    return xr.DataArray(values, {"target": targets}, ("target", "key"))


def test_a_labelled_matrix_takes_the_order_of_the_targets_of_the_original():
    o, other = labelled([[20, 5], [30, 45]], ["a", "b"]), labelled([[30, 45], [20, 5]], ["b", "a"])
    matrix = [[0.9, 0.1], [0.3, 0.7]]
    turned = xr.DataArray([[0.7, 0.3], [0.1, 0.9]], {"target": ["b", "a"]}, ("target", "released"))  # columns in the order of the rows
    half = xr.DataArray([[0.3, 0.7], [0.9, 0.1]], {"target": ["b", "a"], "released": ["a", "b"]}, ("target", "released"))
    for found in (turned, half, turned.T):
        assert float(expected_cap(o, model="pram", matrix=found)) == float(expected_cap(o, model="pram", matrix=matrix))
        assert float(variance_cap(o, model="pram", matrix=found)) == float(variance_cap(o, model="pram", matrix=matrix))
        assert expected_cap_bounds(o, model="pram", matrix=found).equals(expected_cap_bounds(o, model="pram", matrix=matrix))
        assert cap_tail_bound(o, excess=0.1, model="pram", matrix=found).equals(cap_tail_bound(o, excess=0.1, model="pram", matrix=matrix))
        assert sample_tables(o, model="pram", matrix=found, draws=2, rng=1).equals(
            sample_tables(o, model="pram", matrix=matrix, draws=2, rng=1)
        )
        for law in (cap_law, protected_law):
            assert law(o, model="pram", matrix=found).cdf(0.6).equals(law(o, model="pram", matrix=matrix).cdf(0.6))
    # the mechanism tells "b", the likelier target, of everybody: (30 + 45) / 100 are right
    assert float(expected_cap(o, model="pram", matrix=dp_mechanism(other, 1.0, counts="public"))) == 0.75


def test_labels_that_are_not_those_of_the_original_are_refused_and_not_told():
    o = labelled([[20, 5], [30, 45]], ["a", "b"])
    for targets in (["secret", "b"], ["b", "b"]):
        matrix = xr.DataArray(np.eye(2), {"target": targets}, ("target", "released"))
        with pytest.raises(ValueError, match=r"labels of `matrix` must be the targets of `o`") as error:
            expected_cap(o, model="pram", matrix=matrix)
        assert "secret" not in str(error.value)
    with pytest.raises(TypeError, match="`matrix` must hold numbers") as error:
        expected_cap(o, model="pram", matrix=[["secret", 1], [0, 1]])
    assert "secret" not in str(error.value)
