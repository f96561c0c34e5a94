"""The front sheet of a report for the custodian: the answer, whom it hits, the limits of the caller, and what would lower the risk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xarray as xr

from capstats.auditing.compute import Z, by_group, by_target, changes, copies_known, errors_known
from capstats.auditing.copies import Copies
from capstats.auditing.findings import Findings
from capstats.auditing.inputs import SIDE_BY_SIDE
from capstats.auditing.measures import MEASURES, SENTENCES
from capstats.auditing.report import Alert, Block, Dots, Facts, Grid, Headline, Mark, Scale, Sections
from capstats.auditing.sections import LONGEST, at_most_this, commonest, headings, number, numbers_of, people_right, say, words_of
from capstats.auditing.sections import percent as _percent
from capstats.cap.uncertainty import average_cap_interval
from capstats.codes.names import in_cell, listed, named, shortened
from capstats.disclosure.attribute import replicated_uniques, sample_uniques
from capstats.tables.printing import count, many, share
from capstats.tables.ties import at_most

FRONT = SENTENCES["front"]
GRAVE = 0.01  # share of a release that is copies, from which the alert is set apart
RELEASES = 10  # that have a line each, the worst
LEVELS = 4  # of the target that have dots
DOTS = 200  # of all levels, at most
GROUPS = 5  # that are listed
FEWEST = 10  # people of a group that is listed
MOST = 50_000  # keys times key columns, for which each column is left out and made coarser
WIDE = 1.0  # interval of a share that is no headline; to leave the share out would choose those that chance made narrow
RARE = 0.05  # probability that so low a release is chance, for all releases together
SMALL = 0.0005  # a change of average CAP that is none


def title(audit: Findings) -> str:
    """The title of a report: the release, or how many, and the date."""
    several = len(audit.columns) > 1
    path = audit.provenance.get("original") if several else (audit.provenance.get("synthetic") or [None])[0]
    name = Path(path).name if path else "" if several else audit.columns[0]
    shown = shortened(in_cell(name), LONGEST) if name else ""
    what = f"{len(audit.columns)} releases" + f" of {shown}" * bool(shown) if several else shown or "a release"
    return f"Disclosure risk of {what}, {audit.provenance['date']}"


def front(audit: Findings) -> Sections:
    """The sections of the front sheet; those of one release are about that which comes first in the report."""
    heads, first = headings(audit.columns), audit.ranked[0]
    several, limits = len(heads) > 1, audit.limits()
    of = f" ({heads[first]})" if several else ""
    alerts = [Alert(text, grave=_grave(audit)) for text in copies_of(audit).alert(audit.ranked)]
    alerts += map(Alert, audit.provenance.get("warnings", []))
    glance = [
        _scope(audit),
        *_headline(audit, first, heads[first]),
        _scale(audit, heads if several else ["this release"]),
        *_sisters(audit, heads),
        *_no_copies(audit, first),
        *_in_population(audit, first, heads),
    ]
    table, *notes = _releases(audit, heads)
    ranked = FRONT["ranked" if "rank_by" in audit.provenance else "worst_first"]
    found: dict[str, Sequence[Block]] = {
        **({ranked: [table, *alerts, *notes]} if several else {"At a glance": [*alerts, *glance]}),
        "Your limits": [Facts([("kept" if kept else "BROKEN", text) for text, kept in limits])] if limits else [],
        f"What would lower it most{of}": [_change(audit, first, heads)],
        f"Whom it hits{of}": _dots(audit, first),
        f"Groups at most risk above the guess without data{of}": _groups(audit, first),
        **({"At a glance": glance} if several else {}),
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def _scope(audit: Findings) -> str:
    numbers = numbers_of(audit)
    return say(audit, FRONT["scope_of_both" if "holdout_records" in numbers else "scope"], known=_known(audit), **numbers)


def _known(audit: Findings) -> str:
    """The key columns, or how many."""
    keys = list(audit.provenance["columns"]["keys"])
    return listed([*map(named, keys)]) if len(keys) <= 2 * SIDE_BY_SIDE else f"{len(keys)} key columns"


def _of(audit: Findings, name: str, i: int) -> float:
    """A measure of one release."""
    return float(np.broadcast_to(audit.measures[name].values, len(audit.columns))[i])


def _grave(audit: Findings) -> bool:
    return any(_of(audit, "copied_share", i) >= GRAVE for i in audit.ranked)


def copies_of(audit: Findings) -> Copies:
    """What is known of copies in the releases."""
    some_dropped = any(audit.provenance.get("dropped", {}).values())
    return Copies(copies_known(audit.tables), headings(audit.columns), words_of(audit), some_dropped)


def _is_copied(audit: Findings, i: int) -> bool:
    """Whether people were copied into a release beyond chance, as far as that is known."""
    return copies_of(audit).found(i)


def _no_copies(audit: Findings, i: int) -> list[Block]:
    """What is known of copies in a release that is not known to have them, or why nothing is; several have a column of them.

    Of several releases it is said of the first of which it cannot be told.
    """
    known, copies = audit.provenance["copies"], copies_of(audit)
    if isinstance(known, str):
        return [f"Copies of real records: {known}."]
    untold = [x for x in audit.ranked if copies.of(x)["copied_beyond_chance"] is None]
    return [*copies.said(i)] if len(audit.columns) == 1 else [text for x in untold[:1] for text in copies.said(x)]


def _sisters(audit: Findings, heads: Sequence[str]) -> list[Block]:
    """Whether the release, or the least likely of several, is lower than chance makes releases of its generator."""
    if "generator_p_value" not in audit.measures:
        return []
    several, i = len(heads), min(audit.ranked, key=lambda i: _of(audit, "generator_p_value", i))
    p = min(several * _of(audit, "generator_p_value", i), 1.0)
    texts = {
        "this": f"release {heads[i]}" if heads[i] else "this release",
        "one": f"the least of {count(several)}" if several > 1 else "one of them",
        "most": "at most " if several > 1 else at_most_this(audit, "generator_p_value"),
        "mean": share(_of(audit, "generator_mean", i)),
        "cap": share(_of(audit, "average_cap_zero", i)),
        "p": _percent(p),
    }
    text = say(audit, FRONT["sisters_low" if at_most(p, RARE) else "sisters_alike"], **texts)
    return [text[0].upper() + text[1:]]


def _in_population(audit: Findings, i: int, heads: Sequence[str]) -> list[Block]:
    """How many of those who are unique in the original are unique in the population, and how many links to people of it are right."""
    m, methods = audit.measures, audit.provenance["conventions"]
    links = [name for name in ("population_matches", "weighted_matches") if name in m]
    numbers = {name: {"n": _tenths(m[name].item()), "records": count(m.original_records.item()), "by": methods[name]} for name in links}
    return [*_unique(audit, i, heads), *(say(audit, FRONT["links"], **numbers[name]) for name in links)]


def _unique(audit: Findings, i: int, heads: Sequence[str]) -> list[Block]:
    """The sentence on unique people: by the table of the population or the first model that gives a number, with those of the others."""
    m, methods = audit.measures, audit.provenance["conventions"]
    names = [name for name in MEASURES if name.startswith("population_uniques") and name in m]
    if not names:
        return []
    n, o = m.original_records.item(), audit.tables.get("o_records", audit.tables.o)
    alone = round(n * sample_uniques(o).item())
    if not alone:
        return [say(audit, FRONT["nobody_unique"])]
    name = next(name for name in names if np.isfinite(m[name].item()))
    in_release = name.replace("population_uniques", "replicated_in_population")
    replicated = ""
    if in_release in m:
        both = round(n * replicated_uniques(o, audit.release(i, records=True)).item())
        of = f"release {heads[i]}" if heads[i] else "this release"
        replicated = say(audit, FRONT["replicated"], release=of, both=count(both), known=_tenths(_of(audit, in_release, i)))
    others = [f"{methods[x]}, {_tenths(m[x].item())}" if np.isfinite(m[x].item()) else methods[x] for x in names if x != name]
    known, size, words = _tenths(m[name].item()), count(audit.provenance["population_size"]), words_of(audit)
    texts = {"uniques": f"{count(alone)} {words['person' if alone == 1 else 'people']}", "known": known, "size": size}
    are = ("is" if known == "1" else "are") + (FRONT["expected"] if name != "population_uniques" else "")
    return [say(audit, FRONT["unique"], are=are, replicated=replicated, methods="; ".join([methods[name], *others]), **texts)]


def _tenths(x: float) -> str:
    """An expected number of people."""
    return "fewer than 0.1" if 0 < x < 0.05 else count(round(x, 1))


def _headline(audit: Findings, i: int, of: str) -> list[Block]:
    """How much is about the people in the original, where a holdout tells it; otherwise how many are guessed right."""
    if not audit.holdout_says:
        return [*_right(audit, i, of), *([] if "holdout_records" in audit.measures else [FRONT["no_holdout"]])]
    gain, most = (_points_of(audit, f"{name}_gain", i) for name in ("individual", "original"))
    texts = {"individual_gain": _points(gain[0]), "original_gain": _points(most[0])}
    texts |= {"individual_ends": _ends(gain), "original_ends": _ends(most)}
    x, lower, upper = _share(audit, i)
    if np.isnan(x):
        if not np.isfinite(gain[1] + most[1]):
            return [*_right(audit, i, of), FRONT["too_small"]]
        swapped = [FRONT["swapped"]] if gain[2] < 0 else []
        return [*_right(audit, i, of), " ".join([say(audit, FRONT["points"], **texts), *swapped])]
    at_0 = [say(audit, FRONT["swapped" if upper < 0 else "averaged" if _is_copied(audit, i) else "by_chance"])] if lower <= 0 else []
    texts |= {"share": _percent(x), "lower": _percent(lower), "upper": _percent(upper)}
    if upper - lower > WIDE:
        return [*_right(audit, i, of), " ".join([say(audit, FRONT["wide"], **texts), *at_0])]
    said = [*(say(audit, FRONT[name], **texts) for name in ("share", "gain")), *at_0]
    (right,) = _right(audit, i, "")
    return [Headline(_percent(x), " ".join(said), of), right.text]


def _share(audit: Findings, i: int) -> list[float]:
    """The share about the people of a release, and the ends of its interval."""
    return [_of(audit, f"individual_share{end}", i) for end in ("", "_lower", "_upper")]


def _gained(audit: Findings, i: int) -> str:
    """How many points more often guesses are right for the people in the original, with an interval."""
    found = _points_of(audit, "individual_gain", i)
    return f"{found[0]:+.1f} ({_ends(found)}) points".replace("-", "\u2212") if np.isfinite(found[1]) else "undefined"


def _points_of(audit: Findings, name: str, i: int) -> tuple[float, float, float]:
    """A gain of one release in percentage points, and the ends of its interval."""
    x, error = (100 * _of(audit, f"{name}{end}", i) for end in ("", "_error"))
    return x, x - Z * error, x + Z * error


def _ends(found: tuple[float, float, float]) -> str:
    return " to ".join(f"{x:.1f}".replace("-", "\u2212") for x in found[1:])


def _points(x: float) -> str:
    return f"{abs(x):.1f} points {'more' if x >= 0 else 'less'} often"


def _right(audit: Findings, i: int, of: str) -> list[Headline]:
    """How many are guessed right with the release, without it and with the original itself; shares of weighted records."""
    m = audit.measures
    values = {"release": _caps(audit)[i], "baseline": m.baseline.item(), "original": m.original_cap.item()}
    texts = {**{name: people_right(audit, x) for name, x in values.items()}, **commonest(audit, i), "n": count(m.original_records.item())}
    text = say(audit, FRONT["right_weighted" if "original_weight" in m else "right"], **texts)
    return [Headline(" or ".join(dict.fromkeys([texts["release"], texts["named"]])), text, of, whole=True)]


def _caps(audit: Findings) -> list[float]:
    """Average CAP of each release, unmatched keys using the nearest."""
    return [_of(audit, audit.average, i) for i in range(len(audit.columns))]


def _scale(audit: Findings, heads: Sequence[str]) -> Scale:
    """The releases, worst first, among the guess without data, a fresh sample of the population, and the original itself."""
    m = audit.measures
    own = [Mark(FRONT["marks"]["baseline"], m.baseline.item(), share(m.baseline.item()))]
    since = np.inf
    if audit.holdout_says and np.isfinite(error := _of(audit, "fresh_sample_cap_error", 0)):
        x = _of(audit, "fresh_sample_cap", 0)
        since, *ends = (min(max(end, 0.0), 1.0) for end in (x, x - Z * error, x + Z * error))
        own.append(Mark(FRONT["marks"]["fresh_sample"], since, f"{share(since)} ({' to '.join(map(share, ends))})"))
    original = Mark(FRONT["marks"]["original"], m.original_cap.item(), share(m.original_cap.item()))
    caps = _caps(audit)
    shown = [i for i in audit.ranked if np.isfinite(caps[i])]
    releases = [
        Mark(heads[i], caps[i], share(caps[i]), is_release=True, since=since if caps[i] > since else None) for i in shown[:RELEASES]
    ]
    if rest := [caps[i] for i in shown[RELEASES:]]:
        releases.append(
            Mark(many(len(rest), "other"), rest[0], f"{share(min(rest))} to {share(max(rest))}", is_release=True, also=rest[1:])
        )
    texts = ["scale" if audit.unmatched == "nearest" else "scale_zero"]
    texts += ["fresh"] if len(own) > 1 else []
    texts += ["other_size"] if len(own) > 1 and (m.synthetic_records != m.original_records).any() else []
    return Scale([*own, *releases, original], " ".join(say(audit, FRONT[text]) for text in [*texts, "lesson"]))


def _releases(audit: Findings, heads: Sequence[str]) -> list[Block]:
    """A row a release, worst first: what decides."""
    shown = audit.ranked[:RELEASES]
    rest = len(audit.ranked) - len(shown)
    columns = [[head, *(_decisive(audit, name, i) for i in shown)] for name, head in FRONT["columns"].items() if name in audit.measures]
    grid = Grid.of_columns(["release", *(heads[i] for i in shown)], columns, full_width=True)
    by = say(audit, FRONT["worst_by"][audit.worst_by])
    order = [] if "rank_by" in audit.provenance else [FRONT["order"].format(by=by)]
    return [grid, *([f"Not shown: {many(rest, 'more release')}."] if rest else []), *order]


def _decisive(audit: Findings, name: str, i: int) -> str:
    """A measure of a release, with an interval in brackets; points for all where the first has no share about its people to tell."""
    x = _of(audit, name, i)
    if name == "copied_people":
        return copies_of(audit).cell(i)
    if name != "individual_share":
        return number(name, x)
    if not audit.holdout_says:
        return "undefined"
    (_, lower, upper), (*_, least, most) = _share(audit, i), _share(audit, audit.ranked[0])
    return f"{_percent(x)} ({_percent(lower)} to {_percent(upper)})" if np.isfinite(x) and most - least <= WIDE else _gained(audit, i)


def _levels(audit: Findings, i: int) -> xr.Dataset:
    """How many people with each level of the target there are, and how surely they are guessed right, in the version of the scale."""
    return by_target(audit.tables.get("o_records", audit.tables.o), audit.release(i), audit.unmatched)


def _dots(audit: Findings, i: int) -> list[Block]:
    """Dots for the people with each level of the target, those levels first that have most people above 0.9."""
    words, found = words_of(audit), _levels(audit, i)
    people, person = words["people"], words["person"]
    n, half, sure = (found[name].values for name in ("records", "records_above_half", "records_above_nine_tenths"))
    each = max(1.0, _round_up(n.sum() / DOTS))
    order = np.lexsort((-n, -half, -sure))
    order = order[n[order] > 0]
    rows = []
    for j in order[:LEVELS]:
        level = found.indexes["target"][j]
        label = ", ".join(map(in_cell, level)) if isinstance(level, tuple) else in_cell(level)
        parts = {"n": f"{count(n[j])} {person if n[j] == 1 else people}", "sure": count(sure[j]), "half": count(half[j])}
        shares = {"share_sure": _percent(sure[j] / n[j]), "share_half": _percent(half[j] / n[j])}
        dots = [max(int(x > 0), round(x / each)) for x in (sure[j], half[j] - sure[j], n[j] - half[j])]
        rows.append((shortened(label, 40), dots, say(audit, FRONT["level"], **parts, **shares)))
    rest = order[LEVELS:]
    dot = f"a {person}" if each == 1 else f"for {count(each)} {people}"
    more = f"{many(len(rest), 'more level')}: {count(sure[rest].sum())} of {count(n[rest].sum())} {people} above 0.9."
    return [Dots(rows, FRONT["kinds"], f"One dot {dot}, at least one where there are any."), *([more] if len(rest) else [])]


def _round_up(x: float) -> float:
    """The next 1, 2 or 5 times a power of ten."""
    base = 10 ** np.floor(np.log10(x)) if x > 0 else 1
    return float(min(step * base for step in (1, 2, 5, 10) if step * base >= x * (1 - 1e-9)))


def _groups(audit: Findings, i: int) -> list[Block]:
    """The groups by one key column that are guessed right most above what they are without the release."""
    found = [group for group in by_group(audit.tables, audit.release(i), audit.unmatched) if group.people >= FEWEST and group.above > SMALL]
    if not found:
        return [say(audit, FRONT["no_group"], fewest=count(FEWEST))]
    copies = copies_of(audit).of(i).get("copied_by_level", {})
    found.sort(key=lambda x: (-round(x.above, 9), -copies.get(x.column, {}).get(in_cell(x.level), 0), -x.people))
    rows = [
        [
            f"{shortened(named(group.column), 30)}: {shortened(in_cell(group.level), 30)}",
            f"+{group.above:.2f}",
            _percent(group.above_nine_tenths / group.people),
            count(group.people),
            share(group.with_release),
        ]
        for group in found[:GROUPS]
    ]
    head = [say(audit, FRONT["group"], fewest=count(FEWEST)), *(say(audit, text) for text in FRONT["group_columns"])]
    return [Grid(head, rows)]


def _instead(audit: Findings, i: int, heads: Sequence[str]) -> list[str]:
    """The release to take instead, where it is shown to be of lower average CAP, or has no copies beyond chance where this one has."""
    caps, distance = _caps(audit), np.atleast_1d(audit.measures.target_distance.values)
    others = [x for x in audit.ranked if x != i]
    if not others or "generator_mean" in audit.measures or not errors_known(audit.tables, "o"):  # the least of draws is no better generator
        return []
    lower, copies = _differences(audit, i, others), copies_of(audit)
    copied = {x for x in audit.ranked if copies.found(x)}
    fit = [x for x in others if x not in copied and distance[x] < 1 and (i in copied or at_most(SMALL, lower[x]["lower"]))]
    if not fit:
        return []
    about = {x: audit.holdout_says and _of(audit, "individual_gain", x) > Z * _of(audit, "individual_gain_error", x) for x in fit}
    best = min(fit, key=lambda x: (about[x], caps[x]))
    now, then = (f"average CAP {share(caps[x])}, target distance {share(distance[x])}" for x in (i, best))
    found = {name: share(value) for name, value in lower[best].items()}
    shown = "instead" if at_most(SMALL, lower[best]["lower"]) else "instead_of_copies"
    texts = [say(audit, FRONT[shown], known=_known(audit), other=heads[best], now=now, then=then, **found)]
    texts += [say(audit, FRONT["about_too"], gain=_points(100 * _of(audit, "individual_gain", best)))] if about[best] else []
    exposed, more = (_levels(audit, x).records_above_nine_tenths.sum().item() for x in (i, best))
    texts += [say(audit, FRONT["more_exposed"], now=count(exposed), then=count(more))] if more > exposed else []
    passed = [x for x in others if caps[x] < caps[best] - SMALL]
    reasons = {x: "about" if x in fit else "copies" if x in copied else "nothing" if distance[x] >= 1 else "not_shown" for x in passed}
    why = [f"{heads[x]} ({say(audit, FRONT['passed'][reason], this=heads[i])})" for x, reason in reasons.items()]
    return [*texts, *([say(audit, FRONT["passed_over"], releases=listed(why))] if why else [])]


def _differences(audit: Findings, i: int, others: Sequence[int]) -> dict[int, dict[str, float]]:
    """By how much average CAP of a release is above that of each of the others, with an interval of 95 % for all pairs of releases.

    Chance chooses which is the worst, and which the best.
    """
    release, squares = audit.release(i), audit.tables.get("o_squares")
    s, level = audit.tables.s.isel(synthetic=list(others)), 1 - RARE / math.comb(len(others) + 1, 2)
    found = average_cap_interval(audit.tables.o, s, against=release, o_squares=squares, unmatched=audit.unmatched, level=level)
    ends = {"estimate": found.estimate, "lower": found.upper, "upper": found.lower}  # of what is below, turned to what is above
    return {x: {name: -float(value[at]) for name, value in ends.items()} for at, x in enumerate(others)}


def _change(audit: Findings, i: int, heads: Sequence[str]) -> str:
    """The release to take instead, or the key column whose absence, and that whose coarser levels, lower average CAP most."""
    if texts := _instead(audit, i, heads):
        return " ".join(texts)
    caps = _caps(audit)
    without_copies = [copies_of(audit).leave_out(i)] if _is_copied(audit, i) else []
    if audit.tables.o.sizes["key"] * len(audit.provenance["keys"]) > MOST:
        return " ".join([*without_copies, FRONT["not_computed"]])
    found = changes(audit.tables, audit.release(i), audit.unmatched)
    lower = [change for change in found if change.average_cap < caps[i] - SMALL]
    texts = []
    for kind in ("without", "coarser"):
        of_kind = [change for change in lower if (change.levels == 0) == (kind == "without")]
        if of_kind:
            least = min(of_kind, key=lambda change: change.average_cap)
            texts.append(FRONT[kind].format(column=named(least.column), levels=count(least.levels), then=share(least.average_cap)))
    text = say(audit, FRONT["change"], texts="; ".join(texts), now=share(caps[i])) if texts else FRONT["no_change"]
    without = max((change for change in found if change.levels == 0), key=lambda change: change.average_cap, default=None)
    better = []
    if audit.unmatched == "nearest" and without is not None and without.average_cap > caps[i] + SMALL:
        better = [say(audit, FRONT["better_without"], column=named(without.column), then=share(without.average_cap), now=share(caps[i]))]
    return " ".join([*without_copies, text, *better])
