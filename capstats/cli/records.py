"""``capstats records``: the original's records with their risk, the riskiest first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from capstats.auditing.confidential import csv_text
from capstats.auditing.report import Facts, Sections, as_text, beside
from capstats.cli import outputs, reading
from capstats.cli.kinds import TEXT
from capstats.cli.options import Command, Option, Settings
from capstats.cli.outputs import facts, provenance, title
from capstats.codes.names import free_name, in_cell, shortened
from capstats.tables.printing import count, share

SORT_BY = Option(
    "sort-by",
    TEXT,
    "by what records are sorted, the riskiest first (default cap)",
    choices=(
        "cap",
        "disclosed",
        "certain",
        "original_certain",
        "key_records",
        "key_synthetic_records",
        "unique",
        "replicated",
    ),
)
SHOWN = 20
WIDEST = 30  # characters of a cell of text


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """The riskiest records, as text, JSON or CSV."""
    outputs.check_files(settings)
    found = _records(settings, messages)
    asked, top = settings.get("top", len(found)), settings.get("top", SHOWN)
    status = outputs.save_files(settings, messages, {"csv": lambda: _csv(found.iloc[:asked])})
    told = "csv" not in settings or settings.get("json")
    where = "the output is" if told else f"{settings['csv']!r} is"
    messages.insert(0, f"warning: {where} as confidential as the original; keep it where the original is kept.")
    if settings.get("json"):
        rows = [dict(zip(map(str, found), row, strict=True)) for row in found.iloc[:asked].itertuples(index=False, name=None)]
        return outputs.json_text({"records": rows, "provenance": provenance(settings, {})}), status
    if "csv" in settings:
        return "", status
    head, *cells = _cells(found.iloc[:top])
    rest = [f"Not shown: {count(len(found) - top)} more; see --top and --csv."] if len(found) > top else []
    labels, *columns = zip(head, *cells, strict=True)
    sections: Sections = {
        "What was read": [Facts([*facts(settings), ("rows", count(len(found)))])],
        f"Records, the riskiest by {settings.get('sort-by', 'cap')} first": [*beside(labels, columns), *rest],
        "How to read it": [Facts(MEANINGS)],
    }
    return as_text(title("risk of each record"), sections), status


MEANINGS = (
    ("record", "its number in the original, from 1"),
    ("cap", "share of the synthetic records with the record's keys that have its target; 0 if there are none"),
    ("disclosed", "whether that share is 1: a guess is certain, and right"),
    ("certain", "whether all synthetic records with its keys have the same target, right or wrong"),
    ("original_certain", "the same of the original records"),
    ("key_records", "original records with its keys"),
    ("key_synthetic_records", "synthetic records with its keys"),
    ("unique", "whether no other original record has its keys"),
    ("replicated", "whether, besides, exactly one synthetic record has them"),
)


def _records(settings: Settings, messages: list[str]) -> pd.DataFrame:
    """All records with their risk, sorted, and with their numbers."""
    from capstats.disclosure import record_risk

    given = reading.tables(
        settings, (reading.ORIGINAL, reading.SYNTHETIC, reading.KEYS, reading.TARGET), (reading.EXAMPLE, reading.SEED), counts=False
    )
    if isinstance(given["synthetic"], dict) and "example" not in settings:
        raise ValueError(f"give one SYNTHETIC; got {len(given['synthetic'])}. Run the command once for each.")
    given.pop("provenance", None)
    given.pop("allow_no_match", None)
    with reading.levels_told(settings, messages):
        found: Any = record_risk(**given, sort_by=settings.get("sort-by", "cap"))
    frame: pd.DataFrame = found if isinstance(found, pd.DataFrame) else found.to_pandas()
    if isinstance(found, pd.DataFrame):
        frame.insert(0, free_name("record", frame.columns), frame.index + 1)
    counts = given.get("counts")
    number = counts[0] if isinstance(counts, tuple) else counts
    if number is not None:  # without the rows that stand for no record
        frame = frame.loc[pd.to_numeric(np.asarray(frame[number]), errors="coerce") != 0]
    return frame


def _csv(frame: pd.DataFrame) -> str:
    return csv_text(list(frame), frame.itertuples(index=False, name=None))


def _cells(frame: pd.DataFrame) -> list[list[str]]:
    """The heading and the rows of a table, as texts."""
    rows = [[_cell(str(name), x) for name, x in zip(frame, row, strict=True)] for row in frame.itertuples(index=False, name=None)]
    return [[shortened(in_cell(name), WIDEST) for name in frame], *rows]


def _cell(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "cap":
        return share(value)
    return "missing" if pd.api.types.is_scalar(value) and pd.isna(value) else shortened(in_cell(value), WIDEST)


COMMAND = Command(
    "records",
    "list the original's records by their risk, the riskiest first",
    {
        "data": (reading.ORIGINAL, reading.SYNTHETIC, reading.KEYS, reading.TARGET, reading.EXAMPLE, reading.SEED, reading.ALLOW_SAME),
        "how it is read": reading.READING,
        "what is given": (SORT_BY, outputs.TOP, outputs.JSON, outputs.CSV),
    },
    (
        ("the twenty riskiest people", "capstats records original.csv synthetic.csv --keys age,sex,region --target income"),
        (
            "those unique in both files, for a spreadsheet",
            "capstats records original.csv synthetic.csv --keys age,sex --target income --sort-by replicated --top 100 --csv riskiest.csv",
        ),
        ("on bundled data", "capstats records --example anes96 --top 5"),
    ),
    run,
)
