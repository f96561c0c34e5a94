"""Which key columns make the risk: average CAP with one of them alone, and with all but one."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.cap.average import average_cap
from capstats.cap.contributions import leave_one_out, shapley
from capstats.counting.lattice import Columns, Lattice
from capstats.tables.printing import Result
from capstats.tables.table import Floats

MOST_COLUMNS = 6  # key columns of which all subsets are computed
MOST_CELLS = 1 << 25  # cells of the tables of all of these subsets together, at most


def by_column(tables: xr.Dataset) -> xr.Dataset:
    """Average CAP by key column: of it alone, of all but it, what it adds to the others, and its Shapley value.

    Dims ``key_column`` and, where there are several synthetic tables, ``synthetic``. ``shapley`` is there for few columns and tables.
    """
    lattice = Lattice.of_tables(tables)
    k = len(lattice.names)
    cells = tables.o.size + tables.s.size
    sizes = range(k) if k <= MOST_COLUMNS and cells << k <= MOST_CELLS else {0, 1, k - 1}
    values: dict[Columns, Floats] = {}
    for keyset in lattice.walk({*sizes, k}):
        values[keyset.columns] = average_cap(*lattice.pair(keyset, 0, labelled=False)).values
    everything = tuple(range(k))
    found = {
        "alone": np.stack([values[(c,)] for c in everything]),
        "without": np.stack([values[everything[:c] + everything[c + 1 :]] for c in everything]),
        "leave_one_out": leave_one_out(values, k),
        "shapley": shapley(values, k),
    }
    own = tables.attrs["key_columns"]
    coords: dict[str, Any] = {"key_column": own if len(set(own)) == k else lattice.names}
    if lattice.synthetic is not None:
        coords["synthetic"] = lattice.synthetic
    dims = ("key_column", "synthetic")[: len(coords)]
    variables = {name: (dims, shares) for name, shares in found.items() if shares is not None}
    return Result(variables, coords, {"result": "Average CAP by key column"})
