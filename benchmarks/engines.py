"""`tabulate` of Parquet files by DuckDB, Dask and Spark on one machine: seconds, and how they grow with the records.

Run: python benchmarks/engines.py [--records 1000000 10000000] [--engines DuckDB Dask Spark]

Two files of n records, as `many_records.py` makes them, four keys and a target. Each engine has started and counted a small file before its
clock runs; peaks of memory are not shown, since Dask and Spark count in processes of their own.
"""

import argparse
import os
import tempfile
import time
import warnings
from pathlib import Path

from many_records import KEYS, make

from capstats import LevelsWarning, tabulate


def engines():
    """Per engine the function that opens a file."""

    def of_dask():
        import dask.dataframe as dd

        return dd.read_parquet

    def of_spark():
        from pyspark.sql import SparkSession

        session = (
            SparkSession.builder.master("local[*]").config("spark.driver.memory", "4g").config("spark.ui.enabled", "false").getOrCreate()
        )
        session.sparkContext.setLogLevel("ERROR")
        return session.read.parquet

    return {"DuckDB": lambda: str, "Dask": of_dask, "Spark": of_spark}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--engines", nargs="+", default=list(engines()), choices=list(engines()))
    given = parser.parse_args()
    warnings.simplefilter("ignore", LevelsWarning)  # of few records in fine keys
    known = {"keys": KEYS.split(","), "target": "income"}
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n")
    print("| engine | records of both files | seconds | times the first engine |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        opened = {name: engines()[name]() for name in given.engines}
        files = {}
        for n in (10_000, *given.records):
            place = Path(folder) / str(n)
            place.mkdir()
            files[n] = make(place, n, "parquet")
        for n, pair in files.items():
            first = None  # engine's seconds
            for name, read in opened.items():
                start = time.perf_counter()
                tables = tabulate(*map(read, pair), **known, copy_columns=0)
                seconds = time.perf_counter() - start
                assert int(tables.o.sum()) == n
                first = first or seconds
                if n != 10_000:
                    print(f"| {name} | {2 * n:,} | {seconds:.1f} | {seconds / first:.1f} |", flush=True)


if __name__ == "__main__":
    main()
