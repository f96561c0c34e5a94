"""Every place where the package writes or removes a file stands in a table of SECURITY.md, and running it writes nothing else."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import matplotlib as mpl
import pytest

import capstats

pytestmark = pytest.mark.slow

PACKAGE = Path(capstats.__file__).parent
SECURITY = (Path(__file__).parents[1] / "SECURITY.md").read_text(encoding="utf-8")
WRITING = (
    "write_text write_bytes touch unlink rmdir removedirs rmtree mkdir makedirs renames move copyfile copy2 copytree symlink symlink_to "
    "hardlink_to link chmod fchmod chown utime truncate ftruncate fdopen memfd_create mkdtemp mkstemp TemporaryDirectory TemporaryFile "
    "NamedTemporaryFile SpooledTemporaryFile savefig imsave print_figure to_csv to_parquet to_pickle to_excel to_netcdf to_zarr to_hdf "
    "to_feather to_stata sink_csv sink_parquet write_parquet savez tofile memmap dump extract extractall FileHandler"
)
READING = {  # calls that look like those of files, and are not
    "archive.open(member)",
    "webbrowser.open(file.resolve().as_uri())",
    "axis.levels[0].take(axis.codes[0]).rename(dim)",
    "index.rename(array.coords[dim].attrs.get('long_name'))",
    "found.rename(found.name or 'value')",
    "table.rename(name)",
}


def writes(call: ast.Call) -> bool:
    """Whether a call may write, replace or remove a file."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    first = call.args[0] if call.args else None
    if ast.unparse(call) in READING:
        return False
    owner = ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""
    if name in ("open", "ZipFile"):
        modes = [
            *call.args[name == "ZipFile" or owner in ("", "os", "io") :][:1],
            *(word.value for word in call.keywords if word.arg in ("mode", "flags")),
        ]
        return any(not isinstance(mode, ast.Constant) or bool(set(str(mode.value)) & set("wax+")) for mode in modes)
    if name in ("replace", "rename"):  # of a path; texts have two arguments, and xarray and pandas rename by a text
        path = isinstance(call.func, ast.Attribute) and len(call.args) == 1 and not call.keywords
        return path and not isinstance(first, (ast.Constant, ast.Dict))
    return name in WRITING.split() or (name == "remove" and owner == "os")


def places(path: Path) -> list[str]:
    """The functions of a module that write, as ``room/module.py:function``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = []
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        for part in inner:
            if any(isinstance(call, ast.Call) and writes(call) for call in ast.walk(part)):
                found.append(f"{path.relative_to(PACKAGE).as_posix()}:{getattr(part, 'name', 'top')}")
    return found


SECTION = SECURITY.partition("\n## Files that capstats writes or removes\n")[2].partition("\n## ")[0]
NAMED = re.findall(r"`((?!tests/)[\w/]+\.py(?::\w+)?)`", SECTION)


@cache
def all_places() -> list[str]:
    return [place for path in sorted(PACKAGE.rglob("*.py")) for place in places(path)]


def test_the_table_of_written_files_names_every_place_that_writes():
    assert [place for place in all_places() if place not in NAMED and place.partition(":")[0] not in NAMED] == []


def test_the_table_of_written_files_names_no_other_place():
    known = {*all_places(), *(place.partition(":")[0] for place in all_places())}
    assert [name for name in NAMED if name not in known] == []


@pytest.mark.parametrize(
    "code",
    ["open(p, 'w')", "p.open('ab')", "p.open(mode=m)", "os.open(p, os.O_RDWR)", "p.replace(q)", "p.rename(q)", "shutil.rmtree(p)",
     "frame.to_csv(p)", "tempfile.mkdtemp()", "io.open(p, mode='r+')", "zipfile.ZipFile(p, 'w')",
     "os.remove(p)"],
)  # fmt: skip
def test_what_writes_is_seen(code):
    assert writes(ast.parse(code).body[0].value)


@pytest.mark.parametrize(
    "code", ["open(p)", "p.open('rb')", "p.open(encoding='utf-8')", "t.replace('a', 'b')", "replace(option, key=1)", "ZipFile(p)"]
)
def test_what_reads_or_renames_no_file_is_not_taken_for_writing(code):
    assert not writes(ast.parse(code).body[0].value)


def test_no_program_is_started_and_no_statement_of_an_engine_writes_a_file():
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
        assert not modules & {"subprocess", "pty", "ctypes"}
        texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
        found = [text for text in texts if re.match(r"\s*(COPY|EXPORT|ATTACH|INSTALL|CREATE (?!TEMP)|PREPARE)\b", text)]
        assert len(found) == (path.relative_to(PACKAGE).as_posix() == "sources/parquet.py"), path


WATCHED = """
import os, sys
changed = []
def watch(event, values):
    if event == "open" and isinstance(values[2], int) and values[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        changed.extend([values[0]] * (values[0] != "lock"))  # opened in a private folder; the event does not say in which
    elif event in ("os.remove", "os.rmdir", "os.symlink"):
        *_, path, folder = values
        changed.append(os.path.join(os.readlink(f"/proc/self/fd/{folder}") if folder >= 0 else "", path))
    elif event in ("os.rename", "os.mkdir", "os.truncate", "os.link", "os.chmod", "shutil.rmtree"):
        changed.extend(x for x in values[:2] if isinstance(x, (str, bytes)))
sys.addaudithook(watch)
from capstats.cli import main
status = main(sys.argv[1:])
print(*sorted({os.path.abspath(os.fsdecode(x)) for x in changed if not isinstance(x, int)}), sep="\\n", file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.parametrize(
    ("arguments", "outputs"),
    [
        ("audit o.csv s.csv --keys k --target t --html out/r.html --figure out/f.pdf", ["r.html", "f.pdf"]),
        ("audit o.csv s.csv --keys k --target t --html out/r.html --audience public --ledger out/l.json", ["l.json", "r.html"]),
        ("sweep o.csv s.csv --keys k --targets t --csv out/c.csv --html out/r.html --memory-limit 200MB", ["c.csv", "r.html"]),
        ("records o.csv s.csv --keys k --target t --csv out/c.csv", ["c.csv"]),
        ("attack knowledge o.csv s.csv --columns k,t --csv out/c.csv", ["c.csv"]),
        ("lesson hands --no-open --out out", ["hands.html"]),
        ("browser --no-open --out out/b.html", ["b.html"]),
    ],
)  # fmt: skip
def test_a_command_changes_the_files_that_it_is_told_to_write_and_its_temporary_ones_alone(arguments, outputs, tmp_path):
    temporary = tmp_path / "temporary"
    for folder in (temporary, tmp_path / "out"):
        folder.mkdir()
    for file, values in {"o.csv": "aab", "s.csv": "abb"}.items():
        (tmp_path / file).write_text("\n".join(["k,t", *(f"{value},x" for value in values * 20)]), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-B", "-c", WATCHED, *arguments.split()],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    changed = [Path(line) for line in done.stderr.splitlines() if line.startswith("/")]
    own = [path for path in changed if not any(map(path.is_relative_to, (temporary, mpl.get_cachedir(), mpl.get_configdir())))]
    own = [path for path in own if path.parts[1] not in ("dev", "proc") and not path.name.startswith(".capstats-")]
    own = [path for path in own if path.name != "l.json.lock"]  # while the ledger is written
    assert sorted(path.relative_to(tmp_path).as_posix() for path in own if path.name != "out") == sorted(f"out/{name}" for name in outputs)
    assert list(temporary.iterdir()) == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.csv", "out", "s.csv", "temporary"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(outputs)
