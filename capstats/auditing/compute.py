"""The numbers of an audit, computed from tables of counts: of all people, by target level, by key column, and between releases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pkgutil import resolve_name
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
import xarray as xr

from capstats.auditing.measures import MEASURES, OnScale
from capstats.cap.average import average, average_cap, matched, predicted
from capstats.cap.baselines import crossed, modal
from capstats.cap.comparison import on_scale, targets_apart
from capstats.cap.contributions import leave_one_out, shapley
from capstats.cap.distribution import quantiles_of
from capstats.cap.neighbours import key_columns, rows_used, without_nearest
from capstats.cap.uncertainty import average_cap_interval, check_weights, individual_share, squares_of, standard_error
from capstats.codes.column import Places, in_order, one_kind
from capstats.codes.labels import canonical, canonicals
from capstats.counting.lattice import Columns, Lattice
from capstats.disclosure.attribute import ALONE, disclosed, records_by_key, share_of_keys
from capstats.disclosure.ledger import Ledger
from capstats.disclosure.published import Published
from capstats.tables.aligned import Aligned, total_of
from capstats.tables.axes import multi_index
from capstats.tables.checking import check_unweighted
from capstats.tables.dataset import copies_known
from capstats.tables.domains import observed_domain
from capstats.tables.printing import Result
from capstats.tables.sums import attribution, certain
from capstats.tables.table import Array, Floats, Table, ratio
from capstats.tables.ties import at_most

SURELY = ("above_half", "above_nine_tenths", "certain")  # how people are guessed right
SPLIT = 0.001  # probability, at most, that a random split into original and holdout is said to differ
Z = 1.959964  # standard errors on each side of a 95 % interval

QUANTILES = {name: measure.quantile for name, measure in MEASURES.items() if measure.quantile is not None}
Numbers = Mapping[str, Any]  # by the names of measures, without those that the tables do not give


@dataclass
class Asked:
    """What an audit is asked: the tables, and what the caller gives beside them; and by their names the measures that answer it.

    ``against`` is the label of a release, ``population`` a table of counts by key, ``published`` what was published of the same people;
    ``counted`` makes counts of further releases.
    """

    tables: xr.Dataset
    against: Any = None
    generator: Any = None
    counted: Any = None
    population_size: Any = None
    population: xr.DataArray | None = None
    published: tuple[Ledger, list[Published], xr.Dataset] | None = None
    of_tables: list[dict[str, Any]] = field(default_factory=list)  # what withdrawing or coarsening each published table would do
    results: dict[str, Any] = field(default_factory=dict)  # of the functions of measures

    def __post_init__(self) -> None:
        self.o, self.s = self.tables.o, self.tables.s
        self.records = self.tables.get("o_records", self.o)  # numbers and quantiles count each record of the original once
        self.is_weighted = "o_records" in self.tables  # shares weigh it then
        self.is_whole = self.o.dtype.kind == self.s.dtype.kind == "i" and not {"o_records", "s_records"} & set(self.tables.data_vars)

    def __getitem__(self, name: str) -> Any:
        """A measure, by its function; None where these tables do not give it."""
        function = MEASURES[name].function
        if function not in self.results:
            self.results[function] = resolve_name(f"capstats.auditing.{function.replace('.', ':')}")(self)
        found = self.results[function]
        return found.get(name) if isinstance(found, Mapping) else found

    @property
    def average(self) -> xr.DataArray:
        """Average CAP, in the version that the audit is of."""
        return self.numbers[f"average_cap_{self.unmatched}"]

    @cached_property
    def no_nearest(self) -> str:
        """Why the nearest keys cannot be had, if they cannot."""
        return without_nearest(self.pair)

    @cached_property
    def unmatched(self) -> OnScale:
        """What unmatched keys guess in all measures that name no version."""
        return "zero" if self.no_nearest else "nearest"

    @cached_property
    def pair(self) -> Aligned:
        """The original and the releases on the same cells; of a weighted original its records and squared weights, too."""
        more = {name: self.tables[name] for name in ("o_records", "o_squares") if name in self.tables}
        return Aligned({"o": self.o, "s": self.s, **more}, inexact={"o_squares"} & set(more))

    @cached_property
    def original(self) -> Aligned:
        """The original, and of a weighted one its records."""
        return Aligned({"o": self.o, **({"o_records": self.records} if self.is_weighted else {})})

    @cached_property
    def numbers(self) -> Mapping[str, xr.DataArray]:
        """The measures that have formulas: those of the original by one pass over its cells, those of releases by one over the pair's."""
        unmatched, rows_of = self.unmatched, rows_used(self.pair, self.unmatched)
        codes = key_columns(self.pair, "") if unmatched == "nearest" else None
        has_errors = errors_known(self.tables, "o")
        if self.is_whole:
            check_unweighted(ALONE, o=self.o, s=self.s)
        if has_errors:
            check_weights(self.tables, "o")

        def of_original(o: Table, *_: Table) -> Mapping[str, Array]:
            unique = {"share_unique": share_of_keys(o, records_by_key(o) == 1)} if self.is_whole else {}
            return unique | {
                "n": o.total,
                "baseline": crossed(o, o),
                "baseline_predictive_success": modal(o),
                "original_cap": average(o, o, o.key_total, "zero"),
                "original_predictive_success": ratio(predicted(o, o), o.total, np.nan),
                "original_certain": share_of_keys(o, certain(o).key_total),
            }

        def of_pair(o: Table, s: Table, *others: Table) -> Mapping[str, Array]:
            of = dict(zip(list(self.pair.whole)[2:], others, strict=True))
            people, n, s_j, rows, sure = of.get("o_records", o), o.total, s.key_total, rows_of(o, s), certain(s)
            right = predicted(o, s, codes)
            found = {
                "m": s.total,
                "foreign_targets": ((o.target_total == 0) & (s.target_total > 0)).sum(-1),
                "foreign_keys": ((o.key_total == 0) & (s_j > 0)).sum(-1),
                "unmatched_records": people.total - matched(people, s),
                "matched_share": ratio(matched(o, s), n, np.nan),
                "average_cap_zero": average(o, s, s_j, "zero"),
                "average_cap_matched": average(o, s, s_j, "drop"),
                f"average_cap_{unmatched}": average(o, *rows, unmatched),
                f"correct_predictions_{unmatched}": right if people is o else predicted(people, s, codes),
                f"predictive_success_{unmatched}": ratio(right, n, np.nan),
                "share_certain_wrong": ratio(o.like(o.values * (sure.on_cells(sure.key_total) - sure.values)).total, n, np.nan),
                "target_distance": targets_apart(o, s),
            }
            if self.is_whole:
                found["share_replicated"] = share_of_keys(o, (records_by_key(o) == 1) & (records_by_key(s, "s") == 1))
            if has_errors:
                squares = squares_of(o, of.get("o_squares"), "o")
                found[f"average_cap_{unmatched}_error"] = standard_error(o, squares, *rows, unmatched)
            if self.records.dtype.kind == "i":
                at = quantiles_of(people, *(rows if people is o else rows_of(people, s)), np.array(list(QUANTILES.values())), unmatched)
                found |= dict(zip(QUANTILES, np.moveaxis(at, -1, 0), strict=False))  # the last is the number of records
            return found

        found = {**self.original.numbers(of_original), **self.pair.numbers(of_pair)}
        return found | {"normalized_cap": on_scale(found[f"average_cap_{unmatched}"], found["baseline"], found["original_cap"])}

    @cached_property
    def observed(self) -> xr.DataArray:
        """The original on its own targets and keys."""
        return observed_domain(self.tables)

    @cached_property
    def weight_by_target(self) -> xr.Dataset:
        """The people with each level of the target, and those guessed surely: sums of their weights, or numbers without weights."""
        return by_target(self.pair, self.unmatched)

    @cached_property
    def by_target(self) -> xr.Dataset:
        """The same; how many they are, and how surely they are guessed right, counting each record once."""
        counted = by_target(Aligned({"o": self.records, "s": self.s}), self.unmatched) if self.is_weighted else {}
        return self.weight_by_target.assign({name: of for name, of in counted.items() if str(name).startswith("records")})


def measured(asked: Asked) -> xr.Dataset:
    """All measures in the list, as far as they can be had."""
    found = {name: value for name in MEASURES if (value := asked[name]) is not None}
    return Result(found, attrs={"result": "Measures of an audit"})


# --- the functions of the measures: each gives one number of each release, or several by the names of their measures -----------


def sizes(asked: Asked) -> Numbers:
    """The number of records of each table, and of weighted ones the sum of their weights; keys of the original."""
    found, tables = {"keys": xr.DataArray(asked.observed.sizes["key"])}, asked.tables
    for of, name in (("o", "original"), ("s", "synthetic"), ("h", "holdout")):
        if f"{of}_records" in tables:
            found |= {f"{name}_records": total_of(tables[f"{of}_records"]), f"{name}_weight": total_of(tables[of])}
        elif of in tables:
            found[f"{name}_records"] = total_of(tables.h) if of == "h" else asked.numbers["n" if of == "o" else "m"]
    return found


def by_cells(asked: Asked) -> Numbers:
    """The measures whose formulas are computed by one pass over the cells."""
    return asked.numbers


def difference(asked: Asked) -> Numbers:
    """Average CAP minus that of one release.

    It is the mean over original records of the differences of their two CAPs, so its error is that of a mean of differences.
    """
    if asked.against is None or "synthetic" not in asked.s.dims:
        return {}
    other = {"synthetic": list(asked.s.indexes["synthetic"]).index(canonical(asked.against))}
    found = {"difference": asked.average - asked.average.isel(other, drop=True)}
    if errors_known(asked.tables, "o"):
        contrast = average_cap_interval(asked.tables, against=asked.s.isel(other, drop=True), unmatched=asked.unmatched)
        found["difference_error"] = contrast.standard_error
    return found


def individuals(asked: Asked) -> Numbers:
    """How much of the guesses is about the people in the original, with errors, and average CAP of a fresh sample of the population."""
    tables = asked.tables
    if "h" not in tables or not (errors_known(tables, "o") and errors_known(tables, "h")):
        return {}
    found = individual_share(tables, unmatched=asked.unmatched)
    renamed = {"plain_contrast": "individual_disclosure", "fresh_sample": "fresh_sample_cap"}
    renamed |= {f"{old}_error": f"{new}_error" for old, new in renamed.items()}
    return {renamed.get(str(name), str(name)): of for name, of in found.data_vars.items()}


def surely(asked: Asked) -> Numbers:
    """People who are guessed right with probability above 0.5, above 0.9 and with certainty, and their shares."""
    found = {}
    for name in SURELY:
        found[f"records_{name}"] = asked.by_target[f"records_{name}"].sum("target")
        found[f"share_{name}"] = asked.weight_by_target[f"records_{name}"].sum("target") / asked.numbers["n"]
    return found


def copies(asked: Asked) -> Numbers:
    """Records of each release that are copies, as far as they were counted with the tables; see `capstats.counting.copies`."""
    return copied(copies_known(asked.tables), asked.s)


def copied(known: Mapping[str, Any], s: xr.DataArray) -> dict[str, xr.DataArray]:
    """What is known of copies, as arrays over the releases of `s`."""
    if not (releases := known.get("releases")):
        return {}
    known = {name: [x.get(name) for x in releases] for name in MEASURES if any(name in x for x in releases)}
    found = {name: np.array([np.nan if x is None else x for x in values]) for name, values in known.items()}
    for of in ("", "holdout_"):
        if f"{of}copied_records" in found:
            found[f"{of}copied_share"] = found[f"{of}copied_records"] / np.array([x["records"] for x in releases])
    dims = "synthetic" if "synthetic" in s.dims else ()
    return {name: xr.DataArray(values if dims else values[0], dims=dims) for name, values in found.items()}


def errors_known(tables: xr.Dataset, name: str) -> bool:
    """Whether standard errors follow from a table: it has whole counts, or sums of weights with those of their squares."""
    return tables[name].dtype.kind == "i" or f"{name}_squares" in tables


def by_target(aligned: Aligned, unmatched: OnScale) -> xr.Dataset:
    """Who bears the risk: of the original people with each level of the target, how many are guessed right, and how surely.

    Average CAP is that of these people alone, and NaN where there are none; the baseline is the share of their level. Only records with
    the keys of a person make a guess certain.
    """

    def formula(o: Table, s: Table, *_: Table) -> Floats:
        read, s_j = rows_of(o, s)
        n, q = o.values, attribution(read, s_j, 0.0).values
        parts = [n + 0 * q, n * q, n * ~at_most(q, 0.5), n * ~at_most(q, 0.9), disclosed(o, s).values]
        return np.stack([o.like(part).target_total.astype(np.float64) for part in np.broadcast_arrays(*parts)], axis=-2)

    rows_of = rows_used(aligned, unmatched)
    parts = aligned.map(formula, "by_target", ("part", "target"))
    people, right, *surely = (parts.isel(part=i) for i in range(5))
    people = people.isel({dim: 0 for dim in people.dims if dim != "target"}, drop=True)
    counts = {"records": people, **dict(zip([f"records_{name}" for name in SURELY], surely, strict=True))}
    if aligned.whole["o"]:
        counts = {name: array.astype(np.int64) for name, array in counts.items()}
    average = {f"average_cap_{unmatched}": right / people}
    return Result({**average, "baseline": people / people.sum(), **counts}, attrs={"result": "People by target level"})


# --- by key column: each alone, all others, the groups that it makes, and a release without it or with it coarser -----


MOST_COLUMNS = 6  # key columns of which all subsets are computed
MOST_CELLS = 1 << 25  # cells of the tables of all of these subsets together, at most


class Group(NamedTuple):
    """The people with one level of a key column."""

    column: str
    level: Any
    people: float  # records
    with_release: float  # their average CAP, unmatched keys using the nearest
    above_nine_tenths: float  # how many of them are guessed right with probability above 0.9
    above: float  # by how much the release makes them easier to guess than by the target's frequencies


def by_group(tables: xr.Dataset, s: xr.DataArray, unmatched: OnScale) -> list[Group]:
    """The groups that each key column makes of the original people, without empty ones."""

    def formula(o: Table, s: Table, records: Table) -> Floats:
        read, s_j = rows_of(o, s)
        n, q = o.values, attribution(read, s_j, 0.0).values
        parts = [n + 0 * q, n * q, n * o.on_targets(ratio(o.target_total, o.total[..., None], 0.0)) + 0 * q]
        counted = [records.like(records.values * of).key_total for of in (np.ones_like(q), ~at_most(q, 0.9))]
        return np.stack([*(o.like(part).key_total for part in parts), *counted], axis=-2).astype(np.float64)

    aligned = Aligned({"o": tables.o, "s": s, "records": tables.get("o_records", tables.o)})
    rows_of = rows_used(aligned, unmatched)
    weight, right, without, people, above = aligned.map(formula, "by_group", ("part", "key")).values
    axis = cast(pd.MultiIndex, aligned.axes["key"])
    found = []
    for name, codes, levels in zip(tables.attrs["key_columns"], axis.codes, axis.levels, strict=True):
        sums = [np.bincount(codes, part, len(levels)) for part in (weight, right, without, people, above)]
        guessed, guessed_without = (ratio(part, sums[0], np.nan) for part in sums[1:3])
        parts = (sums[3], guessed, sums[4], guessed - guessed_without)
        rows = zip(levels, *(part.tolist() for part in parts), strict=True)
        found += [Group(name, *row) for row in rows if row[1] > 0]
    return found


def by_column(tables: xr.Dataset, unmatched: OnScale, average: xr.DataArray) -> xr.Dataset:
    """Average CAP by key column: of it alone, of all but it, what it adds to the others, and its Shapley value; as `sweep` has them.

    ``average`` is that of all key columns. Dims ``key_column`` and, where there are several synthetic tables, ``synthetic``. ``shapley`` is
    there for few columns and tables.
    """
    from capstats.screening.formulas import values_of

    lattice = Lattice.of_tables(tables)
    k = len(lattice.names)
    cells = tables.o.size + tables.s.size
    sizes = range(k) if k <= MOST_COLUMNS and cells << k <= MOST_CELLS else {0, 1, k - 1} - {k}
    everything = tuple(range(k))
    values: dict[Columns, Floats] = {everything: average.values}
    for keyset in lattice.walk(sizes):
        values[keyset.columns] = values_of(lattice, keyset, {"average_cap": "average_cap"}, unmatched)[0, 0]
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
    variables = {name: (tuple(coords), shares) for name, shares in found.items() if shares is not None}
    return Result(variables, coords, {"result": "Average CAP by key column", "unmatched": unmatched})


class Change(NamedTuple):
    """A key column of a release that is left out or coarser."""

    column: str
    levels: int  # that are left of it, or 0
    average_cap: float  # unmatched keys using the nearest


def changes(tables: xr.Dataset, s: xr.DataArray, unmatched: OnScale) -> list[Change]:
    """Average CAP of a release without each key column, and with each coarsened to half of its levels.

    Levels of numbers, dates, bins and categories are joined in pairs of neighbours; of others the rarest half are joined into one.
    """
    lattice = Lattice.of_tables(Result({"o": tables.o, "s": s}, attrs=tables.attrs))
    k, o_j = len(lattice.names), Aligned({"o": tables.o}).map(lambda o: o.key_total, "records", ("key",)).values
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
            if levels not in (1, len(coarser[i])):
                pair = wide.pair(wide.only(tuple(columns)), 0, labelled=True)
                how = unmatched if columns else "zero"  # without key columns there is one key, which has no nearest
                found.append(Change(name, levels, average_cap(*pair, unmatched=how).item()))
    return found


def _halved(tables: xr.Dataset, name: str, i: int, key: pd.MultiIndex, o_j: Floats) -> Places:
    """The coarser level, of half the number, to which each level of a key column belongs."""
    labels, codes = canonicals(key.levels[i]), np.asarray(key.codes[i])
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
