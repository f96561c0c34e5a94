"""The files of the regenerated paper: its tables, as rows and as a page, and its figures, each with how it came to be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.names import printable, shortened
from capstats.datasets import paper_originals, paper_synthetics, smoking
from capstats.sources.confidential import check_replaceable
from capstats.sources.disk import write_file

HEADS = {"values.csv": ["section", "value", "printed", "computed", "agrees"], "tables.csv": ["table", "target", "key", "count"]}
FIGURES = ("figure-1", "figure-2", "tables")
ENDINGS = (".png", ".pdf")


def check_folder(folder: Path) -> None:
    """Raise if a file of the folder has the name of one that is written, and was not written by capstats."""
    check_replaceable((folder / name, f"{','.join(head)}\n") for name, head in HEADS.items())
    check_replaceable((folder / f"{name}{ending}", None) for name in FIGURES for ending in ENDINGS)


def numbered() -> dict[str, xr.DataArray]:
    """The paper's tables, by their numbers in the paper."""
    smokers, o, s = smoking(), paper_originals(), paper_synthetics()
    tables = {"Table 1: O": smokers.o, "Table 2: S": smokers.s}
    tables |= {f"Table {3 + i}: {label}": o.sel(original=label, drop=True) for i, label in enumerate(o.original.values)}
    tables |= {f"Table {7 + i}: S_{label}": s.sel(synthetic=label, drop=True) for i, label in enumerate("bgae")}
    return tables


def labelled(*batches: xr.DataArray) -> dict[str, xr.DataArray]:
    """The tables of batches, by their labels along the dims of each."""
    return {
        " ".join(str(batch[dim].values[i]) for dim, i in zip(batch.dims, at, strict=False)): batch[at]
        for batch in batches
        for at in np.ndindex(batch.shape[:-2])
    }


def table_rows(tables: Mapping[str, xr.DataArray]) -> Iterator[list[Any]]:
    """The cells of tables: table, target, key, count; labels of several columns are one text."""
    for name, table in tables.items():
        targets, keys = ([", ".join(map(str, np.atleast_1d(x))) for x in table.get_index(dim)] for dim in ("target", "key"))
        for target, counts in zip(targets, table.values.tolist(), strict=True):
            for key, count in zip(keys, counts, strict=True):
                yield [name, target, key, count]


def symbol(label: Any) -> str:
    """A label as text of a figure; one such as O_1 with a subscript."""
    return f"${label}$" if re.fullmatch(r"[A-Z]_[A-Za-z0-9]", str(label)) else shortened(printable(label), 24).replace("$", r"\$")


def write_csv(path: Path, rows: Iterator[list[Any]]) -> Path:
    """The rows below the head of the file, in a file with the same line ends everywhere."""
    write_file(path, pd.DataFrame(rows, columns=HEADS[path.name]).to_csv(index=False, lineterminator="\n"), private=False)
    return path


def panels(path: Path, draw: Callable[[Any, str], None], labels: list[str], description: Mapping[str, Any], below: str = "") -> list[Path]:
    """A figure of two panels in a row, each drawn by its label, under one legend, with a text below."""
    import matplotlib.pyplot as plt
    from matplotlib.font_manager import FontProperties

    columns, rows = min(2, len(labels)), -(-len(labels) // 2)
    size = max(5 * columns, 7), 3.5 * rows
    figure, axes = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    for ax, label in zip(axes.flat, labels, strict=False):
        draw(ax, label)
    for ax in axes.flat[len(labels) :]:
        ax.axis("off")
    handles, names = axes.flat[0].get_legend_handles_labels()
    legend = figure.legend(handles, names, loc="outside lower center", ncols=1 + columns, frameon=False)
    legend.set_title(fill(below, 130), FontProperties(size="small"))
    return _save(figure, path, description)


def tables_page(path: Path, description: Mapping[str, Any]) -> list[Path]:
    """The paper's ten tables on a page."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(5, 2, figsize=(7, 9.5), layout="constrained")
    for ax, (name, table) in zip(axes.flat, numbered().items(), strict=True):
        ax.axis("off")
        number, _, label = name.partition(": ")
        ax.set_title(f"{number}: ${label}$", fontsize=10)
        ax.table(
            [[f"{x}" for x in row] for row in table.values],
            rowLabels=list(map(symbol, table.indexes["target"])),
            colLabels=[symbol(x) for (x,) in table.indexes["key"]],
            loc="center",
            cellLoc="right",
            colLoc="right",
            bbox=[0.2, 0.05, 0.75, 0.9],
            edges="horizontal",
        )
    return _save(figure, path, description)


def _save(figure: Any, path: Path, description: Mapping[str, Any]) -> list[Path]:
    """Save the figure as PNG and PDF, with its provenance in the metadata of the files."""
    import matplotlib.pyplot as plt

    from capstats.cli.outputs import in_format

    about = json.dumps(description, ensure_ascii=False)
    files = [path.with_suffix(ending) for ending in ENDINGS]
    for file in files:
        undated = {"CreationDate": None} if file.suffix == ".pdf" else {}
        write_file(file, in_format(figure, file.suffix, about, **undated), private=False)
    plt.close(figure)
    return files
