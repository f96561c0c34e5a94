"""A folder for temporary files for one test alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from capstats.sources import temporary_data


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's folder for temporary files, for this test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    temporary_data._remove_leftovers.cache_clear()
    return folder
