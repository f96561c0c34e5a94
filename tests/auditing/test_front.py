"""The front sheet: each sentence on data on which it holds, and on data on which it would be false."""

import re

import numpy as np
import pandas as pd
import pytest
from front_sheets import FRESH, HOLDOUT, ORIGINAL, audited, blocks, noisy, population, text
from read_reports import public

from capstats import audit, average_cap_interval, from_counts
from capstats.auditing.front import SENTENCES, SMALL
from capstats.datasets import anes96, paper_originals, paper_synthetics
from capstats.reports.blocks import Alert, Dots, Facts, Grid, Headline, Scale
from capstats.tables.printing import percent

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]

FRONT = SENTENCES["front"]
COARSE, HARMLESS = "too little, or too uncertain", "a fresh sample of the population could give as much"


# --- the headline


def test_a_copy_gives_all_that_the_original_gives(copied):
    (headline,) = blocks(copied, Headline)
    assert headline.number == "100 %"
    m = copied.measures
    assert m.individual_share.item() == pytest.approx(1)
    assert f"right {100 * m.individual_gain.item():.1f} points more often" in headline.text
    assert HARMLESS not in text(copied)
    assert COARSE not in text(copied)


def test_of_a_fresh_sample_the_interval_reaches_0():
    original, holdout, fresh = (population(600, 150, seed) for seed in (1, 2, 3))
    found = audited(fresh, holdout, original)
    m = found.measures
    assert m.individual_share_lower.item() < 0 < m.individual_share_upper.item()
    assert HARMLESS in text(found)
    assert FRONT["swapped"] not in text(found)


def test_half_a_copy_is_between_and_its_interval_is_that_of_the_share():
    half = audited(pd.concat([ORIGINAL[:300], FRESH[:300]]))
    share, *ends = (half.measures[f"individual_share{end}"].item() for end in ("", "_lower", "_upper"))
    assert 0.2 < share < 0.8
    assert f"{percent(share, 0)} of what publishing" in text(half)
    least, most = (percent(x, 0) for x in ends)
    assert f"interval: {least} to {most})" in text(half)


# --- copies


@pytest.mark.parametrize("keys", [6, 60, 600])
def test_fresh_samples_look_harmless_and_copies_of_a_twentieth_never_do(keys):
    """A report of a fresh sample has no alert of copies, and no share or one whose interval contains 0, in at least 36 of 40 runs.

    With 40 runs, intervals that contain 0 with probability .95 pass in 95 of 100 cases, and those with .8 in 8 of 100.
    """
    harmless = copied = 0

    def alerts(found):
        return [block for block in blocks(found, Alert) if "are identical to real ones" in block.text]

    for seed in range(40):
        original, holdout, release = (population(600, keys, 1000 * keys + 3 * seed + i) for i in range(3))
        found = audited(release, holdout, original)
        m = found.measures
        harmless += not alerts(found) and not (m.individual_share_lower > 0 or m.individual_share_upper < 0)
        copied += bool(alerts(audited(pd.concat([original[:30], release[30:]]), holdout, original)))
    assert harmless >= 36
    assert copied == 40


def test_copies_are_told_before_everything_else_and_never_advised_whatever_the_order():
    """Copies without a target tell nothing of it, and are copies all the same."""
    wrong = FRESH.assign(ill=np.where(FRESH.ill == "no", "yes", "no"))
    found = audited({"fresh": FRESH, "copies": pd.concat([ORIGINAL[:60], wrong[60:]])}, None)
    m = found.measures
    assert m.average_cap_nearest.values[1] < m.average_cap_nearest.values[0]
    assert found.to_frame().index.tolist() == ["fresh", "copies"]
    assert found.to_frame().copied_beyond_chance.tolist() == [0, 1]
    assert "of copies (10 %) are identical to real ones" in blocks(found, Alert, "Release by release")[0].text
    assert "take copies instead" not in text(found)


def test_a_holdout_of_another_population_gives_no_share():
    other = HOLDOUT.assign(ill=np.where(HOLDOUT.area < 30, "yes", "no"))
    found = audited(ORIGINAL, other)
    assert "differ in" in blocks(found, Alert)[-1].text
    assert "of 600 people; naming the commonest answer" in text(found)
    assert "of what publishing the original" not in text(found)
    assert all(mark.name != FRONT["marks"]["fresh_sample"] for mark in blocks(found, Scale)[0].marks)


def test_without_a_holdout_people_are_counted_and_it_is_said_what_a_holdout_would_tell():
    found = audited(ORIGINAL, None)
    m = found.measures
    drawn = [f"{round(600 * m[name].item())}" for name in ("average_cap_nearest", "baseline", "original_cap")]
    named = [round(600 * m[f"{x}predictive_success{y}"].item()) for x, y in (("", "_nearest"), ("baseline_", ""), ("original_", ""))]
    expected = (
        f"A matching record drawn at random is right about {drawn[0]} of 600 people; naming the commonest answer, {named[0]} (without the "
        f"release {drawn[1]} and {named[1]}; with the original {drawn[2]} and {named[2]})."
    )
    assert expected in text(found)
    assert blocks(found, Headline)[0].number == f"{drawn[0]} or {named[0]}"
    assert FRONT["no_holdout"] in text(found)
    assert FRONT["no_holdout"] not in text(audited(ORIGINAL))


def test_weighted_records_are_no_people():
    weighted = ORIGINAL.assign(w=np.arange(600) % 3 + 1.0)
    found = audited(FRESH.assign(w=1.0), None, weighted, weights="w")
    assert f"is right for a weighted share of {percent(found.measures.average_cap_nearest.item())} of the records; naming" in text(found)
    assert "people" not in text(found).replace(FRONT["no_holdout"], "")
    held = audited(ORIGINAL.assign(w=weighted.w), HOLDOUT.assign(w=1.0), weighted, weights="w")
    assert blocks(held, Headline)[0].number == "100 %"


def test_two_people_have_a_front_sheet():
    two = {"k": ["a", "b"], "t": ["x", "y"]}
    found = audit(two, {"k": ["a"], "t": ["x"]}, keys="k", target="t")
    assert "about 1 of 2 people; naming the commonest answer, 1 (without the release 1 and 1; with the original 2 and 2)." in text(found)
    assert "One dot a person" in text(found)
    assert [mark.name for mark in blocks(found, Scale)[0].marks] == ["guess without data", "this release", "the original itself"]


def test_fewer_than_a_hundred_people_are_not_rounded_to_whole_ones():
    found = audit({"k": [*"aabb"], "t": [*"xyxx"]}, {"k": [*"aabbbb"], "t": [*"xyxyxx"]}, keys="k", target="t")
    said = text(found)
    assert "about 2.5 of 4 people; naming the commonest answer, 3 (without the release 2.5 and 3; with the original 3 and 3)." in said
    assert "expected to be right for 2.5 of the 4 people" in " ".join(repr(found).split())


def test_a_release_with_the_frequencies_of_the_original_is_said_to_have_them():
    """Nobody's record is the only one of its kind, so that the test of copies says nothing; twice the original is no better."""
    some = pd.DataFrame({"k": [*"aabb"] * 50, "t": [*"xyyy"] * 50})
    releases = {"shuffled": some[::-1], "twice": pd.concat([some, some]), "other": some[:-2]}
    found = audit(some.assign(z=range(200)), {name: of.assign(z=range(len(of))) for name, of in releases.items()}, keys="k", target="t")
    said = FRONT["alike"].format(releases="release shuffled and release twice")
    assert said in [x.text for x in blocks(found, Alert, "Release by release")]
    assert "In release other" not in text(found)
    assert "every combination" not in text(audit(some, some[:-2], keys="k", target="t"))


def test_a_label_that_is_a_tuple_is_one_label():
    found = audit({"k": [*"aabb"], "t": [("x", 1), ("y", 2)] * 2}, {"k": [*"ab"], "t": [("x", 1)] * 2}, keys="k", target="t")
    assert [row[0] for row in blocks(found, Dots, "Whom it hits")[0].rows] == ["('x', 1)", "('y', 2)"]


def test_a_target_of_one_level_is_guessed_by_everybody():
    one = ORIGINAL.assign(ill="no")
    found = audited(one, HOLDOUT.assign(ill="no"), one)
    assert COARSE in text(found)
    assert "0 %), is not shown to be more than chance gives" in " ".join(repr(found).split())
    assert {blocks(found, Scale)[0].place(mark.at) for mark in blocks(found, Scale)[0].marks} == {0.5}
    assert "No group of 10 people or more with the same level of one key column is guessed right more than 0.1 points" in text(found)


# --- the scale


def test_the_marks_are_those_of_one_version_worst_first():
    found = audited({"fresh": FRESH, "copy": ORIGINAL, "few": FRESH[:20]}, rank_by="average_cap_nearest")
    (scale,) = blocks(found, Scale)
    m = found.measures
    names = [mark.name for mark in scale.marks]
    assert (names[:2], names[-1]) == (["guess without data", "fresh sample"], "the original itself")
    assert names[2] == "copy"
    caps = [mark.at for mark in scale.marks if mark.is_release]
    assert caps == sorted(caps, reverse=True)
    assert scale.marks[1].at == m.fresh_sample_cap.values[0]
    assert [mark.since is not None for mark in scale.marks if mark.is_release] == [x > scale.marks[1].at for x in caps]
    assert [row[0] for row in blocks(found, Grid, "Release by release")[0].rows] == names[2:-1] == found.to_frame().index.tolist()


def test_many_releases_share_the_last_line():
    found = audited({f"r{i}": FRESH[i * 10 :] for i in range(30)}, None)
    (scale,) = blocks(found, Scale)
    releases = [mark for mark in scale.marks if mark.is_release]
    assert (len(releases), releases[-1].name, len(releases[-1].also)) == (11, "20 others", 19)
    assert [x for mark in releases for x in (mark.at, *mark.also)] == sorted(found.measures.average_cap_nearest.values.tolist())[::-1]
    assert "Not shown: 20 more releases." in text(found)


def test_keys_without_labels_are_compared_with_themselves_alone():
    found = audit(from_counts([[2, 1], [1, 2]], [[3, 0], [0, 0]]))
    assert "are never right" in text(found)
    assert "Then the most similar are taken." in text(audited(FRESH))


# --- whom it hits


def test_the_dots_are_the_people_and_nobody_above_nine_tenths_is_hidden():
    """Ten thousand people, of whom one is certain, and 1,999 others of the level are guessed right in half of the cases."""
    original = pd.DataFrame({"k": ["a"] + ["b"] * 3999 + ["c"] * 6000, "t": ["x"] * 2000 + ["y"] * 8000})
    release = pd.DataFrame({"k": ["a", "b", "b", "c", "c", "c"], "t": ["x", "x", "y", "y", "y", "x"]})
    found = audit(original, release, keys="k", target="t")
    (dots,) = blocks(found, Dots, "Whom it hits")
    assert [(name, list(numbers)) for name, numbers, _ in dots.rows] == [("x", [0.02, 0, 39.98]), ("y", [0, 120, 40])]
    assert dots.rows[0][2] == "2,000 people, <1 % guessed right with more than 9 in 10 (1), <1 % with more than 1 in 2 (1)"
    lines = dots.lines()
    assert lines[1] == "  *" + 39 * "." + "'"
    assert lines[3:5] == ["  " + 96 * "+", "  " + 24 * "+" + 40 * "."]
    assert " ".join(lines[5:]).endswith("One dot for 50 people; * - ' for fewer.")


def test_the_last_dot_of_a_kind_has_the_area_of_what_it_stands_for_and_is_seen():
    for number, tenths in ((3, 0), (0, 0), (0.25, 5), (7.5, 7), (0.49, 7), (2.81, 9), (0.02, 3), (1e-9, 3)):
        assert Dots.tenths(number) == tenths, number
    whole = Dots([("x", [2, 0, 1], "three people")], ["sure", "half", "others"], "One dot a person")
    assert (whole.has_parts, whole.lines()[1], whole.lines()[-1]) == (False, "  ##.", "# sure, + half, . others. One dot a person.")


def test_levels_beyond_the_first_are_counted():
    levels = ORIGINAL.assign(ill=ORIGINAL.area.astype(str))
    found = audited(levels, None, levels)
    assert "56 more levels: " in text(found)


def test_groups_are_in_the_order_of_what_the_release_adds():
    found = audited(ORIGINAL, None)
    (grid,) = blocks(found, Grid, "Groups")
    above = [float(row[1]) for row in grid.rows]
    assert above == sorted(above, reverse=True)
    assert all(int(row[3]) >= 10 for row in grid.rows)


def test_groups_that_gain_alike_are_in_the_order_of_their_copies_and_then_of_their_people():
    """Three towns are alike but in copies, and the third of them is twice as large; the last one differs."""
    town = np.repeat([*"abccd"], 20)
    original = pd.DataFrame({"town": town, "ill": [*["no", "no", "no", "yes"] * 20, *["yes"] * 20], "income": np.arange(100) // 2})
    for copied in "abc":
        release = original.assign(income=original.income.where(town == copied, 1000))
        (grid,) = blocks(audit(original, release, keys="town", target="ill"), Grid, "Groups")
        rows = [row for row in grid.rows if row[0] != "town: d"]
        assert len({row[1] for row in rows}) == 1
        first, *others = [row[0] for row in rows]
        assert first == f"town: {copied}"
        assert copied == "c" or others[0] == "town: c"


def test_a_fresh_sample_is_marked_within_0_and_1_and_only_with_an_interval():
    rng = np.random.default_rng(0)

    def people(n):
        area = rng.integers(0, 5, n)
        return pd.DataFrame({"area": area, "ill": np.where(rng.random(n) < 0.5, area % 4, rng.integers(0, 4, n)).astype(str)})

    original, release, holdout = people(10), people(10), people(300)
    found = audit(original, release, keys="area", target="ill", holdout=holdout)
    assert found.measures.fresh_sample_cap < 0
    (scale,) = blocks(found, Scale)
    (mark,) = [mark for mark in scale.marks if mark.name == FRONT["marks"]["fresh_sample"]]
    assert (mark.at, mark.number[:6]) == (0, "0 % (0")
    one = audit(original, release, keys="area", target="ill", holdout=holdout[:1])
    assert np.isfinite(one.measures.fresh_sample_cap)
    assert all(mark.name != FRONT["marks"]["fresh_sample"] for mark in blocks(one, Scale)[0].marks)
    assert "The fresh sample is" not in text(one)
    assert "Original or holdout is too small to tell" in text(one)


# --- limits, and what would lower the risk


def test_limits_are_kept_or_broken():
    found = audited(ORIGINAL, None, limits={"average_cap_nearest": 0.1, "share_certain": 1, "holdout_cap": 1})
    (facts,) = blocks(found, Facts, "Your limits")
    assert [name for name, _ in facts.rows] == ["BROKEN", "", "kept", "", "NOT TOLD", ""]
    assert facts.rows[4][1] == "holdout_cap is undefined (limit 1)"
    (limit,) = audited({"a": FRESH}, None, limits={"share_certain": 0}).judged
    assert limit.where == ("a",)
    assert re.fullmatch(r"share_certain is 0\.\d+ \(limit 0\)", limit.text)  # of one release, its name is not needed
    argued = audited(ORIGINAL, None, limits={"share_certain": {"limit": 1, "why": "all may be known", "who": "the board"}})
    (facts,) = blocks(argued, Facts, "Your limits")
    assert facts.rows[1] == ("", "all may be known; the board")
    assert found.provenance["limits"] == {"average_cap_nearest": 0.1, "share_certain": 1, "holdout_cap": 1}
    for wrong, error in (({"avrage_cap": 1}, ValueError), ({"average_cap_zero": "x"}, ValueError), ([1], TypeError)):
        with pytest.raises(error, match="limits"):
            audited(ORIGINAL, None, limits=wrong)


def test_beside_a_limit_is_what_its_measure_is_high_against_with_the_range_over_the_releases():
    releases = {"all": ORIGINAL, "few": FRESH[:20]}
    limits = {"average_cap_nearest": 1, "individual_share": 1, "records_certain": 1}
    for holdout, guess in ((HOLDOUT, "baseline ({baseline}), fresh_sample_cap ({fresh_sample_cap})"), (None, "baseline ({baseline})")):
        found = audited(releases, holdout, limits=limits)
        m = {name: f"{x.values.max():.3f}" for name, x in found.measures.items()}
        few, most = (f"{x:.1f}" for x in sorted(found.measures.expected_certain.values))
        (facts,) = blocks(found, Facts, "Your limits")
        of_average, of_share, of_certain = [text.removeprefix("high or low? Compare it with ") for name, text in facts.rows if not name]
        assert of_average == f"{guess} and original_cap ({{original_cap}})".format(**m)
        assert of_share == "0 (a fresh sample of the population) and 1 (the original itself)"
        assert of_certain.endswith(f" and expected_certain ({few} to {most})")
    of_itself = audited(FRESH, ORIGINAL, limits={"average_cap_nearest": 1})  # whose holdout tells nothing
    assert "fresh_sample_cap" in of_itself.measures
    assert "fresh_sample_cap" not in blocks(of_itself, Facts, "Your limits")[0].rows[1][1]


def test_the_release_of_the_lower_average_is_not_named_without_the_people_whom_it_exposes():
    """The paper's O_3: S_b has the lower average, and 93 people above 0.9; S_g has nobody above one half."""
    o, s = paper_originals().sel(original="O_3", drop=True), paper_synthetics().sel(synthetic=["b", "g"])
    found = text(audit(from_counts(o, s)))
    assert "For guessing T from K, take b instead: average CAP 30.7 %" in found
    assert "But the number of people who are guessed right with more than 9 in 10 is then 93, in place of 0." in found
    assert "But the number of people" not in text(audit(from_counts(o, paper_synthetics().sel(synthetic=["a", "g"]))))


def test_the_release_to_take_is_said_for_one_target_and_one_key_and_not_to_be_harmless():
    shuffled = FRESH.assign(ill=FRESH.ill.sample(frac=1, random_state=1).to_numpy())
    releases = {"copy": ORIGINAL, "shuffled": shuffled, "fresh": FRESH}
    found = text(audited(releases))
    assert "For guessing ill from area and sex, take shuffled instead: average CAP" in found
    assert "a fresh sample" not in found.partition("take shuffled instead")[2].partition("Other targets")[0]


def test_in_place_of_copies_a_release_of_higher_average_is_not_said_to_be_lower():
    """Balanced classes hide a rare answer that a fresh sample has as seldom as the original."""
    rng = np.random.default_rng(0)

    def people():
        columns = {"a": rng.integers(0, 6, 600), "b": rng.integers(0, 6, 600), "c": rng.integers(0, 2000, 600)}
        return pd.DataFrame({**columns, "ill": np.where(rng.random(600) < 0.1, "yes", "no")})

    original, holdout, fresh = people(), people(), people()
    balanced = pd.concat([original[original.ill == x].sample(300, replace=True, random_state=1) for x in ("yes", "no")])
    found = audit(original, {"balanced": balanced, "fresh": fresh}, keys=["a", "b"], target="ill", holdout=holdout)
    cap = found.measures.average_cap_nearest.values
    assert cap[1] > cap[0] + 0.2
    assert found.ranked[0] == 0
    advice = text(found).partition("take fresh instead")[2]
    assert advice.startswith(", in which copies are not shown: average CAP")
    assert "Its average CAP is not shown to be lower." in advice
    assert "average CAP is lower by" not in advice
    assert "average CAP is lower by" in text(audited({"copy": ORIGINAL, "fresh": FRESH}))


def test_a_difference_is_within_an_interval_for_all_pairs_and_others_are_passed_over_for_their_own_reason():
    """20 people in each of 20 keys: X is lower than B and fits its keys, but it could as well be above A."""
    first = [12] * 4 + [14] * 16

    def table(targets):
        return pd.DataFrame([(f"k{key}", t) for key in range(20) for t in targets(key)], columns=["k", "t"])

    releases = {"A": table(lambda _: "x" * 20), "B": table(lambda _: "x" * 19 + "y"), "X": table(lambda k: ("x" if k > 3 else "y") * 20)}
    found = audit(table(lambda key: "x" * first[key] + "y" * (20 - first[key])), releases, keys="k", target="t")
    caps = found.measures.average_cap_nearest.values
    assert caps[2] < caps[1] < caps[0]
    assert found.measures.target_distance.values[2] < 1
    assert "take B instead" in text(found)
    assert "Passed over, though lower: X (not shown to be lower than A)." in text(found)
    s = found.tables.s
    for pairs, said in ((3, True), (1, False)):
        a, b = (s.isel(synthetic=i) for i in (0, 1))
        interval = average_cap_interval(found.tables.o, a, against=b, unmatched="nearest", level=1 - 0.05 / pairs)
        ends = f"points (95 % interval: {100 * interval.lower.item():.1f} to {100 * interval.upper.item():.1f})"
        assert (ends in text(found)) == said


def leaky():
    """Tells part of what the original tells, of the population and of its people alike, and has nobody's record."""
    other = np.where(ORIGINAL.ill == "no", "yes", "no")
    return ORIGINAL.assign(ill=np.where(np.arange(600) % 8, ORIGINAL.ill, other), income=np.roll(ORIGINAL.income, 7))


def sharp():
    """Other people, half of whom have the commonest answer of their area: it tells more of the population than a fresh sample does."""
    return FRESH.assign(ill=np.where(np.arange(600) % 2, FRESH.ill, np.where(FRESH.area % 5, "no", "yes")))


def test_a_release_that_is_lower_but_about_its_people_is_passed_over_and_named():
    found = audited({"copy": ORIGINAL, "leaky": leaky(), "sharp": sharp()})
    low, high = found.measures.average_cap_nearest.sel(synthetic=["leaky", "sharp"]).values
    assert low < high
    assert "take sharp instead" in text(found)
    assert "Passed over, though lower: leaky (right more often for the people in the original than for others like them)." in text(found)
    alone = audited({"copy": ORIGINAL, "leaky": leaky(), "sharp": sharp()}, None)  # without a holdout nobody knows it
    assert "take leaky instead" in text(alone)
    assert "Passed over" not in text(alone)


def test_a_release_to_take_that_is_about_its_people_too_is_said_to_be():
    found = audited({"copy": ORIGINAL, "leaky": leaky()})
    gain = 100 * found.measures.individual_gain.sel(synthetic="leaky").item()
    assert f"But guesses from it, too, are right {gain:.1f} points more often for the people in the original" in text(found)
    assert "But guesses from it, too" not in text(audited({"copy": ORIGINAL, "fresh": FRESH}))


def test_copies_are_passed_over_though_they_are_lower():
    wrong = ORIGINAL.assign(ill=np.where(ORIGINAL.ill == "no", "yes", "no"))
    found = text(audited({"copy": ORIGINAL, "fresh": FRESH, "mixed": pd.concat([ORIGINAL[:60], wrong[60:]])}, None))
    assert "take fresh instead" in found
    assert "Passed over, though lower: mixed (copies of real records)." in found
    assert "Passed over" not in text(audited({"copy": ORIGINAL, "fresh": FRESH, "wrong": wrong}, None))


def test_the_share_of_a_release_with_copies_may_reach_0_and_is_not_said_to_be_harmless(copied):
    averaged = FRONT["averaged"].format(people="people")
    original, holdout, release = (population(600, 150, seed) for seed in (1, 2, 3))
    few, none = (text(audited(pd.concat([original[:n], release[n:]]), holdout, original)) for n in (30, 0))
    assert averaged in few
    assert HARMLESS not in few
    assert HARMLESS in none
    assert averaged not in none + text(copied)


def test_of_several_releases_the_table_is_first_and_then_what_to_do_and_on_a_page_the_scale_is_the_last_of_the_front_sheet(fresh):
    several = audited({"fresh": FRESH, "copy": ORIGINAL})
    first, second, *_ = several.sections()
    assert (first, second) == ("Release by release, the worst first", "What would lower it most (copy)")
    assert isinstance(several.sections()[first][0], Grid)
    assert next(iter(fresh.sections())) == "At a glance"
    for page in (several.to_html(), fresh.to_html()):
        assert page.index("Groups at most risk") < page.index('<div class="scale">') < page.index("<details>")


def test_where_no_share_is_printed_the_table_has_the_points_that_order_it():
    releases = {"copy": ORIGINAL, "fresh": FRESH}
    coarse = audit(ORIGINAL, releases, keys="sex", target="ill", holdout=HOLDOUT, allow_same=True)
    (grid,) = blocks(coarse, Grid, "Release by release")
    gains = 100 * coarse.measures.individual_gain.sel(synthetic=[row[0] for row in grid.rows]).values
    assert np.isnan(coarse.measures.individual_share.values).all()
    assert COARSE in text(coarse)
    assert [row[2].partition(" (")[0] for row in grid.rows] == [f"{x:+.1f}".replace("-", "\u2212") for x in gains]
    assert all(" to " in row[2] and row[2].endswith(") points") for row in grid.rows)
    assert gains.tolist() == sorted(gains, reverse=True)
    fine = audited({"copy": population(600, 150, 1), "fresh": population(600, 150, 3)}, population(600, 150, 2), population(600, 150, 1))
    assert "points" not in " ".join(blocks(fine, Grid, "Release by release")[0].rows[0])


def test_the_column_whose_absence_lowers_it_most_is_named():
    found = audited(ORIGINAL, None)
    without = audit(ORIGINAL, ORIGINAL, keys="sex", target="ill", allow_same=True).measures.average_cap_zero.item()
    now, then = percent(found.measures.average_cap_zero.item()), percent(without)
    assert f"On the scale it is now {now}: without area in the release it would be {then}; " in text(found)
    coarser = {"area": ORIGINAL.area // 2, "sex": ORIGINAL.sex, "ill": ORIGINAL.ill}
    halved = audit(coarser, coarser, keys=["area", "sex"], target="ill", allow_same=True).measures.average_cap_zero.item()
    assert "with area in 30 levels, half of those of original and release rounded up (neighbours in pairs" in text(found)
    assert f"or the rarest as one), {percent(halved)}." in text(found)


def test_of_columns_whose_absence_lowers_it_the_one_that_lowers_it_most_is_named_alone():
    found = audit(anes96(), anes96(), keys=["educ", "PID"], target="vote", allow_same=True)
    cap, without = found.measures.average_cap_nearest.item(), found.by_column.without.values
    assert (without < cap).all()
    (advice,) = [x for x in blocks(found, str, "What would lower it most") if "without" in x]
    assert advice.count("without ") == advice.count("levels, half") == 1
    assert f"without PID in the release it would be {percent(without.min())}" in advice


def test_a_change_that_the_digits_do_not_show_is_none():
    """Without the key average CAP is lower by 0.0505 points, and 52.3 % as well."""
    found = audit(from_counts([[11, 9], [9, 2]], [[4, 7], [3, 5]], key_labels={"k": [*"ab"]}, target_labels={"t": [*"xy"]}))
    assert FRONT["no_change"] in text(found)


def test_a_group_at_more_risk_is_not_said_to_be_0_points_above():
    found = audit(from_counts([[26, 24], [24, 26]], [[55, 45], [45, 55]], key_labels={"k": [*"ab"]}, target_labels={"t": [*"xy"]}))
    (grid,) = blocks(found, Grid, "Groups at most risk")
    assert [row[1] for row in grid.rows] == ["+0.2", "+0.2"]


def test_where_no_change_helps_none_is_advised():
    one = {"k": ["a", "a", "b", "b"], "t": ["x", "y", "x", "y"]}
    assert FRONT["no_change"] in text(audit(one, one, keys="k", target="t", allow_same=True))
    assert all(f"more than {100 * SMALL:g} points" in FRONT[name] for name in ("no_change", "no_group"))


def test_a_column_without_which_the_intruder_guesses_better_is_named():
    found = audit(noisy(300, 1), noisy(100, 2), keys=["k", "x0", "x1", "x2"], target="t")
    now, without = found.measures.average_cap_nearest.item(), found.by_column.without.values
    assert without.argmax() > 0
    averages = f"average CAP {percent(without.max())} without it, {percent(now)} with it"
    assert f"leaves x{without.argmax() - 1} aside guesses better than one who uses it: {averages}" in text(found)


# --- the page


def test_the_title_is_the_release_and_the_date(monkeypatch, tmp_path):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    ORIGINAL.to_csv(tmp_path / "o.csv")
    FRESH.to_csv(tmp_path / "made.csv")
    found = audited(tmp_path / "made.csv", None, tmp_path / "o.csv")
    assert repr(found).splitlines()[0] == "Disclosure risk of made.csv, 1970-01-02"
    assert "<title>Disclosure risk of made.csv, 1970-01-02</title>" in found.to_html()
    assert found.to_dict()["provenance"]["date"] == "1970-01-02"
    several = audited([tmp_path / "made.csv", tmp_path / "o.csv"], None, tmp_path / "o.csv")
    assert repr(several).splitlines()[0] == "Disclosure risk of 2 releases of o.csv, 1970-01-02"


def test_every_report_names_the_page_that_says_what_its_numbers_mean(fresh, copied):
    assert FRONT["lesson"] in text(fresh)
    assert "capstats lesson number" in FRONT["lesson"]
    for page in (fresh.to_html(), public(copied), public(audited({"a": FRESH, "b": ORIGINAL}))):
        assert page.count(FRONT["lesson"]) == 1
