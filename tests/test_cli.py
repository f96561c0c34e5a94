"""The command line: in this process and as a program, its files, and one line for every mistake."""

import json
import runpy
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image

import capstats
from capstats import audit, expand
from capstats.cli import main
from capstats.datasets import example, smoking, titanic
from capstats.paper import SEED, Value

PAPER_FILES = ["values.csv", "tables.csv", "figure-1.png", "figure-1.pdf", "figure-2.png", "figure-2.pdf", "tables.png", "tables.pdf"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Records of the smokers and of the Titanic, in several files."""
    folder = tmp_path_factory.mktemp("files")
    tables = smoking()
    original, synthetic = (expand(table).astype(str) for table in (tables.o, tables.s))
    for name, frame in {"original": original, "synthetic": synthetic}.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
        frame.to_parquet(folder / f"{name}.parquet", index=False)
    synthetic[synthetic.smoking == "Smoking"].to_csv(folder / "smokers.csv", index=False)
    (folder / "elsewhere").mkdir()
    original.to_csv(folder / "elsewhere" / "synthetic.csv", index=False)
    renamed = {"smoking": "smoking, now", "health": "health=state"}
    original.rename(columns=renamed).to_csv(folder / "commas.csv", index=False)
    frame = titanic()
    frame["half"] = frame["count"] / 2 + 0.25
    frame.to_csv(folder / "titanic.csv", index=False)
    (folder / "gaps.csv").write_text("age,sick\n30,yes\n?,no\n,no\n40,-\n30,no\n")
    (folder / "header.csv").write_text("smoking,health\n")
    (folder / "empty.csv").write_text("")
    (folder / "broken.parquet").write_bytes(b"this is no Parquet file, whatever its name says")
    (folder / "text.docx").write_text("smoking,health\n")
    (folder / "ragged.csv").write_text("smoking,health\nSmoking,Sick\nSmoking\n")
    return folder


@pytest.fixture
def here(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return folder


def run(*arguments):
    """The command as a program of its own."""
    return subprocess.run([sys.executable, "-m", "capstats.cli", *arguments], capture_output=True, text=True, check=False, timeout=120)


SMOKERS = ["audit", "original.csv", "synthetic.csv", "--keys", "smoking", "--target", "health"]


def measures(capsys, *arguments):
    """What `--json` printed, for a command that succeeds and says nothing else."""
    assert main([*arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


# --- capstats paper


def test_paper_writes_every_file_and_reports_that_every_value_agrees(tmp_path):
    done = run("paper", "--out", str(tmp_path / "paper"))
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(file.name for file in (tmp_path / "paper").iterdir()) == sorted(PAPER_FILES)
    lines = done.stdout.splitlines()
    assert lines[-1] == "14 of 14 printed values agree."
    assert sum(line.endswith("yes") for line in lines) == 14
    assert not any(line.endswith("NO") for line in lines)
    assert "Errata of the text:" in lines
    assert all(name in done.stdout for name in PAPER_FILES)


def test_paper_exits_with_1_where_a_printed_value_does_not_agree(tmp_path, monkeypatch, capsys):
    def with_one_wrong(out, *, seed):
        values, shares, files = real(out, seed=seed)
        return [*values, Value("4", "made up", "0.5", 0.6)], shares, files

    real = capstats.paper.reproduce
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *args, **kwargs: None)
    monkeypatch.setattr("capstats.paper.reproduce", with_one_wrong)
    assert main(["paper", "--out", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[-1] == "14 of 15 printed values agree."
    assert [line.split()[-1] for line in out.splitlines() if "made up" in line] == ["NO"]


def test_paper_exits_with_1_where_a_table_is_wrong(tmp_path, monkeypatch, capsys):
    """A misprint in S_e: 69 in place of 169. The mode of the key stays, and with it the 272; the average CAP does not."""
    synthetics = capstats.datasets.paper_synthetics()
    assert synthetics.sel(synthetic="e").values[2, 0] == 169
    synthetics.loc[{"synthetic": "e"}].values[2, 0] = 69
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda *args, **kwargs: None)
    monkeypatch.setattr("capstats.paper.paper_synthetics", lambda: synthetics)
    assert main(["paper", "--out", str(tmp_path)]) == 1
    wrong = [line for line in capsys.readouterr().out.splitlines() if line.endswith("NO")]
    assert len(wrong) == 1
    assert "average CAP of O_4 with S_e" in wrong[0]


@pytest.mark.parametrize(("given", "seed"), [([], SEED), (["--seed", "3"], 3), (["--seed", "0"], 0)])
def test_paper_passes_its_seed_on(given, seed, tmp_path, monkeypatch, capsys):
    asked = []

    def stop(out, *, seed):
        asked.append((out, seed))
        raise ValueError("far enough")

    monkeypatch.setattr("capstats.paper.reproduce", stop)
    assert main(["paper", "--out", str(tmp_path), *given]) == 2
    assert asked == [(str(tmp_path), seed)]
    assert capsys.readouterr().err == "capstats paper: far enough\n"


# --- capstats audit, on files


def test_audit_prints_what_the_library_prints(here, capsys):
    assert main(SMOKERS) == 0
    expected = audit("original.csv", "synthetic.csv", keys="smoking", target="health")
    assert capsys.readouterr() == (f"{expected}\n", "")


def test_audit_as_a_program_prints_the_same(here):
    done = run(*SMOKERS)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{audit('original.csv', 'synthetic.csv', keys='smoking', target='health')}\n"


def test_the_file_may_be_run_as_a_program(here, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["capstats", *SMOKERS])
    with pytest.raises(SystemExit) as stopped:
        runpy.run_path(capstats.cli.__file__, run_name="__main__")
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
    found = measures(capsys, "audit", *files, "--keys", "smoking", "--target", "health")
    assert found["measures"]["average_cap"] == pytest.approx((20 * 8 / 33 + 30 * 25 / 33 + 5 * 7 / 67 + 45 * 60 / 67) / 100)
    assert found["measures"]["baseline"] == 0.625
    assert found["provenance"]["original"] == files[0]
    assert found["provenance"]["synthetic"] == [files[1]]


def test_json_says_how_the_numbers_came_to_be(here, capsys):
    provenance = measures(capsys, *SMOKERS)["provenance"]
    assert provenance["capstats"] == capstats.__version__
    assert provenance["keys"] == ["smoking"]
    assert provenance["target"] == ["health"]
    assert provenance["domain"] == {"kind": "observed", "targets": 2, "keys": 2}
    assert provenance["missing"] == "level"
    assert set(provenance["conventions"]) == {"average_cap", "average_cap_matched", "individual_cap", "predictive_success", "baseline"}


def test_several_synthetic_files_are_columns_named_after_them(here, capsys):
    found = measures(capsys, "audit", "original.csv", "synthetic.csv", "smokers.csv", "--keys", "smoking", "--target", "health")
    assert list(found["measures"]["average_cap"]) == ["synthetic.csv", "smokers.csv"]
    assert found["measures"]["matched_share"] == {"synthetic.csv": 1, "smokers.csv": 0.5}


def test_a_holdout_file_is_compared_with_the_original(here, capsys):
    assert main([*SMOKERS, "--holdout", "smokers.csv"]) == 0
    expected = audit("original.csv", "synthetic.csv", keys="smoking", target="health", holdout="smokers.csv")
    assert capsys.readouterr() == (f"{expected}\n", "")
    found = measures(capsys, *SMOKERS, "--holdout", "smokers.csv")
    assert found["provenance"]["holdout"] == "smokers.csv"
    cap = (20 * 8 / 33 + 30 * 25 / 33 + 5 * 7 / 67 + 45 * 60 / 67) / 100
    of_smokers = (8 * 8 + 25 * 25) / 33**2  # 8 sick ones with CAP 8/33, 25 healthy ones with 25/33
    assert found["measures"]["holdout_cap"] == pytest.approx(of_smokers)
    assert found["measures"]["individual_disclosure"] == pytest.approx(cap - of_smokers)


def test_without_a_holdout_nothing_is_said_of_one(here, capsys):
    assert "holdout" not in json.dumps(measures(capsys, *SMOKERS))


def test_files_of_one_name_are_told_apart_by_their_folders(here, capsys):
    found = measures(capsys, "audit", "original.csv", "synthetic.csv", "elsewhere/synthetic.csv", "--keys", "smoking", "--target", "health")
    assert list(found["measures"]["average_cap"]) == ["synthetic.csv", "elsewhere/synthetic.csv"]
    assert found["measures"]["average_cap"]["elsewhere/synthetic.csv"] == pytest.approx(0.67)


def test_several_keys_and_targets_may_be_given(here, capsys):
    found = measures(
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
        "--weights",
        "count",
    )
    assert found["provenance"]["keys"] == ["Class", "Sex"]
    assert found["provenance"]["target"] == ["Age", "Survived"]
    assert found["measures"]["original_records"] == 2201


def test_a_key_with_a_comma_in_its_name_may_be_given(here, capsys):
    found = measures(capsys, "audit", "commas.csv", "commas.csv", "--key", "smoking, now", "--target", "health=state")
    assert found["provenance"]["keys"] == ["smoking, now"]
    assert found["measures"]["average_cap"] == pytest.approx(0.67)


def test_keys_and_key_add_up(here, capsys):
    found = measures(capsys, "audit", "titanic.csv", "titanic.csv", "--keys", "Class,Age", "--key", "Sex", "--target", "Survived")
    assert found["provenance"]["keys"] == ["Class", "Age", "Sex"]


# --- Types, weights, missing values


def test_types_make_numbers_of_text(here, capsys):
    """CSV knows only text: the column of numbers of a Parquet file has no partner in it, unless it is said."""
    pd.DataFrame({"age": [30, 40], "sick": ["yes", "no"]}).to_parquet("ages.parquet")
    Path("ages.csv").write_text("age,sick\n30,yes\n40,no\n")
    arguments = ["audit", "ages.parquet", "ages.csv", "--keys", "age", "--target", "sick"]
    assert main(arguments) == 2
    assert "none of them can match" in capsys.readouterr().err
    assert measures(capsys, *arguments, "--types", "age=number")["measures"]["average_cap"] == 1


def test_types_list_the_levels_of_a_column(here, capsys):
    arguments = ["audit", "original.csv", "synthetic.csv", "--keys", "smoking", "--target", "health"]
    assert main([*arguments, "--types", "health=Sick|Healthy,smoking=text"]) == 0
    capsys.readouterr()
    assert main([*arguments, "--types", "health=Sick|Well"]) == 2
    assert "1 distinct value that `types` does not list among its levels ('Sick', 'Well')" in capsys.readouterr().err


def test_types_of_columns_and_levels_with_commas_and_equals_signs_may_be_given_one_by_one(here, capsys):
    arguments = ["audit", "commas.csv", "commas.csv", "--key", "smoking, now", "--target", "health=state"]
    levels = ["--type", "smoking, now=Smoking|Non-smoking", "--type", "health=state=text"]
    assert measures(capsys, *arguments, *levels)["measures"]["baseline"] == 0.625
    assert measures(capsys, *arguments, "--types", "health=state=text", *levels[:2])["measures"]["baseline"] == 0.625
    assert main([*arguments, "--types", "smoking, now=text"]) == 2
    assert "got 'smoking'. Give what has a comma in it to --type, by itself." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("asked", "points"), [("age=3", [32.33, 41.67]), ("age=quantile:2", [34.5]), ("age=30|40", [30, 40]), ("age=30|", [30])]
)
def test_a_column_of_numbers_is_cut(here, capsys, asked, points):
    Path("ages.csv").write_text("age,sick\n23,yes\n29,no\n30,no\n39,yes\n51,yes\n40,no\n")
    arguments = ["audit", "ages.csv", "ages.csv", "--keys", "age", "--target", "sick", "--bin", asked]
    found = measures(capsys, *arguments)
    assert found["provenance"]["bins"]["age"] == pytest.approx(points, abs=0.01)
    assert found["measures"]["keys"] == len(points) + 1
    assert main(arguments) == 0
    assert " age is cut at " in capsys.readouterr().out


@pytest.mark.parametrize("asked", ["age", "=3", "age=wide", "age=width:3", "age=quantile:x"])
def test_a_column_is_cut_in_a_way_that_is_known(here, capsys, asked):
    assert main(["audit", "original.csv", "synthetic.csv", "--keys", "smoking", "--target", "health", "--bin", asked]) == 2
    assert f"--bin must {'be COLUMN=BINS' if asked in ('age', '=3') else 'say a number of bins'}" in capsys.readouterr().err


def test_weights_count_records(here, capsys):
    arguments = ["audit", "titanic.csv", "titanic.csv", "--keys", "Class,Sex,Age", "--target", "Survived"]
    found = measures(capsys, *arguments, "--weights", "count")
    assert found["measures"]["original_records"] == found["measures"]["synthetic_records"] == 2201
    assert found["provenance"]["weights"] == {"original": "count", "synthetic": "count"}
    assert measures(capsys, *arguments)["measures"]["original_records"] == 32


def test_weights_may_differ_for_the_two_tables_or_be_for_one_alone(here, capsys):
    arguments = ["audit", "titanic.csv", "titanic.csv", "--keys", "Class,Sex,Age", "--target", "Survived"]
    found = measures(capsys, *arguments, "--weights", "count,half")
    assert found["measures"]["original_records"] == 2201
    assert found["measures"]["synthetic_records"] == 2201 / 2 + 8
    found = measures(capsys, *arguments, "--weights", ",count")
    assert (found["measures"]["original_records"], found["measures"]["synthetic_records"]) == (32, 2201)
    found = measures(capsys, *arguments, "--weights", "half,")
    assert "individual_cap_median" not in found["measures"]
    assert found["measures"]["synthetic_records"] == 32


def test_weights_of_a_holdout_may_be_given_or_are_those_of_the_original(here, capsys):
    arguments = ["audit", "titanic.csv", "titanic.csv", "--holdout", "titanic.csv", "--keys", "Class", "--target", "Survived"]
    told = {"original": "count", "synthetic": "half"}
    found = measures(capsys, *arguments, "--weights", "count,half")
    assert found["provenance"]["weights"] == told | {"holdout": "count"}
    assert found["measures"]["individual_disclosure"] == 0
    found = measures(capsys, *arguments, "--weights", "count,half,")
    assert found["provenance"]["weights"] == told
    found = measures(capsys, *arguments, "--weights", "count,half,half")
    assert "individual_disclosure" not in found["measures"]
    assert "individual_cap_median" in found["measures"]


def test_missing_values_are_a_level_or_dropped_and_told(here, capsys):
    arguments = ["audit", "gaps.csv", "gaps.csv", "--keys", "age", "--target", "sick"]
    found = measures(capsys, *arguments)
    assert (found["measures"]["original_records"], found["measures"]["keys"]) == (5, 4)
    found = measures(capsys, *arguments, "--missing", "drop")
    assert found["measures"]["original_records"] == 4
    assert found["provenance"]["dropped"] == {"original": 1, "synthetic": 1}


def test_null_values_are_the_texts_that_mean_missing(here, capsys):
    """In place of an empty field, which is a text like any other then unless it is named."""
    arguments = ["audit", "gaps.csv", "gaps.csv", "--keys", "age", "--target", "sick", "--missing", "drop"]
    found = measures(capsys, *arguments, "--null-values", "?", "--null-values", "-")
    assert found["provenance"]["dropped"]["original"] == 2
    found = measures(capsys, *arguments, "--null-values", "?", "--null-values", "-", "--null-values", "")
    assert found["provenance"]["dropped"]["original"] == 3


def test_a_memory_limit_changes_no_number(here, capsys):
    assert measures(capsys, *SMOKERS, "--memory-limit", "200MB")["measures"] == measures(capsys, *SMOKERS)["measures"]


# --- Figures and examples


@pytest.mark.parametrize("ending", ["png", "pdf", "svg", "PNG"])
def test_figure_is_saved_and_says_how_it_came_to_be(here, tmp_path, capsys, ending):
    file = tmp_path / f"risk.{ending}"
    found = measures(capsys, *SMOKERS, "--figure", str(file))
    content = file.read_bytes()
    if ending.lower() == "png":
        with Image.open(file) as picture:
            assert picture.info["Software"] == f"capstats {capstats.__version__}"
            assert json.loads(picture.info["Description"]) == found
    else:
        assert content.startswith(b"%PDF" if ending == "pdf" else b"<?xml")
        assert f"capstats {capstats.__version__}".encode() in content
        assert b"version 1: records whose key is not in the synthetic data count 0" in content


def test_the_legend_of_the_figure_hides_no_box(here, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, *args, **kwargs: drawn.append(figure))
    assert main([*SMOKERS, "--figure", str(tmp_path / "risk.png")]) == 0
    (figure,) = drawn
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["average CAP", "average CAP of the original"]
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
        measures(capsys, "audit", "--example", name, *given) for given in (["--seed", "5"], ["--seed", "5"], ["--seed", "6"], [])
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
    "value that does not parse": ([*SMOKERS, "--types", "health=number"], "2 distinct values that cannot be read as a number"),
    "no weights": ([*SMOKERS, "--weights", ","], "--weights must be one column, or two separated by a comma; got ','."),
    "three weights": ([*SMOKERS, "--weights", "a,b,c"], "--weights must be one column, or two separated by a comma; got 'a,b,c'."),
    "four weights with a holdout": (
        [*SMOKERS, "--holdout", "smokers.csv", "--weights", "a,b,c,d"],
        "--weights must be one column, or two or three separated by commas; got 'a,b,c,d'.",
    ),
    "no such holdout": ([*SMOKERS, "--holdout", "nobody.csv"], "`holdout`: no file matches 'nobody.csv'"),
    "holdout of other columns": ([*SMOKERS, "--holdout", "gaps.csv"], "'smoking' is not in `holdout`"),
    "holdout without a name": ([*SMOKERS, "--holdout", ""], "`holdout`"),
    "example and holdout": (["audit", "--example", "titanic", "--holdout", "titanic.csv"], "leave out holdout."),
    "unknown weights": ([*SMOKERS, "--weights", "w"], "'w' is not in `original`"),
    "weights that are no numbers": ([*SMOKERS, "--weights", "health"], "Weights must be numbers"),
    "unknown policy": ([*SMOKERS, "--missing", "ignore"], "argument --missing: invalid choice: 'ignore'"),
    "memory limit that is none": ([*SMOKERS, "--memory-limit", "much"], "much"),
    "figure of another kind": ([*SMOKERS, "--figure", "risk.jpg"], "--figure must end in .png, .pdf or .svg; got 'risk.jpg'."),
    "figure without a name": ([*SMOKERS, "--figure", ""], "--figure must end in .png, .pdf or .svg; got ''."),
    "figure into no folder": ([*SMOKERS, "--figure", "nowhere/risk.png"], "nowhere/risk.png"),
    "figure of fractional weights": (
        ["audit", "titanic.csv", "titanic.csv", "--keys", "Class", "--target", "Survived", "--weights", "half", "--figure", "risk.png"],
        "--figure draws quartiles, which the original's fractional --weights do not have",
    ),
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

    monkeypatch.setattr("capstats.cli.audit", broken)
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


@pytest.mark.parametrize("error", [MemoryError(), MemoryError("Unable to allocate 8 TiB")])
def test_exhausted_memory_is_told_with_what_to_do(here, monkeypatch, capsys, error):
    def exhausted(*args, **kwargs):
        raise error

    monkeypatch.setattr("capstats.cli.audit", exhausted)
    assert main(SMOKERS) == 2
    assert capsys.readouterr().err == (
        f"capstats audit: memory is exhausted ({str(error) or 'MemoryError'}). Use fewer columns, or cut them into fewer bins (--bin).\n"
    )


def test_the_command_leaves_the_handlers_of_signals_as_they_were(here, capsys):
    import signal

    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
    assert main(SMOKERS) == 0
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)] == before
