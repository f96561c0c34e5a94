"""How often the intervals of `individual_share` and `average_cap_interval` cover, by simulation: theory/individuals.md quotes it.

Run: python benchmarks/intervals.py [--quick] [--seed 1]; some minutes, exit status 1 where a coverage is below its limit.

*Shares.* Original, holdout and release are drawn from a population of 4 to 600 keys and 2 to 5 targets with uneven shares. The release is
a fresh sample (share 0), the original with targets redrawn from the population's with probability .5 (share .5, by part 3 of
#individual-share), or with all targets redrawn within their key (share 1). Weights: none, all equal, lognormal (standard deviation 1 of
the logarithm) in both samples, or in the original alone. Each setting has 1,000 printed shares, or what 5,000 runs give (1,000 runs where
these give less than 20); the few of settings that hardly print any are taken together.

*Gains.* N and D of the same runs with 1.96 standard errors, about their means over runs.

*Fresh sample.* The mark with 1.96 standard errors, about the mean over fresh samples of the average CAP of the same people.

*Averages.* `average_cap_interval` of n people, whose CAP has a given law with a mean from .002 to .998; one table, two tables compared, and
the mean over k tables from one law of synthesis (part 4 of #uncertainty).

*Advice.* How often one of 2 to 20 releases that are all equally good is shown to be lower than the worst, at the level of the front sheet's
"take ... instead".
"""

import argparse
import itertools
import math
import sys

import numpy as np
import xarray as xr

from capstats import average_cap, average_cap_interval, from_counts, individual_share

KINDS = {"fresh sample": 0, "half redrawn": 0.5, "redrawn in keys": 1}
SIZES = [(100, 100), (400, 400), (5000, 5000), (800, 200), (200, 800)]
WEIGHTS = {"equal": (1, 1), "lognormal": (2, 2), "lognormal, original": (2, 0)}
BATCH, PRINTED, RUNS, FEW = 500, 1000, 5000, 200
POOLED, EACH = 0.94, 0.92  # least coverage of nominal .95: of all printed shares, and of each setting


def settings(quick):
    """Keys, targets, n, h, weights of both samples, release."""
    if quick:
        plain = [(12, 5, 400, 400), (60, 3, 400, 400), (60, 2, 800, 200), (200, 2, 400, 400)]
        weighted = [(60, 3, 400, 400)]
    else:
        plain = [(j, i, *size) for j, i, size in itertools.product((4, 12, 24, 60, 200), (2, 3, 5), SIZES)]
        plain += [(600, i, *size) for i, size in itertools.product((2, 5), SIZES[1:3])]
        weighted = [(j, 3, *size) for j, size in itertools.product((24, 60, 200), (SIZES[1], *SIZES[3:]))]
    for kind in KINDS:
        yield from ((*setting, "none", kind) for setting in plain)
        yield from ((*setting, weights, kind) for setting in weighted for weights in WEIGHTS)


class Population:
    """Keys of two columns, and targets, with uneven shares."""

    def __init__(self, rng, keys, targets):
        self.rng, self.shape = rng, (targets, keys)
        self.p = rng.dirichlet(np.ones(keys)) * rng.dirichlet(np.ones(targets), keys).T
        labels = {"key": [f"level {j}" for j in range(keys)]}
        self.coords = from_counts(np.ones(self.shape, np.int64), key_labels=labels).o.coords

    def labelled(self, values, *dims):
        return xr.DataArray(values, self.coords, (*dims, "target", "key"))

    def drawn(self, n, weights):
        """Tables of n records: sums of weights, of squared weights, numbers, and the cells and weights of the records."""
        if not weights:
            counts = self.rng.multinomial(n, self.p.ravel(), BATCH).reshape(BATCH, *self.shape)
            return counts, counts, counts, None
        cells = self.rng.choice(self.p.size, (BATCH, n), p=self.p.ravel())
        w = self.rng.lognormal(0, 1, cells.shape) if weights == 2 else np.full(cells.shape, 7.3)
        return *(self.summed(cells, w**power) for power in (1, 2, 0)), (cells, w)

    def summed(self, cells, w):
        """Sums of the records' weights by cell."""
        places = np.arange(len(cells))[:, None] * self.p.size + cells
        sums = np.bincount(places.ravel(), np.broadcast_to(w, cells.shape).ravel(), len(cells) * self.p.size)
        return sums.reshape(-1, *self.shape)

    def shares(self, o):
        """The shares of the targets in each key of the tables: shape (..., target, key)."""
        totals = o.sum(-2, keepdims=True)
        return np.divide(o, totals, out=np.full(o.shape, 1 / len(self.p)), where=totals > 0)

    def released(self, kind, n, o, records):
        """A release of each original."""
        if kind == "fresh sample":
            return self.drawn(n, 0)[0]
        within_keys = kind == "redrawn in keys"
        if records is None:
            kept = 0 * o if within_keys else self.rng.binomial(o, 0.5)
            shares = np.moveaxis(self.shares(o), 1, 2) if within_keys else self.p.sum(1)
            return kept + np.moveaxis(self.rng.multinomial((o - kept).sum(1), shares), 2, 1)
        cells, w = records
        keys, targets = cells % self.shape[1], cells // self.shape[1]
        of_each = self.shares(o) if within_keys else np.broadcast_to(self.p.sum(1)[:, None], o.shape)
        passed = np.take_along_axis(of_each.cumsum(1)[:, :-1], keys[:, None, :], axis=2) < self.rng.random(cells.shape)[:, None, :]
        redrawn = (self.rng.random(cells.shape) < 0.5) | within_keys
        return self.summed(np.where(redrawn, passed.sum(1), targets) * self.shape[1] + keys, w)

    def fresh(self, n, o):
        """The mean over fresh samples of n records of the average CAP of the records of o; unmatched keys use all others."""
        of_key = self.p.sum(0)
        nobody, others = (1 - of_key) ** n, (self.p.sum(1)[:, None] - self.p) / (1 - of_key)
        q = (1 - nobody) * self.p / of_key + nobody * others
        return (o * q).sum((1, 2)) / o.sum((1, 2))


def of_setting(rng, keys, targets, n, h, weights, kind):
    """Printed shares, those that cover, runs, and coverages: of both gains and of the mark of a fresh sample."""
    population, truth, found, marks, printed = Population(rng, keys, targets), KINDS[kind], [], [], 0
    of_o, of_h = WEIGHTS.get(weights, (0, 0))
    while printed < PRINTED and len(found) * BATCH < (RUNS if printed >= FEW / 10 else RUNS / 5):
        (o, o2, o_n, records), (held, h2, h_n, _) = population.drawn(n, of_o), population.drawn(h, of_h)
        tables = {"o": o, "s": population.released(kind, n, o, records), "h": held}
        tables |= {"o_squares": o2, "o_records": o_n} if of_o else {}
        tables |= {"h_squares": h2, "h_records": h_n} if of_h else {}
        found.append(individual_share(xr.Dataset({name: population.labelled(table, "draw") for name, table in tables.items()})))
        marks.append(population.fresh(n, o))
        printed += int(np.isfinite(found[-1].individual_share).sum())
    x = {name: np.concatenate([part[name].values for part in found]) for name in found[0].data_vars}
    covers = (x["individual_share_lower"] <= truth + 1e-12) & (truth - 1e-12 <= x["individual_share_upper"])
    errors = [(x[name] - x[name].mean(), x[f"{name}_error"]) for name in ("individual_gain", "original_gain")]
    errors.append((x["fresh_sample"] - np.concatenate(marks), x["fresh_sample_error"]))
    return printed, int(covers.sum()), len(covers), *(float((np.abs(e) <= 1.96 * error + 1e-12).mean()) for e, error in errors)


def shares(rng, quick):
    """Coverage of the share in each setting, and what is below its limit."""
    print("keys targets     n     h  weights              release           printed of runs  share   gain  of original  fresh sample")
    rows, broken = [], []
    for setting in settings(quick):
        printed, covers, runs, *others = of_setting(rng, *setting)
        keys, targets, n, h, weights, kind = setting
        verdict = "rarely printed" if printed < FEW else "BROKEN" if covers < EACH * printed else ""
        broken += [setting] if verdict == "BROKEN" else []
        rows.append((printed, covers, kind, weights, *others))
        share = f"{covers / printed:.3f}" if printed else "    -"
        gains = "    ".join(f"{x:.3f}" for x in others)
        print(f"{keys:4} {targets:7} {n:5} {h:5}  {weights:19}  {kind:15} {printed:8} {runs:7}  {share}  {gains}  {verdict}", flush=True)
    for name, chosen in {
        "all": rows,
        "rarely printed": [row for row in rows if row[0] < FEW],
        **{kind: [row for row in rows if row[2] == kind] for kind in KINDS},
        **{f"weights {weights}": [row for row in rows if row[3] == weights] for weights in ("none", *WEIGHTS)},
    }.items():
        printed, covers = (sum(row[k] for row in chosen) for k in (0, 1))
        limit = EACH if name == "rarely printed" else POOLED
        broken += [name] if covers < limit * printed else []
        ends = "; ".join(f"{min(x):.3f} to {max(x):.3f}" for x in zip(*(row[4:] for row in chosen), strict=True))
        print(f"{name}: {covers} of {printed} shares, {covers / max(printed, 1):.3f}; gain, that of the original, mark: {ends}")
    each = [row[1] / row[0] for row in rows if row[0] >= FEW]
    print(f"{len(each)} settings with shares: {min(each):.3f} to {max(each):.3f}")
    return broken


LAWS = {  # CAP of one person, and probabilities
    "0 or 1": lambda mean: ([0, 1], [1 - mean, mean]),
    "0 or .5": lambda mean: ([0, 0.5], [1 - 2 * mean, 2 * mean]),
    "0, .1 or 1": lambda mean: ([0, 0.1, 1], [1 - 5.5 * mean, 5 * mean, mean / 2]),
}


def of_averages(rng, values, chances, n, weights, samples):
    """Coverage for the population's mean, near 0 and near 1, and of a difference of two tables that swaps some values."""
    cells = rng.choice(len(values), (samples, n), p=chances)
    w = rng.lognormal(0, 1, cells.shape) if weights else np.ones(cells.shape)
    places = np.arange(samples)[:, None] * len(values) + cells
    first, second = (np.bincount(places.ravel(), (w**k).ravel(), samples * len(values)).reshape(samples, 1, -1) for k in (1, 2))
    o, squares = (np.concatenate([x, 0 * x], axis=-2) for x in (first, second))
    q = np.array([values, 1 - np.array(values)])
    truth = float(np.dot(values, chances))
    for s, against, goal in ((q, None, truth), (q[::-1], None, 1 - truth), (q, q[:, ::-1], truth - float(np.dot(values[::-1], chances)))):
        scaled = [None if x is None else np.rint(1000 * x).astype(np.int64) for x in (s, against)]
        tables = xr.Dataset({name: (("draw", "target", "key"), x) for name, x in (("o", o), ("o_squares", squares))})
        found = average_cap_interval(tables, scaled[0], against=scaled[1])
        plain = 1.96 * found.standard_error
        yield covers(found.lower, found.upper, goal), covers(found.estimate - plain, found.estimate + plain, goal)


def covers(lower, upper, truth):
    return float(((lower <= truth + 1e-12) & (truth - 1e-12 <= upper)).mean())


def averages(rng, quick):
    """Coverage of average CAP near 0 and 1, beside that of 1.96 standard errors."""
    print("law          mean      n  weights     near 0 (plain)   near 1 (plain)  difference (plain)")
    found, broken = [], []
    for name, mean, n, weights in itertools.product(LAWS, (0.002, 0.01, 0.05, 0.15), (20, 100, 1000), (False, True)):
        if quick and (n != 100 or weights):
            continue
        coverages = list(of_averages(rng, *LAWS[name](mean), n, weights, 4000 if n < 1000 else 1000))
        found += [x for x, _ in coverages]
        broken += [(name, mean, n, weights)] if min(found[-3:]) < EACH else []
        texts = "   ".join(f"{x:.3f} ({plain:.3f})" for x, plain in coverages)
        print(f"{name:10} {mean:6} {n:6}  {'lognormal' if weights else 'none':9}   {texts}   {'BROKEN' if min(found[-3:]) < EACH else ''}")
    print(f"pooled {np.mean(found):.3f}, {min(found):.3f} to {max(found):.3f}")
    return broken + (["averages"] if np.mean(found) < POOLED else [])


def syntheses(rng, samples):
    """Coverage of the mean over k tables: 300 people of 2 targets and 3 keys, tables of 60, 300 or 3000 records from one law."""
    population, law = np.array([[0.15, 0.2, 0.05], [0.25, 0.05, 0.3]]), np.array([[0.3, 0.1, 0.1], [0.2, 0.1, 0.2]])

    def drawn(n, p, *size):
        return rng.multinomial(n, p.ravel(), size).reshape(*size, *p.shape)

    o, broken = xr.DataArray(drawn(300, population, samples), dims=("draw", "target", "key")), []
    for records, k in itertools.product((60, 300, 3000), (2, 5, 20)):
        truth = float((population * law / law.sum(0) * (1 - (1 - law.sum(0)) ** records)).sum())
        s = xr.DataArray(drawn(records, law, samples, k), dims=("draw", "synthetic", "target", "key"))
        found = average_cap_interval(o, s, over="synthetic")
        coverage = covers(found.lower, found.upper, truth)
        broken += [(records, k)] if coverage < POOLED else []
        print(f"mean over {k:2} tables of {records:4} records: {coverage:.3f}")
    return broken


def advice(rng, samples):
    """False advice: n people with 100 keys and a target that no key tells, and releases that name a target for each key at random."""
    broken = []
    for n, releases in itertools.product((200, 1000), (2, 5, 20)):
        o = xr.DataArray(rng.multinomial(n, np.full(200, 1 / 200), samples).reshape(samples, 2, 100), dims=("draw", "target", "key"))
        named = rng.random((samples, releases, 1, 100)) < 0.5
        s = xr.DataArray(np.concatenate([named, ~named], axis=2).astype(np.int64), dims=("draw", "synthetic", "target", "key"))
        worst = s.isel(synthetic=average_cap(o, s).argmax("synthetic"))
        said = []
        for pairs in (math.comb(releases, 2), releases - 1):  # as is printed, and as if the worst had been chosen before
            found = average_cap_interval(o, s, against=worst, level=1 - 0.05 / pairs)
            said.append(float((found.upper < 0).any("synthetic").mean()))
        broken += [("advice", n, releases)] if said[0] > 0.05 + 3 * (0.05 * 0.95 / samples) ** 0.5 else []
        print(
            f"{n:4} people, {releases:2} releases alike: one is shown to be lower in {said[0]:.3f} (for a worst known before {said[1]:.3f})"
        )
    return broken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few settings, in seconds")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    broken = [*averages(rng, arguments.quick), *syntheses(rng, 400 if arguments.quick else 4000), *shares(rng, arguments.quick)]
    broken += advice(np.random.default_rng(arguments.seed), 2000)
    print("\n".join(f"BROKEN: {x}" for x in broken) or "All coverages reach their limits.")
    sys.exit(bool(broken))


if __name__ == "__main__":
    main()
