"""The law of average CAP in the limit of large releases: a sum over keys, in closed form or by draws."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from capstats.cap.average import average_cap
from capstats.cap.baselines import baseline_cap
from capstats.laws.distribution.closed_form import law_of_sum, simplex_sum
from capstats.laws.distribution.exact import Atoms
from capstats.laws.distribution.law import Law
from capstats.laws.models.cell_urns import Bootstrap, CellUrn, Dirichlet, Independent, Uniform
from capstats.laws.models.given import Given
from capstats.tables.aligned import Aligned
from capstats.tables.table import Counts


def limit_law(o: Counts, aligned: Aligned, model: CellUrn, rng: Any, level: float) -> Law:
    """The law under a model whose number of records grows without bound."""
    about = f"{model!r}, limit of large releases"
    if isinstance(model, Bootstrap):
        return _one_value(Fraction(average_cap(o, o).item()), about)
    if isinstance(model, Independent):
        return _one_value(Fraction(baseline_cap(o).item()), about)
    if isinstance(model, Given):
        return _one_value(Fraction(aligned.map(model.limit, "limit").item()), about)
    if not isinstance(model, Uniform | Dirichlet):
        raise ValueError(f"The limit of large releases is not known for {model!r}. Give its number of records, m.")
    total = simplex_sum(o, model)
    return law_of_sum(total, about, rng, level) if total.keys else _one_value(total.ends[0], about)


def _one_value(value: Fraction, about: str) -> Law:
    return Atoms({value.numerator: 1}, value.denominator, about=f"{about}; one value")
