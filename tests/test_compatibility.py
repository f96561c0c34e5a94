"""What the released versions had is as it was, or the CHANGELOG says so: public names, and how they are called."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from types import ModuleType

import pytest

import capstats

ROOT = Path(__file__).parents[1]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
RELEASED = [
    (file.stem.partition("_")[2], line)
    for file in sorted((ROOT / "tests" / "reference").glob("signatures_*.txt"))
    for line in file.read_text(encoding="utf-8").splitlines()
]


def changes(line: str) -> list[str]:
    """The words that the CHANGELOG must have of a released name: itself where it went or is called otherwise, and arguments that went."""
    name, _, arguments = line.rstrip(")").partition("(")
    found = capstats
    for part in name.split("."):
        found = getattr(found, part, None)  # type: ignore[assignment]
    if found is None or isinstance(found, ModuleType):
        return [name.rpartition(".")[2]]
    now = inspect.signature(found).parameters.values()  # type: ignore[arg-type]
    then = [x.strip() for x in arguments.split(",")]
    given = [x.rstrip("=") for x in then if x and not x.startswith("*")]
    gone = [x for x in given if x not in {p.name for p in now}]
    first = [x.rstrip("=") for x in then[: next((i for i, x in enumerate(then) if x.startswith("*")), None)] if x]
    in_order = [p.name for p in now if p.kind is p.POSITIONAL_OR_KEYWORD][: len(first)] == first
    needed = [p.name for p in now if p.kind is p.KEYWORD_ONLY and p.default is p.empty and p.name not in given]
    return [*gone, *([] if in_order and not needed else [name])]


@pytest.mark.parametrize(("version", "line"), RELEASED, ids=[f"{version} {line.partition('(')[0]}" for version, line in RELEASED])
def test_what_breaks_is_in_the_changelog(version: str, line: str) -> None:
    since = CHANGELOG.partition(f"\n## {version}\n")[0]
    for word in changes(line):
        assert re.search(rf"\b{re.escape(word)}\b", since), f"{word} of {line} is as it was no more: say so in CHANGELOG.md"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("gone_for_ever(o)", ["gone_for_ever"]),
        ("matched_records(o, s, *, unmatched=)", ["unmatched"]),
        ("matched_records(s, o)", ["matched_records"]),
        ("matched_records(o)", []),
        ("tabulate(original, synthetic=)", ["tabulate"]),  # which needs keys and target
    ],
)
def test_what_breaks_is_found(line: str, said: list[str]) -> None:
    assert changes(line) == said
