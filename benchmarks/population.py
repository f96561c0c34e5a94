"""Risk in the population: ratios of two ways to the same numbers, in seconds of the processor, measured in turn in one process.

Run: python benchmarks/population.py [special_uniques ...] [--records 100000] [--pairs 3]

special_uniques: `tabulate` + `suda_scores` with all subsets of 10 columns, from a data frame of categorical columns, against

- loop: one pandas group-by of the same frame for each subset, and for each record the sets on which it is unique and on no smaller one;
- suda: the package suda from PyPI, where it is installed, with sets of at most 3 columns on both sides. It holds a copy of all records for
  each set that has a unique record, 6.6 GB with 5 columns, and counts sets that are not minimal as well.

People are alike: each has one of 2,000 profiles, the commoner the lower its number, and keeps each value with probability 0.8. Columns that
are independent are harder, since nearly everybody is then unique on half of the columns; with real records it is between the two.
"""

import argparse
import gc
import importlib.util
import logging
import math
import statistics
import time
from itertools import combinations

import numpy as np
import pandas as pd

import capstats
from capstats.population import suda_scores

KEYS = {f"k{i}": levels for i, levels in enumerate((50, 30, 20, 12, 10, 8, 6, 5, 4, 3))}
PROFILES, KEPT, SMALL = 2000, 0.8, 3


def zipf(rng, levels, n):
    share = 1 / np.arange(1, levels + 1)
    return rng.choice(levels, n, p=share / share.sum())


def people(n, kept):
    """A frame of categorical key columns, in which the values of a person's profile are kept with this probability, and a target."""
    rng = np.random.default_rng(1)
    profile = zipf(rng, PROFILES, n)
    columns = {}
    for column, levels in KEYS.items():
        codes = np.where(rng.random(n) < kept, zipf(rng, levels, PROFILES)[profile], zipf(rng, levels, n))
        columns[column] = pd.Categorical.from_codes(codes.astype(np.int8), [f"level {i}" for i in range(levels)])
    return pd.DataFrame(columns | {"target": rng.integers(0, 3, n)})


def ours(frame, size):
    o = capstats.tabulate(frame, keys=list(KEYS), target="target").o
    return suda_scores(o, max_size=size)


def looped(frame, size):
    """The scores by one group-by for each subset."""
    score, unique = np.zeros(len(frame)), {(): np.zeros(len(frame), bool)}
    for number in range(1, size + 1):
        for columns in combinations(KEYS, number):
            records = frame.groupby(list(columns), sort=False, observed=True)["target"].transform("size").to_numpy()
            smaller = np.logical_or.reduce([unique[columns[:i] + columns[i + 1 :]] for i in range(number)])
            unique[columns] = records == 1
            score[unique[columns] & ~smaller] += math.factorial(len(KEYS) - number)
    return score


def packaged(frame, size):
    from suda import suda

    return suda(frame[list(KEYS)].copy(), max_msu=size)


def seconds(work, *arguments):
    gc.collect()
    start = time.process_time()
    found = work(*arguments)
    return time.process_time() - start, found


def special_uniques(given):
    logging.disable()
    others = {"loop": (looped, len(KEYS)), "loop, 3 columns": (looped, SMALL)}
    if importlib.util.find_spec("suda"):
        others["suda, 3 columns"] = (packaged, SMALL)
    print("| people | against | capstats s | other s | ratio |")
    print("|---|---|---|---|---|")
    for kind, kept in {"alike": KEPT, "independent": 0.0}.items():
        frame = people(given.records, kept)
        ours(frame, 1)  # loads what the first call needs
        for name, (other, size) in others.items():
            pairs = []
            for _ in range(given.pairs):
                own, found = seconds(ours, frame, size)
                theirs, scores = seconds(other, frame, size)
                assert other is not looped or math.isclose(found.suda_score.sum(), scores.sum())
                pairs.append((own, theirs, theirs / own))
            own, theirs, ratio = map(statistics.median, zip(*pairs, strict=True))
            print(f"| {kind} | {name} | {own:.2f} | {theirs:.2f} | {ratio:.1f} |", flush=True)


PARTS = {"special_uniques": special_uniques}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--pairs", type=int, default=3)
    given = parser.parse_args()
    for part in given.parts or PARTS:
        PARTS[part](given)


if __name__ == "__main__":
    main()
