"""Sections of a report for the custodian: the answer in sentences, tables of measures, who bears the risk, and how to read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.compute import Z
from capstats.auditing.findings import Findings
from capstats.auditing.holdout import AT_MOST, differing, holds_people
from capstats.auditing.inputs import SIDE_BY_SIDE, facts
from capstats.auditing.measures import BY_COLUMN, MEASURES, SENTENCES, Shown, in_table, words
from capstats.auditing.report import WIDTH, Block, Facts, Grid, Sections, beside
from capstats.codes.names import in_cell, listed, named, shortened
from capstats.tables.printing import count, many, share

LABEL = 24  # characters of the label of a row, at most
HEADING = 14  # characters of the heading of a column, at most
LONGEST = 64  # characters of a name in a sentence, at most
DOTS = "..."  # for what is left out
SHOWN_LEVELS = 12  # levels of the target that have a row each
ANSWER = SENTENCES["answer"]
HIGH = 0.95  # probability of at most this average CAP, from which a release is among the highest of its generator
LEVELS = 6  # levels of the target, or key columns, that have a column each


def text_sections(audit: Findings) -> Sections:
    """The report as it is printed, below the front sheet."""
    heads = headings(audit.columns)
    one = audit.columns == [""]
    found: dict[str, Sequence[Block]] = {
        "What was read": [Facts(facts(audit.measures, audit.provenance, audit.columns, heads))],
        "Answer": in_sentences(audit) if one else _compared(audit, heads),
        f"By {target_of(audit)}": by_level(audit, heads),
        "Details": measure_grid(audit, "one", heads) if one else _details(audit, heads),
        "How to read it": [Facts([*notes(audit), ("made with", f"capstats {audit.provenance['capstats']}")])],
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def words_of(audit: Findings) -> dict[str, str]:
    """The words of the report, as the weights of the tables have them."""
    return words(weighted_tables(audit))


def weighted_tables(audit: Findings) -> list[str]:
    """The tables whose records have sampling weights."""
    return [table for table in ("original", "synthetic") if f"{table}_weight" in audit.measures]


def target_of(audit: Findings) -> str:
    """The column, or the columns, to guess."""
    return listed([*map(named, audit.provenance["columns"]["target"])])


def percent(x: float) -> str:
    """A share in per cent."""
    if np.isnan(x):
        return "undefined"
    if 0.995 <= x < 1:
        return ">99%"
    if 0 < abs(x) < 0.005:
        return f"{100 * x:.1f}%".replace("-", "\u2212") if abs(x) >= 0.0005 else "<0.1%" if x > 0 else "0%"
    return f"{100 * x:.0f}%".replace("-", "\u2212")


# --- the answer -------------------------------------------------------------------------------------------------------


def say(audit: Findings, text: str, **more: str) -> str:
    """One of `SENTENCES`, or another text of the room, with the words of the report in it."""
    return text.format_map({**words_of(audit), "target": target_of(audit), **more})


def numbers_of(audit: Findings) -> dict[str, str]:
    """The measures of which there is one number, as sentences have them: people with their word, and shares."""
    m, w = audit.measures, words_of(audit)
    values = {str(name): array.item() for name, array in m.data_vars.items() if name in MEASURES and array.size == 1}
    people = {name: f"{count(n)} {w['person' if n == 1 else 'people']}" for name, n in values.items() if MEASURES[name].form == "count"}
    return {name: people[name] if name in people else share(x) for name, x in values.items()}


def attack(audit: Findings) -> str:
    """Who guesses what, and how."""
    keys = list(audit.provenance["columns"]["keys"])
    return say(audit, ANSWER["attack"], known=listed([*map(named, keys)]) if len(keys) <= SIDE_BY_SIDE else f"the {len(keys)} key columns")


def of_individuals(audit: Findings) -> str:
    """What the difference to the holdout is, as the end of a sentence."""
    m, differs = audit.measures, audit.provenance.get("holdout_differs")
    if differs:
        return say(audit, ANSWER["no_individuals"], differing=differing(differs))
    if holds_people(audit.provenance):
        return str(ANSWER["no_holdout"])
    if "individual_gain" in m and (m.individual_gain <= Z * m.individual_gain_error).all():
        return str(ANSWER["by_chance"])
    return str(ANSWER["individuals"])


def in_sentences(audit: Findings) -> list[Block]:
    """The result for one release."""
    m, p = audit.measures, audit.provenance
    weighted = "original_weight" in m
    numbers = {
        **numbers_of(audit),
        "average": share(m[audit.average].item()),
        "expected": count(m[audit.average].item() * m.original_records.item()),
        "version": ANSWER["version"][audit.unmatched],
        **commonest(audit, 0),
        "unmatched": ANSWER[audit.unmatched],
        "individuals": of_individuals(audit),
        "test": ANSWER["no_test" if "holdout_differs" in p else "test"],
        "most": at_most_this(audit, "permutation_p_value"),
        "of": f"{words_of(audit)['share']} " if weighted else "",
    }
    said = {
        "right_weighted" if weighted else "right": True,
        "without_release": True,
        "commonest": True,
        "holdout": "holdout_cap" in m,
        "membership": "membership_p_value" in m,
        "permutation": "permutation_p_value" in m,
        "surely": True,
        "unmatched": m.unmatched_records.item() != 0,
    }
    first, *more = (say(audit, ANSWER[name], **numbers) for name, known in said.items() if known)
    return [f"{attack(audit)} {first}", *more, *among_sisters(audit)]


def commonest(audit: Findings, i: int) -> dict[str, str]:
    """How many people are guessed right by naming the commonest target: with a release, without it, and with the original itself."""
    m = audit.measures
    values = {
        "named": np.atleast_1d(m[f"predictive_success_{audit.unmatched}"].values)[i],
        "named_without": m.baseline_predictive_success.item(),
        "named_with": m.original_predictive_success.item(),
    }
    return {name: people_right(audit, x) for name, x in values.items()}


def people_right(audit: Findings, x: float) -> str:
    """A share of the people as their number, unless they have weights."""
    return share(x) if "original_weight" in audit.measures else count(round(x * audit.measures.original_records.item()))


def among_sisters(audit: Findings) -> list[str]:
    """What releases of the generator have, and where one release is among them."""
    m = audit.measures
    if "generator_p_value" not in m:
        return []
    error = f"; standard error of the mean {share(m.generator_mean_error.item())}" if "generator_mean_error" in m else ""
    high = (m.generator_p_value >= HIGH) & (m.average_cap_zero > m.generator_mean)
    most = at_most_this(audit, "generator_p_value")
    return [say(audit, ANSWER["sisters"], error=error, most=most, high=ANSWER["sisters_high"] if high else "", **numbers_of(audit))]


def at_most_this(audit: Findings, name: str) -> str:
    """What is said before a p-value that is a bound."""
    return "at most " if AT_MOST in audit.provenance["conventions"].get(name, "") else ""


def _compared(audit: Findings, heads: Sequence[str]) -> list[Block]:
    """The result for several releases: a row of numbers for each, and what the numbers are."""
    m, p = audit.measures, audit.provenance
    numbers = numbers_of(audit)
    without = say(audit, ANSWER["without_release"], **numbers)
    sentences: list[Block] = [f"{attack(audit)} The original has {numbers['original_records']}. {without}"]
    if "holdout_records" in m:
        used = f"The holdout has {numbers['holdout_records']} not used for synthesis."
        sentences.append(f"{used} The difference to them {of_individuals(audit)}")
    names = [*in_table("answer", m), *p.get("utility", [])]
    columns = list(cells(audit, names, 3).values())
    return [*sentences, *ranked_by(audit), *beside(rows_of(audit, heads), columns), Facts(legend(audit, heads, names))]


def _details(audit: Findings, heads: Sequence[str]) -> list[Block]:
    """Further numbers of each release, and what they are; a number that is the same for all releases is in the text alone."""
    found = cells(audit, in_table("details", audit.measures), 4)
    alike = {column[0]: column[1] for column in found.values() if len(heads) > 1 and len(set(column[1:])) == 1}
    meanings = [(head, f"{alike[head]} for each: {text}" if head in alike else text) for head, text in legend(audit, heads, list(found))]
    columns = [column for column in found.values() if column[0] not in alike]
    return [*beside(rows_of(audit, heads), columns), Facts(meanings)]


def ranked_by(audit: Findings) -> list[Block]:
    """By what the releases are ordered, if by anything."""
    asked = audit.provenance.get("rank_by")
    if asked is None:
        return []
    name = asked if asked in audit.measures else asked.removeprefix("-")
    shown = heading(name, HEADING) or named(name)
    return [say(audit, ANSWER["ranked"], heading=shown, first="greatest" if name == asked else "least")]


# --- tables of measures -----------------------------------------------------------------------------------------------


def measure_grid(audit: Findings, table: Shown, heads: Sequence[str]) -> list[Block]:
    """The measures of a table: of one release a row each, of several a column each."""
    found, caption = cells(audit, in_table(table, audit.measures), 4), say(audit, SENTENCES["tables"].get(table, ""))
    if not found:
        return []
    if len(heads) == 1:
        return [Grid(["", ""], [[say(audit, MEASURES[name].row), column[1]] for name, column in found.items()], caption)]
    return [Grid.of_columns(rows_of(audit, heads), found.values(), caption)]


def rows_of(audit: Findings, heads: Sequence[str]) -> list[str]:
    """The first column of a table of several releases, with its heading."""
    return ["synthetic", *(heads[i] for i in audit.ranked)]


def cells(audit: Findings, names: Iterable[str], digits: int, longest: int = HEADING) -> dict[str, list[str]]:
    """Of each measure that there is the heading of a column, and its numbers as text, in the order of the releases."""
    found = {}
    for name in names:
        if name in audit.measures:
            values = np.broadcast_to(audit.measures[name].values, len(audit.columns))[audit.ranked]
            found[name] = [heading(name, longest), *(number(name, x, digits) for x in values)]
    return found


def heading(name: str, longest: int) -> str:
    """The heading of the column of a measure, or of a number of the caller's, whose name is shortened."""
    return MEASURES[name].heading if name in MEASURES else shortened(in_cell(name), longest)


def legend(audit: Findings, heads: Sequence[str], names: Sequence[str], longest: int = HEADING) -> list[tuple[str, str]]:
    """The headings of the columns of measures, and what these hold."""
    p, labels = audit.provenance, [str(label) for label in audit.measures.indexes.get("synthetic", [])]
    against = heads[labels.index(str(p["against"]))] if "against" in p else ""
    meanings = {name: f"{shortened(named(name), LONGEST)}, as given" for name in p.get("utility", [])}
    meanings |= {name: say(audit, measure.meaning, against=against) for name, measure in MEASURES.items()}
    return [(heading(name, longest), meanings[name]) for name in names if name in audit.measures]


def number(name: str, value: Any, digits: int = 3) -> str:
    """A measure as text; a number of the caller's, of which nothing is known, with up to five significant digits."""
    if name not in MEASURES:
        return "undefined" if np.isnan(value) else f"{value:.5g}"
    return count(value) if MEASURES[name].form == "count" else share(value, digits)


def headings(labels: Sequence[str], longest: int = LABEL) -> list[str]:
    """The labels of the synthetic tables as headings of rows: numbered and shortened where one is too long."""
    shown = [in_cell(label) if label else "" for label in labels]
    if max(map(len, shown)) <= longest:
        return shown
    room = longest - len(f"{len(shown)} ")
    first, last = (_alike(texts) for texts in (shown, [text[::-1] for text in shown]))
    differ = max(map(len, shown)) - first - last  # characters of the part in which they differ
    start = first - min(first, max(room - differ - 2 * len(DOTS), 0))  # with as much before it as there is room for
    texts = [DOTS * bool(start) + text[start:] for text in shown]
    if differ + 2 * len(DOTS) > room:
        texts = [shortened(text[first : len(text) - last] or text, room) for text in shown]
    return [f"{i} {text if len(text) <= room else text[: room - len(DOTS)] + DOTS}" for i, text in enumerate(texts, 1)]


def _alike(texts: Sequence[str]) -> int:
    """How many characters the texts have in common at their start."""
    return sum(1 for _ in takewhile(lambda signs: len(set(signs)) == 1, zip(*texts, strict=False)))


# --- who bears the risk -----------------------------------------------------------------------------------------------


def by_level(audit: Findings, heads: Sequence[str]) -> list[Block]:
    """The people with each level of the target, those levels that most people have."""
    found, people = audit.by_target, words_of(audit)["people"]
    several = "synthetic" in found.dims
    most = np.argsort(-found.records.values, kind="stable")[: LEVELS if several else SHOWN_LEVELS]
    shown = found.isel(target=np.sort(most))
    levels = [", ".join(map(in_cell, x)) if isinstance(x, tuple) else in_cell(x) for x in shown.indexes["target"]]
    held = list(map(count, shown.records.values))
    rest = found.sizes["target"] - len(most)
    more = [f"Not shown: {many(rest, 'level')} with fewer {people}."] if rest else []
    if several:
        return [*_levels_of_releases(audit, shown, levels, held, heads), *more]
    names = (audit.average, "baseline", "records_above_half", "records_above_nine_tenths", "records_certain")
    columns = [[number(name, x) for x in shown[name].values] for name in names]
    rows = [[shortened(level, 40), *row] for level, *row in zip(levels, held, *columns, strict=True)]
    return [Grid([target_of(audit), people, *(MEASURES[name].heading for name in names)], rows), *more]


def _levels_of_releases(
    audit: Findings, shown: xr.Dataset, levels: Sequence[str], held: Sequence[str], heads: Sequence[str]
) -> list[Block]:
    """Of the people with each level of the target, how many are guessed right, a row for each release."""
    people = words_of(audit)["people"]
    room = (WIDTH - 2 - max(map(len, [*heads, "synthetic"]))) // len(levels) - 2
    blocks: list[Block] = []
    for name, what in (
        (audit.average, f"Average CAP of the {people} with each level:"),
        ("records_above_nine_tenths", f"Number of these {people} for whom the guess is right with probability above 0.9:"),
    ):
        values = shown[name].transpose("target", "synthetic").values[:, audit.ranked]
        columns = [
            [shortened(level, max(room, 10)), n, *(number(name, x) for x in row)]
            for level, n, row in zip(levels, held, values, strict=True)
        ]
        blocks += [what, *beside(["synthetic", people, *(heads[i] for i in audit.ranked)], columns)]
    return blocks


def added_by_column(found: xr.Dataset, heads: Sequence[str], order: Sequence[int]) -> list[Block]:
    """What each key column adds to average CAP, a row for each release; those columns that add most to any release."""
    which = "shapley" if "shapley" in found else "leave_one_out"
    shares = found[which].transpose("key_column", "synthetic").values
    most = np.sort(np.argsort(-np.abs(shares).max(axis=1), kind="stable")[:LEVELS])
    columns = [[shortened(in_cell(str(found.indexes["key_column"][c])), HEADING), *(share(shares[c, i]) for i in order)] for c in most]
    rest = len(shares) - len(most)
    more = [f"Not shown: {many(rest, 'column')} that {'add' if rest > 1 else 'adds'} less."] if rest else []
    return [BY_COLUMN[which].meaning, *beside(["synthetic", *(heads[i] for i in order)], columns), *more]


# --- notes ------------------------------------------------------------------------------------------------------------


def notes(audit: Findings) -> list[tuple[str, str]]:
    """What the words of the report mean."""
    p, sizes = audit.provenance, audit.provenance["domain"]
    domain = f" ({sizes['targets']} x {sizes['keys']})" if isinstance(sizes["keys"], int) else ""
    weighted = "original" in weighted_tables(audit)
    found = [
        (name, say(audit, text, domain=domain, unmatched=ANSWER["or"][audit.unmatched]))
        for name, text in SENTENCES["notes"].items()
        if name != "weighted" or weighted
    ]
    what = {
        "quantiles": "quantiles of the CAP of one person",
        "average_cap_nearest": "average CAP with the nearest keys",
        "individual_disclosure": "the comparison with the holdout",
        "weighted_matches": "links to the population",
    }
    return [*found[:-1], *(("not given", f"{what[name]}: {p[name]}") for name in what if name in p), found[-1]]
