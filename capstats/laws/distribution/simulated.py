"""Laws over releases that are too many to be listed: independent releases of the model, drawn in batches, and what they give."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from capstats.laws.distribution.law import Simulated
from capstats.laws.models import Model
from capstats.tables.table import Array, Floats

BATCH = 1 << 21  # cells of the releases that are held at a time

Measure = Callable[[Array, Array], Floats]  # of an original (target, key) and releases (draw, target, key)


def simulated_law(
    tables: list[Array], model: Model, measure: Measure, *, ends: tuple[float, float], releases: int = 1, rng: Any, level: float
) -> Simulated:
    """The law of a measure of the sum of independent releases of one original; ``tables`` are those that the model takes."""
    o = tables[0]
    cost = o.size * releases

    def draws(number: int, rng: np.random.Generator) -> Floats:
        found = []
        for start in range(0, number, step := max(1, BATCH // cost)):
            batch = min(step, number - start)
            s = model.draw(*tables, draws=batch * releases, rng=rng)
            found.append(measure(o, s.reshape(batch, releases, *o.shape).sum(1)))
        return np.concatenate(found)

    pooled = f"; {releases} releases pooled" if releases > 1 else ""
    return Simulated(draws, ends, about=f"{model!r}{pooled}", cost=cost, rng=rng, level=level)
