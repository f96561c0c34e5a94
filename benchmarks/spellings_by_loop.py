"""The commands of `spellings.py` and the same numbers record by record, in plain Python on codes."""

from collections import Counter
from itertools import combinations
from math import exp, inf, log
from statistics import median_low

import narwhals as nw
import numpy as np

from capstats import anonymity, attacks, audit, average_cap, describe, matched_records, population, tabulate
from capstats.disclosure import record_risk
from capstats.screening import sweep

COLUMNS = {"wealth": 0, "k": 1, "t": 2, "v": 3}
KEYS = {"key": [0, 1], "target": [1, 3], "neither": [1]}
TARGET = {"key": 2, "target": 0, "neither": 2}
ALL = list(COLUMNS)
OTHERS = [[f"k{i}" for i in range(4)], ["x", "y", "z"], [f"v{i:02}" for i in range(40)]]  # labels of all columns but the first


def people(levels):
    """Original, release, holdout, and a holdout of 100 others and 50 people of the original: the codes of records."""
    rng = np.random.default_rng(levels)
    shape = [levels, *map(len, OTHERS)]

    def fresh(n):
        first = rng.integers(0, shape[0], n)
        rest = [(first * rng.integers(0, 2, n) + rng.integers(0, m, n)) % m for m in shape[1:]]
        return list(map(tuple, np.stack([first, *rest], axis=1).tolist()))

    original = fresh(300)
    return original, original[:120] + fresh(80), fresh(150), fresh(100) + original[200:250]


def audited(o, s, h, _m, _a, keys, target):
    found = audit(o, s, keys=keys, target=target, holdout=h, progress=False)
    names = ["average_cap_nearest", "copied_records", "copied_unique_records", "near_copied_records", "holdout_copied_unique_records"]
    return [float(found.measures[x]) for x in [*names, "copied_beyond_chance"]], found


def with_people_in_the_holdout(o, _s, _h, m, a, keys, target):
    found = audit(o, a, keys=keys, target=target, holdout=m, progress=False)
    copies = found.provenance["copies"]
    return [copies.get("holdout_in_original", -1), float(found.measures.average_cap_nearest)], found


def tabulated(o, s, _h, _m, _a, keys, target):
    tables = tabulate(o, s, keys=keys, target=target, copy_columns=10, progress=False)
    copied = tables.encoding["copies"]["releases"][0]
    return [float(average_cap(tables.o, tables.s)), float(matched_records(tables.o, tables.s)), copied["copied_records"]], ""


def risks(o, s, _h, _m, _a, keys, target):
    found = record_risk(o, s, keys=keys, target=target, copy_columns=10, progress=False)
    found = found if isinstance(found, dict) else nw.from_native(found)
    return [
        float(sum(found[x].to_list() if hasattr(found[x], "to_list") else found[x]))
        for x in ("cap", "cap_nearest", "disclosed", "replicated", "copies")
    ], ""


def swept(o, s, _h, _m, _a, keys, target):
    return sweep(o, s, keys=keys, targets=target, measures="average_cap", progress=False).value.values.ravel().tolist(), ""


def profile(o, s, _h, _m, _a, keys, target):
    tables = tabulate(o, s, keys=keys, target=target, progress=False)
    found = anonymity.anonymity_profile(tables.o, tables.s)
    return [float(x) for name in ("classes", "uniques", "distinct_l") for x in found[name].values.ravel()], ""


def known(o, s, *_):
    found = attacks.maximum_knowledge(o, s, columns=ALL, progress=False)
    return found.accuracy.values.tolist(), ""


def roc(o, s, h, *_):
    return [float(attacks.membership_roc(o, h, s, columns=ALL, widths=1.0, progress=False).auc)], ""


def singled_out(o, s, *_):
    found = population.singling_out(o, s, columns=["wealth", "t", "v"], subset_size=2, progress=False)
    return [int(found.predicates), int(found.hits)], ""


def linked(o, s, *_):
    return [float(population.linkability(o, s, a=["wealth", "k"], b=["t", "v"], progress=False).rate)], ""


def described(o, s, *_):
    """What it has no word on must meet: then the column as a key gives the number of people in levels that the release has."""
    found = describe(o, s, progress=False)
    levels = int(found.columns.levels["wealth"]) + (found.columns.missing["wealth"] > 0)
    if "'wealth'" in str(found).partition("Candidates")[0]:
        return [-1, -1], "Column 'wealth'"
    tables = tabulate(o, s, keys="wealth", target="t", progress=False)
    return [levels, float(matched_records(tables.o, tables.s))], ""


COMMANDS = {
    "audit": audited,
    "audit, people in the holdout": with_people_in_the_holdout,
    "tabulate": tabulated,
    "record_risk": risks,
    "sweep": swept,
    "anonymity_profile": profile,
    "maximum_knowledge": known,
    "membership_roc": roc,
    "singling_out": singled_out,
    "linkability": linked,
    "describe": described,
}

# --- the same by loops ------------------------------------------------------------------------------------------------


def cap(person, released, keys, target, *, nearest):
    """Share of the right target among records with the person's keys, or with the nearest ones."""
    far = [sum(person[c] != x[c] for c in keys) for x in released]
    least = min(far) if nearest else 0
    guesses = [x[target] == person[target] for x, d in zip(released, far, strict=True) if d == least]
    return sum(guesses) / len(guesses) if guesses else 0.0


def copies(original, released):
    times = Counter(original)
    near = sum(not times[x] and any(sum(a != b for a, b in zip(x, y, strict=True)) == 1 for y in original) for x in released)
    return [sum(times[x] > 0 for x in released), sum(times[x] == 1 for x in released), near]


def part(person, columns):
    return tuple(person[c] for c in columns)


def ranks(values):
    in_order = sorted(values)
    return [in_order.index(x) + 1 + len(in_order) - in_order[::-1].index(x) for x in values]


POOLS = {}


def pools(original, released, column, levels):
    """For each person, the values in the column of the released records that are nearest in the ranks of the others."""
    if (levels, column) not in POOLS:
        others, n, m = [c for c in range(4) if c != column], len(original), len(released)
        of_o, of_s = (list(zip(*(ranks([x[c] for x in table]) for c in others), strict=True)) for table in (original, released))
        far = [[sum(abs(a * m - b * n) for a, b in zip(x, y, strict=True)) for y in of_s] for x in of_o]
        POOLS[levels, column] = [
            [y[column] for y, d in zip(released, own, strict=True) if d == least] for own, least in zip(far, map(min, far), strict=True)
        ]
    return POOLS[levels, column]


def guessed(original, released, column, levels, values):
    right = 0.0
    for person, pool in zip(original, pools(original, released, column, levels), strict=True):
        if column == 0 and values:
            guess, truth = median_low([values[x] for x in pool]), values[person[0]]
            right += guess == truth or abs(guess - truth) < 1
        else:
            times = Counter(pool)
            modes = [x for x in times if times[x] == max(times.values())]
            right += (person[column] in modes) / len(modes)
    return right / len(original)


def score(person, released, values):
    def between(a, b, c):
        a, b = (values[a], values[b]) if c == 0 and values else (a, b)
        return 0.0 if a == b else inf if inf in (a, b) else (a - b) ** 2

    return log(sum(exp(-sum(between(a, b, c) for c, (a, b) in enumerate(zip(person, x, strict=True))) / 2) for x in released) or 1e-320)


def joined(person, released):
    sides = []
    for columns in ([0, 1], [2, 3]):
        far = [sum(person[c] != x[c] for c in columns) for x in released]
        sides.append({j for j, d in enumerate(far) if d == min(far)})
    return len(sides[0] & sides[1]) / len(sides[0]) / len(sides[1])


RESULTS = {}


def by_loop(name, role, levels, values, tables):
    """The numbers of a command; None where it has none of its own in this role."""
    if name in ("maximum_knowledge", "membership_roc"):
        role, known_by = "key" if role != "neither" else None, values
    elif name in ("singling_out", "linkability", "describe"):
        role, known_by = "key" if role != "target" else None, None
    else:
        known_by = None
    if role is None:
        return None
    place = name, role, levels, known_by
    if place not in RESULTS:
        RESULTS[place] = _by_loop(name, role, levels, known_by, *tables)
    return RESULTS[place]


def _by_loop(name, role, levels, values, o, s, h, m):
    keys, target = KEYS[role], TARGET[role]

    def average(columns, released=s, *, nearest=True):
        return sum(cap(x, released, columns, target, nearest=nearest) for x in o) / len(o)

    if name == "audit":
        return [average(keys), *copies(o, s), copies(h, s)[1], 1]
    if name == "audit, people in the holdout":
        return [copies(o, m)[0], average(keys)]
    if name == "tabulate":
        return [average(keys, nearest=False), sum(part(x, keys) in {part(y, keys) for y in s} for x in o), copies(o, s)[0]]
    if name == "record_risk":
        of_o, of_s = (Counter(part(x, keys) for x in table) for table in (o, s))
        zero = [cap(x, s, keys, target, nearest=False) for x in o]
        replicated = sum(of_o[part(x, keys)] == of_s[part(x, keys)] == 1 for x in o)
        return [sum(zero), average(keys) * len(o), sum(x == 1 for x in zero), replicated, sum(s.count(x) for x in o)]
    if name == "sweep":
        return [average(x) for k in range(1, len(keys) + 1) for x in combinations(keys, k)]
    if name == "anonymity_profile":
        of = [Counter(part(x, keys) for x in table) for table in (o, s)]
        least = [min(len({x[target] for x in t if part(x, keys) == key}) for key in n) for t, n in zip((o, s), of, strict=True)]
        return [*map(len, of), *(sum(n == 1 for n in x.values()) for x in of), *least]
    if name == "maximum_knowledge":
        return [guessed(o, s, c, levels, values) for c in range(4)]
    if name == "membership_roc":
        members, others = ([score(x, s, values) for x in table] for table in (o, h))
        ties = [0.5 if abs(x - y) < 1e-12 * abs(x) else x > y for x in members for y in others]
        return [sum(ties) / len(ties)]
    if name == "singling_out":
        rows = [{part(x, [0, 2, 3]) for x in table} for table in (o, s)]
        found = [[Counter(part(x, c) for x in table) for table in rows] for c in combinations(range(3), 2)]
        return [sum(n == 1 for _, of in found for n in of.values()), sum(of[x] == n == 1 for n_o, of in found for x, n in n_o.items())]
    if name == "linkability":
        return [sum(joined(x, s) for x in o) / len(o)]
    return [len({x[0] for x in o}), len(o)]
