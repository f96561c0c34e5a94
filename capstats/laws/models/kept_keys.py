"""Releases that keep the key of every original record, and draw or move targets."""

# ruff: noqa: D102, ARG002 -- methods are documented at `Model`
from __future__ import annotations

import numpy as np

from capstats.cap.average import correct_by_key
from capstats.cap.baselines import crossed
from capstats.cap.neighbours import Unmatched
from capstats.laws.models.model import Model
from capstats.tables.sums import check_integers, ratio
from capstats.tables.table import Floats, Table


class KeptKeys(Model):
    """A model whose releases keep the key of every original record.

    No key with original records is empty in a release, so both versions of average CAP agree.
    """

    def check(self, o: Table) -> None:
        check_integers(o, "o", f": `{type(self).__name__}` changes whole records", "Give unweighted counts of records.")

    def variance(self, o: Table, *, unmatched: Unmatched = "zero") -> Floats:
        self.check(o)
        return ratio(self.of_records(o), o.total.astype(np.float64) ** 2, np.nan)

    def of_records(self, o: Table) -> Floats:
        """The variance of the number of right attributions, n^2 times that of average CAP."""
        raise NotImplementedError


def between(o: Table, left: Floats | float) -> Floats:
    """Average CAP between that of the target margin (share 0) and that of the original (share 1)."""
    original = ratio(correct_by_key(o, o).sum(-1), o.total, np.nan)
    return np.asarray(left * original + (1 - left) * crossed(o, o))
