"""The command `capstats sweep`: every subset and target, worst first, and what each column adds."""

import csv
import io
import stat
from itertools import combinations

import html5lib
import numpy as np
import pandas as pd
import pytest
from command_line import in_json, printed, refused
from front_sheets import noisy
from PIL import Image

from capstats import average_cap, tabulate
from capstats.cli import main
from capstats.cli.options import OPTIONS
from capstats.screening import sweep
from capstats.screening.formulas import FORMULAS
from capstats.tables.printing import percent

pytestmark = pytest.mark.slow

KEYS, TARGETS = ["a", "b", "c", "d"], ["t", "u"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("swept")
    rng = np.random.default_rng(8)
    for name in ("o", "s", "r"):
        frame = pd.DataFrame({c: rng.choice(["x", "y", "z"], 200) for c in KEYS})
        frame["t"] = np.where(rng.random(200) < 0.6, frame.a, frame.b)
        frame["u"] = np.where(rng.random(200) < 0.5, frame.c, "x")
        frame.to_csv(folder / f"{name}.csv", index=False)
    return folder


@pytest.fixture
def arguments(files, monkeypatch):
    monkeypatch.chdir(files)
    return ["sweep", "o.csv", "s.csv", "--keys", "a,b,c,d", "--targets", "t,u"]


def test_every_subset_and_target_is_there_worst_first_with_its_own_average(arguments, capsys):
    found = in_json(capsys, *arguments, "--max-size", "3")["subsets"]
    assert len(found) == 2 * (4 + 6 + 4)
    values = [row["average_cap"] for row in found]
    assert values == sorted(values, reverse=True)
    expected = {}
    for keys in (keys for size in (1, 2, 3) for keys in combinations(KEYS, size)):
        for target in TARGETS:
            tables = tabulate("o.csv", "s.csv", keys=list(keys), target=target)
            expected[" + ".join(keys), target] = average_cap(tables.o, tables.s, unmatched="nearest").item()
    assert {(row["known"], row["target"]): row["average_cap"] for row in found} == pytest.approx(expected, rel=1e-12)
    assert all(row["columns"] == 1 + row["known"].count("+") for row in found)


def test_contributions_are_shapleys_where_the_lattice_is_whole_and_increments_named_so_otherwise(arguments, capsys):
    whole = in_json(capsys, *arguments)
    library = sweep("o.csv", "s.csv", keys=KEYS, targets=TARGETS, measures="average_cap")
    shares = {(row["key_column"], row["target_column"]): row["value"] for row in whole["contributions"]["shapley"]}
    assert shares == pytest.approx({(c, t): library.shapley.sel(key_column=c, target_column=t).item() for c in KEYS for t in TARGETS})
    assert "Shapley value of each key column" in printed(capsys, *arguments)
    part = in_json(capsys, *arguments, "--max-size", "2")
    assert set(part["contributions"]) == {"mean_increment"}
    assert {row["subset_size"] for row in part["contributions"]["mean_increment"]} == {1, 2}
    out = printed(capsys, *arguments, "--max-size", "2")
    assert "Mean increment at sizes 1 to 2 of each key column" in out
    assert "Not shown" not in out  # 20 rows, as many as are shown
    assert "Shapley" not in out


def test_the_text_has_the_riskiest_twenty_or_as_many_as_are_asked(arguments, capsys):
    out = printed(capsys, *arguments)
    rows = out[out.index("riskiest first") : out.index("What each column adds")].splitlines()
    assert len([row for row in rows if " t  " in row or " u  " in row]) == 20
    assert "Not shown: 10 more; see --top, --csv and --json." in out
    assert [row["columns"] for row in in_json(capsys, *arguments, "--top", "3")["subsets"]] == [
        row["columns"] for row in in_json(capsys, *arguments)["subsets"][:3]
    ]


def test_the_files_are_confidential_and_hold_the_same_numbers(arguments, tmp_path, capsys):
    paths = {name: tmp_path / f"out.{name}" for name in ("csv", "html", "png")}
    given = [*arguments, "--csv", str(paths["csv"]), "--html", str(paths["html"]), "--figure", str(paths["png"])]
    found = in_json(capsys, *given)["subsets"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths.values()} == {0o600}
    rows = list(csv.DictReader(io.StringIO(paths["csv"].read_text())))
    assert [(row["known"], float(row["average_cap"])) for row in rows] == [(row["known"], row["average_cap"]) for row in found]
    page = html5lib.HTMLParser(strict=True).parse(paths["html"].read_text())
    text = "".join(page.itertext())
    assert found[0]["known"] in text
    assert "Shapley value" in text
    with Image.open(paths["png"]) as picture:
        assert "o.csv" not in picture.info["Description"]


def test_several_releases_have_rows_and_tables_of_their_own(arguments, tmp_path, capsys):
    given = ["sweep", "o.csv", "s.csv", "r.csv", *arguments[3:]]
    assert {row["synthetic"] for row in in_json(capsys, *given)["subsets"]} == {"s.csv", "r.csv"}
    assert main([*given, "--html", str(tmp_path / "two.html")]) == 0
    assert (tmp_path / "two.html").read_text().count("<svg") == 2
    capsys.readouterr()
    assert main([*given, "--figure", str(tmp_path / "two.png")]) == 2
    assert "--figure: a heatmap is of one synthetic table; several are given" in capsys.readouterr().err


def test_over_the_limit_the_error_says_how_many_subsets_there_are(arguments, capsys):
    err = refused(capsys, *arguments, "--limit", "10")
    assert "4 key columns have 15 subsets of the sizes 1 to 4, more than --limit 10. Give --max-size 2, fewer key columns" in err
    assert main([*arguments, "--max-size", str(10**18)]) == 2
    assert capsys.readouterr().err == f"capstats sweep: --max-size must be from 1 to 4, the number of key columns; got {10**18}.\n"


def test_another_measure_may_be_swept(arguments, capsys):
    assert in_json(capsys, *arguments, "--measure", "matched_records")["subsets"][0]["matched_records"] == 200
    assert "  200  " in printed(capsys, *arguments, "--measure", "matched_records")


def test_the_measures_are_those_of_the_library():
    assert [*OPTIONS["measure"].choices] == ["average_cap", *FORMULAS]


def test_a_column_without_which_the_intruder_guesses_better_is_named(tmp_path, capsys):
    for name, n, seed in (("o", 300, 1), ("s", 100, 2)):
        noisy(n, seed).to_csv(tmp_path / f"{name}.csv", index=False)
    given = ["sweep", str(tmp_path / "o.csv"), str(tmp_path / "s.csv"), "--keys", "k,x0,x1,x2", "--targets", "t"]
    found = in_json(capsys, *given)
    values = {row["known"]: row["average_cap"] for row in found["subsets"]}
    best = max(values[f"k + x{i} + x{j}"] for i, j in ((0, 1), (0, 2), (1, 2)))
    assert found["provenance"]["unmatched"] == "nearest"
    out = " ".join(printed(capsys, *given).split())
    assert "guessed from the nearest keys" in out
    assert f"guesses t better: average CAP {percent(best)} without it, {percent(values['k + x0 + x1 + x2'])} with all columns." in out
    out = " ".join(printed(capsys, *given, "--unmatched", "zero").split())
    assert "count 0, so that a finer key can look safer" in out
    assert "guesses t better" not in out
