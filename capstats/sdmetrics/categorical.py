"""The first metrics of SDMetrics, now deprecated there: one minus average CAP."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from capstats.cap.average import average_cap
from capstats.cap.neighbours import Convention
from capstats.codes.checks import shown
from capstats.codes.names import hint, hint_of_data
from capstats.sdmetrics.metric import Metric, Names, check_columns, check_dtype, check_once, checked_frames, counted, listed_of_data


class CategoricalMetric(Metric):
    """One minus average CAP, without a baseline."""

    _unmatched: ClassVar[Convention]

    @classmethod
    def compute(
        cls,
        real_data: Any,
        synthetic_data: Any,
        metadata: Mapping[str, Any] | None = None,
        table_name: str | None = None,
        key_fields: Names | None = None,
        sensitive_fields: Names | None = None,
        model_kwargs: Mapping[str, Any] | None = None,
    ) -> float:
        """The protection of the sensitive fields against an intruder who knows the key fields.

        Parameters
        ----------
        real_data, synthetic_data : pandas.DataFrame
            The original and the synthetic records, with the same columns.
        metadata : mapping, optional
            ``columns``: the type of each column; and ``key_fields`` and ``sensitive_fields``, which take precedence over the arguments.
        table_name : str, optional
            Name of the table among the ``tables`` of the metadata.
        key_fields, sensitive_fields : list of names
            What the intruder knows, and what is guessed.
        model_kwargs : mapping, optional
            Must be empty: the intruder has no parameters.

        Returns
        -------
        float
            From 0 to 1, larger is safer; NaN if no record is in the average.

        Raises
        ------
        TypeError
            If fields are not given, a column holds datetimes or durations, or there are `model_kwargs`.
        ValueError
            If a table is not a data frame, no field is named, or the columns of the tables differ from each other or from the metadata.
        KeyError
            If a field is not a column.
        ZeroDivisionError
            With `CategoricalGeneralizedCAP`, if there are no synthetic records, so that none is nearest.
        """
        warnings.warn(
            f"Computing CAP metrics directly, as {cls.__name__} does, is deprecated in SDMetrics; 'DisclosureProtection' and "
            f"'DisclosureProtectionEstimate' compare the same protection with a baseline.",
            DeprecationWarning,
            stacklevel=2,
        )
        described = _described(metadata, table_name)
        frames = checked_frames(*(next(iter(x.values()), x) if isinstance(x, Mapping) else x for x in (real_data, synthetic_data)))
        check_columns(frames)
        _check_described(frames[0], described)
        keys = _fields("key_fields", key_fields, described)
        sensitive = _fields("sensitive_fields", sensitive_fields, described)
        if model_kwargs:
            raise TypeError(f"`model_kwargs` must be empty, since the intruder has no parameters; got {shown(dict(model_kwargs))}.")
        for column in [*keys, *sensitive]:
            if column not in frames[0].columns:
                raise KeyError(f"Column {column!r} is not in `real_data`." + hint_of_data(column, frames[0].columns))
        check_once(frames, [*keys, *sensitive])
        for column in [*keys, *sensitive]:
            check_dtype(frames[0][column], described.get("columns", {}).get(column))
        counts = counted(frames, keys, sensitive, cls._unmatched, {})
        return np.nan if counts is None else float(1 - average_cap(*counts, unmatched=cls._unmatched))

    @classmethod
    def compute_breakdown(
        cls, real_data: Any, synthetic_data: Any, metadata: Mapping[str, Any] | None = None, table_name: str | None = None
    ) -> dict[str, float]:
        """The same number as ``score``; the fields must be given in the metadata."""
        return {"score": cls.compute(real_data, synthetic_data, metadata, table_name)}


class CategoricalCAP(CategoricalMetric):
    """Records whose key is not in the synthetic data are left out."""

    name = "CategoricalCAP"
    _unmatched = "drop"


class CategoricalZeroCAP(CategoricalMetric):
    """Records whose key is not in the synthetic data count as protected."""

    name = "0CAP"
    _unmatched = "zero"


class CategoricalGeneralizedCAP(CategoricalMetric):
    """Records whose key is not in the synthetic data use the nearest keys."""

    name = "Categorical GeneralizedCAP"
    _unmatched = "nearest"


def _described(metadata: Any, table_name: Any) -> dict[str, Any]:
    """The metadata of the table; empty if there are none."""
    if table_name is not None and not isinstance(table_name, str):
        raise TypeError(f"`table_name` must be a string; got {shown(table_name)}.")
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise TypeError(f"`metadata` must be a dictionary; got {type(metadata).__name__}. Use to_dict() of SDV's metadata objects.")
    if "tables" in metadata:
        tables = metadata["tables"]
        if table_name is None and len(tables) != 1:
            raise ValueError(f"`metadata` describes {len(tables)} tables, {list(tables)!r}: choose one with `table_name`.")
        if table_name is not None and table_name not in tables:
            raise ValueError(f"`table_name` {table_name!r} is not in the metadata." + hint(table_name, tables))
        metadata = tables[next(iter(tables)) if table_name is None else table_name]
    if "columns" not in metadata:
        raise ValueError("`metadata` must have 'columns', which maps each column to its type.")
    return dict(metadata)


def _check_described(real: pd.DataFrame, described: Mapping[str, Any]) -> None:
    odd = set(real.columns) ^ set(described["columns"]) if described else set()
    if odd:
        raise ValueError(
            f"The columns of `real_data` and of `metadata` must be the same; only one has {listed_of_data(odd, described['columns'])}."
        )


def _fields(argument: str, fields: Any, described: Mapping[str, Any]) -> list[Any]:
    fields = described.get(argument, fields)
    if fields is None:
        raise TypeError(f"`{argument}` must be given, as an argument or in `metadata`.")
    if isinstance(fields, str) or not len(fields):
        raise ValueError(f"`{argument}` must be a list with at least one name; got {shown(fields)}.")
    return list(fields)
