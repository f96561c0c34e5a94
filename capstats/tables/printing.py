"""How results print: numbers as text, the variables of a Dataset as tables to read, and these as text and HTML."""

from __future__ import annotations

import html
import json
import math
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.labels import canonical
from capstats.codes.names import in_cell, printable, shortened
from capstats.tables.backing import is_sparse, listed
from capstats.tables.table import Array, Index
from capstats.tables.ties import TIE

OPTION = re.compile(r"'--[^']*'|--[a-z-]+ (?:'[^']*'|[^\s'])+")  # of the command line, with its value
WIDTH = 100  # characters of a line
LABELS = 60  # characters of these for the labels of a row
SMALL = 0.001  # a difference of shares up to which they may look alike as percent
CELL = "white-space:nowrap;padding:0.15em 1em 0.15em 0;border-bottom:1px solid #8886;font-variant-numeric:tabular-nums;"
NOTES = {  # attrs that are printed under the table, and their headings
    "key_columns": "keys",
    "target_columns": "target",
    "missing": "missing values",
    "dropped": "dropped",
    "weights": "weights",
    "counts": "counts",
    "bins": "bins",
    "null_values": "codes of missing values",
}
OF_LEVELS = {"categories", "levels", "likely_codes", "unmatched_tables", "fine_keys", "fine_targets"}
SILENT = {"result", "printed", "records", "renamed", "unlabelled", "capstats", *OF_LEVELS, *NOTES}


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

    def to_netcdf(self, *arguments: Any, **options: Any) -> Any:
        """As `xarray.Dataset.to_netcdf`: labels of several columns are written as coordinates, lists among the attrs as JSON.

        ``xarray.open_dataset`` opens the file, and every function of capstats takes the tables in it by these labels. What is known of
        columns, such as the order of categories, and labels that are missing or dates are written by `write_counts` alone.
        """
        several = [dim for dim in self.dims if isinstance(self.indexes.get(dim), pd.MultiIndex)]
        plain = self.to_dataset().reset_index(several)
        for name, array in plain.coords.items():
            if array.dtype == object and not all(isinstance(label, (str, int, float)) for label in array.values):
                raise ValueError(
                    f"netCDF has no missing labels, and no dates: {name!r} holds some. `write_counts` writes tables with any labels."
                )
        of_tables = {name: x for name, x in self.attrs.items() if not isinstance(x, dict)}
        plain.attrs = {name: json.dumps(x) if isinstance(x, (list, tuple, bool)) else x for name, x in of_tables.items()}
        return plain.to_netcdf(*arguments, **options)

    def __repr__(self) -> str:
        if not self._is_held():
            return super().__repr__()
        blocks = [line for grid in grids(self) for line in ["", *_lines(grid)]]
        return "\n".join([*wrapped(_title(self)), *blocks, *(["", *notes] if (notes := wrapped(_notes(self))) else [])])

    def _repr_html_(self) -> str:
        if not self._is_held():
            return super()._repr_html_()
        tables = "".join(map(_table, grids(self)))
        return (
            f"<div style='overflow-x:auto' tabindex='0'><p>{html.escape(_title(self))}</p>{tables}<p>{html.escape(_notes(self))}</p></div>"
        )

    def _is_held(self) -> bool:
        """Whether dims have names and numbers are available: those of a lazy array are not computed to be printed."""
        return all(isinstance(dim, str) for dim in self.sizes) and all(
            isinstance(data := array.variable.data, np.ndarray) or hasattr(data, "fill_value") for array in self.data_vars.values()
        )


# --- first and last line ----------------------------------------------------------------------------------------------


def _title(result: xr.Dataset) -> str:
    """The name of the result, its dims, and the numbers of records of its tables."""
    tables = {name: result[name].variable for name in ("o", "s", "h") if name in result.data_vars}
    counts = {name: table for name, table in tables.items() if {"target", "key"} <= set(table.dims)}
    name = result.attrs.get("result", "Counts of records" if counts else "Result")
    sizes = ", ".join(f"{dim} {size:,}" for dim, size in result.sizes.items())
    records = [f"{name} {alike(listed(x.data)[1].sum()[None])[0]}" for name, x in counts.items() if x.ndim == 2 and x.dtype.kind in "iuf"]
    if "records" in result.attrs:
        records = [of_records(result.attrs["records"], result.attrs.get("weights"))]
    return printable(f"{name}{f' ({sizes})' if sizes else ''}{': ' if records else ''}{', '.join(records)}")


def _notes(result: xr.Dataset) -> str:
    """The origin of the numbers: the columns, how records were treated, labels that were selected, and the version."""
    attrs = result.attrs
    facts = [(heading, attrs[name]) for name, heading in NOTES.items() if attrs.get(name) and not attrs.get("unlabelled")]
    facts += [(str(name), value) for name, value in attrs.items() if name not in SILENT]
    chosen = [(str(name), array.item()) for name, array in result.coords.items() if not array.ndim]
    chosen += [(str(dim), index[0]) for dim, index in result.indexes.items() if len(index) == 1 and _is_across(result, dim)]
    notes = [f"{in_cell(name)}: {shortened(_fact(value), 60)}" for name, value in facts]
    notes += [f"{in_cell(name)} = {label_text(value)}" for name, value in chosen]
    notes += [f"capstats {in_cell(attrs['capstats'])}"] if "capstats" in attrs else []
    if any(entry["absent"] or entry["foreign"] for of in attrs.get("levels", {}).values() for entry in of.values()):
        notes.insert(0, "the tables' levels differ (compare_levels)")
    printed = _printed(result)
    hidden = [in_cell(name) for name in result.data_vars if str(name) not in printed]
    hidden += [in_cell(name) for name, array in result.coords.items() if array.ndim > 1]
    return "; ".join([*notes, *([f"not shown: {', '.join(hidden)}"] if hidden else [])])


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


def _lines(grid: Grid) -> list[str]:
    """A table of text: columns that do not fit beside each other follow in further blocks, with the labels once more."""
    if grid.may_turn and (not grid.labels or _width(*_narrowed(grid.labels), *grid.columns) > WIDTH):
        grid = grid.turned
    labels = _narrowed(grid.labels)
    blocks: list[list[Column]] = []
    for _, group in groupby(grid.columns, key=lambda column: column.over or column):
        held = list(group)
        for part in [held] if _width(*labels, *held) <= WIDTH else [[column] for column in held]:
            if blocks and _width(*labels, *blocks[-1], *part) <= WIDTH:
                blocks[-1] += part
            else:
                blocks.append(part)
    lines = [line for i, block in enumerate(blocks) for line in [*([""] if i else []), *lines_of(labels, block)]]
    return [*lines, *([_more(grid)] if grid.more else [])]


def lines_of(labels: Sequence[Column], columns: Sequence[Column]) -> list[str]:
    """Columns beside each other: labels at the left end of theirs, numbers at the right end."""
    padded = [[f"{text:<{_width(label)}}" for text in (label.heading, *label.cells)] for label in labels]
    padded += [[f"{text:>{_width(column)}}" for text in (column.heading, *column.cells)] for column in columns]
    lines = ["  ".join(row).rstrip() for row in zip(*padded, strict=True)]
    if any(column.over for column in columns):
        lines.insert(0, "  ".join([*(" " * _width(label) for label in labels), *_spans(columns)]).rstrip())
    return lines


def _spans(columns: Sequence[Column]) -> Iterator[str]:
    """The headings that columns share, each as wide as its columns."""
    for name, group in groupby(columns, key=lambda column: column.over):
        width = _width(*group)
        yield f"{f' {shortened(name, max(width - 2, 1))} ':-^{width}}" if name else " " * width


def _width(*columns: Column) -> int:
    """The characters of a line of columns, with two spaces between them."""
    return sum(max(map(len, [column.heading, *column.cells])) + 2 for column in columns) - 2


def _narrowed(labels: Sequence[Column]) -> list[Column]:
    """Columns of labels, shortened where they take too much of a line; one for all where they are too many for that."""
    held = list(labels)
    for most in range(32, 5, -2):
        if _width(*held) <= LABELS - 2:
            return held
        held = [Column("", shortened(x.heading, most), [shortened(cell, most) for cell in x.cells]) for x in labels]
    cells = [", ".join(row) for row in zip(*(label.cells for label in labels), strict=True)]
    return [Column("", shortened(", ".join(x.heading for x in labels), LABELS), [shortened(cell, LABELS) for cell in cells])]


def _more(grid: Grid) -> str:
    return f"... {grid.more:,} more row{'' if grid.more == 1 else 's'}"


# --- HTML -------------------------------------------------------------------------------------------------------------


def _table(grid: Grid) -> str:
    """A table of HTML, in which every text is escaped."""
    if grid.may_turn and (not grid.labels or len(grid.columns) > 8):
        grid = grid.turned
    spans = [(over, len(list(group))) for over, group in groupby(column.over for column in grid.columns)]
    over = [_cell(name, "center", f"th colspan='{n}' scope='colgroup'" if n > 1 else "th scope='col'") for name, n in spans]
    head = [f"<td colspan='{len(grid.labels)}'></td>{''.join(over)}"] if any(name for name, _ in spans) else []
    columns = [[_cell(x.heading, "left"), *(_cell(text, "left", "th scope='row'") for text in x.cells)] for x in grid.labels]
    columns += [[_cell(x.heading, "right"), *(_cell(text, "right", "td") for text in x.cells)] for x in grid.columns]
    own, *body = map("".join, zip(*columns, strict=True))
    parts = [f"<{part}>{''.join(f'<tr>{row}</tr>' for row in rows)}</{part}>" for part, rows in (("thead", [*head, own]), ("tbody", body))]
    return f"<table style='border-collapse:collapse'>{''.join(parts)}</table>{f'<p>{_more(grid)}</p>' if grid.more else ''}"


def _cell(text: str, side: str, tag: str = "th scope='col'") -> str:
    return f"<{tag} style='{CELL}text-align:{side}'>{html.escape(text)}</{tag[:2]}>"


# --- variables as tables ---------------------------------------------------------------------------------------------


ROWS = 20  # rows of a table that are shown
ACROSS = 12  # the most columns made of the dims of a table's variables
TURNED = 6  # a table that is too wide and has at most this number of rows is transposed: a row for each variable
LONGEST = 32  # characters of a label

Dims = tuple[str, ...]


@dataclass(frozen=True)
class Column:
    """A column: the heading shared with its neighbours, its own heading, and its cells."""

    over: str
    heading: str
    cells: Sequence[str]


@dataclass(frozen=True)
class Grid:
    """A table: columns of labels, columns of values, and the number of rows that are not shown."""

    labels: Sequence[Column]
    columns: Sequence[Column]
    more: int = 0

    @property
    def turned(self) -> Grid:
        """The transposed table, with a row for each column; only for tables that ``may_turn``."""
        names = Column("", "", [column.heading for column in self.columns])
        heads = [", ".join(cells) for cells in zip(*(label.cells for label in self.labels), strict=True)] or ["value"]
        values = zip(*(column.cells for column in self.columns), strict=True)
        return Grid([names], [Column("", shortened(head, LONGEST), cells) for head, cells in zip(heads, values, strict=True)])

    @property
    def may_turn(self) -> bool:
        """Whether the table has few rows, all of them shown, and no shared headings."""
        return not self.more and not any(column.over for column in self.columns) and 0 < len(self.columns[0].cells) <= TURNED


def _printed(result: xr.Dataset) -> dict[str, xr.DataArray]:
    """The variables that are printed: those that ``attrs["printed"]`` names, where the result has any of them, otherwise all."""
    variables = {str(name): array for name, array in result.data_vars.items()}
    return {name: variables[name] for name in result.attrs.get("printed", ()) if name in variables} or variables


def grids(result: xr.Dataset) -> list[Grid]:
    """One table for all variables with the same dims as rows, in the order of the variables."""
    variables = _printed(result)
    shapes = [frozenset(array.dims) for array in variables.values()]
    groups: dict[Dims, dict[str, Dims]] = {}
    for name, array in variables.items():
        across = _across(array, shapes.count(frozenset(array.dims)))
        down = tuple(sorted((str(dim) for dim in array.dims if dim not in across), key=lambda dim: dim == "target"))
        down = next((dims for dims in groups if set(dims) == set(down)), down)
        groups.setdefault(down, {})[name] = across
    return [_grid(result, down, {name: (variables[name], across) for name, across in group.items()}) for down, group in groups.items()]


def _across(array: xr.DataArray, variables: int) -> Dims:
    """The dims of an array that become columns: measures, which have different units; target in a table of counts; short ones."""
    dims = sorted(map(str, array.dims), key=lambda dim: (dim != "measure", array.sizes[dim]))
    counts = {"target", "key"} <= set(dims)
    chosen: list[str] = []
    cells = variables
    for dim in ["target", *(dim for dim in dims if dim not in ("target", "key"))] if counts else dims[:-1]:
        if not array.sizes[dim]:
            continue
        cells *= array.sizes[dim]
        if cells > ACROSS and dim != "measure":
            break
        chosen.append(dim)
    return tuple(str(dim) for dim in array.dims if dim in chosen)


def _grid(result: xr.Dataset, down: Dims, variables: dict[str, tuple[xr.DataArray, Dims]]) -> Grid:
    sizes = [result.sizes[dim] for dim in down]
    rows = math.prod(sizes)
    shown = np.unravel_index(np.arange(min(rows, ROWS)), sizes) if down else ()
    labels = [label for dim, where in zip(down, shown, strict=True) for label in _labels(result, dim, where)]
    columns = [
        column
        for name, (array, across) in variables.items()
        for column in _columns(result, name, array, dict(zip(down, shown, strict=True)), across)
    ]
    return Grid(labels, columns, rows - min(rows, ROWS))


def _columns(result: xr.Dataset, name: str, array: xr.DataArray, shown: dict[str, Index], across: Dims) -> Iterator[Column]:
    """A column for each combination of the labels of the dims across; each has a format of its own for its numbers."""
    sizes = [result.sizes[dim] for dim in across]
    ends = {str(dim): size for dim, size in result.sizes.items()}
    ends |= {dim: int(where.max(initial=-1)) + 1 for dim, where in shown.items()}
    corner = _corner(array.variable.data, [ends[str(dim)] for dim in array.dims])
    values = corner.transpose([array.dims.index(dim) for dim in (*shown, *across)])[tuple(shown.values())]
    cells = [[shortened(text, LONGEST) for text in alike(column)] for column in values.reshape(-1, math.prod(sizes)).T]
    places = np.unravel_index(np.arange(math.prod(sizes)), sizes) if across else ()
    held = [(dim, at) for dim, at in zip(across, places, strict=True) if result.sizes[dim] > 1 or dim == "target"]
    heads = [[", ".join(labels) for labels in zip(*_cells(result, dim, at), strict=True)] for dim, at in held]
    if not held or len(cells) == 1:
        labels = f"[{', '.join(head[0] for head in heads)}]" if held else ""
        yield from [Column("", f"{label_text(name)}{labels}", column) for column in cells]
        return
    spans = [f"{label_text(name)}[{', '.join(outer)}]" if outer else label_text(name) for *outer, _ in zip(*heads, strict=True)]
    for over, own, column in zip(spans, heads[-1], cells, strict=True):
        yield Column(over, own.rjust(math.ceil((len(over) + 6) / spans.count(over)) - 2), column)


def _corner(data: Any, shape: Sequence[int]) -> Array:
    """The first cells of an array along each dim, as a numpy array; a sparse array is densified only there."""
    if not is_sparse(data):
        return np.asarray(data[tuple(map(slice, shape))])
    if not shape:
        return np.asarray(data.todense())
    coords, values = listed(data)
    inside = np.all([where < end for where, end in zip(coords, shape, strict=True)], axis=0)
    found = np.full(tuple(shape), data.fill_value, values.dtype)
    found[tuple(where[inside] for where in coords)] = values[inside]
    return found


# --- labels -----------------------------------------------------------------------------------------------------------


def _labels(result: xr.Dataset, dim: str, where: Index) -> list[Column]:
    """The labels of rows along a dim: a column for each level of its index and each further coordinate; numbers where there is none."""
    index = result.indexes.get(dim)
    names = list(map(str, index.names)) if isinstance(index, pd.MultiIndex) else [dim]
    found = [Column("", label_text(name), cells) for name, cells in zip(names, _cells(result, dim, where), strict=True)]
    others = {str(name): array for name, array in result.coords.items() if name not in result.xindexes and array.dims == (dim,)}
    beside = [Column("", label_text(name), list(map(label_text, np.asarray(array.variable.data)[where]))) for name, array in others.items()]
    return [*(found if index is not None or not beside else []), *beside]


def _cells(result: xr.Dataset, dim: str, where: Index) -> list[list[str]]:
    """The labels at some places of a dim as text, for each level of its index; their numbers where there is none."""
    index = result.indexes.get(dim)
    if index is None:
        return [[f"{place}" for place in where]]
    labels = index[where]
    levels = [labels.get_level_values(i) for i in range(labels.nlevels)] if isinstance(labels, pd.MultiIndex) else [labels]
    return [[label_text(label) for label in level] for level in levels]


def label_text(label: object) -> str:
    """A label as text, without control characters, shortened if it is long."""
    label = canonical(label)
    text = f"{label:.12g}" if isinstance(label, float) else in_cell(label)
    return shortened(text, LONGEST)


# --- numbers as text -------------------------------------------------------------------------------------------------


def share(value: Any, digits: int = 3, whole: int = 1) -> str:
    """A share, printed as 0 or 1 only where it is exactly that; as a part of another ``whole`` than 1, if one is given."""
    if np.isnan(value):
        return "undefined"
    number, least = round(float(whole * value), digits), 10.0**-digits
    if abs(value) > TIE and number == 0:
        return f"{'<' if value > 0 else '>-'}{least:.{digits}f}"
    if 1 - abs(value) > TIE and abs(number) == whole:
        return f"{'>' if value > 0 else '<-'}{whole - least:,.{digits}f}"
    return f"{number + 0.0:,.{digits}f}"


def part(value: Any, whole: int, digits: int = 1) -> str:
    """A share as a sentence has it, as a part of 100 or of a number of people: "31", "30.7"."""
    text = share(value, digits, whole).replace("-", "\u2212")
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(value: Any, digits: int = 1) -> str:
    """A share as a sentence has it: "31 %", "30.7 %"."""
    text = part(value, 100, digits)
    return text if text == "undefined" else f"{text} %"


def unbroken(text: str) -> str:
    """A text in which no line ends between a number and its per cent sign."""
    return re.sub(r"(?<=\d) %", "\u00a0%", text)


def wrapped(text: str, width: int = WIDTH, *, whole_words: bool = False) -> list[str]:
    """A text as lines; none ends within an option of the command line and its value, which are to be pasted."""
    whole = OPTION.sub(lambda found: found[0].replace(" ", "\u00a0"), unbroken(text))
    lines = textwrap.wrap(whole, width, break_long_words=not whole_words, break_on_hyphens=False)
    return [line.replace("\u00a0", " ") for line in lines]


def count(value: Any) -> str:
    """A number of records, with one decimal unless it is whole, and printed as 0 only where it is exactly that."""
    if np.isnan(value):
        return "undefined"
    whole = round(value)
    if abs(value - whole) <= TIE * max(1, abs(whole)):
        return f"{whole:,}"
    return "<0.1" if 0 < value < 0.05 else f"{value:,.1f}"


def shares(values: Iterable[Any], digits: int = 3) -> list[str]:
    """Several shares."""
    return [share(x, digits) for x in values]


def counts(values: Iterable[Any]) -> list[str]:
    """Several numbers of records."""
    return [count(x) for x in values]


def many(n: Any, what: str) -> str:
    """A count with its noun: `3 records`, `1 record`, `2 people`."""
    return f"{count(n)} {what if n == 1 else 'people' if what == 'person' else f'{what}s'}"


def of_records(numbers: Any, weights: Any = None) -> str:
    """Numbers of records from the least to the greatest, `3 to 5 records`; of sums of sampling weights `weighted to 6,150`."""
    given = numbers if isinstance(numbers, (list, tuple)) else [numbers]
    ends = " to ".join(dict.fromkeys(count(x) if isinstance(x, (int, float)) and np.isfinite(x) else _fact(x) for x in given))
    weighted = weights.get("original") if isinstance(weights, Mapping) else weights
    return f"weighted to {ends}" if weighted else f"{ends} record{'s' * (ends != '1')}"


def alike(values: Array) -> list[str]:
    """The values of one variable as text: whole numbers with commas, others with decimals for three digits of the largest.

    Shares have four decimals at least.
    Those that are all smaller than 10^-6 have three digits.
    """
    if values.dtype.kind == "b":
        return ["yes" if value else "no" for value in values.tolist()]
    if values.dtype.kind in "iu":
        return [f"{value:,}" for value in values.tolist()]
    if values.dtype.kind != "f":
        return [in_cell(canonical(value)) for value in values]
    sizes = np.abs(values[np.isfinite(values)])
    largest = sizes.max(initial=0.0)
    if (sizes == np.trunc(sizes)).all():
        digits = 0
    else:
        digits = int(np.clip(3 - np.ceil(np.log10(largest)), 1, 3) if largest > 1 else np.clip(2 - np.floor(np.log10(largest)), 4, 9))
    return [_number(value, digits) for value in values.tolist()]


def _number(value: float, digits: int) -> str:
    if not np.isfinite(value):
        return "undefined" if np.isnan(value) else f"{'-' if value < 0 else ''}infinite"
    if digits > 8:
        return f"{value:.3g}"
    return share(value, digits) if digits and abs(value) <= 1 else f"{value + 0.0:,.{digits}f}"
