"""Text of an audit: the result in sentences, the distribution of the risk, and the details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing import compared
from capstats.auditing.comparison import order_of
from capstats.auditing.one_population import differing
from capstats.auditing.permuted import AT_MOST
from capstats.auditing.report import Block, Facts, Grid, Sections
from capstats.auditing.what_was_read import SIDE_BY_SIDE, facts
from capstats.codes.names import in_cell, listed, named, shortened
from capstats.tables.printing import count, many, share

SHOWN_LEVELS = 12  # levels of the target that are listed

# measure -> what it says, and whether it is a share or a number of people
DETAILS = {
    "matched_share": ("share of {people} whose keys are in the synthetic data", "share"),
    "average_cap": ("average CAP, unmatched {people} count 0 (version 1)", "share"),
    "average_cap_least": ("  least attainable", "share"),
    "average_cap_greatest": ("  greatest attainable", "share"),
    "average_cap_matched": ("average CAP of the matched {people} (version 2)", "share"),
    "average_cap_matched_least": ("  least attainable", "share"),
    "average_cap_matched_greatest": ("  greatest attainable", "share"),
}
OF_ONE = {
    "individual_cap_least": ("CAP of one person: least", "share"),
    "individual_cap_lower_quartile": ("  lower quartile", "share"),
    "individual_cap_median": ("  median", "share"),
    "individual_cap_upper_quartile": ("  upper quartile", "share"),
    "individual_cap_upper_decile": ("  0.9 quantile", "share"),
    "individual_cap_upper_percentile": ("  0.99 quantile", "share"),
    "individual_cap_greatest": ("  greatest", "share"),
    "predictive_success": ("share guessed right by the commonest target", "share"),
    "correct_predictions": ("  number of {people}", "count"),
}
Rows = Mapping[str, tuple[str, str]]


def title(provenance: Mapping[str, Any]) -> str:
    """The first line of the report."""
    return f"capstats {provenance['capstats']}: disclosure risk by Correct Attribution Probability (CAP)"


def sections(measures: xr.Dataset, by_target: xr.Dataset, provenance: Mapping[str, Any], labels: Sequence[str]) -> Sections:
    """The whole report; ``labels`` are those of the synthetic tables, or one empty text for a single one."""
    heads = compared.headings(labels)
    order = order_of(measures, provenance.get("rank_by"))
    people = unit(measures)
    one = labels == [""]
    found: dict[str, list[Block]] = {
        "Read this first": list(provenance.get("warnings", [])),
        "What was read": [Facts(facts(measures, provenance, labels, heads))],
        "Answer": in_sentences(measures, provenance) if one else _compared(measures, provenance, heads, order),
        f"By {target_of(provenance)}": by_level(by_target, provenance, heads, order, people),
        "Details": _tables(measures, [DETAILS, OF_ONE]) if one else compared.details(measures, heads, order, people),
        "How to read it": [Facts(notes(measures, provenance))],
    }
    return {name: blocks for name, blocks in found.items() if blocks}


# --- the answer -------------------------------------------------------------------------------------------------------


def attack(m: xr.Dataset, p: Mapping[str, Any]) -> str:
    """Who guesses what, and how."""
    keys = list(p["columns"]["keys"])
    picked = "with a probability in proportion to its sampling weight" if "synthetic_weight" in m else "at random"
    known = listed([*map(named, keys)]) if len(keys) <= SIDE_BY_SIDE else f"the {len(keys)} key columns"
    return (
        f"Somebody who knows {known} of a person (the keys) looks up the synthetic records with the same keys, picks one of them "
        f"{picked}, and takes its {target_of(p)} (the target) for the person's."
    )


def of_individuals(p: Mapping[str, Any]) -> str:
    """What the difference to the holdout is, as the end of a sentence."""
    if "holdout_differs" not in p:
        return "is about individuals; the rest is inference about the population."
    return (
        f"is no measure of what is about individuals: original and holdout differ in {differing(p['holdout_differs'])} by more than chance "
        f"allows."
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
    """The result for one release."""
    value = {str(name): array.item() for name, array in m.data_vars.items()}
    everybody = f"{_number(value['original_records'], m)} in the original"
    right = f"{count(value['average_cap'] * value['original_records'])} of the {everybody}: a share of {share(value['average_cap'])}"
    if "original_weight" in value:
        right = f"a weighted share of {share(value['average_cap'])} of the {everybody}"

    def those(name: str) -> str:
        of = "weighted share " if "original_weight" in value else ""
        return f"{_number(value[f'records_{name}'], m)} ({of}{share(value[f'share_{name}'])})"

    answer = [
        f"{attack(m, p)} The guess is expected to be right for {right} (average CAP).",
        f"Without the synthetic data, a guess from the frequencies of {target_of(p)} in the original is right for a {_share(m)} of "
        f"{share(value['baseline'])}. If the original itself were released, the share would be {share(value['original_cap'])}.",
    ]
    if "holdout_cap" in value:
        answer.append(
            f"Of the {_number(value['holdout_records'], m)} not used for synthesis, the guess is right for a {_share(m)} of "
            f"{share(value['holdout_cap'])}. The difference, {share(value['individual_disclosure'])} (standard error "
            f"{share(value['individual_disclosure_error'])}), {of_individuals(p)}"
        )
    if "membership_p_value" in value:
        test = "no test of disclosure, since original and holdout differ" if "holdout_differs" in p else "a test of disclosure"
        answer.append(
            f"If the labels of used and not used {unit(m)} were dealt anew, the difference would be as large with probability "
            f"{share(value['membership_p_value'])} ({test})."
        )
    if "permutation_p_value" in value:
        most = "at most " if AT_MOST in p["conventions"]["permutation_p_value"] else ""
        answer.append(
            f"If the synthetic targets were permuted, average CAP would be as large with probability {most}"
            f"{share(value['permutation_p_value'])} (a test of utility; it is small for every useful release)."
        )
    answer.append(
        f"The guess is right with probability above 0.5 for {those('above_half')}, with probability above 0.9 for "
        f"{those('above_nine_tenths')}, and with certainty for {those('certain')}."
    )
    if value["unmatched_records"]:
        unmatched = _number(value["unmatched_records"], m)
        answer.append(f"No synthetic record has the keys of {unmatched}; the guess counts as never right for them.")
    return list(answer)


def _compared(m: xr.Dataset, p: Mapping[str, Any], heads: Sequence[str], order: Sequence[int]) -> list[Block]:
    least, most = share(m.baseline.item()), share(m.original_cap.item())
    told = [
        f"{attack(m, p)} The original has {_number(m.original_records.item(), m)}. Without the synthetic data, a guess from the "
        f"frequencies of {target_of(p)} in the original is right for a {_share(m)} of {least}; if the original itself were released, the "
        f"share would be {most} (average CAP)."
    ]
    if "holdout_records" in m:
        used = f"The holdout has {_number(m.holdout_records.item(), m)} not used for synthesis."
        told.append(f"{used} The difference to them {of_individuals(p)}")
    return [*told, *compared.risks(m, p, heads, order, unit(m))]


# --- who bears the risk -----------------------------------------------------------------------------------------------


def by_level(by_target: xr.Dataset, p: Mapping[str, Any], heads: Sequence[str], order: Sequence[int], people: str) -> list[Block]:
    """The people with each level of the target, those levels that most people have."""
    several = "synthetic" in by_target.dims
    most = np.argsort(-by_target.records.values, kind="stable")[: compared.LEVELS if several else SHOWN_LEVELS]
    shown = by_target.isel(target=np.sort(most))
    levels = [", ".join(map(in_cell, x)) if isinstance(x, tuple) else in_cell(x) for x in shown.indexes["target"]]
    rest = by_target.sizes["target"] - len(most)
    more = [f"Not shown: {many(rest, 'level')} with fewer {people}."] if rest else []
    if several:
        return [*compared.levels(shown, levels, heads, order, people), *more]
    columns = {
        people: map(count, shown.records.values),
        "average CAP": map(share, shown.average_cap.values),
        "baseline": map(share, shown.baseline.values),
        "> 0.5": map(count, shown.records_above_half.values),
        "> 0.9": map(count, shown.records_above_nine_tenths.values),
        "certain": map(count, shown.records_certain.values),
    }
    rows = [[shortened(level, 40), *cells] for level, *cells in zip(levels, *columns.values(), strict=True)]
    return [Grid([target_of(p), *columns], rows), *more]


# --- tables and notes -------------------------------------------------------------------------------------------------


def _tables(m: xr.Dataset, groups: Sequence[Rows]) -> list[Block]:
    """The measures of each group, a row each."""
    rows = []
    for name, (text, form) in [item for group in groups for item in group.items()]:
        if name in m:
            rows.append([text.format(people=unit(m)), share(m[name].item(), 4) if form == "share" else count(m[name].item())])
    return [Grid(["", ""], rows)]


def notes(m: xr.Dataset, p: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What the words of the report mean."""
    tied = f"where several targets are tied, one of them is named at random, so the number of {unit(m)} may be fractional"
    by_weight = "weighted " if "synthetic_weight" in m else ""
    commonest = "commonest (by weight)" if by_weight else "commonest"
    weighed = "weighted " if "original_weight" in m else ""
    notes = [
        (
            "CAP",
            f"of one person: the {by_weight}share of the synthetic records with the same keys that have the person's target; or 0",
        ),
        (
            "baseline",
            f"the sum of the squared {weighed}shares of {target_of(p)} in the original; of {unit(m)} with one level, the level's share",
        ),
        ("attainable", f"by any synthetic table, however large, with the targets and keys that {_domain(p)}"),
        ("commonest", f"the guess names the {commonest} target of the synthetic records with the same keys; {tied}"),
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
