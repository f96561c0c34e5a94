"""The numbers of synthpop's disclosure(), from counts: its components, its order of exclusions, its checks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr
from pandas.api.types import is_list_like

from capstats.cap.average import matched_records
from capstats.cap.baselines import baseline_cap
from capstats.codes.checks import check_choice, shown
from capstats.codes.labels import MISSING
from capstats.disclosure.attribute import dio, dis, disco
from capstats.disclosure.exclusions import exclude, one_way_check, two_way_check
from capstats.disclosure.records import key_summary
from capstats.peers.reports import check_records, each_table, in_both, percent, plain
from capstats.tables.aligned import total_of
from capstats.tables.table import Tables

Version = Literal["1.9-2", "development"]
DEFAULTS: dict[str, Any] = {  # the options of synthpop's disclosure() that affect numbers
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


def as_synthpop(tables: Tables, version: Version = "1.9-2", **options: Any) -> dict[Any, Any]:
    """The numbers of synthpop's ``disclosure()``, in percent.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with `s`.
    version : {"1.9-2", "development"}
        The release on CRAN (1.9-0 to 1.9-2, and the code of 1.9-3 on GitHub, commit 9cc3081), or the unreleased commit 218f692, where TCAP
        is another number: the one that the vignette of 1.9-3 defines.
    **options
        The options of ``disclosure()`` that change numbers, under their names there, with "." or "_": ``not_targetlev``,
        ``usetargetNA``, ``usekeysNA`` (one for all keys, or one each in the order of the keys), ``exclude_keys``, ``exclude_keylevs``,
        ``exclude_targetlevs``, ``denom_lim``, ``exclude_ov_denom_lim``, ``thresh_1way``, ``thresh_2way``.

    Returns
    -------
    dict
        Name to number; NaN for NA, infinite where records are divided by none. ``check_1way`` and ``check_2way`` are lists of rows,
        and ``Nexclusions``, with exclusions, is a dictionary of lists. With several synthetic tables, one such dictionary for each of
        their labels.

    Raises
    ------
    ValueError, TypeError
        If there is no `s`, `o` has no record, weights are fractional, a version, option, label or column is unknown, or an option has
        another form than there.

    Notes
    -----
    See docs/coming-from/synthpop.md. With exclusions, synthpop computes the identity measures and the CAP family on the remaining records,
    so that an exclusion can create uniques; these are its numbers. `share_unique` and `disco` with ``counted=`` are free of that.

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    >>> import capstats
    >>> tables = capstats.from_counts([[40, 5, 20], [10, 30, 0]], [[2, 0, 0], [0, 1, 0]])
    >>> found = as_synthpop(tables)
    >>> [round(found[name], 2) for name in ("DiSCO", "DCAP", "TCAP", "baseCAPd")]
    [66.67, 66.67, 82.35, 52.83]
    """
    check_choice(version, "version", get_args(Version))
    given = {name.replace(".", "_"): value for name, value in options.items()}
    unknown = given.keys() - DEFAULTS.keys()
    if unknown:
        raise TypeError(f"{min(unknown)!r} is no option of disclosure() that changes numbers; these are {', '.join(DEFAULTS)}.")
    return each_table(tables, lambda one: _disclosure(one, version, DEFAULTS | given))


def _disclosure(tables: xr.Dataset, version: Version, options: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers for one pair of tables, by their names there."""
    check_records(tables)
    o, s = tables.o, tables.s
    left = exclude(tables, **_exclusions(tables, options))
    x, y = left.o_counted, left.s_counted
    n, m = total_of(o).item(), total_of(s).item()
    if not n:
        raise ValueError("`o` has no record, and synthpop divides by their number. Give an original with records.")
    sure = key_summary(o, s, counted=x)  # "= 1" is decided before exclusions
    after = key_summary(x, y)  # the others are computed after exclusions
    in_cells = sure.disclosed.values[sure.disclosed.values > 0]  # a pure key has one cell
    c, d = after.correct.values.sum(), sure.disclosed.values.sum()
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
        "baseCAPd": 100 * baseline_cap(o).item(),
        "CAPd": 100 * key_summary(x, x).correct.values.sum() / n,
        "CAPs": percent(key_summary(y, y).correct.values.sum(), m),
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
            "denom_TCAPb": m,  # synthpop swaps these two
            "denom_TCAPs": both,
            "denom_TCAP": pure,
        }
    one, two = (_limits(options, name) for name in ("thresh_1way", "thresh_2way"))
    checks: dict[str, Any] = {"check_1way": _one_way(o, s, x, *one), "check_2way": _two_way(o, s, x, *two)}
    if left.o_report.values.any() or left.s_report.values.any():
        checks["Nexclusions"] = _exclusion_table(o, s, left)
    return {name: plain(value) for name, value in found.items()} | checks


def _exclusions(tables: xr.Dataset, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of synthpop as arguments of `exclude`."""
    keys = list(tables.indexes["key"].names)
    use = [options["usekeysNA"]] * len(keys) if isinstance(options["usekeysNA"], (bool, np.bool_)) else options["usekeysNA"]
    if not is_list_like(use) or len(use) != len(keys) or not all(isinstance(used, (bool, np.bool_)) for used in use):
        raise ValueError(f"`usekeysNA` must be True or False, or one of them for each of the keys {keys}; got {shown(use)}.")
    three = [options[f"exclude_{name}"] for name in ("keys", "keylevs", "targetlevs")]
    given = [x if is_list_like(x) else [x] for x in three if x is not None]
    if len(given) not in (0, 3) or len(set(map(len, given))) > 1:
        raise ValueError(
            f"exclude_keys, exclude_keylevs and exclude_targetlevs belong together: give all three, or none, with one entry each for "
            f"every pair; got {shown(three)}."
        )
    columns, levels, targets = given or ((), (), ())
    left_out = options["not_targetlev"]
    without = not options["usetargetNA"] and exclude(tables, missing_target=True).o_report.values.any()
    return {
        "targets": () if left_out is None else _labels(tables.indexes["target"], left_out),
        "missing_target": bool(without),  # in synthpop it has an effect only if the original has a missing value
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
    raise ValueError(f"`{name}` must be a number of records and a percentage, such as {DEFAULTS[name]}; got {shown(limits)}.")


def _one_way(o: xr.DataArray, s: xr.DataArray, x: xr.DataArray, records: float, share: float) -> list[dict[str, Any]]:
    """The row of synthpop for the most disclosed target, if it is flagged."""
    found = one_way_check(o, s, counted=x, records=records, share=share)
    top = int(found.disclosed.values.argmax())
    if not found.flagged.values[top]:
        return []
    n, of_target = total_of(x).item(), total_of(x.isel(target=[top])).item()
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
    """The rows of synthpop for the flagged pairs, those with the most records first."""
    found = two_way_check(o, s, counted=x, records=records, share=share)
    rows = [
        {
            "target_key_levs": f"{_level(found.indexes['target'][i])}|{_level(found.label.values[j])}",
            "npairs": plain(found.disclosed.values[i, j]),
            "key": str(found.column.values[j]),
            "key_target_total": plain(found.records.values[i, j]),
            "key_total": plain(found.records.values[:, j].sum()),
            "PctTargetKeyLevel": plain(100 * found.share.values[i, j]),
        }
        for i, j in np.argwhere(found.flagged.values)
    ]
    return sorted(rows, key=lambda row: -row["npairs"])


def _labels(index: pd.Index, levels: Any) -> Any:
    """The label of a level, or those of several. "Missing" is synthpop's name of a missing value, unless a level has this name."""
    if is_list_like(levels):
        several = [_labels(index, level) for level in levels]
        return tuple(several) if isinstance(levels, tuple) else several
    named = any("Missing" in labels for labels in getattr(index, "levels", [index]))
    return MISSING if isinstance(levels, str) and levels == "Missing" and not named else levels


def _level(label: Any) -> Any:
    """The name of a level in synthpop."""
    return "Missing" if label is MISSING else label


def _exclusion_table(o: xr.DataArray, s: xr.DataArray, left: xr.Dataset) -> dict[str, list[Any]]:
    """Excluded records of each table by synthpop's five reasons, and the remaining records."""
    n, m = total_of(o).item(), total_of(s).item()
    excluded, x, y = left.o_excluded, left.o_counted, left.s_counted

    def by_reason(of_excluded: xr.DataArray, of_counted: xr.DataArray) -> list[int]:
        return [round(float(part)) for part in (*of_excluded.values, of_counted)]

    return {
        "original": by_reason(total_of(excluded), total_of(x)),
        "synthetic": by_reason(total_of(left.s_excluded), total_of(y)),
        "Dorig": by_reason(n * dio(o, counted=excluded), n * dio(o, counted=x)),
        "Dsyn": by_reason(m * dio(s, counted=left.s_excluded), m * dio(s, counted=y)),
        "iS": by_reason(matched_records(excluded, s), matched_records(x, s)),
        "DiS": by_reason(n * dis(o, s, counted=excluded), n * dis(o, s, counted=x)),
        "DiSCO": by_reason(n * disco(o, s, counted=excluded), n * disco(o, s, counted=x)),
        "DiSDiO": by_reason(in_both(o, s, excluded), in_both(o, s, x)),
    }
