"""``capstats sweep``: the risk for every subset of the key columns and every target, and what each column adds to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.confidential import csv_text
from capstats.auditing.report import Block, Facts, Grid, Picture, Sections, as_text
from capstats.cli import outputs, reading
from capstats.cli.kinds import TEXT, WHOLE
from capstats.cli.options import Command, Option, Settings
from capstats.cli.outputs import facts, provenance, title
from capstats.codes.names import shortened
from capstats.tables.printing import count, share

TARGETS = replace(
    reading.TARGET, key="targets", also="target", help="columns to guess, separated by commas; each of them alone", metavar="C,D"
)
MAX_SIZE = Option("max-size", WHOLE, "greatest number of columns that the intruder knows (default: all keys)", "N")
MEASURES = (  # those of `sweep`, whose room the grammar does not load
    "average_cap",
    "average_cap_drop",
    "original_cap",
    "modal_accuracy",
    "correct_predictions",
    "matched_records",
    "original_certain",
    "share_certain",
)
MEASURE = Option(
    "measure",
    TEXT,
    "what is computed (default average_cap)",
    choices=MEASURES,
)
LIMIT = Option("limit", WHOLE, "greatest number of subsets (default 4096)", "N")
SHOWN = 20
WIDEST = 60  # characters of a name in a table
CONTRIBUTIONS = {
    "shapley": (
        "Shapley value",
        "its share of the risk with all columns minus that without any; the shares of all columns add up to this difference",
    ),
    "mean_increment": (
        "mean increment",
        "how much the risk rises when the column is added, averaged over the subsets of each size, and then over the sizes",
    ),
}


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """The table of subsets and the contributions, as text or JSON, and the files."""
    outputs.check_files(settings)
    found = _swept(settings, messages)
    rows = _rows(found)
    asked = settings.get("top", len(rows))
    top = settings.get("top", SHOWN)
    head = ["known", "target", *(["synthetic"] if "synthetic" in found.dims else []), "columns", _measure(found), "without a key"]
    contents: dict[str, Callable[[], str | bytes]] = {
        "csv": lambda: csv_text(head, rows[:asked]),
        "figure": lambda: _figure(found, settings),
        "html": lambda: _page(found, settings, rows[:top]),
    }
    status = outputs.save_files(settings, messages, contents)
    if not settings.get("json"):
        return as_text(title("risk by what is known"), _sections(found, settings, rows, top)), status
    told = {
        "subsets": [dict(zip(head, row, strict=True)) for row in rows[:asked]],
        "contributions": {
            str(name): _contributions(found[name]) for name in ("shapley", "leave_one_out", "mean_increment") if name in found
        },
        "provenance": provenance(settings, found.attrs),
    }
    return outputs.json_text(told), status


def _swept(settings: Settings, messages: list[str]) -> xr.Dataset:
    from capstats.screening import sweep

    given = reading.tables(settings, (reading.ORIGINAL, reading.SYNTHETIC, reading.KEYS, TARGETS), (reading.EXAMPLE, reading.SEED))
    given.pop("provenance", None)
    given.pop("allow_no_match", None)
    if "target" in given:
        given["targets"] = given.pop("target")
    if "max-size" in settings:
        given["sizes"] = range(1, settings["max-size"] + 1)
    if "limit" in settings:
        given["limit"] = settings["limit"]
    try:
        with reading.levels_told(settings, messages):
            return sweep(**given, measures=settings.get("measure", "average_cap"), progress=reading.progress(settings))
    except ValueError as error:  # in the words of the command line
        told = re.sub(r"sizes=range\(1, (\d+)\)", lambda sizes: f"--max-size {int(sizes[1]) - 1}", str(error)).replace(
            "`limit`=", "--limit "
        )
        raise ValueError(re.sub(r"`sizes` must be (.*); got range\(1, (\d+)\).*", _size_in_words, told)) from error


def _size_in_words(found: re.Match[str]) -> str:
    return f"--max-size must be {found[1]}; got {int(found[2]) - 1}."


def _columns(found: xr.Dataset) -> dict[str, list[str]]:
    return {"keys": list(map(str, found.indexes["key_column"])), "targets": list(map(str, found.indexes["target_column"]))}


def _measure(found: xr.Dataset) -> str:
    return str(found["measure"].values.item())


def _rows(found: xr.Dataset) -> list[list[Any]]:
    """A row for each subset, target and synthetic table, the greatest value first; of equal ones the smaller subset."""
    others = ["target_column", *(["synthetic"] if "synthetic" in found.dims else [])]
    value = found["value"].isel(measure=0).transpose("keyset", *others)
    without = found["without_keys"].isel(measure=0).transpose(*others).values
    names = [found.indexes[dim] for dim in value.dims]
    rows = []
    for place, x in np.ndenumerate(value.values):
        labels = [str(index[i]) for index, i in zip(names, place, strict=True)]
        rows.append([*labels, int(found["size"].values[place[0]]), float(x), float(without[place[1:]])])
    return sorted(rows, key=lambda row: (np.isnan(row[-2]), -row[-2] if row[-2] == row[-2] else 0, row[-3]))


def _contribution(found: xr.Dataset) -> Any:
    return next(name for name in CONTRIBUTIONS if name in found)


def _contributions(of: xr.DataArray) -> list[dict[str, Any]]:
    """Contributions of the columns in long form."""
    one = of.isel(measure=0, drop=True).rename("value")
    return [
        {**{str(dim): index[i] for (dim, index), i in zip(((d, one.indexes[d]) for d in one.dims), place, strict=True)}, "value": float(x)}
        for place, x in np.ndenumerate(one.values)
    ]


def _sections(found: xr.Dataset, settings: Settings, rows: Sequence[Sequence[Any]], top: int) -> Sections:
    measure = _measure(found)
    number = count if measure in ("correct_predictions", "matched_records") else share
    head = ["known", "target", *(["synthetic"] if "synthetic" in found.dims else []), "columns", measure, "without a key"]
    table = Grid(head, [[*(shortened(str(x), WIDEST) for x in row[:-2]), number(row[-2]), number(row[-1])] for row in rows[:top]])
    rest = [f"Not shown: {len(rows) - top} more; see --top, --csv and --json."] if len(rows) > top else []
    read = [
        *facts(settings, _columns(found)),
        ("records", f"{count(found.attrs['records'])} in the original"),
        ("subsets", count(found.sizes["keyset"])),
    ]
    return {
        "What was read": [Facts(read)],
        "What the intruder knows, riskiest first": [table, *rest],
        "What each column adds": _added(found),
    }


def _added(found: xr.Dataset) -> list[Block]:
    """The contribution of each column to each target: a table for each synthetic table."""
    name = _contribution(found)
    called, meaning = CONTRIBUTIONS[name]
    shares = found[name].isel(measure=0)
    if "subset_size" in shares.dims:
        sizes = shares["subset_size"].values.tolist()
        called = f"{called} at size {sizes[0]}" if len(sizes) == 1 else f"{called} at sizes {sizes[0]} to {sizes[-1]}"
        shares = shares.mean("subset_size", skipna=False)
    blocks: list[Block] = [f"{called[0].upper()}{called[1:]} of each key column: {meaning}."]
    for i in range(found.sizes.get("synthetic", 1)):
        one = shares.isel(synthetic=i) if "synthetic" in shares.dims else shares
        cells = one.transpose("key_column", "target_column").values
        rows = [[shortened(str(c), WIDEST), *map(share, row)] for c, row in zip(found.indexes["key_column"], cells, strict=True)]
        blocks += [*([str(found.indexes["synthetic"][i])] if "synthetic" in shares.dims else [])]
        blocks.append(Grid(["key column", *(shortened(str(t), WIDEST) for t in found.indexes["target_column"])], rows))
    return blocks


def _drawn(found: xr.Dataset, i: int = 0) -> Any:
    from capstats.plotting import plot_sweep

    one = found.isel(measure=0)
    return plot_sweep(one.isel(synthetic=i) if "synthetic" in one.dims else one, contribution=_contribution(found))


def _figure(found: xr.Dataset, settings: Settings) -> bytes:
    if found.sizes.get("synthetic", 1) > 1:
        raise ValueError("a heatmap is of one synthetic table; several are given. Give one, or save them as --html.")
    told = provenance({}, found.attrs)
    return outputs.figure(_drawn(found), settings["figure"], found.attrs["capstats"], outputs.json_text(told))


def _page(found: xr.Dataset, settings: Settings, rows: Sequence[Sequence[Any]]) -> str:
    from capstats.auditing.report import as_page
    from capstats.plotting.inline import inline_svg

    sections = dict(_sections(found, settings, rows, len(rows)))
    pictures = []
    for i in range(found.sizes.get("synthetic", 1)):
        of = f" in {found.indexes['synthetic'][i]}" if "synthetic" in found.dims else ""
        alt = f"Heatmap: what each key column adds to the risk of each target{of}; the table has its numbers."
        pictures.append(Picture(inline_svg(_drawn(found, i), prefix=f"sweep{i}", alt=alt), alt, f"What each key column adds{of}."))
    sections["What each column adds"] = [*pictures, *sections["What each column adds"]]
    note = "Confidential, as the original is."
    return as_page(title("risk by what is known"), sections, note=note, footer=f"capstats {found.attrs['capstats']}")


COMMAND = Command(
    "sweep",
    "measure the risk for every subset of the key columns and every target",
    {
        "data": (reading.ORIGINAL, reading.SYNTHETIC, reading.KEYS, TARGETS, reading.EXAMPLE, reading.SEED, reading.ALLOW_SAME),
        "how it is read": reading.READING,
        "what is computed": (MAX_SIZE, MEASURE, LIMIT),
        "what is given": (
            outputs.TOP,
            outputs.QUIET,
            outputs.JSON,
            outputs.CSV,
            replace(outputs.FIGURE, help="save the heatmap of what each column adds (PNG, PDF or SVG)"),
            outputs.HTML,
        ),
    },
    (
        ("which columns make the risk, on bundled data", "capstats sweep --example titanic"),
        (
            "all pairs and triples of four columns, for two targets",
            "capstats sweep original.csv synthetic.csv --keys age,sex,region,job --targets income,health --max-size 3",
        ),
        ("the ten riskiest as a table for a spreadsheet", "capstats sweep --example titanic --top 10 --csv riskiest.csv"),
    ),
    run,
)
