"""Checks of options that many functions share: a number, an integer, one of several words; and how a wrong one is shown."""

from __future__ import annotations

import math
from collections.abc import Collection
from numbers import Real
from typing import Any

import numpy as np


def shown(value: Any) -> str:
    """A wrong option for a message: numbers and texts as they are, of all else the type, since a table would show its labels."""
    simple = value is None or isinstance(value, (str, bool, int, float, np.generic))
    return repr(value.item() if isinstance(value, np.generic) else value) if simple else type(value).__name__


def is_number(value: Any) -> bool:
    """Whether an option is a number, of Python or numpy; True and False are none."""
    return isinstance(value, (Real, np.number)) and not isinstance(value, (bool, np.bool_))


def is_integer(value: Any) -> bool:
    """Whether an option is an integer, of Python or numpy; True and False are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.bool_))


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


def check_integer(value: Any, name: str, rule: str, *, least: int, most: float = math.inf, more: str = "") -> int:
    """The option as an int; raise unless it is an integer from ``least`` to ``most``; the message is that of `check_number`."""
    if not is_integer(value) or not least <= value <= most:
        raise ValueError(f"`{name}` must be {rule}; got {shown(value)}.{more}")
    return int(value)
