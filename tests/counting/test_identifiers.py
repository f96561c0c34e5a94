"""Columns that identify records: a release that has their values is not acquitted, and one that numbers its rows anew may be."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from capstats import tabulate
from capstats.counting import many_rows
from capstats.tables.dataset import copies_known

N = 300
NUMBERS = np.random.default_rng(0).permutation(90_000)[:N]


def released(original: Any, release: Any) -> dict[str, Any]:
    found: dict[str, Any] = copies_known(tabulate(original, release, keys=["a"], target="t", copy_columns=50))["releases"][0]
    return found


def few_kinds(seed: int, **columns: Any) -> pd.DataFrame:
    """Records of so few kinds that chance explains all that are equal, and other columns."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"a": rng.choice([*"xyz"], N), "t": rng.choice([*"uv"], N), **columns})


@pytest.mark.parametrize("values", [NUMBERS + 10_000, [f"Person {x}" for x in NUMBERS]])
@pytest.mark.parametrize("many", [False, True])
def test_a_release_with_the_names_of_real_people_is_not_acquitted(
    values: Any, many: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = few_kinds(1, x=values)
    files = [tmp_path / f"{name}.csv" for name in "os"]
    for file, table in zip(files, (original, original[20:]), strict=True):
        table.to_csv(file, index=False)
    if many:
        monkeypatch.setattr(many_rows, "MOST_VALUES", 0)
    found = released(*files)
    assert found["copied_beyond_chance"] is None
    assert found["apart"] == {"x": "identifies records of the original, and 280 of its 280 have one of these values"}


@pytest.mark.parametrize("write", [lambda i: i, lambda i: 1000 - i, lambda i: f"P{i:04}", lambda i: None if i == 9 else f"{i + 5} a"])
def test_numbers_of_rows_say_nothing_whatever_text_is_beside_them(write: Any) -> None:
    rows = [write(i) for i in range(N)]
    assert released(few_kinds(1, x=rows), few_kinds(2, x=rows))["apart"] == {}


@pytest.mark.parametrize("values", [NUMBERS + 100_000, [*NUMBERS[: N // 2], *(NUMBERS[N // 2 :] + 100_000)], [None] * N, [[1]] * N])
def test_other_values_up_to_half_and_missing_ones_are_not_those_of_real_people(values: Any) -> None:
    found = released(few_kinds(1, x=[None, *NUMBERS[1:]]), few_kinds(2, x=values))
    assert "x" not in found["apart"]
