"""SDMetrics' CAP metrics under SDMetrics' own names, counted instead of walked through row by row.

Replace ``from sdmetrics.single_table import DisclosureProtection`` with ``from capstats.sdmetrics import DisclosureProtection``. Calls,
parameter names, results and the types of exceptions are those of SDMetrics 0.32.0; where it is wrong, the number here is right, and
theory/concordance.md says so.

As there, values are compared as Python compares them (1, 1.0 and True are equal, 1 and "1" are not), whatever the columns' types are,
and a column may be known and sensitive at once; `disclosure_protection` and `tabulate` refuse both, as mistakes.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from enum import StrEnum
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.labels import hint
from capstats.counting.equality import SIDES, count_by_equality
from capstats.peers.protection import UNMATCHED, cap_protection, protections
from capstats.sources.memory import check_names

Names = Sequence[Any]

CATEGORIES = ({"sdtype": "categorical"}, {"sdtype": "numerical"}, {"sdtype": "boolean"})


class Goal(StrEnum):
    """Which way a score is better; equal to its text."""

    MAXIMIZE = "maximize"


class Metric:
    """What every metric says of itself."""

    name: ClassVar[str | None] = None
    goal: ClassVar[Goal] = Goal.MAXIMIZE
    min_value: ClassVar[float] = 0
    max_value: ClassVar[float] = 1

    @classmethod
    def normalize(cls, raw_score: float) -> float:
        """The score itself, which is from 0 to 1 already."""
        if raw_score < cls.min_value or raw_score > cls.max_value:
            raise ValueError(f"`raw_score` must be from {cls.min_value} to {cls.max_value}; got {raw_score!r}.")
        return float(raw_score)

    @classmethod
    def get_subclasses(cls, include_parents: bool = False) -> dict[str, type[Metric]]:
        """The metrics derived from this one, by name; those from which others are derived only where asked for."""
        found: dict[str, type[Metric]] = {}
        for child in cls.__subclasses__():
            if include_parents or not child.__subclasses__():
                found[child.__name__] = child
            found.update(child.get_subclasses(include_parents))
        return found


# --- DisclosureProtection ---------------------------------------------------------------------------------------------


class DisclosureProtection(Metric):
    """Protection against an intruder who knows some columns and guesses others, compared with that of a blind guess."""

    @classmethod
    def compute_breakdown(
        cls,
        real_data: pd.DataFrame,
        synthetic_data: pd.DataFrame,
        known_column_names: Names,
        sensitive_column_names: Names,
        computation_method: str = "cap",
        continuous_column_names: Names | None = None,
        num_discrete_bins: int = 10,
    ) -> dict[str, float]:
        """The score and the two protections that it is made of.

        Parameters
        ----------
        real_data, synthetic_data : pandas.DataFrame
            The original and the synthetic records, with the same columns.
        known_column_names, sensitive_column_names : list of names
            What the intruder knows, and what is guessed.
        computation_method : {"cap", "zero_cap", "generalized_cap"}
            Records whose known values are not in the synthetic data are left out, count as protected, or are guessed from the nearest.
        continuous_column_names : list of names, optional
            Columns to be cut into bins of equal width between the least and the greatest original value.
        num_discrete_bins : int
            How many bins.

        Returns
        -------
        dict
            ``score``, ``cap_protection`` and ``baseline_protection``, floats from 0 to 1, NaN where undefined.

        Raises
        ------
        ValueError
            If a table is no data frame, columns are missing or none are named, the method is unknown, or a column cannot be cut.
        TypeError
            If a column holds times and is not cut.
        ZeroDivisionError
            With "generalized_cap", if there are no synthetic records, so that none is nearest.
        """
        frames = _frames(real_data, synthetic_data)
        continuous = [] if continuous_column_names is None else continuous_column_names
        known = _chosen(known_column_names, "known_column_names", frames[0])
        sensitive = _chosen(sensitive_column_names, "sensitive_column_names", frames[0])
        method = computation_method.lower() if isinstance(computation_method, str) else computation_method
        if method not in tuple(UNMATCHED):
            raise ValueError(f"`computation_method` must be one of {', '.join(map(repr, UNMATCHED))}; got {computation_method!r}.")
        cut = _chosen(continuous, "continuous_column_names", frames[0], least=0)
        _check_count(num_discrete_bins, "num_discrete_bins")
        _check_columns(frames)
        _check_once(frames, [*known, *sensitive])
        for column in [*known, *sensitive]:
            if column not in cut and frames[0][column].notna().all():  # with a missing value SDMetrics sees objects, and takes any
                _check_dtype(frames[0][column])
        counts = _counts(frames, known, sensitive, method, dict.fromkeys(cut, int(num_discrete_bins)))
        if counts is None:
            return dict.fromkeys(("score", "cap_protection", "baseline_protection"), np.nan)
        return {name: float(value) for name, value in protections(*counts, method).items()}

    @classmethod
    def compute(
        cls,
        real_data: pd.DataFrame,
        synthetic_data: pd.DataFrame,
        known_column_names: Names,
        sensitive_column_names: Names,
        computation_method: str = "cap",
        continuous_column_names: Names | None = None,
        num_discrete_bins: int = 10,
    ) -> float:
        """The score alone: see `compute_breakdown`."""
        return cls.compute_breakdown(
            real_data,
            synthetic_data,
            known_column_names,
            sensitive_column_names,
            computation_method,
            continuous_column_names,
            num_discrete_bins,
        )["score"]


class DisclosureProtectionEstimate(DisclosureProtection):
    """The same number as `DisclosureProtection`, from all records: nothing is estimated, since counting takes less time than sampling."""

    _said: ClassVar[bool] = False  # that it is exact

    @classmethod
    def compute_breakdown(
        cls,
        real_data: pd.DataFrame,
        synthetic_data: pd.DataFrame,
        known_column_names: Names,
        sensitive_column_names: Names,
        computation_method: str = "cap",
        continuous_column_names: Names | None = None,
        num_discrete_bins: int = 10,
        num_rows_subsample: int = 1000,
        num_iterations: int = 10,
        verbose: bool = True,  # noqa: ARG003
    ) -> dict[str, float]:
        """The score and the two protections that it is made of, exactly; the last three parameters are checked and not used."""
        _check_count(num_rows_subsample, "num_rows_subsample")
        _check_count(num_iterations, "num_iterations")
        found = super().compute_breakdown(
            real_data,
            synthetic_data,
            known_column_names,
            sensitive_column_names,
            computation_method,
            continuous_column_names,
            num_discrete_bins,
        )
        if not DisclosureProtectionEstimate._said:
            DisclosureProtectionEstimate._said = True
            warnings.warn(
                "capstats counts all records: the answer is exact, and num_rows_subsample, num_iterations and verbose change nothing. "
                "This is said once.",
                UserWarning,
                stacklevel=2,
            )
        return found

    @classmethod
    def compute(
        cls,
        real_data: pd.DataFrame,
        synthetic_data: pd.DataFrame,
        known_column_names: Names,
        sensitive_column_names: Names,
        computation_method: str = "cap",
        continuous_column_names: Names | None = None,
        num_discrete_bins: int = 10,
        num_rows_subsample: int = 1000,
        num_iterations: int = 10,
        verbose: bool = True,
    ) -> float:
        """The score alone: see `compute_breakdown`."""
        return cls.compute_breakdown(
            real_data,
            synthetic_data,
            known_column_names,
            sensitive_column_names,
            computation_method,
            continuous_column_names,
            num_discrete_bins,
            num_rows_subsample,
            num_iterations,
            verbose,
        )["score"]


# --- the metrics that SDMetrics had first, which it calls deprecated ---------------------------------------------------


class CategoricalMetric(Metric):
    """One minus average CAP, without a baseline."""

    _method: ClassVar[str]

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
        """The protection of the sensitive fields against somebody who knows the key fields.

        Parameters
        ----------
        real_data, synthetic_data : pandas.DataFrame
            The original and the synthetic records, with the same columns.
        metadata : mapping, optional
            ``columns``: what each column is; and ``key_fields`` and ``sensitive_fields``, which are then preferred to the arguments.
        table_name : str, optional
            Which of the ``tables`` of the metadata is meant.
        key_fields, sensitive_fields : list of names
            What the intruder knows, and what is guessed.
        model_kwargs : mapping, optional
            Must be empty: the attacker has no parameters.

        Returns
        -------
        float
            From 0 to 1; NaN where no record counts.

        Raises
        ------
        TypeError
            If fields are not given, a column holds times, or there are `model_kwargs`.
        ValueError
            If a table is no data frame, no field is named, or the tables' columns differ or are not those of the metadata.
        KeyError
            If a field is not a column.
        ZeroDivisionError
            With `CategoricalGeneralizedCAP`, if there are no synthetic records, so that none is nearest.
        """
        warnings.warn(
            f"SDMetrics calls {cls.__name__} deprecated; 'DisclosureProtection' and 'DisclosureProtectionEstimate' compare the same "
            f"protection with a baseline.",
            DeprecationWarning,
            stacklevel=2,
        )
        described = _described(metadata, table_name)
        frames = _frames(*(next(iter(x.values()), x) if isinstance(x, Mapping) else x for x in (real_data, synthetic_data)))
        _check_columns(frames)
        _check_described(frames[0], described)
        keys = _fields("key_fields", key_fields, described)
        sensitive = _fields("sensitive_fields", sensitive_fields, described)
        if model_kwargs:
            raise TypeError(f"`model_kwargs` must be empty, for the attacker has no parameters; got {dict(model_kwargs)!r}.")
        for column in [*keys, *sensitive]:
            if column not in frames[0].columns:
                raise KeyError(f"Column {column!r} is not in `real_data`." + hint(column, frames[0].columns))
        _check_once(frames, [*keys, *sensitive])
        for column in [*keys, *sensitive]:
            _check_dtype(frames[0][column], described.get("columns", {}).get(column))
        counts = _counts(frames, keys, sensitive, cls._method, {})
        return np.nan if counts is None else float(cap_protection(*counts, cls._method))

    @classmethod
    def compute_breakdown(
        cls, real_data: Any, synthetic_data: Any, metadata: Mapping[str, Any] | None = None, table_name: str | None = None
    ) -> dict[str, float]:
        """The same number as ``score``; the fields must be named in the metadata."""
        return {"score": cls.compute(real_data, synthetic_data, metadata, table_name)}


class CategoricalCAP(CategoricalMetric):
    """Records whose key is not in the synthetic data are left out."""

    name = "CategoricalCAP"
    _method = "cap"


class CategoricalZeroCAP(CategoricalMetric):
    """Records whose key is not in the synthetic data count as protected."""

    name = "0CAP"
    _method = "zero_cap"


class CategoricalGeneralizedCAP(CategoricalMetric):
    """Records whose key is not in the synthetic data are guessed from the nearest keys that are."""

    name = "Categorical GeneralizedCAP"
    _method = "generalized_cap"


# --- what is checked --------------------------------------------------------------------------------------------------


def _frames(*tables: Any) -> tuple[pd.DataFrame, ...]:
    for side, table in zip(SIDES, tables, strict=True):
        if not isinstance(table, pd.DataFrame):
            raise ValueError(f"`real_data` and `synthetic_data` must be pandas DataFrames; `{side}` is {type(table).__name__}.")
    return tables


def _chosen(names: Any, argument: str, real: pd.DataFrame, least: int = 1) -> list[Any]:
    """The columns that an argument names, all of which the original has."""
    if isinstance(names, str):
        raise ValueError(f"`{argument}` must be a list of names; got the text {names!r}. Give [{names!r}].")
    chosen = list(names)
    if len(chosen) < least:
        raise ValueError(f"`{argument}` must name at least one column.")
    lacking = [x for x in chosen if x not in real.columns]
    if lacking:
        raise ValueError(f"`{argument}` has {', '.join(map(repr, lacking))}, missing from `real_data`." + hint(lacking[0], real.columns))
    return chosen


def _check_count(number: Any, argument: str) -> None:
    if not isinstance(number, Integral) or number <= 0:
        raise ValueError(f"`{argument}` must be an integer greater than zero; got {number!r}.")


def _check_columns(frames: Sequence[pd.DataFrame]) -> None:
    odd = set(frames[0].columns) ^ set(frames[1].columns)
    if odd:
        raise ValueError(
            f"`real_data` and `synthetic_data` must have the same columns; only one has {', '.join(map(repr, sorted(odd, key=str)))}. "
            f"Drop the columns that are not needed."
        )


def _check_once(frames: Sequence[pd.DataFrame], used: Names) -> None:
    """Raise if a frame has two columns of a name that is used."""
    for side, frame in zip(SIDES, frames, strict=True):
        check_names(used, list(frame.columns), side)


def _check_dtype(values: pd.Series, described: Any = None) -> None:
    """Raise for times and complex numbers, unless the metadata call them categorical; and for what they call something else."""
    if described is None and values.dtype.kind in "mMc":
        raise TypeError(
            f"Column {values.name!r} is of an invalid data type, {values.dtype}. Give categories, numbers or booleans; "
            f"DisclosureProtection cuts times into bins where `continuous_column_names` names them."
        )
    if described is not None and described not in CATEGORIES:
        raise TypeError(f"Column {values.name!r} has an invalid data type in the metadata, {described!r}; give one of {CATEGORIES}.")


def _described(metadata: Any, table_name: Any) -> dict[str, Any]:
    """The metadata of the one table; empty where there are none."""
    if table_name is not None and not isinstance(table_name, str):
        raise TypeError(f"`table_name` must be a text; got {table_name!r}.")
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise TypeError(f"`metadata` must be a dictionary; got {type(metadata).__name__}. SDV's objects have to_dict().")
    if "tables" in metadata:
        tables = metadata["tables"]
        if table_name is None and len(tables) != 1:
            raise ValueError(f"`metadata` describes {len(tables)} tables, {list(tables)!r}: say which in `table_name`.")
        if table_name is not None and table_name not in tables:
            raise ValueError(f"`table_name` {table_name!r} is not in the metadata." + hint(table_name, tables))
        metadata = tables[next(iter(tables)) if table_name is None else table_name]
    if "columns" not in metadata:
        raise ValueError("`metadata` must have 'columns', which maps each column to what it is.")
    return dict(metadata)


def _check_described(real: pd.DataFrame, described: Mapping[str, Any]) -> None:
    odd = set(real.columns) ^ set(described["columns"]) if described else set()
    if odd:
        only = ", ".join(map(repr, sorted(odd, key=str)))
        raise ValueError(f"The columns of `real_data` and of `metadata` must be the same; only one has {only}.")


def _fields(argument: str, fields: Any, described: Mapping[str, Any]) -> list[Any]:
    fields = described.get(argument, fields)
    if fields is None:
        raise TypeError(f"`{argument}` must be given, as an argument or in `metadata`.")
    if isinstance(fields, str) or not len(fields):
        raise ValueError(f"`{argument}` must be a list with at least one name; got {fields!r}.")
    return list(fields)


def _counts(
    frames: Sequence[pd.DataFrame], keys: Names, targets: Names, method: str, bins: Mapping[Any, int]
) -> tuple[xr.DataArray, xr.DataArray] | None:
    counts = count_by_equality(frames, keys, targets, bins)
    if counts is not None and frames[1].empty and method == "generalized_cap":
        raise ZeroDivisionError("`synthetic_data` has no record, so no known values are nearest to those of an original record.")
    return counts
