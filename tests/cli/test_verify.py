"""``capstats verify``: files that are those of a record, and every byte that is not."""

import json
import random
from pathlib import Path

import pandas as pd
import pytest
import records
from command_line import printed, refused, said

from capstats import audit, tabulate, write_counts
from capstats.auditing import audit_targets
from capstats.auditing.record import SCHEMA
from capstats.cli import main
from capstats.datasets import anes96
from capstats.reports.repeating import as_toml

pytestmark = pytest.mark.slow
GIVEN = ["original.csv", "release.csv", "--keys", "educ,PID", "--target", "vote"]
MORE = ["--holdout", "holdout.csv", "--bin", "age=3", "--fail-above", "baseline=1"]


@pytest.fixture
def folder(tmp_path, monkeypatch, capsys):
    """Tables, and the record of their audit."""
    monkeypatch.chdir(tmp_path)
    people = anes96()
    people[:200:2].to_csv("original.csv", index=False)
    people[1:200:2].to_csv("holdout.csv", index=False)
    people[:200:2].sample(frac=1, replace=True, random_state=1).to_csv("release.csv", index=False)
    Path("report.json").write_text(printed(capsys, "audit", *GIVEN, *MORE[:2], *MORE[4:], "--json"), encoding="utf-8")
    return tmp_path


def test_it_prints_the_schema(capsys):
    assert json.loads(printed(capsys, "verify", "--schema")) == SCHEMA


def test_a_record_is_verified_alone_with_its_files_and_with_counts(folder, capsys):
    alone = printed(capsys, "verify", "report.json")
    assert "Nothing." in alone
    assert "recomputed  nothing: give the files that were audited, or --counts" in alone
    assert "stops no forger" in alone
    with_files = printed(capsys, "verify", "report.json", "original.csv", "release.csv")
    assert "numbers from the files" in with_files
    assert "not recomputed" not in with_files
    for file in ("counts.parquet", "counts.csv"):
        printed(capsys, "count", *GIVEN, *MORE[:2], "--out", file)
        assert f"numbers from {file}" in printed(capsys, "verify", "report.json", "--counts", file)


def test_files_may_have_other_names_and_be_elsewhere(folder, capsys):
    (folder / "kept").mkdir()
    for name in ("original", "release", "holdout"):
        (folder / f"{name}.csv").rename(folder / "kept" / f"{name}-2026.csv")
    files = ["kept/original-2026.csv", "kept/release-2026.csv", "--holdout", "kept/holdout-2026.csv"]
    assert "Nothing." in printed(capsys, "verify", "report.json", *files)
    assert "holdout.csv" in refused(capsys, "verify", "report.json", *files[:2])


def test_other_files_are_named(folder, capsys):
    other = said(capsys, 1, "verify", "report.json", "holdout.csv", "release.csv", "--holdout", "original.csv").out
    assert "inputs.original.1 is" in other
    assert "counts.sha256 is" in other
    assert "Not shown: " in other
    assert "counts.sha256 is" in said(capsys, 1, "verify", "report.json", "original.csv", "holdout.csv").out  # which is its holdout, too
    printed(capsys, "count", "original.csv", "release.csv", "--keys", "educ,PID", "--target", "vote", "--out", "counts.csv")
    without = said(capsys, 1, "verify", "report.json", "--counts", "counts.csv").out
    assert "counts.sha256 is" in without
    assert "measures.holdout_cap" in without.partition("not recomputed")[2].partition("What differs")[0]


def test_100_of_100_single_bytes_that_change_are_found(folder, capsys):
    """In the record, in the original and in the release: 40, 30 and 30 of them."""
    rng = random.Random(1)
    found = []
    for name, times in (("report.json", 40), ("original.csv", 30), ("release.csv", 30)):
        content = Path(name).read_bytes()
        for _ in range(times):
            place = rng.randrange(len(content))
            other = rng.choice([x for x in range(256) if x != content[place]])
            Path(name).write_bytes(content[:place] + bytes([other]) + content[place + 1 :])
            files = [] if name == "report.json" else ["original.csv", "release.csv"]
            found.append(main(["verify", "report.json", *files]))
        Path(name).write_bytes(content)
    capsys.readouterr()
    assert len(found) == 100
    assert set(found) <= {1, 2}  # 2: the file is no table any more
    assert set(found[:40]) == {1}


def test_a_limit_in_a_configuration_has_its_reasons_and_the_status_says_its_verdict(folder, capsys):
    config = 'original = "original.csv"\nsynthetic = "release.csv"\nkeys = ["educ", "PID"]\ntarget = "vote"\n'
    config += '[limits.{}]\nlimit = {}\naudience = "researchers"\nwhy = "as many as of a fresh sample"\nwho = "committee"\n'
    for measure, limit, status, verdict in (
        ("share_certain", 1, 0, "kept"),
        ("share_certain", 0.001, 1, "broken"),
        ("original_gain", 1, 2, None),  # which needs a holdout
        ("copied_beyond_chance", 0, 1, "could not be told"),
    ):
        Path("risk.toml").write_text(config.format(measure, limit), encoding="utf-8")
        out = said(capsys, status, "audit", "--config", "risk.toml", "--copy-columns", "0", "--json").out
        if verdict:
            (found,) = records.read(out)["limits"]
            assert (found["verdict"], found["audience"], found["who"]) == (verdict, "researchers", "committee")
            assert records.read(out)["verdict"] == verdict
            Path("judged.json").write_text(out, encoding="utf-8")
            assert "Nothing." in printed(capsys, "verify", "judged.json", "original.csv", "release.csv")
    Path("risk.toml").write_text(config.format("baseline", '"x"'), encoding="utf-8")
    assert "`limits['baseline']` must be a number" in refused(capsys, "audit", "--config", "risk.toml")
    Path("risk.toml").write_text(config.format("baseline_excess", '"x"').replace("target =", "targets ="), encoding="utf-8")
    assert "`limits['baseline_excess']` must be a number" in refused(capsys, "audit", "--config", "risk.toml")


def test_several_releases_keep_their_names(folder, capsys):
    Path("b.csv").write_bytes(Path("holdout.csv").read_bytes())
    both = ["original.csv", "release.csv", "b.csv", *GIVEN[2:], "--against", "b.csv", "--rank-by=-share_certain"]
    assert "At a glance" in printed(capsys, "audit", *both, "--utility", "u=b.csv:1,release.csv:2", "--json", "two.json")
    assert "Nothing." in printed(capsys, "verify", "two.json", *both[:3])
    turned = ["original.csv", "b.csv", "release.csv"]
    assert "The releases must be release.csv and b.csv, in this order" in refused(capsys, "verify", "two.json", *turned)
    printed(capsys, "count", *both[:3], *GIVEN[2:], "--out", "counts.csv")
    assert "Nothing." in printed(capsys, "verify", "two.json", "--counts", "counts.csv")


def test_the_record_of_many_targets_is_verified_from_the_files(folder, capsys):
    many = ["original.csv", "release.csv", "--keys", "educ,PID", "--targets", "vote,income", "--fail-above", "baseline=0.1"]
    Path("many.json").write_text(said(capsys, 1, "audit", *many, "--json").out, encoding="utf-8")
    record = records.read(Path("many.json").read_text(encoding="utf-8"))
    assert [x["verdict"] for x in record["limits"]] == ["broken", "kept" if record["limits"][1]["value"] <= 0.1 else "broken"]
    assert "Nothing." in printed(capsys, "verify", "many.json", "original.csv", "release.csv")
    Path("release.csv").write_bytes(Path("holdout.csv").read_bytes())
    assert "targets.1." in said(capsys, 1, "verify", "many.json", "original.csv", "release.csv").out
    assert "--counts is for the record of one target" in refused(capsys, "verify", "many.json", "--counts", "counts.csv")


def test_the_example_is_verified_without_files(folder, capsys):
    Path("example.json").write_text(printed(capsys, "audit", "--example", "titanic", "--json"), encoding="utf-8")
    assert "numbers from the files" in printed(capsys, "verify", "example.json")


def test_a_record_that_python_wrote_is_verified_from_counts(folder, capsys):
    people = anes96()
    tables = tabulate(people[::2], people[1::2], keys="educ", target="vote")
    write_counts(tables, "counts.csv")
    Path("python.json").write_text(audit(tables, limits={"baseline": 0.1}, population_size=9000).to_json(), encoding="utf-8")
    assert "Nothing." in printed(capsys, "verify", "python.json", "--counts", "counts.csv")
    assert "The record is one of counts. Give --counts" in refused(capsys, "verify", "python.json", "original.csv", "release.csv")


def test_a_record_that_python_wrote_of_files_is_verified_as_one_of_the_command_line(folder, capsys):
    """Its settings are those that the command line records, so that a configuration repeats it."""
    options = {"bins": {"age": ("quantile", 3)}, "types": {"educ": "text"}, "null_values": {"PID": [9]}, "allow_unused_codes": True}
    given = {"keys": ("educ", "PID", "age"), "target": "vote", "holdout": Path("holdout.csv"), "limits": {"baseline": 0.9}}
    found = audit("original.csv", Path("release.csv"), **given, **options, weights=("popul", None), progress=False)
    Path("python.json").write_text(found.to_json(), encoding="utf-8")
    assert "numbers from the files" in printed(capsys, "verify", "python.json", "original.csv", "release.csv")
    settings = found.provenance["settings"]
    Path("again.toml").write_text(as_toml(settings), encoding="utf-8")
    again = records.read(printed(capsys, "audit", "--config", "again.toml", "--json"))
    assert again["provenance"]["settings"] == {**settings, "json": True}
    assert {**again, "provenance": None, "digest": None} == {**found.to_dict(), "provenance": None, "digest": None}
    assert "Settings with which the audit can be repeated" in found.to_html()


def test_of_many_targets_and_of_frames_too(folder, capsys):
    found = audit_targets("original.csv", {x: x for x in ("release.csv", "holdout.csv")}, keys="educ", targets=["vote", "income"])
    Path("many.json").write_text(found.to_json(), encoding="utf-8")
    assert "Nothing." in printed(capsys, "verify", "many.json", "original.csv", "release.csv", "holdout.csv")
    frames = [pd.read_csv(f"{name}.csv", dtype=str) for name in ("original", "release")]
    found = audit(*frames, keys="educ", target="vote")
    assert found.provenance["settings"] == {"keys": ["educ"], "target": ["vote"]}
    Path("frames.json").write_text(found.to_json(), encoding="utf-8")
    assert "Nothing." in printed(capsys, "verify", "frames.json", "original.csv", "release.csv")
    assert "Settings with which" not in found.to_html()
    labelled = audit(frames[0], dict(zip("ab", frames, strict=True)), keys="educ", target="vote", allow_same=True)
    Path("labelled.json").write_text(labelled.to_json(), encoding="utf-8")
    assert "The releases must be a and b" in refused(capsys, "verify", "labelled.json", *["original.csv", "original.csv", "release.csv"])


def test_another_version_of_a_library_is_said(folder, capsys):
    text = Path("report.json").read_text(encoding="utf-8")
    version = json.loads(text)["versions"]["numpy"]
    Path("report.json").write_text(text.replace(f'"numpy": "{version}"', '"numpy": "1.0"'), encoding="utf-8")
    assert f"made with   numpy 1.0 (now {version})" in said(capsys, 1, "verify", "report.json").out


def test_what_does_not_go_together_is_refused(folder, capsys):
    assert "give REPORT" in refused(capsys, "verify")
    assert "--counts takes the place of the records" in refused(capsys, "verify", "report.json", "original.csv", "--counts", "counts.csv")
    assert "cannot read or write 'absent.json'" in refused(capsys, "verify", "absent.json")


def test_a_hostile_record_is_refused_and_controls_no_terminal(folder, capsys):
    record = json.loads(Path("report.json").read_text(encoding="utf-8"))
    record["provenance"]["settings"]["keys"] = {"a": 1}
    Path("report.json").write_text(json.dumps(record), encoding="utf-8")
    assert "`keys` must be a column, or a list of them" in refused(capsys, "verify", "report.json", "original.csv", "release.csv")
    Path("evil.json").write_text('{"schema": {"name": "\\u001b[2J", "version": 1}}', encoding="utf-8")
    out, err = said(capsys, 1, "verify", "evil.json")
    assert "\x1b" not in out
    assert err == ""
