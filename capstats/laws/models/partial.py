"""Partial synthesis: keys are kept, and the targets of each key are drawn anew."""

from __future__ import annotations

from dataclasses import dataclass

from capstats.laws.models.kept_keys import KeptKeys
from capstats.laws.models.model import check_alpha


@dataclass(frozen=True, repr=False, kw_only=True)
class Partial(KeptKeys):
    """Keys are kept; the o_.j targets of each key come from an urn of o_ij + alpha balls, each put back with one more of its kind."""

    alpha: float

    def __post_init__(self) -> None:
        self._set(alpha=check_alpha(self.alpha))
