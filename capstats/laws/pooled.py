"""The law of the average CAP of several releases that are pooled into one table."""

from __future__ import annotations

import math
from collections import defaultdict
from operator import mul
from typing import Any, cast

from capstats.laws.atoms import Atoms
from capstats.laws.cells import BY_CELL
from capstats.laws.distribution import cap_law
from capstats.laws.few import Column, Steps, TooManyError, Weighed, few_tables, repeated
from capstats.laws.finite import said, whole_tables
from capstats.laws.law import Law
from capstats.laws.models import Synthesis
from capstats.laws.several import check_releases
from capstats.tables.table import Array


def pooled_law(
    o: Any,
    m: int | None = None,
    *,
    releases: int,
    model: str = "uniform",
    alpha: float | None = None,
    s: Any = None,
    matrix: Any = None,
    theta: float | None = None,
    swapped: int | None = None,
) -> Law:
    """Law of the average CAP of several releases whose records are put together: the attacker who does not tell them apart.

    Pooled records show the shares of a key better than each release does, and match more keys.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key)
        Counts of original records, one table of integers.
    m : int, optional
        Number of records of each release, for models that need it.
    releases : int
        Number of independent releases of the same original, at least 1.
    model : str
        The model of each release: "uniform", "bootstrap", "independent", "dirichlet", "permutation", "partial", "pram" or "swap".
    alpha, s, matrix, theta, swapped
        What the model must be told, as in `cap_law`.

    Returns
    -------
    Law
        Of version 1 of the average CAP of the sum of the tables.

    Raises
    ------
    ValueError, TypeError
        If `o` is not one table of integers with a record (the cell is named), an option does not belong to the model, or the law is out
        of reach: under "uniform" and "dirichlet" it is given for few tables only.

    See Also
    --------
    cap_law : the law of one release; its methods ``mean_of`` and ``best_of`` are the laws of two other attackers.

    Notes
    -----
    See theory/several-releases.md.

    References
    ----------
    Reiter and Mitra (2009), Journal of Privacy and Confidentiality 1, https://doi.org/10.29012/jpc.v1i1.567, for attackers who use
    several synthetic data sets at once.

    Examples
    --------
    Two releases of one record each hold both targets with probability 1/2, and then average CAP is 1/2:

    >>> found = pooled_law([[3], [1]], 1, releases=2).atoms()
    >>> found.value.values.tolist(), found.probability.values.tolist()
    ([0.25, 0.5, 0.75], [0.25, 0.5, 0.25])
    """
    releases = check_releases(releases)
    synthesis = Synthesis.of(model, m=m, alpha=alpha, s=s, matrix=matrix, theta=theta, swapped=swapped)
    if synthesis.model in ("bootstrap", "independent"):  # records do not depend on each other
        return cap_law(o, releases * (synthesis.m or 0), model=model)
    if synthesis.model not in BY_CELL or releases == 1:  # each release has as many records of a key
        one = cap_law(o, m, model=model, alpha=alpha, s=s, matrix=matrix, theta=theta, swapped=swapped)
        return cast(Law, one.mean_of(releases)) if releases > 1 else one
    counts, _ = whole_tables(o, synthesis)
    if not counts.any():
        raise ValueError("`o` holds no record, so no release has an average CAP. Give a table with records.")
    try:
        return _atoms(counts, synthesis, releases)
    except TooManyError:
        raise ValueError(
            f'The law of {releases} pooled releases under the model "{model}" is given for few tables only, and here they are too many. '
            f"The methods `mean_of` and `best_of` of `cap_law` give the laws of their mean and of the greatest; `sample_tables` draws."
        ) from None


def _atoms(o: Array, synthesis: Synthesis, releases: int) -> Atoms:
    """All sums of tables: a table is an integer whose digits are its counts."""
    most, targets = releases * (synthesis.m or 0), len(o)
    common = math.lcm(*range(1, most + 1))

    def digits(column: Column, j: int) -> int:
        return sum(count * (most + 1) ** (targets * j + i) for i, count in enumerate(column))

    found: Weighed = defaultdict(int)
    for table, weight in repeated(few_tables(o, synthesis, digits), releases, Steps()).items():
        value, rest = 0, table
        for column in o.T.tolist():
            pooled = []
            for _ in column:
                rest, count = divmod(rest, most + 1)
                pooled.append(count)
            value += sum(map(mul, column, pooled)) * (common // max(sum(pooled), 1))
        found[value] += weight
    return Atoms(found, int(o.sum()) * common, about=said(synthesis, f"{releases} releases pooled, all tables"))
