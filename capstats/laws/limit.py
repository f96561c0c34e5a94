"""The law of average CAP in the limit of many synthetic records."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.cap.attribution import average_cap
from capstats.cap.baselines import baseline_cap
from capstats.laws.closed_form import ClosedForm
from capstats.laws.inversion import Inversion
from capstats.laws.law import Law
from capstats.laws.models import Synthesis
from capstats.laws.simplex import SimplexSum, simplex_sum, size
from capstats.tables.results import Result
from capstats.tables.table import Floats
from capstats.tables.ties import at_most

FEW, MANY = 20_000, 300_000  # powers of the terms of a closed form, added up: computed at once, or where inversion is wide
SEVERAL = 64  # different keys, beyond which there is no point in trying many terms
NARROW = 1e-6  # width of a bracket
KNOTS = 60  # of one key


class Certain(Law):
    """Average CAP of all releases is the same number."""

    def __init__(self, value: float, about: str):
        super().__init__(value, value, about=f"{about}; one value")

    def _below(self, x: Floats) -> tuple[Floats, Floats]:
        found = np.asarray(at_most(self.least, x), np.float64)
        return found, found

    def mean_of(self, releases: int) -> Law:  # noqa: ARG002
        """The mean of several releases is the same number."""
        return self

    def atoms(self) -> xr.Dataset:
        """The only value, with probability 1."""
        arrays = {"probability": ("value", np.ones(1))}
        return Result(arrays, coords={"value": [self.least]}, attrs={"result": "Atoms of average CAP", "law": self.about})


class LimitLaw(Law):
    """The law of a sum over keys, some of which are not constant, in closed form or by inversion."""

    def __init__(self, total: SimplexSum, about: str):
        self.total, self.model, self.by = total, about, _law_of_sum(total, about)
        super().__init__(self.by.least, self.by.greatest, about=self.by.about)

    def _below(self, x: Floats) -> tuple[Floats, Floats]:
        return self.by._below(x)

    def _density(self, x: Floats) -> tuple[Floats, Floats]:
        return self.by._density(x)

    def mean_of(self, releases: int) -> Law:
        """The law of the mean of so many releases, independent given the original."""
        return LimitLaw(self.total.repeated(releases), f"{self.model}, mean of {releases} releases")


def limit_law(o: Any, synthesis: Synthesis) -> Law:
    """The law under a model whose number of records grows without bound."""
    about = f'"{synthesis.model}", limit of many records'
    if synthesis.model == "bootstrap":
        return Certain(average_cap(o, o).item(), about)
    if synthesis.model == "independent":
        return Certain(baseline_cap(o).item(), about)
    total = simplex_sum(o, synthesis)
    return LimitLaw(total, about) if total.keys else Certain(float(total.least), about)


def _law_of_sum(total: SimplexSum, about: str) -> ClosedForm | Inversion:
    """Exact where the terms are few, otherwise by inversion, or by what gives the narrower bracket."""
    exact = ClosedForm.of(total, about, FEW)
    if exact is not None:
        return exact
    most = max(map(size, total.keys))
    inverted = Inversion(total, about) if most <= KNOTS else None
    if inverted is not None and inverted.width <= NARROW:
        return inverted
    found = (ClosedForm.of(total, about, MANY) if len(total.keys) <= SEVERAL else None) or inverted
    if found is None:
        raise ValueError(
            f"A key counts as {most} targets, and the limit of so many is computed for few keys only, not for more than {KNOTS} with "
            "many keys. Give a number of records `m`."
        )
    return found
