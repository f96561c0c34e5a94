"""Average CAP of 10,000 synthetic tables against one numpy sum over the same array: time as a ratio, memory in MB.

Run: python benchmarks/average_cap.py
"""

import statistics
import time
import tracemalloc

import numpy as np
import xarray as xr

from capstats import average_cap

DRAWS, TARGETS, KEYS, PAIRS = 10_000, 5, 500, 15


def seconds(work) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    rng = np.random.default_rng(0)
    o = xr.DataArray(rng.integers(0, 50, (TARGETS, KEYS)), dims=("target", "key"))
    s = xr.DataArray(rng.integers(0, 50, (DRAWS, TARGETS, KEYS)), dims=("draw", "target", "key"))
    average_cap(o, s)
    ratios, sums, averages = [], [], []
    for _ in range(PAIRS):  # in turn, so that both see the same machine
        sums.append(seconds(lambda: s.sum("target")))
        averages.append(seconds(lambda: average_cap(o, s)))
        ratios.append(averages[-1] / sums[-1])
    tracemalloc.start()
    average_cap(o, s)
    peak = tracemalloc.get_traced_memory()[1]
    print(f"{DRAWS} draws x {TARGETS} targets x {KEYS} keys, int64, {s.nbytes / 1e6:.0f} MB; medians of {PAIRS} alternating pairs")
    print(f"s.sum('target')    {statistics.median(sums) * 1e3:8.1f} ms")
    print(f"average_cap(o, s)  {statistics.median(averages) * 1e3:8.1f} ms, {statistics.median(ratios):.2f} times (limit 2.5)")
    print(f"extra peak memory  {peak / 1e6:8.1f} MB (limit {s.nbytes / 1e6:.0f} MB)")


if __name__ == "__main__":
    main()
