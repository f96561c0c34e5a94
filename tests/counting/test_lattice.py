"""Tables of subsets of the key columns are those that `tabulate` gives, whatever way down the lattice they come."""

import numpy as np
import pytest
import xarray as xr
from swept_records import KEYS, TARGETS, people

from capstats import tabulate
from capstats.counting import lattice
from capstats.counting.lattice import Lattice
from capstats.counting.records import read_records
from capstats.counting.request import Request

# tables with other levels are meant to be here
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")]


@pytest.mark.parametrize("scatter", [0, 3, 10**9])
def test_both_routes_give_the_tables_that_tabulate_gives(monkeypatch, scatter):
    """A factor of 0 takes every subset from the cells filled at first, a great one from the tables of a larger subset."""
    monkeypatch.setattr(lattice, "SCATTER", scatter)
    o, several = people(60, 1), [people(50, 2), people(30, 3)]
    walked = Lattice.of_records(read_records(Request(original=o, synthetic=several, keys=KEYS, target=TARGETS)))
    seen = 0
    for keyset in walked.walk(range(1, 5)):
        for t, target in enumerate(TARGETS):
            tables = tabulate(o, several, keys=[KEYS[c] for c in keyset.columns], target=target)
            for found, expected in zip(walked.pair(keyset, t, labelled=True), (tables.o, tables.s), strict=True):
                xr.testing.assert_identical(found, expected)
                assert found.dtype == np.int64
            seen += 1
    assert seen == 30
