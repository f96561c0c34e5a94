"""The report of several releases: a row each, in the order asked for, in lines of a terminal, and every column explained."""

import html
import re

import numpy as np
import pytest
from read_reports import grids, one_line, several_of

from capstats import audit
from capstats.auditing import sections
from capstats.codes.names import named, shortened
from capstats.datasets import anes96
from capstats.reports.blocks import Facts, Grid, beside, headings
from capstats.tables.printing import share

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def column(result, section, heading):
    """The labels and the texts of a column, in whichever table of the section it stands."""
    (found,) = [(grid, grid.head.index(heading)) for grid in grids(result, section) if heading in grid.head]
    grid, place = found
    return [row[0] for row in grid.rows], [row[place] for row in grid.rows]


def legend(result, section):
    (facts,) = [block for block in result.sections()[section] if isinstance(block, Facts)]
    return dict(facts.rows)


@pytest.fixture(scope="module")
def twenty():
    """Twenty releases with names of 52 characters, some of whose votes are shuffled; the more, the later they stand."""
    original, rng = anes96(), np.random.default_rng(5)
    releases = {}
    for i in range(20):
        release = original.sample(944, replace=True, random_state=i).reset_index(drop=True)
        lost = rng.random(944) < i / 20
        release.loc[lost, "vote"] = rng.permutation(original.vote.to_numpy())[lost]
        releases[f"the-survey-of-1996-by-{'trees' if i % 2 else 'copulas'}-seed-{i}".ljust(48, "0") + ".csv"] = release
    assert {len(name) for name in releases} == {52}
    first, *_ = releases
    known = {"propensity score mean squared error": {name: i / 7 for i, name in enumerate(releases)}, "year": 2026}
    return audit(original, releases, keys=["educ", "PID"], target="vote", rank_by="-average_cap_nearest", against=first, utility=known)


# --- a row each


@pytest.mark.parametrize("number", [1, 2, 4, 7])
def test_every_release_has_a_row(people, number):
    result = several_of(people, "abcdefg"[:number])
    caps = result.measures.average_cap_zero.values.reshape(-1)
    worst = [result.labels[i] for i in np.argsort(-caps, kind="stable")]
    for section in ("Answer", "Details"):
        for grid in grids(result, section):
            assert [row[0] for row in grid.rows] == worst
    for grid in grids(result, "By health"):
        assert [row[0] for row in grid.rows] == ["people", *worst]


def test_the_rows_hold_the_measures(seven):
    m = seven.measures.isel(synthetic=seven.ranked)
    assert column(seven, "Answer", "average CAP")[1] == [f"{value:.3f}" for value in m.average_cap_zero.values]
    assert column(seven, "Answer", "error")[1] == [f"{value:.3f}" for value in m.average_cap_nearest_error.values]
    assert column(seven, "Answer", "> 0.5")[1] == [f"{value}" for value in m.records_above_half.values]
    assert column(seven, "Details", "median")[1] == [f"{value:.4f}" for value in m.individual_cap_median.values]
    averages, _ = grids(seven, "By health")
    assert averages.head == ["synthetic", "Sick", "Healthy"]
    assert averages.rows[0] == ["people", "25", "75"]
    assert averages.rows[7][1] == f"{seven.by_target.average_cap_nearest.values[seven.ranked[6], 0]:.3f}"


def test_all_tables_are_in_the_order_asked_for(twenty):
    order = np.argsort(twenty.measures.average_cap_zero.values, kind="stable")
    numbers = [str(i + 1) for i in order]
    for section in ("Answer", "By vote", "Details"):
        for grid in grids(twenty, section):
            labels = [row[0].split()[0] for row in grid.rows if row[0] != "people"]
            assert labels == numbers
    averages = [float(text) for text in column(twenty, "Answer", "average CAP")[1]]
    assert averages == sorted(averages)
    assert "The releases are in the order of average CAP, that with the least first." in one_line(twenty)


def test_the_order_is_named_by_what_the_reader_sees(people):
    original, synthetic = people
    asked = {"keys": "smoking", "target": "health", "utility": {"my utility": {"a": 1, "b": 2}, "-x": 0}}
    releases = {"a": synthetic, "b": synthetic.iloc[9:]}
    told = {
        "my utility": "in the order of my utility, that with the greatest first.",
        "-my utility": "in the order of my utility, that with the least first.",
        "-x": "in the order of -x, that with the greatest first.",
        "share_certain": "in the order of DiSCO, that with the greatest first.",
        "synthetic_records": "in the order of synthetic_records, that with the greatest first.",
    }
    for rank_by, sentence in told.items():
        found = audit(original, releases, rank_by=rank_by, **asked)
        assert sentence in one_line(found)
        assert sentence in found.to_html()
    assert "in the order of" not in one_line(audit(original, releases, **asked))


# --- what is asked of the comparison


def test_differences_stand_beside_the_averages_with_their_errors(twenty):
    order, m = twenty.ranked, twenty.measures
    labels, texts = column(twenty, "Answer", "difference")
    assert [float(text) for text in texts] == pytest.approx(m.difference.values[order], abs=0.0005)
    assert [float(text) for text in column(twenty, "Answer", "its error")[1]] == pytest.approx(m.difference_error.values[order], abs=0.0005)
    itself = [label.startswith("1 ") for label in labels].index(True)
    assert texts[itself] == "0.000"
    assert re.fullmatch(r"average CAP minus that of 1 .*copulas-seed-0.*, of the same people", legend(twenty, "Answer")["difference"])


def test_the_callers_numbers_stand_in_columns_of_their_own(twenty):
    name = "prope... error"
    values = twenty.measures["propensity score mean squared error"].values[twenty.ranked]
    assert column(twenty, "Answer", name)[1] == [f"{value:.5g}" for value in values]
    assert column(twenty, "Answer", "year")[1] == ["2026"] * 20
    assert legend(twenty, "Answer")[name] == "'propensity score mean squared error', as given"


def test_the_distance_of_the_targets_is_told(twenty):
    order = twenty.ranked
    assert column(twenty, "Answer", "distance")[1] == [f"{value:.3f}" for value in twenty.measures.target_distance.values[order]]


def test_a_holdout_is_told_once_and_compared_in_columns(people):
    original, synthetic = people
    releases = {"a": synthetic, "b": synthetic.iloc[9:]}
    found = audit(original, releases, keys="smoking", target="health", holdout=original.iloc[::2], against="b")
    said = "The holdout has 50 people not used for synthesis. The difference to them is not shown to be more than chance gives"
    assert said in one_line(found)
    for heading, name in {
        "used - not": "individual_disclosure",
        "error of this": "individual_disclosure_error",
        "holdout": "holdout_cap",
    }.items():
        values = found.measures[name].values[found.ranked]
        assert [float(x) for x in column(found, "Answer", heading)[1]] == pytest.approx(values, abs=0.0005)


def test_every_column_is_explained_and_no_heading_stands_for_two(twenty):
    for section in ("Answer", "Details"):
        heads = [head for grid in grids(twenty, section) for head in grid.head[1:]]
        assert len(set(heads)) == len(heads)
        assert set(heads) <= set(legend(twenty, section))
        assert all(legend(twenty, section).values())


def test_a_number_that_all_releases_share_is_told_once(twenty):
    told, shared = legend(twenty, "Details"), f"{twenty.measures.original_certain.item():.4f} for each"
    assert told["DiO"] == f"{shared}: share of people whose key has one target in the original"
    assert "DiO" not in [head for grid in grids(twenty, "Details") for head in grid.head]
    assert not told["DiSCO"].startswith(f"{twenty.measures.share_certain.values[0]:.4f}")


# --- lines of a terminal


def test_twenty_releases_with_long_names_keep_to_a_line(twenty):
    lines = repr(twenty).splitlines()
    assert max(map(len, lines)) <= 100
    assert all(any(name in line for line in lines) for name in twenty.labels)  # in full, once, where the tables are listed


@pytest.mark.parametrize("number", [2, 3, 5, 100])
@pytest.mark.parametrize("length", [1, 24, 25, 60, 10_000])
def test_no_line_is_longer_however_long_the_names_are(number, length):
    people = {"k": [0, 0, 1], "t": [f"{x} {'level ' * 20}" for x in "abc"]}
    labels = [f"{i}{'n' * length}" for i in range(number)]
    found = audit(
        people, dict.fromkeys(labels, people), keys="k", target="t", utility={"u" * length: 1.5}, against=labels[0], allow_same=True
    )
    names = "n" * max(length, 30)
    for section in ("Answer", "By t", "Details"):
        for line in repr(found).partition(section)[2].splitlines():
            assert len(line) <= 100 or names in line or "u" * 30 in line, line
    for grid in grids(found, "Answer"):
        assert len({row[0] for row in grid.rows}) == number


def test_tables_are_cut_between_columns_where_a_line_is_full():
    columns = [["head", "x" * 45], ["other", "y" * 40], ["third", "z"]]
    one, two = beside(["label", "a"], columns)
    assert isinstance(one, Grid)
    assert (one.head, two.head) == (["label", "head", "other"], ["label", "third"])  # 5 + 47 + 42 of 98, and 7 more
    assert (one.rows, two.rows) == ([["a", "x" * 45, "y" * 40]], [["a", "z"]])


def test_long_names_are_headed_by_what_tells_them_apart_and_what_stands_before_it_and_short_ones_by_themselves():
    """24 characters, of which 2 are the number: 7 for the part that differs, 6 for dots, 9 for what is before it.

    Of names that differ over more than the room, that part alone. The length may be given.
    """
    labels = [f"release-of-the-survey-by-{name}.csv" for name in ("trees", "copula", "network")]
    assert headings(labels) == ["1 ...urvey-by-trees.csv", "2 ...urvey-by-copula.csv", "3 ...urvey-by-network..."]
    hundred = headings([f"release-{i:03d}-of-a-synthesiser-with-a-long-name" for i in range(100)])
    assert hundred[::33] == ["1 release-000-of-a-...", "34 release-033-of-a-...", "67 release-066-of-a-...", "100 release-099-of-a-..."]
    assert headings([f"release-{sign * 40}-2026.csv" for sign in "xy"]) == [f"{i} {shortened(x * 40, 22)}" for i, x in enumerate("xy", 1)]
    assert headings(["x" * 40, "y"], 28) == ["1 xxxxxxxxxxx...xxxxxxxxxxxx", "2 y"]
    assert headings(["x" * 28, "y"], 28) == ["x" * 28, "y"]


# --- key columns


def test_each_key_column_has_a_column_of_what_it_adds(twenty):
    sentence, grid = sections.added_by_column(twenty, twenty.heads)
    assert "(Shapley value)" in sentence
    assert grid.head == ["synthetic", "educ", "PID"]
    assert [row[1:] for row in grid.rows] == [list(map(share, row)) for row in twenty.by_column.shapley.values[:, twenty.ranked].T]


def test_of_many_key_columns_those_that_add_most_are_shown():
    people = {**{f"k{i}": [0, 1] * 4 for i in range(8)}, "x": [*"aabbccdd"], "t": [*"ppqqrrss"]}
    found = audit(people, [people, people], allow_same=True, keys=[*(f"k{i}" for i in range(8)), "x"], target="t")
    sentence, grid, rest = sections.added_by_column(found, ["0", "1"])
    assert "where all others are known" in sentence
    assert len(grid.head) == 7
    assert grid.head[-1] == "x"
    assert grid.rows[0][-1] == "0.750"  # with k0 alone each of the four levels is as likely
    assert rest == "Not shown: 3 columns that add less."


# --- names of the caller are no formats

HOSTILE = ["cost {EUR}", "{people.__class__}", "{0}", "{", "}", "{{", "{people}", "%s", "%(a)d", "$x ${y}", "{{ 7*7 }}", "{% raw %}"]


def test_names_of_the_callers_numbers_are_shown_as_they_are():
    known = {name: {"a {0}": 1.5, "{b}": 2.5} for name in HOSTILE}
    original = {"{k}": [*"aabb"], "%s": [*"xyxy"], "{people}": [*"rsrr"]}
    releases = {"a {0}": {"{k}": [*"ab"], "%s": [*"xy"], "{people}": [*"rs"]}, "{b}": {**original, "{people}": [*"srsr"]}}
    asked = {"against": "a {0}", "rank_by": "{people.__class__}"}
    found = audit(original, releases, keys=["{k}", "%s"], target="{people}", utility=known, **asked)
    text, page = one_line(found), html.unescape(found.to_html())
    for name in HOSTILE:
        assert f"{named(name)}, as given" in text
        assert f"{named(name)}, as given" in page
    assert "minus that of a {0}, of the same people" in text
    assert f"in the order of {shortened('{people.__class__}', sections.HEADING)}, that with" in text
    assert "of a person (the keys)" in text
    for told in (repr(audit(original, releases["{b}"], keys="{k}", target="{people}")), found.to_html(audience="internal")):
        assert "{people}" in html.unescape(told)
