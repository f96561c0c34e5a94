"""The law of the share of protected records: those whose individual CAP is smaller with a random release than with the original."""

from __future__ import annotations

from typing import Any

import numpy as np

from capstats.cap.comparison import protected_records
from capstats.laws.distribution.average import whole_tables
from capstats.laws.distribution.exact import Atoms, Column, TooManyError, few_tables
from capstats.laws.distribution.law import LEVEL, SEED, Law
from capstats.laws.distribution.simulated import simulated_law
from capstats.laws.models import Model, checked_model
from capstats.tables.table import Array, Counts, Floats


def protected_law(o: Counts, model: Model, *, rng: Any = SEED, level: float = LEVEL) -> Law:
    """Law of the share of original records that a random release protects: their individual CAP is smaller than with the original.

    Nearly every release protects many records. The law says how many are protected by chance, so that a share can be compared with it.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key)
        Counts of original records, one table of integers.
    model : Model
        How releases are made, as in `cap_law`, with its number of records.
    rng : None, int, or numpy Generator
        Passed to ``numpy.random.default_rng`` where the law is simulated. By default always the same seed.
    level : float
        Coverage of ``lower`` and ``upper`` at each point where the law is simulated.

    Returns
    -------
    Law
        Of ``protected_records(o, s) / n``, from 0 to 1; larger is safer. Where few records fall into few cells it lists its values by
        ``atoms()``; otherwise it is simulated, as `cap_law`.

    Raises
    ------
    ValueError, TypeError
        If `o` is not one table of integers with a record (the cell is named), the model has no number of records or does not fit `o`,
        the level is not between 0 and 1, or the law is to be simulated on more than 100,000 cells.

    See Also
    --------
    protected_records : the number that one release protects.
    cap_law : the law of average CAP.

    Notes
    -----
    See theory/law.md#protected-law, and theory/law.md#simulated-law where releases are too many to be listed. Records of an unmatched key
    are protected, as with ``unmatched="zero"``.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 2.2.

    Examples
    --------
    Three people have one key, two of them the first target. A release of two records with 2, 1 or 0 of this target protects the one
    person with the second target, the two with the first, and these two again:

    >>> from capstats.laws import Uniform
    >>> found = protected_law([[2], [1]], Uniform(2)).atoms()
    >>> found.value.values.round(4).tolist(), found.probability.values.round(4).tolist()
    ([0.3333, 0.6667], [0.3333, 0.6667])
    """
    model = checked_model(model, o)
    tables = whole_tables(o, model)
    columns = tables[0].T.tolist()

    def value(column: Column, j: int) -> int:
        return protected(columns[j], column)

    law: Law
    try:
        law = Atoms(few_tables(tables, model, value), int(tables[0].sum()), about=f"{model!r}; all releases")
    except TooManyError:
        law = simulated_law(tables, model, _shares, ends=(0.0, 1.0), rng=rng, level=level)
    law.quantity = "the protected share"
    return law


def _shares(o: Array, s: Array) -> Floats:
    return np.asarray(protected_records(o, s).values / o.sum())


def protected(original: list[int], column: Column) -> int:
    """Records of one key that are protected: q_ij < r_ij, compared as integers; all where the key is unmatched."""
    n_j, m_j = sum(original), sum(column)
    return sum(x for x, y in zip(original, column, strict=True) if y * n_j < x * m_j) if m_j else n_j
