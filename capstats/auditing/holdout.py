"""What a holdout says: whether it is of the original's population, and tests by permutation in a time that releases do not multiply."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.measures import OnScale
from capstats.codes.labels import canonical, in_order, one_kind
from capstats.codes.names import listed, named
from capstats.laws.guarantees.permutation import membership_test, permutation_test
from capstats.tables.aligned import Aligned
from capstats.tables.axes import axis_of
from capstats.tables.backing import filled
from capstats.tables.levels import records_by_level
from capstats.tables.table import Array, Floats

LEVEL = 0.001  # probability, at most, that a random split is said to differ
FAR = 3.0  # standard deviations: levels nearer to what chance gives are not looked at
LOOKED_AT = 50  # levels of a column, those that are farthest from what chance gives

P_VALUES = ("membership_p_value", "permutation_p_value")
SEED = 0  # of the random permutations
FEW = 50  # records, of which permutations may be counted, for as many releases as are in SOME
SOME = 10
DRAWS = 9_999  # random permutations of all releases together
BETWEEN = (99, 999)  # those of each
AT_MOST = "at most this, by the exact mean and standard deviation"
CELLS = 20_000_000  # of all random tables together


def holdout_differs(tables: xr.Dataset) -> dict[str, Any]:
    """In which columns original and holdout differ by more than chance allows, and whether they do in their combinations; or nothing.

    Of a random split the records of a level, and those up to a level, that are in the holdout have a hypergeometric law. Each such number
    is tested by it, at a part of ``LEVEL``, and the parts add up to it: whatever the data, a random split is said to differ with at most
    this probability. Weighted records are counted; where one of the two tables alone has weights, or counts are fractional, nothing is
    said. See theory/individuals.md#membership-test.
    """
    if ("o_records" in tables) != ("h_records" in tables):
        return {}
    parts = {name: tables.get(f"{of}_records", tables[of]) for name, of in (("original", "o"), ("holdout", "h"))}
    if any(table.dtype.kind != "i" for table in parts.values()):
        return {}
    data = {name: table.variable.data for name, table in parts.items()}
    own = [*tables.attrs["target_columns"], *tables.attrs["key_columns"]]
    margins: list[Mapping[str, Array]] = []
    for dim in ("target", "key"):
        axis = axis_of(tables.o, dim)
        if axis is not None:
            margins += [_in_order(*of, cut=tables.attrs.get("bins", {})) for of in records_by_level(axis, dim, data)]
    part = LEVEL / (len(own) + 1)
    columns = [name for name, of in zip(own, margins, strict=True) if _differ(of["original"], of["holdout"], part, ordered=True)]
    cells = _differ(*_by_cell(data), part)
    return {"columns": columns, "combinations": cells} if columns or cells else {}


def _in_order(column: str, labels: Any, records: Mapping[str, Array], cut: Collection[str]) -> Mapping[str, Array]:
    """The records of each level in an order that does not depend on who is in which table.

    An order of categories does: levels that the original's categories lack come last.
    """
    if column in cut:
        return records
    known = list(map(canonical, labels))
    place = {label: i for i, label in enumerate(in_order(known, one_kind(known, column, "original")))}
    order = np.argsort([place[label] for label in known])
    return {name: of_levels[order] for name, of_levels in records.items()}


def differing(found: Mapping[str, Any]) -> str:
    """In what original and holdout differ, for a sentence."""
    return listed(list(map(named, found["columns"]))) if found["columns"] else "the combinations of keys and target"


def _by_cell(data: Mapping[str, Any]) -> tuple[Array, Array]:
    """Records of original and holdout in each cell that either fills."""
    cells = [(np.ravel_multi_index(coords, table.shape), values) for table in data.values() for coords, values in [filled(table)]]
    both, where = np.unique(np.concatenate([places for places, _ in cells]), return_inverse=True)
    first, second = np.split(where, [len(cells[0][0])])
    return tuple(np.bincount(at, x, len(both)).astype(np.int64) for at, (_, x) in zip((first, second), cells, strict=True))  # type: ignore[return-value]


def _differ(original: Array, holdout: Array, level: float, *, ordered: bool = False) -> bool:
    """Whether the records of any level, or of ordered ones those up to any level, are distributed as a random split seldom has them.

    A level has a part of ``level`` in proportion to its records, so that many rare ones cost the others little.
    """
    both = original + holdout
    share = both / max(both.sum(), 1)
    if not ordered:
        return _any_far(both, holdout, both.sum(), holdout.sum(), level * share)
    return _any_far(both, holdout, both.sum(), holdout.sum(), level / 2 * share) or _any_far(
        np.cumsum(both), np.cumsum(holdout), both.sum(), holdout.sum(), level / 2 * share
    )


def _any_far(both: Array, held: Array, n: int, h: int, levels: Floats) -> bool:
    """Whether the two-sided p-value of any number of records in the holdout is at most its level."""
    from scipy.stats import hypergeom

    expected = both * h / n
    deviation = np.sqrt(np.maximum(expected * (1 - h / n) * (n - both) / max(n - 1, 1), 1e-300))
    far = np.abs(held - expected) / deviation
    at = np.argsort(-far, kind="stable")[:LOOKED_AT]
    at = at[far[at] >= FAR]
    p = [2 * min(hypergeom.cdf(held[i], n, both[i], h), hypergeom.sf(held[i] - 1, n, both[i], h)) for i in at]
    return bool((np.array(p) <= levels[at]).any())


# --- tests by permutation ---------------------------------------------------------------------------------------------


def p_values(tables: xr.Dataset, unmatched: OnScale) -> dict[str, xr.DataArray]:
    """The p-values that the counts give, each with its method in ``attrs``: none of weights, of which no number can be permuted."""
    o, s, h = tables.o, tables.s, tables.h
    releases, found = s.sizes.get("synthetic", 1), {}
    whole = {x: tables[x].dtype.kind == "i" and f"{x}_records" not in tables for x in "osh"}
    if whole["o"] and whole["h"]:
        draws, method = _permutations(releases, o, h)
        tested = membership_test(o, s, h=h, unmatched=unmatched, draws=draws, rng=SEED)
        found["membership_p_value"] = tested.p_value.assign_attrs(method=f"the labels original and holdout permuted, one-sided: {method}")
    if whole["s"]:
        draws, method = _permutations(releases, s, cells=o.sizes["target"] * o.sizes["key"])
        tested = permutation_test(o, s, draws=draws, rng=SEED)
        found["permutation_p_value"] = tested.p_value.assign_attrs(method=f"the synthetic targets permuted, one-sided: {method}")
    return found


def _permutations(releases: int, *permuted: xr.DataArray, cells: int = 0) -> tuple[int | None, str]:
    """The ``draws`` of a test, and what they are: all permutations of few records, else random ones, or a bound where these take long."""
    draws = min(max(DRAWS // releases, BETWEEN[0]), BETWEEN[1])
    if releases <= SOME and sum(Aligned({"table": table}).totals("table").max() for table in permuted) <= FEW:
        return None, f"all permutations, or random ones where they are too many (seed {SEED})"
    if cells * draws * releases > CELLS:
        return 0, f"{AT_MOST} (Cantelli)"
    return draws, f"{draws} random permutations (seed {SEED})"


def holds_people(provenance: Mapping[str, Any]) -> bool:
    """Whether the holdout holds people of the original, more than chance explains, so that it says nothing of others."""
    return "holdout_in_original" in provenance.get("copies", {})
