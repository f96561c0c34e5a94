"""The law of average CAP under a model of releases: exact, in the limit, or simulated."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from capstats.cap.average import average_cap
from capstats.laws.attainable.extremes import maximum_cap, minimum_cap
from capstats.laws.distribution.exact import MOST_STEPS, TooManyError, exact_average
from capstats.laws.distribution.law import Law, Simulated, check_cells
from capstats.laws.distribution.limit import limit_law
from capstats.laws.models.cell_urns import CellUrn
from capstats.laws.models.model import Model, checked_model
from capstats.laws.models.sampling import with_records
from capstats.tables.checking import given_tables
from capstats.tables.dense import Dense
from capstats.tables.table import Array, Counts, Floats

BATCH = 1 << 21  # cells of the releases that are held at a time


def cap_law(o: Counts, model: Model, *, rng: Any = None, level: float = 0.95) -> Law:
    """Law of average CAP over random releases: distribution function, density and quantiles.

    Whether an average CAP of 0.77 is high depends on what chance alone gives; the law says with which probability.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key)
        Counts of original records, one table.
    model : Model
        How releases are made: `Uniform`, `Bootstrap`, `Independent`, `Dirichlet`, `Given`, `Permuted`, `Partial`, `Pram` or `Swap`.
        The first five without `m` have the law in the limit of large releases. It is another law, never an approximation of that of a
        finite `m`.
    rng : None, int, or numpy Generator
        Passed to ``numpy.random.default_rng`` where the law is simulated.
    level : float
        Coverage of ``least`` and ``greatest`` at each point where the law is simulated.

    Returns
    -------
    Law
        With ``cdf``, ``density``, ``quantile`` and ``atoms``. Exact for models of cells where few records fall into few cells, and in the
        limit where keys are few; otherwise from independent releases of the model: 20,000 of a table of at most 1,000 cells, fewer of a
        larger one. Each number comes with ``least`` and ``greatest``: they hold the exact one, always, or of a simulated law at its level.

    Raises
    ------
    ValueError, TypeError
        If `o` is not one table of counts with a record (the cell is named), the model does not fit it, the level is not between 0 and 1,
        or the law is to be simulated on more than 100,000 cells.

    See Also
    --------
    sample_tables : releases of these models.
    minimum_cap : what any release can attain.

    Notes
    -----
    See theory/limit-law.md#limit-law for the limit, theory/law.md#finite-law for few releases, and theory/law.md#simulated-law for many
    releases or many keys. The average is version 1: records of unmatched keys count 0.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 2, which simulates this law.
    Curry and Schoenberg (1966), On Polya frequency functions IV, https://doi.org/10.1007/BF02788653.
    David and Nagaraja (2003), Order Statistics, 3rd edition, section 7.1.
    Clopper and Pearson (1934), https://doi.org/10.1093/biomet/26.4.404.

    Examples
    --------
    Three of four people have the first target. In the limit, average CAP is uniform from 1/4 to 3/4:

    >>> from capstats.laws import Uniform
    >>> law = cap_law([[3], [1]], Uniform())
    >>> float(law.cdf(0.375).least), float(law.density(0.375).least)
    (0.25, 2.0)
    """
    (o,) = given_tables({"o": o}).values()
    model = checked_model(model, o, limit=True)
    if isinstance(model, CellUrn) and model.m is None:
        return limit_law(o, with_records(model.aligned(o)), model, rng, level)
    tables = whole_tables(o, model)
    if isinstance(model, CellUrn):
        with suppress(TooManyError):
            return exact_average(tables, model)
    ends = minimum_cap(tables[0]).item(), maximum_cap(tables[0]).item()
    return Simulated(partial(_averages, tables, model), ends, about=repr(model), cost=tables[0].size, rng=rng, level=level)


def _averages(tables: list[Array], model: Model, number: int, rng: np.random.Generator) -> Floats:
    """Average CAP of independent releases of one original, drawn in batches; ``tables`` are the arguments of the model."""
    step = max(1, BATCH // tables[0].size)
    sizes = (min(step, number - start) for start in range(0, number, step))
    return np.concatenate([average_cap(tables[0], model.draw(*tables, draws=size, rng=rng)).values for size in sizes])


def whole_tables(o: Counts, model: Model) -> list[Array]:
    """The tables that a model takes, of one original with a record, as arrays (target, key) of integers."""
    aligned = with_records(model.aligned(o))
    if (cells := aligned.sizes["target"] * aligned.sizes["key"]) > MOST_STEPS:  # an exact law has a step for each cell at least
        check_cells(cells)
    for name, whole in aligned.whole.items():
        if not whole and name != "p":
            raise ValueError(f"`{name}` must hold integers for the law of finitely many records; got fractional counts. Leave out weights.")
    tables = model.arrays(aligned)
    model.check(*map(Dense, tables))
    return tables
