"""What every metric of SDMetrics says of itself."""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar


class Goal(StrEnum):
    """Direction in which a score is better; equal to its string."""

    MAXIMIZE = "maximize"


class Metric:
    """Base of all metrics, with their name, goal and range."""

    name: ClassVar[str | None] = None
    goal: ClassVar[Goal] = Goal.MAXIMIZE
    min_value: ClassVar[float] = 0
    max_value: ClassVar[float] = 1

    @classmethod
    def normalize(cls, raw_score: float) -> float:
        """The score itself, which is already from 0 to 1."""
        if raw_score < cls.min_value or raw_score > cls.max_value:
            raise ValueError(f"`raw_score` must be from {cls.min_value} to {cls.max_value}; got {raw_score!r}.")
        return float(raw_score)

    @classmethod
    def get_subclasses(cls, include_parents: bool = False) -> dict[str, type[Metric]]:
        """The metrics derived from this one, by name; base classes are included only on request."""
        found: dict[str, type[Metric]] = {}
        for child in cls.__subclasses__():
            if include_parents or not child.__subclasses__():
                found[child.__name__] = child
            found.update(child.get_subclasses(include_parents))
        return found
