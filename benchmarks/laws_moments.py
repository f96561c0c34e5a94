"""Mean and variance of average CAP, 10 targets x 10^5 keys and n = m = 10^6: seconds, and error against 50 digits on a part of the sums.

Run: python benchmarks/laws_moments.py
The error needs mpmath, which is no dependency of capstats; without it, only the seconds are printed.
"""

import time

import numpy as np

from capstats.laws import Bootstrap, Dirichlet, Independent, Uniform, expected_cap, variance_cap

TARGETS, KEYS, RECORDS = 10, 10**5, 10**6
MODELS = {
    "uniform": Uniform(RECORDS),
    "bootstrap": Bootstrap(RECORDS),
    "independent": Independent(RECORDS),
    "dirichlet": Dirichlet(RECORDS, alpha=0.1),
}


def originals() -> dict[str, np.ndarray]:
    """Keys of about equal size, and keys whose sizes fall as one over their rank."""
    rng = np.random.default_rng(0)
    shares = {"even keys": np.full(KEYS, 1 / KEYS), "skew keys": 1 / np.arange(1, KEYS + 1)}
    of_targets = rng.dirichlet(np.ones(TARGETS))
    return {name: rng.multinomial(RECORDS, np.outer(of_targets, p / p.sum()).ravel()).reshape(TARGETS, KEYS) for name, p in shares.items()}


def exact_variance(o: np.ndarray, m: int, model: str, alpha: float) -> float:
    """The theorem pair by pair of distinct keys, in 50 digits: gamma functions and, for the mean inverse, all numbers of records."""
    import mpmath as mp

    mp.mp.dps = 50
    n, reinforced = int(o.sum()), model in ("uniform", "dirichlet")
    targets, keys = o.shape
    alpha = {"uniform": mp.mpf(1), "dirichlet": mp.mpf(alpha)}.get(model, mp.mpf(0))
    o_i = [int(x) for x in o.sum(1)]
    total = mp.mpf(0 if model == "uniform" else n) + keys * targets * alpha

    def log_missed(part):
        if not reinforced:
            return m * mp.log(1 - part / total)
        rest = total - part
        return mp.loggamma(rest + m) - mp.loggamma(rest) - mp.loggamma(total + m) + mp.loggamma(total)

    def factor(part):  # by the ratio of neighbouring probabilities, over all k that count in 50 digits
        rest, inverse = total - part, mp.mpf(0)
        probability = mp.exp(log_missed(part))
        greatest = probability
        for k in range(m):
            step = (m - k) * (part + k) / ((k + 1) * (rest + m - k - 1)) if reinforced else (m - k) * part / ((k + 1) * rest)
            probability *= step
            greatest = max(greatest, probability)
            inverse += probability / (k + 1)
            if step < 1 and probability < greatest * mp.mpf(10) ** -40:
                break
        return (1 - mp.exp(log_missed(part)) + part * inverse) / (1 + part) if reinforced else inverse

    columns, counts = np.unique(o, axis=1, return_counts=True)
    groups: dict[int, list[mp.mpf]] = {}
    for column, count in zip(columns.T.tolist(), counts.tolist(), strict=True):
        size = sum(column)
        weights = [mp.mpf(x) for x in o_i] if model == "independent" else [(0 if model == "uniform" else x) + alpha for x in column]
        whole = sum(weights)
        if not whole:
            continue
        mean = sum(w * x for w, x in zip(weights, column, strict=True)) / whole
        spread = sum(w * (x - mean) ** 2 for w, x in zip(weights, column, strict=True)) / whole
        held = groups.setdefault(0 if model == "uniform" else size, [mp.mpf(0)] * 4)
        for place, value in enumerate((1, mean, mean**2, spread)):
            held[place] += count * value
    part = {size: size + targets * alpha for size in groups}
    part = {size: weight for size, weight in part.items() if weight}
    log_z = {size: log_missed(weight) for size, weight in part.items()}
    found = mp.mpf(0)
    for j in part:
        count, mean, square, spread = groups[j]
        z = mp.exp(log_z[j])
        found += spread * factor(part[j]) + square * z * (1 - z)
        for k in part:
            both = mp.exp(log_missed(part[j] + part[k])) if total > part[j] + part[k] else mp.mpf(0)
            pairs = mean * groups[k][1] - (square if j == k else 0)
            found += pairs * (both - mp.exp(log_z[j] + log_z[k]))
    return float(found / mp.mpf(n) ** 2)


def bench_moments() -> None:
    expected_cap(np.eye(2, dtype=int), Bootstrap(2))
    try:
        import mpmath  # noqa: F401
    except ModuleNotFoundError:
        print("mpmath is not installed: no errors")
        precise = False
    else:
        precise = True
    print(f"{TARGETS} targets x {KEYS:,} keys, n = m = {RECORDS:,}; limit 2 s and 1e-10")
    for name, o in originals().items():
        print(f"{name}: {len(np.unique(o.sum(0)))} distinct key totals")
        for name_of, model in MODELS.items():
            start = time.perf_counter()
            mean = expected_cap(o, model).item()
            variance = variance_cap(o, model).item()
            seconds = time.perf_counter() - start
            line = f"  {name_of:12} mean {mean:.6f}, standard deviation {variance**0.5:.3e}: {seconds:5.2f} s"
            if precise and name == "even keys":
                exact = exact_variance(o, RECORDS, name_of, getattr(model, "alpha", 0.0))
                line += f", relative error of the variance {abs(variance / exact - 1):.0e}"
            print(line)
        if name == "even keys":
            start = time.perf_counter()
            exact = expected_cap(o, Bootstrap(RECORDS), unmatched="drop").item()
            print(f"  version 2, bootstrap: mean {exact:.12f}: {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    bench_moments()
