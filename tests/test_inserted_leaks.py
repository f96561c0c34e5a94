"""The leaks, distances and smallest sizes of benchmarks/inserted_leaks.py."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from capstats import tabulate
from capstats.counting.beyond_chance import LEVEL

pytestmark = pytest.mark.slow

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
K = 9


@cache
def benchmark() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        import inserted_leaks

    return inserted_leaks


@cache
def drawn() -> tuple[pd.DataFrame, pd.DataFrame, Mapping[tuple[str, int], pd.DataFrame]]:
    """A split of the survey, and its releases by leak and size."""
    bench = benchmark()
    return bench.repetition(bench.survey(), 1, {leak: [K] for leak in bench.LEAKS})


def rows(frame: pd.DataFrame) -> list[tuple[Any, ...]]:
    return list(map(tuple, frame.to_numpy()))


def replaced(leak: str) -> pd.DataFrame:
    """The records of a release that differ from those of the honest one."""
    _, _, releases = drawn()
    honest, leaking = releases["", 0], releases[leak, K]
    return leaking[(leaking != honest).any(axis=1)]


def test_each_leak_replaces_as_many_records_as_its_size_says() -> None:
    assert {leak: len(replaced(leak)) for leak in benchmark().LEAKS} == dict.fromkeys(benchmark().LEAKS, K)


def test_copies_are_people_of_the_original_and_the_control_is_of_the_holdout() -> None:
    original, holdout, _ = drawn()
    assert set(rows(replaced("copies"))) <= set(rows(original))
    assert set(rows(replaced("people of the holdout"))) <= set(rows(holdout))


def test_a_near_copy_differs_from_a_person_in_one_column() -> None:
    original, _, _ = drawn()
    for record in replaced("near copies").to_numpy():
        assert (original.to_numpy() != record).sum(axis=1).min() == 1


def test_leaks_of_a_group_are_about_its_people() -> None:
    original, _, _ = drawn()
    data = benchmark().survey()
    own, known = data.of_group(original), [*data.keys, data.target]
    for leak in ("targets of a group", "records of a group"):
        assert len(data.of_group(replaced(leak))) == K
    assert set(rows(replaced("targets of a group")[known])) <= set(rows(own[known]))
    assert set(rows(replaced("records of a group"))) <= set(rows(own))


def test_distances_are_those_of_all_pairs() -> None:
    original, holdout, releases = drawn()
    release = releases["copies", K]
    to_original, to_holdout = (
        np.array([(real.to_numpy() != record).sum(axis=1).min() for record in release.to_numpy()]) for real in (original, holdout)
    )
    found = benchmark().distances(original, holdout, {"copies": release})
    assert found["DCR, difference of the means"].item() == pytest.approx((to_holdout - to_original).mean())
    assert found["DCR, closer to the original"].item() == pytest.approx(np.sign(to_holdout - to_original).mean())


def test_copies_are_beyond_chance_where_their_number_is_above_that_of_the_level() -> None:
    original, holdout, releases = drawn()
    data = benchmark().survey()
    given = {"keys": data.keys, "target": data.target, "holdout": holdout, "copy_columns": 50, "bins": data.bins}
    copied = tabulate(original, {f"{k}": release for k, release in releases.items()}, **given).encoding["copies"]["releases"]
    assert [benchmark().excess(found) >= -np.log10(LEVEL) for found in copied] == [x["copied_beyond_chance"] == 1 for x in copied]


def test_the_smallest_size_is_found_with_all_larger_ones() -> None:
    """Of 20 honest releases with 1 to 20 the 95 % quantile is taken at 20: 21 is above it. Those with leaks do not set it."""
    honest = pd.DataFrame({"leak": "", "size": 0, "repetition": range(25), "x": [99.0, 0, 0, 0, 0, *range(1, 21)]})
    sizes = {1: [21, 21, 21, 21, 21], 2: [21, 0, 0, 0, 0], 3: [21, 21, 21, 21, 20], 5: [21, 21, 21, 21, 21]}
    leaking = pd.DataFrame([("copies", k, i, float(x)) for k, xs in sizes.items() for i, x in enumerate(xs)], columns=honest.columns)
    power = benchmark().powers(pd.concat([honest, leaking]).set_index(["leak", "size"]))
    assert power.loc["copies", "x"].tolist() == [1.0, 0.2, 0.8, 1.0]
    assert benchmark().table(power).loc["x"].to_dict() == {"copies": "3", "false alarms": "20%"}
    assert benchmark().smallest(pd.Series([1.0, 0.7], index=[1, 2])) == "none"


def test_a_leak_is_the_same_whatever_else_is_inserted() -> None:
    """Other packages, which are given fewer sizes, measure the same releases."""
    bench = benchmark()
    _, _, alone = bench.repetition(bench.survey(), 1, {"near copies": [K]})
    _, _, releases = drawn()
    pd.testing.assert_frame_equal(alone["near copies", K], releases["near copies", K])
