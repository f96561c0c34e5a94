"""What somebody with the releases learns from public reports: as they were before the rules of theory/publication.md#public-report, and as
they are.

Run: python benchmarks/public_report.py [--quick]; seven minutes on two busy cores, or one

Before: each number rounded by itself, as many releases as wanted, average CAP with each column alone and without it. Now: nested shares,
all of them ("shown": only those that are printed themselves), a step that grows with the number of releases, at most 4 of these. The
intruder knows the releases, n and the pages. Integer programmes (HiGHS) give the least and the greatest count of each cell that agrees with
all of them; an answer is counted only where it is proved. The two sums of squares do not enter these programmes, but they do where all
people but one are known.
"""

import argparse
import time

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from capstats import audit
from capstats.auditing.publication import BANDS, STEPS, publication

EDGE = 1e-6  # by how much an excluded end of an interval is moved
KEYS = (4, 3)  # two key columns


def cap(s):
    """Individual CAP of each cell, dims (target, key)."""
    return np.divide(s, s.sum(0), out=np.zeros(s.shape), where=s.sum(0) > 0)


def before(s, many):
    """Coefficients of the numbers of one release as they were printed; of many releases without curve and columns."""
    q = cap(s)
    numbers = [q, np.broadcast_to(s.sum(0) > 0, q.shape), q > 0.5 + EDGE, q > 0.9 + EDGE, q > 1 - EDGE]
    if not many:
        numbers += [q > x + EDGE for x in BANDS]
        table = s.reshape(-1, *KEYS)
        for summed in (1, 2):  # of two columns, one alone is all without the other
            margin = table.sum(summed, keepdims=True)
            alone = np.divide(margin, margin.sum(0), out=np.zeros(margin.shape), where=margin.sum(0) > 0)
            numbers += [np.broadcast_to(alone, table.shape).reshape(q.shape)]
    return np.array(numbers, dtype=float)


def now(s, _=False):
    """The nested sets of one release: matched people, and those above each value of CAP, of which `publication` makes all numbers."""
    q = cap(s)
    return np.array([np.broadcast_to(s.sum(0) > 0, q.shape), *(q > x + EDGE for x in np.unique(q)[:-1])], dtype=float)


def shown(s, _=False):
    """Those of the nested sets whose shares are printed themselves."""
    q = cap(s)
    return np.array([np.broadcast_to(s.sum(0) > 0, q.shape), *(q > x + EDGE for x in BANDS[:-1]), q > 1 - EDGE], dtype=float)


def steps_of(n, threshold, releases=1):
    return next(d for d in STEPS if 2 * threshold * releases * d <= n)


class Page:
    """What one page says of the cells of the original, which has ``targets`` rows; a release may have more targets."""

    def __init__(self, o, releases, threshold, numbers, grows=True):
        self.n, targets = int(o.sum()), len(o)
        self.steps = steps_of(self.n, threshold, len(releases) if grows and numbers is not before else 1)
        self.of = np.concatenate([numbers(s, len(releases) > 4)[:, :targets].reshape(-1, o.size) for s in releases])
        self.printed = self.rounded(o)
        shut = np.where(self.printed % 2 == 0, 0, EDGE)  # a tie goes to the even number
        half = 0.5 - shut
        self.least, self.most = ((self.printed + sign * half) * self.n / self.steps for sign in (-1, 1))

    def rounded(self, o):
        return np.round(np.round(self.of @ o.ravel() * self.steps / o.sum(), 9))


def solve(objective, pages, joined=None, seconds=5):
    """The least of an objective over all originals that agree with the pages, or None if there is none.

    ``joined``: the cell of the person who is in the second page and not in the first.
    """
    size = len(objective)
    constraints = [LinearConstraint(np.ones((1, size)), pages[0].n, pages[0].n)]
    for k, page in enumerate(pages):
        more = page.of[:, joined] if k else 0
        constraints.append(LinearConstraint(page.of, page.least - more, page.most - more))
    found = milp(objective, constraints=constraints, integrality=np.ones(size), bounds=Bounds(0, np.inf), options={"time_limit": seconds})
    if found.status == 2:
        return None
    if found.status == 0:
        return round(found.fun)
    return -np.inf if found.mip_dual_bound is None else int(np.ceil(found.mip_dual_bound - EDGE))  # out of time: what is proved


def range_of(cell, size, page):
    objective = np.zeros(size)
    objective[cell] = 1
    return solve(objective, [page]), -solve(-objective, [page])


def original(rng, n, threshold):
    """Many people with the first target, and below the threshold with the second one at each key."""
    keys = KEYS[0] * KEYS[1]
    small = rng.integers(1, threshold, keys)
    return np.array([rng.multinomial(n - small.sum(), rng.dirichlet(np.full(keys, 3.0))), small])


def chosen(rng, keys):
    """A release that the attacker makes: each key with a target of its own, none, or any share of the two."""
    kind, share = rng.integers(0, 4, keys), rng.integers(1, 200, keys)
    return np.array([np.choose(kind, [200, 0, 0, share]), np.choose(kind, [0, 200, 0, 200 - share])])


def small_counts(numbers, releases, tables, n=1000, threshold=10, grows=True):
    found = []
    for seed in range(tables):
        rng = np.random.default_rng(seed)
        o = original(rng, n, threshold)
        page = Page(o, [chosen(rng, o.shape[1]) for _ in range(releases)], threshold, numbers, grows)
        found += [range_of(cell, o.size, page) for cell in range(o.shape[1], o.size)]
    least, most = np.array(found).T
    known = (least == most).sum(), ((least > 0) & (most < threshold)).sum(), (least > 0).sum()
    told = ", ".join(f"{x} {what}" for x, what in zip(known, ("exact", "proved to be 1 to 9", "proved not to be 0"), strict=True))
    print(f"  {numbers.__name__:6} {releases:3} releases: of {len(found)} small counts {told}", flush=True)


def shifted(numbers, threshold=10, n=1000):
    """One release in which one group has CAP 0.69 and everybody else 0.31, so that average CAP without the group is just below a border."""
    steps, found = steps_of(n, threshold), 0
    border = np.ceil(0.3 * steps) + 0.5
    for x in range(1, threshold):
        o = np.array([[50] * 11 + [0], [41] * 11 + [x]])
        o[0, 0] += n - o.sum()
        c = border / steps - 1e-5
        s = np.array([[c] * 12, [c] * 11 + [1 - c], [1 - 2 * c] * 11 + [0]])  # a third target, which nobody has
        least, most = range_of(23, 24, Page(o, [s], threshold, numbers))
        found += least > 0 and most <= threshold
    print(f"  {numbers.__name__:6} one release: {found} of 9 counts proved to be 1 to 10", flush=True)


def joined(numbers, releases, tables, n=324, threshold=10):
    """How many people's target two pages tell, one with and one without them, to somebody who knows their keys."""
    told = 0
    for seed in range(tables):
        rng = np.random.default_rng(seed)
        o = rng.multinomial(n, rng.dirichlet(np.full(36, 0.7))).reshape(3, 12)
        made = [rng.multinomial(n, (o.ravel() + 0.3) / (o + 0.3).sum()).reshape(o.shape) for _ in range(releases)]
        second = Page(o, made, threshold, numbers)
        for cell in np.flatnonzero(o):
            less = o.copy()
            less.flat[cell] -= 1
            first = Page(less, made, threshold, numbers)
            others = [other for other in range(cell % 12, 36, 12) if other != cell]
            if (first.printed != second.printed).any() and all(solve(np.zeros(36), [first, second], other) is None for other in others):
                told += o.flat[cell]
    people = tables * n
    print(f"  {numbers.__name__:6} {releases:3} releases: the target of {told} of {people} people ({told / people:.0%})", flush=True)


def records(table):
    target, key = (np.repeat(x.ravel(), table.ravel()) for x in np.indices(table.shape))
    return {"k": key, "t": target}


def but_one(releases, tables, n, threshold):
    """How many people's target one page tells to somebody who knows all others and the person's keys: the page itself, made by capstats."""
    told = people = 0
    for seed in range(tables):
        rng = np.random.default_rng(seed)
        o = rng.multinomial(n, rng.dirichlet(np.full(12, 0.7))).reshape(3, 4)
        like = (o.ravel() + 0.3) / (o + 0.3).sum()
        made = {f"r{i}": records(rng.multinomial(n, like).reshape(3, 4)) for i in range(releases)}

        def page(table, made=made):
            found = publication(audit(records(table), made, keys="k", target="t", allow_no_match=True), threshold)
            return found.shares, found.below.tolist()

        right = page(o)
        for cell in np.flatnonzero(o):
            others = []
            for other in range(cell % 4, 12, 4):
                if other != cell:
                    moved = o.copy()
                    moved.flat[[cell, other]] += [-1, 1]
                    others.append(page(moved))
            people += o.flat[cell]
            told += o.flat[cell] * all(other != right for other in others)
    print(f"  now    {releases:3} releases, n = {n}, t = {threshold}: {told} of {people} people ({told / people:.0%})", flush=True)


def few_cells(releases, grows, tables, n=400, threshold=5):
    """Many releases of a table with eight cells: their nested sets overlap in few people. What the growing step is for."""
    found = small = 0
    for seed in range(tables):
        rng = np.random.default_rng(seed)
        below = rng.integers(0, threshold, 4)
        o = np.array([rng.multinomial(n - below.sum(), rng.dirichlet(np.ones(4))), below])
        made = [np.round(rng.dirichlet(np.ones(2), 4).T * 40) for _ in range(releases)]
        page = Page(o, made, threshold, now, grows)
        ranges = [range_of(cell, 8, page) for cell in np.flatnonzero((o > 0) & (o < threshold))]
        found += len(ranges)
        small += sum(least > 0 and most < threshold for least, most in ranges)
    step = "a step that grows" if grows else "the step of one"
    print(f"  now    {releases:3} releases, {step}: {small} of {found} small counts proved to be small", flush=True)


def proved(releases, tables, rng):
    """Counts of cells and of random groups of them in tables of 100 to 1000 records that the pages of today prove to be small."""
    found = small = 0
    for _ in range(tables):
        n, threshold = int(rng.choice([100, 300, 1000])), int(rng.choice([2, 3, 5]))
        shape = int(rng.integers(2, 4)), int(rng.integers(2, 7))
        o = rng.multinomial(n, rng.dirichlet(np.full(shape[0] * shape[1], 0.3))).reshape(shape)
        page = Page(o, [rng.multinomial(60, rng.dirichlet(np.full(o.size, 0.5))).reshape(shape) for _ in range(releases)], threshold, now)
        for _ in range(6):
            group = rng.random(o.size) < rng.choice([1 / o.size, 0.3])
            if 0 < o.ravel()[group].sum() < threshold:
                found += 1
                least, most = solve(group * 1.0, [page]), -solve(group * -1.0, [page])
                small += least > 0 and most < threshold
    print(f"  now    {releases:3} releases: {small} of {found} small groups proved to be small", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    start = time.perf_counter()
    print("1. Releases made by the attacker, n = 1000, t = 10: the counts of 12 small groups")
    for numbers, releases in [(before, 1), (before, 4), (before, 40), (before, 80), (now, 1), (now, 2), (now, 3), (now, 4)]:
        if not quick or releases <= 4:
            small_counts(numbers, releases, 1 if quick or releases > 4 else 2)
    print("   The same in a series of pages of one release each, which the ledger refuses")
    for pages in [] if quick else [4, 8, 16, 32]:
        small_counts(now, pages, 2, grows=False)
    print("2. A border of rounding put beside a group, n = 1000, t = 10")
    shifted(before)
    shifted(now)
    print("3. Random tables of 100 to 1000 records, t from 2 to 5: cells and groups of them")
    for releases in (1, 2, 3, 4):
        proved(releases, 40 if quick else 300, np.random.default_rng(releases))
    print("4. Two pages, before and after one of 324 people joined, t = 10 (today the second one needs a reason)")
    for numbers, releases in [(before, 1), (before, 10), (shown, 1), (shown, 4), (now, 1), (now, 4)]:
        joined(numbers, releases, 1 if quick else 5)
    print("5. One page, to somebody who knows all people but one")
    for releases, n, threshold in [(1, 100, 5), (1, 300, 10), (4, 300, 10), (1, 1000, 10)]:
        but_one(releases, 1 if quick else 3, n, threshold)
    print("6. Releases made by the attacker of tables with 8 cells, n = 400, t = 5")
    for releases in (2, 3, 4):
        for grows in (False, True):
            few_cells(releases, grows, 5 if quick else 40)
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
