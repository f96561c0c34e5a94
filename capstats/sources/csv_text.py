"""The text of a CSV file as blocks of UTF-8, whatever its compression and its encoding.

Text that cannot be decoded and compressed data that are damaged raise; checksums are verified where the format has them.

*The obvious way* is ``open(file, encoding=...)``, or ``gzip.open`` and its like, in text mode. Three things make it unsuitable. It
translates line ends, those inside of quotes included. A compressed file of some kilobytes can hold gigabytes, and not all decompressors of
Python bound what they return, so that here the blocks do not depend on the file (`_inflated`, `_unzipped`). And a user needs to know which
line has the wrong byte and what the encoding may be, which an error of the decoder does not say.

So bytes are decompressed (`_bytes`), brought together to blocks of a size that is fast to work on (`_sized`), decoded block by block,
where one character may be cut between two blocks, and encoded as UTF-8 (`blocks`). ASCII and UTF-8 are passed on as they are, so that a
usual file costs one look at each block. Line numbers are counted only after an error (`_line`), in a second pass over the file.
"""

from __future__ import annotations

import codecs
import io
import math
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path, PurePath
from threading import Event
from typing import IO, Any

from capstats.codes.by_table import said
from capstats.codes.checks import shown

BLOCK = 1 << 18  # bytes: what is done with a block stays in cache
MOST_TO_INFLATE = 1 << 28  # bytes that xz may need to decompress; its strongest preset needs 65 MB
ENDINGS = (".csv", ".tsv", ".txt")
MANY_ZEROS = 0.25  # share of every other byte; text in UTF-16 has more zeros, unless hardly a letter is Latin
COMPRESSED = (".gz", ".bz2", ".xz", ".zip")


REPAIR = "Repair the file, or read it into a data frame first."


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
            given = said("encoding", table, self.encoding)
            return f"Give its encoding{':' if self.sure else ', such as'} {given}, or save it as UTF-8."
        if self.names_in is not None:
            return f"{self.remedy} If line {self.names_in} has the names, say {said('skip', table, self.names_in - 1)}."
        return self.remedy


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
