"""Errors of the engine that computes a user's own query."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def told_by_class(name: str) -> Iterator[None]:
    """What goes wrong in a user's own query is reported by its class alone, since an engine's message may quote records.

    The errors of capstats itself, which never do, are classes of Python.
    """
    try:
        yield
    except Exception as error:
        if "Query interrupted" in str(error):
            raise KeyboardInterrupt from None
        if type(error).__module__ == "builtins":
            raise
        raise ValueError(
            f"`{name}` cannot be computed: its engine stops with {type(error).__name__}. Compute it by itself to see why."
        ) from None
