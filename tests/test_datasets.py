"""Every data set names its source and its licence, and gives a new table at each call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
import xarray as xr

from capstats import datasets
from capstats.datasets import anes96, hair_eye_color, paper_originals, paper_synthetics, smoking, titanic, ucb_admissions

LONG_FORMS = [titanic, ucb_admissions, hair_eye_color]
FRAMES = [*LONG_FORMS, anes96]
TABLES = [smoking, paper_originals, paper_synthetics]


@pytest.mark.parametrize("dataset", [*FRAMES, *TABLES])
def test_attrs_and_docstring_name_source_and_licence(dataset: Callable[[], Any]) -> None:
    for name in ("source", "licence"):
        assert dataset().attrs[name]
        assert f"{name.capitalize()}: " in str(dataset.__doc__)


def test_every_data_set_is_tested_and_public() -> None:
    names = {dataset.__name__ for dataset in [*FRAMES, *TABLES]} | {"ERRATA", "example"}
    assert names == set(datasets.__all__)


@pytest.mark.parametrize("dataset", [*FRAMES, *TABLES])
def test_two_calls_give_equal_but_independent_data(dataset: Callable[[], Any]) -> None:
    first, second = dataset(), dataset()
    check: Callable[[Any, Any], None] = pd.testing.assert_frame_equal if dataset in FRAMES else xr.testing.assert_identical
    check(first, second)
    if dataset in FRAMES:
        first.loc[0, first.select_dtypes("number").columns[0]] = -1
    else:
        (first["o"] if dataset is smoking else first).values[..., 0, 0] = -1
    first.attrs["source"] = "mine"
    check(second, dataset())
    assert second.attrs == dataset().attrs != first.attrs


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
