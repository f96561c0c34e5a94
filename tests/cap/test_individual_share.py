"""How much more often guesses are right for the people in the data: by hand, by a loop over records, and as its page of theory says."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sparse
import xarray as xr
from exact_caps import caps, in_pairs, key_pairs
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.stats import t as student
from small_tables import dataset_of
from strategies import examples

import capstats
from capstats import average_cap, individual_share, tabulate
from capstats.cap.uncertainty import GAINS
from capstats.laws import Pram, sample_tables

SHARES = ("individual_share", "individual_share_lower", "individual_share_upper")


Records = list[tuple[tuple[int, int], float]]  # the cell and the weight of each record


def summed(records: Records, shape: tuple[int, int], power: int = 1) -> np.ndarray:
    found = np.zeros(shape, int if power == 0 else float)
    for at, weight in records:
        found[at] += weight**power
    return found


def by_records(o: Records, s: np.ndarray, h: Records, unmatched: str, level: float = 0.95) -> dict[str, float]:
    """The numbers from lists of records."""
    shape = s.shape
    number = [summed(x, shape, 0) for x in (o, h)]
    t = sum(number) / np.maximum(sum(number).sum(0), 1)
    q, own = (caps(key_pairs(shape[1]), x, unmatched) for x in (s, summed(o, shape)))
    w = [np.array([weight for _, weight in x]) for x in (o, h)]
    effective = [x.sum() ** 2 / (x**2).sum() for x in w]

    def of_each(values: np.ndarray) -> list[np.ndarray]:
        return [np.array([values[at] for at, _ in x]) for x in (o, h)]

    def contrast(values: np.ndarray) -> tuple[list[float], float]:
        """Both means, and the variance of their difference."""
        means = [float(np.average(x, weights=w[k])) for k, x in enumerate(of_each(values))]
        parts = [
            (w[k] ** 2 * (x - means[k]) ** 2).sum() / (w[k].sum() ** 2 - (w[k] ** 2).sum()) if effective[k] > 1 + 1e-9 else np.nan
            for k, x in enumerate(of_each(values))
        ]
        return means, sum(parts)

    (cap, held), plain = contrast(q)
    (gain, _), variance = contrast(q - t)
    gain -= _
    (whole, _), of_whole = contrast(own - t)
    whole -= _
    original = contrast(own)[0][0]
    middle = (t**2).sum(0)
    within = np.average([(t[at] - middle[at[1]]) ** 2 for at, _ in o], weights=w[0])
    parts, squared = 0.0, 0.0
    for j in range(shape[1]):
        keyed = [[weight for at, weight in x if at[1] == j] for x in (o, h)]
        if any(keyed):
            shares = [sum(v**2 for v in x) / sum(x) / w[k].sum() if x else 0 for k, x in enumerate(keyed)]
            weight = len(keyed[1]) / sum(map(len, keyed)) * sum(shares)
            spread = np.diag(t[:, j]) - np.outer(t[:, j], t[:, j])
            parts, squared = parts + weight * np.trace(spread), squared + weight**2 * np.trace(spread @ spread)
    degrees = parts**2 / squared if squared > 1e-15 else 0.0
    share, lower, upper = (np.nan,) * 3
    matched = all((x > 0)[sum(number).sum(0) > 0].all() for x in (s.sum(0), number[0].sum(0))) or unmatched == "nearest"
    if degrees >= 24 and whole >= max(0.01, 2 * np.sqrt(2 * of_whole)) and parts >= 0.0125 and matched:
        share = gain / whole
        quantile = student.ppf((1 + level) / 2, degrees)

        def beyond(r: float) -> float:
            """Below 0 where a test of the ratio r does not reject it."""
            return float(abs(gain - r * whole) - quantile * np.sqrt(contrast(q - t - r * (own - t))[1]))

        lower, upper = (brentq(beyond, share, end) for end in (-9, 9))
    values = [cap, held, cap - held, np.sqrt(plain), gain, np.sqrt(variance), whole, np.sqrt(2 * of_whole), original, original - whole]
    values += [np.sqrt(2 * of_whole + within / effective[0]), share, lower, upper, degrees]
    return dict(zip(GAINS, values, strict=True))


def compare(found: xr.Dataset, expected: dict[str, float]) -> None:
    for name, value in expected.items():
        assert found[name].item() == pytest.approx(value, rel=1e-9, abs=1e-11, nan_ok=True), name


def unweighted(table: np.ndarray) -> Records:
    return [(at, 1.0) for at in np.ndindex(table.shape) for _ in range(table[at])]


# --- the numbers ------------------------------------------------------------------------------------------------------


def test_a_release_between_the_original_and_both_samples_by_hand() -> None:
    """q 11/16, t 5/8, r 3/4 in the larger cells: N = 3/4 * 1/16 - 1/4 * 1/16 = 1/32, D twice that; each key has one degree of freedom.

    A fresh sample would have CAP 5/8 - 1/16: that of the holdout, 1/2, moved to the people of the original.
    """
    o, h, s = [[15, 5] * 15, [5, 15] * 15], [[10] * 30] * 2, [[11, 5] * 15, [5, 11] * 15]
    found = individual_share(o, s, h=h, unmatched="zero")
    assert [found[name].item() for name in ("individual_gain", "original_gain", "individual_share")] == [1 / 32, 1 / 16, 0.5]
    assert (found.average_cap.item(), found.original_cap.item()) == (average_cap(o, s).item(), average_cap(o, o).item())
    assert (found.holdout_cap.item(), found.fresh_sample.item()) == (average_cap(h, s).item(), 5 / 8 - 1 / 16)
    assert found.degrees_of_freedom.item() == pytest.approx(30, rel=1e-12)
    assert individual_share([x[:23] for x in o], [x[:23] for x in s], h=[x[:23] for x in h], unmatched="zero").individual_share.isnull()


@examples(20)
@given(st.data(), st.sampled_from(["zero", "nearest"]))
def test_the_numbers_are_those_of_a_loop_over_records(data: st.DataObject, unmatched: str) -> None:
    shape = data.draw(st.tuples(st.integers(1, 3), st.integers(1, 6)))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    o, s, h = (rng.poisson(data.draw(st.sampled_from([0.5, 2, 9])), shape) for _ in range(3))
    for table in (o, h):
        table[0, :1] += 2  # errors need two records
    s[0, -1] += 1
    expected = by_records(unweighted(o), s, unweighted(h), unmatched)
    for backing in ("dense", "sparse"):
        tables = in_pairs(o, s, h)
        if backing == "sparse":
            tables = [x.copy(data=sparse.COO.from_numpy(x.values)) for x in tables]
        compare(individual_share(tables[0], tables[1], h=tables[2], unmatched=unmatched), expected)


def population(keys: int, rng: np.random.Generator, targets: int = 3) -> Any:
    """Random tables of one population: a function of a number of records."""
    p = (rng.dirichlet(np.ones(keys)) * rng.dirichlet([1.0] * targets, keys).T).ravel()
    return lambda n: rng.multinomial(n, p).reshape(targets, keys)


def surveyed(draw: Any, n: int, rng: np.random.Generator, weights: str) -> Records:
    records = unweighted(draw(n))
    w = {"none": np.ones(n), "equal": np.full(n, 7.3), "uneven": rng.lognormal(0, 1, n)}[weights]
    return [(at, x) for (at, _), x in zip(records, w, strict=True)]


def tables_of(o: Records, s: np.ndarray, h: Records) -> dict[str, np.ndarray]:
    tables = {"o": summed(o, s.shape), "s": s, "h": summed(h, s.shape)}
    for name, x in (("o", o), ("h", h)):
        tables |= {f"{name}_squares": summed(x, s.shape, 2), f"{name}_records": summed(x, s.shape, 0)}
    return tables


def of_surveys(o: Records, s: np.ndarray, h: Records, **options: Any) -> xr.Dataset:
    tables = tables_of(o, s, h)
    return individual_share(dataset_of(**dict(zip(tables, in_pairs(*tables.values()), strict=True))), **options)


def along_runs(*runs: np.ndarray) -> xr.DataArray:
    """Tables of several runs as one array, with the labels of `in_pairs`."""
    return xr.DataArray(np.array(runs), in_pairs(runs[0])[0].coords, ("run", "target", "key"))


@pytest.mark.parametrize("weights", ["none", "uneven"])
def test_with_weights_and_a_share_they_are_those_of_a_loop(weights: str) -> None:
    rng = np.random.default_rng(4)
    draw = population(30, rng)
    o, h = surveyed(draw, 300, rng, weights), surveyed(draw, 200, rng, "none")
    s = np.rint(summed(o, (3, 30)) + draw(200)).astype(int)
    found = of_surveys(o, s, h)
    compare(found, by_records(o, s, h, "nearest"))
    assert 0 < found.individual_share_lower < found.individual_share < found.individual_share_upper
    wide, narrow = (of_surveys(o, s, h, level=level) for level in (0.99, 0.8))
    assert wide.individual_share_lower < found.individual_share_lower < narrow.individual_share_lower


def test_over_all_people_with_fixed_weights_it_gains_nothing_either() -> None:
    """Part 1 with weights: any order of five people over the weights 1, 5 and 2 of the original and 3 and 4 of the holdout."""
    orders = list(permutations([(0, 0), (0, 0), (1, 0), (0, 1), (1, 1)]))
    surveys = [list(zip(x[part], w, strict=True)) for x in orders for part, w in ((slice(3), (1.0, 5.0, 2.0)), (slice(3, 5), (3.0, 4.0)))]
    tables = {
        f"{name}{of}": np.array([summed(x, (2, 2), power) for x in surveys[start::2]])
        for start, name in enumerate("oh")
        for of, power in (("", 1), ("_squares", 2), ("_records", 0))
    }
    found = individual_share(dataset_of(**tables), [[3, 1], [1, 2]], unmatched="zero")
    assert found.individual_gain.mean().item() == pytest.approx(0, abs=1e-14)


def test_the_original_itself_has_share_1_and_targets_redrawn_take_theirs_away() -> None:
    """Parts 2 and 3: 1 for S = O; 1 - theta on average where the keys stay and a share theta of the targets is drawn anew."""
    rng = np.random.default_rng(5)
    rates, gains = rng.dirichlet([0.3] * 3, 200).T * 8, []
    for _ in range(60):
        o, h = in_pairs(rng.poisson(rates), rng.poisson(rates))
        found = individual_share(o, o, h=h)
        assert [found[name].item() for name in SHARES] == pytest.approx([1, 1, 1], abs=1e-7)
        found = individual_share(o, sample_tables(o, Pram(theta=0.5), draws=4, rng=rng), h=h)
        gains.append([found.individual_gain.mean().item(), found.original_gain.mean().item()])
    gain, whole = np.mean(gains, axis=0)
    assert gain / whole == pytest.approx(0.5, abs=0.02)


def test_where_being_matched_is_a_gain_there_is_no_share() -> None:
    """With "zero" the half of part 3 would be .6 for sparse keys: no share unless all keys are matched, and then that of "nearest"."""
    rng = np.random.default_rng(6)
    draw = population(200, rng)
    o, s, h = in_pairs(draw(400), draw(400), draw(400))
    nearest, zero, drop = (individual_share(o, s, h=h, unmatched=x) for x in ("nearest", "zero", "drop"))
    assert nearest.individual_share.notnull()
    assert zero.individual_share.isnull()
    assert drop.individual_share.isnull()
    assert drop.average_cap.item() == average_cap(o, s, unmatched="drop").item()
    o, s, h = in_pairs(*(draw(400) + 1 for _ in range(3)))
    assert individual_share(o, s, h=h).identical(individual_share(o, s, h=h, unmatched="zero"))


# --- the mark of a fresh sample ---------------------------------------------------------------------------------------


def test_a_fresh_sample_is_as_good_as_the_original_is_for_a_holdout() -> None:
    """Part 4, over all samples of a population of two targets and two keys: three records are guessed from three, and two from three."""
    p = np.array([0.4, 0.1, 0.2, 0.3])

    def samples(n: int) -> list[tuple[float, np.ndarray]]:
        found = [np.bincount(records, minlength=4) for records in product(range(4), repeat=n)]
        return [(np.prod(p**counts), counts.reshape(2, 2)) for counts in found]

    def expected(people: int, released: int) -> float:
        return sum(
            weight * its_weight * (x * caps(key_pairs(2), s, "nearest")).sum() / people
            for weight, x in samples(people)
            for its_weight, s in samples(released)
        )

    assert expected(3, 3) == pytest.approx(expected(2, 3), rel=1e-12)
    assert expected(3, 3) < expected(3, 4) - 0.001  # more records tell more
    (of_o, o), (of_h, h) = (zip(*samples(n), strict=True) for n in (3, 2))
    coords = in_pairs(o[0])[0].coords
    o, h = (xr.DataArray(np.array(x), coords, (dim, "target", "key")) for dim, x in (("draw", o), ("other", h)))
    marks = individual_share(o, o, h=h).fresh_sample.transpose("draw", "other")
    mark = float(np.array(of_o) @ marks.values @ np.array(of_h))
    assert mark == pytest.approx(expected(3, 3), rel=1e-12)


def test_the_mark_is_left_of_the_original_by_what_the_original_gains() -> None:
    """Of the same people: a holdout of people who are easier to guess moved the mark to the right of the original itself."""
    o, h = in_pairs([[30, 10, 2, 1], [10, 30, 1, 2]], [[1, 1, 90, 10], [1, 1, 10, 90]])
    found = individual_share(o, o, h=h)
    assert found.holdout_cap > found.fresh_sample
    assert found.fresh_sample.item() == pytest.approx(found.original_cap.item() - found.original_gain.item(), abs=1e-15)
    assert found.fresh_sample_error > found.original_gain_error


# --- when there is a share --------------------------------------------------------------------------------------------


def test_without_keys_that_tell_people_apart_there_is_no_share() -> None:
    found = individual_share([[50, 50], [50, 50]], [[50, 50], [50, 50]], h=[[50, 50], [50, 50]], unmatched="zero")
    assert found.individual_gain.item() == found.original_gain.item() == 0
    assert np.isnan([found[name].item() for name in SHARES]).all()


def test_below_a_point_there_is_no_share() -> None:
    """30 keys and 10,000 people: the original itself gives half a point, and 79 % of that is nothing to print."""
    rng = np.random.default_rng(2)
    draw = population(30, rng)
    o, h = in_pairs(draw(10000), draw(10000))
    found = individual_share(o, o, h=h)
    assert 0.001 < found.original_gain < 0.01
    assert found.degrees_of_freedom > 24
    assert found.original_gain > 3 * found.original_gain_error
    assert found.individual_share.isnull()


def test_swapped_tables_have_an_interval_below_0() -> None:
    """The release is a copy of the holdout."""
    rng = np.random.default_rng(1)
    draw = population(60, rng)
    o, h = in_pairs(draw(500), draw(500))
    assert individual_share(o, h, h=h).individual_share_upper < 0


def test_weights_of_1_give_the_unweighted_numbers_and_their_unit_changes_nothing() -> None:
    rng = np.random.default_rng(8)

    def people(n: int) -> dict[str, Any]:
        return {"k": rng.integers(0, 40, n), "t": rng.integers(0, 3, n), "w": rng.uniform(0.5, 3, n)}

    o, s, h = people(400), people(400), people(300)
    found = []
    for scales in ((1.0, 1.0, 1.0), (1000.0, 1.0, 1.0), (1.0, 1.0, 0.3)):
        frames = [x | {"w": scale * x["w"]} for x, scale in zip((o, s, h), scales, strict=True)]
        x = tabulate(frames[0], frames[1], holdout=frames[2], keys="k", target="t", weights="w")
        found.append(individual_share(x))
    for other, name in product(found[1:], GAINS):
        assert found[0][name].item() == pytest.approx(other[name].item(), rel=1e-9, abs=1e-12), name
    x = tabulate(o, s, holdout=h, keys="k", target="t")
    plain = individual_share(x.o, x.s, h=x.h)
    ones = individual_share(dataset_of(o=x.o, s=x.s, h=x.h, o_squares=x.o, h_squares=x.h, o_records=x.o, h_records=x.h))
    assert all(plain[name].item() == pytest.approx(ones[name].item(), nan_ok=True) for name in plain)


# --- how often intervals cover ----------------------------------------------------------------------------------------


def test_intervals_cover_as_often_as_the_page_says() -> None:
    """benchmarks/intervals.py has more settings."""
    script = Path(capstats.__file__).parents[1] / "benchmarks" / "intervals.py"
    run = subprocess.run([sys.executable, str(script), "--quick"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def splits(both: np.ndarray, n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """All ways to choose which n of the records are the original."""
    records = [at for at in np.ndindex(both.shape) for _ in range(both[at])]
    found = []
    for chosen in combinations(range(len(records)), n):
        o = np.zeros_like(both)
        for r in chosen:
            o[records[r]] += 1
        found.append((o, both - o))
    return found


def test_over_all_splits_a_release_that_does_not_depend_on_them_gains_nothing() -> None:
    """Part 1 of theory/individuals.md#individual-share, in fractions: the mean of sum Delta (q - t) is 0 for any q."""
    both, rng = np.array([[2, 1, 1], [1, 0, 3]]), np.random.default_rng(3)
    q = [[Fraction(int(x), 7) for x in row] for row in rng.integers(0, 8, both.shape)]
    t = [[Fraction(int(both[i, j]), int(both[:, j].sum())) for j in range(3)] for i in range(2)]
    total = sum(
        (Fraction(int(o[i, j]), 3) - Fraction(int(h[i, j]), 5)) * (q[i][j] - t[i][j])
        for o, h in splits(both, 3)
        for i, j in np.ndindex(both.shape)
    )
    assert total == 0
    s = np.array([[1, 0, 2], [1, 0, 0]])
    gains = [individual_share(*in_pairs(o, s), h=in_pairs(h)[0]).individual_gain.item() for o, h in splits(both, 3)]
    assert np.mean(gains) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("keys", [6, 60, 600])
def test_fresh_samples_look_harmless(keys: int) -> None:
    """No share, or an interval that contains 0, in at least 90 of 100 runs."""
    draw = population(keys, np.random.default_rng(keys))
    runs = [[draw(n) for n in (2000, 2000, 1000)] for _ in range(100)]
    o, s, h = (along_runs(*tables) for tables in zip(*runs, strict=True))
    found = individual_share(o, s, h=h)
    contains_0 = (found.individual_share_lower <= 0) & (found.individual_share_upper >= 0)
    assert (found.individual_share.isnull() | contains_0).sum() >= 90


@pytest.mark.parametrize("people", [(800, 200), (200, 800), (400, 400)])
@pytest.mark.parametrize("weights", [("equal", "equal"), ("uneven", "uneven"), ("uneven", "none"), ("none", "equal")])
def test_fresh_samples_of_weighted_people_gain_nothing(people: tuple[int, int], weights: tuple[str, str]) -> None:
    """Both samples weighted to the population, or one: significant in about one of twenty, with a mean share near 0."""
    rng, runs = np.random.default_rng(people[0]), []
    draw = population(20, rng)
    for _ in range(100):
        o, h = (surveyed(draw, n, rng, w) for n, w in zip(people, weights, strict=True))
        runs.append(tables_of(o, draw(people[0]), h))
    found = individual_share(xr.Dataset({name: along_runs(*(run[name] for run in runs)) for name in runs[0]}))
    assert (abs(found.individual_gain) > 1.96 * found.individual_gain_error).sum() <= 14
    assert abs(found.individual_gain.mean() / found.original_gain.mean()) < 0.1
