"""The command `capstats describe`: what it shows, and that its commands run as a shell reads them."""

import json
import shlex

import numpy as np
import pandas as pd
import pyreadstat
import pytest
from command_line import in_json, printed, refused, run, said

import capstats
from capstats.cli import main

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


NAMES = {"age": "age, in years", "sex": "sex of 'him'", "region": 'the "region"', "job": " job", "income": "income;net"}


def people(seed, n=200):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(18, 90, n), "sex": rng.choice(["f", "m"], n), "region": rng.choice(list("abcd"), n)})
    frame["job"], frame["income"] = rng.choice(["cook", "smith"], n), rng.normal(2000, 500, n).round(2)
    frame.loc[:3, "income"] = -99
    return frame


def semicolons(folder):
    for name, seed in (("an original", 0), ("it's $HOME", 1)):
        frame = people(seed).rename(columns=NAMES)
        frame["income;net"] = frame["income;net"].astype(str).str.replace(".", ",")
        frame.to_csv(folder / f"{name}.csv", sep=";", index=False)
    return ["an original.csv", "it's $HOME.csv"]


def stata(folder):
    for name, seed in (("o", 0), ("s", 1)):
        frame = people(seed).assign(sex=lambda x: (x.sex == "f") + 1).astype({"sex": "int32"})
        labels = {"sex": "Gender", "region": "Region of residence"}
        frame.to_stata(folder / f"{name}.dta", write_index=False, value_labels={"sex": {1: "male", 2: "female"}}, variable_labels=labels)
    return ["o.dta", "s.dta"]


def spss(folder):
    for name, seed in (("o", 0), ("s", 1)):
        frame = people(seed).rename(columns={"income": "q7"})
        labels = [{"q7": "Household income per month"}.get(c, "") for c in frame]
        pyreadstat.write_sav(frame, folder / f"{name}.sav", column_labels=labels)
    return ["o.sav", "s.sav"]


def latin(folder):
    for name, seed in (("o", 0), ("s", 1)):
        people(seed).rename(columns={"region": "région"}).to_csv(folder / f"{name}.csv", index=False, encoding="cp1252")
    return ["o.csv", "s.csv", "--encoding", "cp1252"]


def mixed(folder):
    people(0).to_parquet(folder / "o.parquet")
    people(1).to_csv(folder / "s.csv", index=False)
    people(2).to_csv(folder / "-s.csv", index=False)
    return ["o.parquet", "s.csv", "./-s.csv"]


FOLDERS = {"semicolons": semicolons, "stata": stata, "spss": spss, "latin": latin, "mixed": mixed}


@pytest.mark.parametrize("which", FOLDERS)
def test_the_commands_run(which, tmp_path, capsys):
    original, release, *others = FOLDERS[which](tmp_path)
    reading = others if which == "latin" else []
    commands = in_json(capsys, "describe", original, release, *others)["commands"]
    assert len(commands) == 2
    text = printed(capsys, "describe", original, release, *others).replace("\n  ", "\n")
    assert all(command in text for command in commands)
    (alone,) = in_json(capsys, "describe", original, *reading)["commands"]
    for command, word in ((commands[0], "average"), (commands[1], "average"), (alone, "Privacy models")):
        program, *words = shlex.split(command.replace("\\\n", ""))
        assert program == "capstats"
        out, err = said(capsys, 0, *words)
        assert word in out
        assert err == ""


N = 60
FEW, MANY = [str(i % 4) for i in range(N)], [f"{20 + i % 40}" for i in range(N)]
COLUMNS = {  # of original and release, and what is proposed for them
    "numbers": (MANY, MANY[::-1], "--bin age=10"),
    "decimal commas": ([f"{x},5" for x in MANY], [f"{x},25" for x in MANY], "--bin age=10 --decimal ,"),
    "commas and codes": ([*(f"{x},5" for x in MANY[2:]), *["-99,0"] * 2], [f"{x},5" for x in MANY], "--bin age=10 --null-values age=-99.0"),
    "dates": (
        [f"2020-01-{1 + i % 30:02}" for i in range(N)],
        [f"2020-01-{1 + i % 29:02}" for i in range(N)],
        "--type age=date --bin age=10",
    ),
    "codes": ([*FEW[2:], "-9", "-9"], FEW, "--null-values age=-9"),
    "small codes": ([*MANY[2:], "-1", "-2"], MANY, "--null-values age=-1,-2"),
    "the least integer": ([*MANY[2:], "-2147483648", "-2147483648"], MANY, "--bin age=10 --null-values age=-2147483648"),
    "a code with spaces": (["a", "b", " NA "] * 20, ["a", "b"] * 30, "--keys age"),
    "thousands": ([f"{x}.000" for x in MANY], [f"{x}000" for x in MANY], ""),
    "none in common": (["a", "b"] * 30, ["c", "d"] * 30, ""),
    "nothing": ([""] * N, MANY, ""),
}


@pytest.mark.parametrize("which", COLUMNS)
def test_every_command_is_one_that_an_audit_accepts(which, tmp_path, capsys):
    *columns, proposed = COLUMNS[which]
    for name, column in zip("os", columns, strict=True):
        frame = pd.DataFrame({"age": column, "sex": ["f", "m"] * 30, "vote": list("abc") * 20, "pw": range(1, N + 1)})
        (frame if name == "o" else frame.iloc[:0:-1].drop(columns="pw")).to_csv(f"{name}.csv", index=False)
    found = in_json(capsys, "describe", "o.csv", "s.csv")
    weights = next(row["reason"] for row in found["columns"] if row["column"] == "pw")
    assert weights.endswith("say weights=('pw', None) (--weights pw,)")
    for command in found["commands"]:
        words = shlex.split(command.replace("\\\n", ""))
        assert set(proposed.split()) <= {*words, *(" ".join(words).replace(",sex", "").split())}
        assert ("age" in words[words.index("--keys") + 1].split(",")) == bool(proposed)
        assert main(words[1:]) == 0
    assert main([*words[1:], "--weights", "pw,"]) == 0


def test_the_commands_run_in_a_shell(tmp_path):
    import subprocess
    import sys

    arguments = semicolons(tmp_path)
    found = json.loads(run("describe", *(str(tmp_path / file) for file in arguments), "--json").stdout)
    for command in found["commands"]:
        line = command.replace("capstats", f"{shlex.quote(sys.executable)} -m capstats.cli", 1)
        assert subprocess.run(line, shell=True, capture_output=True, check=False, text=True).returncode == 0


def test_it_prints_what_the_library_prints(tmp_path, capsys):
    files = stata(tmp_path)
    assert said(capsys, 0, "describe", *files) == (f"{capstats.describe(*files)}\n", "")
    assert main(["describe", *files, "--null-values", "age=18", "--type", "region=a|b|c|d", "--json"]) == 0
    expected = capstats.describe(*files, null_values={"age": ["18"]}, types={"region": list("abcd")})
    assert json.loads(capsys.readouterr().out) == {**json.loads(expected.to_json()), "warnings": []}


def test_no_value_of_the_data_is_shown_but_codes_and_labels_of_the_file(tmp_path, capsys):
    files = stata(tmp_path)
    out = printed(capsys, "describe", *files)
    assert "Gender; 1 = male, 2 = female" in out
    assert "income  -99" in out
    assert not any(word in out for word in ("cook", "smith", *map(str, people(0).income[4:20])))
    assert "no other value of the data" in " ".join(out.splitlines()[-4:]).replace("  ", "")
    assert all(word not in json.dumps(in_json(capsys, "describe", *files)) for word in ("cook", "smith"))


@pytest.mark.parametrize("given", [["original.csv", "synthetic.csv"], ["original.csv", "commas.csv", "--keys", "smoking"]])
def test_an_audit_without_columns_points_here(given, here, capsys):
    files = [word for word in given if word.endswith(".csv")]
    assert f"To see which columns there are: capstats describe {' '.join(files)}\n" in refused(capsys, "audit", *given)
    assert main(["describe", *files]) == 0


def test_three_hundred_columns_of_csv_are_read_in_a_few_lines(tmp_path, capsys):
    rng = np.random.default_rng(2)
    for name in "os":
        frame = pd.DataFrame(rng.integers(0, 40, (2000, 300)), columns=[f"q{i}" for i in range(300)])
        frame.assign(sex=rng.choice(["f", "m"], 2000), income=rng.random(2000)).to_csv(tmp_path / f"{name}.csv", index=False)
    files = [str(tmp_path / f"{name}.csv") for name in "os"]
    found = in_json(capsys, "describe", *files)
    assert len(found["columns"]) == 302
    assert found["columns"][7]["levels"] == pd.read_csv(files[0]).q7.nunique()
    assert found["arguments"] == {"keys": ["sex"], "target": "income", "bins": {"income": 10}}
    assert printed(capsys, "describe", *files).count("\n") < 110
