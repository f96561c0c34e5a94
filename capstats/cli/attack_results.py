"""Results of attacks on several releases, each by itself or the first ones taken together, and as text or JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.auditing.report import Facts, Grid, Sections, as_text
from capstats.cli import outputs
from capstats.cli.option_values import table_labels
from capstats.cli.options import Settings
from capstats.cli.reports import facts, provenance, title
from capstats.tables.printing import share

Table = tuple[list[str], list[list[Any]]]  # headings and rows


def attacked(synthetic: Any, settings: Settings) -> dict[str, Any]:
    """What is attacked at once, by its name: each release, or all of them under no name."""
    if isinstance(synthetic, dict) and "releases" not in settings:
        return synthetic
    return {"": list(synthetic.values()) if isinstance(synthetic, dict) else synthetic}


def each(tables: dict[str, Any], attack: Callable[[Any], xr.Dataset]) -> xr.Dataset:
    """The result of an attack; with dim ``synthetic`` where each of several releases is attacked by itself."""
    found = [attack(table) for table in tables.values()]
    return found[0] if len(found) == 1 else xr.concat(found, pd.Index(list(tables), name="synthetic"), combine_attrs="override")


def _together(files: Sequence[str], number: int) -> str:
    """The first releases by their names, as a row of a table has them."""
    first, *more = files[:number]
    return f"{first} and {more[0] if len(more) == 1 else f'{len(more)} more'}" if more else first


def told(settings: Settings, what: str, table: Table, sections: Sections, attrs: Any) -> str:
    """The result of an attack, as text or JSON."""
    head, rows = table
    if settings.get("json"):
        results = {"results": [dict(zip(head, row, strict=True)) for row in rows], "provenance": provenance(settings, attrs)}
        return outputs.json_text(results)
    shown = [[_cell(x) for x in row] for row in rows]
    if head[0] == "releases":
        files = table_labels(settings["synthetic"])
        head, shown = ["taken together", *head[1:]], [[_together(files, int(number)), *row] for number, *row in shown]
    grid = Grid(head, shown)
    columns = {name: attrs[f"{role}_columns"] for name, role in (("keys", "key"), ("target", "target")) if f"{role}_columns" in attrs}
    return as_text(title(what), {"What was read": [Facts(facts(settings, columns))], "Answer": [grid], **sections})


def _cell(value: Any) -> str:
    return f"{value:.3f}" if isinstance(value, float) and not 0 <= value <= 1 else share(value) if isinstance(value, float) else str(value)


def long_table(found: xr.Dataset, names: Sequence[str], dims: Sequence[str]) -> Table:
    """The variables of a result as a table, a row for each element of the dims that it has."""
    held = [dim for dim in dims if dim in found.dims]
    rows = []
    for place in np.ndindex(*(found.sizes[dim] for dim in held)):
        one = found.isel(dict(zip(held, place, strict=True)))
        labels = [found.indexes[dim][i] for dim, i in zip(held, place, strict=True)]
        rows.append([*(x if isinstance(x, str) else int(x) for x in labels), *(float(one[name]) for name in names)])
    return [*held, *names], rows
