"""The statements of theory/, checked on every small table.

The oracle of each test is written out here from records, in exact fractions, and uses nothing of capstats. Tables are
tuples of rows. The original tables of a shape are all those with few records, and all those with at least one record in
each cell and at most two more, so that positive least counts occur too.
"""

from fractions import Fraction
from functools import cache, partial
from itertools import product
from math import nan

import numpy as np
import pytest
import xarray as xr
from every_release import compositions

import capstats

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

Table = tuple[tuple[int, ...], ...]

# targets, keys, most original records, most synthetic records
SMALL = {
    "1x2": (1, 2, 3, 3),
    "2x1": (2, 1, 4, 3),
    "2x2": (2, 2, 4, 3),
    "2x3": (2, 3, 3, 3),
    "3x2": (3, 2, 3, 3),
    "3x3": (3, 3, 2, 2),
}
shapes = pytest.mark.parametrize("shape", SMALL)
both_versions = pytest.mark.parametrize("unmatched", ["zero", "drop"])


# The tables


@cache
def all_tables(targets: int, keys: int, records: int) -> list[Table]:
    cells = compositions(records, targets * keys)
    return [tuple(flat[i * keys : (i + 1) * keys] for i in range(targets)) for flat in cells]


@cache
def originals(shape: str) -> list[Table]:
    targets, keys, most, _ = SMALL[shape]
    sparse = [o for n in range(1, most + 1) for o in all_tables(targets, keys, n)]
    positive = [tuple(tuple(count + 1 for count in row) for row in o) for n in range(3) for o in all_tables(targets, keys, n)]
    return list(dict.fromkeys(sparse + positive))


@cache
def synthetics(shape: str) -> list[Table]:
    targets, keys, _, most = SMALL[shape]
    return [s for m in range(1, most + 1) for s in all_tables(targets, keys, m)]


def o_array(tables: list[Table], dim: str = "original_table") -> xr.DataArray:
    return xr.DataArray(np.array(tables), dims=(dim, "target", "key"))


s_array = partial(o_array, dim="draw")


def values(result: xr.DataArray, *dims: str) -> np.ndarray:
    return result.transpose(*dims).values


def floats(exact) -> np.ndarray:
    """Nested lists of fractions as an array of floats, None as NaN."""
    if isinstance(exact, list):
        return np.array([floats(item) for item in exact])
    return np.float64(nan if exact is None else float(exact))


def assert_equal(actual, exact) -> None:
    np.testing.assert_allclose(actual, floats(exact), rtol=1e-12, atol=0)


# The definitions of the paper, record by record


def cells_of(table: Table) -> list[tuple[int, int]]:
    return list(product(range(len(table)), range(len(table[0]))))


@cache
def records_of(table: Table) -> list[tuple[int, int]]:
    """One (target, key) pair for each record."""
    return [cell for cell in cells_of(table) for _ in range(table[cell[0]][cell[1]])]


def individual(x: tuple[int, int], s: Table) -> Fraction | None:
    """Definition 1; None where no synthetic record has the key of x."""
    same_key = [y for y in records_of(s) if y[1] == x[1]]
    return Fraction(sum(y[0] == x[0] for y in same_key), len(same_key)) if same_key else None


@cache
def individuals(s: Table) -> dict[tuple[int, int], Fraction | None]:
    return {cell: individual(cell, s) for cell in cells_of(s)}


@cache
def average(o: Table, s: Table, unmatched: str) -> Fraction | None:
    """Definitions 2 and 3."""
    found = [individuals(s)[x] for x in records_of(o)]
    caps = [cap or Fraction(0) for cap in found if cap is not None or unmatched == "zero"]
    return sum(caps, Fraction(0)) / len(caps) if caps else None


def column(table: Table, j: int) -> list[int]:
    return [row[j] for row in table]


def key_totals(table: Table) -> tuple[int, ...]:
    return tuple(sum(column(table, j)) for j in range(len(table[0])))


# theory/cap.md#theorem-1, theory/cap.md#average-cap


@both_versions
@shapes
def test_individual_cap_is_the_share_of_agreeing_synthetic_records(shape, unmatched):
    """Definition 1; at an unmatched key 0 in version 1 and no value in version 2."""
    targets, keys, *_ = SMALL[shape]
    tables = synthetics(shape)
    actual = values(capstats.individual_cap(np.ones((targets, keys), int), s_array(tables), unmatched=unmatched), "draw", "target", "key")
    exact = floats([[[individuals(s)[i, j] for j in range(keys)] for i in range(targets)] for s in tables])
    np.testing.assert_allclose(actual, np.nan_to_num(exact) if unmatched == "zero" else exact, rtol=1e-12, atol=0)


@both_versions
@shapes
def test_average_cap_is_the_mean_over_records(shape, unmatched):
    """Definitions 2 and 3."""
    actual = capstats.average_cap(o_array(originals(shape)), s_array(synthetics(shape)), unmatched=unmatched)
    exact = [[average(o, s, unmatched) for s in synthetics(shape)] for o in originals(shape)]
    assert_equal(values(actual, "original_table", "draw"), exact)


@shapes
def test_matched_records_are_those_with_an_individual_cap(shape):
    o, s = o_array(originals(shape)), s_array(synthetics(shape))
    matched = values(capstats.matched_records(o, s), "original_table", "draw")
    exact = [[sum(individuals(s)[x] is not None for x in records_of(o)) for s in synthetics(shape)] for o in originals(shape)]
    assert matched.tolist() == exact


# theory/attainable.md#lemma-1


@both_versions
@shapes
def test_cap_bounds_are_the_least_and_greatest_of_all_tables_with_the_key_totals(shape, unmatched):
    """Lemma 1; NaN where version 2 is undefined."""
    groups: dict[tuple[int, ...], list[Table]] = {}
    for s in synthetics(shape):
        groups.setdefault(key_totals(s), []).append(s)
    totals = xr.DataArray(np.array(list(groups)), dims=("draw", "key"))
    bounds = capstats.laws.cap_bounds(o_array(originals(shape)), key_totals=totals, unmatched=unmatched)
    for name, extreme in (("least", min), ("greatest", max)):
        exact = [
            [extreme((cap for s in tables if (cap := average(o, s, unmatched)) is not None), default=None) for tables in groups.values()]
            for o in originals(shape)
        ]
        assert_equal(values(bounds[name], "original_table", "draw"), exact)


@both_versions
@shapes
def test_minimum_and_maximum_are_those_of_all_tables(shape, unmatched):
    """Lemma 1 over all key totals, and Theorems 2 and 3, for each number of records; without `m` for at least as many as keys."""
    targets, keys, _, most = SMALL[shape]
    o = o_array(originals(shape))
    least, greatest = (values(f(o, unmatched=unmatched), "original_table") for f in (capstats.minimum_cap, capstats.maximum_cap))
    for m in range(1, most + 1):
        tables = all_tables(targets, keys, m)
        caps = [[cap for s in tables if (cap := average(table, s, unmatched)) is not None] for table in originals(shape)]
        assert_equal(least, list(map(min, caps)))
        assert_equal(values(capstats.maximum_cap(o, unmatched=unmatched, m=m), "original_table"), list(map(max, caps)))
        if m >= keys:
            assert_equal(greatest, list(map(max, caps)))


# theory/attainable.md#theorem-2, theory/attainable.md#theorem-3


@both_versions
@shapes
def test_minimal_cells_are_the_single_cells_that_attain_the_minimum(shape, unmatched):
    """What the sets B and D are for: one record in the cell is a minimiser."""
    targets, keys, *_ = SMALL[shape]
    marked = capstats.laws.minimal_cells(o_array(originals(shape)), unmatched=unmatched)
    assert marked.dtype == bool
    single = all_tables(targets, keys, 1)
    for o, mask in zip(originals(shape), values(marked, "original_table", "target", "key"), strict=True):
        caps = {records_of(s)[0]: cap for s in single if (cap := average(o, s, unmatched)) is not None}
        least = min(caps.values())
        assert {(int(i), int(j)) for i, j in np.argwhere(mask)} == {cell for cell, cap in caps.items() if cap == least}


@both_versions
@shapes
def test_minimal_table_has_m_records_and_attains_the_minimum(shape, unmatched):
    """Theorems 2 and 3, by the exact average CAP of the table returned."""
    targets, keys, *_ = SMALL[shape]
    least_of = {
        o: min(cap for s in all_tables(targets, keys, 1) if (cap := average(o, s, unmatched)) is not None) for o in originals(shape)
    }
    for m in (1, 2, 7):
        tables = capstats.laws.minimal_table(o_array(originals(shape)), m, unmatched=unmatched)
        for o, s in zip(originals(shape), values(tables, "original_table", "target", "key").tolist(), strict=True):
            table = tuple(map(tuple, s))
            assert len(records_of(table)) == m
            assert average(o, table, unmatched) == least_of[o]


@both_versions
def test_a_larger_domain_never_raises_the_minimum(unmatched):
    """Version 1: zero rows and columns make it 0. Version 2: zero rows do, zero columns change nothing."""
    for o in originals("2x2"):
        tables = capstats.from_counts(o, key_labels={"a": ["x", "y"]})
        on_observed = float(capstats.minimum_cap(capstats.observed_domain(tables), unmatched=unmatched))
        as_given = float(capstats.minimum_cap(tables.o, unmatched=unmatched))
        rows, columns = all(map(any, o)), all(key_totals(o))
        complete = rows and (columns or unmatched == "drop")
        assert as_given == (on_observed if complete else 0)


# theory/baselines.md#predictive-success


@shapes
def test_correct_predictions_average_over_all_ways_to_break_ties(shape):
    """Every way to pick one modal target a key, each equally likely."""
    actual = capstats.correct_predictions(o_array(originals(shape)), s_array(synthetics(shape)))

    def modes(s: Table, j: int) -> list[int]:
        return [i for i in range(len(s)) if s[i][j] == max(column(s, j))]

    def rules(s: Table) -> list[dict[int, int]]:
        matched = [j for j, total in enumerate(key_totals(s)) if total]
        return [dict(zip(matched, picks, strict=True)) for picks in product(*(modes(s, j) for j in matched))]

    def mean_hits(o: Table, rules: list[dict[int, int]]) -> Fraction:
        return Fraction(sum(rule.get(j) == i for rule in rules for i, j in records_of(o)), len(rules))

    rules_of = {s: rules(s) for s in synthetics(shape)}
    exact = [[mean_hits(o, rules_of[s]) for s in synthetics(shape)] for o in originals(shape)]
    assert_equal(values(actual, "original_table", "draw"), exact)


@shapes
def test_modal_attack_with_the_original_is_the_best_rule(shape):
    """No rule that predicts one target a key does better, and a random rule is a mixture of such rules."""
    targets, keys, *_ = SMALL[shape]
    o = o_array(originals(shape))
    actual = values(capstats.correct_predictions(o, o), "original_table")
    rules = list(product(range(targets), repeat=keys))
    exact = [max(sum(rule[j] == i for i, j in records_of(table)) for rule in rules) for table in originals(shape)]
    assert actual.tolist() == exact


# theory/baselines.md#baselines


def target_shares(table: Table) -> list[Fraction]:
    return [Fraction(sum(row), len(records_of(table))) for row in table]


@shapes
def test_baselines_are_the_success_of_guesses_without_a_key(shape):
    """Record by record over O; the modal baseline of S is scored on S."""
    o, s = o_array(originals(shape)), s_array(synthetics(shape))

    def success(table: Table, guess: list[Fraction]) -> Fraction:
        return sum((guess[i] for i, _ in records_of(table)), Fraction(0)) / len(records_of(table))

    def mode(shares: list[Fraction]) -> list[Fraction]:
        best = shares.index(max(shares))
        return [Fraction(i == best) for i in range(len(shares))]

    def uniform(table: Table) -> list[Fraction]:
        seen = {i for i, _ in records_of(table)}
        return [Fraction(i in seen, len(seen)) for i in range(len(table))]

    without_s = {"marginal": target_shares, "modal": lambda table: mode(target_shares(table)), "uniform": uniform}
    for kind, guess_of in without_s.items():
        actual = values(capstats.baseline_cap(o, kind=kind), "original_table")
        assert_equal(actual, [success(table, guess_of(table)) for table in originals(shape)])
    crossed = values(capstats.baseline_cap(o, s, kind="crossed"), "original_table", "draw")
    assert_equal(crossed, [[success(table, target_shares(other)) for other in synthetics(shape)] for table in originals(shape)])
    modal = capstats.baseline_cap(originals(shape)[0], s, kind="modal_synthetic")
    assert_equal(values(modal, "draw"), [success(other, mode(target_shares(other))) for other in synthetics(shape)])


# theory/cap.md#distribution


def test_at_most_orders_small_fractions_exactly():
    """All pairs with denominators up to 12, and the closest pairs with denominators near 500 000."""
    small = sorted({Fraction(a, b) for b in range(1, 13) for a in range(b + 1)})
    near = [Fraction(a, b) for b in (499_998, 499_999, 500_000) for a in (1, b // 2, b // 2 + 1, b - 1, b)]
    for fractions in (small, near):
        computed = np.array([x.numerator / x.denominator for x in fractions])
        actual = np.asarray(capstats.at_most(computed[:, np.newaxis], computed[np.newaxis, :]))
        assert actual.tolist() == [[x <= y for y in fractions] for x in fractions]


@shapes
def test_uniform_is_at_most_marginal_is_at_most_modal(shape):
    """And the crossed baseline is at most the modal one, the marginal one at most CAP of the original."""
    o, s = o_array(originals(shape)), s_array(synthetics(shape))
    uniform, marginal, modal = (capstats.baseline_cap(o, kind=kind) for kind in ("uniform", "marginal", "modal"))
    assert capstats.at_most(uniform, marginal).all()
    assert capstats.at_most(marginal, modal).all()
    assert capstats.at_most(marginal, capstats.average_cap(o, o)).all()
    assert capstats.at_most(capstats.baseline_cap(o, s, kind="crossed"), modal).all()
