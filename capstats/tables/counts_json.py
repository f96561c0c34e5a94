"""Counts as JSON, which other programs can write and read: the levels of each column, the cells as places among them, and the counts."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from capstats.codes.checks import shown
from capstats.codes.labels import canonical
from capstats.tables.axes import stored_names

FORMAT = "capstats counts"  # the first name in the file; its value is the version of the format
START = re.compile(rb'\s*\{\s*"capstats counts"')


class SchemaError(ValueError):
    """What does not follow the schema, in a file that another program wrote."""


def as_json(header: Mapping[str, Any], places: Sequence[Any], numbers: Sequence[Any]) -> dict[str, Any]:
    """The content of a file: the description of the tables, the places of the labels of each cell, and its counts in each table."""
    left, counts = list(numbers), {}
    for of in header["variables"]:
        n = math.prod(of["shape"])
        counts[of["name"]], left = np.stack(left[:n]).reshape(*of["shape"], -1).tolist(), left[n:]
    version, rest = header["format"], {name: x for name, x in header.items() if name != "format"}
    return {FORMAT: version, **rest, "cells": [x.tolist() for x in places], "counts": counts}


def completed(given: Mapping[str, Any]) -> tuple[dict[str, Any], list[Any], list[Any]]:
    """The description of the tables, complete, the places and the counts; an error that says what does not follow the schema.

    What another program leaves out is filled in, with "" as the digest; keys come in the order of their first cells.
    """
    columns = [_columns(given, dim) for dim in ("key", "target")]
    tables: Any = given.get("counts")
    _need(isinstance(tables, dict) and tables, "`counts` must be a mapping")
    counts = {name: _table(name, values) for name, values in tables.items()}
    n = {array.shape[-1] for array in counts.values()}
    _need("o" in counts and len(n) == 1, "`counts` must have a list `o`, and lists of the same length for other tables")
    cells: Any = given.get("cells")
    _need(isinstance(cells, list) and len(cells) == sum(map(len, columns)), "`cells` must have a list for each column, keys first")
    places = [_places(x, column, n) for x, column in zip(cells, [*columns[0], *columns[1]], strict=True)]
    names = [x["name"] for of in columns for x in of]
    _need(len(set(names)) == len(names), "column names must be distinct")
    _need(len(set(zip(*places, strict=True))) == len(places[0]), "a cell occurs twice in `cells`")
    for name, array in counts.items():
        empty = not array.reshape(-1, array.shape[-1]).any(axis=1).all() and "_" not in name
        _need(not empty, f"`{name}` holds no record: every count is 0")
    header = {name: x for name, x in given.items() if name not in (FORMAT, "cells", "counts", "synthetic")}
    header |= {"key": columns[0], "target": columns[1]}
    if "digest" not in given:
        releases = {len(array) for array in counts.values() if array.ndim == 2}
        labels = given.get("synthetic", list(range(max(releases, default=0))))
        _need(len(releases) < 2 and all(r == len(labels) for r in releases), "`synthetic` must have a label for each table of `s`")
        targets = np.stack(places[len(columns[0]) :])
        distinct = np.arange(len(columns[1][0]["levels"]))[None] if len(targets) == 1 else np.unique(targets, axis=1)
        own = {dim: [x["name"] for x in header[dim]] for dim in ("key", "target")}
        stored = iter(stored_names(*own.values()))
        header |= {
            **{dim: [{**x, "name": next(stored)} for x in header[dim]] for dim in own},
            "targets": distinct.tolist(),
            "variables": [_variable(name, array) for name, array in counts.items()],
            "coords": {"synthetic": [canonical(x) for x in labels]} if releases else {},
            "attrs": {**{f"{dim}_columns": names for dim, names in own.items()}, **given.get("attrs", {})},
            "origin": {},
            "capstats": str(given.get("capstats", "")),
            "digest": "",
            "parts": [],
        }
    first: dict[Any, int] = {}
    order = np.argsort([first.setdefault(key, len(first)) for key in zip(*places[: len(columns[0])], strict=True)], kind="stable")
    rows = [array.reshape(-1, array.shape[-1]) for array in counts.values()]
    return header, [x[order] for x in places], [row[order] for of in rows for row in of]


def _need(condition: object, must: str) -> None:
    if not condition:
        raise SchemaError(f"{must}.")


def _columns(given: Mapping[str, Any], dim: str) -> list[dict[str, Any]]:
    """The columns of a dim, each with its name and its levels."""
    found: Any = given.get(dim)
    right = isinstance(found, list) and found and all(isinstance(x, dict) and {"name", "levels"} == x.keys() for x in found)
    _need(right, f'`{dim}` must be a list of columns, each as {{"name": ..., "levels": [...]}}')
    columns = []
    for column in found:
        _need(isinstance(column["name"], str) and isinstance(column["levels"], list), f"`{dim}`: a name is a text, and levels are a list")
        levels = [canonical(x) for x in column["levels"]]
        _need(len(set(levels)) == len(levels), f"the levels of {shown(column['name'])} must be distinct")
        columns.append({"name": column["name"], "levels": levels})
    return columns


def _table(name: str, values: Any) -> Any:
    """The counts of one table, or of several."""
    try:
        found = np.array(values)
    except ValueError:
        found = np.array(None)
    right = found.dtype.kind in "iuf" and 1 <= found.ndim <= 3 and np.isfinite(found).all() and (found >= 0).all()
    _need(right, f"`counts` of {shown(name)} must be a list of numbers, 0 or more, or for several tables a list of such lists")
    return found.astype(np.float64 if found.dtype.kind == "f" else np.int64)


def _places(values: Any, column: Mapping[str, Any], n: set[int]) -> Any:
    found = np.array(values)
    right = found.dtype.kind in "iu" and found.shape == tuple(n) and (found >= 0).all() and (found < len(column["levels"])).all()
    _need(right, f"`cells` of {shown(column['name'])} must have the place of a level, from 0, for each count")
    return found.astype(np.int64)


def _variable(name: str, array: Any) -> dict[str, Any]:
    dims = ["synthetic"] if array.ndim == 2 else []
    return {"name": name, "dims": dims, "shape": list(array.shape[:-1]), "dtype": str(array.dtype), "attrs": {}}
