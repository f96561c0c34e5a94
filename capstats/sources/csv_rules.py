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

*Ordinary stretches* (`look`). A stretch of text is ordinary where every reader splits it into the same records: all lines end alike
(``\n`` or ``\r\n``), a quote opens right after a separator or the start of a line and closes right before a separator or the end of one,
and all records together have the right number of separators. These conditions need no record to be split. They are comparisons of whole
arrays of bytes: where the separators, line ends and quotes are, and which bytes are inside of quotes, which is the parity of the quotes
before them (`_inside`). One record with a field too few and one with a field too many would pass the sum of separators: DuckDB refuses
them, and the text is then split here.

*All other text* is split by `records`, one line at a time. A line without quotes is split at its separators. In other lines one regular
expression takes field after field; its quantifiers are possessive (``*+``), so that it never goes back over text that it has matched, and
the time is proportional to the text for hostile files too. A quoted field may go on in the next line: what there is of it is held, and the
size of a record is bounded, so that a quote that is never closed does not fill the memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from capstats.codes.missing_codes import in_quotes
from capstats.sources.csv_text import Malformed

LONGEST_HEADER = 1 << 22  # bytes
MOST_COLUMNS = 100_000
LONGEST_RECORD = 1 << 26  # bytes
BATCH, AT_A_TIME = 1 << 25, 1 << 16  # bytes of values, and records, that are held at a time
LONGEST = 1 << 20  # bytes of a record of an ordinary stretch; DuckDB's readers take 2 MB
MOST_SKIPPED = 100  # lines that are searched for names of columns
_SEPARATORS = (b",", b"\t", b";", b"|")
_QUOTED_FIELD = rb'"(?:[^"]++|"")*+"'
_QUOTED = re.compile(rb"(?:\A|(?<=[,\t;|]))" + _QUOTED_FIELD)
_SAID = re.compile(rb"sep=([,\t;|])(?=[\r\n])", re.IGNORECASE)  # Excel's word for the separator, as a line of its own
_FIRST_RECORD = re.compile(rb'(?:%s|[^"\r\n]++|")*+' % _QUOTED.pattern)  # Python 3.11.2 matches too little where single bytes are repeated


WRITTEN_IN_R = 'write.csv(x, file, row.names = FALSE, na = "")'


class Unterminated(Malformed):
    """A quote that is not closed."""


@dataclass(frozen=True)
class Header:
    """The first record of a file."""

    separator: bytes
    names: tuple[str, ...]
    text: bytes  # as written, without the end of its line
    end: bytes  # of its line
    before: int = 0  # lines before it

    @property
    def lines(self) -> int:
        """How many lines of the file it fills, with those before it."""
        return self.before + len(self.text.splitlines())


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


def read_header(blocks: Iterator[bytes], separator: bytes | None = None, skip: int = 0) -> tuple[Header, Iterator[bytes]]:
    """The header of a text, after ``skip`` lines, and the blocks that follow it."""
    held = b""
    while len(held) < LONGEST_HEADER:
        block = next(blocks, b"")
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
        header = Header(chosen, tuple(value(field) or "" for field in fields), found, end, before)
        return header, chain([after[len(end) :]], blocks)
    raise Malformed(f"its header is longer than {LONGEST_HEADER >> 20} MB; perhaps line 1 has a quote that is not closed")


def first_records(text: bytes) -> Iterator[tuple[int, list[str]]]:
    """The first lines of a text, each read by itself: its number from 1 and its fields. Lines that cannot be read are left out."""
    for number, line in enumerate(text.splitlines()[:MOST_SKIPPED], 1):
        with suppress(Malformed):
            yield number, [value(field) or "" for _, fields in records([line], _separator(line, None)[0]) for field in fields]


def _separator(text: bytes, given: bytes | None) -> tuple[bytes, int]:
    """The given separator, or the one that occurs most often in the first record outside of quotes; and the number of fields it makes."""
    first = _FIRST_RECORD.match(text)
    bare = _QUOTED.sub(b"", first[0] if first else b"")
    chosen = given or max(_SEPARATORS, key=bare.count)
    return chosen, bare.count(chosen) + 1


# --- ordinary stretches --------------------------------------------------------------------------------------------------


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
