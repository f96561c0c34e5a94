"""Commands to paste are what a shell splits into the options that stand for the arguments."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from capstats.cli.configuration import settings_of
from capstats.cli.program import parser
from capstats.cli.reading import tables
from capstats.reports.repeating import LINE, call, command, restricted

FILES = ["o.csv", "s.csv"]
NAMES = ["a", "a b", "a,b", " a", "a=b", "'a'", '"a"', "-a", "--target", "$(a)", "a\\b", "ä", "a;b", "a|b", ""]


def read(text: str) -> dict[str, Any]:
    """The arguments of the library that the command line makes of a command."""
    program, *words = shlex.split(text.replace("\\\n", ""))  # as a shell joins lines
    assert program == "capstats"
    given = parser().parse_args(words)
    return tables(settings_of(given.command, given), ("original", "synthetic", "keys", "target"), ("example",))


@pytest.mark.parametrize("name", NAMES)
def test_any_name_survives_the_shell(name: str) -> None:
    arguments: dict[str, Any] = {"keys": [name, "key"], "target": name or "t", "bins": {name or "x": 10}}
    found = read(command("audit", FILES, arguments))
    assert found["keys"] == [name, "key"]
    assert found["target"] == [name or "t"]
    assert found["bins"] == {name or "x": 10}


@pytest.mark.parametrize(
    ("argument", "value", "expected"),
    [
        ("bins", {"a": ("quantile", 4)}, None),
        ("bins", {"a": [18, 65]}, {"a": ["18", "65"]}),
        ("bins", {"a": [18]}, {"a": ["18"]}),
        ("types", {"a": "number", "b": ["low", "a,b"]}, None),
        ("null_values", {"a": [-9, -8], "b": ["NA"]}, {"a": ["-9", "-8"], "b": ["NA"]}),
        ("null_values", {"*": ["NA"], "a": [-9]}, {"*": ["NA"], "a": ["-9"]}),
        ("null_values", ["NA", -9], ["NA", "-9"]),
        ("null_values", "NA", ["NA"]),
        ("weights", ("w", None), None),
        ("weights", "w", None),
        ("encoding", "cp1252", None),
        ("decimal", ",", None),
        ("encoding", {"*": "cp1252", "synthetic": "utf-16"}, None),
        ("skip", {"original": 2}, None),
        ("rename", {"synthetic": {"AGE": "age"}, "B": "b"}, None),
        ("types", {"a": "number", "synthetic": {"a": "text", "b c": ["x", "y"]}, "original.x": "date"}, None),
        ("null_values", {"synthetic": {"*": ["NA"], "a": ["-9"]}, "a": ["x"]}, None),
        ("missing", "drop", None),
        ("allow_same", True, None),
        ("spill_dir", "a b", None),
    ],
)
def test_options_of_reading_come_back(argument: str, value: Any, expected: Any) -> None:
    found = read(command("audit", FILES, {"keys": "k", "target": "t", argument: value}))
    assert found[argument] == (value if expected is None else expected)


def test_long_commands_go_on_in_the_next_line_and_stay_one_command() -> None:
    keys = [f"column number {i}, long" for i in range(12)]
    text = command("audit", FILES, {"keys": keys, "target": "t"}, ["--json"])
    assert max(map(len, text.splitlines())) <= LINE + 2
    assert text.endswith("--json")
    assert read(text)["keys"] == keys


def test_files_whose_names_begin_with_a_hyphen_are_files() -> None:
    assert read(command("audit", ["-o.csv", "s.csv"], {"keys": "k", "target": "t"}))["original"] == "./-o.csv"


def test_bins_of_other_columns_are_left_out() -> None:
    given = {
        "bins": {"a": 10, "b": 5},
        "types": {"b": "number"},
        "null_values": {"*": ["NA"], "b": [-9]},
        "missing": "drop",
        "progress": True,
        "allow_same": False,
        "weights": None,
    }
    kept = {name: given[name] for name in ("types", "null_values", "missing")}
    assert restricted(given, ["a"]) == {"bins": {"a": 10}, **kept}


def test_a_call_of_python_is_one() -> None:
    assert call({"keys": ["a"], "target": "b"}) == "capstats.audit(original, synthetic, keys=['a'], target='b')"
