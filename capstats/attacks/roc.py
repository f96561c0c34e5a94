"""ROC curve of a membership attack: how well its score separates members from non-members, for one kernel width or several."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
import xarray as xr

from capstats.attacks.membership import Categories, Widths, log10_scores, merely_numbers, numbers_released, taken_together
from capstats.codes.checks import shown
from capstats.codes.column import Counts
from capstats.codes.declared_types import Type
from capstats.codes.labels import canonical
from capstats.counting.joint_rows import attacked
from capstats.sources.door import is_frame
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Floats
from capstats.tables.ties import at_most

TIE = 1e-14  # relative to the score: about ten times its rounding error; scores with equal nearest records still differ by the next ones
SPAN = np.linspace(-50, 20, 281)  # the source's thresholds, as log10


def membership_roc(
    members: Any,
    non_members: Any,
    synthetic: Any = None,
    *,
    columns: Hashable | Sequence[Hashable] | None = None,
    widths: Widths | None = None,
    categories: Categories = "codes",
    constant: bool = False,
    n_releases: int | Sequence[int] | None = None,
    at: Any = SPAN,
    types: Mapping[Hashable, Type] | None = None,
    **reading: Any,
) -> xr.Dataset:
    """ROC curve of `membership_scores`: rates of members and non-members with a score at or above every threshold.

    An intruder classifies records at or above a threshold as members. If the release does not reveal membership, members and
    non-members have similar scores: the area is near 1/2 and the difference near 0.

    Parameters
    ----------
    members, non_members : data frame, mapping of columns or path; or array-like of log10 scores
        Records that were used for synthesis, and records of the same population that were not. Without `synthetic` these are their
        scores: DataArrays of `membership_scores` computed in the same way, or one list each.
    synthetic, columns, widths, categories, constant, types
        As in `membership_scores`. The scores of all records are then computed together.
    n_releases : int or sequence of ints, optional
        Numbers of released tables that the intruder takes together, the first ones of several; by default 1, 2, 3, 5, 10, 20, 50 and 100
        as far as there are enough. Each adds to the one before.
    at : sequence of floats
        Thresholds, as log10, for the curve of differences; by default -50 to 20 in steps of a quarter.
    **reading
        How the tables are read, as in `tabulate`: ``bins`` (cut as `members` says), ``counts``, ``null_values``,
        ``allow_unused_codes``, and for files ``encoding``, ``decimal``, ``sheet``, ``skip``, ``rename``, ``memory_limit``, ``spill_dir``;
        and ``allow_same``, whether two tables may hold the same records.

    Returns
    -------
    Dataset, with dim ``releases`` where there are several released tables
        Along ``step``, from no record to all: ``threshold`` (log10; infinite at first), ``true_positive_rate`` and ``false_positive_rate``
        with all that score at least as much; equal scores are one step, and the last step repeats where another number of tables has more;
        ``youden``, the first rate minus the second (Youden's index). Along ``at``: ``difference``, the same at given thresholds. ``auc``,
        the area under the curve: the probability that a member has a higher score than a non-member, where ties count half.
        ``auc_standard_error``, NaN with a single member or non-member. ``best_threshold`` (the greatest of equally good ones), with its
        ``best_difference`` and ``accuracy`` (members and non-members have equal weight). The attrs ``members`` and ``non_members`` are the
        numbers of records.

    Raises
    ------
    ValueError, TypeError
        If there are no members or no non-members, if two pandas indexes share a label (unless both only number the rows), if the scores
        were computed with different widths or codings of categories (see their attrs); or as `membership_scores`.

    See Also
    --------
    membership_scores, plotting.plot_membership_roc, plotting.plot_membership_difference

    Notes
    -----
    See theory/attacks.md#membership. Scores whose logarithms differ by rounding only (1e-14 of their size) are ties. Use the same
    tolerance to compare scores of another call with a threshold.

    References
    ----------
    PrivacyResults, "Privacy Results for Membership Inference and Maximum Knowledge", section Membership Inference.
    DeLong, DeLong and Clarke-Pearson (1988), https://doi.org/10.2307/2531595 (standard error).

    Examples
    --------
    There are six pairs of a member and a non-member. In four the member has the higher score, and one is a tie:

    >>> roc = membership_roc([0.5, -2, -8], [-2, -30])
    >>> float(roc.auc), roc.true_positive_rate.values.round(2).tolist(), roc.false_positive_rate.values.tolist()
    (0.75, [0.0, 0.33, 0.67, 1.0, 1.0], [0.0, 0.0, 0.5, 0.5, 1.0])
    """
    if members is non_members:
        raise ValueError(
            "`members` and `non_members` are the same object. Give records that were used for synthesis, and records that were not."
        )
    _check_index(members, non_members)
    if synthetic is None:
        scores, both, dim = _given(members, non_members)
    elif columns is None or widths is None:
        raise ValueError(
            "With `synthetic`, `columns` and `widths` are needed. To use log10 scores instead of records, leave `synthetic` out."
        )
    else:
        called = {"original": "members", "holdout": "non_members"}
        known = attacked(columns, called=called, original=members, holdout=non_members, synthetic=synthetic, types=types, **reading)
        rows = np.unique(np.concatenate(known.places[:2]))
        scores, dim = log10_scores(known, 2, rows, widths, categories, constant), None if known.labels is None else "synthetic"
        both = np.array([known.original[rows], cast(Counts, known.holdout)[rows]])
    for name, counts in zip(("members", "non_members"), both, strict=True):
        if not counts.any():
            raise ValueError(f"`{name}` holds no record: members and non-members are needed.")
    places = _numbers(at, "`at` must be finite thresholds, as log10").reshape(-1)
    if not np.isfinite(places).all():
        raise ValueError(f"`at` must be finite thresholds, as log10; got {shown(at)}.")
    if dim == "releases" and n_releases is not None:
        raise ValueError(
            "`n_releases` needs the scores of each released table, with dim `synthetic`; these already combine several tables."
        )
    numbers, one = (list(members.indexes["releases"]), False) if dim == "releases" else numbers_released(n_releases, len(scores))
    if dim != "releases":
        scores = taken_together(scores, numbers)
    curves = [_curve(row, both, places) for row in scores]
    steps = max(curve.sizes["step"] for curve in curves)
    padded = [curve.pad(step=(0, steps - curve.sizes["step"]), mode="edge") for curve in curves]
    found = xr.concat(padded, pd.Index(numbers, name="releases")).assign_coords(at=places)
    n, k = map(int, both.sum(1))
    result = Result(found.data_vars, found.coords, {"result": "Membership attack", "members": n, "non_members": k})
    return result.isel(releases=0, drop=not one) if one or (dim is None and n_releases is None) else result


def _check_index(members: Any, non_members: Any) -> None:
    """Raise an error if the indexes of two frames, or of two arrays of scores, share a label."""
    of_members, of_others = _index(members), _index(non_members)
    if of_members is None or of_others is None or (merely_numbers(of_members) and merely_numbers(of_others)):
        return
    shared = of_members.intersection(of_others)
    if len(shared):
        raise ValueError(
            f"`members` and `non_members` share {len(shared)} label{'s' * (len(shared) > 1)} of their index, such as "
            f"{canonical(shared[0])!r}: no record can be both. If equal labels are different people, reset both indexes."
        )


def _index(table: Any) -> pd.Index | None:
    if isinstance(table, xr.DataArray):
        return table.indexes.get("record")
    return table.index if isinstance(table, (pd.DataFrame, pd.Series)) else None


def _numbers(values: Any, rule: str) -> Floats:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{rule}: {error}.") from error


def _given(members: Any, non_members: Any) -> tuple[Floats, Counts, str | None]:
    """The given scores, one row for each element of their other dim; whether each is a member's; and the name of that dim."""
    arrays = []
    for name, given in (("members", members), ("non_members", non_members)):
        if is_frame(given):
            raise TypeError(f"`{name}` is {type(given).__name__}: records need `synthetic`, `columns` and `widths` to be scored.")
        if not isinstance(given, xr.DataArray) and np.ndim(given) != 1:
            raise ValueError(f"`{name}` has {np.ndim(given)} dimensions; give one list of scores, or a DataArray with named dims.")
        numbers = _numbers(given, f"`{name}` must hold log10 scores")
        array = given.copy(data=numbers) if isinstance(given, xr.DataArray) else xr.DataArray(numbers, dims="record")
        if "record" not in array.dims or array.ndim > 2 or not set(array.dims) <= {"record", "releases", "synthetic"}:
            raise ValueError(f"`{name}` has dims {array.dims}; scores have `record`, and before it `synthetic` or `releases`.")
        if np.isnan(array.values).any():
            raise ValueError(f"`{name}` must hold log10 scores; got NaN.")
        arrays.append(array.transpose(..., "record"))
    first, second = arrays
    dim = None if first.ndim == 1 else str(first.dims[0])
    if first.dims != second.dims or (dim is not None and not first.indexes[dim].equals(second.indexes[dim])):
        raise ValueError("`members` and `non_members` have different dims or labels: score both against the same released tables.")
    _check_alike(first.attrs, second.attrs)
    scores = np.atleast_2d(np.concatenate([first.values, second.values], axis=-1))
    is_member = np.arange(scores.shape[-1]) < first.sizes["record"]
    return scores, np.array([is_member, ~is_member]).astype(np.int64), dim


def _check_alike(members: Mapping[Any, Any], others: Mapping[Any, Any]) -> None:
    """Raise an error if the attrs of scores show that they were computed in different ways."""
    ours, theirs = members.get("coding"), others.get("coding")
    if ours is not None and theirs is not None and ours != theirs:
        column = min(c for c in ours.keys() | theirs.keys() if ours.get(c) != theirs.get(c))
        raise ValueError(
            f"The categories of column {column!r} have other positions in the scores of `members` than in those of `non_members`, so "
            f"the scores cannot be compared. Give membership_roc the records instead of the scores, or give both calls of "
            f"membership_scores the same levels, as types={{{column!r}: [levels in order]}}."
        )
    for name in ("widths", "categories", "constant"):
        if name in members and name in others and members[name] != others[name]:
            raise ValueError(
                f"The scores of `members` were computed with {name}={members[name]!r} and those of `non_members` with {others[name]!r}; "
                f"give both calls the same {name}."
            )


def _curve(scores: Floats, both: Counts, at: Floats) -> Result:
    """ROC curve, area and best threshold of one score, from the counts of members and non-members at each of its values."""
    order = np.argsort(-scores, kind="stable")
    values = scores[order]
    falls = ~at_most(values[:-1], values[1:], rtol=TIE, scale=1)
    starts = np.flatnonzero(np.append(True, falls))
    member, other = np.add.reduceat(both[:, order], starts, axis=1)
    occurs = member + other > 0
    starts, member, other = starts[occurs], member[occurs], other[occurs]
    true, false = (np.append(0, np.cumsum(n)) for n in (member, other))
    n, k = int(true[-1]), int(false[-1])
    threshold = np.append(np.inf, values[np.append(starts[1:], len(values)) - 1])
    ahead = true * k - false * n  # n k times the difference of the rates, an integer
    best = int(np.argmax(ahead))
    below = k - false[1:] + other / 2  # number of non-members with a lower score than a member at this step; ties count half
    above = true[:-1] + member / 2
    auc = float((member * below).sum()) / (n * k)
    variance = _variance(below / k, member, auc) / n + _variance(above / n, other, auc) / k
    reached = np.searchsorted(-threshold, -(at - TIE * np.maximum(1, np.abs(at))), side="right") - 1
    found: dict[str, Any] = {
        "threshold": ("step", threshold),
        "true_positive_rate": ("step", true / n),
        "false_positive_rate": ("step", false / k),
        "youden": ("step", ahead / (n * k)),
        "difference": ("at", ahead[reached] / (n * k)),
        "auc": auc,
        "auc_standard_error": np.sqrt(variance),
        "best_threshold": threshold[best],
        "best_difference": ahead[best] / (n * k),
        "accuracy": 0.5 + ahead[best] / (2 * n * k),
    }
    return Result(found)


def _variance(values: Floats, times: Counts, mean: float) -> Any:
    """Unbiased variance of values with multiplicities; NaN for a single value."""
    n = times.sum()
    return ratio(np.asarray((times * (values - mean) ** 2).sum()), np.asarray(n - 1), np.nan)
