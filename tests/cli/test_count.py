"""The command `capstats count`: a file of counts, from which the other commands give the answers that the records give."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from command_line import beyond, in_json, printed, refused, said

from capstats import read_counts, tabulate
from capstats.cli import main

RECORDS = ["original.csv", "synthetic.csv", "--holdout", "elsewhere/synthetic.csv", "--allow-same"]
COLUMNS = ["--keys", "smoking", "--target", "health"]
endings = pytest.mark.parametrize("ending", ["parquet", "csv", "json"])
pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("here")]


@pytest.fixture
def counts(tmp_path, capsys):
    """The path of a file of counts of original, release and holdout."""
    path = str(tmp_path / "counts.parquet")
    printed(capsys, "count", *RECORDS, *COLUMNS, "--out", path)
    return path


def quietly(capsys, *arguments: str) -> str:
    out, err = said(capsys, 0, *arguments)
    assert err == ""
    return out


@endings
def test_the_file_has_what_tabulate_gives(tmp_path, capsys, ending):
    path = tmp_path / f"t.{ending}"
    out = quietly(capsys, "count", "original.csv", "synthetic.csv", *COLUMNS, "--out", str(path))
    assert "original              original.csv" in out
    assert out.endswith(f"Written: {path}\n")
    assert read_counts(path).identical(tabulate("original.csv", "synthetic.csv", keys="smoking", target="health"))
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_everything_that_tabulate_takes_is_taken(tmp_path, capsys):
    path = str(tmp_path / "t.csv")
    how = ["--missing", "drop", "--null-values", "age=?", "--types", "age=number", "--bin", "age=35|", "--backing", "dense"]
    quietly(capsys, "count", "gaps.csv", "--keys", "age", "--target", "sick", *how, "--out", path)
    expected = {"missing": "drop", "null_values": {"age": "?"}, "types": {"age": "number"}, "bins": {"age": ["35"]}}
    assert read_counts(path).identical(tabulate("gaps.csv", keys="age", target="sick", **expected))
    weighted = ["--keys", "Class,Sex", "--target", "Survived", "--counts", "count"]
    quietly(capsys, "count", "titanic.csv", *weighted, "--out", path, "--overwrite")
    assert read_counts(path).identical(tabulate("titanic.csv", keys=["Class", "Sex"], target="Survived", counts="count"))


@pytest.mark.parametrize("releases", [["synthetic.csv"], ["synthetic.csv", "smokers.csv"]])
@pytest.mark.parametrize("holdout", [[], ["--holdout", "elsewhere/synthetic.csv", "--allow-same"]])
@endings
def test_an_audit_of_counts_is_the_audit_of_the_records(tmp_path, capsys, releases, holdout, ending):
    path = str(tmp_path / f"t.{ending}")
    records = ["original.csv", *releases, *holdout, *COLUMNS]
    quietly(capsys, "count", *records, "--out", path)
    text = quietly(capsys, "audit", *records)
    of_counts = quietly(capsys, "audit", path)
    assert "same records" in of_counts if holdout else of_counts == text  # the check was left out with --allow-same
    first, second = (in_json(capsys, "audit", *given) for given in ([path], records))
    for found in (first, second):
        found["provenance"].pop("settings")
        found["provenance"].pop("same_records", None)
        found.pop("digest")
    assert first.pop("inputs") == {}  # which are not read again
    assert set(second.pop("inputs")) == {"original.csv", *releases, *holdout[1:2]}
    assert first == second


def test_a_page_from_counts_has_all_but_the_hashes_of_the_files(tmp_path, capsys, counts):
    quietly(capsys, "audit", counts, "--allow-same", "--html", str(tmp_path / "counts.html"))
    quietly(capsys, "audit", *RECORDS, *COLUMNS, "--html", str(tmp_path / "records.html"))
    first, second = ((tmp_path / f"{name}.html").read_text() for name in ("counts", "records"))
    assert first.count("<svg") == second.count("<svg")
    assert "SHA-256" not in first


def test_limits_of_the_holdout_hold_for_counts(counts, capsys):
    assert "individual_disclosure is " in beyond(capsys, "audit", counts, "--allow-same", "--fail-above", "individual_disclosure=-1")


def test_a_sweep_of_counts_is_that_of_their_target(tmp_path, capsys):
    path = str(tmp_path / "t.parquet")
    how = ["--keys", "Class,Sex,Age", "--counts", "count"]
    records = ["titanic.csv", "titanic.csv", "--allow-same"]
    quietly(capsys, "count", *records, *how, "--target", "Survived", "--out", path)
    first = in_json(capsys, "sweep", path)
    second = in_json(capsys, "sweep", *records, *how, "--targets", "Survived")
    assert first["subsets"] == second["subsets"]
    assert first["contributions"] == second["contributions"]


def test_privacy_models_of_counts_are_those_of_the_records(counts, capsys):
    assert in_json(capsys, "anonymity", counts)["models"] == in_json(capsys, "anonymity", *RECORDS[:2], *COLUMNS)["models"]


@pytest.mark.parametrize(
    "command",
    [["records"], ["attack", "knowledge", "--columns", "smoking"], ["attack", "model"], ["count", "--out", "new.csv"]],
    ids=lambda command: " ".join(command[:2]),
)
def test_what_needs_records_refuses_counts_and_says_why(counts, capsys, command):
    assert main([*command, counts]) == 2
    assert "is a file of counts, which do not say which record is which. This command needs the records" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "named"),
    [
        (["synthetic.csv"], "SYNTHETIC"),
        (["--keys", "k"], "--keys"),
        (["--seed", "3"], "--seed"),
        (["--weights", "w", "--missing", "drop"], "--missing, --weights"),
    ],
)
def test_what_was_chosen_when_counting_is_not_chosen_again(counts, capsys, more, named):
    assert main(["audit", counts, *more]) == 2
    assert f"which brings its tables and columns. Leave out {named}, or give them to capstats count." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ([], "give --out FILE"),
        (["--out", "t.txt"], "--out must end in .parquet, .csv or .json; got 't.txt'."),
        (["--out", "original.csv"], "--out is 'original.csv', which is read as well. Give another path."),
        (["--out", "absent/t.csv"], "--out cannot be written to 'absent/t.csv'"),
        (["--out", "smokers.csv"], "--out is 'smokers.csv', which exists. Give another path, or --overwrite."),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_counted(capsys, out, message):
    before = Path("smokers.csv").read_bytes()
    assert message in refused(capsys, "count", "original.csv", *COLUMNS, *out)
    assert Path("smokers.csv").read_bytes() == before


def test_copies_are_counted_with_the_records_and_reported_from_the_file(tmp_path, capsys, counts):
    by_file = in_json(capsys, "audit", counts, "--allow-same")
    by_records = in_json(capsys, "audit", *RECORDS, *COLUMNS)
    assert {"copied_records", "holdout_copied_share"} < set(by_file["measures"])
    for part in ("measures", "provenance"):
        of = [x[part] if part == "measures" else {"copies": x[part]["copies"]} for x in (by_file, by_records)]
        assert {k: v for k, v in of[0].items() if "cop" in k} == {k: v for k, v in of[1].items() if "cop" in k}
    without = str(tmp_path / "without.csv")
    quietly(capsys, "count", *RECORDS, *COLUMNS, "--out", without, "--copy-columns", "0")
    assert in_json(capsys, "audit", without, "--allow-same")["provenance"]["copies"] == "not known: the report was made from counts"
    assert main(["audit", without, "--allow-same", "--fail-above", "holdout_copied_share=1"]) == 1
    assert "holdout_copied_share is not known: the report was made from counts (limit 1)" in capsys.readouterr().err
    no_holdout = str(tmp_path / "no_holdout.csv")
    quietly(capsys, "count", *RECORDS[:2], *COLUMNS, "--out", no_holdout)
    assert "holdout_copied_share is undefined (limit 1)" in beyond(capsys, "audit", no_holdout, "--fail-above", "holdout_copied_share=1")
    assert "Leave out --copy-columns, or give them to capstats count." in refused(capsys, "audit", counts, "--copy-columns", "3")
