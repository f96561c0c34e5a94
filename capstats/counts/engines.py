"""Files, counted where they lie: CSV and Parquet through DuckDB, out of core; only distinct rows and their counts come back."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from capstats.counts.codes import Column, Counts
from capstats.counts.frames import column_of, whole_weights
from capstats.counts.labels import hint

if TYPE_CHECKING:
    import duckdb

_PARQUET = (".parquet", ".pq", ".parq")
_CSV = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")


def is_path(table: Any) -> bool:
    return isinstance(table, (str, Path))


def is_csv(table: Any) -> bool:
    return is_path(table) and str(table).lower().endswith(_CSV)


def read(
    path: str | Path,
    columns: Sequence[str],
    weight: str | None,
    name: str,
    *,
    null_values: Sequence[str] | None = None,
    memory_limit: str | None = None,
) -> tuple[list[Column], Counts]:
    """Distinct rows of the named columns of a file or glob, and their counts or summed weights."""
    import duckdb

    with duckdb.connect(config={} if memory_limit is None else {"memory_limit": memory_limit}) as connection:
        try:
            table = _scan(connection, path, name, null_values)
            names = table.columns
            for column in [*columns, *([] if weight is None else [weight])]:
                if column not in names:
                    raise ValueError(f"Column {column!r} is not in `{name}` ({path})." + hint(column, names))
            grouped, counts = _grouped(table, columns, weight, name)
        except duckdb.Error as error:
            reason = str(error).strip().splitlines()[0]
            raise ValueError(f"`{name}` ({path}) cannot be read: {reason}") from error
    return grouped, counts


def _scan(connection: duckdb.DuckDBPyConnection, path: str | Path, name: str, null_values: Sequence[str] | None) -> Any:
    files = str(path)
    if Path(path).exists():
        files = "".join(f"[{c}]" if c in "*?[" else c for c in files)  # a file's own name is no pattern
        first = str(path)
    else:
        found = connection.execute("SELECT file FROM glob(?) ORDER BY file", [files]).fetchall()
        if not found:
            raise FileNotFoundError(f"`{name}`: no file matches {files!r}.")
        first = found[0][0]
    if first.lower().endswith(_PARQUET):
        return connection.sql("SELECT * FROM read_parquet(?)", params=[files])
    if not first.lower().endswith(_CSV):
        raise ValueError(
            f"`{name}` is {first!r}; files are read by their ending: {', '.join(_PARQUET)} or {', '.join(_CSV)}. "
            f"Rename it, or read it into a data frame first."
        )
    nulls = [""] if null_values is None else list(null_values)
    table = connection.sql(
        "SELECT * FROM read_csv(?, all_varchar = true, header = true, delim = ?, quote = '\"', escape = '\"', "
        "nullstr = ?, allow_quoted_nulls = false)",
        params=[files, _delimiter(first), "" if "" in nulls else "\0"],
    )
    others = [x for x in nulls if x]
    if not others:
        return table
    texts = ", ".join(_literal(x) for x in others)
    return table.select(", ".join(f"CASE WHEN {_quoted(c)} NOT IN ({texts}) THEN {_quoted(c)} END AS {_quoted(c)}" for c in table.columns))


def _delimiter(file: str) -> str:
    """A tab in .tsv, otherwise a comma, unless the header has none and has another separator."""
    opener = gzip.open if file.lower().endswith(".gz") else open
    with opener(file, "rt", encoding="utf-8", errors="replace") as lines:
        header = next(lines, "")
    if ".tsv" in file.lower() or ("\t" in header and "," not in header):
        return "\t"
    return ";" if ";" in header and "," not in header else ","


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _grouped(table: Any, columns: Sequence[str], weight: str | None, name: str) -> tuple[list[Column], Counts]:
    parts = [f"{_quoted(c)} AS c{i}" for i, c in enumerate(columns)]
    groups = ", ".join(f"c{i}" for i in range(len(columns)))
    counted = "count(*)"
    if weight is not None:
        parts.append(f"TRY_CAST({_quoted(weight)} AS DOUBLE) AS w")
        counted = "sum(w)"
    rows = table.select(", ".join(parts))
    if weight is not None:
        _check_weights(table, rows, weight, name)
    grouped = rows.aggregate(f"{groups}, {counted}::DOUBLE AS n", groups)
    types = [str(t) for t in grouped.types]
    arrays = grouped.fetchnumpy()
    found = [_column(arrays[f"c{i}"], types[i], c, name) for i, c in enumerate(columns)]
    return found, whole_weights(np.asarray(arrays["n"]), weight if weight is not None else "records", name)


def _check_weights(table: Any, rows: Any, weight: str, name: str) -> None:
    bad = rows.filter("w IS NULL OR NOT isfinite(w) OR w < 0").aggregate("count(*)").fetchone()[0]
    if bad:
        example = table.filter(
            f"TRY_CAST({_quoted(weight)} AS DOUBLE) IS NULL OR NOT isfinite(TRY_CAST({_quoted(weight)} AS DOUBLE)) "
            f"OR TRY_CAST({_quoted(weight)} AS DOUBLE) < 0"
        ).select(_quoted(weight))
        raise ValueError(
            f"Weights must be numbers that are finite and not negative; column {weight!r} of `{name}` has {bad} other values, "
            f"such as {example.fetchone()[0]!r}. Drop those rows, or mend their weights."
        )


def _column(values: Any, dtype: str, column: str, name: str) -> Column:
    """DuckDB's array as codes; what its array form blurs (dates, zones) is told by its type."""
    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    if dtype == "DATE" or dtype.startswith("TIMESTAMP"):
        ticks = np.array(values.filled(np.datetime64("NaT")) if mask is not None else values)
        if mask is not None:
            ticks[mask] = np.datetime64("NaT")
        found = column_of(ticks.astype("datetime64[D]") if dtype == "DATE" else ticks, column, name)
        if "ZONE" in dtype:
            found.labels = [x if not hasattr(x, "tz_localize") else x.tz_localize("UTC") for x in found.labels]
        return found
    return column_of(values, column, name)
