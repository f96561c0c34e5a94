"""How often `dp_audit_release` refutes a true claim, and a false one, beside the binomial test of all pairs at once.

Run: python benchmarks/one_release_audit.py [--runs 2000] [--releases 40]

Level: 2 n people, n of them in the original O. The release names n people T with a probability proportional to e^(eps |O and T|). This
keeps eps for the substitution of a record, and every pair with one person in T is a coin of e^eps : 1, as biased as eps allows. The people
in T have scores that all differ, that come in three sizes, or that are equal. Power: 1,000 originals, 200 of them in rare keys, of
which some are copied while all others are drawn anew from the population; or all keep their targets a little too often.
"""

import argparse

import numpy as np
import xarray as xr
from scipy.special import loggamma, logsumexp
from scipy.stats import binom

from capstats.laws import dp_audit_release

SCORES = {
    "all differ": lambda n: np.arange(1, n + 1),
    "three sizes": lambda n: np.repeat([n // 3, 2 * n // 3, n], [n // 3, n // 3, n - 2 * (n // 3)]),
    "equal": lambda n: np.full(n, n),
}


def named_people(n, epsilon, score, runs, rng):
    """Originals, releases and holdouts of 2 n people with keys of their own, from the mechanism above."""
    both = np.arange(n + 1)  # |O and T|
    logs = epsilon * both - 2 * (loggamma(both + 1) + loggamma(n - both + 1))
    of_both = rng.choice(both, runs, p=np.exp(logs - logsumexp(logs)))
    o, h, s = (np.zeros((runs, 2, 2 * n), int) for _ in range(3))
    for run, k in enumerate(of_both):
        order = rng.permutation(2 * n)
        named, others = order[:n], order[n:]
        original = np.concatenate([named[:k], others[: n - k]])
        o[run, 0, original] = 1
        h[run, 0] = 1 - o[run, 0]
        s[run, 0, rng.permutation(named)] = score(n)
        s[run, 1] = n - s[run, 0]
    return [xr.DataArray(x, dims=("run", "target", "key")) for x in (o, s, h)]


def rare_people(copied, rng, n=1000, rare=200):
    """Original, release and holdout: a share of the people with rare keys is copied, all else is a fresh sample of the population."""
    common = rng.dirichlet(np.ones(3), 8).T / 8  # targets x keys
    keys = 8 + 2 * rare

    def sample(records):
        return rng.multinomial(records, common.ravel()).reshape(common.shape)

    o, h, s = (np.zeros((3, keys), int) for _ in range(3))
    for table, places in ((o, slice(8, 8 + rare)), (h, slice(8 + rare, keys))):
        table[rng.integers(0, 3, rare), np.arange(keys)[places]] = 1
        table[:, :8] = sample(n - rare)
    kept = 8 + rng.permutation(rare)[: round(copied * rare)]
    s[:, kept] = o[:, kept]
    s[:, :8] = sample(n - len(kept))
    return o, s, h


def kept_targets(share, rng, n=1000, keys=500):
    """Original, release and holdout of people in twos: each target of the original is kept with a probability, else drawn anew."""
    target, key = rng.integers(0, 3, 2 * n), rng.integers(0, keys, 2 * n)
    released = np.where(rng.random(n) < share, target[:n], rng.integers(0, 3, n))
    tables = [np.zeros((3, keys), int) for _ in range(3)]
    for table, i, j in zip(tables, (target[:n], released, target[n:]), (key[:n], key[:n], key[n:]), strict=True):
        np.add.at(table, (i, j), 1)
    return tables


def refuted_at_once(found):
    """The binomial test of all pairs that differ."""
    return binom.sf(found.right - 1, found.pairs, found.allowed) <= 0.05


def bench_level(runs):
    rng = np.random.default_rng(1)
    print("| people | epsilon | scores | refuted | by the binomial test |\n|---|---|---|---|---|")
    for n in (20, 200):
        for epsilon in (0.0, 0.5, 2.0):
            for name, score in SCORES.items():
                o, s, h = named_people(n, epsilon, score, runs, rng)
                found = dp_audit_release(o, s, epsilon, h=h, adjacency="substitution", rng=1)
                print(f"| {2 * n} | {epsilon:g} | {name} | {found.refuted.mean():.4f} | {refuted_at_once(found).mean():.4f} |", flush=True)


def bench_power(releases):
    rng = np.random.default_rng(2)
    designs = {
        "half of the 200 rare ones copied": lambda: rare_people(0.5, rng),
        "a tenth copied": lambda: rare_people(0.1, rng),
        "none copied": lambda: rare_people(0.0, rng),
        "nine tenths of all targets kept": lambda: kept_targets(0.9, rng),
        "half of all targets kept": lambda: kept_targets(0.5, rng),
    }
    print("| 1,000 originals, claim 0.5 | refuted | by the binomial test | mean limit | pairs that lead |\n|---|---|---|---|---|")
    for name, design in designs.items():
        o, s, h = (xr.DataArray(np.stack(x), dims=("run", "target", "key")) for x in zip(*(design() for _ in range(releases)), strict=True))
        found = dp_audit_release(o, s, 0.5, h=h, adjacency="substitution", rng=3)
        refuted = [f"{int(x.sum())} of {releases}" for x in (found.refuted, refuted_at_once(found))]
        lead = f"{found.leading.mean():.0f} of {found.pairs.mean():.0f}"
        print(f"| {name} | {' | '.join(refuted)} | {found.epsilon_lower.mean():.2f} | {lead} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--releases", type=int, default=40)
    given = parser.parse_args()
    bench_level(given.runs)
    print()
    bench_power(given.releases)


if __name__ == "__main__":
    main()
