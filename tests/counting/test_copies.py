"""Records of releases that are identical to real ones: against loops over records, however the tables are held and spelled."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import capstats
from capstats import tabulate
from capstats.counting import records
from capstats.counting.compared import FOREIGN, IDENTIFIER, UNREADABLE
from capstats.disclosure import record_risk

Records = list[tuple[Any, ...]]
NAMES = ["age", "sex", "ill", "on"]
DAYS = [dt.date(2024, 1, 31), dt.date(2024, 2, 29)]


def people(n: int, seed: int) -> Records:
    """Records with duplicates, with missing values, and with numbers that are fractions or not."""
    rng = np.random.default_rng(seed)
    values: list[list[Any]] = [[None, -1.0, -2.0, 0.5, 7.0, 40.0], ["f", "m", None], [True, False], DAYS]
    return [tuple(x[rng.integers(len(x))] for x in values) for _ in range(n)]


def relation(records: Records, _: Path) -> Any:
    table = pl.DataFrame(records, NAMES, orient="row").to_arrow()
    return duckdb.from_arrow(table)


def csv(records: Records, path: Path) -> Path:
    """Whole numbers without a point, truth values as Python has them, missing values as empty fields."""
    file = path.with_suffix(".csv")
    rows = [["" if x is None else f"{x:g}" if isinstance(x, float) else str(x) for x in row] for row in records]
    file.write_text("\n".join(",".join(row) for row in [NAMES, *rows]) + "\n")
    return file


def parquet(records: Records, path: Path) -> Path:
    file = path.with_suffix(".parquet")
    pl.DataFrame(records, NAMES, orient="row").write_parquet(file)
    return file


DOORS: dict[str, Callable[[Records, Path], Any]] = {
    "pandas": lambda records, _: pd.DataFrame(records, columns=NAMES),
    "pandas objects": lambda records, _: pd.DataFrame(records, columns=NAMES, dtype=object),
    "pandas texts": lambda records, _: pd.DataFrame([[None if x is None else str(x) for x in row] for row in records], columns=NAMES),
    "pandas times": lambda records, _: pd.DataFrame(records, columns=NAMES).astype({"on": "datetime64[us]", "sex": "category"}),
    "polars": lambda records, _: pl.DataFrame(records, NAMES, orient="row"),
    "polars, lazy": lambda records, _: pl.LazyFrame(records, NAMES, orient="row"),
    "mapping": lambda records, _: dict(zip(NAMES, map(list, zip(*records, strict=True)), strict=True)),
    "DuckDB": relation,
    "CSV": csv,
    "Parquet": parquet,
}


def by_loop(original: Records, release: Records, prefix: str = "") -> dict[str, int]:
    """Record by record: how many are in the original, how many once, and how many others are but for one column."""
    times = Counter(original)
    without = [{record[:i] + record[i + 1 :] for record in original} for i in range(len(original[0]))]
    near = [x for x in release if not times[x] and any(x[:i] + x[i + 1 :] in left for i, left in enumerate(without))]
    return {
        f"{prefix}copied_records": sum(times[x] > 0 for x in release),
        f"{prefix}copied_unique_records": sum(times[x] == 1 for x in release),
        f"{prefix}near_copied_records": len(near),
    }


def copies(original: Any, synthetic: Any, columns: int = 50, **given: Any) -> dict[str, Any]:
    tables = tabulate(original, synthetic, **{"keys": "age", "target": "sex", "copy_columns": columns, **given})
    found: dict[str, Any] = tables.encoding["copies"]
    return found


def numbers(found: dict[str, Any], release: int = 0) -> dict[str, int]:
    return {name: x for name, x in found["releases"][release].items() if name.endswith("copied_records") or "unique_records" in name}


# --- the numbers ------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
@pytest.mark.parametrize("door", DOORS)
def test_the_numbers_are_those_of_a_loop_over_records_through_every_door(door: str, tmp_path: Path) -> None:
    """The release is two tables; the holdout is another one."""
    records = {"o": people(60, 1), "h": people(40, 2), "a": [*people(50, 3), *people(60, 1)[:9]], "b": people(7, 4)}
    o, h, a, b = (DOORS[door](table, tmp_path / name) for name, table in records.items())
    found = copies(o, {"a": a, "b": b}, holdout=h, target="ill", keys="sex")
    for i, name in enumerate("ab"):
        expected = by_loop(records["o"], records[name]) | by_loop(records["h"], records[name], "holdout_")
        assert numbers(found, i) == expected
        of_sex = Counter("missing" if sex is None else sex for age, sex, ill, on in records[name] if (age, sex, ill, on) in records["o"])
        assert found["releases"][i]["copied_by_level"] == {"sex": of_sex}
        assert found["releases"][i]["records"] == len(records[name])
    assert (found["columns"], found["left_out"], found["synthetic"]) == (NAMES, {}, ["a", "b"])


@pytest.mark.parametrize("door", [x for x in DOORS if x not in ("pandas objects", "pandas texts", "pandas times", "mapping")])
def test_copies_by_level_are_by_the_levels_of_the_tables(door: str, tmp_path: Path) -> None:
    """Cut, of a declared type, and without codes of missing values."""
    records = {"o": people(60, 1), "s": [*people(50, 3), *people(60, 1)[:9]]}
    o, s = (DOORS[door](table, tmp_path / name) for name, table in records.items())
    codes, types = {"age": [-2], "sex": "m"}, {"on": "date"} if door == "CSV" else {}
    read = {"bins": {"age": [0.0, 10.0]}, "null_values": codes, "types": types}
    found = copies(o, s, keys=["age", "sex", "on"], target="ill", **read)["releases"][0]["copied_by_level"]

    interval = {-1.0: "(-inf, 0]", 0.5: "(0, 10]", 7.0: "(0, 10]", 40.0: "(10, inf)"}
    original, release = ([(None if a == -2 else a, s if s == "f" else None, i, d) for a, s, i, d in records[name]] for name in "os")
    copied = [record for record in release if record in original]
    assert found["age"] == Counter(interval.get(record[0], "missing") for record in copied)
    assert found["sex"] == Counter(record[1] or "missing" for record in copied)
    assert found["on"] == Counter(str(record[3]) for record in copied)


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
@pytest.mark.parametrize("door", [x for x in DOORS if x not in ("pandas objects", "mapping")])
def test_tables_of_two_kinds_have_the_same_copies(door: str, tmp_path: Path) -> None:
    """A CSV file, whose values are texts, and whatever else: 7, 7.0 and "7" are alike, True and "True", a date and its text."""
    original, release = people(60, 1), people(50, 3)
    given = {"keys": "sex", "target": "ill", "types": {"ill": "bool"}}
    found = copies(csv(original, tmp_path / "o"), DOORS[door](release, tmp_path / "s"), **given)
    assert numbers(found) == by_loop(original, release)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        (1, 1.0, True),
        (1, "1", True),
        (1.5, " 1.50", True),
        ("1e3", 1000, True),
        (True, 1, True),
        (False, "false", True),
        ("007", 7, True),
        (dt.date(2024, 1, 31), "2024-01-31", True),
        (dt.date(2024, 1, 31), pd.Timestamp("2024-01-31"), True),
        (pd.Timestamp("2024-01-31 08:15"), "2024-01-31 08:15:00", True),
        (pd.Timestamp("2024-01-31 08:15", tz="Europe/Berlin"), "2024-01-31T07:15:00+00:00", True),
        (None, float("nan"), True),
        (2**70, str(2**70), True),
        ("1e400", "1e400", True),
        (-1, -2, False),  # whose hashes are equal in Python
        (-1.0, "-2", False),
        (0.5, 2**60, False),  # and these
        ("", 0, False),  # whose hash is 0 in Python
        (dt.date(2024, 1, 31), pd.Timestamp("2024-01-31 08:15"), False),
        (1e300, 10**300, False),
    ],
)
def test_values_are_alike_where_they_say_the_same(one: Any, other: Any, alike: bool) -> None:
    tables = [{"k": ["a", "a", "b"], "t": ["u"] * 3, "x": np.array([x, x, "z"], object)} for x in (one, other)]
    assert copies(*tables, keys="k", target="t")["releases"][0]["copied_records"] == (3 if alike else 1)


def test_texts_of_one_table_that_say_the_same_are_named() -> None:
    """007 and 7 may be two codes, unless they are called numbers; times that differ in a fraction of a second are two."""
    table = {"k": ["a", "b"] * 6, "t": ["u", "v", "w"] * 4, "x": ["007", "7", "1.000", "1"] * 3}
    release = {**table, "x": ["7", "007", "1", "1.000"] * 3}
    for found in (copies(table, release, keys="k", target="t"), copies(release, table, keys="k", target="t")):
        assert (found["releases"][0]["copied_records"], list(found["releases"][0]["spelled"])) == (12, ["x"])
    assert copies(table, release, keys="k", target="t", types={"x": "number"})["releases"][0]["spelled"] == {}
    times = [{**table, "x": [pd.Timestamp(f"2024-01-31 08:15:0{i % 4}.{fraction}") for i in range(12)]} for fraction in ("25", "5")]
    times[1]["x"][0] = times[0]["x"][0]
    assert copies(*times, keys="k", target="t")["releases"][0]["copied_records"] == 1


def test_a_decimal_comma_is_one_where_it_was_said(tmp_path: Path) -> None:
    (tmp_path / "o.csv").write_text("k;t;x\na;u;1,5\na;u;2,5\na;u;2,5\n")
    release = {"k": ["a", "a"], "t": ["u", "u"], "x": [1.5, 2.5]}
    found = copies(tmp_path / "o.csv", release, keys="k", target="t", decimal=",")["releases"][0]
    assert (found["copied_records"], found["spelled"]) == (2, {})
    remedy = r"types=\{'x': 'number'\} and decimal=\{'original': ','\} \(--type x=number --decimal original=,\); where it is no CSV file"
    with pytest.warns(capstats.LevelsWarning, match=remedy):
        found = copies(tmp_path / "o.csv", release, keys="k", target="t")["releases"][0]
    assert (found["copied_records"], list(found["spelled"])) == (2, ["x"])


def test_codes_of_missing_values_are_missing_and_nothing_else_of_the_reading_matters() -> None:
    """Whole records are compared: bins and types of columns, and dropped records, are of the tables of counts alone."""
    original = {"k": [1, 2, 2, 2], "t": ["u", "v", "v", "v"], "x": [-99, 5, -99, -99]}
    release = {"k": [1, 1, 2, 2], "t": ["u", None, "v", "v"], "x": [None, 5, -99, 5]}
    plain = copies(original, release, keys="k", target="t")["releases"][0]
    assert (plain["copied_records"], plain["copied_unique_records"]) == (2, 1)
    how: dict[str, Any] = {"null_values": {"x": -99}, "bins": {"k": [1.5]}, "types": {"t": ["u", "v"]}, "missing": "drop"}
    found = copies(original, release, keys=["k", "x"], target="t", **how)["releases"][0]
    assert (found["copied_records"], found["copied_unique_records"]) == (3, 2)


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_weights_are_not_compared_and_counts_are_numbers_of_records() -> None:
    """A row that stands for no record has no copies, near ones neither."""
    original = pd.DataFrame({"k": list("aabbcd"), "t": list("uuuvvx"), "w": [1, 2, 1, 0, 3, 0]})
    release = pd.DataFrame({"k": list("abbcd"), "t": list("uuvvy"), "w": [5, 1, 2, 4, 1]})
    weighted = copies(original, release, keys="k", target="t", weights="w")
    assert weighted["columns"] == ["k", "t"]
    assert numbers(weighted) == by_loop(*([*zip(x.k, x.t, strict=True)] for x in (original, release)))
    counted = copies(original, release, keys="k", target="t", counts="w")
    repeated = ([*zip(*(x[c].repeat(x.w) for c in "kt"), strict=True)] for x in (original, release))
    assert numbers(counted) == by_loop(*repeated)
    assert counted["releases"][0]["records"] == 13
    with_one = copies(original, release, keys="k", target="t", counts=("w", None))
    assert with_one["columns"] == ["k", "t"]  # a column of counts of one table is no value of the other


def test_fractional_counts_are_no_records() -> None:
    table = {"k": ["a", "b"], "t": ["u", "v"], "n": [0.5, 1]}
    found = copies(table, table, keys="k", target="t", counts="n")
    assert found == {"synthetic": None, "not_computed": "the counts of `original` are fractional"}


# --- the columns ------------------------------------------------------------------------------------------------------


def wide(columns: int, n: int = 30, seed: int = 0) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(seed).integers(0, 3, (n, columns)), columns=[f"c{i}" for i in range(columns)])


def test_many_columns_are_compared_where_they_are_asked_for_and_near_copies_up_to_20() -> None:
    original, release = wide(51), pd.concat([wide(51)[:4], wide(51, seed=1)])
    changed = release.copy()
    changed.iloc[0, 5] += 1
    asked = {"keys": "c0", "target": "c1"}
    assert copies(original, release, **asked)["not_computed"] == (
        "the tables have 51 columns in common, and 1 to 50 are compared (--copy-columns)"
    )
    found = copies(original, changed, 51, **asked)
    assert found["releases"][0]["copied_records"] == 3
    assert "near_copied_records" not in found["releases"][0]
    assert found["near"].startswith("not computed: it is for 2 to 20 columns")
    for columns, near in ((20, 1), (21, None)):
        found = copies(original.iloc[:, :columns], changed.iloc[:, :columns], **asked)["releases"][0]
        assert (found["copied_records"], found.get("near_copied_records")) == (3, near)


def test_only_columns_that_all_tables_have_once_are_compared() -> None:
    original, release = wide(5), wide(5, seed=1)
    holdout = wide(4, seed=2)
    assert copies(original, release.rename(columns={"c3": "z"}), keys="c0", target="c1")["columns"] == ["c0", "c1", "c2", "c4"]
    assert copies(original, [release, release[["c1", "c0"]]], keys="c0", target="c1")["columns"] == ["c0", "c1"]
    assert copies(original, release, holdout=holdout, keys="c0", target="c1")["columns"] == ["c0", "c1", "c2", "c3"]
    twice = release.set_axis(["c0", "c1", "c2", "c3", "c3"], axis=1)
    assert copies(original, twice, keys="c0", target="c1")["columns"] == ["c0", "c1", "c2"]


def test_a_column_that_a_release_may_have_is_named_where_it_is_not_compared() -> None:
    original = wide(5)

    def apart(*releases: Any) -> list[Any]:
        return [of["apart"] for of in copies(original, list(releases), keys="c0", target="c1")["releases"]]

    assert apart(original[9:].rename(columns={"c3": "C_3\u200b", "c4": "z"})) == [{"c3": "is not in it, but 'C_3\\u200b' is (rename it)"}]
    assert apart(original[9:].drop(columns="c4"), wide(2)[3:]) == [dict.fromkeys(("c2", "c3"), "is not in all tables"), {}]
    twice = original[9:].set_axis(["c0", "c1", "c2", "c3", "c3"], axis=1)
    assert apart(twice) == [{"c3": "occurs more than once in a table"}]


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_identifiers_are_left_out_and_named_but_no_fractions() -> None:
    """Row numbers of two tables agree by accident, and new ones would hide every copy."""
    original = wide(3).assign(row=range(30), code=[f"id {i}" for i in range(30)], income=np.arange(30) + 0.25)
    release = original.assign(row=range(100, 130), code=[f"id {i}" for i in range(7, 37)])
    found = copies(original, release, keys="c0", target="c1")
    assert found["columns"] == ["c0", "c1", "c2", "income"]
    assert found["left_out"] == {"row": IDENTIFIER, "code": IDENTIFIER}
    assert found["releases"][0]["copied_unique_records"] == 30
    twice = original.assign(row=[0, *range(29)])
    assert "row" in copies(twice, release, keys="c0", target="c1")["columns"]
    nothing = original[["row", "code"]]
    assert copies(nothing, nothing, keys="row", target="code")["not_computed"] == (
        "in all columns each record of the original has a value of its own"
    )


def test_columns_that_cannot_be_read_are_left_out_and_those_of_mixed_kinds_are_compared(tmp_path: Path) -> None:
    original = wide(3).assign(list=[[i] for i in range(30)], mixed=np.array([*range(15), *map(str, range(15))], object))
    release = original.assign(mixed=np.array([*map(float, range(15)), *range(15)], object))
    found = copies(original, release, keys="c0", target="c1")
    assert (found["columns"], found["left_out"]) == (["c0", "c1", "c2", "mixed"], {"list": UNREADABLE})
    assert found["releases"][0]["copied_records"] == 30
    for table, name in ((original, "o"), (release, "s")):
        pl.DataFrame(table.drop(columns="mixed").to_dict("list")).write_parquet(tmp_path / f"{name}.parquet")
    found = copies(tmp_path / "o.parquet", tmp_path / "s.parquet", keys="c0", target="c1")
    assert (found["columns"], found["left_out"]) == (["c0", "c1", "c2"], {"list": UNREADABLE})


@pytest.mark.parametrize("wrong", [-1, 1.5, True, "50"])
def test_a_number_of_columns_is_whole(wrong: Any) -> None:
    with pytest.raises(ValueError, match="`copy_columns` must be a whole number that is not negative; got"):
        copies(wide(3), wide(3), wrong, keys="c0", target="c1")


def test_copies_are_looked_for_where_somebody_asks_and_there_is_a_release() -> None:
    assert "copies" not in tabulate(wide(3), wide(3), keys="c0", target="c1").encoding
    assert "copies" not in tabulate(wide(3), keys="c0", target="c1", copy_columns=50).encoding


# --- what is kept of them ---------------------------------------------------------------------------------------------


def test_no_value_is_kept() -> None:
    """But for the names of columns, and the levels of keys, which the tables have; whatever is known is plain JSON."""
    columns = {"k": ["a", "b", "b"] * 9, "t": ["secret a"] * 27, "x": ["secret b", "secret c", "secret d"] * 9, "list": [["secret e"]] * 27}
    original = pd.DataFrame(columns)
    found = copies(original, original, keys="k", target="t", holdout=original[:20])
    assert "secret" not in json.dumps(found)
    assert found["releases"][0]["copied_by_level"] == {"k": {"a": 9, "b": 18}}
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_they_travel_with_files_of_counts(ending: str, tmp_path: Path) -> None:
    releases = {"a": wide(4, seed=1), pd.Timestamp("2024-01-31"): wide(4, seed=2)}
    tables = tabulate(wide(4), releases, keys="c0", target="c1", holdout=wide(4, seed=3), copy_columns=50)
    capstats.write_counts(tables, tmp_path / f"counts.{ending}")
    read = capstats.read_counts(tmp_path / f"counts.{ending}")
    assert read.encoding["copies"] == tables.encoding["copies"]
    other = tabulate(wide(4), releases, keys="c0", target="c1", holdout=wide(4))
    assert "copies" not in capstats.merge_counts(read, other, allow_same=True).encoding


# --- each record of the original --------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
@pytest.mark.parametrize("door", ["pandas", "polars", "mapping", "CSV", "Parquet"])
def test_each_record_has_the_number_of_its_copies(door: str, tmp_path: Path) -> None:
    original, release = people(60, 1), [*people(50, 3), *people(60, 1)[:9]]
    given = {"keys": "sex", "target": "ill", "copy_columns": 50}
    found = record_risk(DOORS[door](original, tmp_path / "o"), DOORS["Parquet"](release, tmp_path / "s"), types={"ill": "bool"}, **given)
    times = Counter(release)
    assert list(found["copies"]) == [times[x] for x in original]
    first = record_risk(DOORS["pandas"](original, tmp_path), DOORS["pandas"](release, tmp_path), sort_by="copies", missing="drop", **given)
    assert list(first["copies"]) == sorted((times[x] for x in original if x[1] is not None), reverse=True)


@pytest.mark.parametrize("notes", [[1, 2, 1], ["Red", "Blue", "Red"]], ids=["no level in common", "in another spelling"])
def test_records_name_a_column_that_does_not_meet_where_whole_records_are_compared(notes: list[Any]) -> None:
    original = {"k": ["a", "b", "b", "a"], "t": ["x", "x", "y", "y"], "note": ["red", "blue", "red", "blue"]}
    release = {"k": ["a", "b", "b"], "t": ["x", "x", "y"], "note": notes}
    with pytest.warns(capstats.LevelsWarning, match="Column 'note'"):
        found = record_risk(original, release, keys="k", target="t", copy_columns=3)
    assert list(found["copies"]) == [1, 1, 1, 0]


def test_records_have_no_copies_where_nobody_asks_and_a_reason_where_they_cannot_be_counted() -> None:
    assert "copies" not in record_risk(wide(3), wide(3, seed=1), keys="c0", target="c1")
    with pytest.raises(ValueError, match=r"Copies cannot be counted: the tables have 3 columns in common, and 1 to 2 are compared"):
        record_risk(wide(3), wide(3, seed=1), keys="c0", target="c1", copy_columns=2)
    with pytest.raises(ValueError, match=r"`sort_by` is 'copies', which are counted with `copy_columns`"):
        record_risk(wide(3), wide(3, seed=1), keys="c0", target="c1", sort_by="copies")


# --- by chance --------------------------------------------------------------------------------------------------------


def cells(numbers: Sequence[int] | np.ndarray) -> dict[str, Any]:
    """Records that are one value of x each, a fraction, so that it identifies nobody."""
    nothing = np.zeros(len(numbers), np.int64)
    return {"k": nothing, "t": nothing, "x": np.asarray(numbers) + 0.5}


def told(*tables: Any, **given: Any) -> dict[str, Any]:
    """What is known of copies in a release of cells, with a holdout where there is a third table."""
    original, release, *holdout = map(cells, tables)
    found = copies(original, release, keys="k", target="t", holdout=holdout[0] if holdout else None, **given)
    entry: dict[str, Any] = found["releases"][0]
    return entry | {name: x for name, x in found.items() if name.startswith("holdout")}


def test_people_and_released_records_are_counted() -> None:
    """Records 1 to 3 of the release are in the original, those of 4 people, and 3 and 4 in the holdout, those of 3."""
    entry = told([1, 2, 3, 3, 7, 7, 7, 7], [1, 1, 1, 2, 3, 4, 4, 5], [3, 4, 4, 6, 8, 8, 8, 8])
    assert [entry[f"{x}copied_records"] for x in ("", "holdout_")] == [5, 3]
    assert [entry[f"{x}copied_unique_records"] for x in ("", "holdout_")] == [4, 1]
    assert [entry[f"{x}_people"] for x in ("original", "copied", "holdout", "holdout_copied")] == [8, 4, 8, 3]


def test_a_release_that_matches_as_many_people_of_the_holdout_does_not_know_who_was_in_the_original() -> None:
    """Half of both is in it. The holdout judges all the same, and it is said that no fresh sample would match so many of it."""
    rng = np.random.default_rng(0)
    original, holdout, release = rng.integers(0, 10**9, (3, 400))
    entry = told(original, [*original[:200], *holdout[:200], *release], holdout)
    assert entry["by_holdout"]
    assert entry["holdout_alike"]
    assert (entry["copied_beyond_chance"], entry["copied_people"]) == (0, 200)
    assert not told(original, release, holdout)["holdout_alike"]


def test_a_holdout_with_people_of_the_original_does_not_judge() -> None:
    rng = np.random.default_rng(0)
    original, holdout = rng.integers(0, 10**6, (2, 400))
    assert "holdout_in_original" not in told(original, original, holdout)
    holdout[:100] = original[:100]
    entry = told(original, original, holdout)
    assert entry["holdout_in_original"] in (100, 101)
    assert not entry["by_holdout"]
    assert entry["copied_beyond_chance"] == 1


def test_cells_that_several_people_share_and_a_release_of_everybody_cannot_be_told_and_no_match_can() -> None:
    entry = told(range(300), range(500), range(300, 500))
    assert (entry["copied_beyond_chance"], entry["holdout_alike"]) == (None, True)
    few = [i % 4 for i in range(200)]
    assert told(few, few[::-1])["copied_beyond_chance"] is None
    assert told(few, few[::-1], few[:150])["copied_beyond_chance"] is None
    assert told(few, [5, *range(7)])["copied_beyond_chance"] is None
    entry = told(range(0, 400, 2), range(1, 401, 2))
    assert (entry["copied_beyond_chance"], entry["copied_people_upper"]) == (0, 0)


# --- columns in which equal values may not be found -----------------------------------------------------------------------


SPELLINGS: dict[str, tuple[Any, Any]] = {
    "capitals": (lambda x: [f"job {i}" for i in x], lambda x: [f"JOB {i}" for i in x]),
    "some capitals": (lambda x: [f"job {i}" for i in x], lambda x: [f"Job {i}" if i < 5 else f"job {i}" for i in x]),
    "spaces": (lambda x: [f"job {i}" for i in x], lambda x: [f"job  {i} " for i in x]),
    "decimal comma": (lambda x: x + 0.5, lambda x: [f"{i},5" for i in x]),
    "thousands": (lambda x: x * 1000 + 1000, lambda x: [f"{i + 1}.000" for i in x]),
    "the last digit": (lambda x: x / 10, lambda x: np.nextafter(x / 10, 9)),
    "single precision": (lambda x: x / 7 + 0.1, lambda x: np.float32(x / 7 + 0.1).astype(float)),
    "single precision in its shortest form": (lambda x: x / 3, lambda x: [str(np.float32(i / 3)) for i in x]),
    "two decimals": (lambda x: x / 3, lambda x: [f"{i / 3:.2f}" for i in x]),
    "ten decimals": (lambda x: x / 3, lambda x: [f"{i / 3:.10f}" for i in x]),
    "dates": (lambda x: [f"2024-01-{i % 28 + 1:02}" for i in x], lambda x: [f"{i % 28 + 1:02}.01.2024" for i in x]),
    "dates of digits alone": (lambda x: [f"2024-01-{i % 28 + 1:02}" for i in x], lambda x: [f"202401{i % 28 + 1:02}" for i in x]),
    "month first": (
        lambda x: [f"2024-{i % 12 + 1:02}-{i % 28 + 1:02}" for i in x],
        lambda x: [f"{i % 12 + 1}/{i % 28 + 1}/2024" for i in x],
    ),
    "midnight": (lambda x: [f"2024-01-{i % 28 + 1:02}" for i in x], lambda x: [f"2024-01-{i % 28 + 1:02} 00:00:00" for i in x]),
    "yes": (lambda x: np.where(x % 2, "yes", "no"), lambda x: x % 2 == 1),
    "NA": (lambda x: np.where(x % 2, "NA", "y"), lambda x: np.where(x % 2, None, "y")),
    "-9": (lambda x: np.where(x % 2, None, x), lambda x: np.where(x % 2, -9, x)),
    "the only text without a twin": (lambda x: np.array([*"abc", None])[x % 4], lambda x: np.array([*"abc", "refused"])[x % 4]),
    "None": (lambda x: np.where(x % 2, "-9", x.astype(str)), lambda x: np.where(x % 2, None, x)),
    "NFC": (lambda x: [f"caf\u00e9 {i}" for i in x], lambda x: [f"cafe\u0301 {i}" for i in x]),
}


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
@pytest.mark.parametrize(("one", "other"), SPELLINGS.values(), ids=list(SPELLINGS))
def test_copies_with_a_column_in_another_spelling_are_found_and_the_column_is_named(
    one: Any, other: Any, request: pytest.FixtureRequest
) -> None:
    """All of them, also by a holdout, and people of the original in a holdout that is spelled otherwise."""
    numbers = np.random.default_rng(0).integers(0, 40, 300)
    rest = {"k": np.arange(300) // 2, "t": ["u"] * 300}
    original, release = {**rest, "x": np.array(one(numbers))}, {**rest, "x": np.array(other(numbers))}
    entry = copies(original, release, keys="k", target="t")["releases"][0]
    assert (entry["copied_records"], entry["apart"]) == (300, {})
    assert list(entry["spelled"]) == ([] if "midnight" in request.node.name else ["x"])  # a day and its midnight say the same
    found = copies(original, original, keys="k", target="t", holdout=release)
    assert found["holdout_in_original"] == 300
    assert not found["releases"][0]["by_holdout"]


@pytest.mark.parametrize("written", [int, str, float, "{:04}".format], ids=["whole numbers", "texts", "floats", "with zeros"])
def test_numbers_that_identify_records_are_left_out_however_they_are_written(written: Any) -> None:
    table = {"k": np.arange(40) // 2, "t": np.arange(40) % 2, "id": [written(i) for i in range(40)]}
    found = copies(table, {**table, "id": [written(i + 40) for i in range(40)]}, keys="k", target="t")
    assert found["left_out"] == {"id": IDENTIFIER}
    fractions = {**table, "id": [i + 0.5 for i in range(40)]}
    assert copies(fractions, fractions, keys="k", target="t")["left_out"] == {}


@pytest.mark.parametrize("decimals", [1, 7, 8, 9, 15, None])
def test_records_with_fractions_are_copies_whatever_number_of_decimals_they_have(decimals: int | None) -> None:
    """Of a release of people of the original alone, and of one in which half of the people are others, with as many decimals."""
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 5, 160) if decimals is None else rng.uniform(1, 5, 160).round(decimals)
    original = pd.DataFrame({"k": rng.integers(0, 4, 160), "t": rng.integers(0, 3, 160), "x": x})
    for release in (original[:100], original[:100].assign(x=lambda table: table.x.where(table.x.index < 50, table.x.sample(100).values))):
        entry = copies(original, release, keys="k", target="t")["releases"][0]
        assert entry["apart"] == {}
        assert entry["columns"] == 3
        assert entry["copied_records"] >= (release.values == original[:100].values).all(axis=1).sum() >= 50


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_of_several_levels_that_look_like_one_the_first_is_taken_whatever_numbers_they_have() -> None:
    """The random numbers of levels are others in each column and in each run of Python."""
    ages, columns = [i // 2 for i in range(20)], [f"x{i}" for i in range(8)]
    original = {"k": [*ages, *ages], "t": ["u"] * 40, **dict.fromkeys(columns, ["South"] * 20 + ["south"] * 20)}
    release = {"k": ages, "t": ["u"] * 20, **dict.fromkeys(columns, ["SOUTH"] * 20)}
    assert copies(original, release, keys="k", target="t")["releases"][0]["copied_people"] == 20
    numbers = [0.1, 0.1 + 1e-12] * 20
    original |= {x: sorted(numbers) for x in columns}
    release |= {x: [float(np.float32(0.1))] * 20 for x in columns}
    assert copies(original, release, keys="k", target="t")["releases"][0]["copied_people"] == 20


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
@pytest.mark.parametrize(
    ("one", "other"),
    [(lambda x: [f"label {i}" for i in x], lambda x: list(map(str, x))), (lambda x: x + 1, lambda x: (x + 1) * 700)],
    ids=["labels", "another unit"],
)
def test_a_column_that_shares_nothing_is_left_out_and_named_and_without_it_nothing_is_acquitted(one: Any, other: Any) -> None:
    numbers = np.random.default_rng(0).integers(0, 40, 300)
    rest = {"k": np.arange(300) // 2, "t": ["u"] * 300}
    original, release = {**rest, "x": np.array(one(numbers))}, {**rest, "x": np.array(other(numbers))}
    found = copies(original, release, keys="k", target="t")["releases"][0]
    assert (found["copied_beyond_chance"], found["columns"], found["copied_records"]) == (None, 2, 300)
    assert list(found["apart"]) == ["x"]
    found = copies(original, original, keys="k", target="t", holdout={**rest, "x": np.array(other(numbers[::-1]))})
    assert list(found["holdout_apart"]) == ["x"]
    assert not found["releases"][0]["by_holdout"]
    assert found["releases"][0]["copied_beyond_chance"] == 1


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_numbers_that_hardly_recur_need_no_value_in_common_if_they_have_one_form() -> None:
    """Incomes to the cent of two samples; not in thousands, nor to the euro, nor as texts."""
    original, release = np.random.default_rng(0).lognormal(10, 1, (2, 200)).round(2)
    for x, expected in ((release, 0), (release / 1000, None), (release.round(), None), ([f"about {i}" for i in release], None)):
        found = copies(cells(original - 0.5), {**cells(release), "x": x}, keys="k", target="t")["releases"][0]
        assert (found["copied_beyond_chance"], found["copied_people"]) == (expected, 0 if expected == 0 else 200)  # without x
    assert not copies(cells(original), cells(original), keys="k", target="t", holdout=cells(release))["holdout_apart"]


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_where_most_records_have_texts_that_the_original_lacks_nothing_is_acquitted() -> None:
    """Unless texts hardly recur within the original; one text of the release is as in the original."""
    rest = {"k": np.arange(300) // 2, "t": ["u"] * 300}
    numbers = np.random.default_rng(0).integers(0, 4, 300)
    amounts = np.array(["500", "1200", "9000", "refused"], object)
    for changed, expected in ((["$500", "$1200", "$9000", "refused"], {"x": FOREIGN}), (["$500", "1200", "9000", "refused"], {})):
        release = {**rest, "x": np.array(changed, object)[numbers]}
        assert copies({**rest, "x": amounts[numbers]}, release, keys="k", target="t")["releases"][0]["apart"] == expected
    names = {**rest, "x": [f"a {i // 2}" if i < 4 else f"b {i}" for i in range(300)]}
    others = {**rest, "x": [*names["x"][:4], *(f"c {i}" for i in range(296))]}
    assert copies(names, others, keys="k", target="t")["releases"][0]["apart"] == {}


def test_a_level_that_is_missing_in_a_release_may_have_been_suppressed() -> None:
    people = {"k": np.arange(40) // 2, "t": ["u"] * 40, "x": [*"abca"] * 10}
    found = copies(people, {**people, "x": [*"ab", None, "a"] * 10}, keys="k", target="t")["releases"][0]
    assert (found["spelled"], found["apart"], found["copied_records"]) == ({}, {}, 30)


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_of_numbers_that_are_rounded_to_fewer_values_nobody_can_tell_which_are_alike() -> None:
    rest = {"k": np.arange(60) // 2, "t": ["u"] * 60}
    x = np.random.default_rng(0).integers(3, 16, 60) / 3
    for original, release, apart in ((x, x.round(), ["x"]), (x.round(), x, ["x"]), (x.round(1), x.round(2), []), (x, x[::-1], [])):
        found = copies({**rest, "x": original}, {**rest, "x": release}, keys="k", target="t")["releases"][0]
        assert list(found["apart"]) == apart
        assert (found["columns"], found["copied_records"] == 60) == ((2, True) if apart else (3, original is not x))


@pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
def test_incomes_that_are_rounded_to_the_cent_are_no_evidence_that_nobody_was_copied() -> None:
    """Of so many, two round to the same cent, and some are equal in 32 bits by chance."""
    income = np.random.default_rng(0).lognormal(7, 1, 3000)
    rest = {"k": np.arange(3000) // 2, "t": ["u"] * 3000}
    found = copies({**rest, "x": income}, {**rest, "x": income[::-1].round(2)}, keys="k", target="t")["releases"][0]
    assert (list(found["apart"]), found["columns"], found["copied_records"]) == (["x"], 2, 3000)


def test_categories_of_polars_that_other_tables_made_between_are_no_labels():
    """All tables share the numbers of their texts, so that a table may lack some between its own."""
    kept = [pl.Series([text], dtype=pl.Categorical) for text in ("first-of-three", "second-of-three", "third-of-three")]
    people = pl.DataFrame({"k": pl.Series(["first-of-three", "third-of-three"] * 2, dtype=pl.Categorical), "t": ["x", "y", "x", "y"]})
    release = pl.DataFrame({"k": pl.Series(["third-of-three"] * 3, dtype=pl.Categorical), "t": ["y", "y", "x"]}).lazy()
    assert kept
    assert capstats.audit(people, release, keys="k", target="t").measures.copied_records.item() == 2
    dropped = tabulate(people, release, keys="k", target="t", missing="drop")
    assert dropped.o.sum().item() == 4


@pytest.mark.parametrize("door", ["pandas", "pandas texts", "polars", "CSV", "Parquet"])
@pytest.mark.parametrize("options", [{}, {"bins": {"age": 2}}, {"null_values": {"sex": ["m"]}}], ids=repr)
def test_one_reading_gives_what_two_readings_give(door: str, options: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two readings are those of tables that are too long to be read once, and of engines."""
    tables = [DOORS[door](people(40, seed), tmp_path / f"t{seed}") for seed in range(4)]
    options = {**options, **({"types": {"age": "number"}} if door in ("CSV", "pandas texts") else {})}

    def found() -> tuple[Any, Any]:
        counted = tabulate(tables[0], tables[1:3], holdout=tables[3], keys=["age", "sex"], target="ill", copy_columns=9, **options)
        risk = record_risk(tables[0], tables[1], keys="sex", target="ill", copy_columns=9) if door != "polars" else {"copies": ()}
        return counted, list(risk["copies"])

    once, times = found()
    assert len(once.encoding["copies"]["releases"]) == 2
    monkeypatch.setattr(records, "_in_one_reading", lambda *_: None)
    twice, others = found()
    assert twice.identical(once)
    assert (twice.encoding, others) == (once.encoding, times)
