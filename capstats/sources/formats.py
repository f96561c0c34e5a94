"""Files of statistical packages and spreadsheets, read into memory by the libraries of the extra ``formats``.

What a value is called there is what it is here: where values have labels (Stata, SPSS, SAS), a column becomes categories, ordered as the
values are; a value without a label is the text of its number. User-missing values and empty texts are missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from capstats.sources.files import OTHERS, is_path, local_files


def is_format(table: Any) -> bool:
    """Whether it is a path with one of their endings."""
    return is_path(table) and _ending(table) in _READERS


def loaded(path: Any, name: str) -> Any:
    """The table in a file, as a data frame."""
    found = local_files(path, name)
    if len(found) > 1:
        raise ValueError(f"`{name}` is {len(found)} files; of {OTHERS} one file is read. Combine them in a data frame.")
    try:
        return _READERS[_ending(found[0])](found[0])
    except ImportError as error:
        raise ImportError(
            f'`{name}` ({path}) needs the package {error.name or "that reads it"}. Install it: pip install "capstats[formats]".'
        ) from None
    except Exception as error:  # noqa: BLE001  each library has errors of its own, whose text may quote the file
        raise ValueError(
            f"`{name}` ({path}) cannot be read: it is damaged, or not a file of the format that its ending says ({type(error).__name__}). "
            f"Save it again, or read it into a data frame first."
        ) from None


def labels_in(path: Any, name: str) -> tuple[dict[str, str], dict[str, dict[Any, str]]]:
    """The labels of the variables in a file of Stata, SPSS or SAS, and those of the values of each; of others none."""
    if not is_format(path) or _READERS[_ending(path)] is not _labelled:
        return {}, {}
    meta = _read(local_files(path, name)[0], metadataonly=True)[1]
    return {c: label for c, label in meta.column_names_to_labels.items() if label}, meta.variable_value_labels


def _ending(file: object) -> str:
    return str(file).lower().rpartition(".")[2]


def _excel(file: str) -> pd.DataFrame:
    """The first sheet; its first row names the columns, and a row without any value is no record."""
    import openpyxl  # noqa: F401  so that the error names the package that is missing

    cells = pd.read_excel(file, sheet_name=0, header=None, dtype=object, keep_default_na=False, na_values=[""], engine="openpyxl")
    if not len(cells):
        return pd.DataFrame()
    frame = cells.iloc[1:].dropna(how="all")
    frame.columns = pd.Index(["" if pd.isna(x) else str(x) for x in cells.iloc[0]])
    return frame.reset_index(drop=True)


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


_READERS: dict[str, Callable[[str], Any]] = {
    **dict.fromkeys(("xlsx", "xlsm"), _excel),
    **dict.fromkeys(("feather", "arrow"), _arrow),
    **dict.fromkeys(("dta", "sav", "zsav", "por", "sas7bdat", "xpt"), _labelled),
}
