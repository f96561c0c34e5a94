"""The law of average CAP in the limit of many records: 3 targets, 10^4 keys, 200 points, in seconds and width of the bracket."""

from __future__ import annotations

import time

import numpy as np

from capstats.laws import Uniform, cap_law

TARGETS, KEYS, POINTS = 3, 10_000, 200


def bench_cap_law(seed: int = 1) -> None:
    """Set up, distribution function and density, for keys of few and of many records, alike and of very different sizes."""
    rng = np.random.default_rng(seed)
    sizes = {
        "0 to 19 records a cell": rng.integers(0, 20, (TARGETS, KEYS)),
        "0 to 999 records a cell": rng.integers(0, 1000, (TARGETS, KEYS)),
        "log-normal sizes of keys": np.floor(rng.lognormal(2, 2, KEYS) * rng.dirichlet(np.ones(TARGETS), KEYS).T).astype(int),
    }
    print(f"cap_law, uniform, limit: {TARGETS} targets x {KEYS:,} keys, {POINTS} points")
    for name, o in sizes.items():
        start = time.perf_counter()
        law = cap_law(o, Uniform())
        ready = time.perf_counter()
        ends = law.quantile([0.0001, 0.9999])
        found = time.perf_counter()
        values = np.linspace(ends.lower.values[0], ends.upper.values[1], POINTS)
        start_of_points = time.perf_counter()
        cdf, density = law.cdf(values), law.density(values)
        end = time.perf_counter()
        print(
            f"  {name:26}: set up {ready - start:.2f} s, {POINTS} points {end - start_of_points:.2f} s (quantiles {found - ready:.2f} s); "
            f"width of the distribution function {float((cdf.upper - cdf.lower).max()):.1e}, "
            f"of the density {float((density.upper - density.lower).max() / density.upper.max()):.1e} of its greatest"
        )


if __name__ == "__main__":
    bench_cap_law()
