"""Releases that keep every key, 10 targets x 10^5 keys and 10^6 records: moments, calibration and one draw, in seconds.

Run: python benchmarks/laws_kept.py

Beside the moments stands what a simulation costs that finds the mean with an error of 1 % of the standard deviation: 10,000 releases and
their average CAP.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from capstats import average_cap
from capstats.laws import Dirichlet, Model, Partial, Pram, Swap, calibrate, expected_cap, noisy_counts, sample_tables, variance_cap

TARGETS, KEYS, RECORDS, DRAWS = 10, 10**5, 10**6, 10_000
MODELS: dict[str, Model] = {
    "partial": Partial(alpha=1.0),
    "pram": Pram(theta=0.5),
    "pram, matrix": Pram(matrix=np.full((TARGETS, TARGETS), 0.05) + 0.5 * np.eye(TARGETS)),
    "swap": Swap(records=RECORDS // 10),
}


def original() -> np.ndarray:
    """Keys whose sizes fall as one over their rank, each with shares of targets of its own."""
    rng = np.random.default_rng(0)
    of_keys = 1 / np.arange(1, KEYS + 1)
    shares = rng.dirichlet(np.ones(TARGETS), KEYS).T * of_keys
    return rng.multinomial(RECORDS, (shares / shares.sum()).ravel()).reshape(TARGETS, KEYS)


def seconds(work: Callable[..., Any], *given: Any, **told: Any) -> float:
    start = time.perf_counter()
    work(*given, **told)
    return time.perf_counter() - start


def released(o: np.ndarray, model: Model) -> Any:
    return average_cap(o, sample_tables(o, model, draws=1, rng=0))


def bench_kept() -> None:
    o = original()
    expected_cap(o, Pram(theta=0.5))  # modules are loaded, memory is allocated
    print(f"{TARGETS} targets x {KEYS:,} keys, {RECORDS:,} records")
    print("| model | mean s | variance s | one draw s | simulation, times both |\n|---|---|---|---|---|")
    for name, model in MODELS.items():
        mean, variance, draw = (seconds(work, o, model) for work in (expected_cap, variance_cap, released))
        print(f"| {name} | {mean:.2f} | {variance:.2f} | {draw:.2f} | {DRAWS * draw / (mean + variance):,.0f} |", flush=True)
    own = float(average_cap(o, o))
    for tuned, m in ((Pram, None), (Swap, None), (Partial, None), (Dirichlet, RECORDS)):
        risk = 0.2 if m else 0.95 * own
        print(f"calibrate, {tuned.__name__}: {seconds(calibrate, o, tuned, risk=risk, m=m):.2f} s", flush=True)
    noise = seconds(noisy_counts, o, epsilon=1, adjacency="substitution", domain="public", rng=0)
    print(f"noisy_counts, one table, by integers: {noise:.2f} s")


if __name__ == "__main__":
    bench_kept()
