"""Limits of measures: the exit status, and one line."""

from pathlib import Path

import pytest
from command_line import SMOKERS

from capstats.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def test_a_measure_above_its_limit_gives_exit_status_1_and_one_line(here, capsys):
    assert (
        main([*SMOKERS, "--fail-above", "average_cap=0.5", "--fail-above", "records_certain=0", "--fail-above", "share_above_half=0.7"])
        == 1
    )
    out, err = capsys.readouterr()
    assert out.startswith("Disclosure risk of synthetic.csv, ")
    assert "kept    records_certain is 0 (limit 0)" in out
    cap = (20 * 8 / 33 + 30 * 25 / 33 + 5 * 7 / 67 + 45 * 60 / 67) / 100
    assert err == f"capstats audit: --fail-above: average_cap is {cap:.10g} (limit 0.5); share_above_half is 0.75 (limit 0.7).\n"


def test_a_measure_at_its_limit_is_not_above_it(here, capsys):
    assert main([*SMOKERS, "--fail-above", "share_above_half=0.75", "--fail-above", "original_cap=0.67"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.slow
def test_one_synthetic_table_above_the_limit_is_enough_and_is_named(here, capsys):
    files = ["audit", "original.csv", "synthetic.csv", "smokers.csv", *SMOKERS[3:], "--json"]
    assert main([*files, "--fail-above", "unmatched_records=10"]) == 1
    assert capsys.readouterr().err == "capstats audit: --fail-above: unmatched_records of 'smokers.csv' is 50 (limit 10).\n"


@pytest.mark.slow
def test_a_measure_that_is_undefined_does_not_pass(here, capsys):
    """One record of a holdout has no standard error."""
    Path("one.csv").write_text("smoking,health\nSmoking,Sick\n")
    assert main([*SMOKERS, "--holdout", "one.csv", "--fail-above", "individual_disclosure_error=0.5"]) == 1
    assert "individual_disclosure_error is undefined (limit 0.5)" in capsys.readouterr().err


def test_limits_hold_for_the_example_too(capsys):
    assert main(["audit", "--example", "titanic", "--fail-above", "average_cap=0.1"]) == 1
    assert "average_cap is 0.66" in capsys.readouterr().err
