"""Numbers as text that says no more than is known: a share is printed as 0 or 1 only where it is exactly that."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from capstats.codes.labels import canonical
from capstats.codes.printable import in_cell
from capstats.tables.table import Array
from capstats.tables.ties import TIE


def share(value: Any, digits: int = 3) -> str:
    """A share, printed as 0 or 1 only where it is exactly that."""
    if np.isnan(value):
        return "undefined"
    text, least = f"{value:.{digits}f}", 10.0**-digits
    if abs(value) > TIE and float(text) == 0:
        return f"{'<' if value > 0 else '>-'}{least:.{digits}f}"
    if 1 - abs(value) > TIE and abs(float(text)) == 1:
        return f"{'>' if value > 0 else '<-'}{1 - least:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def count(value: Any) -> str:
    """A number of records, with one decimal unless it is whole."""
    return f"{int(value):,}" if value == int(value) else f"{value:,.1f}"


def many(n: Any, what: str) -> str:
    """A number of things by their name."""
    return f"{count(n)} {what}{'' if n == 1 else 's'}"


def alike(values: Array) -> list[str]:
    """The values of one variable as text: whole numbers with commas, others with decimals for three digits of the largest.

    Shares have four decimals at least.
    Those that are all smaller than 10^-6 have three digits.
    """
    if values.dtype.kind == "b":
        return ["yes" if value else "no" for value in values.tolist()]
    if values.dtype.kind in "iu":
        return [f"{value:,}" for value in values.tolist()]
    if values.dtype.kind == "O" and all(isinstance(value, Fraction) for value in values):
        values = values.astype(np.float64)
    if values.dtype.kind != "f":
        return [in_cell(canonical(value)) for value in values]
    sizes = np.abs(values[np.isfinite(values)])
    largest = sizes.max(initial=0.0)
    if (sizes == np.trunc(sizes)).all():
        return [f"{value + 0.0:,.0f}" if np.isfinite(value) else _not_finite(value) for value in values.tolist()]
    digits = int(np.clip(3 - np.ceil(np.log10(largest)), 1, 3)) if largest > 1 else int(np.clip(2 - np.floor(np.log10(largest)), 4, 9))
    return [_number(value, digits) if np.isfinite(value) else _not_finite(value) for value in values.tolist()]


def _number(value: float, digits: int) -> str:
    if digits > 8:
        return f"{value:.3g}"
    return share(value, digits) if abs(value) <= 1 else f"{value:,.{digits}f}"


def _not_finite(value: float) -> str:
    return "undefined" if np.isnan(value) else f"{'-' if value < 0 else ''}infinite"
