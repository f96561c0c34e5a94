"""The notebooks run from top to bottom, print what they keep, answer their exercises, and are laid out alike.

``python tests/test_notebooks.py`` runs them and keeps their new outputs; ``python tests/test_notebooks.py law paper`` those two.
``notebook_checks/<name>.py`` has the asserts that run in a notebook's kernel after its last cell.
"""

import ast
import base64
import importlib
import os
import re
import struct
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from notebook_cells import CHECKS, METADATA, NOTEBOOKS, ROOT, TAGS, code_cells, exercises, has_tags, names_set, run, said, stored
from public_names import ROOMS

MODULES = {"capstats", *(f"capstats.{room}" for room in (*ROOMS, "datasets", "lessons", "paper", "plotting"))}
PACKAGES = {"matplotlib", "numpy", "pandas", "xarray"}
BESIDES = {  # what one notebook may import in addition
    "attacks": {"sklearn"},
    "from_sdmetrics": {"capstats.sdmetrics", "warnings"},
    "from_synthpop": {"warnings"},
    "measures": {"sklearn"},
    "paper": {"textwrap"},
    "release": {"DataSynthesizer", "contextlib", "io", "pathlib", "sklearn", "tempfile", "warnings"},
}
WITHOUT_EXERCISES = {"measures", "slides"}
GUESSES = {  # those that teach ask for a guess before the answer and its picture
    *("average_hides", "baselines", "calibration", "frontier", "guessing", "introduction", "law", "unmatched"),
}
MEGABYTE = 1_000_000
WIDTH = 88  # of a line of code, as in notebooks/ruff.toml
WORDS = {"measures": 4_000}  # of one notebook, code included
INLINE = "module://matplotlib_inline.backend_inline"  # figures belong into the cells, whoever runs the notebook

pytestmark = pytest.mark.notebook
each_notebook = pytest.mark.parametrize("name", NOTEBOOKS)
each_tutorial = pytest.mark.parametrize("name", [name for name in NOTEBOOKS if name != "slides"])  # slides ask before they answer


def source_tree(name):
    """All code of a notebook, that of its solutions too."""
    notebook = stored(name)
    return ast.parse("\n".join([*(cell.source for cell in code_cells(notebook)), *(x.solution for x in exercises(notebook))]))


def imported(tree):
    """The modules that code imports."""
    whole = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return whole | {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


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


def rows_of_measures():
    """Each call of the tables of the notebook of measures, with the value that its row says."""
    text = "\n".join(cell.source for cell in stored("measures").cells if cell.cell_type == "markdown")
    return re.findall(r"^\| \[[\w, ]+\]\(\.\./(?:theory|docs)/[^)]+\) \| `([^`]+)` \| (\S+) \| \S.* \|$", text, flags=re.MULTILINE)


def test_every_public_function_of_the_rooms_of_measures_is_called_in_the_notebook_of_measures():
    rooms = ("cap", "disclosure", "anonymity", "screening", "population", "laws", "attacks", "peers")
    listed = {f"{room}.{x}" for room in rooms for x in importlib.import_module(f"capstats.{room}").__all__} - {"laws.Law", "laws.Model"}
    trees = [source_tree("measures"), *(ast.parse(call) for call, _ in rows_of_measures())]
    called = {ast.unparse(node.func) for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert {"cap.average_cap", "laws.dp_audit_release", "attacks.model_attack", "peers.as_synthpop"} <= listed
    assert listed - called == set()


def test_the_values_in_the_tables_of_measures_are_those_of_their_calls():
    names = {}
    exec(code_cells(stored("measures"))[0].source, names)
    plt.close("all")
    computed = {call: f"{float(np.ravel(eval(call, names))[0]):.4g}" for call, _ in rows_of_measures()}
    assert computed == dict(rows_of_measures())


def test_every_notebook_has_checks_of_its_headline_numbers_and_there_are_no_others():
    assert list(CHECKS) == list(NOTEBOOKS)
    for name, path in CHECKS.items():
        asserts = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Assert)]
        assert len(asserts) >= 2, name


@each_notebook
def test_notebook_runs_prints_what_it_keeps_and_takes_its_solutions_for_right(name, tmp_path, monkeypatch):
    for module in imported(source_tree(name)):
        pytest.importorskip(module)  # of what is not capstats, not everything is installed everywhere
    monkeypatch.setenv("MPLBACKEND", INLINE)
    notebook, of_solutions = run(name, tmp_path)
    assert [text for text in of_solutions if not text.startswith("Right.")] == []
    for number, (kept, new) in enumerate(zip(code_cells(stored(name)), code_cells(notebook), strict=True), start=1):
        assert texts(new) == texts(kept), (
            f"code cell {number} of {name} prints something else; to keep it: python tests/{Path(__file__).name} {name}"
        )
    assert list(tmp_path.iterdir()) == []


@each_notebook
def test_notebook_keeps_its_outputs_of_one_run_from_top_to_bottom(name):
    cells = code_cells(stored(name))
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(output.output_type == "error" or output.get("name") == "stderr" for cell in cells for output in cell.outputs)
    assert [cell.source for cell in cells if not cell.outputs and not has_tags(cell, "exercise")] == []
    assert "assert " not in "\n".join(cell.source for cell in cells)


@each_notebook
def test_notebook_has_two_or_three_exercises_and_before_an_answer_it_is_the_readers_turn(name):
    found = exercises(stored(name))
    assert len(found) == 0 if name in WITHOUT_EXERCISES else 2 <= len(found) <= 3
    for number, exercise in enumerate(found, start=1):
        assert re.match(rf"### Exercise {number}\n\n\S", exercise.question.source)
        for line in exercise.given.source.splitlines():
            assert re.fullmatch(r"[a-z]\w* = \.\.\.  # your answer", line), line
        assert has_tags(exercise.check, "check")
        assert said(exercise.check) == "(your turn)"
        assert len(exercise.reason) > 40


@each_notebook
def test_checks_do_not_contain_the_answers(name):
    """They compare a digest and do nothing else, or they compute from the answer whether it is as the question asks."""
    for exercise in exercises(stored(name)):
        asked, source = names_set(exercise.given.source), " ".join(exercise.check.source.split())
        if "check_answer" in source:
            names = ", ".join(asked) if len(asked) == 1 else r"\(\w+(?:, \w+)+\)"
            assert re.fullmatch(rf"print\( ?check_answer\( ?{names}, \"[0-9a-f]{{12}}\", \".+\"(?:, step=[\d.]+)?,? ?\) ?\)", source), (
                source
            )
            continue
        calls = [node for node in ast.walk(ast.parse(exercise.check.source)) if isinstance(node, ast.Call)]
        given = [ast.unparse(node.func) for node in calls if asked & {x.id for x in ast.walk(node) if isinstance(x, ast.Name)}]
        assert set(given) - {"print", "float", "abs", "round"}, source


@each_notebook
def test_lines_of_code_are_not_wide_words_not_many_and_no_time_is_stated_that_is_not_measured(name):
    notebook = stored(name)
    code = [cell.source for cell in code_cells(notebook)] + [exercise.solution for exercise in exercises(notebook)]
    assert [line for text in code for line in text.splitlines() if len(line) > WIDTH] == []
    assert sum(len(cell.source.split()) for cell in notebook.cells) <= WORDS.get(name, 1_800)
    prose = " ".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert re.findall(r"\d+ (?:seconds|minutes)", prose) == []


@each_notebook
def test_solutions_set_the_names_of_the_exercise_and_no_other_name_of_the_notebook(name):
    for exercise in exercises(stored(name)):
        asked = names_set(exercise.given.source)
        assert asked <= names_set(exercise.solution)
        tree = ast.parse("\n".join(cell.source for cell in code_cells(stored(name))))
        elsewhere = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert (names_set(exercise.solution) - asked) & elsewhere == set()
        assert names_set(exercise.check.source) & asked == set()


@each_notebook
def test_notebook_keeps_figures_of_modest_size(name):
    assert NOTEBOOKS[name].stat().st_size < MEGABYTE
    outputs = [output for cell in code_cells(stored(name)) for output in cell.outputs]
    pictures = [output.data["image/png"] for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) >= 1
    for picture in pictures:
        width, height = struct.unpack(">II", base64.b64decode(picture)[16:24])
        assert 400 < width < 1200
        assert 300 < height < 900


@each_notebook
def test_notebook_holds_no_machine_path_and_no_timings(name):
    text = re.sub(r'"image/png": "[^"]*"', "", NOTEBOOKS[name].read_text(encoding="utf-8"))
    places = ("/home/", "/root", "/tmp", "/usr/", "/Users/", "/private/", "/var/", "site-packages", str(ROOT), str(Path.home()))
    assert [place for place in places if place in text] == []
    assert re.findall(r"\b[A-Za-z]:\\\\", text) == []  # a drive
    notebook = stored(name)
    assert notebook.metadata == METADATA
    tagged = {id(x.given): "exercise" for x in exercises(notebook)} | {id(x.check): "check" for x in exercises(notebook)}
    if name == "slides":
        for cell in notebook.cells:
            assert cell.metadata.pop("slideshow")["slide_type"] in ("slide", "fragment")
            assert cell.metadata == ({"tags": ["hide-input"]} if cell.cell_type == "code" else {})
        return
    tagged[id(notebook.cells[1])] = "picture"
    for cell in notebook.cells:
        assert cell.metadata == ({"tags": TAGS[tagged[id(cell)]]} if id(cell) in tagged else {})


def test_before_every_picture_and_number_of_the_slides_there_is_a_vote():
    cells = stored("slides").cells
    votes = [i for i, cell in enumerate(cells) if cell.source.startswith("## Vote ")]
    assert [cells[i].source[8] for i in votes] == ["1", "2", "3", "4"]
    assert all(cells[i].source.endswith("?") and cells[i + 1].cell_type == "code" for i in votes)
    assert sum(cell.cell_type == "code" for cell in cells) == 4


@each_tutorial
def test_notebook_opens_with_its_question_answer_and_picture_and_closes_with_things_to_try_and_its_source(name):
    first, picture, *others = stored(name).cells
    assert first.cell_type == "markdown"
    assert re.match(r"# .+\n", first.source)
    parts = ["Question", "Guess", "Answer"] if name in GUESSES else ["Question", "Answer"]
    assert re.findall(r"^\*\*(\w+)\.\*\* .", first.source, flags=re.MULTILINE) == parts
    assert ("\n\n<details><summary>Answer</summary>\n\n**Answer.** " in first.source) == (name in GUESSES)
    assert has_tags(picture, "picture")
    assert [True for output in picture.outputs if "image/png" in output.get("data", {})] == [True]
    assert not any(has_tags(cell, "picture") for cell in others)
    last = others[-1]
    assert last.cell_type == "markdown"
    assert last.source.startswith("## Things to try next\n")
    assert last.source.count("\n- ") >= 3
    assert re.search(r"\n\n\*\*Source\.\*\* [^\n]+\Z", last.source)


@each_notebook
def test_notebook_imports_public_names_and_defines_none_of_its_own(name):
    tree = source_tree(name)
    for module in imported(tree):
        pytest.importorskip(module)
    assert not any(isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda) for node in ast.walk(tree))
    allowed = MODULES | BESIDES.get(name, set())
    assert {x for x in imported(tree) if x not in allowed and x.partition(".")[0] not in PACKAGES | allowed - {"capstats"}} == set()
    rooms = {module.partition(".")[2] for module in MODULES}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(node.module)
            public = getattr(module, "__all__", [word for word in vars(module) if not word.startswith("_")])
            assert {alias.name for alias in node.names} <= {*public, *(rooms if node.module == "capstats" else ())}


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = INLINE
    for chosen in sys.argv[1:] or NOTEBOOKS:
        with TemporaryDirectory() as anywhere:
            kept_anew, verdicts = run(chosen, anywhere)
            nbformat.write(kept_anew, NOTEBOOKS[chosen])
            print(chosen, *verdicts, sep="\n  ")  # noqa: T201
