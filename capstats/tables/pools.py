"""Rows that keys borrow from others, summed up.

Both sides of a loan are sorted into groups: whoever borrows in a group gets the records of all who lend in it.
"""

from __future__ import annotations

import numpy as np

from capstats.tables.sums import group_sums
from capstats.tables.table import Index, Table


class Pool:
    """What the keys of one table of (target, key) have borrowed so far: the rows, and ``totals``, the records of each key."""

    def __init__(self, s: Table):
        self.s, self.s_j = s, s.key_total()
        self.values, self.totals = np.zeros_like(s.values), np.zeros_like(self.s_j)

    def lend(self, lenders: Index, lent: Index, borrowers: Index, borrowed: Index, groups: int, times: int = 1) -> None:
        """Give each borrower the records, ``times`` each, of all lenders whose group ``lent`` is the one that it has ``borrowed`` from."""
        self.s.add_borrowed(self.values, lenders, lent, borrowers, borrowed, groups, times)
        self.totals[borrowers] += times * group_sums(self.s_j[lenders], lent, groups)[borrowed]
