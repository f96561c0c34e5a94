"""The log-log plot of docs/cost-and-scale.md from what peers.py wrote: python benchmarks/plot.py peers.json [...] docs/benchmark.png."""

import json
import sys
from pathlib import Path

import matplotlib.pyplot as plt

OPEN = {"markerfacecolor": "none", "markeredgewidth": 1.4}  # points that lie on one another stay visible

STYLES = {
    "capstats, pandas": {"color": "#0072B2", "marker": "o"},
    "capstats, Polars": {"color": "#56B4E9", "marker": "P", "markersize": 9, **OPEN},
    "capstats, Parquet": {
        "color": "#0072B2",
        "marker": "s",
        "markersize": 8,
        **OPEN,
        "linestyle": "--",
        "label": "capstats, Parquet (1 GB memory limit)",
    },
    "capstats, CSV": {"color": "#009E73", "marker": "X", "linestyle": "--", "label": "capstats, CSV (1 GB memory limit)"},
    "SDMetrics CategoricalCAP": {"color": "#D55E00", "marker": "^", "markersize": 9, **OPEN},
    "SDMetrics DisclosureProtection": {"color": "#E69F00", "marker": "v", "markersize": 9, **OPEN},
    "SDMetrics DisclosureProtectionEstimate": {
        "color": "#CC79A7",
        "marker": "D",
        "markersize": 4,
        "label": "SDMetrics DisclosureProtectionEstimate (a subsample)",
    },
    "limit: the codes read once": {"color": "0.3", "linestyle": ":", "label": "physical limit: the codes read once"},
}


def main():
    *files, picture = sys.argv[1:]
    rows = [row for file in files for row in json.loads(Path(file).read_text())]
    figure, ax = plt.subplots(figsize=(7, 5.5), layout="constrained")
    for name, style in STYLES.items():
        points = [(row["records"], row["seconds"]) for row in rows if row["name"] == name]
        if points:
            ax.loglog(*zip(*points, strict=True), **({"label": name, "markersize": 5} | style))
    ax.set_xlabel("records in each table")
    ax.set_ylabel("seconds: count and average CAP")
    ax.grid(which="major", color="0.9")
    figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=8)
    figure.savefig(picture, dpi=150)


if __name__ == "__main__":
    main()
