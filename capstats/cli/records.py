"""``capstats records``: the original's records with their risk, the riskiest first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from capstats.auditing.confidential import csv_text
from capstats.auditing.report import Facts, Sections, as_text, beside
from capstats.cli import outputs, reading
from capstats.cli.options import Settings
from capstats.cli.outputs import SHOWN, facts, provenance, title
from capstats.codes.names import free_name, in_cell, shortened
from capstats.tables.printing import count, share

WIDEST = 30  # characters of a cell of text


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """The riskiest records, as text, JSON or CSV."""
    outputs.check_files(settings)
    found = _records(settings, messages)
    asked = found.iloc[: settings.get("top")]
    status = outputs.save_files(settings, messages, {"csv": lambda: csv_text(list(asked), _rows(asked))})
    printed = "csv" not in settings or settings.get("json")
    where = "the output is" if printed else f"{settings['csv']!r} is"
    messages.insert(0, f"warning: {where} as confidential as the original; keep it where the original is kept.")
    if settings.get("json"):
        records = [dict(zip(map(str, asked), row, strict=True)) for row in _rows(asked)]
        return outputs.json_text({"records": records, "provenance": provenance(settings, {})}), status
    if not printed:
        return "", status
    top = settings.get("top", SHOWN)
    head = [shortened(in_cell(name), WIDEST) for name in found]
    cells = [[_cell(str(name), x) for name, x in zip(found, row, strict=True)] for row in _rows(found.iloc[:top])]
    labels, *columns = zip(head, *cells, strict=True)
    rest = [f"Not shown: {count(len(found) - top)} more; see --top and --csv."] if len(found) > top else []
    sections: Sections = {
        "What was read": [Facts([*facts(settings), ("rows", count(len(found)))])],
        f"Records, the riskiest by {settings.get('sort-by', 'cap')} first": [*beside(labels, columns), *rest],
        "How to read it": [Facts([x for x in outputs.MEANINGS["records"].items() if x[0] != "copies" or "copies" in found])],
    }
    return as_text(title("risk of each record"), sections), status


def _records(settings: Settings, messages: list[str]) -> pd.DataFrame:
    """All records with their risk, sorted, and with their numbers."""
    from capstats.counting.compared import NotCompared
    from capstats.counting.copies import COLUMNS
    from capstats.disclosure import record_risk

    given = reading.tables(settings, ("original", "synthetic", "keys", "target"), ("example",), counts=False)
    if isinstance(given["synthetic"], dict) and "example" not in settings:
        raise ValueError(f"give one SYNTHETIC; got {len(given['synthetic'])}. Run the command once for each.")
    given = {"copy_columns": COLUMNS, **given, "sort_by": settings.get("sort-by", "cap")}
    with reading.levels_told(settings, messages):
        try:
            found: Any = record_risk(**given)
        except NotCompared as error:
            if settings.get("sort-by") == "copies":
                raise
            messages.append(f"warning: {error}")
            found = record_risk(**{**given, "copy_columns": 0})
    frame: pd.DataFrame = found if isinstance(found, pd.DataFrame) else found.to_pandas()
    if isinstance(found, pd.DataFrame):
        frame.insert(0, free_name("record", frame.columns), frame.index + 1)
    counts = given.get("counts")
    number = counts[0] if isinstance(counts, tuple) else counts
    if number is not None:  # without the rows of no record
        frame = frame.loc[pd.to_numeric(np.asarray(frame[number]), errors="coerce") != 0]
    return frame


def _rows(frame: pd.DataFrame) -> Iterable[tuple[Any, ...]]:
    return frame.itertuples(index=False, name=None)


def _cell(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name in ("cap", "cap_nearest"):
        return share(value)
    return "missing" if pd.api.types.is_scalar(value) and pd.isna(value) else shortened(in_cell(value), WIDEST)
