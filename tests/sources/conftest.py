"""A folder for temporary files for one test alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from capstats.sources import disk, relations


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The system's folder for temporary files, for this test alone."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    disk._remove_leftovers.cache_clear()
    return folder


@pytest.fixture(params=["pyarrow", "numpy"])
def with_and_without_pyarrow(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What DuckDB found is fetched through the library that is installed."""
    if request.param == "numpy":
        monkeypatch.setattr(relations.importlib.util, "find_spec", lambda name: None)
