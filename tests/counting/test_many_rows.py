"""Copies in tables of many records: what is compared out of memory has the numbers of what is compared in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from odd_values import COLUMNS
from strategies import seeds

import capstats
from capstats import disclosure, tabulate
from capstats.counting import compared, many_rows
from capstats.sources import relations

pytestmark = pytest.mark.slow

VALUES: dict[str, list[Any]] = {name: values for name, (_, values) in COLUMNS.items()} | {"n": [1, 2, 5]}
CODES: list[Any] = [None, [-99, "NA", "", "1900-01-01", "a"], {"text": [-99, "A"]}]
LEFT = ("near", "near_copied_records", "holdout_near_copied_records", "copied_by_level", "first_records", "levels", "holdout_spelled")


def drawn(rng: np.random.Generator, columns: list[str], n: int) -> dict[str, list[Any]]:
    """Records of which several are alike, since columns have few of their values."""
    few = {c: [VALUES[c][i] for i in rng.integers(len(VALUES[c]), size=3)] for c in columns}
    table: dict[str, list[Any]] = {"k": rng.integers(0, 2, n).tolist(), "t": ["u"] * n, "id": rng.permutation(3 * n)[:n].tolist()}
    return table | {c: [(VALUES[c] if rng.random() < 0.1 else few[c])[i] for i in rng.integers(3, size=n)] for c in columns}


def parquet(table: dict[str, list[Any]], path: Path) -> Any:
    types = {c: COLUMNS[c][0] for c in table if c in COLUMNS}
    pl.DataFrame(table, schema_overrides=types, strict=False).write_parquet(path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def csv(table: dict[str, list[Any]], path: Path) -> Any:
    frame = pd.DataFrame({c: pd.Series(["" if x is None else str(x) for x in values]) for c, values in table.items()})
    frame.to_csv(path.with_suffix(".csv"), index=False)
    return path.with_suffix(".csv")


def in_memory(table: dict[str, list[Any]], path: Path) -> Any:
    return table


def copies(original: Any, synthetic: Any, holdout: Any = None, **given: Any) -> dict[str, Any]:
    how = {"keys": "k", "target": "t", "types": {"k": "number"}, "allow_unused_codes": True, **given}
    found: dict[str, Any] = tabulate(original, synthetic, holdout=holdout, copy_columns=50, **how).encoding["copies"]
    return found


def without(found: dict[str, Any]) -> dict[str, Any]:
    releases = [{name: x for name, x in release.items() if name not in LEFT} for release in found.get("releases", ())]
    return {name: x for name, x in found.items() if name not in LEFT} | {"releases": releases}


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
@pytest.mark.parametrize("seed", seeds(200))
def test_the_numbers_are_those_of_tables_in_memory(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But for levels in two spellings, which are taken for one in memory alone."""
    monkeypatch.setattr(compared, "lookalike_pairs", lambda *_: [])
    monkeypatch.setattr(compared, "in_another_precision", lambda *_: [])
    monkeypatch.setattr(compared, "codes_for_missing", lambda *_: [])
    rng = np.random.default_rng(seed)
    columns = [c for c in VALUES if rng.random() < 0.4 and c != "n"]
    size = int(rng.integers(5, 60))
    doors: list[Callable[..., Any]] = [[parquet, csv, in_memory][i] for i in rng.integers(3, size=3)]
    doors[rng.integers(2)] = parquet if rng.random() < 0.5 else csv
    counts = {"counts": "n"} if rng.random() < 0.3 else {}
    tables = [drawn(rng, columns + (["n"] if counts else []), size) for _ in range(3)]
    mixed = rng.random() < 0.7
    tables[1] = {c: [*x, *tables[0][c][: size // 2], *tables[2][c][: size // 4]] for c, x in tables[1].items()} if mixed else tables[1]
    held = [door(table, tmp_path / name) for door, table, name in zip(doors, tables, "osh", strict=True)]
    release = [held[1], held[0]] if rng.random() < 0.3 else held[1]
    given = counts | {"keys": ["k", "text"] if "text" in columns else "k"}
    given["null_values"] = CODES[rng.integers(2 + ("text" in columns))]
    given["decimal"] = "," if rng.random() < 0.3 and csv in doors[:2] else "."
    holdout = held[2] if rng.random() < 0.6 else None
    expected = copies(held[0], release, holdout, **given)
    monkeypatch.setattr(many_rows, "MOST_VALUES", 0)
    monkeypatch.setattr(many_rows, "PART", int(rng.integers(30, 200)))
    monkeypatch.setattr(many_rows, "PARTS", [1, 2, 16][rng.integers(3)])  # of which some are held at once
    found = copies(held[0], release, holdout, **given)
    assert found.get("first_records") == (None if "not_computed" in expected else 100_000)
    assert without(found) == without(expected)


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
@pytest.mark.parametrize("in_file", [True, False])
@pytest.mark.parametrize(
    ("declared", "levels", "copied"), [("bool", ["true", "false"], 60), ("text", ["yes ", "no"], 30), (None, ["yes ", "no"], 60)]
)
def test_copies_are_those_of_the_declared_type(
    declared: Any, levels: list[str], copied: int, in_file: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [{"k": [i % 4 for i in range(60)], "t": [i % 7 for i in range(60)], "x": of * 30} for of in (["yes", "no"], levels)]
    monkeypatch.setattr(many_rows, "MOST_VALUES", 0)
    release = csv(tables[1], tmp_path / "s") if in_file else tables[1]
    found = copies(csv(tables[0], tmp_path / "o"), release, types={"k": "number", "t": "number"} | ({"x": declared} if declared else {}))
    assert found["releases"][0]["copied_records"] == copied


def test_files_that_do_not_fit_in_memory_are_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def exhausted(*_: Any) -> Any:
        raise MemoryError

    monkeypatch.setattr(many_rows, "MOST_VALUES", 0)
    monkeypatch.setattr(many_rows, "matcher", exhausted)
    table = drawn(np.random.default_rng(0), [], 9)
    why = copies(csv(table, tmp_path / "o"), csv(table, tmp_path / "s"))["not_computed"]
    assert why.startswith("the records of all tables do not fit in memory")
    assert "memory_limit= (--memory-limit)" in why


# --- engines: their records stay where they are -----------------------------------------------------------------------------


def people(n: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame({"k": rng.integers(0, 3, n), "t": rng.choice(["u", "v"], n), "x": rng.integers(0, 10**6, n) + 0.5})


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_relations_of_one_connection_are_compared_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """No more records than the first of each table cross; those that are copied are counted all the same."""
    original, release = people(3000, 1), pl.concat([people(2000, 2), people(3000, 1)[:500]])
    expected = copies(original, release)["releases"][0]
    crossed, fetched = [], relations._fetched
    monkeypatch.setattr(relations, "_fetched", lambda *a, **k: crossed.append(found := fetched(*a, **k)) or found)
    monkeypatch.setattr(many_rows, "SAMPLE", 100)
    with duckdb.connect() as one, duckdb.connect() as other:
        found = copies(one.from_arrow(original.to_arrow()), one.from_arrow(release.to_arrow()))["releases"][0]
        assert max(table.num_rows for table in crossed) <= 100
        assert {name: found[name] for name in found} == {name: expected[name] for name in found}
        assert found["copied_records"] == 500
        apart = copies(one.from_arrow(original.to_arrow()), other.from_arrow(release.to_arrow()))
    assert max(table.num_rows for table in crossed) <= 100
    assert apart["not_computed"].startswith("the records of `original`, more than 100, do not leave their engine.")


def test_other_engines_keep_their_records_and_small_tables_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    original, release = people(3000, 1), people(3000, 2)
    crossed, collect = [], pl.LazyFrame.collect
    monkeypatch.setattr(pl.LazyFrame, "collect", lambda *a, **k: crossed.append(found := collect(*a, **k)) or found)
    monkeypatch.setattr(many_rows, "SAMPLE", 100)
    for one, other in ((original, release.lazy()), (original.lazy(), release)):
        found = copies(one, other)
        assert "write Parquet files" in found["not_computed"]
    assert max(map(len, crossed)) <= 100
    assert copies(original, release[:100].lazy())["releases"][0]["records"] == 100


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_the_same_records_are_recognised_where_they_are(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(many_rows, "MOST_VALUES", 0)
    monkeypatch.setattr(many_rows, "SAMPLE", 100)
    people(3000, 1).write_parquet(tmp_path / "o.parquet")
    people(3000, 1)[::-1].write_csv(tmp_path / "s.csv")
    with pytest.raises(ValueError, match="hold the same records"):
        capstats.audit(tmp_path / "o.parquet", tmp_path / "s.csv", keys="k", target="t", types={"k": "number"})
    assert (
        capstats.audit(people(3000, 1).lazy(), people(3000, 1)[::-1], keys="k", target="t").provenance["copies"].startswith("not computed")
    )


def test_a_column_whose_first_records_differ_is_compared_unless_all_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Household numbers may occur again far below; and tables in other orders have values in common, if not at their beginning."""
    monkeypatch.setattr(many_rows, "MOST_VALUES", 0)
    monkeypatch.setattr(many_rows, "SAMPLE", 50)
    table = people(300, 1).with_columns(home=pl.Series(np.arange(300) % 150), number=pl.Series(np.arange(300)))
    table.write_parquet(tmp_path / "o.parquet")
    table[::-1].write_parquet(tmp_path / "s.parquet")
    found = copies(tmp_path / "o.parquet", tmp_path / "s.parquet")
    assert (found["columns"], list(found["left_out"])) == (["k", "t", "x", "home"], ["number"])
    assert (found["releases"][0]["apart"], found["releases"][0]["copied_people"]) == ({}, 300)


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_where_all_columns_identify_nothing_is_compared(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(many_rows, "MOST_VALUES", 0)
    for name, first in (("o", 0), ("s", 100)):
        numbers = np.arange(first, first + 300)
        pl.DataFrame({"k": numbers, "t": [f"id {i}" for i in numbers]}).write_parquet(tmp_path / f"{name}.parquet")
    found = copies(tmp_path / "o.parquet", tmp_path / "s.parquet")
    assert found["not_computed"] == "in all columns each record of the original has a value of its own"


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_a_report_says_what_was_not_looked_at(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(many_rows, "MOST_VALUES", 0)
    for name, seed in (("o", 1), ("s", 2)):
        people(300, seed).write_parquet(tmp_path / f"{name}.parquet")
    report = " ".join(str(capstats.audit(tmp_path / "o.parquet", tmp_path / "s.parquet", keys="k", target="t")).split())
    assert "spellings are compared only in the first 100,000 records of each table, and neither copies by level nor near" in report


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_copies_of_single_records_are_not_counted_in_files_of_many(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(many_rows, "MOST_VALUES", 0)
    people(30, 1).write_parquet(tmp_path / "o.parquet")
    with pytest.raises(ValueError, match=r"in files of at most 0 values.* copy_columns=0"):
        disclosure.record_risk(tmp_path / "o.parquet", people(30, 2).to_pandas(), keys="k", target="t", copy_columns=50)
