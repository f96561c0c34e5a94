"""The bundled tables hold the numbers that their sources print."""

from __future__ import annotations

import io
import shutil
import subprocess
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr

from capstats import datasets
from capstats.datasets import (
    ERRATA,
    anes96,
    hair_eye_color,
    paper_originals,
    paper_synthetics,
    smoking,
    titanic,
    ucb_admissions,
)

LONG_FORMS = [titanic, ucb_admissions, hair_eye_color]
FRAMES = [*LONG_FORMS, anes96]
TABLES = [smoking, paper_originals, paper_synthetics]


def margin(frame: pd.DataFrame, *columns: str) -> dict[Any, int]:
    """Totals of `count` by the named columns."""
    by = columns[0] if len(columns) == 1 else list(columns)
    totals = frame.groupby(by, observed=True)["count"].sum()
    return {label: int(total) for label, total in totals.items()}


def average_cap(o: xr.DataArray, s: xr.DataArray) -> Fraction:
    """Version 1 in exact arithmetic, cell by cell; every key of `s` is matched."""
    o_ij, s_ij = o.values.tolist(), s.values.tolist()
    s_j = [sum(column) for column in zip(*s_ij, strict=True)]
    correct = Fraction(0)
    for i, j in product(range(len(o_ij)), range(len(s_j))):
        correct += Fraction(o_ij[i][j] * s_ij[i][j], s_j[j])
    return correct / sum(sum(row) for row in o_ij)


# --- Every data set -------------------------------------------------------------------


@pytest.mark.parametrize("dataset", [*FRAMES, *TABLES])
def test_attrs_name_source_and_licence(dataset: Callable[[], Any]) -> None:
    attrs = dataset().attrs
    assert attrs["source"]
    assert attrs["licence"]


@pytest.mark.parametrize("dataset", [*FRAMES, *TABLES])
def test_docstring_names_source_and_licence(dataset: Callable[[], Any]) -> None:
    assert dataset.__doc__ is not None
    assert "Source: " in dataset.__doc__
    assert "Licence: " in dataset.__doc__


def test_every_data_set_is_tested_and_public() -> None:
    names = {dataset.__name__ for dataset in [*FRAMES, *TABLES]} | {"ERRATA", "example"}
    assert names == set(datasets.__all__)


@pytest.mark.parametrize("frame", FRAMES)
def test_two_calls_give_equal_but_independent_frames(
    frame: Callable[[], pd.DataFrame],
) -> None:
    first, second = frame(), frame()
    pd.testing.assert_frame_equal(first, second)
    numeric = first.select_dtypes("number").columns[0]
    first.loc[0, numeric] = -1
    first.attrs["source"] = "mine"
    pd.testing.assert_frame_equal(second, frame())
    assert second.attrs == frame().attrs != first.attrs


@pytest.mark.parametrize("table", TABLES)
def test_two_calls_give_equal_but_independent_tables(
    table: Callable[[], xr.Dataset | xr.DataArray],
) -> None:
    first, second = table(), table()
    xr.testing.assert_identical(first, second)
    counts = first["o"] if isinstance(first, xr.Dataset) else first
    counts.values[..., 0, 0] = -1
    first.attrs["source"] = "mine"
    xr.testing.assert_identical(second, table())


@pytest.mark.parametrize("frame", FRAMES)
def test_categories_are_plain_strings_and_all_occur(
    frame: Callable[[], pd.DataFrame],
) -> None:
    categorical = frame().select_dtypes("category")
    assert not categorical.empty
    for name, column in categorical.items():
        assert column.cat.categories.dtype == object, name
        assert {type(label) for label in column.cat.categories} == {str}, name
        assert set(column) == set(column.cat.categories), name


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


# --- The paper ------------------------------------------------------------------------


def test_smoking_holds_tables_1_and_2() -> None:
    tables = smoking()
    assert tables.o.dims == tables.s.dims == ("target", "key")
    assert tables.o.values.tolist() == [[20, 5], [30, 45]]
    assert tables.s.values.tolist() == [[8, 7], [25, 60]]
    assert tables.indexes["target"].tolist() == ["Sick", "Healthy"]
    assert tables.indexes["key"].tolist() == [("Smoking",), ("Non-smoking",)]
    assert tables.indexes["key"].names == ["smoking"]
    assert list(tables.attrs["target_columns"]) == ["health"]


def test_smoking_gives_the_individual_cap_printed_in_section_2() -> None:
    smokers = smoking().sel(smoking="Smoking")
    o, s = smokers.o.values.ravel(), smokers.s.values.ravel()
    assert (o / o.sum()).tolist() == pytest.approx([0.4, 0.6])
    assert np.round(s / s.sum(), 4).tolist() == [0.2424, 0.7576]


@pytest.mark.parametrize(
    ("tables", "first", "labels"),
    [
        (paper_originals, "original", ["O_1", "O_2", "O_3", "O_4"]),
        (paper_synthetics, "synthetic", ["a", "b", "e", "g"]),
    ],
)
def test_paper_tables_are_labelled_as_in_the_paper(tables: Callable[[], xr.DataArray], first: str, labels: list[str]) -> None:
    table = tables()
    assert table.dims == (first, "target", "key")
    assert table.dtype == np.int64
    assert table.indexes[first].tolist() == labels
    assert table.indexes["target"].tolist() == ["T_1", "T_2", "T_3"]
    assert isinstance(table.indexes["key"], pd.MultiIndex)
    assert table.indexes["key"].names == ["K"]
    assert table.indexes["key"].tolist() == [("K_1",), ("K_2",), ("K_3",)]


def test_paper_originals_and_synthetics_align_without_loss() -> None:
    o, s = xr.align(paper_originals(), paper_synthetics(), join="exact")
    assert (o + s).shape == (4, 3, 3, 4)


def test_paper_tables_have_the_printed_cells() -> None:
    o, s = paper_originals(), paper_synthetics()
    assert o.sel(original="O_1").values.tolist() == [[100] * 3] * 3
    assert o.sel(original="O_2").values.tolist() == np.diag([400, 250, 350]).tolist()
    assert o.sel(original="O_3", target="T_1").values.tolist() == [0, 176, 204]
    assert o.sel(original="O_4", target="T_3").values.tolist() == [74, 99, 198]
    assert s.sel(synthetic="a", target="T_2").values.tolist() == [104, 44, 134]
    assert s.sel(synthetic="b", target="T_3").values.tolist() == [216, 54, 3]
    assert s.sel(synthetic="e", target="T_3").values.tolist() == [169, 14, 148]
    assert s.sel(synthetic="g", target="T_2").values.tolist() == [2, 131, 147]


def test_paper_tables_have_900_records_except_o_2() -> None:
    cells = ["target", "key"]
    assert paper_originals().sum(cells).values.tolist() == [900, 1000, 900, 900]
    assert paper_synthetics().sum(cells).values.tolist() == [900] * 4


def test_o_3_and_o_4_are_as_the_prose_describes_them() -> None:
    """Section 4: K_1 implies T_3 in O_3, and T_1 implies K_3 in O_4."""
    o = paper_originals()
    assert o.sel(original="O_3").values[:, 0].tolist() == [0, 0, 127]
    assert o.sel(original="O_4").values[0].tolist() == [0, 0, 62]


@pytest.mark.parametrize(
    ("original", "synthetic", "printed", "digits"),
    [
        ("O_3", "b", 0.31, 2),
        ("O_3", "g", 0.35, 2),
        ("O_4", "a", 0.318, 3),
        ("O_4", "e", 0.309, 3),
    ],
)
def test_paper_tables_give_the_average_cap_printed_in_section_4(original: str, synthetic: str, printed: float, digits: int) -> None:
    o = paper_originals().sel(original=original)
    s = paper_synthetics().sel(synthetic=synthetic)
    assert round(float(average_cap(o, s)), digits) == printed


@pytest.mark.parametrize(("synthetic", "printed"), [("a", 134), ("e", 272)])
def test_paper_tables_give_the_predictive_success_printed_in_section_4(synthetic: str, printed: int) -> None:
    o = paper_originals().sel(original="O_4").values
    s = paper_synthetics().sel(synthetic=synthetic).values
    assert o[s.argmax(axis=0), range(3)].sum() == printed


def test_o_2_has_average_cap_one() -> None:
    o_2 = paper_originals().sel(original="O_2")
    assert average_cap(o_2, o_2) == 1


def test_errata_name_what_they_correct() -> None:
    places = ["Table 3", "Table 4", "Tables 9", "Theorem 2", "CAP_S(x_l)", "C_alpha", "one of the larger ones"]
    assert len(ERRATA) == len(places) == 7
    for erratum, place in zip(ERRATA, places, strict=True):
        assert place in erratum


def test_the_average_cap_of_an_original_with_itself_is_not_one_of_the_larger_ones() -> None:
    """By the paper's own example; and two of the nine tables with two records of each key exceed it."""
    tables = smoking()
    itself = average_cap(tables.o, tables.o)
    assert itself == Fraction(67, 100) < average_cap(tables.o, tables.s)
    others = [tables.s.copy(data=[[a, b], [2 - a, 2 - b]]) for a in range(3) for b in range(3)]
    assert sum(average_cap(tables.o, s) > itself for s in others) == 2


# --- Contingency tables in long form --------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "levels", "total"),
    [
        (
            titanic,
            {
                "Class": ["1st", "2nd", "3rd", "Crew"],
                "Sex": ["Male", "Female"],
                "Age": ["Child", "Adult"],
                "Survived": ["No", "Yes"],
            },
            2201,
        ),
        (
            ucb_admissions,
            {
                "Admit": ["Admitted", "Rejected"],
                "Gender": ["Male", "Female"],
                "Dept": ["A", "B", "C", "D", "E", "F"],
            },
            4526,
        ),
        (
            hair_eye_color,
            {
                "Hair": ["Black", "Brown", "Red", "Blond"],
                "Eye": ["Brown", "Blue", "Hazel", "Green"],
                "Sex": ["Male", "Female"],
            },
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
    assert margin(survivors, "Class") == {
        "1st": 203,
        "2nd": 118,
        "3rd": 178,
        "Crew": 212,
    }
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


def test_ucb_department_a_admitted_more_women_than_men_in_proportion() -> None:
    applicants = ucb_admissions()
    dept_a = margin(applicants[applicants["Dept"] == "A"], "Gender", "Admit")
    assert dept_a["Male", "Admitted"] == 512
    assert dept_a["Male", "Rejected"] == 313
    assert dept_a["Female", "Admitted"] == 89
    assert dept_a["Female", "Rejected"] == 19


def test_hair_eye_color_sums_to_snees_two_way_table() -> None:
    students = hair_eye_color()
    table = students.pivot_table(index="Hair", columns="Eye", values="count", aggfunc="sum", observed=True)
    assert table.to_numpy().tolist() == [
        [68, 20, 15, 5],
        [119, 84, 54, 29],
        [26, 17, 14, 14],
        [7, 94, 10, 16],
    ]


def test_hair_eye_color_has_the_published_margins() -> None:
    students = hair_eye_color()
    assert list(margin(students, "Hair").values()) == [108, 286, 71, 127]
    assert list(margin(students, "Eye").values()) == [220, 215, 93, 64]
    assert margin(students, "Sex") == {"Male": 279, "Female": 313}
    brown = students[(students["Hair"] == "Brown") & (students["Eye"] == "Brown")]
    assert margin(brown, "Sex") == {"Male": 53, "Female": 66}


# --- The survey -----------------------------------------------------------------------


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
    voters = anes96()
    assert voters.iloc[0].tolist() == [
        0,
        7,
        "Extremely conservative",
        "Extremely liberal",
        "Conservative",
        "Strong Republican",
        36,
        "High school graduate",
        "None or less than $2,999",
        "Dole",
    ]
    assert voters.iloc[-1].tolist() == [
        18,
        7,
        "Moderate",
        "Liberal",
        "Conservative",
        "Independent-Independent",
        61,
        "Advanced degree",
        "$105,000 and over",
        "Dole",
    ]


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
