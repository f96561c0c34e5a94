"""`tabulate` + `average_cap` against the same data's own group-by, by kind of input: ratios, seconds, extra peak memory of `tabulate`.

Run: python benchmarks/counting.py [--records 1000000 10000000] [--pairs 15] [--only pandas polars ...] [--append]

Two tables of n records, 4 key columns (10, 5, 20, 8 levels, skewed) and a target (6 levels). The two sides run in turn in one process,
so that both see the same machine; each ratio is a median of such pairs. With --append each line is
added to speed.csv beside this file, with the date and the version: compare ratios there, since seconds are those of a machine, and
megabytes vary by 30 with the allocator.
"""

import argparse
import csv
import datetime
import gc
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from capstats import __version__, average_cap, tabulate

LEVELS = {"region": 10, "sex": 5, "age": 20, "job": 8, "income": 6}
MANY = {f"k{i}": levels for i, levels in enumerate((50, 30, 20, 10, 12, 8, 5, 4))} | {"income": 6}
WIDE = {"place": 1000, "work": 1000, "illness": 1000}
LIMITS = {
    "pandas categorical": 0.15,
    "pandas int64": 0.35,
    "pandas str": 0.75,
    "pandas object": 0.5,
    "polars Enum": 0.5,
    "polars Categorical": 1.5,
    "polars String": 1.5,
    "pyarrow dictionary": 0.75,
    "Parquet": 1.5,
    "CSV": 1.5,
    "mapping int8": 2.0,
    "mapping int64": 3.5,
    "polars Enum, 10^6 keys": 1.0,
    "pandas categorical, 10^6 keys x 1,000 targets": 1.5,
}


def levels_of(name):
    """The columns of an input, and their numbers of levels."""
    return WIDE if "targets" in name else MANY if "keys" in name else LEVELS


def codes(n, levels, seed):
    """Columns of codes with the skew that people have; with many columns, driven by 1.2 million kinds of people; wide ones without skew."""
    rng = np.random.default_rng(seed)
    if len(levels) > 5:
        kinds = np.random.default_rng(0).integers(0, list(levels.values()), (1_200_000, len(levels)))
        rows = rng.zipf(1.15, n) % len(kinds)
        rows = np.where(rng.random(n) < 0.7, rng.integers(0, len(kinds), n), rows)
        return {c: kinds[rows, i].astype(np.int8) for i, c in enumerate(levels)} | {"income": rng.integers(0, 6, n).astype(np.int8)}
    if levels is WIDE:
        return {c: rng.integers(0, size, n, np.int16) for c, size in levels.items()}
    found = {}
    for column, size in levels.items():
        p = 1 / np.arange(1, size + 1)
        found[column] = rng.choice(size, n, p=p / p.sum()).astype(np.int8)
    return found


def labels(levels):
    return {c: [f"{c[:3]}-{i:06d}" for i in range(size)] for c, size in levels.items()}


def categorical(columns, levels):
    return pd.DataFrame({c: pd.Categorical.from_codes(v, labels(levels)[c]) for c, v in columns.items()})


def enum(columns, levels):
    names = labels(levels)
    arrow = {c: pa.DictionaryArray.from_arrays(v, names[c]) for c, v in columns.items()}
    return pl.DataFrame({c: pl.Series(c, a).cast(pl.Enum(names[c])) for c, a in arrow.items()})


def inputs(name, n, folder):
    """(original, synthetic, the peer's own counting of one table)."""
    levels = levels_of(name)
    raw = [codes(n, levels, seed) for seed in (1, 2)]
    names = list(levels)
    if name == "mapping int8":
        return *raw, _flat(levels)
    if name == "mapping int64":
        return *[{c: v.astype(np.int64) for c, v in r.items()} for r in raw], _flat(levels)
    if name == "pandas int64":
        return *[pd.DataFrame({c: v.astype(np.int64) for c, v in r.items()}) for r in raw], _grouped(names)
    if name.startswith("polars Enum"):
        return *[enum(r, levels) for r in raw], lambda t: t.lazy().group_by(names).len().collect()
    frames = [categorical(r, levels) for r in raw]
    if name.startswith("pandas categorical"):
        return *frames, _grouped(names)
    if name in ("pandas str", "pandas object"):
        dtype = "str" if name == "pandas str" else object
        return *[pd.DataFrame({c: f[c].astype(dtype) for c in names}) for f in frames], _grouped(names)
    arrow = [pa.Table.from_pandas(f, preserve_index=False) for f in frames]
    del frames
    if name == "pyarrow dictionary":
        return *arrow, lambda t: t.group_by(names).aggregate([([], "count_all")])
    polars = [pl.from_arrow(a).with_columns(pl.all().cast(pl.String)) for a in arrow]
    if name in ("polars String", "polars Categorical"):
        if name == "polars Categorical":
            polars = [p.with_columns(pl.all().cast(pl.Categorical)) for p in polars]
        return *polars, lambda t: t.lazy().group_by(names).len().collect()
    files = []
    for p, side in zip(polars, "os", strict=True):
        file = str(Path(folder) / f"{side}-{n}.{name.lower()}")
        p.write_parquet(file) if name == "Parquet" else p.write_csv(file)
        files.append(file)
    reader = "read_parquet" if name == "Parquet" else "read_csv"
    return *files, lambda f: duckdb.sql(f"SELECT {', '.join(names)}, count(*) FROM {reader}('{f}') GROUP BY ALL").fetchnumpy()


def _grouped(names):
    return lambda t: t.groupby(names, observed=True, dropna=False).size()


def _flat(levels):
    """numpy.bincount of a ready flat code: the code is made outside the clock."""
    ready = {}

    def count(columns):
        key = id(columns)
        if key not in ready:
            ready[key] = np.ravel_multi_index([columns[c] for c in levels], list(levels.values())).astype(np.intp)
        return np.bincount(ready[key], minlength=int(np.prod(list(levels.values()))))

    return count


def measure(name, n, pairs, append):
    with tempfile.TemporaryDirectory() as folder:
        o, s, own = inputs(name, n, folder)
        levels = list(levels_of(name))

        def count():
            return tabulate(o, s, keys=levels[:-1], target=levels[-1])

        def ours():
            tables = count()
            return float(average_cap(tables.o, tables.s))

        def theirs():
            own(o)
            own(s)

        def clock(work):
            start = time.perf_counter()
            work()
            return time.perf_counter() - start

        clock(theirs)
        gc.collect()
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        _reset_peak()
        base = _status("VmRSS")
        clock(count)
        extra = max(0.0, (_status("VmHWM") or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024) - (base or before / 1024))
        both = [(clock(ours), clock(theirs)) for _ in range(pairs)]
    ratio = statistics.median(a / b for a, b in both)
    mine, its = (statistics.median(x) for x in zip(*both, strict=True))
    limit, within = LIMITS[name], "yes" if ratio <= LIMITS[name] else "NO"
    print(
        f"| {name} | {n:.0e} | {mine * 1e3:.1f} | {its * 1e3:.1f} | {ratio:.2f} | {limit} | {within} | {extra:.0f} |",
        flush=True,
    )
    if append:
        here = Path(__file__).parent
        asked = (["git", "describe", "--always"], ["git", "status", "--porcelain", "../capstats"])
        commit, changed = (subprocess.run(x, cwd=here, capture_output=True, text=True).stdout.strip() for x in asked)
        figures = f"{ratio:.2f}", f"{mine * 1e3:.1f}", f"{its * 1e3:.1f}", f"{extra:.0f}"
        with (here / "speed.csv").open("a", newline="") as file:
            csv.writer(file).writerow([datetime.date.today(), __version__, commit + "+" * bool(changed), name, n, *figures])


def _reset_peak():
    clear = Path("/proc/self/clear_refs")
    if clear.exists() and os.access(clear, os.W_OK):
        clear.write_text("5")


def _status(field):
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    return next(int(line.split()[1]) / 1024 for line in status.read_text().splitlines() if line.startswith(field))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--only", nargs="+", default=list(LIMITS))
    parser.add_argument("--append", action="store_true", help="add each line to speed.csv")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.here:
        print(
            "| input | records | capstats ms | own group-by ms | ratio | limit | within | extra MB |\n|---|---|---|---|---|---|---|---|",
            flush=True,
        )
    for name in [n for n in LIMITS if any(n.startswith(o) for o in given.only)]:
        for n in given.records:
            if n < 10_000_000 and (name.startswith("mapping") or "keys" in name):
                continue
            if given.here:
                measure(name, n, given.pairs, given.append)
            else:  # a process of its own, so that peak memory is its own
                again = ["--here", "--only", name, "--records", str(n), "--pairs", str(given.pairs), *["--append"][: given.append]]
                subprocess.run([sys.executable, __file__, *again], check=True)


if __name__ == "__main__":
    main()
