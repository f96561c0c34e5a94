"""CAP by a loop over all pairs of keys, column by column, in exact fractions; keys for that, and random tables."""

from fractions import Fraction

import numpy as np
import pandas as pd
import xarray as xr


def lenders(keys, s, unmatched, radius=0):
    """For each key the keys whose records are pooled for it; none where it borrows from nobody."""
    held = [j for j in range(len(keys)) if any(row[j] for row in s)]
    chosen = []
    for mine in keys:
        apart = {j: sum(x != y for x, y in zip(mine, keys[j], strict=True)) for j in held}
        limit = min(apart.values(), default=0) if unmatched == "nearest" else radius
        chosen.append([j for j in held if apart[j] <= limit])
    return chosen


def caps_of_cells(keys, s, unmatched="zero", radius=0):
    """CAP of the cells; None for a key that borrows from nobody."""
    rows = np.asarray(s).tolist()
    pools = lenders(keys, rows, unmatched, radius)
    totals = [Fraction(sum(row[j] for row in rows for j in pool)) for pool in pools]
    return [[sum(row[j] for j in pool) / m if m else None for pool, m in zip(pools, totals, strict=True)] for row in rows]


def caps(keys, s, unmatched="zero", radius=0):
    """The same as an array of floats, where keys that borrow from nobody have 0, or NaN."""
    nothing = 0.0 if unmatched == "zero" else np.nan
    return np.array([[nothing if x is None else float(x) for x in row] for row in caps_of_cells(keys, s, unmatched, radius)])


def mean_over_people(keys, o, s, unmatched="zero", radius=0):
    """Average CAP; None where nobody counts."""
    of_cells = caps_of_cells(keys, s, unmatched, radius)
    people = [(of_cells[i][j], int(count)) for i, row in enumerate(o) for j, count in enumerate(row)]
    counted = [(cap or Fraction(0), count) for cap, count in people if cap is not None or unmatched == "zero"]
    n = sum(count for _, count in counted)
    return sum((cap * count for cap, count in counted), Fraction(0)) / n if n else None


def alone(keys):
    """Keys of one column."""
    return [(j,) for j in range(keys)]


def labelled(keys, *tables):
    """The tables, or so many of each, with these keys."""
    axis = pd.MultiIndex.from_tuples(keys, names=[f"k{c}" for c in range(len(keys[0]))])
    coords = xr.Coordinates.from_pandas_multiindex(axis, "key")
    return [xr.DataArray(table, dims=("draw", "target", "key")[-np.ndim(table) :], coords=coords) for table in tables]


def key_pairs(keys):
    """Keys of two columns, of 2 levels and as many as are needed."""
    return [(j % 2, j // 2) for j in range(keys)]


def in_pairs(*tables):
    """The tables with such keys."""
    return labelled(key_pairs(np.shape(tables[0])[-1]), *tables)


def random_pairs(seed, number=100):
    """Two tables of one shape, with many empty cells and keys."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        shape = rng.integers(1, 5), rng.integers(1, 6)
        yield [rng.integers(0, rng.integers(2, 8), shape) * (rng.random(shape) < 0.7) for _ in range(2)]
