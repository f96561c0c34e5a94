"""Protection scores: one minus the risk, compared with the protection of a blind guess, as SDMetrics reports them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from capstats.cap.attribution import average_cap, matched_records
from capstats.cap.baselines import baseline_cap
from capstats.cap.neighbours import Convention
from capstats.cap.uncertainty import holdout_contrast
from capstats.codes.labels import Type
from capstats.counting.tabulate import Columns, tabulate
from capstats.tables.backing import Backing
from capstats.tables.batches import Aligned
from capstats.tables.primitives import Floats, total

Method = Literal["cap", "zero_cap", "generalized_cap"]
UNMATCHED: dict[str, Convention] = {"cap": "drop", "zero_cap": "zero", "generalized_cap": "nearest"}

NOBODY_MATCHED = "No original record has a key that is in the synthetic table, so there is nothing to average."
ONE_VALUE = "All original records have the same sensitive value, so a blind guess is always right and protects nobody."


def disclosure_protection(
    original: Any,
    synthetic: Any,
    *,
    known: Columns,
    sensitive: Columns,
    method: Method = "cap",
    holdout: Any = None,
    missing: Literal["level", "drop"] = "level",
    null_values: str | Sequence[str] | None = None,
    types: Mapping[Hashable, Type] | None = None,
    bins: Mapping[Hashable, Any] | None = None,
    weights: Any = None,
    counts: Any = None,
    backing: Backing = "auto",
    encoding: str | None = None,
    decimal: str = ".",
    memory_limit: str | None = None,
    spill_dir: str | Path | None = None,
    progress: bool | None = None,
) -> xr.Dataset:
    """Protection of sensitive columns against an intruder who knows other columns: SDMetrics' score, with numbers for its interpretation.

    1 means that the synthetic data help an intruder no more than a blind guess among all values does, 0 that every guess is right.

    Parameters
    ----------
    original : data frame, mapping of columns, or path
        The confidential records.
    synthetic : same, a sequence of them, or a mapping {label: table}
        The records to be released. Several tables give the results the dim ``synthetic``.
    known, sensitive : column name or sequence of names
        The columns that the intruder knows, and the columns to guess; several sensitive columns form one joint target.
    method : {"cap", "zero_cap", "generalized_cap"}
        Records whose known values are not in the synthetic table are left out, count as protected, or are guessed from the nearest
        known values that are.
    holdout : data frame, mapping of columns, or path, optional
        Records of the same population that were not used for synthesis.
    missing, null_values, types, bins, weights, counts, backing, encoding, decimal, memory_limit, spill_dir, progress
        As in `tabulate`.

    Returns
    -------
    Dataset, dims () or (synthetic)
        - ``score``: protection over that of the baseline, from 0 to 1, no more than 1; NaN where either is undefined or the latter is 0;
        - ``cap_protection``: 1 - average CAP, from 0 to 1; NaN with "cap" where no record is matched;
        - ``baseline_protection``: 1 - the chance of a blind guess among all combinations of sensitive values in the original;
        - ``matched_share``: share of the original records whose known values are in the synthetic table;
        - ``records``: original records;
        - ``original_score``: the score if the original itself were released;
        - ``individual_disclosure`` and ``individual_disclosure_error``, where a holdout is given: average CAP of the original minus that
          of the holdout, and its standard error (see `holdout_contrast`);
        - ``reason``: text; why something is NaN, or empty.

    Raises
    ------
    ValueError, TypeError, FileNotFoundError
        As `tabulate`; or if `method` is unknown.

    See Also
    --------
    average_cap, baseline_cap, holdout_contrast

    Notes
    -----
    See theory/protection.md. The classes of `capstats.sdmetrics` give the same numbers under the names of SDMetrics.

    References
    ----------
    SDMetrics 0.32.0, DisclosureProtection, https://docs.sdv.dev/sdmetrics.

    Examples
    --------
    >>> original = {"age": ["young", "young", "old", "old"], "income": ["low", "high", "low", "low"]}
    >>> synthetic = {"age": ["young", "young", "old", "old"], "income": ["low", "low", "low", "high"]}
    >>> found = disclosure_protection(original, synthetic, known="age", sensitive="income")
    >>> float(found.cap_protection), float(found.baseline_protection), float(found.score), float(found.original_score)
    (0.5, 0.5, 1.0, 0.5)
    """
    if method not in tuple(UNMATCHED):
        raise ValueError(f"`method` must be one of {', '.join(map(repr, UNMATCHED))}; got {method!r}.")
    if synthetic is None:
        raise ValueError("`synthetic` is missing: protection is that of a table to be released. Give one, or several.")
    tables = tabulate(
        original,
        synthetic,
        keys=known,
        target=sensitive,
        holdout=holdout,
        missing=missing,
        null_values=null_values,
        types=types,
        bins=bins,
        weights=weights,
        counts=counts,
        backing=backing,
        encoding=encoding,
        decimal=decimal,
        memory_limit=memory_limit,
        spill_dir=spill_dir,
        progress=progress,
    )
    o, s = tables.o, tables.s
    found = protections(o, s, method)
    found["records"] = Aligned({"o": o}).map(total, "records")
    found["matched_share"] = matched_records(o, s) / found["records"]
    found["original_score"] = protections(o, o, method)["score"]
    if holdout is not None:
        of_o, of_h = tables.get("o_squares"), tables.get("h_squares")
        contrast = holdout_contrast(o, s, h=tables.h, squares=of_o, holdout_squares=of_h, unmatched=UNMATCHED[method])
        found["individual_disclosure"] = contrast.estimate
        found["individual_disclosure_error"] = contrast.standard_error
    found["reason"] = _reason(found["cap_protection"], found["baseline_protection"])
    return xr.Dataset(found)


def protections(o: Any, s: Any, method: str) -> dict[str, xr.DataArray]:
    """The three numbers that SDMetrics reports, from counts."""
    protection = cap_protection(o, s, method)
    baseline = 1 - baseline_cap(o, kind="uniform")
    score = (protection / baseline.where(baseline > 0)).clip(max=1)
    return {"score": score, "cap_protection": protection, "baseline_protection": baseline}


def cap_protection(o: Any, s: Any, method: str) -> xr.DataArray:
    """1 - average CAP, with the method's way of treating unmatched records."""
    return 1 - average_cap(o, s, unmatched=UNMATCHED[method])


def _reason(protection: xr.DataArray, baseline: xr.DataArray) -> xr.DataArray:
    """Why something is NaN: neither, either or both of two reasons."""

    def told(p: Floats, b: Floats) -> NDArray[np.str_]:
        return np.char.strip(np.char.add(np.where(np.isnan(p), f"{NOBODY_MATCHED} ", ""), np.where(b == 0, ONE_VALUE, "")))

    reason: xr.DataArray = xr.apply_ufunc(told, protection, baseline)
    return reason
