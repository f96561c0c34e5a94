"""Random cases of fresh seeds for as long as one asks, each kind in turn: `python tests/trials.py --hours 3`.

A case compares the library with an oracle that shares no code with it. One that fails is printed as a test to paste, and makes the exit
status 1; the others go on. `--kind` names those that are wanted; `--seed` gives the cases of an earlier run again. Pages need Chromium, and
SDMetrics is asked where it is installed: a kind that cannot run says so. pytest does not collect this file.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import math
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

ROOT = Path(__file__).parents[1]
PROPERTIES = [x for x in sorted((ROOT / "tests").rglob("test_*.py")) if "from hypothesis import" in x.read_text(encoding="utf-8")]
SOME = [None, "", "a", "A", "a ", "é", "Zürich", "1", "01"]  # texts, of which files and engines have each its own idea


@cache
def of_file(path: str) -> Any:
    """A file of tests or benchmarks as a module."""
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


# --- the kinds: each takes a seed and an empty folder, raises where a case is wrong, and returns the number of cases -----------


def properties(seed: int, _: Path) -> int:
    """The theorems of a file of tests on new examples; a false one is printed by Hypothesis with its example."""
    file = PROPERTIES[seed % len(PROPERTIES)]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-m", "hypothesis and not chromium and not site"]
    asked = [f"--hypothesis-seed={seed}", "--hypothesis-show-statistics", str(file)]
    environment = {**os.environ, "HYPOTHESIS_PROFILE": "fresh"}
    found = subprocess.run([*command, *asked], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if found.returncode not in (0, 5):  # 5: it has no such test that runs here
        shown = re.sub(r"^E ?", "", found.stdout, flags=re.MULTILINE)
        examples = re.findall(r"^( *)(?:Falsifying example|Failing test case): (\w+)\(\n((?:.*\n)+?)\1\)$", shown, re.MULTILINE)
        texts = [(name, " ".join(re.sub(r"(^|  )# .*", "", x, flags=re.MULTILINE).split())) for _, name, x in examples]
        pasted = "\n".join(f"# {file.relative_to(ROOT)}, {name}\n@example({x})" for name, x in texts)
        raise AssertionError(pasted or found.stdout[-4000:])
    return sum(map(int, re.findall(r"(\d+) passing,", found.stdout)))


def backings(seed: int, _: Path) -> int:
    """A measure of random tables, dense and sparse."""
    tests = of_file("tests/tables/test_backings.py")
    case = list(tests.CASES)[seed % len(tests.CASES)]
    tests.compare(case, str(seed))
    return 1


def engines(seed: int, folder: Path) -> int:
    """Records in pandas, polars, DuckDB, CSV and Parquet are counted as Python counts them; copies of many rows as those of few."""
    import duckdb

    import capstats

    rng = np.random.default_rng(seed)
    kinds: dict[str, list[Any]] = {"text": SOME, "whole": [None, 0, 1, -99, 2**53 + 1], "truth": [True, False, None]}
    chosen = {c: [*kinds][rng.integers(3)] for c in ("k", "u", "t")}
    n = int(rng.integers(1, 80))
    records = {c: [kinds[kind][i] for i in rng.integers(len(kinds[kind]), size=n)] for c, kind in chosen.items()}
    types = {"text": pl.String, "whole": pl.Int64, "truth": pl.Boolean}
    frame = pl.DataFrame(records, schema={c: types[kind] for c, kind in chosen.items()})
    frame.write_parquet(folder / "r.parquet")
    frame.write_csv(folder / "r.csv", quote_style="non_numeric")  # so that "" is a text, and nothing is missing
    read = {c: {"text": "text", "whole": "number", "truth": "bool"}[kind] for c, kind in chosen.items()}
    doors: dict[str, Any] = {
        "mapping": records,
        "pandas": frame.to_pandas(use_pyarrow_extension_array=True),
        "polars": frame,
        "lazy": frame.lazy(),
        "DuckDB": duckdb.connect().from_arrow(frame.to_arrow()),
        "Parquet": folder / "r.parquet",
        "CSV": folder / "r.csv",
    }
    expected = Counter(zip(*(map(repr, records[c]) for c in chosen), strict=True))
    for name, door in doors.items():
        options: dict[str, Any] = {"types": read} if name == "CSV" else {}
        tables = capstats.tabulate(door, keys=["k", "u"], target="t", allow_unused_codes=True, **options)
        counts = capstats.to_frame(tables)
        held = counts[counts["o"] > 0]
        labels = zip(*([repr(None if pd.isna(x) else x) for x in held[c].tolist()] for c in chosen), strict=True)
        found = dict(zip(labels, held["o"].tolist(), strict=True))
        assert found == expected, (name, found, dict(expected))
    with pytest.MonkeyPatch.context() as patch:
        of_file("tests/counting/test_many_rows.py").test_the_numbers_are_those_of_tables_in_memory(seed, folder, patch)
    return len(doors) + 1


def drop_in(seed: int, _: Path) -> int:
    """The metrics for users of SDMetrics: a walk through the records, and SDMetrics itself where it is installed."""
    from capstats.sdmetrics import DisclosureProtection

    tests, rng = of_file("tests/sdmetrics/test_protection.py"), np.random.default_rng(seed)
    pool: list[Any] = list("abc") if seed % 2 else [0, 1, 1.0, True, "1", "a", (1, 2), 2.5, 2**60]
    real, synthetic = (
        pd.DataFrame({c: pd.Series([pool[i] for i in rng.integers(len(pool), size=n)], dtype=object) for c in "abcd"})
        for n in rng.integers(1, 30, 2)
    )
    try:
        from sdmetrics.single_table.privacy import DisclosureProtection as Theirs
    except ImportError:
        Theirs = None
    for method in tests.METHODS:
        asked = (real, synthetic, ["a", "b"], ["c", "d"])
        found = DisclosureProtection.compute_breakdown(*asked, computation_method=method)
        walked = tests.walked(*asked, method)
        assert found["cap_protection"] == pytest.approx(walked, abs=1e-12, nan_ok=True), (method, found, walked)
        if Theirs is not None and seed % 2:  # it sorts values, which those of several types cannot be
            theirs = Theirs.compute_breakdown(*asked, computation_method=method)
            for name, value in theirs.items():
                assert found[name] == pytest.approx(value, abs=1e-12, nan_ok=True), (method, name, found, theirs)
    return len(tests.METHODS)


def spellings(seed: int, folder: Path) -> int:
    """Two sources whose labels are spelled otherwise: the right number by a loop over records, or a warning that names the column."""
    sys.path.insert(0, str(ROOT / "benchmarks"))
    table, rng = of_file("benchmarks/spellings.py"), np.random.default_rng(seed)
    sys.path.remove(str(ROOT / "benchmarks"))
    kinds = [x for x in [*table.FILES, *table.TABLES] if x != "Spark"]
    spelling, role = str(rng.choice(list(table.SPELLINGS))), str(rng.choice(list(table.KEYS)))
    sources = tuple(map(str, rng.choice(kinds, 2)))
    found = list(table.cells(spelling, role, sources, folder))
    assert not [x for x in found if x[1] == "WRONG"], (spelling, role, sources, found)
    return len(found)


def ledgers(seed: int, _: Path) -> int:
    """Tables that were published: claims are true by integer programmes; with `exact=True` all are found that need no whole numbers."""
    tests = of_file("tests/disclosure/test_published.py")
    drawn = tests.case(seed)
    true, found = drawn.true_claims(), tests.published_bounds(**drawn.arguments)
    exact = tests.published_bounds(**drawn.arguments, exact=True) if found.open else found
    assert tests.claimed(found) <= tests.claimed(exact) <= set(true)
    assert drawn.true_claims(whole=False).keys() <= tests.claimed(exact)
    assert exact.certain == sum(true[key] for key in tests.claimed(exact))
    return 1


def reports(seed: int, _: Path) -> int:
    """Public reports: integer programmes over all originals that agree prove of no group of few people that it is small."""
    theirs, rng = of_file("benchmarks/public_report.py"), np.random.default_rng(seed)
    n, threshold, releases = int(rng.choice([100, 300, 1000])), int(rng.choice([2, 3, 5])), int(rng.integers(1, 5))
    shape = int(rng.integers(2, 4)), int(rng.integers(2, 7))
    o = rng.multinomial(n, rng.dirichlet(np.full(shape[0] * shape[1], 0.3))).reshape(shape)
    made = [rng.multinomial(60, rng.dirichlet(np.full(o.size, 0.5))).reshape(shape) for _ in range(releases)]
    page, asked = theirs.Page(o, made, threshold, theirs.now), 0
    for _ in range(6):
        group = rng.random(o.size) < rng.choice([1 / o.size, 0.3])
        if 0 < o.ravel()[group].sum() < threshold:
            least, most = theirs.solve(group * 1.0, [page]), -theirs.solve(group * -1.0, [page])
            assert not (least > 0 and most < threshold), (o.tolist(), group.tolist(), least, most)
            asked += 1
    return asked


ROOM = ExitStack()  # of the one page that stays open


@cache
def _tab() -> Any:
    from playwright.sync_api import sync_playwright

    chromium, tests = of_file("tests/chromium.py"), of_file("tests/lessons/test_browser.py")
    playwright = ROOM.enter_context(sync_playwright())
    browser = playwright.chromium.launch(executable_path=chromium.PROGRAM, args=["--no-sandbox", *chromium.QUIET])
    ROOM.callback(browser.close)
    return ROOM.enter_context(chromium.opened(browser, Path(ROOM.enter_context(tempfile.TemporaryDirectory())), tests.browser_page()))


def pages(seed: int, folder: Path) -> int:
    """Two files on the page of `capstats browser`: the numbers of the library, or a refusal where it refuses."""
    tests = of_file("tests/lessons/test_browser.py")
    given = tests.pair(seed)
    ((found, said),) = tests.counted(_tab(), given)
    expected, error = tests.of_library(folder, *given)
    assert bool(said) == bool(error), (given, said, error)
    assert found.keys() == (set() if error else set(tests.NAMES))
    for name, value in found.items():
        assert math.isclose(value, expected[name], rel_tol=1e-12, abs_tol=1e-12) or math.isnan(value + expected[name]), (given, name)
    return 1


KINDS: dict[str, Callable[[int, Path], int]] = {
    x.__name__: x for x in (properties, backings, engines, drop_in, spellings, ledgers, reports, pages)
}


def main() -> None:
    """Run the kinds in turn; each gets the same share of the time."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=math.inf, help="how long; without it until Ctrl+C")
    parser.add_argument("--kind", choices=KINDS, nargs="+", default=list(KINDS))
    parser.add_argument(
        "--seed", type=int, default=time.time_ns() % 10**9, help="of the first case; the following cases have the next ones"
    )
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    start, spent, cases, wrong = time.perf_counter(), dict.fromkeys(given.kind, 0.0), Counter[str](), Counter[str]()
    try:
        for seed in itertools.count(given.seed):
            if time.perf_counter() - start > 3600 * given.hours or not spent:
                break
            kind = min(spent, key=lambda x: spent[x])
            began = time.perf_counter()
            try:
                with tempfile.TemporaryDirectory() as folder:
                    cases[kind] += KINDS[kind](seed, Path(folder))
            except (ImportError, pytest.skip.Exception) as missing:
                print(f"{kind} cannot run here: {missing}", flush=True)
                del spent[kind]
                continue
            except Exception:  # noqa: BLE001  whatever it is, it is a case that fails
                wrong[kind] += 1
                name = f"def test_{kind}_of_seed_{seed}(tmp_path):\n    {kind}({seed}, tmp_path)\n"
                print(f"\n{traceback.format_exc()}\nfrom trials import {kind}\n\n\n{name}", flush=True)
            spent[kind] += time.perf_counter() - began
    except KeyboardInterrupt:
        print()
    ROOM.close()
    print("| kind | cases | wrong | minutes |\n|---|---|---|---|")
    for x in spent:
        print(f"| {x} | {cases[x]:,} | {wrong[x]} | {spent[x] / 60:.0f} |")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))
    main()
