"""The command line with 2 to 100 releases: a row each, in the order asked for, with differences and numbers of the caller."""

import json
import re

import numpy as np
import pytest
from command_line import in_json, printed, refused

from capstats import audit
from capstats.cli import main

pytestmark = pytest.mark.slow

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


@pytest.mark.parametrize("number", [2, 100])
def test_every_release_has_a_row_in_the_order_asked_for(hundred, capsys, monkeypatch, number):
    here, names = hundred
    monkeypatch.chdir(here)
    given = ["audit", "original.csv", *names[:number], *ASKED, "--rank-by=-average_cap_nearest", "--against", names[0]]
    text = printed(capsys, *given)
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


def test_the_numbers_are_those_of_the_library(hundred, capsys, monkeypatch):
    here, names = hundred
    monkeypatch.chdir(here)
    few = names[::40]
    numbers = ",".join(f"{name}:{i}" for i, name in enumerate(few))
    given = ["audit", "original.csv", *few, *ASKED, "--rank-by", "score", "--against", few[1], "--utility", f"score={numbers}", "--json"]
    back = json.loads(printed(capsys, *given))
    score = {name: i for i, name in enumerate(few)}
    asked = {"rank_by": "score", "against": few[1], "utility": {"score": score}}
    expected = audit("original.csv", {name: name for name in few}, keys="smoking", target="health", **asked).to_dict()
    assert back["ranked"] == expected["ranked"] == few[::-1]
    assert set(back["measures"]) == set(expected["measures"])
    for name, value in expected["measures"].items():
        both = [list(x.values()) if isinstance(x, dict) else [x] for x in (back["measures"][name], value)]
        np.testing.assert_allclose(*(np.array(x, float) for x in both), rtol=1e-12, err_msg=name)


def test_further_releases_of_the_generator_are_the_files_of_a_glob_or_their_counts(here, capsys):
    others = [f"others/{i}.csv" for i in range(3)]
    (here / "others").mkdir()
    lines = (here / "synthetic.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    for i, name in enumerate(others):
        (here / name).write_text("".join([lines[0], *lines[1 + 9 * i :]]), encoding="utf-8")
    given = ["audit", "original.csv", "smokers.csv", *ASKED]
    expected = audit("original.csv", "smokers.csv", keys="smoking", target="health", generator=others).to_dict()["measures"]
    found = in_json(capsys, *given, "--generator", "others/*.csv")
    assert found["measures"] == expected
    assert [name.replace("\\", "/").split("/")[-1] for [name] in found["provenance"]["files"]["generator"]] == ["0.csv", "1.csv", "2.csv"]
    assert main([*given, "--generator", "others/*.csv", "--fail-above", "generator_mean_error=0"]) == 1
    for files, out in ((others, "others.parquet"), (["smokers.csv"], "counts.parquet")):
        assert main(["count", "original.csv", *files, *ASKED, "--out", out]) == 0
    capsys.readouterr()
    from_counts = in_json(capsys, "audit", "counts.parquet", "--generator", "others.parquet")["measures"]
    assert all(from_counts[name] == value for name, value in expected.items() if name.startswith("generator"))
    for wrong, message in (
        (["--generator", "others/1.csv"], "--generator must be a quoted glob of 2 files or more, each a further release; 'others/1"),
        (["--generator", "others/*.csv", "--html", "others/1.csv"], "--html is 'others/1.csv', which is read as well."),
        (["--fail-above", "generator_mean=1"], "'generator_mean' is no measure. generator_mean needs --generator."),
    ):
        assert message in refused(capsys, *given, *wrong)
    assert main(["audit", "counts.parquet", "--generator", "others/*.csv"]) == 2
    assert "--generator must be a file of counts where ORIGINAL is one." in capsys.readouterr().err
