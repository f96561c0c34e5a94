"""What is already public beside a release: certain people, guesses from fitted tables, and what a release adds to them."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from front_sheets import text

from capstats import audit, average_cap, from_counts, tabulate
from capstats.auditing import beside
from capstats.codes.labels import canonical
from capstats.datasets import anes96
from capstats.disclosure import Published, published_bounds

AGES = {"age": [25, 30, 35, 40, 45, 50, 55, 60, 65, 70]}
KEYS = ["educ", "PID", "age"]
ASKED = {"keys": KEYS, "target": "vote", "bins": AGES, "copy_columns": 0, "allow_same": True}
TABLES = [list(x) for x in itertools.combinations([*KEYS, "vote"], 3)]
VOTERS = anes96()[[*KEYS, "vote"]]


def independent(rng, of=VOTERS):
    """A release whose columns know nothing of each other."""
    return pd.DataFrame({name: of[name].sample(len(of), replace=True, random_state=int(rng.integers(2**31))).array for name in of})


RELEASES = {"copy": VOTERS, "blind": independent(np.random.default_rng(1)), "sample": VOTERS.sample(944, replace=True, random_state=1)}


@pytest.fixture(scope="module")
def found():
    return audit(VOTERS, RELEASES, published=TABLES, **ASKED)


def fitted_by_loops(original, columns, tables, start, rounds=400):
    """Numbers of people of all combinations of levels, fitted to exact tables one after the other."""
    cells = {cell: start(cell) for cell in itertools.product(*(sorted(set(original[c])) for c in columns))}
    for _ in range(rounds):
        for table in tables:
            at = [columns.index(c) for c in table]
            wanted = original.value_counts(table).to_dict()
            held = {}
            for cell, x in cells.items():
                part = tuple(cell[i] for i in at)
                held[part] = held.get(part, 0) + x
            for cell in cells:
                part = tuple(cell[i] for i in at)
                cells[cell] *= wanted.get(part, 0) / held[part] if held[part] else 0
    return cells


def guessed(original, keys, target, cells, columns):
    """The share of people guessed right by a draw from these numbers."""
    people = original[[*keys, target]].itertuples(index=False, name=None)
    at = [columns.index(c) for c in (*keys, target)]
    of_key, of_both = {}, {}
    for cell, x in cells.items():
        *key, value = (cell[i] for i in at)
        of_key[tuple(key)] = of_key.get(tuple(key), 0) + x
        of_both[(*key, value)] = of_both.get((*key, value), 0) + x
    return np.mean([of_both[person] / of_key[person[:-1]] for person in people])


def few(rng, n=60):
    """Records of few levels, in which the target depends on the keys, with a column that is neither."""
    frame = pd.DataFrame({"a": rng.integers(0, 3, n), "b": rng.integers(0, 3, n), "c": rng.integers(0, 2, n)})
    return frame.assign(t=(frame.a + frame.b * frame.c + (rng.random(n) < 0.2)) % 3)


@pytest.mark.parametrize("tables", [[["a", "b", "t"]], [["a", "t"], ["b", "t"], ["a", "b"]], [["a", "c"], ["b", "c", "t"], ["a", "t"]]])
def test_the_guess_and_what_a_release_adds_are_those_of_a_fit_by_loops(tables):
    """The fit starts from nothing, or half from the release and half from the fit without it; columns that are no keys are fitted too."""
    rng = np.random.default_rng(3)
    original, columns = few(rng), ["a", "b", "c", "t"]
    release = original.sample(45, random_state=2)
    m = audit(original, release, keys=["a", "b"], target="t", published=tables, copy_columns=0, allow_same=True).measures
    cells = fitted_by_loops(original, columns, tables, lambda _: 1.0)
    without = guessed(original, ["a", "b"], "t", cells, columns)
    assert m.published_guess.item() == pytest.approx(without, abs=1e-6)
    released, total = release.value_counts(columns).to_dict(), sum(cells.values())
    with_release = fitted_by_loops(original, columns, tables, lambda x: (released.get(x, 0) * total / 45 + cells[x]) / 2)
    gain = guessed(original, ["a", "b"], "t", with_release, columns) - without
    chance = gain - m.published_gain.item()  # what releases with independent columns add on average, at least 0
    assert -1e-6 < chance < 2 * m.published_gain_error.item() + 1e-6


def test_a_cell_that_other_tables_leave_nobody_in_is_guessed_for_nobody():
    """Of a = 1 five people are well, and one table hides counts up to 4; the five of the other leave nobody for the hidden cell."""
    people = pd.DataFrame({"a": [1] * 5 + [2] * 13, "t": ["well"] * 5 + ["ill"] * 6 + ["well"] * 7})
    tables = [Published(["a", "t"], suppressed=(0, 4)), ["a"]]
    m = audit(people, people[1:], keys="a", target="t", published=tables, copy_columns=0).measures
    assert m.published_guess.item() == pytest.approx((5 + (6 * 6 + 7 * 7) / 13) / 18, rel=1e-12)


def test_the_numbers_are_those_of_the_bounds(found):
    alone = published_bounds(VOTERS, keys=KEYS, target="vote", bins=AGES, published=TABLES)
    for name in ("certain", "certain_one_by_one", "certain_from_worst"):
        assert found.measures[f"published_{name}"].item() == alone[name].item()
    assert found.measures.published_guess.item() == pytest.approx(0.8891, abs=5e-5)


def test_a_copy_adds_more_than_a_sample_and_a_blind_release_nothing(found):
    gain = found.measures.published_gain.to_series()
    error = found.measures.published_gain_error.to_series()
    assert gain["copy"] > gain["sample"] > 4 * error["sample"]
    assert abs(gain["blind"]) < 2 * found.measures.published_gain_error.sel(synthetic="blind")


def test_withdrawing_and_coarsening_are_the_bounds_of_the_other_tables(found):
    """The smallest key column is published with its levels in pairs, in their order."""
    levels = {
        c: list(map(canonical, tabulate(VOTERS, keys=c, target="vote", bins=AGES if c == "age" else None).indexes["key"].levels[0]))
        for c in KEYS
    }
    for row, table in zip(found.provenance["published"], TABLES, strict=True):
        others = [x for x in TABLES if x != table]
        assert row["table"] == table
        smallest = min((c for c in table if c != "vote"), key=lambda c: len(levels[c]))
        pairs = {smallest: {x: i // 2 for i, x in enumerate(levels[smallest])}}
        assert row["column"] == smallest
        for name, published in (("without", others), ("coarser", [*others, Published(table, bins=pairs)]), ("alone", [table])):
            known = published_bounds(VOTERS, keys=KEYS, target="vote", bins=AGES, published=published)
            assert row[name] == known.certain.item(), (table, name)


def test_the_front_sheet_says_it_in_one_sentence_and_marks_the_scale(found):
    shown = text(found)
    assert "the vote of 550 people of 944 is certain from 4 published tables together (433 people if each is read by itself, 358" in shown
    assert "a guess from them is right for 839; with release copy it is right for at least" in shown
    assert "already public" in shown
    assert "PID, age and vote 358 243 448 (PID)" in shown
    blind = text(audit(VOTERS, RELEASES["blind"], published=TABLES, **ASKED))
    assert "this release is not shown to add to that (0.2, standard error 0.8)" in blind  # not 0
    assert "at least" not in blind.partition("Already public")[2].partition(".")[0]


def test_one_table_is_not_together():
    shown = text(audit(VOTERS, RELEASES["blind"], published=[TABLES[0]], **ASKED))
    assert "the vote of 0 people of 944 is certain from 1 published table, and a guess" in shown
    assert "together" not in shown.partition("Already public")[2].partition(".")[0]


def test_nothing_is_said_where_nothing_was_published():
    plain = audit(VOTERS, RELEASES["blind"], **ASKED)
    assert "ublic" not in text(plain)
    assert "published" not in plain.provenance


def test_what_takes_too_long_is_said_not_to_be_computed(monkeypatch):
    monkeypatch.setattr(beside, "LARGEST", 0)
    found = audit(VOTERS, RELEASES["copy"], published=TABLES, **ASKED)
    assert "published_gain" not in found.measures
    assert "what a release adds is not computed" in text(found)
    assert "withdraw" not in text(found)
    assert found.limits() == []
    limited = audit(VOTERS, RELEASES["copy"], published=TABLES, limits={"published_gain": 0.1}, **ASKED)
    assert [kept for _, kept in limited.limits()] == [False]


def test_counts_give_the_same_as_records(found):
    """Of published columns that the counts have."""
    tables = tabulate(VOTERS, RELEASES, keys=KEYS, target="vote", bins=AGES)
    again = audit(tables, published=TABLES, allow_same=True)
    names = [name for name in found.measures if "published" in name]
    assert len(names) == 6
    assert all(again.measures[name].equals(found.measures[name]) for name in names)
    assert again.provenance["published"] == json.loads(found.to_json())["provenance"]["published"]
    with pytest.raises(ValueError, match="`published` names 'income', which is no column of the original"):
        audit(tables, published=[["income", "vote"]], allow_same=True)


def test_columns_that_are_neither_keys_nor_target_change_nothing_else(found):
    """They are counted beside the keys; the rest of the report stays as it is."""
    asked = {**ASKED, "keys": ["educ", "PID"], "bins": None}
    tables = [Published(table, bins=AGES if "age" in table else None) for table in TABLES]
    of_age, plain = audit(VOTERS, RELEASES, published=tables, **asked), audit(VOTERS, RELEASES, **asked)
    known = published_bounds(VOTERS, keys=["educ", "PID"], target="vote", published=tables)
    assert of_age.measures.published_certain.item() == known.certain.item()
    assert of_age.tables.identical(plain.tables)
    assert of_age.measures.drop_vars([x for x in of_age.measures if "published" in x]).equals(plain.measures)
    assert found.measures.published_certain.item() > of_age.measures.published_certain.item()


def test_weights_are_refused_and_limits_hold():
    weighted = VOTERS.assign(w=2.0)
    with pytest.raises(ValueError, match="people are counted"):
        audit(weighted, RELEASES["blind"], published=TABLES, weights=("w", None), **ASKED)
    found = audit(VOTERS, RELEASES["blind"], published=TABLES, limits={"published_certain": 500, "published_guess": 0.9}, **ASKED)
    assert [kept for _, kept in found.limits()] == [False, True]


def test_a_small_table_by_hand():
    """Four people in one key, half of them ill: a guess is right for half; a release adds nothing to the table of all columns."""
    people = from_counts([[2, 1], [2, 0]], [[1, 0], [0, 1]], key_labels={"sex": ["f", "m"]}, target_labels={"ill": ["yes", "no"]})
    found = audit(people, published=[["sex", "ill"]])
    assert found.measures.published_certain.item() == 1
    assert found.measures.published_guess.item() == pytest.approx((4 * 0.5 + 1) / 5)
    assert found.measures.published_gain.item() == pytest.approx(0, abs=1e-9)
    assert found.measures.published_guess.item() == pytest.approx(average_cap(people.o, people.o).item())


def test_a_release_that_lacks_a_published_column_is_told_apart():
    """Who is certain needs the original alone; what the release adds is not computed."""
    tables = [["educ", "vote"], ["educ", "age"], ["age", "vote"]]
    asked = {**ASKED, "keys": ["educ", "PID"], "bins": None}
    found = audit(VOTERS, RELEASES["copy"].drop(columns="age"), published=tables, **asked)
    whole = audit(VOTERS, RELEASES["copy"], published=tables, **asked)
    assert "published_gain" not in found.measures
    assert "what a release adds is not computed: it lacks a published column" in text(found)
    assert found.measures.published_certain.equals(whole.measures.published_certain)
    assert found.measures.published_guess.equals(whole.measures.published_guess)


def test_too_many_combinations_leave_the_tables_one_by_one():
    rng = np.random.default_rng(0)
    wide = pd.DataFrame({f"c{i}": rng.integers(0, 12, 400) for i in range(8)}).assign(t=rng.integers(0, 2, 400))
    keys = list(wide)[:-1]
    tables = [*([c, "t"] for c in keys), [*keys[:2], "t"]]
    asked = {"keys": keys, "target": "t", "copy_columns": 0, "limits": {"published_certain": 9}}
    found = audit(wide, wide.sample(300, random_state=1), published=tables, **asked)
    assert "published_certain" not in found.measures
    assert [kept for _, kept in found.limits()] == [False]
    assert "if each is read by itself" in text(found)
    assert "What they say together is not computed: More than 2**24 combinations" in text(found)


def test_what_is_known_without_a_table_is_known_with_one_that_lacks_the_target():
    """The guess is then that without data: each person's target is as frequent as in the original."""
    found = audit(VOTERS, RELEASES["blind"], published=[["educ", "PID"]], **ASKED).measures
    assert found.published_guess.item() == pytest.approx(found.baseline.item())


def test_a_table_without_keys_cannot_be_coarser_and_nobody_certain_needs_no_table():
    """In the list a dash stands for what cannot be; where nobody is certain, there is no list."""
    found = audit(VOTERS, RELEASES["blind"], published=[["vote"], *TABLES], **ASKED)
    assert "coarser" not in found.provenance["published"][0]
    assert "vote 0 550 \u2013" in text(found)
    assert "withdraw" not in text(audit(VOTERS, RELEASES["blind"], published=[["vote"], ["educ"]], **ASKED))


def test_the_report_says_which_tables_were_read_and_by_which_rule(tmp_path):
    counts = VOTERS.groupby(["educ", "vote"], observed=True).size().reset_index(name="n")
    counts.to_csv(tmp_path / "dashboard.csv", index=False)
    tables = [Published(table=tmp_path / "dashboard.csv"), Published(TABLES[0], suppressed=(1, 4)), *TABLES[1:]]
    found = audit(VOTERS, RELEASES["blind"], published=tables, **ASKED)
    assert found.provenance["published"][0]["file"] == str(tmp_path / "dashboard.csv")
    assert found.provenance["files"]["published"] == [[str(tmp_path / "dashboard.csv")]]
    assert [row["rule"] for row in found.provenance["published"]] == ["", "1 to 4 not shown", "", "", ""]
    assert "educ, PID and age (1 to 4 not shown)" in text(found)
    assert "sha256" in found.to_html().partition("dashboard.csv")[2]


@pytest.mark.parametrize("left_out", [*range(4), None])
def test_releases_that_know_nothing_add_nothing(left_out):
    """The mean over 20 releases with independent columns is at most two standard errors above 0, and less than one of 944 people below it.

    Below, since noise makes a fit worse; and the deviation of these releases is the error that is printed.
    """
    rng, tables = np.random.default_rng(11), [x for i, x in enumerate(TABLES) if i != left_out]
    releases = {f"blind {i}": independent(rng) for i in range(20)}
    m = audit(VOTERS, {**releases, "copy": VOTERS}, published=tables, **ASKED).measures
    gain = m.published_gain.values
    assert -1 / 944 < gain[:-1].mean() < 2 * gain[:-1].std(ddof=1) / 20**0.5
    assert 0.5 < gain[:-1].std(ddof=1) / m.published_gain_error.values[:-1].mean() < 2
    assert gain[-1] > 5 * m.published_gain_error.values[-1]
