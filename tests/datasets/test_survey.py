"""The survey has the records, margins and ranges of its source."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from capstats.datasets import anes96


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
