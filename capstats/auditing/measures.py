"""The one list of the numbers of an audit: what reports call each of them, where they show it, what it means, and what may be public.

The list is `measures.toml`. To add a row to the reports is to add an entry there, which names the function that computes it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal

import numpy as np

from capstats.tables.printing import counts, shares

AT_MOST = "at most this, by the exact mean and standard deviation"  # the convention of a probability that has no exact value
THEORY = "theory/"  # folder of the documentation that comes with the source code of capstats

Shown = Literal[  # tables of the printed report, and from "releases" on of the internal page, which `internal_sections` gives their titles
    "answer", "details", "one", "releases", "matched", "surely", "quantiles", "certain", "population", "bounds", "errors", "sisters"
]


OnScale = Literal["zero", "nearest"]


@dataclass(frozen=True)
class Term:
    """A definition: what a term means, in `words`; the statement of the documentation with its proof; its source in the list, if any."""

    meaning: str
    statement: str
    source: str = ""


@dataclass(frozen=True)
class Measure:
    """A number of an audit, as reports show it; its texts are formats of `words`.

    ``function``, of a module of this room, computes it from what an audit is asked: one number of each release, or several by the names of
    their measures, without those that the tables do not give. ``row`` is its row in a table of one release (two spaces before it: a part of
    the row above), ``heading`` its column in a table of several, and ``meaning`` what the column holds. ``tables`` show it, in the order of
    the list: the printed report has "answer" and "details" of several releases, and "one" of one release; the others are on the internal
    page. ``terms`` are the entries of ``[terms]`` that explain it. It is ``high_against`` other measures, or fixed values with what has
    them, which reports show beside a limit on it. ``public`` is its row or column in the public version: what has none is confidential.
    Where the measure that it is ``in_place_of`` is not computed, the tables of that one show it. It is a ``quantile``, if any, of
    individual CAP. ``needs`` is the argument of `audit` without which it is not computed. It ``matches`` records of different tables by the
    labels of keys and target, unless it is of one table, or compares whole records, in which levels in two spellings are one.
    """

    function: str
    row: str = ""
    heading: str = ""
    meaning: str = ""
    tables: Sequence[Shown] = ()
    in_place_of: str = ""
    form: Literal["share", "count"] = "share"
    terms: Collection[str] = ()
    high_against: Sequence[str] = ()
    public: str = ""
    quantile: float | None = None
    matches: bool = True
    needs: Literal["", "holdout", "against", "generator", "population", "population_size", "published", "weights"] = ""


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("capstats.auditing").joinpath(name).read_text(encoding="utf-8"))


SENTENCES = _read("sentences.toml")
_LIST = _read("measures.toml")
TERMS = {name: Term(**term) for name, term in _LIST["terms"].items()}
MEASURES = {name: Measure(**measure) for name, measure in _LIST["measures"].items()}
BY_COLUMN = {name: Measure("compute.by_column", **measure) for name, measure in _LIST["by_column"].items()}  # of `Audit.by_column`
OF_TARGET = {name: Measure("several_targets.measured", **measure) for name, measure in _LIST["of_target"].items()}  # of `TargetAudits`


def in_table(table: Shown, found: Collection[Any]) -> list[str]:
    """The measures that a table shows, in its order, of those that were ``found``."""

    def tables(name: str) -> Sequence[Shown]:
        instead = MEASURES[name].in_place_of
        return MEASURES[name].tables if instead in ("", *found) else MEASURES[instead].tables

    return [name for name in MEASURES if name in found and table in tables(name)]


def convention(found: Collection[Any]) -> OnScale:
    """What unmatched keys guess in everything before the details: "zero" where the nearest cannot be had."""
    return "nearest" if "average_cap_nearest" in found else "zero"


def computed(**given: bool) -> list[str]:
    """The measures that an audit can have, without those that need what is not given: computed(holdout=False)."""
    return [name for name, measure in MEASURES.items() if given.get(measure.needs, True)]


def words(weighted: Collection[str]) -> dict[str, str]:
    """Words that depend on which tables, of "original" and "synthetic", have sampling weights.

    Each record is one person unless it has a weight: the number of people is then unknown.
    """
    original, synthetic = ("original" in weighted), ("synthetic" in weighted)
    people, share = ("records", "weighted share") if original else ("people", "share")
    return {
        "people": people,
        "People": people.capitalize(),
        "person": "record" if original else "person",
        "weighted": "weighted " if original else "",
        "share": share,
        "Share": share.capitalize(),
        "by_weight": "weighted " if synthetic else "",
        "commonest": "commonest (by weight)" if synthetic else "commonest",
        "picked": "with a probability in proportion to its sampling weight" if synthetic else "at random",
    }


def definitions(names: Collection[str], weighted: Collection[str] = ()) -> list[tuple[str, str, list[tuple[str, str | None]]]]:
    """The terms that explain the measures named; ``weighted`` are the tables whose records have sampling weights."""
    wanted = {term for name, measure in (MEASURES | BY_COLUMN).items() if name in names for term in measure.terms}
    own = words(weighted)
    sources = {key: (text, *address, None)[:2] for key, (text, *address) in _LIST["sources"].items()}
    return [
        (name, term.meaning.format(**own), [(f"{THEORY}{term.statement}", None), *([sources[term.source]] if term.source else [])])
        for name, term in TERMS.items()
        if name in wanted
    ]


def numbers(name: str, values: Iterable[Any], digits: int = 3) -> list[str]:
    """A measure of several releases or people as text; numbers of the caller's, of which nothing is known, with five significant digits."""
    if name not in MEASURES:
        return ["undefined" if np.isnan(value) else f"{value:.5g}" for value in values]
    return counts(values) if MEASURES[name].form == "count" else shares(values, digits)
