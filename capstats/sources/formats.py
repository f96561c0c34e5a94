"""Files of statistical packages and spreadsheets, read into memory by the libraries of the extra ``formats``.

What a value is called there is what it is here: where values have labels (Stata, SPSS, SAS), a column becomes categories, ordered as the
values are; a value without a label is the text of its number. User-missing values and empty texts are missing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from capstats.sources.files import OTHERS, is_path, local_files


def is_format(table: Any) -> bool:
    """Whether it is a path with one of their endings."""
    return is_path(table) and _reader(str(table)) is not None


def loaded(path: Any, name: str) -> Any:
    """The table in a file, as a data frame."""
    found = local_files(path, name)
    if len(found) > 1:
        raise ValueError(f"`{name}` is {len(found)} files; of {OTHERS} one file is read. Combine them in a data frame.")
    read = _reader(found[0])
    try:
        return None if read is None else read(found[0])
    except ImportError as error:
        raise ImportError(
            f'`{name}` ({path}) needs the package {error.name or "that reads it"}. Install it: pip install "capstats[formats]".'
        ) from None
    except Exception as error:  # noqa: BLE001  each library has errors of its own, whose text may quote the file
        raise ValueError(
            f"`{name}` ({path}) cannot be read: it is damaged, or not a file of the format that its ending says ({type(error).__name__}). "
            f"Save it again, or read it into a data frame first."
        ) from None


def _reader(file: str) -> Callable[[str], Any] | None:
    """Who reads a file, by its ending."""
    ending = file.lower().rpartition(".")[2]
    if ending in ("xlsx", "xlsm"):
        return _excel
    if ending in ("feather", "arrow"):
        return _arrow
    return _labelled if ending in ("dta", "sav", "zsav", "por", "sas7bdat", "xpt") else None


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
    import pyreadstat

    ending = file.lower().rpartition(".")[2]
    read = {"dta": "dta", "sas7bdat": "sas7bdat", "xpt": "xport", "por": "por"}.get(ending, "sav")
    frame, meta = getattr(pyreadstat, f"read_{read}")(file)  # values, not their labels, and user-missing ones as missing
    columns = [_under_labels(frame.iloc[:, i], meta.variable_value_labels.get(c, {})) for i, c in enumerate(frame.columns)]
    return pd.DataFrame(dict(enumerate(columns))).set_axis(frame.columns, axis=1)


def _under_labels(values: pd.Series[Any], labels: dict[Any, str]) -> pd.Series[Any]:
    """A column as categories where its values have labels."""
    if values.dtype.kind == "O" or isinstance(values.dtype, pd.StringDtype):
        values = values.astype(object).where(values.notna() & (values != ""), None)
    if not labels:
        return values
    present = [x for x in pd.unique(values) if not pd.isna(x)]
    known = set(labels)
    coded = sorted({*labels, *present}, key=lambda x: (isinstance(x, str), x))
    texts = {x: labels[x] if x in known else _text(x) for x in coded}
    levels = list(dict.fromkeys(texts.values()))
    codes = values.map({x: levels.index(text) for x, text in texts.items()}).fillna(-1).astype(np.int64)
    return pd.Series(pd.Categorical.from_codes(codes.to_numpy(), pd.Index(levels)), index=values.index)


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
