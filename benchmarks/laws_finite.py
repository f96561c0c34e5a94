"""Laws over finitely many records: seconds, and the widest interval of a quantile from 5 to 95 % beside the distance between these two.

Run: python benchmarks/laws_finite.py
"""

import time
from collections.abc import Callable

import numpy as np

import capstats
from capstats.laws import Bootstrap, Dirichlet, Independent, Law, Partial, Permuted, Pram, Swap, Uniform, cap_law
from capstats.paper import no_riskier

SIZES = [1_000, 10_000, 100_000]  # cells, of 5 targets


def originals() -> dict[str, np.ndarray]:
    """The paper's O_3, anes96 by education and vote, and random tables."""
    records = capstats.datasets.anes96()
    anes = capstats.tabulate(records, records, keys=["educ", "vote"], target="PID").o.values
    rng = np.random.default_rng(1)
    found = {"O_3": capstats.datasets.paper_originals().sel(original="O_3").values, "anes96": anes}
    return found | {f"{size:,} cells": rng.poisson(rng.gamma(0.5, 4, (5, size // 5))) for size in SIZES}


def bench_finite() -> None:
    """One line a table and model."""
    print(f"{'table':<14} {'cells':>7}  {'model':<28} {'seconds':>8} {'CPU':>6} {'width':>7}  how")
    for name, o in originals().items():
        s = np.random.default_rng(2).permuted(o, axis=1)
        models = [Uniform(900), Bootstrap(900), Independent(900), Dirichlet(900, alpha=0.5)]
        for model in (*models, Partial(alpha=0.5), Pram(theta=0.3), Swap(records=int(o.sum()) // 3), Permuted(s)):
            show(name, o, repr(model), lambda o=o, model=model: cap_law(o, model))
        if o.size <= 1_000:
            show(name, o, "mean of 3, Uniform(900)", lambda o=o: cap_law(o, Uniform(900)).mean_of(3))
    for name in ("O_3", "O_4"):
        start = time.perf_counter()
        lower, upper = no_riskier(name, 900)
        print(f"P(CAP(S) <= CAP({name})), m = 900: {lower:.7f} to {upper:.7f} in {time.perf_counter() - start:.1f} s")


def show(name: str, o: np.ndarray, model: str, law_of: Callable[[], Law]) -> None:
    """Seconds of the law and its quantiles, and the ratio."""
    start, used = time.perf_counter(), time.process_time()
    law = law_of()
    found = law.quantile(np.arange(5, 96) / 100)
    seconds, used = time.perf_counter() - start, time.process_time() - used
    ratio = (found.greatest - found.least).max().item() / max((found.least[-1] - found.greatest[0]).item(), 1e-300)
    how = law.about.rpartition("; ")[2]
    print(f"{name:<14} {o.size:>7,}  {model:<28} {seconds:>8.2f} {used:>6.2f} {ratio:>7.3f}  {how}", flush=True)


if __name__ == "__main__":
    bench_finite()
