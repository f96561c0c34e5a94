"""A hash is of the file that was read, or it is said that the file is another one."""

import hashlib
import os

import pytest

from capstats import audit
from capstats.auditing.record import files_seen, fingerprints

pytestmark = pytest.mark.slow


def test_a_file_of_another_size_or_time_has_changed_and_one_that_is_gone_cannot_be_read(tmp_path):
    names = [str(tmp_path / name) for name in ("longer", "touched", "gone", "same")]
    for name in names:
        (tmp_path / name).write_bytes(b"k,t\na,x\n")
    seen = files_seen({"files": {"original": names}})
    (tmp_path / "longer").write_bytes(b"k,t\na,x\nb,y\n")
    os.utime(tmp_path / "touched", ns=(0, 0))
    (tmp_path / "gone").unlink()
    told = [text.partition(" ")[0] if text.startswith("sha256") else text for _, text in fingerprints(seen)]
    assert told == ["has changed since it was read", "has changed since it was read", "cannot be read any more", "sha256"]


def test_a_relative_path_stays_that_of_the_folder_in_which_it_was_read(tmp_path, monkeypatch):
    (tmp_path / "a.csv").write_bytes(b"k,t\na,x\n")
    (tmp_path / "b").mkdir()
    monkeypatch.chdir(tmp_path)
    found = audit("a.csv", "a.csv", allow_same=True, keys="k", target="t")
    monkeypatch.chdir(tmp_path / "b")
    ((name, text),) = fingerprints(found.seen)
    assert (name, text) == ("a.csv", f"sha256 {hashlib.sha256((tmp_path / 'a.csv').read_bytes()).hexdigest()}")


@pytest.mark.parametrize("audience", ["internal", "public"])
def test_a_report_is_not_written_over_a_file_that_was_read_under_any_name(audience, tmp_path):
    for name, values in {"o.csv": "aab", "s.csv": "abb"}.items():
        (tmp_path / name).write_text("\n".join(["k,t", *(f"{k},x" for k in values * 20)]), encoding="utf-8")
    os.link(tmp_path / "o.csv", tmp_path / "hard")
    (tmp_path / "soft").symlink_to("s.csv")
    before = [(tmp_path / name).read_bytes() for name in ("o.csv", "s.csv")]
    found = audit(tmp_path / "o.csv", str(tmp_path / "s.csv"), keys="k", target="t")
    for name in ("o.csv", "s.csv", "hard", "soft"):
        with pytest.raises(ValueError, match=r"`path` is '.*', which is read as well. Give another path."):
            found.to_html(tmp_path / name, audience, ledger=tmp_path / "ledger.json")
    assert [(tmp_path / name).read_bytes() for name in ("o.csv", "s.csv")] == before
    (tmp_path / "s.csv").unlink()
    for _ in range(2):
        found.to_html(tmp_path / "r.html", audience, ledger=tmp_path / "ledger.json")
