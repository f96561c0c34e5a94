"""The models by which a random release may come from an original, and what each of them must be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from capstats.laws.models.model import check_records
from capstats.tables.checking import is_integer, is_number, shown

Named = Literal["uniform", "bootstrap", "independent", "dirichlet", "permutation", "partial", "pram", "swap"]

TOLD: dict[str, tuple[str, ...]] = {  # what each model must be told; where two options stand in one text, one of them
    "uniform": ("m",),
    "bootstrap": ("m",),
    "independent": ("m",),
    "dirichlet": ("m", "alpha"),
    "permutation": ("s",),
    "partial": ("alpha",),
    "pram": ("matrix or theta",),
    "swap": ("swapped",),
}
NO_RECORDS = "its releases have as many records as `o`"
REASONS = {"permutation": "its releases have the margins of `s`", "partial": NO_RECORDS, "pram": NO_RECORDS, "swap": NO_RECORDS}


@dataclass(frozen=True)
class Synthesis:
    """A model with what it was told.

    "uniform", "bootstrap", "independent" and "dirichlet" place ``m`` records in the cells of the table; "permutation" permutes the targets
    of a release ``s``; "partial", "pram" and "swap" keep the key of every original record and draw or move targets.
    """

    model: Named
    m: int | None = None
    alpha: float | None = None
    s: Any = None
    matrix: NDArray[np.float64] | None = None
    theta: float | None = None
    swapped: int | None = None

    @classmethod
    def of(cls, model: Any, *, limit: bool = False, **given: Any) -> Synthesis:
        """The model with the options that were given, checked; with ``limit``, m may be left out."""
        if model not in get_args(Named):
            raise ValueError(f"`model` must be one of {', '.join(map(repr, get_args(Named)))}; got {model!r}.")
        told = {name: value for name, value in given.items() if value is not None}
        known = {name for option in TOLD[model] for name in option.split(" or ")}
        for name in sorted(set(told) - known):
            reason = f": {REASONS[model]}" if name == "m" else ""
            raise ValueError(f'`{name}` does not belong to the model "{model}"{reason}. Leave it out, or choose another model.')
        for option in TOLD[model]:
            names = option.split(" or ")
            if sum(name in told for name in names) != 1 and not (limit and option == "m"):
                raise ValueError(f'The model "{model}" needs {" or ".join(f"`{name}`" for name in names)}; give {_one(names)}.')
        checked = {name: CHECKS[name](value) for name, value in told.items()}
        return cls(model, **checked)


def in_order_of(o: Any, matrix: Any) -> Any:
    """A matrix whose rows or columns are labelled by targets, in the order of the targets of the original; any other as it is."""
    if not isinstance(matrix, xr.DataArray) or matrix.ndim != 2 or matrix.dims.count("target") != 1:
        return matrix
    matrix = matrix.transpose("target", ...)
    own, labelled = getattr(o, "indexes", {}).get("target"), matrix.indexes.get("target")
    if own is None or labelled is None:
        return matrix.values
    places = []
    for index in (labelled, matrix.indexes.get(matrix.dims[1], labelled)):  # columns without labels are in the order of the rows
        if not index.is_unique or len(index) != len(own) or (index.get_indexer(own) < 0).any():
            raise ValueError("The labels of `matrix` must be the targets of `o`, each once; they are not. Make it from the same table.")
        places.append(index.get_indexer(own))
    return matrix.values[np.ix_(*places)]


def _one(names: list[str]) -> str:
    return "it" if len(names) == 1 else "one of them"


def _alpha(alpha: Any) -> float:
    if not is_number(alpha) or not 0 <= alpha < np.inf:
        raise ValueError(f"`alpha` must be a number from 0, added to every cell; got {shown(alpha)}.")
    return float(alpha)


def _theta(theta: Any) -> float:
    if not is_number(theta) or not 0 <= theta <= 1:
        raise ValueError(f"`theta` must be a share of redrawn targets, from 0 to 1; got {shown(theta)}.")
    return float(theta)


def _swapped(swapped: Any) -> int:
    if not is_integer(swapped) or swapped < 0:
        raise ValueError(f"`swapped` must be a number of records, an integer from 0; got {shown(swapped)}.")
    return int(swapped)


def _matrix(matrix: Any) -> NDArray[np.float64]:
    try:
        found = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError("`matrix` must hold numbers, one row and one column a target; it does not.") from error
    if found.ndim != 2 or found.shape[0] != found.shape[1]:
        raise ValueError(f"`matrix` must be square, one row and one column a target; its shape is {found.shape}.")
    if not ((found >= 0) & np.isfinite(found)).all():
        raise ValueError("`matrix` must hold probabilities, finite and from 0; it does not. Row a says what becomes of target a.")
    wrong = np.flatnonzero(np.abs(found.sum(1) - 1) > 1e-9)
    if len(wrong):
        raise ValueError(
            f"Each row of `matrix` must sum to 1; row {wrong[0]} sums to {found[wrong[0]].sum():.12g}. Row a says what becomes of a."
        )
    return np.asarray(found / found.sum(1, keepdims=True))  # what rounding left over


CHECKS = {
    "m": check_records,
    "alpha": _alpha,
    "s": lambda s: s,
    "matrix": _matrix,
    "theta": _theta,
    "swapped": _swapped,
}


def named(model: Any) -> Synthesis:
    """The old form of a model that has been checked."""
    name = {"Permuted": "permutation"}.get(type(model).__name__, type(model).__name__.lower())
    options = {field: getattr(model, field, None) for field in ("m", "alpha", "s", "matrix", "theta")}
    return Synthesis(name, swapped=getattr(model, "records", None), **options)  # type: ignore[arg-type]
