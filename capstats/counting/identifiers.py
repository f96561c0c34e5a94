"""Columns that identify records: what tells that a release has the values of real ones, although these columns are not compared.

Numbers of rows would hide all copies if they were compared, since a release numbers its records anew. Names, incomes or dates of birth that
a release has in common with the original are no new numbers: then no test of the other columns acquits it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from capstats.codes.labels import MISSING
from capstats.counting.compared import Rows, Said, read_rows_of
from capstats.counting.reading import Input
from capstats.tables.printing import count


def naming(rows: Rows, columns: Iterable[int]) -> list[Values]:
    """The values of those of the columns, in which each record of the original has one of its own, that do not number its rows."""
    return [Values(rows, i) for i in columns if not _number_rows(rows.said[i])]


class Values:
    """The values of a column of which each record of the original has one of its own."""

    def __init__(self, rows: Rows, column: int):
        self.column = rows.columns[column]
        self.numbers = rows.labels[column][_present(rows.said[column])]

    def why(self, held: int, records: int) -> dict[str, str]:
        """Why equal records may not be found in a release of which so many records have one of the values."""
        if 2 * held <= records:
            return {}
        return {str(self.column): f"identifies records of the original, and {count(held)} of its {count(records)} have one of these values"}

    def found_in(self, table: Input) -> dict[str, str]:
        """The same for a table whose column is read."""
        try:
            rows = read_rows_of(table, [self.column])
        except (TypeError, ValueError):  # it is not compared
            return {}
        known = np.isin(rows.labels[0], self.numbers)[rows.codes[0]]
        return self.why(int(rows.counts[known].sum()), int(rows.counts.sum()))


def _present(said: Said) -> NDArray[np.bool_]:
    """Which of the values are not missing."""
    return ~np.isnan(said) if isinstance(said, np.ndarray) else np.array([x is not MISSING for x in said], bool)


def _number_rows(said: Said) -> bool:
    """Whether most numbers of a range are there once, with the same text beside them or none: other tables may have them as well."""
    if isinstance(said, np.ndarray):
        numbers = said[_present(said)]
    else:
        texts = [re.sub(r"\D", "", str(x)) for x in said if x is not MISSING]
        if "" in texts:
            return False
        numbers = np.unique(np.array([float(x[:300]) for x in texts]))
    return bool(len(numbers) and np.ptp(numbers) < 2 * len(numbers))
