"""The text of a CSV file as blocks of UTF-8, whatever its compression and its encoding.

Text that cannot be decoded and compressed data that are damaged raise; checksums are verified where the format has them.
"""

from __future__ import annotations

import codecs
import re
import threading
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from pathlib import Path, PurePath
from typing import Any

BLOCK = 1 << 18  # bytes: what is done with a block stays in cache
MOST_TO_INFLATE = 1 << 28  # bytes that xz may need to decompress; its strongest preset needs 65 MB
ENDINGS = (".csv", ".tsv", ".txt")
COMPRESSED = (".gz", ".bz2", ".xz", ".zip")
_BOM = codecs.BOM_UTF8
_LINE_END = re.compile(r"\r\n?|\n")


class Malformed(Exception):  # noqa: N818
    """Why a CSV file cannot be read, by line and field, and what helps; never the text that stands there."""

    def __init__(self, reason: str, remedy: str = "Repair the file, or read it into a data frame first."):
        super().__init__(reason)
        self.remedy = remedy


def codec(encoding: str | None) -> str:
    """The name under which Python knows an encoding; UTF-8 where none is given."""
    try:
        found = codecs.lookup("utf-8" if encoding is None else encoding)
        if isinstance("".encode(found.name), bytes):
            return found.name.removesuffix("-sig")
    except (LookupError, TypeError, ValueError):
        pass
    raise ValueError(f'`encoding` must be the name of a text encoding that Python knows, such as "cp1252" or "utf-16"; got {encoding!r}.')


def is_csv(path: Any) -> bool:
    """Whether a path has an ending of CSV, compressed or not; a zip archive is taken for one."""
    name = str(path).lower()
    bare = name
    for ending in COMPRESSED:
        bare = bare.removesuffix(ending)
    return bare.endswith(ENDINGS) or name.endswith(".zip")


def is_tabbed(file: str) -> bool:
    """Whether the separator is the tab, as the ending .tsv says; in a zip archive, that of its file."""
    name = file.lower()
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    if file.lower().endswith(".zip") and not name.endswith(ENDINGS):
        with closing(_archive(file)) as archive:
            name = _member(archive).filename.lower()
    return name.endswith(".tsv")


ended: set[int] = set()  # threads whose answer nobody awaits any more: they read no further block


def blocks(file: str, encoding: str = "utf-8") -> Iterator[bytes]:
    """The text of a file in UTF-8, without a byte order mark; it raises at a byte that is not of the encoding and at a zero byte."""
    decoder = codecs.getincrementaldecoder(encoding)()
    plain, first, before = encoding == "utf-8", True, 0
    for raw, last in _with_last(_sized(_bytes(file))):
        if threading.get_ident() in ended:
            raise KeyboardInterrupt
        if plain and raw.isascii() and not decoder.getstate()[0]:
            text = raw
        else:
            try:
                text = decoder.decode(raw, last).encode()
            except UnicodeError as error:
                pending = len(decoder.getstate()[0])
                raise _not_in(encoding, file, before - pending + getattr(error, "start", 0)) from None
            if plain:
                text = raw
        if b"\0" in text:
            raise _zero(encoding, file)
        before += len(raw)
        if first:
            text, first = text.removeprefix(_BOM), False
        if text:
            yield text


def has_mark(file: str) -> bool:
    """Whether a file in UTF-8 begins with a byte order mark."""
    with closing(_sized(_bytes(file))) as raw:
        return next(raw).startswith(_BOM)


# --- errors -----------------------------------------------------------------------------------------------------------


def _not_in(encoding: str, file: str, offset: int) -> Malformed:
    """The error for a byte that the encoding does not have."""
    with closing(_bytes(file)) as raw:
        start = next(raw, b"")
    if encoding != "utf-8":
        remedy = "Give the file's own encoding."
    else:
        wide = start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        remedy = f'Give its encoding, such as encoding="{"utf-16" if wide else "cp1252"}", or save it as UTF-8.'
    return Malformed(f"line {_last_line(_decoded(file, encoding, offset))} is not {_shown(encoding)}", remedy)


def _zero(encoding: str, file: str) -> Malformed:
    """The error for a zero byte, which no text has, but UTF-16 that is read as something else has many."""
    line = _last_line(_decoded(file, encoding), "\0")
    reason = f"line {line} is not {_shown(encoding)} text: it holds a zero byte, as UTF-16 does"
    return Malformed(reason, 'Give its encoding, such as encoding="utf-16", or save it as UTF-8.')


def _last_line(texts: Iterable[str], end: str = "") -> int:
    """The number of the line with which texts end, or in which they first hold ``end``; they are not joined, for they may be long."""
    line, before = 1, ""
    for text in texts:
        held, found, _ = text.partition(end) if end else (text, "", "")
        line += len(_LINE_END.findall(held)) - (before.endswith("\r") and held.startswith("\n"))
        if found:
            break
        before = text or before
    return line


def _decoded(file: str, encoding: str, end: int | None = None) -> Iterator[str]:
    """The text of a file up to a byte, as far as it can be decoded."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    for raw in _bytes(file):
        yield decoder.decode(raw if end is None else raw[: max(end, 0)])
        if end is not None:
            end -= len(raw)
            if end <= 0:
                return


def _shown(encoding: str) -> str:
    return "UTF-8" if encoding == "utf-8" else encoding


# --- compression ------------------------------------------------------------------------------------------------------


def _bytes(file: str) -> Generator[bytes, None, None]:
    """What a file holds, decompressed as its ending says."""
    name = file.lower()
    if name.endswith(".zip"):
        yield from _unzipped(file)
        return
    with Path(file).open("rb") as handle:
        if name.endswith(".gz"):
            yield from _inflated(handle, _Gzip, "gzip")
        elif name.endswith(".bz2"):
            import bz2

            yield from _inflated(handle, bz2.BZ2Decompressor, "bzip2")
        elif name.endswith(".xz"):
            import lzma

            yield from _inflated(handle, lambda: lzma.LZMADecompressor(memlimit=MOST_TO_INFLATE), "xz")
        else:
            while block := handle.read(BLOCK):
                yield block


class _Gzip:
    """A stream of gzip, with the members that the decompressors of bzip2 and xz have."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(31)

    def decompress(self, raw: bytes, most: int) -> bytes:
        """At most so many bytes of what the compressed bytes hold, those that were held back first."""
        return self._stream.decompress(self._stream.unconsumed_tail + raw, most)

    @property
    def needs_input(self) -> bool:
        """Whether nothing is held back."""
        return not self._stream.unconsumed_tail

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        """What follows the stream."""
        return self._stream.unused_data


def _inflated(handle: Any, new: Callable[[], Any], what: str) -> Iterator[bytes]:
    """Compressed streams one after the other; what follows the last one must be a whole stream, too, or zeros."""
    import lzma

    stream: Any = new()
    try:
        while raw := handle.read(BLOCK // 4):
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
    except (zlib.error, lzma.LZMAError, OSError, EOFError, ValueError) as error:
        if "Memory usage limit" in str(error):
            limit = f"{MOST_TO_INFLATE >> 20} MB"
            raise Malformed(f"its {what} data need more than {limit} to be decompressed", "Compress the file with xz -6.") from None
        raise _damaged(what) from None
    if not stream.eof:
        raise _damaged(what)


def _archive(file: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(file)
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise _damaged("zip") from None


def _member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """The one file of an archive."""
    members = [member for member in archive.infolist() if not member.is_dir()]
    if len(members) != 1:
        raise Malformed(f"the zip archive holds {len(members)} files, where one is read", "Extract the one that is wanted.")
    if PurePath(members[0].filename).suffix.lower() not in ENDINGS:
        raise Malformed(f"the file in the zip archive is not CSV: its ending must be one of {', '.join(ENDINGS)}", "Extract it.")
    return members[0]


def _unzipped(file: str) -> Iterator[bytes]:
    import lzma

    with closing(_archive(file)) as archive:
        member = _member(archive)
        if member.flag_bits & 1:
            raise Malformed("the zip archive is encrypted", "Extract it first.")
        try:
            with archive.open(member) as handle:
                # of bzip2 and LZMA, all that is asked for is decompressed at once, however long it becomes
                at_once = BLOCK if member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) else 4096
                while block := handle.read(at_once):
                    yield block
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, NotImplementedError, RuntimeError):
            raise _damaged("zip") from None


def _damaged(what: str) -> Malformed:
    return Malformed(f"its {what} data are damaged or incomplete", "Copy or compress the file again.")


def _sized(pieces: Iterable[bytes]) -> Generator[bytes, None, None]:
    """The same bytes in blocks that are not small, but for the last."""
    held: list[bytes] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += len(piece)
        if size >= BLOCK:
            yield b"".join(held)
            held, size = [], 0
    yield b"".join(held)


def _with_last(pieces: Iterator[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each piece, and whether it is the last."""
    before = next(pieces)
    for piece in pieces:
        yield before, False
        before = piece
    yield before, True
