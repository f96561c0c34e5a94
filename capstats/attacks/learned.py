"""Attacks with a scikit-learn classifier fitted on the released records."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
import pandas as pd
import xarray as xr

from capstats.cap.average import average_cap, correct_predictions
from capstats.cap.neighbours import Unmatched
from capstats.codes.checks import shown
from capstats.codes.labels import canonical
from capstats.counting.request import Columns, Reading, Request, shows_options
from capstats.counting.tabulate import counted
from capstats.tables.aligned import Aligned
from capstats.tables.backing import filled, held_as, stacked
from capstats.tables.checking import LEAST
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Floats, Index, Table
from capstats.tables.ties import reaches


@shows_options
def model_attack(
    original: Any,
    synthetic: Any,
    *,
    keys: Columns,
    target: Columns,
    estimator: Any,
    holdout: Any = None,
    allow_same: bool = False,
    **reading: Unpack[Reading],
) -> xr.Dataset:
    """Success of an intruder who fits a classifier on the released records and predicts the target of every original key.

    CAP only looks a key up in the release. A model also predicts for keys that were not released, from similar keys.

    Parameters
    ----------
    original, synthetic, keys, target, holdout
        As in `tabulate`: records, the key columns that the intruder knows, and the target columns to guess.
    estimator : scikit-learn classifier
        It is cloned for each synthetic table, fitted once on the distinct released rows with their multiplicities as weights, and predicts
        once for each distinct key of the original and the holdout. Key columns and target are passed as the positions 0, 1, ... of their
        levels in the table (`from_counts`); for levels without an order put an encoder before the estimator, in a pipeline. An estimator
        without weights (such as a pipeline) receives repeated rows. An estimator without ``predict_proba`` gives its prediction probability
        1. Options that count rows, such as ``min_samples_leaf`` of a tree, count distinct rows here: use ``min_weight_fraction_leaf``.
    allow_same : bool
        Whether two of the tables may hold the same records, as in `audit`.
    missing, null_values, allow_unused_codes, types, bins, weights, counts, backing
        As in `tabulate`.
    encoding, decimal, sheet, skip, rename, memory_limit, spill_dir, progress
        As in `tabulate`.

    Returns
    -------
    Dataset, with dim ``synthetic`` where there are several synthetic tables
        ``probability``, dims (..., target, key): the probability of each target of a key, adding up to 1. It can replace `s` in every
        measure of attribution, as in ``cap_quantiles(attack.o, attack.probability, 0.9)``. It is 0 for keys without original or holdout
        records, for keys for which the estimator returns zeros or NaN, and where it is below 1e-100. ``o`` and, where given, ``h``: counts
        of the original and the holdout. ``average``: the mean probability of the true target.
        ``best_guess``: the share of records whose target is the most probable one (ties are shared). For comparison ``majority_guess``: the
        same for an intruder who always guesses the most frequent released target, and ``modal_cap``: for the modal CAP intruder. With a
        holdout ``holdout_average`` and ``holdout_best_guess``, of people who were not used: the difference is about individuals. All from
        0 to 1. ``attrs`` tell whether rows were repeated, and whether records without a prediction count 0 ("zero") or are left out
        ("drop", if the estimator returned NaN).

    Raises
    ------
    ValueError, TypeError, ImportError
        If the estimator is not a classifier, cannot be fitted to a synthetic table with a single target, does not accept fractional
        weights, or cannot predict for a level that was not released; if two tables hold the same records, unless `allow_same`; or as
        `tabulate`. Without scikit-learn (extra ``learn``).

    See Also
    --------
    average_cap, cap_quantiles

    Notes
    -----
    See theory/attacks.md#model-attack.

    References
    ----------
    Hittmeir, Mayer and Ekelhart (2020), https://doi.org/10.1145/3374664.3375722.

    Examples
    --------
    >>> from sklearn.naive_bayes import CategoricalNB
    >>> original = {"age": ["old", "old", "young"], "sex": ["f", "m", "f"], "ill": ["yes", "yes", "no"]}
    >>> synthetic = {"age": ["old", "young", "young"], "sex": ["f", "f", "m"], "ill": ["yes", "no", "no"]}
    >>> attack = model_attack(original, synthetic, keys=["age", "sex"], target="ill", estimator=CategoricalNB())
    >>> attack.average.round(4).item(), attack.modal_cap.round(4).item(), attack.best_guess.round(4).item()
    (0.6273, 0.6667, 0.6667)
    """
    try:
        from sklearn.base import clone, is_classifier
        from sklearn.utils.validation import has_fit_parameter
    except ImportError as error:
        raise ImportError("Fitted intruders need scikit-learn. Install capstats[learn].") from error
    if isinstance(estimator, type) or not hasattr(estimator, "get_params") or not is_classifier(estimator):
        raise TypeError(f"`estimator` must be a scikit-learn classifier, such as CategoricalNB(); got {shown(estimator)}.")
    given = {"original": original, "synthetic": synthetic, "holdout": holdout}
    tables = counted(Request.of(reading, **given, keys=keys, target=target, allow_same=allow_same))
    if "s" not in tables:
        raise TypeError("`synthetic` is None; give the released table, or a sequence of them.")
    weighted = has_fit_parameter(estimator, "sample_weight")
    asked = np.unique(np.concatenate([_held(tables[name])[0][1] for name in ("o", "h") if name in tables]))
    several = tables.s.ndim == 3
    answers, silent = [], False
    for i, s in enumerate(tables.s if several else [tables.s]):
        name = f"synthetic[{canonical(tables.indexes['synthetic'][i])!r}]" if several else "synthetic"
        found = _answers(clone(estimator), s, asked, weighted, name)
        silent |= bool(np.isnan(found).any())
        where = np.nonzero(found >= LEAST)
        answers.append(held_as(s.variable.data, (where[1], asked[where[0]]), found[where]))
    p = tables.s.copy(data=stacked(answers) if several else answers[0]).rename("probability")
    o, s, n = tables.o, tables.s, Aligned({"o": tables.o}).totals("o")
    unmatched: Unmatched = "drop" if silent else "zero"
    variables = {
        **{name: tables[name] for name in ("o", "h") if name in tables},
        "probability": p,
        "average": average_cap(o, p, unmatched=unmatched),
        "best_guess": correct_predictions(o, p) / n,
        "majority_guess": Aligned({"o": o, "s": s}).map(_majority, "majority_guess"),
        "modal_cap": correct_predictions(o, s) / n,
    }
    if "h" in tables:
        variables["holdout_average"] = average_cap(tables.h, p, unmatched=unmatched)
        variables["holdout_best_guess"] = correct_predictions(tables.h, p) / Aligned({"h": tables.h}).totals("h")
    fitted = {"estimator": repr(estimator), "repeated_rows": not weighted, "unmatched": unmatched}
    return Result(variables, attrs={"result": "Attack by a fitted model", **tables.attrs, **fitted})


def _held(table: xr.DataArray) -> tuple[list[Index], Array]:
    """Coordinates and counts of the cells with records."""
    coords, counts = filled(table.variable.data)
    return [where[counts > 0] for where in coords], counts[counts > 0]


def _answers(estimator: Any, s: xr.DataArray, asked: Index, weighted: bool, name: str) -> Floats:
    """The probability of each target for each requested key, from an estimator fitted on a table of released records."""
    axis: Any = s.indexes["key"]
    x = pd.DataFrame({str(c): np.asarray(codes) for c, codes in zip(axis.names, axis.codes, strict=True)})
    (target, key), counts = _held(s)
    if not weighted and counts.dtype.kind != "i":
        raise ValueError(f"{type(estimator).__name__} takes no weights, and those of `{name}` are fractional. Use an estimator that does.")
    questions = x.iloc[asked]
    found = np.zeros((len(asked), s.sizes["target"]))
    try:
        if weighted:
            estimator.fit(x.iloc[key], target, sample_weight=counts.astype(np.float64))
        else:
            estimator.fit(x.iloc[np.repeat(key, counts)], np.repeat(target, counts))
        if hasattr(estimator, "predict_proba"):
            found[:, estimator.classes_] = estimator.predict_proba(questions)
        else:
            found[np.arange(len(asked)), estimator.predict(questions)] = 1
    except (ValueError, IndexError) as error:
        if len(np.unique(target)) == 1:
            raise ValueError(
                f"All records of `{name}` have the same target, and {type(estimator).__name__} cannot be fitted to one target ({error}). "
                f"Use an estimator that can, such as a tree."
            ) from error
        if not isinstance(error, IndexError):
            raise
        raise ValueError(
            f"{type(estimator).__name__} cannot predict for a level that `{name}` does not contain ({error}). Give it the levels, as with "
            f"min_categories of CategoricalNB, or put an encoder before it that ignores unknown levels."
        ) from error
    return found


def _majority(o: Table, s: Table) -> Floats:
    """Share of the records whose target is the most frequent released one; ties are shared."""
    modal = reaches(s.target_total, s.target_total.max(-1, keepdims=True))
    return ratio((o.target_total * modal).sum(-1), o.total * modal.sum(-1), np.nan)
