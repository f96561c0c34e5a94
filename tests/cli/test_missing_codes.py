"""Codes of missing values on the command line and in configurations."""

import re
from pathlib import Path

import pytest
from command_line import in_json, printed, refused

from capstats.cli import main

pytestmark = pytest.mark.slow

RECORDS = "income,sex,sick\n-99.0,f,yes\n-98,m,no\n10,f,no\n20,m,no\n30,NA,yes\n,f,no\n"
RELEASE = "income,sex,sick\n-99.0,f,yes\n10,f,no\n20,m,no\n30,m,yes\n"
ARGUMENTS = ["audit", "o.csv", "s.csv", "--keys", "income,sex", "--target", "sick", "--bin", "income=2"]
AS_TABLE = {"income": ["-99", "-98"]}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("o.csv").write_text(RECORDS)
    Path("s.csv").write_text(RELEASE)


def test_codes_of_one_column_and_of_all_move_no_bin(files, capsys):
    found = in_json(capsys, *ARGUMENTS, "--null-values", "income=-99, -98")["provenance"]
    assert found["bins"] == {"income": [20.0]}
    assert found["null_values"] == found["settings"]["null-values"] == AS_TABLE
    assert "likely_codes" in found  # NA of sex
    found = in_json(capsys, *ARGUMENTS, "--null-values=-99", "--null-values", "-98", "--null-values", "")["provenance"]
    assert (found["bins"], found["null_values"]) == ({"income": [20.0]}, ["-99", "-98", ""])
    both = ["--null-values", "income=-99,-98", "--null-values", "NA", "--null-values", ""]
    found = in_json(capsys, *ARGUMENTS, *both, "--missing", "drop")["provenance"]
    assert found["null_values"] == {"*": ["NA", ""], **AS_TABLE}
    assert found["dropped"] == {"original": 4, "synthetic": 1}


@pytest.mark.parametrize(
    "toml",
    [
        "[null-values]\nincome = [-99, -98.0]",
        'null-values = {income = ["-99", "-98"]}',
        'null-values = [-99, -98, ""]',
        '[null-values]\n"*" = ""\nincome = [-99, -98]',
    ],
)
def test_a_configuration_names_codes_as_the_command_line_does(toml, files, capsys):
    expected = in_json(capsys, *ARGUMENTS, "--null-values", "income=-99,-98")
    Path("risk.toml").write_text(toml)
    found = in_json(capsys, *ARGUMENTS, "--config", "risk.toml")
    assert found["measures"] == expected["measures"]
    assert found["provenance"]["bins"] == {"income": [20.0]}


@pytest.mark.parametrize(
    ("codes", "message"),
    [
        (
            ["income=-97"],
            "--null-values of column 'income' has '-97', which occurs in no table. Levels of it that look like codes: -99, -98.",
        ),
        (["zzz", ""], "--null-values has 'zzz', which occurs in none of the columns that were read."),
        (["incom=-99"], "--null-values names 'incom', which is in no table. Did you mean 'income'?"),
        (["income=-99", "income=-98"], "--null-values must be CODE, or COLUMN=CODE,... once for each column; got 'income=-98'."),
        (["=-99"], "--null-values must be CODE, or COLUMN=CODE,... once for each column; got '=-99'."),
    ],
)
def test_codes_that_can_do_nothing_are_one_line_and_status_2(codes, message, files, capsys):
    told = refused(capsys, *ARGUMENTS, *(part for code in codes for part in ("--null-values", code)))
    assert message in told
    assert told.count("\n") == 1


@pytest.mark.parametrize("command", ["audit", "sweep", "records", "anonymity"])
def test_codes_that_occur_nowhere_may_be_allowed(command, files, capsys):
    target = ["--targets" if command == "sweep" else "--target", "sick"]
    arguments = [command, *ARGUMENTS[1:5], *target, *ARGUMENTS[7:], "--null-values", "income=-99,-98,-97"]
    refused(capsys, *arguments)
    assert main([*arguments, "--allow-unused-codes"]) == 0


def test_the_report_names_likely_codes_and_the_public_page_does_not(files, capsys):
    """The advice keeps the codes that are given."""
    lines = [f"{[-99, 999, *range(20, 60)][i % 42]},{'fm'[i % 2]},{['yes', 'no'][i % 3 > 0]}" for i in range(840)]
    Path("o.csv").write_text("\n".join(["income,sex,sick", *lines]))
    Path("s.csv").write_text("\n".join(["income,sex,sick", *lines[:420]]))
    assert main([*ARGUMENTS, "--html", "internal.html"]) == 0
    sentence = "Column 'income' holds -99 and 999, which look like codes of missing values."
    assert sentence in " ".join(capsys.readouterr().out.split())
    assert "--null-values income=-99,999" in Path("internal.html").read_text()
    assert "say --null-values income=-99,999" in " ".join(printed(capsys, *ARGUMENTS, "--null-values", "income=-99").split())
    assert main([*ARGUMENTS, "--html", "public.html", "--audience", "public", "--ledger", "ledger.json"]) == 0
    public = re.sub(r"https://[^\"]*", "", Path("public.html").read_text())
    assert not any(text in public for text in ("codes of missing values", "null-values", "-99", "999"))
