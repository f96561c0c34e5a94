"""Sections of a report for the custodian: the answer in sentences, tables of measures, who bears the risk, and how to read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.findings import Findings
from capstats.auditing.holdout import AT_MOST, differing
from capstats.auditing.inputs import SIDE_BY_SIDE, facts
from capstats.auditing.measures import BY_COLUMN, MEASURES, Shown, in_table, words
from capstats.auditing.report import WIDTH, Block, Facts, Grid, Sections
from capstats.codes.names import in_cell, listed, named, shortened
from capstats.tables.printing import count, many, share

LABEL = 24  # characters of the label of a row, at most
HEADING = 14  # characters of the heading of a column, at most
DOTS = "..."  # for what is left out
SHOWN_LEVELS = 12  # levels of the target that have a row each
LEVELS = 6  # levels of the target, or key columns, that have a column each


def title(audit: Findings) -> str:
    """The first line of the report."""
    return f"capstats {audit.provenance['capstats']}: disclosure risk by Correct Attribution Probability (CAP)"


def text_sections(audit: Findings) -> Sections:
    """The whole report as it is printed."""
    heads = headings(audit.columns)
    one = audit.columns == [""]
    found: dict[str, Sequence[Block]] = {
        "Read this first": audit.provenance.get("warnings", []),
        "What was read": [Facts(facts(audit.measures, audit.provenance, audit.columns, heads))],
        "Answer": in_sentences(audit) if one else _compared(audit, heads),
        f"By {target_of(audit)}": by_level(audit, heads),
        "Details": measure_grid(audit, "one", heads) if one else _details(audit, heads),
        "How to read it": [Facts(notes(audit))],
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


# --- the answer -------------------------------------------------------------------------------------------------------


def attack(audit: Findings) -> str:
    """Who guesses what, and how."""
    keys = list(audit.provenance["columns"]["keys"])
    known = listed([*map(named, keys)]) if len(keys) <= SIDE_BY_SIDE else f"the {len(keys)} key columns"
    return (
        f"Somebody who knows {known} of a person (the keys) looks up the synthetic records with the same keys, picks one of them "
        f"{words_of(audit)['picked']}, and takes its {target_of(audit)} (the target) for the person's."
    )


def without_release(audit: Findings) -> str:
    """How often a guess is right without the synthetic data, and how often it would be with the original itself."""
    of, m = words_of(audit)["share"], audit.measures
    return (
        f"Without the synthetic data, a guess from the frequencies of {target_of(audit)} in the original is right for a {of} of "
        f"{share(m.baseline.item())}. If the original itself were released, the {of} would be {share(m.original_cap.item())}."
    )


def of_individuals(audit: Findings) -> str:
    """What the difference to the holdout is, as the end of a sentence."""
    if "holdout_differs" not in audit.provenance:
        return "is about individuals; the rest is inference about the population."
    return (
        f"is no measure of what is about individuals: original and holdout differ in {differing(audit.provenance['holdout_differs'])} by "
        f"more than chance allows."
    )


def _people(audit: Findings, n: Any) -> str:
    return f"{count(n)} {words_of(audit)['person' if n == 1 else 'people']}"


def in_sentences(audit: Findings) -> list[Block]:
    """The result for one release."""
    value = {str(name): array.item() for name, array in audit.measures.data_vars.items()}
    of, people = (words_of(audit)[word] for word in ("share", "people"))
    weighted = "original_weight" in value
    right = f"of the {_people(audit, value['original_records'])} in the original"
    right = (
        f"a {of} of {share(value['average_cap'])} {right}"
        if weighted
        else (f"{count(value['average_cap'] * value['original_records'])} {right}: a share of {share(value['average_cap'])}")
    )

    def those(name: str) -> str:
        return f"{_people(audit, value[f'records_{name}'])} ({f'{of} ' * weighted}{share(value[f'share_{name}'])})"

    answer = [f"{attack(audit)} The guess is expected to be right for {right} (average CAP).", without_release(audit)]
    if "holdout_cap" in value:
        answer.append(
            f"Of the {_people(audit, value['holdout_records'])} not used for synthesis, the guess is right for a {of} of "
            f"{share(value['holdout_cap'])}. The difference, {share(value['individual_disclosure'])} (standard error "
            f"{share(value['individual_disclosure_error'])}), {of_individuals(audit)}"
        )
    if "membership_p_value" in value:
        test = (
            "no test of disclosure, since original and holdout differ" if "holdout_differs" in audit.provenance else "a test of disclosure"
        )
        answer.append(
            f"If the labels of used and not used {people} were dealt anew, the difference would be as large with probability "
            f"{share(value['membership_p_value'])} ({test})."
        )
    if "permutation_p_value" in value:
        most = "at most " if AT_MOST in audit.provenance["conventions"]["permutation_p_value"] else ""
        answer.append(
            f"If the synthetic targets were permuted, average CAP would be as large with probability {most}"
            f"{share(value['permutation_p_value'])} (a test of utility; it is small for every useful release)."
        )
    answer.append(
        f"The guess is right with probability above 0.5 for {those('above_half')}, with probability above 0.9 for "
        f"{those('above_nine_tenths')}, and with certainty for {those('certain')}."
    )
    if value["unmatched_records"]:
        unmatched = _people(audit, value["unmatched_records"])
        answer.append(f"No synthetic record has the keys of {unmatched}; the guess counts as never right for them.")
    return list(answer)


def _compared(audit: Findings, heads: Sequence[str]) -> list[Block]:
    """The result for several releases: a row of numbers for each, and what the numbers are."""
    m, p = audit.measures, audit.provenance
    told: list[Block] = [f"{attack(audit)} The original has {_people(audit, m.original_records.item())}. {without_release(audit)}"]
    if "holdout_records" in m:
        used = f"The holdout has {_people(audit, m.holdout_records.item())} not used for synthesis."
        told.append(f"{used} The difference to them {of_individuals(audit)}")
    against = heads[[str(label) for label in m.indexes["synthetic"]].index(str(p["against"]))] if "against" in p else ""
    names = [*in_table("answer"), *p.get("utility", [])]
    columns = list(cells(audit, names, 3).values())
    return [*told, *ranked_by(audit), *beside([heads[i] for i in audit.ranked], columns), Facts(legend(audit, names, against))]


def _details(audit: Findings, heads: Sequence[str]) -> list[Block]:
    """Further numbers of each release, and what they are; a number that is the same for all releases is in the text alone."""
    found = cells(audit, in_table("details"), 4)
    alike = {column[0]: column[1] for column in found.values() if len(heads) > 1 and len(set(column[1:])) == 1}
    told = [(head, f"{alike[head]} for each: {text}" if head in alike else text) for head, text in legend(audit, list(found))]
    columns = [column for column in found.values() if column[0] not in alike]
    return [*beside([heads[i] for i in audit.ranked], columns), Facts(told)]


def ranked_by(audit: Findings) -> list[Block]:
    """By what the releases are ordered, if by anything."""
    asked = audit.provenance.get("rank_by")
    if asked is None:
        return []
    name = asked if asked in audit.measures else asked.removeprefix("-")
    first = "greatest" if name == asked else "least"
    return [f"The releases are in the order of {heading(name, HEADING) or named(name)}, that with the {first} first."]


# --- tables of measures -----------------------------------------------------------------------------------------------


def measure_grid(audit: Findings, table: Shown, heads: Sequence[str], caption: str = "") -> list[Block]:
    """The measures of a table: of one release a row each, of several a column each."""
    found = cells(audit, in_table(table), 4, on_page=True)
    if not found:
        return []
    if len(heads) == 1:
        return [Grid(["", ""], [[MEASURES[name].row.format(**words_of(audit)), column[1]] for name, column in found.items()], caption)]
    return [grid([heads[i] for i in audit.ranked], found.values(), caption)]


def grid(labels: Sequence[str], columns: Iterable[Sequence[str]], caption: str = "") -> Grid:
    """A row for each release; each column has its heading first."""
    head, *rows = map(list, zip(["synthetic", *labels], *columns, strict=True))
    return Grid(head, rows, caption)


def cells(audit: Findings, names: Iterable[str], digits: int, longest: int = HEADING, *, on_page: bool = False) -> dict[str, list[str]]:
    """Of each measure that there is the heading of a column, and its numbers as text, in the order of the releases."""
    found = {}
    for name in names:
        if name in audit.measures:
            values = np.broadcast_to(audit.measures[name].values, len(audit.columns))[audit.ranked]
            found[name] = [heading(name, longest, on_page=on_page), *(number(name, x, digits) for x in values)]
    return found


def heading(name: str, longest: int, *, on_page: bool = False) -> str:
    """The heading of the column of a measure, or of a number of the caller's, whose name is shortened."""
    if name not in MEASURES:
        return shortened(in_cell(name), longest)
    return MEASURES[name].on_page if on_page and MEASURES[name].on_page else MEASURES[name].heading


def legend(audit: Findings, names: Sequence[str], against: str = "", longest: tuple[int, int] = (HEADING, 10_000)) -> list[tuple[str, str]]:
    """What the columns of measures hold; names of the caller's numbers are shortened as headings, and as texts."""
    told = {**words_of(audit), "against": against}
    return [
        (
            heading(name, longest[0]),
            MEASURES[name].meaning.format(**told) if name in MEASURES else f"{shortened(named(name), longest[1])}, as given",
        )
        for name in names
        if name in audit.measures
    ]


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


def beside(labels: Sequence[str], columns: Iterable[Sequence[str]]) -> list[Block]:
    """Columns of text, each with its heading first, beside the labels of their rows: as many tables as the width of a line makes."""
    room = WIDTH - 2 - max(map(len, ["synthetic", *labels]))
    parts: list[list[Sequence[str]]] = []
    left = 0
    for column in columns:
        wide = max(map(len, column)) + 2
        if wide > left:
            parts.append([])
            left = room
        parts[-1].append(column)
        left -= wide
    return [grid(labels, part) for part in parts]


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
    names = ("average_cap", "baseline", "records_above_half", "records_above_nine_tenths", "records_certain")
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
        ("average_cap", f"Average CAP of the {people} with each level:"),
        ("records_above_nine_tenths", f"Number of these {people} for whom the guess is right with probability above 0.9:"),
    ):
        values = shown[name].transpose("target", "synthetic").values[:, audit.ranked]
        columns = [
            [shortened(level, max(room, 10)), n, *(number(name, x) for x in row)]
            for level, n, row in zip(levels, held, values, strict=True)
        ]
        blocks += [what, *beside([people, *(heads[i] for i in audit.ranked)], columns)]
    return blocks


def added_by_column(found: xr.Dataset, heads: Sequence[str], order: Sequence[int]) -> list[Block]:
    """What each key column adds to average CAP, a row for each release; those columns that add most to any release."""
    which = "shapley" if "shapley" in found else "leave_one_out"
    shares = found[which].transpose("key_column", "synthetic").values
    most = np.sort(np.argsort(-np.abs(shares).max(axis=1), kind="stable")[:LEVELS])
    columns = [[shortened(in_cell(str(found.indexes["key_column"][c])), HEADING), *(share(shares[c, i]) for i in order)] for c in most]
    rest = len(shares) - len(most)
    more = [f"Not shown: {many(rest, 'column')} that {'add' if rest > 1 else 'adds'} less."] if rest else []
    return [BY_COLUMN[which].meaning, *beside([heads[i] for i in order], columns), *more]


# --- notes ------------------------------------------------------------------------------------------------------------


def notes(audit: Findings) -> list[tuple[str, str]]:
    """What the words of the report mean."""
    w, p = words_of(audit), audit.provenance
    told = [
        (
            "CAP",
            f"of one person: the {w['by_weight']}share of the synthetic records with the same keys that have the person's target; or 0",
        ),
        (
            "baseline",
            f"the sum of the squared {w['weighted']}shares of {target_of(audit)} in the original; of {w['people']} with one level, the "
            f"level's share",
        ),
        ("attainable", f"by any synthetic table, however large, with the targets and keys that {_domain(p)}"),
        (
            "commonest",
            f"the guess names the {w['commonest']} target of the synthetic records with the same keys; where several targets are tied, one "
            f"of them is named at random, so the number of {w['people']} may be fractional",
        ),
        ("versions", "1 and 2 are what Baillargeon and Charest call the two averages"),
    ]
    if w["weighted"]:
        told.append(("weighted", "numbers and quantiles count each record once; shares weigh it; standard errors use the squared weights"))
    for name, what in (("quantiles", "quantiles of the CAP of one person"), ("individual_disclosure", "the comparison with the holdout")):
        if name in p:
            told.append(("not given", f"{what}: {p[name]}"))
    return [*told, ("confidential", f"as the original is: the report names levels however few {w['people']} have them")]


def _domain(p: Mapping[str, Any]) -> str:
    sizes = p["domain"]
    return f"it or the original has ({sizes['targets']} x {sizes['keys']})" if isinstance(sizes["keys"], int) else "it or the original has"
