"""Membership inference: the similarity of a record to the released records, by a kernel over its columns."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr

from capstats.attacks.kernels import Kernel, log_sums
from capstats.codes.checks import check_choice, check_integer, is_number, shown
from capstats.codes.column import Places
from capstats.codes.declared_types import Type
from capstats.codes.names import check_named
from capstats.counting.joint_rows import JointRows, Levels, attacked
from capstats.tables.axes import level_index
from capstats.tables.table import Floats

Widths = Any  # a number, one a column (in order, or by name), or the name of a setting
Categories = Literal["codes", "mismatch"]

RELEASED = (1, 2, 3, 5, 10, 20, 50, 100)  # the numbers of combined tables in the source
_ADULT = {"low": (1.0, 1.0), "medium": (1.0, 0.1), "high": (0.1, 0.1)}  # of numerical and of categorical columns
SETTINGS: Mapping[str, Mapping[str, tuple[float, float]]] = {
    "adult": _ADULT,
    "polish": _ADULT,
    "avila": {"low": (0.1, 0.1), "medium": (0.01, 0.01), "high": (0.001, 0.001)},
}


def membership_scores(
    records: Any,
    synthetic: Any,
    *,
    columns: Hashable | Sequence[Hashable],
    widths: Widths,
    categories: Categories = "codes",
    constant: bool = False,
    n_releases: int | Sequence[int] | None = None,
    types: Mapping[Hashable, Type] | None = None,
    **reading: Any,
) -> xr.DataArray:
    """Similarity of each record to the released records, as log10 of a sum of kernels: the score of a membership attack.

    A record that was used for synthesis often has similar released records. The intruder classifies records with a high score as
    members.

    Parameters
    ----------
    records : data frame, mapping of columns or path
        The records to score, in memory or in a file.
    synthetic : data frame, mapping of columns or path; or a sequence or mapping {label: table} of them
        The released records.
    columns : column name or sequence of names
        The columns that the intruder knows and compares.
    widths : float, sequence of floats, mapping or Series {column: float}, "low", "medium", "high", or a pair such as ("avila", "high")
        Standard deviation of the kernel, in units of the column, above 0: one for all columns, or one for each. The names are the
        source's settings for its data sets "adult" (the default), "polish" and "avila".
    categories : {"codes", "mismatch"}
        Distance of two categories. "codes", as in the source: the difference of their positions in the order of the column (that of a
        categorical column or of `types`, otherwise the natural order; a missing value is last). "mismatch": 0 if equal, 1 otherwise.
    constant : bool
        Whether to include the constant 1 / (width sqrt(2 pi)) of each column. It shifts all scores by the same number.
    n_releases : int or sequence of ints, optional
        Numbers of released tables to take together: the first ones of several. By default each table has its own score.
    types : mapping {column: type}, optional
        As in `tabulate`. A column of numbers is categorical if its type is categorical or ``types`` lists its levels. Dates
        are numbers of days.
    **reading
        How the tables are read, as in `tabulate`: ``bins`` (cut as `records` says), ``counts``, ``null_values``,
        ``allow_unused_codes``, and for files ``encoding``, ``decimal``, ``sheet``, ``skip``, ``rename``, ``memory_limit``, ``spill_dir``;
        and ``allow_same``, whether two tables may hold the same records.

    Returns
    -------
    DataArray, dims (record), before it ``synthetic`` or ``releases`` where there are several; records keep their pandas index (of several
    levels: as tuples)
        log10 of the sum over released records y of prod_v exp(-((x_v - y_v) / width_v)^2 / 2). At most log10 of the number of released
        records, if not `constant`. It is -inf if all of them are at infinite distance (as a missing number is from every other). ``attrs``
        tell how the scores were computed: ``widths``, ``categories``, ``constant``, and ``coding``, the levels of each categorical column
        in order. Scores of two calls can be compared if these agree.

    Raises
    ------
    ValueError, TypeError
        If a width is not positive and finite, a column is absent, mixes kinds, or holds dates; if `n_releases` exceeds them; if two of
        the tables hold the same records, unless ``allow_same``.

    See Also
    --------
    membership_roc : how well the scores separate members from non-members.

    Notes
    -----
    See theory/attacks.md#membership. Scores are sums over distinct rows with their multiplicities, computed in logarithms.

    References
    ----------
    PrivacyResults, "Privacy Results for Membership Inference and Maximum Knowledge", section Membership Inference.

    Examples
    --------
    A person aged 30, and the released ages 30 and 32: the sum is 1 + exp(-2).

    >>> scores = membership_scores({"age": [30, 90]}, {"age": [30, 32]}, columns="age", widths=1)
    >>> scores.values.round(4).tolist()
    [0.0551, -730.4833]
    """
    called = {"original": "records"}
    known = attacked(columns, called=called, original=records, synthetic=synthetic, types=types, by_record=True, **reading)
    labels = known.labels
    rows, where = np.unique(known.places[0], return_inverse=True)
    logs = log10_scores(known, 1, rows, widths, categories, constant)
    dims = {"synthetic": level_index(labels)} if labels is not None else {}
    if n_releases is not None:
        counts, one = numbers_released(n_releases, len(logs))
        logs = taken_together(logs, counts)
        logs, dims = (logs[0], {}) if one else (logs, {"releases": pd.Index(counts)})
    elif labels is None:
        logs = logs[0]
    index = records.index if isinstance(records, pd.DataFrame) else pd.RangeIndex(len(where))
    own = {} if merely_numbers(index) else {"record": index.to_flat_index().rename("record")}
    sigma = dict(zip([c.name for c in known.columns], _widths(widths, known.columns), strict=True))
    coding = {c.name: c.order for c in known.columns if c.order is not None and categories == "codes"}
    made = {"widths": sigma, "categories": categories, "constant": bool(constant), "coding": coding}
    return xr.DataArray(logs[..., where], coords={**dims, **own}, dims=(*dims, "record"), name="membership_scores", attrs=made)


def merely_numbers(index: pd.Index) -> bool:
    """Whether an index only numbers the records from 0, like the default index of a frame."""
    return isinstance(index, pd.RangeIndex) and index.start == 0 and index.step == 1


def log10_scores(known: JointRows, first: int, rows: Places, widths: Widths, categories: Categories, constant: bool) -> Floats:
    """Scores of distinct rows for each synthetic table, where ``first`` is the position of the first one: shape (table, row)."""
    check_choice(categories, "categories", get_args(Categories), ": the difference of the levels' positions, or 0 and 1")
    sigma = _widths(widths, known.columns)
    kernels = [Kernel(c.values, w, categories == "mismatch" and not c.numerical) for c, w in zip(known.columns, sigma, strict=True)]
    x = [c.codes[rows] for c in known.columns]
    released = map(known.held, range(first, len(known.places)))
    scores = [log_sums(kernels, x, [c.codes[held] for c in known.columns], counts) for held, counts in released]
    shift = -sum(math.log(w) + math.log(2 * math.pi) / 2 for w in sigma) if constant else 0.0
    return (np.array(scores) + shift) / math.log(10)


def taken_together(log10s: Floats, releases: Sequence[int]) -> Floats:
    """Scores of the first tables together, from those of each: shape (releases, row)."""
    together: Floats = np.logaddexp.accumulate(log10s * math.log(10), axis=0) / math.log(10)
    together[0] = log10s[0]  # exactly, since the scores of a single table are the thresholds
    return np.asarray(together[np.array(releases) - 1])


def numbers_released(releases: Any, tables: int) -> tuple[list[int], bool]:
    """The requested numbers of released tables, by default those of the source; and whether it is a single number."""
    if releases is None:
        return [k for k in RELEASED if k <= tables], False
    one = not isinstance(releases, (Sequence, np.ndarray)) or isinstance(releases, str)
    counts = [releases] if one else list(releases)
    rule = f"numbers of released tables, from 1 to the {tables} given"
    numbers = [check_integer(k, "n_releases", rule, least=1, most=tables) for k in counts]
    if not numbers or sorted(set(numbers)) != numbers:
        raise ValueError(f"`n_releases` must be one number or increasing ones; got {shown(releases)}.")
    return numbers, one


def _widths(widths: Any, columns: Sequence[Levels]) -> list[float]:
    """The kernel's width for each column."""
    names = [c.name for c in columns]
    named = ("adult", widths) if isinstance(widths, str) else widths
    if isinstance(named, tuple) and len(named) == 2 and all(isinstance(x, str) for x in named):
        data, level = (str(x) for x in named)
        if level not in SETTINGS.get(data, ()):
            raise ValueError(
                f'`widths` must be "low", "medium" or "high", alone or in a pair after "adult", "polish" or "avila"; got {shown(widths)}.'
            )
        numerical, categorical = SETTINGS[data][level]
        return [numerical if c.numerical else categorical for c in columns]
    if isinstance(widths, (Mapping, pd.Series)):
        given = by_name(widths, "widths", names)
        if lacking := [c for c in names if c not in given]:
            raise ValueError(f"`widths` has no width for column {lacking[0]!r}. Give one for each column.")
        found = [given[c] for c in names]
    elif isinstance(widths, (Sequence, np.ndarray)) and not isinstance(widths, str):
        found = list(widths)
        if len(found) != len(names):
            raise ValueError(f"`widths` has {len(found)} numbers for {len(names)} columns. Give one for each.")
    else:
        found = [widths] * len(names)
    for name, width in zip(names, found, strict=True):
        if not (is_number(width) and 0 < width < math.inf and 1 / width < math.inf):
            raise ValueError(f"A width must be a positive, finite number; got {shown(width)} for column {name!r}.")
    return [float(w) for w in found]


def by_name(given: Mapping[Any, Any] | pd.Series, argument: str, names: Sequence[str]) -> dict[str, Any]:
    """The values for single columns, by name; raise for unknown names."""
    found = {str(c): value for c, value in given.items()}
    check_named(argument, found, names, "not among `columns`")
    return found
