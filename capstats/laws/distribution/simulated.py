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


def simulated_law(tables: list[Array], model: Model, measure: Measure, *, ends: tuple[float, float], rng: Any, level: float) -> Simulated:
    """The law of a measure of releases of one original; ``tables`` are those that the model takes."""
    o = tables[0]

    def draws(number: int, rng: np.random.Generator) -> Floats:
        step = max(1, BATCH // o.size)
        sizes = (min(step, number - start) for start in range(0, number, step))
        return np.concatenate([measure(o, model.draw(*tables, draws=size, rng=rng)) for size in sizes])

    return Simulated(draws, ends, about=repr(model), cost=o.size, rng=rng, level=level)
