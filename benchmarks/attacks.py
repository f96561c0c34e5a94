"""Membership scores along the axes of the table against blocked pairwise evaluation in numpy; and the time of maximum knowledge.

Run: python benchmarks/attacks.py [--records 30000] [--tables 10] [--pairs 3] [--share 0.02]

Categorical columns of 5 levels, half of all values driven by one hidden class. The pairwise evaluation is that of all records against all
released ones, in logarithms, with a block as large as ours; it takes minutes, so it runs on a share of the records and is scaled up (its
time is proportional to their number; the share is printed). Scores are compared on that share.
"""

import argparse
import statistics
import time
import tracemalloc
from functools import partial

import numpy as np
import pandas as pd

from capstats.attacks import knowledge, maximum_knowledge, membership_scores
from capstats.attacks.kernels import BLOCK

COLUMNS, LEVELS = 8, 5


def people(n, seed):
    rng = np.random.default_rng(seed)
    hidden = rng.integers(0, LEVELS, (n, 1))
    codes = np.where(rng.random((n, COLUMNS)) < 0.5, hidden, rng.integers(0, LEVELS, (n, COLUMNS)))
    return pd.DataFrame({f"v{v}": pd.Categorical.from_codes(codes[:, v], list("abcde")) for v in range(COLUMNS)})


def codes(frame):
    return np.stack([frame[c].cat.codes.to_numpy(np.float64) for c in frame], axis=1)


def pairwise(x, y, width):
    """log10 of the sum of kernels for each row of x, by all pairs: the squared distance as one matrix product a block."""
    step = max(1, BLOCK // len(y))
    squares = (y**2).sum(axis=1)
    found = np.empty(len(x))
    for start in range(0, len(x), step):
        part = x[start : start + step]
        logs = (part @ y.T - squares / 2 - (part**2).sum(axis=1)[:, None] / 2) / width**2
        top = logs.max(axis=1)
        logs -= top[:, None]
        np.exp(logs, out=logs)
        found[start : start + step] = (np.log(logs.sum(axis=1)) + top) / np.log(10)
    return found


def pairwise_of_all(x, ys, width):
    return np.array([pairwise(x, y, width) for y in ys])


def seconds(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=30_000)
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--share", type=float, default=0.02, help="share of the records that the pairwise evaluation scores")
    given = parser.parse_args()
    original = people(given.records, 0)
    released = [people(given.records, seed) for seed in range(1, given.tables + 1)]
    few = max(1, round(given.share * given.records))
    x, ys = codes(original.iloc[:few]), [codes(s) for s in released]
    print(f"{given.records} x {given.records} records, {COLUMNS} columns of {LEVELS} levels, m = {given.tables}; pairwise on {few} records")
    print("| widths | capstats s | pairwise s, scaled | ratio | limit | greatest difference of log10 |\n|---|---|---|---|---|---|")
    for name, width in (("low", 1.0), ("high", 0.1)):
        ours = partial(membership_scores, original, released, columns=list(original), widths=name)
        theirs = partial(pairwise_of_all, x, ys, width)
        both = []
        for _ in range(given.pairs):  # in turn, so that both see the same machine
            (mine, scores), (its, expected) = seconds(ours), seconds(theirs)
            both.append((mine, its * given.records / few))
        mine, its = (statistics.median(t) for t in zip(*both, strict=True))
        ratio = statistics.median(a / b for a, b in both)
        apart = float(np.abs(scores.values[:, :few] - expected).max())
        print(f"| {name} | {mine:.2f} | {its:.1f} | {ratio:.4f} | 0.1 | {apart:.1e} |", flush=True)
    tracemalloc.start()
    ours()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"peak memory beside the tables: {peak / 1e6:.0f} MB (a matrix of all pairs: {given.records**2 * 8 / 1e6:.0f} MB)")
    by_axes, first = seconds(lambda: maximum_knowledge(original, released[:1], columns=list(original)))
    knowledge.TREE = 0
    by_tree, second = seconds(lambda: maximum_knowledge(original, released[:1], columns=list(original)))
    same = "the same accuracies" if (first.accuracy == second.accuracy).all() else "OTHER accuracies"
    print(f"maximum knowledge, m = 1: {by_axes:.2f} s along the axes, {by_tree:.2f} s by tree, {same}")


if __name__ == "__main__":
    main()
