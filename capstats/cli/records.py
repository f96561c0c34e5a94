"""``capstats records``: the original's records with their risk, the riskiest first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from capstats.cli import outputs, reading
from capstats.cli.options import Settings
from capstats.cli.outputs import SHOWN, facts, title
from capstats.codes.names import in_cell
from capstats.reports.blocks import Facts, Sections, as_text, beside
from capstats.sources.confidential import csv_text
from capstats.tables.axes import free_name
from capstats.tables.printing import count, share

WIDEST = 30  # characters of a cell of text


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """The riskiest records, as text, JSON or CSV."""
    outputs.check_files(settings)
    asked, number = _records(settings, messages)
    printed = "csv" not in settings or settings.get("json") is True
    where = "the output is" if printed else f"{settings['csv']!r} is"
    messages.insert(0, f"warning: {where} as confidential as the original; keep it where the original is kept.")

    def content() -> dict[str, Any]:
        return {"records": [dict(zip(map(str, asked), row, strict=True)) for row in _rows(asked)]}

    files: dict[str, outputs.Content] = {"csv": lambda: csv_text(list(asked), _rows(asked))}
    return outputs.given_out(settings, messages, lambda: _text(asked, number, settings) if printed else "", content, files, {})


def _text(asked: pd.DataFrame, number: int, settings: Settings) -> str:
    """The first records as a table."""
    top = settings.get("top", SHOWN)
    head = [in_cell(name, WIDEST) for name in asked]
    cells = [[_cell(str(name), x) for name, x in zip(asked, row, strict=True)] for row in _rows(asked.iloc[:top])]
    labels, *columns = zip(head, *cells, strict=True)
    rest = [f"Not shown: {count(number - top)} more; see --top and --csv."] if number > top else []
    sections: Sections = {
        "What was read": [Facts([*facts(settings), ("rows", count(number))])],
        f"Records, the riskiest by {settings.get('sort-by', 'cap')} first": [*beside(labels, columns), *rest],
        "How to read it": [Facts([x for x in outputs.MEANINGS["records"].items() if x[0] != "copies" or "copies" in asked])],
    }
    return as_text(title("risk of each record"), sections)


def _records(settings: Settings, messages: list[str]) -> tuple[pd.DataFrame, int]:
    """The riskiest records with their risk and their numbers, at most ``top``; and the number of all records."""
    from capstats.counting.copies import COLUMNS
    from capstats.counting.request import Request
    from capstats.disclosure.records import riskiest

    given = reading.tables(settings, ("original", "synthetic", "keys", "target"), ("example",), counts=False)
    if isinstance(given["synthetic"], dict) and "example" not in settings:
        raise ValueError(f"give one SYNTHETIC; got {len(given['synthetic'])}. Run the command once for each.")
    given = {"copy_columns": COLUMNS, "allow_same": False, **given}
    sort_by, counts = settings.get("sort-by", "cap"), given.get("counts")
    column = counts[0] if isinstance(counts, tuple) else counts
    printed = "csv" not in settings and not settings.get("json")
    top = settings.get("top", SHOWN if printed else None)
    selected = None if column is not None else top  # in tables of counts some rows have no records
    with reading.levels_told(settings, messages):
        found, number = riskiest(Request(**given), sort_by, selected, messages)
    frame: pd.DataFrame = found if isinstance(found, pd.DataFrame) else found.to_pandas()
    if isinstance(found, pd.DataFrame):
        frame.insert(0, free_name("record", frame.columns), frame.index + 1)
    if column is not None:  # without these rows
        frame = frame.loc[pd.to_numeric(np.asarray(frame[column]), errors="coerce") != 0]
        number = len(frame)
    return frame.iloc[:top], number


def _rows(frame: pd.DataFrame) -> Iterable[tuple[Any, ...]]:
    return frame.itertuples(index=False, name=None)


def _cell(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name in ("cap", "cap_nearest"):
        return share(value)
    return "missing" if pd.api.types.is_scalar(value) and pd.isna(value) else in_cell(value, WIDEST)
