"""What the reports of all commands have in common: the title, what was read, and how the numbers came to be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from capstats import __version__
from capstats.cli.options import Settings
from capstats.codes.names import named

READ = (
    "original",
    "members",
    "non-members",
    "synthetic",
    "holdout",
    "example",
    "keys",
    "columns",
    "target",
    "targets",
    "missing",
    "weights",
)


def title(what: str) -> str:
    """The first line of a report."""
    return f"capstats {__version__}: {what}"


def facts(settings: Settings, columns: Mapping[str, Any] | None = None) -> list[tuple[str, str]]:
    """What was read, as far as the settings say it, or the columns that an example brings."""
    known = {**(columns or {}), **settings}
    return [(name, _told(known[name], str if name == "synthetic" else named)) for name in READ if name in known]


def _told(value: Any, called: Callable[[Any], str]) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{named(x)} of `{name}`" for name, x in value.items())
    return ", ".join(map(called, value)) if isinstance(value, list) else str(value)


def provenance(settings: Settings, attrs: Mapping[Any, Any]) -> dict[str, Any]:
    """How numbers came to be: the version, what the result says, and the settings."""
    return {"capstats": __version__, **{str(name): x for name, x in attrs.items()}, **({"settings": dict(settings)} if settings else {})}
