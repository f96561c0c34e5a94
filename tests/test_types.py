"""A user's calls as a type checker sees them: right ones pass in mypy's strict mode, and of wrong ones every line is an error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import capstats

pytestmark = pytest.mark.slow

HEAD = """
import numpy as np
import pandas as pd

import capstats
from capstats import average_cap, disclosure, laws
from capstats.laws import Dirichlet, Swap, calibrate, cap_law, expected_cap, sample_tables

o, s = [[20, 5], [30, 45]], np.array([[10, 5], [23, 62]])
records = pd.DataFrame({"smoker": ["yes", "no"], "sick": ["no", "no"]})
tables = capstats.tabulate(records, records, keys="smoker", target="sick")
"""
RIGHT = """
average_cap([[1]], [[1]])
average_cap(tables.o, tables.s, unmatched="drop")
average_cap(tables)
capstats.summary(tables).average_cap
capstats.by_group(average_cap, tables, by=["smoker"]).records
laws.expected_cap(tables, laws.Bootstrap([100, 200]))
capstats.baseline_cap(o)
expected_cap(o, Swap(records=3))
expected_cap(o, laws.Pram(theta=0.1), unmatched="drop")
expected_cap(o, laws.Pram(matrix=np.eye(2)))
laws.variance_cap(tables.o, Dirichlet(300, alpha=0.5))
laws.expected_disclosure(o, laws.Bootstrap(100)).disco
expected_cap(o, laws.Given(100, p=np.full((2, 2), 0.25)), unmatched="nearest")
laws.Given.from_conditionals(tables.o, 100, columns={"smoker": records["smoker"].value_counts(normalize=True)})
sample_tables(o, laws.Independent(100), draws=3, rng=1).sum("draw")
calibrate(o, laws.Pram, risk=0.5).theta
calibrate(o, Dirichlet, risk=0.5, m=900)
cap_law(o, laws.Uniform()).cdf([0.5, 0.6]).least
cap_law(o, laws.Uniform(900)).quantile(0.95)
laws.minimum_cap(o, unmatched="zero")
laws.dp_bound([0.5, 0.5], 1.0, unmatched="nearest")
laws.noisy_counts(o, epsilon=1, adjacency="substitution", domain="public")
laws.membership_test(o, s, h=o, alternative="two-sided").p_value
disclosure.disco
capstats.attacks.model_attack
capstats.paper.SEED
"""
WRONG = """
average_cap()
average_cap(o, s, unmatched="nothing")
average_cap(o, s, weights=3)
capstats.baseline_kap(o)
expected_cap(o)
expected_cap(o, "uniform")
expected_cap(o, laws.Uniform)
expected_cap(o, model="swap", swapped=3)
expected_cap(o, Swap(records=3), unmatched="lost")
laws.Swap(swapped=3)
laws.Swap(3)
laws.Swap(records="3")
Dirichlet(300)
laws.Uniform(300, alpha=0.5)
laws.Pram(theta="0.5")
laws.Given(100)
laws.Given(100, [[0.5], [0.5]])
sample_tables(o, laws.Uniform(3))
sample_tables(o, laws.Uniform(3), draws=3, seed=1)
calibrate(o, "pram", risk=0.5)
calibrate(o, laws.Pram(theta=0.5), risk=0.5)
cap_law(o, "uniform")
cap_law(o, laws.Uniform()).cfd(0.5)
laws.noisy_counts(o, epsilon=1, adjacency="substitution")
laws.membership_test(o, s, h=o, alternative="larger")
capstats.lawz
capstats.tcap
disclosure.disko
capstats.attacks.model_atack
"""


def test_right_calls_of_a_user_pass_a_type_checker_and_wrong_ones_do_not(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    right, wrong = ([line for line in text.splitlines() if line] for text in (RIGHT, WRONG))
    lines = [*HEAD.strip().splitlines(), *right, *wrong]
    file = tmp_path / "calls.py"
    file.write_text("\n".join(lines), encoding="utf-8")
    options = ["--strict", "--no-site-packages", "--ignore-missing-imports", "--follow-imports=silent", "--no-error-summary"]
    command = [sys.executable, "-m", "mypy", "--config-file=", f"--cache-dir={tmp_path}", *options, file.name]
    path = str(Path(capstats.__file__).parents[1])
    found = subprocess.run(command, cwd=tmp_path, env={**os.environ, "MYPYPATH": path}, capture_output=True, text=True)
    errors = {lines[int(line.split(":")[1]) - 1] for line in found.stdout.splitlines() if ": error:" in line}
    assert errors == set(wrong), found.stdout + found.stderr
