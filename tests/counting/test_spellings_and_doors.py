"""However a release is spelled, and by whatever door it comes in: never a zero without a word.

The table of ways in which the spelling of a release differs from the original's, by the doors through which records come. The release is
the original itself, respelled, so that the right average CAP is 1. In each cell either that is the number, or the call refuses the tables,
or it says that their levels do not meet.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from few_records import csv_file

from capstats import LevelsWarning, audit, average_cap, tabulate
from capstats.cli import main
from capstats.sdmetrics import DisclosureProtection

pytestmark = pytest.mark.slow

Respelling = tuple[list[Any], Callable[[Any], Any]]
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@cache
def matrix() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        import spellings

    return spellings


SPELLINGS: dict[str, Respelling] = matrix().SPELLINGS | {
    "a plus sign": (["1", "2", "3"], lambda x: f"+{x}"),
    "exponents": (["1000", "2000", "3000"], lambda x: f"{float(x):e}"),
    "numbers inside intervals": (["(0, 10]", "(10, 20]", "(20, 30]"], lambda x: x.replace(", ", ".0, ").replace("]", ".0]")),
    "1 for true": (["true", "false"], lambda x: {"true": "1", "false": "0"}[x]),
    "full-width characters": (["A1", "B2", "C3"], lambda x: "".join(chr(ord(c) + 0xFEE0) for c in x)),
    "invisible characters": (["South", "North", "West"], lambda x: f"\u200b{x}"),
    "typographic dashes": (["40-49", "50-59", "60-69"], lambda x: x.replace("-", "\u2013")),
    "a date without dashes": (["2024-01-31", "2024-02-01", "2024-03-05"], lambda x: x.replace("-", "")),
    "UTF-8 read as cp1252": (["Zürich", "Genève", "Küsnacht"], lambda x: x.encode().decode("cp1252")),
    "dates for text": (["2024-01-31", "2024-02-01", "2024-03-05"], pd.Timestamp),
}


def records(labels: list[Any]) -> dict[str, list[Any]]:
    """Twelve records a label, each label with a target of its own."""
    return {"key": labels * 12, "target": [f"t{i}" for i in range(len(labels))] * 12}


def written(table: dict[str, list[Any]], path: Path) -> Path:
    """The table as a file; in CSV None is an empty field, and empty text two quotes."""
    if path.suffix == ".parquet":
        pl.DataFrame(table).write_parquet(path)
    else:
        rows = [(None if key is None or key != key else str(key), target) for key, target in zip(*table.values(), strict=True)]
        csv_file(path, rows, list(table))
    return path


DOORS: dict[str, Callable[[dict[str, Any], str, Path], Any]] = {
    "pandas": lambda table, _side, _folder: pd.DataFrame(table),
    "pandas objects": lambda table, _side, _folder: pd.DataFrame(table, dtype=object),
    "pandas categories": lambda table, _side, _folder: pd.DataFrame(table).astype("category"),
    "polars": lambda table, _side, _folder: pl.DataFrame(table),
    "polars, lazy": lambda table, _side, _folder: pl.LazyFrame(table),
    "pyarrow": lambda table, _side, _folder: pl.DataFrame(table).to_arrow(),
    "CSV": lambda table, side, folder: written(table, folder / f"{side}.csv"),
    "Parquet": lambda table, side, folder: written(table, folder / f"{side}.parquet"),
    "CSV and pandas": lambda table, side, folder: written(table, folder / "o.csv") if side == "o" else pd.DataFrame(table),
    "Parquet and CSV": lambda table, side, folder: written(table, folder / f"{side}{'.parquet' if side == 'o' else '.csv'}"),
}


@pytest.fixture(params=list(SPELLINGS))
def tables(request: pytest.FixtureRequest) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    labels, respell = SPELLINGS[request.param]
    return records(labels), records([respell(x) for x in labels])


def test_tabulate_never_gives_a_lower_risk_without_a_word(tables: Any, tmp_path: Path) -> None:
    for door, opened in DOORS.items():
        original, synthetic = (opened(table, side, tmp_path) for table, side in zip(tables, "os", strict=True))
        with warnings.catch_warnings(record=True, action="always") as told:
            try:
                counts = tabulate(original, synthetic, keys="key", target="target")
            except TypeError as error:  # labels of two kinds
                assert "`original`" in str(error), door  # noqa: PT017
                continue
        said = [x for x in told if issubclass(x.category, LevelsWarning)]
        assert said or average_cap(counts.o, counts.s) == 1, door
        assert len(said) < 2, door


def test_an_audit_refuses_or_says_it_first(tables: Any, tmp_path: Path) -> None:
    for door in ("pandas", "polars", "CSV", "Parquet and CSV"):
        original, synthetic = (DOORS[door](table, side, tmp_path) for table, side in zip(tables, "os", strict=True))
        try:
            found = audit(original, synthetic, keys="key", target="target", allow_same=True)
        except (TypeError, ValueError) as error:
            assert "'key'" in str(error), door  # noqa: PT017
            continue
        said = " ".join(str(found).partition("Answer")[0].split())
        assert found.measures.average_cap_nearest == 1 or "one level in two spellings" in said, door


def test_the_command_line_refuses_or_says_it_first(tables: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(written(table, tmp_path / f"{side}.csv")) for table, side in zip(tables, "os", strict=True)]
    status = main(["audit", *files, "--allow-same", "--keys", "key", "--target", "target"])
    told = capsys.readouterr()
    if status == 0:
        first = " ".join(told.out.partition("Answer")[0].split())
        assert "one level in two spellings" in first or "1.0000" in told.out
    else:
        assert status == 2
        assert "key" in told.err
        assert not told.out


def test_the_drop_in_says_it(tables: Any) -> None:
    real, synthetic = map(pd.DataFrame, tables)
    with warnings.catch_warnings(record=True, action="always") as told:
        try:
            found = DisclosureProtection.compute_breakdown(real, synthetic, ["key"], ["target"])
        except TypeError:  # times, as in SDMetrics
            return
    assert found["cap_protection"] == 0 or any(issubclass(x.category, LevelsWarning) for x in told)


def test_a_file_in_another_encoding_is_refused_or_matches(tmp_path: Path) -> None:
    table = records(["Zürich", "Genève", "Küsnacht"])
    original = written(table, tmp_path / "o.csv")
    for encoding in ("cp1252", "utf-16", "utf-8-sig"):
        other = tmp_path / f"{encoding}.csv"
        other.write_bytes(original.read_bytes().decode().encode(encoding))
        if encoding != "utf-8-sig":
            with pytest.raises(ValueError, match="UTF-8"):
                tabulate(original, other, keys="key", target="target")
    counts = tabulate(original, tmp_path / "utf-8-sig.csv", keys="key", target="target")
    assert average_cap(counts.o, counts.s) == 1


@pytest.mark.parametrize("sources", [("pandas", "csv"), ("polars", "polars")], ids=" and ".join)
@pytest.mark.parametrize("spelling", matrix().SPELLINGS)
def test_copies_are_those_of_a_loop_over_records_or_the_column_is_named(spelling: str, sources: tuple[str, str], tmp_path: Path) -> None:
    """Of a column that is neither key nor target; the whole matrix is benchmarks/spellings.py."""
    commands = {"tabulate": matrix().COMMANDS["tabulate"]}
    for _, outcome, told in matrix().cells(spelling, "neither", sources, tmp_path, commands):
        assert outcome in ("right", "warned"), told
