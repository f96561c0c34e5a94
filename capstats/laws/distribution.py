"""The law of average CAP under a synthesis model: in the limit of many records, or of finitely many."""

from __future__ import annotations

from typing import Any

from capstats.laws.finite import finite_law
from capstats.laws.law import Law
from capstats.laws.limit import limit_law
from capstats.laws.models import TOLD, Synthesis, in_order_of
from capstats.tables.aligned import Aligned


def cap_law(
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
    """Law of average CAP over random releases: distribution function, density and quantiles.

    Whether an average CAP of .77 is high depends on what chance alone gives; the law says with which probability.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key)
        Counts of original records, one table.
    m : int, optional
        Number of synthetic records, for models that need it. Default: the limit of many records. It is another law, never an
        approximation that stands for a finite `m`.
    model : str
        The model of the releases: "uniform", "bootstrap", "independent", "dirichlet", "permutation", "partial", "pram" or "swap".
    alpha : float, optional
        Added to every cell: for "dirichlet" and "partial".
    s : array-like or DataArray, dims (target, key), optional
        A release whose targets are permuted: for "permutation".
    matrix : array-like, dims (target, target), optional
        Row a holds the probabilities of what target a is released as: for "pram".
    theta : float, optional
        Share of targets drawn anew from the margin, from 0 to 1: for "pram", in place of `matrix`.
    swapped : int, optional
        Number of records whose targets are permuted: for "swap".

    Returns
    -------
    Law
        With ``cdf``, ``density``, ``quantile`` and ``atoms``. Each number comes with ``lower`` and ``upper``, which hold the exact one.

    Raises
    ------
    ValueError, TypeError
        If `o` is not one table of counts with a record (the cell is named), an option does not belong to the model, or the law is out
        of reach.

    See Also
    --------
    sample_tables : releases of these models.
    minimum_cap : what any release can attain.

    Notes
    -----
    See theory/limit-law.md for the limit, theory/limit-law-inversion.md for its numbers where keys are many, theory/limit-law-dirichlet.md
    for shares that follow the original, and theory/finite-law.md for finitely many records. The average is version 1: records of
    unmatched keys count 0.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 2, which simulates this law.
    Curry and Schoenberg (1966), On Polya frequency functions IV, https://doi.org/10.1007/BF02788653.

    Examples
    --------
    Three of four people have the first target. In the limit, average CAP is uniform from 1/4 to 3/4:

    >>> law = cap_law([[3], [1]])
    >>> float(law.cdf(0.375).lower), float(law.density(0.375).lower)
    (0.25, 2.0)
    """
    synthesis = Synthesis.of(model, limit=True, m=m, alpha=alpha, s=s, matrix=in_order_of(o, matrix), theta=theta, swapped=swapped)
    aligned = Aligned({"o": o})
    if aligned.shape:
        raise ValueError(f"`o` must be one table of (target, key); it also has {aligned.dims}. Choose one table.")
    if not aligned.totals("o").all():
        raise ValueError("`o` holds no record, so no release has an average CAP. Give a table with records.")
    if "m" in TOLD[synthesis.model] and m is None:
        return limit_law(o, synthesis)
    return finite_law(o, synthesis)
