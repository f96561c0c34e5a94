"""A second public report of an original is made knowingly, or not at all; the ledger is as confidential as the original."""

import json
import os
import stat
import subprocess
import sys
import threading
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from front_sheets import people

from capstats import audit
from capstats.auditing import ledger as ledgers
from capstats.auditing.ledger import published


def audited(original=None, released=None, keys=("k", "u"), target="t", **options):
    original, released = people(300) if original is None else original, people(200, 1) if released is None else released
    return audit(original, released, keys=list(keys), target=target, **options)


@pytest.fixture(scope="module")
def found():
    return audited()


def enter(found, path, threshold=10, reason=None, **more):
    """What a public report does before it is written."""
    published(found, threshold, path, reason, **more)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "ledger.json"


def entries(path):
    return json.loads(path.read_text(encoding="utf-8"))["published"]


def test_a_public_report_needs_a_ledger_and_makes_it(tmp_path, path):
    page = tmp_path / "public.html"
    with pytest.raises(ValueError, match="A public report needs `ledger`: a file, as confidential as the original"):
        audited().to_html(page, audience="public")
    assert not page.exists()
    audited().to_html(page, audience="public", ledger=path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(x.name for x in tmp_path.iterdir()) == ["ledger.json", "public.html"]
    assert not any(name in path.read_text(encoding="utf-8") for name in ("public.html", str(tmp_path)))


def test_the_same_report_may_be_made_again(found, path):
    """From records in another order, with columns in another order, or from counts; labels 1 and 1.0 are one."""
    enter(found, path)
    written = path.read_bytes()
    frame = pd.DataFrame(people(300))
    counts = frame.value_counts().rename("n").reset_index()
    for other, options in (
        (frame.sample(frac=1, random_state=1)[["t", "u", "k"]], {}),
        (frame.astype({"k": float}), {"keys": ("u", "k")}),
        (counts, {"counts": ("n", None)}),
        (frame, {"backing": "sparse"}),
    ):
        enter(audited(other, **options), path)
        assert path.read_bytes() == written


def test_the_order_of_releases_and_what_they_are_compared_with_tell_nothing_new(path):
    """Differences are those of printed numbers."""
    a, b = people(200, 1), people(150, 2)
    enter(audited(released={"a": a, "b": b}, against="a"), path)
    enter(audited(released={"b": b, "x": a}), path)
    assert len(entries(path)) == 1


ONE_JOINED = {name: [*column, 1] for name, column in people(300).items()}


@pytest.mark.parametrize(
    ("other", "threshold", "words"),
    [
        ({"original": ONE_JOINED}, 10, "another original"),
        ({"original": {name: column[1:] for name, column in people(300).items()}}, 10, "another original"),
        ({"released": people(201, 1)}, 10, "other releases"),
        ({"released": {"a": people(200, 1), "b": people(200, 2)}}, 10, "other releases"),
        ({"holdout": people(200, 7)}, 10, "another holdout"),
        ({"keys": ("k",)}, 10, "other keys"),
        ({"keys": ("k",), "target": "u"}, 10, "other keys and another target"),
        ({}, 11, "another threshold"),
        ({"original": ONE_JOINED}, 11, "another original and another threshold"),
        ({"missing": "drop"}, 10, "another treatment of missing values"),
        ({"original": {**people(300), "w": [1.0, 2.0] * 150}, "weights": ("w", None)}, 10, "another original"),
    ],
)
def test_another_report_is_refused_unless_a_reason_is_given(other, threshold, words, found, path):
    enter(found, path)
    written, another = path.read_bytes(), audited(**other)
    with pytest.raises(ValueError, match=rf"has a public report of \d{{4}}-\d\d-\d\d with {words}\. Two reports together"):
        another.to_html(path.with_name("public.html"), audience="public", threshold=threshold, ledger=path)
    assert [path.read_bytes()] == [written] == [x.read_bytes() for x in path.parent.iterdir()]
    for _ in range(2):
        enter(another, path, threshold, "the first was withdrawn")
    assert [entry["reason"] for entry in entries(path)] == [None, "the first was withdrawn"]
    enter(found, path)  # both may be made again
    enter(another, path, threshold)
    assert len(entries(path)) == 2


def test_weights_that_differ_in_their_last_digits_are_the_same(path):
    """Their sums depend on the order of the records."""
    rng = np.random.default_rng(0)
    records = pd.DataFrame({**people(300), "w": rng.random(300) + 1})
    for table in (records, records.sample(frac=1, random_state=3)):
        enter(audited(table, weights=("w", None)), path, threshold=2)
    assert len(entries(path)) == 1


def test_a_version_that_prints_other_numbers_of_the_same_data_is_another_report(found, path):
    enter(found, path)
    kept = json.loads(path.read_text(encoding="utf-8"))
    kept["published"][0]["numbers"] = "0" * 64
    path.write_text(json.dumps(kept), encoding="utf-8")
    with pytest.raises(ValueError, match="with other numbers, from another version of capstats"):
        enter(found, path)


def test_a_refusal_says_how_many_pages_there_would_be_and_from_the_ninth_on_its_number_is_needed(found, path):
    for page in range(1, 9):
        with pytest.raises(ValueError, match=f"this would be page {page} of this original") if page > 1 else nullcontext():
            enter(found, path, threshold=page + 1)
        if page > 1:
            enter(found, path, threshold=page + 1, reason="a series")
    for despite in (None, 8, 10):
        with pytest.raises(
            ValueError,
            match=r"This would be page 9 of this original: more than 8 together can prove .* despite_pages=9 \(--despite-pages 9\)",
        ):
            enter(found, path, threshold=10, reason="a series", despite_pages=despite)
    assert len(entries(path)) == 8
    enter(found, path, threshold=5)  # one of them again
    enter(found, path, threshold=10, reason="a series", despite_pages=9)
    assert len(entries(path)) == 9
    for wrong in (True, "9", 0, 9.0):
        with pytest.raises(ValueError, match="`despite_pages` must be the number of the page"):
            enter(found, path, threshold=11, reason="a series", despite_pages=wrong)


@pytest.mark.parametrize("reason", ["", "  ", 3])
def test_a_reason_is_a_text(found, reason, path):
    with pytest.raises(ValueError, match="`reason` must say why another report is published"):
        enter(found, path, reason=reason)
    assert not path.exists()


def test_a_ledger_that_others_can_read_is_refused(found, path):
    enter(found, path)
    path.chmod(0o640)
    with pytest.raises(ValueError, match=r"is open to others \(mode 640\).* chmod 600"):
        enter(found, path)


def test_a_ledger_is_not_read_or_written_through_a_link(found, path, tmp_path):
    enter(found, path)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    with pytest.raises(ValueError, match="is a symbolic link"):
        enter(found, link)
    link.unlink()
    link.symlink_to(tmp_path / "nobody.json")
    with pytest.raises(ValueError, match="is a symbolic link"):
        enter(found, link)
    assert not (tmp_path / "nobody.json").exists()


DAMAGED = [
    "", "{", "[]", "{}", '{"capstats ledger": 1}', '{"capstats ledger": 1, "published": [{}]}',
    '{"capstats ledger": "1", "published": []}', "\udcff", "[" * 9999,
]  # fmt: skip
NEWER = '{"capstats ledger": 2, "published": []}'


@pytest.mark.parametrize("text", [*DAMAGED, NEWER])
def test_a_ledger_that_is_damaged_or_of_a_newer_version_stays_as_it_is(found, text, path):
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    path.chmod(0o600)
    why = "has the format 2 of a newer capstats; update capstats" if text == NEWER else "is damaged, or no ledger; restore it from a copy"
    with pytest.raises(ValueError, match=why):
        enter(found, path)
    assert path.read_bytes() == text.encode("utf-8", "surrogateescape")


def test_a_pipe_or_a_folder_is_no_ledger(found, path, tmp_path):
    os.mkfifo(path)
    with pytest.raises(ValueError, match="is no regular file"):
        enter(found, path)
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises((ValueError, OSError)):
        enter(found, folder)


def test_the_page_does_not_replace_the_ledger(path):
    with pytest.raises(ValueError, match="`ledger` and `path` are both"):
        audited().to_html(path, audience="public", ledger=path)
    assert not path.exists()


def test_a_page_that_cannot_be_written_leaves_an_entry_and_can_be_made_later(path, tmp_path):
    with pytest.raises(FileNotFoundError):
        audited().to_html(tmp_path / "nowhere" / "public.html", audience="public", ledger=path)
    assert len(entries(path)) == 1
    audited().to_html(tmp_path / "public.html", audience="public", ledger=path)
    assert len(entries(path)) == 1


def test_of_two_reports_at_once_only_one_is_published(found, path):
    """Each is alone with the ledger; one that finds it taken says so and enters nothing."""
    made, refused = [], []

    def make(threshold):
        try:
            made.append(published(audits[threshold], threshold, path, None))
        except ValueError as error:
            refused.append(str(error))

    audits = dict.fromkeys(range(5, 11), found)
    threads = [threading.Thread(target=make, args=[threshold]) for threshold in audits]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == len(entries(path)) == 1
    assert len(refused) == 5
    assert [x.name for x in path.parent.iterdir()] == ["ledger.json"]


HELD = """
import sys, time
from pathlib import Path
if sys.argv[2] == "without":
    sys.modules["fcntl"] = None  # as on Windows
from capstats.auditing.ledger import _locked
with _locked(Path(sys.argv[1])):
    print("locked", flush=True)
    time.sleep(600)
"""


def killed_within(path, fcntl):
    """A process that was killed by signal 9 while it held the lock of a ledger."""
    process = subprocess.Popen([sys.executable, "-c", HELD, str(path), fcntl], stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    yield
    process.kill()
    process.communicate()
    yield


def test_a_lock_ends_with_its_process_though_that_is_killed(found, path):
    process = killed_within(path, "with")
    next(process)
    with pytest.raises(ValueError, match=r"ledger\.json\.lock' is locked: another report is being entered"):
        enter(found, path)
    next(process)
    assert path.with_name("ledger.json.lock").exists()
    enter(found, path)
    assert [x.name for x in path.parent.iterdir()] == ["ledger.json"]


def test_where_no_lock_ends_with_its_process_one_that_was_left_is_named(path):
    process = killed_within(path, "without")
    next(process)
    next(process)
    again = subprocess.run([sys.executable, "-c", HELD, str(path), "without"], capture_output=True, text=True, check=False, timeout=60)
    assert "there are no locks here that end with a process. Wait; if no capstats runs, remove that file" in again.stderr
    assert [x.name for x in path.parent.iterdir()] == ["ledger.json.lock"]


def test_a_lock_that_a_killed_process_left_is_taken(found, path):
    """Before it had written into it; test_a_lock_ends_with_its_process_though_that_is_killed has one that is written."""
    path.with_name("ledger.json.lock").touch()
    enter(found, path)
    assert [x.name for x in path.parent.iterdir()] == ["ledger.json"]


def test_a_ledger_that_cannot_be_written_publishes_nothing(path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ledgers, "write_file", full)
    with pytest.raises(OSError, match="No space left"):
        audited().to_html(path.with_name("public.html"), audience="public", ledger=path)
    assert not list(path.parent.iterdir())


def test_a_file_with_the_name_of_the_lock_is_not_said_to_be_one(found, tmp_path):
    (tmp_path / "uv.lock").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match="is no lock of a ledger"):
        found.to_html(audience="public", ledger=tmp_path / "uv")
    with pytest.raises(ValueError, match="the latter is the ledger's lock"):
        found.to_html(tmp_path / "l.json.lock", audience="public", ledger=tmp_path / "l.json")
    assert [path.name for path in tmp_path.iterdir()] == ["uv.lock"]
