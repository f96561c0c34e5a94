"""Counts as JSON: what another program writes follows one schema, and the rest is refused by name."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from capstats import MISSING, audit, average_cap, from_counts, read_counts, tabulate
from capstats.tables.counts_files import is_counts

BY_HAND: dict[str, Any] = {
    "capstats counts": 1,
    "key": [{"name": "smoking", "levels": ["yes", "no"]}],
    "target": [{"name": "health", "levels": ["sick", "healthy"]}],
    "cells": [[1, 0, 0, 1], [0, 0, 1, 1]],
    "counts": {"o": [5, 20, 30, 45], "s": [7, 8, 25, 60]},
}


def read(tmp_path, content):
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    assert is_counts(path)
    return read_counts(path)


def test_a_table_of_another_program_is_that_of_from_counts(tmp_path):
    labels = {"key_labels": {"smoking": ["no", "yes"]}, "target_labels": {"health": ["sick", "healthy"]}}
    found = read(tmp_path, BY_HAND)
    assert found.identical(from_counts([[5, 20], [45, 30]], [[7, 8], [60, 25]], **labels))
    assert audit(found).measures.identical(audit(from_counts([[5, 20], [45, 30]], [[7, 8], [60, 25]], **labels)).measures)


def test_releases_have_labels_and_a_missing_value_is_null(tmp_path):
    content = copy.deepcopy(BY_HAND)
    content |= {"synthetic": ["a", "b"], "counts": {"o": [5, 20, 30, 45], "s": [[7, 8, 25, 60], [1, 1, 1, 1]]}}
    content["key"][0]["levels"][1] = None
    found = read(tmp_path, content)
    assert found.indexes["synthetic"].tolist() == ["a", "b"]
    assert MISSING in found.indexes["key"].get_level_values("smoking")
    assert average_cap(found).sizes == {"synthetic": 2}


@pytest.mark.parametrize("name", ["o", "s", "h", "key", "target", "synthetic", "key_"])
def test_columns_are_stored_as_tabulate_stores_them(name, tmp_path):
    content = copy.deepcopy(BY_HAND)
    content["key"][0]["name"] = name
    people = [("no", "sick"), ("no", "healthy"), ("yes", "sick"), ("yes", "healthy")]
    records, release = (
        dict(zip((name, "health"), zip(*(x for x, n in zip(people, of, strict=True) for _ in range(n)), strict=True), strict=True))
        for of in ((5, 45, 20, 30), (7, 60, 8, 25))
    )
    found, counted = read(tmp_path, content), tabulate(records, release, keys=name, target="health")
    assert found.attrs["key_columns"] == [name]
    assert found.indexes["key"].names == counted.indexes["key"].names
    assert average_cap(found).item() == average_cap(counted).item()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cells": [[0, 1]]}, "`cells` must have a list for each column, keys first"),
        ({"cells": [[0, 1, 2, 0], [0, 0, 1, 1]]}, "`cells` of 'smoking' must have the place of a level"),
        ({"cells": [[0, 0, 1, 1], [0, 0, 1, 1]]}, "a cell occurs twice"),
        ({"counts": {"s": [1]}}, "`counts` must have a list `o`"),
        ({"counts": {"o": [1, 2, -3, 4]}}, "`counts` of 'o' must be a list of numbers, 0 or more"),
        ({"counts": {"o": [1, 2, 3, 4], "s": [0, 0, 0, 0]}}, "`s` holds no record"),
        ({"counts": {"o": [1, 2, 3, 4], "s": [[1, 2, 3, 4]]}, "synthetic": ["a", "b"]}, "`synthetic` must have a label"),
        ({"key": [{"name": "smoking", "levels": ["yes", "yes"]}]}, "the levels of 'smoking' must be distinct"),
        ({"key": ["smoking"]}, "`key` must be a list of columns"),
        ({"target": [{"name": "smoking", "levels": ["a", "b"]}]}, "column names must be distinct"),
    ],
)
def test_what_does_not_follow_the_schema_is_named(tmp_path, change, message):
    with pytest.raises(ValueError, match="nor does it follow their schema") as error:
        read(tmp_path, BY_HAND | change)
    assert message in str(error.value)


def test_a_newer_format_and_a_broken_file(tmp_path):
    with pytest.raises(ValueError, match=r"was written by capstats 9\.9"):
        read(tmp_path, BY_HAND | {"capstats counts": 2, "capstats": "9.9"})
    path = tmp_path / "broken.json"
    path.write_text('{"capstats counts": 1, ')
    with pytest.raises(ValueError, match="is damaged"):
        read_counts(path)
