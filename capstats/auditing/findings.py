"""What an audit finds, as reports use it: the counts, the numbers, and where they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.compute import copies_known, order_of
from capstats.auditing.copies import Copies
from capstats.auditing.holdout import holds_people
from capstats.auditing.measures import MEASURES, OnScale, convention, words
from capstats.auditing.provenance import Seen
from capstats.auditing.report import Report, headings
from capstats.codes.names import listed, named
from capstats.tables.backing import unstacked
from capstats.tables.printing import count, share
from capstats.tables.ties import at_most


@dataclass(frozen=True, repr=False)
class Findings(Report):
    """The attributes of `Audit`, whose reports are functions of them."""

    tables: xr.Dataset
    measures: xr.Dataset
    by_target: xr.Dataset
    by_column: xr.Dataset
    provenance: dict[str, Any]
    seen: Mapping[str, Seen] = field(default_factory=dict)

    def release(self, i: int, *, records: bool = False) -> xr.DataArray:
        """The counts of one synthetic table; those of its ``records`` where they have weights."""
        s: xr.DataArray = self.tables.get("s_records", self.tables.s) if records else self.tables.s
        if s.ndim == 2:
            return s
        one: xr.DataArray = self.tables.o.copy(data=unstacked(s.variable.data, 0)[i])  # on the same cells
        one.name, one.attrs = "s", s.attrs
        return one

    def of(self, name: str, i: int) -> float:
        """A measure of one release."""
        return float(np.broadcast_to(self.measures[name].values, len(self.columns))[i])

    @cached_property
    def unmatched(self) -> OnScale:
        """What unmatched keys guess in everything before the details."""
        return convention(self.measures)

    @property
    def average(self) -> str:
        """The average CAP of everything before the details."""
        return f"average_cap_{self.unmatched}"

    @cached_property
    def caps(self) -> list[float]:
        """The same average of each release."""
        return [self.of(self.average, i) for i in range(len(self.columns))]

    @cached_property
    def ranked(self) -> list[int]:
        """Positions of the synthetic tables in the order in which reports have them: by ``rank_by``, or the worst first."""
        return order_of(self.measures, self.provenance.get("rank_by", self.worst_by))

    @cached_property
    def holdout_says(self) -> bool:
        """Whether the holdout tells how much the releases say about the people in the original."""
        return "individual_gain" in self.measures and "holdout_differs" not in self.provenance and not holds_people(self.provenance)

    @property
    def worst_by(self) -> str:
        """The measure by which the worst release is first: what is about its people where a holdout tells it, or else average CAP."""
        return "individual_gain" if self.holdout_says else self.average

    def limits(self) -> list[tuple[str, bool]]:
        """Each limit of the caller for each synthetic table, as text, and whether it is kept."""
        return kept_limits(self.measures, self.provenance.get("limits", {}), self.provenance.get("copies", "undefined"))

    @cached_property
    def columns(self) -> list[str]:
        """Labels of the synthetic tables; one without a name when there is only one."""
        labels = list(self.measures.indexes["synthetic"]) if "synthetic" in self.measures.dims else [""]
        texts = list(map(str, labels))
        return texts if len(set(texts)) == len(texts) else list(map(repr, labels))

    @cached_property
    def heads(self) -> list[str]:
        """These labels as headings of rows."""
        return headings(self.columns)

    @cached_property
    def copies(self) -> Copies:
        """What is known of copies in the releases."""
        some_dropped = any(self.provenance.get("dropped", {}).values())
        return Copies(copies_known(self.tables), self.heads, self.words, some_dropped)

    # --- what sentences are made of

    @cached_property
    def weighted(self) -> list[str]:
        """The tables whose records have sampling weights."""
        return [table for table in ("original", "synthetic") if f"{table}_weight" in self.measures]

    @cached_property
    def words(self) -> dict[str, str]:
        """The words of the report, as the weights of the tables have them, and the columns to guess."""
        return words(self.weighted) | {"target": listed([*map(named, self.provenance["columns"]["target"])])}

    @cached_property
    def numbers(self) -> dict[str, str]:
        """The measures of which there is one number, as sentences have them: people with their word, and shares."""
        values = {str(name): array.item() for name, array in self.measures.data_vars.items() if name in MEASURES and array.size == 1}
        return {name: self.people(x) if MEASURES[name].form == "count" else share(x) for name, x in values.items()}

    def people(self, n: float) -> str:
        """A number of people, or of records where these have weights."""
        return f"{count(n)} {self.words['person' if n == 1 else 'people']}"

    def say(self, text: str, **more: str) -> str:
        """One of the sentences of the room, with the words of the report in it."""
        return text.format_map({**self.words, **more})


def kept_limits(measures: xr.Dataset, limits: Mapping[str, float], copies: Mapping[str, Any] | str) -> list[tuple[str, bool]]:
    """Each limit of a measure, as text, and whether it is kept: by each table that the measure is of.

    An undefined measure is above its limit, and so is one that is not there; ``copies``, of the provenance, may have the reason.
    """
    found, why = [], copies if isinstance(copies, str) else copies.get("near", "undefined")
    absent = {name: why for name in MEASURES if ("copied_" if isinstance(copies, str) else "near_copied_") in name}
    if not isinstance(copies, str):
        absent["copied_beyond_chance"] = "not known: it could not be told"
    for name, limit in limits.items():
        if name not in measures:
            found.append((f"{name} is {absent.get(name, 'undefined')} (limit {limit:.10g})", False))
            continue
        values = measures[name]
        labels = [list(values.indexes[dim]) for dim in values.dims]
        for where, value in zip(product(*labels), values.values.ravel().tolist(), strict=True):
            of = "".join(f" of {label!r}" for label in where) if values.size > 1 else ""
            shown = absent.get(name, "undefined") if np.isnan(value) else f"{value:.10g}"
            found.append((f"{name}{of} is {shown} (limit {limit:.10g})", bool(at_most(value, limit))))
    return found
