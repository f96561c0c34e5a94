"""Measures by groups of people."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sparse

import capstats
from capstats import anonymity, by_group, disclosure, population
from capstats.datasets import anes96

VOTERS = anes96()
RELEASE = VOTERS.sample(frac=0.5, random_state=1)
COLUMNS = {"keys": ["educ", "PID"], "target": "vote"}


def tables(**options: Any):
    return capstats.tabulate(VOTERS, RELEASE, **COLUMNS, **options)


def test_a_group_has_the_number_of_its_people_counted_alone() -> None:
    """The oracle: the original without all others, tabulated anew, against the whole release."""
    found = by_group(capstats.average_cap, tables(), by=["educ", ("educ", "PID")], unmatched="nearest").average_cap
    for education in VOTERS.educ.unique():
        alone = capstats.tabulate(VOTERS[VOTERS.educ == education], RELEASE, **COLUMNS)
        assert found.sel(group=f"educ = {education}").item() == pytest.approx(
            capstats.average_cap(alone, unmatched="nearest").item(), rel=1e-12
        )
    pair = VOTERS[(VOTERS.educ == "Some college") & (VOTERS.PID == "Weak Democrat")]
    alone = capstats.tabulate(pair, RELEASE, **COLUMNS)
    assert found.sel(group="educ = Some college, PID = Weak Democrat").item() == pytest.approx(
        capstats.average_cap(alone).item(), rel=1e-12
    )


@pytest.mark.parametrize(("by", "backing"), [*product(["educ", "PID", [("educ", "PID")]], ["dense", "sparse"])])
def test_everybody_is_the_mean_of_the_groups_by_their_records(by: Any, backing: Any) -> None:
    t = tables(backing=backing)
    assert isinstance(t.o.data, np.ndarray if backing == "dense" else sparse.COO)
    found = by_group(capstats.average_cap, t, by=by)
    whole, *groups = zip(found.records.values, found.average_cap.values, strict=True)
    assert whole == (944, capstats.average_cap(t).item())
    assert sum(n for n, _ in groups) == 944
    assert sum(n * x for n, x in groups) / 944 == pytest.approx(whole[1], rel=1e-12)


def test_any_measure_has_groups_and_keeps_its_dims() -> None:
    t = capstats.tabulate(VOTERS, {"a": RELEASE, "b": VOTERS[::2]}, holdout=VOTERS[1::3], **COLUMNS)
    found = by_group(capstats.cap_quantiles, t, by="educ", q=[0.5, 0.9])
    assert dict(found.sizes) == {"group": 8, "synthetic": 2, "quantile": 2}
    shares = by_group(capstats.individual_share, t, by="educ")
    assert shares.holdout_cap.isel(group=0).identical(capstats.individual_share(t).holdout_cap.assign_coords(group="everybody"))
    assert by_group(lambda t: t.o.sum() / 2, t, by="PID")["<lambda>"][0] == 472
    assert (by_group(disclosure.disco, t, by="PID").disco >= 0).all()


@pytest.mark.filterwarnings("error")
def test_what_a_group_lacks_is_0_of_whole_numbers_and_nan_of_others() -> None:
    """Of women one key has 2 people and one 1; of men one has 1. The only outlier is the one man's CAP 0 among everybody's 1."""
    people = {"sex": [*"fffm"], "age": [1, 1, 2, 1], "t": [*"aaab"]}
    t = capstats.tabulate(people, {"sex": [*"ffm"], "age": [1, 2, 1], "t": [*"aaa"]}, keys=["sex", "age"], target="t")
    sizes = by_group(anonymity.class_sizes, t, by="sex").classes
    np.testing.assert_array_equal(sizes.sel(size=[1, 2]), [[2, 1], [1, 1], [1, 0]])
    boxes = by_group(capstats.cap_boxplot, t, by="sex")
    np.testing.assert_array_equal(boxes.outliers, [[0], [np.nan], [np.nan]])
    np.testing.assert_array_equal(boxes.outlier_records, [[1], [0], [0]])
    assert boxes.outlier_records.dtype == np.int64
    assert list(boxes.outliers.coords) == ["group"]
    with pytest.raises(ValueError, match=r"lists that cannot stand beside each other: .*duplicate values\. Give"):
        by_group(population.minimal_sample_uniques, t, by="sex")


def test_missing_values_renamed_columns_and_weights() -> None:
    people = {"key": ["a", None, "a"], "t": [1, 2, 1], "w": [1.5, 2, 3]}
    t = capstats.tabulate(people, {"key": ["a", None], "t": [1, 2]}, keys="key", target="t", weights=("w", None))
    found = by_group(capstats.average_cap_interval, t, by="key")
    assert found.group.values.tolist() == ["everybody", "key = a", "key = missing"]
    assert found.records.values.tolist() == [3, 2, 1]
    assert found.estimate.values.tolist() == [1, 1, 1]


@pytest.mark.parametrize(("column", "stored"), [("group", "group_"), ("outlier", "outlier_"), ("key", "key__")])
def test_a_key_column_by_the_name_of_a_dim_of_the_result(column: str, stored: str) -> None:
    records = [x.rename(columns={"educ": column}) for x in (VOTERS, RELEASE)]
    found = by_group(capstats.cap_boxplot, capstats.tabulate(*records, keys=[column, "PID"], target="vote"), column)
    plain = by_group(capstats.cap_boxplot, tables(), by="educ")
    assert found.group.values.tolist() == [x.replace("educ", column) for x in plain.group.values.tolist()]
    assert found.indexes["key"].names == [stored, "PID"]
    for name in plain.data_vars:
        np.testing.assert_array_equal(found[name].values, plain[name].values)


def test_groups_of_groups() -> None:
    found = by_group(lambda t: by_group(capstats.average_cap, t, by="PID"), tables(), by="educ")
    alone = by_group(capstats.average_cap, tables(), by=("educ", "PID")).average_cap
    chosen = found.average_cap.sel(group="educ = Some college", group_="PID = Weak Democrat")
    assert chosen.item() == alone.sel(group="educ = Some college, PID = Weak Democrat").item()


def test_a_column_whose_name_is_a_number_is_named_by_it() -> None:
    t = capstats.tabulate({0: [1, 1, 2], 1: ["a", "b", "a"]}, {0: [1, 2], 1: ["a", "b"]}, keys=[0], target=1)
    assert by_group(capstats.average_cap, t, by=0).group.values.tolist() == ["everybody", "0 = 1", "0 = 2"]


def test_what_is_no_group_is_told() -> None:
    with pytest.raises(ValueError, match=r"`by` names 'edu', which is no key column\. Did you mean 'educ'\?"):
        by_group(capstats.average_cap, tables(), by=["edu"])
    with pytest.raises(ValueError, match="`by` is empty"):
        by_group(capstats.average_cap, tables(), by=[])
    with pytest.raises(TypeError, match=r"`measure` must be a function of tables, such as capstats\.average_cap; got str"):
        by_group("average_cap", tables(), by="educ")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="`measure` must return a DataArray or a Dataset; got float"):
        by_group(lambda t: 1.0, tables(), by="educ")
    with pytest.raises(TypeError, match="`tables` must be the Dataset"):
        by_group(capstats.average_cap, pd.DataFrame({"a": [1]}), by="educ")  # type: ignore[arg-type]
