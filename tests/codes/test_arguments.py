"""Options as they are printed are what a shell splits into the options that stand for the arguments."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Any

import pytest
from command_line import arguments_of

from capstats.codes.arguments import options_of, said
from capstats.reports.repeating import command

FILES = ["o.csv", "s.csv"]
NAMES = ["a", "a b", "a,b", " a", "a=b", "'a'", '"a"', "-a", "--target", "$(a)", "a\\b", "ä", "a;b", "a|b", "synthetic.a", "*.a", ""]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_survives_the_shell(name: str) -> None:
    arguments: dict[str, Any] = {"keys": [name, "key"], "target": name or "t", "bins": {name or "x": 10}}
    found = arguments_of(command("audit", FILES, arguments))
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
    found = arguments_of(command("audit", FILES, {"keys": "k", "target": "t", argument: value}))
    assert found[argument] == (value if expected is None else expected)


def test_arguments_are_said_in_python_and_for_a_shell() -> None:
    """An argument replaces the codes that were given, and an option is added to them."""
    assert said(skip={"a b": 2}) == "skip={'a b': 2} (--skip 'a b=2')"
    options = "--rename synthetic.AGE=age --rename 'synthetic.MY SEX=sex'"
    assert (
        said(rename={"synthetic": {"AGE": "age", "MY SEX": "sex"}})
        == f"rename={{'synthetic': {{'AGE': 'age', 'MY SEX': 'sex'}}}} ({options})"
    )
    text = said({"*": ["NA"], "a": [-9]}, null_values={"b": ["x"]})
    assert text == "null_values={'*': ['NA'], 'a': [-9], 'b': ['x']} (--null-values b=x)"


@pytest.mark.parametrize("name", NAMES[:-1])
def test_what_is_said_of_any_column_comes_back(name: str) -> None:
    types, codes, bins = {name: "number"}, {name: ["NA", "-9"]}, {name: 10}
    python, _, options = said(types=types, null_values=codes, bins=bins).partition(" (")
    assert python == f"types={types!r} and null_values={codes!r} and bins={bins!r}"
    found = arguments_of(f"{command('audit', FILES, {'keys': 'k', 'target': 't'})} {options.removesuffix(')')}")
    assert (found["types"], found["null_values"], found["bins"]) == (types, codes, bins)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize("name", ["a\nb", "a\tb'c\\d", "x\u200by", "\U000e0001z"])
def test_a_name_that_cannot_be_printed_survives_bash(name: str) -> None:
    (option,) = options_of("types", {name: "number"})
    assert option.isprintable()
    command = ["bash", "-c", f"printf '%s\\n' {option}"]
    heard = subprocess.run(command, capture_output=True, check=True, env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert heard.stdout.decode() == f"--type\n{name}=number\n"
