"""The door: the only place that asks what kind of thing a table is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import narwhals.stable.v2 as nw
import pandas as pd
import xarray as xr

from capstats.sources import formats
from capstats.sources.columns import module_of
from capstats.sources.dask_frames import DaskSource
from capstats.sources.files import FORMATS, OTHERS, FileSource, is_path
from capstats.sources.lazy import LazySource
from capstats.sources.memory import MemorySource
from capstats.sources.relations import RelationSource
from capstats.sources.source import Options, Source, renamed

_EAGER = (("polars", "DataFrame"), ("pyarrow", "Table"), ("pyarrow", "RecordBatch"))  # which need no narwhals


def open_source(table: Any, name: str, options: Options | None = None) -> Source:
    """A table of records as a source, its columns renamed as the options say; other files than CSV and Parquet are read into memory."""
    how = options or Options()
    source = _opened(table, name, how)
    if not how.rename or isinstance(source, FileSource):
        return source
    held = list(source.names(how))
    new = renamed(held, how)
    if twice := [x for x in new if new.count(x) > max(held.count(x), 1)]:
        raise ValueError(f"`rename` gives two columns of `{name}` the name {twice[0]!r}. Rename one of them otherwise.")
    again = type(source)(_renamed(source.table, dict(zip(held, new, strict=True))), name)
    for known in ("format", "rows_at_start", "path", "files"):
        setattr(again, known, getattr(source, known))
    return again


def _renamed(table: Any, names: dict[Any, Any]) -> Any:
    """A table whose columns have other names."""
    if isinstance(table, Mapping):
        return {names[column]: values for column, values in table.items()}
    if isinstance(table, pd.DataFrame) or _is_dask(table):
        return table.rename(columns=names)
    if (module_of(table), type(table).__name__) == ("pyarrow", "RecordBatch"):
        return type(table).from_arrays(table.columns, names=list(names.values()))
    if isinstance(table, (nw.DataFrame, nw.LazyFrame)):
        return table.rename(mapping=names)
    return nw.from_native(table).rename(mapping=names).to_native()


def _opened(table: Any, name: str, options: Options) -> Source:
    if isinstance(table, xr.Dataset):
        raise TypeError(f"`{name}` is a Dataset of counts, which do not say which record is which. Give the records themselves.")
    if is_path(table):
        if (kind := formats.format_of(table)) is None:
            return FileSource(table, name)
        found, rows, files = formats.loaded(table, name, options)
        source = MemorySource(found, name)
        source.format, source.rows_at_start, source.path, source.files = kind, rows, str(table), files
        return source
    if _is_eager(table):
        return MemorySource(table, name)
    if _is_dask(table):
        return DaskSource(table, name)
    if type(table).__name__ == "DuckDBPyRelation":
        return RelationSource(table, name)
    frame = nw.from_native(table, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        return LazySource(table, name)
    if isinstance(frame, nw.DataFrame):
        return MemorySource(table, name)
    raise TypeError(
        f"`{name}` is {type(table).__name__}; give a data frame, a mapping of columns, or a path to a file: "
        f"{FORMATS}, or {OTHERS}. For tables of counts use from_counts."
    )


def is_frame(table: Any) -> bool:
    """Whether it is a frame, eager or lazy, or a mapping of columns."""
    return _is_eager(table) or _is_dask(table) or isinstance(nw.from_native(table, pass_through=True), (nw.DataFrame, nw.LazyFrame))


def _is_dask(table: Any) -> bool:
    """Whether it is a Dask frame, for which narwhals gives a warning."""
    return module_of(table) in ("dask", "dask_expr") and hasattr(table, "columns")


def _is_eager(table: Any) -> bool:
    """Whether it is in memory and needs no narwhals, which refuses a frame with two columns of one name."""
    return isinstance(table, (Mapping, pd.DataFrame)) or (module_of(table), type(table).__name__) in _EAGER
