"""Files, counted where they lie: CSV and Parquet through DuckDB, out of core; only distinct rows and their counts come back.

Nothing about a CSV file is guessed from its rows, since a guess may leave rows out: its names and its separator are those of
its header, ``#`` starts no comment, and a row with too few or too many fields is an error.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Hashable, Sequence
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from capstats.counts.codes import Column, Counts
from capstats.counts.frames import check_names, column_of, unmasked, whole_weights
from capstats.counts.labels import MISSING

if TYPE_CHECKING:
    import duckdb

_PARQUET = (".parquet", ".pq", ".parq")
_CSV = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_EXACT = ("DECIMAL", "HUGEINT", "UHUGEINT")  # types whose array form would be a float


def is_path(table: Any) -> bool:
    """Whether a table is a file, or a glob of files."""
    return isinstance(table, (str, Path))


def is_csv(table: Any) -> bool:
    """Whether it is one of CSV."""
    return is_path(table) and str(table).lower().endswith(_CSV)


def read(
    path: str | Path,
    columns: Sequence[Hashable],
    weight: Hashable | None,
    name: str,
    *,
    null_values: Sequence[str] | None = None,
    memory_limit: str | None = None,
) -> tuple[list[Column], Counts]:
    """Distinct rows of the named columns of a file or glob, and their counts or summed weights."""
    import duckdb

    wanted = [*columns, *([] if weight is None else [weight])]
    try:
        connection = duckdb.connect(config={} if memory_limit is None else {"memory_limit": memory_limit})
    except duckdb.Error as error:
        raise ValueError(f'`memory_limit` must be an amount such as "1GB"; got {memory_limit!r}.') from error
    with connection:
        try:
            files = _files(connection, path, name)
            if files[0].lower().endswith(_PARQUET):
                table = _parquet(connection, files, wanted, name)
            else:
                table = _csv(connection, files, wanted, name, [""] if null_values is None else null_values)
            return _grouped(table, columns, weight, name)
        except (duckdb.Error, csv.Error, gzip.BadGzipFile, EOFError) as error:
            reason = " ".join(re.split(r"\n\s*Possible", str(error))[0].split())[:500]
            raise ValueError(f"`{name}` ({path}) cannot be read: {reason} Mend the file, or read it into a data frame first.") from error


def _files(connection: duckdb.DuckDBPyConnection, path: str | Path, name: str) -> list[str]:
    """The files that a path or a glob stands for, all of one format."""
    if Path(path).exists():
        files = [str(path)]
    else:
        files = [file for (file,) in connection.execute("SELECT file FROM glob(?) ORDER BY file", [str(path)]).fetchall()]
    if not files:
        raise FileNotFoundError(f"`{name}`: no file matches {str(path)!r}. Mend the path; it is relative to {str(Path.cwd())!r}.")
    for file in files:
        if not file.lower().endswith(_PARQUET if files[0].lower().endswith(_PARQUET) else _CSV):
            raise ValueError(
                f"`{name}` is {file!r}; files are read by their ending, all of one format: {', '.join(_PARQUET)} or {', '.join(_CSV)}. "
                f"Rename it, or read it into a data frame first."
            )
    return files


def _escaped(file: str) -> str:
    """A file's own name, for DuckDB, which would take it for a pattern."""
    return "".join(f"[{c}]" if c in "*?[" else c for c in file)


def _parquet(connection: duckdb.DuckDBPyConnection, files: list[str], wanted: Sequence[Hashable], name: str) -> Any:
    """The wanted columns as c0, c1, ..."""
    table = connection.sql("SELECT * FROM read_parquet(?, hive_partitioning = false)", params=[list(map(_escaped, files))])
    check_names(wanted, table.columns, name)
    return table.select(", ".join(f"{_quoted(str(c))} AS c{i}" for i, c in enumerate(wanted)))


def _csv(connection: duckdb.DuckDBPyConnection, files: list[str], wanted: Sequence[Hashable], name: str, nulls: Sequence[str]) -> Any:
    """The same; files with the same header are read together."""
    groups: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for file in files:
        groups.setdefault(("gzip" if _is_gzip(file) else "none", *_header(file)), []).append(file)
    null = "" if "" in nulls else next(iter(nulls), "\0")
    others = ", ".join(_literal(x) for x in nulls if x)
    table: Any = None
    for (compression, separator, names), group in groups.items():
        check_names(wanted, names, name)
        fields = ", ".join(f"'f{i}': 'VARCHAR'" for i in range(len(names)))
        rows = connection.sql(
            f"SELECT * FROM read_csv(?, auto_detect = false, columns = {{{fields}}}, header = true, delim = ?, "
            "quote = '\"', escape = '\"', nullstr = ?, allow_quoted_nulls = false, hive_partitioning = false, compression = ?)",
            params=[list(map(_escaped, group)), separator, null, compression],
        )
        places = [names.index(str(column)) for column in wanted]
        chosen = [f"CASE WHEN f{p} NOT IN ({others}) THEN f{p} END" if others else f"f{p}" for p in places]
        part = rows.select(", ".join(f"{text} AS c{i}" for i, text in enumerate(chosen)))
        table = part if table is None else table.union(part)
    return table


def _is_gzip(file: str) -> bool:
    return file.lower().endswith(".gz")


def _header(file: str) -> tuple[str, tuple[str, ...]]:
    """The separator of a CSV file, and the names in its first line."""
    opener = gzip.open if _is_gzip(file) else open
    with opener(file, "rt", encoding="utf-8-sig", errors="replace", newline="") as lines:
        first = next(lines, "")
        bare = re.sub('"[^"]*"', "", first)
        separator = "\t" if file.lower().removesuffix(".gz").endswith(".tsv") else next((c for c in ",\t;|" if c in bare), ",")
        return separator, tuple(next(csv.reader(chain([first], lines), delimiter=separator), ()))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _grouped(table: Any, columns: Sequence[Hashable], weight: Hashable | None, name: str) -> tuple[list[Column], Counts]:
    types = list(map(str, table.types))
    parts = [f"c{i}::VARCHAR AS c{i}" if types[i].startswith(_EXACT) else f"c{i}" for i in range(len(columns))]
    groups = ", ".join(f"c{i}" for i in range(len(columns)))
    fractional = False
    counted = "count(*)"
    if weight is not None:
        fractional = _check_weights(table, f"c{len(columns)}", weight, name)
        parts.append(f"c{len(columns)}::DOUBLE AS w")
        counted = "sum(w)"
    arrays = table.select(", ".join(parts)).aggregate(f"{groups}, {counted}::DOUBLE AS n", groups).fetchnumpy()
    found = [_column(arrays[f"c{i}"], types[i], str(c), name) for i, c in enumerate(columns)]
    counts = np.asarray(arrays["n"])
    return found, counts if fractional else whole_weights(counts, weight, name)


def _check_weights(table: Any, weight: str, column: Hashable, name: str) -> bool:
    """Whether some weights are fractional; raise where one is no number, not finite or negative."""
    rows = table.select(f"{weight} AS given, TRY_CAST({weight} AS DOUBLE) AS w")
    bad = "w IS NULL OR NOT isfinite(w) OR w < 0"
    wrong, fractional = rows.aggregate(f"count(*) FILTER ({bad}), count(*) FILTER (w <> floor(w))").fetchall()[0]
    if wrong:
        numbered = rows.select("given, w, row_number() OVER () - 1 AS place")
        given, place = numbered.filter(bad).order("place").limit(1).select("given, place").fetchall()[0]
        raise ValueError(
            f"Weights must be numbers that are finite and not negative; column {column!r} of `{name}` has "
            f"{given!r} in row {place}, one of {wrong}. Drop those rows, or mend their weights."
        )
    return bool(fractional)


def _column(values: Any, dtype: str, column: str, name: str) -> Column:
    """DuckDB's array as codes; what its array form blurs (dates, zones, exact numbers) is told by its type."""
    if dtype.startswith(_EXACT):
        return column_of([x if x is None else Decimal(x) for x in unmasked(values)], column, name)
    found = column_of(values.astype("datetime64[D]") if dtype == "DATE" else values, column, name)
    if dtype.startswith("TIMESTAMPTZ") or dtype.endswith("ZONE"):
        found.labels = [x if x is MISSING else x.tz_localize("UTC") for x in found.labels]
    return found
