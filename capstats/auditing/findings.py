"""What an audit finds, as reports use it: the counts, the numbers, where they come from, and what is said of copies of real records."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from numbers import Real
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xarray as xr

from capstats.auditing.measures import AT_MOST, MEASURES, SENTENCES, OnScale, computed, convention, words
from capstats.codes.checks import check_number, shown
from capstats.codes.labels import canonical
from capstats.codes.names import check_named, hint, in_cell, listed, named, shortened
from capstats.counting.beyond_chance import LEVEL
from capstats.reports.blocks import Report, headings
from capstats.tables.backing import unstacked
from capstats.tables.dataset import copies_known
from capstats.tables.printing import count, many, part, percent
from capstats.tables.table import Floats
from capstats.tables.ties import at_most, ranks

TEXTS = SENTENCES["copies"]
SIDE_BY_SIDE = 4  # synthetic tables that have a line, or a column, each
ALERTS = 3  # releases with copies that have a sentence each
SHOWN = 3  # columns that are named
LONGEST = 64  # characters of a name in a sentence, at most
Seen = tuple[Path, int, int]  # a file as it was when it was read: its size, and the nanosecond of its last change
MOSTLY_COPIES = 0.5  # share of a release that is copies, from which it makes no sense to leave them out

Limit = float | Mapping[str, Any]  # of a measure: a number, or a mapping that has it as "limit", with reasons
Verdict = Literal["kept", "broken", "could not be told"]
UNTOLD: Verdict = "could not be told"
VERDICTS: Sequence[Verdict] = ("broken", UNTOLD, "kept")  # that of several limits is the first
REASONS = ("audience", "why", "who")  # of a limit: who gets the release, the argument for the limit, and who decided it


@dataclass(frozen=True)
class Judged:
    """A limit of a measure, where the measure is of one of several tables with the labels of these, and whether it is kept."""

    measure: str
    where: tuple[Any, ...]
    value: float
    limit: float
    reasons: Mapping[str, str]
    verdict: Verdict
    text: str


@dataclass(frozen=True)
class Copies:
    """What is known of copies in all releases, as `capstats.counting.copies` has it; ``heads`` name the releases."""

    known: Mapping[str, Any]
    heads: Sequence[str]
    words: Mapping[str, str]
    some_dropped: bool = False  # whether records with a missing value are left out of everything else

    def of(self, i: int) -> Mapping[str, Any]:
        """What is known of one release; nothing where copies were not counted."""
        entry: Mapping[str, Any] = self.known["releases"][i] if "releases" in self.known else {}
        return entry

    def found(self, i: int) -> bool:
        """Whether people were copied into a release beyond chance."""
        return self.of(i).get("copied_beyond_chance") == 1

    def alert(self, ranked: Sequence[int]) -> list[str]:
        """A text where people were copied into releases beyond chance, in the order of the releases."""
        if not (beyond := [i for i in ranked if self.found(i)]):
            return []
        first, *others = beyond
        more = "more_copies_holdout" if self.of(first)["by_holdout"] else "more_copies"
        texts = [self._say("copies", first), *(self._say(more, i) for i in others[: ALERTS - 1])]
        if rest := others[ALERTS - 1 :]:
            texts.append(many(len(rest), "more release"))
        each = {"p": f"each p at most {LEVEL:g}"} if others else {}
        entry = self.of(first)
        why = ["beyond_holdout" if entry["by_holdout"] else "beyond_fresh", *(["partly"] if entry["apart"] else []), *self._beside(first)]
        return [" ".join([f"{'; '.join(texts)}.", *(self._say(text, first, **each) for text in why)])]

    def said(self, i: int) -> list[str]:
        """What is said of a release that is not known to have copies beyond chance."""
        entry = self.of(i)
        if not entry or self.found(i):
            return []
        if entry["copied_beyond_chance"] is None:
            texts = {"untold": True}
        elif entry["by_holdout"]:
            texts = {"no_copies_holdout": True, "shared": entry["copied_people_shared"], "fewest": entry["copied_people_fewest"]}
        else:
            texts = {"no_copies_fresh": True, "by_chance": entry["copied_people"]}
        return [" ".join(self._say(text, i) for text in [*(text for text, is_said in texts.items() if is_said), *self._beside(i)])]

    def near(self) -> list[str]:
        """What is said of records like a real one in all columns but one, unless all releases have copies: of that with the most."""
        counted = {i: self.of(i) for i in range(len(self.heads)) if self.of(i)}
        if all(map(self.found, counted)):
            return []
        if "near" in self.known:
            return [TEXTS["near_not_computed"].format(why=self.known["near"])]
        i = max(counted, key=lambda i: counted[i].get("near_copied_records", 0) / counted[i]["records"])
        if not counted[i].get("near_copied_records"):
            return []
        most = f", the most of {many(len(counted), 'release')}," if len(counted) > 1 else ""
        of_holdout = self._say("near_holdout", i) if "holdout_near_copied_records" in counted[i] else ""
        return [self._say("near", i, most=most, of_holdout=of_holdout)]

    def cell(self, i: int) -> str:
        """The people whose record a release has, and in brackets how many of them beyond chance."""
        entry = self.of(i)
        if entry["copied_beyond_chance"] is None:
            return f"{count(entry['copied_people'])} (not told)"
        upper = count(entry["copied_people_upper"])
        ends = f"{count(entry['copied_people_lower'])} to {upper}" if self.found(i) else f"at most {upper}"
        return f"{count(entry['copied_people'])} ({ends})"

    def leave_out(self, i: int) -> str:
        """What to do about the copies in a release."""
        entry = self.of(i)
        return self._say("leave_out" if entry["copied_records"] < MOSTLY_COPIES * entry["records"] else "make_anew", i)

    def _beside(self, i: int) -> list[str]:
        """Texts on people of the holdout whom no fresh sample would match so often, and on records that are left out elsewhere."""
        entry = self.of(i)
        alike = entry["by_holdout"] and entry.get("holdout_alike")
        said = {"alike": alike, "all_records": self.some_dropped, "spelled": entry["spelled"]}
        return [text for text, is_said in said.items() if is_said]

    def _why(self, entry: Mapping[str, Any]) -> str:
        if not (apart := entry["apart"]):
            text = "too_small" if entry.get("too_small") else "no_test_holdout" if entry["by_holdout"] else "no_test_fresh"
            return str(TEXTS[text].format_map(self.words))
        columns = [f"{named(column)} {why}" for column, why in list(apart.items())[:SHOWN]]
        return listed([*columns, *([f"{many(len(apart) - SHOWN, 'more column')} likewise"] if len(apart) > SHOWN else [])])

    def _say(self, name: str, i: int, **more: str) -> str:
        entry, head = self.of(i), self.heads[i]
        numbers = {name: count(x) for name, x in entry.items() if isinstance(x, (int, float))}
        p = entry["copied_p_value"]
        texts = {
            "of": f" of {head}" if head else "",
            "release": (release := f"release {head}" if head else "the release"),
            "Release": release.capitalize() if not head else f"Release {head}",
            "records": many(entry["records"], "record"),
            "columns": many(entry["columns"], "column"),
            "spelled": listed([f"{named(column)} ({why})" for column, why in entry["spelled"].items()]) if entry["spelled"] else "",
            "share": percent(entry["copied_records"] / entry["records"]),
            "why": self._why(entry),
            "p": f"p = {p:.1g}" if p >= LEVEL / 50 else f"p < {LEVEL / 50:g}",
        }
        text: str = TEXTS[name].format_map({**self.words, **numbers, **texts, **more})
        return text[0].upper() + text[1:]


@dataclass(frozen=True, repr=False)
class Findings(Report):
    """The attributes of `Audit`, whose reports are functions of them."""

    tables: xr.Dataset
    measures: xr.Dataset
    by_target: xr.Dataset
    by_column: xr.Dataset
    provenance: dict[str, Any]
    seen: Mapping[str, Seen] = field(default_factory=dict)

    def release(self, i: int, *, records: bool = False) -> xr.DataArray:
        """The counts of one synthetic table; those of its ``records`` where they have weights."""
        s: xr.DataArray = self.tables.get("s_records", self.tables.s) if records else self.tables.s
        if s.ndim == 2:
            return s
        one: xr.DataArray = self.tables.o.copy(data=unstacked(s.variable.data, 0)[i])  # on the same cells
        one.name, one.attrs = "s", s.attrs
        return one

    def of(self, name: str, i: int) -> float:
        """A measure of one release."""
        return float(np.broadcast_to(self.measures[name].values, len(self.labels))[i])

    @cached_property
    def unmatched(self) -> OnScale:
        """What unmatched keys guess in everything before the details."""
        return convention(self.measures)

    @property
    def average(self) -> str:
        """The average CAP of everything before the details."""
        return f"average_cap_{self.unmatched}"

    @cached_property
    def caps(self) -> list[float]:
        """The same average of each release."""
        return [self.of(self.average, i) for i in range(len(self.labels))]

    @cached_property
    def ranked(self) -> list[int]:
        """Positions of the synthetic tables in the order in which reports have them: by ``rank_by``, or the worst first."""
        return order_of(self.measures, self.provenance.get("rank_by", self.worst_by))

    @cached_property
    def holdout_says(self) -> bool:
        """Whether the holdout tells how much the releases say about the people in the original."""
        return "individual_gain" in self.measures and "holdout_differs" not in self.provenance and not holds_people(self.provenance)

    @property
    def worst_by(self) -> str:
        """The measure by which the worst release is first: what is about its people where a holdout tells it, or else average CAP."""
        return "individual_gain" if self.holdout_says else self.average

    def title(self) -> str:
        """The release, or how many, and the date."""
        several, p = len(self.labels) > 1, self.provenance
        path = p.get("original") if several else (p.get("synthetic") or [None])[0]
        name = Path(path).name if path else "" if several else self.labels[0]
        shown = in_cell(name, LONGEST) if name else ""
        what = f"{len(self.labels)} releases" + f" of {shown}" * bool(shown) if several else shown or "a release"
        return f"Disclosure risk of {what}, {p['date']}"

    @cached_property
    def judged(self) -> list[Judged]:
        """Each limit of the caller for each synthetic table, with its reasons and its verdict."""
        p = self.provenance
        return judged(self.measures, p.get("limits", {}), p.get("copies", "undefined"), p.get("mismatched", {}))

    def limits(self) -> list[tuple[str, bool]]:
        """Each limit of the caller for each synthetic table, as text, and whether it is kept."""
        return [(limit.text, limit.verdict == "kept") for limit in self.judged]

    @cached_property
    def labels(self) -> list[str]:
        """Labels of the synthetic tables; one without a name when there is only one."""
        labels = list(self.measures.indexes["synthetic"]) if "synthetic" in self.measures.dims else [""]
        texts = list(map(str, labels))
        return texts if len(set(texts)) == len(texts) else list(map(repr, labels))

    @cached_property
    def heads(self) -> list[str]:
        """These labels as headings of rows."""
        return headings(self.labels)

    @cached_property
    def copies(self) -> Copies:
        """What is known of copies in the releases."""
        some_dropped = any(self.provenance.get("dropped", {}).values())
        return Copies(copies_known(self.tables), self.heads, self.words, some_dropped)

    # --- what sentences are made of

    @cached_property
    def weighted(self) -> list[str]:
        """The tables whose records have sampling weights."""
        return [table for table in ("original", "synthetic") if f"{table}_weight" in self.measures]

    @cached_property
    def words(self) -> dict[str, str]:
        """The words of the report, as the weights of the tables have them, and the columns to guess."""
        return words(self.weighted) | {"target": listed([*map(named, self.provenance["columns"]["target"])])}

    @cached_property
    def numbers(self) -> dict[str, str]:
        """The measures of which there is one number, as sentences have them: people with their word, and shares."""
        values = {str(name): array.item() for name, array in self.measures.data_vars.items() if name in MEASURES and array.size == 1}
        return {name: self.people(x) if MEASURES[name].form == "count" else percent(x) for name, x in values.items()}

    def people(self, n: float) -> str:
        """A number of people, or of records where these have weights."""
        return f"{count(n)} {self.words['person' if n == 1 else 'people']}"

    def known(self, most: int, article: str = "") -> str:
        """The key columns, or how many where they are more than ``most``."""
        keys = list(self.provenance["columns"]["keys"])
        return listed([*map(named, keys)]) if len(keys) <= most else f"{article}{len(keys)} key columns"

    def people_right(self, x: float) -> str:
        """A share of the people as their number, with a decimal where they are few, unless they have weights."""
        n = int(self.measures.original_records.item())
        return percent(x) if "original_weight" in self.measures else part(x, n, int(n < 100))

    def commonest(self, i: int) -> dict[str, str]:
        """How many people are guessed right by naming the commonest target: with a release, without it, and with the original itself."""
        values = {
            "named": self.of(f"predictive_success_{self.unmatched}", i),
            "named_without": self.measures.baseline_predictive_success.item(),
            "named_with": self.measures.original_predictive_success.item(),
        }
        return {name: self.people_right(x) for name, x in values.items()}

    def at_most(self, name: str) -> str:
        """What is said before a p-value that is a bound."""
        return "at most " if AT_MOST in self.provenance["conventions"].get(name, "") else ""

    def say(self, text: str, **more: str) -> str:
        """One of the sentences of the room, with the words of the report in it."""
        return text.format_map({**self.words, **more})


def holds_people(provenance: Mapping[str, Any]) -> bool:
    """Whether the holdout holds people of the original, more than chance explains, so that it says nothing of others."""
    return "holdout_in_original" in provenance.get("copies", {})


def differing(found: Mapping[str, Any]) -> str:
    """In what original and holdout differ, for a sentence."""
    return listed(list(map(named, found["columns"]))) if found["columns"] else "the combinations of keys and target"


def level_names(found: xr.Dataset, width: int) -> list[str]:
    """Levels of the target as a table has them."""
    index = found.indexes["target"]
    return [shortened(", ".join(map(in_cell, level if index.nlevels > 1 else (level,))), width) for level in index]


def judged(
    measures: xr.Dataset, limits: Mapping[str, Limit], copies: Mapping[str, Any] | str, mismatched: Mapping[str, Sequence[str]]
) -> list[Judged]:
    """Each limit of a measure, and whether it is kept: by each table that the measure is of.

    Of an undefined measure, and of one that is not there, it could not be told; ``copies``, of the provenance, may have the reason. Nor can
    it where the value is below the limit, but levels of a column do not match (``mismatched``, {column: tables}): it may be too low.
    """
    found, why = [], copies if isinstance(copies, str) else copies.get("near", "undefined")
    absent = {name: why for name in MEASURES if ("copied_" if isinstance(copies, str) else "near_copied_") in name}
    if not isinstance(copies, str):
        absent["copied_beyond_chance"] = "not known: it could not be told"
    for name, given in limits.items():
        limit, reasons = (given["limit"], given) if isinstance(given, Mapping) else (given, {})
        values = measures.get(name, xr.DataArray(np.nan))
        labels = [list(values.indexes[dim]) for dim in values.dims]
        for where, value in zip(product(*labels), values.values.ravel().tolist(), strict=True):
            of = "".join(f" of {label!r}" for label in where) if values.size > 1 else ""
            shown = absent.get(name, "undefined") if np.isnan(value) else f"{value:.10g}"
            others = {*values.indexes.get("target_column", ())}.difference(where)
            doubt = [named(column) for column, of in mismatched.items() if column not in others and _compares(name, where, of)]
            kept: Verdict = UNTOLD if doubt else "kept"
            verdict: Verdict = UNTOLD if np.isnan(value) else kept if at_most(value, limit) else "broken"
            unsure = f", but levels of {listed(doubt)} do not match" if doubt and verdict == UNTOLD else ""
            told = {key: reasons[key] for key in REASONS if key in reasons}
            found.append(Judged(name, tuple(where), value, limit, told, verdict, f"{name}{of} is {shown} (limit {limit:.10g}){unsure}"))
    return found


def _compares(name: str, where: Sequence[Any], tables: Iterable[str]) -> bool:
    """Whether a measure of the tables with these labels matches the original's records with those of one of the tables."""
    if name not in MEASURES or not MEASURES[name].matches:
        return False
    of = {"synthetic", *(f"synthetic[{label!r}]" for label in where), *(["holdout"] if MEASURES[name].needs == "holdout" else [])}
    return any(table in of or (not where and table != "holdout") for table in tables)


def verdict_of(limits: Iterable[Judged]) -> Verdict | None:
    """The verdict on all limits; None where there are none."""
    return min((limit.verdict for limit in limits), key=VERDICTS.index, default=None)


# --- what the caller asks of releases: limits, a comparison, their utility, and an order -----------------------------------


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


def check_limits(limits: Mapping[str, Limit] | None, utility: Mapping[str, Any] | None) -> None:
    """Raise unless each limit is one of a measure of an audit, or of a utility."""
    if limits is not None and not isinstance(limits, Mapping):
        raise TypeError(f"`limits` must be a mapping of measures to numbers; got {type(limits).__name__}.")
    for name, limit in (limits or {}).items():
        if name not in (known := [*MEASURES, *(utility or {})]):
            raise ValueError(f"`limits` names {name!r}, which is no measure.{hint(name, known)}")
        check_limit(name, limit)


def check_limit(name: str, limit: Limit) -> None:
    """Raise unless a limit is a number, or a mapping of it and its reasons."""
    of = limit if isinstance(limit, Mapping) else {"limit": limit}
    check_named(f"limits[{name!r}]", of, ("limit", *REASONS), "no entry of a limit")
    check_number(of.get("limit"), f"limits[{name!r}]", "a number, or a mapping with it as limit")
    if wrong := [key for key in REASONS if not isinstance(of.get(key, ""), str)]:
        raise TypeError(f"`limits[{name!r}]` must have a text as {wrong[0]}; got {shown(of[wrong[0]])}.")


def with_utility(measures: xr.Dataset, utility: Mapping[str, Any] | None) -> xr.Dataset:
    """The measures with the numbers of the caller."""
    labels = list(measures.indexes["synthetic"]) if "synthetic" in measures.dims else None
    numbers = {name: _numbers(name, given, labels) for name, given in (utility or {}).items()}
    return measures.assign({name: x[0] if labels is None else ("synthetic", x) for name, x in numbers.items()})


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
