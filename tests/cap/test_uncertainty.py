"""Standard errors from cells are those of the expanded records, unbiased over all samples, and cover as often as they say."""

from __future__ import annotations

from itertools import product
from math import comb
from typing import Any

import hypothesis.extra.numpy as numpy_strategies
import numpy as np
import pytest
import xarray as xr
from exact_caps import caps, in_pairs, key_pairs
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import norm as normal
from scipy.stats import t as student
from small_tables import dataset_of
from strategies import examples

from capstats import average_cap, average_cap_interval, individual_cap, individual_share, tabulate

theorem = examples(20)
CONVENTIONS = ("zero", "drop", "nearest")


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, Any, Any]:
    shape = draw(st.tuples(st.integers(1, 3), st.integers(1, 5)))
    original = draw(numpy_strategies.arrays(np.int64, shape, elements=st.integers(0, 6)))
    tables = draw(numpy_strategies.arrays(np.int64, (2, 3, *shape), elements=st.integers(0, 4)))
    return original, tables[0], tables[1]


def records(o: Any, s: Any, unmatched: str) -> list[float | None]:
    """Individual CAP of one record after the other; None for one that does not count."""
    of_cells = caps(key_pairs(np.shape(s)[-1]), np.asarray(s), unmatched)
    return [None if np.isnan(x) else x for x in np.repeat(of_cells.ravel(), np.ravel(o)).tolist()]


def of_each(o: Any, tables: Any, unmatched: str) -> list[list[float | None]]:
    """The same with each of several tables."""
    return [records(o, s, unmatched) for s in np.asarray(tables)]


def mean(values: list[float | None]) -> float:
    there = [x for x in values if x is not None]
    return float(np.mean(there)) if there else np.nan


def influences(values: list[float | None]) -> np.ndarray:
    """How far each record moves the mean, so that the sum of squares is var(ddof=1) / N; 0 for one that does not count."""
    n = sum(x is not None for x in values)
    if n < 2:
        return np.full(len(values), np.nan)
    middle = mean(values)
    return np.array([0.0 if x is None else (x - middle) / np.sqrt(n * (n - 1)) for x in values])


# --- an oracle: the records, expanded ---------------------------------------------------------------------------------


@theorem
@given(cases(), st.sampled_from(CONVENTIONS))
def test_the_standard_error_is_that_of_the_mean_of_the_expanded_records(tables: Any, unmatched: str) -> None:
    o, s = tables[0], tables[1][0]
    values = records(o, s, unmatched)
    there = [x for x in values if x is not None]
    found = average_cap_interval(*in_pairs(o, s), unmatched=unmatched)
    assert found.estimate.item() == pytest.approx(mean(values), abs=1e-12, nan_ok=True)
    expected = np.std(there, ddof=1) / np.sqrt(len(there)) if len(there) > 1 else np.nan
    assert found.standard_error.item() == pytest.approx(expected, abs=1e-12, nan_ok=True)


@theorem
@given(cases(), st.sampled_from(CONVENTIONS))
def test_two_tables_are_compared_record_by_record(tables: Any, unmatched: str) -> None:
    """The same records: the variance of the differences of their CAPs."""
    o, (s, *_), (other, *_) = tables
    a, b = records(o, s, unmatched), records(o, other, unmatched)
    found = average_cap_interval(*in_pairs(o, s), against=in_pairs(other)[0], unmatched=unmatched)
    assert found.estimate.item() == pytest.approx(mean(a) - mean(b), abs=1e-12, nan_ok=True)
    expected = np.sqrt(np.sum((influences(a) - influences(b)) ** 2)) if a else np.nan
    assert found.standard_error.item() == pytest.approx(expected, abs=1e-12, nan_ok=True)


@theorem
@given(cases(), st.sampled_from(CONVENTIONS), st.booleans())
def test_several_syntheses_have_two_sources_of_variance(tables: Any, unmatched: str, compared: bool) -> None:
    """Var over records of the mean over tables of q, over n, and the variance between tables over their number."""
    o, s, other = tables
    a, b = of_each(o, s, unmatched), of_each(o, other, unmatched)
    means, influence = [mean(x) for x in a], [influences(x) for x in a]
    if compared:
        means = [x - mean(y) for x, y in zip(means, b, strict=True)]
        influence = [x - influences(y) for x, y in zip(influence, b, strict=True)]
    against = in_pairs(other)[0] if compared else None
    found = average_cap_interval(*in_pairs(o, s), against=against, over="draw", unmatched=unmatched)
    assert found.estimate.dims == ()
    assert found.estimate.item() == pytest.approx(np.mean(means), abs=1e-12, nan_ok=True)
    within, between = np.sum(np.mean(influence, axis=0) ** 2) if o.any() else np.nan, np.var(means, ddof=1) / 3
    assert found.standard_error.item() == pytest.approx(np.sqrt(within + between), abs=1e-12, nan_ok=True)
    if unmatched == "zero" and o.sum() > 1 and not compared:
        assert within == pytest.approx(np.var(np.mean(a, axis=0), ddof=1) / o.sum(), abs=1e-12)
        if between > 1e-9:
            more = normal.ppf(0.975) ** 2  # records, half of them 0 and half 1
            values = np.concatenate([np.mean(a, axis=0), [0, 1]])
            weights = np.concatenate([np.ones(o.sum()), [more / 2] * 2])
            centre = np.average(values, weights=weights)
            variance = np.average((values - centre) ** 2, weights=weights) / (o.sum() + more)
            reach = np.sqrt(more * variance + student.ppf(0.975, 2) ** 2 * between)
            assert found.upper.item() == pytest.approx(min(centre + reach, 1))
            assert found.lower.item() == pytest.approx(max(centre - reach, 0))


@theorem
@given(cases(), st.sampled_from(CONVENTIONS))
@example((np.array([[2, 1]]), np.array([[[0, 0]], [[1, 3]], [[0, 0]]]), np.zeros((3, 1, 2), int)), "zero")  # nobody is in the release
def test_the_holdout_is_another_sample(tables: Any, unmatched: str) -> None:
    """The variances add up."""
    o, (s, h, _), _ = tables
    a, b = records(o, s, unmatched), records(h, s, unmatched)
    found = individual_share(*in_pairs(o, s), h=in_pairs(h)[0], unmatched=unmatched)
    assert (found.average_cap.item(), found.holdout_cap.item()) == pytest.approx((mean(a), mean(b)), abs=1e-12, nan_ok=True)
    assert found.plain_contrast.item() == pytest.approx(mean(a) - mean(b), abs=1e-12, nan_ok=True)
    expected = np.sum(influences(a) ** 2) + np.sum(influences(b) ** 2) if a and b else np.nan
    assert found.plain_contrast_error.item() == pytest.approx(np.sqrt(expected), abs=1e-12, nan_ok=True)


# --- values worked out by hand ----------------------------------------------------------------------------------------


def test_four_records_of_which_two_are_certain() -> None:
    """CAP 1/2, 1/2, 1, 1: variance 4 (1/4)^2 / 3 = 1/12, of the mean 1/48. With z^2 = 3.8415 more records, half 0 and half 1, the mean is
    4.9207 / 7.8415 and the sum of squares 2 / 4 + 2 + 1.9207 less 7.8415 times the square of this mean.
    """
    found = average_cap_interval([[1, 2], [1, 0]], [[1, 3], [1, 0]])
    assert found.estimate.item() == 0.75
    assert found.standard_error.item() == pytest.approx(48**-0.5)
    mean = 4.9207 / 7.8415
    reach = 1.96 * (0.5 + 2 + 1.9207 - 7.8415 * mean**2) ** 0.5 / 7.8415
    assert (found.lower.item(), found.upper.item()) == pytest.approx((mean - reach, mean + reach), abs=1e-4)


def test_all_certain_of_few_records_is_not_certain_of_all() -> None:
    """100 people of CAP 1, of whom other samples would have some with less: not [1, 1], which held the mean .998 in .22 of samples."""
    found = average_cap_interval([[60, 40]], [[3, 5]])
    assert (found.estimate.item(), found.standard_error.item(), found.upper.item()) == (1, 0, 1)
    assert found.lower.item() == pytest.approx(0.95, abs=0.01)
    nobody = average_cap_interval([[60, 40], [0, 0]], [[0, 0], [3, 5]])
    assert nobody.lower.item() == 0
    assert nobody.upper.item() == pytest.approx(1 - found.lower.item(), abs=1e-12)


@pytest.mark.parametrize("mean", [0.002, 0.02, 0.98, 0.998])
def test_near_0_and_1_intervals_cover_as_well(mean: float) -> None:
    rng = np.random.default_rng(3)
    o = rng.multinomial(100, [mean, 1 - mean], 4000)[:, None, :] * np.array([[1], [0]])
    assert covers(average_cap_interval(o, [[1, 0], [0, 1]]), mean) >= 0.94


def test_records_that_are_left_out_deviate_by_nothing() -> None:
    """With "drop" three records of CAP 1, 1, 0 count: 2/9 over 2; with "zero" a fourth of 0: 1/4 over 3."""
    o, s = [[2, 1], [1, 0]], [[1, 0], [0, 0]]
    assert average_cap_interval(o, s, unmatched="drop").standard_error.item() == pytest.approx((2 / 9 / 2) ** 0.5)
    assert average_cap_interval(o, s).standard_error.item() == pytest.approx((1 / 4 / 3) ** 0.5)


def test_a_table_differs_from_itself_by_exactly_nothing() -> None:
    o, s = [[3, 1, 2], [1, 5, 1]], [[7, 1, 3], [3, 9, 4]]
    found = average_cap_interval(o, s, against=s)
    assert [found[x].item() for x in ("estimate", "standard_error", "lower", "upper")] == [0, 0, 0, 0]
    assert (found.attrs["result"], average_cap_interval(o, s).attrs["result"]) == (
        "Interval for a difference of average CAP",
        "Interval for average CAP",
    )


# --- theorems ---------------------------------------------------------------------------------------------------------

POPULATION = np.array([[0.25, 0.05, 0.1], [0.2, 0.3, 0.1]])
SYNTHETIC = np.array([[3, 1, 0], [1, 1, 0]])


def samples(n: int, p: np.ndarray = POPULATION) -> tuple[np.ndarray, np.ndarray]:
    """All tables of n records, and the probability of each as a sample from the population."""
    tables, chances = [], []
    for counts in product(range(n + 1), repeat=p.size):
        if sum(counts) == n:
            left, ways = n, 1
            for x in counts:
                ways *= comb(left, x)
                left -= x
            tables.append(np.reshape(counts, p.shape))
            chances.append(ways * np.prod(p.ravel() ** np.array(counts)))
    return np.array(tables), np.array(chances)


def moments(values: Any, chances: Any) -> tuple[float, float]:
    first = np.sum(values * chances) / np.sum(chances)
    return first, np.sum((values - first) ** 2 * chances) / np.sum(chances)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_the_variance_is_unbiased_over_all_samples(n: int) -> None:
    o, chances = samples(n)
    assert chances.sum() == pytest.approx(1)
    found = average_cap_interval(o, SYNTHETIC)
    mean_of_estimates, variance = moments(found.estimate.values, chances)
    assert mean_of_estimates == pytest.approx(average_cap(POPULATION, SYNTHETIC).item(), rel=1e-12)
    assert np.sum(chances * found.standard_error.values**2) == pytest.approx(variance, rel=1e-12)


@pytest.mark.parametrize("matched", [2, 3, 4])
def test_with_drop_it_is_unbiased_given_how_many_are_matched(matched: int) -> None:
    o, chances = samples(4)
    this = o[..., :2].sum((-2, -1)) == matched
    found = average_cap_interval(o[this], SYNTHETIC, unmatched="drop")
    mean_of_estimates, variance = moments(found.estimate.values, chances[this])
    assert mean_of_estimates == pytest.approx(average_cap(POPULATION, SYNTHETIC, unmatched="drop").item(), rel=1e-12)
    assert np.sum(chances[this] * found.standard_error.values**2) / chances[this].sum() == pytest.approx(variance, rel=1e-12)


def test_the_variance_of_a_contrast_is_unbiased_over_all_samples() -> None:
    o, chances = samples(4)
    found = average_cap_interval(o, SYNTHETIC, against=[[0, 2, 1], [1, 1, 1]])
    assert np.sum(chances * found.standard_error.values**2) == pytest.approx(moments(found.estimate.values, chances)[1], rel=1e-12)


def test_the_variance_against_a_holdout_is_unbiased_over_all_pairs_of_samples() -> None:
    (o, of_o), (h, of_h) = samples(3), samples(2)
    tables = xr.DataArray(o, dims=("draw", "target", "key")), SYNTHETIC
    found = individual_share(*tables, h=xr.DataArray(h, dims=("other", "target", "key")), unmatched="zero").transpose("draw", "other")
    chances = of_o[:, None] * of_h
    expectation, variance = moments(found.plain_contrast.values, chances)
    assert expectation == pytest.approx(0, abs=1e-12)
    assert np.sum(chances * found.plain_contrast_error.values**2) == pytest.approx(variance, rel=1e-12)


def test_over_syntheses_the_variance_is_too_large_by_what_the_page_says() -> None:
    """Over all samples of 3 records and all pairs of syntheses of 2 records from a fixed law.

    The excess is the mean over a sample's records of the variance over syntheses of q, less the variance of their mean, over
    (n - 1) times the number of tables.
    """
    law = np.array([[0.4, 0.1], [0.2, 0.3]])
    o, of_o = samples(3, np.array([[0.3, 0.2], [0.1, 0.4]]))
    s, of_s = samples(2, law)
    found = average_cap_interval(
        xr.DataArray(o, dims=("sample", "target", "key")),
        xr.DataArray(np.array([[a, b] for a in s for b in s]), dims=("draw", "synthetic", "target", "key")),
        over="synthetic",
    ).transpose("sample", "draw")
    chances = of_o[:, None] * np.array([a * b for a in of_s for b in of_s])
    variance = moments(found.estimate.values, chances)[1]
    q = individual_cap(o[0], s).values
    of_cells = np.einsum("dij,d->ij", q**2, of_s) - np.einsum("dij,d->ij", q, of_s) ** 2
    shares = o / 3
    cap = np.einsum("oij,dij->od", shares, q)
    of_cap = cap**2 @ of_s - (cap @ of_s) ** 2
    excess = of_o @ (np.einsum("oij,ij->o", shares, of_cells) - of_cap) / (3 - 1) / 2
    assert excess > 0
    assert np.sum(chances * found.standard_error.values**2) == pytest.approx(variance + excess, rel=1e-12)


# --- coverage, by simulation ------------------------------------------------------------------------------------------


def covers(found: xr.Dataset, truth: float) -> float:
    return float(((found.lower <= truth) & (found.upper >= truth)).mean())


def drawn(rng: np.random.Generator, n: int, p: np.ndarray, *size: int) -> np.ndarray:
    return rng.multinomial(n, p.ravel(), size).reshape(*size, *p.shape)


@pytest.mark.parametrize("unmatched", ["zero", "drop"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_cover_as_often_as_they_say(unmatched: str, level: float) -> None:
    """4000 samples of 300 records; four standard deviations of a share, and 0.005 for what the normal curve leaves out."""
    rng = np.random.default_rng(1)
    o = drawn(rng, 300, POPULATION, 4000)
    other = np.array([[0, 2, 1], [5, 1, 1]])
    first, second = (average_cap(POPULATION, x, unmatched=unmatched).item() for x in (SYNTHETIC, other))
    options: dict[str, Any] = {"unmatched": unmatched, "level": level}
    tolerance = 4 * (level * (1 - level) / 4000) ** 0.5 + 0.005
    assert covers(average_cap_interval(o, SYNTHETIC, **options), first) == pytest.approx(level, abs=tolerance)
    assert covers(average_cap_interval(o, SYNTHETIC, against=other, **options), first - second) == pytest.approx(level, abs=tolerance)


@pytest.mark.parametrize("tables", [2, 5, 20])
def test_intervals_over_syntheses_cover_as_often_as_they_say(tables: int) -> None:
    """From a fixed law of synthesis; q is read off 60 records, so that both sources of variance count."""
    rng = np.random.default_rng(tables)
    o = xr.DataArray(drawn(rng, 300, POPULATION, 4000), dims=("draw", "target", "key"))
    law = np.array([[0.3, 0.1, 0.1], [0.2, 0.1, 0.2]])
    s = xr.DataArray(drawn(rng, 60, law, 4000, tables), dims=("draw", "synthetic", "target", "key"))
    empty = (1 - law.sum(0)) ** 60
    truth = float((POPULATION * law / law.sum(0) * (1 - empty)).sum())
    found = average_cap_interval(o, s, over="synthetic")
    tolerance = 4 * (0.95 * 0.05 / 4000) ** 0.5
    assert 0.95 - tolerance - 0.005 <= covers(found, truth) <= 0.95 + tolerance + 0.02
    alone = average_cap_interval(o, s.isel(synthetic=0))
    assert covers(alone, truth) < 0.9, "one table's interval leaves the synthesis out"


# --- shapes, labels and errors ----------------------------------------------------------------------------------------


def test_too_few_records_or_tables_have_no_standard_error() -> None:
    assert np.isnan(average_cap_interval([[1]], [[1]]).standard_error.item())
    assert np.isnan(average_cap_interval([[5, 1]], [[0, 1]], unmatched="drop").standard_error.item())
    one = average_cap_interval([[5, 1], [2, 2]], [[[1, 1], [1, 3]]], over="draw")
    assert one.estimate.item() == average_cap([[5, 1], [2, 2]], [[1, 1], [1, 3]]).item()
    assert all(np.isnan(one[name].item()) for name in ("standard_error", "lower", "upper"))
    nobody = average_cap_interval([[0]], [[1]])
    assert all(np.isnan(nobody[name].item()) for name in nobody)


def test_counts_near_the_greatest_are_held() -> None:
    """2**50 records: N (N - 1) is beyond integers."""
    large = 2**49
    found = average_cap_interval([[large, large]], [[1, 0]])
    assert found.estimate.item() == 0.5
    assert found.standard_error.item() == pytest.approx(0.5 * (2 * large) ** -0.5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"o": [[0.5, 1]]}, "`o` must hold integers, because a standard error needs numbers of records"),
        ({"level": 1}, "`level` must be between 0 and 1, such as 0.95; got 1"),
        ({"level": "0.9"}, "`level` must be between 0 and 1"),
        ({"level": 95}, "`level` must be between 0 and 1"),
        ({"over": "synthetic"}, "`over` must be a dim of `s`, and neither 'target' nor 'key'; got 'synthetic'"),
        ({"s": [[[1, 1]]], "over": "draw", "against": [[1, 1]]}, "`over` must be a dim of `against`"),
        ({"s": [[[1, 1]]], "over": "draw", "against": [[[1, 1]]] * 2}, "`s` has 1 tables along 'draw', `against` has 2"),
        ({"against": [[-1, 2]]}, "`against` must be non-negative; got -1"),
    ],
)
def test_bad_input_is_named(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"o": [[1, 2]], "s": [[1, 1]]} | change
    with pytest.raises(ValueError, match=message):
        average_cap_interval(arguments.pop("o"), arguments.pop("s"), **arguments)


def test_a_holdout_of_weights_is_refused() -> None:
    with pytest.raises(ValueError, match="`h` must hold integers, because a standard error needs numbers of records"):
        individual_share([[1, 2]], [[1, 1]], h=[[0.5, 1]], unmatched="zero")
    with pytest.raises(ValueError, match="`level` must be between"):
        individual_share([[1, 2]], [[1, 1]], h=[[1, 1]], level=0)


def test_a_weighted_table_without_its_squares_is_refused_whole_or_not() -> None:
    for weights in ([1, 2, 3], [0.5, 1, 2]):
        frame = {"k": [0, 0, 1], "t": [0, 1, 1], "w": weights}
        tables = tabulate(frame, frame, holdout=frame, keys="k", target="t", weights=("w", None))
        with pytest.raises(ValueError, match=r"`o` holds sums of the sampling weights 'w', .* Give the Dataset that tabulate returned"):
            average_cap_interval(tables.o, tables.s)
        with pytest.raises(ValueError, match=r"`o` holds sums of the sampling weights 'w'"):
            average_cap_interval(tables.o.isel(key=[1, 0]).sel(target=[0, 1]), tables.s)
        with pytest.raises(ValueError, match=r"`h` holds sums .* which holds them as h_squares"):
            individual_share(tables.drop_vars("h_squares"))
        with pytest.raises(ValueError, match=r"`o` holds sums .* which holds them as o_squares"):
            individual_share(tables.o, tables.s, h=tables.o_records)
        assert average_cap_interval(tables.o_records, tables.s).standard_error.item() > 0


UNITS = [[2, 1], [1, 1]]


@pytest.mark.parametrize(
    ("squares", "message"),
    [
        ([[5, 1], [1, 1]], "`o_squares` must hold the sum of the squared weights of each cell of `o`.*tables.o_squares"),
        ([[0, 1], [1, 1]], "`o_squares` must hold the sum of the squared weights"),
        ([[-1, 1], [1, 1]], "`o_squares` must be non-negative; got -1 at"),
        ([[np.nan, 1], [1, 1]], "`o_squares` must be finite"),
    ],
)
def test_squares_that_cannot_be_those_of_the_weights_are_refused(squares: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        average_cap_interval(dataset_of(o=UNITS, s=[[1, 1], [1, 1]], o_squares=squares))
    with pytest.raises(ValueError, match=message.replace("`o_squares`", "`h_squares`").replace("`o`", "`h`").replace("o_sq", "h_sq")):
        individual_share(dataset_of(o=UNITS, s=[[1, 1], [1, 1]], h=UNITS, h_squares=squares, h_records=UNITS), unmatched="zero")
