"""Random synthetic tables under named models."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from capstats.laws.bounds import check_records
from capstats.tables.mapping import Aligned

Model = Literal["uniform"]


def sample_tables(o: Any, m: int, *, model: Model = "uniform", draws: int, rng: Any = None) -> xr.DataArray:
    """Random synthetic tables on the cells of an original table.

    They show the average CAP that a table unrelated to the original would have.

    They show the average CAP that a table unrelated to the original would have.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key)
        Counts of original records; the model "uniform" uses only the I x J cells and their labels.
    m : int
        Number of records of each synthetic table, at least 1.
    model : {"uniform"}
        "uniform": every I x J table with m records has the same probability, as in Figures 1 and 2 of the paper.
    draws : int
        Number of tables, at least 1.
    rng : None, int, or numpy Generator
        Passed to ``numpy.random.default_rng``.

    Returns
    -------
    DataArray of int, dims (draw, target, key)
        Random tables; each sums to m.

    Raises
    ------
    ValueError, TypeError
        If `m` or `draws` is not a positive integer, the model is unknown, or `o` is not one table of counts.

    Notes
    -----
    See theory/uniform-tables.md: stars and bars. The distribution is exact: no rounded probability is used.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 4.
    Feller (1968), An Introduction to Probability Theory and Its Applications, volume 1, section II.5.

    Examples
    --------
    >>> s = sample_tables([[1, 2], [3, 4]], 10, draws=3, rng=1)
    >>> s.dims, s.sum(["target", "key"]).values.tolist()
    (('draw', 'target', 'key'), [10, 10, 10])
    """
    m = check_records(m)
    if isinstance(draws, bool) or not isinstance(draws, (int, np.integer)) or draws < 1:
        raise ValueError(f"`draws` must be a number of tables, an integer of at least 1; got {draws!r}.")
    if model != "uniform":
        raise ValueError(f'`model` must be "uniform"; got {model!r}.')
    aligned = Aligned({"o": o})
    if aligned.shape:
        raise ValueError(f"`o` must be one table of (target, key); it also has {aligned.dims}. Choose one table.")
    shape = (aligned.sizes["target"], aligned.sizes["key"])
    tables = _compositions(int(draws), shape[0] * shape[1], m, np.random.default_rng(rng)).reshape(-1, *shape)
    return aligned.wrap(tables, "s", ("target", "key"), before=("draw",))


def _compositions(draws: int, cells: int, m: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Uniform draws among the ways to put m records into cells: the gaps between cells - 1 bars at m + cells - 1 positions."""
    places, bars = m + cells - 1, cells - 1
    if bars**2 < places:  # independent bars rarely coincide: repeat the draws in which they do
        found = np.sort(rng.integers(0, places, (draws, bars)), axis=1)
        again = np.flatnonzero((np.diff(found, axis=1) == 0).any(1))
        while len(again):
            found[again] = np.sort(rng.integers(0, places, (len(again), bars)), axis=1)
            again = again[(np.diff(found[again], axis=1) == 0).any(1)]
    else:
        found = np.sort([rng.choice(places, bars, replace=False, shuffle=False) for _ in range(draws)], axis=1)
    ends = np.full((draws, 1), places)
    return np.diff(found, axis=1, prepend=np.full((draws, 1), -1), append=ends) - 1
