"""Small originals with a model and what it is told: the laws of their releases can be listed one by one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from every_release import every_release, made

from capstats.laws.distribution.exact import Atoms
from capstats.laws.distribution.law import Simulated

SMALL = [[2, 0, 1], [0, 1, 1]]
EVEN = [[1, 1], [1, 1]]
THREE = [[2, 0], [1, 1], [0, 1]]
MATRIX = [[0.5, 0.25, 0.25], [0.0, 0.75, 0.25], [0.125, 0.0, 0.875]]
GIVEN = [[0.25, 0.125, 0.0], [0.125, 0.375, 0.125]]

CASES: list[tuple[list[list[int]], str, dict[str, Any]]] = [
    (SMALL, "uniform", {"m": 4}),
    (EVEN, "uniform", {"m": 3}),
    (THREE, "uniform", {"m": 3}),
    ([[3], [1], [0]], "uniform", {"m": 4}),
    (SMALL, "bootstrap", {"m": 3}),
    (THREE, "bootstrap", {"m": 4}),
    (SMALL, "independent", {"m": 3}),
    (THREE, "independent", {"m": 2}),
    (SMALL, "given", {"m": 3, "p": GIVEN}),
    (SMALL, "dirichlet", {"m": 3, "alpha": 0.25}),
    (THREE, "dirichlet", {"m": 3, "alpha": 0.1}),
    (THREE, "dirichlet", {"m": 2, "alpha": 0.0}),
    (SMALL, "permutation", {"s": [[1, 2, 0], [1, 0, 2]]}),
    (THREE, "permutation", {"s": [[1, 1], [0, 2], [1, 0]]}),
    (SMALL, "partial", {"alpha": 0.5}),
    (THREE, "partial", {"alpha": 0.0}),
    (SMALL, "pram", {"theta": 0.25}),
    (THREE, "pram", {"theta": 0.1}),
    (THREE, "pram", {"matrix": MATRIX}),
    (SMALL, "swap", {"records": 3}),
    (THREE, "swap", {"records": 5}),
    (EVEN, "swap", {"records": 0}),
]
LISTED = [i for i, (_, model, _) in enumerate(CASES) if model in ("uniform", "bootstrap", "independent", "given", "dirichlet")]
DRAWN = [i for i in range(len(CASES)) if i not in LISTED]  # whose keys are kept: their laws are simulated


def check_listed(law: Any, exact: dict[Any, Any]) -> None:
    """The law has the values and the probabilities of all releases."""
    assert isinstance(law, Atoms)
    assert law.probabilities == exact


def check_drawn(law: Any, exact: dict[Any, Any]) -> None:
    """The band of a simulated law holds the law of all releases."""
    assert isinstance(law, Simulated)
    found = law.cdf([float(value) for value in exact])
    through = np.cumsum([float(p) for p in exact.values()])
    assert (found.least <= through + 1e-12).all()
    assert (through - 1e-12 <= found.greatest).all()


URNS: dict[str, dict[str, Fraction]] = {  # models whose records fall into cells, each with a number of records
    "uniform": {},
    "bootstrap": {},
    "independent": {},
    "dirichlet, 1/2": {"alpha": Fraction(1, 2)},
    "dirichlet, 0": {"alpha": Fraction(0)},
    "dirichlet, 3": {"alpha": Fraction(3)},
    "dirichlet, 1/64": {"alpha": Fraction(1, 64)},
}
urns = pytest.mark.parametrize("name", URNS)


def urn_of(name: str, m: int) -> Any:
    """The model of the library."""
    return made(name.split(",")[0], m, **{key: float(value) for key, value in URNS[name].items()})


def releases_of(o: Any, m: int, name: str) -> Any:
    """All its releases with their probabilities."""
    return every_release(o, m, model=name.split(",")[0], **URNS[name])
