"""The law of average CAP over releases of finitely many records."""

from __future__ import annotations

from typing import Any

from capstats.laws.law import Law
from capstats.laws.models import Synthesis


def finite_law(o: Any, synthesis: Synthesis) -> Law:  # noqa: ARG001
    """The law under a model that was told its number of records."""
    raise ValueError(f'The law of the model "{synthesis.model}" is known in the limit of many records only. Leave out `m`.')
