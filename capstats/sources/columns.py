"""One column of any library as codes into its labels, or as numbers where it is cut.

Codes are found in the cheapest way that a library has: existing codes (categories, enumerations, dictionaries), an offset (integers of
a small range), or one encoding pass. Numbers are taken as arrays, never one by one.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes.bins import Numbers, TypeToCut, as_declared, check_kind, label_numbers, microseconds
from capstats.codes.column import BLOCK, Column
from capstats.codes.labels import MISSING, Kind, Label, canonical, canonicals

SMALL_RANGE = 1 << 16  # integers are their own codes where their range is at most this, or at most the number of rows
CUTS_TEXT = len(pd.factorize(np.array(["a", "a\0b"], object))[1]) == 1  # pandas 2 compares texts up to a NUL, if all values are text
FEW = 10_000  # records below which polars' own query costs more than a walk in Python


def module_of(value: Any) -> str:
    """The library that a value comes from."""
    return type(value).__module__.split(".")[0]


def _array_of(values: Any) -> tuple[Any, str]:
    """The array behind a column, and its library."""
    if isinstance(values, nw.Series):
        values = values.to_native()
    if module_of(values) == "xarray":
        values = values.values
    if isinstance(values, (pd.Series, pd.Index)):
        values = values.array
    if isinstance(values, pd.arrays.NumpyExtensionArray):
        values = values.to_numpy()
    elif isinstance(values, pd.arrays.SparseArray):
        values = values.to_dense()
    elif getattr(values, "_pa_array", None) is not None:
        import pyarrow as pa

        values = pa.array(values, from_pandas=True)
    if isinstance(values, np.ndarray) and not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    return values, module_of(values)


def column_of(values: Any, column: str, table: str) -> Column:
    """One column of any library, or a list, as codes."""
    values, library = _array_of(values)
    if library == "pyarrow":
        return _arrow(values, column, table)
    if isinstance(values, pd.Categorical):
        return Column(values.codes, [MISSING, *_labels(values.categories)], first=-1, ordered=True)
    if isinstance(values, pd.api.extensions.ExtensionArray):
        return _factorized(values)
    if (held := _held(values, library)) is not None:
        return _coded(*held)
    if library == "polars":
        return _polars(values, column, table)
    if isinstance(values, np.ma.MaskedArray):
        values = unmasked(values)
    if isinstance(values, np.ndarray) and values.ndim == 1:
        return _objects(values.astype(object, copy=False), column, table) if values.dtype.kind in "OUSTV" else _factorized(values)
    if isinstance(values, (list, tuple, range)):
        objects = np.array([*values, None], object)[:-1]  # one dimension, whatever the values are
        return _objects(objects, column, table)
    raise TypeError(
        f"Column {column!r} of `{table}` is {type(values).__name__}; give a list, a one-dimensional array, or a column of a data frame."
    )


def unmasked(values: Any) -> np.ndarray:
    """A masked array as objects that are None, or as times that are NaT, where it is masked."""
    plain = np.array(np.ma.getdata(values), dtype=values.dtype if values.dtype.kind in "mM" else object)
    plain[np.ma.getmaskarray(values)] = None
    return plain


# --- numpy and pandas -------------------------------------------------------------------------------------------------


def _coded(values: np.ndarray, missing: NDArray[np.bool_] | None, zone: bool) -> Column:
    """Truth values, numbers, dates or datetimes that are held as such."""
    if values.dtype.kind == "b":
        codes = values.view(np.int8) if missing is None else np.where(missing, 2, values.view(np.int8))
        return Column(codes, [False, True] if missing is None else [False, True, MISSING])
    if values.dtype.kind in "iu":
        return _integers(values) if missing is None else _factorized(pd.arrays.IntegerArray(values, missing))
    if missing is not None:
        values = np.where(missing, np.array("NaT" if values.dtype.kind == "M" else "NaN", values.dtype), values)
    found = _factorized(values)
    return in_utc(found) if zone else found


def _integers(values: np.ndarray) -> Column:
    if len(values):
        extents = [(x.min(), x.max()) for i in range(0, len(values), BLOCK) for x in [values[i : i + BLOCK]]]  # while it is in cache
        least, greatest = int(min(x for x, _ in extents)), int(max(x for _, x in extents))
        if greatest - least <= max(SMALL_RANGE, len(values)) and greatest < 2**63:
            labels = range(least, greatest + 1)
            if abs(least) <= SMALL_RANGE:
                return Column(values, labels, first=least)
            return Column(values - values.dtype.type(least), labels)
    return _factorized(values)


def _factorized(values: Any) -> Column:
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        codes, ticks = pd.factorize(values.view(np.int64))
        return Column(codes, canonicals(ticks.view(values.dtype)))
    if CUTS_TEXT and (values.dtype == object or isinstance(values.dtype, pd.StringDtype)):
        codes, labels = pd.factorize(np.array([*values, None], object))  # the None makes it compare whole texts
        codes = codes[:-1]
    else:
        codes, labels = pd.factorize(values)
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "iu" and labels.max(initial=0) < 2**63:
        return Column(codes, labels.astype(np.int64))
    return Column(codes, [MISSING, *_labels(labels)], first=-1)


def _labels(values: Any) -> list[Label]:
    """Different values as labels; texts are their own."""
    labels: list[Label] = list(values)
    return labels if set(map(type, labels)) == {str} else canonicals(labels)


def _objects(values: np.ndarray, column: str, table: str) -> Column:
    if pd.api.types.infer_dtype(values) in ("string", "floating", "empty"):
        return _factorized(values)
    try:
        labels: list[Any] = canonicals(values)
        has_bools = bool in set(map(type, labels))
        keys = [(type(x) is bool, x) for x in labels] if has_bools else labels  # hashing would merge 1 and True, which are of two kinds
        place = {x: i for i, x in enumerate(dict.fromkeys(keys))}
        return Column(np.fromiter((place[x] for x in keys), np.int64, len(keys)), [x[1] if has_bools else x for x in place])
    except MemoryError:
        raise
    except Exception as error:  # whatever the hash of an item raises; its message may quote the item
        raise _no_labels(column, table, error if isinstance(error, TypeError) else type(error).__name__) from error


def _no_labels(column: str, table: str, reason: object) -> TypeError:
    return TypeError(f"Column {column!r} of `{table}` holds values that cannot be labels ({reason}). Convert them to text or numbers.")


# --- pyarrow ----------------------------------------------------------------------------------------------------------


def _arrow(values: Any, column: str, table: str) -> Column:
    import pyarrow as pa

    ordered = pa.types.is_dictionary(values.type)
    if (pa.types.is_integer(values.type) or pa.types.is_boolean(values.type)) and not values.null_count:
        return _coded(*cast("Any", _held(values, "pyarrow")))
    if not ordered:
        if pa.types.is_interval(values.type):
            values = _durations(values, column, table)
        if str(values.type) in ("string_view", "null"):  # dictionaries of nulls cannot be unified
            values = values.cast(pa.large_string())
        try:
            values = values.dictionary_encode()
        except pa.ArrowNotImplementedError as error:
            raise _no_labels(column, table, f"they are {values.type}") from error
    if isinstance(values, pa.ChunkedArray):
        values = values.unify_dictionaries()
        values = values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()
    try:
        labels = _labels(values.dictionary.to_pylist())
    except OverflowError:
        raise no_date(column, table) from None
    if ordered and any(isinstance(x, (dict, list)) for x in labels):
        raise _no_labels(column, table, f"they are {values.type}")
    indices = values.indices
    if indices.null_count:
        indices = indices.cast(pa.int32()).fill_null(len(labels))
        labels.append(MISSING)
    return Column(indices.to_numpy(), labels, ordered=ordered)


def no_date(column: str, table: str) -> ValueError:
    """The error for dates that Python does not have."""
    return ValueError(
        f"Column {column!r} of `{table}` holds dates that are infinite or not within the years 1 to 9999. "
        f"Replace them by missing values, or convert the column to text."
    )


def no_duration(column: str, table: str) -> ValueError:
    """The error for intervals of months, which are no fixed number of days."""
    return ValueError(f"Column {column!r} of `{table}` holds intervals of months or years, whose length varies. Convert them to days.")


def _durations(values: Any, column: str, table: str) -> Any:
    """Intervals of days and nanoseconds as durations."""
    import pyarrow as pa

    spans = values.to_pylist()
    if any(x is not None and x.months for x in spans):
        raise no_duration(column, table)
    return pa.array([x if x is None else x.days * 86_400_000_000_000 + x.nanoseconds for x in spans], pa.duration("ns"))


# --- polars -----------------------------------------------------------------------------------------------------------


def _polars(values: Any, column: str, table: str) -> Column:
    pl = sys.modules["polars"]
    dtype, values = values.dtype, values.alias("x")  # a name such as "^a.*$" would be a pattern
    if isinstance(dtype, pl.Enum):
        labels = dtype.categories.to_list()
        codes = values.to_physical()
        if codes.null_count():
            codes, labels = codes.cast(pl.UInt32).fill_null(len(labels)), [*labels, MISSING]
        return Column(codes.to_numpy(), labels, ordered=True)
    if isinstance(dtype, pl.String) and len(values) >= FEW:
        values = values.cast(pl.Categorical)
    if isinstance(values.dtype, pl.Categorical):  # its codes are places in a pool that all columns share: they start anywhere and have gaps
        physical = values.to_physical()
        if physical.null_count():
            physical = physical.fill_null((physical.max() or 0) + 1)
        found = _integers(physical.to_numpy())
        found.labels = _Pool(values, found)
        return found
    return _objects(np.array([*values.to_list(), None], object)[:-1], column, table)


def in_utc(column: Column) -> Column:
    """A column of datetimes that are given in UTC, with their zone."""
    return replace(column, labels=[x if x is MISSING else x.tz_localize("UTC") for x in column.labels])


class _Pool(Sequence[Label]):
    """The texts of the codes of a Categorical, each read at the first row with this code, and only when it is asked for.

    All tables of a process share the codes. A code that no row has is missing.
    """

    def __init__(self, values: Any, column: Column):
        self.values, self.codes, self.least = values, column.codes, column.first
        self.rows = np.full(len(column.labels), -1)  # the first row of each code
        self.looked = 0  # the number of rows that were searched

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, i: Any) -> Any:
        if not -len(self) <= i < len(self):
            raise IndexError(i)  # which ends a loop over the labels
        while self.rows[i] < 0 and self.looked < len(self.codes):
            start, self.looked = self.looked, 2 * self.looked + 4096
            places = self.codes[start : self.looked].astype(np.int64) - self.least
            new = np.flatnonzero(self.rows[places] < 0)[::-1]  # backwards: the first row of several is written last
            self.rows[places[new]] = start + new
        if self.rows[i] < 0:
            return MISSING
        return canonical(self.values[int(self.rows[i])])


# --- numbers ----------------------------------------------------------------------------------------------------------


def numbers_of(values: Any, column: str, table: str, wanted: TypeToCut | None, texts: Sequence[str] = ()) -> Numbers:
    """A column of any library that can be cut, as numbers; texts, except ``texts``, are parsed as the type in `types`, or as numbers."""
    held = _held(*_array_of(values))
    if held is not None and held[0].dtype != bool:
        found = _of_held(*held)
        check_kind(found.kind, wanted, column, table)
        return as_declared(found, wanted)
    labelled = column_of(values, column, table)
    codes = labelled.codes.astype(np.intp) - labelled.first
    records = np.bincount(codes, minlength=len(labelled.labels))
    labels: list[Any] = [MISSING] * len(records)  # of those that do not occur: a pool of texts may have gaps
    is_text, place_of = np.full(len(records), -1), {text: i for i, text in enumerate(texts)}
    known = labelled.labels.tolist() if isinstance(labelled.labels, np.ndarray) else labelled.labels
    for i in np.flatnonzero(records).tolist():
        if isinstance(known[i], str) and known[i] in place_of:
            is_text[i] = place_of[known[i]]
        else:
            labels[i] = known[i]
    by_label = label_numbers(labels, records, wanted, column, table)
    return Numbers(by_label.kind, by_label.values, by_label.missing, codes, is_text if texts else None)


def _held(values: Any, library: str) -> tuple[NDArray[Any], NDArray[np.bool_] | None, bool] | None:
    """The array of a column of truth values, numbers, dates or datetimes; where it is missing; and whether it has a zone. Else None."""
    if isinstance(values, np.ndarray) and values.ndim == 1 and not isinstance(values, np.ma.MaskedArray):
        return (values, None, False) if values.dtype.kind in "biufM" else None
    if isinstance(values, pd.arrays.DatetimeArray):
        return cast("Any", values).asi8.view(f"datetime64[{values.unit}]"), None, values.tz is not None
    if isinstance(values, (pd.arrays.IntegerArray, pd.arrays.FloatingArray)):
        missing = np.asarray(values.isna())
        return values.to_numpy(cast("Any", values.dtype).numpy_dtype, na_value=0), missing if missing.any() else None, False
    if library not in ("polars", "pyarrow"):
        return None
    if library == "pyarrow":
        import pyarrow as pa

        values = pa.chunked_array([values]) if isinstance(values, pa.Array) else values
    series = nw.from_native(values, series_only=True).alias("x")  # polars takes a name such as "^a.*$" for a pattern
    dtype, unit = series.dtype, ""
    if isinstance(dtype, nw.Unknown) and series.null_count() == len(series):
        return np.zeros(len(series)), np.ones(len(series), bool), False
    zone = isinstance(dtype, nw.Datetime) and dtype.time_zone is not None
    if isinstance(dtype, nw.Date):
        series, unit = series.cast(nw.Int32), "datetime64[D]"
    elif isinstance(dtype, nw.Datetime):
        series, unit = series.cast(nw.Int64), f"datetime64[{dtype.time_unit}]"
    elif not (dtype.is_float() or dtype.is_integer() or isinstance(dtype, nw.Boolean)) or isinstance(dtype, (nw.Int128, nw.UInt128)):
        return None
    nulls = series.is_null().to_numpy() if series.null_count() else None
    array = series.to_numpy() if nulls is None else series.fill_null(False if isinstance(dtype, nw.Boolean) else 0).to_numpy()
    return array.astype(np.int64).view(unit) if unit else array, nulls, zone


def _of_held(values: NDArray[Any], missing: NDArray[np.bool_] | None, zone: bool) -> Numbers:
    kind: Kind | None = "number"
    if values.dtype.kind == "M":
        day = np.datetime_data(values.dtype)[0] == "D"
        kind = "date" if day else "datetime with zone" if zone else "datetime"
        missing = np.isnat(values) if missing is None else missing | np.isnat(values)
        values = values.astype("datetime64[D]").view(np.int64) if day else microseconds(values)
    elif values.dtype.kind == "f":
        values = values.astype(np.float64) if values.dtype == np.longdouble else values
        kind = None if np.isnan(values).all() else kind
    return Numbers(None if missing is not None and missing.all() else kind, values, missing)
