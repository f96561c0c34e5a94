"""The law of average CAP in the limit of many synthetic records."""

from __future__ import annotations

from typing import Any

from capstats.laws.law import Law
from capstats.laws.models import Synthesis


def limit_law(o: Any, synthesis: Synthesis) -> Law:
    """The law under a model whose number of records grows without bound."""
    raise NotImplementedError
