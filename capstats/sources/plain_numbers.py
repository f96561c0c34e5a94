"""Eager columns as numbers, for those that are cut: without a look at each value where the library already holds numbers."""

from __future__ import annotations

import sys
from typing import Any, cast

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from capstats.codes.bins import Numbers, microseconds
from capstats.codes.labels import Kind


def plain_numbers(values: Any) -> Numbers | None:
    """A column that holds numbers, dates or datetimes as such; None where its labels must be looked at."""
    if isinstance(values, nw.Series):
        values = values.to_native()
    module = type(values).__module__.split(".")[0]
    if module == "polars":
        return _polars(values)
    if module == "pyarrow":
        return _arrow(values)
    if module == "xarray":
        values = values.values
    if isinstance(values, (pd.Series, pd.Index)):
        values = values.array
    if isinstance(values, pd.api.extensions.ExtensionArray):
        return _pandas(values)
    if isinstance(values, np.ndarray) and values.ndim == 1 and not isinstance(values, np.ma.MaskedArray):
        return _numpy(values)
    return None


def _numpy(values: NDArray[Any], missing: NDArray[np.bool_] | None = None, zone: bool = False) -> Numbers | None:
    if values.dtype.kind in "iuf":
        kind: Kind | None = "number"
        if not values.dtype.isnative or values.dtype == np.longdouble:
            values = values.astype(np.float64 if values.dtype.kind == "f" else values.dtype.newbyteorder("="))
        if values.dtype.kind == "f" and np.isnan(values).all():
            kind = None
    elif values.dtype.kind == "M":
        day = np.datetime_data(values.dtype)[0] == "D"
        kind = "date" if day else "datetime with zone" if zone else "datetime"
        missing = np.isnat(values) if missing is None else missing | np.isnat(values)
        values = values.astype("datetime64[D]").view(np.int64) if day else microseconds(values)
    else:
        return None
    return Numbers(None if missing is not None and missing.all() else kind, values, missing)


def _pandas(values: Any) -> Numbers | None:
    if isinstance(values, pd.arrays.NumpyExtensionArray):
        return _numpy(values.to_numpy())
    if isinstance(values, pd.arrays.DatetimeArray):
        return _numpy(cast("Any", values).asi8.view(f"datetime64[{values.unit}]"), zone=values.tz is not None)
    if isinstance(values, (pd.arrays.IntegerArray, pd.arrays.FloatingArray)):
        return _numpy(values.to_numpy(cast("Any", values.dtype).numpy_dtype, na_value=0), np.asarray(values.isna()))
    if isinstance(values, pd.arrays.SparseArray):
        return _numpy(values.to_dense())
    if getattr(values, "_pa_array", None) is not None:
        import pyarrow as pa

        return _arrow(pa.array(values, from_pandas=True))
    return None


def _arrow(values: Any) -> Numbers | None:
    import pyarrow as pa

    kind = values.type
    if pa.types.is_date(kind):
        plain, unit = values.cast(pa.date32()).cast(pa.int32()), "datetime64[D]"
    elif pa.types.is_timestamp(kind):
        plain, unit = values.cast(pa.int64()), f"datetime64[{kind.unit}]"
    elif pa.types.is_integer(kind) or pa.types.is_float32(kind) or pa.types.is_float64(kind):
        plain, unit = values, ""
    else:
        return None
    missing = None
    if values.null_count:
        missing = values.is_null().to_numpy(**({} if isinstance(values, pa.ChunkedArray) else {"zero_copy_only": False}))
        plain = plain.fill_null(0)
    array = plain.to_numpy()
    zone = pa.types.is_timestamp(kind) and kind.tz is not None
    return _numpy(array.astype(np.int64).view(unit) if unit else array, missing, zone)


def _polars(values: Any) -> Numbers | None:
    pl = sys.modules["polars"]
    dtype, values = values.dtype, values.alias("x")  # a name such as "^a.*$" would be a pattern
    missing = values.is_null().to_numpy() if values.null_count() else None
    if dtype == pl.Date:
        return _numpy(values.to_physical().fill_null(0).to_numpy().astype(np.int64).view("datetime64[D]"), missing)
    if dtype == pl.Datetime:
        times = values.to_physical().fill_null(0).to_numpy().view(f"datetime64[{dtype.time_unit}]")
        return _numpy(times, missing, zone=dtype.time_zone is not None)
    if dtype.is_float() or (dtype.is_integer() and dtype not in (pl.Int128, getattr(pl, "UInt128", pl.Int128))):
        return _numpy(values.fill_null(0).to_numpy(), missing)
    return None
