"""The data sets have the records and margins of their sources, and those of R are here as they are there."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest

from capstats.datasets import anes96, hair_eye_color, titanic, ucb_admissions


def margin(frame: pd.DataFrame, *columns: str) -> dict[Any, int]:
    """Totals of `count` by the named columns."""
    by = columns[0] if len(columns) == 1 else list(columns)
    totals = frame.groupby(by, observed=True)["count"].sum()
    return {label: int(total) for label, total in totals.items()}


@pytest.mark.r
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
@pytest.mark.parametrize(("frame", "name"), [(titanic, "Titanic"), (ucb_admissions, "UCBAdmissions"), (hair_eye_color, "HairEyeColor")])
def test_the_tables_of_r_are_here_as_they_are_there(frame: Callable[[], pd.DataFrame], name: str) -> None:
    """Columns, levels, counts and the order of rows; the counts are called Freq there."""
    command = ["Rscript", "--vanilla", "-e", f"write.csv(as.data.frame(datasets::{name}), row.names = FALSE)"]
    of_r = pd.read_csv(io.StringIO(subprocess.run(command, check=True, capture_output=True, text=True).stdout))
    ours = frame().rename(columns={"count": "Freq"})
    assert ours.columns.tolist() == of_r.columns.tolist()
    assert ours.astype(of_r.dtypes).to_numpy().tolist() == of_r.to_numpy().tolist()


@pytest.mark.parametrize(
    ("frame", "levels", "total"),
    [
        (
            titanic,
            {"Class": ["1st", "2nd", "3rd", "Crew"], "Sex": ["Male", "Female"], "Age": ["Child", "Adult"], "Survived": ["No", "Yes"]},
            2201,
        ),
        (ucb_admissions, {"Admit": ["Admitted", "Rejected"], "Gender": ["Male", "Female"], "Dept": ["A", "B", "C", "D", "E", "F"]}, 4526),
        (
            hair_eye_color,
            {"Hair": ["Black", "Brown", "Red", "Blond"], "Eye": ["Brown", "Blue", "Hazel", "Green"], "Sex": ["Male", "Female"]},
            592,
        ),
    ],
)
def test_long_form_has_every_cell_once_in_the_published_order(
    frame: Callable[[], pd.DataFrame], levels: dict[str, list[str]], total: int
) -> None:
    table = frame()
    variables = table.columns[:-1].tolist()
    assert table.columns.tolist() == [*levels, "count"]
    for name in variables:
        assert table[name].cat.categories.tolist() == levels[name]
        assert not table[name].cat.ordered
    # The first variable changes fastest, so the reversed columns are in sorted order.
    reversed_cells = pd.MultiIndex.from_frame(table[variables[::-1]].apply(lambda column: column.cat.codes))
    assert reversed_cells.is_unique
    assert reversed_cells.is_monotonic_increasing
    assert len(table) == np.prod([len(labels) for labels in levels.values()])
    assert table.index.equals(pd.RangeIndex(len(table)))
    assert table["count"].dtype == np.int64
    assert table["count"].sum() == total


def test_titanic_has_the_published_margins() -> None:
    people = titanic()
    assert margin(people, "Survived") == {"No": 1490, "Yes": 711}
    assert margin(people, "Class") == {"1st": 325, "2nd": 285, "3rd": 706, "Crew": 885}
    assert margin(people, "Sex") == {"Male": 1731, "Female": 470}
    assert margin(people, "Age") == {"Child": 109, "Adult": 2092}
    survivors = people[people["Survived"] == "Yes"]
    assert margin(survivors, "Class") == {"1st": 203, "2nd": 118, "3rd": 178, "Crew": 212}
    assert margin(survivors, "Sex") == {"Male": 367, "Female": 344}
    assert margin(survivors, "Age") == {"Child": 57, "Adult": 654}


def test_titanic_keeps_its_eight_empty_cells() -> None:
    """No child among the crew, no child of the first two classes among the dead."""
    people = titanic()
    empty = people[people["count"] == 0]
    assert len(empty) == 8
    assert set(empty["Age"]) == {"Child"}
    assert len(empty[empty["Class"] == "Crew"]) == 4


def test_ucb_admissions_have_the_published_margins() -> None:
    applicants = ucb_admissions()
    assert margin(applicants, "Admit") == {"Admitted": 1755, "Rejected": 2771}
    assert margin(applicants, "Admit", "Gender") == {
        ("Admitted", "Male"): 1198,
        ("Admitted", "Female"): 557,
        ("Rejected", "Male"): 1493,
        ("Rejected", "Female"): 1278,
    }
    assert list(margin(applicants, "Dept").values()) == [933, 585, 918, 792, 584, 714]
    dept_a = margin(applicants[applicants["Dept"] == "A"], "Gender", "Admit")
    assert [dept_a[sex, answer] for sex in ("Male", "Female") for answer in ("Admitted", "Rejected")] == [512, 313, 89, 19]


def test_hair_eye_color_has_the_published_margins_and_snees_two_way_table() -> None:
    students = hair_eye_color()
    table = students.pivot_table(index="Hair", columns="Eye", values="count", aggfunc="sum", observed=True)
    assert table.to_numpy().tolist() == [[68, 20, 15, 5], [119, 84, 54, 29], [26, 17, 14, 14], [7, 94, 10, 16]]
    assert list(margin(students, "Hair").values()) == [108, 286, 71, 127]
    assert list(margin(students, "Eye").values()) == [220, 215, 93, 64]
    assert margin(students, "Sex") == {"Male": 279, "Female": 313}
    brown = students[(students["Hair"] == "Brown") & (students["Eye"] == "Brown")]
    assert margin(brown, "Sex") == {"Male": 53, "Female": 66}


def test_anes96_has_944_complete_records() -> None:
    voters = anes96()
    assert voters.shape == (944, 10)
    assert not voters.isna().any(axis=None)
    names = "popul TVnews selfLR ClinLR DoleLR PID age educ income vote"
    assert voters.columns.tolist() == names.split()


def test_anes96_has_the_margins_of_its_source() -> None:
    voters = anes96()

    def counts(column: str) -> list[int]:
        return voters[column].value_counts(sort=False).sort_index().tolist()

    assert counts("vote") == [551, 393]
    assert counts("PID") == [200, 180, 108, 37, 94, 150, 175]
    assert counts("educ") == [13, 52, 248, 187, 90, 227, 127]
    assert counts("selfLR") == [16, 103, 147, 256, 170, 218, 34]
    assert counts("ClinLR") == [109, 317, 236, 160, 67, 36, 19]
    assert counts("DoleLR") == [13, 31, 43, 87, 195, 460, 115]
    assert counts("TVnews") == [161, 100, 112, 101, 66, 84, 32, 288]
    assert counts("income")[:12] == [19, 12, 17, 19, 18, 13, 11, 17, 10, 15, 23, 35]
    assert counts("income")[12:] == [26, 39, 68, 70, 62, 48, 51, 100, 103, 53, 47, 68]


def test_anes96_numbers_have_the_range_of_the_source() -> None:
    numbers = anes96()[["popul", "TVnews", "age"]]
    assert set(numbers.dtypes) == {np.dtype(np.int64)}
    assert numbers.min().to_dict() == {"popul": 0, "TVnews": 0, "age": 19}
    assert numbers.max().to_dict() == {"popul": 7300, "TVnews": 7, "age": 91}
    assert numbers.sum().to_dict() == {"popul": 289224, "TVnews": 3519, "age": 44409}


def test_anes96_first_and_last_records_are_those_of_the_source() -> None:
    first, last = (anes96().iloc[i].astype(str).to_list() for i in (0, -1))
    views = ["Extremely conservative, Extremely liberal, Conservative", "Moderate, Liberal, Conservative"]
    assert ", ".join(first) == f"0, 7, {views[0]}, Strong Republican, 36, High school graduate, None or less than $2,999, Dole"
    assert ", ".join(last) == f"18, 7, {views[1]}, Independent-Independent, 61, Advanced degree, $105,000 and over, Dole"


def test_anes96_orders_all_categories_but_the_vote() -> None:
    categorical = anes96().select_dtypes("category")
    ordered = {name: column.cat.ordered for name, column in categorical.items()}
    assert [name for name, is_ordered in ordered.items() if not is_ordered] == ["vote"]
    assert len(ordered) == 7


def test_anes96_income_classes_follow_each_other_without_gap() -> None:
    """Each class starts one dollar above the end of the class before it."""
    classes = anes96()["income"].cat.categories[1:-1]
    bounds = [[int(bound.strip("$").replace(",", "")) for bound in label.split("-")] for label in classes]
    assert bounds[0][0] == 3_000
    assert bounds[-1][1] == 104_999
    for (_, end), (start, _) in pairwise(bounds):
        assert start == end + 1
