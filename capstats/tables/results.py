"""What a function answers where several numbers belong together: an xarray Dataset that prints as a table to read."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, islice
from typing import Any

import numpy as np
import xarray as xr

from capstats.codes.printable import in_cell, printable, shortened
from capstats.tables.backing import listed
from capstats.tables.digits import alike, count
from capstats.tables.grids import Column, Grid, grids, label_text

WIDTH = 100  # characters of a line
LABELS = 60  # of them those of the labels of a row
CELL = "white-space:nowrap;padding:0.15em 1em 0.15em 0;border-bottom:1px solid #8886;font-variant-numeric:tabular-nums;"
TOLD = {  # attrs that are told under the table, and by which heading
    "key_columns": "keys",
    "target_columns": "target",
    "missing": "missing values",
    "dropped": "dropped",
    "weights": "weights",
    "counts": "counts",
    "bins": "bins",
    "null_values": "codes of missing values",
}
SILENT = {"result", "records", "categories", "levels", "likely_codes", "renamed", "unlabelled", "unmatched_tables", *TOLD, "capstats"}


class Result(xr.Dataset):  # type: ignore[no-untyped-call]
    """An xarray Dataset, printed as a table.

    Everything that xarray does with a Dataset works. The table shows the first rows; `to_dataset` gives the plain Dataset, which prints as
    xarray prints it, with all dims, types and attrs. The name of the result is ``attrs["result"]``.

    Examples
    --------
    >>> from capstats import from_counts
    >>> keys, targets = {"smoker": ["no", "yes"]}, {"health": ["sick", "well"]}
    >>> from_counts([[3, 1], [1, 2]], [[2, 2], [0, 3]], key_labels=keys, target_labels=targets)  # doctest: +ELLIPSIS
    Counts of records (target 2, key 2): o 7, s 7
    <BLANKLINE>
            --- o ----  --- s ----
    smoker  sick  well  sick  well
    no         3     1     2     0
    yes        1     2     2     3
    <BLANKLINE>
    keys: smoker; target: health; capstats ...
    """

    __slots__ = ()

    def to_dataset(self) -> xr.Dataset:
        """The same as a plain xarray Dataset."""
        return xr.Dataset(self.data_vars, self.coords, self.attrs)

    def __repr__(self) -> str:
        if not self._is_held():
            return super().__repr__()
        blocks = [line for grid in grids(self) for line in ["", *_lines(grid)]]
        return "\n".join([*_wrapped(_title(self)), *blocks, *(["", *told] if (told := _wrapped(_told(self))) else [])])

    def _repr_html_(self) -> str:
        if not self._is_held():
            return super()._repr_html_()
        tables = "".join(map(_table, grids(self)))
        return f"<div style='overflow-x:auto'><p>{html.escape(_title(self))}</p>{tables}<p>{html.escape(_told(self))}</p></div>"

    def _is_held(self) -> bool:
        """Whether dims have names and numbers are at hand: those of a lazy array are not computed to be printed."""
        return all(isinstance(dim, str) for dim in self.sizes) and all(
            isinstance(data := array.variable.data, np.ndarray) or hasattr(data, "fill_value") for array in self.data_vars.values()
        )


# --- first and last line ----------------------------------------------------------------------------------------------


def _title(result: xr.Dataset) -> str:
    """Which result it is, its dims, and the records of the tables that it holds or of which it tells."""
    counts = [name for name in ("o", "s", "h") if name in result.data_vars and {"target", "key"} <= set(result[name].dims)]
    name = result.attrs.get("result", "Counts of records" if counts else "Result")
    sizes = ", ".join(f"{dim} {size:,}" for dim, size in result.sizes.items())
    records = [f"{name} {_total(result[name])}" for name in counts if result[name].ndim == 2 and result[name].dtype.kind in "iuf"]
    if "records" in result.attrs:
        given = result.attrs["records"]
        records = [f"{' to '.join(map(_fact, given if isinstance(given, (list, tuple)) else [given]))} records"]
    return printable(f"{name}{f' ({sizes})' if sizes else ''}{': ' if records else ''}{', '.join(records)}")


def _total(table: xr.DataArray) -> str:
    """The sum of a table of counts."""
    return alike(np.array([listed(table.variable.data)[1].sum()]))[0]


def _told(result: xr.Dataset) -> str:
    """Where the numbers come from: the columns, what was done with records, labels that were selected, and the version."""
    attrs = result.attrs
    facts = [(heading, attrs[name]) for name, heading in TOLD.items() if name in attrs and not attrs.get("unlabelled")]
    facts += [(str(name), value) for name, value in attrs.items() if name not in SILENT]
    chosen = [(str(name), array.item()) for name, array in result.coords.items() if not array.ndim]
    chosen += [(str(dim), index[0]) for dim, index in result.indexes.items() if len(index) == 1 and _is_across(result, dim)]
    told = [f"{in_cell(name)}: {shortened(_fact(value), 60)}" for name, value in facts]
    told += [f"{in_cell(name)} = {label_text(value)}" for name, value in chosen]
    told += [f"capstats {in_cell(attrs['capstats'])}"] if "capstats" in attrs else []
    if attrs.get("levels"):
        told.insert(0, "the tables' levels differ (compare_levels)")
    hidden = [in_cell(name) for name, array in result.coords.items() if array.ndim > 1]
    return "; ".join([*told, *([f"not shown: {', '.join(hidden)}"] if hidden else [])])


def _is_across(result: xr.Dataset, dim: Any) -> bool:
    """Whether no table shows the label of a dim of size 1."""
    return dim not in ("target", "key") and not any(array.dims == (dim,) for array in result.data_vars.values())


def _fact(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{in_cell(name)} {_fact(of)}" for name, of in islice(value.items(), 20))
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_fact, value[:20]))
    return count(value) if type(value) is int else f"{value:.12g}" if isinstance(value, float) else in_cell(value)


# --- text -------------------------------------------------------------------------------------------------------------


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, break_on_hyphens=False) if text else []


def _lines(grid: Grid) -> list[str]:
    """A table of text: columns that do not fit beside each other follow in further blocks, with the labels once more."""
    if grid.may_turn and (not grid.labels or sum(_width(column) + 2 for column in [*_narrowed(grid.labels), *grid.columns]) - 2 > WIDTH):
        grid = grid.turned
    labels = _narrowed(grid.labels)
    wide = sum(_width(label) + 2 for label in labels)
    blocks: list[list[Column]] = []
    left = 0
    for _, group in groupby(grid.columns, key=lambda column: column.over or column):
        held = list(group)
        together = sum(_width(column) + 2 for column in held) <= WIDTH - wide + 2
        for part in [held] if together else [[column] for column in held]:
            needed = sum(_width(column) + 2 for column in part)
            if not blocks or left < needed:
                blocks.append([])
                left = WIDTH - wide + 2
            blocks[-1] += part
            left -= needed
    lines = [line for i, block in enumerate(blocks) for line in [*([""] if i else []), *_lines_of(labels, block)]]
    return [*lines, *([_more(grid)] if grid.more else [])]


def _lines_of(labels: Sequence[Column], columns: Sequence[Column]) -> list[str]:
    left = [[label.heading, *label.cells] for label in labels]
    right = [[column.heading, *column.cells] for column in columns]
    wide, narrow = [_width(label) for label in labels], [_width(column) for column in columns]
    rows = [
        [f"{cells[i]:<{w}}" for cells, w in zip(left, wide, strict=True)]
        + [f"{cells[i]:>{w}}" for cells, w in zip(right, narrow, strict=True)]
        for i in range(len(right[0]))
    ]
    lines = ["  ".join(row).rstrip() for row in rows]
    if any(column.over for column in columns):
        spans = [f"{f' {name} ' if name else '':{'-' if name else ''}^{width}}" for name, width in _spans(columns, narrow)]
        lines = ["  ".join([*(" " * w for w in wide), *spans]).rstrip(), *lines]
    return lines


def _spans(columns: Sequence[Column], widths: Sequence[int]) -> Iterator[tuple[str, int]]:
    """The headings that columns share, each with the characters of its columns."""
    for name, group in groupby(zip(columns, widths, strict=True), key=lambda pair: pair[0].over):
        held = [width for _, width in group]
        yield shortened(name, max(sum(held) + 2 * len(held) - 4, 1)) if name else "", sum(held) + 2 * len(held) - 2


def _width(column: Column) -> int:
    return max(map(len, [column.heading, *column.cells]))


def _narrowed(labels: Sequence[Column]) -> list[Column]:
    """Columns of labels, shortened where they take too much of a line; one for all where they are too many for that."""
    held = list(labels)
    for most in range(32, 5, -2):
        if sum(_width(label) + 2 for label in held) <= LABELS:
            return held
        held = [Column("", shortened(x.heading, most), [shortened(cell, most) for cell in x.cells]) for x in labels]
    cells = [", ".join(row) for row in zip(*(label.cells for label in labels), strict=True)]
    return [Column("", shortened(", ".join(x.heading for x in labels), LABELS), [shortened(cell, LABELS) for cell in cells])]


def _more(grid: Grid) -> str:
    return f"... {grid.more:,} more row{'' if grid.more == 1 else 's'}"


# --- HTML -------------------------------------------------------------------------------------------------------------


def _table(grid: Grid) -> str:
    """A table of HTML, in which every text is escaped."""
    shown = grid.turned if grid.may_turn and (not grid.labels or len(grid.columns) > 8) else grid
    spans = [(over, len(list(group))) for over, group in groupby(column.over for column in shown.columns)]
    over = f"<tr><td colspan='{len(shown.labels)}'></td>{''.join(_th(name, 'center', span) for name, span in spans)}</tr>"
    own = "".join(_th(x.heading, "left") for x in shown.labels) + "".join(_th(x.heading, "right") for x in shown.columns)
    rows = []
    for i in range(len(shown.columns[0].cells)):
        labels = "".join(f"<th scope='row' style='{CELL}text-align:left'>{html.escape(x.cells[i])}</th>" for x in shown.labels)
        cells = "".join(f"<td style='{CELL}text-align:right'>{html.escape(x.cells[i])}</td>" for x in shown.columns)
        rows.append(f"<tr>{labels}{cells}</tr>")
    head = f"<thead>{over if any(name for name, _ in spans) else ''}<tr>{own}</tr></thead>"
    more = f"<p>{_more(grid)}</p>" if grid.more else ""
    return f"<table style='border-collapse:collapse'>{head}<tbody>{''.join(rows)}</tbody></table>{more}"


def _th(text: str, side: str, span: int = 1) -> str:
    wide = f" colspan='{span}' scope='colgroup'" if span > 1 else " scope='col'"
    return f"<th{wide} style='{CELL}text-align:{side}'>{html.escape(text)}</th>"
