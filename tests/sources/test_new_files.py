"""A new file takes the place of an old one as a whole, or leaves it as it was; tests of what is written are those of confidential files."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from capstats.sources.new_files import beside


def test_the_new_file_is_private_and_goes_where_nothing_takes_its_name(tmp_path: Path) -> None:
    old = tmp_path / "a.csv"
    old.write_text("old")
    with pytest.raises(ZeroDivisionError), beside(old) as (handle, new):
        with open(handle, "w") as file:
            file.write("half")
        assert new.parent == tmp_path
        assert stat.S_IMODE(new.stat().st_mode) in (0o600, 0o666)  # the latter where the system knows no rights
        raise ZeroDivisionError
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    assert old.read_text() == "old"
