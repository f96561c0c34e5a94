"""The notebooks run from top to bottom, print what they keep, and are laid out alike.

``python tests/test_notebooks.py`` runs them and keeps their new outputs.
"""

import ast
import base64
import importlib
import os
import re
import struct
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
import pytest
from nbclient import NotebookClient
from public_names import ROOMS, public_names

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
FIGURES = {
    "attacks.ipynb": 2,
    "calibration.ipynb": 1,
    "frontier.ipynb": 1,
    "introduction.ipynb": 2,
    "law.ipynb": 1,
    "measures.ipynb": 3,
    "paper.ipynb": 2,
}
MODULES = {"capstats", "sklearn.naive_bayes", *(f"capstats.{room}" for room in (*ROOMS, "datasets", "paper", "plotting"))}
MEGABYTE = 1_000_000
INLINE = "module://matplotlib_inline.backend_inline"  # figures belong into the cells, whoever runs the notebook
METADATA = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}

pytestmark = pytest.mark.notebook
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@cache
def stored(path):
    return nbformat.read(path, as_version=4)


def run(path, folder):
    """The notebook after a run from top to bottom, with nothing in its metadata that the next run would change."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook, timeout=300, record_timing=False, coalesce_streams=True, resources={"metadata": {"path": str(folder)}}
    ).execute()
    for cell in code_cells(notebook):  # a slow machine shows the progress of a long count, which returns the carriage
        cell.outputs = [x for x in cell.outputs if not (x.get("name") == "stderr" and "\r" in x.text)]
    notebook.metadata = nbformat.from_dict(METADATA)
    return notebook


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def source_tree(path):
    return ast.parse("\n".join(cell.source for cell in code_cells(stored(path))))


def texts(cell):
    """What a cell wrote: each stream as one text, and the texts of its results; of pictures only that they are there."""
    found = {}
    for output in cell.outputs:
        if output.output_type == "stream":
            found[output.name] = found.get(output.name, "") + output.text
        else:
            for mime, content in output.data.items():
                found.setdefault(mime, []).append("a picture" if mime.startswith("image/") else content)
    return {kind: re.sub("0x[0-9a-f]{6,}", "an address", str(text)) for kind, text in found.items()}


def test_every_notebook_is_known():
    assert [path.name for path in NOTEBOOKS] == list(FIGURES)


def test_every_public_measure_of_risk_is_computed_in_the_notebook_of_measures():
    rooms = ("capstats.cap.", "capstats.disclosure.", "capstats.anonymity.", "capstats.screening.", "capstats.peers.")
    measures = {dotted.rpartition(".")[2] for dotted, x in public_names().items() if getattr(x, "__module__", "").startswith(rooms)}
    assert {"average_cap", "anonymity_profile", "holdout_contrast", "sweep", "as_synthpop", "disclosure_protection"} <= measures
    used = {node.id for node in ast.walk(source_tree(ROOT / "notebooks" / "measures.ipynb")) if isinstance(node, ast.Name)}
    assert measures <= used


@each_notebook
def test_notebook_runs_and_prints_what_it_keeps(path, tmp_path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", INLINE)
    notebook = run(path, tmp_path)
    for number, (kept, new) in enumerate(zip(code_cells(stored(path)), code_cells(notebook), strict=True), start=1):
        assert texts(new) == texts(kept), (
            f"code cell {number} of {path.name} prints something else; to keep it: python {Path(__file__).name}"
        )
    assert list(tmp_path.iterdir()) == []


@each_notebook
def test_notebook_keeps_its_outputs_of_one_run_from_top_to_bottom(path):
    cells = code_cells(stored(path))
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(output.output_type == "error" or output.get("name") == "stderr" for cell in cells for output in cell.outputs)
    silent = [cell.source for cell in cells if not cell.outputs]
    assert silent == [cells[0].source]  # the imports
    assert cells[-1].outputs[0].text == "all hold\n"


@each_notebook
def test_notebook_keeps_figures_of_modest_size(path):
    assert path.stat().st_size < MEGABYTE
    pictures = [
        output.data["image/png"] for cell in code_cells(stored(path)) for output in cell.outputs if "image/png" in output.get("data", {})
    ]
    assert len(pictures) == FIGURES[path.name]
    for picture in pictures:
        width, height = struct.unpack(">II", base64.b64decode(picture)[16:24])
        assert 400 < width < 1200
        assert 300 < height < 900


@each_notebook
def test_notebook_holds_no_machine_path_and_no_timings(path):
    text = re.sub(r'"image/png": "[^"]*"', "", path.read_text(encoding="utf-8"))
    for place in (
        "/home/",
        "/root",
        "/tmp",
        "/usr/",
        "/Users/",
        "/private/",
        "/var/",
        ":\\\\",
        "site-packages",
        str(ROOT),
        str(Path.home()),
    ):
        assert place not in text, f"{path.name} names {place}"
    notebook = stored(path)
    assert notebook.metadata == METADATA
    assert all(cell.metadata == {} for cell in notebook.cells)


@each_notebook
def test_notebook_opens_with_its_question_its_source_and_its_seconds(path):
    first = stored(path).cells[0]
    assert first.cell_type == "markdown"
    assert re.match(r"# .+\n", first.source)
    assert re.findall(r"^\*\*(\w+)\.\*\* .", first.source, flags=re.MULTILINE) == ["Question", "Source", "Time"]
    assert re.search(r"\d+ seconds", first.source)


@each_notebook
def test_notebook_closes_with_its_headline_numbers_and_things_to_try(path):
    assert any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(code_cells(stored(path))[-1].source)))
    last = stored(path).cells[-1]
    assert last.cell_type == "markdown"
    assert last.source.startswith("## Things to try next\n")
    assert last.source.count("\n- ") >= 3


@each_notebook
def test_notebook_imports_public_names_and_defines_none_of_its_own(path):
    tree = source_tree(path)
    assert not any(isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda) for node in ast.walk(tree))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert {node.module for node in imports} <= MODULES
    for node in imports:
        module = importlib.import_module(node.module)
        public = getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])
        assert {alias.name for alias in node.names} <= set(public)
    assert {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names} <= {
        "matplotlib.pyplot",
        "numpy",
        "pandas",
        "xarray",
    }


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = INLINE
    for notebook_file in NOTEBOOKS:
        with TemporaryDirectory() as anywhere:
            nbformat.write(run(notebook_file, anywhere), notebook_file)
