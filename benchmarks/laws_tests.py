"""Tests of a release by permutation on 10^5 records: seconds, with the number of different values of individual CAP.

Run: python benchmarks/laws_tests.py [--records 100000] [--runs 3]

Original and holdout have half of the records each, the release as many as the original. The permutation test of utility and the audit of a
claimed epsilon by pairs stand beside it.
"""

import argparse
import time

import numpy as np

from capstats.laws import dp_audit_release, membership_test, permutation_test

SHAPES = ((3, 20), (10, 100), (10, 1_000), (10, 10_000))  # targets and keys


def people(records, shape, seed=1):
    """Original, release and holdout, drawn from one population with a few common cells."""
    rng = np.random.default_rng(seed)
    shares = rng.dirichlet(np.full(shape[0] * shape[1], 0.5))
    return [rng.multinomial(records // 2, shares).reshape(shape) for _ in range(3)]


def seconds(work, runs):
    """The least time of some runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def bench_tests(records=100_000, runs=3):
    print("| targets x keys | values of CAP | membership_test s | permutation_test s | dp_audit_release s |\n|---|---|---|---|---|")
    for shape in SHAPES:
        o, s, h = people(records, shape)
        values = len(np.unique((s / np.maximum(s.sum(0), 1))[o + h > 0]))
        works = (
            lambda o=o, s=s, h=h: membership_test(o, s, h=h, rng=0),
            lambda o=o, s=s: permutation_test(o, s, rng=0),
            lambda o=o, s=s, h=h: dp_audit_release(o, s, 1.0, h=h, adjacency="substitution", rng=0),
        )
        print(f"| {shape[0]} x {shape[1]:,} | {values:,} | {' | '.join(f'{seconds(work, runs):.2f}' for work in works)} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    print(f"{given.records:,} records")
    bench_tests(given.records, given.runs)


if __name__ == "__main__":
    main()
