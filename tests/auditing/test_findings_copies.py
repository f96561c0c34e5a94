"""What reports say of copies of real records, each sentence on data on which it holds, and on data on which it would be false."""

import re

import numpy as np
import pandas as pd
import pytest
from front_sheets import FRESH, HOLDOUT, ORIGINAL, audited, blocks, text

from capstats import audit
from capstats.reports.blocks import Alert

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]

IDENTICAL = "identical to real ones in all that was compared (4 columns): to those of"


def test_a_release_that_matches_people_of_the_holdout_as_well_is_not_acquitted():
    """It holds everybody. Of a fresh sample beside the original, which is of the original alone, nothing like it is said."""
    both = audited(pd.concat([ORIGINAL, HOLDOUT]))
    assert "Whether real records were copied cannot be told: it has the records of too many people of the holdout, too" in text(both)
    assert "it matches people whether or not they were in the data" in text(both)
    assert not blocks(both, Alert)
    alone = text(audited(pd.concat([ORIGINAL, FRESH])))
    assert f"600 of 1,200 records (50 %) are {IDENTICAL} 600 of 600 people" in alone
    assert "whether or not they were in the data" not in alone


def test_copies_of_a_twentieth_stand_before_everything_else():
    few = audited(pd.concat([ORIGINAL[:30], FRESH[30:]]))
    first, *_ = few.sections()["At a glance"]
    assert isinstance(first, Alert)
    assert first.grave
    m = few.measures
    assert first.text.startswith(f"30 of 600 records (5 %) are {IDENTICAL} 30 of 600 people")
    lower, upper = m.copied_people_lower.item(), m.copied_people_upper.item()
    assert 20 <= lower <= 30 <= upper
    assert f"would not have the records of {lower} to {upper} of the 30 people (95 % interval) without having looked" in first.text
    assert first.text.endswith("Of the 400 people in the holdout it has the records of 0.")


def test_copies_that_were_changed_in_one_column_are_no_exact_copies_which_is_said():
    """The day of birth, or another column of which all values are different, is moved by one; then in all records two columns are."""
    original = pd.DataFrame(
        {"k": np.arange(300) % 7, "t": np.arange(300) % 3, "day": np.arange(300) % 200, "wage": np.arange(300) * 7 % 290}
    )
    moved = original.assign(day=original.day + 1)
    said = "Apart from exact copies, 300 of the 300 records matched a real one in all columns but one"
    asked = {"keys": "k", "target": "t"}
    found = text(audit(original, moved, **asked))
    assert "Exact copies of real records are not shown to be more" in found
    assert f"{said}. Records that were copied and then changed in one column would be among them" in found
    holdout = original[:1].assign(day=5)
    near = ((moved.values != holdout.values).sum(axis=1) == 1).sum()
    assert f"{said}, and {near} matched one of the holdout." in text(audit(original, moved, holdout=holdout, **asked))
    assert "Apart from" not in text(audit(original, moved.assign(wage=(moved.wage + 1) % 290), **asked))
    several = text(audit(original, {"a": moved.assign(wage=0), "b": original.assign(k=0, t=0), "c": moved[:150]}, **asked))
    assert "Apart from exact copies, 150 of the 150 records of c, the most of 3 releases, matched a real one in all" in several
    wide = [table.assign(**{f"x{i}": 0 for i in range(20)}) for table in (original, moved)]
    of_wide = text(audit(*wide, **asked, copy_columns=30))
    assert "How many records are like a real one in all columns but one is not computed: it is for 2 to 20" in of_wide
    assert "Apart from" not in text(audit(original, original, allow_same=True, **asked))


@pytest.mark.parametrize("holdout", [None, HOLDOUT], ids=["without a holdout", "with one"])
def test_nine_people_fifty_times_each_are_said_to_be_nine_people(holdout):
    release = pd.concat([*[ORIGINAL[:9]] * 50, FRESH[:50]])
    found = audited(release, holdout)
    if holdout is None:
        (alert,) = [x.text for x in blocks(found, Alert) if "identical" in x.text]
        assert f"450 of 500 records (90 %) are {IDENTICAL} 9 of 600 people" in alert
        assert "more than a fresh sample of the same population would have (p < 0.0001), by at least 1 of the 9 people" in alert
        assert alert.endswith("only a holdout can tell copying from an unusual release.")
    else:  # it could show 12
        assert "cannot be told: it has more people of the original than a fresh sample" in text(found)
        assert "the records of 9 of 600 people, identical in all that was compared (4 columns), in 450 of its 500 records." in text(found)
        assert np.isnan(found.measures.copied_beyond_chance.item())


def test_of_several_releases_the_p_value_is_that_of_each_and_those_not_shown_may_have_more():
    few, some, many = (pd.concat([ORIGINAL[:n], FRESH[n:]]) for n in (13, 30, 60))
    (alert,) = blocks(audited({"copy": ORIGINAL, "few": few}), Alert, "Release by release")
    assert (
        "13 of few (2.2 %), to those of 13 people (and 0 of the holdout). That is more than chance explains (each p at most" in alert.text
    )
    assert 0.0001 < audited(few).measures.copied_p_value.item() <= 0.005
    assert "(p < 0.0001)" in blocks(audited(ORIGINAL), Alert)[0].text
    releases = {"few": few, "some": some, "many": many, "copy": ORIGINAL}
    (alert,) = blocks(audited(releases, rank_by="-copied_people"), Alert, "Release by release")
    assert "; 60 of many (10 %), to those of 60 people (and 0 of the holdout); 1 more release. That is" in alert.text


def test_where_copies_are_no_more_than_chance_explains_it_is_said_of_how_many_at_most(fresh):
    """With few columns they may be nearly all, who share their record with others; without a holdout all that match."""
    assert not blocks(fresh, Alert)
    said = text(fresh)
    assert "not shown to be more than chance explains, and are of at most 0 people: the release has the records of 0 of 600 people" in said
    assert "in the original (in 0 of its 600 records), and of 0 of 400 in the holdout." in said
    assert "This holdout could not have shown fewer than 12 copied people." in said
    few = audited(FRESH.drop(columns="income"), HOLDOUT.drop(columns="income"), ORIGINAL.drop(columns="income"))
    m = few.measures
    matched, upper = m.copied_people.item(), m.copied_people_upper.item()
    assert 500 < upper <= matched
    assert f"of at most {upper} people: the release has the records of {matched} of 600 people" in text(few)
    assert "whose record somebody else in original or holdout has, too" in text(few)
    assert "whose record somebody else" not in said
    alone = text(audited(FRESH.drop(columns="income"), None, ORIGINAL.drop(columns="income")))
    assert f"would have, and are of at most {matched} of 600 people: those whose record the release has" in alone
    assert "How many of these it would have by chance, only a holdout can tell." in alone
    assert "by chance, only a holdout" not in text(audited(FRESH, None))
    two = audit(ORIGINAL, FRESH, keys="sex", target="ill", copy_columns=3, allow_same=True)
    assert "Copies of real records: not computed: the tables have 4 columns in common, and 1 to 3 are compared" in text(two)


def test_beside_copies_it_is_said_what_could_not_be_compared_and_not_that_there_are_more_than_all() -> None:
    """Without the column that is left out, more records are alike, not fewer."""
    original = pd.DataFrame({"k": np.arange(300) // 2, "t": ["u", "v"] * 150, "x": np.random.default_rng(0).integers(3, 16, 300) / 3})
    partly = " Not everything could be compared: x has numbers with more decimals in one table."
    for x, end in ((original["x"].round(), partly), (original["x"], "")):
        (alert,) = audit(original, original.assign(x=x), keys="k", target="t", allow_same=True).copies.alert([0])
        assert "to those of 300 of 300 people. " in alert
        assert alert.endswith(f"only a holdout can tell copying from an unusual release.{end}")


def test_records_that_are_left_out_elsewhere_are_said_to_be_among_those_compared():
    said = "Copies are looked for among all records, with those that are left out elsewhere for a missing value."
    gaps = ORIGINAL.assign(ill=ORIGINAL.ill.where(ORIGINAL.index % 3 > 0))
    for release, copied in ((FRESH, False), (gaps, True)):
        for missing in ("drop", "level"):
            found = audit(gaps, release, keys="area", target="ill", missing=missing, allow_same=True)
            assert (said in text(found)) == (missing == "drop")
            assert bool(blocks(found, Alert)) == copied


def test_where_a_column_is_spelled_otherwise_copies_are_found_or_not_told(fresh):
    """All of the release are copies but for a column, which is no key and no target: in capitals, in thousands, or in codes."""
    asked = {"keys": "area", "target": "ill", "limits": {"copied_beyond_chance": 0}, "allow_same": True}
    capitals, thousands = ORIGINAL.assign(sex=ORIGINAL.sex.str.upper()), ORIGINAL.assign(income=ORIGINAL.income / 1000)
    for release, said in ((capitals, "are taken for one, in sex (case)."), (thousands, "Column 'income' has no level in common")):
        found = audit(ORIGINAL, release, **asked)
        columns = 4 if release is capitals else 3
        assert f"600 of 600 records (100 %) are identical to real ones in all that was compared ({columns} columns)" in text(found)
        assert said in text(found)
        assert found.limits() == [("copied_beyond_chance is 1 (limit 0)", False)]
    pair = np.arange(300) // 2
    twins = pd.DataFrame({"area": pair, "ill": pair % 2, "sex": ["f", "m"] * 150})
    found = audit(twins, twins.assign(sex=[1, 2] * 150), **asked)
    assert "Whether real records were copied cannot be told: sex shares no level with the original" in text(found)
    assert "not shown to be more than" not in text(found)
    assert found.limits() == [("copied_beyond_chance is not known: it could not be told (limit 0)", False)]
    assert found.to_dict()["measures"]["copied_beyond_chance"] is None
    assert "cannot be told" not in text(fresh)
    alike = audit(ORIGINAL[["area", "sex", "ill"]].assign(area=1), FRESH[["area", "sex", "ill"]].assign(area=1), **asked)
    assert "nobody's record in the original is the only one of its kind, and by such records alone it is tested" in text(alike)


@pytest.mark.parametrize("columns", [3, 4, 5])
def test_three_columns_that_make_the_comparison_impossible_are_named_and_the_others_counted(columns):
    pair = np.arange(300) // 2
    frame = pd.DataFrame({"area": pair, "ill": pair % 2} | {f"c{i}": ["f", "m"] * 150 for i in range(columns)})
    release = frame.assign(**{f"c{i}": [1, 2] * 150 for i in range(columns)})
    said = text(audit(frame, release, keys="area", target="ill", allow_same=True))
    (reason,) = re.findall(r"cannot be told: (c0 .*?)\. ", said)
    assert reason.count("shares no level") == 3
    assert ("more column" in reason) == (columns > 3)
    assert f"{columns - 3} more column" in reason or columns == 3


def test_copies_are_left_out_only_where_something_is_left():
    advice = "What would lower it most"
    found = audited(pd.concat([ORIGINAL[:30], FRESH[30:]]))
    assert "Leave out the 30 records that are identical to real ones." in blocks(found, str, advice)[0]
    found = audited(pd.concat([ORIGINAL[:400], FRESH[400:]]))
    assert "Make it anew: 400 of its 600 records are identical to real ones." in blocks(found, str, advice)[0]
    assert "Leave out" not in blocks(found, str, advice)[0]
