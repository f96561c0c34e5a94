"""What the lesson "Almost any table passes" is given: the exact law behind the paper's Figure 2, for each of its originals."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

import numpy as np

from capstats.cap.average import average_cap
from capstats.cap.baselines import baseline_cap
from capstats.datasets import paper_originals
from capstats.laws.attainable.extremes import maximum_cap
from capstats.laws.distribution.average import cap_law
from capstats.laws.distribution.exact import Atoms
from capstats.laws.models import Uniform
from capstats.tables.ties import at_most

POINTS = 241  # of a curve

FINITE: Final = MappingProxyType(
    {
        ("O_3", 10): (0.96450, 0.96451),
        ("O_3", 30): (0.98456, 0.98458),
        ("O_3", 900): (0.99555, 0.99558),
        ("O_4", 10): (0.95374, 0.95375),
        ("O_4", 30): (0.97896, 0.97898),
        ("O_4", 900): (0.99357, 0.99360),
    }
)
"""Bounds of P(CAP(S) <= CAP(O)) for tables of so many records, rounded outwards: kept, because `paper_laws.no_riskier` takes seconds."""


def figure_2() -> dict[str, Any]:
    """For each original its counts, the law of average CAP on a grid, and the probability of a table that is no riskier.

    `cdf` and `density` are those of `cap_law` in the limit of many records, at `POINTS` equal steps from `least` to `greatest`; they are
    missing where the law is one value. `finite` has bounds of the probability for tables of 10, 30 and 900 records.
    """
    originals = paper_originals()
    return {"originals": {str(name): _one(str(name), originals.sel(original=name, drop=True)) for name in originals.original.values}}


def _one(name: str, o: Any) -> dict[str, Any]:
    law, itself = cap_law(o, Uniform()), average_cap(o, o).item()
    never = at_most(maximum_cap(o).item(), itself)  # no table is riskier: Lemma 1
    found = law.cdf(itself)
    told = {
        "o": o.values.tolist(),
        "itself": itself,
        "baseline": baseline_cap(o).item(),
        "least": law.least,
        "greatest": law.greatest,
        "limit": 1.0 if never else float(found.lower + found.upper) / 2,
        "finite": {str(m): [1.0, 1.0] if never else list(FINITE[name, m]) for m in (10, 30, 900)},
    }
    if isinstance(law, Atoms):
        return told
    grid = np.linspace(law.least, law.greatest, POINTS)
    return told | {what: _middle(getattr(law, what)(grid)) for what in ("cdf", "density")}


def _middle(found: Any) -> list[float]:
    """Between the bounds, which are the floats below and above the exact number."""
    middle: list[float] = ((found.lower + found.upper) / 2).values.tolist()
    return middle
