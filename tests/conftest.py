"""Examples of hypothesis, files and cases that are left to .ci/run, and the number of processes that run the tests."""

from __future__ import annotations

import gc
import json
import os
import re
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from zlib import crc32

import pytest
import records
from hypothesis import settings
from slow_tests import QUICK

# no deadline: the first call into a library may take long; strategies.py says how many examples a test of its own number takes
settings.register_profile("quick", max_examples=25, deadline=None, derandomize=True)
settings.register_profile("thorough", max_examples=100, deadline=None, derandomize=True)
settings.register_profile("fresh", max_examples=100, deadline=None, derandomize=False)
settings.register_profile("random", max_examples=100, deadline=None, derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

pytest_plugins = ["command_files"]
collect_ignore = ["notebook_checks"]  # they run in the kernels of the notebooks

os.environ.setdefault("SOURCE_DATE_EPOCH", "1767225600")  # the date of reports, 2026-01-01, in this process and those that it starts
gc.disable()  # until all tests are collected, which makes objects that stay


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--part", default="1/1", metavar="I/N", help="of the slow tests and those in Chromium, run the I-th part of N")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """True for a file of which all tests are left out: it is not even read into Python. Files that are named are never asked about."""
    if not collection_path.match("test_*.py"):
        return None
    own = collection_path.read_text(encoding="utf-8").partition("\npytestmark = ")[2].partition("\n\n")[0]
    return True if any(f"mark.{mark}" in own for mark in re.findall(r"\bnot (\w+)", config.option.markexpr)) else None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """No examples of docstrings in tests, which have none."""
    return [collector for collector in (yield) if type(collector).__name__ != "DoctestModule"]


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(collector: pytest.Collector, name: str) -> list[pytest.Item] | None:
    """No cases of a test that has no quick ones, where slow tests are left out, unless a test is named: to make them takes time as well."""
    config = collector.config
    left_out = "not slow" in config.option.markexpr and not any("::" in argument for argument in config.args)
    return [] if left_out and QUICK.get(f"{collector.nodeid}::{name}") == 0 else None


def pytest_collection_finish() -> None:
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(autouse=True, scope="session")
def every_record_is_valid():
    """Each record that a test makes is one that the schema validates, and has null in place of NaN."""
    from capstats.auditing import audits, several_targets
    from capstats.auditing.record import recorded

    def checked(*given):
        found = recorded(*given)
        return records.valid(found) if json.dumps(found, allow_nan=False) else None

    with pytest.MonkeyPatch.context() as patch:
        for module in (audits, several_targets):
            patch.setattr(module, "recorded", checked)
        yield


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Of the tests of slow_tests.csv, all but the given number of cases are slow: always the same ones, in no order.

    Of the slow tests, those of the part that is asked for are kept.
    """
    cases = defaultdict(list)
    for item in items:
        test = item.nodeid.partition("[")[0]
        if test in QUICK and not item.get_closest_marker("slow"):
            cases[test].append(item)
    for test, found in cases.items():
        for item in sorted(found, key=lambda item: crc32(item.name.encode()))[QUICK[test] :]:
            item.add_marker("slow")
    part, parts = map(int, config.getoption("part").split("/"))
    slow = [item for item in items if item.get_closest_marker("slow") or item.get_closest_marker("chromium")]
    others = {item for item in slow if (crc32(item.nodeid.encode()) - part) % parts}
    config.hook.pytest_deselected(items=[*others])
    items[:] = [item for item in items if item not in others]


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """None for files that are named, since processes take longer to start than most files to run; ``-n 2`` still gives two."""
    named = [argument.split("::")[0].endswith(".py") for argument in config.args]
    return 0 if all(named) else None
