"""The same records given twice to one call are refused, whatever holds them; records that are merely alike are not."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from capstats import audit, tabulate
from capstats.attacks import maximum_knowledge, membership_roc, membership_scores, model_attack
from capstats.counting.same import BLOCK, same_releases
from capstats.datasets import anes96, example
from capstats.disclosure import record_risk
from capstats.reports.blocks import Alert
from capstats.screening import sweep

PEOPLE = anes96()  # 944 records, most of them unique over all columns, and few over keys and target
RESAMPLED = PEOPLE.sample(944, replace=True, random_state=1).reset_index(drop=True)
ASKED: dict[str, Any] = {"keys": ["educ", "PID"], "target": "vote"}
COLUMNS: dict[str, Any] = {"columns": ["age", "educ"]}
REFUSED = r"`{}` and `{}` {}\. .*allow_same=True \(--allow-same\)"


def refused(one: str, other: str, how: str = "hold the same records") -> Any:
    return pytest.raises(ValueError, match=REFUSED.format(re.escape(one), re.escape(other), how))


def shuffled() -> pd.DataFrame:
    return PEOPLE.sample(frac=1, random_state=5)


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Files of the people, of copies of them, and of resampled people."""
    monkeypatch.chdir(tmp_path)
    PEOPLE.to_csv("people.csv", index=False)
    PEOPLE.to_parquet("people.parquet")
    shuffled().to_csv("shuffled.csv", index=False)
    RESAMPLED.to_csv("resampled.csv", index=False)
    shutil.copy("people.csv", "another-name.csv")
    Path("link.csv").symlink_to("people.csv")
    os.link("people.csv", "hard.csv")
    return tmp_path


FILES = {
    "people.csv": r"are both read from the file 'people.csv'",
    "./people.csv": r"are both read from the file 'people.csv'",
    "link.csv": r"are both read from the file 'people.csv'",
    "hard.csv": r"are both read from the file 'people.csv'",
    "[pr]e*.csv": r"are both read from the file 'people.csv'",  # one of the files of a pool
    "another-name.csv": "are files with the same content",
    "shuffled.csv": "hold the same records",
    "people.parquet": "hold the same records",
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(("release", "how"), FILES.items(), ids=list(FILES))
def test_a_file_is_no_release_of_itself_under_whatever_name(release: str, how: str) -> None:
    with refused("original", "synthetic", how):
        audit("people.csv", release, **ASKED)
    assert audit("people.csv", release, allow_same=True, **ASKED).measures.average_cap_zero > 0


FRAMES: dict[str, Callable[[pd.DataFrame], Any]] = {
    "the object": lambda frame: frame,
    "a copy": lambda frame: frame.copy(),
    "shuffled": lambda frame: frame.sample(frac=1, random_state=7),
    "without a column": lambda frame: frame.drop(columns="age"),
    "a mapping": lambda frame: frame.to_dict("list"),
    "polars": pl.from_pandas,
    "lazy polars": lambda frame: pl.from_pandas(frame).lazy(),
    "duckdb": duckdb.from_df,
}


@pytest.mark.parametrize("made", FRAMES.values(), ids=list(FRAMES))
def test_a_frame_is_no_release_of_itself_in_whatever_library(made: Callable[[pd.DataFrame], Any]) -> None:
    with pytest.raises(ValueError, match=r"`original` and `synthetic` (are one object|hold the same records)"):
        audit(PEOPLE, made(PEOPLE), **ASKED)
    audit(PEOPLE, made(RESAMPLED), **ASKED)


def test_any_two_of_original_release_and_holdout_must_differ() -> None:
    other = PEOPLE.sample(500, random_state=3)
    with refused("original", "holdout", "are one object"):
        audit(PEOPLE, RESAMPLED, holdout=PEOPLE, **ASKED)
    with refused("original", "holdout"):
        audit(PEOPLE, RESAMPLED, holdout=shuffled(), **ASKED)
    with refused("holdout", "synthetic", "are one object"):
        audit(PEOPLE, RESAMPLED, holdout=RESAMPLED, **ASKED)
    with refused("original", "synthetic['b']", "are one object"):
        audit(PEOPLE, {"a": RESAMPLED, "b": PEOPLE}, **ASKED)
    with refused("holdout", "synthetic[1]"):
        audit(PEOPLE, [RESAMPLED, other.copy()], holdout=other, **ASKED)


def test_a_column_that_only_one_table_has_twice_is_not_compared() -> None:
    twice = pd.concat([PEOPLE, PEOPLE[["age"]]], axis=1)
    for one, other in ((twice, shuffled()), (shuffled(), twice)):
        with refused("original", "synthetic"):
            audit(one, other, **ASKED)


CALLS: dict[str, Callable[..., Any]] = {
    "record_risk": lambda one, other, **more: record_risk(one, other, **ASKED, **more),
    "sweep": lambda one, other, **more: sweep(one, other, keys=["educ", "PID"], targets="vote", **more),
    "maximum_knowledge": lambda one, other, **more: maximum_knowledge(one, other, **COLUMNS, **more),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_records_sweeps_and_attacks_refuse_it_too(call: Callable[..., Any]) -> None:
    with refused("original", "synthetic", "are one object"):
        call(PEOPLE, PEOPLE)
    with refused("original", "synthetic"):
        call(PEOPLE, shuffled())
    call(PEOPLE, PEOPLE, allow_same=True)
    call(PEOPLE, RESAMPLED)


def test_a_fitted_model_is_not_tried_on_what_it_was_fitted_on() -> None:
    bayes = pytest.importorskip("sklearn.naive_bayes").CategoricalNB()
    with refused("original", "synthetic", "are one object"):
        model_attack(PEOPLE, PEOPLE, estimator=bayes, **ASKED)
    assert model_attack(PEOPLE, PEOPLE, estimator=bayes, allow_same=True, **ASKED).average > 0
    assert model_attack(PEOPLE, RESAMPLED, estimator=bayes, **ASKED).average > 0


def test_members_others_and_releases_are_three_tables() -> None:
    members, others = PEOPLE[:400], PEOPLE[400:800]
    with refused("members", "synthetic", "are one object"):
        membership_roc(members, others, members, widths=1, **COLUMNS)
    with refused("non_members", "synthetic"):
        membership_roc(members, others, others.copy(), widths=1, **COLUMNS)
    with refused("members", "non_members"):
        membership_roc(members.reset_index(drop=True), members.reset_index(drop=True), RESAMPLED, widths=1, **COLUMNS)
    with refused("records", "synthetic", "are one object"):
        membership_scores(members, members, widths=1, **COLUMNS)
    assert membership_scores(members, members, widths=1, allow_same=True, **COLUMNS).size == 400


def test_tables_of_counts_and_one_file_with_two_columns_of_counts_are_no_concern() -> None:
    assert tabulate(PEOPLE, PEOPLE, holdout=PEOPLE, **ASKED).s.sum() == 944
    given = example("titanic")
    assert given["original"] is given["synthetic"]
    assert audit(**given).measures.original_records == 2201


def test_small_tables_may_agree_by_chance() -> None:
    """Two samples of a few cells: equal counts in another order say nothing, the same rows in the same order do."""
    one, ids = {"k": [*"aabb"] * 3, "t": [*"xxyy"] * 3}, list(range(12))
    other = {name: column[::-1] for name, column in one.items()}
    assert audit(one, other, keys="k", target="t").measures.average_cap_zero == 1
    with refused("original", "synthetic"):
        audit(one, {"k": [*"aabb"] * 3, "t": [*"xxyy"] * 3}, keys="k", target="t")
    with refused("original", "synthetic"):  # mostly unique, by a column that nobody asked for
        audit({**one, "id": ids}, {**other, "id": ids[::-1]}, keys="k", target="t")
    audit({**one, "id": ids}, {**other, "id": [*ids[:0:-1], 99]}, keys="k", target="t")
    few = {"k": [*"abcdefghi"], "t": [*"xyxyxyxyx"]}  # unique, and nine
    audit(few, {name: column[::-1] for name, column in few.items()}, keys="k", target="t")


def test_columns_that_cannot_be_compared_are_left_out() -> None:
    """Lists, mixed kinds, a name that occurs twice, and other kinds in the other table: all of columns that nobody asked for."""
    ids = np.arange(12).astype(str)
    one = pd.DataFrame({"k": [*"aabb"] * 3, "t": [*"xxyy"] * 3, "id": ids, "odd": [[1], [2], [], None] * 3})
    other = one.assign(odd=[1, "x", 2.5, None] * 3)
    with refused("original", "synthetic"):
        audit(one, other, keys="k", target="t")
    apart = one.assign(odd=["p", "q", "r", "s"] * 3)
    with refused("original", "synthetic", "hold the same records, but for the spelling or the levels of 'odd'"):
        audit(apart, apart.assign(odd=[1, 2, 3, 4] * 3)[::-1], keys=["k", "id"], target="t")
    audit(apart, apart.assign(odd=["p", "q", "r", "u"] * 3)[::-1], keys="k", target="t")


def test_releases_that_are_one_are_said_first() -> None:
    found = audit(PEOPLE, {"a": RESAMPLED, "b": RESAMPLED, "c": RESAMPLED[:900]}, **ASKED)
    told = "These releases are one and the same table: `synthetic['a']` and `synthetic['b']`. Give each release once."
    assert found.provenance["warnings"] == [told]
    assert [block.text for blocks in found.sections().values() for block in blocks if isinstance(block, Alert)][-1] == told


@pytest.mark.usefixtures("folder")
def test_releases_that_are_copies_of_one_file_are_said_first() -> None:
    found = audit("resampled.csv", ["people.csv", "shuffled.csv", "another-name.csv"], **ASKED)
    (told,) = found.provenance["warnings"]
    assert "`synthetic[0]` and `synthetic[2]`. Give" in told


@pytest.mark.usefixtures("folder")
def test_an_honest_audit_reads_nothing_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """The margins differ, so no row is looked at again."""
    from capstats.counting import same

    monkeypatch.setattr(same, "check_rows", lambda *_: pytest.fail("the tables were read again"))
    audit("people.csv", "resampled.csv", **ASKED)


def test_equal_releases_are_found_beside_another_one_that_begins_as_they_do(tmp_path: Path) -> None:
    begin = "k,t\n" + "1,2\n" * BLOCK
    for name, end in (("one", "1,2\n"), ("two", "1,3\n"), ("three", "1,3\n"), ("four", "1,2\n"), ("five", "1,3\n")):
        (tmp_path / f"{name}.csv").write_text(begin + end)
    given = {name: tmp_path / f"{name}.csv" for name in ("one", "two", "three", "four", "five")}
    assert same_releases(given) == [("one", "four"), ("two", "three"), ("two", "five")]
