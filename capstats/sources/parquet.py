"""Parquet files of a few typed columns with a text among their metadata, written and read by DuckDB."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from capstats.sources.connections import connect, identifier, pattern_of, plain, quoted
from capstats.sources.source import Options

Stored = Literal["BIGINT", "DOUBLE", "BOOLEAN", "DATE", "VARCHAR"]
MAGIC = b"PAR1"  # first bytes of a file


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
    found = _asked(path, f"SELECT value FROM parquet_kv_metadata(?) WHERE decode(key) = {quoted(key)}", 1)
    return found[0][0].decode() if len(found[0]) else None


def read_parquet(path: str | Path, types: Sequence[Stored]) -> list[Any]:
    """The columns of a file, as the given types; null where a value is missing."""
    names = [f"c{i}" for i in range(len(types))]
    columns = ", ".join(f"CAST({name} AS {of}) AS {name}" for name, of in zip(names, types, strict=True))
    return _asked(path, f"SELECT {columns} FROM read_parquet(?) AS t({', '.join(names)})", len(types))


def _asked(path: str | Path, question: str, columns: int) -> list[Any]:
    import duckdb

    file = os.path.abspath(path)  # noqa: PTH100
    with connect(Options(), [file]) as connection:
        try:
            found = connection.execute(question, [pattern_of(file)]).df()
        except duckdb.Error as error:
            raise plain(error, repr(str(path)), "Restore it from a copy, or count the records again.") from None
    return [found.iloc[:, i].to_numpy() for i in range(columns)]
