"""`average_cap(..., unmatched="nearest")` against a blocked pairwise comparison of all keys in numpy: seconds, ratios, peak memory.

Run: python benchmarks/neighbours.py [--pairs 5] [--seconds 60] [--only 8 16]

The peer compares uint8 codes column by column, 2^17 pairs at a time, and pools the ties. Both sides get the same labelled tables, so the
peer starts from `average_cap(o, s)`, which checks and aligns them and counts the matched keys. Where it would take more than --seconds it
compares the first keys only and its time is scaled up by their number; both must agree on those. Each size runs in a process of its own,
the sides in turn; ratios are medians of such pairs. Keys come from a latent class model, so that some are near and others far.
"""

import argparse
import resource
import statistics
import subprocess
import sys
import time
import tracemalloc

import numpy as np

from capstats import average_cap, tabulate
from capstats.tables.axes import axis_of

LEVELS = {4: (64, 50, 40, 30), 8: (5, 8, 10, 12, 14, 16, 18, 20), 16: (2, 3, 4, 5, 6, 7, 8, 9, 10, 2, 3, 4, 5, 6, 7, 8)}
SIZES = [
    (4, 20, 20),
    (4, 200, 200),
    (4, 1_000, 1_000),
    (4, 10_000, 1_000),
    (4, 1_000_000, 100_000),
    (8, 20, 20),
    (8, 200, 200),
    (8, 1_000, 1_000),
    (8, 10_000, 1_000),
    (8, 100_000, 100_000),
    (8, 1_000_000, 100_000),
    (16, 20, 20),
    (16, 200, 200),
    (16, 1_000, 1_000),
    (16, 10_000, 10_000),
    (16, 100_000, 100_000),
    (16, 1_000_000, 100_000),
]
TARGETS, CLASSES, BLOCK = 6, 40, 1 << 17


def tables(levels, synthetic, unmatched):
    """An original table of so many unmatched keys, a synthetic one of other keys, with distinct keys."""
    rng = np.random.default_rng(0)
    kinds = [[rng.dirichlet(np.full(size, 0.5)) for size in levels] for _ in range(CLASSES)]
    distinct = np.empty(0, np.int64)
    while len(distinct) < synthetic + unmatched:
        kind = rng.integers(0, CLASSES, 2 * (synthetic + unmatched))
        rows = np.empty((len(kind), len(levels)), np.int64)
        for k in range(CLASSES):
            of_kind = np.flatnonzero(kind == k)
            for c, size in enumerate(levels):
                rows[of_kind, c] = rng.choice(size, len(of_kind), p=kinds[k][c])
        distinct = np.unique(np.append(distinct, np.ravel_multi_index(rows.T, levels)))
    keys = np.unravel_index(rng.permutation(distinct)[: synthetic + unmatched], levels)
    parts = []
    for part in (slice(synthetic, None), slice(synthetic)):
        n = len(keys[0][part])
        which = np.concatenate([np.arange(n), rng.integers(0, n, 2 * n)])
        columns = {f"k{c}": column[part][which] for c, column in enumerate(keys)}
        parts.append(columns | {"t": rng.integers(0, TARGETS, len(which))})
    return tabulate(*parts, keys=[f"k{c}" for c in range(len(levels))], target="t", backing="dense")


def pairwise(o, s, most):
    """Correct attributions of the first unmatched keys, at most so many, by comparing each with all synthetic keys."""
    codes = [np.asarray(column).astype(np.uint8) for column in axis_of(o, "key").codes]
    counts, synthetic = o.values, s.values
    lends = np.flatnonzero(synthetic.any(0))
    borrows = np.flatnonzero(~synthetic.any(0))[:most]
    theirs, mine = [column[lends] for column in codes], [column[borrows] for column in codes]
    rows = np.ascontiguousarray(synthetic[:, lends].T)
    m = len(lends)
    correct = np.empty(len(borrows))
    step = max(1, BLOCK // m)
    apart, differ = np.empty((step, m), np.uint8), np.empty((step, min(m, BLOCK)), bool)
    for start in range(0, len(borrows), step):
        part = slice(start, min(start + step, len(borrows)))
        here = apart[: part.stop - start]
        for first in range(0, m, BLOCK):
            block = slice(first, min(first + BLOCK, m))
            number, other = here[:, block], differ[: len(here), : block.stop - first]
            for c, (a, b) in enumerate(zip(mine, theirs, strict=True)):
                np.not_equal(a[part, None], b[None, block], out=other)
                if c:
                    np.add(number, other.view(np.uint8), out=number)
                else:
                    number[...] = other
        row, lender = np.divmod(np.flatnonzero(here == here.min(1)[:, None]), m)
        pooled = np.add.reduceat(rows[lender], np.searchsorted(row, np.arange(len(here))), axis=0)
        correct[part] = (pooled * counts[:, borrows[part]].T).sum(1) / pooled.sum(1)
    return correct.sum()


def measure(columns, synthetic, unmatched, pairs, seconds):
    both = tables(LEVELS[columns], synthetic, unmatched)
    o, s, n = both.o, both.s, int(both.o.sum())
    most = unmatched
    trial = min(unmatched, max(64, int(1e7 / synthetic)))
    if clock(lambda: pairwise(o, s, trial))[0] * unmatched / trial > seconds:
        most = int(unmatched * min(1, seconds / 20 / (clock(lambda: pairwise(o, s, trial))[0] * unmatched / trial)))

    def ours():
        return float(average_cap(o, s, unmatched="nearest"))

    def theirs():
        whole, matched = clock(lambda: float(average_cap(o, s)))
        part, correct = clock(lambda: pairwise(o, s, most))
        return whole + part * unmatched / most, matched + correct / n

    tracemalloc.start()
    ours()
    extra = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    if most == unmatched:
        assert np.isclose(ours(), theirs()[1], rtol=1e-12)
    else:
        some = o.copy(data=o.values * np.isin(np.arange(o.sizes["key"]), np.flatnonzero(~s.values.any(0))[:most]))
        assert np.isclose(float(average_cap(some, s, unmatched="nearest")) * int(some.sum()), pairwise(o, s, most), rtol=1e-12)
    timed = [(clock(ours)[0], theirs()[0]) for _ in range(pairs if synthetic * unmatched > 1e6 else 20 * pairs)]
    mine, its = (statistics.median(x) for x in zip(*timed, strict=True))
    ratio = statistics.median(b / a for a, b in timed)
    scaled = "" if most == unmatched else f" (scaled from {most} keys)"
    print(
        f"| {columns} | {synthetic:,} | {unmatched:,} | {mine:.4g} | {its:.4g}{scaled} | {ratio:.2f} | {extra:.0f}, {peak:.0f} |",
        flush=True,
    )


def clock(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--only", type=int, nargs="+", default=list(LEVELS), help="numbers of key columns")
    parser.add_argument("--most", type=int, default=10**12, help="the most pairs of keys")
    parser.add_argument("--here", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.here is not None:
        measure(*SIZES[given.here], given.pairs, given.seconds)
        return
    print("| key columns | synthetic keys | unmatched keys | capstats s | pairwise s | ratio | extra MB, peak with data |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for i, (columns, synthetic, unmatched) in enumerate(SIZES):
        if columns in given.only and synthetic * unmatched <= given.most:
            again = [sys.executable, __file__, "--here", str(i), "--pairs", str(given.pairs), "--seconds", str(given.seconds)]
            subprocess.run(again, check=True)


if __name__ == "__main__":
    main()
