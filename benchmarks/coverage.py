"""How often the intervals of `average_cap_interval` cover, by simulation: the figures quoted in theory/individuals.md#uncertainty.

Run: python benchmarks/coverage.py [--samples 4000] [--seed 1]

Part 4 of that page: the original has 300 records from a population of 2 targets and 3 keys; k tables of 60, 300 or 3000 records are drawn
from one fixed law of synthesis. "one t" is the interval with a single t quantile and Satterthwaite's degrees of freedom.

Part 1 and part 3: 300 original records, 300 holdout records, 3 targets, and 60 or 3 keys. The synthetic table has 300 records, drawn from
the population ("other records") or from the original itself ("bootstrap"). The interval of part 1 is to cover the average CAP of the
population with that synthetic table; the contrast's mean standard error stands beside its standard deviation over samples.
"""

import argparse

import numpy as np
import xarray as xr
from scipy.stats import t as student

from capstats import average_cap, average_cap_interval, holdout_contrast

N, DIMS = 300, ("target", "key")
POPULATION = np.array([[0.15, 0.2, 0.05], [0.25, 0.05, 0.3]])
LAW = np.array([[0.3, 0.1, 0.1], [0.2, 0.1, 0.2]])


def drawn(rng, n, p, *size):
    """Tables of n records from the cells' probabilities: shape (*size, target, key)."""
    return rng.multinomial(n, p.ravel(), size).reshape(*size, *p.shape)


def batch(tables, *dims):
    return xr.DataArray(tables, dims=(*dims, *DIMS))


def covers(lower, upper, truth):
    return float(((lower <= truth) & (truth <= upper)).mean())


def syntheses(rng, samples):
    """Coverage of the mean over k tables."""
    print("the mean over k tables, nominal 0.95")
    o = batch(drawn(rng, N, POPULATION, samples), "draw")
    for records in (60, 300, 3000):
        empty = (1 - LAW.sum(0)) ** records
        truth = float((POPULATION * LAW / LAW.sum(0) * (1 - empty)).sum())
        for k in (2, 5, 20):
            s = batch(drawn(rng, records, LAW, samples, k), "draw", "synthetic")
            found = average_cap_interval(o, s, over="synthetic")
            line = f"  tables of {records:4} records, k = {k:2}: {covers(found.lower, found.upper, truth):.3f}"
            if k == 2:
                within_tables = average_cap(o, s).var("synthetic", ddof=1) / k  # B / k
                everything = found.standard_error**2
                freedom = everything**2 / (within_tables**2 / (k - 1) + (everything - within_tables) ** 2 / (N - 1))
                reach = student.ppf(0.975, freedom) * found.standard_error
                line += f"   one t: {covers(found.estimate - reach, found.estimate + reach, truth):.3f}"
            print(line)


def samples_and_holdouts(rng, samples):
    """Coverage for the population, and the error of the contrast, when the release does or does not depend on the sample."""
    print("one table, nominal 0.95")
    for keys in (60, 3):
        p = rng.dirichlet(np.ones(3), keys).T * rng.dirichlet(np.full(keys, 5.0))
        o, h = (batch(drawn(rng, N, p, samples), "draw") for _ in range(2))
        other = batch(drawn(rng, N, p, samples), "draw")
        bootstrap = batch(np.array([drawn(rng, N, table / N) for table in o.values]), "draw")
        for name, s in (("other records", other), ("bootstrap", bootstrap)):
            truth = average_cap(batch(p), s)
            found, contrast = average_cap_interval(o, s), holdout_contrast(o, s, h=h)
            excess = float((found.estimate - truth).mean())
            errors = f"{float(contrast.standard_error.mean()):.4f} (mean), {float(contrast.estimate.std(ddof=1)):.4f} (simulated)"
            print(
                f"  {keys:2} keys, S from {name:13}: covers {covers(found.lower, found.upper, truth):.3f}, average CAP of O above the "
                f"population's by {excess:.4f}; contrast {float(contrast.estimate.mean()):.4f}, standard error {errors}"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    print(f"{arguments.samples} samples of {N} records, seed {arguments.seed}")
    syntheses(rng, arguments.samples)
    samples_and_holdouts(rng, arguments.samples)


if __name__ == "__main__":
    main()
