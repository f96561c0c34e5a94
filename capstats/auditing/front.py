"""The front sheet of a report for the custodian: the answer, whom it hits, the limits of the caller, and what would lower the risk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby

import numpy as np

from capstats.auditing.compute import Z, by_group, changes, errors_known
from capstats.auditing.findings import SIDE_BY_SIDE, UNTOLD, Findings, level_names
from capstats.auditing.measures import MEASURES, SENTENCES, numbers
from capstats.cap.uncertainty import average_cap_interval
from capstats.codes.names import in_cell, listed, named, shortened
from capstats.disclosure.attribute import share_replicated, share_unique
from capstats.reports.blocks import Alert, Block, Dots, Facts, Grid, Headline, Mark, Scale, Sections, not_shown
from capstats.tables.aligned import Aligned
from capstats.tables.printing import SMALL, count, many, percent
from capstats.tables.table import Array, Table
from capstats.tables.ties import at_most

FRONT = SENTENCES["front"]
GRAVE = 0.01  # share of a release that is copies, from which the alert is set apart
RELEASES = 10  # that have a line each, the worst
LEVELS = 4  # of the target that have dots
DOTS = 200  # of all levels, at most
GROUPS = 5  # that are listed
FEWEST = 10  # people of a group that is listed
MOST_CHANGES = 50_000  # keys times key columns, for which each column is left out and made coarser
WIDE = 1.0  # interval of a share that is no headline; to leave the share out would choose those that chance made narrow
RARE = 0.05  # probability that so low a release is chance, for all releases together
VERDICTS = {"kept": "kept", "broken": "BROKEN", UNTOLD: "NOT TOLD"}


def front(audit: Findings) -> Sections:
    """The sections of the front sheet; those about a single release describe the first in the report's order."""
    first = audit.ranked[0]
    several = len(audit.heads) > 1
    of = f" ({audit.heads[first]})" if several else ""
    alerts = [Alert(text, any(audit.of("copied_share", i) >= GRAVE for i in audit.ranked)) for text in audit.copies.alert(audit.ranked)]
    alerts += [*(Alert(text, grave=False) for text in _alike(audit)), *map(Alert, audit.provenance.get("warnings", []))]
    scope = FRONT["scope_of_both" if "holdout_records" in audit.measures else "scope"]
    glance = [
        audit.say(scope, known=audit.known(2 * SIDE_BY_SIDE), **audit.numbers),
        *_headline(audit, first),
        _scale(audit),
        *_public(audit, first),
        *_sisters(audit),
        *_no_copies(audit, first),
        *([] if several else audit.copies.near()),
        *_unique(audit, first),
        *_links(audit),
    ]
    table, *notes = _releases(audit)
    ranked = FRONT["ranked" if "rank_by" in audit.provenance else "worst_first"]
    found: dict[str, Sequence[Block]] = {
        **({ranked: [table, *alerts, *audit.copies.near(), *notes]} if several else {"At a glance": [*alerts, *glance]}),
        "Your limits": _limits(audit),
        f"What would lower it most{of}": [_change(audit, first)],
        "Which published table to withdraw or coarsen first": _public_tables(audit),
        f"Whom it hits{of}": _dots(audit, first),
        f"Groups at most risk above the guess without data{of}": _groups(audit, first),
        **({"At a glance": glance} if several else {}),
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def _alike(audit: Findings) -> list[str]:
    """The releases in which every key and target is as frequent as in the original, but for those that are said to be copies."""

    def apart(o: Table, s: Table) -> Array:
        shares = [x.values / x.on_cells(x.total[..., None]) for x in (o, s)]
        return s.like(np.abs(shares[1] - shares[0])).total

    found = np.atleast_1d(Aligned({"o": audit.tables.o, "s": audit.tables.s}).map(apart, "apart").values) == 0
    alike = [_release(audit, i) for i in audit.ranked if found[i] and not audit.copies.found(i)]
    return [audit.say(FRONT["alike"], releases=listed(alike[:RELEASES]))] if alike else []


def _limits(audit: Findings) -> list[Block]:
    """Whether each limit is kept, the reasons for it, and what the measure is high against."""
    rows = []
    for name, limits in groupby(audit.judged, key=lambda limit: limit.measure):
        for limit in limits:
            reasons = "; ".join(limit.reasons.values())
            rows += [(VERDICTS[limit.verdict], limit.text), *([("", reasons)] if reasons else [])]
        if others := _high_against(audit, name):
            rows.append(("", f"high or low? Compare it with {listed(others)}"))
    return [Facts(rows)] if rows else []


def _high_against(audit: Findings, name: str) -> list[str]:
    """What a measure is high against, with its value, or the range over the releases; nothing is known of numbers of the caller's."""
    found = []
    for other in MEASURES[name].high_against if name in MEASURES else ():
        if other not in MEASURES:
            found.append(other)
        elif other in audit.measures and (audit.holdout_says or MEASURES[other].needs != "holdout"):
            values = audit.measures[other]
            ends = dict.fromkeys(numbers(other, [values.min().item(), values.max().item()]))
            found.append(f"{other} ({' to '.join(ends)})")
    return found


def _no_copies(audit: Findings, i: int) -> list[Block]:
    """What is known of copies in a release that is not known to have them, or why nothing is; several have a column of them.

    Of several releases it is said of the first of which it cannot be told.
    """
    known, copies = audit.provenance["copies"], audit.copies
    if isinstance(known, str):
        return [f"Copies of real records: {known}."]
    untold = [x for x in audit.ranked if copies.of(x)["copied_beyond_chance"] is None]
    return [text for x in (untold[:1] if len(audit.labels) > 1 else [i]) for text in copies.said(x)]


def _sisters(audit: Findings) -> list[Block]:
    """Whether the release, or the least likely of several, is lower than chance makes releases of its generator."""
    if "generator_p_value" not in audit.measures:
        return []
    several, i = len(audit.heads), min(audit.ranked, key=lambda i: audit.of("generator_p_value", i))
    p = min(several * audit.of("generator_p_value", i), 1.0)
    texts = {
        "this": _release(audit, i),
        "one": f"the least of {count(several)}" if several > 1 else "one of them",
        "most": "at most " if several > 1 else audit.at_most("generator_p_value"),
        "mean": percent(audit.of("generator_mean", i)),
        "cap": percent(audit.of("average_cap_zero", i)),
        "p": percent(p),
    }
    text = audit.say(FRONT["sisters_low" if at_most(p, RARE) else "sisters_alike"], **texts)
    return [text[0].upper() + text[1:]]


def _release(audit: Findings, i: int) -> str:
    """A release in a sentence."""
    return f"release {audit.heads[i]}" if audit.heads[i] else "this release"


def _public(audit: Findings, i: int) -> list[Block]:
    """What published tables say of the same people, and what a release adds to it, where it is shown to add anything."""
    if "published" not in audit.provenance:
        return []
    found, m, k = audit.provenance["published"], audit.measures, len(audit.provenance["published"])
    texts = {"tables": many(k, "published table"), "n": count(m.original_records.item())}
    if "published_certain" not in m:
        return [audit.say(FRONT["public_too_many"], why=found[0]["not_computed"], **audit.numbers, **texts)]
    texts |= {"guess": audit.people_right(m.published_guess.item()), "release": _release(audit, i)}
    adds = "not_computed"
    if "published_gain" in m:
        gain, error = (m.original_records.item() * audit.of(f"published_gain{x}", i) for x in ("", "_error"))
        adds = "adds" if gain > Z * error else "adds_nothing"
        texts |= {"more": f"{gain:.1f}".replace("-", "\u2212"), "error": f"{error:.1f}"}
    said = {x: audit.say(FRONT[f"public_{x}"], **audit.numbers, **texts) for x in ("apart", adds)}
    return [audit.say(FRONT["public"], added=said[adds], apart=said["apart"] if k > 1 else "", **audit.numbers, **texts)]


def _public_tables(audit: Findings) -> list[Block]:
    """People whose target is certain without each published table, and with its smallest column coarser; what helps most first."""
    found = sorted(audit.provenance.get("published", ()), key=lambda x: min(x.get("without", np.inf), x.get("coarser", np.inf)))
    if not found or "without" not in found[0] or not audit.measures.published_certain.item():
        return []
    rows = []
    for x in found[:RELEASES]:
        rule, pairs = f" ({shortened(x['rule'], 40)})" if x["rule"] else "", "\u2013"
        if "coarser" in x:
            pairs = f"{count(x['coarser'])} ({shortened(named(x['column']), 12)})"
        without = count(x["without"]) if "without" in x else "\u2013"
        rows.append([f"{listed([*map(named, x['table'])])}{rule}", count(x["alone"]), without, pairs])
    grid = Grid(FRONT["public_tables"], rows)
    return [audit.say(FRONT["public_change"], **audit.numbers), grid, *not_shown(len(found) - RELEASES, "more table")]


def _links(audit: Findings) -> list[Block]:
    """How many links of records to people of the population are right."""
    n, methods = count(audit.measures.original_records.item()), audit.provenance["conventions"]
    right = {name: count(audit.of(name, 0)) for name in ("population_matches", "weighted_matches") if name in audit.measures}
    return [audit.say(FRONT["links"], n=matches, records=n, by=methods[name]) for name, matches in right.items()]


def _unique(audit: Findings, i: int) -> list[Block]:
    """The sentence on unique people: by the table of the population or the first model that gives a number, with those of the others."""
    methods, o = audit.provenance["conventions"], audit.tables.get("o_records", audit.tables.o)
    found = {name: audit.of(name, 0) for name in MEASURES if name.startswith("population_uniques") and name in audit.measures}
    if not found:
        return []
    n = audit.measures.original_records.item()
    alone = round(n * share_unique(o).item())
    if not alone:
        return [audit.say(FRONT["nobody_unique"])]
    name = next(name for name, x in found.items() if np.isfinite(x))
    in_release = name.replace("population_uniques", "replicated_in_population")
    replicated = ""
    if in_release in audit.measures:
        both = count(round(n * share_replicated(o, audit.release(i, records=True)).item()))
        replicated = audit.say(FRONT["replicated"], release=_release(audit, i), both=both, known=count(audit.of(in_release, i)))
    others = [f"{methods[x]}, {count(found[x])}" if np.isfinite(found[x]) else methods[x] for x in found if x != name]
    texts = {"uniques": audit.people(alone), "known": count(found[name]), "size": count(audit.provenance["population_size"])}
    are = ("is" if texts["known"] == "1" else "are") + (FRONT["expected"] if name != "population_uniques" else "")
    return [audit.say(FRONT["unique"], are=are, replicated=replicated, methods="; ".join([methods[name], *others]), **texts)]


def _headline(audit: Findings, i: int) -> list[Block]:
    """How much is about the people in the original, where a holdout tells it; otherwise how many are guessed right."""
    right = _right(audit, i)
    if not audit.holdout_says:
        return [right, *([] if "holdout_records" in audit.measures else [FRONT["no_holdout"]])]
    gain, most = (_points_of(audit, f"{name}_gain", i) for name in ("individual", "original"))
    x, lower, upper = _share(audit, i)
    if np.isnan(x) and not np.isfinite(gain[1] + most[1]):
        return [right, FRONT["too_small"]]
    texts = {"individual_gain": _points(gain[0]), "original_gain": _points(most[0])}
    texts |= {"individual_ends": _ends(gain), "original_ends": _ends(most)}
    texts |= {"share": percent(x, 0), "lower": percent(lower, 0), "upper": percent(upper, 0)}
    at_0 = "averaged" if audit.copies.found(i) else "by_chance"
    if np.isnan(x):
        said = ["points", *(["swapped"] if gain[2] < 0 else [])]
    else:
        said = [*(["wide"] if upper - lower > WIDE else ["share", "gain"]), *(["swapped" if upper < 0 else at_0] if lower <= 0 else [])]
    text = " ".join(audit.say(FRONT[name], **texts) for name in said)
    return [Headline(texts["share"], text, right.of), right.text] if said[0] == "share" else [right, text]


def _share(audit: Findings, i: int) -> list[float]:
    """The share about the people of a release, and the ends of its interval."""
    return [audit.of(f"individual_share{end}", i) for end in ("", "_lower", "_upper")]


def _points_of(audit: Findings, name: str, i: int) -> tuple[float, float, float]:
    """A gain of one release in percentage points, and the ends of its interval."""
    x, error = (100 * audit.of(f"{name}{end}", i) for end in ("", "_error"))
    return x, x - Z * error, x + Z * error


def _ends(found: tuple[float, float, float]) -> str:
    return " to ".join(f"{x:.1f}".replace("-", "\u2212") for x in found[1:])


def _points(x: float) -> str:
    return f"{abs(x):.1f} points {'more' if x >= 0 else 'less'} often"


def _right(audit: Findings, i: int) -> Headline:
    """How many are guessed right with the release, without it and with the original itself; shares of weighted records."""
    m = audit.measures
    values = {"release": audit.caps[i], "baseline": m.baseline.item(), "original": m.original_cap.item()}
    texts = {**{name: audit.people_right(x) for name, x in values.items()}, **audit.commonest(i), "n": count(m.original_records.item())}
    text = audit.say(FRONT["right_weighted" if "original_weight" in m else "right"], **texts)
    return Headline(" or ".join(dict.fromkeys([texts["release"], texts["named"]])), text, audit.heads[i], whole=True)


def _scale(audit: Findings) -> Scale:
    """The releases, worst first, among the guess without data, a fresh sample of the population, and the original itself."""
    m, caps, names = audit.measures, audit.caps, FRONT["marks"]
    own = [Mark(names["baseline"], m.baseline.item(), percent(m.baseline.item()))]
    since = np.inf
    if audit.holdout_says and np.isfinite(error := audit.of("fresh_sample_cap_error", 0)):
        x = audit.of("fresh_sample_cap", 0)
        since, *ends = (min(max(end, 0.0), 1.0) for end in (x, x - Z * error, x + Z * error))
        own.append(Mark(names["fresh_sample"], since, f"{percent(since)} ({' to '.join(map(percent, ends))})"))
    if "published_guess" in m:
        own.append(Mark(names["published_guess"], m.published_guess.item(), percent(m.published_guess.item())))
    heads = audit.heads if len(caps) > 1 else ["this release"]
    shown = [i for i in audit.ranked if np.isfinite(caps[i])]
    releases = [
        Mark(heads[i], caps[i], percent(caps[i]), is_release=True, since=since if caps[i] > since else None) for i in shown[:RELEASES]
    ]
    if rest := [caps[i] for i in shown[RELEASES:]]:
        releases.append(
            Mark(many(len(rest), "other"), rest[0], f"{percent(min(rest))} to {percent(max(rest))}", is_release=True, also=rest[1:])
        )
    texts = ["scale" if audit.unmatched == "nearest" else "scale_zero"]
    if np.isfinite(since):
        texts += ["fresh", *(["other_size"] if (m.synthetic_records != m.original_records).any() else [])]
    original = Mark(names["original"], m.original_cap.item(), percent(m.original_cap.item()))
    return Scale([*own, *releases, original], " ".join(audit.say(FRONT[text]) for text in [*texts, "lesson"]))


def _releases(audit: Findings) -> list[Block]:
    """A row a release, worst first: what decides."""
    shown = audit.ranked[:RELEASES]
    columns = [[head, *(_decisive(audit, name, i) for i in shown)] for name, head in FRONT["columns"].items() if name in audit.measures]
    grid = Grid.of_columns(["release", *(audit.heads[i] for i in shown)], columns, full_width=True)
    by = audit.say(FRONT["worst_by"][audit.worst_by])
    order = [] if "rank_by" in audit.provenance else [FRONT["order"].format(by=by)]
    return [grid, *not_shown(len(audit.ranked) - len(shown), "more release"), *order]


def _decisive(audit: Findings, name: str, i: int) -> str:
    """A measure of a release, with an interval in brackets; points for all where the first has no share about its people to tell."""
    if name == "copied_people":
        return audit.copies.cell(i)
    if name != "individual_share":
        return numbers(name, [audit.of(name, i)])[0]
    if not audit.holdout_says:
        return "undefined"
    (x, lower, upper), (*_, least, most) = _share(audit, i), _share(audit, audit.ranked[0])
    if np.isfinite(x) and most - least <= WIDE:
        return f"{percent(x, 0)} ({percent(lower, 0)} to {percent(upper, 0)})"
    gain = _points_of(audit, "individual_gain", i)
    return f"{gain[0]:+.1f} ({_ends(gain)}) points".replace("-", "\u2212") if np.isfinite(gain[1]) else "undefined"


def _dots(audit: Findings, i: int) -> list[Block]:
    """Dots for the people with each level of the target, those levels first that have most people above 0.9."""
    found, people = audit.by_target, audit.words["people"]
    found = found.isel(synthetic=i) if "synthetic" in found.dims else found
    n, half, sure = (found[name].values for name in ("records", "records_above_half", "records_above_nine_tenths"))
    each = max(1.0, _round_up(n.sum() / DOTS))
    order = np.lexsort((-n, -half, -sure))
    order = order[n[order] > 0]
    rest = order[LEVELS:]
    rows = []
    for level, j in zip(level_names(found.isel(target=order[:LEVELS]), 40), order, strict=False):
        parts = {"n": audit.people(n[j]), "sure": count(sure[j]), "half": count(half[j])}
        in_percent = {"share_sure": percent(sure[j] / n[j], 0), "share_half": percent(half[j] / n[j], 0)}
        dots = [float(round(x / each, 9)) for x in (sure[j], half[j] - sure[j], n[j] - half[j])]
        rows.append((level, dots, audit.say(FRONT["level"], **parts, **in_percent)))
    dot = f"a {audit.words['person']}" if each == 1 else f"for {count(each)} {people}"
    more = f"{many(len(rest), 'more level')}: {count(sure[rest].sum())} of {count(n[rest].sum())} {people} above 90 %."
    return [Dots(rows, FRONT["kinds"], f"One dot {dot}"), *([more] if len(rest) else [])]


def _round_up(x: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    base = 10 ** np.floor(np.log10(x)) if x > 0 else 1
    return float(min(step * base for step in (1, 2, 5, 10) if step * base >= x * (1 - 1e-9)))


def _groups(audit: Findings, i: int) -> list[Block]:
    """The groups by one key column that are guessed right most above what they are without the release."""
    found = [group for group in by_group(audit.tables, audit.release(i), audit.unmatched) if group.people >= FEWEST and group.above > SMALL]
    if not found:
        return [audit.say(FRONT["no_group"], fewest=count(FEWEST))]
    copies = audit.copies.of(i).get("copied_by_level", {})
    found.sort(key=lambda x: (-round(x.above, 9), -copies.get(x.column, {}).get(in_cell(x.level), 0), -x.people))
    rows = [
        [
            f"{shortened(named(group.column), 30)}: {in_cell(group.level, 30)}",
            f"+{100 * group.above:.1f}",
            percent(group.above_nine_tenths / group.people, 0),
            count(group.people),
            percent(group.with_release, 0),
        ]
        for group in found[:GROUPS]
    ]
    head = [audit.say(FRONT["group"], fewest=count(FEWEST)), *(audit.say(text) for text in FRONT["group_columns"])]
    return [Grid(head, rows)]


def _instead(audit: Findings, i: int) -> list[str]:
    """The release to take instead, where it is shown to be of lower average CAP, or has no copies beyond chance where this one has."""
    caps, distance = audit.caps, np.atleast_1d(audit.measures.target_distance.values)
    others = [x for x in audit.ranked if x != i]
    if not others or "generator_mean" in audit.measures or not errors_known(audit.tables, "o"):  # the least of draws is no better generator
        return []
    lower = _differences(audit, i, others)
    copied = {x for x in audit.ranked if audit.copies.found(x)}
    fit = [x for x in others if x not in copied and distance[x] < 1 and (i in copied or at_most(SMALL, lower[x]["lower"]))]
    if not fit:
        return []
    about = {x: audit.holdout_says and audit.of("individual_gain", x) > Z * audit.of("individual_gain_error", x) for x in fit}
    best = min(fit, key=lambda x: (about[x], caps[x]))
    now, then = (f"average CAP {percent(caps[x])}, target distance {percent(distance[x])}" for x in (i, best))
    found = {name: f"{100 * value:.1f}".replace("-", "\u2212") for name, value in lower[best].items()}
    shown = "instead" if at_most(SMALL, lower[best]["lower"]) else "instead_of_copies"
    texts = [audit.say(FRONT[shown], known=audit.known(2 * SIDE_BY_SIDE), other=audit.heads[best], now=now, then=then, **found)]
    if about[best]:
        texts.append(audit.say(FRONT["about_too"], gain=_points(100 * audit.of("individual_gain", best))))
    exposed, more = (audit.of("records_above_nine_tenths", x) for x in (i, best))
    if more > exposed:
        texts.append(audit.say(FRONT["more_exposed"], now=count(exposed), then=count(more)))
    passed = [x for x in others if caps[x] < caps[best] - SMALL]
    reasons = {x: "about" if x in fit else "copies" if x in copied else "nothing" if distance[x] >= 1 else "not_shown" for x in passed}
    if why := [f"{audit.heads[x]} ({audit.say(FRONT['passed'][y], this=audit.heads[i])})" for x, y in reasons.items()]:
        texts.append(audit.say(FRONT["passed_over"], releases=listed(why)))
    return texts


def _differences(audit: Findings, i: int, others: Sequence[int]) -> dict[int, dict[str, float]]:
    """By how much average CAP of a release is above that of each of the others, with an interval of 95 % for all pairs of releases.

    Chance chooses which is the worst, and which the best.
    """
    release = audit.release(i)
    s, level = audit.tables.s.isel(synthetic=list(others)), 1 - RARE / math.comb(len(others) + 1, 2)
    found = average_cap_interval(audit.tables, s, against=release, unmatched=audit.unmatched, level=level)
    ends = {"estimate": found.estimate, "lower": found.upper, "upper": found.lower}  # of what is below, turned to what is above
    return {x: {name: -float(value[at]) for name, value in ends.items()} for at, x in enumerate(others)}


def _change(audit: Findings, i: int) -> str:
    """The release to take instead, or the key column whose absence, and that whose coarser levels, lower average CAP most."""
    if texts := _instead(audit, i):
        return " ".join(texts)
    cap = audit.caps[i]
    texts = [audit.copies.leave_out(i)] if audit.copies.found(i) else []
    if audit.tables.o.sizes["key"] * len(audit.provenance["keys"]) > MOST_CHANGES:
        return " ".join([*texts, FRONT["not_computed"]])
    found = sorted(changes(audit.tables, audit.release(i), audit.unmatched), key=lambda change: change.average_cap)
    kinds = {"without": [x for x in found if not x.levels], "coarser": [x for x in found if x.levels]}
    lower = [
        FRONT[kind].format(column=named(least.column), levels=count(least.levels), then=percent(least.average_cap))
        for kind, of_kind in kinds.items()
        for least in of_kind[:1]
        if least.average_cap < cap - SMALL
    ]
    texts.append(audit.say(FRONT["change"], texts="; ".join(lower), now=percent(cap)) if lower else FRONT["no_change"])
    most = max(kinds["without"], key=lambda change: change.average_cap, default=None)
    if audit.unmatched == "nearest" and most is not None and most.average_cap > cap + SMALL:
        texts.append(audit.say(FRONT["better_without"], column=named(most.column), then=percent(most.average_cap), now=percent(cap)))
    return " ".join(texts)
