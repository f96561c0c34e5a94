"""Linkability: whether a release links the records of one person in two data sets.

The nearest synthetic rows are found once for each combination of values that occurs, and the rows that two combinations share are counted
in a product of sparse matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np
import xarray as xr

from capstats.cap.subkeys import Search
from capstats.codes.column import Column, Ints, Places, factor
from capstats.codes.progress import Progress
from capstats.counting.joint_rows import joint_rows
from capstats.counting.request import Columns, Reading, Request, chosen_columns, shows_options
from capstats.tables.axes import level_index
from capstats.tables.dataset import VERSION
from capstats.tables.printing import Result
from capstats.tables.table import Array, Floats, Index

BLOCK = 1 << 21  # nearest rows that are compared at a time

Csr = Any  # scipy.sparse.csr_array, which has no stubs


@shows_options
def linkability(
    original: Any,
    synthetic: Any,
    *,
    a: Columns,
    b: Columns,
    holdout: Any = None,
    allow_same: bool = False,
    **reading: Unpack[Reading],
) -> xr.Dataset:
    """How often the release joins two parts of a person's record: the probability that both parts lead to the same synthetic record.

    An intruder has two data sets without names, one with the columns `a`, say of a shop, one with the columns `b`, say of a clinic. For a
    customer and for a patient the intruder looks up the nearest synthetic record, a random one of several; if it is the same record, the
    two are taken for one person.

    Parameters
    ----------
    original, synthetic : data frame, lazy frame, mapping of columns, or path; several of `synthetic`
        The confidential and the released records, as in `tabulate`.
    a, b : column name or sequence of names
        The columns of the two data sets. They may have columns in common.
    holdout : data frame, lazy frame, mapping of columns, or path, optional
        Records of the same population that were not used for synthesis.
    allow_same : bool
        Whether two of the tables may hold the same records, as in `audit`.
    missing, null_values, allow_unused_codes, types, bins, counts, encoding, decimal, sheet, skip, rename, memory_limit, spill_dir, progress
        As in `tabulate`. A missing value is a level, and numbers are equal or not: cut them with `bins`. `weights` is an error, and
        `backing` has no effect.

    Returns
    -------
    Dataset, with dim ``synthetic`` for several synthetic tables
        - ``rate``: the mean over original records of |A and B| / (|A| |B|), where A and B are the synthetic records that differ from the
          person's in the fewest columns of `a`, and of `b`; from 0 to 1;
        - ``baseline``: 1 / m, of an intruder who draws both records at random.

        With `holdout`: ``holdout``, the rate of its records, the ``difference``, from -1 to 1, and its ``standard_error``, NaN if either
        table has fewer than two records. ``attrs["records"]`` is the number of original records.

    Raises
    ------
    ValueError, TypeError
        If a column is named twice within `a` or within `b`, `weights` are given, or two tables hold the same records, unless `allow_same`;
        or as `tabulate`.

    See Also
    --------
    singling_out, record_risk
    average_cap : with ``unmatched="nearest"``, which guesses one column from the nearest records.

    Notes
    -----
    See theory/population.md#linkability. anonymeter attacks a sample of the records. Of equally near ones it takes those that its sort puts
    first, the same in both look-ups where the distances are alike: a release that tells nothing, in which all records are equally near,
    links everybody there, while the rate here is 1 / m. It compares numbers by their difference over the range of the column, asks for a
    number of neighbours, of which one must be common, and has two missing values at distance 1.

    Nearest values are looked up as in `average_cap`, without comparing all pairs where that pays. Then each distinct original record takes
    time in proportion to the distinct rows of A or of B, whichever are fewer, and none where A or B is the whole release.

    References
    ----------
    Giomi, Boenisch, Wehmeyer and Tasnadi (2023), https://doi.org/10.56553/popets-2023-0055, section 5.

    Examples
    --------
    The first person's parts lead to the first synthetic record alone; those of the second lead to records 2 and 3, each:

    >>> original = {"age": ["young", "old"], "town": ["x", "y"]}
    >>> synthetic = {"age": ["young", "old", "old"], "town": ["x", "y", "y"]}
    >>> found = linkability(original, synthetic, a="age", b="town")
    >>> float(found.rate), round(float(found.baseline), 4)
    (0.75, 0.3333)
    """
    parts = {"a": chosen_columns(a, "a"), "b": chosen_columns(b, "b")}
    for name, columns in parts.items():
        if twice := [column for column in columns if columns.count(column) > 1]:
            raise ValueError(f"`{name}` names {twice[0]!r} twice. Name each column once.")
    together = list(dict.fromkeys([*parts["a"], *parts["b"]]))
    given = {"original": original, "synthetic": synthetic, "holdout": holdout}
    by: dict[str, Any] = {"keys": together, "keys_argument": "a` and `b", "target": None, "target_argument": None}
    request = Request.of(reading, **given, **by, allow_same=allow_same)
    with Progress(reading.get("progress")) as shown:
        rows = joint_rows(request, shown)
        held = np.flatnonzero(rows.original if rows.holdout is None else rows.original + rows.holdout)
        sides = [[np.asarray(rows.axis.codes[together.index(column)]) for column in columns] for columns in parts.values()]
        step = shown.step("linking records", rows=len(rows.synthetic) * len(held))
        scores = np.array([_scores(sides, s, held, step.advance) for s in rows.synthetic])
    rate, variance = _mean(scores, rows.original[held])
    found = {"rate": rate, "baseline": 1 / np.sum(rows.synthetic, axis=1)}
    if rows.holdout is not None:
        found["holdout"], its = _mean(scores, rows.holdout[held])
        found["difference"], found["standard_error"] = rate - found["holdout"], np.sqrt(variance + its)
    attrs = {"result": "Linkability", **rows.attrs, "records": int(rows.original.sum()), "capstats": VERSION}
    variables: dict[str, Any] = {name: (("synthetic",), values) for name, values in found.items()}
    if rows.labels is None:
        return Result(variables, attrs=attrs).isel(synthetic=0)
    return Result(variables, {"synthetic": level_index(rows.labels)}, attrs)


def _mean(scores: Floats, records: Array) -> tuple[Floats, Floats]:
    """The means of scores (synthetic, row) over records, and the variances of these means, NaN for a single record."""
    n = records.sum()
    means = scores @ records / n
    squares = np.square(scores - means[:, None]) @ records
    return means, squares / (n * (n - 1)) if n > 1 else np.full(len(means), np.nan)


def _scores(sides: Sequence[Sequence[Ints]], s: Array, rows: Places, advance: Callable[[int], None]) -> Floats:
    """|A and B| / (|A| |B|) for some rows, with their columns of `a` and `b` in ``sides``; ``s`` has the synthetic records of each row."""
    from scipy.sparse import csr_array

    released = np.flatnonzero(s)
    a, b = (Nearest(columns, rows, released, s[released]) for columns in sides)
    m = s.sum()
    shared = np.where(a.records == m, b.records, a.records)  # where A or B is the whole release
    left = (a.records < m) & (b.records < m)
    a_first = a.rows + b.values <= b.rows + a.values
    for first, second, which in ((a, b, left & a_first), (b, a, left & ~a_first)):
        places = np.flatnonzero(which)
        table = csr_array((s[released], (first.released, second.released)), shape=(first.groups.shape[0], second.groups.shape[0]))
        blocks = np.cumsum((first.rows + second.values)[places]) // BLOCK
        for part in np.split(places, np.flatnonzero(np.diff(blocks)) + 1):
            shared[part] = (first.of(part) @ table).multiply(second.of(part)).sum(1)
            advance(len(part))
    advance(len(rows) - int(left.sum()))
    return np.asarray(shared / (a.records * b.records))


class Nearest:
    """For the values of some rows in the columns of one side, the nearest released values.

    ``groups`` (value, group) @ ``donors`` (group, value) is 1 where the second value is nearest to the first. A released value
    is its own nearest; the others are in groups found by `Search`.
    """

    def __init__(self, columns: Sequence[Ints], rows: Places, released: Places, s: Array):
        from scipy.sparse import csr_array

        values = factor([Column(codes, range(int(codes.max()) + 1)) for codes in columns])
        self.asked, self.released = values.of_row[rows], values.of_row[released]
        self.number = 0
        self.pairs: tuple[list[tuple[Index, Index]], list[tuple[Index, Index]]] = ([], [])
        donors = np.unique(self.released)
        own = np.arange(len(donors))
        self.add(donors, own, donors, own, len(own))
        lacking = np.setdiff1d(self.asked, donors)
        if len(lacking):
            Search(values.codes, lacking, donors, self.add).nearest()
        shape = len(values.flat), self.number
        both = (map(np.concatenate, zip(*pairs, strict=True)) for pairs in self.pairs)
        self.groups, of_group = (csr_array((np.ones(len(value), np.int64), (value, group)), shape=shape) for value, group in both)
        self.donors = of_group.T.tocsr()
        self.records, self.rows = (self._sums(np.bincount(self.released, x, len(values.flat))) for x in (s, None))
        self.values = self._sums(np.bincount(donors, minlength=len(values.flat)))

    def add(self, donors: Index, donor_group: Index, recipients: Index, recipient_group: Index, groups: int) -> None:
        """Add the pairs of donors and recipients with equal groups."""
        for pairs, value, group in zip(self.pairs, (recipients, donors), (recipient_group, donor_group), strict=True):
            pairs.append((value, group + self.number))
        self.number += groups

    def _sums(self, x: Array) -> Array:
        """The sum over the nearest values of each row."""
        return np.asarray((self.groups @ (self.donors @ x.astype(np.int64)))[self.asked])

    def of(self, rows: Places) -> Csr:
        """The nearest values of some rows: shape (row, value)."""
        return self.groups[self.asked[rows]] @ self.donors
