"""Which tests are slow, as their times were measured: slow_tests.csv says how many cases of a test are quick, and none if it has one case.

``python tests/slow_tests.py times.xml`` lowers these numbers by the times that ``python -m pytest --junitxml times.xml`` has written:
of each test, as many cases are quick as take ``TOGETHER`` seconds. Tests that are not in that file keep their numbers.
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


def lowered(quick: dict[str, int], times: dict[str, list[float]]) -> dict[str, int]:
    """The numbers after tests took these times, a time for each of their cases."""
    slow = {test: int(len(of) * TOGETHER / sum(of)) for test, of in times.items() if sum(of) > TOGETHER}
    return dict(sorted((quick | {test: min(number, quick.get(test, number)) for test, number in slow.items()}).items()))


def times_in(path: str) -> dict[str, list[float]]:
    """The times of the cases of each test, in seconds."""
    found = defaultdict(list)
    for case in ElementTree.parse(path).iter("testcase"):
        found[f"{case.get('classname').replace('.', '/')}.py::{case.get('name').partition('[')[0]}"].append(float(case.get("time")))
    return found


if __name__ == "__main__":
    with LISTED.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("test", "quick"), *lowered(QUICK, times_in(sys.argv[1])).items()])
