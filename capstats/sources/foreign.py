"""Errors of the engine that computes a user's own query."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from capstats.sources.columns import module_of

_ENGINES = ("duckdb", "polars", "ibis", "pyspark", "py4j", "pyarrow", "narwhals")


@contextmanager
def told_by_class(name: str) -> Iterator[None]:
    """What goes wrong in a user's own query is reported by its class alone, since an engine's message may quote records."""
    try:
        yield
    except Exception as error:
        if "Query interrupted" in str(error):
            raise KeyboardInterrupt from None
        if module_of(error).lstrip("_") not in _ENGINES:
            raise
        raise ValueError(
            f"`{name}` cannot be computed: its engine stops with {type(error).__name__}. Compute it by itself to see why."
        ) from None
