"""How often the tests of copies find some where nobody was copied, whether their interval holds the copied people, and what they find.

Run: python benchmarks/copies.py [--quick]

Records are numbers: a number is a value of all columns. An honest release is drawn without a look at original and holdout: a fresh sample,
one with its two classes in balance, one that is uniform over the values, one of few values, a smooth model of another sample. Planted
copies are people of the original drawn without replacement. Exit status 1 if a bound is broken.
"""

import argparse
import sys
from collections.abc import Callable

import numpy as np
from scipy.stats import binom

from capstats.counting.beyond_chance import LEVEL, Beyond, beyond_chance

Sample = Callable[[int, np.random.Generator], np.ndarray]  # so many values

SIZES = [  # of original, holdout, release
    (100, 100, 100),
    (500, 500, 500),
    (5000, 5000, 5000),
    (1000, 250, 1000),
    (500, 2000, 500),
    (5000, 1000, 100),
    (100, 5000, 5000),
    (1000, 1000, 5000),
]
COVER, RARE, EVERY = 0.94, 0.9999, 1.0


def of_shares(shares: np.ndarray) -> Sample:
    """Samples of a population with these shares of its values."""
    sums = np.cumsum(shares / shares.sum())
    return lambda n, rng: np.searchsorted(sums, rng.random(n) * sums[-1])


def even(values: int) -> Sample:
    return lambda n, rng: rng.integers(0, values, n)


rank = np.arange(1, 100_001)
minority = np.where(np.arange(40_000) % 20 == 0, 0.1 / 2_000, 0.9 / 38_000)  # a twentieth of the values has a tenth of the people
minority[minority == minority.min()] *= np.repeat([20.0, 0.5, 0.05], [1_000, 17_000, 20_000])
POPULATIONS = {
    "even, 200 values": even(200),
    "even, 50,000 values": even(50_000),
    "all different": even(10**12),
    "Zipf": of_shares(1 / rank),
    "lognormal": of_shares(np.exp(1.5 * np.random.default_rng(1).normal(size=20_000))),
    "two classes": of_shares(minority),
}


SMALL = np.arange(len(minority)) % 20 == 0
CLASSES = of_shares(minority * SMALL), of_shares(minority * ~SMALL)


def balanced(n: int, rng: np.random.Generator) -> np.ndarray:
    """Half of the records of the class with a tenth of the people."""
    return np.concatenate([draw(size, rng) for draw, size in zip(CLASSES, (n // 2, n - n // 2), strict=True)])


def collapsed(n: int, rng: np.random.Generator) -> np.ndarray:
    """Fifty values, drawn from a sample of others."""
    return rng.choice(POPULATIONS["Zipf"](50, rng), n)


def smooth(n: int, rng: np.random.Generator) -> np.ndarray:
    """A model of 5,000 other people: their shares by value, smoothed over neighbours."""
    counts = np.bincount(POPULATIONS["lognormal"](5_000, rng), minlength=20_000)
    return of_shares(np.convolve(counts, np.ones(21) / 21, mode="same") + 0.01)(n, rng)


HONEST = {  # release: its population, and how it is drawn
    **{f"fresh sample: {name}": (sample, sample) for name, sample in POPULATIONS.items()},
    "balanced classes": (POPULATIONS["two classes"], balanced),
    "uniform over values": (POPULATIONS["lognormal"], even(20_000)),
    "few values": (POPULATIONS["Zipf"], collapsed),
    "smooth model": (POPULATIONS["lognormal"], smooth),
}
POWER = [  # people copied, how often each, values of the population, sizes, share that is found
    (20, 1, 50_000, (500, 500, 500), 0.85),
    (20, 1, 50_000, (500, None, 500), 0.85),
    (10, 1, 200_000, (500, 500, 500), None),
    (10, 1, 200_000, (500, None, 500), None),
    (14, 1, 10**12, (500, 500, 500), EVERY),
    (14, 1, 10**12, (500, None, 500), EVERY),
    (9, 50, 10**12, (500, 500, 500), EVERY),
    (9, 50, 10**12, (500, None, 500), EVERY),
    (85, 1, 10**12, (500, None, 5_000), EVERY),
    (500, 1, 10**12, (500, None, 500_000), EVERY),
]


def found(*tables: np.ndarray) -> Beyond:
    """What the numbers of original, release and holdout tell."""
    values, place = np.unique(np.concatenate(tables), return_inverse=True)
    owner = np.repeat(np.arange(len(tables)), [len(x) for x in tables])
    return beyond_chance(*np.bincount(owner * len(values) + place, minlength=len(tables) * len(values)).reshape(len(tables), -1))


def honest(kind: str, sizes: tuple[int, int, int], with_holdout: bool, copied: float, runs: int, seed: int) -> tuple[float, float]:
    """How often people are said to be copied, and how often the interval has their number; a share of the release is copies."""
    population, draw = HONEST[kind]
    rng, alarms, covered = np.random.default_rng([seed, *sizes]), 0, 0
    n, h, m = sizes
    planted = round(min(copied * m, n))
    for _ in range(runs):
        original, release = population(n, rng), draw(m - planted, rng)
        copies = rng.choice(original, planted, replace=False)
        told = found(original, np.concatenate([release, copies]), *([population(h, rng)] if with_holdout else []))
        people = np.isin(original, copies).sum() - np.isin(original, np.intersect1d(copies, release)).sum()
        alarms += told.found
        covered += told.lower <= people <= told.upper
    return alarms, covered


def level(runs: int) -> bool:
    """The tables of false alarms and of coverage; whether they keep their bounds."""
    kept = True
    for with_holdout in (True, False):
        kinds = [kind for kind in HONEST if with_holdout or kind.startswith("fresh")]
        alarms = {(kind, sizes): honest(kind, sizes, with_holdout, 0, runs, i) for i, kind in enumerate(kinds) for sizes in SIZES}
        print(f"\n{'With' if with_holdout else 'Without'} a holdout, {runs:,} honest releases each: share said to hold copies\n")
        print(f"| | {' | '.join('n {:,}, h {:,}, m {:,}'.format(*sizes) for sizes in SIZES)} |\n|---|{'---|' * len(SIZES)}")
        for kind in kinds:
            print(f"| {kind} | {' | '.join(f'{alarms[kind, sizes][0] / runs:.4f}' for sizes in SIZES)} |", flush=True)
        pooled, total = sum(x for x, _ in alarms.values()), len(alarms) * runs
        bound, most = LEVEL + 2 * (LEVEL * (1 - LEVEL) / total) ** 0.5, max(x for x, _ in alarms.values())
        allowed = binom.ppf(RARE, runs, LEVEL)
        kept &= say(f"pooled {pooled / total:.5f}, at most {bound:.5f}", pooled / total <= bound)
        kept &= say(f"most in one row and column {most}, at most {allowed:.0f} of {runs:,}", most <= allowed)
        for share in (0, 0.02, 0.2):
            each = runs if share == 0 else runs // 4
            copied = [honest(kind, sizes, with_holdout, share, each, 100 + i) for i, kind in enumerate(kinds) for sizes in SIZES if share]
            rates = [x / each for _, x in copied or alarms.values()]
            allowed = binom.ppf(1 - RARE, each, COVER) / each
            text = f"{share:.0%} copied: the interval has their number in {np.mean(rates):.4f}, at least {COVER}"
            kept &= say(f"{text}; in one row {min(rates):.4f}, at least {allowed:.4f}", np.mean(rates) >= COVER and min(rates) >= allowed)
    return kept


def power(runs: int) -> bool:
    """The table of what is found; whether it is enough."""
    kept = True
    heads = ["people copied", "times each", "values", "n", "h", "m", "found", "people beyond chance, at least (median)"]
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    verdicts = []
    for row, (k, times, values, (n, h, m), least) in enumerate(POWER):
        rng, results = np.random.default_rng(row), []
        for _ in range(runs if m < 10**5 else max(2, runs // 50)):
            original, release = rng.integers(0, values, n), rng.integers(0, values, m)
            copies = np.repeat(rng.choice(original, k, replace=False), times)
            release[: len(copies)] = copies
            results.append(found(original, release, *([] if h is None else [rng.integers(0, values, h)])))
        share = np.mean([x.found for x in results])
        lower = np.median([x.lower for x in results])
        print(f"| {k} | {times} | {values:,} | {n:,} | {'none' if h is None else h} | {m:,} | {share:.3f} | {lower:.0f} |", flush=True)
        if least is not None:
            verdicts.append((f"{k} people {times} times in {values:,} values: {share:.3f}, at least {least}", share >= least))
    for text, holds in verdicts:
        kept &= say(text, holds)
    return kept


def fewest() -> None:
    """The fewest copied people that a holdout can show where nobody matches by chance."""
    n = 1_000
    print("\nFewest people whom a holdout can show, of 1,000, where no record matches by chance:")
    for h in (2_000, 1_000, 500, 200, 100):
        told = beyond_chance(np.array([1, 0]), np.array([0, 0]), np.array([0, 1]), np.array([n, h]))
        print(f"  h = {h:,}: {told.fewest:.0f}")


def say(text: str, holds: bool) -> bool:
    print(f"{'kept' if holds else 'BROKEN'}: {text}", flush=True)
    return holds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few releases of each kind")
    quick = parser.parse_args().quick
    kept = [level(20 if quick else 500), power(20 if quick else 1_000)]
    fewest()
    return int(not all(kept))


if __name__ == "__main__":
    sys.exit(main())
