"""The law of average CAP over finitely many records: seconds and width of the bounds, against a simulation of as many seconds.

Run: python benchmarks/laws_finite.py
"""

import time

import numpy as np

import capstats
from capstats.laws import Bootstrap, Dirichlet, Partial, Pram, Uniform, cap_law, protected_law, sample_tables

CASES = [
    ("O_3", Uniform(30)),
    ("O_3", Uniform(900)),
    ("O_4", Uniform(900)),
    ("O_3", Bootstrap(900)),
    ("O_3", Dirichlet(900, alpha=0.5)),
    ("O_3", Partial(alpha=0.5)),
    ("O_3", Pram(theta=0.3)),
]


def bench_finite() -> None:
    originals = capstats.datasets.paper_originals()
    print("table  model                      seconds  P(CAP(S) <= CAP(O))        width   tables drawn in that time, their standard error")
    for name, model in CASES:
        o = originals.sel(original=name)
        risk = capstats.average_cap(o, o).item()
        start = time.perf_counter()
        found = cap_law(o, model).cdf(risk)
        seconds = time.perf_counter() - start
        lower, upper = found.lower.item(), found.upper.item()
        start = time.perf_counter()
        capstats.average_cap(o, sample_tables(o, model, draws=10_000, rng=1))
        drawn = 10_000 * seconds / (time.perf_counter() - start)
        error = np.sqrt(lower * (1 - lower) / drawn)
        print(f"{name:<6} {model!r:<26} {seconds:>10.2f}  {lower:.7f} to {upper:.7f} {upper - lower:>9.1e}   {drawn:>12,.0f} {error:.1e}")
    o = originals.sel(original="O_3")
    start = time.perf_counter()
    found = protected_law(o, Uniform(900)).cdf(0.5)
    print(f"protected share, O_3, m = 900: {time.perf_counter() - start:.2f} s, width {(found.upper - found.lower).item():.1e}")


if __name__ == "__main__":
    bench_finite()
