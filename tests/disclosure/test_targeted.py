"""Targeted attribution: five variants, two rules. The oracle is one loop over people in fractions."""

import functools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import table_pairs, theorem

from capstats import at_most, average_cap, correct_predictions, individual_cap
from capstats.disclosure import disco, tcap

pairs_of_tables = functools.partial(table_pairs, 4, 4, most=5)
VARIANTS = ("all", "matched", "disclosive", "certain", "synthetic")
COVERED = [("class", v) for v in VARIANTS] + [("cell", "all"), ("cell", "matched")]
covered = pytest.mark.parametrize(("rule", "variant"), COVERED)


def by_person(o, s, variant, tau=1.0, rule="class", eqmax=None):
    """The quotient of two sums over people, original ones except for "synthetic"."""
    targets, keys = range(len(o)), range(len(o[0]))
    key_o, key_s = (Counter({j: int(sum(table[i][j] for i in targets)) for j in keys}) for table in (o, s))
    right = whole = Fraction(0)
    for j in keys:
        if eqmax is not None and key_o[j] > eqmax:
            continue
        modes = [i for i in targets if s[i][j] > 0 and s[i][j] == max(s[k][j] for k in targets)]
        confident = bool(modes) and s[modes[0]][j] / key_s[j] >= tau
        for i in targets:
            for _ in range(int(o[i][j])):  # an original person
                if rule == "cell":
                    hit = Fraction(int(s[i][j]), key_s[j]) if key_s[j] and s[i][j] / key_s[j] >= tau else Fraction(0)
                else:
                    hit = Fraction(i in modes, len(modes) or 1) if confident else Fraction(0)
                if variant == "certain":
                    hit *= sum(o[k][j] > 0 for k in targets) == 1
                belongs = {"all": True, "disclosive": confident}.get(variant, key_s[j] > 0)
                right, whole = right + hit * (variant != "synthetic"), whole + (belongs and variant != "synthetic")
        if variant == "synthetic" and confident and key_o[j]:
            for _ in range(key_s[j]):  # a synthetic person
                right += Fraction(int(sum(o[i][j] for i in modes)), len(modes) * key_o[j])
                whole += 1
    return float(right / whole) if whole else np.nan


# Values derived by hand


def test_a_table_where_every_variant_differs():
    # Keys 0 and 3 are pure in s; 3 of 4 and 2 of 2 are right; key 3 is pure in o too. Key 1 is not pure, key 2 unmatched. n = 12, n_M = 10.
    o, s = [[3, 2, 2, 2], [1, 2, 0, 0]], [[1, 1, 0, 3], [0, 1, 0, 0]]
    found = {variant: tcap(o, s, variant=variant).item() for variant in VARIANTS}
    expected = {"all": 5 / 12, "matched": 5 / 10, "disclosive": 5 / 6, "certain": 2 / 10, "synthetic": (1 * 3 / 4 + 3 * 1) / 4}
    assert found == expected


def test_tied_targets_share_the_attribution():
    # At tau = 1/2 two targets tie: (4 + 2) / 2 of 7 are right.
    assert tcap([[4], [2], [1]], [[3], [3], [0]], variant="all", tau=0.5).item() == 3 / 7
    assert tcap([[4], [2], [1]], [[3], [3], [0]], variant="all", tau=0.51).item() == 0
    assert np.isnan(tcap([[4], [2], [1]], [[3], [3], [0]], variant="disclosive", tau=0.51))


@pytest.mark.parametrize(("part", "whole", "tau"), [(7, 25, 0.28), (1, 3, 1 / 3), (29, 100, 0.29), (57, 100, 0.57), (1, 49, 1 / 49)])
def test_a_share_that_equals_the_threshold_reaches_it(part, whole, tau):
    """7 >= 0.28 * 25 is false in floats, 7 / 25 >= 0.28 is true."""
    s = [[part], [whole - part]]
    assert tcap([[1], [0]], s, variant="all", rule="cell", tau=tau).item() == part / whole
    assert tcap([[1], [0]], s, variant="all", rule="cell", tau=np.nextafter(tau, 1)).item() == 0


def test_a_class_size_limit_acts_on_numerator_and_denominator():
    o, s = [[3, 1, 9], [1, 0, 0]], [[1, 1, 2], [0, 0, 0]]
    assert tcap(o, s, variant="all").item() == 13 / 14
    assert tcap(o, s, variant="all", eqmax=4).item() == 4 / 5
    assert tcap(o, s, variant="synthetic", eqmax=4).item() == (3 / 4 + 1) / 2
    assert np.isnan(tcap(o, s, variant="matched", eqmax=0.5))


# The oracle


@covered
def test_every_variant_is_that_of_a_loop_over_people(rule, variant):
    rng = np.random.default_rng(41)
    for _ in range(20):
        shape = (rng.integers(1, 4), rng.integers(1, 6))
        o, s = (rng.integers(0, 6, shape) * (rng.random(shape) < 0.6) for _ in range(2))
        o[0, 0] += 1
        for tau in (0.0, 0.4, 0.5, 2 / 3, 1.0):
            eqmax = rng.choice([None, 3])
            found = tcap(o, s, variant=variant, tau=tau, rule=rule, eqmax=eqmax).item()
            np.testing.assert_allclose(found, by_person(o, s, variant, tau, rule, eqmax), rtol=1e-13)


@covered
def test_it_is_constant_up_to_each_share_that_included(rule, variant):
    """Part 4 of theory/certainty.md#tcap."""
    rng = np.random.default_rng(42)
    for _ in range(4):
        o, s = (rng.integers(0, 6, (3, 5)) * (rng.random((3, 5)) < 0.7) for _ in range(2))
        shares = individual_cap(s, s).values
        steps = np.union1d(shares[shares > 0] if rule == "cell" else shares.max(0)[s.any(0)], 1)
        for below, step in zip([0, *np.nextafter(steps, 2)], steps, strict=False):
            found = {tcap(o, s, variant=variant, rule=rule, tau=tau).item() for tau in (below, (below + step) / 2, step)}
            assert len(found) == 1 or np.isnan(list(found)).all()


# Theorems


@theorem
@given(pairs_of_tables())
def test_special_thresholds_are_other_measures(tables):
    """Part 2."""
    o, s = tables
    assert tcap(o, s, variant="all").item() == disco(o, s).item()
    for variant in ("all", "matched"):
        np.testing.assert_allclose(tcap(o, s, variant=variant, rule="cell"), tcap(o, s, variant=variant), rtol=1e-14)
    for variant, unmatched in (("all", "zero"), ("matched", "drop")):
        np.testing.assert_allclose(tcap(o, s, variant=variant, rule="cell", tau=0), average_cap(o, s, unmatched=unmatched), rtol=1e-13)
    np.testing.assert_allclose(tcap(o, s, variant="all", tau=0) * o.sum(), correct_predictions(o, s), rtol=1e-13)


@theorem
@given(pairs_of_tables(), st.sampled_from([("class", "all"), ("class", "matched"), ("cell", "all"), ("cell", "matched")]))
def test_all_and_matched_never_rise_with_tau(tables, how):
    """Part 3."""
    steps = np.union1d(individual_cap(tables[1], tables[1]), 1)
    found = np.array([tcap(*tables, rule=how[0], variant=how[1], tau=tau).item() for tau in steps])
    assert np.isnan(found).all() or at_most(found[1:], found[:-1]).all()


# Batches, and records that may count


@covered
def test_parts_of_the_records_add_up(rule, variant):
    rng = np.random.default_rng(44)
    o, s = rng.integers(0, 4, (2, 3, 8)) * (rng.random((2, 3, 8)) < 0.5)
    part = rng.integers(0, o + 1)
    options = {"variant": variant, "rule": rule, "tau": 0.6}
    parts = [tcap(o, s, counted=x, **options).item() for x in (part, o - part)]
    assert sum(parts) == pytest.approx(tcap(o, s, **options).item(), rel=1e-13)


# Bad input


@pytest.mark.parametrize("variant", ["disclosive", "certain", "synthetic"])
def test_a_rule_and_variant_that_no_definition_covers_raises_and_says_which_do(variant):
    with pytest.raises(ValueError, match=rf"No definition covers `variant` '{variant}' with `rule` 'cell', .* for 'all' and 'matched'"):
        tcap([[1]], [[1]], variant=variant, rule="cell")


def test_the_variant_must_be_said():
    with pytest.raises(TypeError, match="variant"):
        tcap([[1]], [[1]])
    with pytest.raises(ValueError, match="`variant` must be one of 'all', 'matched', 'disclosive', 'certain', 'synthetic'; got 'tcap'"):
        tcap([[1]], [[1]], variant="tcap")
    with pytest.raises(ValueError, match='`rule` must be "class" or "cell"; got \'key\''):
        tcap([[1]], [[1]], variant="all", rule="key")
    with pytest.raises(ValueError, match="`eqmax` must be a number of records above 0, or None for no limit; got 0"):
        tcap([[1]], [[1]], variant="all", eqmax=0)


@pytest.mark.parametrize("tau", [-0.1, 1.1, np.nan, "1", [0.5, 1]])
def test_a_threshold_is_one_number_from_0_to_1(tau):
    with pytest.raises(ValueError, match="`tau` must be a number from 0 to 1; got"):
        tcap([[1]], [[1]], variant="all", tau=tau)


@theorem
@given(pairs_of_tables(), st.sampled_from([0.0, 0.3, 0.5, 0.8, 1.0]))
def test_certain_is_at_most_matched_is_at_most_disclosive(tables, tau):
    """Part 1, wherever both are defined."""
    o, s = tables
    found = {variant: tcap(o, s, variant=variant, tau=tau).item() for variant in VARIANTS}
    for smaller, larger in (("certain", "matched"), ("matched", "disclosive"), ("all", "matched")):
        if not np.isnan(found[smaller]) and not np.isnan(found[larger]):
            assert at_most(found[smaller], found[larger])
    assert all(np.isnan(x) or 0 <= x <= 1 + 1e-12 for x in found.values())
