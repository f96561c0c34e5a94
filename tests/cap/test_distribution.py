"""How individual CAP is distributed over records: held against numpy and matplotlib on the records themselves, written out."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.cbook import boxplot_stats

from capstats import cap_boxplot, cap_ecdf, cap_quantiles
from capstats.datasets import paper_originals, paper_synthetics

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here

BOX = {"lower_whisker": "whislo", "lower_quartile": "q1", "median": "med", "upper_quartile": "q3", "upper_whisker": "whishi"}
LEVELS = [0.0, 1.0, 0.5, 0.25, 0.75, 1 / 3, 2 / 3, 0.1 + 0.2, 0.9, 0.95, 0.99, 5e-324, np.nextafter(1, 0), np.nextafter(0.5, 1), 1e-9]
both_versions = pytest.mark.parametrize("unmatched", ["zero", "drop"])


@pytest.fixture(autouse=True)
def _no_figure_stays_open():
    yield
    plt.close("all")


def written_out(o, s, unmatched="zero"):
    """The individual CAP of every original record, as a list of records would have it."""
    o, s = np.asarray(o), np.asarray(s)
    found = []
    for i, j in np.ndindex(o.shape):
        total = int(s[:, j].sum())
        if total or unmatched == "zero":
            found += [int(s[i, j]) / total if total else 0.0] * int(o[i, j])
    return np.array(found)


def random_pair(rng, *size):
    """Two tables, or so many of each, of one shape."""
    shape = (*size, rng.integers(1, 5), rng.integers(1, 7))
    o, s = (rng.integers(0, rng.integers(2, 30), shape) * (rng.random(shape) < 0.6) for _ in range(2))
    o[..., 0, 0] += 1
    return o, s


# Hand-derived values


def test_ecdf_counts_a_value_that_rounding_moves_as_a_tie():
    """0.1 + 0.2 and 3/10 are the same point."""
    o, s = [[4], [6]], [[3], [7]]
    assert 0.1 + 0.2 > 3 / 10 > 1 - 0.7 - 1e-16
    assert cap_ecdf(o, s, [0.1 + 0.2, 3 / 10, 0.3 - 1e-14, 0.3 - 1e-9]).values.tolist() == [0.4, 0.4, 0.4, 0]


def test_the_median_of_two_people_is_rounded_as_by_numpy():
    """Half of 1/6 and 1/2: from below it is .33333333333333337, from above .3333333333333333."""
    assert cap_quantiles([[1, 1], [0, 0]], [[1, 1], [1, 5]], 0.5).item() == np.quantile([1 / 6, 1 / 2], 0.5)


# numpy and matplotlib, on the records


@both_versions
def test_quantiles_are_those_of_numpy_bit_for_bit(unmatched):
    rng = np.random.default_rng(11)
    for _ in range(100):
        pairs = random_pair(rng, 4)
        levels = np.concatenate([LEVELS, rng.random(6), rng.random(3) ** 20])
        found = cap_quantiles(*pairs, levels, unmatched=unmatched).transpose(..., "quantile")
        for o, s, ours in zip(*pairs, found.values, strict=True):
            records = written_out(o, s, unmatched)
            expected = np.quantile(records, levels) if len(records) else np.full(len(levels), np.nan)
            np.testing.assert_array_equal(ours, expected)  # no tolerance
        np.testing.assert_array_equal(found["quantile"].values, levels)


def test_quantiles_of_many_records_are_those_of_numpy_bit_for_bit():
    """200,000 records, so that ranks have many digits."""
    rng = np.random.default_rng(12)
    o, s = rng.multinomial(200_000, rng.dirichlet(np.ones(12))).reshape(3, 4), rng.multinomial(999, np.ones(12) / 12).reshape(3, 4)
    levels = rng.random(500)
    np.testing.assert_array_equal(cap_quantiles(o, s, levels).values, np.quantile(written_out(o, s), levels))


@both_versions
def test_ecdf_is_that_of_matplotlib_on_the_records(unmatched):
    rng = np.random.default_rng(13)
    drawn = 0
    _, ax = plt.subplots()
    for _ in range(120):
        o, s = random_pair(rng)
        records = written_out(o, s, unmatched)
        if not len(records):
            continue
        line = ax.ecdf(records)
        x, y = (np.asarray(data)[1:] for data in line.get_data())  # the first point is minus infinity
        last = np.append(x[1:] > x[:-1], True)  # of several records with one value, the last has the share of all
        x, y = x[last], y[last]
        line.remove()
        np.testing.assert_array_equal(cap_ecdf(o, s, x, unmatched=unmatched).values, y)
        after = x + np.diff(x, append=2) / 2
        np.testing.assert_array_equal(cap_ecdf(o, s, after, unmatched=unmatched).values, y)
        np.testing.assert_array_equal(cap_ecdf(o, s, [-1, -np.inf, 1, 2, np.inf], unmatched=unmatched).values, [0, 0, 1, 1, 1])
        drawn += 1
    assert drawn > 100


@both_versions
def test_boxplot_is_that_of_matplotlib_on_the_records(unmatched):
    """But for records that lie on the end of a whisker's reach, where matplotlib goes by the last bit."""
    rng = np.random.default_rng(14)
    compared = 0
    for _ in range(150):
        o, s = random_pair(rng)
        records = written_out(o, s, unmatched)
        box = cap_boxplot(o, s, unmatched=unmatched)
        if not len(records):
            assert all(np.isnan(box[name].item()) for name in BOX)
            continue
        (stats,) = boxplot_stats(records)
        ends = np.array([stats["q1"] - 1.5 * stats["iqr"], stats["q3"] + 1.5 * stats["iqr"]])
        if np.isclose(records[:, None], ends, rtol=0, atol=1e-9).any() and stats["iqr"] > 0:
            continue
        compared += 1
        for ours, theirs in BOX.items():
            assert box[ours].item() == pytest.approx(stats[theirs], rel=1e-14, abs=1e-15), ours
        cells = box.individual.values
        outside = cells[(cells < box.lower_whisker.item()) | (cells > box.upper_whisker.item())]
        assert sorted(set(outside)) == sorted(set(stats["fliers"]))
        values, people = np.unique(stats["fliers"], return_counts=True)
        assert (box.outliers.values.tolist(), box.outlier_records.values.tolist()) == (values.tolist(), people.tolist())
        assert box.records.item() == len(records)
        assert box.average.item() == pytest.approx(stats["mean"], rel=1e-13)
    assert compared > 100


def test_whiskers_end_at_records_within_reach_of_the_quartiles():
    """Quartiles .4 and .6, so that whiskers reach from .1 to .9; records at .05, .2, .92 and .95 beside 90 at the quartiles."""
    box = cap_boxplot([[1, 5, 45, 45, 2, 3], [0] * 6], [[5, 2, 4, 6, 92, 95], [95, 8, 6, 4, 8, 5]])
    assert [box[name].item() for name in BOX] == [0.2, 0.4, 0.4, 0.6, 0.6]
    assert (box.outliers.values.tolist(), box.outlier_records.values.tolist()) == ([0.05, 0.92, 0.95], [1, 2, 3])


def test_outliers_that_rounding_sets_apart_are_one():
    """0.1 + 0.2 and 3/10, as shares of float weights, stand for 7 records."""
    o, s = [[0, 3, 4], [90, 0, 0]], [[0, 0.1 + 0.2, 0.3], [1, 0.7, 0.7]]
    box = cap_boxplot(o, s)
    assert len({x for x in box.individual.values.ravel() if 0 < x < 1}) == 2
    assert box.outlier_records.values.tolist() == [7]


def test_outliers_of_fewer_values_are_followed_by_nothing():
    o = [[45, 1, 2], [45, 0, 0]]
    box = cap_boxplot(o, [[[1, 0, 9], [1, 1, 1]], [[1, 1, 1], [1, 1, 1]], [[1, 1, 0], [1, 1, 1]]])
    np.testing.assert_array_equal(box.outliers.values, [[0, 0.9], [np.nan, np.nan], [0, np.nan]])
    assert box.outlier_records.values.tolist() == [[1, 2], [0, 0], [2, 0]]


def test_rank_of_an_average_shares_ties_whatever_the_last_bit():
    """On O_1 every average is 1/3; a table without a matched record has no rank in version 2."""
    tied = cap_boxplot(paper_originals().sel(original="O_1", drop=True), paper_synthetics())
    assert tied.average_rank.values.tolist() == [1, 1, 1, 1]
    found = cap_boxplot([[3, 0], [1, 0]], [[[0, 1], [0, 1]], [[1, 0], [1, 0]], [[1, 0], [0, 0]]], unmatched="drop")
    np.testing.assert_array_equal(found.average_rank.values, [np.nan, 2, 1])
    assert found.records.values.tolist() == [0, 4, 4]


@both_versions
def test_ecdf_and_quantiles_say_how_many_records_they_are_of(unmatched):
    o, s = [[3, 2], [1, 4]], [[1, 0], [2, 0]]
    assert cap_ecdf(o, s, [0.1, 0.5], unmatched=unmatched).attrs["records"] == {"zero": 10, "drop": 4}[unmatched]
    several = cap_ecdf(o, [s, [[1, 1], [1, 1]]], 0.5, unmatched=unmatched)
    assert several.attrs["records"] == {"zero": 10, "drop": [4, 10]}[unmatched]
    quantiles = cap_quantiles(o, [s, [[1, 1], [1, 1]]], [0.25, 0.5], unmatched=unmatched)
    assert quantiles.attrs["records"] == several.attrs["records"]


def test_record_at_the_end_of_the_reach_belongs_to_the_whisker():
    """Values 0.4 and 0.6 ten times each, 0.9 once: 0.9 = 0.6 + 1.5 * 0.2 is within, whatever rounding makes of the sum."""
    assert 0.6 + 1.5 * (0.6 - 0.4) < 0.9
    box = cap_boxplot([[10, 10, 1], [0, 0, 0]], [[4, 6, 9], [6, 4, 1]])
    assert (box.lower_quartile.item(), box.upper_quartile.item()) == (0.4, 0.6)
    assert box.upper_whisker.item() == 0.9
    beyond = cap_boxplot([[10, 10, 1], [0, 0, 0]], [[4, 6, 91], [6, 4, 9]])
    assert beyond.upper_whisker.item() == 0.6


# Counts that nobody could write out


def test_median_between_two_huge_groups_lies_halfway():
    """10**12 records at 1/4 and as many at 3/4: the median is between the last and the first of them."""
    o, s = [[10**12], [10**12]], [[1], [3]]
    assert cap_quantiles(o, s, 0.5).item() == 0.5
    assert cap_ecdf(o, s, [0.25, 0.5, 0.75]).values.tolist() == [0.5, 0.5, 1]
    more = [[10**12 + 1], [10**12]]
    assert cap_quantiles(more, s, 0.5).item() == 0.25
    assert cap_boxplot(more, s)["median"].item() == 0.25


# Shapes


def test_one_level_gives_no_dim_and_several_give_one():
    o, s = [[1, 2], [3, 4]], [[1, 1], [1, 1]]
    assert cap_quantiles(o, s, 0.5).dims == ()
    assert cap_quantiles(o, s, [0.5]).dims == ("quantile",)
    assert cap_quantiles(o, s, 0.5)["quantile"].item() == 0.5
    assert cap_ecdf(o, s, 0.5).dims == ()
    assert cap_ecdf(o, s, [0.5, 0.5])["at"].values.tolist() == [0.5, 0.5]


def test_results_are_undefined_where_no_record_counts():
    o, s = [[[1, 0]], [[0, 1]], [[0, 0]]], [[1, 0]]
    np.testing.assert_array_equal(cap_quantiles(o, s, 0.5, unmatched="drop").values, [1, np.nan, np.nan])
    np.testing.assert_array_equal(cap_ecdf(o, s, 0.5, unmatched="drop").values, [0, np.nan, np.nan])
    np.testing.assert_array_equal(cap_quantiles(o, s, 0.5).values, [1, 0, np.nan])
    np.testing.assert_array_equal(cap_boxplot(o, s).upper_whisker.values, [1, 0, np.nan])
    np.testing.assert_array_equal(cap_boxplot(o, s, unmatched="drop").average.values, [1, np.nan, np.nan])


# Bad input


@pytest.mark.parametrize("q", [-0.1, 1.0000001, np.nan, np.inf, [], [0.5, -1], [[0.5]], [[0.1], [0.2]], "a", None, [[0.1], 0.2]])
def test_levels_outside_0_and_1_raise(q):
    with pytest.raises(ValueError, match="`q` must be one probability or a sequence of them, from 0 to 1"):
        cap_quantiles([[1, 2]], [[1, 2]], q)


@pytest.mark.parametrize("at", [np.nan, [], [0.5, np.nan], [[0.5]], "a", {}])
def test_places_that_are_no_numbers_raise(at):
    with pytest.raises(ValueError, match="`at` must be one number or a sequence of numbers"):
        cap_ecdf([[1, 2]], [[1, 2]], at)


@pytest.mark.parametrize("call", [lambda o, s: cap_quantiles(o, s, 0.5), cap_boxplot], ids=["cap_quantiles", "cap_boxplot"])
def test_quantiles_of_fractional_counts_raise_and_name_the_ecdf(call):
    with pytest.raises(ValueError, match=r"`o` must hold integers, because quantiles interpolate.*cap_ecdf"):
        call([[0.5, 2]], [[1, 2]])
    call([[1, 2]], [[0.5, 2]])  # only the original's records are counted
