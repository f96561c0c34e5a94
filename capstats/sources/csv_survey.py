r"""Whether a stretch of CSV leaves no doubt: every reader splits it into the same records.

In an ordinary stretch all lines end alike (``\n`` or ``\r\n``), a quote opens right after a separator or the start of a line and closes
right before a separator or the end of one, and all records together have as many separators as their number says. It is looked at as
bits, one a byte, 64 of them at a time: a small part of what reading costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Bits = NDArray[np.uint64]  # one bit a byte of text, the first byte's the lowest of the first word

LONGEST = 1 << 20  # bytes of a record; DuckDB's readers take 2 MB
_ONE, _TOP = np.uint64(1), np.uint64(63)
_STEPS = [np.uint64(1 << i) for i in range(6)]
_PAIRS, _FOURS, _BYTES, _SUM = (np.uint64(int(byte * 8, 16)) for byte in ("55", "33", "0f", "01"))


@dataclass(frozen=True)
class Ordinary:
    """The records that an ordinary stretch of text begins with."""

    end: int  # where the last of them ends
    records: int
    broken: bool  # whether a quoted field holds the end of a line


def ordinary_pieces(blocks: Iterable[bytes], separator: bytes, fields: int, line_end: bytes) -> Iterator[tuple[bytes, Ordinary | None]]:
    """The text in pieces of whole records, and what they hold; from the first doubt on, the rest as it comes, and None."""
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
    if b'"' not in text:
        return _look_unquoted(text, separator, fields, line_end)
    array = np.frombuffer(text.ljust((len(text) // 64 + 2) * 64, b"\0"), np.uint8)
    quotes, separators, feeds, returns = (_where(array, byte) for byte in b'"' + separator + b"\n\r")
    inside = _inside(quotes)
    end = _last(feeds & ~inside) + 1
    quotes, separators, feeds, returns, inside = (_until(x, end) for x in (quotes, separators, feeds, returns, inside))
    broken = bool(((feeds | returns) & inside).any())
    feeds, returns, separators = feeds & ~inside, returns & ~inside, separators & ~inside
    if line_end == b"\n":
        starts, doubt = feeds, returns.any()
    else:
        starts, doubt = returns, (_next(returns, 0) != feeds).any()
    opening, closing = quotes & inside, quotes & ~inside
    doubt = doubt or (opening & ~_next(feeds | separators | quotes, 1)).any()
    doubt = doubt or (closing & ~_before(starts | separators | quotes)).any()
    empty = _number(_next(feeds, 1) & starts)
    records = _number(feeds) - empty
    if doubt or (empty and fields == 1) or _number(separators) != (fields - 1) * records:
        return None
    return Ordinary(end, records, broken)


def _look_unquoted(text: bytes, separator: bytes, fields: int, line_end: bytes) -> Ordinary | None:
    """The same for a text without a quote, at a third of the cost: it is looked at as bytes."""
    end = text.rfind(b"\n") + 1
    array = np.frombuffer(text, np.uint8)[:end]
    feeds = array == ord(b"\n")
    starts = feeds if line_end == b"\n" else array == ord(b"\r")
    doubt = text.find(b"\r", 0, end) >= 0 if line_end == b"\n" else feeds[:1].any() or (starts[:-1] != feeds[1:]).any()
    empty = int(np.count_nonzero(feeds[:-1] & starts[1:])) + int(starts[:1].any())
    records = int(np.count_nonzero(feeds)) - empty
    separators = int(np.count_nonzero(array == ord(separator)))
    if doubt or (empty and fields == 1) or separators != (fields - 1) * records:
        return None
    return Ordinary(end, records, False)


def _where(text: NDArray[np.uint8], byte: int) -> Bits:
    return np.packbits(text == byte, bitorder="little").view("<u8")


def _inside(quotes: Bits) -> Bits:
    """From each opening quote up to the byte before the closing one: the parity of the quotes up to a byte."""
    inside = quotes.copy()
    for step in _STEPS:
        inside ^= inside << step
    odd = np.bitwise_xor.accumulate(inside >> _TOP)
    inside[1:] ^= np.negative(odd[:-1])
    return inside


def _last(bits: Bits) -> int:
    """The place of the last bit; -1 where there is none."""
    words = np.flatnonzero(bits)
    return int(words[-1]) * 64 + int(bits[words[-1]]).bit_length() - 1 if len(words) else -1


def _until(bits: Bits, end: int) -> Bits:
    """Only the bits before a place."""
    kept = bits[: end // 64 + 1].copy()
    kept[-1] &= np.uint64((1 << end % 64) - 1)
    return kept


def _next(bits: Bits, first: int) -> Bits:
    """Each bit one place later; ``first`` is the bit of the first place."""
    moved = bits << _ONE
    moved[1:] |= bits[:-1] >> _TOP
    moved[0] |= np.uint64(first)
    return moved


def _before(bits: Bits) -> Bits:
    """Each bit one place earlier."""
    moved = bits >> _ONE
    moved[:-1] |= bits[1:] << _TOP
    return moved


def _number(bits: Bits) -> int:
    """How many bits there are: they are added up within pairs, fours and bytes of each word."""
    sums = bits - (bits >> _STEPS[0] & _PAIRS)
    sums = (sums & _FOURS) + (sums >> _STEPS[1] & _FOURS)
    sums = sums + (sums >> _STEPS[2]) & _BYTES
    return int((sums * _SUM >> np.uint64(56)).sum())
