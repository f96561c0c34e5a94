"""Records to counts: the one step that sees records."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import xarray as xr

from capstats.codes.bins import Cut, check_bins
from capstats.codes.column import Places
from capstats.codes.labels import MISSING, Label
from capstats.codes.names import free_name
from capstats.codes.progress import Progress
from capstats.codes.wanted import Type, check_types
from capstats.counting.inputs import chosen_columns, sources_of
from capstats.counting.reading import Counted, each, find_cut, read, without_missing
from capstats.sources import files, lazy
from capstats.sources.csv_text import codec
from capstats.sources.options import Options
from capstats.tables.axes import join_columns
from capstats.tables.backing import Backing, choose_sparse, stacked, table_of
from capstats.tables.dataset import SUMS, dataset
from capstats.tables.levels import warn_of_levels

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
    counts: Any = None,
    backing: Backing = "auto",
    encoding: str | None = None,
    decimal: str = ".",
    memory_limit: str | None = None,
    spill_dir: str | Path | None = None,
    progress: bool | None = None,
) -> xr.Dataset:
    """Counts of records by target and key: all that any measure needs to know about the data.

    Parameters
    ----------
    original : data frame, lazy frame, mapping of columns, or path
        The confidential records: a pandas or polars frame, a pyarrow table, any eager frame that narwhals knows, or a mapping
        {column: values}; a lazy frame, which its own engine counts, so that only counts come back: polars, DuckDB, Ibis, PySpark, or Dask
        (whose workers need capstats, too); or a path or glob to Parquet or CSV files, which DuckDB counts where they lie; or, with the
        extra ``formats``, the path of a file of Excel (.xlsx: first sheet, names in its first row), Stata (.dta), SPSS (.sav, .zsav, .por),
        SAS (.sas7bdat, .xpt) or Arrow (.feather, .arrow), which is read into memory. Values with a label are read as their labels, ordered
        as coded; user-missing values are missing.
        CSV is UTF-8 (see `encoding`), may be compressed (.gz, .bz2, .xz, or .zip with one file), and has the names in its first line,
        separated by comma, tab, semicolon or bar. Fields are read byte for byte: spaces are kept, quotes enclose a field as a whole, a
        record with too few or too many fields raises with its line. Checksums of compressed CSV are verified; those of Parquet pages
        are not, since DuckDB ignores them.
    synthetic : same, a sequence of them, or a mapping {label: table}, optional
        The records to be released. Several tables give `s` the dim ``synthetic``; without any there is no `s`.
    keys, target : column name or sequence of names
        What the intruder knows, and what is guessed; several target columns are guessed together. ``keys="sex"`` is one column.
    holdout : data frame, lazy frame, mapping of columns, or path, optional
        Records of the same population that were not used for synthesis.
    missing : {"level", "drop"}
        Whether a missing value is one more level of its column (`MISSING`), or its record is dropped; how many were dropped is told in
        ``attrs["dropped"]``.
    null_values : str or sequence of str, optional
        The texts that mean a missing value, in every table and column, before `types` and `bins` parse them: ``["", "NA"]``. Not given,
        no text is missing but an empty field without quotes in CSV. Given, it takes the place of that rule: an empty field is missing
        only if "" is one of the texts, and then `""` with quotes is missing too.
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
        Columns of sampling weights, as surveys have them: each row is one record, and its weight says how many people it represents.
        None for a table that has none. The synthetic entry may be a list or mapping, one name a table. A holdout takes the original's
        where it is not given. Cells hold the sums of the weights; the records and the squared weights are summed beside them, because
        standard errors need them.
    counts : same, optional
        Columns of frequencies: each row stands for so many records that are alike, as in published tables and in what `to_frame` returns.
        Cells hold the sums of the counts. A table has `weights` or `counts`, not both.
    backing : {"auto", "dense", "sparse"}
        How the tables are held: as numpy arrays, or by their filled cells (``sparse.COO``, extra ``sparse``). "auto" is sparse where
        a table has more than 2**24 cells and fewer than a quarter of them are filled. Every measure gives the same numbers on both; a
        measure with a value for each cell says what it gives for cells that hold no record.
    encoding : str, optional
        For CSV files: the encoding of their text, any that Python knows, such as "cp1252"; UTF-8 by default. It applies to all CSV files
        of the call.
    decimal : {".", ","}
        For CSV files: the sign before the decimals of numbers, where `types`, `bins` or `weights` reads a column as numbers. With ","
        a value such as "1.5" is not a number.
    memory_limit : str, optional
        For files, and for long text in pandas' objects: how much memory DuckDB may use, such as "1GB" (by default 80 % of the machine's).
        What does not fit is written to a new folder, "capstats-..." within `spill_dir`, which its owner alone can read (mode 0700) and
        which is removed when the table is read. A killed process leaves its folder behind, and the next run with the same `spill_dir`
        removes it. DuckDB 1.4 and later encrypt these files with a key that is kept in memory; it is not made by a strong generator, so
        the rights of the folder are what protects them. Older versions do not encrypt.
    spill_dir : path, optional
        Existing folder for what does not fit in memory, in place of the system's temporary folder; see `memory_limit`.
    progress : bool, optional
        Whether a count of more than two seconds shows its progress on stderr. By default it does where stderr is a terminal or a notebook.

    Returns
    -------
    Dataset
        ``o``, ``s`` and ``h`` (where given), int64 unless weights or counts are fractional, dims ``target`` and ``key``, before them
        ``synthetic`` for several synthetic tables. The key is a MultiIndex over the key columns and holds the combinations that occur
        in any table; attrs say how the counts came to be. Where `weights` were summed, ``o_records`` has the number of records (int64)
        and ``o_squares`` the sum of the squared weights (float64) of each cell, likewise for `s` and `h`, and ``o.attrs["weights"]`` names
        the column.

    Raises
    ------
    ValueError, TypeError, FileNotFoundError
        If a column is absent (the nearest name is told), is key and target at once, mixes kinds or has different kinds in two tables;
        if a value does not parse as its type; if a column cannot be cut, or not as `bins` says; if weights or counts are negative,
        infinite or missing, or both are given for one table; if a table is empty.

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
    with Progress(progress) as shown:
        records = read_records(
            original,
            synthetic,
            holdout,
            chosen_columns(keys, "keys"),
            chosen_columns(target, "target"),
            missing=missing,
            null_values=null_values,
            types=types,
            bins=bins,
            weights=weights,
            counts=counts,
            encoding=encoding,
            decimal=decimal,
            memory_limit=memory_limit,
            spill_dir=spill_dir,
            progress=shown,
        )
        shown.step("joining the tables")
        tables = on_axes(records, backing)[0]
    warn_of_levels(tables.attrs)
    return tables


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
    if files.is_path(original) or lazy.is_lazy(original):
        raise TypeError(
            f"An answer for each record needs a table in memory; `original` is {type(original).__name__}. "
            f"Read or collect it, or work with counts: tabulate takes it as it is."
        )
    chosen = chosen_columns(keys, "keys"), chosen_columns(target, "target")
    records = read_records(original, synthetic, None, *chosen, types=types, bins=bins, by_record=True)
    tables, targets_at, keys_at = on_axes(records, "auto")
    warn_of_levels(tables.attrs)
    first = records.tables[0]
    return tables, targets_at[0][first.target.of_row], keys_at[0][first.key.of_row]


@dataclass
class Records:
    """All tables, counted, each with labels of its own."""

    key_columns: list[Hashable]
    target_columns: list[Hashable]
    missing: str
    names: list[str]  # what messages call the tables: original, synthetic ones, holdout
    labels: list[Label] | None  # of several synthetic tables
    holdout: bool
    tables: list[Counted]
    weights: dict[str, str]
    counts: dict[str, str]
    dropped: dict[str, Any]
    cuts: dict[Hashable, Cut]
    orders: dict[Hashable, list[Label]]

    def attrs(self, stored: Mapping[Hashable, str]) -> dict[str, Any]:
        """How the counts came to be, columns under the names by which they are stored."""
        told = {
            "renamed": {new: str(old) for old, new in stored.items() if new != old},
            "dropped": self.dropped,
            "weights": self.weights,
            "counts": self.counts,
            "bins": {stored[column]: self.cuts[column].shown for column in stored if column in self.cuts},
            "categories": {stored[column]: self.orders[column] for column in stored if column in self.orders},
        }
        return {
            "key_columns": [str(c) for c in self.key_columns],
            "target_columns": [str(c) for c in self.target_columns],
            "missing": self.missing,
            **{what: value for what, value in told.items() if value},
        }


def read_records(
    original: Any,
    synthetic: Any,
    holdout: Any,
    key_columns: list[Hashable],
    target_columns: list[Hashable],
    *,
    missing: Literal["level", "drop"] = "level",
    null_values: str | Sequence[str] | None = None,
    types: Mapping[Hashable, Type] | None = None,
    bins: Mapping[Hashable, Any] | None = None,
    weights: Any = None,
    counts: Any = None,
    encoding: str | None = None,
    decimal: str = ".",
    memory_limit: str | None = None,
    spill_dir: str | Path | None = None,
    progress: Progress | None = None,
    by_record: bool = False,
) -> Records:
    """All tables counted over the key and target columns, each of them read once; the arguments are `tabulate`'s.

    With ``by_record``, the rows of the original are its records, in their order, however alike they are.
    """
    columns = key_columns + target_columns
    twice = [c for c in columns if columns.count(c) > 1]
    if twice:
        where = "both a key and the target" if twice[0] in key_columns and twice[0] in target_columns else "named twice"
        raise ValueError(f"Column {twice[0]!r} is {where}. What is guessed cannot be known: name each column once.")
    if missing not in ("level", "drop"):
        raise ValueError(f'`missing` must be "level" or "drop"; got {missing!r}.')
    check_types(types, columns, "neither a key nor the target")
    specs = check_bins(bins, columns, types or {})
    sources, labels = sources_of(original, synthetic, holdout, weights, counts)
    if decimal not in (".", ","):
        raise ValueError(f'`decimal` must be "." or ","; got {decimal!r}.')
    codec(encoding)
    if not any(files.is_csv(source.table) for source in sources):
        for argument, given in (("encoding", encoding is not None), ("decimal", decimal != ".")):
            if given:
                raise ValueError(f"`{argument}` applies to CSV files only; no CSV file was given. Leave it out.")
    nulls = [null_values] if isinstance(null_values, str) else null_values
    if nulls is not None and not (isinstance(nulls, (list, tuple, set, frozenset)) and all(isinstance(x, str) for x in nulls)):
        raise TypeError(f"`null_values` must be a text or a list of texts; got {null_values!r}.")

    tables: list[Counted] = []
    dropped: dict[str, Any] = {}
    orders: dict[Hashable, list[Label]] = {}
    options = Options(types or {}, nulls, encoding, decimal, memory_limit, spill_dir, progress or Progress(False))
    k = len(key_columns)
    cuts = {column: find_cut(sources[0], column, spec, options) for column, spec in specs.items()}
    found = each(sources, lambda source: read(source, columns, k, cuts, options, by_record=by_record and source is sources[0]))
    for source, table in zip(sources, found, strict=True):
        if missing == "drop":
            table, dropped[source.name] = without_missing(table)
        if not table.counts.any():
            raise ValueError(f"`{source.name}` holds no record{' without a missing value' if missing == 'drop' else ''}.")
        tables.append(table)
        for name, column in zip(columns, [*table.key.columns, *table.target.columns], strict=True):
            if column.ordered:
                known = [x for x in column.labels if x is not MISSING]
                orders[name] = list(dict.fromkeys([*orders.get(name, []), *known]))
    return Records(
        key_columns,
        target_columns,
        missing,
        [source.name for source in sources],
        labels,
        holdout is not None,
        tables,
        {source.name: str(source.weight) for source in sources if source.sampling},
        {source.name: str(source.weight) for source in sources if source.weight is not None and not source.sampling},
        dropped,
        cuts,
        orders,
    )


def on_axes(records: Records, backing: Backing) -> tuple[xr.Dataset, list[Places], list[Places]]:
    """The tables on common axes, and where the distinct targets and the distinct keys of each stand on them."""
    tables, names, labels, k = records.tables, records.names, records.labels, len(records.key_columns)
    columns = records.key_columns + records.target_columns
    stored: list[str] = []
    for column in columns:
        plain = column in records.target_columns and len(records.target_columns) == 1 and str(column) not in stored
        stored.append(str(column) if plain else free_name(column, [*stored, *(c for c in columns if c != column)]))
    key, keys = join_columns([table.key.columns for table in tables], records.key_columns, names)
    target, targets = join_columns([table.target.columns for table in tables], records.target_columns, names)
    axes = {"key": key.set_names(stored[:k]), "target": target.set_names(stored[k:])}
    shape = (len(target), len(key))
    sparse = choose_sparse(backing, max(len(table.counts) for table in tables), math.prod(shape))
    last = len(tables) - records.holdout
    arrays = {}
    for variable, which in (("o", range(1)), ("s", range(1, last)), ("h", range(last, len(tables)))):
        weighted = any(names[t] in records.weights for t in which)
        for part, suffix in enumerate(SUMS if weighted else SUMS[:1]):
            filled = [
                table_of(tables[t].summed(part), targets[t][tables[t].target.of_row], keys[t][tables[t].key.of_row], shape, sparse)
                for t in which
            ]
            if filled:
                arrays[variable + suffix] = stacked(filled) if variable == "s" and labels is not None else filled[0]
    return dataset(arrays, axes, labels, records.attrs(dict(zip(columns, stored, strict=True)))), targets, keys
