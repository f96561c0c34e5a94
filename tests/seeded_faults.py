"""Plant faults in a room, one at a time, and see whether the tests of the room fail: `python tests/seeded_faults.py --room cap`.

The faults are of six kinds, and chosen by a seed: the same room, seed and code give the same faults. The package is changed in a copy of
the project, in a temporary folder; pytest does not collect this file.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
USERS = {  # the rooms, and whose tests run, too, where those of a room pass: rooms that use it, and other tests
    "cap": ("auditing", "screening"),
    "disclosure": ("auditing", "cli"),
    "anonymity": ("auditing", "cli"),
    "screening": ("auditing", "cli"),
    "population": ("auditing", "cli"),
    "laws": ("cap", "auditing", "test_paper_laws.py"),
    "attacks": ("cli",),
    "peers": ("cli", "sdmetrics"),
    "sdmetrics": ("cli",),
    "reports": ("auditing", "describing", "cli"),
    "describing": ("auditing", "cli"),
    "auditing": ("cli", "test_check_record.py", "test_messages.py", "test_readme.py", "test_hostile_labels.py"),
    "tables": ("cap", "counting", "disclosure", "screening"),
    "counting": ("sources", "screening", "auditing", "cli"),
    "codes": ("sources", "counting", "disclosure", "cli"),
    "sources": ("counting", "cli"),
    "plotting": ("auditing", "test_gallery.py", "test_hostile_labels.py", "test_paper.py"),
    "datasets": ("cli", "test_datasets.py"),
    "cli": ("test_messages.py", "test_readme.py", "test_files_written.py", "attacks", "anonymity", "test_paper_command.py"),
}
KINDS = ["comparison", "sign", "axis", "off by one", "swapped arguments", "dropped check"]
MARKS = "not notebook and not slow and not site and not chromium and not spark and not postgres"  # as in pyproject.toml
SLOW = MARKS.replace("not slow", "slow")
EITHER_WAY = {"max", "min", "maximum", "minimum", "isinstance", "issubclass", "hasattr", "gcd", "isclose", "allclose", "union"}
AXES = {"key": "target", "target": "key"}
NOT_COPIED = shutil.ignore_patterns(".git", "__pycache__", ".*_cache", ".hypothesis", "site", "dist")


@dataclass(frozen=True)
class Fault:
    """One change of one file: the text between two places becomes another."""

    kind: str
    path: Path  # from the root of the project
    line: int
    start: int  # bytes from the beginning of the file
    end: int
    new: str

    def planted(self, source: bytes) -> bytes:
        return source[: self.start] + self.new.encode() + source[self.end :]


def faults_of(path: Path, source: bytes) -> Iterator[Fault]:
    """Every fault that can be planted in a module."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for kind, node, new in changes(ast.parse(source)):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        yield Fault(kind, path, node.lineno, start, end, new)


def changes(node: ast.AST) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    """Kind, place and new text of each change below a node; messages, texts and annotations stay as they are."""
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or field in ("annotation", "returns") or isinstance(child, ast.Raise | ast.JoinedStr):
                continue
            yield from of_node(child)
            yield from changes(child)


def of_node(node: ast.AST) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    """The changes of one node itself."""
    match node:
        case ast.Compare(left, [ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE() as operator], comparators):
            other = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}[type(operator)]
            yield "comparison", node, ast.unparse(ast.Compare(left, [other()], comparators))
        case ast.BinOp(left, ast.Add() | ast.Sub() as operator, right) if not is_text_or_list(left) and not is_text_or_list(right):
            yield "sign", node, ast.unparse(ast.BinOp(left, ast.Sub() if isinstance(operator, ast.Add) else ast.Add(), right))
        case ast.If(_, [*_, ast.Raise()], []):
            yield "dropped check", node, "pass"
        case ast.Expr(ast.Call(called)) if ast.unparse(called).rpartition(".")[2].lstrip("_").startswith("check"):
            yield "dropped check", node, "pass"
        case ast.Subscript(_, place) | ast.Call(ast.Name("range"), [*_, place]):
            for bound in [place.lower, place.upper] if isinstance(place, ast.Slice) else [place]:
                if isinstance(bound, ast.Constant) and type(bound.value) is int:
                    yield "off by one", bound, str(bound.value + 1)
                elif bound is not None and isinstance(node, ast.Call):
                    yield "off by one", bound, f"{ast.unparse(bound)} + 1"
    if isinstance(node, ast.BinOp | ast.Compare):
        for side in [node.left, node.right] if isinstance(node, ast.BinOp) else node.comparators:
            if isinstance(side, ast.Constant) and type(side.value) is int:
                yield "off by one", side, str(side.value + 1)
    if isinstance(node, ast.Call):
        yield from of_call(node)


def of_call(node: ast.Call) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    """Another axis or dim, and the first two arguments in the wrong order."""
    for word in node.keywords:
        number = ast.literal_eval(word.value) if word.arg == "axis" and isinstance(word.value, ast.Constant | ast.UnaryOp) else None
        if type(number) is int:
            yield "axis", word.value, str({0: 1, 1: 0, -1: -2, -2: -1}.get(number, number - 1))
    for value in [*node.args, *(word.value for word in node.keywords if word.arg == "dim")]:
        if isinstance(node.func, ast.Attribute) and isinstance(value, ast.Constant) and value.value in AXES:
            yield "axis", value, repr(AXES[value.value])
    name = ast.unparse(node.func).rpartition(".")[2]
    if len(node.args) > 1 and name not in EITHER_WAY and not any(isinstance(x, ast.Starred | ast.Constant) for x in node.args[:2]):
        first, second, *others = node.args
        if ast.unparse(first) != ast.unparse(second):
            yield "swapped arguments", node, ast.unparse(ast.Call(node.func, [second, first, *others], node.keywords))


def is_text_or_list(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def chosen(root: Path, room: str, seed: int, number: int) -> list[Fault]:
    """As many faults of each kind as of any other, as far as the room has them."""
    paths = sorted((root / "capstats" / room).rglob("*.py"))
    found = [fault for path in paths for fault in faults_of(path.relative_to(root), path.read_bytes())]
    rng = random.Random(f"{room} {seed}")
    left = {kind: [fault for fault in found if fault.kind == kind] for kind in KINDS}
    taken: list[Fault] = []
    while len(taken) < number and any(left.values()):
        for kind in KINDS:
            if left[kind] and len(taken) < number:
                taken.append(left[kind].pop(rng.randrange(len(left[kind]))))
    return taken


def run_tests(copy: Path, places: list[str], marks: str, seconds: float | None) -> tuple[str, float]:
    """What became of the tests, ``passed`` or the first that failed, and the seconds they took."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=no", "-m", marks, *places]
    unchanged = {"PYTHONPATH": str(copy), "PYTHONPYCACHEPREFIX": str(copy.parent / "compiled"), "MPLBACKEND": "Agg"}
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"} | unchanged
    began = time.perf_counter()
    try:
        found = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return "too slow", time.perf_counter() - began
    no_import = "ImportError while loading conftest" in found.stderr
    if found.returncode not in (0, 1, 2, 5) and not no_import:  # 2: a module cannot be imported; 5: all tests of a module are left out
        raise SystemExit(found.stdout + found.stderr)
    failed = [line for line in found.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    outcome = "passed" if found.returncode in (0, 5) else (failed or ["no import"])[0].partition(" - ")[0]
    return outcome, time.perf_counter() - began


def outcome_of(copy: Path, fault: Fault, options: argparse.Namespace, tests: list[str], longest: float) -> tuple[str, float]:
    """Plant a fault, run the tests of its module, of its room and of the rooms that use it, and put the right code back."""
    right = (copy / fault.path).read_bytes()
    own = f"tests/{fault.path.parent.name}/test_{fault.path.stem}.py"
    (copy / fault.path).write_bytes(fault.planted(right))
    took = 0.0
    room = fault.path.parts[1]
    users = [] if options.tests else [f"tests/{name}" for name in USERS[room]]
    runs = [([own], options.marks), (tests, options.marks), (users, options.marks), (tests if options.slow else [], SLOW)]
    for places, marks in runs if (copy / own).is_file() else runs[1:]:
        outcome, seconds = run_tests(copy, places, marks, longest) if places else ("passed", 0.0)
        took += seconds
        if outcome != "passed":
            break
    (copy / fault.path).write_bytes(right)
    return outcome, took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--room", choices=USERS, action="append", help="several may be given; all without it")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--faults", type=int, default=12, help="how many a room")
    parser.add_argument("--only", type=lambda text: {int(x) for x in text.split(",")}, help="numbers of faults, such as 3,7")
    parser.add_argument("--marks", default=MARKS, help="pytest's -m")
    parser.add_argument("--slow", action="store_true", help="run the slow tests of the room as well, where all others pass")
    parser.add_argument(
        "--tests", action="append", default=[], help="a file or folder of tests in place of the room's; several may be given"
    )
    parser.add_argument("--root", type=Path, default=ROOT, help="the project, with its package and its tests")
    parser.add_argument("--list", action="store_true", help="show the faults, and run nothing")
    options = parser.parse_args()
    survived = 0
    for room in options.room or USERS:
        faults = chosen(options.root, room, options.seed, options.faults)
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "project"
            shutil.copytree(options.root, copy, ignore=NOT_COPIED)
            longest, tests = 0.0, options.tests or [f"tests/{room}", f"capstats/{room}"]
            if not options.list:
                outcome, seconds = run_tests(copy, tests, options.marks, None)
                if outcome != "passed":
                    raise SystemExit(f"{room}: the tests fail without a fault: {outcome}")
                longest = 900 + 5 * seconds
            for number, fault in enumerate(faults, 1):
                if options.only and number not in options.only:
                    continue
                source = (options.root / fault.path).read_bytes()
                planted = fault.planted(source)
                outcome, seconds = "listed", 0.0
                if not options.list:
                    outcome, seconds = outcome_of(copy, fault, options, tests, longest)
                survived += outcome == "passed"
                verdict = {"passed": "SURVIVED", "listed": "listed"}.get(outcome, f"killed by {outcome}")
                print(f"{room} {number}: {verdict} ({seconds:.0f} s) {fault.path}:{fault.line} {fault.kind}")
                print(f"    - {source.decode().splitlines()[fault.line - 1].strip()}")
                print(f"    + {planted.decode().splitlines()[fault.line - 1].strip()}", flush=True)
    raise SystemExit(f"{survived} faults survived" if survived else 0)


if __name__ == "__main__":
    main()
