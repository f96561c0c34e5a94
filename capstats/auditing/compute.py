"""The numbers of an audit, computed from tables of counts: of all people, by target level, and between releases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pkgutil import resolve_name
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.measures import MEASURES, OnScale
from capstats.cap.average import average_cap, correct_predictions, matched_records
from capstats.cap.baselines import baseline_cap
from capstats.cap.comparison import on_scale, target_distance
from capstats.cap.distribution import cap_quantiles
from capstats.cap.neighbours import Convention, rows_used, without_nearest
from capstats.cap.uncertainty import average_cap_interval, individual_share
from capstats.codes.labels import canonical
from capstats.disclosure.attribute import dio, disclosed, share_replicated, share_unique
from capstats.disclosure.ledger import Ledger
from capstats.disclosure.published import Published
from capstats.tables.aligned import Aligned, total_of
from capstats.tables.dataset import synthetic_labels
from capstats.tables.domains import observed_domain
from capstats.tables.printing import Result
from capstats.tables.sums import attribution, certain
from capstats.tables.table import Array, Floats, Table
from capstats.tables.ties import at_most

SURELY = ("above_half", "above_nine_tenths", "certain")  # how people are guessed right
Z = 1.959964  # standard errors on each side of a 95 % interval

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
        found: xr.DataArray = self[f"average_cap_{self.unmatched}"]
        return found

    @cached_property
    def no_nearest(self) -> str:
        """Why the nearest keys cannot be had, if they cannot."""
        return without_nearest(self.o, self.s)

    @cached_property
    def unmatched(self) -> OnScale:
        """What unmatched keys guess in all measures that name no version."""
        return "zero" if self.no_nearest else "nearest"

    @cached_property
    def pair(self) -> Aligned:
        """The original and the releases on the same cells."""
        return Aligned({"o": self.o, "s": self.s})

    @cached_property
    def n(self) -> xr.DataArray:
        """Records of the original, or the sum of their weights."""
        return total_of(self.o)

    @cached_property
    def observed(self) -> xr.DataArray:
        """The original on its own targets and keys."""
        return observed_domain(self.tables)

    @cached_property
    def foreign(self) -> dict[str, xr.DataArray]:
        """Numbers of targets, and of keys, that the synthetic table has and the original has not."""

        def formula(o: Table, s: Table) -> Array:
            records = [(x.target_total(), x.key_total()) for x in (o, s)]
            return np.stack([((of_o == 0) & (of_s > 0)).sum(-1) for of_o, of_s in zip(*records, strict=True)], axis=-1)

        found = self.pair.map(formula, "foreign", ("dim",))
        return {dim: found.isel(dim=i) for i, dim in enumerate(("target", "key"))}

    @cached_property
    def shares_by_target(self) -> xr.Dataset:
        """The people with each level of the target, by weight."""
        return by_target(self.pair, self.unmatched)

    @cached_property
    def by_target(self) -> xr.Dataset:
        """The same; how many they are, and how surely they are guessed right, counting each record once."""
        shares = self.shares_by_target
        if not self.is_weighted:
            return shares
        counted = by_target(Aligned({"o": self.records, "s": self.s}), self.unmatched)
        return shares.assign({name: of for name, of in counted.items() if str(name).startswith("records")})


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
            found[f"{name}_records"] = total_of(tables[of])
    return found


def matched(asked: Asked) -> Numbers:
    """People whose key no synthetic record has, and the share of those whose key one has."""
    by_weight = matched_records(asked.o, asked.s)
    people = matched_records(asked.records, asked.s) if asked.is_weighted else by_weight
    return {"unmatched_records": asked["original_records"] - people, "matched_share": by_weight / asked.n}


def averages(asked: Asked) -> Numbers:
    """Average CAP, where unmatched keys count 0, are left out, or use the nearest ones."""
    versions: dict[str, Convention] = {"zero": "zero", "matched": "drop", asked.unmatched: asked.unmatched}
    return {f"average_cap_{name}": average_cap(asked.o, asked.s, unmatched=version) for name, version in versions.items()}


def average_error(asked: Asked) -> Numbers:
    """The standard error of average CAP."""
    if not errors_known(asked.tables, "o"):
        return {}
    interval = average_cap_interval(asked.tables, unmatched=asked.unmatched)
    return {f"average_cap_{asked.unmatched}_error": interval.standard_error}


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


def scale(asked: Asked) -> Numbers:
    """The baseline, average CAP of the original itself, and that of the release on the scale from the one to the other."""
    baseline, itself = baseline_cap(asked.o), average_cap(asked.o, asked.o)
    return {"baseline": baseline, "original_cap": itself, "normalized_cap": on_scale(asked.average, baseline, itself)}


def commonest(asked: Asked) -> Numbers:
    """People guessed right by naming the commonest target, and their share; the latter without the release, and with the original."""
    unmatched = asked.unmatched
    right = by_weight = correct_predictions(asked.o, asked.s, unmatched=unmatched)
    if asked.is_weighted:
        right = correct_predictions(asked.records, asked.s, unmatched=unmatched)
    return {
        f"correct_predictions_{unmatched}": right,
        f"predictive_success_{unmatched}": by_weight / asked.n,
        "baseline_predictive_success": baseline_cap(asked.o, kind="modal"),
        "original_predictive_success": correct_predictions(asked.o, asked.o) / asked.n,
    }


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
        found[f"share_{name}"] = asked.shares_by_target[f"records_{name}"].sum("target") / asked.n
    return found


def certain_and_wrong(asked: Asked) -> xr.DataArray:
    """The share of people whose key has one synthetic target, and not theirs."""

    def formula(o: Table, s: Table) -> Array:
        sure = certain(s)
        return o.like(o.values * (sure.on_cells(sure.key_total()) - sure.values)).total()

    return asked.pair.map(formula, "certain_and_wrong") / asked.n


def certain_itself(asked: Asked) -> xr.DataArray:
    """The share of people whom the original itself gives away."""
    return dio(asked.o)


def uniques(asked: Asked) -> Numbers:
    """The share of people who are unique, and of those who are in the release as one record, too."""
    if not asked.is_whole:
        return {}
    return {"share_unique": share_unique(asked.o), "share_replicated": share_replicated(asked.o, asked.s)}


def quantiles(asked: Asked) -> Numbers:
    """Quantiles of individual CAP."""
    if asked.records.dtype.kind != "i":
        return {}
    wanted = {name: measure.quantile for name, measure in MEASURES.items() if measure.quantile is not None}
    found = cap_quantiles(asked.records, asked.s, list(wanted.values()), unmatched=asked.unmatched)
    return {name: found.isel(quantile=i, drop=True) for i, name in enumerate(wanted)}


def distance(asked: Asked) -> xr.DataArray:
    """Distance of the targets given the key from those of the original."""
    return target_distance(asked.o, asked.s)


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


def copies_known(tables: xr.Dataset) -> dict[str, Any]:
    """What is known of copies in these releases; nothing where the tables are of other releases than when it was found."""
    known: dict[str, Any] = tables.encoding.get("copies", {})
    if any("spelled" not in release for release in known.get("releases", [])):
        return {"not_computed": "another version of capstats counted them; count the records again"}
    return known if known.get("synthetic") == synthetic_labels(tables) else {}


def errors_known(tables: xr.Dataset, name: str) -> bool:
    """Whether standard errors follow from a table: it has whole counts, or sums of weights with those of their squares."""
    return tables[name].dtype.kind == "i" or f"{name}_squares" in tables


def by_target(aligned: Aligned, unmatched: OnScale) -> xr.Dataset:
    """Who bears the risk: of the original people with each level of the target, how many are guessed right, and how surely.

    Average CAP is that of these people alone, and NaN where there are none; the baseline is the share of their level. Only records with
    the keys of a person make a guess certain.
    """

    def formula(o: Table, s: Table) -> Floats:
        read, s_j = rows_of(o, s)
        n, q = o.values, attribution(read, s_j, 0.0).values
        parts = [n + 0 * q, n * q, n * ~at_most(q, 0.5), n * ~at_most(q, 0.9), disclosed(o, s).values]
        return np.stack([o.like(part).target_total().astype(np.float64) for part in np.broadcast_arrays(*parts)], axis=-2)

    rows_of = rows_used(aligned, unmatched)
    parts = aligned.map(formula, "by_target", ("part", "target"))
    people, right, *surely = (parts.isel(part=i) for i in range(5))
    people = people.isel({dim: 0 for dim in people.dims if dim != "target"}, drop=True)
    counts = {"records": people, **dict(zip([f"records_{name}" for name in SURELY], surely, strict=True))}
    if aligned.whole["o"]:
        counts = {name: array.astype(np.int64) for name, array in counts.items()}
    average = {f"average_cap_{unmatched}": right / people}
    return Result({**average, "baseline": people / people.sum(), **counts}, attrs={"result": "People by target level"})
