"""The numbers that a lesson takes from the library; its page holds them as JSON, and none is typed into a script."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

import numpy as np

from capstats.cap.average import average_cap, correct_predictions
from capstats.cap.baselines import baseline_cap
from capstats.cap.distribution import cap_ecdf
from capstats.counting.tabulate import tabulate
from capstats.datasets import example, paper_originals, paper_synthetics, smoking
from capstats.laws.attainable.extremes import maximum_cap
from capstats.laws.distribution.average import cap_law
from capstats.laws.distribution.exact import Atoms
from capstats.laws.models.cell_urns import Uniform
from capstats.tables.printing import percent
from capstats.tables.ties import at_most

FIFTH = 5  # all counts of the paper's Table 1 are multiples of it, so that twenty people have the shares of its hundred
POINTS = 241  # points of a curve
NAMES: Final = MappingProxyType({"ages": ["under 40", "40 to 65", "over 65"], "diagnoses": ["diabetes", "asthma", "heart disease"]})
"""What the lessons call the keys and the targets of the paper's 3 x 3 tables."""

TWO: Final = MappingProxyType({"ages": NAMES["ages"][1:], "diagnoses": ["asthma", "diabetes"]})
"""What they call those of its Table 1, whose counts are possible among the patients of `O_3`."""

VOTED: Final = (((0, 5), (2, 3), (1, 3)), ((4, 3), (4, 0), (5, 0)))
"""Thirty invented people by age, party and vote. No two-way count is below 3, and the three two-way tables have this one solution."""

FINITE: Final = {
    ("O_3", 10): (0.96450, 0.96451),
    ("O_3", 30): (0.98456, 0.98458),
    ("O_3", 900): (0.99555, 0.99558),
    ("O_4", 10): (0.95374, 0.95375),
    ("O_4", 30): (0.97896, 0.97898),
    ("O_4", 900): (0.99357, 0.99360),
}
"""Bounds of P(CAP(S) <= CAP(O)) by number of records, rounded outwards: kept, because `paper.no_riskier` takes seconds."""


def given(name: str) -> dict[str, Any]:
    """The numbers for the lesson of this name: tables as lists of rows, with a row for each target and a column for each key."""
    return {"number": _number, "hands": _hands, "law": figure_2, "protection": _protected, "tables": _tables}.get(name, _paper_tables)()


def _number() -> dict[str, Any]:
    """The sentences of reports, and the numbers of an example as the front sheet of its report has them."""
    from capstats.auditing.compute import Z
    from capstats.auditing.measures import SENTENCES, words

    tables = tabulate(**{name: x for name, x in example("anes96").items() if name != "provenance"})
    o, s = tables.o, tables.s
    found = {
        "average": average_cap(o, s, unmatched="nearest"),
        "baseline": baseline_cap(o),
        "original": average_cap(o, o),
        "named": correct_predictions(o, s, unmatched="nearest") / o.sum(),
        "named_without": baseline_cap(o, kind="modal"),
        "named_with": correct_predictions(o, o) / o.sum(),
        "sure": 1 - cap_ecdf(o, s, 0.9, unmatched="nearest"),
    }
    values = {name: percent(value.item()) for name, value in found.items()}
    return {
        "front": SENTENCES["front"],
        "number": SENTENCES["number"],
        "words": words([]) | {"target": "target"},
        "z": Z,
        "example": values,
    }


def _hands() -> dict[str, Any]:
    """Twenty of the patients: a fifth of the paper's Table 1, which is as possible among those of `O_3`; the release is rounded."""
    tables = smoking()
    return {"o": (tables.o.values // FIFTH).tolist(), "s": (tables.s.values / FIFTH).round().astype(int).tolist(), **TWO}


def _paper_tables() -> dict[str, Any]:
    """The 3 x 3 tables of the paper's section 4 by name."""
    o, s = paper_originals(), paper_synthetics()
    return {
        "originals": {str(name): o.sel(original=name).values.tolist() for name in o.original.values},
        "synthetics": {f"S_{name}": s.sel(synthetic=name).values.tolist() for name in s.synthetic.values},
        **NAMES,
    }


def _protected() -> dict[str, Any]:
    """Originals to protect: the paper's Table 1, and the two of its 3 x 3 tables in which the key tells something of the target."""
    o = paper_originals()
    return {"hundred": smoking().o.values.tolist(), **{name: o.sel(original=name).values.tolist() for name in ("O_3", "O_4")}, **NAMES}


def _tables() -> dict[str, Any]:
    """The three two-way tables of thirty people by age, party and vote; the joint table is not in the page."""
    columns = [[0, 1], [1, 2], [0, 2]]
    published = [{"columns": pair, "counts": np.sum(VOTED, axis=3 - sum(pair)).tolist()} for pair in columns]
    return {"names": [TWO["ages"], ["left", "centre", "right"], ["yes", "no"]], "ages": TWO["ages"], "published": published}


def figure_2() -> dict[str, Any]:
    """For each original its counts, the law of average CAP on a grid, and the probability of a table that is no riskier.

    `cdf` and `density` are those of `cap_law` in the limit of many records, at `POINTS` equal steps from `least` to `greatest`; they are
    missing where the law is one value. `finite` has bounds of the probability for tables of 10, 30 and 900 records.
    """
    originals = paper_originals()
    found = {str(name): _one(str(name), originals.sel(original=name, drop=True)) for name in originals.original.values}
    return {"originals": found, **NAMES}


def _one(name: str, o: Any) -> dict[str, Any]:
    law, itself = cap_law(o, Uniform()), average_cap(o, o).item()
    never = at_most(maximum_cap(o).item(), itself)  # no table is riskier: Lemma 1
    found = law.cdf(itself)
    numbers = {
        "o": o.values.tolist(),
        "itself": itself,
        "baseline": baseline_cap(o).item(),
        "least": law.least,
        "greatest": law.greatest,
        "limit": 1.0 if never else float(found.least + found.greatest) / 2,
        "finite": {str(m): [1.0, 1.0] if never else list(FINITE[name, m]) for m in (10, 30, 900)},
    }
    if isinstance(law, Atoms):
        return numbers
    curves = {what: getattr(law, what)(np.linspace(law.least, law.greatest, POINTS)) for what in ("cdf", "density")}
    return numbers | {what: ((found.least + found.greatest) / 2).values.tolist() for what, found in curves.items()}  # between the bounds
