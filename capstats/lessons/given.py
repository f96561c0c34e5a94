"""The numbers that a lesson takes from the library; its page holds them as JSON, and none is typed into a script."""

from __future__ import annotations

from typing import Any

from capstats.datasets import paper_originals, paper_synthetics, smoking
from capstats.lessons.figure_2 import figure_2

FIFTH = 5  # all counts of the paper's Table 1 are multiples of it, so that twenty people have the shares of its hundred


def given(name: str) -> dict[str, Any]:
    """What the lesson of this name is given: tables as lists of rows, a row a target and a column a key."""
    return {"hands": _hands, "law": figure_2, "protection": _protected}.get(name, _paper_tables)()


def _hands() -> dict[str, Any]:
    """A fifth of the paper's smokers; the release is rounded."""
    tables = smoking()
    return {"o": (tables.o.values // FIFTH).tolist(), "s": (tables.s.values / FIFTH).round().astype(int).tolist()}


def _paper_tables() -> dict[str, Any]:
    """The 3 x 3 tables of the paper's section 4 by name."""
    o, s = paper_originals(), paper_synthetics()
    return {
        "originals": {str(name): o.sel(original=name).values.tolist() for name in o.original.values},
        "synthetics": {f"S_{name}": s.sel(synthetic=name).values.tolist() for name in s.synthetic.values},
    }


def _protected() -> dict[str, Any]:
    """Originals to protect: the paper's smokers, and the two of its 3 x 3 tables in which the key tells something of the target."""
    o = paper_originals()
    return {"smokers": smoking().o.values.tolist(), **{name: o.sel(original=name).values.tolist() for name in ("O_3", "O_4")}}
