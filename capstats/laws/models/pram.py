"""Post-randomisation (PRAM): keys are kept, and every record draws its target by the row of its own target in a matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from capstats.laws.models.kept_keys import KeptKeys
from capstats.tables.checking import is_number, shown


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class Pram(KeptKeys):
    """Keys are kept; a target a becomes b with probability ``matrix[a, b]``, or with ``theta`` is drawn anew from the margin of `o`."""

    matrix: ArrayLike | xr.DataArray | None = None
    theta: float | None = None

    def __post_init__(self) -> None:
        if (self.matrix is None) == (self.theta is None):
            raise ValueError("`Pram` needs `matrix` or `theta`; give one of them.")
        if self.theta is not None:
            if not is_number(self.theta) or not 0 <= self.theta <= 1:
                raise ValueError(f"`theta` must be a share of redrawn targets, from 0 to 1; got {shown(self.theta)}.")
            self._set(theta=float(self.theta))
        elif isinstance(self.matrix, xr.DataArray) and self.matrix.ndim == 2 and self.matrix.dims.count("target") == 1:
            by_target = self.matrix.transpose("target", ...)
            self._set(matrix=by_target.copy(data=_probabilities(by_target)))
        else:
            self._set(matrix=_probabilities(self.matrix))

    def matching(self, o: Any) -> Self:
        """The rows and columns of a labelled matrix in the order of the targets of `o`; any other matrix is in this order."""
        matrix, own = self.matrix, getattr(o, "indexes", {}).get("target")
        if not isinstance(matrix, xr.DataArray):
            return self
        labelled = matrix.indexes.get("target")
        if own is None or labelled is None:
            return replace(self, matrix=matrix.values)
        places = []
        for index in (labelled, matrix.indexes.get(matrix.dims[1], labelled)):  # columns without labels are in the order of the rows
            if not index.is_unique or len(index) != len(own) or (index.get_indexer(own) < 0).any():
                raise ValueError("The labels of `matrix` must be the targets of `o`, each once; they are not. Make it from the same table.")
            places.append(index.get_indexer(own))
        return replace(self, matrix=matrix.values[np.ix_(*places)])


def _probabilities(matrix: Any) -> NDArray[np.float64]:
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
