"""Risk in the population: each measure against another way to the same or a like number, measured in turn in one process.

Run: python benchmarks/population.py [special_uniques ...] [--records 100000] [--pairs 3]

Prints the medians of seconds of the processor and of wall time, and the medians of the ratios of each pair.

- special_uniques: `tabulate` + `suda_scores` with all subsets of 10 columns, from a data frame of categorical columns, against two loops
  over the subsets with pandas, which find scores alone: one groups the frame, the other looks for duplicates of its integer codes, the
  fastest that we know; and against the package suda, with sets of at most 3 columns on both sides. It holds a copy of all records for
  each set that has a unique record, 6.6 GB with 5 columns, and counts sets that are not minimal as well.
- uniqueness: the estimate from the class sizes of 10^8 records, 3 million keys, against counting these class sizes.
- individual_risk: 10^6 keys, against the closed form by scipy's hypergeometric function, which is wrong for large classes.
- singling_out: all descriptions by 3 of 10 columns of 10,000 records, against 500 attacks of anonymeter, which estimate the rate.
- linkability: 5 and 5 columns, 10,000 records, all of them attacked, against anonymeter, which breaks ties in another way.

The packages suda 0.2.2 and anonymeter 1.1.0 are measured where they are installed. People are alike: each has one of 2,000 profiles, the
commoner the lower its number, and keeps each value with probability 0.8. Columns that are independent are harder, since nearly everybody
is then unique on half of the columns; with real records it is between the two.
"""

import argparse
import gc
import importlib.util
import logging
import math
import time
import warnings
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import hyp2f1

import capstats
from capstats.population import (
    individual_risk,
    linkability,
    population_uniqueness,
    singling_out,
    suda_scores,
)

HERE = Path(__file__).resolve().parent
KEYS = {f"k{i}": levels for i, levels in enumerate((50, 30, 20, 12, 10, 8, 6, 5, 4, 3))}
PROFILES, KEPT, SMALL = 2000, 0.8, 3
ATTACKED, ATTACKS = 10_000, 500


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


# --- timing -----------------------------------------------------------------------------------------------------------


def seconds(work):
    """Seconds of the processor and of wall time, and what was found."""
    gc.collect()
    start = time.process_time(), time.perf_counter()
    found = work()
    return time.process_time() - start[0], time.perf_counter() - start[1], found


def compare(name, pairs, own, other, agree=lambda *_: None):
    """Measure both in turn, so many times, and print a row."""
    rows = []
    for _ in range(pairs):
        *ours, first = seconds(own)
        *theirs, second = seconds(other)
        agree(first, second)
        rows.append([*ours, *theirs])
    show(name, rows)


def show(name, rows):
    """Print the medians of seconds (own and of the other, of the processor and of wall time) and of their ratios."""
    own, own_wall, other, other_wall = map(np.array, zip(*rows, strict=True))
    numbers = map(np.median, (own, own_wall, other, other_wall, other / own, other_wall / own_wall))
    print(f"| {name} | " + " | ".join(f"{x:.3g}" for x in numbers) + " |", flush=True)


def installed(package):
    return importlib.util.find_spec(package) is not None


# --- special uniques --------------------------------------------------------------------------------------------------


def scored(frame, size):
    o = capstats.tabulate(frame, keys=list(KEYS), target="target").o
    return suda_scores(o, max_size=size)


def looped(frame, alone):
    """The scores by one look at each subset."""
    score, unique = np.zeros(len(frame)), {(): np.zeros(len(frame), bool)}
    for number in range(1, len(KEYS) + 1):
        for columns in combinations(KEYS, number):
            smaller = np.logical_or.reduce([unique[columns[:i] + columns[i + 1 :]] for i in range(number)])
            unique[columns] = alone(frame, list(columns)).to_numpy()
            score[unique[columns] & ~smaller] += math.factorial(len(KEYS) - number)
    return score


def by_groups(frame):
    return looped(frame, lambda x, columns: x.groupby(columns, sort=False, observed=True)["target"].transform("size") == 1)


def by_duplicates(frame):
    codes = pd.DataFrame({column: frame[column].cat.codes for column in KEYS})
    return looped(codes, lambda x, columns: ~x.duplicated(columns, keep=False))


def packaged(frame):
    from suda import suda

    return suda(frame[list(KEYS)].copy(), max_msu=SMALL)


def special_uniques(given):
    def same(ours, theirs):
        assert math.isclose(ours.suda_score.sum(), theirs.sum())

    others = {"group-by of each subset": (by_groups, len(KEYS), same), "duplicates of each subset": (by_duplicates, len(KEYS), same)}
    if installed("suda"):
        others["package suda, 3 columns"] = (packaged, SMALL, lambda *_: None)
    for kind, kept in {"people alike": KEPT, "independent columns": 0.0}.items():
        frame = people(given.records, kept)
        scored(frame, 1)  # loads what the first call needs
        for name, (other, size, agree) in others.items():
            compare(f"{kind}: {name}", given.pairs, partial(scored, frame, size), partial(other, frame), agree)


# --- uniqueness and individual risk -----------------------------------------------------------------------------------


def uniqueness(given):
    rng = np.random.default_rng(0)
    means = rng.lognormal(0, 3, 10**7)
    records = rng.poisson(means / means.sum() * 1e8)

    def count():
        sizes, classes = np.unique(records[records > 0], return_counts=True)
        return dict(zip(sizes.tolist(), classes.tolist(), strict=True))

    sizes = count()
    print(f"| {records.sum():,} records, {sum(sizes.values()):,} classes of {len(sizes):,} sizes | | | | | | |")
    for model in ("pitman", "ewens", "zayatz", "snb", "dankar"):

        def own(model=model):
            return population_uniqueness(sizes, population_size=10**9, model=model)

        own()
        compare(f"uniqueness, {model}: counting the classes", given.pairs, own, count)


def individual(given):
    rng = np.random.default_rng(0)
    f = np.maximum(rng.poisson(rng.lognormal(0, 2, 10**6)), 1)
    weights = f * rng.uniform(1, 50, len(f))

    def closed_form():
        p = f / weights
        with np.errstate(invalid="ignore"):
            return p**f / f * hyp2f1(f, f, f + 1, 1 - p)

    def own():
        return individual_risk(xr.Dataset({"o": (("target", "key"), weights[None]), "o_records": (("target", "key"), f[None])}))

    own()
    compare("individual risk: closed form", given.pairs, own, closed_form)


# --- descriptions and links -------------------------------------------------------------------------------------------


def halves():
    """Two sets of people who do not know of each other, as texts."""
    texts = people(2 * ATTACKED, KEPT)[list(KEYS)].astype(str)
    return texts[:ATTACKED], texts[ATTACKED:].reset_index(drop=True)


def described(given):
    from anonymeter.evaluators import SinglingOutEvaluator

    original, synthetic = halves()
    chances = [1e-9, 1 - 1e-9]

    def own():
        return singling_out(original, synthetic, columns=list(KEYS), subset_size=3, attacks=ATTACKS, quantiles=chances)

    def attacked():
        evaluator = SinglingOutEvaluator(original, synthetic, n_attacks=ATTACKS, n_cols=3).evaluate(mode="multivariate")
        return len(evaluator.queries())

    def agree(ours, successes):
        least, most = ours.successes.values
        assert least <= successes <= most

    own()
    compare(f"singling out: {ATTACKS} attacks of anonymeter", given.pairs, own, attacked, agree)


def linked(given):
    from anonymeter.evaluators import LinkabilityEvaluator

    original, synthetic = halves()
    a, b = list(KEYS)[::2], list(KEYS)[1::2]

    def attacked(n=ATTACKED):
        return LinkabilityEvaluator(original, synthetic, aux_cols=(a, b), n_attacks=n).evaluate().results().attack_rate.value

    def own():
        return linkability(original, synthetic, a=a, b=b)

    own()
    attacked(10)  # compiles
    compare("linkability: anonymeter", given.pairs, own, attacked)


PARTS = {
    "special_uniques": special_uniques,
    "uniqueness": uniqueness,
    "individual_risk": individual,
    "singling_out": described,
    "linkability": linked,
}
PACKAGES = {"singling_out": "anonymeter", "linkability": "anonymeter"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="part", help=", ".join(PARTS))
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--pairs", type=int, default=3)
    given = parser.parse_args()
    logging.disable()
    warnings.simplefilter("ignore")  # of anonymeter, that attacks do no better than chance
    print("| measure: against | capstats s | its wall s | other s | its wall s | ratio | of wall |\n|---|---|---|---|---|---|---|")
    for part in given.parts or PARTS:
        if part not in PACKAGES or installed(PACKAGES[part]):
            PARTS[part](given)


if __name__ == "__main__":
    main()
