"""`audit` of 100 synthetic tables of 10^5 records in Parquet files, and its report as a page: seconds, and peak memory.

Run: python benchmarks/audit_releases.py [--releases 100] [--records 100000] [--keys 10000] [--targets 5]

Four key columns have so many combinations; a target has five levels. Each line is a process of its own, which reads files that were made
before, so that its peak memory is its own:

- without copies: the tables and their measures, from the key columns and one target (`copy_columns=0`);
- audit: the same, and records that are copies, over all columns;
- report: `audit`, its text, its JSON, and its page;
- sweep: the same tables, so many target columns, the whole key and each key column alone.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

LEVELS = 5  # of a target
KEYS = ["region", "age", "job", "sex"]
WORKS = ("without copies", "audit", "report", "sweep")


def make(folder, releases, records, keys, targets):
    """The files: keys as frequent as in a survey, targets that depend on them, releases that lose more of it from one to the next."""
    rng = np.random.default_rng(1)
    sizes = [2, 10, 20, -(-keys // 400)]
    weights = 1 / np.arange(1, keys + 1) ** 0.5
    likely = rng.dirichlet(np.full(LEVELS, 0.3), (targets, keys))
    for i in range(releases + 1):
        key = rng.choice(keys, records, p=weights / weights.sum())
        columns = dict(zip(KEYS, np.unravel_index(key, sizes), strict=True))
        for t in range(targets):
            level = (rng.random(records)[:, None] > likely[t, key].cumsum(axis=1)).sum(axis=1).clip(max=LEVELS - 1)
            lost = rng.random(records) < i / (2 * releases)
            columns[f"target_{t}"] = np.where(lost, rng.permutation(level), level)
        frame = pd.DataFrame({name: pd.Series(codes, dtype="int32") for name, codes in columns.items()})
        frame["region"] = "region " + frame["region"].astype(str)
        name = "original" if i == 0 else f"release-{i:03}-of-a-synthesiser-with-a-long-name"
        frame.to_parquet(folder / f"{name}.parquet")


def work(what, folder, targets):
    """One of the works, on the files of a folder."""
    from capstats import audit
    from capstats.screening import sweep

    original, releases = folder / "original.parquet", {path.name: path for path in sorted(folder.glob("release-*.parquet"))}
    if what == "sweep":
        columns = [f"target_{t}" for t in range(targets)]
        measures = ["average_cap", "original_certain", "share_certain"]
        sweep(original, releases, keys=KEYS, targets=columns, sizes=[1, len(KEYS)], measures=measures, progress=False)
        return
    first, *_ = releases
    most = {"copy_columns": 0} if what == "without copies" else {}
    found = audit(original, releases, keys=KEYS, target="target_0", against=first, rank_by="-average_cap_zero", progress=False, **most)
    if what == "report":
        texts = [repr(found), found.to_json(), found.to_html()]
        print(" ".join(f"{len(text):,}" for text in texts), "characters", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser()
    for name, default in (("releases", 100), ("records", 100_000), ("keys", 10_000), ("targets", 5)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--work", choices=WORKS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.work:
        start = time.perf_counter()
        work(given.work, given.folder, given.targets)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
        print(f"| {given.work} | {time.perf_counter() - start:.1f} | {peak:.0f} |", flush=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        make(Path(folder), given.releases, given.records, given.keys, given.targets)
        print(f"{given.releases} releases of {given.records:,} records, {given.keys:,} keys, {given.targets} targets\n")
        print("| work | s | peak MB |\n|---|---|---|", flush=True)
        for what in WORKS:
            options = ["--work", what, "--folder", folder, "--targets", str(given.targets)]
            subprocess.run([sys.executable, __file__, *options], check=True)


if __name__ == "__main__":
    main()
