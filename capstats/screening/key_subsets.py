"""Measures for every subset of the key columns and every target: which columns cause the risk."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Mapping, Sequence
from itertools import combinations
from typing import Any, Unpack

import numpy as np
import xarray as xr

from capstats.cap.contributions import leave_one_out, mean_increments, shapley
from capstats.cap.neighbours import Convention, check_convention, convention_used
from capstats.codes.checks import check_integer, is_integer, shown
from capstats.codes.progress import Progress
from capstats.counting.lattice import Columns, Lattice
from capstats.counting.records import read_records
from capstats.counting.request import Columns as Names
from capstats.counting.request import Reading, Request, shows_options
from capstats.counting.tabulate import original_and_release
from capstats.screening.formulas import Measure, chosen_measures, values_of
from capstats.tables.aligned import same_or_span
from capstats.tables.backing import listed
from capstats.tables.dataset import VERSION
from capstats.tables.printing import Result
from capstats.tables.table import Floats
from capstats.tables.ties import ranks

OF_COUNTS = ("key_columns", "target_columns", "missing", "dropped", "weights", "counts", "bins", "null_values", "categories")  # attrs


@shows_options
def sweep(
    original: Any,
    synthetic: Any = None,
    *,
    keys: Names | None = None,
    targets: Names | None = None,
    sizes: int | Collection[int] | None = None,
    measures: str | Sequence[str] | Mapping[str, str | Measure] = ("average_cap", "original_cap", "matched_records"),
    unmatched: Convention = "nearest",
    limit: int = 4096,
    allow_same: bool = False,
    **reading: Unpack[Reading],
) -> xr.Dataset:
    """Measures for every subset of the key columns, every target and every synthetic table, from one count of the records.

    It shows which columns an intruder must know for a given risk, and which column contributes most.

    Parameters
    ----------
    original : Dataset, data frame, lazy frame, mapping of columns, or path
        Counts, as `tabulate` or `from_counts` gives them: ``sweep(tables)`` answers for the subsets of their keys and for their target.
        Or the confidential records, which are counted once; `synthetic`, `keys` and `targets` are then needed.
    synthetic : data frame, lazy frame, mapping of columns, or path; or several
        As in `tabulate`. To sweep the original alone, give it twice.
    keys : column name or sequence of names
        The columns that an intruder may know.
    targets : column name or sequence of names
        The columns to guess, one at a time.
    sizes : int or collection of ints, optional
        Numbers of key columns in the subsets; by default from 1 to all of them.
    measures : name, sequence of names, or mapping {name: name or function}
        What to compute for each pair of tables: "average_cap", with `unmatched`, or "average_cap_zero", "average_cap_drop" and
        "average_cap_nearest", whatever `unmatched` says; "correct_predictions", also with `unmatched`, and "matched_records" (records);
        "share_certain" (share of original records that the release tells with certainty); of the original alone "original_cap" (its CAP
        with itself), "original_modal_accuracy" (share of records that have the most frequent target of their key) and "original_certain"
        (share of records whose key has one target); or a function of `o` and `s`, labelled as `tabulate` labels them, that returns one
        number, or one for each synthetic table.
    unmatched : {"nearest", "zero", "drop"}
        What becomes of records whose key is not in the release, as in `average_cap` and `correct_predictions`. With "zero" a finer key can
        look safer only because fewer records match, so that columns get contributions of the wrong sign. Keys without labels have no
        nearest ones: there "nearest" is "zero". ``attrs["unmatched"]`` tells which was used.
    limit : int
        Greatest number of subsets to compute; k columns have 2**k - 1.
    allow_same : bool
        Whether two of the tables may hold the same records, as in `audit`.
    missing, null_values, allow_unused_codes, types, bins, weights, counts, backing
        As in `tabulate`.
    encoding, decimal, sheet, skip, rename, memory_limit, spill_dir, progress
        As in `tabulate`, for records. With ``missing="drop"`` a record with a missing value in any key or target column is left out, so
        all subsets use the same records. `backing` is that of the tables of each subset.

    Returns
    -------
    Dataset, dims (keyset, measure, target_column, synthetic), ``synthetic`` for several synthetic tables only
        - ``value``: the measures.
        - ``rank``: of a keyset among all, and ``rank_in_size`` among those with the same number of columns: 1 is the greatest value; ties
          have the smaller rank.
        - ``without_keys``, without the dim ``keyset``: the measures without any key column, where all records have the same key.
        - ``leave_one_out``, with the dim ``key_column`` for ``keyset``: the value of all columns minus the value without
          this one. Only if `sizes` has both.
        - ``shapley``, likewise: the share of each column in the value of all columns minus ``without_keys``; the shares add up to this
          difference. Only if `sizes` has all.
        - ``mean_increment``, likewise with the leading dim ``subset_size``: the value of a subset with this column minus the value of the
          same subset without it, averaged over all subsets of that size that contain the column. For each size that `sizes` has
          together with the size below it; size 0 is always there. Without any such size the variable is left out. With all sizes the
          average over ``subset_size`` is ``shapley``.

        NaN where a measure is NaN. The coordinate ``keyset`` has the column names as text; ``known``, dims (keyset, key_column), and
        ``size`` tell which and how many they are. ``attrs["records"]`` is the number of original records.

    Raises
    ------
    ValueError, TypeError
        As in `tabulate`; if there are more subsets than `limit`, `sizes` are not from 1 to the number of key columns, a measure is
        unknown, or a function does not return one number for each pair of tables; if two tables hold the same records, unless
        `allow_same`.

    See Also
    --------
    tabulate : the tables of one subset. plotting.plot_sweep

    Notes
    -----
    See theory/columns.md#sweep: counts of fewer key columns are sums, CAP of the original and modal accuracy never fall when a column is
    added, the Shapley value of a column is its average increment over all orders of adding the columns, and the average of its mean
    increments over all sizes.

    References
    ----------
    Shapley, "A value for n-person games", Contributions to the Theory of Games II (1953), https://doi.org/10.1515/9781400881970-018.

    Examples
    --------
    Each column alone is independent of the target, both together determine it:

    >>> records = {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1], "t": ["x", "y", "y", "x"]}
    >>> found = sweep(records, records, allow_same=True, keys=["a", "b"], targets="t", measures="average_cap")
    >>> found.value.squeeze().to_series().to_dict()
    {'a': 0.5, 'b': 0.5, 'a + b': 1.0}
    >>> found.shapley.squeeze().values.tolist(), found.leave_one_out.squeeze().values.tolist()
    ([0.25, 0.25], [0.5, 0.5])
    >>> found.mean_increment.sel(subset_size=1).squeeze().values.tolist(), found.mean_increment.sel(subset_size=2).squeeze().values.tolist()
    ([0.0, 0.0], [0.5, 0.5])
    """
    chosen = chosen_measures(measures)
    check_convention(unmatched)
    if isinstance(original, xr.Dataset):
        tables = original_and_release(original, synthetic, reading, keys=keys, targets=targets)
        key_columns: list[Any] = tables.attrs["key_columns"]
        target_columns: list[Any] = [", ".join(tables.attrs["target_columns"])]
    else:
        given = {"original": original, "synthetic": synthetic, "keys": keys, "target": targets}
        request = Request.of(reading, **given, target_argument="targets", allow_same=allow_same)
        key_columns, target_columns = request.key_columns, request.target_columns
    subsets = _subsets(sizes, len(key_columns), limit)
    key_names, target_names = _shown(key_columns), _shown(target_columns)
    if not isinstance(original, xr.Dataset) and synthetic is None:
        raise TypeError(
            "`synthetic` must be a table of records, or several; got None. To sweep the original alone, give it twice and allow_same=True."
        )
    with Progress(reading.get("progress")) as shown:
        if isinstance(original, xr.Dataset):
            lattice, n = Lattice.of_tables(tables), listed(tables.o.variable.data)[1].sum()
            attrs = {name: tables.attrs[name] for name in OF_COUNTS if name in tables.attrs}
        else:
            records = read_records(request, shown)
            shown.step("joining the tables")
            lattice, n = Lattice.of_records(records), records.tables[0].counts.sum()
            attrs = records.attrs(dict(zip([*key_columns, *target_columns], [*key_names, *target_names], strict=True)))
        used = convention_used(lattice.key, unmatched)
        values: dict[Columns, Floats] = {}
        step = shown.step("sweeping subsets of the keys", rows=len(subsets) + 1)
        for keyset in lattice.walk({0, *map(len, subsets)}):
            values[keyset.columns] = values_of(lattice, keyset, chosen, used)
            step.advance(1)
    coords: dict[str, Any] = {"measure": list(chosen), "target_column": target_names}
    if lattice.synthetic is not None:
        coords["synthetic"] = lattice.synthetic
    found = _result(values, subsets, key_names, tuple(coords)).assign_coords(coords)
    printed = ["shapley" if "shapley" in found else "value"]
    more = {"unmatched": used, "records": same_or_span(n), "capstats": VERSION}
    found.attrs = {"result": "Key subsets", "printed": printed, **attrs, **more}
    return found


def _subsets(sizes: int | Collection[int] | None, k: int, limit: int) -> list[Columns]:
    """The subsets of k key columns to compute, by size."""
    given = range(1, k + 1) if sizes is None else [sizes] if isinstance(sizes, (int, np.integer)) else sizes
    ends = (given[0], given[-1]) if isinstance(given, range) and given else given  # a range may be very long
    if not isinstance(ends, Collection) or not all(map(is_integer, ends)):
        raise TypeError(f"`sizes` must be a number of key columns, or a collection of such numbers; got {shown(sizes)}.")
    if not ends or not 1 <= min(ends) <= max(ends) <= k:
        raise ValueError(
            f"`sizes` must be from 1 to {k}, the number of key columns; got {shown(sizes)}. `without_keys` is always included."
        )
    chosen = sorted(set(map(int, given)))
    check_integer(limit, "limit", "a number of subsets, at least 1", least=1)
    many = sum(math.comb(k, size) for size in chosen)
    if many > limit:
        reach = max((r for r in range(k) if sum(math.comb(k, size) for size in range(1, r + 1)) <= limit), default=0)
        fewer = f"sizes=range(1, {reach + 1}), " if reach else ""
        raise ValueError(
            f"{k} key columns have {many} subsets of the sizes {span_of(chosen)}, more than `limit`={limit}. "
            f"Give {fewer}fewer key columns, or a larger limit."
        )
    return [columns for size in chosen for columns in combinations(range(k), size)]


def span_of(sizes: list[int]) -> str:
    """Sizes as text, such as "1 to 3"."""
    whole = len(sizes) > 2 and sizes == list(range(sizes[0], sizes[-1] + 1))
    return f"{sizes[0]} to {sizes[-1]}" if whole else ", ".join(map(str, sizes))


def _result(values: Mapping[Columns, Floats], subsets: list[Columns], key_names: list[str], dims: tuple[str, ...]) -> xr.Dataset:
    """Values, ranks and contributions, labelled by the key columns."""
    k = len(key_names)
    size = np.array(list(map(len, subsets)))
    value = np.stack([values[columns] for columns in subsets])
    in_size = np.empty_like(value)
    for each in np.unique(size):
        in_size[size == each] = ranks(value[size == each])
    of_keysets = {"value": value, "rank": ranks(value), "rank_in_size": in_size}
    variables: dict[str, Any] = {name: (("keyset", *dims), array) for name, array in of_keysets.items()}
    variables["without_keys"] = (dims, values[()])
    for name, shares in (("leave_one_out", leave_one_out(values, k)), ("shapley", shapley(values, k))):
        if shares is not None:
            variables[name] = (("key_column", *dims), shares)
    known = np.array([[column in columns for column in range(k)] for columns in subsets])
    names = _keyset_names(subsets, key_names)
    coords: dict[str, Any] = {"keyset": names, "key_column": key_names, "size": ("keyset", size)}
    coords["known"] = (("keyset", "key_column"), known)
    rising = [int(each) for each in np.unique(size) if each - 1 in {0, *size}]  # sizes computed together with the next smaller one
    if rising:
        variables["mean_increment"] = (("subset_size", "key_column", *dims), mean_increments(values, k, rising))
        coords["subset_size"] = rising
    return Result(variables, coords)


def _shown(columns: Sequence[Hashable]) -> list[str]:
    """Columns by name; if two names look the same, by their repr."""
    names = list(map(str, columns))
    return names if len(set(names)) == len(names) else list(map(repr, columns))


def _keyset_names(subsets: list[Columns], key_names: list[str]) -> list[str]:
    """Subsets as text, such as "age + sex"."""
    names = [" + ".join(key_names[c] for c in columns) for columns in subsets]
    return names if len(set(names)) == len(names) else [" + ".join(repr(key_names[c]) for c in columns) for columns in subsets]
