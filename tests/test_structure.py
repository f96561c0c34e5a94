"""The rooms of the package: what may import what, and what an import loads."""

from __future__ import annotations

import ast
import re
import runpy
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

import capstats

PACKAGE = Path(capstats.__file__).parent
TESTS = Path(__file__).parent
ROOMS = [
    "codes",
    "sources",
    "tables",
    "counting",
    "cap",
    "disclosure",
    "anonymity",
    "screening",
    "laws",
    "attacks",
    "peers",
    "auditing",
]  # a room may import from itself and from those before it; the top from all
LAZY = ["matplotlib", "duckdb", "polars", "dask", "pyspark", "sparse", "sklearn", "scipy.stats", "scipy.optimize"]
MODULES = sorted(path.relative_to(PACKAGE.parent) for path in PACKAGE.rglob("*.py"))


TESTED_IN = {  # modules whose tests stand in the file of another
    "attacks/classifier": "attacks/test_learned",
    "attacks/kernels": "attacks/test_membership",
    "attacks/roc": "attacks/test_membership",
    "auditing/measures": "auditing/test_audits",
    "auditing/report": "auditing/test_sentences",
    "auditing/what_was_read": "auditing/test_sentences",
    "cli_figure": "test_cli",
    "cli_values": "test_cli",
    "counting/equality": "test_sdmetrics",
    "counting/inputs": "counting/test_tabulate",
    "counting/lattice": "screening/test_key_subsets",
    "counting/reading": "counting/test_tabulate",
    "counting/rows": "attacks/test_membership",
    "datasets/classics": "test_datasets",
    "datasets/example": "test_datasets",
    "datasets/survey": "test_datasets",
    "datasets/tables": "test_datasets",
    "disclosure/checks": "disclosure/test_exclusions",
    "disclosure/uniques": "disclosure/test_attribute",
    "peers/synthpop": "peers/test_concordance",
    "plotting/anonymity": "plotting/test_curves",
    "plotting/average": "plotting/test_plotting",
    "plotting/cap": "plotting/test_plotting",
    "plotting/keys": "plotting/test_curves",
    "plotting/shared": "plotting/test_plotting",
    "plotting/sweep": "plotting/test_plotting",
    "sources/columns": "sources/test_memory",
    "sources/csv_files": "sources/test_csv_door",
    "sources/csv_records": "sources/test_csv_door",
    "sources/csv_survey": "sources/test_csv_door",
    "sources/numeric": "codes/test_bins",
    "sources/options": "sources/test_files",
    "sources/partitions": "sources/test_lazy",
    "sources/records": "sources/test_lazy",
    "sources/relations": "sources/test_lazy",
    "tables/pools": "cap/test_subkeys",
    "tables/primitives": "tables/test_backing",
}


def name_of(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_module(name: str) -> bool:
    path = PACKAGE.parent.joinpath(*name.split("."))
    return path.with_suffix(".py").exists() or path.is_dir()


def imported(path: Path) -> set[str]:
    """The modules of capstats that a module names anywhere, within functions too; the package itself where only names are taken from it."""
    found = set()
    for node in ast.walk(ast.parse((PACKAGE.parent / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            module = str(node.module)
            found |= {f"{module}.{a.name}" if is_module(f"{module}.{a.name}") else module for a in node.names}
    return {name for name in found if name.split(".")[0] == "capstats"}


def room_of(name: str) -> int:
    """The place of a module's room; the top is below them all."""
    parts = name.split(".")
    return ROOMS.index(parts[1]) if len(parts) > 1 and parts[1] in ROOMS else len(ROOMS)


@pytest.mark.parametrize("path", [path for path in MODULES if path.name != "__init__.py"], ids=name_of)
def test_a_module_has_its_tests(path: Path) -> None:
    module = path.relative_to("capstats").with_suffix("")
    own = module.with_name(f"test_{module.name}").as_posix()
    tests = TESTED_IN.get(module.as_posix(), own)
    assert (TESTS / f"{tests}.py").is_file(), f"write tests/{own}.py"


def test_no_module_with_tests_of_its_own_is_listed_as_tested_elsewhere() -> None:
    for module in map(Path, TESTED_IN):
        assert not (TESTS / module.with_name(f"test_{module.name}.py")).exists(), f"remove {module} from TESTED_IN"


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


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_from_rooms_above_it_only(path: Path) -> None:
    name = name_of(path)
    if name == "capstats":
        return
    wrong = {other for other in imported(path) if room_of(other) > room_of(name)}
    assert not wrong, f"{name} imports {sorted(wrong)} from below"


def test_no_module_imports_itself_through_others() -> None:
    graph = {name_of(path): imported(path) for path in MODULES}
    left = dict(graph)
    while free := [name for name, needs in left.items() if not (needs & left.keys()) - {name}]:
        for name in free:
            del left[name]
    assert not left, f"in a circle: {sorted(left)}"


def test_importing_capstats_loads_nothing_optional_or_slow() -> None:
    loaded = loaded_by("import capstats")
    assert "capstats.counting.tabulate" in loaded
    assert not {name for name in loaded for lazy in LAZY if name == lazy or name.startswith(f"{lazy}.")}


def test_importing_capstats_loads_pyarrow_only_as_pandas_does() -> None:
    of_pandas = {name for name in loaded_by("import pandas, xarray") if name.split(".")[0] == "pyarrow"}
    assert {name for name in loaded_by("import capstats") if name.split(".")[0] == "pyarrow"} <= of_pandas


def test_counting_frames_in_memory_loads_no_engine() -> None:
    loaded = loaded_by(
        "import capstats; d = {'k': ['a'], 't': ['x']}; capstats.average_cap(*[capstats.tabulate(d, keys='k', target='t').o] * 2)"
    )
    assert not loaded & {"duckdb", "polars", "matplotlib", "scipy.stats"}


def test_every_public_name_is_there_once() -> None:
    assert len(capstats.__all__) == len(set(capstats.__all__))
    assert all(hasattr(capstats, name) for name in capstats.__all__)
    assert capstats.__all__ == sorted(capstats.__all__, key=lambda name: (not name.isupper(), name))
