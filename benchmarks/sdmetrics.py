"""The drop-in against SDMetrics, the same calls on the same frames: how many times faster, and whether the numbers agree.

Run: python benchmarks/sdmetrics.py [--pairs 3] [--venv FOLDER]

Three key columns and a target of 10 levels each. The two sides run in turn, each in a process of its own with its frames in memory,
SDMetrics in its own environment (see peers.py); each ratio is a median of such pairs. The estimate is compared with the exact answer.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

from peers import peer_python, run, write

CALL = """
from {package} import {metric}
def work():
    return {metric}.compute_breakdown(o, s, KEYS, [TARGET], computation_method="{method}"{more})["cap_protection"]
"""
OURS, THEIRS = "capstats.sdmetrics", "sdmetrics.single_table"
# records, method, the metric of SDMetrics, what else it is told, and the least ratio wanted
ROWS = [
    (10_000, "cap", "DisclosureProtection", "", 300),
    (10_000, "zero_cap", "DisclosureProtection", "", 300),
    (10_000, "generalized_cap", "DisclosureProtection", "", 300),
    (100_000, "cap", "DisclosureProtectionEstimate", ", verbose=False", 20),
    (100_000, "zero_cap", "DisclosureProtectionEstimate", ", verbose=False", 20),
    (100_000, "generalized_cap", "DisclosureProtectionEstimate", ", verbose=False", 20),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--methods", nargs="+", default=["cap", "zero_cap", "generalized_cap"])
    parser.add_argument("--venv", type=Path, default=Path(__file__).parent / ".venv-sdmetrics")
    given = parser.parse_args()
    python = peer_python(given.venv)
    print("| records | method | SDMetrics | its number | ours | its s | our ms | times faster | wanted |", flush=True)
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        paths = {n: write(n, Path(folder)) for n in sorted({row[0] for row in ROWS})}
        for n, method, metric, more, wanted in ROWS:
            if method not in given.methods:
                continue
            work = {
                "ours": CALL.format(package=OURS, metric="DisclosureProtection", method=method, more=""),
                "theirs": CALL.format(package=THEIRS, metric=metric, method=method, more=more),
            }
            pairs = [(run(sys.executable, "ours", paths[n], n, work), run(python, "theirs", paths[n], n, work)) for _ in range(given.pairs)]
            ratio = statistics.median(theirs["seconds"] / ours["seconds"] for ours, theirs in pairs)
            mine, its = (statistics.median(side["seconds"] for side in both) for both in zip(*pairs, strict=True))
            ours, theirs = pairs[0]
            print(
                f"| {n} | {method} | {metric} | {theirs['value']:.6f} | {ours['value']:.6f} | {its:.2f} | {mine * 1e3:.1f} | {ratio:.0f} | "
                f"{wanted} {'reached' if ratio >= wanted else 'MISSED'} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
