"""The limits that measures of an audit must not exceed."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

import numpy as np

from capstats.auditing.audits import Audit
from capstats.auditing.measures import MEASURES, computed
from capstats.tables.ties import at_most


def check_limits(limits: Mapping[str, float], *, holdout: bool, more: Iterable[str]) -> None:
    """Raise unless each limit is of a measure that the audit will have; ``more`` are those that depend on its options."""
    known = [*computed(holdout=holdout, against=False), *more]
    for name in limits:
        if name not in known:
            need = f"{name} needs --holdout. " if name in MEASURES and MEASURES[name].needs == "holdout" else ""
            near = difflib.get_close_matches(name, known, n=1)
            told = f"Did you mean {near[0]!r}?" if near and not need else f"{need}The measures are {', '.join(known)}."
            raise ValueError(f"--fail-above must be MEASURE=VALUE; {name!r} is no measure. {told}")


def exceeded(found: Audit, limits: Mapping[str, float]) -> list[str]:
    """The measures that are above their limit or undefined, for each synthetic table."""
    told = []
    for name, limit in limits.items():
        values = np.atleast_1d(found.measures[name].values) if name in found.measures else np.array([np.nan])
        of = [f" of {label!r}" for label in found.columns] if len(values) > 1 else [""]
        for where, value in zip(of, values.tolist(), strict=True):
            if not at_most(value, limit):
                told.append(f"{name}{where} is {'undefined' if value != value else f'{value:.10g}'} (limit {limit:.10g})")
    return told
