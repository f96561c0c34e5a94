r"""What a CSV file says, byte for byte; every reader of CSV in this package obeys these rules.

1. The text is UTF-8, or in the encoding that the caller gives, with or without a byte order mark. A zero byte is refused.
2. A line ends with ``\n``, ``\r\n`` or ``\r``, also where a file mixes them; the last line may have no end. An empty line is no record.
3. The first line is the header, which names the columns. The separator is the tab in a .tsv file, else that of comma, tab, semicolon
   and bar which occurs most often in the header outside of quotes.
4. A field that begins with ``"`` is quoted: it ends at the next ``"`` that is not doubled, right before a separator or the end of a line.
   Separators and line ends in it are text, and ``""`` is one quote. Text after the closing quote and a quote that is never closed are
   refused.
5. Any other field is the text between two separators as it stands: spaces are part of it, and so are quotes, ``#`` and ``\``.
6. A record that has fewer or more fields than the header is refused, also if the additional ones are empty. So is a header or a record
   that is longer, or has more fields, than the limits below; this is found before it is split.
7. An empty field is missing, and ``""`` is the empty text, unless `null_values` says what is missing.

Python's ``csv`` module with ``strict=True`` reads by rules 2, 4 and 5.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from capstats.sources.csv_text import Malformed

LONGEST_HEADER = 1 << 22  # bytes
MOST_COLUMNS = 100_000
LONGEST_RECORD = 1 << 26  # bytes
BATCH = 1 << 25  # bytes of values that are held at a time
_SEPARATORS = (b",", b"\t", b";", b"|")
_FIRST_RECORD = re.compile(rb'(?:(?:\A|(?<=[,\t;|]))"(?:[^"]++|"")*+"|[^\r\n])*+')
_QUOTED = re.compile(rb'(?:\A|(?<=[,\t;|]))"(?:[^"]++|"")*+"')
_FIELD = re.compile(rb'"(?:[^"]++|"")*+"')
_REST_OF_FIELD = re.compile(rb'(?:[^"]++|"")*+"')


class Unterminated(Malformed):
    """A quote that is not closed."""


@dataclass(frozen=True)
class Header:
    """The first record of a file."""

    separator: bytes
    names: tuple[str, ...]
    text: bytes  # as it stands, without the end of its line
    end: bytes  # of its line

    @property
    def lines(self) -> int:
        """How many lines of the file it fills."""
        return len(self.text.splitlines())


def records(blocks: Iterable[bytes], separator: bytes, line: int = 1) -> Iterator[tuple[int, list[bytes]]]:
    """Each record: the number of its first line, and its fields as they stand, quotes included; ``line`` is the first block's."""
    fields: list[bytes] = []
    opened = bytearray()  # what there is of a quoted field that goes on in the next line
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
        at = 0
        if opened:
            rest = _REST_OF_FIELD.match(text)
            if rest is None:
                opened += text
                continue
            fields.append(bytes(opened) + rest[0])
            opened, at = bytearray(), rest.end()
        else:
            fields, start = [], number
        while True:
            if len(fields) > MOST_COLUMNS:
                raise _too_many(start)
            if fields:
                if text[at : at + 1] != separator:
                    if text[at : at + 1] not in (b"\r", b"\n", b""):
                        raise Malformed(f"line {number}, field {len(fields)}: text follows the closing quote")
                    yield start, fields
                    break
                at += 1
            if text[at : at + 1] != b'"':
                end = text.find(separator, at)
                fields.append(text[at:].rstrip(b"\r\n") if end < 0 else text[at:end])
                at = len(text) if end < 0 else end
                continue
            field = _FIELD.match(text, at)
            if field is None:
                opened, opened_at = bytearray(text[at:]), number
                break
            fields.append(field[0])
            at = field.end()
    if opened:
        raise Unterminated(f"line {opened_at}, field {len(fields) + 1}: its quote is not closed before the end of the file")


def _too_many(line: int) -> Malformed:
    return Malformed(f"line {line}: the record has more than {MOST_COLUMNS:,} fields")


def _lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""The lines with their ends, which are ``\n``, ``\r\n`` and ``\r``; of one that is too long to be a record, what begins it."""
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
    blocks: Iterable[bytes], header: Header, places: list[int], line: int, at_a_time: int
) -> Iterator[list[list[str | None]]]:
    """The values of the columns at these places, so many records at a time; a record of another length than the header's raises."""
    length = len(header.names)
    held: list[bytes] = []  # of all places in turn
    size = 0
    for number, fields in records(blocks, header.separator, line):
        if len(fields) != length:
            raise Malformed(
                f"line {number}: the record has {len(fields)} field{'s' * (len(fields) > 1)}, the header has {length}; "
                f"field {min(len(fields), length) + 1} is {'missing' if len(fields) < length else 'one too many'}"
            )
        chosen = [fields[place] for place in places]
        held += chosen
        size += sum(map(len, chosen))
        if len(held) >= at_a_time * len(places) or size > BATCH:
            yield [_values(held[i :: len(places)]) for i in range(len(places))]
            held, size = [], 0
    if held:
        yield [_values(held[i :: len(places)]) for i in range(len(places))]


def _values(fields: Sequence[bytes]) -> list[str | None]:
    """The texts of fields, of which many are alike."""
    known = {field: value(field) for field in set(fields)}
    return [known[field] for field in fields]


def read_header(blocks: Iterator[bytes], separator: bytes | None = None) -> tuple[Header, Iterator[bytes]]:
    """The header of a text, and the blocks that follow it."""
    text = b""
    while len(text) < LONGEST_HEADER:
        block = next(blocks, b"")
        text += block
        chosen, columns = _separator(text, separator)
        if columns > MOST_COLUMNS:
            raise Malformed(f"its header names more than {MOST_COLUMNS:,} columns", "Keep those that are needed, in a file of their own.")
        try:
            _, fields = next(records([text], chosen), (1, []))
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
        header = Header(chosen, tuple(value(field) or "" for field in fields), found, end)
        return header, chain([after[len(end) :]], blocks)
    raise Malformed(f"its header is longer than {LONGEST_HEADER >> 20} MB; perhaps line 1 has a quote that is not closed")


def _separator(text: bytes, given: bytes | None) -> tuple[bytes, int]:
    """The separator, which occurs most often in the first record outside of quotes unless it is given; and how many fields it makes."""
    first = _FIRST_RECORD.match(text)
    bare = _QUOTED.sub(b"", first[0] if first else b"")
    chosen = given or max(_SEPARATORS, key=bare.count)
    return chosen, bare.count(chosen) + 1
