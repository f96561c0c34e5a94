"""The command `capstats audit --targets`: one report with a row for each target."""

import json
import shlex
import stat

import numpy as np
import pandas as pd
import pytest
from command_line import in_json, printed, refused

from capstats import audit_targets
from capstats.cli import main

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]


def people(seed, n=150):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(20, 60, n), "sex": rng.choice(["f", "m"], n), "health": rng.choice(["ill", "well"], n)})
    frame["income, net"] = np.where(frame.age > 40, "high", "low")
    frame["id"] = [f"{seed}-{i}" for i in range(n)]
    return frame


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, seed in (("o", 0), ("s", 1), ("t", 2)):
        people(seed).to_csv(f"{name}.csv", index=False)
    return ["audit", "o.csv", "s.csv", "--keys", "age,sex", "--bin", "age=4"]


def test_it_prints_what_the_library_prints(files, capsys):
    assert main([*files, "--targets", "all"]) == 0
    found = audit_targets("o.csv", "s.csv", keys=["age", "sex"], bins={"age": 4})
    assert capsys.readouterr() == (f"{found}\n", "")
    assert list(found.left_out) == ["id"]
    given = [*files[:3], "t.csv", *files[3:], "--targets", "health", "--each-target", "income, net"]
    rows = in_json(capsys, *given)["targets"]
    asked = {"keys": ["age", "sex"], "bins": {"age": 4}, "targets": ["health", "income, net"]}
    assert rows == audit_targets("o.csv", {name: name for name in ("s.csv", "t.csv")}, **asked).to_dict()["targets"]


def test_the_command_for_the_worst_target_runs(files, capsys, tmp_path):
    out = printed(capsys, *files, "--targets", "all")
    start = out.index("capstats audit o.csv")
    words = shlex.split(out[start : out.index("\n\n", start)].replace("\\\n", ""))[1:]
    assert main(words) == 0
    assert "The full report on the worst target" in out
    assert (tmp_path / "report.html").is_file()


def test_the_page_is_confidential_and_has_all_targets(files, capsys, tmp_path):
    assert main([*files, "--targets", "all", "--html", "page.html"]) == 0
    page = tmp_path / "page.html"
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    text = page.read_text(encoding="utf-8")
    assert "health" in text
    assert "income, net" in text
    assert capsys.readouterr().err == ""


def test_limits_hold_for_each_target(files, capsys):
    assert main([*files, "--targets", "all", "--fail-above", "average_cap_zero=0.9"]) == 1
    (worst, _) = audit_targets("o.csv", "s.csv", keys=["age", "sex"], bins={"age": 4}).to_frame().average_cap_zero
    assert capsys.readouterr().err == f"capstats audit: --fail-above: average_cap_zero of 'income, net' is {worst:.10g} (limit 0.9).\n"
    assert main([*files, "--targets", "all", "--fail-above", "average_cap_zero=1"]) == 0
    assert "'median' is no measure" in refused(capsys, *files, "--targets", "all", "--fail-above", "median=1")


def test_copies_are_looked_for_once_and_a_holdout_tells_what_chance_gives(files, capsys):
    o, s = pd.read_csv("o.csv"), pd.read_csv("s.csv")
    pd.concat([o[:120], s[120:]]).assign(age=lambda x: x.age.astype(str)).to_csv("copies.csv", index=False)
    for holdout, known in (([], "more than a fresh sample"), (["--holdout", "t.csv"], "Of the 150 people in the holdout")):
        given = ["audit", "o.csv", "copies.csv", *files[3:], "--targets", "all", *holdout]
        out = " ".join(printed(capsys, *given).split())
        assert "! 1" in out
        assert known in out
        assert ("--holdout t.csv" in out) == bool(holdout)
        found = in_json(capsys, *given)["copies"]
        assert "income, net" in found["columns"]
        (release,) = found["releases"]
        assert release["copied_records"] >= 120
        assert release["copied_beyond_chance"] == 1
    assert "not computed: --copy-columns 0" in printed(capsys, "audit", *files[1:], "--targets", "all", "--copy-columns", "0")


def test_a_configuration_names_targets(files, capsys, tmp_path):
    lines = ['original = "o.csv"', 'synthetic = "s.csv"', 'keys = ["sex"]', 'targets = ["health", "income, net"]']
    (tmp_path / "c.toml").write_text("\n".join(lines), encoding="utf-8")
    found = in_json(capsys, "audit", "--config", "c.toml")
    assert {row["target_column"] for row in found["targets"]} == {"health", "income, net"}
    (tmp_path / "c.toml").write_text("\n".join([*lines[:3], 'targets = "all"']), encoding="utf-8")
    assert in_json(capsys, "audit", "--config", "c.toml")["left_out"].keys() == {"id"}
    assert json.dumps(found["provenance"]["settings"]["keys"]) == '["sex"]'
