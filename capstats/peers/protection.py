"""Protection scores: one minus the risk, compared with the protection of a blind guess, as SDMetrics reports them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from capstats.cap.average import average_cap, matched_records
from capstats.cap.baselines import baseline_cap
from capstats.cap.neighbours import Convention, check_convention
from capstats.cap.uncertainty import individual_share
from capstats.counting.request import Columns, Reading, shows_options
from capstats.counting.tabulate import original_and_release
from capstats.peers.reports import each_table
from capstats.tables.aligned import total_of
from capstats.tables.printing import Result
from capstats.tables.table import Floats

# SDMetrics' computation_method: the treatment of unmatched records
METHODS: Mapping[str, Convention] = {"cap": "drop", "zero_cap": "zero", "generalized_cap": "nearest"}
METRICS = {"cap": "CategoricalCAP", "zero_cap": "CategoricalZeroCAP", "generalized_cap": "CategoricalGeneralizedCAP"}  # by method

NOBODY_MATCHED = "No original record has a key that is in the synthetic table, so there is nothing to average."
ONE_VALUE = "All original records have the same target, so a blind guess is always right and protects no one."


@shows_options
def disclosure_protection(
    original: Any,
    synthetic: Any = None,
    *,
    keys: Columns | None = None,
    target: Columns | None = None,
    unmatched: Convention = "drop",
    holdout: Any = None,
    **reading: Unpack[Reading],
) -> xr.Dataset:
    """Protection of sensitive columns against an intruder who knows other columns: SDMetrics' score, with numbers for its interpretation.

    1 means that the synthetic data help an intruder no more than a blind guess among all values does, 0 that every guess is right.

    Parameters
    ----------
    original : Dataset, data frame, mapping of columns, or path
        Counts, as `tabulate` or `from_counts` gives them; or the confidential records, for which the others are needed.
    synthetic : data frame, mapping of columns, or path; a sequence of them, or a mapping {label: table}
        The records to be released. Several tables give the results the dim ``synthetic``.
    keys, target : column name or sequence of names
        What the intruder knows, and what is guessed; several target columns are guessed together. SDMetrics calls them known and
        sensitive columns.
    unmatched : {"drop", "zero", "nearest"}
        Records whose key is not in the synthetic table are left out, count as protected, or are guessed from the nearest keys that
        are, as in `average_cap`: the methods "cap", "zero_cap" and "generalized_cap" of SDMetrics. The default of `average_cap` is
        "zero"; `audit` shows CAP for all three.
    holdout : data frame, mapping of columns, or path, optional
        Records of the same population that were not used for synthesis.
    missing, null_values, allow_unused_codes, types, bins, weights, counts, backing
        As in `tabulate`.
    encoding, decimal, sheet, skip, rename, memory_limit, spill_dir, progress
        As in `tabulate`, for records.

    Returns
    -------
    Dataset, dims () or (synthetic)
        - ``score``: ``cap_protection / baseline_protection``, at most 1; NaN where either is undefined or the latter is 0;
        - ``cap_protection``: 1 - average CAP, from 0 to 1; NaN with "drop" where no record is matched;
        - ``baseline_protection``: 1 - the chance of a blind guess among all combinations of target values in the original;
        - ``matched_share``: share of the original records whose key is in the synthetic table;
        - ``records``: original records, or the sum of their weights;
        - ``original_score``: the score if the original itself were released;
        - ``individual_disclosure`` and ``individual_disclosure_error``, where a holdout is given: average CAP of the original minus that
          of the holdout, and its standard error (see `individual_share`);
        - ``reason``: text; why something is NaN, or empty.

    Raises
    ------
    ValueError, TypeError, FileNotFoundError
        As `tabulate`; or if `unmatched` is unknown.

    See Also
    --------
    average_cap, baseline_cap, individual_share

    Notes
    -----
    See theory/publication.md#protection. The classes of `capstats.sdmetrics` give the same numbers under the names of SDMetrics.

    References
    ----------
    SDMetrics 0.32.0, DisclosureProtection, https://docs.sdv.dev/sdmetrics.

    Examples
    --------
    >>> original = {"age": ["young", "young", "old", "old"], "income": ["low", "high", "low", "low"]}
    >>> synthetic = {"age": ["young", "young", "old", "old"], "income": ["low", "low", "low", "high"]}
    >>> found = disclosure_protection(original, synthetic, keys="age", target="income")
    >>> float(found.cap_protection), float(found.baseline_protection), float(found.score), float(found.original_score)
    (0.5, 0.5, 1.0, 0.5)
    """
    check_convention(unmatched)
    tables = original_and_release(original, synthetic, reading, keys=keys, target=target, holdout=holdout)
    o, s = tables.o, tables.s
    found = protections(o, s, unmatched)
    found["records"] = total_of(o)
    found["matched_share"] = matched_records(o, s) / found["records"]
    found["original_score"] = protections(o, o, unmatched)["score"]
    if "h" in tables:
        contrast = individual_share(tables, unmatched=unmatched)
        found["individual_disclosure"] = contrast.plain_contrast
        found["individual_disclosure_error"] = contrast.plain_contrast_error
    found["reason"] = xr.apply_ufunc(_reason, found["cap_protection"], found["baseline_protection"])
    return Result(found, attrs={"result": "Disclosure protection"})


def protections(o: Any, s: Any, unmatched: Convention) -> dict[str, xr.DataArray]:
    """The three numbers that SDMetrics reports, from counts."""
    protection = 1 - average_cap(o, s, unmatched=unmatched)
    baseline = 1 - baseline_cap(o, kind="uniform")
    score = (protection / baseline.where(baseline > 0)).clip(max=1)
    return {"score": score, "cap_protection": protection, "baseline_protection": baseline}


def _reason(protection: Floats, baseline: Floats) -> NDArray[np.str_]:
    """The reason why a number is NaN: both of two reasons, one, or none."""
    unmatched, certain = np.where(np.isnan(protection), f"{NOBODY_MATCHED} ", ""), np.where(baseline == 0, ONE_VALUE, "")
    return np.char.strip(np.char.add(unmatched, certain))


def as_sdmetrics(tables: xr.Dataset) -> dict[Any, Any]:
    """The scores of SDMetrics' CAP metrics, which are protections: one minus a risk, so that larger is safer.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with `s` and labelled keys.

    Returns
    -------
    dict
        ``CategoricalCAP``, ``CategoricalZeroCAP``, ``CategoricalGeneralizedCAP``, and ``DisclosureProtection`` by its computation method,
        with ``score``, ``cap_protection`` and ``baseline_protection``; NaN where they are undefined. With several synthetic tables, one
        such dictionary for each of their labels.

    Raises
    ------
    ValueError, TypeError
        If there is no `s`, or the keys have no labels.

    Notes
    -----
    See docs/coming-from/sdmetrics.md. Missing values are a level, as in DisclosureProtection.

    References
    ----------
    SDMetrics 0.32.0, https://docs.sdv.dev/sdmetrics.

    Examples
    --------
    >>> import capstats
    >>> found = as_sdmetrics(capstats.from_counts([[3, 2], [1, 4]], [[2, 0], [2, 0]], key_labels={"sex": ["f", "m"]}))
    >>> found["CategoricalCAP"], found["CategoricalZeroCAP"], found["DisclosureProtection"]["zero_cap"]["score"]
    (0.5, 0.8, 1.0)
    """
    return each_table(tables, _scores)


def _scores(tables: xr.Dataset) -> dict[str, Any]:
    scores = {method: protections(tables.o, tables.s, unmatched) for method, unmatched in METHODS.items()}
    of_methods = {method: {name: value.item() for name, value in found.items()} for method, found in scores.items()}
    return {METRICS[method]: found["cap_protection"] for method, found in of_methods.items()} | {"DisclosureProtection": of_methods}
