"""The independent checker in docs/check_record.py: it imports nothing of ours, and its exact fractions are the numbers of records."""

from __future__ import annotations

import ast
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from capstats import audit, tabulate, write_counts
from capstats.datasets import anes96, hair_eye_color, ucb_admissions

CHECKER = Path(__file__).parents[1] / "docs" / "check_record.py"
LOADED = runpy.run_path(str(CHECKER))
NOT_OF_COUNTS = re.compile(  # what needs records, random numbers or a page of formulas
    "expected_certain|copied_|_p_value$|_gain|fresh_sample|individual_share|individual_disclosure_error|difference_error|weighted_matches"
    "|greatest_individual_risk"
)


def checked(folder, tables, **asked):
    """What the checker says of the record of an audit of these tables."""
    write_counts(tables, folder / "counts.csv", overwrite=True)
    found = audit(tables, allow_same=True, allow_no_match=True, **asked)
    return LOADED["check"](LOADED["read_counts"](folder / "counts.csv"), found.to_json()), found


def resampled(people, seed=1):
    return people.sample(frac=1, replace=True, random_state=seed).reset_index(drop=True)


def patients():
    """442 patients with diabetes, of scikit-learn."""
    frame = pytest.importorskip("sklearn.datasets").load_diabetes(as_frame=True, scaled=False).frame
    return frame.assign(ill=frame.pop("target") > 140)[["age", "sex", "bmi", "ill"]]


def cells(table, columns):
    return table.loc[table.index.repeat(table["count"]), columns].reset_index(drop=True)


SURVEYS = {
    "voters": (anes96, ["age", "educ", "PID"], "vote", {"age": 4}),
    "students": (lambda: cells(hair_eye_color(), ["Hair", "Eye", "Sex"]), ["Hair", "Sex"], "Eye", {}),
    "applicants": (lambda: cells(ucb_admissions(), ["Admit", "Gender", "Dept"]), ["Gender", "Dept"], "Admit", {}),
    "patients": (patients, ["age", "sex", "bmi"], "ill", {"age": 5, "bmi": 5}),
}


def test_it_is_plain_python_that_can_be_read_in_an_hour():
    text = CHECKER.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 300, "what has no room here is one of NOT_OF_COUNTS, or something shorter must be found"
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in imports if isinstance(node, ast.ImportFrom)}
    assert names <= sys.stdlib_module_names


@pytest.mark.parametrize("name", SURVEYS)
def test_it_verifies_reports_on_real_surveys(name, tmp_path, monkeypatch):
    """By the two commands, as a custodian runs it: in a Python without packages."""
    load, keys, target, bins = SURVEYS[name]
    monkeypatch.chdir(tmp_path)
    people = load()
    people[::2].to_csv("original.csv", index=False)
    people[1::2].to_csv("holdout.csv", index=False)
    resampled(people[::2]).to_csv("release.csv", index=False)
    given = ["original.csv", "release.csv", "--holdout", "holdout.csv", "--keys", ",".join(keys), "--target", target]
    given += [f"--bin={column}={n}" for column, n in bins.items()]
    for command in (["audit", *given, "--json", "--fail-above", "average_cap_zero=1"], ["count", *given, "--out", "counts.csv"]):
        run = subprocess.run([sys.executable, "-m", "capstats.cli", *command], capture_output=True, check=True)
        if command[0] == "audit":
            Path("report.json").write_bytes(run.stdout)
    alone = [sys.executable, "-I", "-S", CHECKER, "counts.csv", "report.json"]  # without site-packages
    run = subprocess.run(alone, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert "All of them agree" in run.stdout
    left = run.stdout.splitlines()[0].partition("Not recomputed: ")[2].rstrip(".").split(", ")
    assert [x for x in left if not NOT_OF_COUNTS.search(x)] == []
    changed = re.sub(r'"average_cap_zero": [\d.]+', '"average_cap_zero": 0.5', Path("report.json").read_text(encoding="utf-8"))
    Path("report.json").write_text(changed, encoding="utf-8")
    run = subprocess.run(alone, capture_output=True, text=True)
    assert run.returncode == 1
    assert "DIFFERS: average_cap_zero of the release is 0.5 in the record" in run.stdout


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here
@pytest.mark.parametrize("seed", range(60))
def test_it_has_every_number_of_counts_of_random_tables(seed, tmp_path):
    """One release or several, weights, a holdout, keys and targets that only one table has, missing values."""
    rng = np.random.default_rng(seed)
    columns = {f"k{i}": rng.integers(1, 4) for i in range(rng.integers(1, 5))} | {"t": rng.integers(1, 4)}

    def table(n):
        labels = [["a", "b,c", "d'", "e"], [0, 1.5, 2, 3], ["a", None, "x", " y"]][seed % 3]
        frame = pd.DataFrame({name: [labels[x] for x in rng.integers(0, m + 1, n)] for name, m in columns.items()})
        return frame.assign(w=rng.choice([0.5, 1.25, 3], n)) if seed % 5 == 4 else frame

    releases = {f"{i}.csv": table(rng.integers(1, 30)) for i in range(3)} if seed % 4 else table(rng.integers(1, 30))
    weights = {"weights": "w"} if seed % 5 == 4 else {}
    asked = {"keys": [x for x in columns if x != "t"], "target": "t"}
    holdout = {"holdout": table(rng.integers(2, 30))} if seed % 2 else {}
    tables = tabulate(table(rng.integers(2, 30)), releases, **asked, **weights, **holdout)
    against = {"against": "1.csv"} if seed % 4 else {}
    limits = {"average_cap_zero": 0.4, "share_certain": 0.3}
    (differs, done, left), found = checked(tmp_path, tables, limits=limits, **against)
    assert differs == []
    error = "average_cap_(nearest|zero)_error" if weights else "$^"  # of weights, whose squares it does not read
    quantiles = "individual_cap_"
    assert [x for x in left if not NOT_OF_COUNTS.search(x) and not re.search(f"{error}|{quantiles if weights else '$^'}", x)] == []
    assert len(done) > 40
    assert {*found.measures.data_vars} >= {x for x in done if ": " not in x}


def test_a_wrong_number_anywhere_is_named(tmp_path):
    people = pd.DataFrame({"a": list("xxyyzz") * 3, "b": list("pq") * 9, "t": list("uvw") * 6})
    tables = tabulate(people, resampled(people, 3), keys=["a", "b"], target="t")
    (differs, done, _), found = checked(tmp_path, tables, limits={"share_certain": 0.1})
    assert differs == []
    counts, record = LOADED["read_counts"](tmp_path / "counts.csv"), json.loads(found.to_json())
    places = [("measures", name) for name in done if ": " not in name]
    places += [("by_target", i, name) for i in range(3) for name in record["by_target"][0] if name != "level"]
    places += [("by_column", i, name) for i in range(2) for name in record["by_column"][0] if name != "column"]
    for *way, name in places:
        changed = json.loads(found.to_json())
        where = changed
        for step in way:
            where = where[step]
        where[name] = 0.123 if where[name] is None else where[name] + 1e-6
        named, *rest = LOADED["check"](counts, json.dumps(changed))[0][1:]  # the first is the digest
        assert f"{name} of the release is" in named
        assert len(rest) <= (name == "share_certain")  # whose limit has the value as well
    for way, value in ((["verdict"], None), (["limits", 0, "verdict"], "could not be told"), (["limits", 0, "value"], 0.05)):
        changed = json.loads(found.to_json())
        where = changed
        for step in way[:-1]:
            where = where[step]
        where[way[-1]] = value
        assert "is said to be" in LOADED["check"](counts, json.dumps(changed))[0][1]
    write_counts(tabulate(people, people[:9], keys=["a", "b"], target="t"), tmp_path / "other.csv")
    differs = LOADED["check"](LOADED["read_counts"](tmp_path / "other.csv"), found.to_json())[0]
    assert differs[0] == "the counts are not those of the record: their SHA-256 is another one"


def test_a_file_of_something_else_is_refused(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(SystemExit, match="is no file of counts in CSV"):
        LOADED["read_counts"](tmp_path / "x.csv")
