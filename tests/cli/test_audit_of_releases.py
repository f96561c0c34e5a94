"""The command line with 2 to 100 releases: a row each, in the order asked for, with differences and numbers of the caller."""

import json
import re

import numpy as np
import pytest

from capstats import audit
from capstats.cli import main

ASKED = ["--keys", "smoking", "--target", "health"]


@pytest.fixture(scope="module")
def hundred(tmp_path_factory, folder):
    """A hundred releases in files with names of 52 characters, each without some more of its records."""
    lines = (folder / "synthetic.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    here = tmp_path_factory.mktemp("releases")
    (here / "original.csv").write_text((folder / "original.csv").read_text(encoding="utf-8"), encoding="utf-8")
    names = [f"release-{i:03}-of-a-synthesiser-with-a-long-name".ljust(48, "0") + ".csv" for i in range(100)]
    for i, name in enumerate(names):
        (here / name).write_text("".join([lines[0], *lines[1 + i // 2 :]]), encoding="utf-8")
    assert {len(name) for name in names} == {52}
    return here, names


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 100])
def test_every_release_has_a_row_in_the_order_asked_for(hundred, capsys, monkeypatch, number):
    here, names = hundred
    monkeypatch.chdir(here)
    given = ["audit", "original.csv", *names[:number], *ASKED, "--rank-by=-average_cap", "--against", names[0]]
    assert main(given) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 100
    lines = text.partition("\nAnswer\n")[2].splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("  synthetic  "))
    assert re.fullmatch(r" *synthetic +average CAP +error +difference +its error .*", lines[start])
    rows = [re.fullmatch(r"  (\d+) \S+ +(0\.\d{3}) .*", line) for line in lines[start + 1 : start + 1 + number]]
    assert sorted(int(row[1]) for row in rows) == list(range(1, number + 1))
    averages = [float(row[2]) for row in rows]
    assert averages == sorted(averages)
    assert not lines[start + 1 + number].strip()
    assert "The releases are in the order of average CAP, that with the least first." in " ".join(text.split())


@pytest.mark.slow
def test_the_numbers_are_those_of_the_library(hundred, capsys, monkeypatch):
    here, names = hundred
    monkeypatch.chdir(here)
    few = names[::40]
    numbers = ",".join(f"{name}:{i}" for i, name in enumerate(few))
    given = ["audit", "original.csv", *few, *ASKED, "--rank-by", "score", "--against", few[1], "--utility", f"score={numbers}", "--json"]
    assert main(given) == 0
    back = json.loads(capsys.readouterr().out)
    score = {name: i for i, name in enumerate(few)}
    asked = {"rank_by": "score", "against": few[1], "utility": {"score": score}}
    expected = audit("original.csv", {name: name for name in few}, keys="smoking", target="health", **asked).to_dict()
    assert back["ranked"] == expected["ranked"] == few[::-1]
    assert set(back["measures"]) == set(expected["measures"])
    for name, value in expected["measures"].items():
        both = [list(x.values()) if isinstance(x, dict) else [x] for x in (back["measures"][name], value)]
        np.testing.assert_allclose(*(np.array(x, float) for x in both), rtol=1e-12, err_msg=name)
