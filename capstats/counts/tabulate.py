"""Records to counts: the one step that sees records."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import xarray as xr

from capstats.counts import engines, frames, lazy, relations
from capstats.counts.axes import join_columns
from capstats.counts.backing import Backing, choose_sparse, stacked, table_of
from capstats.counts.bins import Cut, Spec, check_bins, cut_at_points, cut_by_counts
from capstats.counts.codes import Column, Counts, Places, count, places
from capstats.counts.labels import MISSING, Label, Type, as_type, canonical, check_type, free_name, hint
from capstats.counts.progress import Progress
from capstats.counts.sources import Source, chosen_columns, sources_of
from capstats.counts.tables import dataset

Columns = Hashable | Sequence[Hashable]


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
    return _tabulated(
        original,
        synthetic,
        keys=keys,
        target=target,
        holdout=holdout,
        missing=missing,
        null_values=null_values,
        types=types,
        bins=bins,
        weights=weights,
        backing=backing,
        memory_limit=memory_limit,
        progress=progress,
    )[0]


def locate(
    original: Any,
    synthetic: Any,
    *,
    keys: Columns,
    target: Columns,
    types: Mapping[Hashable, Type] | None = None,
    bins: Mapping[Hashable, Any] | None = None,
) -> tuple[xr.Dataset, Places, Places]:
    """What `tabulate` returns, and the places of each original record's target and key on its axes, in the order of the records."""
    if engines.is_path(original) or lazy.is_lazy(original):
        raise TypeError(
            f"An answer for each record needs a table in memory; `original` is {type(original).__name__}. "
            f"Read or collect it, or work with counts: tabulate takes it as it is."
        )
    tables, records = _tabulated(original, synthetic, keys=keys, target=target, types=types, bins=bins, located=True)
    return tables, *records


def _tabulated(
    original: Any,
    synthetic: Any,
    *,
    keys: Columns,
    target: Columns,
    types: Mapping[Hashable, Type] | None,
    bins: Mapping[Hashable, Any] | None,
    holdout: Any = None,
    missing: Literal["level", "drop"] = "level",
    null_values: str | Sequence[str] | None = None,
    weights: Any = None,
    backing: Backing = "auto",
    memory_limit: str | None = None,
    progress: bool | None = None,
    located: bool = False,
) -> tuple[xr.Dataset, tuple[Places, Places]]:
    """The tables and, if ``located``, the target and key of each original record, as places on their axes."""
    key_columns, target_columns = chosen_columns(keys, "keys"), chosen_columns(target, "target")
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
    sources, labels = sources_of(original, synthetic, holdout, weights)
    if null_values is not None and not any(engines.is_csv(source.table) for source in sources):
        raise ValueError("`null_values` is for CSV files, and no table is one. Recode the column, or use `types`.")
    nulls = [null_values] if isinstance(null_values, str) else null_values
    if nulls is not None and not (isinstance(nulls, (list, tuple, set, frozenset)) and all(isinstance(x, str) for x in nulls)):
        raise TypeError(f"`null_values` must be a text or a list of texts, as they stand in the file; got {null_values!r}.")

    rows: list[list[Column]] = []
    counts: list[Counts] = []
    dropped = {}
    orders: dict[Hashable, list[Label]] = {}
    reading = _Reading(types or {}, nulls, memory_limit, Progress(progress))
    with reading.progress:
        cuts = {column: _cut(sources[0], column, spec, reading) for column, spec in specs.items()}
        first = _distinct(sources[0], columns, cuts, reading, by_record=located)
        distinct = [first, *(_distinct(source, columns, cuts, reading) for source in sources[1:])]
    for source, (found, n, _) in zip(sources, distinct, strict=True):
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
    row = first[2]  # of each original record, among the distinct rows; none unless they are located
    return dataset({v: tables[v] for v in ("o", "s", "h") if v in tables}, axes, labels, attrs), (
        target_places[0][row],
        key_places[0][row],
    )


@dataclass
class _Reading:
    """How tables are read."""

    types: Mapping[Hashable, Type]
    nulls: Sequence[str] | None
    memory_limit: str | None
    progress: Progress


def _cut(source: Source, column: Hashable, spec: Spec, reading: _Reading) -> Cut:
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


def _distinct(
    source: Source, columns: list[Hashable], cuts: Mapping[Hashable, Cut], reading: _Reading, by_record: bool = False
) -> tuple[list[Column], Counts, Places]:
    """Distinct rows of a source as columns of codes into labels of the wanted types, their counts, and which of them each record is."""
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
    elif not by_record and not cuts and relations.suits_text(table, columns):
        read, weights = relations.read_text(table, columns, weight, name)
    else:
        read, weights = frames.read(table, columns, weight, name, cuts, by_record=by_record)
    if len(read[0].codes) == 0:
        raise ValueError(f"`{name}` is empty: it has no record.")
    progress.step(f"counting {name}", rows=len(read[0].codes))
    counted, row = places(read) if by_record else (count(read, weights, progress.advance), np.zeros(0, np.int64))
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
    return found, counted.counts, row


def _without_missing(rows: list[Column], counts: Counts) -> tuple[list[Column], Counts, Any]:
    keep = np.ones(len(counts), bool)
    for column in rows:
        keep &= np.array([label is not MISSING for label in column.labels])[column.codes]
    kept = [Column(c.codes[keep], c.labels, ordered=c.ordered) for c in rows]
    return kept, counts[keep], counts[~keep].sum().item()
