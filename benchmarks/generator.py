"""A generator by its probabilities against releases of it, on three data sets: seconds for the mean of average CAP with equal error.

Run: python benchmarks/generator.py

The generator draws each column by the one before it. Its mean is exact; releases are drawn, counted and averaged until the standard error
of their mean is ERROR: record by record, as a synthesiser does, or as tables of counts by `sample_tables`. The mean of 10^5 such tables is
held against the exact one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from capstats import average_cap, datasets, tabulate
from capstats.laws import Given, cap_law, expected_cap, sample_tables, variance_cap

ERROR, DRAWS, TIMED = 1e-4, 10**5, 20


def survey() -> pd.DataFrame:
    return datasets.anes96()[["educ", "PID", "vote"]].astype(str)


def people(counts: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    return counts.loc[counts.index.repeat(counts["count"]), order].astype(str).reset_index(drop=True)


SETS: dict[str, Callable[[], pd.DataFrame]] = {
    "anes96": survey,
    "titanic": lambda: people(datasets.titanic(), ["Class", "Sex", "Age", "Survived"]),
    "hair and eyes": lambda: people(datasets.hair_eye_color(), ["Hair", "Sex", "Eye"]),
}


def network_of(records: pd.DataFrame) -> dict[str, pd.Series]:
    """Each column by the one before it."""
    first, *_ = records
    found = {first: records[first].value_counts(normalize=True)}
    return found | {child: records.groupby(parent)[child].value_counts(normalize=True) for parent, child in pairwise(records)}


def synthesis(network: dict[str, pd.Series], m: int, rng: np.random.Generator) -> pd.DataFrame:
    """A release of m records, drawn column after column."""
    found: dict[str, Any] = {}
    for parent, (column, shares) in zip([None, *network], network.items(), strict=False):
        if parent is None:
            found[column] = rng.choice(np.asarray(shares.index), m, p=shares.to_numpy())
            continue
        rows = shares.unstack(fill_value=0.0)
        upto = np.cumsum(rows.to_numpy(), axis=1)[rows.index.get_indexer(found[parent])]
        found[column] = np.asarray(rows.columns)[np.minimum((rng.random((m, 1)) > upto).sum(1), rows.shape[1] - 1)]
    return pd.DataFrame(found)


def seconds(work: Callable[[], Any], times: int = TIMED) -> float:
    """The median of several runs."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return float(np.median(found))


def bench_set(name: str, records: pd.DataFrame) -> None:
    rng, (*keys, target), m = np.random.default_rng(0), records.columns, len(records)
    o, network = tabulate(records, records, keys=keys, target=target).o, network_of(records)
    generator = Given.from_conditionals(o, m, columns=network)
    mean, deviation = float(expected_cap(o, generator)), float(variance_cap(o, generator)) ** 0.5
    needed = int(np.ceil((deviation / ERROR) ** 2))

    def release() -> None:
        tables = tabulate(records, synthesis(network, m, rng), keys=keys, target=target)
        average_cap(tables.o, tables.s)

    made = seconds(lambda: Given.from_conditionals(o, m, columns=network))
    exact = made + seconds(lambda: expected_cap(o, generator))
    released = needed * seconds(release)
    tables = seconds(lambda: average_cap(o, sample_tables(o, generator, draws=needed, rng=1)), 3)
    law = seconds(lambda: cap_law(o, generator), 1)
    caps = average_cap(o, sample_tables(o, generator, draws=DRAWS, rng=1))
    apart = (float(caps.mean()) - mean) / (deviation / DRAWS**0.5)
    print(f"{name}: {o.sizes['key']} keys, m = {m:,}; mean {mean:.6f}, standard deviation {deviation:.6f}")
    print(f"  mean of {DRAWS:,} tables of counts: {float(caps.mean()):.6f}, {apart:+.2f} standard errors away")
    print(f"  exact: {1e3 * exact:.1f} ms, of which {1e3 * made:.1f} for the probabilities; law {law:.2f} s")
    print(f"  {needed:,} releases, record by record: {released:.0f} s, {released / exact:,.0f} times as long")
    print(f"  as tables of counts: {tables:.2f} s, {tables / exact:,.0f} times as long")


def bench_generator() -> None:
    print(f"releases of as many records as the data set; standard error {ERROR:g}")
    for name, read in SETS.items():
        bench_set(name, read())


if __name__ == "__main__":
    bench_generator()
