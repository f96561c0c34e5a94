"""A generator by its probabilities: all moments against every release that it can make, and against the models that are cases of it."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sparse
import xarray as xr
from every_release import average_cap, disclosed, every_release, law_of, moments
from hypothesis import given
from hypothesis import strategies as st
from strategies import examples

import capstats
from capstats import from_counts, laws
from capstats.laws import (
    Bootstrap,
    Given,
    Independent,
    cap_law,
    expected_cap,
    expected_disclosure,
    sample_tables,
    variance_cap,
)

ORIGINAL = [[2, 0, 1], [1, 3, 0]]
SHARES = [[Fraction(1, 8), Fraction(1, 16), Fraction(0)], [Fraction(1, 4), Fraction(1, 8), Fraction(0)]]  # never the third key
WEIGHTS = [Fraction(1, 2), Fraction(1, 4), Fraction(1, 8)]  # of which 1/8, 1/16 and 1/8 have other targets; 1/8 have other keys


def padded(o, p, weights):
    """Both tables with one more target for all others and one more key for all others."""
    others = [w - sum(row[j] for row in p) for j, w in enumerate(weights)]
    p = [[*row, Fraction(0)] for row in p] + [[*others, 1 - sum(weights)]]
    return [[*row, 0] for row in o] + [[0] * (len(weights) + 1)], p


def floats(rows):
    return np.array(rows, float)


def every(o, p, weights, m):
    whole, shares = padded(o, p, weights)
    return whole, every_release(whole, m, model="given", p=shares)


def nearest_cap(o, s, keys):
    """Average CAP where an unmatched key pools the nearest keys of the release."""
    right, totals = Fraction(0), [sum(column) for column in zip(*s, strict=True)]
    for j, key in enumerate(keys):
        apart = [sum(a != b for a, b in zip(key, other, strict=True)) for other in keys]
        least = min(d for d, total in zip(apart, totals, strict=True) if total)
        pool = [k for k, d in enumerate(apart) if d == least and totals[k]]
        right += sum(Fraction(o[i][j] * sum(s[i][k] for k in pool), sum(totals[k] for k in pool)) for i in range(len(o)))
    return right / sum(map(sum, o))


def check_every_release_of_a_random_generator(seed):
    """One of sixteen has up to three targets, keys and records, the others up to two targets and keys."""
    rng = np.random.default_rng(seed)
    targets, keys, m = (int(x) for x in rng.integers(1, (4, 4, 4) if seed % 16 == 0 else (3, 3, 4)))
    o = rng.integers(0, 4, (targets, keys))
    o[0, 0] += 1
    cells = [Fraction(int(x), 16) for x in rng.multinomial(16, rng.dirichlet(np.full((targets + 1) * keys + 1, 0.5)))]
    p = [cells[i * keys : (i + 1) * keys] for i in range(targets)]
    others = cells[targets * keys : -1]
    weights = [sum(row[j] for row in p) + others[j] for j in range(keys)]
    whole, releases = every(o.tolist(), p, weights, m)
    model = Given(m, p=floats(p), key_weights=floats(weights))
    for unmatched in ("zero", "drop"):
        if all(average_cap(whole, s, unmatched) is None for s in releases):
            assert np.isnan(expected_cap(o, model, unmatched=unmatched))
            continue
        mean, variance = moments(releases, lambda s, how=unmatched: average_cap(whole, s, how))
        assert float(expected_cap(o, model, unmatched=unmatched)) == pytest.approx(float(mean), rel=1e-12, abs=1e-15)
        assert float(variance_cap(o, model, unmatched=unmatched)) == pytest.approx(float(variance), rel=1e-11, abs=1e-15)


@pytest.mark.parametrize("seeds", [range(1, 6), pytest.param([0, *range(6, 500)], marks=pytest.mark.slow)], ids=len)
def test_mean_and_variance_are_those_of_every_release_of_random_generators(seeds):
    for seed in seeds:
        check_every_release_of_a_random_generator(seed)


LABELS = {"sex": ["f", "f", "m", "m"], "smoker": ["no", "yes", "no", "yes"]}
PAIRS = list(zip(*LABELS.values(), strict=True))


@pytest.mark.parametrize("m", [1, 2, 3])
def test_the_mean_with_nearest_keys_is_that_of_every_release(m):
    o = [[2, 0, 1, 1], [1, 3, 0, 1]]
    p = [[Fraction(x, 16) for x in row] for row in ([1, 2, 0, 3], [4, 1, 2, 3])]
    tables = from_counts(o, key_labels=LABELS)
    mean, _ = moments(every_release(o, m, model="given", p=p), lambda s: nearest_cap(o, s, PAIRS))
    assert float(expected_cap(tables.o, Given(m, p=floats(p)), unmatched="nearest")) == pytest.approx(float(mean), rel=1e-13)
    mean, _ = moments(every_release(o, m, model="bootstrap"), lambda s: nearest_cap(o, s, PAIRS))
    for model in (Bootstrap(m), Given(m, p=floats(o) / np.sum(o))):
        assert float(expected_cap(tables.o, model, unmatched="nearest")) == pytest.approx(float(mean), rel=1e-13)


def test_the_mean_with_nearest_keys_counts_other_targets_and_broadcasts():
    o = [[2, 0, 1, 1], [1, 3, 0, 1]]
    p = [[Fraction(x, 32) for x in row] for row in ([1, 2, 0, 3], [4, 1, 2, 3])]
    weights = [sum(row[j] for row in p) + Fraction(x, 32) for j, x in enumerate([6, 0, 10, 0])]
    whole, shares = padded(o, p, weights)
    whole, shares = [row[:-1] for row in whole], [row[:-1] for row in shares]  # no other keys
    mean, _ = moments(every_release(whole, 2, model="given", p=shares), lambda s: nearest_cap(whole, s, PAIRS))
    both = Given(2, p=np.stack([floats(p), floats(p)]), key_weights=floats(weights))
    found = expected_cap(from_counts(o, key_labels=LABELS).o, both, unmatched="nearest")
    assert found.dims == ("draw",)
    assert found.values == pytest.approx(float(mean), rel=1e-13)


def test_the_mean_with_nearest_keys_is_the_same_where_keys_are_too_many_for_a_table_of_distances(monkeypatch):
    rng = np.random.default_rng(3)
    keys = list(product("abcd", "xyz", "12345", "uv"))
    o, p = rng.poisson(0.3, (3, len(keys))), rng.dirichlet(np.full(3 * len(keys), 0.2)).reshape(3, -1)
    tables = from_counts(o, key_labels=dict(zip("abcd", zip(*keys, strict=True), strict=True)))
    found = [float(expected_cap(tables.o, Given(20, p=p), unmatched="nearest"))]
    monkeypatch.setattr("capstats.cap.neighbours.FEW", 0)
    found.append(float(expected_cap(tables.o, Given(20, p=p), unmatched="nearest")))
    assert found[1] == pytest.approx(found[0], rel=1e-9)
    caps = capstats.average_cap(tables.o, sample_tables(tables.o, Given(20, p=p), draws=2000, rng=1), unmatched="nearest")
    assert abs(caps.mean() - found[0]) < 4 * caps.std() / np.sqrt(2000)


@pytest.mark.parametrize("own", [Bootstrap, Independent])
def test_resampled_records_and_independent_margins_are_cases(own):
    o = np.array([[20, 5, 1, 0], [30, 45, 0, 2], [1, 1, 1, 1]])
    p = o / o.sum() if own is Bootstrap else np.outer(o.sum(1), o.sum(0)) / o.sum() ** 2
    for m in (3, 100):
        for unmatched, moment in product(("zero", "drop"), (expected_cap, variance_cap)):
            expected = float(moment(o, own(m), unmatched=unmatched))
            assert float(moment(o, Given(m, p=p), unmatched=unmatched)) == pytest.approx(expected, rel=1e-12)
        for name, value in expected_disclosure(o, own(m)).items():
            assert float(expected_disclosure(o, Given(m, p=p))[name]) == pytest.approx(float(value), rel=1e-12)
    assert cap_law(o, Given(p=p)).least == pytest.approx(cap_law(o, own()).least)


def test_disclosure_is_that_of_every_release():
    whole, releases = every(ORIGINAL, SHARES, WEIGHTS, 3)
    model = Given(3, p=floats(SHARES), key_weights=floats(WEIGHTS))
    found = expected_disclosure(ORIGINAL, model)
    for name in found:
        mean, _ = moments(releases, lambda s, name=name: disclosed(whole, s)[name])
        assert float(found[name]) == pytest.approx(float(mean), rel=1e-12)
    sparse_o = xr.DataArray(sparse.COO.from_numpy(np.array(ORIGINAL)), dims=("target", "key"))
    held = Given(3, p=xr.DataArray(sparse.COO.from_numpy(floats(SHARES)), dims=("target", "key")), key_weights=floats(WEIGHTS))
    for name, value in expected_disclosure(sparse_o, held).items():
        assert float(value) == pytest.approx(float(found[name]), rel=1e-12)
    for unmatched in ("zero", "drop"):
        dense = float(variance_cap(ORIGINAL, model, unmatched=unmatched))
        assert float(variance_cap(sparse_o, held, unmatched=unmatched)) == pytest.approx(dense, rel=1e-12)


def test_the_law_of_few_releases_is_exact_with_other_targets_and_other_keys():
    whole, shares = padded(ORIGINAL, SHARES, WEIGHTS)
    model = Given(3, p=floats(SHARES), key_weights=floats(WEIGHTS))
    assert cap_law(ORIGINAL, model).probabilities == law_of(average_cap, whole, "given", {"m": 3, "p": shares})
    limit = (Fraction(2, 7) * Fraction(1, 4) + Fraction(1, 7) * Fraction(1, 2)) + Fraction(3, 7) * Fraction(1, 2)
    assert cap_law(ORIGINAL, Given(p=floats(SHARES), key_weights=floats(WEIGHTS))).least == pytest.approx(float(limit))


@examples(40)
@given(st.integers(1, 3), st.integers(1, 5), st.integers(1, 30), st.integers(0, 10**6))
def test_the_mean_rises_with_the_records_of_a_release_and_is_linear_in_the_original(targets, keys, m, seed):
    """theory/models.md#generator, part 1."""
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(targets * keys, 0.5)).reshape(targets, keys) * rng.random()
    a, b = rng.integers(0, 5, (2, targets, keys)) + 1
    means = [float(expected_cap(a, Given(k, p=p))) for k in (m, m + 1, 10**6)]
    assert means == sorted(means)
    assert means[-1] <= cap_law(a, Given(p=p)).least * (1 + 1e-12)
    together = (a.sum() * means[0] + b.sum() * float(expected_cap(b, Given(m, p=p)))) / (a + b).sum()
    assert float(expected_cap(a + b, Given(m, p=p))) == pytest.approx(together, rel=1e-12)


def test_several_generators_are_one_call_and_parameters_drawn_anew_are_a_mixture():
    rng = np.random.default_rng(4)
    p = rng.multinomial(64, rng.dirichlet(np.ones(6), 2)).reshape(2, 2, 3) / 64
    originals = np.stack([ORIGINAL, np.fliplr(ORIGINAL)])
    generators = Given(2, p=xr.DataArray(p, dims=("generator", "target", "key")))
    for moment, unmatched in product((expected_cap, variance_cap), ("zero", "drop")):
        found = moment(xr.DataArray(originals, dims=("original", "target", "key")), generators, unmatched=unmatched)
        assert set(found.dims) == {"original", "generator"}
        for a, b in product(range(2), range(2)):
            alone = moment(originals[a], Given(2, p=p[b]), unmatched=unmatched)
            assert float(found.isel(original=a, generator=b)) == pytest.approx(float(alone), rel=1e-12)
    mixed = Counter()
    for shares in p:
        mixed.update(every_release(ORIGINAL, 2, model="given", p=shares.tolist()))
    mean, variance = moments(mixed, lambda s: average_cap(ORIGINAL, s))
    means, variances = expected_cap(ORIGINAL, generators), variance_cap(ORIGINAL, generators)
    assert float(means.mean()) == pytest.approx(float(mean), rel=1e-12)
    assert float(variances.mean() + means.var()) == pytest.approx(float(variance), rel=1e-12)


def test_labels_decide_which_probability_belongs_to_which_cell():
    tables = from_counts([[3, 1], [0, 2]], key_labels={"sex": ["f", "m"]}, target_labels={"sick": ["no", "yes"]})
    p = from_counts([[1, 1, 2], [2, 0, 2]], key_labels={"sex": ["m", "x", "f"]}, target_labels={"sick": ["yes", "no"]}).o / 8
    in_order = Given(5, p=[[2 / 8, 2 / 8], [2 / 8, 1 / 8]])  # the key "x" is elsewhere
    for moment in (expected_cap, variance_cap):
        assert float(moment(tables.o, Given(5, p=p))) == pytest.approx(float(moment(tables.o, in_order)), rel=1e-12)
    s = sample_tables(tables.o, Given(5, p=p), draws=3, rng=1)
    assert s.sum(("target", "key")).values.tolist() == [5, 5, 5]
    assert s.sizes["key"] == 3
    assert (sample_tables(tables.o, in_order, draws=50, rng=1).sum(("target", "key")) < 5).any()


KEYED = from_counts([[1, 2]], key_labels={"sex": ["f", "m"]}).o


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: expected_cap(ORIGINAL, Given(3, p=ORIGINAL)), "`p` must sum to at most 1; it sums to 7. Give probabilities, not counts"),
        (lambda: expected_cap([[1]], Given(3, p=[[0.5]], key_weights=[1.5])), "`key_weights` must sum to at most 1; it sums to 1.5"),
        (lambda: expected_cap([[1]], Given(3, p=[[0.5]], key_weights=[0.25])), "`key_weights` must be at least the sum of `p`"),
        (lambda: expected_cap([[1]], Given(3, p=[[-0.5]])), "`p` must be non-negative; got -0.5"),
        (lambda: expected_cap(ORIGINAL, Given(3, p=[[0.5]])), "`o` has 2 targets x 3 keys, `p` has 1 targets x 1 keys|they must agree"),
        (lambda: expected_cap(ORIGINAL, Given(p=floats(SHARES))), "is the limit of large releases, which only `cap_law` accepts"),
        (lambda: expected_cap(ORIGINAL, Given(0, p=floats(SHARES))), "`m` must be a number of synthetic records"),
        (lambda: sample_tables([[1]], Given(3, p=[[0.5]], key_weights=[1.0]), draws=1), "`key_weights` has targets that `p` lacks"),
        (lambda: sample_tables([[1]], Given(3, p=[[[0.5]], [[1.0]]]), draws=1), "`o` has a dim 'draw', which is that of the result"),
        (lambda: expected_cap([[1]], Given(3, p=[[1.0]]), unmatched="nearest"), "compares keys column by column"),
        (
            lambda: expected_cap(KEYED, Given(3, p=[[0.25, 0.5]]), unmatched="nearest"),
            "needs all keys that the generator can give, .*; those of `p` have the probability 0.75",
        ),
        (lambda: expected_cap(KEYED, laws.Uniform(3), unmatched="nearest"), "is known for `Bootstrap` and `Given`, not for `Uniform"),
        (lambda: expected_cap([[1]], Given(3, p=[[1.0]]), unmatched="lost"), '`unmatched` must be "zero" .* or "nearest"'),
        (
            lambda: variance_cap([[1]], Given(3, p=[[1.0]]), unmatched="nearest"),
            '`unmatched` must be "zero" .* or "drop".*For nearest keys estimate it',
        ),
    ],
)
def test_what_is_no_generator_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
