"""What makes levels in two spellings equal: each remedy is tried on the levels at hand, and is given only where it makes them equal."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from capstats.codes import arguments
from capstats.codes.by_table import key_of
from capstats.codes.declared_types import parsed, with_points
from capstats.codes.labels import MISSING, Label
from capstats.codes.spellings import (
    ABSENT,
    BESIDE,
    DATES,
    ENCODING,
    KINDS,
    MISSING_WORDS,
    NUMBERS,
    PRECISION,
    THOUSANDS,
    folded,
    redecoded,
)

Pairs = Sequence[tuple[Label, Label]]  # of levels: the original's, and that of another table

COMMA = "a decimal comma in some of the texts"

# how a text is changed in Python and in R, by what makes the difference
_LINES = {
    "case": (".str.casefold()", "tolower({})"),
    "spaces": ('.str.split().str.join(" ")', 'trimws(gsub("(*UCP)\\\\s+", " ", {}, perl=TRUE))'),
    BESIDE: ('.str.split().str.join("")', 'gsub("(*UCP)\\\\s+", "", {}, perl=TRUE)'),
    COMMA: ('.str.replace(",", ".")', 'sub(",", ".", {}, fixed=TRUE)'),
    "Unicode form": (
        '.str.normalize("NFKC").str.replace("[\\u00ad\\u200b-\\u200f\\u2060\\ufe00-\\ufe0f\\ufeff]", "", regex=True)',
        'gsub("[\\\\p{{Cf}}\\\\x{{fe00}}-\\\\x{{fe0f}}]", "", stringi::stri_trans_nfkc({}), perl=TRUE)',
    ),
    "dashes or quotes": (
        r""".str.replace("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]", "-", regex=True)"""
        r""".str.replace('[\u2018-\u201f\u2032\u2033\u00b4`"]', "'", regex=True)""",
        r"""gsub('[\\x{{2018}}-\\x{{201f}}\\x{{2032}}\\x{{2033}}\\x{{b4}}`"]', "'", """
        r"""gsub("[\\x{{2010}}-\\x{{2015}}\\x{{2212}}\\x{{fe58}}\\x{{fe63}}\\x{{ff0d}}]", "-", {}, perl=TRUE), perl=TRUE)""",
    ),
}
_SEPARATORS = (".", ",", "'", "\u2019", " ", "\u00a0", "\u202f", "_")  # of thousands
_DAYS = (
    *("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y.%m.%d", "%Y-%m-%d", "%Y%m%d", "%d %b %Y", "%d %B %Y", "%d-%b-%Y"),
    *("%d%b%Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y"),
)
_CLOCKS = ("", " %H:%M:%S", " %H:%M", "T%H:%M:%S", "T%H:%M")
_FIRST = {"d": " where the day comes first", "m": " where the month comes first"}
_SIGNS = {"": (".", "."), "original": (",", "."), "other": (".", ","), "both": (",", ",")}  # decimal signs of the two tables


def remedy_of(cause: str, pairs: Pairs, original: Sequence[Label], other: Sequence[Label]) -> dict[str, Any]:
    """The remedy that makes pairs of levels with one cause equal, as JSON holds it.

    ``original`` and ``other`` are all levels of the two tables: a type is no remedy where one of them does not parse, unless it is a word
    for a missing value, which then is named as a code. ``of`` is the one table to change where not both are.
    """
    if not pairs:
        return {}
    if cause == ABSENT:
        return {"null_values": sorted({str(x) for pair in pairs for x in pair if x is not MISSING})}
    if cause == PRECISION:
        return {"recode": cause, **_decimals(pairs, original)}
    if cause == ENCODING:
        wrong = [[x for x in of if isinstance(x, str) and redecoded(x) not in (None, x)] for of in (original, other)]
        in_latin = any("\x80" <= c <= "\x9f" for of in wrong for x in of for c in x)  # characters that no text of Windows has
        return {"recode": cause, **_of(*map(bool, wrong)), **({"latin": True} if in_latin else {})}
    for declared in ("number", "bool", "date", "datetime"):
        for table, signs in _SIGNS.items() if declared == "number" else [("", (".", "."))]:
            mine, theirs = (
                {x: parsed(_with_point(x, sign), declared) for x in of} for of, sign in zip((original, other), signs, strict=True)
            )
            unread = {x for of in (mine, theirs) for x, y in of.items() if y is MISSING and x is not MISSING}
            if all(_same(mine[a], theirs[b]) for a, b in pairs) and all(_means_missing(x) for x in unread):
                codes = {"null_values": sorted(map(str, unread))} if unread else {}
                return {"type": declared, **({"decimal": table} if table else {}), **codes}
    if cause == DATES:
        of = _of(*(any(parsed(x, "datetime") is MISSING for x in of) for of in zip(*pairs, strict=True)))
        for table in of.values() or ("other", "original"):
            if form := _form([pair if table == "original" else pair[::-1] for pair in pairs]):
                return {"recode": cause, "of": table, "form": form}
        return {"recode": cause, **of, **({"time": True} if any(":" in str(x) for pair in pairs for x in pair) else {})}
    return _without_separator(pairs) or {"recode": cause}


def _same(a: Label, b: Label) -> bool:
    """Whether two labels are equal; fractions are compared in single precision."""
    if isinstance(a, float) and isinstance(b, float):
        return bool(np.float32(a) == np.float32(b))
    return a is not MISSING and a == b


def _means_missing(label: Label) -> bool:
    return isinstance(label, str) and label != "" and folded(label) in MISSING_WORDS


def _of(original: bool, other: bool) -> dict[str, str]:
    """The one table to change; nothing where both are to be changed, or none is known."""
    return {} if original == other else {"of": "original" if original else "other"}


def _decimals(pairs: Pairs, original: Sequence[Label]) -> dict[str, int]:
    """To how many decimals numbers are rounded so that the pairs are equal, and different numbers of the original stay different."""
    first, second, levels = ([parsed(x, "number") for x in of] for of in (*zip(*pairs, strict=True), original))
    different = set(levels) - {MISSING}
    for decimals in range(15, -1, -1) if MISSING not in (*first, *second) else ():
        if all(round(a, decimals) == round(b, decimals) for a, b in zip(first, second, strict=True)):
            return {"decimals": decimals} if len({round(x, decimals) for x in different}) == len(different) else {}
    return {}


def _form(pairs: Pairs) -> list[str]:
    """How the first labels of the pairs write dates, and how the second ones do, in ISO 8601; nothing where that is not one form each."""
    zoned = [clock + "%z" for clock in _CLOCKS if clock]
    for read, clock in product(map("".join, product(_DAYS, [*_CLOCKS, *zoned])), _CLOCKS):
        try:
            if all(dt.datetime.strptime(str(a), read).strftime(f"%Y-%m-%d{clock}") == str(b) for a, b in pairs):
                return [read, f"%Y-%m-%d{clock}"]
        except ValueError:
            continue
    return []


def _without_separator(pairs: Pairs) -> dict[str, Any]:
    """The sign that separates thousands, and the table that has it: without it the pairs are equal numbers."""
    for sign in _SEPARATORS:
        for original, other in ((False, True), (True, False), (True, True)):
            changed = [x for pair in pairs for x, has in zip(pair, (original, other), strict=True) if has]
            if not any(isinstance(x, str) and sign in x for x in changed):
                continue
            bare = [(_number(a, sign if original else ""), _number(b, sign if other else "")) for a, b in pairs]
            if all(a == b is not MISSING for a, b in bare):
                return {"separator": sign, **_of(original, other)}
    return {}


def _number(label: Label, without: str) -> Label:
    """The number that a label is without the sign of thousands, with either decimal sign."""
    text = label.replace(without, "") if isinstance(label, str) else label
    return parsed(_with_point(text, ","), "number")


def _with_point(label: Label, sign: str) -> Label:
    """A text that has this decimal sign, with a point; what has a point where the sign is a comma is no number."""
    if not isinstance(label, str) or sign == ".":
        return label
    return label if "." in label else label.replace(",", ".")


def said(found: dict[str, Any], column: str, first: str, table: str) -> str:
    """A remedy as the caller writes it, in Python and on the command line; or the line of Python or R that changes the data."""
    if found.get("null_values") and "type" not in found:
        return f"say {arguments.said(found.get('beside'), null_values={column: found['null_values']})}"
    if "type" in found:
        return _typed(found, column, first, table)
    tables = {"original": f"change `{first}`", "other": f"change `{table}`"}.get(found.get("of", ""), "change both tables")
    return _recode(found, column, tables)


def _typed(found: dict[str, Any], column: str, first: str, table: str) -> str:
    """A type, with the decimal sign of the texts and the codes of missing values that are not of it."""
    of = {"original": key_of(first), "other": key_of(table)}
    sign = {"decimal": {of[found["decimal"]]: ","} if found["decimal"] in of else ","} if "decimal" in found else {}
    codes = {"null_values": {column: found["null_values"]}} if found.get("null_values") else {}
    elsewhere = f"; where it is no CSV file, {with_points(column)} in Python in place of `decimal`" if sign else ""
    return f"say {arguments.said(found.get('beside'), types={column: found['type']}, **sign, **codes)}{elsewhere}"


def _recode(found: dict[str, Any], column: str, tables: str) -> str:
    """The line that changes a column, in Python and in R, and of which tables."""
    cause = str(found.get("recode", ""))
    steps = [_LINES[step] for step in cause.split(" and ") if step in _LINES]
    value, in_r = f"table[{column!r}]", f"table[[{column!r}]]".replace("'", '"')
    if labels := found.get("labels"):
        of_r = ", ".join(f"{json.dumps(code)} = {json.dumps(label, ensure_ascii=False)}" for code, label in labels.items())
        return f"{tables}: in Python {value} = {value}.astype(str).map({labels!r}), in R {in_r} <- c({of_r})[as.character({in_r})]"
    if steps and len(steps) == len(cause.split(" and ")):
        changed = in_r
        for _, r in steps:
            changed = r.format(changed)
        return f"{tables}: in Python {value} = {value}{''.join(python for python, _ in steps)}, in R {in_r} <- {changed}"
    if form := found.get("form"):
        read, written = form
        times, which = f"strptime({in_r}, {json.dumps(read)})", _FIRST.get(read[1], "")
        return (
            f"{tables}, so that dates are written as {dt.datetime(2024, 1, 31, 8, 15):{written}}: in Python {value} = "
            f"pandas.to_datetime({value}, format={read!r}, errors='coerce').dt.strftime({written!r}).fillna({value}){which}, "
            f"in R {in_r} <- ifelse(is.na({times}), {in_r}, format({times}, {json.dumps(written)}))"
        )
    if cause == DATES:
        time, read = (" %H:%M:%S", "as.POSIXct") if "time" in found else ("", "as.Date")
        return (
            f"{tables}, so that dates are written as 2024-01-31{' 08:15:00' if time else ''}: in Python {value} = "
            f"pandas.to_datetime({value}, dayfirst=True).dt.strftime('%Y-%m-%d{time}') where the day comes first, in R {in_r} <- "
            f'format({read}({in_r}, format="%d.%m.%Y{time}"))'
        )
    if cause == PRECISION:
        if "decimals" not in found:
            cut = arguments.said(bins={column: 10})
            return f"{tables}: in Python {value} = {value}.astype('float32'); or cut the column with {cut}"
        python = f"{value} = {value}.astype(float).round({found['decimals']})"
        return f"{tables}: in Python {python}, in R {in_r} <- round(as.numeric({in_r}), {found['decimals']})"
    if cause == ENCODING:
        python, r = ("latin-1", "ISO-8859-1") if "latin" in found else ("cp1252", "CP1252")
        return (
            f"read a file that is UTF-8 as UTF-8, without another encoding; or, where the text is so in the file, {tables}: in Python "
            f"{value} = (text := {value}.str.encode({python!r}, 'replace').str.decode('utf-8', 'replace')).mask("
            f"text.str.contains('[?\\ufffd]', na=True), {value}), in R {in_r} <- with(list(text = "
            f'iconv({in_r}, "UTF-8", "{r}", mark=FALSE)), ifelse(is.na(text) | !validUTF8(text), {in_r}, text))'
        )
    if sign := found.get("separator"):
        return (
            f"{tables}, whose numbers have separators of thousands and must be read as text: in Python {value} = "
            f'{value}.str.replace({json.dumps(sign)}, ""), in R {in_r} <- gsub({json.dumps(sign)}, "", {in_r}, fixed=TRUE)'
        )
    if cause in (NUMBERS, KINDS, THOUSANDS):
        return "write numbers in one way, and in one unit, without separators of thousands"
    return "recode one of the tables"
