"""Checks of the description in a file of counts, before it is used: the file may be damaged or hostile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from capstats.codes.labels import MISSING, kind_of

DTYPES = ("int64", "float64")
ORIGIN = ("original", "synthetic", "holdout", "files", "types", "same_releases", "different_records", "copies")  # about the records


def need(condition: object) -> None:
    """Raise unless a condition holds that every written file meets."""
    if not condition:
        raise ValueError("It is not what was written.")


def check_header(header: Any) -> None:
    """Raise unless a description has all fields, each with a valid value."""
    _fields(header, capstats=str, digest=str, parts=list, key=list, target=list, targets=list, variables=list)
    _fields(header, coords=dict, attrs=dict, origin=dict)
    need(set(header["origin"]) <= set(ORIGIN))
    need(all(isinstance(part, str) for part in header["parts"]))
    for dim in ("key", "target"):
        need(header[dim])
        for column in header[dim]:
            _fields(column, name=str, levels=list)
            _check_labels(column["levels"])
        need(isinstance(header["attrs"].get(f"{dim}_columns", []), list))
    names = [column["name"] for column in (*header["key"], *header["target"])]
    need(len(set(names)) == len(names))
    _check_targets(header["targets"], [len(column["levels"]) for column in header["target"]])
    sizes = _check_variables(header["variables"])
    for dim, labels in header["coords"].items():
        need(isinstance(labels, list) and sizes.get(dim) == len(labels))
        _check_labels(labels)


def _fields(value: Any, **types: type) -> None:
    """Raise unless a mapping has these fields with values of these types; a truth value is no integer."""
    need(isinstance(value, dict) and all(type(value.get(name)) is of for name, of in types.items()))


def _check_labels(labels: Sequence[Any]) -> None:
    need(labels and all(x is MISSING or (kind_of(x) != "other" and x == x) for x in labels))  # NaN is not itself
    need(len(set(labels)) == len(labels))


def _check_targets(targets: Sequence[Any], levels: Sequence[int]) -> None:
    """Raise unless the targets are distinct combinations of levels, by column."""
    need(len(targets) == len(levels) and all(isinstance(column, list) and column for column in targets))
    for column, most in zip(targets, levels, strict=True):
        need(len(column) == len(targets[0]) and all(type(place) is int and 0 <= place < most for place in column))
    need(len(set(zip(*targets, strict=True))) == len(targets[0]))


def _check_variables(variables: Sequence[Any]) -> dict[str, int]:
    """The sizes of the other dims, which all variables share; raise unless these are tables of wide numbers."""
    sizes: dict[str, int] = {}
    for of in variables:
        _fields(of, name=str, dims=list, shape=list, dtype=str, attrs=dict)
        need(of["dtype"] in DTYPES and len(of["dims"]) == len(of["shape"]) == len(set(map(str, of["dims"]))))
        for dim, size in zip(of["dims"], of["shape"], strict=True):
            need(isinstance(dim, str) and dim not in ("key", "target") and type(size) is int and size > 0)
            need(sizes.setdefault(dim, size) == size)
    names = [of["name"] for of in variables]
    need("o" in names and len(set(names)) == len(names))
    return sizes
