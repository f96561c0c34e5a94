"""What the room of laws costs, in one run: bounds, moments, kept keys, the law in the limit and over finitely many records, tests.

Run: python benchmarks/laws.py [bounds moments kept finite tests]

Each part is a script of its own, laws_<part>.py, which says what it measures and against what.
"""

import argparse

from laws_bounds import bench_bounds
from laws_finite import bench_finite
from laws_kept import bench_kept
from laws_moments import bench_moments
from laws_tests import bench_tests

PARTS = {
    "bounds": bench_bounds,
    "moments": bench_moments,
    "kept": bench_kept,
    "finite": bench_finite,
    "tests": bench_tests,
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", help=f"parts to run, of {', '.join(PARTS)}; default: all")
    for part in parser.parse_args().parts or PARTS:
        print(f"\n--- {part}", flush=True)
        PARTS[part]()


if __name__ == "__main__":
    main()
