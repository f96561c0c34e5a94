"""The public names of capstats: what the top lists, and what each room lists."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import capstats

# rooms of measures and reports
ROOMS = ("anonymity", "attacks", "auditing", "cap", "describing", "disclosure", "laws", "peers", "population", "screening")


def public_names() -> dict[str, Any]:
    """Each public object by the name that the documentation calls it: ``capstats.average_cap``, ``capstats.disclosure.disco``."""
    found = {f"capstats.{name}": getattr(capstats, name) for name in capstats.__all__}
    for room in ROOMS:
        module = import_module(f"capstats.{room}")
        found |= {f"{module.__name__}.{name}": getattr(module, name) for name in module.__all__ if name not in capstats.__all__}
    return found


def signatures() -> Iterator[str]:
    """Each public function or class with its arguments, an equals sign where one has a default: what test_compatibility.py compares."""
    plots = import_module("capstats.plotting")
    for name, found in {**public_names(), **{f"capstats.plotting.{x}": getattr(plots, x) for x in plots.__all__}}.items():
        if callable(found) and not (isinstance(found, type) and issubclass(found, Warning)):
            of = inspect.signature(found)
            bare = [p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else ...) for p in of.parameters.values()]
            yield f"{name.removeprefix('capstats.')}{of.replace(parameters=bare, return_annotation=of.empty)}".replace("=Ellipsis", "=")


if __name__ == "__main__":
    print(*sorted(signatures()), sep="\n")  # noqa: T201
