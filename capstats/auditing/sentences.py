"""Text of an audit: the result in sentences, the distribution of the risk, and the details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.report import WIDTH, Block, Facts, Grid, Sections, count, many, share
from capstats.auditing.what_was_read import SIDE_BY_SIDE, facts
from capstats.codes.printable import in_cell, listed, named, shortened

SHOWN_LEVELS = 12  # levels of the target that are listed
SIDE_LEVELS = 6  # the same where they are columns

# measure -> what it says, whether it is a share or a number of people, and its heading where synthetic tables are rows
ANSWER = {
    "average_cap": ("average CAP: share expected to be guessed right", "share", "average CAP"),
    "baseline": ("  without synthetic data (baseline)", "share", ""),
    "original_cap": ("  if the original itself were released", "share", ""),
    "holdout_cap": ("  {people} not used for synthesis (holdout)", "share", "holdout"),
    "individual_disclosure": ("  difference between used and not used", "share", "difference"),
    "individual_disclosure_error": ("    its standard error", "share", "error"),
    "difference": ("  difference to {against}", "share", "to {against}"),
    "difference_error": ("    its standard error", "share", "its error"),
    "records_above_half": ("{people} guessed right with probability > 0.5", "count", "> 0.5"),
    "records_above_nine_tenths": ("  > 0.9", "count", "> 0.9"),
    "records_certain": ("  with certainty", "count", "certain"),
    "unmatched_records": ("{people} whose keys no synthetic record has", "count", "unmatched"),
}
DETAILS = {
    "matched_share": ("share of {people} whose keys are in the synthetic data", "share", "matched"),
    "average_cap": ("average CAP, unmatched {people} count 0 (version 1)", "share", "version 1"),
    "average_cap_least": ("  least attainable", "share", "least"),
    "average_cap_greatest": ("  greatest attainable", "share", "greatest"),
    "average_cap_matched": ("average CAP of the matched {people} (version 2)", "share", "version 2"),
    "average_cap_matched_least": ("  least attainable", "share", "its least"),
    "average_cap_matched_greatest": ("  greatest attainable", "share", "its greatest"),
}
OF_ONE = {
    "individual_cap_least": ("CAP of one person: least", "share", "least"),
    "individual_cap_lower_quartile": ("  lower quartile", "share", "0.25"),
    "individual_cap_median": ("  median", "share", "median"),
    "individual_cap_upper_quartile": ("  upper quartile", "share", "0.75"),
    "individual_cap_upper_decile": ("  0.9 quantile", "share", "0.9"),
    "individual_cap_upper_percentile": ("  0.99 quantile", "share", "0.99"),
    "individual_cap_greatest": ("  greatest", "share", "greatest"),
    "predictive_success": ("share guessed right by the commonest target", "share", "commonest"),
    "correct_predictions": ("  number of {people}", "count", ""),
}
Rows = Mapping[str, tuple[str, str, str]]


def title(provenance: Mapping[str, Any]) -> str:
    """The first line of the report."""
    return f"capstats {provenance['capstats']}: disclosure risk by Correct Attribution Probability (CAP)"


def sections(measures: xr.Dataset, by_target: xr.Dataset, provenance: Mapping[str, Any], labels: Sequence[str]) -> Sections:
    """The whole report; ``labels`` are those of the synthetic tables, or one empty text for a single one."""
    heads = headings(labels, _room(labels))
    one = labels == [""]
    found: dict[str, list[Block]] = {
        "Read this first": list(provenance.get("warnings", [])),
        "What was read": [Facts(facts(measures, provenance, labels, heads))],
        "Answer": in_sentences(measures, provenance) if one else compared(measures, provenance, heads),
        f"By {target_of(provenance)}": by_level(by_target, provenance, labels, heads, unit(measures)),
        "Details": grids(measures, provenance, [DETAILS, OF_ONE], heads, digits=4),
        "How to read it": [Facts(notes(measures, provenance))],
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def in_order(
    measures: xr.Dataset, by_target: xr.Dataset, provenance: Mapping[str, Any], labels: Sequence[str], order: Sequence[int]
) -> tuple[xr.Dataset, xr.Dataset, dict[str, Any], list[str]]:
    """The same with the synthetic tables in another order."""
    measures, by_target = (x.isel(synthetic=list(order)) if "synthetic" in x.dims else x for x in (measures, by_target))
    told = dict(provenance)
    if isinstance(told.get("synthetic"), list):
        told["synthetic"] = [told["synthetic"][i] for i in order]
        told["files"] = {**told["files"], "synthetic": [told["files"]["synthetic"][i] for i in order]}
    return measures, by_target, told, [labels[i] for i in order]


def _room(labels: Sequence[str]) -> int:
    """Characters of a heading: of a row where there are many synthetic tables, of a column where there are few."""
    longest = max(len(text) for rows in (ANSWER, DETAILS, OF_ONE) for text, _, _ in rows.values())
    return 24 if len(labels) > SIDE_BY_SIDE else (WIDTH - 2 - longest) // len(labels) - 2


def headings(labels: Sequence[str], room: int) -> list[str]:
    """The labels of the synthetic tables as headings of columns or rows: numbered and shortened where they are too long."""
    shown = [in_cell(label) if label else "" for label in labels]
    if max(map(len, shown)) <= room:
        return shown
    first, last = (_alike(texts) for texts in (shown, [text[::-1] for text in shown]))
    own = [text[first : len(text) - last] for text in shown]  # the parts in which the labels differ, if all have one
    shown = own if all(own) else shown
    return [f"{i} {shortened(label, room - len(f'{i} '))}" if room >= 12 else str(i) for i, label in enumerate(shown, 1)]


def _alike(texts: Sequence[str]) -> int:
    """How many characters the texts have in common at their start."""
    return sum(1 for _ in takewhile(lambda signs: len(set(signs)) == 1, zip(*texts, strict=False)))


# --- the answer -------------------------------------------------------------------------------------------------------


def attack(p: Mapping[str, Any]) -> str:
    keys = list(p["columns"]["keys"])
    known = listed([*map(named, keys)]) if len(keys) <= SIDE_BY_SIDE else f"the {len(keys)} key columns"
    return (
        f"Somebody who knows {known} of a person (the keys) looks up the synthetic records with the same keys, picks one of them at "
        f"random, and takes its {target_of(p)} (the target) for the person's."
    )


def unit(m: xr.Dataset) -> str:
    """The unit of the numbers: people, if each record is one person; for weighted records the number of people is unknown."""
    return "records" if "original_weight" in m else "people"


def _number(n: Any, m: xr.Dataset) -> str:
    one = "record" if "original_weight" in m else "person"
    return f"{count(n)} {one if n == 1 else unit(m)}"


def _share(m: xr.Dataset) -> str:
    return "weighted share" if "original_weight" in m else "share"


def in_sentences(m: xr.Dataset, p: Mapping[str, Any]) -> list[Block]:
    value = {str(name): array.item() for name, array in m.data_vars.items()}
    everybody = f"{_number(value['original_records'], m)} in the original"
    right = f"{count(value['average_cap'] * value['original_records'])} of the {everybody}: a share of {share(value['average_cap'])}"
    if "original_weight" in value:
        right = f"a weighted share of {share(value['average_cap'])} of the {everybody}"

    def those(name: str) -> str:
        of = "weighted share " if "original_weight" in value else ""
        return f"{_number(value[f'records_{name}'], m)} ({of}{share(value[f'share_{name}'])})"

    answer = [
        f"{attack(p)} The guess is expected to be right for {right} (average CAP).",
        f"Without the synthetic data, a guess from the frequencies of {target_of(p)} in the original is right for a {_share(m)} of "
        f"{share(value['baseline'])}. If the original itself were released, the share would be {share(value['original_cap'])}.",
    ]
    if "holdout_cap" in value:
        answer.append(
            f"Of the {_number(value['holdout_records'], m)} not used for synthesis, the guess is right for a {_share(m)} of "
            f"{share(value['holdout_cap'])}. The difference, {share(value['individual_disclosure'])} (standard error "
            f"{share(value['individual_disclosure_error'])}), is about individuals; the rest is inference about the population."
        )
    answer.append(
        f"The guess is right with probability above 0.5 for {those('above_half')}, with probability above 0.9 for "
        f"{those('above_nine_tenths')}, and with certainty for {those('certain')}."
    )
    if value["unmatched_records"]:
        unmatched = _number(value["unmatched_records"], m)
        answer.append(f"No synthetic record has the keys of {unmatched}; the guess counts as never right for them.")
    return list(answer)


def compared(m: xr.Dataset, p: Mapping[str, Any], heads: Sequence[str]) -> list[Block]:
    told = [f"{attack(p)} The original has {_number(m.original_records.item(), m)}."]
    if len(heads) > SIDE_BY_SIDE:
        told.append(
            f"Average CAP is the {_share(m)} of them for whom the guess is expected to be right. Without the synthetic data, a guess from "
            f"the frequencies of {target_of(p)} in the original is right for a share of {share(m.baseline.item())}; if the original itself "
            f"were released, the share would be {share(m.original_cap.item())}. The last columns are numbers of {unit(m)}: for whom the "
            f"guess is right with probability above 0.5, above 0.9 and with certainty, and whose keys no synthetic record has."
        )
    contrast = [f"The difference to {unit(m)} not used for synthesis is about individuals; the rest is inference about the population."]
    return [*told, *grids(m, p, [ANSWER], heads, digits=3), *(contrast if "individual_disclosure" in m else [])]


# --- who bears the risk -----------------------------------------------------------------------------------------------


def by_level(by_target: xr.Dataset, p: Mapping[str, Any], labels: Sequence[str], heads: Sequence[str], people: str) -> list[Block]:
    """The people with each level of the target, those levels that most people have."""
    many_tables = len(labels) > SIDE_BY_SIDE
    most = np.argsort(-by_target.records.values, kind="stable")[: SIDE_LEVELS if many_tables else SHOWN_LEVELS]
    shown = by_target.isel(target=np.sort(most))
    room = (WIDTH - 28) // len(most) - 2 if many_tables else 40
    levels = [", ".join(map(in_cell, x)) if isinstance(x, tuple) else in_cell(x) for x in shown.indexes["target"]]
    levels = [shortened(level, max(room, 10)) for level in levels]
    blocks: list[Block] = []
    if many_tables:
        for name, form, what in (
            ("average_cap", share, "Average CAP"),
            ("records_above_nine_tenths", count, "Number with probability > 0.9"),
        ):
            rows = [[head, *map(form, shown[name].isel(synthetic=i).values)] for i, head in enumerate(heads)]
            blocks += [
                f"{what} of the people with each level:",
                Grid(["synthetic", *levels], [["people", *map(count, shown.records.values)], *rows]),
            ]
    else:
        for i, label in enumerate(labels):
            one = shown.isel(synthetic=i) if "synthetic" in shown.dims else shown
            columns = {
                people: map(count, one.records.values),
                "average CAP": map(share, one.average_cap.values),
                "baseline": map(share, one.baseline.values),
                "> 0.5": map(count, one.records_above_half.values),
                "> 0.9": map(count, one.records_above_nine_tenths.values),
                "certain": map(count, one.records_certain.values),
            }
            rows = [[level, *cells] for level, *cells in zip(levels, *columns.values(), strict=True)]
            blocks += [*([label] if label else []), Grid([target_of(p), *columns], rows)]
    rest = by_target.sizes["target"] - len(most)
    return [*blocks, *([f"Not shown: {many(rest, 'level')} with fewer {people}."] if rest else [])]


# --- tables and notes -------------------------------------------------------------------------------------------------


def grids(m: xr.Dataset, p: Mapping[str, Any], groups: Sequence[Rows], heads: Sequence[str], *, digits: int, caption: str = "") -> list[Block]:
    """The measures of each group: a row each, or a column each where there are many synthetic tables."""
    words = {"people": unit(m), "against": shortened(named(p.get("against", "")), 24)}

    def cells(name: str, form: str) -> list[str]:
        values = np.broadcast_to(m[name].values, (len(heads),))
        return [share(x, digits) if form == "share" else count(x) for x in values]

    if len(heads) <= SIDE_BY_SIDE:
        rows = [
            [text.format(**words), *cells(name, form)] for group in groups for name, (text, form, _) in group.items() if name in m
        ]
        return [Grid(["", *heads], rows, caption)] if rows else []
    blocks: list[Block] = []
    for group in groups:
        columns = {head.format(**words): cells(name, form) for name, (_, form, head) in group.items() if name in m and head}
        rows = [[head, *numbers] for head, *numbers in zip(heads, *columns.values(), strict=True)]
        blocks += [Grid(["synthetic", *columns], rows, caption)] if columns else []
    return blocks


def notes(m: xr.Dataset, p: Mapping[str, Any]) -> list[tuple[str, str]]:
    tied = f"where several targets are tied, one of them is named at random, so the number of {unit(m)} may be fractional"
    notes = [
        (
            "CAP",
            "of one person: the share of the synthetic records with the same keys that have the person's target; or 0",
        ),
        (
            "baseline",
            f"the sum of the squared shares of {target_of(p)} in the original; of {unit(m)} with one level, the level's share",
        ),
        ("attainable", f"by any synthetic table, however large, with the targets and keys that {_domain(p)}"),
        ("commonest", f"the guess names the commonest target of the synthetic records with the same keys; {tied}"),
        ("versions", "1 and 2 are what Baillargeon and Charest call the two averages"),
    ]
    if "original_weight" in m:
        notes.append(
            (
                "weighted",
                "numbers and quantiles count each record once; shares weigh it; standard errors use the squared weights",
            )
        )
    for name, what in (("quantiles", "quantiles of the CAP of one person"), ("individual_disclosure", "the comparison with the holdout")):
        if name in p:
            notes.append(("not given", f"{what}: {p[name]}"))
    return [*notes, ("confidential", f"as the original is: the report names levels however few {unit(m)} have them")]


def _domain(p: Mapping[str, Any]) -> str:
    sizes = p["domain"]
    return f"it or the original has ({sizes['targets']} x {sizes['keys']})" if isinstance(sizes["keys"], int) else "it or the original has"


def target_of(p: Mapping[str, Any]) -> str:
    """The column, or the columns, to guess."""
    return listed([*map(named, p["columns"]["target"])])
