"""The numbers of an audit, computed from tables of counts: of all people, by target level, by key column, and between releases."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from capstats.auditing.holdout import p_values
from capstats.auditing.measures import MEASURES, OnScale, computed, convention
from capstats.cap.average import average_cap, correct_predictions, matched_records
from capstats.cap.baselines import baseline_cap
from capstats.cap.comparison import normalized_cap, target_distance
from capstats.cap.contributions import leave_one_out, shapley
from capstats.cap.distribution import cap_quantiles
from capstats.cap.neighbours import Unmatched, rows_used, without_nearest
from capstats.cap.uncertainty import average_cap_interval, individual_share
from capstats.codes.checks import check_number, shown
from capstats.codes.column import Places
from capstats.codes.labels import canonical, in_order, one_kind
from capstats.codes.names import hint
from capstats.counting.lattice import Columns, Lattice
from capstats.disclosure.attribute import dio, disclosed, share_replicated, share_unique
from capstats.laws.attainable.extremes import maximum_cap, minimum_cap
from capstats.laws.models import Bootstrap, Independent
from capstats.laws.moments.disclosure import expected_disclosure
from capstats.tables.aligned import Aligned
from capstats.tables.axes import multi_index
from capstats.tables.dataset import synthetic_labels
from capstats.tables.domains import observed_domain
from capstats.tables.printing import Result
from capstats.tables.sums import attribution, certain
from capstats.tables.table import Array, Floats, Table, ratio
from capstats.tables.ties import at_most, ranks

QUANTILES = {
    "least": 0.0,
    "lower_quartile": 0.25,
    "median": 0.5,
    "upper_quartile": 0.75,
    "upper_decile": 0.9,
    "upper_percentile": 0.99,
    "greatest": 1.0,
}
Z = 1.959964  # standard errors on each side of a 95 % interval
MOST_COLUMNS = 6  # key columns of which all subsets are computed
MOST_CELLS = 1 << 25  # cells of the tables of all of these subsets together, at most


def measured(tables: xr.Dataset) -> tuple[xr.Dataset, xr.Dataset]:
    """All measures of the tables, and those of the people with each level of the target.

    Numbers and quantiles count each record of the original once; shares weigh it where it has a sampling weight.
    """
    o, s = tables.o, tables.s
    records, observed = tables.get("o_records", o), observed_domain(tables)
    unmatched, guessed, levels = guesses(tables)
    n, right = total_of(o), correct_predictions(o, s, unmatched=unmatched)
    matched = matched_records(o, s)
    weighted, exact = records is not o, errors_known(tables, "o")
    average = f"average_cap_{unmatched}"
    found: dict[str, Any] = {
        **_size(tables, "o", "original"),
        **_size(tables, "s", "synthetic"),
        "keys": xr.DataArray(observed.sizes["key"]),
        "unmatched_records": total_of(records) - matched_records(records, s) if weighted else n - matched,
        "matched_share": matched / n,
        average: guessed[average],
    }
    if exact:
        interval = average_cap_interval(tables, unmatched=unmatched)
        found[f"{average}_error"] = interval.standard_error
    found |= _averages(o, s, observed)
    found |= {name: guessed[name] for name in ("original_cap", "baseline", "normalized_cap")}
    found |= {  # by naming the commonest target
        f"correct_predictions_{unmatched}": correct_predictions(records, s, unmatched=unmatched) if weighted else right,
        f"predictive_success_{unmatched}": right / n,
        "baseline_predictive_success": baseline_cap(o, kind="modal"),
        "original_predictive_success": correct_predictions(o, o) / n,
    }
    if "h" in tables:
        found |= _size(tables, "h", "holdout")
        if exact and errors_known(tables, "h"):
            found |= _of_individuals(tables, unmatched)
        found |= p_values(tables, unmatched)
    found |= {
        f"{of}_{name}": guessed[f"{of}_{name}"] for name in ("above_half", "above_nine_tenths", "certain") for of in ("records", "share")
    }
    whole = o.dtype.kind == s.dtype.kind == "i" and not {"o_records", "s_records"} & set(tables.data_vars)
    if whole:
        found |= _certain_by_chance(o, s)
    found |= {"share_certain_wrong": _certain_and_wrong(o, s) / n, "original_certain": dio(o)}
    if whole:
        found |= {"share_unique": share_unique(o), "share_replicated": share_replicated(o, s)}
    if records.dtype.kind == "i":
        quantiles = cap_quantiles(records, s, list(QUANTILES.values()), unmatched=unmatched)
        found |= {f"individual_cap_{name}": quantiles.isel(quantile=i, drop=True) for i, name in enumerate(QUANTILES)}
    found["target_distance"] = target_distance(o, s)
    found |= copied(copies_known(tables), s)
    return Result(found, attrs={"result": "Measures of an audit"}), levels.isel(target=np.flatnonzero(levels.records.values > 0))


def guesses(tables: xr.Dataset) -> tuple[OnScale, dict[str, xr.DataArray], xr.Dataset]:
    """What unmatched keys guess, how many people are guessed right, how surely, compared with what, and the same by target level."""
    o, s = tables.o, tables.s
    unmatched: OnScale = "zero" if without_nearest(o, s) else "nearest"
    shares, n = by_target(o, s, unmatched), total_of(o)
    levels = shares
    if "o_records" in tables:
        levels = shares.assign({x: of for x, of in by_target(tables.o_records, s, unmatched).items() if str(x).startswith("records")})
    found = {
        f"average_cap_{unmatched}": average_cap(o, s, unmatched=unmatched),
        "original_cap": average_cap(o, o),
        "baseline": baseline_cap(o),
        "normalized_cap": normalized_cap(o, s, unmatched=unmatched),
    }
    for name in ("above_half", "above_nine_tenths", "certain"):
        found[f"records_{name}"] = levels[f"records_{name}"].sum("target")
        found[f"share_{name}"] = shares[f"records_{name}"].sum("target") / n
    return unmatched, found, levels


def copied(known: Mapping[str, Any], s: xr.DataArray) -> dict[str, xr.DataArray]:
    """Records of each release that are copies, as far as they were counted with the tables; see `capstats.counting.copies`."""
    if not (releases := known.get("releases")):
        return {}
    known = {name: [x.get(name) for x in releases] for name in MEASURES if any(name in x for x in releases)}
    found = {name: np.array([np.nan if x is None else x for x in values]) for name, values in known.items()}
    for of in ("", "holdout_"):
        if f"{of}copied_records" in found:
            found[f"{of}copied_share"] = found[f"{of}copied_records"] / np.array([x["records"] for x in releases])
    dims = "synthetic" if "synthetic" in s.dims else ()
    return {name: xr.DataArray(values if dims else values[0], dims=dims) for name, values in found.items()}


def copies_known(tables: xr.Dataset) -> dict[str, Any]:
    """What is known of copies in these releases; nothing where the tables are of other releases than when it was found."""
    known: dict[str, Any] = tables.encoding.get("copies", {})
    if any("spelled" not in release for release in known.get("releases", [])):
        return {"not_computed": "another version of capstats counted them; count the records again"}
    return known if known.get("synthetic") == synthetic_labels(tables) else {}


def _size(tables: xr.Dataset, of: str, name: str) -> dict[str, xr.DataArray]:
    """The number of records of a table, and of weighted ones the sum of their weights."""
    if f"{of}_records" not in tables:
        return {f"{name}_records": total_of(tables[of])}
    return {f"{name}_records": total_of(tables[f"{of}_records"]), f"{name}_weight": total_of(tables[of])}


def errors_known(tables: xr.Dataset, name: str) -> bool:
    """Whether standard errors follow from a table: it has whole counts, or sums of weights with those of their squares."""
    return tables[name].dtype.kind == "i" or f"{name}_squares" in tables


def total_of(table: xr.DataArray) -> xr.DataArray:
    """The sum of each table of counts."""
    return Aligned({"o": table}).map(lambda o: o.total(), "records")


def _of_individuals(tables: xr.Dataset, unmatched: OnScale) -> dict[str, xr.DataArray]:
    """How much of the guesses is about the people in the original, with errors, and average CAP of a fresh sample of the population."""
    found = individual_share(tables, unmatched=unmatched)
    gains = ("individual_gain", "individual_gain_error", "original_gain", "original_gain_error")
    shares = ("individual_share", "individual_share_lower", "individual_share_upper")
    return {
        "holdout_cap": found.holdout_cap,
        "individual_disclosure": found.plain_contrast,
        "individual_disclosure_error": found.plain_contrast_error,
        **{name: found[name] for name in (*gains, *shares)},
        "fresh_sample_cap": found.fresh_sample,
        "fresh_sample_cap_error": found.fresh_sample_error,
    }


def _certain_by_chance(o: xr.DataArray, s: xr.DataArray) -> dict[str, xr.DataArray]:
    """Mean number of people whom releases disclose with certainty: fresh draws of the original, and independent columns."""
    m, found = total_of(s), {}
    for name, model in (("expected_certain", Bootstrap), ("expected_certain_independent", Independent)):
        share_of = {size: expected_disclosure(o, model(size)).disco.item() for size in np.unique(m).tolist()}
        found[name] = m.copy(data=total_of(o).item() * np.vectorize(share_of.__getitem__, otypes=[float])(m))
    return found


def _certain_and_wrong(o: xr.DataArray, s: xr.DataArray) -> xr.DataArray:
    """Original records whose key has one synthetic target, and not theirs."""

    def formula(o: Table, s: Table) -> Array:
        sure = certain(s)
        return o.like(o.values * (sure.on_cells(sure.key_total()) - sure.values)).total()

    return Aligned({"o": o, "s": s}).map(formula, "certain_and_wrong")


def by_target(o: xr.DataArray, s: xr.DataArray, unmatched: OnScale) -> xr.Dataset:
    """Who bears the risk: of the original people with each level of the target, how many are guessed right, and how surely.

    Average CAP is that of these people alone, and NaN where there are none; the baseline is the share of their level. Only records with
    the keys of a person make a guess certain.
    """

    def formula(o: Table, s: Table) -> Floats:
        read, s_j = rows_of(o, s)
        n, q = o.values, attribution(read, s_j, 0.0).values
        parts = [n + 0 * q, n * q, n * ~at_most(q, 0.5), n * ~at_most(q, 0.9), disclosed(o, s).values]
        return np.stack([o.like(part).target_total().astype(np.float64) for part in np.broadcast_arrays(*parts)], axis=-2)

    aligned = Aligned({"o": o, "s": s})
    rows_of = rows_used(aligned, unmatched)
    parts = aligned.map(formula, "by_target", ("part", "target"))
    people, right, *surely = (parts.isel(part=i) for i in range(5))
    people = people.isel({dim: 0 for dim in people.dims if dim != "target"}, drop=True)
    counts = {"records": people, **dict(zip(("records_above_half", "records_above_nine_tenths", "records_certain"), surely, strict=True))}
    if o.dtype.kind == "i":
        counts = {name: array.astype(np.int64) for name, array in counts.items()}
    average = {f"average_cap_{unmatched}": right / people}
    return Result({**average, "baseline": people / people.sum(), **counts}, attrs={"result": "People by target level"})


class Group(NamedTuple):
    """The people with one level of a key column."""

    column: str
    level: Any
    people: float  # records
    with_release: float  # their average CAP, unmatched keys using the nearest
    without_release: float  # that of a guess from the target's frequencies
    above_nine_tenths: float  # how many of them are guessed right with probability above 0.9

    @property
    def above(self) -> float:
        """By how much the release makes them easier to guess."""
        return self.with_release - self.without_release


def by_group(tables: xr.Dataset, s: xr.DataArray, unmatched: OnScale) -> list[Group]:
    """The groups that each key column makes of the original people, without those that nobody is in."""

    def formula(o: Table, s: Table, records: Table) -> Floats:
        read, s_j = rows_of(o, s)
        n, q = o.values, attribution(read, s_j, 0.0).values
        parts = [n + 0 * q, n * q, n * o.on_targets(ratio(o.target_total(), o.total()[..., None], 0.0)) + 0 * q]
        counted = [records.like(records.values * of).key_total() for of in (np.ones_like(q), ~at_most(q, 0.9))]
        return np.stack([*(o.like(part).key_total() for part in parts), *counted], axis=-2).astype(np.float64)

    o = tables.o
    aligned = Aligned({"o": o, "s": s, "records": tables.get("o_records", o)})
    rows_of = rows_used(aligned, unmatched)
    weight, right, without, people, above = aligned.map(formula, "by_group", ("part", "key")).values
    axis = aligned.axes["key"]
    if axis is None:
        return []
    found = []
    for name, codes, levels in zip(tables.attrs["key_columns"], axis.codes, axis.levels, strict=True):
        sums = [np.bincount(codes, part, len(levels)) for part in (weight, right, without, people, above)]
        shares = [ratio(part, sums[0], np.nan) for part in sums[1:3]]
        rows = zip(levels, *(part.tolist() for part in (sums[3], *shares, sums[4])), strict=True)
        found += [Group(name, *row) for row in rows if row[1] > 0]
    return found


def _averages(o: xr.DataArray, s: xr.DataArray, observed: xr.DataArray) -> dict[str, xr.DataArray]:
    """Average CAP in its two versions, each with the least and the greatest that there can be.

    They are over all synthetic tables on the targets and keys that the original or the synthetic table has. A target that only the
    synthetic table has is an empty row of the original, so both versions can be 0 (Theorems 2 and 3); a key that only the synthetic table
    has is an empty column, so version 1 can be. Neither changes what is greatest.
    """
    targets, keys = (foreign(o, s, dim) > 0 for dim in ("target", "key"))
    versions: dict[str, tuple[Unmatched, xr.DataArray]] = {
        "average_cap_zero": ("zero", targets | keys),
        "average_cap_matched": ("drop", targets),
    }
    found = {}
    for name, (unmatched, lowered) in versions.items():
        found[name] = average_cap(o, s, unmatched=unmatched)
        found[f"{name}_least"] = minimum_cap(observed, unmatched=unmatched) * ~lowered
        found[f"{name}_greatest"] = maximum_cap(observed, unmatched=unmatched)
    return found


def foreign(o: xr.DataArray, s: xr.DataArray, dim: str) -> xr.DataArray:
    """Number of targets, or of keys, that a synthetic table has and the original has not."""

    def records(x: Table) -> Array:
        return x.target_total() if dim == "target" else x.key_total()

    return Aligned({"o": o, "s": s}).map(lambda o, s: ((records(o) == 0) & (records(s) > 0)).sum(-1), "foreign")


def by_column(tables: xr.Dataset, unmatched: OnScale) -> xr.Dataset:
    """Average CAP by key column: of it alone, of all but it, what it adds to the others, and its Shapley value; as `sweep` has them.

    Dims ``key_column`` and, where there are several synthetic tables, ``synthetic``. ``shapley`` is there for few columns and tables.
    """
    from capstats.screening.formulas import values_of

    lattice = Lattice.of_tables(tables)
    k = len(lattice.names)
    cells = tables.o.size + tables.s.size
    sizes = range(k) if k <= MOST_COLUMNS and cells << k <= MOST_CELLS else {0, 1, k - 1}
    values: dict[Columns, Floats] = {}
    for keyset in lattice.walk({*sizes, k}):
        values[keyset.columns] = values_of(lattice, keyset, {"average_cap": "average_cap"}, unmatched)[0, 0]
    everything = tuple(range(k))
    found = {
        "alone": np.stack([values[(c,)] for c in everything]),
        "without": np.stack([values[everything[:c] + everything[c + 1 :]] for c in everything]),
        "leave_one_out": leave_one_out(values, k),
        "shapley": shapley(values, k),
    }
    own = tables.attrs["key_columns"]
    coords: dict[str, Any] = {"key_column": own if len(set(own)) == k else lattice.names}
    if lattice.synthetic is not None:
        coords["synthetic"] = lattice.synthetic
    dims = ("key_column", "synthetic")[: len(coords)]
    variables = {name: (dims, shares) for name, shares in found.items() if shares is not None}
    return Result(variables, coords, {"result": "Average CAP by key column", "unmatched": unmatched})


class Change(NamedTuple):
    """A key column of a release that is left out or coarser."""

    column: str
    levels: int  # that are left of it, or 0
    average_cap: float  # unmatched keys using the nearest


def changes(tables: xr.Dataset, s: xr.DataArray, unmatched: OnScale) -> list[Change]:
    """Average CAP of a release without each key column, and with each in half as many levels.

    Levels of numbers, dates, bins and categories are joined in pairs of neighbours; of others the rarest half are joined into one.
    """
    lattice = Lattice.of_tables(Result({"o": tables.o, "s": s}, attrs=tables.attrs))
    k, o_j = len(lattice.names), Aligned({"o": tables.o}).map(lambda o: o.key_total(), "records", ("key",)).values
    coarser = [_halved(tables, name, i, lattice.key, o_j) for i, name in enumerate(lattice.names)]
    key = multi_index(
        [*map(np.asarray, lattice.key.codes), *(places[codes] for places, codes in zip(coarser, lattice.key.codes, strict=True))],
        [*map(list, lattice.key.levels), *(range(places.max() + 1) for places in coarser)],
        names := [*lattice.names, *(f"coarser {i}" for i in range(k))],
    )
    wide = replace(lattice, key=key, names=names)
    found = []
    for i, name in enumerate(tables.attrs["key_columns"]):
        others, left = [c for c in range(k) if c != i], int(coarser[i].max()) + 1
        for columns, levels in ((others, 0), ([*others, k + i], left)):
            if columns and levels not in (1, len(coarser[i])):
                pair = wide.pair(wide.only(tuple(columns)), 0, labelled=True)
                found.append(Change(name, levels, average_cap(*pair, unmatched=unmatched).item()))
    return found


def _halved(tables: xr.Dataset, name: str, i: int, key: pd.MultiIndex, o_j: Floats) -> Places:
    """To which of half as many levels each level of a key column belongs."""
    labels, codes = list(map(canonical, key.levels[i])), np.asarray(key.codes[i])
    n, categories = len(labels), tables.attrs.get("categories", {}).get(name)
    kind = one_kind(labels, name, "original", typed=False)
    ordered = categories is not None or name in tables.attrs.get("bins", {}) or kind not in ("text", "bool")
    wanted = in_order(labels, kind) if categories is None and kind not in ("text", "other") else categories or labels
    place = {label: at for at, label in enumerate(wanted)}
    order = sorted(range(n), key=lambda code: place.get(labels[code], n))
    rank = np.argsort(order)
    if ordered:
        return np.asarray(rank // 2)
    common = np.bincount(codes, o_j, n)[order]
    return np.minimum(np.argsort(np.argsort(-common, kind="stable"))[rank], (n + 1) // 2 - 1)


# --- what the caller asks of several releases: their utility, differences to one of them, and an order ---------------------


def check_comparison(labels: Sequence[Hashable] | None, against: Any, rank_by: Any, utility: Mapping[str, Any] | None) -> None:
    """Raise for a comparison that cannot be made, before any record is read."""
    if against is not None and (labels is None or canonical(against) not in labels):
        rule = f"`against` must be the label of one of several synthetic tables; got {shown(against)}"
        if labels is None:
            raise ValueError(f"{rule}, and `synthetic` is one table. Give {{label: table}}, or leave `against` out.")
        raise ValueError(f"{rule}.{hint(against, labels)}")
    if utility is not None and not isinstance(utility, Mapping):
        raise TypeError(f"`utility` must be a mapping of names to numbers; got {type(utility).__name__}.")
    for name, given in (utility or {}).items():
        if not isinstance(name, str) or not name or name in (*MEASURES, "synthetic"):
            raise ValueError(
                f"`utility` must name numbers by texts that are no measure of an audit; got {shown(name)}. Choose another name."
            )
        _numbers(name, given, labels)
    known = [*computed(against=against is not None), *(utility or {})]
    if rank_by is not None and (not isinstance(rank_by, str) or (rank_by not in known and rank_by.removeprefix("-") not in known)):
        least = "; a minus in front of the name puts the least first"
        raise ValueError(
            f"`rank_by` must be the name of a measure{least}; got {shown(rank_by)}.{hint(str(rank_by).removeprefix('-'), known)}"
        )


def check_limits(limits: Mapping[str, float] | None, utility: Mapping[str, Any] | None) -> None:
    """Raise unless each limit is a number for a measure of an audit, or for a utility."""
    if limits is not None and not isinstance(limits, Mapping):
        raise TypeError(f"`limits` must be a mapping of measures to numbers; got {type(limits).__name__}.")
    for name, limit in (limits or {}).items():
        if name not in (known := [*MEASURES, *(utility or {})]):
            raise ValueError(f"`limits` names {name!r}, which is no measure.{hint(name, known)}")
        check_number(limit, f"limits[{name!r}]", "a number")


def compared(tables: xr.Dataset, measures: xr.Dataset, against: Any, utility: Mapping[str, Any] | None) -> xr.Dataset:
    """The measures with the utilities, and with the differences in average CAP to one of the synthetic tables.

    The difference is the mean over original records of the differences of their two CAPs, so its error is that of a mean of differences.
    """
    labels = list(measures.indexes["synthetic"]) if "synthetic" in measures.dims else None
    found: dict[str, Any] = {}
    if against is not None and labels is not None:
        other = {"synthetic": labels.index(canonical(against))}
        unmatched = convention(measures)
        average = measures[f"average_cap_{unmatched}"]
        found["difference"] = average - average.isel(other, drop=True)
        if errors_known(tables, "o"):
            contrast = average_cap_interval(tables, against=tables.s.isel(other, drop=True), unmatched=unmatched)
            found["difference_error"] = contrast.standard_error
    for name, given in (utility or {}).items():
        numbers = _numbers(name, given, labels)
        found[name] = xr.DataArray(numbers if labels is not None else numbers[0], dims=() if labels is None else "synthetic")
    return measures.assign(found)


def order_of(measures: xr.Dataset, rank_by: str) -> list[int]:
    """Positions of the synthetic tables, that with the greatest value first, with the least for "-name"; ties as given, NaN last."""
    releases = measures.sizes.get("synthetic", 1)
    name = rank_by if rank_by in measures else rank_by.removeprefix("-")
    if name not in measures:
        raise ValueError(f"`rank_by` names {name!r}, which these counts do not give.{hint(name, measures.data_vars)}")
    values = np.broadcast_to(measures[name].values.astype(np.float64), releases)
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
            raise TypeError(f"`utility[{name!r}]` must hold a number for each synthetic table; got {shown(number)}.")
    return np.array(numbers, np.float64)
