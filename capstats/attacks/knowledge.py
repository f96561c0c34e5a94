"""The maximum knowledge attack: one column is guessed from all the others."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.attacks.membership import by_name, numbers_released
from capstats.codes.checks import check_number
from capstats.codes.column import DENSE, Ints, Places, union
from capstats.codes.declared_types import Type
from capstats.counting.joint_rows import JointRows, Levels, attacked
from capstats.tables.printing import Result
from capstats.tables.table import Array, Floats

TREE = 10_000  # the number of cells that takes as long as the search of one row in a tree
FEW = 256  # greatest number of levels of an axis for a loop over its levels
Csr = Any  # scipy.sparse.csr_array, which has no stubs


def maximum_knowledge(
    original: Any,
    synthetic: Any,
    *,
    columns: Hashable | Sequence[Hashable],
    within: float | Mapping[Hashable, float] = 1.0,
    n_releases: int | Sequence[int] | None = None,
    types: Mapping[Hashable, Type] | None = None,
    **reading: Any,
) -> xr.Dataset:
    """Accuracy of an intruder who knows all columns of a person except one, and guesses that one.

    For each column in turn, the intruder finds the released records that are nearest in the ranks of the other columns, and guesses the
    value that these have.

    Parameters
    ----------
    original : data frame, mapping of columns or path
        The records that are attacked.
    synthetic : same; or a sequence or mapping {label: table} of them
        The released records.
    columns : sequence of names
        At least two columns; each of them is guessed from the others.
    within : float or mapping {column: float}
        A guess of a number is right if it is equal or differs by less than this, in units of the column. The source uses 1.
    n_releases : int or sequence of ints, optional
        Numbers of released tables that are pooled, the first ones of several; by default 1, 2, 3, 5, 10, 20, 50 and 100 as far as there
        are enough. Each adds to the one before.
    types : mapping {column: type}, optional
        As in `tabulate`. A column of numbers is categorical if its type is categorical or ``types`` lists its levels. Dates
        are numbers of days.
    **reading
        How the tables are read, as in `tabulate`: ``bins`` (cut as `original` says), ``counts``, ``null_values``,
        ``allow_unused_codes``, and for files ``encoding``, ``decimal``, ``sheet``, ``skip``, ``rename``, ``memory_limit``, ``spill_dir``;
        and ``allow_same``, whether two tables may hold the same records.

    Returns
    -------
    Dataset, with dim ``releases`` where there are several released tables
        ``accuracy``, dims (..., column): the share of original records whose value is guessed right, from 0 to 1; ``average`` over the
        columns. ``attrs["records"]`` is the number of original records.

    Raises
    ------
    ValueError, TypeError
        If there are fewer than two columns, one is absent, mixes kinds or holds dates; `within` is negative; there are fewer tables
        than `n_releases`; if two of the tables hold the same records, unless ``allow_same``.

    See Also
    --------
    plotting.plot_maximum_knowledge

    Notes
    -----
    See theory/attacks.md#maximum-knowledge for the points that the source leaves open. The nearest records are those within each released
    table; records at equal distance are pooled. If t modes tie, each is guessed with probability 1/t. Ranks are divided by the number of
    records of their table and compared without rounding. A missing value is a level of its own, after all others.

    References
    ----------
    PrivacyResults, "Privacy Results for Membership Inference and Maximum Knowledge", section Maximum Knowledge.

    Examples
    --------
    The diet is guessed from the age. The guess is wrong for the person aged 20, whose nearest released record is vegan:

    >>> original = {"age": [20, 25, 60], "diet": ["meat", "vegan", "meat"]}
    >>> synthetic = {"age": [20, 40, 60], "diet": ["vegan", "vegan", "meat"]}
    >>> maximum_knowledge(original, synthetic, columns=["age", "diet"]).accuracy.values.round(4).tolist()
    [0.3333, 0.6667]
    """
    known = attacked(columns, original=original, synthetic=synthetic, types=types, **reading)
    if len(known.columns) < 2:
        raise ValueError("`columns` must name at least two columns: one is guessed from the others.")
    numbers, one = numbers_released(n_releases, len(known.places) - 1)
    allowed = _tolerances(within, known.columns)
    ranks = [_ranks(known, table) for table in range(numbers[-1] + 1)]
    accuracy = np.array([_accuracies(known, v, ranks, numbers, allowed[v]) for v in range(len(known.columns))]).T
    coords = {"releases": pd.Index(numbers), "column": [c.name for c in known.columns]}
    attrs = {"result": "Attack with maximum knowledge", "records": ranks[0][1]}
    result = Result({"accuracy": (("releases", "column"), accuracy)}, coords, attrs)
    result["average"] = result["accuracy"].mean("column")
    return result.isel(releases=0, drop=not one) if one or (known.labels is None and n_releases is None) else result


def _tolerances(within: float | Mapping[Hashable, float], columns: Sequence[Levels]) -> list[float]:
    names = [c.name for c in columns]
    given = by_name(within, "within", names) if isinstance(within, Mapping) else dict.fromkeys(names, within)
    numbers = {name: check_number(t, "within", f"0 or more for column {name!r}", least=0) for name, t in given.items()}
    return [numbers.get(name, 1.0) for name in names]


def _ranks(known: JointRows, table: int) -> tuple[list[Array], int]:
    """Twice the mean position of each level of each column in one table, and the number of its records."""
    rows, counts = known.held(table)
    of_levels = [np.bincount(c.codes[rows], counts, minlength=len(c.values)).astype(np.int64) for c in known.columns]
    return [2 * np.cumsum(numbers) - numbers + 1 for numbers in of_levels], int(counts.sum())  # first plus last position


def _accuracies(
    known: JointRows, v: int, ranks: Sequence[tuple[list[Array], int]], numbers: Sequence[int], tolerance: float
) -> list[float]:
    """Accuracy of the guesses of one column from the others, for each number of pooled tables."""
    others = [u for u in range(len(known.columns)) if u != v]
    target = known.columns[v]
    parts, truth = _by_part(known, 0, v, others)
    of_o, n = ranks[0]
    found, pooled = [], None
    for table in range(1, numbers[-1] + 1):
        near, held = _by_part(known, table, v, others)
        of_s, n_s = ranks[table]
        shrink = math.gcd(n, n_s)  # (r / n - q / n_s) times n n_s / shrink is an integer
        scaled = [(of_o[u] * (n_s // shrink), of_s[u] * (n // shrink)) for u in others]
        votes = _votes(scaled, parts, near, held)
        pooled = votes if pooled is None else pooled + votes
        if table in numbers:
            correct = _by_median(pooled, truth, target.values, tolerance) if target.numerical else _by_mode(pooled, truth)
            found.append(correct / n)
    return found


def _by_part(known: JointRows, table: int, v: int, others: Sequence[int]) -> tuple[list[Ints], Csr]:
    """Distinct combinations of the other columns in a table, and the count of each with each level of the column."""
    from scipy.sparse import csr_array

    rows, counts = known.held(table)
    parts, (where,) = union([[known.columns[u].codes[rows] for u in others]], [len(known.columns[u].values) for u in others])
    target = known.columns[v]
    return parts, csr_array((counts, (where, target.codes[rows])), shape=(len(parts[0]), len(target.values)))


def _votes(ranks: Sequence[tuple[Array, Array]], x: Sequence[Ints], y: Sequence[Ints], held: Csr) -> Csr:
    """Votes for levels by the nearest rows y of each row x, ties pooled; ``ranks`` has the ranks of each column's levels in both tables.

    All distances are integers, so ties are exact. Both methods give the same votes.
    """
    vary = [u for u, (rank, _) in enumerate(ranks) if len(rank) > 1] or [0]
    ranks, x, y = [ranks[u] for u in vary], [x[u] for u in vary], [y[u] for u in vary]
    if _axes_pay([len(rank) for rank, _ in ranks], held.shape[1], len(x[0])):
        return _along_axes([np.abs(of_x[:, None] - of_y) for of_x, of_y in ranks], x, y, held)
    of_x = np.stack([rank[codes] for (rank, _), codes in zip(ranks, x, strict=True)], axis=1)
    of_y = np.stack([rank[codes] for (_, rank), codes in zip(ranks, y, strict=True)], axis=1)
    return _by_tree(of_x, of_y, held)


def _axes_pay(sizes: Sequence[int], levels: int, rows: int) -> bool:
    """Whether the table of all cells is small, and cheaper than a search for each row."""
    cells = math.prod(sizes)
    return max(sizes) <= FEW and cells * levels <= DENSE and cells * sum(sizes) * (levels + 1) < TREE * rows


def _along_axes(distances: Sequence[Array], x: Sequence[Ints], y: Sequence[Ints], held: Csr) -> Csr:
    """The least sum of distances and the votes of all rows that attain it, along one axis of the table of cells after the other."""
    from scipy.sparse import csr_array

    sizes = [len(d) for d in distances]
    least, votes = np.full(math.prod(sizes), np.inf), np.zeros((math.prod(sizes), held.shape[1]))
    cell = np.ravel_multi_index(tuple(y), sizes)
    least[cell], votes[cell] = 0, held.toarray()
    for matrix, size in zip(distances, sizes, strict=True):
        by_level, of_level = least.reshape(size, -1), votes.reshape(size, -1, held.shape[1])  # with this axis first, and last in the result
        least, votes = np.empty(by_level.shape[::-1]), np.zeros((by_level.shape[1], size, held.shape[1]))
        for level, row in enumerate(matrix):
            sums = by_level + row[:, None]
            least[:, level] = sums.min(axis=0)
            for tied, theirs in zip(sums == least[:, level], of_level, strict=True):
                votes[:, level] += tied[:, None] * theirs
    return csr_array(votes.reshape(-1, held.shape[1])[np.ravel_multi_index(tuple(x), sizes)])


def _by_tree(x: Array, y: Array, held: Csr) -> Csr:
    """The same votes, from a search tree of the rows y."""
    from scipy.sparse import csr_array
    from scipy.spatial import KDTree

    tree = KDTree(y)
    least, _ = tree.query(x, p=1)
    near = tree.query_ball_point(x, least, p=1, return_sorted=True)
    ends = np.cumsum([0, *map(len, near)])
    return csr_array((np.ones(ends[-1]), np.concatenate(near).astype(np.int64), ends), shape=(len(x), len(y))) @ held


def _by_mode(pooled: Csr, truth: Csr) -> float:
    """Expected number of records whose level is the most frequent one among the pooled votes; ties are shared."""
    rows, _, votes = _entries(pooled)
    greatest = np.zeros(pooled.shape[0], votes.dtype)
    np.maximum.at(greatest, rows, votes)
    modal = pooled.copy()
    modal.data = (votes == greatest[rows]).astype(np.int64)
    hits = (truth * modal).sum(axis=1)
    return float((hits / modal.sum(axis=1)).sum())


def _by_median(pooled: Csr, truth: Csr, values: Floats, tolerance: float) -> float:
    """Number of records whose value is equal to the lower median of the pooled votes, or differs from it by less than the tolerance."""
    rows, levels, votes = _entries(pooled)
    through = np.cumsum(votes)
    before = np.append(0, through)[pooled.indptr[:-1]]
    total = through[pooled.indptr[1:] - 1] - before
    guess = levels[np.searchsorted(through, before + (total - 1) // 2, side="right")]
    rows, levels, records = _entries(truth)
    with np.errstate(invalid="ignore"):  # the difference of two infinite numbers
        near = np.abs(values[levels] - values[guess[rows]]) < tolerance
    return float(records[near | (levels == guess[rows])].sum())


def _entries(table: Csr) -> tuple[Places, Places, Array]:
    """Rows, columns and values of the stored entries of a table, in order."""
    table.sum_duplicates()
    return np.repeat(np.arange(table.shape[0]), np.diff(table.indptr)), table.indices, table.data
