"""Guesses within a tolerance, against a loop over people; what holds of them, and what does not."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pytest
import sparse
from hypothesis import given
from hypothesis import strategies as st
from strategies import counts, examples

import capstats
from capstats import (
    at_most,
    average_cap,
    average_cap_interval,
    baseline_cap,
    cap_boxplot,
    cap_ecdf,
    cap_quantiles,
    from_counts,
    individual_cap,
    individual_share,
)
from capstats.cap import normalized_cap

DAY = pd.Timedelta(days=1)
SPANS = {"numbers": 5, "halves": 0.3, "dates": dt.timedelta(days=6), "times": np.timedelta64(36, "h"), "durations": 3 * DAY}


def people(kind, rng, n, levels=60):
    """Two key columns and a target of some kind, a tenth of which is missing."""
    x = rng.integers(0, levels, n)
    if kind == "numbers":
        target = pd.Series(x, dtype="Int64")
    elif kind == "halves":
        target = pd.Series(x / 10)
    elif kind == "dates":
        target = pd.Series([dt.date(2020, 2, 1) + dt.timedelta(days=int(i)) for i in x], dtype=object)
    elif kind == "times":
        target = pd.Series(pd.Timestamp("2020-02-01") + pd.to_timedelta(12 * x, unit="h"))
    else:
        target = pd.Series(pd.to_timedelta(x, unit="D"))
    return pd.DataFrame({"a": rng.integers(0, 4, n), "b": rng.integers(0, 3, n), "t": target.mask(rng.random(n) < 0.1)})


def credit(person, guess, span, triangular):
    """How much a guess counts, from its distance alone."""
    if pd.isna(person) or pd.isna(guess):
        return float(pd.isna(person) and pd.isna(guess))
    away = abs(guess - person)
    if triangular:
        return max(0.0, 1 - away / span)
    if isinstance(away, (dt.timedelta, pd.Timedelta)):
        return float(away <= pd.Timedelta(span))
    return float(at_most(away, span, scale=max(abs(guess), abs(person))))


def by_loop(original, synthetic, span, unmatched, triangular=False):
    """The value of each person, one person and one synthetic record at a time; None where the person is left out."""
    found = []
    for person in original.itertuples():
        apart = (synthetic["a"] != person.a).astype(int) + (synthetic["b"] != person.b)
        used = synthetic["t"][apart == (apart.min() if unmatched == "nearest" else 0)]
        if len(used):
            found.append(np.mean([credit(person.t, guess, span(person.t) if callable(span) else span, triangular) for guess in used]))
        elif unmatched == "zero":
            found.append(0.0)
    return found


@pytest.mark.parametrize("triangular", [False, True])
@pytest.mark.parametrize("backing", ["dense", "sparse"])
@pytest.mark.parametrize("kind", SPANS)
def test_every_version_is_that_of_a_loop_over_people(kind, backing, triangular):
    rng = np.random.default_rng([*kind.encode()])
    original, synthetic = people(kind, rng, 60), people(kind, rng, 50)
    synthetic = synthetic[(synthetic["a"] + synthetic["b"]) % 3 > 0]  # a third of the keys is unmatched
    tables = capstats.tabulate(original, synthetic, keys=["a", "b"], target="t", backing=backing)
    within = ("triangular", SPANS[kind]) if triangular else SPANS[kind]
    for unmatched in ("zero", "drop", "nearest"):
        expected = by_loop(original, synthetic, SPANS[kind], unmatched, triangular)
        found = average_cap(tables.o, tables.s, unmatched=unmatched, within=within)
        assert float(found) == pytest.approx(np.mean(expected), rel=1e-12), unmatched
        assert 0 < float(found) < 1
        values = individual_cap(tables.o, tables.s, unmatched=unmatched, within=within)
        if backing == "dense":
            weighed = (values * tables.o).sum().item() / len(expected)
            assert weighed == pytest.approx(np.mean(expected), rel=1e-12)
        quantiles = cap_quantiles(tables.o, tables.s, [0.2, 0.9], unmatched=unmatched, within=within)
        np.testing.assert_allclose(quantiles.values, np.quantile(expected, [0.2, 0.9]), rtol=1e-12, atol=1e-15)
        share = cap_ecdf(tables.o, tables.s, 0.1, unmatched=unmatched, within=within)
        assert float(share) == np.mean(at_most(expected, 0.1))
        error = average_cap_interval(tables.o, tables.s, unmatched=unmatched, within=within).standard_error
        assert float(error) == pytest.approx(np.std(expected, ddof=1) / np.sqrt(len(expected)), rel=1e-12)
    everybody = [[credit(x, y, SPANS[kind], triangular) for y in original["t"]] for x in original["t"]]
    assert float(baseline_cap(tables.o, within=within)) == pytest.approx(np.mean(everybody), rel=1e-12)
    crossed = [[credit(x, y, SPANS[kind], triangular) for y in synthetic["t"]] for x in original["t"]]
    assert float(baseline_cap(tables.o, tables.s, kind="crossed", within=within)) == pytest.approx(np.mean(crossed), rel=1e-12)


def test_ties_at_the_edge_count_in_spite_of_rounding():
    """0.3 - 0.1 is more than 0.2 in floats, and 1.1 - 1 more than 0.1."""
    for person, guess, span in ((0.1, 0.3, 0.2), (1.0, 1.1, 0.1), (1e6, 1e6 + 0.1, 0.1)):
        tables = from_counts([[1], [0]], [[0], [1]], target_labels=[person, guess])
        assert float(average_cap(tables.o, tables.s, within=span)) == 1
        assert float(average_cap(tables.o, tables.s, within=span * (1 - 1e-9))) == 0 or person == 1e6


def test_large_integers_and_nanoseconds_are_compared_exactly():
    big = from_counts([[1], [0], [0]], [[0], [1], [1]], target_labels=[10**18, 10**18 + 3, 10**18 + 4])
    assert float(average_cap(big.o, big.s, within=3)) == 0.5
    start = pd.Timestamp("2020-01-01")
    labels = [start, start + pd.Timedelta(3, "ns"), start + pd.Timedelta(4, "ns")]
    times = from_counts([[1], [0], [0]], [[0], [1], [1]], target_labels=labels)
    assert float(average_cap(times.o, times.s, within=pd.Timedelta(3, "ns"))) == 0.5
    beyond = from_counts([[1], [0], [0]], [[0], [1], [1]], target_labels=[10**30, 10**30 + 10**20, 2 * 10**30])
    assert float(average_cap(beyond.o, beyond.s, within=10**20)) == 0.5
    wide = from_counts([[1], [0], [0]], [[0], [1], [1]], target_labels=[-(2**63), 0, 2**63 - 1])
    found = [float(average_cap(wide.o, wide.s, within=within)) for within in (5, 2.0**63, ("triangular", 5), ("triangular", 2.0**64))]
    assert found == pytest.approx([0, 0.5, 0, 0.25], abs=1e-15)


def test_a_function_of_dates_gives_lengths_of_time():
    days = [dt.date(1, 1, 1), dt.date(2020, 1, 5), dt.date(2020, 1, 8), dt.date(9999, 12, 31)]
    tables = from_counts([[1], [1], [0], [0]], [[1], [0], [2], [1]], target_labels=days)
    lengths = np.array([1, 3, 1, 1], "m8[D]")
    found = individual_cap(tables.o, tables.s, within=lambda dates: lengths)
    assert found.values[:, 0].tolist() == [0.25, 0.5, 0.5, 0.25]
    assert float(average_cap(tables.o, tables.s, within=lambda dates: DAY)) == 0.125


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # no moment is in both tables
def test_zones_are_compared_as_moments():
    original = pd.DataFrame({"k": ["a"], "t": pd.to_datetime(["2020-01-01 12:00"]).tz_localize("Europe/Vienna")})
    synthetic = pd.DataFrame({"k": ["a", "a"], "t": pd.to_datetime(["2020-01-01 12:00", "2020-01-01 14:00"]).tz_localize("UTC")})
    tables = capstats.tabulate(original, synthetic, keys="k", target="t")
    assert float(average_cap(tables.o, tables.s, within=dt.timedelta(hours=1))) == 0.5


def test_levels_in_another_order_than_that_of_their_values():
    tables = from_counts([[1], [0], [0]], [[0], [3], [1]], target_labels=[10, 2, 9])
    assert float(average_cap(tables.o, tables.s, within=1)) == 0.25


# --- what holds, and what does not ------------------------------------------------------------------------------------

PAIRS = st.tuples(st.integers(2, 4), st.integers(1, 4)).flatmap(lambda shape: st.tuples(counts(shape), counts(shape)))


@examples(100)
@given(PAIRS, st.sampled_from([0.5, 1, 1.5, 3]))
def test_the_triangular_kernel_keeps_the_baseline_relation(pair, d):
    """And merging keys lowers CAP of the original, as without a tolerance."""
    o = from_counts(pair[0]).o
    kernel = ("triangular", d)
    assert at_most(float(baseline_cap(o, within=kernel)), float(average_cap(o, o, within=kernel)))
    merged = from_counts(np.stack([pair[0][:, ::2].sum(1), pair[0][:, 1::2].sum(1)], 1)).o
    assert at_most(float(average_cap(merged, merged, within=kernel)), float(average_cap(o, o, within=kernel)))


@examples(50)
@given(PAIRS)
def test_average_cap_rises_with_the_distance_from_the_plain_one_to_the_matched_share(pair):
    tables = from_counts(*pair)
    found = [float(average_cap(tables.o, tables.s, within=d)) for d in range(5)]
    assert found[0] == float(average_cap(tables.o, tables.s))
    assert found == sorted(found)
    assert found[-1] == pytest.approx(float(capstats.matched_records(tables.o, tables.s) / tables.o.sum()))


@examples(100)
@given(PAIRS, st.sampled_from([0.5, 1, 1.5, 3]), st.integers(0, 10))
def test_normalised_cap_has_its_scale_with_the_triangular_kernel_alone(pair, d, tenths):
    """Part 3 of theory/baselines.md#comparison, with near guesses: 1 for the original, 0 for its target margin in every key."""
    o, kernel, theta = pair[0], ("triangular", d), tenths / 10
    s = (1 - theta) * o + theta * o.sum(1, keepdims=True) * o.sum(0) / max(o.sum(), 1)
    tables = from_counts(o, s)
    found = normalized_cap(tables.o, tables.s, within=kernel)
    length = float(average_cap(tables.o, tables.o, within=kernel) - baseline_cap(tables.o, within=kernel))
    assert float(found) == pytest.approx(1 - theta, abs=1e-6) if length > 1e-6 else np.isnan(found) or length > 0
    for credit_in_full in (d, lambda x: 0 * x + d):
        with pytest.raises(ValueError, match=r"the pair \(\"triangular\", distance\) for normalised CAP; got .*may be below its baseline"):
            normalized_cap(tables.o, tables.s, within=credit_in_full)


def test_normalised_cap_by_hand():
    """CAP(O) = 1, and b = (2 + 2 * 1/2) / 4 = 3/4 with half credit for the other value; CAP(S) = (1/2 + 1) / 2 = 3/4 and 1."""
    o, one, both = [[1, 0], [0, 1]], [[0, 0], [1, 1]], [[1, 0], [0, 1]]
    for s, expected in ((one, 0), (both, 1)):
        tables = from_counts(o, s)
        assert float(normalized_cap(tables.o, tables.s, within=("triangular", 2))) == expected


def test_windows_that_overlap_put_cap_of_the_original_below_its_baseline():
    o = from_counts([[1, 0], [0, 2], [1, 0]]).o
    assert float(average_cap(o, o, within=1)) == 0.75
    assert float(baseline_cap(o, within=1)) == 0.875
    assert individual_cap(o, o, within=1).sum("target").values.tolist() == [2, 3]


def test_the_contrast_with_a_holdout_is_that_of_a_loop():
    rng = np.random.default_rng(8)
    original, holdout, synthetic = (people("numbers", rng, n) for n in (60, 40, 50))
    tables = capstats.tabulate(original, synthetic, keys=["a", "b"], target="t", holdout=holdout)
    found = individual_share(tables.o, tables.s, h=tables.h, unmatched="zero", within=5)
    of_each = [np.mean(by_loop(sample, synthetic, 5, "zero")) for sample in (original, holdout)]
    assert [float(found.average_cap), float(found.holdout_cap)] == pytest.approx(of_each, rel=1e-12)


@pytest.mark.parametrize("within", [5, ("triangular", 9)])
def test_a_boxplot_has_the_values_and_the_averages_within_the_distance(within):
    rng = np.random.default_rng(9)
    original, synthetic = (people("numbers", rng, n) for n in (60, 50))
    tables = capstats.tabulate(original, synthetic, keys=["a", "b"], target="t")
    o, s = tables.o, tables.s
    box = cap_boxplot(o, s, unmatched="nearest", within=within)
    of_each = by_loop(original, synthetic, 9 if isinstance(within, tuple) else within, "nearest", isinstance(within, tuple))
    expected = [*np.quantile(of_each, [0.25, 0.5, 0.75]), np.mean(of_each)]
    assert [float(box[name]) for name in ("lower_quartile", "median", "upper_quartile", "average")] == pytest.approx(expected, rel=1e-12)
    assert box.original_cap == average_cap(o, o, within=within)
    assert box.baseline_cap == baseline_cap(o, within=within)
    individual = individual_cap(o, s, unmatched="nearest", within=within)
    np.testing.assert_array_equal(box.individual, individual.where(o > 0))


def test_small_keys_keep_their_digits_beside_large_ones():
    """Of a sparse table, whose sums run through all keys, in numpy's longest floats."""
    o, s = np.array([[1.0, 1], [0, 0], [0, 0]]), np.array([[0.1, 1e6 / 3], [0.2, 0], [0.4, 0.7]])[:, ::-1]
    for within, expected in ((1, 0.3 / 0.7), (("triangular", 2), 0.2 / 0.7)):
        tables = from_counts(o, s)
        sparse_s = tables.s.copy(data=sparse.COO.from_numpy(tables.s.values))
        found = individual_cap(tables.o, sparse_s, within=within).data.todense()[0, 1]
        assert found == pytest.approx(expected, rel=1e7 * float(np.finfo(np.longdouble).eps))


# --- what is refused --------------------------------------------------------------------------------------------------

NUMBERS = from_counts([[1], [1]], [[1], [1]], target_labels=[1.5, 2])
DATES = from_counts([[1], [1]], [[1], [1]], target_labels=[dt.date(2020, 1, 1), dt.date(2020, 1, 31)])
TEXTS = from_counts([[1], [1]], [[1], [1]], target_labels={"income": ["low", "high"]})


@pytest.mark.parametrize(
    ("tables", "within", "message"),
    [
        (NUMBERS, -1, "finite and 0 or more; got -1"),
        (NUMBERS, np.nan, "finite and 0 or more; got nan"),
        (NUMBERS, np.inf, "finite and 0 or more"),
        (NUMBERS, True, "must be a number; got True"),
        (NUMBERS, "5", "must be a number; got '5'"),
        (NUMBERS, DAY, "must be a number"),
        (NUMBERS, lambda x: -x, "0 or more for every target"),
        (NUMBERS, lambda x: [1, 1, 1], r"the shape \(3,\) for 2 targets"),
        (NUMBERS, [1, 1], r"one distance, or a function .* the shape \(2,\)"),
        (NUMBERS, ("normal", 1), "the pair"),
        (NUMBERS, ("triangular", 0), "one distance above 0"),
        (NUMBERS, ("triangular", abs), "one distance above 0"),
        (DATES, 30, r"a length of time, such as timedelta\(days=30\)"),
        (DATES, np.timedelta64(1, "M"), "months, years and numbers without a unit have none"),
        (DATES, np.timedelta64(1), "months, years and numbers without a unit have none"),
        (DATES, lambda x: np.ones(2, "m8"), "months, years and numbers without a unit have none"),
        (DATES, np.timedelta64("NaT"), "finite"),
        (DATES, lambda x: 3.0, "a length of time"),
        (TEXTS, 1, r"'income' is of the kind text. Say types=\{'income': \"number\"\}"),
        (from_counts([[1], [1]], [[1], [1]], target_labels=[True, False]), 1, "of the kind bool"),
        (from_counts([[1], [1]], [[1], [1]], target_labels=[1, np.inf]), 1, "infinite ones"),
        (from_counts([[1], [1]], [[1], [1]], target_labels=[1, 10**400]), 1, "beyond 1e308"),
        (
            from_counts([[1], [1]], [[1], [1]], target_labels={"x": [1, 2], "y": [1, 2]}),
            1,
            r"one target column; the tables have \['x', 'y'\]",
        ),
    ],
)
def test_a_wrong_tolerance_is_refused(tables, within, message):
    with pytest.raises((ValueError, TypeError), match=message):
        average_cap(tables.o, tables.s, within=within)


def test_tables_without_labels_a_radius_and_other_baselines_are_refused():
    with pytest.raises(ValueError, match="targets of these tables have no labels"):
        average_cap([[1], [1]], [[1], [1]], within=1)
    labelled = from_counts([[1], [1]], [[1], [1]], key_labels={"a": ["x"]})
    with pytest.raises(ValueError, match="needs radius 0; got radius 1"):
        average_cap(labelled.o, labelled.s, within=1, radius=1)
    with pytest.raises(ValueError, match='needs `kind` "marginal" or "crossed"; got "modal"'):
        baseline_cap(NUMBERS.o, kind="modal", within=1)
