"""The command `capstats audit`: its files, its options, and one line for every mistake."""

import contextlib
import json
import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pandas as pd
import pytest
from command_line import SMOKERS, in_json, run
from PIL import Image

import capstats
from capstats import audit
from capstats.cli import main
from capstats.datasets import example

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


# --- capstats audit, on files


def test_audit_prints_what_the_library_prints(here, capsys):
    assert main(SMOKERS) == 0
    expected = audit("original.csv", "synthetic.csv", keys="smoking", target="health")
    assert capsys.readouterr() == (f"{expected}\n", "")


def test_audit_as_a_program_prints_the_same(here):
    done = run(*SMOKERS)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{audit('original.csv', 'synthetic.csv', keys='smoking', target='health')}\n"


def test_the_package_may_be_run_as_a_program(here, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["capstats", *SMOKERS])
    with pytest.raises(SystemExit) as stopped:
        runpy.run_module("capstats.cli", run_name="__main__")
    assert stopped.value.code == 0
    assert "average CAP" in capsys.readouterr().out


def test_the_installed_command_is_this_one():
    command = shutil.which("capstats", path=sysconfig.get_path("scripts"))
    assert command, "the package is installed without its command"
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, f"capstats {capstats.__version__}\n")


@pytest.mark.parametrize(
    "files", [("original.csv", "synthetic.csv"), ("original.parquet", "synthetic.parquet"), ("original.csv", "synthetic.parquet")]
)
def test_audit_reads_csv_and_parquet(here, capsys, files):
    found = in_json(capsys, "audit", *files, "--keys", "smoking", "--target", "health")
    assert found["measures"]["average_cap"] == pytest.approx((20 * 8 / 33 + 30 * 25 / 33 + 5 * 7 / 67 + 45 * 60 / 67) / 100)
    assert found["measures"]["baseline"] == 0.625
    assert found["provenance"]["original"] == files[0]
    assert found["provenance"]["synthetic"] == [files[1]]


def test_json_says_how_the_numbers_came_to_be(here, capsys):
    provenance = in_json(capsys, *SMOKERS)["provenance"]
    assert provenance["capstats"] == capstats.__version__
    assert provenance["keys"] == ["smoking"]
    assert provenance["target"] == ["health"]
    assert provenance["domain"] == {"kind": "original and synthetic", "targets": 2, "keys": 2}
    assert provenance["missing"] == "level"
    assert set(provenance["conventions"]) > {"average_cap", "average_cap_matched", "individual_cap", "predictive_success", "baseline"}


def test_several_synthetic_files_are_columns_named_after_them(here, capsys):
    found = in_json(capsys, "audit", "original.csv", "synthetic.csv", "smokers.csv", "--keys", "smoking", "--target", "health")
    assert list(found["measures"]["average_cap"]) == ["synthetic.csv", "smokers.csv"]
    assert found["measures"]["matched_share"] == {"synthetic.csv": 1, "smokers.csv": 0.5}


def test_a_holdout_file_is_compared_with_the_original(here, capsys):
    assert main([*SMOKERS, "--holdout", "smokers.csv"]) == 0
    expected = audit("original.csv", "synthetic.csv", keys="smoking", target="health", holdout="smokers.csv")
    assert capsys.readouterr() == (f"{expected}\n", "")
    found = in_json(capsys, *SMOKERS, "--holdout", "smokers.csv")
    assert found["provenance"]["holdout"] == "smokers.csv"
    cap = (20 * 8 / 33 + 30 * 25 / 33 + 5 * 7 / 67 + 45 * 60 / 67) / 100
    of_smokers = (8 * 8 + 25 * 25) / 33**2  # 8 sick ones with CAP 8/33, 25 healthy ones with 25/33
    assert found["measures"]["holdout_cap"] == pytest.approx(of_smokers)
    assert found["measures"]["individual_disclosure"] == pytest.approx(cap - of_smokers)


def test_without_a_holdout_nothing_is_said_of_one(here, capsys):
    assert "holdout" not in json.dumps(in_json(capsys, *SMOKERS))


def test_files_of_one_name_are_told_apart_by_their_folders(here, capsys):
    found = in_json(capsys, "audit", "original.csv", "synthetic.csv", "elsewhere/synthetic.csv", "--keys", "smoking", "--target", "health")
    assert list(found["measures"]["average_cap"]) == ["synthetic.csv", "elsewhere/synthetic.csv"]
    assert found["measures"]["average_cap"]["elsewhere/synthetic.csv"] == pytest.approx(0.67)


def test_several_keys_and_targets_may_be_given(here, capsys):
    found = in_json(
        capsys,
        "audit",
        "titanic.csv",
        "titanic.csv",
        "--keys",
        "Class,Sex",
        "--target",
        "Age",
        "--target",
        "Survived",
        "--counts",
        "count",
    )
    assert found["provenance"]["keys"] == ["Class", "Sex"]
    assert found["provenance"]["target"] == ["Age", "Survived"]
    assert found["measures"]["original_records"] == 2201


def test_a_key_with_a_comma_in_its_name_may_be_given(here, capsys):
    found = in_json(capsys, "audit", "commas.csv", "commas.csv", "--key", "smoking, now", "--target", "health=state")
    assert found["provenance"]["keys"] == ["smoking, now"]
    assert found["measures"]["average_cap"] == pytest.approx(0.67)


def test_keys_and_key_add_up(here, capsys):
    found = in_json(capsys, "audit", "titanic.csv", "titanic.csv", "--keys", "Class,Age", "--key", "Sex", "--target", "Survived")
    assert found["provenance"]["keys"] == ["Class", "Age", "Sex"]


# --- Types, weights, missing values


def test_types_make_numbers_of_text(here, capsys):
    """CSV knows only text: the column of numbers of a Parquet file has no partner in it, unless it is said."""
    pd.DataFrame({"age": [30, 40], "sick": ["yes", "no"]}).to_parquet("ages.parquet")
    Path("ages.csv").write_text("age,sick\n30,yes\n40,no\n")
    arguments = ["audit", "ages.parquet", "ages.csv", "--keys", "age", "--target", "sick"]
    assert main(arguments) == 2
    assert "none of them can match" in capsys.readouterr().err
    assert in_json(capsys, *arguments, "--types", "age=number")["measures"]["average_cap"] == 1


def test_types_list_the_levels_of_a_column(here, capsys):
    arguments = ["audit", "original.csv", "synthetic.csv", "--keys", "smoking", "--target", "health"]
    assert main([*arguments, "--types", "health=Sick|Healthy,smoking=text"]) == 0
    capsys.readouterr()
    assert main([*arguments, "--types", "health=Sick|Well"]) == 2
    assert "that is not among the levels that `types` lists: 'Sick', 'Well', such as 'Healthy'." in capsys.readouterr().err


def test_types_of_columns_and_levels_with_commas_and_equals_signs_may_be_given_one_by_one(here, capsys):
    arguments = ["audit", "commas.csv", "commas.csv", "--key", "smoking, now", "--target", "health=state"]
    levels = ["--type", "smoking, now=Smoking|Non-smoking", "--type", "health=state=text"]
    assert in_json(capsys, *arguments, *levels)["measures"]["baseline"] == 0.625
    assert in_json(capsys, *arguments, "--types", "health=state=text", *levels[:2])["measures"]["baseline"] == 0.625
    assert main([*arguments, "--types", "smoking, now=text"]) == 2
    assert "got 'smoking'. Give what has a comma in it to --type, by itself." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "points"), [("age=3", [32.33, 41.67]), ("age=quantile:2", [34.5]), ("age=30|40", [30, 40]), ("age=30|", [30])]
)
def test_a_column_of_numbers_is_cut(here, capsys, asked, points):
    Path("ages.csv").write_text("age,sick\n23,yes\n29,no\n30,no\n39,yes\n51,yes\n40,no\n")
    arguments = ["audit", "ages.csv", "ages.csv", "--keys", "age", "--target", "sick", "--bin", asked]
    found = in_json(capsys, *arguments)
    assert found["provenance"]["bins"]["age"] == pytest.approx(points, abs=0.01)
    assert found["measures"]["keys"] == len(points) + 1
    assert main(arguments) == 0
    assert "age (cut at " in capsys.readouterr().out


@pytest.mark.parametrize("asked", ["age", "=3", "age=wide", "age=width:3", "age=quantile:x"])
def test_a_column_is_cut_in_a_way_that_is_known(here, capsys, asked):
    assert main(["audit", "original.csv", "synthetic.csv", "--keys", "smoking", "--target", "health", "--bin", asked]) == 2
    assert f"--bin must {'be COLUMN=BINS' if asked in ('age', '=3') else 'say a number of bins'}" in capsys.readouterr().err


def test_counts_are_records(here, capsys):
    arguments = ["audit", "titanic.csv", "titanic.csv", "--keys", "Class,Sex,Age", "--target", "Survived"]
    found = in_json(capsys, *arguments, "--counts", "count")
    assert found["measures"]["original_records"] == found["measures"]["synthetic_records"] == 2201
    assert found["provenance"]["counts"] == {"original": "count", "synthetic": "count"}
    assert in_json(capsys, *arguments)["measures"]["original_records"] == 32


def test_counts_may_differ_for_the_two_tables_or_be_for_one_alone(here, capsys):
    arguments = ["audit", "titanic.csv", "titanic.csv", "--keys", "Class,Sex,Age", "--target", "Survived"]
    found = in_json(capsys, *arguments, "--counts", "count,half")
    assert found["measures"]["original_records"] == 2201
    assert found["measures"]["synthetic_records"] == 2201 / 2 + 8
    found = in_json(capsys, *arguments, "--counts", ",count")
    assert (found["measures"]["original_records"], found["measures"]["synthetic_records"]) == (32, 2201)
    found = in_json(capsys, *arguments, "--counts", "half,")
    assert "individual_cap_median" not in found["measures"]
    assert found["measures"]["synthetic_records"] == 32


def test_weights_weigh_records_whose_number_stays(here, capsys):
    arguments = ["audit", "titanic.csv", "titanic.csv", "--keys", "Class,Sex,Age", "--target", "Survived"]
    weighted, plain, counted = (
        in_json(capsys, *arguments, *more)["measures"] for more in (["--weights", "half"], [], ["--counts", "half"])
    )
    assert (weighted["original_records"], weighted["original_weight"]) == (32, 2201 / 2 + 8)
    assert weighted["average_cap"] == pytest.approx(counted["average_cap"], rel=1e-12)
    assert weighted["average_cap"] != plain["average_cap"]
    assert weighted["unmatched_records"] == plain["unmatched_records"]


def test_weights_of_a_holdout_may_be_given_or_are_those_of_the_original(here, capsys):
    arguments = ["audit", "titanic.csv", "titanic.csv", "--holdout", "titanic.csv", "--keys", "Class", "--target", "Survived"]
    told = {"original": "count", "synthetic": "half"}
    found = in_json(capsys, *arguments, "--weights", "count,half")
    assert found["provenance"]["weights"] == told | {"holdout": "count"}
    assert found["measures"]["individual_disclosure"] == 0
    found = in_json(capsys, *arguments, "--weights", "count,half,")
    assert found["provenance"]["weights"] == told
    found = in_json(capsys, *arguments, "--weights", "count,half,half")
    assert found["measures"]["individual_disclosure_error"] > 0
    assert "individual_cap_median" in found["measures"]


def test_missing_values_are_a_level_or_dropped_and_told(here, capsys):
    arguments = ["audit", "gaps.csv", "gaps.csv", "--keys", "age", "--target", "sick"]
    found = in_json(capsys, *arguments)
    assert (found["measures"]["original_records"], found["measures"]["keys"]) == (5, 4)
    found = in_json(capsys, *arguments, "--missing", "drop")
    assert found["measures"]["original_records"] == 4
    assert found["provenance"]["dropped"] == {"original": 1, "synthetic": 1}


def test_null_values_are_the_texts_that_mean_missing(here, capsys):
    """In place of an empty field, which is a text like any other then unless it is named."""
    arguments = ["audit", "gaps.csv", "gaps.csv", "--keys", "age", "--target", "sick", "--missing", "drop"]
    found = in_json(capsys, *arguments, "--null-values", "?", "--null-values", "-")
    assert found["provenance"]["dropped"]["original"] == 2
    found = in_json(capsys, *arguments, "--null-values", "?", "--null-values", "-", "--null-values", "")
    assert found["provenance"]["dropped"]["original"] == 3


def test_a_memory_limit_changes_no_number(here, capsys):
    assert in_json(capsys, *SMOKERS, "--memory-limit", "200MB")["measures"] == in_json(capsys, *SMOKERS)["measures"]


# --- Figures and examples


@pytest.mark.parametrize("ending", ["png", "pdf", "svg", "PNG"])
def test_figure_is_saved_and_says_how_it_came_to_be(here, tmp_path, capsys, ending):
    file = tmp_path / f"risk.{ending}"
    found = in_json(capsys, *SMOKERS, "--figure", str(file))
    content = file.read_bytes()
    if ending.lower() == "png":
        with Image.open(file) as picture:
            assert picture.info["Software"] == f"capstats {capstats.__version__}"
            told = json.loads(picture.info["Description"])
            assert (told["measures"], told["by_target"]) == (found["measures"], found["by_target"])
            assert set(found["provenance"]) - set(told["provenance"]) == {"original", "synthetic", "files", "settings"}
    else:
        assert content.startswith(b"%PDF" if ending == "pdf" else b"<?xml")
        assert f"capstats {capstats.__version__}".encode() in content
        assert b"version 1: records whose key is not in the synthetic data count 0" in content
        assert b"original.csv" not in content


def test_the_legend_of_the_figure_hides_no_box(here, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, *args, **kwargs: drawn.append(figure))
    assert main([*SMOKERS, "--figure", str(tmp_path / "risk.png")]) == 0
    (figure,) = drawn
    figure.draw_without_rendering()
    (legend,) = figure.legends
    lines = ["average CAP", "average CAP of the original", "baseline: guess without a key"]
    assert [text.get_text() for text in legend.get_texts()] == [*lines, "outlier: 1 record"]
    assert legend.get_window_extent().y0 >= figure.axes[0].get_window_extent().y1


def test_figure_of_several_tables_is_saved(here, tmp_path, capsys):
    file = tmp_path / "risk.png"
    assert (
        main(["audit", "original.csv", "synthetic.csv", "smokers.csv", "--keys", "smoking", "--target", "health", "--figure", str(file)])
        == 0
    )
    with Image.open(file) as picture:
        assert picture.width > 600
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["titanic", "anes96"])
def test_example_is_the_audit_of_the_bundled_data(name, capsys):
    assert main(["audit", "--example", name]) == 0
    assert capsys.readouterr().out == f"{audit(**example(name, seed=0))}\n"


@pytest.mark.parametrize("name", ["titanic", "anes96"])
def test_example_is_seeded_and_says_its_seed(name, capsys):
    first, again, other, default = (
        in_json(capsys, "audit", "--example", name, *given) for given in (["--seed", "5"], ["--seed", "5"], ["--seed", "6"], [])
    )
    assert first == again
    assert first["measures"] != other["measures"]
    assert (first["provenance"]["seed"], default["provenance"]["seed"]) == (5, 0)
    assert first["provenance"]["example"].startswith(name)


def test_help_and_version_go_to_standard_output(capsys):
    for arguments, expected in (
        (["--version"], f"capstats {capstats.__version__}\n"),
        (["--help"], "usage: capstats"),
        (["audit", "--help"], "usage:"),
    ):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 0
        out, err = capsys.readouterr()
        assert out.startswith(expected)
        assert err == ""


# --- Mistakes: one line on standard error, nothing on standard output, status 2

FILES = ["audit", "original.csv", "synthetic.csv"]
MISTAKES = {
    "no command": ([], "capstats: the following arguments are required: COMMAND"),
    "unknown command": (["nonsense"], "invalid choice: 'nonsense'"),
    "unknown option": ([*SMOKERS, "--colour", "red"], "unrecognized arguments: --colour red"),
    "option with a line break": ([*SMOKERS, "--colour\nred"], "unrecognized arguments: --colour red"),
    "paper without a folder": (["paper"], "capstats paper: the following arguments are required: --out"),
    "paper into a file": (["paper", "--out", "original.csv"], "original.csv"),
    "paper below a file": (["paper", "--out", "original.csv/folder"], "original.csv"),
    "seed that is no number": (["paper", "--out", "p", "--seed", "x"], "argument --seed: must be a whole number, 0 or more; got 'x'"),
    "negative seed": (["audit", "--example", "titanic", "--seed", "-1"], "argument --seed: must be a whole number, 0 or more; got '-1'"),
    "no files": (["audit"], "give ORIGINAL and SYNTHETIC and --keys and --target, or --example."),
    "no synthetic file": (["audit", "original.csv", "--keys", "smoking", "--target", "health"], "give SYNTHETIC, or --example."),
    "no keys": ([*FILES, "--target", "health"], "give --keys, or --example."),
    "keys that are none": ([*FILES, "--keys", ",", "--target", "health"], "give --keys, or --example."),
    "no target": ([*FILES, "--keys", "smoking"], "give --target, or --example."),
    "seed with files": ([*SMOKERS, "--seed", "1"], "--seed is for --example; nothing is random with files."),
    "one file twice": (["audit", "original.csv", "synthetic.csv", "synthetic.csv", *SMOKERS[3:]], "'synthetic.csv' is given twice"),
    "no such file": (["audit", "original.csv", "nobody.csv", *SMOKERS[3:]], "`synthetic`: no file matches 'nobody.csv'"),
    "folder": (["audit", "original.csv", "elsewhere", *SMOKERS[3:]], "`synthetic` is the folder 'elsewhere'. Give its files as a glob"),
    "unknown ending": (["audit", "original.csv", "text.docx", *SMOKERS[3:]], "files are read by their ending"),
    "empty file": (["audit", "original.csv", "empty.csv", *SMOKERS[3:]], "`synthetic` (empty.csv) cannot be read: it has no header row"),
    "header alone": (["audit", "original.csv", "header.csv", *SMOKERS[3:]], "`synthetic` is empty: it has no record"),
    "broken Parquet": (["audit", "original.csv", "broken.parquet", *SMOKERS[3:]], "`synthetic` (broken.parquet) cannot be read"),
    "ragged CSV": (
        ["audit", "original.csv", "ragged.csv", *SMOKERS[3:]],
        "`synthetic` (ragged.csv) cannot be read: line 3: the record has 1 field",
    ),
    "unknown key": ([*FILES, "--keys", "smokin", "--target", "health"], "Did you mean 'smoking'?"),
    "unknown target": ([*FILES, "--keys", "smoking", "--target", "wealth"], "Did you mean 'health'?"),
    "key and target at once": ([*FILES, "--keys", "smoking,health", "--target", "health"], "both a key and the target"),
    "key named twice": ([*FILES, "--keys", "smoking,smoking", "--target", "health"], "'smoking' is named twice"),
    "unknown type": ([*SMOKERS, "--types", "smoking=integer"], "must be one of 'number', 'text'"),
    "types without a type": ([*SMOKERS, "--types", "smoking"], "--types must be COLUMN=TYPE, several separated by commas; got 'smoking'."),
    "type of no column": ([*SMOKERS, "--types", "=number"], "--types must be COLUMN=TYPE"),
    "type of another column": ([*SMOKERS, "--types", "age=number"], "neither a key nor the target"),
    "value that does not parse": ([*SMOKERS, "--types", "health=number"], "that are not a number, such as 'Healthy'"),
    "no weights": (
        [*SMOKERS, "--weights", ","],
        "--weights must be one column, or two or three (for a holdout) separated by commas; got ','.",
    ),
    "three weights": (
        [*SMOKERS, "--weights", "a,b,c"],
        "--weights has a column for a holdout, but there is none. Give --holdout, or two columns.",
    ),
    "three counts": ([*SMOKERS, "--counts", "a,b,c"], "--counts has a column for a holdout, but there is none."),
    "four weights with a holdout": (
        [*SMOKERS, "--holdout", "smokers.csv", "--weights", "a,b,c,d"],
        "--weights must be one column, or two or three (for a holdout) separated by commas; got 'a,b,c,d'.",
    ),
    "no such holdout": ([*SMOKERS, "--holdout", "nobody.csv"], "`holdout`: no file matches 'nobody.csv'"),
    "holdout of other columns": ([*SMOKERS, "--holdout", "gaps.csv"], "'smoking' is not in `holdout`"),
    "holdout without a name": ([*SMOKERS, "--holdout", ""], "`holdout`"),
    "example and holdout": (["audit", "--example", "titanic", "--holdout", "titanic.csv"], "leave out holdout."),
    "unknown weights": ([*SMOKERS, "--weights", "w"], "'w' is not in `original`"),
    "weights that are no numbers": ([*SMOKERS, "--weights", "health"], "Weights and counts must be numbers"),
    "unknown policy": ([*SMOKERS, "--missing", "ignore"], "argument --missing: invalid choice: 'ignore'"),
    "memory limit that is none": ([*SMOKERS, "--memory-limit", "much"], "much"),
    "figure of another kind": ([*SMOKERS, "--figure", "risk.jpg"], "--figure must end in .png, .pdf or .svg; got 'risk.jpg'."),
    "figure without a name": ([*SMOKERS, "--figure", ""], "--figure must end in .png, .pdf or .svg; got ''."),
    "figure into no folder": ([*SMOKERS, "--figure", "nowhere/risk.png"], "nowhere/risk.png"),
    "figure that is a folder": (
        [*SMOKERS, "--figure", "folder.png"],
        "--figure: 'folder.png' is a folder. Give the path of a file.",
    ),
    "limit of no measure": (
        [*SMOKERS, "--fail-above", "risk=0.5"],
        "'risk' is no measure. The measures are original_records, original_weight",
    ),
    "limit without a value": (
        [*SMOKERS, "--fail-above", "average_cap"],
        "--fail-above must be MEASURE=VALUE with a number as its value; got 'average_cap'",
    ),
    "limit that is no number": ([*SMOKERS, "--fail-above", "average_cap=high"], "MEASURE=VALUE with a number as its value"),
    "limit that is not finite": ([*SMOKERS, "--fail-above", "average_cap=nan"], "MEASURE=VALUE with a number as its value"),
    "limit of a holdout that is not given": ([*SMOKERS, "--fail-above", "holdout_cap=0.5"], "holdout_cap needs --holdout."),
    "example and encoding": (["audit", "--example", "titanic", "--encoding", "cp1252"], "leave out encoding."),
    "example and decimal": (["audit", "--example", "titanic", "--decimal", ",", "--backing", "dense"], "leave out decimal, backing."),
    "unknown example": (["audit", "--example", "iris"], "argument --example: invalid choice: 'iris'"),
    "example and files": (
        ["audit", "--example", "titanic", "original.csv"],
        "--example brings its own data and columns; leave out original.",
    ),
    "example and keys": (["audit", "--example", "titanic", "--keys", "Sex", "--missing", "drop"], "leave out keys, missing."),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_is_one_line_on_standard_error(case, here, capsys):
    arguments, message = MISTAKES[case]
    try:
        status = main(arguments)
    except SystemExit as stopped:
        status = stopped.code
    out, err = capsys.readouterr()
    assert status == 2
    assert out == ""
    assert err.startswith("capstats")
    assert err.endswith("\n")
    assert err.count("\n") == 1
    assert message in err
    assert not Path("risk.png").exists()


@pytest.mark.parametrize("case", ["unknown key", "no such file", "unknown command"])
def test_a_mistake_ends_the_program_with_status_2_and_no_traceback(case, here):
    arguments, message = MISTAKES[case]
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_mistake_in_the_library_shows_its_traceback(here, monkeypatch):
    """Only what wrong input raises becomes one line; the rest must not be hidden."""

    def broken(*args, **kwargs):
        raise ZeroDivisionError

    monkeypatch.setattr("capstats.cli.audit.audit", broken)
    with pytest.raises(ZeroDivisionError):
        main(SMOKERS)


def test_a_reader_who_has_had_enough_is_no_error(here):
    command = f'"{sys.executable}" -m capstats.cli audit --example titanic | true'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.stderr == ""


def test_the_same_column_typed_twice_is_refused(here, capsys):
    assert main(["audit", "a.csv", "b.csv", "--keys", "x", "--target", "y", "--types", "x=number", "--type", "x=text"]) == 2
    assert "the type of column 'x' is given twice" in capsys.readouterr().err


def test_a_folder_in_place_of_a_file_is_told_by_its_name(here, capsys, tmp_path):
    folder = tmp_path / "d.csv"
    folder.mkdir()
    assert main(["audit", str(folder), str(folder) + "/", "--keys", "x", "--target", "y"]) == 2
    assert "d.csv" in capsys.readouterr().err


# --- Names separated by commas


def test_spaces_around_commas_are_not_part_of_names(here, capsys):
    found = in_json(capsys, "audit", "titanic.csv", "titanic.csv", "--keys", "Class, Sex ,Age", "--target", "Survived")
    assert found["provenance"]["keys"] == ["Class", "Sex", "Age"]


def test_targets_are_split_at_commas_as_keys_are(here, capsys):
    found = in_json(capsys, "audit", "titanic.csv", "titanic.csv", "--keys", "Class", "--target", "Age, Survived")
    assert found["provenance"]["target"] == ["Age", "Survived"]


def test_a_target_with_a_comma_in_its_name_may_be_given(here, capsys):
    found = in_json(capsys, "audit", "commas.csv", "commas.csv", "--keys", "health=state", "--target-column", "smoking, now")
    assert found["provenance"]["target"] == ["smoking, now"]


def test_spaces_around_the_commas_of_types_are_not_part_of_them(here, capsys):
    arguments = ["audit", "gaps.csv", "gaps.csv", "--keys", "age", "--target", "sick", "--null-values", "?"]
    assert main([*arguments, "--null-values", "", "--types", "age=number, sick=text"]) == 0
    assert "age (number, 2 levels and missing)" in capsys.readouterr().out


# --- What the command understood


def test_a_glob_that_the_shell_expands_shows_which_file_was_taken_for_what(here, capsys):
    assert main(["audit", "original.csv", "smokers.csv", "synthetic.csv", *SMOKERS[3:]]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[3:6] == ["original original.csv, 100 records", "synthetic smokers.csv, 33 records", "synthetic.csv, 100 records"]


def test_a_quoted_glob_is_told_to_be_pooled(here, capsys):
    assert main(["audit", "original.csv", "s*.csv", *SMOKERS[3:]]) == 0
    expected = "synthetic s*.csv: 2 files pooled as one table (smokers.csv, synthetic.csv), 133 records"
    assert expected in " ".join(capsys.readouterr().out.split())


# --- Limits


def test_a_measure_above_its_limit_gives_exit_status_1_and_one_line(here, capsys):
    assert (
        main([*SMOKERS, "--fail-above", "average_cap=0.5", "--fail-above", "records_certain=0", "--fail-above", "share_above_half=0.7"])
        == 1
    )
    out, err = capsys.readouterr()
    assert out.startswith("capstats ")
    cap = (20 * 8 / 33 + 30 * 25 / 33 + 5 * 7 / 67 + 45 * 60 / 67) / 100
    assert err == f"capstats audit: --fail-above: average_cap is {cap:.10g} (limit 0.5); share_above_half is 0.75 (limit 0.7).\n"


def test_a_measure_at_its_limit_is_not_above_it(here, capsys):
    assert main([*SMOKERS, "--fail-above", "share_above_half=0.75", "--fail-above", "original_cap=0.67"]) == 0
    assert capsys.readouterr().err == ""


def test_one_synthetic_table_above_the_limit_is_enough_and_is_named(here, capsys):
    files = ["audit", "original.csv", "synthetic.csv", "smokers.csv", *SMOKERS[3:], "--json"]
    assert main([*files, "--fail-above", "unmatched_records=10"]) == 1
    assert capsys.readouterr().err == "capstats audit: --fail-above: unmatched_records of 'smokers.csv' is 50 (limit 10).\n"


def test_a_measure_that_is_undefined_does_not_pass(here, capsys):
    """One record of a holdout has no standard error."""
    Path("one.csv").write_text("smoking,health\nSmoking,Sick\n")
    assert main([*SMOKERS, "--holdout", "one.csv", "--fail-above", "individual_disclosure_error=0.5"]) == 1
    assert "individual_disclosure_error is undefined (limit 0.5)" in capsys.readouterr().err


def test_limits_hold_for_the_example_too(capsys):
    assert main(["audit", "--example", "titanic", "--fail-above", "average_cap=0.1"]) == 1
    assert "average_cap is 0.66" in capsys.readouterr().err


# --- Encodings, backing, help


def test_backing_may_be_chosen(here, capsys):
    dense, sparse = (in_json(capsys, *SMOKERS, "--backing", backing) for backing in ("dense", "sparse"))
    assert [found["provenance"]["settings"].pop("backing") for found in (dense, sparse)] == ["dense", "sparse"]
    assert dense == sparse


@pytest.mark.parametrize("command", [[], ["audit"], ["paper"]])
def test_help_says_what_each_exit_status_means(command, capsys):
    with pytest.raises(SystemExit):
        main([*command, "--help"])
    assert "Exit status: 0 success; 1 a measure is above its --fail-above" in " ".join(capsys.readouterr().out.split())


# --- Figures that cannot be written


def test_a_figure_that_cannot_be_written_is_found_before_anything_is_counted(here, capsys):
    assert main(["audit", "nobody.csv", "synthetic.csv", *SMOKERS[3:], "--figure", "nowhere/risk.png"]) == 2
    assert capsys.readouterr().err == "capstats audit: --figure cannot be written to 'nowhere/risk.png': No such file or directory.\n"


LIMITED = """
import resource, sys
import matplotlib.pyplot
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
from capstats.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_full_disk_leaves_the_old_figure_and_the_report_is_printed(here, tmp_path):
    """No file may grow beyond 1,000 bytes, as if the disk were full."""
    file = tmp_path / "risk.png"
    file.write_text("the old one")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, *SMOKERS, "--figure", str(file)], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 2
    assert done.stderr == f"capstats audit: --figure cannot be written to {str(file)!r}: File too large.\n"
    assert done.stdout == f"{audit('original.csv', 'synthetic.csv', keys='smoking', target='health')}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["risk.png"]
    assert file.read_text() == "the old one"


def test_a_mistake_leaves_no_figure_behind(here, tmp_path, capsys):
    assert main(["audit", "original.csv", "nobody.csv", *SMOKERS[3:], "--figure", str(tmp_path / "risk.png")]) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_figure_that_fractional_counts_do_not_have_costs_no_report(here, tmp_path, capsys):
    file = tmp_path / "risk.png"
    arguments = ["audit", "titanic.csv", "titanic.csv", "--keys", "Class", "--target", "Survived", "--counts", "half"]
    assert main([*arguments, "--figure", str(file)]) == 2
    out, err = capsys.readouterr()
    assert out.startswith("capstats ")
    assert "--figure: it draws quartiles, which fractional --counts do not have" in err
    assert not file.exists()


# --- Standard output that is closed or full, and characters that it would obey


def test_a_closed_standard_output_is_one_line_on_standard_error(here):
    command = f'"{sys.executable}" -m capstats.cli {" ".join(SMOKERS)} >&-'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "capstats audit: standard output is closed.\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_a_full_standard_output_is_one_line_on_standard_error(here):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "capstats.cli", *SMOKERS], stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=120
        )
    assert done.returncode == 2
    assert done.stderr == "capstats audit: standard output cannot be written: No space left on device.\n"


def test_a_reader_who_has_had_enough_changes_no_exit_status(here):
    command = f'"{sys.executable}" -m capstats.cli {" ".join(SMOKERS)} --fail-above average_cap=0.1 | true; echo ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout == "1\n"


def test_what_the_terminals_encoding_lacks_is_escaped(here, tmp_path):
    Path("umlaut.csv").write_text("Größe,t\nä,x\n", encoding="utf-8")
    arguments = ["audit", "umlaut.csv", "umlaut.csv", "--keys", "Größe", "--target", "t"]
    done = subprocess.run(
        [sys.executable, "-m", "capstats.cli", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert r"Gr\xf6\xdfe" in done.stdout


def test_no_file_or_column_name_reaches_the_terminal_raw(here, tmp_path, capsys):
    file = tmp_path / "a\x1b[31m\n\u202eb.csv"
    file.write_text("k\x1b]0;title\x07,t\n1,x\n", encoding="utf-8")
    for arguments in (
        [str(file), str(file), "--keys", "k\x1b]0;title\x07", "--target", "t"],
        [str(file), str(file), "--keys", "k\x1b]0;title\x07", "--target", "t", "--json"],
        [str(file), str(file), "--keys", "other\x1b[31m", "--target", "t"],
        [str(file), str(file) + "\x1b[2J", "--keys", "k", "--target", "t"],
        [str(file), str(file), "--fail-above", "\x1b[2J=1"],
        ["--example", "\x1b[2J"],
    ):
        with contextlib.suppress(SystemExit):
            main(["audit", *arguments])
        out, err = capsys.readouterr()
        assert all(line.isprintable() for line in [*out.splitlines(), *err.splitlines()])
        assert "\\x1b" in out + err or "\\u001b" in out


# --- Levels that do not meet


def test_a_column_that_shares_no_level_is_refused_unless_allowed(here, capsys):
    Path("lower.csv").write_text("smoking,health\nsmoking,Sick\n")
    arguments = ["audit", "original.csv", "lower.csv", *SMOKERS[3:]]
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "Column 'smoking' has no level in common" in err
    assert "(--allow-no-match)" in err
    assert main([*arguments, "--allow-no-match"]) == 0
    out, err = capsys.readouterr()
    assert "Column 'smoking' has no level in common" in " ".join(out.partition("What was read")[0].split())
    assert err == ""


@pytest.mark.parametrize("error", [MemoryError(), MemoryError("Unable to allocate 8 TiB")])
def test_exhausted_memory_is_told_with_what_to_do(here, monkeypatch, capsys, error):
    def exhausted(*args, **kwargs):
        raise error

    monkeypatch.setattr("capstats.cli.audit.audit", exhausted)
    assert main(SMOKERS) == 2
    assert capsys.readouterr().err == (
        f"capstats audit: memory is exhausted ({str(error) or 'MemoryError'}). Give fewer key columns, cut columns with --bin, or say "
        "--backing sparse.\n"
    )


def test_the_command_leaves_the_handlers_of_signals_as_they_were(here, capsys):
    import signal

    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    assert main(SMOKERS) == 0
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == before
