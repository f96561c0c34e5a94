"""Files of statistical packages and spreadsheets, read into memory by the libraries of the extra ``formats``.

Labels of values take the place of values: where values have labels (Stata, SPSS, SAS), a column becomes categories in the order of the
values; a value without a label becomes the text of its number. User-missing values and empty texts are missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any

import pandas as pd

from capstats.codes.by_table import said
from capstats.codes.checks import shown
from capstats.sources.csv_rules import MOST_SKIPPED
from capstats.sources.files import OTHERS, is_path, local_files
from capstats.sources.source import Options, renamed

Rows = Iterable[tuple[int, Sequence[str]]]


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
    """The sheet of a workbook is not known."""


def _excel(file: str, path: Any, name: str, options: Options) -> tuple[pd.DataFrame, Rows]:
    """One sheet; its first row, after those that are skipped, names the columns, and a row without any value is no record."""
    import openpyxl  # noqa: F401  so that the error names the package that is missing

    with pd.ExcelFile(file, engine="openpyxl") as book:
        sheet = _sheet(book, path, name, options.sheet)
        cells = pd.read_excel(book, sheet_name=sheet, header=None, dtype=object, keep_default_na=False, na_values=[""])
    rows = [["" if pd.isna(x) else str(x) for x in cells.iloc[i]] for i in range(min(len(cells), MOST_SKIPPED))]
    if len(cells) <= options.skip:
        return pd.DataFrame(), list(enumerate(rows, 1))
    frame = cells.iloc[options.skip + 1 :].dropna(how="all")
    frame.columns = pd.Index(["" if pd.isna(x) else str(x) for x in cells.iloc[options.skip]])
    return frame.reset_index(drop=True), list(enumerate(rows, 1))


def _sheet(book: pd.ExcelFile, path: Any, name: str, chosen: Any) -> str | int:
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
            f"{said('sheet', name, filled[0])}."
        )
    return filled[0] if filled else 0


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
