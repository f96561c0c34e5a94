"""``capstats anonymity``: the privacy models of the original, and of releases beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.report import Facts, Grid, Sections, as_text
from capstats.cli import outputs, reading
from capstats.cli.kinds import WHOLE
from capstats.cli.options import Command, Option, Settings
from capstats.cli.outputs import facts, provenance, title

L = Option("l", WHOLE, "number of targets for the recursive diversity (default 2)", "N")
MEANINGS = {
    "classes": "number of classes: records that share their keys are one class",
    "uniques": "classes of one record",
    "k": "records in the smallest class; larger is safer",
    "alpha": "greatest share of one target in a class",
    "distinct_l": "least number of targets in a class; larger is safer",
    "entropy_l": "the same by entropy; larger is safer",
    "recursive_c": "c of recursive (c, l)-diversity, for l of --l",
    "t": "greatest distance of the targets in a class from those of all records",
    "ordered_t": "the same for targets in an order",
    "beta": "greatest relative increase of the share of a target in a class",
    "enhanced_beta": "the same, less strict for rare targets",
    "delta": "greatest |logarithm| of such an increase or decrease; infinite where a class lacks a target",
    "delta_occurring": "the same among targets that occur in the class",
    "prosecutor": "greatest risk of re-identification, 1 / k",
    "marketer": "mean risk of re-identification",
}


def run(settings: Settings, messages: list[str]) -> tuple[str, int]:
    """The models as a table, as text or JSON, and the figure."""
    outputs.check_files(settings)
    found, columns_read = _models(settings, messages)
    columns = _columns(found)
    status = outputs.save_files(settings, messages, {"figure": lambda: _figure(found, settings)})
    if settings.get("json"):
        models = {name: {column: values[name] for column, values in columns.items()} for name in map(str, found)}
        return outputs.json_text({"models": models, "provenance": provenance(settings, found.attrs)}), status
    rows = [[name, *(_number(values[name]) for values in columns.values())] for name in map(str, found)]
    sections: Sections = {
        "What was read": [Facts(facts(settings, columns_read))],
        "Privacy models": [
            Grid(["", *columns], rows),
            "No model compares the two tables: a synthetic table that satisfies all of them can be a copy of the original. "
            "Use them beside average CAP (capstats audit), not in its place.",
        ],
        "How to read it": [Facts(tuple(MEANINGS.items())), "Larger is riskier unless said otherwise."],
    }
    return as_text(title("privacy models"), sections), status


def _models(settings: Settings, messages: list[str]) -> tuple[xr.Dataset, dict[str, Any]]:
    from capstats.anonymity import anonymity_profile
    from capstats.counting.tabulate import tabulate

    given = reading.tables(settings, (reading.ORIGINAL, reading.KEYS, reading.TARGET), (reading.SYNTHETIC, reading.EXAMPLE, reading.SEED))
    given.pop("provenance", None)
    given.pop("allow_no_match", None)
    with reading.levels_told(settings, messages):
        tables = given["original"] if isinstance(given["original"], xr.Dataset) else tabulate(**given)
    found = anonymity_profile(tables.o, tables.get("s", tables.o), l=settings.get("l", 2))
    columns = {"keys": tables.attrs["key_columns"], "target": tables.attrs["target_columns"]}
    return found if "s" in tables else found.sel(table=["original"]), columns


def _columns(found: xr.Dataset) -> dict[str, dict[str, float]]:
    """The models of the original, and of each synthetic table."""
    columns = {"original": found.sel(table="original")}
    if "synthetic" in found.dims:
        columns["original"] = columns["original"].isel(synthetic=0)
        columns |= {str(x): found.sel(table="synthetic").isel(synthetic=i) for i, x in enumerate(found.indexes["synthetic"])}
    elif found.sizes["table"] > 1:
        columns["synthetic"] = found.sel(table="synthetic")
    return {name: {str(model): one[model].values.item() for model in one} for name, one in columns.items()}


def _number(value: float) -> str:
    if np.isnan(value):
        return "undefined"
    if np.isinf(value):
        return "infinite"
    return f"{int(value):,}" if value == int(value) else f"{value:.3f}"


def _figure(found: xr.Dataset, settings: Settings) -> bytes:
    from capstats.plotting import plot_anonymity

    if "synthetic" in found.dims or found.sizes["table"] < 2:
        raise ValueError("the figure is of the original and one synthetic table. Give one SYNTHETIC.")
    told = provenance({}, found.attrs)
    return outputs.figure(plot_anonymity(found), settings["figure"], told["capstats"], outputs.json_text(told))


COMMAND = Command(
    "anonymity",
    "compute the privacy models of the original, and of synthetic records beside it",
    {
        "data": (
            reading.ORIGINAL,
            replace(reading.SYNTHETIC, help=f"{reading.SYNTHETIC.help}; may be left out"),
            reading.KEYS,
            reading.TARGET,
            reading.EXAMPLE,
            reading.SEED,
        ),
        "how it is read": reading.READING,
        "what is given": (L, outputs.JSON, replace(outputs.FIGURE, help="save both tables' models as a figure (PNG, PDF or SVG)")),
    },
    (
        ("k-anonymity and the others of one file", "capstats anonymity original.csv --keys age,sex,region --target income"),
        (
            "the original beside a release",
            "capstats anonymity original.csv synthetic.csv --keys age,sex --target income --figure models.png",
        ),
        ("on bundled data", "capstats anonymity --example titanic"),
    ),
    run,
)
