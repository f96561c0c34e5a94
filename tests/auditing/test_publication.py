"""Only rounded numbers can be published, and what they are rounded to follows from the threshold and the number of records."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from every_release import compositions
from front_sheets import people
from hypothesis import given, settings
from hypothesis import strategies as st

from capstats import audit
from capstats.auditing.measures import MEASURES
from capstats.auditing.publication import BANDS, MOST_RELEASES, OF_ORIGINAL, STEPS, Publication, _average, _base, _rounded, publication
from capstats.cap import average_cap, baseline_cap, cap_ecdf, matched_records
from capstats.disclosure import disco

OF_RELEASES = {name for name, measure in MEASURES.items() if measure.public} - {*OF_ORIGINAL, "individual_disclosure", "difference"}
pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def audited(n, released=None, holdout=None, **options):
    return audit(people(n), people(n, 1) if released is None else released, keys=["k", "u"], target="t", holdout=holdout, **options)


@pytest.mark.parametrize(
    ("n", "threshold", "people_told", "steps"),
    [
        (944, 10, 940, 40),  # 2 * 10 * 40 = 800 and 2 * 10 * 50 = 1000
        (996, 10, 1000, 40),  # rounded up, so that 996 counts: 1000 are too many
        (1000, 10, 1000, 50),
        (20_000, 10, 20_000, 1000),
        (100, 3, 100, 10),  # 2 * 3 * 20 = 120
        (40, 10, 40, 2),
        (75, 20, 80, None),  # 75 < 2 * 20 * 2
        (39, 10, 40, None),
    ],
)
def test_two_thresholds_of_records_are_at_most_a_step(n, threshold, people_told, steps):
    found = audited(n)
    if steps is None:
        with pytest.raises(ValueError, match=f"threshold={threshold} needs at least {4 * threshold} records"):
            publication(found, threshold)
    else:
        told = publication(found, threshold)
        assert (told.people, told.steps) == (people_told, steps)


@pytest.mark.parametrize(("threshold", "base"), [(2, 2), (3, 5), (10, 10), (11, 20), (30, 50), (51, 100)])
def test_numbers_of_people_are_multiples_of_a_round_number_that_is_not_below_the_threshold(threshold, base):
    assert publication(audited(1000), threshold).base == base


@pytest.mark.parametrize("threshold", [1, 0, -3, 2.5, "10", True, None])
def test_a_threshold_is_a_whole_number_of_at_least_2(threshold):
    with pytest.raises(ValueError, match="`threshold` must be a whole number of records, 2 or more"):
        publication(audited(100), threshold)


def test_a_small_holdout_makes_the_step_larger():
    assert publication(audited(1000), 10).steps == 50
    assert publication(audited(1000, holdout=people(100, 5)), 10).steps == 5
    with pytest.raises(ValueError, match="Leave out the holdout"):
        publication(audited(1000, holdout=people(30, 5)), 10)


def test_fractional_counts_without_records_are_refused():
    with pytest.raises(ValueError, match="whole counts"):
        publication(audit({**people(100), "n": [0.5] * 100}, people(100), keys="k", target="t", counts=("n", None)), 2)


def test_weights_that_are_equal_change_no_step_and_a_heavy_record_makes_it_larger():
    """The step must hold 2 * 10 times the largest weight: 1000 records with one of weight 11 have one of 11 / 1010."""

    def steps(weights):
        records = {**people(1000), "w": weights}
        return publication(audit(records, people(1000, 1), keys="k", target="t", weights=("w", None)), 10).steps

    assert steps([2.0] * 1000) == steps([1.0] * 1000) == 50
    assert steps([11.0, *[1.0] * 999]) == 4  # 1 / (20 * 11 / 1010) = 4.6
    with pytest.raises(ValueError, match=r"a large part of the weight\. Audit without weights, or take a lower threshold"):
        steps([100.0, *[1.0] * 999])


@settings(max_examples=40)
@given(st.integers(40, 300), st.integers(2, 12), st.integers(1, 4), st.booleans(), st.integers(0, 99))
def test_every_number_is_a_multiple_of_its_step_and_near_the_exact_one(n, threshold, releases, against, seed):
    released = {f"label-{i}": people(30 + 40 * i, seed + i) for i in range(releases)}
    found = audited(n, released, people(n, 50), against="label-0" if against else None)
    try:
        told = publication(found, threshold)
    except ValueError:
        assert n < 4 * threshold * releases + threshold  # 2 * threshold * releases * 2 of the rounded number
        return
    numbers = [*np.concatenate([*map(np.ravel, told.shares.values()), told.below.ravel()])]
    np.testing.assert_allclose(np.multiply(numbers, told.steps), np.round(np.multiply(numbers, told.steps)), atol=1e-9)
    assert 2 * threshold * releases * told.steps <= min(n, told.people, told.holdout)
    assert told.people % told.base == told.holdout % told.base == 0
    assert abs(told.people - n) <= told.base / 2
    assert {"below", *told.shares} == {"below", *OF_ORIGINAL, *OF_RELEASES}
    version_1 = {f"share_above_{x}": 1 - cap_ecdf(found.tables.o, found.tables.s, y) for x, y in (("half", 0.5), ("nine_tenths", 0.9))}
    version_1["holdout_cap"] = average_cap(found.tables.h, found.tables.s)
    measures = {**found.measures, **version_1}
    for name, values in told.shares.items():
        exact = np.minimum(measures[name].values, 1 - 1 / told.steps) if name in OF_ORIGINAL else measures[name].values
        averaged = name in ("average_cap_zero", "holdout_cap")  # of rounded shares, rounded again
        assert np.max(np.abs(values - exact)) <= (1 if averaged else 0.5) / told.steps + 1e-9
    assert told.against == (0 if against else None)


def test_people_who_are_few_cannot_be_told_from_none():
    """Of 1000 people 9 are guessed right with certainty, or none: the numbers are the same, but for the shares near a border."""
    base = {"k": [0] * 991 + [1] * 9, "t": [0, 1] * 495 + [0] + [2] * 9}
    some = publication(audit(base, {"k": [0, 0, 1], "t": [0, 1, 2]}, keys="k", target="t"), 10)
    none = publication(audit(base, {"k": [0, 0, 1], "t": [0, 1, 0]}, keys="k", target="t"), 10)
    assert some.shares["share_certain"] == none.shares["share_certain"] == [0]
    assert some.shares == none.shares


def test_a_person_whose_target_is_unlike_that_of_all_others_with_their_key_moves_no_share_by_more_than_a_step():
    """DiO falls from 1 to 0.5: all 500 people of the key are certain in the original, and then none is. It is not told."""
    base = {"k": [0] * 500 + [1] * 500, "t": ["a"] * 500 + ["b"] * 500}
    other = {**base, "t": ["c", *base["t"][1:]]}
    released = {"k": [0, 0, 1], "t": ["a", "c", "b"]}
    found = [audit(table, released, keys="k", target="t") for table in (base, other)]
    assert [float(x.measures.original_certain) for x in found] == [1, 0.5]
    one, two = (publication(x, 10) for x in found)
    assert "original_certain" not in one.shares
    for name, values in one.shares.items():
        assert np.abs(np.subtract(values, two.shares[name])).max() <= 1.01 / one.steps
    assert np.abs(one.below - two.below).max() <= 1.01 / one.steps


def test_right_and_wrong_guesses_are_not_told_beside_the_matched_people():
    """Of 55 people 7 match a key that has one target: 0.25 with step 0.25. If both others were 0.00, at most 6, each would be 1 or more."""
    people = {"k": [0] * 7 + [1] * 48, "t": ["a"] + ["b"] * 6 + ["a"] * 6 + ["b"] * 42}
    told = publication(audit(people, {"k": [0, 0], "t": ["a", "a"]}, keys="k", target="t"), 6)
    assert (told.shares["matched_share"], told.shares["share_certain"]) == ([0.25], [0])
    assert "share_certain_wrong" not in told.shares


def test_a_public_report_describes_at_most_four_releases():
    """Rounded numbers of many releases together tell exact counts: benchmarks/public_report.py."""
    released = {f"label-{i}": people(30, i) for i in range(MOST_RELEASES + 1)}
    with pytest.raises(ValueError, match="describes at most 4 releases; got 5"):
        publication(audited(1000, released))
    assert publication(audited(1000, dict(list(released.items())[:MOST_RELEASES]))).releases == 4


def test_the_step_grows_with_the_number_of_releases():
    """2 * 10 * 50 = 1000 for one, 2 * 10 * 2 * 25 for two, 2 * 10 * 4 * 10 = 800 for four."""
    assert [publication(audited(1000, {f"r{i}": people(30, i) for i in range(k)}), 10).steps for k in (1, 2, 4)] == [50, 25, 10]
    with pytest.raises(ValueError, match=r"needs at least 80 records.* Audit fewer releases, or take a lower threshold"):
        publication(audited(79, {f"r{i}": people(30, i) for i in range(2)}), 10)


def test_no_share_is_of_people_who_are_alone_with_their_key():
    """Of 11 keys that one released record has, 0.02 replicated (11 or more of 1000) would prove a real person at each of them."""
    base = {"k": [0] * 989 + list(range(1, 12)), "t": [0, 1] * 500}
    found = audit(base, {"k": list(range(12)), "t": [0, 1] * 6}, keys="k", target="t")
    assert float(found.measures.share_replicated) == 0.011
    assert not [name for name in (*OF_ORIGINAL, *OF_RELEASES) if "unique" in name or "replicated" in name]
    assert set(publication(found).shares) <= {*OF_ORIGINAL, *OF_RELEASES}


def test_the_maker_of_a_release_cannot_shift_average_cap_to_a_border():
    """All have CAP 0.4899, but nobody or 5 of 1000 people have 1: average CAP is 0.4899, or 0.49245, and the border between steps 0.49."""
    released = {"k": [0] * 10_000 + [1], "t": ["a"] * 4899 + ["b"] * 4899 + ["c"] * 202 + ["b"]}
    found = [
        audit({"k": [0] * (1000 - x) + [1] * x, "t": ["a"] * 500 + ["b"] * 500}, released, keys="k", target="t", missing="level")
        for x in (0, 5)
    ]
    assert [float(x.measures.average_cap_zero.round(4)) for x in found] == [0.4899, 0.4925]
    none, some = map(publication, found)
    assert none.steps == 50
    assert none.shares == some.shares
    assert none.shares["average_cap_zero"] == [0.48]
    np.testing.assert_array_equal(none.below, some.below)


@pytest.mark.parametrize("backing", ["dense", "sparse"])
def test_average_cap_is_that_of_the_rounded_distribution(backing):
    """A loop over the people, as oracle: for each value of CAP the rounded share of people above it."""
    found = audited(500, people(70, 3), backing=backing)
    told = publication(found, 5)
    of_key = {}
    for k, u, t in zip(*people(70, 3).values(), strict=True):
        of_key.setdefault((k, u), []).append(t)
    caps = [of_key[k, u].count(t) / len(of_key[k, u]) if (k, u) in of_key else 0.0 for k, u, t in zip(*people(500).values(), strict=True)]
    average, last = 0.0, 0.0
    for value in sorted(set(caps)):
        average += (value - last) * round(sum(cap > last for cap in caps) / 500 * told.steps) / told.steps if value > 0 else 0
        last = value
    assert told.shares["average_cap_zero"] == [pytest.approx(np.floor(average * told.steps + 0.5) / told.steps)]


def test_a_tie_is_rounded_alike_wherever_it_is_printed():
    """Of 500 people 10 are half a step of 1/25: the share above 0.9 and the curve say the same, or the tie would show."""
    base = {"k": [0] * 490 + [1] * 10, "t": ["a"] * 245 + ["b"] * 255}
    told = publication(audit(base, {"k": [0, 0, 1], "t": ["a", "b", "b"]}, keys="k", target="t"), 10)
    assert told.steps == 25
    assert [told.shares[name][0] for name in ("share_above_half", "share_above_nine_tenths", "share_certain")] == [0, 0, 0]
    assert [told.below[i, 0] for i in (10, 18, 19)] == [1, 1, 1]
    assert BANDS[10] == 0.5
    assert BANDS[18] == pytest.approx(0.9)


def test_every_number_of_a_public_report_is_in_the_proof():
    """Whatever enters `Publication`, of which alone pages and texts are made, must first stand in the table of the page."""
    page = (Path(__file__).parents[2] / "theory" / "publication.md").read_text(encoding="utf-8")
    table = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    named = {name for cell in table for name in cell.replace("`", " ").replace(",", " ").split()}
    assert named == {*OF_ORIGINAL, *OF_RELEASES, *(field.name for field in fields(Publication) if field.name != "shares")}


@pytest.mark.parametrize(("n", "threshold", "shape"), [(12, 2, (2, 2)), (40, 3, (2, 2)), (41, 4, (3, 1)), (16, 2, (2, 3))])
def test_one_report_never_proves_that_a_group_is_small(n, threshold, shape):
    """theory/publication.md#public-report, parts 2 and 3, by all originals: with each report 0 or `threshold` people may be in a group."""
    cells = shape[0] * shape[1]
    rows = np.array(list(compositions(n, cells)))
    o = xr.DataArray(rows.reshape(-1, *shape), dims=("draw", "target", "key"))
    groups = np.array([[group >> i & 1 for i in range(cells)] for group in range(1, 2**cells)])
    members = rows @ groups.T
    base = _base(threshold)
    steps = next(d for d in STEPS if 2 * threshold * d <= min(n, base * round(n / base)))
    rng = np.random.default_rng(n)
    squares = [np.minimum(_rounded(x, steps), 1 - 1 / steps) for x in (baseline_cap(o).values, average_cap(o, o).values)]
    for _ in range(6):
        s = rng.multinomial(rng.integers(1, 30), rng.dirichlet(np.full(cells, 0.5))).reshape(shape)
        nested = [cap_ecdf(o, s, BANDS).values.T, matched_records(o, s).values[:, None] / n, disco(o, s).values[:, None]]
        release = np.column_stack([*(_rounded(1 - x if i == 0 else x, steps) for i, x in enumerate(nested)), _average(o, s, steps)])
        for printed in (release, *squares):
            _, report = np.unique(printed, axis=0, return_inverse=True)
            least, most = (np.full((report.max() + 1, len(groups)), fill) for fill in (n, 0))
            np.minimum.at(least, report, members)
            np.maximum.at(most, report, members)
            assert ((least == 0) | (most >= threshold)).all()
