"""The command `capstats audit`: on files, on examples, and of several releases."""

import json

import pytest
from command_line import SMOKERS, in_json, run

import capstats
from capstats import audit
from capstats.cli import main
from capstats.datasets import example

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def test_audit_prints_what_the_library_prints(here, capsys):
    assert main(SMOKERS) == 0
    expected = audit("original.csv", "synthetic.csv", keys="smoking", target="health")
    assert capsys.readouterr() == (f"{expected}\n", "")


def test_audit_as_a_program_prints_the_same(here):
    done = run(*SMOKERS)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{audit('original.csv', 'synthetic.csv', keys='smoking', target='health')}\n"


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


def test_a_glob_that_the_shell_expands_shows_which_file_was_taken_for_what(here, capsys):
    assert main(["audit", "original.csv", "smokers.csv", "synthetic.csv", *SMOKERS[3:]]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[3:6] == ["original original.csv, 100 records", "synthetic smokers.csv, 33 records", "synthetic.csv, 100 records"]


def test_a_quoted_glob_is_told_to_be_pooled(here, capsys):
    assert main(["audit", "original.csv", "s*.csv", *SMOKERS[3:]]) == 0
    expected = "synthetic s*.csv: 2 files pooled as one table (smokers.csv, synthetic.csv), 133 records"
    assert expected in " ".join(capsys.readouterr().out.split())
