"""Columns and a text go into a file of Parquet and come back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from capstats.sources.parquet import is_parquet, metadata_of, read_parquet, write_parquet


def test_columns_and_the_text_come_back(tmp_path: Path) -> None:
    path = tmp_path / "it's [1].parquet"
    path.touch()
    text = "it's \" ☃ {x: '1'}"
    columns = [["x", None, ""], ["2020-01-01", None, "0001-01-01"], np.arange(3)]
    write_parquet(path, ['a"', "A", "b"], ["VARCHAR", "DATE", "BIGINT"], columns, "my key", text)
    assert is_parquet(path)
    assert metadata_of(path, "my key") == text
    assert metadata_of(path, "other") is None
    a, day, b = read_parquet(path, ["VARCHAR", "VARCHAR", "BIGINT"])
    assert [a[0], a[2], day[0], day[2]] == ["x", "", "2020-01-01", "0001-01-01"]
    assert a[1] != a[1] or a[1] is None
    assert b.tolist() == [0, 1, 2]


def test_a_damaged_file_is_told_without_its_content(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"PAR1secret")
    assert is_parquet(path)
    with pytest.raises(ValueError, match=r"t.parquet' cannot be read: .*Restore it from a copy") as error:
        metadata_of(path, "my key")
    assert "secret" not in str(error.value)


def test_what_cannot_be_written_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="cannot be written"):
        write_parquet(tmp_path / "absent" / "t.parquet", ["a"], ["BIGINT"], [np.arange(3)], "k", "")
