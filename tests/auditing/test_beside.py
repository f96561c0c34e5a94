"""Whether original and holdout are random parts of one population: seldom denied of a random split, and said where it is denied."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from read_reports import one_line, public
from strategies import theorem

from capstats import audit, tabulate
from capstats.auditing import beside
from capstats.auditing.beside import holdout_differs
from capstats.auditing.compute import SPLIT
from capstats.datasets import anes96
from capstats.reports.blocks import Alert

pytestmark = pytest.mark.slow

ASKED = {"keys": ["educ", "PID"], "target": "vote"}
ABOUT = "is about individuals"
DENIED = "is no measure of what is about individuals: original and holdout differ"


@theorem
@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(1, 6), st.sampled_from([0.05, 0.2, 0.5]), st.booleans())
def test_of_all_splits_no_larger_share_differs_than_the_level(both, held, level, ordered):
    """By enumeration in fractions; theory/individuals.md#membership-test, statement 6."""
    held = min(held, sum(both))
    splits = [x for x in itertools.product(*(range(k + 1) for k in both)) if sum(x) == held]
    ways = {x: math.prod(map(math.comb, both, x)) for x in splits}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(beside, "FAR", 0.0)
        wrong = sum(n for x, n in ways.items() if beside._differ(np.subtract(both, x), np.array(x), level, ordered=ordered))
    assert Fraction(wrong, math.comb(sum(both), held)) <= Fraction(level)


def test_random_splits_of_voters_are_seldom_denied():
    """At most 1 of 1,000 on average, so that 4 of 200 are improbable (0.00006)."""
    people, rng = anes96(), np.random.default_rng(4)
    denied = 0
    for _ in range(200):
        shuffled = people.iloc[rng.permutation(len(people))]
        denied += bool(holdout_differs(tabulate(shuffled[:500], holdout=shuffled[500:], **ASKED)))
    assert denied < 4
    assert SPLIT == 0.001


def split(seed=0):
    people = anes96().sample(frac=1, random_state=seed).reset_index(drop=True)
    people = people.assign(**{name: people[name].cat.codes.astype(int) for name in people if people[name].dtype == "category"})
    original, holdout = people[:472].reset_index(drop=True), people[472:].reset_index(drop=True)
    return original, original.sample(472, replace=True, random_state=1).reset_index(drop=True), holdout


def of_changed(**changed):
    original, _, holdout = split()
    return holdout_differs(tabulate(original, holdout=holdout.assign(**changed), **ASKED))


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_the_columns_that_differ_are_named():
    _, _, holdout = split()
    assert of_changed() == {}
    assert of_changed(vote=holdout.vote.replace({0: 2}))["columns"] == ["vote"]
    assert of_changed(PID=(holdout.PID + 1).clip(upper=6))["columns"] == ["PID"]  # each level by a little, all together by much
    assert of_changed(educ=7, PID=0)["columns"] == ["educ", "PID"]


def test_one_level_that_the_other_lacks_is_no_difference_by_itself():
    original, _, holdout = split()
    rare = holdout.educ.where(holdout.index > 1, 99)
    assert holdout_differs(tabulate(original, holdout=holdout.assign(educ=rare), **ASKED)) == {}


def test_combinations_differ_where_no_column_does():
    """The targets are permuted: the same margins, and no link to the keys."""
    found = of_changed(vote=split()[2].vote.sample(frac=1, random_state=2).to_numpy())
    assert found == {"columns": [], "combinations": True}


def test_sparse_tables_tell_the_same_as_dense_ones():
    original, _, holdout = split()
    for changed in (holdout, holdout.assign(PID=3), holdout.assign(vote=holdout.vote.to_numpy()[::-1])):
        dense, sparse = (tabulate(original, holdout=changed, backing=backing, **ASKED) for backing in ("dense", "sparse"))
        assert holdout_differs(sparse) == holdout_differs(dense)


def test_weighted_records_are_counted_and_what_cannot_be_is_not_judged():
    original, _, holdout = split()
    weight = np.random.default_rng(0).uniform(0.5, 2, 472)
    one, other = original.assign(w=weight), holdout.assign(w=weight[::-1], PID=3)
    assert holdout_differs(tabulate(one, holdout=other, weights="w", **ASKED))["columns"] == ["PID"]
    assert holdout_differs(tabulate(one, holdout=holdout.assign(w=weight), weights="w", **ASKED)) == {}
    assert holdout_differs(tabulate(one, holdout=other, weights=("w", None, None), **ASKED)) == {}  # one design, and another
    assert holdout_differs(tabulate(one, holdout=other, counts="w", **ASKED)) == {}  # fractional


@pytest.fixture(scope="module")
def apart():
    original, release, holdout = split()
    return audit(original, release, holdout=holdout.assign(vote=holdout.vote.replace({0: 2})), **ASKED)


@pytest.fixture(scope="module")
def alike():
    original, release, holdout = split()
    return audit(original, release, holdout=holdout, **ASKED)


def test_the_report_says_so_and_claims_nothing_about_individuals(apart, alike):
    text = one_line(apart)
    assert f"{DENIED} in vote by more than chance allows." in text
    assert "(no test of disclosure, since original and holdout differ)" in text
    assert ABOUT not in text.replace("what is about individuals", "")
    (warning,) = [x.text for x in apart.sections()["At a glance"] if isinstance(x, Alert) and "differ in vote" in x.text]
    assert "Put records aside at random, before the synthesis." in warning
    assert f"), {ABOUT}; the rest is inference" in one_line(alike)
    assert "(a test of disclosure)" in one_line(alike)
    assert not any(isinstance(x, Alert) and "differ in" in x.text for x in alike.sections()["At a glance"])
    with pytest.raises(ValueError, match=r"Original and holdout differ by more than chance allows, .* leave out the holdout\."):
        public(apart)


def test_the_pages_and_the_json_say_so_too(apart, alike):
    assert f"{DENIED} in vote by more" in apart.to_html()
    assert json.loads(apart.to_json())["provenance"]["holdout_differs"]["columns"] == ["vote"]
    for told in (alike.to_html(), public(alike)):
        assert ABOUT in told
        assert DENIED not in told
    assert "holdout_differs" not in alike.provenance


def test_the_reports_of_several_releases_say_so(alike):
    original, release, holdout = split()
    releases = {"a": release, "b": release[:400]}
    found = audit(original, releases, holdout=holdout.assign(PID=3), **ASKED)
    assert f"The difference to them {DENIED} in PID by more" in one_line(found)
    assert "Original and holdout differ in PID by more than chance allows" in found.to_html()
    with pytest.raises(ValueError, match="Original and holdout differ"):
        public(found)
    assert f"The difference to them {ABOUT};" in one_line(audit(original, releases, holdout=holdout, **ASKED))
    assert alike.measures.individual_disclosure.item() > 0


def test_categories_that_each_table_makes_of_its_own_values_do_not_make_them_differ():
    """Their order depends on who is in which table."""
    rng = np.random.default_rng(1)
    for _ in range(5):
        people = pd.DataFrame({"place": rng.permutation(np.repeat(np.arange(200), 2)).astype(str), "ill": rng.choice(["no", "yes"], 400)})
        one, other = (half.astype({"place": "category"}) for half in (people[:200], people[200:]))
        assert holdout_differs(tabulate(one, holdout=other, keys="place", target="ill")) == {}
