"""Parquet files of a few typed columns with a text among their metadata, written and read by DuckDB."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from capstats.sources.disk import connect, identifier, pattern_of, plain, quoted
from capstats.sources.source import Options

Stored = Literal["BIGINT", "DOUBLE", "BOOLEAN", "DATE", "VARCHAR"]
MAGIC = b"PAR1"  # first bytes of a file
DENSEST = 256  # the most bytes of values for each byte of a file: ten times what compression achieves


def is_parquet(path: str | Path) -> bool:
    """Whether a file begins as those of Parquet do."""
    with Path(path).open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def write_parquet(path: Path, names: Sequence[str], types: Sequence[Stored], columns: Sequence[Any], key: str, text: str) -> None:
    """Write columns, None where a value is missing, into a file that is there and empty; its metadata have the text under the key."""
    import duckdb

    frame = pd.DataFrame({f"c{i}": column for i, column in enumerate(columns)})
    given = ", ".join(f"CAST(c{i} AS {of}) AS {identifier(name)}" for i, (name, of) in enumerate(zip(names, types, strict=True)))
    how = f"FORMAT parquet, USE_TMP_FILE false, KV_METADATA {{{identifier(key)}: {quoted(text)}}}"
    with connect(Options(), [os.path.abspath(path)]) as connection:  # noqa: PTH100  as `connect` compares it, links and all
        connection.register("given", frame)
        try:
            connection.execute(f"COPY (SELECT {given} FROM given) TO {quoted(os.path.abspath(path))} ({how})")  # noqa: PTH100
        except duckdb.Error as error:
            raise OSError(None, f"it cannot be written ({type(error).__name__})") from None


def metadata_of(path: str | Path, key: str) -> str | None:
    """The text under a key of a file's metadata; None where there is none."""
    found = _asked(path, f"SELECT value FROM parquet_kv_metadata(?) WHERE decode(key) = {quoted(key)}")
    return bytes(found.value.tolist()[0]).decode() if len(found) else None


def width_of_parquet(path: str | Path) -> int:
    """How many columns a file has."""
    return _asked(path, "SELECT * FROM read_parquet(?) LIMIT 0").shape[1]


def check_parquet(path: str | Path, types: Sequence[Stored], labels: int, rows: int, longest: int) -> None:
    """Raise unless a file holds no more than its size allows, and its first columns hold distinct labels within the limits.

    The limits are ``rows``, and ``longest`` bytes of a label. DuckDB checks all of it out of core, before anything is read.
    """
    (said,) = _asked(path, "SELECT coalesce(sum(num_rows), 0) FROM parquet_file_metadata(?)").iloc[:, 0]
    (size,) = _asked(path, "SELECT coalesce(sum(total_uncompressed_size), 0) FROM parquet_metadata(?)").iloc[:, 0]
    names = [f"c{i}" for i in range(labels)]
    length = ", ".join(f"max(strlen({name}))" if of == "VARCHAR" else "0" for name, of in zip(names, types, strict=False))
    columns = ", ".join(names)
    if not said <= rows or not size <= DENSEST * Path(path).stat().st_size:
        raise ValueError("It holds more than it can.")
    lengths = _asked(path, f"SELECT {length} FROM ({_selected(types)})")
    (distinct,) = _asked(path, f"SELECT count(*) FROM (SELECT DISTINCT {columns} FROM ({_selected(types)}))").iloc[:, 0]
    if distinct != said or (lengths.fillna(0).to_numpy() > longest).any():
        raise ValueError("It holds other labels, or a row twice.")


def read_parquet(path: str | Path, types: Sequence[Stored]) -> list[Any]:
    """The columns of a file, as the given types; null where a value is missing."""
    found = _asked(path, _selected(types))
    return [found.iloc[:, i].to_numpy() for i in range(len(types))]


def _selected(types: Sequence[Stored]) -> str:
    """The columns of a file as c0, c1, ... of the given types."""
    names = [f"c{i}" for i in range(len(types))]
    columns = ", ".join(f"CAST({name} AS {of}) AS {name}" for name, of in zip(names, types, strict=True))
    return f"SELECT {columns} FROM read_parquet(?) AS t({', '.join(names)})"


def _asked(path: str | Path, question: str) -> pd.DataFrame:
    import duckdb

    file = os.path.abspath(path)  # noqa: PTH100
    with connect(Options(), [file]) as connection:
        try:
            found: pd.DataFrame = connection.execute(question, [pattern_of(file)]).df()
        except duckdb.Error as error:
            raise plain(error, repr(str(path)), "Restore it from a copy, or count the records again.") from None
    return found
