"""The results of synthpop's disclosure(), computed from counts: its components, its order of exclusions, its checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr
from pandas.api.types import is_list_like

from capstats.cap.attribution import matched_records
from capstats.cap.baselines import baseline_cap
from capstats.codes.labels import MISSING
from capstats.disclosure.attribute import dio, dis, disco
from capstats.disclosure.checks import one_way_check, two_way_check
from capstats.disclosure.exclusions import exclude
from capstats.disclosure.records import key_summary
from capstats.tables.batches import Aligned, weights_of
from capstats.tables.primitives import Table, cells, certain, like, total

Version = Literal["1.9-2", "development"]
DEFAULTS: dict[str, Any] = {  # the options of synthpop's disclosure() that change numbers
    "not_targetlev": None,
    "usetargetNA": True,
    "usekeysNA": True,
    "exclude_keys": None,
    "exclude_keylevs": None,
    "exclude_targetlevs": None,
    "denom_lim": 5,
    "exclude_ov_denom_lim": False,
    "thresh_1way": (50, 90),
    "thresh_2way": (4, 80),
}


def disclosure(tables: xr.Dataset, version: Version, options: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers for one pair of tables, by their names there."""
    check_records(tables)
    o, s = tables.o, tables.s
    left = exclude(tables, **_exclusions(tables, options))
    x, y = left.o_counted, left.s_counted
    n, m = records_of(o).item(), records_of(s).item()
    sure = key_summary(o, s, counted=x)  # "= 1" is decided before exclusions
    after = key_summary(x, y)  # the others are computed on what is left
    in_cells = sure.disclosed.values[sure.disclosed.values > 0]  # a pure key has one cell
    c, d = after.correct.values.sum(), sure.disclosed.values.sum()
    cap = {
        "baseCAPd": 100 * baseline_cap(o).item(),
        "CAPd": 100 * key_summary(x, x).correct.values.sum() / n,
        "CAPs": percent(key_summary(y, y).correct.values.sum(), m),
    }
    found: dict[str, Any] = {
        "UiO": 100 * after.unique.values.sum() / n,
        "UiS": percent((after.synthetic_records.values == 1).sum(), m),
        "UiOiS": 100 * (after.unique & sure.matched).values.sum() / n,
        "repU": 100 * after.replicated.values.sum() / n,
        "Dorig": 100 * dio(o, counted=x).item(),
        "Dsyn": 100 * dio(s, counted=y).item(),
        "iS": 100 * matched_records(x, s).item() / n,
        "DiS": 100 * dis(o, s, counted=x).item(),
        "DiSCO": 100 * d / n,
        "DiSDiO": 100 * in_both(o, s, x).item() / n,
        "max_denom": in_cells.max(initial=0),
        "mean_denom": in_cells.mean() if len(in_cells) else np.nan,
        **cap,
    }
    of_matched = after.records.values[after.matched.values].sum()
    if version == "1.9-2":
        found |= {"DCAP": 100 * c / n, "TCAP": percent(d, of_matched)}
    else:
        both = after.synthetic_records.values[after.records.values > 0].sum()
        d = after.disclosed.values.sum()
        pure = after.records.values[after.certain.values].sum()
        found |= {
            "DCAPd": 100 * c / n,
            "DCAPb": percent(c, both),
            "DCAPs": percent(c, m),
            "TCAPb": percent(d, both),
            "TCAPs": percent(d, m),
            "TCAP": percent(d, pure),
            "denom_DiSCO": n,
            "denom_TCAPb": m,  # these two are exchanged there
            "denom_TCAPs": both,
            "denom_TCAP": pure,
        }
    checks: dict[str, Any] = {
        "check_1way": _one_way(o, s, x, *_limits(options, "thresh_1way")),
        "check_2way": _two_way(o, s, x, *_limits(options, "thresh_2way")),
    }
    if left.o_report.values.any() or left.s_report.values.any():
        checks["Nexclusions"] = _exclusion_table(o, s, left)
    return {name: plain(value) for name, value in found.items()} | checks


def _exclusions(tables: xr.Dataset, options: Mapping[str, Any]) -> dict[str, Any]:
    """Their options as ours."""
    keys = list(tables.indexes["key"].names)
    use = [options["usekeysNA"]] * len(keys) if isinstance(options["usekeysNA"], (bool, np.bool_)) else options["usekeysNA"]
    if not is_list_like(use) or len(use) != len(keys) or not all(isinstance(used, (bool, np.bool_)) for used in use):
        raise ValueError(f"`usekeysNA` must be True or False, or one of them for each of the keys {keys}; got {use!r}.")
    three = [options[f"exclude_{name}"] for name in ("keys", "keylevs", "targetlevs")]
    given = [x if is_list_like(x) else [x] for x in three if x is not None]
    if len(given) not in (0, 3) or len(set(map(len, given))) > 1:
        raise ValueError(
            f"exclude_keys, exclude_keylevs and exclude_targetlevs belong together: give all three, or none, with one entry each for "
            f"every pair; got {three!r}."
        )
    columns, levels, targets = given or ((), (), ())
    left_out = options["not_targetlev"]
    without = not options["usetargetNA"] and exclude(tables, missing_target=True).o_report.values.any()
    return {
        "targets": () if left_out is None else _labels(tables.indexes["target"], left_out),
        "missing_target": bool(without),  # there it acts only if the original has a missing one
        "missing_keys": [key for key, used in zip(keys, use, strict=True) if not used],
        "pairs": [
            ({column: _labels(tables.indexes["key"], level)}, _labels(tables.indexes["target"], target))
            for column, level, target in zip(columns, levels, targets, strict=True)
        ],
        "above": options["denom_lim"] if options["exclude_ov_denom_lim"] else None,
    }


def _limits(options: Mapping[str, Any], name: str) -> tuple[float, float]:
    """Records and share, from records and a percentage."""
    limits = options[name]
    numbers = is_list_like(limits) and len(limits) == 2 and all(isinstance(x, (int, float, np.number)) for x in limits)
    if numbers and limits[0] >= 0 and 0 <= limits[1] <= 100:
        return float(limits[0]), float(limits[1]) / 100
    raise ValueError(f"`{name}` must be a number of records and a percentage, such as {DEFAULTS[name]}; got {limits!r}.")


def _one_way(o: xr.DataArray, s: xr.DataArray, x: xr.DataArray, records: float, share: float) -> list[dict[str, Any]]:
    """Their row for the most disclosed target, where it is flagged."""
    found = one_way_check(o, s, counted=x, records=records, share=share)
    top = int(found.disclosed.values.argmax())
    if not found.flagged.values[top]:
        return []
    n, of_target = records_of(x).item(), records_of(x.isel(target=[top])).item()
    row = {
        "Level": _level(found.indexes["target"][top]),
        "All": n,
        "PctLevelAll": 100 * of_target / n,
        "totalDisclosive": found.disclosed.values.sum(),
        "nLevelDis": found.disclosed.values[top],
        "PctLevelDis": 100 * found.share.values[top],
    }
    return [{name: plain(value) for name, value in row.items()}]


def _two_way(o: xr.DataArray, s: xr.DataArray, x: xr.DataArray, records: float, share: float) -> list[dict[str, Any]]:
    """Their rows for the flagged pairs, those with most records first."""
    found = two_way_check(o, s, counted=x, records=records, share=share)
    rows = []
    for i, j in np.argwhere(found.flagged.values):
        rows.append(
            {
                "target_key_levs": f"{_level(found.indexes['target'][i])}|{_level(found.label.values[j])}",
                "npairs": plain(found.disclosed.values[i, j]),
                "key": str(found.column.values[j]),
                "key_target_total": plain(found.records.values[i, j]),
                "key_total": plain(found.records.values[:, j].sum()),
                "PctTargetKeyLevel": plain(100 * found.share.values[i, j]),
            }
        )
    return sorted(rows, key=lambda row: -row["npairs"])


def _labels(index: pd.Index, levels: Any) -> Any:
    """The label of a level, or those of several: "Missing" is a missing value there, unless a level is called so here."""
    if is_list_like(levels):
        several = [_labels(index, level) for level in levels]
        return tuple(several) if isinstance(levels, tuple) else several
    named = any("Missing" in labels for labels in getattr(index, "levels", [index]))
    return MISSING if isinstance(levels, str) and levels == "Missing" and not named else levels


def _level(label: Any) -> Any:
    """A level as it is called there."""
    return "Missing" if label is MISSING else label


def _exclusion_table(o: xr.DataArray, s: xr.DataArray, left: xr.Dataset) -> dict[str, list[Any]]:
    """Records of each of their tables by the five reasons, and what remains."""
    n, m = records_of(o).item(), records_of(s).item()
    counts: dict[str, Callable[[xr.DataArray], Any]] = {
        "original": records_of,
        "synthetic": records_of,
        "Dorig": lambda x: n * dio(o, counted=x),
        "Dsyn": lambda y: m * dio(s, counted=y),
        "iS": lambda x: matched_records(x, s),
        "DiS": lambda x: n * dis(o, s, counted=x),
        "DiSCO": lambda x: n * disco(o, s, counted=x),
        "DiSDiO": lambda x: in_both(o, s, x),
    }
    found = {}
    for name, count in counts.items():
        of = "s" if name in ("synthetic", "Dsyn") else "o"
        parts = [*np.atleast_1d(count(left[f"{of}_excluded"])), count(left[f"{of}_counted"])]
        found[name] = [round(float(part)) for part in parts]
    return found


# --- numbers ----------------------------------------------------------------------------------------------------------


def in_both(o: xr.DataArray, s: xr.DataArray, x: xr.DataArray) -> xr.DataArray:
    """Records x whose key has one target in both tables, the same."""

    def formula(o: Table, s: Table, x: Table) -> Any:
        return total(like(x, cells(x) * cells(certain(o)) * cells(certain(s))))

    return Aligned({"o": o, "s": s, "x": x}).map(formula, "in_both")


def check_records(tables: xr.Dataset) -> None:
    """Raise unless the tables count records."""
    for name in ("o", "s"):
        sampling = weights_of(tables[name]) is not None
        if sampling or tables[name].dtype.kind == "f":
            kind = "sampling" if sampling else "fractional"
            raise ValueError(f"`{name}` has {kind} weights, and the package counts records. Count without weights.")


def records_of(table: xr.DataArray) -> xr.DataArray:
    """Records of a table."""
    return Aligned({"table": table}).map(total, "records")


def percent(part: Any, whole: Any) -> float:
    """Part of whole, in percent; NaN where both are 0, and infinite where whole alone is, as in R."""
    return 100 * float(part) / float(whole) if whole else np.inf if part else np.nan


def plain(value: Any) -> Any:
    """A number of numpy as one of Python."""
    return value.item() if isinstance(value, (np.generic, np.ndarray, xr.DataArray)) else value
