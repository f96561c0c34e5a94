"""The command `capstats audit`: on files, on examples, and of several releases."""

import json
import re
import stat
from pathlib import Path

import pytest
from command_line import PUBLIC, SMOKERS, beyond, in_json, printed, refused, said

import capstats
from capstats import audit
from capstats.auditing import ledger as ledgers
from capstats.cli import main
from capstats.datasets import example

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")  # tables with other levels are meant to be here


def test_audit_prints_what_the_library_prints(here, capsys):
    assert main(SMOKERS) == 0
    expected = audit("original.csv", "synthetic.csv", keys="smoking", target="health")
    assert capsys.readouterr() == (f"{expected}\n", "")


@pytest.mark.parametrize(
    "files", [("original.csv", "synthetic.csv"), ("original.parquet", "synthetic.parquet"), ("original.csv", "synthetic.parquet")]
)
def test_audit_reads_csv_and_parquet(here, capsys, files):
    found = in_json(capsys, "audit", *files, "--keys", "smoking", "--target", "health")
    assert found["measures"]["average_cap_zero"] == pytest.approx((20 * 8 / 33 + 30 * 25 / 33 + 5 * 7 / 67 + 45 * 60 / 67) / 100)
    assert found["measures"]["baseline"] == 0.625
    assert found["provenance"]["original"] == files[0]
    assert found["provenance"]["synthetic"] == [files[1]]


def test_json_says_how_the_numbers_came_to_be(here, capsys):
    found = in_json(capsys, *SMOKERS)
    assert "holdout" not in json.dumps(found)
    provenance = found["provenance"]
    assert provenance["capstats"] == capstats.__version__
    assert provenance["keys"] == ["smoking"]
    assert provenance["target"] == ["health"]
    assert provenance["domain"] == {"kind": "original and synthetic", "targets": 2, "keys": 2}
    assert provenance["missing"] == "level"
    assert set(provenance["conventions"]) > {"average_cap_zero", "average_cap_matched", "individual_cap", "predictive_success", "baseline"}


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


def test_several_synthetic_files_are_columns_named_after_them_or_their_paths(here, capsys):
    measures = in_json(capsys, *THREE)["measures"]
    assert list(measures["average_cap_zero"]) == ["synthetic.csv", "smokers.csv", "elsewhere/synthetic.csv"]
    assert measures["matched_share"] == {"synthetic.csv": 1, "smokers.csv": 0.5, "elsewhere/synthetic.csv": 1}
    assert measures["average_cap_zero"]["elsewhere/synthetic.csv"] == pytest.approx(0.67)


@pytest.mark.parametrize("name", ["titanic", "anes96"])
@pytest.mark.parametrize(("seed", "given"), [(0, []), (5, ["--seed", "5"])])
def test_example_is_the_audit_of_the_bundled_data(name, seed, given, capsys):
    expected = audit(**example(name, seed=seed))
    assert printed(capsys, "audit", "--example", name, *given) == f"{expected}\n"
    assert in_json(capsys, "audit", "--example", name, *given)["provenance"]["seed"] == expected.provenance["seed"] == seed


def test_a_glob_that_the_shell_expands_shows_which_file_was_taken_for_what(here, capsys):
    assert main(["audit", "original.csv", "smokers.csv", "synthetic.csv", *SMOKERS[3:]]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[lines.index("What was read") + 1 :][:3] == [
        "original original.csv, 100 records",
        "synthetic smokers.csv, 33 records",
        "synthetic.csv, 100 records",
    ]


def test_a_quoted_glob_is_told_to_be_pooled(here, capsys):
    assert main(["audit", "original.csv", "s*.csv", *SMOKERS[3:]]) == 0
    expected = "synthetic s*.csv: 2 files pooled as one table (smokers.csv, synthetic.csv), 133 records"
    assert expected in " ".join(capsys.readouterr().out.split())


# --- several releases, and pages


THREE = ["audit", "original.csv", "synthetic.csv", "smokers.csv", "elsewhere/synthetic.csv", "--allow-same", *SMOKERS[3:]]


def test_a_release_may_be_named_by_its_path_or_by_its_label(here, capsys):
    files = ["audit", "original.csv", "./synthetic.csv", "./smokers.csv", *SMOKERS[3:]]
    by_path = in_json(capsys, *files, "--against", "./smokers.csv", "--utility", "u=./synthetic.csv:1,smokers.csv:2")
    by_label = in_json(capsys, *files, "--against", "smokers.csv", "--utility", "u=synthetic.csv:1,smokers.csv:2")
    assert by_path["measures"] == by_label["measures"]
    assert by_path["measures"]["difference"]["smokers.csv"] == 0


def test_limits_may_be_of_numbers_of_the_caller_and_of_differences(here, capsys):
    options = ["--utility", "pmse=0.5", "--fail-above", "pmse=0.4"]
    assert beyond(capsys, *SMOKERS, *options) == "capstats audit: --fail-above: pmse is 0.5 (limit 0.4).\n"
    assert "difference of 'synthetic.csv' is 0." in beyond(capsys, *THREE, "--against", "smokers.csv", "--fail-above", "difference=0")
    assert "'difference' is no measure" in refused(capsys, *SMOKERS, "--fail-above", "difference=0")


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_the_page_is_that_of_the_library(audience, here, tmp_path, capsys):
    path = tmp_path / "report.html"
    ledger = ["--ledger", str(tmp_path / "ledger.json")] if audience == "public" else []
    out, err = said(capsys, 0, *SMOKERS, "--html", str(path), "--audience", audience, *ledger)
    assert (out.startswith("Disclosure risk of synthetic.csv, "), err) == (audience == "internal", "")
    assert ("original.csv" in out) == (audience == "internal")
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert ("original.csv" in page) == (audience == "internal")
    assert (stat.S_IMODE(path.stat().st_mode) == 0o600) == (audience == "internal")


def test_the_threshold_of_a_public_page_may_be_chosen(here, tmp_path, capsys):
    pages = [tmp_path / "5.html", tmp_path / "20.html"]
    for page in pages:
        public = ["--audience", "public", "--threshold", page.stem, "--ledger", str(page.with_suffix(".json"))]
        printed(capsys, *SMOKERS, "--html", str(page), *public)
    assert pages[0].read_text(encoding="utf-8") != pages[1].read_text(encoding="utf-8")
    assert "needs at least 4000 records in the original, none of them" in refused(capsys, *SMOKERS, *PUBLIC, "--threshold", "1000")


def test_who_makes_a_public_report_is_told_of_levels_in_two_spellings(tmp_path, capsys):
    for name, level in (("o.csv", "yes"), ("s.csv", "Yes")):
        (tmp_path / name).write_text("smoking,health\n" + f"{level},ill\nno,well\n" * 20, encoding="utf-8")
    files = [str(tmp_path / name) for name in ("o.csv", "s.csv")]
    known = ["--keys", "smoking", "--target", "health", "--allow-same", "--audience", "public", "--ledger", str(tmp_path / "l.json")]
    out, err = said(capsys, 0, "audit", *files, *known, "--copy-columns", "0")
    assert "capstats audit: warning: Column 'smoking' of `original` and `synthetic` has 1 pair of levels that look like one level" in err
    assert "spelling" not in out


def test_a_public_report_is_made_once_for_the_terminal_and_the_page(here, tmp_path, monkeypatch, capsys):
    """Rounded once, and entered into the ledger that is read once; text and page have the same numbers."""
    made, read = [], []
    publication, entries = ledgers.publication, ledgers._read
    monkeypatch.setattr(ledgers, "publication", lambda *given: made.append(given) or publication(*given))
    monkeypatch.setattr(ledgers, "_read", lambda path: read.append(path) or entries(path))
    ledger, page = tmp_path / "ledger.json", tmp_path / "public.html"
    assert main([*SMOKERS, "--audience", "public", "--ledger", str(ledger), "--html", str(page)]) == 0
    assert (len(made), read) == (1, [ledger])
    text = capsys.readouterr().out
    assert text.startswith("Disclosure risk of the released table\n")
    assert printed(capsys, *SMOKERS, "--audience", "public", "--ledger", str(ledger)) == text
    shares = re.findall(r"share of ([\d.]+)\s%", " ".join(text.split()))
    assert shares == re.findall(r"share of ([\d.]+)\s%", page.read_text(encoding="utf-8"))
    assert shares


def test_a_second_public_report_needs_a_reason(here, tmp_path, capsys):
    """Another threshold is another report, in an option or in a configuration."""
    ledger, html, config = (tmp_path / name for name in ("ledger.json", "public.html", "risk.toml"))
    arguments = [*SMOKERS, "--html", str(html), "--audience", "public", "--ledger", str(ledger)]
    printed(capsys, *arguments)
    page = html.read_text(encoding="utf-8")
    err = refused(capsys, *arguments, "--threshold", "11")
    assert err.startswith(f"capstats audit: The ledger '{ledger}' has a public report of ")
    assert "with another threshold." in err
    assert html.read_text(encoding="utf-8") == page
    config.write_text('audience = "public"\nledger = "ledger.json"\nthreshold = 11\nreason = "the first was withdrawn"\n', encoding="utf-8")
    assert main([*SMOKERS, "--html", str(html), "--config", str(config)]) == 0
    entries = json.loads(ledger.read_text(encoding="utf-8"))["published"]
    assert [(x["threshold"], x["reason"]) for x in entries] == [(10, None), (11, "the first was withdrawn")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--html", "r.html", "--threshold", "5"], "--threshold is for a public report. Give --audience public."),
        ([*PUBLIC, "--threshold", "1"], "--threshold must be 2 or more; got 1."),
        (["--html", "r.html", "--audience", "public"], "--audience public needs --ledger FILE: a file, as confidential as the original,"),
        (["--html", "r.html", "--ledger", "l.json"], "--ledger is for a public report. Give --audience public."),
        (["--reason", "a mistake"], "--reason is for a public report. Give --audience public."),
        ([*PUBLIC[:-2], "--ledger", "original.csv"], "--ledger is 'original.csv', which is read as well."),
        ([*PUBLIC, "--html", "ledger.json"], "--html and --ledger are both 'ledger.json'. Give each a path of its own."),
        ([*PUBLIC[:-2], "--ledger", "nowhere/l.json"], "--ledger cannot be written to 'nowhere/l.json': No such file or directory."),
        ([*PUBLIC, "--threshold", "2", "--json"], "--json is as confidential as the original, and --audience public is not."),
        (["--html", "nowhere/r.html", *PUBLIC], "--html cannot be written to 'nowhere/r.html': No such file or directory."),
        (["--html", "report.svg", "--figure", "./report.svg"], "--html and --figure are both './report.svg'. Give each a path of its own."),
        (["--html", "elsewhere", *PUBLIC], "--html: 'elsewhere' is a folder. Give the path of a file."),
        (["--html", "original.csv"], "--html is 'original.csv', which is read as well."),
        (["--rank-by", "colour"], "colour"),
        (["--against", "nobody"], "nobody"),
        (["--utility", "u=nobody:1"], "u"),
        (["--utility", "average_cap_zero=1"], "average_cap_zero"),
        (["--rank-by", "-average_cap_zero"], "argument --rank-by: expected one argument"),
    ],
)
def test_a_mistake_about_releases_and_pages_is_one_line(options, message, here, capsys):
    err = refused(capsys, *SMOKERS, *options)
    assert err.count("\n") == 1
    assert message in err
    assert not Path("r.html").exists()


@pytest.mark.parametrize("name", ["cost {EUR}", "{people.__class__}", "{", "%s"])
def test_the_name_of_a_number_is_no_format(name, here, capsys):
    assert f"'{name}', as given" in printed(capsys, *THREE, "--utility", f"{name}=1")


def test_a_file_and_its_copy_are_compared_on_request_alone(here, capsys):
    Path("copy.csv").write_bytes(Path("original.csv").read_bytes())
    for command in ("audit", "sweep", "records", "attack model", "measure average_cap", "count --out counts.csv"):
        err = refused(capsys, *command.split(), "original.csv", "copy.csv", *SMOKERS[3:])
        assert "`original` and `synthetic` are files with the same content." in err
        assert "--allow-same" in err
        printed(capsys, *command.split(), "original.csv", "copy.csv", "--allow-same", *SMOKERS[3:])
    assert main(["attack", "knowledge", "original.csv", "copy.csv", "--columns", "smoking,health"]) == 2
    assert main(["attack", "knowledge", "original.csv", "copy.csv", "--columns", "smoking,health", "--allow-same"]) == 0
    attack = ["attack", "membership", "original.csv", "smokers.csv", "copy.csv", "--columns", "smoking,health"]
    assert "`members` and `synthetic` are files with the same content." in refused(capsys, *attack)
    assert main([*attack, "--allow-same"]) == 0


def test_an_original_without_names_keeps_its_first_record(here, capsys):
    Path("bare.csv").write_text("Anna Muster,1961-04-02,HIV\nBert Test,1970-01-01,none\n")
    err = refused(capsys, "audit", "bare.csv", "synthetic.csv", *SMOKERS[3:])
    assert "None of its 3 columns has a similar name" in err
    assert not [value for value in ("Anna", "1961", "HIV") if value in err]
