"""The notebooks as the tests see them: their cells, their exercises, and one run that answers the exercises on its way."""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

ROOT = Path(__file__).parents[1]
NOTEBOOKS = {path.stem: path for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}
CHECKS = {path.stem: path for path in sorted((ROOT / "tests" / "notebook_checks").glob("*.py"))}
METADATA = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}, "language_info": {"name": "python"}}
TAGS = {"picture": ["picture", "hide-input"], "exercise": ["exercise"], "check": ["check", "hide-input"]}
SOLUTION = re.compile(r"<details><summary>Solution</summary>\n\n```python\n(.+?)\n```\n\n(\S.+)\n\n</details>", re.S)


@dataclass(frozen=True)
class Exercise:
    """Four cells in a row: the question, the names to set, the check and the folded solution."""

    question: NotebookNode
    given: NotebookNode
    check: NotebookNode
    answer: NotebookNode

    @property
    def solution(self) -> str:
        return self._parts()[0]

    @property
    def reason(self) -> str:
        return self._parts()[1]

    def _parts(self) -> tuple[str, str]:
        found = SOLUTION.fullmatch(self.answer.source)
        assert found, f"a solution is `<details>`, a fence of Python, a reason and `</details>`, with blank lines:\n{self.answer.source}"
        return found[1], found[2]


@cache
def stored(name: str) -> NotebookNode:
    return nbformat.read(NOTEBOOKS[name], as_version=4)


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def has_tags(cell: NotebookNode, kind: str) -> bool:
    return cell.metadata.get("tags") == TAGS[kind]


def exercises(notebook: NotebookNode) -> list[Exercise]:
    """The cells around each one that asks for an answer; `test_notebooks.py` says that it is an exercise."""
    return [Exercise(*notebook.cells[i - 1 : i + 3]) for i, cell in enumerate(notebook.cells) if has_tags(cell, "exercise")]


def names_set(code: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def said(cell: NotebookNode) -> str:
    """The text that a check gives, printed or as its value."""
    (output,) = cell.outputs
    return (output.text if output.output_type == "stream" else ast.literal_eval(output.data["text/plain"])).strip()


def run(name: str, folder: Path | str) -> tuple[NotebookNode, list[str]]:
    """The notebook after a run from top to bottom, and what its checks say of the solutions.

    After each check come the solution, the check once more, and the exercise as it was; after the last cell, the asserts of
    `notebook_checks`. They leave no trace: names that only a solution sets are taken away again.
    """
    notebook = nbformat.read(NOTEBOOKS[name], as_version=4)
    own, longer, of_solutions = notebook.cells, [], []
    by_check = {id(exercise.check): exercise for exercise in exercises(notebook)}
    for cell in own:
        longer.append(cell)
        if exercise := by_check.get(id(cell)):
            leftover = sorted(names_set(exercise.solution) - names_set(exercise.given.source))
            once_more = new_code_cell(exercise.check.source)
            again = "\n".join([exercise.given.source, *(f"globals().pop({word!r}, None)" for word in leftover)])
            longer += [new_code_cell(exercise.solution), once_more, new_code_cell(again)]
            of_solutions.append(once_more)
    if name in CHECKS:
        longer.append(new_code_cell(CHECKS[name].read_text(encoding="utf-8")))
    notebook.cells = longer
    os.environ.setdefault("SOURCE_DATE_EPOCH", "1767225600")  # the date of reports, as in conftest.py
    place = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=300, record_timing=False, coalesce_streams=True, resources=place).execute()
    notebook.cells, notebook.metadata = own, nbformat.from_dict(METADATA)
    for number, cell in enumerate(code_cells(notebook), start=1):
        cell.execution_count = number
        for output in cell.outputs:
            if "execution_count" in output:
                output.execution_count = number
        # a slow machine shows the progress of a long count, which returns the carriage
        cell.outputs = [x for x in cell.outputs if not (x.get("name") == "stderr" and "\r" in x.text)]
    return notebook, [said(cell) for cell in of_solutions]
