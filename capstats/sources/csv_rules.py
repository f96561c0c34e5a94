r"""What a CSV file says, byte for byte; every reader of CSV in this package obeys these rules.

1. The text is UTF-8, or in the encoding that the caller gives, with or without a byte order mark. A zero byte is refused.
2. A line ends with ``\n``, ``\r\n`` or ``\r``, also where a file mixes them; the last line may have no end. An empty line is no record.
3. The first line is the header, which names the columns, unless the caller says how many lines to skip. The separator is what a first line
   ``sep=;`` says, which is skipped, the tab in a .tsv file, else that of comma, tab, semicolon and bar which occurs most often in the
   header outside of quotes.
4. A field that begins with ``"`` is quoted: it ends at the next ``"`` that is not doubled, right before a separator or the end of a line.
   Separators and line ends in it are text, and ``""`` is one quote. Text after the closing quote and a quote that is never closed are
   refused.
5. Any other field is the text between two separators as written: spaces are part of it, and so are quotes, ``#`` and ``\``.
6. A record that has fewer or more fields than the header is refused, also if the additional ones are empty. So is a header or a record
   that is longer, or has more fields, than the limits below; this is found before it is split.
7. An empty field is missing, and ``""`` is the empty text, unless `null_values` says what is missing. Where that has a word, the field
   ``"NA"`` comes as the text with its quotes.

Python's ``csv`` module with ``strict=True`` reads by rules 2, 4 and 5.

*The obvious ways* are Python's ``csv`` module for all files, which splits some 25 MB a second before anything is counted, or DuckDB for
all files, which is several times faster, but splits irregular text by rules of its own, without an error, so that counts would be wrong.
So each file is checked first, at some 400 MB a second, and only text about which all readers agree is given to the fast one.

*All other text* is split by `records`, one line at a time. A line without quotes is split at its separators. In other lines one regular
expression takes field after field; its quantifiers are possessive (``*+``), so that it never goes back over text that it has matched, and
the time is proportional to the text for hostile files too. A quoted field may go on in the next line: what there is of it is held, and the
size of a record is bounded, so that a quote that is never closed does not fill the memory.

*The text* of a file comes as blocks of UTF-8, whatever its compression and its encoding. Text that cannot be decoded and compressed data
that are damaged raise; checksums are verified where the format has them. The obvious way is ``open(file, encoding=...)``, or ``gzip.open``
and its like, in text mode. Three things make it unsuitable. It translates line ends, those inside of quotes included. A compressed file of
some kilobytes can hold gigabytes, and not all decompressors of Python bound what they return, so that here the blocks do not depend on the
file (`_inflated`, `_unzipped`). And a user needs to know which line has the wrong byte and what the encoding may be, which an error of the
decoder does not say.

So bytes are decompressed (`_bytes`), brought together to blocks of a size that is fast to work on (`_sized`), decoded block by block,
where one character may be cut between two blocks, and encoded as UTF-8 (`blocks`). ASCII and UTF-8 are passed on as they are, so that a
usual file costs one look at each block. Line numbers are counted only after an error (`_line`), in a second pass over the file.
"""

from __future__ import annotations

import codecs
import io
import math
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path, PurePath
from threading import Event
from typing import IO, Any

from capstats.codes.arguments import said
from capstats.codes.by_table import key_of
from capstats.codes.checks import shown
from capstats.codes.missing_codes import in_quotes

BLOCK = 1 << 18  # bytes: what is done with a block stays in cache
MOST_TO_INFLATE = 1 << 28  # bytes that xz may need to decompress; its strongest preset needs 65 MB
ENDINGS = (".csv", ".tsv", ".txt")
MANY_ZEROS = 0.25  # share of every other byte; text in UTF-16 has more zeros, unless hardly a letter is Latin
COMPRESSED = (".gz", ".bz2", ".xz", ".zip")
REPAIR = "Repair the file, or read it into a data frame first."
LONGEST_HEADER = 1 << 22  # bytes
MOST_COLUMNS = 100_000
LONGEST_RECORD = 1 << 26  # bytes
BATCH, AT_A_TIME = 1 << 25, 1 << 16  # bytes of values, and records, that are held at a time
MOST_SKIPPED = 100  # lines that are searched for names of columns
_SEPARATORS = (b",", b"\t", b";", b"|")
_QUOTED_FIELD = rb'"(?:[^"]++|"")*+"'
_QUOTED = re.compile(rb"(?:\A|(?<=[,\t;|]))" + _QUOTED_FIELD)
_SAID = re.compile(rb"sep=([,\t;|])(?=[\r\n])", re.IGNORECASE)  # Excel's word for the separator, as a line of its own
_FIRST_RECORD = re.compile(rb'(?:%s|[^"\r\n]++|")*+' % _QUOTED.pattern)  # Python 3.11.2 matches too little where single bytes are repeated


WRITTEN_IN_R = 'write.csv(x, file, row.names = FALSE, na = "")'


class Malformed(Exception):  # noqa: N818
    """Why a CSV file cannot be read, by line and field, and the remedy; never the text itself."""

    def __init__(self, reason: str, remedy: str = REPAIR, *, encoding: str | None = None, sure: bool = False, names_in: int | None = None):
        super().__init__(reason)
        self.remedy = remedy
        self.encoding, self.sure = encoding, sure  # the likely encoding of the text, and whether its bytes prove it
        self.names_in = names_in  # the line that may have the names of the columns

    def advice(self, table: str) -> str:
        """The remedy, for a table by its name in messages."""
        if self.encoding is not None:
            given = said(encoding={key_of(table): self.encoding})
            return f"Give its encoding{':' if self.sure else ', such as'} {given}, or save it as UTF-8."
        if self.names_in is not None:
            return f"{self.remedy} If line {self.names_in} has the names, say {said(skip={key_of(table): self.names_in - 1})}."
        return self.remedy


class Unterminated(Malformed):
    """A quote that is not closed."""


@dataclass(frozen=True)
class Header:
    """The first record of a file."""

    separator: bytes
    names: tuple[str, ...]
    text: bytes  # as written, without the end of its line
    end: bytes  # of its line
    before: int  # lines before it
    lines: int  # how many lines of the file it fills, with those before it


def records(blocks: Iterable[bytes], separator: bytes, line: int = 1) -> Iterator[tuple[int, list[bytes]]]:
    """Each record: the number of its first line, and its fields as written, quotes included; ``line`` is the first block's."""
    end = rb"(%s|[\r\n]*+\Z)?" % re.escape(separator)
    any_field = re.compile(rb'(%s|(?!")[^%s\r\n]*+)' % (_QUOTED_FIELD, re.escape(separator)) + end)
    rest_of_field = re.compile(rb"(%s)" % _QUOTED_FIELD.removeprefix(b'"') + end)
    fields: list[bytes] = []
    opened = bytearray()  # the part so far of a quoted field that goes on in the next line
    start = opened_at = line
    size = 0  # bytes of the record so far
    for number, text in enumerate(_lines(blocks), line):
        size = len(text) + (size if opened else 0)
        if size > LONGEST_RECORD:
            quote = f"; perhaps the quote of field {len(fields) + 1} is not closed" if opened else ""
            raise Malformed(f"line {start if opened else number}: the record is longer than {LONGEST_RECORD >> 20} MB{quote}")
        if b'"' not in text and not opened:
            body = text.rstrip(b"\r\n")
            if len(body) > MOST_COLUMNS and body.count(separator) >= MOST_COLUMNS:
                raise _too_many(number)
            if body:
                yield number, body.split(separator)
            continue
        at, pattern = 0, rest_of_field if opened else any_field
        if not opened:
            fields, start = [], number
        while field := pattern.match(text, at):
            written, delimiter = field.groups()
            fields.append(bytes(opened) + written if opened else written)
            at, pattern = field.end(), any_field
            opened.clear()
            if len(fields) > MOST_COLUMNS:
                raise _too_many(start)
            if delimiter is None:
                by_blanks = f"; fields are separated by blanks. In R: {WRITTEN_IN_R}" if text[at : at + 2] == b' "' else ""
                raise Malformed(f"line {number}, field {len(fields)}: text follows the closing quote{by_blanks}")
            if delimiter != separator:
                yield start, fields
                break
        else:
            opened_at = opened_at if opened else number
            opened += text[at:]
    if opened:
        raise Unterminated(f"line {opened_at}, field {len(fields) + 1}: its quote is not closed before the end of the file")


def _too_many(line: int) -> Malformed:
    return Malformed(f"line {line}: the record has more than {MOST_COLUMNS:,} fields")


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""The lines with their ends, which are ``\n``, ``\r\n`` and ``\r``; of a line that is too long to be a record, the beginning."""
    held: list[bytes] = []
    for block in blocks:
        if sum(map(len, held)) > LONGEST_RECORD:
            break
        if held and not held[-1].endswith(b"\r") and b"\n" not in block and b"\r" not in block:
            held.append(block)
            continue
        lines = b"".join([*held, block]).splitlines(keepends=True)
        held = [lines.pop()] if lines and not lines[-1].endswith(b"\n") else []
        yield from lines
    yield from b"".join(held).splitlines(keepends=True)


def value(field: bytes) -> str | None:
    """The text of a field; None where it is empty without quotes."""
    if field.startswith(b'"'):
        return field[1:-1].replace(b'""', b'"').decode()
    return field.decode() or None


def chosen_values(
    blocks: Iterable[bytes], header: Header, places: list[int], line: int, words: Sequence[str] = ()
) -> Iterator[list[list[str | None]]]:
    """The values of the columns at these places, many records at a time; a record with another number of fields than the header raises.

    A field that is one of the ``words`` in quotes keeps its quotes.
    """
    length, size, kept = len(header.names), 0, {in_quotes(word).encode(): in_quotes(word) for word in words}
    held: list[bytes] = []  # of all places in turn
    for number, fields in records(blocks, header.separator, line):
        if len(fields) != length:
            raise Malformed(
                f"line {number}: the record has {len(fields)} field{'s' * (len(fields) > 1)}, the header has {length}; "
                f"field {min(len(fields), length) + 1} is {'missing' if len(fields) < length else 'one too many'}",
                names_in=number if number == header.lines + 1 and len(fields) > length else None,
            )
        chosen = [fields[place] for place in places]
        held += chosen
        size += sum(map(len, chosen))
        if len(held) >= AT_A_TIME * len(places) or size > BATCH:
            yield [_values(held[i :: len(places)], kept) for i in range(len(places))]
            held, size = [], 0
    if held:
        yield [_values(held[i :: len(places)], kept) for i in range(len(places))]


def _values(fields: Sequence[bytes], kept: Mapping[bytes, str]) -> list[str | None]:
    """The texts of fields; each different field is converted once."""
    known = {field: kept[field] if field in kept else value(field) for field in set(fields)}
    return [known[field] for field in fields]


def with_words_kept(text: bytes, separator: bytes, words: Sequence[str]) -> bytes:
    """An ordinary stretch in which each field that is one of the words in quotes holds the quotes as well."""
    if b'"' not in text or not words:
        return text
    quoted = b"|".join(re.escape(word.encode()) for word in words)
    pattern = rb'(?:\A|(?<=[%s\r\n]))"(%s)"(?=[%s\r\n]|\Z)' % (re.escape(separator), quoted, re.escape(separator))
    return re.sub(pattern, rb'"""\1"""', text)


def read_header(file: str, encoding: str, skip: int, stopped: Event | None = None) -> tuple[Header, Iterator[bytes]]:
    """The header of a file, after ``skip`` lines, and the blocks that follow it."""
    held, body, separator = b"", blocks(file, encoding, stopped), b"\t" if is_tabbed(file) else None
    while len(held) < LONGEST_HEADER:
        block = next(body, b"")
        held += block
        said = _SAID.match(held)
        before = max(skip, said is not None)
        skipped = re.match(rb"(?:[^\r\n]*+(?:\r\n|\r|\n)){%d}" % before, held)
        if block and (skipped is None or (before and skipped.end() == len(held))):
            continue
        if skipped is None:
            raise Malformed(f"it has fewer than {before} lines, which `skip` says to skip")
        text = held[skipped.end() :]
        chosen, columns = _separator(text, said[1] if said else separator)
        if columns > MOST_COLUMNS:
            raise Malformed(f"its header names more than {MOST_COLUMNS:,} columns", "Keep those that are needed, in a file of their own.")
        try:
            _, fields = next(records([text], chosen, before + 1), (1, []))
        except Unterminated:
            if block:
                continue
            raise
        found = chosen.join(fields)
        if text.startswith((b"\r", b"\n")):
            found, fields = b"", []
        if block and len(found) + 2 > len(text):
            continue  # its line may go on in the next block
        after = text[len(found) :]
        end = after[: 2 if after.startswith(b"\r\n") else 1]
        if not any(names := tuple(value(field) or "" for field in fields)):
            later = next((number for number, others in first_rows(file, encoding) if number > before and any(others)), None)
            raise Malformed("it has no header row", "Add one: its first line must name the columns.", names_in=later)
        return Header(chosen, names, found, end, before, before + len(found.splitlines())), chain([after[len(end) :]], body)
    raise Malformed(f"its header is longer than {LONGEST_HEADER >> 20} MB; perhaps line 1 has a quote that is not closed")


def first_rows(file: str, encoding: str) -> Iterator[tuple[int, list[str]]]:
    """The lines that a file begins with, each read by itself: its number from 1 and its fields. Lines that cannot be read are left out.

    The file is not read before the first one is asked for.
    """
    for number, line in enumerate(next(blocks(file, encoding), b"").splitlines()[:MOST_SKIPPED], 1):
        with suppress(Malformed):
            yield number, [value(field) or "" for _, fields in records([line], _separator(line, None)[0]) for field in fields]


def _separator(text: bytes, given: bytes | None) -> tuple[bytes, int]:
    """The given separator, or the one that occurs most often in the first record outside of quotes; and the number of fields it makes."""
    first = _FIRST_RECORD.match(text)
    bare = _QUOTED.sub(b"", first[0] if first else b"")
    chosen = given or max(_SEPARATORS, key=bare.count)
    return chosen, bare.count(chosen) + 1


# --- the text of a file -----------------------------------------------------------------------------------------------


def codec(encoding: str | None) -> str:
    """The name under which Python knows an encoding; UTF-8 where none is given."""
    try:
        found = codecs.lookup("utf-8" if encoding is None else encoding)
        if isinstance("".encode(found.name), bytes):
            return found.name.removesuffix("-sig")
    except (LookupError, TypeError, ValueError):
        pass
    raise ValueError(
        f'`encoding` must be the name of a text encoding that Python knows, such as "cp1252" or "utf-16"; got {shown(encoding)}.'
    )


def is_csv(path: Any) -> bool:
    """Whether a path has an ending of CSV, compressed or not; a zip archive is taken for one."""
    return _uncompressed(str(path)).endswith(ENDINGS) or str(path).lower().endswith(".zip")


def is_tabbed(file: str) -> bool:
    """Whether the separator is the tab, as the ending .tsv says; in a zip archive, that of its file."""
    name = _uncompressed(file)
    if file.lower().endswith(".zip") and not name.endswith(ENDINGS):
        try:
            with zipfile.ZipFile(file) as archive:
                name = _member(archive).filename.lower()
        except (zipfile.BadZipFile, ValueError, NotImplementedError):
            raise _damaged("zip") from None
    return name.endswith(".tsv")


def _uncompressed(file: str) -> str:
    """The name of a file without the endings of its compression, in lower case."""
    name = file.lower()
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return name


def blocks(file: str, encoding: str = "utf-8", stopped: Event | None = None) -> Iterator[bytes]:
    """The text of a file in UTF-8, without a byte order mark; it raises at a byte that the encoding does not have and at a zero byte.

    Reading ends with KeyboardInterrupt once ``stopped`` is set.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    first, before = True, 0
    for raw in _sized(_bytes(file)):
        if stopped is not None and stopped.is_set():
            raise KeyboardInterrupt
        text = raw
        if encoding != "utf-8" or not raw.isascii() or decoder.getstate()[0]:
            try:
                decoded = decoder.decode(raw, final=not raw)
            except UnicodeError as error:
                pending = len(decoder.getstate()[0])
                raise _wrong(encoding, file, before - pending + getattr(error, "start", 0)) from None
            text = raw if encoding == "utf-8" else decoded.encode()
        if b"\0" in text:
            raise _wrong(encoding, file)
        before += len(raw)
        if first:
            text, first = text.removeprefix(codecs.BOM_UTF8), False
        if text:
            yield text


def has_mark(file: str) -> bool:
    """Whether a file in UTF-8 begins with a byte order mark."""
    return next(_sized(_bytes(file))).startswith(codecs.BOM_UTF8)


# --- errors -----------------------------------------------------------------------------------------------------------


def _wrong(encoding: str, file: str, offset: int | None = None) -> Malformed:
    """The error for a byte that the encoding does not have, or for a zero byte, as UTF-16 has many when it is read as another encoding."""
    reason = f"line {_line(file, encoding, offset)} is not {'UTF-8' if encoding == 'utf-8' else encoding}"
    wide, zero = _wide(file), " text: it holds a zero byte" if offset is None else ""
    if wide not in (None, encoding):
        return Malformed(reason + (zero and f"{zero}, as UTF-16 does"), encoding=wide, sure=True)
    if zero:
        return Malformed(reason + zero)
    return Malformed(reason, encoding="cp1252") if encoding == "utf-8" else Malformed(reason, "Give the file's own encoding.")


def _wide(file: str) -> str | None:
    """UTF-16 or UTF-32, where a mark or many zero bytes at the start of a file show it; otherwise None."""
    raw = next(_sized(_bytes(file)))[:4096]
    marks = {codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
    marked = next((encoding for mark, encoding in marks.items() if raw.startswith(mark)), None)
    even, odd = (raw[start::2].count(0) / max(len(raw) // 2, 1) for start in (0, 1))
    return marked or ("utf-16-be" if even > MANY_ZEROS > odd else "utf-16-le" if odd > MANY_ZEROS > even else None)


def _line(file: str, encoding: str, end: int | None = None) -> int:
    """The number of the line that a byte of a file is in, or in which the first zero byte is."""
    decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder(encoding)("replace"), translate=True)
    line, left = 1, math.inf if end is None else end
    for raw in _sized(_bytes(file)):
        is_last = not raw or len(raw) >= left
        text, zero, _ = decoder.decode(raw if len(raw) < left else raw[: int(left)], final=is_last).partition("\0")
        line += text.count("\n")
        left -= len(raw)
        if zero or is_last:
            break
    return line


# --- compression ------------------------------------------------------------------------------------------------------


def _bytes(file: str) -> Iterator[bytes]:
    """What a file holds, decompressed as its ending says."""
    import bz2
    import gzip
    import lzma

    ending = file.lower().rpartition(".")[2]
    what = {"gz": "gzip", "bz2": "bzip2", "xz": "xz", "zip": "zip"}.get(ending)
    with Path(file).open("rb") as opened:
        try:
            if ending == "zip":
                yield from _unzipped(opened)
            elif ending == "gz":
                with gzip.GzipFile(fileobj=opened) as handle:
                    yield from iter(partial(handle.read, BLOCK), b"")
                if not opened.tell():
                    raise EOFError
            elif ending == "bz2":
                yield from _inflated(opened, bz2.BZ2Decompressor)
            elif ending == "xz":
                yield from _inflated(opened, lambda: lzma.LZMADecompressor(memlimit=MOST_TO_INFLATE))
            else:
                yield from iter(partial(opened.read, BLOCK), b"")
        except (zlib.error, lzma.LZMAError, zipfile.BadZipFile, OSError, EOFError, ValueError, RuntimeError) as error:
            if what is None:
                raise
            if "Memory usage limit" in str(error):
                reason = f"its {what} data need more than {MOST_TO_INFLATE >> 20} MB to be decompressed"
                raise Malformed(reason, "Compress the file with xz -6.") from None
            raise _damaged(what) from None


def _damaged(what: str) -> Malformed:
    return Malformed(f"its {what} data are damaged or incomplete", "Copy or compress the file again.")


def _inflated(handle: IO[bytes], new: Callable[[], Any]) -> Iterator[bytes]:
    """Compressed streams one after the other; only zeros may follow the last one."""
    stream = new()
    for raw in iter(partial(handle.read, BLOCK // 4), b""):
        while raw:
            if stream.eof:
                raw = raw.lstrip(b"\0")
                if not raw:
                    break
                stream = new()
            yield stream.decompress(raw, BLOCK)
            while not (stream.eof or stream.needs_input):
                yield stream.decompress(b"", BLOCK)
            raw = stream.unused_data if stream.eof else b""
    if not stream.eof:
        raise EOFError


def _member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """The one file of an archive."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        raise Malformed(f"the zip archive holds {len(members)} files, where one is read", "Extract the one that is wanted.")
    if PurePath(members[0].filename).suffix.lower() not in ENDINGS:
        raise Malformed(f"the file in the zip archive is not CSV: its ending must be one of {', '.join(ENDINGS)}", "Extract it.")
    return members[0]


def _unzipped(opened: IO[bytes]) -> Iterator[bytes]:
    with zipfile.ZipFile(opened) as archive:
        member = _member(archive)
        if member.flag_bits & 1:
            raise Malformed("the zip archive is encrypted", "Extract it first.")
        # bzip2 and LZMA decompress everything that is asked for at once, whatever its length becomes
        at_once = BLOCK if member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) else 4096
        with archive.open(member) as handle:
            yield from iter(partial(handle.read, at_once), b"")


def _sized(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in blocks of at least BLOCK bytes, and an empty block at the end."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= BLOCK:
            yield b"".join(held)
            held, size = [], 0
    yield from filter(None, [b"".join(held)])
    yield b""
