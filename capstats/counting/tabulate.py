"""Records to counts: the one step that sees records."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any, Unpack

import xarray as xr

from capstats.codes.progress import Progress
from capstats.counting.reading import files_read, released
from capstats.counting.records import Records, on_axes, read_records
from capstats.counting.request import Columns, Reading, Request, shows_options
from capstats.counting.same import same_releases
from capstats.tables.dataset import as_tables, with_origin, with_own_origin
from capstats.tables.levels import warn_of_levels, with_compared


@shows_options
def tabulate(
    original: Any,
    synthetic: Any = None,
    *,
    keys: Columns,
    target: Columns | None,
    holdout: Any = None,
    copy_columns: int = 0,
    **reading: Unpack[Reading],
) -> xr.Dataset:
    """Counts of records by target and key: all that any measure needs to know about the data.

    Parameters
    ----------
    original : data frame, lazy frame, mapping of columns, or path
        The confidential records: a pandas or polars frame, a pyarrow table, any eager frame that narwhals knows, or a mapping {column:
        values}; a lazy frame, which its own engine counts, so that only counts come back: polars, DuckDB, Ibis, PySpark, or Dask (whose
        workers need capstats, too); or a path or glob to Parquet or CSV files, which DuckDB counts where they lie; or, with the extra
        ``formats``, the path of a file of Excel (.xlsx: the only sheet with records, or `sheet`), Stata (.dta), SPSS (.sav, .zsav, .por),
        SAS (.sas7bdat, .xpt) or Arrow (.feather, .arrow), which is read into memory. Values with a label are read as their labels, ordered
        as coded; user-missing values are missing.
        CSV is UTF-8 (see `encoding`), may be compressed (.gz, .bz2, .xz, or .zip with one file), and has the names in its first line,
        separated by comma, tab, semicolon or bar (or as a line ``sep=;`` before it says); see `skip`. Fields are read byte for byte: spaces
        are kept, quotes enclose a field as a whole, a record with too few or too many fields raises with its line. Checksums of compressed
        CSV are verified; those of Parquet pages are not, since DuckDB ignores them.
    synthetic : same, a sequence of them, or a mapping {label: table}, optional
        The records to be released. Several tables give `s` the dim ``synthetic``; without any there is no `s`.
    keys, target : column name or sequence of names
        What the intruder knows, and what is guessed; several target columns are guessed together. ``keys="sex"`` is one column.
        ``target=None`` counts records by key alone, as those of a population register: all of them have one target, "any".
    holdout : data frame, lazy frame, mapping of columns, or path, optional
        Records of the same population that were not used for synthesis.
    copy_columns : int
        Most columns over which whole records are compared, to find those of a release that are identical to one of the original; 0, the
        default, for none. `audit` compares up to 50 and explains it; the numbers are in ``encoding["copies"]``.
    missing : {"level", "drop"}
        Whether a missing value is one more level of its column (`MISSING`), or its record is dropped; the number dropped is stored in
        ``attrs["dropped"]``.
    null_values : code, sequence of codes, or mapping {column: code or sequence of codes}, optional
        Codes that mean a missing value, in every table, before `types` and `bins` see them: ``{"income": [-99, -98], "born":
        "1900-01-01"}`` names those of single columns, ``["NA", -99]`` those of all columns, and the key "*" of a mapping means all
        columns. A code is a text, a number or a date. Numbers are compared as numbers: -99, "-99" and "-99.0" are one code, which is met
        by -99, by -99.0 and, in a column of text, by "-99.0", but not by "-099" unless `types` makes the column a number. Dates are
        compared as dates, those with a zone in UTC, and texts as they are. A bool is no number. Not given, no value is missing but null,
        NaN and, in CSV, an empty field without quotes. Codes of all columns take the place of that rule of CSV: an empty field is missing
        only if "" is one of them, and then `""` with quotes is missing too. In CSV a code that is a word means a field without quotes, in
        a column of text: "NA" in quotes may be Namibia, and is missing if the code ``'"NA"'``, with its quotes, is given as well.
    allow_unused_codes : bool
        Whether codes may occur in no table, as in a job that runs each month. By default such a code is an error: of a named column if it
        occurs in none of its values, of all columns if it occurs in none of them ("" excepted). Columns are those that are read: keys
        and target, and where whole records are compared (`copy_columns`) all of them.
    types : mapping {column: "number" | "text" | "bool" | "date" | "datetime" | list of levels in order}, optional
        What the labels of a column are to become, which may be any of the tables; CSV alone knows only text. Dates are written as
        2024-01-31 (ISO 8601). A list of levels also fixes their order.
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
        Columns of frequencies: each row is a number of records that are alike, as in published tables and in what `to_frame` returns.
        Cells hold the sums of the counts. A table has `weights` or `counts`, not both.
    backing : {"auto", "dense", "sparse"}
        How the tables are held: as numpy arrays, or by their filled cells (``sparse.COO``, extra ``sparse``). "auto" is sparse where
        a table has more than 2**24 cells, or all together more than 2**26, and fewer than a quarter of them are filled. Every measure
        gives the same numbers on both; a measure with a value for each cell says what it gives for cells that hold no record.
    encoding : str, optional
        For CSV files: the encoding of their text, any that Python knows, such as "cp1252"; UTF-8 by default. Like `decimal`, `sheet` and
        `skip` it may be a mapping {table: value}: a table is "original", "synthetic" (all releases), the label of a release, or
        "holdout", and "*" all others. In `types`, `null_values` and `rename`, which are mappings of columns, a mapping under the name of
        a table holds for this table: ``types={"k": "text", "synthetic": {"k": "number"}}``.
    decimal : {".", ","}
        For CSV files: the sign before the decimals of numbers, where `types`, `bins` or `weights` reads a column as numbers. With ","
        a value such as "1.5" is not a number.
    sheet : str, optional
        For Excel files: the name of the sheet; without it, several sheets with records raise.
    skip : int
        For CSV and Excel files: how many lines come before the one with the names.
    rename : mapping {old name: new name}, optional
        Other names for columns, in every table that has the old ones. All other arguments use the new names.
    memory_limit : str, optional
        For files, and for long text in pandas' objects: how much memory DuckDB may use, such as "1GB" (by default 80 % of the machine's).
        What does not fit is written to a new folder, "capstats-..." within `spill_dir`, which its owner alone can read (mode 0700) and
        which is removed when the table is read. A killed process leaves its folder behind, and the next run on this machine with the same
        `spill_dir` removes it, and nothing else there. DuckDB 1.4 and later encrypt these files with a key that is kept in memory; it is
        not made by a strong generator, so the rights of the folder are what protects them. Older versions do not encrypt.
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
        If a column is absent (the message names the nearest one), is both a key and the target, mixes kinds, or has different kinds in two
        tables; if a value does not parse as its type; if a column cannot be cut, or not as `bins` says; if weights or counts are negative,
        infinite or missing, or both are given for one table; if a code in `null_values` occurs nowhere; if a table is empty.

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
    tables = {"original": original, "synthetic": synthetic, "holdout": holdout}
    argument = None if target is None else "target"
    return counted(Request.of(reading, **tables, keys=keys, target=target, target_argument=argument, copy_columns=copy_columns))


def counted(request: Request, shown: Progress | None = None, *, warns: bool = True) -> xr.Dataset:
    """The result of `tabulate` for a request; ``shown`` is the progress of a longer call, if there is one."""
    with nullcontext(shown) if shown is not None else Progress(request.progress) as steps:
        records = read_records(request, steps)
        steps.step("joining the tables")
        tables = on_axes(records)[0]
    with_origin(tables, _origin(request, records))
    if warns:
        known = tables.attrs if records.copies is None else with_compared(tables.attrs, records.copies)
        warn_of_levels({**known, "fine_targets": {}})  # not for targets, since a measure may let near guesses count
        records.warn_of_codes()
    return tables


def original_and_release(
    original: Any, synthetic: Any, reading: Reading, shown: Progress | None = None, *, warns: bool = True, **given: Any
) -> xr.Dataset:
    """Counts of original and release: as given in place of the original's records, or made by `tabulate`."""
    if not isinstance(original, xr.Dataset):
        if synthetic is None:
            raise ValueError(
                "`synthetic` is missing: give the table to be released, or several. Counts of both may be given as `original`."
            )
        return counted(Request.of(reading, original=original, synthetic=synthetic, **given), shown, warns=warns)
    given |= {"synthetic": synthetic, **{name: value for name, value in reading.items() if name != "progress"}}
    if names := ", ".join(f"`{name}`" for name, x in given.items() if x is not None and name != "allow_same"):
        raise TypeError(f"Counts bring their tables and columns: what they hold was chosen when they were counted. Leave out {names}.")
    tables = with_own_origin(as_tables(original))
    if "s" not in tables:
        raise ValueError("The counts have no `s`: give those of the original and of a table to be released.")
    for name, array in tables.data_vars.items():
        if more := set(array.dims) - {"target", "key"} - ({"synthetic"} if str(name).startswith("s") else set()):
            raise ValueError(
                f"`{name}` has the dims {array.dims}; several releases are those of `synthetic`. Choose one of {sorted(map(str, more))}."
            )
    return tables


def _origin(request: Request, records: Records) -> dict[str, Any]:
    """The origin of the records, as audits report it. It is no part of the counts, which are the same from every source."""
    _, several, names = released(request.synthetic)
    same = same_releases(dict(zip(names, several, strict=True))) if len(several) > 1 else []
    known = {
        **files_read(records.inputs),
        "types": request.types,
        "same_releases": [list(pair) for pair in same],
        "different_records": not request.allow_same,  # whether tables were checked and no two hold the same records
        "copies": records.copies and {"synthetic": records.labels, **records.copies},
    }
    return {name: value for name, value in known.items() if value}
