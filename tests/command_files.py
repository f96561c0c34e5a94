"""Files that the tests of the command line read."""

import shutil
import webbrowser

import pytest

from capstats import expand
from capstats.datasets import smoking, titanic


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Records of the smokers and of the Titanic, in several files."""
    folder = tmp_path_factory.mktemp("files")
    tables = smoking()
    original, synthetic = (expand(table).astype(str) for table in (tables.o, tables.s))
    for name, frame in {"original": original, "synthetic": synthetic}.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
        frame.to_parquet(folder / f"{name}.parquet", index=False)
    synthetic[synthetic.smoking == "Smoking"].to_csv(folder / "smokers.csv", index=False)
    (folder / "elsewhere").mkdir()
    original.to_csv(folder / "elsewhere" / "synthetic.csv", index=False)
    renamed = {"smoking": "smoking, now", "health": "health=state"}
    original.rename(columns=renamed).to_csv(folder / "commas.csv", index=False)
    frame = titanic()
    frame["half"] = frame["count"] / 2 + 0.25
    frame.to_csv(folder / "titanic.csv", index=False)
    (folder / "gaps.csv").write_text("age,sick\n30,yes\n?,no\n,no\n40,-\n30,no\n")
    (folder / "folder.png").mkdir()
    (folder / "broken.parquet").write_bytes(b"this is no Parquet file, whatever its name says")
    (folder / "text.rds").write_bytes(b"\x1f\x8b")
    (folder / "ragged.csv").write_text("smoking,health\nSmoking,Sick\nSmoking\n")
    return folder


@pytest.fixture
def here(folder, tmp_path_factory, monkeypatch):
    """The current folder, with these files: one for each test, since a glob finds what others write."""
    here = tmp_path_factory.mktemp("here")
    shutil.copytree(folder, here, dirs_exist_ok=True)
    monkeypatch.chdir(here)
    return here


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """The addresses that a browser is asked to open, from an empty current folder."""
    found = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", lambda address: found.append(address) is None)
    return found
