"""``capstats sweep``: the risk for every subset of the key columns and every target, and what each column adds to it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import Any

import xarray as xr

from capstats.cli import outputs, reading
from capstats.cli.options import Settings
from capstats.cli.outputs import SHOWN, facts, provenance, title
from capstats.codes.names import named, shortened
from capstats.reports.blocks import Block, Facts, Grid, Picture, Sections, as_page, as_text
from capstats.sources.confidential import csv_text
from capstats.tables.printing import SMALL, count, percent, share

TITLE = title("risk by what is known")
WIDEST = 60  # characters of a name in a table
CONTRIBUTIONS = {"shapley": "Shapley value", "mean_increment": "mean increment"}


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """The table of subsets and the contributions, as text or JSON, and the files."""
    outputs.check_files(settings)
    found = _swept(settings, messages)
    rows = _rows(found)
    asked = rows[: settings.get("top")]
    top = settings.get("top", SHOWN)
    files: dict[str, outputs.Content] = {
        "csv": lambda: csv_text(_head(found), asked),
        "figure": lambda: _figure(found, settings),
        "html": lambda: _page(found, settings, rows[:top]),
    }

    def content() -> dict[str, Any]:
        contributions = {str(name): _contributions(found[name]) for name in ("shapley", "leave_one_out", "mean_increment") if name in found}
        subsets = [dict(zip(_head(found), row, strict=True)) for row in asked]
        return {"subsets": subsets, "contributions": contributions}

    return outputs.given_out(settings, messages, lambda: as_text(TITLE, _sections(found, settings, rows, top)), content, files, found.attrs)


def _swept(settings: Settings, messages: list[str]) -> xr.Dataset:
    from capstats.screening import sweep

    try:
        with reading.levels_told(settings, messages):
            given = reading.tables(settings, ("original", "synthetic", "keys", "targets"), ("example",))
            if "target" in given:
                given["targets"] = given.pop("target")
            if "max-size" in settings:
                given["sizes"] = range(1, settings["max-size"] + 1)
            given |= {name: settings[name] for name in ("limit", "unmatched") if name in settings}
            return sweep(**given, measures=settings.get("measure", "average_cap"), progress=reading.progress(settings))
    except ValueError as error:  # with options in the message
        text = str(error).replace("`limit`=", "--limit ")
        text = re.sub(r"sizes=range\(1, (\d+)\)", lambda sizes: f"--max-size {int(sizes[1]) - 1}", text)
        wrong = r"`sizes` must be (.*); got range\(1, (\d+)\).*"
        raise ValueError(re.sub(wrong, lambda found: f"--max-size must be {found[1]}; got {int(found[2]) - 1}.", text)) from error


def _measure(found: xr.Dataset) -> str:
    return str(found["measure"].values.item())


def _head(found: xr.Dataset) -> list[str]:
    return ["known", "target", *(["synthetic"] if "synthetic" in found.dims else []), "columns", _measure(found), "without a key"]


def _rows(found: xr.Dataset) -> list[list[Any]]:
    """A row for each subset, target and synthetic table, the greatest value first; among equal values the smaller subset."""
    dims = ["keyset", "target_column", *(["synthetic"] if "synthetic" in found.dims else [])]
    one = found[["value", "without_keys", "size"]].isel(measure=0, drop=True)
    frame = one.to_dataframe(dim_order=dims).reset_index().astype(dict.fromkeys(dims, str))
    order = frame.sort_values(["value", "size"], ascending=[False, True], kind="stable").index
    rows: list[list[Any]] = frame.loc[order, [*dims, "size", "value", "without_keys"]].astype(object).to_numpy().tolist()
    return rows


def _contribution(found: xr.Dataset) -> Any:
    return next(name for name in CONTRIBUTIONS if name in found)


def _contributions(of: xr.DataArray) -> list[dict[str, Any]]:
    """Contributions of the columns in long form."""
    one = of.isel(measure=0, drop=True)
    return one.to_dataframe("value").reset_index()[[*one.dims, "value"]].to_dict("records")  # type: ignore[return-value]


def _sections(found: xr.Dataset, settings: Settings, rows: Sequence[Sequence[Any]], top: int) -> Sections:
    number = count if _measure(found) in ("correct_predictions", "matched_records") else share
    table = Grid(_head(found), [[*(shortened(str(x), WIDEST) for x in row[:-2]), *map(number, row[-2:])] for row in rows[:top]])
    rest = [f"Not shown: {len(rows) - top} more; see --top, --csv and --json."] if len(rows) > top else []
    columns = {"keys": list(map(str, found.indexes["key_column"])), "targets": list(map(str, found.indexes["target_column"]))}
    read = [
        *facts(settings, columns),
        ("records", f"{count(found.attrs['records'])} in the original"),
        ("subsets", count(found.sizes["keyset"])),
        *([("unmatched keys", outputs.MEANINGS["sweep"][found.attrs["unmatched"]])] if _measure(found) == "average_cap" else []),
    ]
    return {
        "What was read": [Facts(read)],
        "What the intruder knows, riskiest first": [table, *rest],
        "What each column adds": _added(found),
    }


def _added(found: xr.Dataset) -> list[Block]:
    """The contribution of each column to each target: a table for each synthetic table."""
    name = _contribution(found)
    called, shares = CONTRIBUTIONS[name], found[name].isel(measure=0)
    if "subset_size" in shares.dims:
        sizes = shares["subset_size"].values.tolist()
        called = f"{called} at size {sizes[0]}" if len(sizes) == 1 else f"{called} at sizes {sizes[0]} to {sizes[-1]}"
        shares = shares.mean("subset_size", skipna=False)
    blocks: list[Block] = [f"{called[0].upper()}{called[1:]} of each key column: {outputs.MEANINGS['sweep'][name]}."]
    head = ["key column", *(shortened(str(t), WIDEST) for t in found.indexes["target_column"])]
    for label, one in _releases(shares):
        cells = one.transpose("key_column", "target_column").values
        rows = [[shortened(str(c), WIDEST), *map(share, row)] for c, row in zip(found.indexes["key_column"], cells, strict=True)]
        blocks += [Grid(head, rows)] if label is None else [str(label), Grid(head, rows)]
    return [*blocks, *_better_without(found)]


def _better_without(found: xr.Dataset) -> list[str]:
    """Sentences about columns without which the intruder guesses better than with all: the most harmful one for each target and table."""
    if "leave_one_out" not in found or _measure(found) != "average_cap" or found.attrs["unmatched"] != "nearest":
        return []
    texts = []
    for (label, release), target in product(_releases(found), found.indexes["target_column"]):
        one = release.sel(target_column=target).isel(measure=0)
        least = one.leave_one_out.isel(key_column=one.leave_one_out.argmin("key_column"))
        if (gained := -least.item()) > SMALL:
            now = one.value.isel(keyset=-1).item()
            words = {"column": named(least.key_column.item()), "target": named(target), "of": "" if label is None else f" in {label}"}
            texts.append(outputs.MEANINGS["sweep"]["better_without"].format(**words, then=percent(now + gained), now=percent(now)))
    return texts


def _releases(found: Any) -> list[tuple[Any, Any]]:
    """What is found of each synthetic table, with its label; None where there is one without a label."""
    return [(label, found.sel(synthetic=label)) for label in found.indexes["synthetic"]] if "synthetic" in found.dims else [(None, found)]


def _drawn(one: xr.Dataset) -> Any:
    from capstats.plotting import plot_sweep

    return plot_sweep(one.isel(measure=0), contribution=_contribution(one))


def _figure(found: xr.Dataset, settings: Settings) -> bytes:
    (_, first), *others = _releases(found)
    if others:
        raise ValueError("a heatmap is of one synthetic table; several are given. Give one, or save them as --html.")
    return outputs.figure(_drawn(first), settings["figure"], outputs.json_text(provenance({}, found.attrs)))


def _page(found: xr.Dataset, settings: Settings, rows: Sequence[Sequence[Any]]) -> str:
    from capstats.plotting.inline import inline_svg

    sections = dict(_sections(found, settings, rows, len(rows)))
    pictures = []
    for i, (label, one) in enumerate(_releases(found)):
        of = "" if label is None else f" in {label}"
        alt = f"Heatmap: what each key column adds to the risk of each target{of}; the table has its numbers."
        pictures.append(Picture(inline_svg(_drawn(one), prefix=f"sweep{i}", alt=alt), f"What each key column adds{of}."))
    sections["What each column adds"] = [*pictures, *sections["What each column adds"]]
    note, footer = "Confidential, as the original is.", f"capstats {found.attrs['capstats']}"
    return as_page(TITLE, sections, note=note, footer=footer)
