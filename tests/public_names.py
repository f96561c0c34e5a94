"""The public names of capstats: what the top lists, and what each room lists."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import capstats

ROOMS = ("anonymity", "attacks", "auditing", "cap", "disclosure", "laws", "peers", "population", "screening")  # those of measures


def public_names() -> dict[str, Any]:
    """Each public object by the name that the documentation calls it: ``capstats.average_cap``, ``capstats.disclosure.disco``."""
    found = {f"capstats.{name}": getattr(capstats, name) for name in capstats.__all__}
    for room in ROOMS:
        module = import_module(f"capstats.{room}")
        found |= {f"{module.__name__}.{name}": getattr(module, name) for name in module.__all__ if name not in capstats.__all__}
    return found
