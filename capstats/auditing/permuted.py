"""The two tests by permutation of an audit with a holdout, in a time that does not grow with the number of releases."""

from __future__ import annotations

import xarray as xr

from capstats.laws.guarantees.permutation import membership_test, permutation_test
from capstats.tables.mapping import Aligned

P_VALUES = ("membership_p_value", "permutation_p_value")
SEED = 0  # of the random permutations
FEW = 50  # records, of which permutations may be counted, for as many releases as are in SOME
SOME = 10
DRAWS = 9_999  # random permutations of all releases together
BETWEEN = (99, 999)  # those of each
AT_MOST = "at most this, by the exact mean and standard deviation"
CELLS = 20_000_000  # of all random tables together


def p_values(tables: xr.Dataset) -> dict[str, xr.DataArray]:
    """The p-values that the counts give, each with its method in ``attrs``: none of weights, of which no number can be permuted."""
    o, s, h = tables.o, tables.s, tables.h
    releases, found = s.sizes.get("synthetic", 1), {}
    draws = min(max(DRAWS // releases, BETWEEN[0]), BETWEEN[1])
    whole = {x: tables[x].dtype.kind == "i" and f"{x}_records" not in tables for x in "osh"}
    if whole["o"] and whole["h"]:
        few = _few(releases, o, h)
        tested = membership_test(o, s, h=h, draws=None if few else draws, rng=SEED)
        told = f"the labels original and holdout permuted, one-sided: {_permutations(draws, few=few)}"
        found["membership_p_value"] = tested.p_value.assign_attrs(method=told)
    if whole["s"]:
        few = _few(releases, s)
        large = o.sizes["target"] * o.sizes["key"] * draws * releases > CELLS
        tested = permutation_test(o, s, draws=None if few else 0 if large else draws, rng=SEED)
        told = f"the synthetic targets permuted, one-sided: {_permutations(draws, few=few, large=large)}"
        found["permutation_p_value"] = tested.p_value.assign_attrs(method=told)
    return found


def _few(releases: int, *tables: xr.DataArray) -> bool:
    """Whether the records are so few that counting their permutations is worth a try."""
    return releases <= SOME and bool(sum(Aligned({"table": table}).totals("table").max() for table in tables) <= FEW)


def _permutations(draws: int, *, few: bool, large: bool = False) -> str:
    if few:
        return f"all permutations, or random ones where they are too many (seed {SEED})"
    if large:
        return f"{AT_MOST} (Cantelli)"
    return f"{draws} random permutations (seed {SEED})"
