"""Random synthetic tables under named models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from capstats.codes.checks import check_integer
from capstats.laws.models.model import Model, checked_model, for_each_m
from capstats.tables.aligned import Aligned
from capstats.tables.table import Counts

Rng = int | Sequence[int] | np.random.Generator | None


@for_each_m
def sample_tables(o: Counts, model: Model, *, draws: int, rng: Rng = None) -> xr.DataArray:
    """Random synthetic tables under a model.

    They show the average CAP that releases of this kind have: of tables unrelated to the original, or of everyday ways to change it.

    Parameters
    ----------
    o : array-like or DataArray, dims (..., target, key)
        Counts of original records; of a batch each table has draws of its own. `Uniform` uses only the I x J cells and their labels.
    model : Model
        How releases are made, with its parameters: `Uniform`, `Bootstrap`, `Independent`, `Dirichlet`, `Given`, `Permuted`, `Partial`,
        `Pram` or `Swap`.
    draws : int
        Number of tables, at least 1.
    rng : None, int, or numpy Generator
        Passed to ``numpy.random.default_rng``.

    Returns
    -------
    DataArray of int, dims (draw, ..., target, key)
        Random tables. Each sums to m, to the records of `s`, or to those of `o`; under `Given` to m less the records of other keys.

    Raises
    ------
    ValueError, TypeError
        If `draws` is not a positive integer, `model` is not a model or does not fit `o`, `o` holds no counts or no
        record that the model could use; if `o` holds weights under `Partial`, `Pram` or `Swap`.

    See Also
    --------
    expected_cap, variance_cap : moments of average CAP over these tables, exactly.

    Notes
    -----
    See theory/models.md#uniform-tables (stars and bars; no rounded probability is used) and, for all other models,
    theory/models.md#sampling.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 4.
    Feller (1968), An Introduction to Probability Theory and Its Applications, volume 1, section II.5.
    Johnson, Kotz and Balakrishnan (1997), Discrete Multivariate Distributions, chapters 35, 39 and 40.

    Examples
    --------
    >>> from capstats.laws import Swap, Uniform
    >>> s = sample_tables([[1, 2], [3, 4]], Uniform(10), draws=3, rng=1)
    >>> s.dims, s.sum(["target", "key"]).values.tolist()
    (('draw', 'target', 'key'), [10, 10, 10])

    Swaps keep both margins:

    >>> s = sample_tables([[1, 2], [3, 4]], Swap(records=5), draws=3, rng=1)
    >>> s.sum("key").values.tolist(), s.sum("target").values.tolist()
    ([[3, 7], [3, 7], [3, 7]], [[4, 6], [4, 6], [4, 6]])
    """
    model = checked_model(model, o)
    draws, rng = check_draws(draws), np.random.default_rng(rng)
    aligned = model.aligned(o)
    arrays = [np.broadcast_to(table, (*aligned.shape, *table.shape[-2:])) for table in model.arrays(aligned)]
    drawn = [model.draw(*(table[at] for table in arrays), draws=draws, rng=rng) for at in np.ndindex(*aligned.shape)]
    found = np.stack(drawn, axis=1).reshape(draws, *aligned.shape, *drawn[0].shape[1:])
    targets, keys = aligned.sizes["target"], aligned.sizes["key"]
    if found.shape[-2] > targets:
        raise ValueError("`key_weights` has targets that `p` lacks, of which no table can be drawn. Give `p` for every target.")
    return aligned.wrap(found[..., :keys], "s", ("target", "key"), before=("draw",))


def check_draws(draws: Any) -> int:
    """A number of random tables as an int of at least 1."""
    return check_integer(draws, "draws", "a number of tables, an integer of at least 1", least=1)


def one_table(aligned: Aligned) -> Aligned:
    """Aligned tables, which must have no further dims."""
    if aligned.shape:
        names = " and ".join(f"`{name}`" for name in aligned.whole)
        raise ValueError(f"{names} must be one table of (target, key); it also has {aligned.dims}. Choose one table.")
    return aligned


def with_records(aligned: Aligned) -> Aligned:
    """The same of tables whose original holds a record."""
    if not one_table(aligned).totals("o").all():
        raise ValueError("`o` holds no record, so no release has an average CAP. Give a table with records.")
    return aligned
