"""Commands to paste are what a shell splits into the options that stand for the arguments."""

from __future__ import annotations

from command_line import arguments_of

from capstats.reports.repeating import LINE, call, command, restricted

FILES = ["o.csv", "s.csv"]


def test_long_commands_go_on_in_the_next_line_and_stay_one_command() -> None:
    keys = [f"column number {i}, long" for i in range(12)]
    text = command("audit", FILES, {"keys": keys, "target": "t"}, ["--json"])
    assert max(map(len, text.splitlines())) <= LINE + 2
    assert text.endswith("--json")
    assert arguments_of(text)["keys"] == keys


def test_files_whose_names_begin_with_a_hyphen_are_files() -> None:
    assert arguments_of(command("audit", ["-o.csv", "s.csv"], {"keys": "k", "target": "t"}))["original"] == "./-o.csv"


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
