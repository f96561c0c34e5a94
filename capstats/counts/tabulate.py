"""Records to counts: the one step that sees records."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from capstats.counts import engines, frames, lazy, relations
from capstats.counts.axes import join_columns
from capstats.counts.backing import Backing, choose_sparse, stacked, table_of
from capstats.counts.bins import Cut, Spec, check_bins, cut_at_points, cut_by_counts
from capstats.counts.codes import Column, Counts, Rows, count, one_by_one
from capstats.counts.labels import MISSING, Label, Type, as_type, canonical, check_type, free_name, hint
from capstats.counts.progress import Progress
from capstats.counts.tables import dataset

Columns = Hashable | Sequence[Hashable]
Weight = Hashable | None


@dataclass
class Source:
    """One table of records and how error messages call it."""

    name: str
    table: Any
    weight: Weight


def tabulate(
    original: Any,
    synthetic: Any = None,
    *,
    keys: Columns,
    target: Columns,
    holdout: Any = None,
    missing: Literal["level", "drop"] = "level",
    null_values: str | Sequence[str] | None = None,
    types: Mapping[Hashable, Type] | None = None,
    bins: Mapping[Hashable, Any] | None = None,
    weights: Any = None,
    backing: Backing = "auto",
    memory_limit: str | None = None,
    progress: bool | None = None,
) -> xr.Dataset:
    """Counts of records by target and key: all that any measure needs to know about the data.

    Parameters
    ----------
    original : data frame, mapping of columns, or path
        The confidential records: a pandas or polars frame, a pyarrow table, any eager frame that narwhals knows, a mapping
        {column: values}, or a path or glob to Parquet or CSV files, which DuckDB counts where they lie. CSV is UTF-8 with the names
        in its first line, separated by comma, tab, semicolon or bar; a row that does not fit raises.
    synthetic : same, a sequence of them, or a mapping {label: table}, optional
        The records to be released. Several tables give `s` the dim ``synthetic``; without any there is no `s`.
    keys, target : column name or sequence of names
        What the intruder knows, and what is guessed; several target columns are guessed together. ``keys="sex"`` is one column.
    holdout : data frame, mapping of columns, or path, optional
        Records of the same population that were not used for synthesis.
    missing : {"level", "drop"}
        Whether a missing value is one more level of its column (`MISSING`), or its record is dropped; how many were dropped is told in
        ``attrs["dropped"]``.
    null_values : str or sequence of str, optional
        For CSV: the texts that mean a missing value, in place of the default "" (an empty field without quotes; with quotes it is
        an empty text).
    types : mapping {column: "number" | "text" | "bool" | "date" | "datetime" | list of levels in order}, optional
        What the labels of a column are to become; CSV alone knows only text. Dates are written as 2024-01-31 (ISO 8601). A list
        of levels also fixes their order.
    bins : mapping {column: int | ("quantile", int) | cut points}, optional
        Columns of numbers, dates or datetimes to cut into intervals, which become their labels: ``{"age": 10}`` is ten bins of equal width
        between the original's least and greatest finite value, ``{"age": ("quantile", 4)}`` lies between the quartiles of the original's
        records (linear interpolation; equal cut points merge), and ``{"age": [18, 65]}`` is three bins, "(-inf, 18]", "(18, 65]" and
        "(65, inf)". The original alone decides where to cut, with all its records; the outer bins are open, so they take infinities and
        whatever lies beyond in other tables. Missing stays missing. Numbers are compared as 64-bit floats (integers exactly), times in
        whole microseconds. Texts, as in CSV, are parsed as numbers, or as the "date" or "datetime" that `types` says. Cut points are in
        ``attrs["bins"]``.
    weights : column name, or (original, synthetic) or (original, synthetic, holdout) of names, optional
        Columns to sum in place of counting records; None for a table that has none. The synthetic entry may be a list or mapping,
        one name a table. Integer weights give integer counts. A holdout takes the original's where it is not said.
    backing : {"auto", "dense", "sparse"}
        How the tables are held: as numpy arrays, or by their filled cells (``sparse.COO``, extra ``sparse``). "auto" is sparse where
        a table has more than 2**24 cells and fewer than a quarter of them are filled. Every measure gives the same numbers on both.
    memory_limit : str, optional
        For files: how much memory DuckDB may use, such as "1GB"; beyond it, it spills to disk.
    progress : bool, optional
        Whether a count of more than two seconds shows its progress on stderr. By default it does where stderr is a terminal or a notebook.

    Returns
    -------
    Dataset
        ``o``, ``s`` and ``h`` (where given), int64 unless weights are fractional, dims ``target`` and ``key``, before them
        ``synthetic`` for several synthetic tables. The key is a MultiIndex over the key columns and holds the combinations that occur
        in any table; attrs say how the counts came to be.

    Raises
    ------
    ValueError, TypeError, FileNotFoundError
        If a column is absent (the nearest name is told), is key and target at once, mixes kinds or has different kinds in two tables;
        if a value does not parse as its type; if a column cannot be cut, or not as `bins` says; if weights are negative, infinite or
        missing; if a table is empty.

    See Also
    --------
    from_counts : tables of counts made elsewhere. to_frame : the inverse, in long form.

    Notes
    -----
    Labels of two tables match when they are equal values of one kind (number, text, bool, date, datetime, datetime with zone):
    1 equals 1.0, and never "1". Categories keep their order; other labels are in natural order. See theory/notation.md.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 2.1.

    Examples
    --------
    >>> original = {"sex": ["f", "f", "m"], "income": ["low", "high", "low"]}
    >>> synthetic = {"sex": ["f", "m", "m"], "income": ["low", "low", "high"]}
    >>> tables = tabulate(original, synthetic, keys="sex", target="income")
    >>> tables.o.sel(target="low").values.tolist()
    [1, 1]
    """
    key_columns, target_columns = chosen(keys, "keys"), chosen(target, "target")
    columns = key_columns + target_columns
    twice = [c for c in columns if columns.count(c) > 1]
    if twice:
        where = "both a key and the target" if twice[0] in key_columns and twice[0] in target_columns else "named twice"
        raise ValueError(f"Column {twice[0]!r} is {where}. What is guessed cannot be known: name each column once.")
    if missing not in ("level", "drop"):
        raise ValueError(f'`missing` must be "level" or "drop"; got {missing!r}.')
    if not isinstance(types, (Mapping, type(None))):
        raise TypeError(f"`types` must be a mapping {{column: type}}; got {types!r}.")
    for column, wanted in (types or {}).items():
        if column not in columns:
            raise ValueError(f"`types` names {column!r}, which is neither a key nor the target." + hint(column, columns))
        check_type(str(column), wanted)
    specs = check_bins(bins, columns, types or {})
    sources, labels = _sources(original, synthetic, holdout, weights)
    if null_values is not None and not any(engines.is_csv(source.table) for source in sources):
        raise ValueError("`null_values` is for CSV files, and no table is one. Recode the column, or use `types`.")
    nulls = [null_values] if isinstance(null_values, str) else null_values
    if nulls is not None and not (isinstance(nulls, (list, tuple, set, frozenset)) and all(isinstance(x, str) for x in nulls)):
        raise TypeError(f"`null_values` must be a text or a list of texts, as they stand in the file; got {null_values!r}.")

    rows: list[list[Column]] = []
    counts: list[Counts] = []
    dropped = {}
    orders: dict[Hashable, list[Label]] = {}
    reading = Reading(types or {}, nulls, memory_limit, Progress(progress))
    with reading.progress:
        cuts = {column: _cut(sources[0], column, spec, reading) for column, spec in specs.items()}
        distinct = [distinct_rows(source, columns, cuts, reading) for source in sources]
    for source, (found, n) in zip(sources, distinct, strict=True):
        if missing == "drop":
            found, n, dropped[source.name] = _without_missing(found, n)
        if not n.any():
            raise ValueError(f"`{source.name}` holds no record{' without a missing value' if missing == 'drop' else ''}.")
        rows.append(found)
        counts.append(n)
        for column, codes in zip(columns, found, strict=True):
            if codes.ordered:
                known = [x for x in codes.labels if x is not MISSING]
                orders[column] = list(dict.fromkeys([*orders.get(column, []), *known]))

    stored: list[str] = []
    for column in columns:
        plain = column in target_columns and len(target_columns) == 1 and str(column) not in stored
        stored.append(str(column) if plain else free_name(column, [*stored, *(c for c in columns if c != column)]))
    k = len(key_columns)
    names = [source.name for source in sources]
    key, key_places = join_columns([r[:k] for r in rows], key_columns, names)
    targets, target_places = join_columns([r[k:] for r in rows], target_columns, names)
    axes = {"key": key.set_names(stored[:k]), "target": targets.set_names(stored[k:])}
    shape = (len(targets), len(key))
    sparse = choose_sparse(backing, max(map(len, counts)), math.prod(shape))
    filled = [table_of(n, i, j, shape, sparse) for n, i, j in zip(counts, target_places, key_places, strict=True)]
    tables = {"o": filled[0]}
    if holdout is not None:
        tables["h"] = filled.pop()
    if synthetic is not None:
        tables["s"] = filled[1] if labels is None else stacked(filled[1:])
    attrs: dict[str, Any] = {
        "key_columns": [str(c) for c in key_columns],
        "target_columns": [str(c) for c in target_columns],
        "missing": missing,
    }
    renamed = {new: str(old) for new, old in zip(stored, columns, strict=True) if new != old}
    for name, value in (
        ("renamed", renamed),
        ("dropped", dropped),
        ("weights", {source.name: str(source.weight) for source in sources if source.weight is not None}),
        ("bins", {new: cuts[old].shown for new, old in zip(stored, columns, strict=True) if old in cuts}),
        ("categories", {new: orders[old] for new, old in zip(stored, columns, strict=True) if old in orders}),
    ):
        if value:
            attrs[name] = value
    return dataset({v: tables[v] for v in ("o", "s", "h") if v in tables}, axes, labels, attrs)


def chosen(columns: Any, argument: str) -> list[Hashable]:
    """One name or several as a list; a tuple is a sequence of names, as a list is."""
    several = isinstance(columns, (Sequence, np.ndarray, pd.Index)) and not isinstance(columns, str)
    names = list(columns) if several else [columns]
    if not names or columns is None:
        raise ValueError(f"`{argument}` must name at least one column.")
    if not all(isinstance(column, Hashable) for column in names):
        raise TypeError(f"`{argument}` must be a column name or a list of them; got {columns!r}.")
    return names


def _sources(original: Any, synthetic: Any, holdout: Any, weights: Any) -> tuple[list[Source], list[Label] | None]:
    """All tables in the order original, synthetic ones, holdout; and the labels of several synthetic ones."""
    if isinstance(weights, tuple) and len(weights) in (2, 3):
        of_o, of_s, of_h = (*weights, weights[0])[:3]
    elif isinstance(weights, (list, tuple)):
        raise ValueError(f"`weights` must be a column name, or a pair of them for original and synthetic records; got {weights!r}.")
    else:
        of_o = of_s = of_h = weights
    sources = [Source("original", original, of_o)]
    labels, several, names = released(synthetic)
    if labels is not None:
        if isinstance(of_s, Mapping) and set(of_s) != set(synthetic):
            raise ValueError(f"`weights` is for the synthetic tables {list(of_s)!r}; they are {list(synthetic)!r}. Give one for each.")
        own = [of_s[x] for x in synthetic] if isinstance(of_s, Mapping) else list(of_s) if isinstance(of_s, list) else [of_s] * len(labels)
    else:
        own = [of_s] * len(several)
    if len(own) != len(several):
        raise ValueError(f"`weights` has {len(own)} names for {len(several)} synthetic tables. Give one for each.")
    sources += [Source(n, t, w) for n, t, w in zip(names, several, own, strict=True)]
    if holdout is not None:
        sources.append(Source("holdout", holdout, of_h))
    for source in sources:
        check_records(source)
    return sources, labels


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


def check_records(source: Source) -> None:
    """Raise unless it is a table of records that can be read."""
    if not (engines.is_path(source.table) or frames.is_frame(source.table)):
        raise TypeError(
            f"`{source.name}` is {type(source.table).__name__}; give a data frame, a mapping of columns, or a path to CSV or Parquet. "
            f"For tables of counts use from_counts."
        )


def _is_column(values: Any) -> bool:
    """Whether a mapping's value is a column rather than a table."""
    return not (isinstance(values, (str, Path, Mapping)) or frames.is_frame(values))


@dataclass
class Reading:
    """How tables are read."""

    types: Mapping[Hashable, Type]
    nulls: Sequence[str] | None
    memory_limit: str | None
    progress: Progress


def _cut(source: Source, column: Hashable, spec: Spec, reading: Reading) -> Cut:
    """Where a column is cut, as the original says."""
    table, weight, name, progress = source.table, source.weight, source.name, reading.progress
    wanted: Any = reading.types.get(column)  # one of the types that can be cut, or None
    progress.step(f"cutting {column}")
    if engines.is_path(table):
        numbers, counts = engines.numbers_and_counts(
            table,
            column,
            weight,
            name,
            spec=spec,
            wanted=wanted,
            null_values=reading.nulls,
            memory_limit=reading.memory_limit,
            progress=progress,
        )
    elif lazy.is_lazy(table):
        numbers, counts = lazy.numbers_and_counts(table, column, weight, name, spec, wanted)
    else:
        numbers, counts = frames.numbers_and_counts(table, column, weight, name, wanted)
    if spec.how == "points":
        return cut_at_points(spec.points, numbers.kind, wanted, column)
    return cut_by_counts(spec, numbers, counts, wanted, column)


def distinct_rows(
    source: Source, columns: Sequence[Hashable], cuts: Mapping[Hashable, Cut], reading: Reading, each: bool = False
) -> tuple[list[Column], Counts]:
    """Distinct rows of a source as columns of codes into labels of the wanted types, and their counts; or ``each`` record as it stands."""
    weights: Counts | None
    table, weight, name, progress = source.table, source.weight, source.name, reading.progress
    progress.step(f"reading {name}")
    if engines.is_path(table):
        nulls, memory_limit = reading.nulls, reading.memory_limit
        read, weights = engines.read(
            table, columns, weight, name, null_values=nulls, memory_limit=memory_limit, cuts=cuts, progress=progress
        )
    elif lazy.is_lazy(table):
        read, weights = lazy.read(table, columns, weight, name, cuts)
    elif not cuts and not each and relations.suits_text(table, columns):
        read, weights = relations.read_text(table, columns, weight, name)
    else:
        read, weights = frames.read(table, columns, weight, name, cuts, each)
    if len(read[0].codes) == 0:
        raise ValueError(f"`{name}` is empty: it has no record.")
    progress.step(f"counting {name}", rows=len(read[0].codes))
    counted: Rows = one_by_one(read) if each else count(read, weights, progress.advance)
    types = {c: wanted for c, wanted in reading.types.items() if c not in cuts}
    found = []
    for asked, column, codes in zip(columns, read, counted.codes, strict=True):
        labels, ordered = column.labels, column.ordered
        used = np.flatnonzero(np.bincount(codes, minlength=len(labels))).tolist()
        if not ordered:  # an order also tells the labels that have no record
            place = np.zeros(len(labels), np.intp)
            place[used] = np.arange(len(used))
            labels, codes, used = [labels[i] for i in used], place[codes], list(range(len(used)))
        if asked in types:
            wanted, labels = types[asked], list(labels)
            for i, label in zip(used, as_type([labels[i] for i in used], wanted, str(asked), name), strict=True):
                labels[i] = label
            for i in set(range(len(labels))) - set(used):
                try:
                    labels[i] = as_type([labels[i]], wanted, str(asked), name)[0]
                except ValueError:
                    labels[i] = MISSING  # an unused category may be anything
            if not isinstance(wanted, str):  # the levels in their order come first, the column's own labels map to them
                place_of = {label: i for i, label in enumerate([*map(canonical, wanted), MISSING])}
                codes = np.array([place_of.get(label, 0) for label in labels])[codes]
                labels, ordered = list(place_of), True
        found.append(Column(codes, labels, ordered=ordered))
    return found, counted.counts


def _without_missing(rows: list[Column], counts: Counts) -> tuple[list[Column], Counts, Any]:
    keep = np.ones(len(counts), bool)
    for column in rows:
        keep &= np.array([label is not MISSING for label in column.labels])[column.codes]
    kept = [Column(c.codes[keep], c.labels, ordered=c.ordered) for c in rows]
    return kept, counts[keep], counts[~keep].sum().item()
