"""Which epsilon repeated splits, or coins, refute: `dp_audit` beside a test of the difference of the averages alone; and its level.

Run: python benchmarks/privacy_audits.py [--studies 200]

The rival bets on the mean of the differences, with the same stakes: its limit of epsilon is 2 artanh of that of the mean. For coins the
rival counts who is guessed rightly outside, which allows smaller stakes.
"""

import argparse

import numpy as np
import xarray as xr

from capstats.laws import dp_audit, dp_average_bound

BETS = 2.0 ** -np.arange(8)
MEANS = ((0.3, 0.05), (0.95, 0.7), (0.6, 0.4), (0.02, 0.002))


def wealth(gains):
    """The logarithm of a stake, spread over the bets, after gains (studies, repetitions)."""
    logs = np.log(np.maximum(1 + (gains - 1)[..., None] * BETS, 1e-300)).sum(-2)
    return np.logaddexp.reduce(logs + np.log(BETS / BETS.sum()), axis=-1)


def limit(of_claim, studies, level=0.95):
    """The greatest epsilon that is refuted, by bisection, of each study."""
    low, high = np.zeros(studies), np.full(studies, 40.0)
    for _ in range(50):
        middle = (low + high) / 2
        refuted = of_claim(middle[:, None]) >= -np.log(1 - level)
        low, high = np.where(refuted, middle, low), np.where(refuted, high, middle)
    return low


def by_difference(inside, outside):
    """The limit of epsilon by the mean of (1 + difference) / 2, which is at most (1 + tanh(eps / 2)) / 2."""
    x = (1 + inside - outside) / 2
    return limit(lambda epsilon: wealth(2 * x / (1 + np.tanh(epsilon / 2))), len(x))


def by_right_guesses(inside, outside, share):
    """The limit of epsilon with coins where Z = A - b B - a is bet on, with stakes up to 1 / (a + 2 b)."""
    a_sum, b_sum = 2 * share * inside, 2 * (1 - share) * outside

    def both(epsilon):
        odds = np.exp(-epsilon)
        lines = ((0 * odds, 1 / odds), (1 - odds, odds))
        return np.logaddexp.reduce([wealth(1 + (a_sum - b * b_sum - a) / (a + 2 * b)) - np.log(2) for a, b in lines])

    return limit(both, len(inside))


def data(**tables):
    return xr.Dataset({name: (("study", "repetition"), x) for name, x in tables.items()})


def bench_power(studies, rng):
    print("Median limit of epsilon; averages of 200 people inside and 200 outside\n")
    print("| means inside, outside | repetitions | dp_audit | difference | most that each can pass |\n|---|---|---|---|---|")
    for p, q in MEANS:
        for repetitions in (20, 100, 1000):
            inside, outside = (rng.binomial(200, x, (studies, repetitions)) / 200 for x in (p, q))
            found = dp_audit(data(original=inside, holdout=outside), 1, adjacency="substitution").epsilon_lower
            most = (np.log(max(p / q, (1 - q) / (1 - p))), 2 * np.arctanh(p - q))
            numbers = (np.median(found), np.median(by_difference(inside, outside)))
            print(f"| {p}, {q} | {repetitions:,} | {numbers[0]:.2f} | {numbers[1]:.2f} | {most[0]:.2f}, {most[1]:.2f} |", flush=True)


def bench_coins(studies, rng):
    print("\nCoins, a claim about records added or removed, 100 repetitions: median limit of epsilon\n")
    print("| people | means inside, outside | coins | coins, right guesses alone | the same by splits |\n|---|---|---|---|---|")
    for people in (10, 100, 1000):
        for p, q in MEANS[:3]:
            number = rng.binomial(people, 0.5, (studies, 100))
            inside, outside = (rng.binomial(size, x) / np.maximum(size, 1) for size, x in ((number, p), (people - number, q)))
            half = people // 2
            split = data(original=rng.binomial(half, p, number.shape) / half, holdout=rng.binomial(half, q, number.shape) / half)
            tossed = data(original=inside, holdout=outside, share=number / people)
            audits = (
                dp_audit(tossed, 1, adjacency="add-remove", design="coins").epsilon_lower,
                by_right_guesses(inside, outside, number / people),
                dp_audit(split, 1, adjacency="add-remove").epsilon_lower,
            )
            print(f"| {people:,} | {p}, {q} | {' | '.join(f'{np.median(x):.2f}' for x in audits)} |", flush=True)


def ever_refuted(inside, missed, lines):
    """Whether the capital of `dp_audit` is ever 20, for averages (studies, repetitions), and whether it is at the end."""
    logs = [np.log(np.maximum(1 + ((inside + b * missed) / (a + b) - 1)[..., None] * BETS, 1e-300)).cumsum(-2) for a, b in lines]
    capital = np.logaddexp.reduce([line + np.log(BETS / BETS.sum() / len(lines)) for line in logs], axis=(0, -1))
    return (capital >= np.log(20)).any(-1), capital[:, -1] >= np.log(20)


def bench_level(studies, rng):
    print("\nTrue claims refuted at .05, under the mechanisms that attain the bound: largest share over q\n")
    print("| design | people | claim | at any of 100 repetitions | at the last |\n|---|---|---|---|---|")
    designs = (("split", "substitution", 2), ("split", "add-remove", 2), ("coins", "add-remove", 2), ("coins", "add-remove", 100))
    for design, adjacency, people in designs:
        for epsilon in (0.1, 0.5, 1.0, 2.0):
            shares, odds = [], np.exp(-epsilon)
            one_step = [(0, 1 / odds), (1 - odds, odds)]
            lines = [(0, odds**-2), (1 - odds, 1), (1 - odds**2, odds**2)] if (design, adjacency) == ("split", "add-remove") else one_step
            for q in (0.01, 0.1, 0.3, 0.5, 0.9):
                shape, step = (10 * studies, 100), "substitution" if design == "coins" else adjacency
                p = dp_average_bound(q, epsilon, adjacency=step).item()
                if design == "coins":
                    number = rng.binomial(people, 0.5, shape)
                    right, wrong = rng.binomial(number, p), rng.binomial(people - number, 1 - q)
                    inside, missed = 2 * right / people, 2 * wrong / people
                    tables = {"original": right / np.maximum(number, 1), "holdout": 1 - wrong / np.maximum(people - number, 1)}
                    tables["share"] = number / people
                else:  # both right or none as often as can be
                    u = rng.random(shape)
                    inside, missed = (u < p) * 1.0, (u <= 1 - q) * 1.0
                    tables = {"original": inside, "holdout": 1 - missed}
                ever, last = ever_refuted(inside, missed, lines)
                few = data(**{name: table[:20] for name, table in tables.items()})
                assert (dp_audit(few, epsilon, adjacency=adjacency, design=design).refuted == last[:20]).all()
                shares.append((ever.mean(), last.mean()))
            print(
                f"| {design} | {people} | {adjacency}, {epsilon} | {' | '.join(f'{x:.3f}' for x in np.max(shares, axis=0))} |", flush=True
            )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--studies", type=int, default=200)
    given = parser.parse_args()
    rng = np.random.default_rng(1)
    bench_power(given.studies, rng)
    bench_coins(given.studies, rng)
    bench_level(given.studies, rng)


if __name__ == "__main__":
    main()
