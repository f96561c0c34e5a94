"""`cap_bounds` with both margins against HiGHS on the same problem: seconds, ratios, and what HiGHS calls optimal.

Run: python benchmarks/laws_bounds.py
"""

import time

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import eye_array, kron, vstack

from capstats.laws import cap_bounds

TARGETS, KEYS, RECORDS, LIMIT = 50, 2_000, 10**6, 10


def tables(shape: float) -> list[np.ndarray]:
    """An original and a release of as many records, with rare targets and rare keys; cells are the more alike the larger the shape is."""
    rng = np.random.default_rng(1)
    margins = rng.gamma(1, size=(TARGETS, 1)) * rng.gamma(1, size=KEYS)
    shares = [margins * rng.gamma(shape, size=(TARGETS, KEYS)) for _ in range(2)]
    return [rng.multinomial(RECORDS, (x / x.sum()).ravel()).reshape(x.shape) for x in shares]


def by_programme(costs: np.ndarray, s: np.ndarray) -> np.ndarray:
    rows = vstack([kron(eye_array(TARGETS), np.ones((1, KEYS))), kron(np.ones((1, TARGETS)), eye_array(KEYS))]).tocsr()
    return linprog(costs.ravel(), A_eq=rows, b_eq=np.concatenate([s.sum(1), s.sum(0)])).x.reshape(s.shape)


def bench_bounds() -> None:
    print(f"{TARGETS} targets x {KEYS} keys, n = m = {RECORDS:.0e}; both ends: limit {LIMIT} s")
    for shape in (0.5, 5.0, 50.0):
        o, s = tables(shape)
        start = time.perf_counter()
        found = cap_bounds(o, key_totals=s.sum(0), target_totals=s.sum(1))
        ours = time.perf_counter() - start
        costs = o / np.maximum(s.sum(0), 1)
        start = time.perf_counter()
        theirs = by_programme(costs, s)
        solved = time.perf_counter() - start
        divided = by_programme(costs / RECORDS, s)
        least = found.least.item()
        print(
            f"gamma {shape:4}: {ours:6.2f} s; HiGHS, least only, {solved:6.2f} s, {solved / (ours / 2):5.1f} times; "
            f"least {least:.9f}, HiGHS {(costs * theirs).sum() / RECORDS:.9f}, with costs over n {(costs * divided).sum() / RECORDS:.9f}"
        )


if __name__ == "__main__":
    bench_bounds()
