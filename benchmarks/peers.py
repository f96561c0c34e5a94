"""capstats against SDMetrics on the same Parquet files: seconds, ratios and peak memory, for 10^4 to 10^8 records.

Run: python benchmarks/peers.py [--records 10000 ...] [--seconds 120] [--venv FOLDER]

SDMetrics runs in a virtual environment and processes of its own (it needs pandas < 3), made on the first run. Each side
computes in one process; the clock stands around the computation with its frames already in memory, or around the counting of the files,
which is under a memory limit of 1 GB. "x capstats" is a peer's time over that of capstats on the same pandas frames. A size that a
peer would need more than --seconds for, going by the last one, is left out.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

KEYS, TARGET = ["k0", "k1", "k2"], "t"

FILES = ("capstats, Parquet", "capstats, CSV")
LIMIT = "limit: the codes read once"
OURS = """
from capstats import average_cap, tabulate
def work():
    tables = tabulate({given}, keys=KEYS, target=TARGET)
    return float(average_cap(tables.o, tables.s, unmatched="drop"))
"""
WORK = {
    "capstats, pandas": OURS.format(given="o, s"),
    "capstats, Polars": "import polars as pl\no, s = pl.from_pandas(o), pl.from_pandas(s)\n" + OURS.format(given="o, s"),
    "capstats, Parquet": OURS.format(given='O + "/*.parquet", S + "/*.parquet", memory_limit="1GB"'),
    "capstats, CSV": OURS.format(given='O + "/*.csv", S + "/*.csv", memory_limit="1GB"'),
    "SDMetrics CategoricalCAP": """
from sdmetrics.single_table import CategoricalCAP
def work():
    return 1 - CategoricalCAP.compute(o, s, key_fields=KEYS, sensitive_fields=[TARGET])
""",
    "SDMetrics DisclosureProtection": """
from sdmetrics.single_table import DisclosureProtection
def work():
    return 1 - DisclosureProtection.compute_breakdown(o, s, KEYS, [TARGET])["cap_protection"]
""",
    "SDMetrics DisclosureProtectionEstimate": """
from sdmetrics.single_table import DisclosureProtectionEstimate
def work():
    return 1 - DisclosureProtectionEstimate.compute_breakdown(o, s, KEYS, [TARGET], verbose=False)["cap_protection"]
""",
}
HEAD = """
import json, resource, sys, time, warnings
warnings.simplefilter("ignore")
from pathlib import Path
import pandas as pd
O, S, TARGET, files = sys.argv[1], sys.argv[2], sys.argv[4], sys.argv[5] == "files"
KEYS = sys.argv[3].split(",")
o, s = (None, None) if files else [pd.concat(map(pd.read_parquet, sorted(Path(x).glob("*.parquet")))) for x in (O, S)]
"""
TAIL = """
start = time.perf_counter()
value = work()
first = time.perf_counter() - start
times = [first]
while len(times) < 5 and sum(times) < 2:
    start = time.perf_counter()
    work()
    times.append(time.perf_counter() - start)
status = Path("/proc/self/status")  # elsewhere the parent's peak may be counted, too
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
if status.exists():
    peak = next(int(line.split()[1]) / 1024 for line in status.read_text().splitlines() if line.startswith("VmHWM"))
print(json.dumps({"value": value, "seconds": sorted(times)[len(times) // 2], "peak": peak}))
"""


def peer_python(folder):
    """The interpreter of SDMetrics' own environment, made where it is missing."""
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "sdmetrics==0.32.0", "pyarrow"], check=True)
    return python


def write(n, folder):
    """Two tables of n records, 3 key columns and a target of 10 levels each, text as SDMetrics wants it; in parts of 10^7."""
    paths = []
    for side, seed in (("o", 1), ("s", 2)):
        part = folder / f"{side}-{n}"
        part.mkdir()
        rng = np.random.default_rng(seed)
        for start in range(0, n, 10**7):
            size = min(10**7, n - start)
            codes = {c: rng.integers(0, 10, size) for c in [*KEYS, TARGET]}
            frame = pd.DataFrame({c: pd.Categorical.from_codes(v, [f"{c}-{i}" for i in range(10)]) for c, v in codes.items()})
            if n <= 10**7:
                frame = frame.astype(object)
            frame.to_parquet(part / f"{start:09d}.parquet", index=False)
        paths.append(part)
        duckdb.sql(f"COPY (FROM '{part}/*.parquet') TO '{part}/all.csv'")
    return paths


def run(python, name, paths, n, work=WORK):
    files = "files" if name in FILES else "frames"
    script = HEAD + work[name] + TAIL
    done = subprocess.run(
        [python, "-c", script, *map(str, paths), ",".join(KEYS), TARGET, files], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{name}, {n} records: {done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def limit(n):
    """Seconds to read two tables' codes, one byte each, once: no count can be faster."""
    codes = np.zeros(2 * n * (len(KEYS) + 1) // 8 + 1, np.uint64)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        np.bitwise_xor.reduce(codes)
        times.append(time.perf_counter() - start)
    return sorted(times)[2]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, nargs="+", default=[10**4, 10**5, 10**6, 10**7, 10**8])
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--venv", type=Path, default=Path(__file__).parent / ".venv-sdmetrics")
    parser.add_argument("--only", default="", help="who is measured: names that start so, such as capstats")
    parser.add_argument("--out", type=Path, help="JSON file for plot.py")
    given = parser.parse_args()
    python = peer_python(given.venv)
    rows = []
    last = {}
    print("| records | | CAP | seconds | x capstats | peak MB |\n|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for n in given.records:
            paths = write(n, Path(folder))
            ours = None
            rows.append({"records": n, "name": LIMIT, "seconds": limit(n)})
            for name in (name for name in WORK if name.startswith(given.only)):
                if name in last and last[name][1] * (1 if "Estimate" in name else n / last[name][0]) > given.seconds:
                    continue  # the estimate's subsamples have one size
                if n > 10**6 and "Estimate" in name:
                    continue  # its frames alone would need many GB
                if n > 10**7 and name.startswith("capstats") and name not in FILES:
                    continue  # the records need not be in memory
                found = run(sys.executable if name.startswith("capstats") else python, name, paths, n)
                last[name] = (n, found["seconds"])
                ours = found["seconds"] if ours is None else ours
                rows.append({"records": n, "name": name, **found})
                times = found["seconds"] / ours
                print(
                    f"| {n:.0e} | {name} | {found['value']:.6f} | {found['seconds']:.4f} | {times:.1f} | {found['peak']:.0f} |", flush=True
                )
            for path in paths:
                for file in path.iterdir():
                    file.unlink()
                path.rmdir()
    if given.out:
        given.out.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
