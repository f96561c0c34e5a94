"""The numbers of other packages from our counts, under their names and in their units, so that two reports can lie side by side.

What each number is, and where ours differs, is in theory/concordance.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr

from capstats.counts.batches import Aligned
from capstats.counts.primitives import Table, cells, certain, like, total
from capstats.counts.tables import as_tables
from capstats.risk.baselines import baseline_cap
from capstats.risk.cap import average_cap, matched_records
from capstats.risk.checks import one_way_check, two_way_check
from capstats.risk.disclosure import dio, dis, disco
from capstats.risk.distribution import cap_quantiles
from capstats.risk.exclusions import exclude
from capstats.risk.records import key_summary

Version = Literal["1.9-2", "development"]
_DEFAULTS: dict[str, Any] = {  # the options of synthpop's disclosure() that change numbers
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


def as_synthpop(tables: xr.Dataset, version: Version = "1.9-2", **options: Any) -> dict[Any, Any]:
    """The numbers of synthpop's ``disclosure()``, in percent.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with `s`.
    version : {"1.9-2", "development"}
        The release on CRAN (1.9-0 to 1.9-3 agree), or the unreleased commit 218f692, where TCAP is another number.
    **options
        The options of ``disclosure()`` that change numbers, under their names there, with "." or "_": ``not_targetlev``,
        ``usetargetNA``, ``usekeysNA`` (one for all keys, or one each in the order of the keys), ``exclude_keys``, ``exclude_keylevs``,
        ``exclude_targetlevs``, ``denom_lim``, ``exclude_ov_denom_lim``, ``thresh_1way``, ``thresh_2way``.

    Returns
    -------
    dict
        Name to number; NaN for NA. ``check_1way`` and ``check_2way`` are lists of rows, and ``Nexclusions``, with exclusions, is a
        dictionary of lists. With several synthetic tables, one such dictionary for each of their labels.

    Raises
    ------
    ValueError, TypeError
        If there is no `s`, its weights are fractional, or a version, option, label or column is unknown.

    Notes
    -----
    See theory/concordance.md. With exclusions, synthpop computes the identity measures and the CAP family on what is left, so that an
    exclusion can create uniques; these are its numbers, and they are given as they are. `unique_keys` and `disco` with ``counted=`` are free
    of that.

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
    if version not in get_args(Version):
        raise ValueError(f'`version` must be "1.9-2" or "development"; got {version!r}.')
    given = {name.replace(".", "_"): value for name, value in options.items()}
    unknown = given.keys() - _DEFAULTS.keys()
    if unknown:
        raise TypeError(f"{min(unknown)!r} is no option of disclosure() that changes numbers; these are {', '.join(_DEFAULTS)}.")
    return _each_table(tables, lambda one: _synthpop(one, version, _DEFAULTS | given))


def as_riskutility(tables: xr.Dataset) -> dict[Any, Any]:
    """The numbers of riskutility's ``tcap()``, ``dcap()``, ``disco()`` and ``weap()``, as they print them: shares, percentages and counts.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with `s` and integer counts.

    Returns
    -------
    dict
        Name to number. Those that start with ``tcap_c``, ``tcap_matched`` and ``pct_`` are percentages. With several synthetic tables, one
        such dictionary for each of their labels.

    Raises
    ------
    ValueError, TypeError
        If there is no `s`, or counts are fractional.

    Notes
    -----
    See theory/concordance.md. riskutility leaves out records with a missing key or target, in both tables, and so does this.

    References
    ----------
    Templ and Thees, riskutility 0.2.0, https://cran.r-project.org/package=riskutility.

    Examples
    --------
    Keys a, a, b, b with targets 1, 2, 1, 1; synthetic a, a, b with 1, 2, 1:

    >>> import capstats
    >>> found = as_riskutility(capstats.from_counts([[1, 2], [1, 0]], [[1, 1], [1, 0]]))
    >>> found["cap"], round(found["baseline"], 4), found["tcap_conditional"]
    (0.75, 0.6667, 100.0)
    """
    return _each_table(tables, _riskutility)


def as_synthgauge(tables: xr.Dataset) -> dict[Any, Any]:
    """The number of synthgauge's ``tcap_score()``, a share, which is DiSCO.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with `s`.

    Returns
    -------
    dict
        ``tcap_score``. With several synthetic tables, one such dictionary for each of their labels.

    Raises
    ------
    ValueError, TypeError
        If there is no `s`.

    Notes
    -----
    See theory/concordance.md.

    References
    ----------
    ONS Data Science Campus, synthgauge 2.2.0, https://github.com/datasciencecampus/synthgauge.

    Examples
    --------
    >>> import capstats
    >>> as_synthgauge(capstats.from_counts([[3, 2], [1, 4]], [[2, 1], [0, 1]]))
    {'tcap_score': 0.3}
    """
    return _each_table(tables, lambda one: {"tcap_score": disco(one.o, one.s).item()})


def as_sdnist(tables: xr.Dataset) -> dict[Any, Any]:
    """The numbers of SDNist's K-DiSCO for one target and one key, which are shares.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with `s`.

    Returns
    -------
    dict
        ``DiSCO``, ``DiO`` and ``DiSCO - DiO``. With several synthetic tables, one such dictionary for each of their labels.

    Raises
    ------
    ValueError, TypeError
        If there is no `s`.

    Notes
    -----
    See theory/concordance.md.

    References
    ----------
    NIST, SDNist 2.5, https://github.com/usnistgov/SDNist.

    Examples
    --------
    >>> import capstats
    >>> as_sdnist(capstats.from_counts([[3, 2], [0, 5]], [[2, 1], [0, 1]]))
    {'DiSCO': 0.3, 'DiO': 0.3, 'DiSCO - DiO': 0.0}
    """

    def numbers(one: xr.Dataset) -> dict[str, float]:
        found, before = disco(one.o, one.s).item(), dio(one.o).item()
        return {"DiSCO": found, "DiO": before, "DiSCO - DiO": found - before}

    return _each_table(tables, numbers)


def _each_table(tables: xr.Dataset, numbers: Callable[[xr.Dataset], dict[str, Any]]) -> dict[Any, Any]:
    """The numbers of the one synthetic table, or of each, by its label."""
    tables = as_tables(tables)
    if "s" not in tables:
        raise ValueError("`tables` has no `s`: give tabulate or from_counts a synthetic table.")
    if "synthetic" not in tables.s.dims:
        return numbers(tables)
    return {label: numbers(tables.isel(synthetic=i, drop=True)) for i, label in enumerate(tables.indexes["synthetic"])}


# --- synthpop ---------------------------------------------------------------------------------------------------------


def _synthpop(tables: xr.Dataset, version: Version, options: Mapping[str, Any]) -> dict[str, Any]:
    _check_records(tables)
    o, s = tables.o, tables.s
    left = exclude(tables, **_exclusions(tables, options))
    x, y = left.o_counted, left.s_counted
    n, m = _records(o).item(), _records(s).item()
    sure = key_summary(o, s, counted=x)  # "= 1" is decided before exclusions
    after = key_summary(x, y)  # the others are computed on what is left
    in_cells = sure.disclosed.values[sure.disclosed.values > 0]  # a pure key has one cell
    c, d = after.correct.values.sum(), sure.disclosed.values.sum()
    cap = {
        "baseCAPd": 100 * baseline_cap(o).item(),
        "CAPd": 100 * key_summary(x, x).correct.values.sum() / n,
        "CAPs": 100 * key_summary(y, y).correct.values.sum() / m,
    }
    found: dict[str, Any] = {
        "UiO": 100 * after.unique.values.sum() / n,
        "UiS": 100 * (after.synthetic_records.values == 1).sum() / m,
        "UiOiS": 100 * (after.unique & sure.matched).values.sum() / n,
        "repU": 100 * after.replicated.values.sum() / n,
        "Dorig": 100 * dio(o, counted=x).item(),
        "Dsyn": 100 * dio(s, counted=y).item(),
        "iS": 100 * matched_records(x, s).item() / n,
        "DiS": 100 * dis(o, s, counted=x).item(),
        "DiSCO": 100 * d / n,
        "DiSDiO": 100 * _in_both(o, s, x).item() / n,
        "max_denom": in_cells.max(initial=0),
        "mean_denom": in_cells.mean() if len(in_cells) else np.nan,
        **cap,
    }
    of_matched = after.records.values[after.matched.values].sum()
    if version == "1.9-2":
        found |= {"DCAP": 100 * c / n, "TCAP": _percent(d, of_matched)}
    else:
        both = after.synthetic_records.values[after.records.values > 0].sum()
        d = after.disclosed.values.sum()
        pure = after.records.values[after.certain.values].sum()
        found |= {
            "DCAPd": 100 * c / n,
            "DCAPb": _percent(c, both),
            "DCAPs": _percent(c, m),
            "TCAPb": _percent(d, both),
            "TCAPs": _percent(d, m),
            "TCAP": _percent(d, pure),
            "denom_DiSCO": n,
            "denom_TCAPb": m,  # these two are exchanged there
            "denom_TCAPs": both,
            "denom_TCAP": pure,
        }
    checks: dict[str, Any] = {
        "check_1way": _one_way(o, s, x, options["thresh_1way"]),
        "check_2way": _two_way(o, s, x, options["thresh_2way"]),
    }
    if left.o_report.values.any() or left.s_report.values.any():
        checks["Nexclusions"] = _exclusion_table(o, s, left)
    return {name: _plain(value) for name, value in found.items()} | checks


def _exclusions(tables: xr.Dataset, options: Mapping[str, Any]) -> dict[str, Any]:
    """Their options as ours."""
    keys = list(tables.indexes["key"].names)
    use = options["usekeysNA"]
    columns, levels, targets = (options[f"exclude_{name}"] for name in ("keys", "keylevs", "targetlevs"))
    pairs = [] if columns is None else list(zip(*([x] if np.isscalar(x) else x for x in (columns, levels, targets)), strict=True))
    without = not options["usetargetNA"] and exclude(tables, missing_target=True).o_report.values.any()
    return {
        "targets": () if options["not_targetlev"] is None else options["not_targetlev"],
        "missing_target": bool(without),  # there it acts only if the original has a missing one
        "missing_keys": not use if isinstance(use, bool) else [key for key, used in zip(keys, use, strict=True) if not used],
        "pairs": [({column: level}, target) for column, level, target in pairs],
        "above": options["denom_lim"] if options["exclude_ov_denom_lim"] else None,
    }


def _one_way(o: xr.DataArray, s: xr.DataArray, x: xr.DataArray, limits: Any) -> list[dict[str, Any]]:
    """Their row for the most disclosed target, where it is flagged."""
    found = one_way_check(o, s, counted=x, records=limits[0], share=limits[1] / 100)
    top = int(found.disclosed.values.argmax())
    if not found.flagged.values[top]:
        return []
    n, of_target = _records(x).item(), _records(x.isel(target=[top])).item()
    row = {
        "Level": found.indexes["target"][top],
        "All": n,
        "PctLevelAll": 100 * of_target / n,
        "totalDisclosive": found.disclosed.values.sum(),
        "nLevelDis": found.disclosed.values[top],
        "PctLevelDis": 100 * found.share.values[top],
    }
    return [{name: _plain(value) for name, value in row.items()}]


def _two_way(o: xr.DataArray, s: xr.DataArray, x: xr.DataArray, limits: Any) -> list[dict[str, Any]]:
    """Their rows for the flagged pairs, those with most records first."""
    found = two_way_check(o, s, counted=x, records=limits[0], share=limits[1] / 100)
    rows = []
    for i, j in np.argwhere(found.flagged.values):
        rows.append(
            {
                "target_key_levs": f"{found.indexes['target'][i]}|{found.label.values[j]}",
                "npairs": _plain(found.disclosed.values[i, j]),
                "key": str(found.column.values[j]),
                "key_target_total": _plain(found.records.values[i, j]),
                "key_total": _plain(found.records.values[:, j].sum()),
                "PctTargetKeyLevel": _plain(100 * found.share.values[i, j]),
            }
        )
    return sorted(rows, key=lambda row: -row["npairs"])


def _exclusion_table(o: xr.DataArray, s: xr.DataArray, left: xr.Dataset) -> dict[str, list[Any]]:
    """Records of each of their tables by the five reasons, and what remains."""
    n, m = _records(o).item(), _records(s).item()
    counts: dict[str, Callable[[xr.DataArray], Any]] = {
        "original": _records,
        "synthetic": _records,
        "Dorig": lambda x: n * dio(o, counted=x),
        "Dsyn": lambda y: m * dio(s, counted=y),
        "iS": lambda x: matched_records(x, s),
        "DiS": lambda x: n * dis(o, s, counted=x),
        "DiSCO": lambda x: n * disco(o, s, counted=x),
        "DiSDiO": lambda x: _in_both(o, s, x),
    }
    found = {}
    for name, count in counts.items():
        of = "s" if name in ("synthetic", "Dsyn") else "o"
        parts = [*np.atleast_1d(count(left[f"{of}_excluded"])), count(left[f"{of}_counted"])]
        found[name] = [round(float(part)) for part in parts]
    return found


def _in_both(o: xr.DataArray, s: xr.DataArray, x: xr.DataArray) -> xr.DataArray:
    """Records x whose key has one target in both tables, the same."""

    def formula(o: Table, s: Table, x: Table) -> Any:
        return total(like(x, cells(x) * cells(certain(o)) * cells(certain(s))))

    return Aligned({"o": o, "s": s, "x": x}).map(formula, "in_both")


# --- riskutility ------------------------------------------------------------------------------------------------------


def _riskutility(tables: xr.Dataset) -> dict[str, Any]:
    _check_records(tables)
    complete = exclude(tables, missing_target=True, missing_keys=True)
    o, s = complete.o_counted, complete.s_counted
    n, m = _records(o).item(), _records(s).item()
    pair = Aligned({"o": o, "s": s})
    in_original = pair.map(lambda o, s: total(like(s, cells(s) * (cells(o) > 0))), "records").item()
    told = pair.map(lambda o, s: total(like(o, cells(o) * cells(certain(o)) * (cells(s) > 0))), "records").item()
    matched, both = matched_records(o, s).item(), matched_records(s, o).item()
    sure, right, proven = n * dis(o, s).item(), n * disco(o, s).item(), _in_both(o, s, o).item()
    mean = average_cap(o, s, unmatched="drop").item()
    median, greatest = cap_quantiles(o, s, [0.5, 1], unmatched="drop").values
    guess = baseline_cap(o, s, kind="modal_synthetic").item()
    chance = both * baseline_cap(o).item()
    found = {
        "tcap_mean": mean,
        "tcap_median": median,
        "tcap_max": greatest,
        "tcap_certain": _percent(proven, matched),
        "tcap_matched": _percent(right, matched),
        "tcap_conditional": _percent(right, sure) if sure else 0.0,
        "n_certain": proven,
        "n_disclosive_correct": round(right),
        "n_disclosive": round(sure),
        "n_matched": matched,
        "n_unmatched": n - matched,
        "n_total": n,
        "baseline": guess,
        "cap": mean,
        "cap_median": median,
        "dcap": mean - guess,
        "dcap_median": median - guess,
        "n_disco_potential": in_original,
        "pct_disco_potential": _percent(in_original, m),
        "n_disco_certain": round(m * disco(s, o).item()),
        "pct_disco_certain": 100 * disco(s, o).item(),
        "n_originals_disclosed": told,
        "pct_original_disclosed": _percent(told, n),
        "n_key_matches": both,
        "baseline_disco": chance,
        "disco_ratio": in_original / chance if chance else np.nan,
        "weap_mean": average_cap(s, s).item(),
        "weap_median": cap_quantiles(s, s, 0.5).item(),
        "pct_disclosive": 100 * dio(s).item(),
    }
    return {name: _plain(value) for name, value in found.items()}


# --- numbers ----------------------------------------------------------------------------------------------------------


def _check_records(tables: xr.Dataset) -> None:
    """Raise unless the tables count records."""
    for name in ("o", "s"):
        if tables[name].dtype.kind == "f":
            raise ValueError(f"`{name}` has fractional weights, and the package counts records. Count without weights.")


def _records(table: xr.DataArray) -> xr.DataArray:
    return Aligned({"table": table}).map(total, "records")


def _percent(part: Any, whole: Any) -> float:
    return 100 * float(part) / float(whole) if whole else np.nan


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, (np.generic, np.ndarray, xr.DataArray)) else value
