"""The measures of a sweep for each subset of the key: named ones, and functions given by the caller."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from capstats.cap.average import average, matched, predicted
from capstats.cap.neighbours import Convention, nearest
from capstats.codes.checks import shown, shown_name
from capstats.codes.column import Ints
from capstats.codes.names import check_named
from capstats.counting.lattice import Keyset, Lattice
from capstats.disclosure.attribute import disclosed, share_of_keys
from capstats.tables.aligned import Aligned
from capstats.tables.sums import certain, ratio
from capstats.tables.table import Array, Floats, Table

Measure = Callable[[xr.DataArray, xr.DataArray], Any]
Formula = Callable[[Table, Table, Keyset], Array]  # of the original, the synthetic table, and their keys


def codes_of(keyset: Keyset) -> list[Ints]:
    """The codes of the keys, column by column; without key columns there is one key."""
    return keyset.distinct.codes if keyset.columns else [np.zeros(1, np.int64)]


def average_nearest(codes: list[Ints], o: Table, s: Table) -> Floats:
    """Average CAP, unmatched records using those of the nearest keys."""
    return np.where(s.total > 0, average(o, *nearest(codes, o.key_total > 0, s)[:2], "zero"), np.nan)


FORMULAS: dict[str, Formula] = {
    "average_cap_zero": lambda o, s, _: average(o, s, s.key_total, "zero"),
    "average_cap_drop": lambda o, s, _: average(o, s, s.key_total, "drop"),
    "average_cap_nearest": lambda o, s, keyset: average_nearest(codes_of(keyset), o, s),
    "original_cap": lambda o, *_: average(o, o, o.key_total, "zero"),
    "original_modal_accuracy": lambda o, *_: ratio(o.key_greatest().sum(-1), o.total, np.nan),
    "correct_predictions": lambda o, s, keyset: predicted(o, s, codes_of(keyset)),
    "matched_records": lambda o, s, _: matched(o, s),
    "original_certain": lambda o, *_: share_of_keys(o, certain(o).key_total),  # DiO
    "share_certain": lambda o, s, _: ratio(disclosed(o, s).total, o.total, np.nan),  # DiSCO
}
NAMES = ("average_cap", *FORMULAS)
*_, CERTAIN_IN_ORIGINAL, CERTAIN = NAMES


def formulas(unmatched: Convention) -> dict[str, Formula]:
    """The formulas by name; average CAP and correct predictions in the wanted version."""
    own: dict[str, Formula] = {} if unmatched == "nearest" else {"correct_predictions": lambda o, s, _: predicted(o, s)}
    return FORMULAS | own | {"average_cap": FORMULAS[f"average_cap_{unmatched}"]}


def chosen_measures(measures: str | Sequence[str] | Mapping[str, str | Measure]) -> dict[str, str | Measure]:
    """The measures by name."""
    names = [measures] if isinstance(measures, str) else measures
    if not isinstance(names, (Sequence, Mapping)) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"`measures` must be a name, a list of names, or a mapping {{name: name or function}}; got {shown(measures)}.")
    given = names if isinstance(names, Mapping) else dict(zip(names, names, strict=True))
    if not given or len(given) < len(names):
        raise ValueError(f"`measures` must name at least one measure, each of them once; got {shown(measures)}.")
    check_named("measures", [x for x in given.values() if isinstance(x, str)], formulas("nearest"), "unknown")
    for name, measure in given.items():
        if not isinstance(measure, str) and not callable(measure):
            raise TypeError(f"Measure {shown_name(name, given)} must be a name or a function of `o` and `s`; got {shown(measure)}.")
    return dict(given)


def values_of(lattice: Lattice, keyset: Keyset, measures: Mapping[str, str | Measure], unmatched: Convention) -> Floats:
    """All measures of a subset of the key columns: shape (measure, target column), and synthetic table where there are several."""
    batch = () if lattice.synthetic is None else (len(lattice.synthetic),)
    found = np.empty((len(measures), len(lattice.targets), *batch))
    known = formulas(unmatched)
    named = {m: known[measure] for m, measure in enumerate(measures.values()) if isinstance(measure, str)}

    def all_named(o: Table, s: Table) -> Array:
        _, *numbers = np.broadcast_arrays(s.total, *(formula(o, s, keyset) for formula in named.values()))  # some depend only on `o`
        return np.stack(numbers, axis=-1)

    for t in range(len(lattice.targets)):
        if named:
            o, s = lattice.pair(keyset, t, labelled=False)  # creating labels takes longer than computing
            found[list(named), t] = Aligned({"o": o, "s": s}).map(all_named, "sweep", ("measure",)).values.T
        if len(named) < len(measures):
            o, s = lattice.pair(keyset, t, labelled=True)
            for m, (name, measure) in enumerate(measures.items()):
                if callable(measure):
                    found[m, t] = _numbers(measure(o, s), name, batch)
    return found


def _numbers(result: Any, name: str, batch: tuple[int, ...]) -> Floats:
    """The result of a measure: one number, or one for each synthetic table."""
    numbers = np.asarray(result)
    if numbers.shape not in ((), batch) or numbers.dtype.kind not in "biuf":
        got = f"dims {result.dims}" if isinstance(result, xr.DataArray) else f"{type(result).__name__} of shape {numbers.shape}"
        raise ValueError(f"Measure {name!r} must return one number for each pair of tables; got {got}. Choose one, as with .sel.")
    return numbers.astype(np.float64)
