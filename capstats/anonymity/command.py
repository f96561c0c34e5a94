"""``capstats anonymity``: the privacy models of the original, and of releases beside it."""

from __future__ import annotations

from functools import partial

import numpy as np
import xarray as xr

from capstats.cli import outputs, reading
from capstats.cli.options import Settings
from capstats.cli.outputs import facts, title
from capstats.reports.blocks import Facts, Grid, Sections, as_text


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """The models as a table, as text or JSON."""
    from capstats.anonymity import anonymity_profile
    from capstats.counting.tabulate import tabulate

    with reading.levels_told(settings, messages):
        given = reading.tables(settings, ("original", "keys", "target"), ("synthetic", "example"))
        tables = given["original"] if isinstance(given["original"], xr.Dataset) else tabulate(**given)
    found = anonymity_profile(tables.o, tables.get("s", tables.o), l=settings.get("l", 2))
    columns = _columns(found if "s" in tables else found.sel(table=["original"]))
    columns_read = {"keys": tables.attrs["key_columns"], "target": tables.attrs["target_columns"]}

    models = {name: {column: values[name] for column, values in columns.items()} for name in map(str, found)}
    rows = [[name, *map(_number, values.values())] for name, values in models.items()]
    sections: Sections = {
        "What was read": [Facts(facts(settings, columns_read))],
        "Privacy models": [
            Grid(["", *columns], rows),
            "No model compares a synthetic table with the original: one that satisfies all of them can be a copy of it. "
            "Use them beside average CAP (capstats audit), not in its place.",
        ],
        "How to read it": [Facts(list(outputs.MEANINGS["anonymity"].items())), "Larger is riskier unless said otherwise."],
    }
    text = partial(as_text, title("privacy models"), sections)
    return outputs.given_out(settings, messages, text, lambda: {"models": models}, attrs=found.attrs)


def _columns(found: xr.Dataset) -> dict[str, dict[str, float]]:
    """The models of the original, and of each synthetic table."""
    tables = {str(name): found.sel(table=name) for name in found.indexes["table"]}
    if "synthetic" in found.dims:
        releases = tables.pop("synthetic")
        tables["original"] = tables["original"].isel(synthetic=0)
        tables |= {str(name): releases.isel(synthetic=i) for i, name in enumerate(found.indexes["synthetic"])}
    return {name: {str(model): one[model].values.item() for model in one} for name, one in tables.items()}


def _number(value: float) -> str:
    if not np.isfinite(value):
        return "undefined" if np.isnan(value) else "infinite"
    return f"{int(value):,}" if value == int(value) else f"{value:.3f}"
