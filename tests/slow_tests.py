"""Which tests are slow, as their times were measured: slow_tests.csv says how many cases of a test are quick, and none if it has one case.

``python tests/slow_tests.py times.xml`` adds tests that ``python -m pytest --junitxml times.xml`` found slow: as many of their cases are
quick as take ``TOGETHER`` seconds. Listed ones keep their numbers, which may be changed by hand: tests of errors are quick as a whole.
"""

import csv
import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

TOGETHER = 0.15
LISTED = Path(__file__).with_suffix(".csv")
with LISTED.open(encoding="utf-8", newline="") as file:
    QUICK = {row["test"]: int(row["quick"]) for row in csv.DictReader(file)}


def with_slow(quick: dict[str, int], times: dict[str, list[float]]) -> dict[str, int]:
    """The numbers, and those of other tests which took these times, a time for each of their cases."""
    slow = {test: int(len(of) * TOGETHER / sum(of)) for test, of in times.items() if sum(of) > TOGETHER}
    return dict(sorted((slow | quick).items()))


def times_in(path: str) -> dict[str, list[float]]:
    """The times of the cases of each test, in seconds."""
    found = defaultdict(list)
    for case in ElementTree.parse(path).iter("testcase"):
        found[f"{case.get('classname').replace('.', '/')}.py::{case.get('name').partition('[')[0]}"].append(float(case.get("time")))
    return found


if __name__ == "__main__":
    with LISTED.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("test", "quick"), *with_slow(QUICK, times_in(sys.argv[1])).items()])
