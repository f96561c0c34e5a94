"""The rooms of the package: what may import what, what an import loads, where a public name lives, how long a file may be."""

from __future__ import annotations

import ast
import doctest
import re
import runpy
import subprocess
import sys
import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from notebook_cells import NOTEBOOKS, code_cells, stored
from pages import fences
from public_names import ROOMS as PUBLIC_ROOMS
from public_names import public_names
from slow_tests import LISTED, QUICK, with_slow

import capstats
from capstats.codes.names import REMOVED, public_places

PACKAGE = Path(capstats.__file__).parent
TESTS = Path(__file__).parent
CORE = runpy.run_path(str(TESTS.parent / "docs" / "architecture.py"))["CORE"]
ROOMS = [*CORE, "anonymity", "population", "laws", "attacks", "peers", "sdmetrics", "lessons"]  # a room may import from those before it
BESIDE = "capstats.auditing.beside"  # the one file of the core that finds measures of wings
LAZY = [
    "matplotlib",
    "duckdb",
    "polars",
    "dask",
    "pyspark",
    "sparse",
    "sklearn",
    "scipy.stats",
    "scipy.optimize",
    "tqdm",
    "jinja2",
    "argcomplete",
]
ENGINES = {"narwhals", "pyarrow", "polars", "duckdb", "dask"}  # what holds records; the room of sources knows them
LONGEST = 500  # lines of a file
MODULES = sorted(path.relative_to(PACKAGE.parent) for path in PACKAGE.rglob("*.py"))


TESTED_IN = {  # modules whose tests stand in the file of the module that uses them
    "cli/__main__": "cli/test_program",
    "cli/options": "cli/test_configuration",
    "counting/compared": "counting/test_copies",
    "disclosure/ledger": "disclosure/test_published",
    "laws/models/cell_urns": "laws/models/test_cell_moments",
    "laws/models/partial": "laws/models/test_kept_keys",
    "laws/models/pram": "laws/models/test_kept_keys",
    "laws/models/swap": "laws/models/test_kept_keys",
    "laws/moments/expected": "laws/models/test_cell_moments",
    "paper_files": "test_paper",
    "peers/reports": "peers/test_synthpop",
    "tables/domains": "tables/test_dataset",
    "screening/formulas": "screening/test_key_subsets",
}


def name_of(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_module(name: str) -> bool:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or path.is_dir()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse((PACKAGE.parent / path).read_text(encoding="utf-8"))


def imports(path: Path) -> list[tuple[str, list[str]]]:
    """Each import anywhere in a module, within functions too: the module, and the names that are taken from it.

    The top names the rooms for type checkers only, and loads them when they are asked for.
    """
    found = []
    body = [node for node in tree_of(path).body if not (name_of(path) == "capstats" and ast.unparse(node).startswith("if TYPE_CHECKING"))]
    for node in ast.walk(ast.Module(body, [])):
        if isinstance(node, ast.Import):
            found += [(alias.name, []) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found.append((str(node.module), [alias.name for alias in node.names]))
    return found


def imported(path: Path) -> set[str]:
    """The modules of capstats that a module imports; a package itself where only names are taken from it."""
    found = set()
    for module, names in imports(path):
        found |= {f"{module}.{x}" if is_module(f"{module}.{x}") else module for x in names} or {module}
    return {name for name in found if name.split(".")[0] == "capstats"}


def room_of(name: str) -> int:
    """The place of a module's room; the top is below them all."""
    parts = name.split(".")
    return ROOMS.index(parts[1]) if len(parts) > 1 and parts[1] in ROOMS else len(ROOMS)


def test_a_module_has_its_tests() -> None:
    missing = []
    for module in (path.relative_to("capstats").with_suffix("") for path in MODULES if path.name != "__init__.py"):
        own = module.with_name(f"test_{module.name}").as_posix()
        if not (TESTS / f"{TESTED_IN.get(module.as_posix(), own)}.py").is_file():
            missing.append(f"tests/{own}.py")
    assert not missing, "files of tests to write"


def test_no_module_with_tests_of_its_own_is_listed_as_tested_elsewhere() -> None:
    for module in map(Path, TESTED_IN):
        assert not (TESTS / module.with_name(f"test_{module.name}.py")).exists(), f"remove {module} from TESTED_IN"


def test_a_slow_test_that_is_listed_is_there_and_as_many_cases_are_quick_as_take_little_time_together() -> None:
    assert len(LISTED.read_text(encoding="utf-8").splitlines()) == 1 + len(QUICK)
    texts = {file: (TESTS.parent / file).read_text(encoding="utf-8") for file in {test.partition("::")[0] for test in QUICK}}
    assert [test for test in QUICK if f"def {re.split('::|[.]', test)[-1]}(" not in texts[test.partition("::")[0]]] == []
    assert with_slow({"a": 3, "c": 1}, {"a": [0.1] * 4, "b": [1.0], "e": [0.1] * 4, "d": [0.01] * 5}) == {"a": 3, "b": 0, "c": 1, "e": 1}


def test_the_picture_of_the_architecture_is_up_to_date() -> None:
    drawn = runpy.run_path(str(TESTS.parent / "docs" / "architecture.py"))
    assert drawn["PICTURE"].read_text(encoding="utf-8") == drawn["picture"](), "python docs/architecture.py draws it anew"


def test_the_version_is_the_same_everywhere() -> None:
    """pyproject.toml holds it; the package's metadata may be of an older installation, which is then to be repeated."""
    root = TESTS.parent
    held = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert re.findall(r"^version: (.+)$", (root / "CITATION.cff").read_text(encoding="utf-8"), re.M) == [held]
    assert capstats.__version__ == held


@cache
def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    return set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())


def test_every_room_is_there() -> None:
    assert set(ROOMS) <= {path.parts[1] for path in MODULES if len(path.parts) > 2}


def test_a_module_imports_from_rooms_above_it_only() -> None:
    names = {name_of(path): imported(path) for path in MODULES}
    assert [
        f"{name} imports {other}"
        for name, others in names.items()
        for other in sorted(others)
        if other != "capstats" and room_of(other) > room_of(name) and name not in (BESIDE, "capstats")
    ] == []


def test_the_core_stands_without_the_wings() -> None:
    """A wing is found by one file, or by its name in commands.toml: whoever works on the core need not read one."""
    core = {name_of(path): imported(path) for path in MODULES if path.parts[1] in CORE}
    assert [name for name, others in core.items() if any(room_of(other) >= len(CORE) for other in others if other.count("."))] == [BESIDE]


def test_only_sources_know_what_holds_records() -> None:
    paths = [path for path in MODULES if path.parts[1] != "sources"]
    found = [f"{name_of(path)} imports {module}" for path in paths for module, _ in imports(path) if module.split(".")[0] in ENGINES]
    assert found == []


def test_only_counting_opens_a_source() -> None:
    paths = [path for path in MODULES if path.parts[1] not in ("sources", "counting")]
    opening = [path for path in paths if any(isinstance(node, ast.Name) and node.id == "open_source" for node in ast.walk(tree_of(path)))]
    assert opening == []


def test_a_file_holds_one_idea_in_few_lines() -> None:
    lines = {path.as_posix(): len((PACKAGE.parent / path).read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path: number for path, number in lines.items() if number > LONGEST} == {}, "split these files by idea"


def test_no_module_has_the_name_of_one_of_the_standard_library() -> None:
    assert not {name for path in MODULES for name in path.with_suffix("").parts} & sys.stdlib_module_names - {"__init__"}


def test_no_module_imports_itself_through_others() -> None:
    graph = {name_of(path): imported(path) for path in MODULES}
    left = dict(graph)
    while free := [name for name, needs in left.items() if not (needs & left.keys()) - {name}]:
        for name in free:
            del left[name]
    assert not left, f"in a circle: {sorted(left)}"


def test_importing_capstats_loads_nothing_optional_or_slow_and_no_room_that_it_does_not_need() -> None:
    loaded = loaded_by("import capstats; capstats.tabulate, capstats.average_cap, capstats.read_counts")
    assert "capstats.counting.tabulate" in loaded
    assert not {name for name in loaded for lazy in LAZY if name == lazy or name.startswith(f"{lazy}.")}
    unneeded = "anonymity attacks auditing describing disclosure laws lessons peers plotting population reports screening sdmetrics paper"
    assert not loaded & {f"capstats.{room}" for room in unneeded.split()}


def test_importing_capstats_loads_pyarrow_only_as_pandas_does() -> None:
    of_pandas = {name for name in loaded_by("import pandas, xarray") if name.split(".")[0] == "pyarrow"}
    assert {name for name in loaded_by("import capstats; capstats.tabulate") if name.split(".")[0] == "pyarrow"} <= of_pandas


def test_counting_frames_in_memory_loads_no_engine() -> None:
    loaded = loaded_by(
        "import capstats; d = {'k': ['a'], 't': ['x']}; capstats.average_cap(*[capstats.tabulate(d, keys='k', target='t').o] * 2)"
    )
    assert not loaded & {"duckdb", "polars", "matplotlib", "scipy.stats"}


# --- public names -----------------------------------------------------------------------------------------------------


def test_every_public_name_is_there_once() -> None:
    assert len(capstats.__all__) == len(set(capstats.__all__))
    assert all(hasattr(capstats, name) for name in capstats.__all__)
    assert capstats.__all__ == sorted(capstats.__all__, key=lambda name: (not name.isupper(), name))


@pytest.mark.parametrize("room", PUBLIC_ROOMS)
def test_a_room_lists_all_that_it_imports_in_order(room: str) -> None:
    path = Path("capstats", room, "__init__.py")
    module = import_module(f"capstats.{room}")
    own = {name for source, names in imports(path) if source.startswith(f"capstats.{room}.") for name in names}
    assert set(module.__all__) == own
    assert module.__all__ == sorted(module.__all__)
    assert all(getattr(module, name).__module__.startswith(f"capstats.{room}.") for name in module.__all__)
    assert module.__doc__


@pytest.mark.parametrize("room", PUBLIC_ROOMS)
def test_what_has_the_docstring_of_a_public_name_is_one(room: str) -> None:
    public = import_module(f"capstats.{room}").__all__
    for path in MODULES:
        if path.parts[1] == room:
            named = [node for node in tree_of(path).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
            documented = {node.name for node in named if "\nParameters\n" in (ast.get_docstring(node) or "")}
            assert documented <= set(public), f"{documented - set(public)} of {path} are not in __all__"


def test_the_top_has_the_objects_of_the_rooms_and_no_name_has_two_homes() -> None:
    homes = [(name, room) for room in PUBLIC_ROOMS for name in import_module(f"capstats.{room}").__all__]
    assert len({name for name, _ in homes}) == len(homes)
    for name, room in homes:
        if name in capstats.__all__:
            assert getattr(capstats, name) is getattr(import_module(f"capstats.{room}"), name)
    internal = {name for name in capstats.__all__ if name not in dict(homes)}
    modules = {getattr(getattr(capstats, name), "__module__", "") for name in internal}
    assert {module.split(".")[1] for module in modules} <= {"codes", "counting", "tables"}


def test_no_room_and_no_file_of_a_public_room_has_the_name_of_a_public_function() -> None:
    names = {dotted.rpartition(".")[2] for dotted in public_names()}
    assert not names & {path.with_suffix("").parts[1] for path in MODULES}
    assert not names & {path.stem for path in MODULES if path.parts[1] in PUBLIC_ROOMS}


@pytest.mark.parametrize("room", ["codes", "sources", "tables", "counting", "reports"])
def test_a_room_that_nobody_calls_has_a_docstring_alone(room: str) -> None:
    (only,) = tree_of(Path("capstats", room, "__init__.py")).body
    assert isinstance(only, ast.Expr)


def test_rooms_load_when_asked_for_and_are_listed() -> None:
    code = (
        "import capstats; assert set(capstats.__all__) < set(dir(capstats)); print(*dir(capstats)); from capstats import laws; "
        "capstats.screening.sweep; capstats.plotting.plot_sweep; capstats.datasets.anes96; capstats.sdmetrics.DisclosureProtection; "
        "import sys; assert 'sklearn' not in sys.modules; capstats.paper.reproduce"
    )
    listed = set(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split())
    assert {*PUBLIC_ROOMS, "plotting", "datasets", "sdmetrics", "paper"} <= listed
    assert not listed & {"codes", "sources", "tables", "counting", "reports", "TYPE_CHECKING"}
    assert not set(PUBLIC_ROOMS) & set(capstats.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    for module in (capstats, capstats.attacks):
        with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute 'avrage_cap'"):
            module.avrage_cap  # noqa: B018


@pytest.mark.parametrize(
    ("room", "name", "use"),
    [
        ("capstats", "plot_average_cap", r"capstats\.plotting\.plot_average_cap\."),
        ("capstats", "sample_tables", r"capstats\.laws\.sample_tables\."),
        ("capstats", "Multinomial", r"capstats\.laws\.Bootstrap, records drawn with the shares of the original, or capstats\.laws\.Given"),
        ("capstats.laws", "average_cap", r"capstats\.average_cap\."),
        ("capstats.plotting", "cap_law", r"capstats\.laws\.cap_law\."),
    ],
)
def test_a_name_of_another_room_is_answered_with_its_place(room: str, name: str, use: str) -> None:
    said = rf"^module '{room}' has no attribute '{name}'\. Use {use}"
    with pytest.raises(AttributeError, match=said):
        getattr(import_module(room), name)
    with pytest.raises(ImportError, match=said):
        exec(f"from {room} import {name}")


def test_places_of_names_are_those_of_the_rooms_and_hide_no_file_of_a_room() -> None:
    """A file that is not loaded yet is asked for as a name first, which must not be answered with another place."""
    for name, path in public_places().items():
        room, _, last = path.rpartition(".")
        assert last == name in import_module(room).__all__
    for file in MODULES:
        room = import_module(".".join(file.parts[:-1]))
        assert file.stem not in public_places() or not hasattr(room, "__getattr__") or file.stem in vars(room), file


UNREAD = {  # public names that run in none of these places, and why they are public
    "Audit": "what `audit` returns, for annotations",
    "Description": "what `describe` returns",
    "Law": "what `cap_law` returns",
    "TargetAudits": "what `audit_targets` returns",
}
LISTS = {"which-measure.md", "gallery.md", "measures.ipynb"}  # pages that show each name in turn


def loaded(code: str) -> set[str]:
    """Names of capstats that code uses, but for those that it only imports or has in annotations."""
    every = list(ast.walk(ast.parse(code)))
    noted = [getattr(node, field, None) for node in every for field in ("annotation", "returns")]
    in_notes = {id(node) for note in noted if note for node in ast.walk(note)}
    nodes = [node for node in every if id(node) not in in_notes]
    taken = [x for node in nodes if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("capstats.") for x in node.names]
    called = {x.asname or x.name: x.name for x in taken}
    of_rooms = [node for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name | ast.Attribute)]
    modules = {"capstats", *(path.parts[1] for path in MODULES)}
    return {called[node.id] for node in nodes if isinstance(node, ast.Name) and node.id in called} | {
        node.attr for node in of_rooms if ast.unparse(node.value).rpartition(".")[2] in modules
    }


def read_names() -> set[str]:
    """Names that run in the code of a page or a notebook, in a command, a report, a figure, a lesson or the paper."""
    root = TESTS.parent
    code = ["\n".join(cell.source for cell in code_cells(stored(name))) for name in NOTEBOOKS if f"{name}.ipynb" not in LISTS]
    for page in [root / "README.md", *root.glob("docs/**/*.md"), *root.glob("theory/*.md")]:
        blocks = [text for language, text in fences(page.read_text(encoding="utf-8")) if language == "python" and page.name not in LISTS]
        code.append("\n".join(doctest.script_from_examples(text) if text.startswith(">>> ") else text for text in blocks))
    for path in MODULES:
        if path.parts[1] in ("auditing", "cli", "lessons", "paper.py", "paper_files.py", "plotting") or path.name == "command.py":
            code.append((PACKAGE.parent / path).read_text(encoding="utf-8"))
    return {name for text in code for name in loaded(text)}


def test_nearly_every_public_name_runs_somewhere_and_they_are_few() -> None:
    public = {name for name, path in public_places().items() if not path.startswith("capstats.cli.")}
    assert public - read_names() == set(UNREAD)
    assert len(UNREAD) <= 0.05 * len(public)
    assert len(public) <= 150


@pytest.mark.parametrize("path", REMOVED)
def test_a_removed_name_says_what_to_use(path: str) -> None:
    room, _, name = path.rpartition(".")
    module = import_module(room)
    said = rf"^{re.escape(path)} was removed; use {re.escape(REMOVED[path])}\.$"
    with pytest.raises(AttributeError, match=said):
        getattr(module, name)
    with pytest.raises(ImportError, match=said):
        exec(f"from {room} import {name}")
    assert not hasattr(module, name)
    assert name not in module.__all__
