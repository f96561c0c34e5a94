"""Limits of measures: the exit status, and one line."""

from pathlib import Path

import pytest
from command_line import SMOKERS, beyond, said

from capstats.cli import main

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]


def test_a_measure_above_its_limit_gives_exit_status_1_and_one_line(here, capsys):
    limits = ["--fail-above", "average_cap_zero=0.5", "--fail-above", "records_certain=0", "--fail-above", "share_above_half=0.7"]
    out, err = said(capsys, 1, *SMOKERS, *limits)
    assert out.startswith("Disclosure risk of synthetic.csv, ")
    assert "kept    records_certain is 0 (limit 0)" in out
    cap = (20 * 8 / 33 + 30 * 25 / 33 + 5 * 7 / 67 + 45 * 60 / 67) / 100
    assert err == f"capstats audit: --fail-above: average_cap_zero is {cap:.10g} (limit 0.5); share_above_half is 0.75 (limit 0.7).\n"


def test_a_measure_at_its_limit_is_not_above_it(here, capsys):
    assert said(capsys, 0, *SMOKERS, "--fail-above", "share_above_half=0.75", "--fail-above", "original_cap=0.67").err == ""


def test_a_measure_that_is_undefined_does_not_pass(here, capsys):
    """One record of a holdout has no standard error."""
    Path("one.csv").write_text("smoking,health\nSmoking,Sick\n")
    assert main([*SMOKERS, "--holdout", "one.csv", "--fail-above", "individual_disclosure_error=0.5"]) == 1
    assert "individual_disclosure_error is undefined (limit 0.5)" in capsys.readouterr().err


def test_a_limit_of_copies_is_broken_where_it_could_not_be_told(here, capsys):
    """All of the 100 smokers are in one of four cells, each with several people."""
    assert main([*SMOKERS, "--fail-above", "copied_beyond_chance=0"]) == 1
    message = "capstats audit: --fail-above: copied_beyond_chance is not known: it could not be told (limit 0).\n"
    assert capsys.readouterr().err == message
    many = [*SMOKERS[:5], "--targets", "all", "--fail-above", "copied_beyond_chance=0"]
    assert beyond(capsys, *many) == message


def test_copies_have_limits_and_those_that_are_not_computed_do_not_pass(here, capsys):
    """All of the 100 smokers are in one of four cells."""
    assert said(capsys, 0, *SMOKERS, "--fail-above", "copied_share=1", "--fail-above", "copied_unique_records=0").err == ""
    limits = ["--fail-above", "copied_records=99", "--fail-above", "average_cap_zero=1"]
    assert beyond(capsys, *SMOKERS, *limits) == "capstats audit: --fail-above: copied_records is 100 (limit 99).\n"
    for columns, why in (
        ("1", "the tables have 2 columns in common, and 1 to 1 are compared (--copy-columns)"),
        ("0", "--copy-columns 0"),
    ):
        assert main([*SMOKERS, *limits, "--copy-columns", columns]) == 1
        assert capsys.readouterr().err == f"capstats audit: --fail-above: copied_records is not computed: {why} (limit 99).\n"


def test_near_copies_of_many_columns_do_not_pass(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in "os":
        rows = [",".join(f"c{i}" for i in range(21)), ",".join(["1"] * 21), ",".join([name] * 21), ",".join(["2"] * 21)]
        Path(f"{name}.csv").write_text("\n".join([*rows, *rows[1:]]) + "\n")
    limits = ["--fail-above", "copied_share=0.7", "--fail-above", "near_copied_records=1"]
    err = beyond(capsys, "audit", "o.csv", "s.csv", "--keys", "c0", "--target", "c1", *limits)
    assert "--fail-above: near_copied_records is not computed: it is for 2 to 20 columns, and for 33,554,432 values" in err
    assert "copied_share" not in err
