"""What the caller asks of several releases: their utility, their differences to one of them, and the order in which they are told."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.measures import MEASURES, errors_known
from capstats.cap.uncertainty import average_cap_interval
from capstats.codes.labels import canonical
from capstats.codes.names import hint
from capstats.tables.table import Floats
from capstats.tables.ties import ranks

DIFFERENCES = ("difference", "difference_error")


def check_comparison(labels: Sequence[Hashable] | None, against: Any, rank_by: Any, utility: Mapping[str, Any] | None) -> None:
    """Raise for a comparison that cannot be made, before any record is read."""
    if against is not None and (labels is None or canonical(against) not in labels):
        rule = "`against` must be the label of one of several synthetic tables"
        if labels is None:
            raise ValueError(f"{rule}; got {against!r}, and `synthetic` is one table. Give {{label: table}}, or leave `against` out.")
        raise ValueError(f"{rule}; got {against!r}.{hint(against, labels)}")
    if utility is not None and not isinstance(utility, Mapping):
        raise TypeError(f"`utility` must be a mapping of names to numbers; got {type(utility).__name__}.")
    for name, given in (utility or {}).items():
        if not isinstance(name, str) or not name or name in (*MEASURES, *DIFFERENCES, "synthetic"):
            raise ValueError(f"`utility` must name numbers by texts that are no measure of an audit; got {name!r}. Choose another name.")
        _numbers(name, given, labels)
    known = [*MEASURES, *(DIFFERENCES if against is not None else ()), *(utility or {})]
    if rank_by is not None and (not isinstance(rank_by, str) or (rank_by not in known and rank_by.removeprefix("-") not in known)):
        least = "; a minus in front of the name puts the least first"
        raise ValueError(f"`rank_by` must be the name of a measure{least}; got {rank_by!r}.{hint(str(rank_by).removeprefix('-'), known)}")


def compared(tables: xr.Dataset, measures: xr.Dataset, against: Any, utility: Mapping[str, Any] | None) -> xr.Dataset:
    """The measures with the utilities, and with the differences in average CAP to one of the synthetic tables.

    The difference is the mean over original records of the differences of their two CAPs, so its error is that of a mean of differences.
    """
    labels = list(measures.indexes["synthetic"]) if "synthetic" in measures.dims else None
    found: dict[str, Any] = {}
    if against is not None and labels is not None:
        o, s, other = tables.o, tables.s, tables.s.isel(synthetic=labels.index(canonical(against)), drop=True)
        found["difference"] = measures.average_cap - measures.average_cap.isel(synthetic=labels.index(canonical(against)), drop=True)
        if errors_known(tables, "o"):
            found["difference_error"] = average_cap_interval(o, s, against=other, o_squares=tables.get("o_squares")).standard_error
    for name, given in (utility or {}).items():
        numbers = _numbers(name, given, labels)
        found[name] = xr.DataArray(numbers if labels is not None else numbers[0], dims=() if labels is None else "synthetic")
    return measures.assign(found)


def order_of(measures: xr.Dataset, rank_by: str | None) -> list[int]:
    """Positions of the synthetic tables, that with the greatest value first, with the least for "-name"; ties as given, NaN last."""
    labels = list(measures.indexes["synthetic"]) if "synthetic" in measures.dims else [""]
    if rank_by is None:
        return list(range(len(labels)))
    name = rank_by if rank_by in measures else rank_by.removeprefix("-")
    if name not in measures:
        raise ValueError(f"`rank_by` names {name!r}, which these counts do not give.{hint(name, measures.data_vars)}")
    values = np.broadcast_to(measures[name].values.astype(np.float64), len(labels))
    places = ranks(values if name == rank_by else -values)
    return [int(place) for place in np.argsort(places, kind="stable")]


def _numbers(name: str, given: Any, labels: Sequence[Hashable] | None) -> Floats:
    """A number of each synthetic table, of which there is one where they have no labels."""
    if isinstance(given, Mapping):
        own = {canonical(label): number for label, number in given.items()}
        if labels is None or set(own) != set(labels):
            expected = "is one table: give a number" if labels is None else f"has the labels {list(labels)!r}: give each of them a number"
            raise ValueError(f"`utility[{name!r}]` has the labels {list(given)!r}, and `synthetic` {expected}.")
        numbers = [own[label] for label in labels]
    else:
        numbers = [given] * (1 if labels is None else len(labels))
    for number in numbers:
        if not isinstance(number, Real) or isinstance(number, bool):
            raise TypeError(f"`utility[{name!r}]` must hold a number for each synthetic table; got {number!r}.")
    return np.array(numbers, np.float64)
