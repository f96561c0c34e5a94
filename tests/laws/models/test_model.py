"""Parameters of the models, and what is no model."""

import re
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import xarray as xr
from every_release import made

from capstats.laws import (
    Bootstrap,
    Dirichlet,
    Partial,
    Permuted,
    Pram,
    Swap,
    Uniform,
    cap_law,
    dp_mechanism,
    expected_cap,
    expected_disclosure,
    sample_tables,
    variance_cap,
)

ORIGINAL = [[2, 1], [0, 1]]
EVERY_MODEL = [
    ("uniform", {"m": 3}),
    ("bootstrap", {"m": 3}),
    ("independent", {"m": 3}),
    ("dirichlet", {"m": 3, "alpha": Fraction(1, 2)}),
    ("given", {"m": 3, "p": [[Fraction(1, 2), Fraction(1, 8)], [Fraction(1, 8), Fraction(1, 4)]]}),
    ("permutation", {"s": [[1, 1], [1, 0]]}),
    ("partial", {"alpha": Fraction(1)}),
    ("pram", {"theta": Fraction(1, 3)}),
    ("pram", {"matrix": [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 2), Fraction(1, 2)]]}),
    ("swap", {"records": 2}),
]


@pytest.mark.parametrize(("model", "told"), EVERY_MODEL)
def test_a_model_shows_its_parameters_but_no_cell_of_a_table(model, told):
    found = made(model, **told)
    shown = [f"{name}=<2 x 2>" if name in ("s", "matrix", "p") else f"{name}={getattr(found, name)}" for name in told]
    assert repr(found) == f"{type(found).__name__}({', '.join(shown)})"


def test_a_model_is_equal_to_one_with_the_same_numbers():
    assert Uniform(3) == Uniform(m=3) != Bootstrap(3)
    assert Dirichlet(3, alpha=1) == Dirichlet(3, alpha=1.0) != Dirichlet(3, alpha=2)
    assert len({Swap(records=3), Swap(records=3), Swap(records=4)}) == 2
    matrix = np.eye(2)
    assert Pram(matrix=matrix) != Pram(matrix=matrix)  # arrays are not compared
    with pytest.raises(AttributeError, match="cannot assign"):
        Uniform(3).m = 4


def test_the_limit_of_many_records_has_no_m():
    assert Uniform().m is None
    assert repr(Dirichlet(alpha=1)) == "Dirichlet(alpha=1.0)"
    with pytest.raises(ValueError, match=r"`Uniform\(\)` is the limit of large releases, which only `cap_law` accepts. Give it .*, `m`"):
        expected_cap(ORIGINAL, Uniform())


def test_several_numbers_of_records_may_be_an_array():
    assert Bootstrap(np.arange(10, 50, 10)) == Bootstrap([10, 20, 30, 40]) == Bootstrap(range(10, 50, 10))


@pytest.mark.parametrize("matrix_and_theta", [{}, {"matrix": [[1.0]], "theta": 0.5}])
def test_pram_takes_a_matrix_or_a_share_but_not_both(matrix_and_theta):
    with pytest.raises(ValueError, match="needs `matrix` or `theta`; give one of them"):
        Pram(**matrix_and_theta)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: Uniform(0), "`m` must be a number of synthetic records"),
        (lambda: Bootstrap([]), "`m` must be a number of synthetic records, .*; got list of length 0"),
        (lambda: Bootstrap(np.array([[1, 2]])), "`m` must be a number of synthetic records, .*; got ndarray of length 1"),
        (lambda: Dirichlet("3", alpha=1), "`m` must be a number of synthetic records, .*; got '3'"),
        (lambda: Dirichlet(3, alpha=-1), "`alpha` must be a number from 0, added to every cell; got -1"),
        (lambda: Partial(alpha=-1), "`alpha` must be a number from 0, added to every cell; got -1"),
        (lambda: Partial(alpha="1"), "`alpha` must be a number from 0, added to every cell; got '1'"),
        (lambda: Pram(theta=1.5), "`theta` must be a share of redrawn targets, from 0 to 1; got 1.5"),
        (lambda: Swap(records=2.5), "`records` must be a number of swapped records, an integer from 0; got 2.5"),
        (lambda: Swap(records=-1), "`records` must be a number of swapped records, an integer from 0; got -1"),
        (lambda: Pram(matrix=[[1, 0]]), r"`matrix` must be square, .*; its shape is \(1, 2\)"),
        (lambda: Pram(matrix=[[-1, 2], [0, 1]]), "`matrix` must hold probabilities"),
        (lambda: Pram(matrix=[[1, 0], [0.5, 0.4]]), "row 1 sums to 0.9"),
        (lambda: Permuted([[1, -1]]), "`s` must be non-negative; got -1"),
    ],
)
def test_wrong_parameters_are_refused_where_the_model_is_made(wrong, message):
    with pytest.raises(ValueError, match=message):
        wrong()


@pytest.mark.parametrize("wrong", [lambda: Permuted([["a"]]), lambda: Permuted(None), lambda: Pram(matrix=[["a"]])])
def test_what_is_no_table_is_refused_where_the_model_is_made(wrong):
    with pytest.raises(TypeError, match=r"`(s|matrix)`"):
        wrong()


@pytest.mark.parametrize("wrong", [lambda: Swap(swapped=3), lambda: Swap(3), lambda: Dirichlet(3), lambda: Partial(3, alpha=1), Permuted])
def test_parameters_that_a_model_has_not_are_refused(wrong):
    with pytest.raises(TypeError, match="argument"):
        wrong()


@pytest.mark.parametrize(
    ("model", "call"),
    [
        ("uniform", "Uniform(m)"),
        ("bootstrap", "Bootstrap(m)"),
        ("independent", "Independent(m)"),
        ("dirichlet", "Dirichlet(m, alpha=1)"),
        ("permutation", "Permuted(s)"),
        ("partial", "Partial(alpha=1)"),
        ("pram", "Pram(theta=0.1)"),
        ("swap", "Swap(records=10)"),
        (Swap, "Swap(records=10)"),
    ],
)
def test_what_is_no_model_is_an_error_that_names_the_class_that_was_meant(model, call):
    for ask in (expected_cap, variance_cap, expected_disclosure, cap_law, partial(sample_tables, draws=1)):
        with pytest.raises(TypeError, match=rf"^`model` must be a model, laws\.{re.escape(call)}; got "):
            ask(ORIGINAL, model)


@pytest.mark.parametrize("model", [None, 3, "random", int, ORIGINAL])
def test_what_names_no_class_is_answered_with_all_of_them(model):
    with pytest.raises(
        TypeError, match=r"laws\.Uniform\(m\), laws\.Bootstrap\(m\), .*laws\.Pram\(theta=0\.1\) or laws\.Swap\(records=10\); got"
    ) as error:
        expected_cap(ORIGINAL, model)
    assert "[[2" not in str(error.value)


def labelled(values, targets):
    return xr.DataArray(values, {"target": targets}, ("target", "key"))


def test_a_labelled_matrix_takes_the_order_of_the_targets_of_the_original():
    o, other = labelled([[20, 5], [30, 45]], ["a", "b"]), labelled([[30, 45], [20, 5]], ["b", "a"])
    matrix = [[0.9, 0.1], [0.3, 0.7]]
    turned = xr.DataArray([[0.7, 0.3], [0.1, 0.9]], {"target": ["b", "a"]}, ("target", "released"))  # columns in the order of the rows
    half = xr.DataArray([[0.3, 0.7], [0.9, 0.1]], {"target": ["b", "a"], "released": ["a", "b"]}, ("target", "released"))
    for found in (turned, half, turned.T):
        assert float(expected_cap(o, Pram(matrix=found))) == float(expected_cap(o, Pram(matrix=matrix)))
        assert float(variance_cap(o, Pram(matrix=found))) == float(variance_cap(o, Pram(matrix=matrix)))
        assert sample_tables(o, Pram(matrix=found), draws=2, rng=1).equals(sample_tables(o, Pram(matrix=matrix), draws=2, rng=1))
        assert cap_law(o, Pram(matrix=found), rng=0).cdf(0.6).equals(cap_law(o, Pram(matrix=matrix), rng=0).cdf(0.6))
    # the mechanism tells "b", the likelier target, of everybody: (30 + 45) / 100 are right
    assert float(expected_cap(o, Pram(matrix=dp_mechanism(other, 1.0, counts="public")))) == 0.75


def test_labels_that_are_not_those_of_the_original_are_refused_and_not_told():
    o = labelled([[20, 5], [30, 45]], ["a", "b"])
    for targets in (["secret", "b"], ["b", "b"]):
        matrix = xr.DataArray(np.eye(2), {"target": targets}, ("target", "released"))
        with pytest.raises(ValueError, match=r"labels of `matrix` must be the targets of `o`") as error:
            expected_cap(o, Pram(matrix=matrix))
        assert "secret" not in str(error.value)
    with pytest.raises(TypeError, match="`matrix` must hold numbers") as error:
        expected_cap(o, Pram(matrix=[["secret", 1], [0, 1]]))
    assert "secret" not in str(error.value)
