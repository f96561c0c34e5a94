"""Labels of the same column of several tables come into one order."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest

from capstats.codes.column import Column, joint_labels
from capstats.codes.labels import MISSING


def column(*labels: Any, order: Any = None) -> Column:
    """One row a label; with an order, a categorical column."""
    levels = list(dict.fromkeys(labels)) if order is None else [*order, MISSING]
    return Column(np.array([levels.index(x) for x in labels], int), levels, ordered=order is not None)


def joint(*columns: Column, order: Any = ()) -> list[Any]:
    labels, maps = joint_labels(columns, "age", ["original", "synthetic", "holdout"][: len(columns)], order)
    for c, to_joint in zip(columns, maps, strict=True):
        assert [labels[i] for i in to_joint[c.codes]] == [c.labels[i] for i in c.codes]
    return labels


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ([column("10", "2", MISSING, "a")], ["2", "10", "a", MISSING]),
        ([column("b"), column("a", MISSING), column("c")], ["a", "b", "c", MISSING]),
        ([column("b", "a", order="ba"), column("a", "b", order="ab")], ["b", "a"]),
        ([column("b", order="ba"), column("c", "a", order="cab")], ["b", "a", "c"]),
        ([column("2"), column("b", "10", order=["b", "10"])], ["b", "10", "2"]),
        ([column("b", "c", order="cb"), column("d", "a")], ["c", "b", "a", "d"]),
        ([column(MISSING, "b", order="ba"), column("a", order="ab")], ["b", "a", MISSING]),
        ([column("c", "a", order="cba"), column("b", order="abc")], ["c", "b", "a"]),
        ([column("c", "a", order="cba"), column("b")], ["c", "b", "a"]),
        ([column(1, 0.5), column(10, 2)], [0.5, 1, 2, 10]),
        ([column(MISSING), column(True, False)], [False, True, MISSING]),
        ([column(MISSING), column(MISSING)], [MISSING]),
        ([column("b", order="cba"), column("b", order="abz")], ["b"]),
        ([column("b", order=[1, "b"]), column("a")], ["b", "a"]),
    ],
)
def test_category_orders_come_first_then_the_natural_order_then_missing(columns: list[Column], expected: list[Any]) -> None:
    assert joint(*columns) == expected


def test_an_unused_category_of_another_kind_does_not_matter() -> None:
    (label,) = joint(column(MISSING, order=[True]), column(1))[:1]
    assert type(label) is int


def test_an_order_that_is_given_comes_before_that_of_the_tables() -> None:
    assert joint(column("b", "a", order="ba"), column("c"), order="cab") == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("a", "b", "remedy"),
    [
        (1, "1", r"""types=\{'age': 'number'\}"""),
        ("1", 1, r"""types=\{'age': 'number'\}"""),
        ("1,5", 1.5, r"""types=\{'age': 'number'\}"""),
        ("Primary", 2, "them; if one table has value labels and the other has codes, apply the labels to both"),
        (2, "Primary", "them; if one table has value labels and the other has codes, apply the labels to both"),
        (True, 2, r"""types=\{'age': 'number'\}"""),
        ("yes", True, r"""types=\{'age': 'bool'\}"""),
        (" 1,5 ", 1.5, r"""types=\{'age': 'number'\}"""),
        ("2020-01-01", dt.date(2020, 1, 1), r"""types=\{'age': 'date'\}"""),
        ("2020-02-02", dt.date(2020, 1, 1), r"""types=\{'age': 'date'\}"""),
        (pd.Timestamp("2020"), dt.date(2020, 1, 1), r"""types=\{'age': 'datetime'\}"""),
        ("2020-02-02", pd.Timestamp("2020"), r"""types=\{'age': 'datetime'\}"""),
        ((1, 2), "1", r"Convert one of them\.$"),
        (dt.date(2020, 1, 1), "2020", r"Convert one of them\.$"),  # no date of ISO 8601
        ("ja", True, "them; if one table has value labels and the other has codes, apply the labels to both"),
    ],
)
def test_kinds_that_differ_between_tables_raise_with_both_and_a_remedy(a: Any, b: Any, remedy: str) -> None:
    with pytest.raises(TypeError, match=f"Column 'age' holds .* labels in `original` and .* labels in `synthetic`: none .*{remedy}"):
        joint(column(a), column(b))


def test_one_code_among_texts_is_enough_to_advise_a_number() -> None:
    with pytest.raises(TypeError, match=r"""say types=\{'age': 'number'\}"""):
        joint(column("unknown", "12"), column(12))


def test_no_type_is_advised_where_none_would_help() -> None:
    with pytest.raises(TypeError, match=r"Convert one of them: write numbers in one way"):  # a typographic minus
        joint(column(-1, 2), column("\u22121", "2"))
