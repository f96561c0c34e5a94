"""Eager tables as columns of codes: pandas, polars, pyarrow, mappings of columns, and any frame that narwhals knows.

The only file that knows in-memory data frames. Each reader takes the cheapest way to codes that its library has: the codes
that are already there (categories, enumerations, dictionaries), an offset (integers of a small range), or one encoding pass.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd

from capstats.counts.bins import Cut, Numbers, TypeToCut, as_wanted, check_kind, cut_column, label_numbers
from capstats.counts.codes import Column, Counts
from capstats.counts.labels import MISSING, Label, canonical, hint
from capstats.counts.numbers import plain_numbers

SMALL_RANGE = 1 << 16  # integers that span no more are their own codes
FEW = 10_000  # records below which polars' own query costs more than a walk in Python


def is_frame(table: Any) -> bool:
    """Whether narwhals knows it as a frame (eager or lazy), or it is a mapping of columns."""
    return is_plain(table) or isinstance(nw.from_native(table, pass_through=True), (nw.DataFrame, nw.LazyFrame))


def is_plain(table: Any) -> bool:
    """Whether it is a frame that narwhals need not look at, which refuses one whose names occur twice, and warns of Dask."""
    return isinstance(table, (Mapping, pd.DataFrame)) or (_module(table) == "pyarrow" and hasattr(table, "column_names")) or is_dask(table)


def is_dask(table: Any) -> bool:
    """Whether it is a Dask frame."""
    return _module(table) in ("dask", "dask_expr") and hasattr(table, "columns")


def read(
    table: Any,
    columns: Sequence[Hashable],
    weight: Hashable | None,
    name: str,
    cuts: Mapping[Hashable, Cut] | None = None,
    each: bool = False,
) -> tuple[list[Column], Counts | None]:
    """The named columns of an eager table as codes, and its weights; those that are cut as codes of their bins.

    Where it is cheaper the rows are distinct ones and their counts the weights, unless ``each`` record is to stand in its place.
    """
    table = nw.to_native(table, pass_through=True)
    check_names([*columns, weight] if weight is not None else columns, _names(table), name)
    weights = None if weight is None else _weights(_one(table, weight), weight, name)
    values = [_one(table, c) for c in columns]
    cut = {}
    for i, column in enumerate(columns):
        if cuts and column in cuts:
            numbers = numbers_of(values[i], str(column), name, cuts[column].wanted)
            cut[i] = cut_column(numbers, cuts[column], str(column), name)
    if _module(table) == "polars" and weight is None and not each:
        for i, binned in cut.items():
            values[i] = sys.modules["polars"].Series(binned.codes)
        values, weights = _polars_grouped(values)
        for i, binned in cut.items():
            binned.codes = values[i].to_numpy()
    found = [cut[i] if i in cut else column_of(v, str(c), name) for i, (v, c) in enumerate(zip(values, columns, strict=True))]
    lengths = {str(c): len(f.codes) for c, f in zip(columns, found, strict=True)}
    if weights is not None:
        lengths[str(weight)] = len(weights)
    if len(set(lengths.values())) > 1:
        raise ValueError(f"The columns of `{name}` differ in length: {lengths}. Give each one value per record.")
    return found, weights


def check_names(wanted: Sequence[Hashable], names: Sequence[Hashable], table: str) -> None:
    """Raise unless a table has each of the wanted columns exactly once."""
    for column in wanted:
        if column not in names:
            raise ValueError(f"Column {column!r} is not in `{table}`." + hint(column, names))
        if names.count(column) > 1:
            raise ValueError(f"Column {column!r} occurs {names.count(column)} times in `{table}`. Rename all but one.")


def _names(table: Any) -> list[Hashable]:
    if isinstance(table, Mapping):
        return list(table)
    if _module(table) == "pyarrow":
        return list(table.column_names)
    return list(table.columns)


def _one(table: Any, column: Hashable) -> Any:
    if isinstance(table, (Mapping, pd.DataFrame)) or _module(table) in {"pyarrow", "polars"}:
        return table[column]
    return nw.from_native(table, eager_only=True).get_column(str(column)).to_pandas()


def _module(value: Any) -> str:
    return type(value).__module__.split(".")[0]


def column_of(values: Any, column: str, table: str) -> Column:
    """One column of any library, or a list, as codes."""
    module = _module(values)
    if isinstance(values, nw.Series):
        values = values.to_native()
        module = _module(values)
    if module == "polars":
        return _polars(values, column, table)
    if module == "pyarrow":
        return _arrow(values, column, table)
    if module == "xarray":
        values = values.values
    if isinstance(values, (pd.Series, pd.Index)):
        values = values.array
    if isinstance(values, pd.api.extensions.ExtensionArray):
        return _pandas(values, column, table)
    if isinstance(values, np.ma.MaskedArray):
        values = unmasked(values)
    if isinstance(values, np.ndarray) and values.ndim == 1:
        return _numpy(values, column, table)
    if isinstance(values, (list, tuple, range)):
        objects = np.array([*values, None], object)[:-1]  # one dimension, whatever the values are
        return _objects(objects, column, table)
    raise TypeError(
        f"Column {column!r} of `{table}` is {type(values).__name__}; give a list, a one-dimensional array, or a column of a data frame."
    )


def numbers_of(values: Any, column: str, table: str, wanted: TypeToCut | None) -> Numbers:
    """One column that can be cut, of any library, as numbers; texts are parsed as what `types` says, or as numbers."""
    found = plain_numbers(values)
    if found is not None:
        check_kind(found.kind, wanted, column, table)
        return as_wanted(found, wanted)
    labelled = column_of(values, column, table)
    codes = labelled.codes.astype(np.intp) - labelled.first
    used = np.bincount(codes, minlength=len(labelled.labels)) > 0
    by_label = label_numbers(labelled.labels, used, wanted, column, table)
    return Numbers(by_label.kind, by_label.values, by_label.missing, codes)


def numbers_and_counts(
    table: Any, column: Hashable, weight: Hashable | None, name: str, wanted: TypeToCut | None
) -> tuple[Numbers, Counts]:
    """The values of one column of an eager table as numbers, and how often each occurs."""
    check_names([column, weight] if weight is not None else [column], _names(table), name)
    numbers = numbers_of(_one(table, column), str(column), name, wanted)
    weights = None if weight is None else _weights(_one(table, weight), weight, name)
    if numbers.codes is None:
        counts = np.broadcast_to(1, len(numbers.values)) if weights is None else weights
    else:
        counts = np.bincount(numbers.codes, weights, minlength=len(numbers.values))
        if weights is not None:
            counts = counts.astype(weights.dtype)
    if len(counts) != len(numbers.values):
        lengths = {str(column): len(numbers.values), str(weight): len(counts)}
        raise ValueError(f"The columns of `{name}` differ in length: {lengths}. Give each one value per record.")
    return numbers, counts


def unmasked(values: Any) -> np.ndarray:
    """A masked array as objects that are None, or as times that are NaT, where it is masked."""
    plain = np.array(np.ma.getdata(values), dtype=values.dtype if values.dtype.kind in "mM" else object)
    plain[np.ma.getmaskarray(values)] = None
    return plain


# --- numpy and pandas -------------------------------------------------------------------------------------------------


def _numpy(values: np.ndarray, column: str, table: str) -> Column:
    if not values.dtype.isnative:
        values = values.astype(values.dtype.newbyteorder("="))
    if values.dtype.kind == "b":
        return Column(values.view(np.int8), [False, True])
    if values.dtype.kind in "iu":
        return _integers(values)
    if values.dtype.kind in "OUSTV":
        return _objects(values.astype(object, copy=False), column, table)
    return _factorized(values)


def _integers(values: np.ndarray) -> Column:
    if len(values):
        least, greatest = int(values.min()), int(values.max())
        if greatest - least <= SMALL_RANGE:
            labels = range(least, greatest + 1)
            if abs(least) <= SMALL_RANGE:
                return Column(values, labels, first=least)
            return Column(values - values.dtype.type(least), labels)
    return _factorized(values)


def _factorized(values: Any) -> Column:
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        codes, ticks = pd.factorize(values.view(np.int64))
        return Column(codes, [canonical(x) for x in ticks.view(values.dtype)])
    codes, labels = pd.factorize(values)
    return Column(codes, [MISSING, *map(canonical, labels)], first=-1)


def _objects(values: np.ndarray, column: str, table: str) -> Column:
    # hashing would merge 1, 1.0 and True, which are of two kinds, so their types are looked at first
    types = set(map(type, values))
    try:
        if len(types & {bool, np.bool_}) and types - {bool, np.bool_, type(None), type(pd.NA)}:
            marked = [(type(x) in (bool, np.bool_), canonical(x)) for x in values]
            lookup = {x: i for i, x in enumerate(dict.fromkeys(marked))}
            return Column(np.array([lookup[x] for x in marked]), [label for _, label in lookup])
        if all(issubclass(t, (str, type(None), float)) for t in types):
            return _factorized(values)
        labels = [canonical(x) for x in values]
        lookup = {x: i for i, x in enumerate(dict.fromkeys(labels))}
        return Column(np.fromiter((lookup[x] for x in labels), np.int64, len(labels)), list(lookup))
    except TypeError as error:
        raise _no_labels(column, table, error) from error


def _no_labels(column: str, table: str, reason: object) -> TypeError:
    return TypeError(f"Column {column!r} of `{table}` holds values that cannot be labels ({reason}). Convert them to text or numbers.")


def _pandas(values: Any, column: str, table: str) -> Column:
    if isinstance(values, pd.Categorical):
        return Column(values.codes, [MISSING, *map(canonical, values.categories)], first=-1, ordered=True)
    if isinstance(values, pd.arrays.NumpyExtensionArray):
        return _numpy(values.to_numpy(), column, table)
    if getattr(values, "_pa_array", None) is not None:
        import pyarrow as pa

        return _arrow(pa.array(values, from_pandas=True), column, table)
    if isinstance(values, pd.arrays.SparseArray):
        return _numpy(values.to_dense(), column, table)
    return _factorized(values)


# --- pyarrow ----------------------------------------------------------------------------------------------------------


def _arrow(values: Any, column: str, table: str) -> Column:
    import pyarrow as pa

    ordered = pa.types.is_dictionary(values.type)
    if pa.types.is_integer(values.type) and not values.null_count:
        return _integers(values.to_numpy())
    if pa.types.is_boolean(values.type) and not values.null_count:
        return Column(_whole(values).to_numpy(zero_copy_only=False).view(np.int8), [False, True])
    if not ordered:
        if pa.types.is_null(values.type):
            return Column(np.zeros(len(values), np.int8), [MISSING])
        if str(values.type) == "string_view":
            values = values.cast(pa.large_string())
        try:
            values = values.dictionary_encode()
        except pa.ArrowNotImplementedError as error:
            raise _no_labels(column, table, f"they are {values.type}") from error
    if isinstance(values, pa.ChunkedArray):
        values = values.unify_dictionaries()
    values = _whole(values)
    labels = [canonical(x) for x in values.dictionary.to_pylist()]
    indices = values.indices
    if indices.null_count:
        indices = indices.cast(pa.int32()).fill_null(len(labels))
        labels.append(MISSING)
    return Column(indices.to_numpy(), labels, ordered=ordered)


def _whole(values: Any) -> Any:
    """A chunked array as one array, without a copy where it has one chunk."""
    import pyarrow as pa

    if not isinstance(values, pa.ChunkedArray):
        return values
    return values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()


# --- polars -----------------------------------------------------------------------------------------------------------


def _polars_grouped(columns: list[Any]) -> tuple[list[Any], Counts | None]:
    """Distinct rows by polars itself where a column is text, which it groups faster than anybody encodes it."""
    pl = sys.modules["polars"]
    types = {c.dtype for c in columns}
    if len(columns[0]) < FEW or pl.String not in types or pl.Object in types:
        return columns, None
    table = pl.DataFrame([c.alias(str(i)) for i, c in enumerate(columns)])  # names such as "^a.*$" would be patterns
    grouped = table.lazy().group_by(table.columns).agg(pl.len().alias("records")).collect()
    return [grouped[c] for c in table.columns], grouped["records"].to_numpy().astype(np.int64)


def _polars(values: Any, column: str, table: str) -> Column:
    pl = sys.modules["polars"]
    dtype = values.dtype
    if isinstance(dtype, pl.Enum):
        return _polars_levels(values.to_physical(), dtype.categories.to_list(), ordered=True)
    if isinstance(dtype, pl.Boolean):
        return _polars_levels(values.cast(pl.UInt8), [False, True])
    if isinstance(dtype, pl.String) and len(values) >= FEW:
        values = values.cast(pl.Categorical)
    if isinstance(values.dtype, pl.Categorical):
        return _polars_pool(values)
    if dtype == pl.Null:
        return Column(np.zeros(len(values), np.int8), [MISSING])
    if dtype.is_integer() and dtype not in (pl.Int128, getattr(pl, "UInt128", pl.Int128)):
        if not values.null_count():
            return _integers(values.to_numpy())
        filled = _factorized(values.fill_null(0).to_numpy())
        return Column(np.where(values.is_null().to_numpy(), -1, filled.codes), filled.labels, first=-1)
    if dtype.is_float() or dtype == pl.Date:
        return _factorized(values.to_numpy())
    if dtype == pl.Datetime:
        found = _factorized(values.to_numpy())
        if dtype.time_zone is not None:
            found.labels = [x if x is MISSING else x.tz_localize("UTC") for x in found.labels]
        return found
    return _objects(np.array([*values.to_list(), None], object)[:-1], column, table)


def _polars_levels(physical: Any, labels: list[Label], ordered: bool = False) -> Column:
    if physical.null_count():
        physical = physical.cast(sys.modules["polars"].UInt32).fill_null(len(labels))
        labels = [*labels, MISSING]
    return Column(physical.to_numpy(), labels, ordered=ordered)


class _Pool(Sequence[Label]):
    """The texts of a Categorical's codes, each looked up at the first row that has the code, and only when it is asked for."""

    def __init__(self, values: Any, codes: np.ndarray, codes_of: Sequence[int]):
        self.values, self.codes, self.codes_of = values, codes, codes_of

    def __len__(self) -> int:
        return len(self.codes_of)

    def __getitem__(self, i: Any) -> Any:
        start, size = 0, 4096
        while True:
            found = np.flatnonzero(self.codes[start : start + size] == self.codes_of[i])
            if len(found):
                return canonical(self.values[start + int(found[0])])
            start, size = start + size, 2 * size


def _polars_pool(values: Any) -> Column:
    """A Categorical's codes are places in a pool that all columns share: they start anywhere and have gaps."""
    physical = values.to_physical()
    if physical.null_count():
        physical = physical.fill_null((physical.max() or 0) + 1)
    codes = physical.to_numpy()
    found = _integers(codes)
    found.labels = _Pool(values, codes, found.labels)
    return found


# --- weights ----------------------------------------------------------------------------------------------------------


def _weights(values: Any, weight: Hashable, table: str) -> Counts:
    """A column of weights as int64 where all are whole numbers, as float64 otherwise."""
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        values = series.to_numpy() if series.dtype.is_numeric() else series.to_list()
    given = pd.Series(np.asarray(values))
    numbers = given if given.dtype.kind in "iufb" else pd.to_numeric(given, errors="coerce")
    return whole_weights(numbers.to_numpy(), weight, table, given)


def whole_weights(weights: np.ndarray, weight: Hashable, table: str, given: pd.Series | None = None) -> Counts:
    """Checked weights: finite, not negative, and integers where no information is lost by it; ``given`` is how the user wrote them."""
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"Weights must be numbers that are finite and not negative; column {weight!r} of `{table}` has "
            f"{(weights if given is None else given)[row : row + 1].tolist()[0]!r} in row {row}. Drop those rows, or mend their weights."
        )
    if weights.dtype.kind == "f" and (weights != np.floor(weights)).any():
        return weights.astype(np.float64)
    if float(weights.sum(dtype=np.float64)) >= 2**53:
        raise ValueError(f"The integer weights {weight!r} of `{table}` sum to 2**53 or more, which is not exact. Scale them down.")
    return weights.astype(np.int64)
