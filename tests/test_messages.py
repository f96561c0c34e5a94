"""Errors of all public functions are short, and show no records that were given in place of a name, a number or a table."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from public_names import public_names

from capstats import from_counts

NUMBERS = np.random.default_rng(0).uniform(7000, 17000, 300).round(5).tolist()
TEXTS = [f"{x:.5f}" for x in NUMBERS]
HOSTILE = {
    "texts": TEXTS,
    "numbers": NUMBERS,
    "tuple": tuple(NUMBERS),
    "array": np.array(NUMBERS),
    "series": pd.Series(NUMBERS),
    "frame": pd.DataFrame({"k": TEXTS}),
    "dataarray": xr.DataArray(NUMBERS, dims="key"),
    "mapping": dict.fromkeys(TEXTS, 1),
    "set": set(TEXTS),
    "nested": [NUMBERS],
    "columns": {"k": TEXTS},
}
TABLES = from_counts([[3, 1], [1, 2]], [[1, 1], [2, 2]], key_labels={"k": ["a", "b"]}, target_labels={"t": ["x", "y"]})
RECORDS = {"k": list("aabbab") * 5, "t": list("xyxyxx") * 5, "w": [1.0, 2.0] * 15, "u": list("pqrpqr") * 5}
GIVEN = {
    **dict.fromkeys(("original", "synthetic", "released", "records", "members", "non_members"), RECORDS),
    "s": TABLES.s,
    "keys": ["k"],
    "target": "t",
    "targets": ["t"],
    "sensitive": "t",
    "columns": ["k", "t"],
    "tables": TABLES,
    "population": [[5, 5], [5, 5]],
    "population_size": 1000,
    "path": "absent/t.csv",
}
FUNCTIONS = {name: function for name, function in public_names().items() if callable(function)}
WHOLE = ("frame", "dataarray", "nested")  # of other ones an element may be named: a code, a level, a measure, a file
NAMED = {("types", "columns"), ("original", "mapping"), ("synthetic", "mapping")}  # levels that are declared, columns of a table


def errors(function: Any, argument: str | None = None) -> Iterator[tuple[str, str, Exception]]:
    """What each argument of a function raises for each hostile value."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    needed = {p.name: GIVEN.get(p.name, TABLES.o) for p in parameters if p.default is p.empty}
    for p in parameters:
        for kind, value in HOSTILE.items():
            given = {**needed, p.name: value}
            positional = [given.pop(q.name) for q in parameters if q.kind is q.POSITIONAL_ONLY and q.name in given]
            if argument not in (None, p.name):
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    function(*positional, **given)
            except Exception as error:  # noqa: BLE001  whatever it is
                yield p.name, kind, error


def check(function: Any, argument: str | None = None) -> int:
    found = list(errors(function, argument))
    for name, kind, error in found:
        message = str(error)
        values = sum(text.rstrip("0") in message for text in TEXTS)
        assert isinstance(error, (ValueError, TypeError, OSError)), (name, kind, repr(error))
        assert len(message) <= 1000, (name, kind, message)
        assert "is ambiguous" not in message, (name, kind, message)
        assert values <= (kind not in WHOLE) or (name, kind) in NAMED, (name, kind, message)
    return len(found)


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        ("capstats.tabulate", "keys"),
        ("capstats.tabulate", "target"),
        ("capstats.tabulate", "weights"),
        ("capstats.tabulate", "types"),
        ("capstats.tabulate", "decimal"),
        ("capstats.average_cap", "unmatched"),
        ("capstats.at_most", "rtol"),
        ("capstats.merge_counts", "allow_same"),
    ],
)
def test_no_values_are_shown_of_what_is_given_by_mistake(name: str, argument: str) -> None:
    assert check(FUNCTIONS[name], argument) or name == "capstats.merge_counts"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_function_shows_values_of_what_is_given_by_mistake(name: str) -> None:
    try:
        inspect.signature(FUNCTIONS[name])
    except (TypeError, ValueError):
        pytest.skip("it has no signature")
    check(FUNCTIONS[name])


def test_a_list_of_values_names_none_of_them_and_a_name_is_named() -> None:
    tabulate = FUNCTIONS["capstats.tabulate"]
    for given in (TEXTS, [*TEXTS, TEXTS[0]]):
        with pytest.raises(ValueError, match=r"Column one of 30. names is ") as raised:
            tabulate(RECORDS, keys="k", target=given)
        assert not any(text in str(raised.value) for text in TEXTS)
    with pytest.raises(ValueError, match="Column 'kk' is not in `original`"):
        tabulate(RECORDS, keys="kk", target="t")
    with pytest.raises(ValueError, match="Column 't' is named twice"):
        tabulate(RECORDS, keys="k", target=["t", "t"])
