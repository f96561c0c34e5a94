"""Figure 2 of the paper without simulation: the law of average CAP of its originals."""

from __future__ import annotations

from functools import cache

import numpy as np
import xarray as xr

from capstats.cap.average import average_cap
from capstats.datasets import paper_originals
from capstats.laws.attainable.extremes import maximum_cap
from capstats.laws.distribution.average import cap_law
from capstats.laws.distribution.exact import Atoms
from capstats.laws.distribution.on_a_grid import uniform_bounds
from capstats.laws.models import Uniform
from capstats.tables.ties import at_most

POINTS = 301  # of a curve


def law_curve(label: str) -> xr.Dataset:
    """The density of average CAP in the limit of many records for an original of section 4, or its atom.

    Parameters
    ----------
    label : str
        "O_1" to "O_4".

    Returns
    -------
    Dataset, dims (value,)
        ``lower`` and ``upper`` of the density, or ``probability`` of the atom.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 2, which simulates it.

    Examples
    --------
    >>> law_curve("O_1").probability.values.tolist()
    [1.0]
    """
    law = cap_law(paper_originals().sel(original=label, drop=True), Uniform())
    return law.atoms() if isinstance(law, Atoms) else law.density(np.linspace(law.least, law.greatest, POINTS))


@cache
def no_riskier(label: str, m: int | None = None) -> tuple[float, float]:
    """Bounds of the probability that a random table is at most as risky as an original of section 4.

    Parameters
    ----------
    label : str
        "O_1" to "O_4".
    m : int, optional
        Records of the random table. Default: the limit of many records.

    Returns
    -------
    lower, upper : float
        The probability of average CAP (version 1) at most that of the original with itself is between them; ties count.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Figure 2, which simulates it.

    Examples
    --------
    >>> [round(bound, 6) for bound in no_riskier("O_4")]
    [0.993932, 0.993932]
    """
    o = paper_originals().sel(original=label, drop=True)
    itself = average_cap(o, o).item()
    if at_most(maximum_cap(o).item(), itself):
        return 1.0, 1.0  # no table is riskier: Lemma 1
    if m is not None:
        return uniform_bounds(o.values, m, itself)
    found = cap_law(o, Uniform()).cdf(itself)
    return float(found["lower"]), float(found["upper"])


def told(label: str, m: int) -> str:
    """Both probabilities as text: with m records, and in the limit.

    Examples
    --------
    >>> told("O_1", 900)
    '1.0000 with 900 records, 1.000000 in the limit of many'
    """
    lower, upper = (f"{bound:.4f}" for bound in no_riskier(label, m))
    finite = lower if lower == upper else f"{lower} to {upper}"
    return f"{finite} with {m} records, {no_riskier(label)[0]:.6f} in the limit of many"
