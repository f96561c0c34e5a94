"""A new file takes the place of an old one as a whole, or leaves it as it was; see also the tests of confidential files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from capstats.sources.new_files import beside


def failing(path: Path, seen: list[Path]) -> None:
    with beside(path) as (handle, new):
        os.write(handle, b"half")
        os.close(handle)
        seen.append(new.parent)
        assert stat.S_IMODE(new.stat().st_mode) in (0o600, 0o666)  # the latter where the system knows no rights
        raise ZeroDivisionError


def test_what_fails_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    old = tmp_path / "a.csv"
    old.write_text("old")
    seen: list[Path] = []
    with pytest.raises(ZeroDivisionError):
        failing(old, seen)
    assert seen == [tmp_path]
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert old.read_text() == "old"
