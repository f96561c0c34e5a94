"""`sweep` over all 255 subsets of 8 key columns and 3 targets, against counting each of these 765 tables anew: ratios and seconds.

Run: python benchmarks/sweep.py [--records 1000000] [--combinations 10000 1000000] [--pairs 3]

Both sides start from the same codes, two tables of them, and run in turn in one process; each ratio is a median of such pairs.

- counts: the aligned tables of all subsets, as `sweep` makes them, against distinct rows and their counts, one `count` a table, subset
  and target, which are not yet brought together;
- whole: `sweep` with three measures against that same bare counting, without any measure;
- same: `sweep` against that counting plus the same three measures of the same tables;
- tabulate: the aligned tables of all subsets against `tabulate` of each (of every eighth, times eight), which are aligned, too.
"""

import argparse
import gc
import statistics
import time
from itertools import combinations

import numpy as np
import pandas as pd

from capstats import tabulate
from capstats.codes.column import Column, count
from capstats.counting.lattice import Lattice
from capstats.counting.records import read_records
from capstats.counting.request import Request
from capstats.screening import sweep

KEYS = {f"k{i}": levels for i, levels in enumerate((50, 30, 20, 12, 10, 8, 5, 4))}
TARGETS = {"income": 6, "health": 4, "religion": 8}
DEFAULT = ("average_cap", "original_cap", "matched_records")


def records(n, combinations_, seed):
    """Codes of n records, whose keys are distinct combinations, each about as often."""
    flat = np.random.default_rng(0).choice(int(np.prod(list(KEYS.values()))), combinations_, replace=False)
    rng = np.random.default_rng(seed)
    rows = flat[rng.permutation(n) % combinations_]
    columns = dict(zip(KEYS, np.unravel_index(rows, list(KEYS.values())), strict=True))
    columns |= {t: rng.integers(0, levels, n) for t, levels in TARGETS.items()}
    return {c: codes.astype(np.int8) for c, codes in columns.items()}


def frame(codes):
    levels = KEYS | TARGETS
    return pd.DataFrame({c: pd.Categorical.from_codes(x, range(levels[c])) for c, x in codes.items()})


def subsets():
    return [subset for size in range(1, len(KEYS) + 1) for subset in combinations(KEYS, size)]


def counted_anew(tables):
    """Every table, subset and target: distinct rows and their counts."""
    levels = KEYS | TARGETS
    for subset in subsets():
        for target in TARGETS:
            for table in tables:
                count([Column(table[c], range(levels[c])) for c in (*subset, target)])


def tabulated(o, s):
    """The aligned tables of every eighth subset and each target, by `tabulate`."""
    for subset in subsets()[::8]:
        for target in TARGETS:
            tabulate(o, s, keys=list(subset), target=target, copy_columns=0, progress=False)


def swept(o, s):
    """The aligned tables of every subset, one after the other; without measures."""
    lattice = Lattice.of_records(read_records(Request(original=o, synthetic=s, keys=list(KEYS), target=list(TARGETS))))
    return sum(len(keyset.tables) for keyset in lattice.walk(range(1, len(KEYS) + 1)))


def seconds(work, *arguments, **options):
    gc.collect()
    start = time.perf_counter()
    work(*arguments, **options)
    return time.perf_counter() - start


def measure(n, combinations_, pairs):
    codes = [records(n, combinations_, seed) for seed in (1, 2)]
    frames = [frame(x) for x in codes]
    times = {"anew": [], "counts": [], "whole": []}
    for _ in range(pairs):
        times["anew"].append(seconds(counted_anew, codes))
        times["counts"].append(seconds(swept, *frames))
        times["whole"].append(seconds(sweep, *frames, keys=list(KEYS), targets=list(TARGETS), measures=DEFAULT, progress=False))
    measures = [whole - counts for whole, counts in zip(times["whole"], times["counts"], strict=True)]
    ratios = {
        "counts": [a / b for a, b in zip(times["anew"], times["counts"], strict=True)],
        "whole": [a / b for a, b in zip(times["anew"], times["whole"], strict=True)],
        "same": [(a + m) / b for a, m, b in zip(times["anew"], measures, times["whole"], strict=True)],
        "tabulate": [seconds(tabulated, *frames) * len(subsets()) / len(subsets()[::8]) / statistics.median(times["counts"])],
    }
    limit = 10 if combinations_ <= 10_000 else 1
    shown = [f"{statistics.median(x):.1f}" for x in (*times.values(), *ratios.values())]
    print(f"| {n:.0e} | {combinations_:.0e} | {' | '.join(shown)} | {limit} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--combinations", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--pairs", type=int, default=3)
    given = parser.parse_args()
    print("| records | keys | anew s | counts s | whole s | anew / counts | anew / whole | same | tabulate / counts | limit |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for combinations_ in given.combinations:
        measure(given.records, combinations_, given.pairs)


if __name__ == "__main__":
    main()
