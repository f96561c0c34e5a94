"""What a synthesis model must be told, and the oracle that enumerates its releases."""

from fractions import Fraction

import pytest
from every_release import average_cap, every_release, moments

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
