"""The commands on files of many records: seconds, processor time and peak memory of each, and of `audit` with copies against without.

Run: python benchmarks/many_records.py [--records 10000000] [--ending parquet] [--memory-limit 1GB] [--only audit records ...] [--pairs 3]

Two files of n records and 8 columns: five of text (of 5 to 12 levels), two of whole numbers, one of fractions. 10^8 records of Parquet take
1 GB of disk. Each line is a process of its own, so that its peak memory is its own; both audits run in turn, and their ratio is the median
of such pairs. `group by` is DuckDB's own, of the same columns of both files, within the same limit of memory. 10^9 records:
--records 500000000 --only group "count --copy" "audit of" --memory-limit 1GB --pairs 1
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

KEYS = "region,sex,age,job"
COPIES, NO_COPIES = "audit", "audit --copy-columns 0"
GROUP_BY = """
import sys, duckdb
files, columns, limit = sys.argv[1:3], sys.argv[3], sys.argv[4:]
with duckdb.connect(config={"memory_limit": limit[-1]} if limit else {}) as connection:
    for file in files:
        connection.execute(f"SELECT {columns}, count(*) FROM '{file}' GROUP BY {columns}").fetchall()
"""


def make(folder, records, ending):
    """The original and a release, drawn independently."""
    files = []
    with duckdb.connect(config={"memory_limit": "1GB", "preserve_insertion_order": "false"}) as connection:
        for seed in (1, 2):
            files.append(str(Path(folder) / f"{seed}.{ending}"))
            connection.execute(
                f"""COPY (
                    SELECT 'reg-' || (h % 10) AS region, 'sex-' || (h // 10 % 5) AS sex, (h // 64 % 90)::INTEGER AS age,
                        'job-' || (h // 8192 % 8) AS job, 'edu-' || (h // 65536 % 12) AS education, (h // 1048576 % 200)::BIGINT AS weeks,
                        (h // 268435456 % 100) / 2.0 AS hours, 'inc-' || (hash(h) % 6) AS income
                    FROM (SELECT hash(2 * range + {seed}) AS h FROM range({records}))
                ) TO '{files[-1]}' (FORMAT {ending})"""
            )
    return files


def commands(files, folder, limit):
    """What Python is given, by the names of the commands."""
    target, counts = ["--keys", KEYS, "--target", "income"], str(Path(folder) / "counts.parquet")
    ours = {
        NO_COPIES: ["audit", *files, *target, "--copy-columns", "0"],
        COPIES: ["audit", *files, *target],
        "count --copy-columns 0": ["count", *files, *target, "--out", counts, "--overwrite", "--copy-columns", "0"],
        "count": ["count", *files, *target, "--out", counts, "--overwrite"],
        "sweep": ["sweep", *files, "--keys", KEYS, "--targets", "income"],
        "describe": ["describe", *files],
        "records --top 5": ["records", *files, *target, "--top", "5"],
        "attack knowledge (refused)": ["attack", "knowledge", *files, "--columns", KEYS],
    }
    others = {"group by": ["-c", GROUP_BY, *files, f"{KEYS},income", *limit]}
    others |= {name: ["-m", "capstats.cli", *command, *limit] for name, command in ours.items()}
    return others | {"audit of these counts": ["-m", "capstats.cli", "audit", counts]}


def measured(name, command):
    """Seconds, processor seconds and peak megabytes (10^6 bytes) of a command; its line is printed."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _, status, used = os.wait4(process.pid, 0)
    seconds, cpu, peak = time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6
    told = "" if os.waitstatus_to_exitcode(status) == 0 else process.stderr.read().decode().strip().splitlines()[-1]
    process.stderr.close()
    print(f"| {name} | {seconds:.1f} | {cpu:.1f} | {peak:,.0f} | {told} |", flush=True)
    return seconds, cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--ending", choices=["parquet", "csv"], default="parquet")
    parser.add_argument("--memory-limit")
    parser.add_argument("--only", nargs="+", default=[""], help="beginnings of the names of commands")
    parser.add_argument("--pairs", type=int, default=3)
    given = parser.parse_args()
    limit = ["--memory-limit", given.memory_limit] if given.memory_limit else []
    with tempfile.TemporaryDirectory() as folder:
        all_commands = commands(make(folder, given.records, given.ending), folder, limit)
        print(f"{given.records:,} records a file, {given.ending}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
        print("| command | seconds | processor seconds | peak MB | |\n|---|---|---|---|---|", flush=True)
        chosen = {name: command for name, command in all_commands.items() if name.startswith(tuple(given.only))}
        times = {name: [] for name in chosen}
        for i in range(given.pairs):
            for name, command in chosen.items():
                if i == 0 or name in (COPIES, NO_COPIES):
                    times[name].append(measured(name, command))
    if COPIES in times and NO_COPIES in times:
        ratios = [[a / b for a, b in zip(one, other, strict=True)] for one, other in zip(times[COPIES], times[NO_COPIES], strict=True)]
        seconds, cpu = (statistics.median(x) for x in zip(*ratios, strict=True))
        print(f"\naudit with copies takes {seconds:.2f} times as long as without, and {cpu:.2f} times the processor time")


if __name__ == "__main__":
    main()
