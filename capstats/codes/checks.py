"""Checks of options that many functions share: a number, an integer, one of several words; and how a wrong one is shown."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable
from numbers import Real
from typing import Any

import numpy as np

LONGEST = 60  # characters of a text that a message repeats
NAMES = 20  # the longest list of which a message shows one name; a longer one may be the values of a column, given by mistake


def shown(value: Any) -> str:
    """A wrong option for a message: numbers and short texts as they are, of all else type and length, since it may hold records."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, range)) or (isinstance(value, str) and len(value) <= LONGEST):
        text = repr(value)
        return text if len(text) <= LONGEST else f"a number of {len(text)} digits"
    try:
        return f"{type(value).__name__} of length {len(value)}"
    except TypeError:
        return type(value).__name__


def shown_name(name: Any, among: Any = ()) -> str:
    """A name for a message; not that of one among many, which may be values of a column in place of names."""
    many = hasattr(among, "__len__") and not isinstance(among, str) and len(among) > NAMES
    return f"one of {len(among)} names" if many else shown(name)


def is_name(value: Any) -> bool:
    """Whether it can be the name of a column: neither a list nor a table of any library, whose comparison with a name is another table."""
    return isinstance(value, Hashable) and (not hasattr(value, "__array__") or isinstance(value, np.generic))


def is_number(value: Any) -> bool:
    """Whether an option is a number, of Python or numpy; True and False are none."""
    return isinstance(value, (Real, np.number)) and not isinstance(value, (bool, np.bool_))


def is_integer(value: Any) -> bool:
    """Whether an option is an integer, of Python or numpy; True and False are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))


def whole(value: Any) -> Any:
    """A double without a fraction, which is how R writes whole numbers, as the integer; any other value as it is."""
    return int(value) if isinstance(value, (float, np.floating)) and value.is_integer() else value


def check_choice(value: Any, name: str, choices: Collection[str], more: str = "") -> None:
    """Raise unless an option is one of several words; ``more`` follows them in the message."""
    if isinstance(value, str) and value in choices:
        return
    *first, last = [f'"{choice}"' for choice in choices]
    words = f"{', '.join(first)} or {last}" if 1 <= len(first) <= 2 else f"one of {', '.join(map(repr, choices))}" if first else last
    raise ValueError(f"`{name}` must be {words}{more}; got {shown(value)}.")


def check_number(
    value: Any, name: str, rule: str, *, least: float = -math.inf, most: float = math.inf, excluded: Collection[float] = (), more: str = ""
) -> float:
    """The option as a float; raise unless it is a number from ``least`` to ``most``, and none of the ``excluded`` ends.

    The message is "`name` must be {rule}; got 7." and ``more``.
    """
    try:
        number = float(value) if is_number(value) else math.nan
    except OverflowError:  # an integer beyond all floats
        number = math.inf if value > 0 else -math.inf
    if not least <= number <= most or number in excluded:
        raise ValueError(f"`{name}` must be {rule}; got {shown(value)}.{more}")
    return number


def check_integer(value: Any, name: str, rule: str, *, least: int, most: float = math.inf) -> int:
    """The option as an int; raise unless it is an integer from ``least`` to ``most``; the message is that of `check_number`."""
    if not is_integer(value) or not least <= value <= most:
        raise ValueError(f"`{name}` must be {rule}; got {shown(value)}.")
    return int(value)
