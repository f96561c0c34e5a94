"""The tables of records of one call: which they are, how they are called, and their columns of weights."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from capstats.counts import engines, formats, frames
from capstats.counts.labels import Label, canonical

Weight = Hashable | None


@dataclass
class Source:
    """One table of records and how error messages call it."""

    name: str
    table: Any
    weight: Weight


def chosen_columns(columns: Any, argument: str) -> list[Hashable]:
    """One name or several as a list; a tuple is a sequence of names, as a list is."""
    several = isinstance(columns, (Sequence, np.ndarray, pd.Index)) and not isinstance(columns, str)
    chosen = list(columns) if several else [columns]
    if not chosen or columns is None:
        raise ValueError(f"`{argument}` must name at least one column.")
    if not all(isinstance(column, Hashable) for column in chosen):
        raise TypeError(f"`{argument}` must be a column name or a list of them; got {columns!r}.")
    return chosen


def sources_of(original: Any, synthetic: Any, holdout: Any, weights: Any) -> tuple[list[Source], list[Label] | None]:
    """All tables in the order original, synthetic ones, holdout; and the labels of several synthetic ones."""
    if isinstance(weights, tuple) and len(weights) in (2, 3):
        of_o, of_s, of_h = (*weights, weights[0])[:3]
    elif isinstance(weights, (list, tuple)):
        raise ValueError(f"`weights` must be a column name, or a pair of them for original and synthetic records; got {weights!r}.")
    else:
        of_o = of_s = of_h = weights
    sources = [Source("original", original, of_o)]
    labels, several, names = released(synthetic)
    if labels is None:
        own = [of_s] * len(several)
    elif isinstance(of_s, Mapping):
        if set(of_s) != set(synthetic):
            raise ValueError(f"`weights` is for the synthetic tables {list(of_s)!r}; they are {list(synthetic)!r}. Give one for each.")
        own = [of_s[x] for x in synthetic]
    else:
        own = list(of_s) if isinstance(of_s, list) else [of_s] * len(labels)
    if len(own) != len(several):
        raise ValueError(f"`weights` has {len(own)} names for {len(several)} synthetic tables. Give one for each.")
    sources += [Source(n, t, w) for n, t, w in zip(names, several, own, strict=True)]
    if holdout is not None:
        sources.append(Source("holdout", holdout, of_h))
    return [with_records(source) for source in sources], labels


def released(synthetic: Any) -> tuple[list[Label] | None, list[Any], list[str]]:
    """The labels of several synthetic tables, or None for one alone or none; the tables; and how error messages call them."""
    if isinstance(synthetic, Mapping) and not all(_is_column(v) for v in synthetic.values()):
        labels, several = [canonical(x) for x in synthetic], list(synthetic.values())
    elif isinstance(synthetic, (list, tuple)):
        labels, several = list(range(len(synthetic))), list(synthetic)
    else:
        return (None, [], []) if synthetic is None else (None, [synthetic], ["synthetic"])
    if not labels or len(set(labels)) < len(labels):
        raise ValueError(f"`synthetic` must be at least one table, with distinct labels; got the labels {labels!r}.")
    return labels, several, [f"synthetic[{label!r}]" for label in labels]


def with_records(source: Source) -> Source:
    """The source with a table of records that can be counted: files of other formats than CSV and Parquet are read into memory."""
    if formats.is_format(source.table):
        return Source(source.name, formats.loaded(source.table, source.name), source.weight)
    if not (engines.is_path(source.table) or frames.is_frame(source.table)):
        raise TypeError(
            f"`{source.name}` is {type(source.table).__name__}; give a data frame, a mapping of columns, or a path to a file: "
            f"{engines.FORMATS}, or {engines.OTHERS}. For tables of counts use from_counts."
        )
    return source


def _is_column(values: Any) -> bool:
    """Whether a mapping's value is a column rather than a table."""
    return not (isinstance(values, (str, Path, Mapping)) or frames.is_frame(values))
