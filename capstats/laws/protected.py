"""The law of the share of protected records: those whose individual CAP is smaller with a random release than with the original."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from typing import Any

import numpy as np

from capstats.laws.atoms import Atoms
from capstats.laws.cells import BY_CELL
from capstats.laws.few import Column, Steps, TooManyError, few_tables, pram_columns
from capstats.laws.finite import CELLS_OF_KEYS, of_all, said, whole_tables
from capstats.laws.grid import Grid
from capstats.laws.integer_urns import IntegerUrn, of_total
from capstats.laws.law import Law
from capstats.laws.mixing import ROUNDING, mixed
from capstats.laws.models import Synthesis, in_order_of
from capstats.laws.numerators import MOST, TooLongError
from capstats.tables.table import Array, Floats


def protected_law(
    o: Any,
    m: int | None = None,
    *,
    model: str = "uniform",
    alpha: float | None = None,
    s: Any = None,
    matrix: Any = None,
    theta: float | None = None,
    swapped: int | None = None,
) -> Law:
    """Law of the share of original records that a random release protects: their individual CAP is smaller than with the original.

    Nearly every release protects many records. The law says how many are protected by chance, so that a share can be compared with it.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key)
        Counts of original records, one table of integers.
    m : int, optional
        Number of synthetic records, for models that need it.
    model : str
        The model of the releases: "uniform", "bootstrap", "independent", "dirichlet", "permutation", "partial", "pram" or "swap".
    alpha, s, matrix, theta, swapped
        What the model must be told, as in `cap_law`.

    Returns
    -------
    Law
        Of ``protected_records(o, s) / n``, from 0 to 1; larger is safer. Where tables are few it lists its values by ``atoms()``;
        otherwise ``cdf`` and ``quantile`` have bounds that differ by rounding only.

    Raises
    ------
    ValueError, TypeError
        If `o` is not one table of integers with a record (the cell is named), `m` is missing, an option does not belong to the model, or
        the law is out of reach.

    See Also
    --------
    protected_records : the number that one release protects.
    cap_law : the law of average CAP.

    Notes
    -----
    See theory/protected-law.md. Records of an unmatched key are protected, as with ``unmatched="zero"``.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 2.2.

    Examples
    --------
    Three people have one key, two of them the first target. A release of two records with 2, 1 or 0 of this target protects the one
    person with the second target, the two with the first, and these two again:

    >>> found = protected_law([[2], [1]], 2).atoms()
    >>> found.value.values.round(4).tolist(), found.probability.values.round(4).tolist()
    ([0.3333, 0.6667], [0.3333, 0.6667])
    """
    synthesis = Synthesis.of(model, m=m, alpha=alpha, s=s, matrix=in_order_of(o, matrix), theta=theta, swapped=swapped)
    counts, release = whole_tables(o, synthesis)
    n = int(counts.sum())
    if not n:
        raise ValueError("`o` holds no record, so there is nobody to protect. Give a table with records.")

    def value(column: Column, j: int) -> int:
        return protected([int(x) for x in counts[:, j]], column)

    try:
        law: Law = Atoms(few_tables(counts, synthesis, value, release), n, about=said(synthesis, "all tables"))
    except TooManyError:
        try:
            law = _by_keys(counts, synthesis)
        except (TooLongError, TooManyError):
            raise ValueError(
                f'The law of the protected share under the model "{model}" is out of reach for this table. Draw from the model with '
                f"`sample_tables` and count with `protected_records`, or merge levels of the keys."
            ) from None
    law.quantity = "the protected share"
    return law


def protected(original: list[int], column: Column) -> int:
    """Records of one key that are protected: q_ij < r_ij, compared as integers; all where the key is unmatched."""
    n_j, m_j = sum(original), sum(column)
    return sum(x for x, y in zip(original, column, strict=True) if y * n_j < x * m_j) if m_j else n_j


def _by_keys(o: Array, synthesis: Synthesis) -> Grid:
    """Keys are independent, given their totals where these vary; all values are integers, so nothing is rounded to a grid."""
    n, kept = int(o.sum()), synthesis.model not in BY_CELL
    if synthesis.model in ("permutation", "swap"):
        raise TooLongError
    m = 0 if kept else synthesis.m or 0
    urn = None if synthesis.model == "pram" else IntegerUrn.of(o, synthesis)
    columns = Counter((tuple(o[:, j].tolist()), () if urn is None else tuple(urn.weights[:, j])) for j in range(o.shape[1]))
    length = 1 << n.bit_length()
    if len(columns) * (m + 1) * length > CELLS_OF_KEYS:
        raise TooLongError
    steps = max((sum(column) for column, _ in columns), default=0) if kept else m
    if urn is not None and len(columns) * _work(len(o), steps, n) * (1 if kept else steps / 3) > MOST:
        raise TooLongError
    tables, totals = [], []
    for (column, weights), power in columns.items():
        table = np.zeros((m + 1, sum(column) + 1))
        if urn is None:
            table[0] = _of_released(column, synthesis, o)
        elif kept:
            table[0] = _of_column(column, weights, urn.grows, sum(column))
        else:
            law = of_total(sum(weights), urn.grows, int(urn.weights.sum()), m)
            for r in np.flatnonzero(law):
                table[r] = law[r] * _of_column(column, weights, urn.grows, int(r))
            totals += power * [law]
        tables.append((table, power))
    values, error = mixed(tables, length)
    certain = of_all(totals, m) if totals else 1.0
    relative = sum(columns.values()) * ROUNDING * 20 * (len(o) + 2) * (max(steps, m) + 2)
    possible = [(np.flatnonzero(table.any(0)), power) for table, power in tables]
    ends = tuple(float(sum(power * held[end] for held, power in possible)) / n for end in (0, -1))
    return Grid.of(values, certain, (error, relative), Fraction(1, n), 0, (ends[0], ends[1]), said(synthesis, "by keys"))


def _work(targets: int, records: int, n: int) -> float:
    """Products in the law of one column of so many records, with what calls cost."""
    return sum(min(2.0**i, n + 1) for i in range(1, targets - 1)) * records**2 + 2.0 ** min(targets, 40) * (records + 1000)


def _of_column(column: tuple[int, ...], weights: tuple[int, ...], grows: int, r: int) -> Floats:
    """Probabilities of 0, 1, ... protected records in a key of r synthetic records: target by target, each below or from its share on."""
    n_j, everything = sum(column), sum(weights)
    found = np.zeros(n_j + 1)
    if not r or not n_j or not everything:
        found[n_j] = 1
        return found
    parts: dict[int, Floats] = {0: np.concatenate([[1.0], np.zeros(r)])}
    held = [(count, weight) for count, weight in zip(column, weights, strict=True) if count]
    rest = everything - sum(weight for _, weight in held)  # targets without original records protect nobody
    for place, (count, weight) in enumerate([*held, (0, rest)] if rest else held, 1):
        part = of_total(weight, grows, everything, r)
        enough = -(-count * r // n_j)  # from so many records on the share is not smaller
        sides = [(count, np.where(np.arange(r + 1) < enough, part, 0)), (0, np.where(np.arange(r + 1) < enough, 0, part))]
        after: dict[int, Floats] = defaultdict(lambda: np.zeros(r + 1))
        for protects, law in parts.items():
            for more, side in sides if count else sides[1:]:
                if place == 1:
                    after[protects + more] += side
                elif place == len(held) + bool(rest):  # only r records in all are wanted
                    after[protects + more][r] += law @ side[::-1]
                else:
                    after[protects + more] += np.convolve(law, side)[: r + 1]
        parts = after
    for protects, law in parts.items():
        found[protects] += law[r]
    return np.asarray(found / found.sum())


def _of_released(column: tuple[int, ...], synthesis: Synthesis, o: Array) -> Floats:
    """The same for a key whose records are released one by one."""
    found = np.zeros(sum(column) + 1)
    if not sum(column):
        return np.ones(1)
    j = next(j for j in range(o.shape[1]) if tuple(o[:, j].tolist()) == column)
    held = Counter[int]()
    for released, weight in pram_columns(o, synthesis, j, Steps()):
        held[protected(list(column), released)] += weight
    total = sum(held.values())
    for protects, weight in held.items():
        found[protects] = weight / total
    return found
