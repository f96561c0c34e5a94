"""Generators by their probabilities against releases of them, on three data sets: seconds for the mean of average CAP with equal error.

Run: python benchmarks/generator.py

A network draws each column by the one before it, classification trees each by all before it, and a mixture draws a record of the original
or, one time in ten, columns at random; a function has its probabilities. The mean of each is exact. It is held against DRAWS syntheses,
drawn record by record and counted without the library, in standard errors of their mean; and against the time that releases of the same
generator take to draw, count and average, as many as make the standard error ERROR.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from capstats import average_cap, datasets, tabulate
from capstats.laws import Given, expected_cap, variance_cap

ERROR, DRAWS, TIMED = 1e-4, 10**5, 20
AT_ONCE = 400_000  # records of a part of the syntheses


def coded(records: pd.DataFrame) -> pd.DataFrame:
    """Labels as numbers from 0."""
    return records.apply(lambda column: pd.factorize(column, sort=True)[0])


def people(counts: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    return coded(counts.loc[counts.index.repeat(counts["count"]), order].astype(str).reset_index(drop=True))


SETS: dict[str, Callable[[], pd.DataFrame]] = {
    "anes96": lambda: coded(datasets.anes96()[["educ", "PID", "vote"]].astype(str)),
    "titanic": lambda: people(datasets.titanic(), ["Class", "Sex", "Age", "Survived"]),
    "hair and eyes": lambda: people(datasets.hair_eye_color(), ["Hair", "Sex", "Eye"]),
}


@dataclass
class Generator:
    """Its probabilities, and a program that draws a number of records: their codes, a row a record."""

    model: Callable[[Any, int], Given]
    draw: Callable[[int, np.random.Generator], np.ndarray]


Shares = Callable[[list[np.ndarray]], np.ndarray]  # of the levels of a column, a row a record, from the columns drawn before


def in_order(steps: Sequence[Shares]) -> Callable[[int, np.random.Generator], np.ndarray]:
    """A program that draws one column after the other."""

    def draw(size: int, rng: np.random.Generator) -> np.ndarray:
        found: list[np.ndarray] = []
        for shares in steps:
            found.append((rng.random((size, 1)) > np.cumsum(shares(found), axis=-1)[..., :-1]).sum(1))
        return np.stack(found, axis=1)

    return draw


def network(records: pd.DataFrame) -> Generator:
    first, *_ = records
    columns = {first: records[first].value_counts(normalize=True).sort_index()}
    steps: list[Shares] = [lambda _: columns[first].to_numpy()]
    for parent, child in pairwise(records):
        columns[child] = records.groupby(parent)[child].value_counts(normalize=True)
        rows = columns[child].unstack(fill_value=0.0).sort_index(axis=1).to_numpy()
        steps.append(lambda found, rows=rows: rows[found[-1]])
    return Generator(lambda o, m: Given.from_conditionals(o, m, columns=columns), in_order(steps))


def trees(records: pd.DataFrame) -> Generator:
    first, *others = names = list(records)
    columns: dict[str, Any] = {first: records[first].value_counts(normalize=True).sort_index()}
    steps: list[Shares] = [lambda _: columns[first].to_numpy()]
    for i, child in enumerate(others, 1):
        tree = DecisionTreeClassifier(max_depth=4, min_samples_leaf=20, random_state=0).fit(records[names[:i]], records[child])
        steps.append(lambda found, tree=tree: tree.predict_proba(pd.DataFrame(dict(zip(names, found, strict=False)))))
        columns[child] = tree
    return Generator(lambda o, m: Given.from_conditionals(o, m, columns=columns), in_order(steps))


def mixture(records: pd.DataFrame) -> Generator:
    codes, sizes, rare = records.to_numpy(), [int(n) + 1 for n in records.max()], 0.1
    shares = records.value_counts(normalize=True)

    def probabilities(cells: pd.DataFrame) -> np.ndarray:
        learned = shares.reindex(pd.MultiIndex.from_frame(cells[list(records)]), fill_value=0.0).to_numpy()
        return (1 - rare) * learned + rare / prod(sizes)

    def draw(size: int, rng: np.random.Generator) -> np.ndarray:
        anywhere = np.stack([rng.integers(0, n, size) for n in sizes], axis=1)
        return np.where(rng.random((size, 1)) < rare, anywhere, codes[rng.integers(0, len(codes), size)])

    return Generator(lambda o, m: Given.from_function(o, m, probabilities=probabilities), draw)


def caps_of(records: pd.DataFrame, generator: Generator, draws: int, rng: np.random.Generator) -> np.ndarray:
    """Average CAP of syntheses of as many records, counted here: the last column is the target."""
    sizes, m = [int(n) + 1 for n in records.max()], len(records)
    shape = (prod(sizes[:-1]), sizes[-1])
    cells = prod(shape)
    o = np.bincount(np.ravel_multi_index(records.to_numpy().T, sizes), minlength=cells).reshape(shape)
    found = []
    for start in range(0, draws, AT_ONCE // m):
        part = min(AT_ONCE // m, draws - start)
        place = np.ravel_multi_index(generator.draw(part * m, rng).T, sizes)
        s = np.bincount(np.repeat(np.arange(part), m) * cells + place, minlength=part * cells).reshape(part, *shape)
        found.append(((o * s).sum(2) / np.maximum(s.sum(2), 1)).sum(1) / m)
    return np.concatenate(found)


def seconds(work: Callable[[], Any], times: int = TIMED) -> float:
    """The median of several runs, in seconds of the processor, which other programs hardly change."""
    found = []
    for _ in range(times):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return float(np.median(found))


def bench(of: str, records: pd.DataFrame, generator: Generator) -> None:
    rng, (*keys, target), m = np.random.default_rng(0), records.columns, len(records)
    o = tabulate(records, records, keys=keys, target=target).o
    model = generator.model(o, m)
    mean, deviation = float(expected_cap(o, model)), float(variance_cap(o, model)) ** 0.5
    caps = caps_of(records, generator, DRAWS, rng)
    apart = (caps.mean() - mean) / (deviation / DRAWS**0.5)
    needed = int(np.ceil((deviation / ERROR) ** 2))

    def release() -> None:
        tables = tabulate(records, pd.DataFrame(generator.draw(m, rng), columns=list(records)), keys=keys, target=target)
        average_cap(tables.o, tables.s)

    exact = seconds(lambda: expected_cap(o, generator.model(o, m)))
    released = needed * seconds(release)
    print(
        f"{of:<24} {mean:.6f}  {caps.mean():.6f}  {apart:+6.2f}  {deviation:.6f}  {caps.std():.6f}  {1e3 * exact:8.1f}  {needed:7,}  "
        f"{released:8.0f}  {released / exact:8,.0f}"
    )


def bench_generator() -> None:
    print(f"releases of as many records as the data set; {DRAWS:,} syntheses; standard error {ERROR:g}")
    print(f"{'':<24} mean      syntheses  errors  deviation  theirs  exact, ms  releases   seconds  times as long")
    for name, read in SETS.items():
        records = read()
        for made in (network, trees, mixture):
            bench(f"{name}, {made.__name__}", records, made(records))


if __name__ == "__main__":
    bench_generator()
