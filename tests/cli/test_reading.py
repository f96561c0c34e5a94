"""The options for data and for reading."""

import json
from pathlib import Path

import pandas as pd
import pytest
from command_line import SMOKERS, in_json, printed, refused, said

from capstats.cli import main

COUNTS = ["--counts", "count"]
TITANIC = ["audit", "titanic.csv", "titanic.csv", "--allow-same"]
# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]


@pytest.mark.parametrize("keys", [["--keys", "Class, Sex "], ["--keys", "Class,", "--key", "Sex"]])
@pytest.mark.parametrize("target", [["--target", "Age", "--target", "Survived"], ["--target", "Age, Survived"]])
def test_names_are_separated_by_commas_and_spaces_or_given_one_by_one(here, capsys, keys, target):
    found = in_json(capsys, *TITANIC, *keys, *target, *COUNTS)
    assert (found["provenance"]["keys"], found["provenance"]["target"]) == (["Class", "Sex"], ["Age", "Survived"])
    assert found["measures"]["original_records"] == 2201


def test_names_with_commas_may_be_given(here, capsys):
    commas = ["audit", "commas.csv", "commas.csv", "--allow-same"]
    found = in_json(capsys, *commas, "--key", "smoking, now", "--target", "health=state")
    assert found["provenance"]["keys"] == ["smoking, now"]
    assert found["measures"]["average_cap_zero"] == pytest.approx(0.67)
    assert in_json(capsys, *commas, "--keys", "health=state", "--target-column", "smoking, now")["provenance"]["target"] == ["smoking, now"]


def test_types_make_numbers_of_text(here, capsys):
    """CSV knows only text: the column of numbers of a Parquet file has no partner in it, unless it is said."""
    pd.DataFrame({"age": [30, 40], "sick": ["yes", "no"]}).to_parquet("ages.parquet")
    Path("ages.csv").write_text("age,sick\n30,yes\n40,no\n")
    arguments = ["audit", "ages.parquet", "ages.csv", "--allow-same", "--keys", "age", "--target", "sick"]
    assert "none of them can match" in refused(capsys, *arguments)
    assert in_json(capsys, *arguments, "--types", "age=number")["measures"]["average_cap_zero"] == 1


def test_types_list_the_levels_of_a_column(here, capsys):
    arguments = ["audit", "original.csv", "synthetic.csv", "--keys", "smoking", "--target", "health"]
    printed(capsys, *arguments, "--types", "health=Sick|Healthy, smoking=text")
    assert main([*arguments, "--types", "health=Sick|Well"]) == 2
    assert "that is not among the levels that --types lists: 'Sick', 'Well', such as 'Healthy'." in capsys.readouterr().err


def test_types_of_columns_and_levels_with_commas_and_equals_signs_may_be_given_one_by_one(here, capsys):
    arguments = ["audit", "commas.csv", "commas.csv", "--allow-same", "--key", "smoking, now", "--target", "health=state"]
    levels = ["--type", "smoking, now=Smoking|Non-smoking", "--type", "health=state=text"]
    assert in_json(capsys, *arguments, *levels)["measures"]["baseline"] == 0.625
    assert in_json(capsys, *arguments, "--types", "health=state=text", *levels[:2])["measures"]["baseline"] == 0.625
    assert "got 'smoking'. Give what has a comma in it to --type, by itself." in refused(capsys, *arguments, "--types", "smoking, now=text")


@pytest.mark.parametrize(
    ("asked", "points"), [("age=3", [32.33, 41.67]), ("age=quantile:2", [34.5]), ("age=30|40", [30, 40]), ("age=30|", [30])]
)
def test_a_column_of_numbers_is_cut(here, capsys, asked, points):
    Path("ages.csv").write_text("age,sick\n23,yes\n29,no\n30,no\n39,yes\n51,yes\n40,no\n")
    arguments = ["audit", "ages.csv", "ages.csv", "--allow-same", "--keys", "age", "--target", "sick", "--bin", asked]
    found = in_json(capsys, *arguments)
    assert found["provenance"]["bins"]["age"] == pytest.approx(points, abs=0.01)
    assert found["measures"]["keys"] == len(points) + 1
    assert "age (cut at " in printed(capsys, *arguments)


@pytest.mark.parametrize("asked", ["age", "=3", "age=wide", "age=width:3", "age=quantile:x"])
def test_a_column_is_cut_in_a_way_that_is_known(here, capsys, asked):
    assert main(["audit", "original.csv", "synthetic.csv", "--keys", "smoking", "--target", "health", "--bin", asked]) == 2
    assert f"--bin must {'be COLUMN=BINS' if asked in ('age', '=3') else 'say a number of bins'}" in capsys.readouterr().err


def test_counts_are_records(here, capsys):
    arguments = [*TITANIC, "--keys", "Class,Sex,Age", "--target", "Survived"]
    found = in_json(capsys, *arguments, "--counts", "count")
    assert found["measures"]["original_records"] == found["measures"]["synthetic_records"] == 2201
    assert found["provenance"]["counts"] == {"original": "count", "synthetic": "count"}
    out, err = said(capsys, 0, *arguments, "--json")
    assert json.loads(out)["measures"]["original_records"] == 32
    assert "`original` looks like a table of counts" in err
    found = in_json(capsys, *arguments, "--counts", "half,count")
    assert (found["measures"]["original_records"], found["measures"]["synthetic_records"]) == (2201 / 2 + 8, 2201)
    assert "individual_cap_median" not in found["measures"]
    assert in_json(capsys, *arguments, "--counts", ",count")["provenance"]["counts"] == {"synthetic": "count"}


def test_weights_of_a_holdout_may_be_given_or_are_those_of_the_original(here, capsys):
    arguments = [*TITANIC, "--holdout", "titanic.csv", "--keys", "Class", "--target", "Survived"]
    told = {"original": "count", "synthetic": "half"}
    found = in_json(capsys, *arguments, "--weights", "count,half")
    assert found["provenance"]["weights"] == told | {"holdout": "count"}
    assert found["measures"]["individual_disclosure"] == 0
    found = in_json(capsys, *arguments, "--weights", "count,half,")
    assert found["provenance"]["weights"] == told
    found = in_json(capsys, *arguments, "--weights", "count,half,half")
    assert found["measures"]["individual_disclosure_error"] > 0
    assert "individual_cap_median" in found["measures"]


def test_a_memory_limit_changes_no_number(here, capsys):
    assert in_json(capsys, *SMOKERS, "--memory-limit", "200MB")["measures"] == in_json(capsys, *SMOKERS)["measures"]


def test_backing_may_be_chosen(here, capsys):
    dense, sparse = (in_json(capsys, *SMOKERS, "--backing", backing) for backing in ("dense", "sparse"))
    assert [found["provenance"]["settings"].pop("backing") for found in (dense, sparse)] == ["dense", "sparse"]
    assert dense.pop("digest") != sparse.pop("digest")  # the settings differ
    assert dense == sparse


def test_a_column_that_shares_no_level_is_said_first_where_it_is_allowed(here, capsys):
    Path("lower.csv").write_text("smoking,health\nsmoking,Sick\n")
    arguments = ["audit", "original.csv", "lower.csv", *SMOKERS[3:]]
    out, err = said(capsys, 0, *arguments, "--allow-no-match")
    assert "Column 'smoking' has no level in common" in " ".join(out.partition("What was read")[0].split())
    assert err == ""


def test_levels_that_look_like_another_spelling_are_a_message_and_no_error(here, tmp_path, capsys):
    path = tmp_path / "spelt.csv"
    path.write_text("smoking,health\nsmoking ,Sick\nSmoking,Sick\n")
    for name in ("sweep", "records", "anonymity"):
        out, err = said(capsys, 0, name, "original.csv", str(path), *SMOKERS[3:])
        assert out.startswith("capstats ")
        assert "warning: Column 'smoking' of `original` and `synthetic` has 1 pair of levels that look like one level" in err
        assert ".py:" not in err  # where the warning was raised is of no use to the reader


@pytest.mark.parametrize("name", ["audit", "sweep", "records", "attack model"])
def test_a_column_that_shares_no_level_is_refused_by_every_command(name, here, tmp_path, capsys):
    path = tmp_path / "lower.csv"
    path.write_text("smoking,health\nsmoking,Sick\n")
    err = refused(capsys, *name.split(), "original.csv", str(path), *SMOKERS[3:])
    assert err.count("\n") == 1
    assert "Column 'smoking' has no level in common" in err
    assert "use --allow-no-match" in err


@pytest.mark.parametrize("name", ["sweep", "records", "anonymity", "attack model"])
def test_every_command_takes_the_examples_and_says_what_is_lacking(name, here, capsys):
    assert main([*name.split(), "--example", "titanic", *(["--estimator", "tree"] if "model" in name else [])]) == 0
    assert "Class, Sex, Age" in capsys.readouterr().out or name == "records"
    assert main([*name.split(), "--example", "titanic", "--keys", "Sex"]) == 2
    assert "--example brings its own data and columns; leave out keys." in capsys.readouterr().err
    assert main([*name.split(), "original.csv"]) == 2
    synthetic = "" if name == "anonymity" else "SYNTHETIC and "
    target = "--targets" if name == "sweep" else "--target"
    look = "To see which columns there are: capstats describe original.csv"
    assert capsys.readouterr().err == f"capstats {name}: give {synthetic}--keys and {target}, or --example. {look}\n"


def test_the_options_mean_the_same_in_every_command(here, capsys):
    """Average CAP of counts, of bins and of dropped records: in a sweep of the whole key, in the records, and in the audit."""
    Path("counted.csv").write_text("age,sick,n\n23,yes,2\n29,no,1\n?,no,3\n39,yes,1\n51,yes,4\n40,no,1\n")
    options = ["counted.csv", "counted.csv", "--allow-same", "--keys", "age", "--target", "sick", "--bin", "age=30|45"]
    options += ["--null-values", "?", "--missing", "drop", "--counts", "n"]
    cap = in_json(capsys, "audit", *options)["measures"]["average_cap_zero"]
    # aged to 30: yes 2, no 1; to 45: yes 1, no 1; above: yes 4; the record of unknown age is dropped
    assert cap == pytest.approx((2 * 2 / 3 + 1 / 3 + 1 / 2 + 1 / 2 + 4) / 9)
    (row,) = in_json(capsys, "sweep", *options)["subsets"]
    assert row["average_cap"] == pytest.approx(cap)
    rows = json.loads(printed(capsys, "records", *options, "--json"))["records"]
    assert sum(row["cap"] * int(row["n"]) for row in rows) / 9 == pytest.approx(cap)
    assert in_json(capsys, "anonymity", *(x for x in options if x != "--allow-same"))["models"]["k"] == {"original": 2, "synthetic": 2}


@pytest.mark.parametrize(
    ("command", "more"),
    [
        *((command, ["--keys", "x", "--target", "t"]) for command in ("audit", "sweep", "records", "anonymity")),
        ("attack membership", ["c.csv", "d.csv", "--columns", "x", "--figure", "roc.png"]),
        ("attack knowledge", ["--columns", "x,t"]),
        ("attack model", ["--keys", "x", "--target", "t", "--estimator", "bayes"]),
    ],
)
def test_fewer_bins_than_were_asked_for_are_one_line(command, more, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for i, name in enumerate("abcd"):
        rows = [f"{x},{'pq'[(x + n + i) % 2]}" for n, x in enumerate([1, 1, 1, 1, 2, 3, 4, 5, 6, 7 + i])]
        Path(f"{name}.csv").write_text("\n".join(["x,t", *rows]), encoding="utf-8")
    assert main([*command.split(), "a.csv", "b.csv", *more, "--bin", "x=quantile:10"]) == 0
    (told,) = [line for line in capsys.readouterr().err.splitlines() if "is cut into" in line]
    assert told.startswith(f"capstats {command}: warning: Column 'x' is cut into 7 bins, not 10 as --bins asks for")


def test_a_name_that_begins_with_a_tilde_is_no_traceback(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("~nobody-has-this-name.csv").write_text("k,t\na,x\na,y\n", encoding="utf-8")
    Path("s.csv").write_text("k,t\na,x\n", encoding="utf-8")
    arguments = ["audit", "./~nobody-has-this-name.csv", "s.csv", "--keys", "k", "--target", "t"]
    assert main(arguments) == 0
    assert "--spill-dir must be a folder" in refused(capsys, *arguments, "--spill-dir", "~nobody-has-this-name/x")


@pytest.mark.parametrize(
    ("original", "released", "told"),
    [
        ("synthetic", ["original"], True),
        ("syn_2024", ["people"], True),
        ("people", ["real-records"], True),
        ("people", ["v1_synth", "original"], True),
        ("original", ["synthetic"], False),
        ("people", ["release"], False),
        ("synthesis", ["realm"], False),  # parts of words
        ("synthetic_a", ["synthetic_b"], False),
        ("original_synthetic", ["people"], False),
    ],
)
def test_files_that_are_swapped_by_their_names_are_hinted_at(here, capsys, original, released, told):
    names = [f"{name}.csv" for name in (original, *released)]
    for i, name in enumerate(names):
        Path(name).write_text(f"smoking,health\nyes,ill\nno,well\nno,{['ill', 'well', 'dead'][i]}\n")
    hint = f"by their names, the original ({names[0]}) and the synthetic table ({' and '.join(names[1:])}) are swapped"
    for command in ("audit", "sweep"):
        assert said(capsys, 0, command, *names, "--keys", "smoking", "--target", "health", "--json").err.count(hint) == told  # once
