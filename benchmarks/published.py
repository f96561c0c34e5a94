"""What several published tables give away together: seconds and memory of `published_bounds`, integer programmes, and what is found.

Run: python benchmarks/published.py [--ledgers 400] [--claims 5] [--limit 60] [--only sizes programmes ledgers]

- sizes: 35 tables, all choices of 4 of 7 columns, of made people whose columns depend on one another. Processor time and peak memory, less
  those of a process that has only loaded everything, and in which functions the time goes; first by default, then with `needed=True`,
  which is given up after --limit seconds;
- programmes: the same claims by integer programmes (HiGHS), one for each key whose people have one target, over the joint cells that no
  published 0 rules out; anes96 with four tables, and made people of 5 to 7 columns until one claim takes more than --limit seconds, by
  --claims of their keys. Ratios of both in one run;
- ledgers: how many of the certain people of small random ledgers are found, by kind of tables; integer programmes tell who is certain.
"""

import argparse
import cProfile
import json
import pstats
import resource
import subprocess
import sys
import time
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import LinearConstraint, milp
from scipy.sparse import csr_array, vstack

from capstats.datasets import anes96
from capstats.disclosure import Published, published_bounds

LEVELS = (8, 9, 16, 7, 15, 6, 3)  # 2.2 x 10^6 joint cells
SIZES = {  # people and the rule of all tables
    "exact, 10^4 people": (10**4, {}),
    "rounded to 5, 10^4 people": (10**4, {"rounded": (5, "nearest")}),
    "4 and fewer suppressed, 10^4 people": (10**4, {"suppressed": (1, 4)}),
    "exact, 10^6 people": (10**6, {}),
}
SMALLER = {"10^3 people": (10**3, 5, 3), "3 x 10^3 people": (3000, 6, 4), "10^4 people": (10**4, 7, 4)}  # people, columns, of each table


def people(n, levels=LEVELS, kinds=5, seed=0):
    """Records of n people of a few kinds; the columns of one kind are independent and uneven."""
    rng = np.random.default_rng(seed)
    kind = rng.choice(kinds, n, p=rng.dirichlet(np.full(kinds, 3.0)))
    columns = {}
    for i, size in enumerate(levels):
        edges = rng.dirichlet(np.full(size, 0.7), kinds).cumsum(1)
        columns[f"c{i}"] = (rng.random(n)[:, None] > edges[kind]).sum(1).clip(0, size - 1)
    return pd.DataFrame(columns)


def live(records, levels, tables):
    """The joint cells, (cells, columns), whose cell in every exact table holds somebody, column by column."""
    codes = records.to_numpy().T
    cells = np.zeros((0, 1), np.int64)
    for c, size in enumerate(levels):
        cells = np.vstack([np.repeat(cells, size, axis=1), np.tile(np.arange(size), cells.shape[1])])
        for of in {tuple(x for x in table if x <= c) for table in tables if c in table}:
            shape = [levels[x] for x in of]
            filled = np.zeros(np.prod(shape), bool)
            filled[np.ravel_multi_index(codes[list(of)], shape)] = True
            cells = cells[:, filled[np.ravel_multi_index(cells[list(of)], shape)]]
    return cells.T


# --- sizes ------------------------------------------------------------------------------------------------------------


def bounds_of(records, tables, rule, needed):
    names = list(records)
    chosen = [Published([names[c] for c in table], **rule) for table in tables]
    return published_bounds(records, keys=names[:-1], target=names[-1], published=chosen, needed=needed, rng=0)


def peak():
    status = Path("/proc/self/status")
    if status.exists():
        return next(int(line.split()[1]) / 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_one(name, needed):
    """Seconds, peak memory and numbers of one size, in a process of its own; as JSON."""
    n, rule = SIZES[name]
    records = people(n)
    tables = list(combinations(range(len(LEVELS)), 4))
    bounds_of(records.head(100)[["c0", "c6"]], [(0, 1)], rule, True)  # loads what is loaded once
    start, before = time.process_time(), peak()
    found = bounds_of(records, tables, rule, needed or None)
    seconds, memory = time.process_time() - start, peak() - before
    numbers = [int(found[x]) for x in ("certain", "certain_one_by_one", "certain_from_worst", "open")]
    profile, at = cProfile.Profile(), Counter()
    if not needed:
        profile.runcall(bounds_of, records, tables, rule, None)
        for (file, _, name_), (_, _, own, _, _) in pstats.Stats(profile).stats.items():
            at[name_.split("'")[1] if "'" in name_ else f"{Path(file).stem}.{name_}"] += own
    cells = len(live(records, LEVELS, tables)) if "exact" in name or "supp" in name else int(np.prod(LEVELS))
    print(json.dumps({"seconds": seconds, "memory": memory, "numbers": numbers, "cells": cells, "profile": at.most_common(4)}))


def sizes(given):
    print("| tables | live cells | seconds | of them in | peak MB | certain | one by one | worst | with `needed` |\n" + 9 * "|---" + "|")
    for name in SIZES:
        shown = None
        for needed in (False, True):
            command = [sys.executable, __file__, "--one", name, *(["--needed"] if needed else [])]
            try:
                done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=given.limit if needed else None)
            except subprocess.TimeoutExpired:
                print(f"{shown} > {given.limit} |", flush=True)
                continue
            found = json.loads(done.stdout)
            if needed:
                print(f"{shown} {found['seconds']:.1f} |", flush=True)
                continue
            of = ", ".join(f"{at} {x:.2f}" for at, x in found["profile"])
            certain, alone, worst, _ = found["numbers"]
            shown = f"| {name} | {found['cells']} | {found['seconds']:.2f} | {of} | {found['memory']:.0f} | {certain} | {alone} | {worst} |"


# --- integer programmes -----------------------------------------------------------------------------------------------


def by_programmes(records, tables, claims, limit):
    """Processor time of integer programmes, one a claim; how many claims there are, were asked and are true; whether all were solved."""
    codes = [pd.factorize(records[c], sort=True)[0] for c in records]
    levels = [x.max() + 1 for x in codes]
    cells = live(pd.DataFrame(dict(enumerate(codes))), levels, tables)
    start = time.process_time()
    systems, totals = [], []
    for table in tables:
        shape = [levels[c] for c in table]
        at = np.ravel_multi_index(cells[:, table].T, shape)
        here, which = np.unique(at, return_inverse=True)
        systems.append(csr_array((np.ones(len(cells)), (which.ravel(), np.arange(len(cells)))), (len(here), len(cells))))
        totals.append(np.bincount(np.ravel_multi_index([codes[c] for c in table], shape), minlength=np.prod(shape))[here])
    system, total = vstack(systems, format="csr"), np.concatenate(totals)
    once = time.process_time() - start
    *keys, target = codes
    shape = levels[:-1]
    known, first, which = np.unique(np.ravel_multi_index(keys, shape), return_index=True, return_inverse=True)
    pure = np.array([len(set(x)) == 1 for x in pd.Series(target).groupby(which.ravel()).agg(list)])
    own = np.ravel_multi_index(cells[:, :-1].T, shape)
    asked = np.flatnonzero(pure)
    asked = asked if claims is None else np.random.default_rng(0).permutation(asked)[:claims]
    start, true, solved = time.process_time(), 0, 0
    for j in asked:
        other = csr_array(((own == known[j]) & (cells[:, -1] != target[first[j]]))[None].astype(float))
        limits = LinearConstraint(vstack([system, other], format="csr"), np.r_[total, 1], np.r_[total, np.inf])
        found = milp(np.zeros(len(cells)), integrality=1, constraints=limits, options={"time_limit": limit})
        true, solved = true + (found.status == 2), solved + (found.status in (0, 2))
        if not solved:
            break
    done = len(asked) if solved else 1
    return once + (time.process_time() - start) / done * pure.sum(), int(pure.sum()), done, true, solved, len(cells)


def timed(work, *arguments):
    """The processor time of a call, the median of three."""
    times = []
    for _ in range(3):
        start = time.process_time()
        work(*arguments)
        times.append(time.process_time() - start)
    return sorted(times)[1]


def programmes(given):
    print("| people | live cells | claims | asked | solved | true | bounds s | programmes s | ratio |\n" + 9 * "|---" + "|")
    survey = anes96()[["educ", "PID", "age", "vote"]]
    survey = survey.assign(age=np.digitize(survey.age, [25, 30, 35, 40, 45, 50, 55, 60, 65, 70], right=True))
    cases = {"anes96": (survey, 3, None)}
    cases |= {name: (people(n, LEVELS[-columns:]), of, given.claims) for name, (n, columns, of) in SMALLER.items()}
    bounds_of(survey.head(50), [(0, 3)], {}, False)
    for name, (records, size, claims) in cases.items():
        tables = list(combinations(range(records.shape[1]), size))
        ours = timed(bounds_of, records, tables, {}, False)
        theirs, all_of, asked, true, solved, cells = by_programmes(records, tables, claims, given.limit)
        shown = [name, cells, all_of, asked, solved, true, f"{ours:.3f}", f"{theirs:.0f}", f"{theirs / ours:.0f}"]
        print(f"| {' | '.join(map(str, shown))} |", flush=True)
        if solved < asked:
            break


# --- small ledgers ----------------------------------------------------------------------------------------------------


def ledgers(given):
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from small_ledgers import KINDS, case

    found = {kind: np.zeros(5, int) for kind in [*KINDS, "all"]}
    times = np.zeros(3)
    for seed in range(given.ledgers):
        drawn = case(seed)
        clock = [time.process_time()]
        bounds = published_bounds(**drawn.arguments)
        clock.append(time.process_time())
        exact = published_bounds(**drawn.arguments, exact=True)
        clock.append(time.process_time())
        true = sum(drawn.true_claims().values())
        times += np.diff([*clock, time.process_time()])
        for kind in (drawn.kind, "all"):
            found[kind] += [1, true, int(bounds.certain_one_by_one), int(bounds.certain), int(exact.certain)]
    print(
        "| tables | ledgers | certain | one by one | together | share | of those that need several | exact=True | share |\n"
        + 9 * "|---"
        + "|"
    )
    for kind, (of, true, alone, together, exact) in found.items():
        share = f"{together / true:.3f} | {together - alone} of {true - alone}"
        print(f"| {kind} | {of} | {true} | {alone} | {together} | {share} | {exact} | {exact / true:.3f} |")
    print("\nseconds: {:.1f}, with exact=True {:.1f}, integer programmes {:.1f}".format(*times))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ledgers", type=int, default=400)
    parser.add_argument("--claims", type=int, default=5)
    parser.add_argument("--limit", type=int, default=60, help="seconds of one integer programme, and of `needed`")
    parser.add_argument("--only", nargs="+", default=["sizes", "programmes", "ledgers"])
    parser.add_argument("--one", choices=list(SIZES), help=argparse.SUPPRESS)
    parser.add_argument("--needed", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        measure_one(given.one, given.needed)
        return
    for part in given.only:
        {"sizes": sizes, "programmes": programmes, "ledgers": ledgers}[part](given)
        print()


if __name__ == "__main__":
    main()
