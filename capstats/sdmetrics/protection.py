"""SDMetrics' DisclosureProtection, which compares the protection with that of a blind guess."""

from __future__ import annotations

import warnings
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from capstats.codes.checks import shown
from capstats.codes.names import hint_of_data
from capstats.peers.protection import METHODS, protections
from capstats.sdmetrics.metric import Metric, Names, check_columns, check_dtype, check_once, checked_frames, counted


class DisclosureProtection(Metric):
    """Protection against an intruder who knows some columns and guesses others, relative to the protection against a blind guess."""

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
        """The score and the two protections that it is computed from.

        Parameters
        ----------
        real_data, synthetic_data : pandas.DataFrame
            The original and the synthetic records, with the same columns.
        known_column_names, sensitive_column_names : list of names
            What the intruder knows, and what is guessed.
        computation_method : {"cap", "zero_cap", "generalized_cap"}
            Records whose known values are not in the synthetic data are left out, count as protected, or use the nearest keys.
        continuous_column_names : list of names, optional
            Columns to cut into bins of equal width between the least and the greatest original value.
        num_discrete_bins : int
            Number of bins.

        Returns
        -------
        dict
            ``score``, ``cap_protection`` and ``baseline_protection``, floats from 0 to 1, NaN where undefined. The score is
            ``cap_protection / baseline_protection``, at most 1.

        Raises
        ------
        ValueError
            If a table is not a data frame, columns are missing or none are named, the method is unknown, or a column cannot be cut.
        TypeError
            If a column holds datetimes or durations and is not cut.
        ZeroDivisionError
            With "generalized_cap", if there are no synthetic records, so that none is nearest.
        """
        frames = checked_frames(real_data, synthetic_data)
        continuous = [] if continuous_column_names is None else continuous_column_names
        known = _chosen(known_column_names, "known_column_names", frames[0])
        sensitive = _chosen(sensitive_column_names, "sensitive_column_names", frames[0])
        method = computation_method.lower() if isinstance(computation_method, str) else computation_method
        if method not in tuple(METHODS):
            raise ValueError(f"`computation_method` must be one of {', '.join(map(repr, METHODS))}; got {shown(computation_method)}.")
        cut = _chosen(continuous, "continuous_column_names", frames[0], least=0)
        _check_count(num_discrete_bins, "num_discrete_bins")
        check_columns(frames)
        check_once(frames, [*known, *sensitive])
        for column in [*known, *sensitive]:
            if column not in cut and frames[0][column].notna().all():  # SDMetrics accepts any column with missing values
                check_dtype(frames[0][column])
        counts = counted(frames, known, sensitive, METHODS[method], dict.fromkeys(cut, int(num_discrete_bins)))
        if counts is None:
            return dict.fromkeys(("score", "cap_protection", "baseline_protection"), np.nan)
        return {name: float(value) for name, value in protections(*counts, METHODS[method]).items()}

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
        options = computation_method, continuous_column_names, num_discrete_bins
        return cls.compute_breakdown(real_data, synthetic_data, known_column_names, sensitive_column_names, *options)["score"]


class DisclosureProtectionEstimate(DisclosureProtection):
    """The same number as `DisclosureProtection`, from all records: counting is faster than sampling, so nothing is estimated."""

    _said: ClassVar[bool] = False  # whether the warning has been given

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
        """The exact score and the two protections that it is computed from; the last three parameters are checked but not used."""
        _check_count(num_rows_subsample, "num_rows_subsample")
        _check_count(num_iterations, "num_iterations")
        options = computation_method, continuous_column_names, num_discrete_bins
        found = super().compute_breakdown(real_data, synthetic_data, known_column_names, sensitive_column_names, *options)
        if not DisclosureProtectionEstimate._said:
            DisclosureProtectionEstimate._said = True
            warnings.warn(
                "capstats counts all records: the result is exact, and num_rows_subsample, num_iterations and verbose have no effect. "
                "This warning is shown once.",
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
        options = computation_method, continuous_column_names, num_discrete_bins, num_rows_subsample, num_iterations, verbose
        return cls.compute_breakdown(real_data, synthetic_data, known_column_names, sensitive_column_names, *options)["score"]


def _chosen(names: Any, argument: str, real: pd.DataFrame, least: int = 1) -> list[Any]:
    """The columns named by an argument; all of them must be in the original."""
    if isinstance(names, str):
        raise ValueError(f"`{argument}` must be a list of names; got the string {names!r}. Give [{names!r}].")
    chosen = list(names)
    if len(chosen) < least:
        raise ValueError(f"`{argument}` must name at least one column.")
    lacking = [x for x in chosen if x not in real.columns]
    if lacking:
        raise ValueError(
            f"`{argument}` has {', '.join(map(repr, lacking))}, missing from `real_data`." + hint_of_data(lacking[0], real.columns)
        )
    return chosen


def _check_count(number: Any, argument: str) -> None:
    if not isinstance(number, Integral) or number <= 0:
        raise ValueError(f"`{argument}` must be an integer greater than zero; got {shown(number)}.")
