"""Files of counts that were damaged, or made to do harm, are refused with a short error before they take memory."""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from strategies import seeds

from capstats import average_cap, from_counts, read_counts, write_counts
from capstats.sources.parquet import write_parquet
from capstats.tables import counts_files
from capstats.tables.counts_files import COMMENT, KEY
from capstats.tables.counts_header import check_header

pytestmark = pytest.mark.filterwarnings("ignore::capstats.LevelsWarning")
HOSTILE: list[Any] = [
    None, True, False, -1, 0, 1, 2, 3, 10**9, 10**30, -(10**30), 1.5,
    float("nan"), float("inf"), "", "o", "int8", "bool", "U50000000", "<i8", "int64",
    "float64", "x" * 10_000,
    "\x1b[31m", "\u202e", [], {}, [[]], [None], [10**9], [10**9, 10**9], ["a", "a"], {"a": 1}, [[0], [0]],
    {f"{KEY}: missing": True}, {f"{KEY}: datetime": "no"}, {f"{KEY}: nanoseconds": 10**40}, {f"{KEY}: date": []},
    {f"{KEY}: datetime": "NaT"},
]  # fmt: skip
CELLS = ["", "-1", "nan", "inf", "1e400", "9" * 30, "9" * 5000, "x", "0", "1", "1.5", "True", '"', "\x00", "f", "m", "=1", "\ufffd"]


def lines(folder: Path) -> list[str]:
    """A file of counts of two releases, as its lines."""
    tables = from_counts(
        [[1, 2, 0], [3, 4, 5]],
        {"a": [[0, 1, 1], [2, 2, 2]], "b": [[1, 1, 1], [0, 0, 9]]},
        key_labels={"sex": ["f", "f", "m"], "age": [1, 2, 1]},
        target_labels={"sick": ["no", None]},
    )
    write_counts(tables, folder / "whole.csv", overwrite=True)
    return (folder / "whole.csv").read_text(encoding="utf-8").splitlines()


def parsed(line: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(line[len(COMMENT) :])
    return found


def places_in(value: Any, so_far: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to all parts of a description."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [so_far, *(place for name, part in inner for place in places_in(part, (*so_far, name)))]


def damaged(header: dict[str, Any], draw: random.Random) -> dict[str, Any]:
    """A description with one to three parts that are other ones, gone, or there twice."""
    header = copy.deepcopy(header)
    for _ in range(draw.randint(1, 3)):
        *way, last = draw.choice([place for place in places_in(header) if place])
        part: Any = header
        for name in way:
            part = part[name]
        what = draw.random()
        if what < 0.7:
            part[last] = copy.deepcopy(draw.choice(HOSTILE))
        elif what < 0.85:
            del part[last]
        elif isinstance(part, list):
            part.append(copy.deepcopy(part[last]))
    return header


def signed(header: dict[str, Any], path: Path) -> dict[str, Any]:
    """With the digest that belongs to what the file holds now, where it can be had: a digest keeps nobody from doing harm."""
    try:
        read = json.loads(json.dumps(header), object_hook=counts_files._from_json)
        check_header(read)
        places, numbers = counts_files._cells(path, read)
        return {**header, "digest": counts_files._digest(read, places, numbers)}
    except Exception:  # noqa: BLE001  whatever it is, `read_counts` must say it otherwise
        return header


def refused_or_right(path: Path) -> bool:
    """Whether a file is refused as it should; else its counts are counts."""
    message = None
    try:
        found = read_counts(path)
    except ValueError as error:
        message = str(error)
    if message is not None:
        assert len(message) < 1000
        assert message.isprintable()
        return True
    assert {str(x.dtype) for x in found.data_vars.values()} <= {"int64", "float64"}
    for name in ("key", "target"):
        assert found.indexes[name].is_unique
    average_cap(found.o, found.o)
    return False


def fuzz(cases: int, folder: Path) -> int:
    """How many of so many damaged files were refused; the others are right as they are."""
    draw, whole, refused = random.Random(1), lines(folder), 0
    for case in range(cases):
        header, cells = parsed(whole[0]), whole[1:]
        path = folder / "damaged.csv"
        for _ in range(draw.randint(0, 2) if case % 2 else draw.randint(1, 3)):
            at = draw.randrange(len(cells))
            parts = cells[at].split(",")
            parts[draw.randrange(len(parts))] = draw.choice(CELLS)
            cells = draw.choice(
                [[*cells[:at], ",".join(parts), *cells[at + 1 :]], cells[:at] + cells[at + 1 :] or cells, [*cells, cells[at]]]
            )
        if case % 2:
            header = damaged(header, draw)
        for text in (json.dumps(header), None):
            text = json.dumps(signed(header, path)) if text is None else text
            path.write_text("\n".join([COMMENT + text, *cells, ""]), encoding="utf-8", errors="replace", newline="\n")
        refused += refused_or_right(path)
    return refused


def test_damaged_descriptions_and_cells_are_refused_in_a_sentence(tmp_path: Path) -> None:
    assert fuzz(40, tmp_path) > 20


MANY = """
import resource, sys
from pathlib import Path
sys.path[:0] = [sys.argv[2], sys.argv[3]]
from test_counts_header import fuzz
print(fuzz(int(sys.argv[4]), Path(sys.argv[1])))
status = Path("/proc/self/status")  # where it is there: the other number is never below that of the process that began this one
own = [int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")] if status.exists() else []
print((own or [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss])[0] // (2**20 if sys.platform == "darwin" else 2**10))
"""


def test_many_damaged_files_are_refused_or_right_and_take_less_than_500_megabytes(tmp_path: Path) -> None:
    given = [str(tmp_path), str(Path(__file__).parent), str(Path(__file__).parents[1]), str(number := len(seeds(5000)))]
    done = subprocess.run([sys.executable, "-c", MANY, *given], capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    refused, megabytes = map(int, done.stdout.split())
    assert refused > 0.6 * number
    assert megabytes < 500


def changed(folder: Path, **fields: Any) -> Path:
    """The file with other fields in its description, and the digest that belongs to them."""
    first, *rest = lines(folder)
    path = folder / "changed.csv"
    for digest in (False, True):
        header = {**parsed(first), **fields}
        path.write_text("\n".join([COMMENT + json.dumps(signed(header, path) if digest else header), *rest, ""]), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "text",
    [
        '{"format": 2}', "{}", "[]", "1", "null", '"text"', "", "[" * 200_000, '{"a":' * 200_000,
        '{"format": true}', '{"format": 1}', '{"format": NaN}',
        '{"format": 99, "capstats": "' + "x" * 9000 + '"}', '{"format": 9, "capstats": ' + "[" * 200_000,
    ],
    ids=lambda text: text[:30],
)  # fmt: skip
def test_a_description_that_is_none_is_damaged(tmp_path: Path, text: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{COMMENT}{text}\nk,t,o\na,b,1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"is damaged|was written by capstats None"):
        read_counts(path)


WRONG = [
    *(("dtype", dtype) for dtype in ("bool", "int8", "uint8", "float32", "U50000000", "object", "<i8", "M8[ns]")),
    *(("shape", shape) for shape in ([10**9], [10**30], [0], [-2], [True], [2, 2], [], ["2"], [2.0])),
    *(
        ("targets", targets)
        for targets in ([[0, 2]], [[0, -1]], [[0, 10**9]], [[0, 0]], [[0]], [[]], [], [[0, 1], [0, 1]], [[0, True]], [0, 1])
    ),
]


@pytest.mark.parametrize(("field", "value"), WRONG, ids=str)
def test_counts_are_wide_numbers_in_as_many_columns_by_distinct_targets(tmp_path: Path, field: str, value: Any) -> None:
    o, s = parsed(lines(tmp_path)[0])["variables"]
    fields = {"targets": value} if field == "targets" else {"variables": [o, {**s, field: value}]}
    with pytest.raises(ValueError, match="is damaged"):
        read_counts(changed(tmp_path, **fields))


@pytest.mark.parametrize("at", [2, 3, 5])
@pytest.mark.parametrize("beside", [True, False])
def test_a_cell_is_there_once(tmp_path: Path, at: int, beside: bool) -> None:
    """Beside the first one or further on, with the digest that belongs to it: the last one would win."""
    first, names, *rows = lines(tmp_path)
    row = rows[at - 2]
    rows = [*rows[: at - 1], row, *rows[at - 1 :]] if beside else [*rows, row]
    path = tmp_path / "twice.csv"
    read = json.loads(first[len(COMMENT) :], object_hook=counts_files._from_json)
    path.write_text("\n".join([first, names, *rows, ""]), encoding="utf-8")
    given = counts_files._of_csv(path, 6)
    places = [
        counts_files._places(x, counts_files._in_csv(of["levels"])) for x, of in zip(given, counts_files._columns(read), strict=False)
    ]
    numbers = [x.astype(np.int64) for x in given[3:]]
    header = {**parsed(first), "digest": counts_files._digest(read, places, numbers)}
    path.write_text("\n".join([COMMENT + json.dumps(header), names, *rows, ""]), encoding="utf-8")
    with pytest.raises(ValueError, match="is damaged"):
        read_counts(path)


@pytest.mark.parametrize("label", ["a", "x" * 1000])
def test_a_small_file_of_many_equal_rows_is_refused_before_they_are_read(tmp_path: Path, label: str) -> None:
    """10 million rows in some 100 kB, of which DuckDB gives back no more than how many there are."""
    small = from_counts([[1] * 20] * 10, key_labels={f"k{i}": ["a"] * 19 + ["b"] if i else list(range(20)) for i in range(20)})
    write_counts(small, tmp_path / "t.csv")
    text = (tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()[0][len(COMMENT) :]
    frame = pd.DataFrame({"k0": [0], **{f"k{i}": [label] for i in range(1, 20)}, "t": [0], "o": [1]})
    rows = pd.concat([frame] * 1000, ignore_index=True)
    (tmp_path / "many.parquet").touch()
    types: list[Any] = ["BIGINT", *["VARCHAR"] * 19, "BIGINT", "BIGINT"]
    many = [np.resize(rows[name].to_numpy(), 10**5) for name in rows]
    write_parquet(tmp_path / "many.parquet", list(rows), types, many, KEY, text)
    assert (tmp_path / "many.parquet").stat().st_size < 10**5
    with pytest.raises(ValueError, match="is damaged"):
        read_counts(tmp_path / "many.parquet")
