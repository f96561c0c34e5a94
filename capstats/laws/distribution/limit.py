"""The law of average CAP in the limit of large releases: a sum over keys, in closed form or by inversion."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from capstats.cap.average import average_cap
from capstats.cap.baselines import baseline_cap
from capstats.laws.distribution.closed_form import ClosedForm, SimplexSum, is_spline, simplex_sum, size
from capstats.laws.distribution.exact import Atoms
from capstats.laws.distribution.inversion import LEAST, Inversion
from capstats.laws.distribution.law import LEVEL, SEED, Law, check_releases
from capstats.laws.models import Bootstrap, CellUrn, Given, Independent
from capstats.tables.aligned import Aligned
from capstats.tables.table import Counts, Floats

FEW, MANY = 20_000, 300_000  # powers of the terms of a closed form, added up: computed at once, or where inversion is wide
SEVERAL = 64  # different keys, beyond which there is no point in trying many terms
NARROW = 1e-6  # width of a bracket


class LimitLaw(Law):
    """The law of a sum over keys, some of which are not constant, in closed form or by inversion."""

    def __init__(self, total: SimplexSum, about: str):
        self.total, self.model, self.by = total, about, _law_of_sum(total, about)
        cost = sum(times * len(knots) for knots, times in total.keys.items())
        super().__init__(self.by.least, self.by.greatest, about=self.by.about, cost=cost)

    def _below(self, x: Floats) -> tuple[Floats, Floats]:
        return self.by._below(x)

    def _density(self, x: Floats) -> tuple[Floats, Floats]:
        return self.by._density(x)

    def _draws(self, number: int, rng: np.random.Generator) -> Floats:
        found = np.full(number, float(self.total.constant))
        for knots, times in self.total.keys.items():
            places, weights = np.array(knots, np.float64).T
            for _ in range(times):
                shares = rng.standard_gamma(weights, (number, len(weights)))
                found += shares @ places / shares.sum(1)
        return found / float(self.total.n)

    def mean_of(self, releases: int, *, rng: Any = SEED, level: float = LEVEL) -> Law:  # noqa: ARG002
        """Law of the mean of several releases: as if each key were there as often."""
        times = check_releases(releases)
        return LimitLaw(self.total.repeated(times), f"{self.model}, mean of {times} releases")


def limit_law(o: Counts, aligned: Aligned, model: CellUrn) -> Law:
    """The law under a model whose number of records grows without bound."""
    about = f"{model!r}, limit of large releases"
    if isinstance(model, Bootstrap):
        return _one_value(Fraction(average_cap(o, o).item()), about)
    if isinstance(model, Independent):
        return _one_value(Fraction(baseline_cap(o).item()), about)
    if isinstance(model, Given):
        return _one_value(Fraction(aligned.map(model.limit, "limit").item()), about)
    total = simplex_sum(o, model)
    return LimitLaw(total, about) if total.keys else _one_value(total.least, about)


def _one_value(value: Fraction, about: str) -> Law:
    return Atoms({value.numerator: 1}, value.denominator, about=f"{about}; one value")


def _law_of_sum(total: SimplexSum, about: str) -> ClosedForm | Inversion:
    """Exact where the terms are few, otherwise by inversion, or by what gives the narrower bracket."""
    exact = ClosedForm.of(total, about, FEW)
    if exact is not None:
        return exact
    few = [size(knots) for knots in total.keys if not is_spline(knots) and size(knots) < LEAST]
    if few:
        raise ValueError(
            f"The counts of a key plus `alpha` add up to {float(few[0]):g}. The limit is computed where they are integers or add up to "
            f"{LEAST} or more. Give an integer `alpha`, or a number of records `m`."
        )
    inverted = Inversion(total, about)
    if inverted.width <= NARROW or len(total.keys) > SEVERAL:
        return inverted
    return ClosedForm.of(total, about, MANY) or inverted
