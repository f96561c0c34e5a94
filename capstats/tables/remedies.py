"""What makes levels in two spellings equal: each remedy is tried on the levels at hand, and is given only where they then are."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Sequence
from typing import Any

from capstats.codes.declared_types import parsed
from capstats.codes.labels import MISSING, Label
from capstats.codes.spellings import ABSENT, DATES, ENCODING, KINDS, NUMBERS, PRECISION, THOUSANDS

Pairs = Sequence[tuple[Label, Label]]  # of levels: the original's, and that of another table

# how a text is changed in Python and in R, by what makes the difference
_LINES = {
    "case": (".str.casefold()", "tolower({})"),
    "spaces": ('.str.split().str.join(" ")', 'gsub("\\\\s+", " ", trimws({}))'),
    "Unicode form": ('.str.normalize("NFKC")', "stringi::stri_trans_nfkc({})"),
}
_SIGNS = {"": (".", "."), "original": (",", "."), "other": (".", ","), "both": (",", ",")}  # decimal signs of the two tables


def remedy_of(cause: str, pairs: Pairs, original: Sequence[Label], other: Sequence[Label]) -> dict[str, Any]:
    """What was found to make pairs of levels equal that have one cause, as JSON holds it.

    ``original`` and ``other`` are all levels of the two tables: a type is no remedy where one of them does not parse.
    """
    if not pairs:
        return {}
    if cause == ABSENT:
        return {"null_values": sorted({x for pair in pairs for x in pair if x is not MISSING})}
    if cause in (PRECISION, ENCODING):
        return {"recode": cause}
    for declared in ("number", "bool", "date", "datetime"):
        for table, signs in _SIGNS.items() if declared == "number" else [("", (".", "."))]:
            mine, theirs = (
                {x: parsed(_with_point(x, sign), declared) for x in of} for of, sign in zip((original, other), signs, strict=True)
            )
            unread = any(y is MISSING and x is not MISSING for of in (mine, theirs) for x, y in of.items())
            if not unread and all(mine[a] == theirs[b] for a, b in pairs):
                return {"type": declared, **({"decimal": table} if table else {})}
    return {"recode": cause}


def _with_point(label: Label, sign: str) -> Label:
    """A text that has this decimal sign, with a point; what has a point where the sign is a comma is no number."""
    if not isinstance(label, str) or sign == ".":
        return label
    return label if "." in label else label.replace(",", ".")


def said(found: dict[str, Any], column: str, first: str, table: str) -> str:
    """A remedy as the caller writes it, in Python and on the command line; or the line of Python or R that changes the data."""
    option = shlex.quote(column)
    if codes := found.get("null_values"):
        pasted = shlex.quote(f"{column}={','.join(codes)}")
        return f"say null_values={{{column!r}: {codes!r}}} (--null-values {pasted})"
    if "decimal" in found:
        of = {"original": _name(first), "other": _name(table)}
        signs: Any = {of[found["decimal"]]: ","} if found["decimal"] in of else ","
        shown = "".join(shlex.quote(f"{name}=,") for name in signs) if isinstance(signs, dict) else ","
        return f'say types={{{column!r}: "number"}} and, of a CSV file, decimal={signs!r} (--type {option}=number --decimal {shown})'
    if "type" in found:
        return f'say types={{{column!r}: "{found["type"]}"}} (--type {option}={found["type"]})'
    return _recode(str(found.get("recode", "")), column)


def _name(table: str) -> Any:
    """What options call a table: of several releases, by its label."""
    return ast.literal_eval(table.removeprefix("synthetic[")[:-1]) if table.startswith("synthetic[") else table


def _recode(cause: str, column: str) -> str:
    steps = [_LINES[step] for step in cause.split(" and ") if step in _LINES]
    value, in_r = f"table[{column!r}]", f"table[[{column!r}]]".replace("'", '"')
    if steps and len(steps) == len(cause.split(" and ")):
        changed = in_r
        for _, r in steps:
            changed = r.format(changed)
        return f"change both tables: in Python {value} = {value}{''.join(python for python, _ in steps)}, in R {in_r} <- {changed}"
    if cause == DATES:
        return (
            f"write both as 2024-01-31: in Python {value} = pandas.to_datetime({value}, dayfirst=True).dt.strftime('%Y-%m-%d') where the "
            f'day comes first, in R {in_r} <- format(as.Date({in_r}, "%d.%m.%Y"))'
        )
    if cause == PRECISION:
        bins = f"bins={{{column!r}: 10}} (--bin {shlex.quote(column)}=10)"
        return f"round both, as with {value} = {value}.round(2) in Python, or cut the column with {bins}"
    if cause == ENCODING:
        return 'read the file with its encoding, as with encoding="cp1252" (--encoding cp1252)'
    if cause in (NUMBERS, KINDS, THOUSANDS):
        python, r = f"{value} = {value}.str.replace('[. ]', '', regex=True)", f'{in_r} <- gsub("[. ]", "", {in_r})'
        return f"write numbers in one way, without separators of thousands: in Python {python}, in R {r}"
    return "recode one of the tables"
