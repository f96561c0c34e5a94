r"""CSV files as one relation of the wanted columns: DuckDB reads what leaves no doubt, and the rest is split into records here.

`csv_rules` says why not all files are given to DuckDB. A file is surveyed first, as a whole (`survey`), and goes one of three ways:

1. *File.* It is UTF-8 and ordinary throughout: DuckDB reads it itself, in parallel, with every option given, so that it guesses nothing.
   The survey has counted its records; where DuckDB finds another number, or raises, the file is read again by the third way.
2. *Text.* It has another encoding or compression, or a first line that DuckDB would take for something else: its ordinary stretches are
   decoded, written to a file in memory and read by DuckDB from there. A stretch in which DuckDB finds another number of records is taken
   back.
3. *Records.* From the first doubt on, the text is split record by record (`chosen_values`). This is many times slower.

The last two ways fill a table of DuckDB's that holds the wanted columns only, as distinct rows with their number, does not exceed the
memory limit of DuckDB, and leaves nothing behind. The survey costs one pass over the text; in return no irregular file is counted wrong.

*Ordinary stretches* (`look`). A stretch of text is ordinary where every reader splits it into the same records: all lines end alike
(``\n`` or ``\r\n``), a quote opens right after a separator or the start of a line and closes right before a separator or the end of one,
and all records together have the right number of separators. These conditions need no record to be split. They are comparisons of whole
arrays of bytes: where the separators, line ends and quotes are, and which bytes are inside of quotes, which is the parity of the quotes
before them (`_inside`). One record with a field too few and one with a field too many would pass the sum of separators: DuckDB refuses
them, and the text is then split here.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from itertools import chain
from numbers import Number
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes.declared_types import Type
from capstats.codes.missing_codes import in_quotes
from capstats.codes.progress import Step
from capstats.sources.csv_rules import (
    COMPRESSED,
    Header,
    Malformed,
    chosen_values,
    codec,
    first_rows,
    has_mark,
    read_header,
    with_words_kept,
)
from capstats.sources.disk import SCRATCH, pattern_of, private_folder, quoted
from capstats.sources.source import Options, Query, check_columns, renamed

if TYPE_CHECKING:
    import duckdb

LONGEST = 1 << 20  # bytes of a record of an ordinary stretch; DuckDB's readers take 2 MB
WIDE = 1000  # columns beyond which DuckDB takes seconds to begin
LOADED = 1 << 23  # bytes of text that DuckDB loads at a time
POINT = "capstats: a point in "  # before the name of a column


# DuckDB reads the file itself, or stretches of its text; or it is split into records here
Reader = Literal["file", "text", "records"]


@dataclass(frozen=True)
class Surveyed:
    """A CSV file, and how it is to be read."""

    file: str
    encoding: str
    header: Header
    stopped: Event | None = None  # set when its text is no longer needed
    reader: Reader = "records"
    words: tuple[str, ...] = ()  # that the file may have in quotes, and that would be codes of missing values without them
    records: int = 0  # of a file that DuckDB reads itself
    broken: bool = False  # whether a quoted field holds the end of a line

    @property
    def compression(self) -> str:
        """The compression that DuckDB decompresses."""
        return "gzip" if self.file.lower().endswith(".gz") else "none"

    def body(self) -> Iterator[bytes]:
        """The text after the header."""
        return read_header(self.file, self.encoding, self.header.before, self.stopped)[1]


def header_of(file: str, encoding: str, options: Options) -> tuple[Header, Iterator[bytes]]:
    """The header of a file, with the names that the options give its columns, and the blocks that follow it."""
    header, body = read_header(file, encoding, options.skip)
    if options.rename:
        header = replace(header, names=tuple(map(str, renamed(header.names, options))))
    return header, body


def survey(file: str, options: Options, step: Step, careful: bool = False, stopped: Event | None = None) -> Surveyed:
    """Find out how a file is to be read; its text and its checksum are verified as far as it is ordinary.

    With ``careful``, it is split into records here.
    """
    encoding = codec(options.encoding)
    header, body = header_of(file, encoding, options)
    as_records = Surveyed(file, encoding, header, stopped, words=tuple(sorted(options.codes.words)))
    if careful or header.end not in (b"\n", b"\r\n") or len(header.names) > WIDE or len(header.text) > LONGEST:
        return as_records
    as_text = replace(as_records, reader="text")
    if encoding != "utf-8" or (file.lower().endswith(COMPRESSED) and as_text.compression == "none"):
        return as_text
    if header.lines > 1 or (b'"' in header.text and has_mark(file)):
        return as_text
    records, broken, marks = 0, False, [in_quotes(word).encode() for word in as_text.words]
    for piece, found in ordinary_pieces(body, header.separator, len(header.names), header.end):
        if found is None or (b'"' in piece and any(mark in piece for mark in marks)):
            return as_text
        records += found.records
        broken |= found.broken
        step.advance(len(piece))
    return replace(as_text, reader="file", words=(), records=records, broken=broken)


@contextmanager
def scratch_file(spill_dir: str | Path | None) -> Iterator[str]:
    """A file for stretches of text, in memory where the system has such files, else in a private folder."""
    if hasattr(os, "memfd_create") and Path("/proc/self/fd").is_dir():
        handle = os.memfd_create("capstats")
        try:
            yield f"/proc/self/fd/{handle}"
        finally:
            os.close(handle)
    else:
        with private_folder(spill_dir) as folder:
            (folder / SCRATCH).touch(0o600)
            yield str(folder / SCRATCH)


def relation(
    connection: duckdb.DuckDBPyConnection,
    files: Sequence[Surveyed],
    query: Query,
    name: str,
    path: str | Path,
    scratch: str | None,
) -> tuple[Any, int]:
    """The wanted columns of the files of a path as a relation of texts c0, c1, ..., and how many records it has."""
    wanted, one_by_one = query.wanted, query.by_record or query.weight is not None
    groups: dict[Any, list[Surveyed]] = {}
    for csv in files:
        check_columns(query, csv.header.names, name, first_rows(csv.file, csv.encoding))
        key = (csv.compression, csv.header.separator, csv.header.names, csv.broken) if csv.reader == "file" else None
        groups.setdefault(key, []).append(csv)
    others = groups.pop(None, [])
    records = sum(csv.records for csv in files)
    parts = [_read(connection, group[0], wanted, [csv.file for csv in group]) for group in groups.values()]
    if others:
        columns = [f"c{i}" for i in range(len(wanted))]
        connection.execute(f"CREATE TEMP TABLE loaded ({', '.join(f'{c} VARCHAR' for c in columns)}, n BIGINT)")
        for csv in others:
            try:
                _load(connection, csv, wanted, one_by_one, str(scratch))
            except Malformed as error:
                raise located(error, name, csv.file if len(files) > 1 else path) from None
        records += _loaded(connection)
        parts.append(connection.sql(f"SELECT {', '.join(columns)} FROM (SELECT *, unnest(range(n)) FROM loaded)"))
    return reduce(lambda one, other: one.union(other), parts), records


def located(error: Malformed, name: str, file: str | Path) -> ValueError:
    """The error to raise for a file that cannot be read."""
    return ValueError(f"`{name}` ({file}) cannot be read: {error}. {error.advice(name)}")


def _read(connection: duckdb.DuckDBPyConnection, csv: Surveyed, wanted: Sequence[Hashable], files: list[str], header: bool = True) -> Any:
    """The wanted columns of ordinary text, read by DuckDB with all options given; a stretch of text has no header."""
    first, compression = csv.header, csv.compression if header else "none"
    fields = ", ".join(f"'f{i}': 'VARCHAR'" for i in range(len(first.names)))
    rows = connection.sql(
        f"SELECT * FROM read_csv(?, auto_detect = false, columns = {{{fields}}}, header = {header}, delim = ?, quote = '\"', "
        "escape = '\"', nullstr = '', allow_quoted_nulls = false, null_padding = false, ignore_errors = false, hive_partitioning = false, "
        f"compression = ?, max_line_size = {2 * LONGEST}, buffer_size = {32 * LONGEST}, parallel = {not csv.broken})",
        params=[list(map(pattern_of, files)), first.separator.decode(), compression],
    )
    return rows.select(", ".join(f"f{first.names.index(str(column))} AS c{i}" for i, column in enumerate(wanted)))


# --- files that are not ordinary --------------------------------------------------------------------------------------


def _loaded(connection: duckdb.DuckDBPyConnection) -> int:
    """How many records the table has."""
    return int(connection.execute("SELECT coalesce(sum(n), 0) FROM loaded").fetchall()[0][0])


def _load(connection: duckdb.DuckDBPyConnection, csv: Surveyed, wanted: Sequence[Hashable], one_by_one: bool, scratch: str) -> None:
    """Put the records of a file into the table, each with how often it occurs in its stretch, or one by one in their order."""
    import duckdb

    columns = ", ".join(f"c{i}" for i in range(len(wanted)))

    def put(rows: Any) -> None:
        rows = rows.select(f"{columns}, 1::BIGINT AS n") if one_by_one else rows.aggregate(f"{columns}, count(*) AS n", columns)
        rows.insert_into("loaded")

    def put_text(text: bytes, records: int) -> bool:
        """Put ordinary text into the table, and return True; where DuckDB finds another number of records, undo it and return False."""
        # DuckDB drops a U+FEFF at the start of a file as a mark of its encoding
        text = with_words_kept(text, csv.header.separator, csv.words)
        Path(scratch).write_bytes(codecs.BOM_UTF8 + text if text.startswith(codecs.BOM_UTF8) else text)
        expected = _loaded(connection) + records
        connection.begin()
        try:
            put(_read(connection, csv, wanted, [scratch], header=False))
            if _loaded(connection) == expected:
                connection.commit()
                return True
        except duckdb.InvalidInputException:
            pass
        connection.rollback()
        return False

    header, line = csv.header, csv.header.lines + 1
    pieces: Iterator[tuple[bytes, Any]] = ((block, None) for block in csv.body())
    if csv.reader == "text":
        pieces = ordinary_pieces(csv.body(), header.separator, len(header.names), header.end)
    rest: Iterable[bytes] = ()
    joined = _joined(pieces)
    for text, records in joined:
        if records is None or not put_text(text, records):
            rest = chain([text], (piece for piece, _ in chain(joined, pieces)))
            break
        line += text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")
    places = [header.names.index(str(column)) for column in wanted]
    for values in chosen_values(rest, header, places, line, csv.words):
        frame = pd.DataFrame({f"c{i}": pd.array(x, pd.StringDtype("python")) for i, x in enumerate(values)})
        put(connection.from_df(frame))


def _joined(pieces: Iterable[tuple[bytes, Any]]) -> Iterator[tuple[bytes, int | None]]:
    """Ordinary pieces, joined to larger ones, and their numbers of records; then the first other piece, and None."""
    held: list[bytes] = []
    size = records = 0
    for text, found in chain(pieces, [(b"", None)]):
        if held and (found is None or size >= LOADED):
            yield b"".join(held), records
            held, size, records = [], 0, 0
        if found is None:
            yield text, None
            return
        held.append(text)
        size, records = size + len(text), records + found.records


def with_numbers(table: Any, query: Query, cut: Collection[Hashable], words: Collection[str] = ()) -> Any:
    """The texts of CSV, with a point as decimal sign in columns that are numbers, except in texts that mean missing.

    Those of the ``words`` in quotes that are no codes of a column lose the quotes.
    """
    columns, options = [f"c{i}" for i in range(len(query.wanted))], query.options
    if words:
        kept = [set() if column in cut else options.words_of(column) for column in query.wanted]
        other = {c: sorted(set(words) - of) for c, of in zip(columns, kept, strict=True)}
        cases = {c: " ".join(f"WHEN {quoted(in_quotes(x))} THEN {quoted(x)}" for x in of) for c, of in other.items()}
        table = table.select(", ".join(f"CASE {c} {of} ELSE {c} END AS {c}" if of else c for c, of in cases.items()))
    if options.codes.everywhere is not None:  # an empty field is a text like any other
        table = table.select(", ".join(f"coalesce({c}, '') AS {c}" for c in columns))
    if options.decimal == ",":
        parts = []
        for c, column in zip(columns, query.wanted, strict=True):
            texts = ", ".join(map(quoted, options.codes.of(column).texts)) or "NULL"
            point = f"CASE WHEN {c} IN ({texts}) THEN {c} WHEN contains({c}, '.') THEN error('{POINT}{c}') ELSE replace({c}, ',', '.') END"
            is_weight = c == f"c{len(query.columns)}"
            parts.append(f"{point} AS {c}" if is_weight or _is_number(options.type_of(column), column in cut) else c)
        table = table.select(", ".join(parts))
    return table


def _is_number(wanted: Type | None, is_cut: bool) -> bool:
    """Whether the texts of a column are read as numbers."""
    if wanted is None:
        return is_cut
    return wanted == "number" if isinstance(wanted, str) else all(isinstance(level, Number) for level in wanted)


# --- ordinary stretches of text -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ordinary:
    """The records that an ordinary stretch of text begins with."""

    end: int  # where the last of them ends
    records: int
    broken: bool  # whether a quoted field holds the end of a line


def ordinary_pieces(blocks: Iterable[bytes], separator: bytes, fields: int, line_end: bytes) -> Iterator[tuple[bytes, Ordinary | None]]:
    """The text in pieces of whole records, with what they hold; from the first doubt on, the blocks as they are, with None."""
    held, doubt = b"", False
    for block in blocks:
        if doubt:
            yield block, None
            continue
        text = held + block
        found = look(text, separator, fields, line_end)
        if found is None or (not found.end and len(text) > LONGEST):
            doubt = True
            yield text, None
            continue
        held = text[found.end :]
        if found.end:
            yield text[: found.end], found
    if held and not doubt:
        whole = held if held.endswith(line_end) else held + line_end
        found = look(whole, separator, fields, line_end)
        yield (whole, found) if found is not None and found.end == len(whole) else (held, None)


def look(text: bytes, separator: bytes, fields: int, line_end: bytes) -> Ordinary | None:
    """The whole records that a text begins with; None where there is any doubt."""
    # where bytes with a meaning are; those inside of quotes are text
    array = np.frombuffer(text, np.uint8)
    separators, feeds, returns = (array == byte for byte in separator + b"\n\r")
    is_quoted = b'"' in text
    if is_quoted:
        quotes, ends = array == ord('"'), feeds | returns
        inside, edges = _inside(quotes), separators | quotes | ends
        separators, feeds, returns = (x > inside for x in (separators, feeds, returns))
    # up to the end of the last whole record
    end = feeds.tobytes().rfind(b"\1") + 1
    separators, feeds, returns = separators[:end], feeds[:end], returns[:end]
    # doubt: another line end, or a quote that does not open or close at the edge of a field
    starts = feeds if line_end == b"\n" else returns
    doubt = returns.any() if line_end == b"\n" else feeds[:1].any() or (returns[:-1] != feeds[1:]).any()
    broken = False
    if is_quoted:
        quotes, inside, edges = quotes[:end], inside[:end], edges[:end]
        broken = bool((ends[:end] & inside).any())
        doubt = doubt or ((quotes & inside)[1:] > edges[:-1]).any() or ((quotes > inside)[:-1] > edges[1:]).any()
    # empty lines are no records; all others together must have the right number of separators
    empty = int(np.count_nonzero(feeds[:-1] & starts[1:])) + int(starts[:1].any())
    records = int(np.count_nonzero(feeds)) - empty
    if doubt or (empty and fields == 1) or np.count_nonzero(separators) != (fields - 1) * records:
        return None
    return Ordinary(end, records, broken)


def _inside(quotes: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """From each opening quote up to the byte before the closing one: the parity of the quotes up to a byte, found 64 bytes at a time."""
    # within a word of 64 bits, the parity is six shifts and exclusive ors; a word with odd parity inverts those after it
    packed = np.packbits(quotes, bitorder="little")
    words = np.zeros(len(packed) // 8 + 1, "<u8")
    words.view(np.uint8)[: len(packed)] = packed
    for step in range(6):
        words ^= words << np.uint64(1 << step)
    words[1:] ^= np.negative(np.bitwise_xor.accumulate(words >> np.uint64(63))[:-1])
    return np.unpackbits(words.view(np.uint8), count=len(quotes), bitorder="little").view(np.bool_)
