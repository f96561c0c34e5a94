"""The command `capstats records`: the riskiest people first, with the numbers of the audit, as confidential as the original."""

import csv
import json
import stat
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import in_json, printed, refused, said

from capstats.cli import main

pytestmark = pytest.mark.slow

WARNING = "capstats records: warning: the output is as confidential as the original; keep it where the original is kept.\n"
HOSTILE = ["=HYPERLINK(1)", "+1+1", "\u202efdp.exe", "\x1b[31mred", "a\nb", "<b>", "-1.5"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("people")
    rng = np.random.default_rng(3)
    for name in ("o", "s"):
        n = 300
        frame = pd.DataFrame(
            {
                "age": [f"{x / 10:.1f}".replace(".", ",") for x in rng.integers(180, 900, n)],
                "town": rng.choice(["Köln", "Bonn", "?", "Aachen"], n),
                "ill": rng.choice(["ja", "nein"], n),
                "note": rng.choice(HOSTILE, n),
            }
        )
        frame.to_csv(folder / f"{name}.csv", index=False, sep=";", encoding="cp1252", errors="replace")
    return folder


READING = ["--bin", "age=6", "--null-values", "?", "--encoding", "cp1252", "--decimal", ","]
COLUMNS = ["--keys", "age,town", "--target", "ill"]


@pytest.fixture
def arguments(folder, monkeypatch):
    monkeypatch.chdir(folder)
    return ["records", "o.csv", "s.csv", *COLUMNS, *READING]


@pytest.mark.parametrize("missing", ["level", "drop"])
def test_the_numbers_are_those_of_an_audit_with_the_same_options(arguments, capsys, missing):
    measures = in_json(capsys, "audit", *arguments[1:], "--missing", missing)["measures"]
    out, err = said(capsys, 0, *arguments, "--missing", missing, "--json")
    assert err == WARNING
    found = pd.DataFrame(json.loads(out)["records"])
    assert len(found) == measures["original_records"]
    assert found.cap.mean() == pytest.approx(measures["average_cap_zero"], rel=1e-12)
    assert found.disclosed.sum() == measures["records_certain"]
    assert found.cap.is_monotonic_decreasing


def test_the_columns_that_matter_stand_first_with_the_records_number(arguments, capsys):
    rows = json.loads(printed(capsys, *arguments, "--json", "--top", "4", "--sort-by", "key_records"))["records"]
    assert len(rows) == 4
    assert list(rows[0])[:4] == ["record", "cap", "cap_nearest", "disclosed"]
    assert list(rows[0])[-4:] == ["age", "town", "ill", "note"]
    assert [row["key_records"] for row in rows] == sorted(row["key_records"] for row in rows)
    lines = Path("o.csv").read_text(encoding="cp1252").split("\n")
    assert lines[rows[0]["record"]].replace('"', "").startswith(f"{rows[0]['age']};{rows[0]['town']};")


def test_a_csv_is_for_its_owner_alone_and_no_cell_is_a_formula(arguments, tmp_path, capsys):
    path = tmp_path / "out.csv"
    out, err = said(capsys, 0, *arguments, "--top", "100", "--csv", str(path))
    assert out == ""
    assert err == f"capstats records: warning: {str(path)!r} is as confidential as the original; keep it where the original is kept.\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert len(rows) == 100
    notes = {row[head.index("note")] for row in rows}
    assert {"'=HYPERLINK(1)", "'+1+1", "-1.5", "\\x1b[31mred"} <= notes
    assert not [note for note in notes if note[0] in "=+@"]


def test_rows_that_stand_for_no_record_are_left_out(tmp_path, capsys):
    path = tmp_path / "counts.csv"
    path.write_text("k,t,n\na,x,2\na,y,0\nb,y,1\n")
    assert main(["records", str(path), str(path), "--allow-same", "--keys", "k", "--target", "t", "--counts", "n", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["records"]
    assert [(row["record"], row["cap"], row["key_records"], row["unique"]) for row in rows] == [(1, 1, 2, False), (3, 1, 1, True)]


def test_other_formats_are_read_too(tmp_path, capsys):
    people = pd.DataFrame({"record": [5, 6, 7], "k": ["a", "b", "b"], "t": ["x", "x", "y"]})
    people.to_stata(tmp_path / "o.dta", write_index=False)
    people.to_feather(tmp_path / "o.feather")
    for name, number in (("o.dta", "record_"), ("o.feather", None)):
        path = str(tmp_path / name)
        rows = json.loads(printed(capsys, "records", path, path, "--allow-same", "--keys", "k", "--target", "t", "--json"))["records"]
        assert [row["record"] for row in rows] == [5, 6, 7]
        assert [row["cap"] for row in rows] == [1, 0.5, 0.5]
        assert number is None or [row[number] for row in rows] == [1, 2, 3]


def test_each_record_is_listed_with_the_number_of_its_copies(arguments, folder, capsys):
    """The release gets three copies of the third record."""
    lines = (folder / "o.csv").read_bytes().splitlines(keepends=True)
    (folder / "copied.csv").write_bytes((folder / "s.csv").read_bytes() + lines[3] * 3)
    given = ["records", "o.csv", "copied.csv", *COLUMNS, *READING, "--sort-by", "copies", "--top", "1"]
    out, err = said(capsys, 0, *given, "--json")
    assert err == WARNING
    (row,) = json.loads(out)["records"]
    assert (row["record"], row["copies"]) == (3, 3)
    assert "copies                 synthetic records that are identical to it" in printed(capsys, *given)
    assert "copies" not in json.loads(printed(capsys, *given[:-4], "--copy-columns", "0", "--json"))["records"][0]
    out, err = said(capsys, 0, *given[:-4], "--copy-columns", "3", "--json")
    assert "copies" not in json.loads(out)["records"][0]
    reason = "Copies cannot be counted: the tables have 4 columns in common, and 1 to 3 are compared (--copy-columns)."
    assert err.endswith(f"capstats records: warning: {reason}\n")
    assert "Copies cannot be counted" in refused(capsys, *given, "--copy-columns", "3")
