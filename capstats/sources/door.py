"""The door: what kind of thing a table is; and the files that are read into memory, by the libraries of the extra ``formats``.

Labels of values take the place of values: where values have labels (Stata, SPSS, SAS), a column becomes categories in the order of the
values; a value without a label becomes the text of its number. User-missing values and empty texts are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as nw
import pandas as pd
import xarray as xr

from capstats.codes.arguments import said
from capstats.codes.by_table import key_of
from capstats.codes.checks import shown
from capstats.sources.columns import module_of
from capstats.sources.csv_rules import MOST_SKIPPED
from capstats.sources.dask_frames import DaskSource
from capstats.sources.files import FORMATS, OTHERS, FileSource, RelationSource, local_files
from capstats.sources.lazy import LazySource
from capstats.sources.memory import MemorySource
from capstats.sources.source import Options, Source, renamed

Rows = Iterable[tuple[int, Sequence[str]]]
_EAGER = (("polars", "DataFrame"), ("pyarrow", "Table"), ("pyarrow", "RecordBatch"))  # which need no narwhals


def open_source(table: Any, name: str, how: Options = Options()) -> Source:  # noqa: B008  which is frozen
    """A table of records as a source, its columns renamed as the options say; other files than CSV and Parquet are read into memory."""
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


def is_path(table: Any) -> bool:
    """Whether a table is a file, or a glob of files."""
    return isinstance(table, (str, Path))


def _opened(table: Any, name: str, options: Options) -> Source:
    if isinstance(table, xr.Dataset):
        raise TypeError(f"`{name}` is a Dataset of counts, which do not say which record is which. Give the records themselves.")
    if is_path(table):
        if (kind := format_of(table)) is None:
            return FileSource(table, name)
        found, rows, files = loaded(table, name, options)
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


# --- files of statistical packages and spreadsheets -------------------------------------------------------------------


def format_of(path: Any) -> str | None:
    """The format in messages: "Excel" for workbooks, which have options of their own, "" for others; None for other endings."""
    return "Excel" if _ending(path) in EXCEL else "" if _ending(path) in _READERS else None


def loaded(path: Any, name: str, options: Options) -> tuple[Any, Rows, list[str]]:
    """The table in a file as a data frame; the first rows of a sheet, each with its number; and the path of the file."""
    found = local_files(path, name)
    if len(found) > 1:
        raise ValueError(f"`{name}` is {len(found)} files; of {OTHERS} one file is read. Combine them in a data frame.")
    try:
        if format_of(path) == "Excel":
            return *_excel(found[0], path, name, options), found
        return _READERS[_ending(found[0])](found[0]), (), found
    except Unchosen:
        raise
    except ImportError as error:
        raise ImportError(
            f'`{name}` ({path}) needs the package {error.name or "that reads it"}. Install it: pip install "capstats[formats]".'
        ) from None
    except Exception as error:  # noqa: BLE001  each library has errors of its own, whose text may quote the file
        raise ValueError(
            f"`{name}` ({path}) cannot be read: it is damaged, or not a file of the format that its ending says ({type(error).__name__}). "
            f"Save it again, or read it into a data frame first."
        ) from None


def labels_in(path: Any, name: str, options: Options) -> tuple[dict[str, str], dict[str, dict[Any, str]]]:
    """The labels of the variables in a file of Stata, SPSS or SAS, and the labels of the values of each; empty for other files."""
    if not is_path(path) or _READERS.get(_ending(path)) is not _labelled:
        return {}, {}
    meta = _read(local_files(path, name)[0], metadataonly=True)[1]
    labels = {c: label for c, label in meta.column_names_to_labels.items() if label}
    new = {c: str(x) for c, x in zip(meta.column_names, renamed(meta.column_names, options), strict=True)}
    return {new[c]: x for c, x in labels.items()}, {new[c]: x for c, x in meta.variable_value_labels.items()}


def _ending(file: object) -> str:
    return str(file).lower().rpartition(".")[2]


class Unchosen(ValueError):  # noqa: N818
    """The sheet of a workbook is not known, or has no values."""


def _excel(file: str, path: Any, name: str, options: Options) -> tuple[pd.DataFrame, Rows]:
    """One sheet; its first row, after those that are skipped, names the columns, and a row without any value is no record."""
    import openpyxl  # noqa: F401  so that the error names the package that is missing

    with pd.ExcelFile(file, engine="openpyxl") as book:
        sheet = _sheet(book, path, name, options.sheet)
        cells = pd.read_excel(book, sheet_name=sheet, header=None, dtype=object, keep_default_na=False, na_values=[""])
        if cells.isna().to_numpy().any():
            _check_formulas(book.book[sheet], file, path, name)
    rows = [["" if pd.isna(x) else str(x) for x in cells.iloc[i]] for i in range(min(len(cells), MOST_SKIPPED))]
    if len(cells) <= options.skip:
        return pd.DataFrame(), list(enumerate(rows, 1))
    frame = cells.iloc[options.skip + 1 :].dropna(how="all")
    frame.columns = pd.Index(["" if pd.isna(x) else str(x) for x in cells.iloc[options.skip]])
    return frame.reset_index(drop=True), list(enumerate(rows, 1))


def _check_formulas(sheet: Any, file: str, path: Any, name: str) -> None:
    """Raise where a cell has a formula without a value: the program that wrote the file did not compute it, and Excel would show it."""
    import openpyxl

    empty = [[cell.value is None and cell.data_type == "n" for cell in row] for row in sheet.iter_rows()]
    with closing(openpyxl.load_workbook(file, read_only=True)) as book:
        formulas = [[cell.data_type == "f" for cell in row] for row in book[sheet.title].iter_rows()]
    number = sum(a and b for rows in zip(empty, formulas, strict=False) for a, b in zip(*rows, strict=False))
    if number:
        raise Unchosen(
            f"`{name}` ({path}) has formulas without a stored value in {number} cells of sheet {sheet.title!r}, which would be read as "
            "missing. Open it in Excel or LibreOffice and save it again."
        )


def _sheet(book: pd.ExcelFile, path: Any, name: str, chosen: Any) -> str:
    """The sheet that is chosen, or the only one with records; an error where several have some."""
    sheets = list(map(str, book.sheet_names))
    if chosen is not None:
        if chosen not in sheets:
            raise Unchosen(f"`{name}` ({path}) has no sheet {shown(chosen)}; it has {', '.join(map(repr, sheets))}.")
        return str(chosen)
    filled = [sheet for sheet in sheets if _holds_records(book.book[sheet])]
    if len(filled) > 1:
        raise Unchosen(
            f"`{name}` ({path}) has records in {len(filled)} sheets: {', '.join(map(repr, filled))}. Choose one, as with "
            f"{said(sheet={key_of(name): filled[0]})}."
        )
    return (filled or sheets)[0]


def _holds_records(sheet: Any) -> bool:
    """Whether a sheet has more than a row of names."""
    rows = (row for row in sheet.iter_rows(values_only=True) if any(x not in (None, "") for x in row))
    return len(list(islice(rows, 2))) == 2


def _arrow(file: str) -> Any:
    """An Arrow table, of the file or of the stream format."""
    import pyarrow as pa
    from pyarrow import feather

    try:
        return feather.read_table(file, memory_map=False)
    except pa.ArrowInvalid:
        with pa.OSFile(file) as source:
            return pa.ipc.open_stream(source).read_all()


def _labelled(file: str) -> pd.DataFrame:
    """The table of a statistical package, its values under their labels."""
    frame, meta = _read(file)  # values, not their labels, and user-missing ones as missing
    columns = [_under_labels(frame.iloc[:, i], meta.variable_value_labels.get(c, {})) for i, c in enumerate(frame.columns)]
    return pd.DataFrame(dict(enumerate(columns))).set_axis(frame.columns, axis=1)


def _read(file: str, **how: Any) -> Any:
    import pyreadstat

    return getattr(pyreadstat, "read_" + {"xpt": "xport", "zsav": "sav"}.get(_ending(file), _ending(file)))(file, **how)


def _under_labels(values: pd.Series[Any], labels: dict[Any, str]) -> pd.Series[Any]:
    """A column as categories where its values have labels."""
    if values.dtype.kind == "O" or isinstance(values.dtype, pd.StringDtype):
        values = values.astype(object).where(values.notna() & (values != ""), None)
    if not labels:
        return values
    present = [x for x in pd.unique(values) if not pd.isna(x)]
    coded = sorted({*labels, *present}, key=lambda x: (isinstance(x, str), x))
    texts = {x: labels.get(x, _text(x)) for x in coded}
    return pd.Series(pd.Categorical(values.map(texts), list(dict.fromkeys(texts.values()))), index=values.index)


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


EXCEL = ("xlsx", "xlsm")
_READERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("feather", "arrow"), _arrow),
    **dict.fromkeys(("dta", "sav", "zsav", "por", "sas7bdat", "xpt"), _labelled),
}
