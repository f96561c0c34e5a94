"""All tables of a request: counted, and then put on common axes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import zip_longest
from typing import Any, cast

import numpy as np
import xarray as xr

from capstats.codes.arguments import said
from capstats.codes.bins import Cut
from capstats.codes.column import Column, Counts, Places
from capstats.codes.labels import MISSING, Label, canonical, plain
from capstats.codes.progress import Progress
from capstats.counting.beyond_chance import Copies
from capstats.counting.compared import columns_in_common
from capstats.counting.copies import Search, find_copies
from capstats.counting.many_rows import too_many
from capstats.counting.reading import Counted, Input, Part, check_codes, each, find_cuts, inputs_of, read, released, without_missing
from capstats.counting.request import Request, check_options
from capstats.counting.same import check_records, check_tables, pairs
from capstats.sources.door import labels_in
from capstats.sources.files import FileSource, one_connection
from capstats.sources.memory import MemorySource, arranged
from capstats.tables.axes import UNLABELLED, join_columns, stored_names
from capstats.tables.backing import Data, choose_sparse, stacked, table_of
from capstats.tables.dataset import SUMS, dataset
from capstats.tables.fineness import MANY
from capstats.tables.levels import Entry, LevelsWarning, callers, missing_codes, shares_nothing, warn_of_levels, with_compared

OF_COUNTS = {"count", "counts", "freq", "frequency", "n", "nobs"}  # names of columns that usually hold numbers of records
FEWEST = 4  # rows of a table of counts that is noticed
LARGEST = 31 << 20  # bytes of an array up to which glibc may keep its memory
SPARSEST = 4  # the most combinations of levels for each row of a table that may list its filled cells
ANY = Column(np.zeros(1, np.intp), ["any"])  # the target of all records that are counted by key alone


@dataclass
class Records:
    """All tables, counted, each with labels of its own."""

    request: Request
    inputs: list[Input]  # original, synthetic ones, holdout
    labels: list[Label] | None  # of several synthetic tables
    tables: list[Counted]
    dropped: dict[str, Any]
    cuts: dict[Hashable, Cut]
    kept: list[Places]  # the rows of each table without a missing value, where the others are dropped
    copies: Copies | None = None  # copies in the releases; None where not asked for
    copied: Counts | None = None  # copies of each record of the original, in order; None where not asked for

    @cached_property
    def names(self) -> list[str]:
        """The names of the tables in messages."""
        return [table.name for table in self.inputs]

    @cached_property
    def weights(self) -> dict[str, str]:
        """The column of sampling weights of each table that has one."""
        return {table.name: str(table.weight) for table in self.inputs if table.sampling}

    def is_sparse(self, cells: int) -> bool:
        """Whether tables of that many cells are held sparse."""
        return choose_sparse(self.request.backing, max(len(table.counts) for table in self.tables), cells, len(self.tables))

    def orders(self) -> dict[Hashable, list[Label]]:
        """The category order of each column that has one: the original's levels, then those that other tables add."""
        orders: dict[Hashable, list[Label]] = {}
        for table in self.tables:
            for name, column in zip(self.request.columns, [*table.key.columns, *table.target.columns], strict=True):
                if column.ordered:
                    known = [x for x in column.labels if x is not MISSING]
                    orders[name] = list(dict.fromkeys([*orders.get(name, []), *known]))
        return orders

    @cached_property
    def stored(self) -> dict[Hashable, str]:
        """The name under which each column is stored."""
        names = stored_names(self.request.key_columns, self.request.target_columns)
        return dict(zip(self.request.columns, names, strict=True))

    def warn_of_codes(self) -> None:
        """Warn where a column is cut at what looks like a code of missing values."""
        codes = {str(column): list(map(plain, cut.likely)) for column, cut in self.cuts.items() if cut.likely}
        if codes:
            told = missing_codes({"likely_codes": codes, "null_values": self.request.codes_as_texts()})
            warnings.warn(f"{' '.join(told)} Otherwise it is a value by which `bins` cuts.", LevelsWarning, stacklevel=callers())

    def attrs(self, stored: Mapping[Hashable, str]) -> dict[str, Any]:
        """How the records were counted, with columns by the names under which they are stored."""
        orders, likely = self.orders(), {c: list(map(plain, cut.likely)) for c, cut in self.cuts.items() if cut.likely}
        known = {
            "renamed": {new: str(old) for old, new in stored.items() if new != old},
            "dropped": self.dropped,
            "weights": self.weights,
            "counts": {table.name: str(table.weight) for table in self.inputs if table.weight is not None and not table.sampling},
            "bins": {stored[column]: self.cuts[column].shown for column in stored if column in self.cuts},
            "null_values": self.request.codes_as_texts(),
            "likely_codes": {stored[column]: likely[column] for column in stored if column in likely},
            "categories": {stored[column]: orders[column] for column in stored if column in orders},
        }
        return {
            "key_columns": [str(c) for c in self.request.key_columns],
            "target_columns": [str(c) for c in self.request.target_columns],
            "missing": self.request.missing,
            **{what: value for what, value in known.items() if value},
        }


def read_records(request: Request, progress: Progress | None = None) -> Records:
    """All tables, each counted once over the key and target columns; cut points, copies and checks may read them again."""
    specs = request.checked()
    options = request.options(progress)
    inputs, labels = inputs_of(
        request.original, request.synthetic, request.holdout, request.weights, request.counts, options, request.called
    )
    check_options(options, inputs, request.columns)
    inputs[0] = original = replace(inputs[0], by_record=request.by_record)
    if request.by_record and not (original.source.path or original.source.in_memory):
        raise TypeError(
            f"An answer for each record needs a table in memory, or a file; `{original.name}` is {type(request.original).__name__}. "
            f"Collect it, or work with counts: tabulate takes it as it is."
        )
    apart = [] if request.allow_same else _apart(request, inputs)
    with one_connection([table.source for table in inputs], options):
        cuts = find_cuts(original, specs)
        together = _in_one_reading(inputs, request, cuts)
        counted = partial(read, key_columns=request.key_columns, target_columns=request.target_columns, cuts=cuts)
        tables, copies, copied = together or (each(inputs, counted), None, None)
        names = [table.name for table in inputs] if apart else []
        for pair in apart:
            i, j = (names.index(name) for name in pair)
            check_records(inputs[i], inputs[j], [tables[i], tables[j]])
        if together is None and request.copy_columns and request.synthetic is not None and all(table.counts.any() for table in tables):
            records = [table.summed(1).sum().item() for table in tables]
            copies, copied = find_copies(inputs, request.copy_columns, {c: cuts.get(c) for c in request.key_columns}, records)
        for table, own in zip(inputs, tables, strict=True) if all(table.weight is None for table in inputs) else ():
            _warn_of_counts(table, own, request.columns)
        parts = [(table.key, table.target) for table in tables]
        check_codes(options, inputs, request.columns, parts, cuts, whole=bool(request.copy_columns))
    return _complete(Records(request, inputs, labels, tables, {}, cuts, [], copies, copied))


def _in_one_reading(
    inputs: Sequence[Input], request: Request, cuts: Mapping[Hashable, Cut]
) -> tuple[list[Counted], Copies, Counts | None] | None:
    """The counts and the copies from one reading of each table; None for long tables, or where a column cannot be read.

    Releases are read one after the other, the next one by a thread while one is compared, so that two are held at a time.
    """
    if not request.copy_columns or request.synthetic is None or any(table.weight is not None for table in inputs):
        return None
    original, *releases = inputs
    holdout = None if request.holdout is None else releases.pop()
    found: dict[str, Counted] = {}

    def counted(table: Input) -> None:
        table.hold(wanted)
        found[table.name] = read(table, request.key_columns, request.target_columns, cuts)

    with suppress(TypeError, ValueError):  # for a column that was not asked for; others raise again
        common, left_out, others = columns_in_common(inputs)
        numbers = [table.source.number(table.options) for table in inputs]
        known = [number for number in numbers if number is not None]
        if not 0 < len(common) <= request.copy_columns or len(known) < len(numbers) or too_many(inputs, known, len(common)):
            return None
        wanted = list(dict.fromkeys([*request.columns, *common]))
        real = [original] if holdout is None else [original, holdout]
        for table in real:
            counted(table)
        search = Search(original, holdout, common, left_out, others, {c: cuts.get(c) for c in request.key_columns})
        for table in real:
            table.held.clear()
        np.empty(LARGEST, np.uint8)  # freed at once; glibc then keeps such memory for the next release, where it would fetch it anew
        with ThreadPoolExecutor(1) as pool:
            reading = pool.submit(counted, releases[0])
            for table, following in zip_longest(releases, releases[1:]):
                reading.result()
                if following is not None:
                    reading = pool.submit(counted, following)
                search.add(table)
                table.held.clear()
        if all(table.counts.any() for table in found.values()):
            return [found[table.name] for table in inputs], search.described, search.times
    for table in inputs:
        table.held.clear()
    return None


def _warn_of_counts(table: Input, counted: Counted, used: Sequence[Hashable]) -> None:
    """Warn where the rows of a table look like cells: a column has a name usual for counts, and all combinations occur equally often."""
    columns, times = [*counted.key.columns, *counted.target.columns], counted.counts
    if len(times) < FEWEST or times.min() < times.max():
        return
    named = [str(name) for name in table.source.names(table.options) if str(name).lower() in OF_COUNTS and name not in used]
    if not named:
        return
    combinations = math.prod(len(np.unique(column.codes)) for column in columns)
    if len(times) == combinations or (times.max() == 1 and combinations <= SPARSEST * len(times)):
        told_once = "once" if times.max() == 1 else "equally often"
        warnings.warn(
            f"`{table.name}` looks like a table of counts: it has a column {named[0]!r}, and each combination of keys and target "
            f"{told_once}. Its {int(times.sum())} rows are taken for one record each. If {named[0]!r} holds numbers of records, give "
            f"{said(counts=named[0])}.",
            UserWarning,
            stacklevel=callers(),
        )


def _complete(records: Records) -> Records:
    """The records, without those that have a missing value where the request says so; an error where a table has none."""
    request, tables = records.request, list(records.tables)
    dropped: dict[str, Any] = {}
    kept = []
    for i, table in enumerate(records.inputs):
        if request.missing == "drop":
            tables[i], dropped[table.name], rows = without_missing(tables[i])
            kept.append(rows)
        if not tables[i].counts.any():
            why = " without a missing value" if request.missing == "drop" else ""
            if table.weight is not None and len(tables[i].counts):
                why = f"{why}. All values of column {table.weight!r} are 0{' there' if why else ''}: correct them, or leave it out"
            raise ValueError(f"`{table.name}` holds no record{why}.")
    return replace(records, tables=tables, dropped=dropped, kept=kept)


def each_target(request: Request, progress: Progress | None = None) -> Iterator[tuple[Hashable, Records]]:
    """The records of each target column alone, as `read_records` gives them, from one reading of all of them.

    Records are dropped for a missing value only if it is in a key or in this target.
    """
    records = read_records(replace(request, missing="level"), progress)
    for i, column in enumerate(request.target_columns):
        own = [Counted(x.key, Part([x.target.columns[i]], x.target.of_row), x.sums) for x in records.tables]
        yield column, _complete(replace(records, request=replace(request, target=[column]), tables=own))


def _apart(request: Request, inputs: Sequence[Input]) -> list[tuple[str, str]]:
    """The pairs of tables that must not hold the same records, checked as far as possible without reading them.

    One file with two columns of counts is two tables.
    """
    of_counts = {table.name: None if table.sampling else table.weight for table in inputs}
    releases = released(request.synthetic)
    named = [name for name in of_counts if name not in releases[2]]
    apart = [(one, other) for one, other in pairs(named, releases[2]) if of_counts[one] == of_counts[other]]
    tables = [request.original, *releases[1], *([] if request.holdout is None else [request.holdout])]
    check_tables(dict(zip(of_counts, tables, strict=True)), apart)
    return apart


def on_axes(records: Records) -> tuple[xr.Dataset, Places, Places]:
    """The tables on common axes, and where the distinct targets and the distinct keys of the original are on them."""
    tables, names, request = records.tables, records.names, records.request
    key_columns, target_columns, stored = request.key_columns, request.target_columns, records.stored
    key, keys = join_columns([table.key.columns for table in tables], key_columns, names)
    target, targets = join_columns([table.target.columns or [ANY] for table in tables], target_columns or [UNLABELLED["target"]], names)
    key.names = [stored[c] for c in key_columns]
    target.names = [stored[c] for c in target_columns] or target.names
    axes = {"key": key, "target": target}
    shape = (len(target), len(key))
    sparse = records.is_sparse(math.prod(shape))
    last = len(tables) - (request.holdout is not None)
    arrays = {}

    def table(t: int, part: int) -> Data:
        places = zip((targets[t], keys[t]), (tables[t].target, tables[t].key), shape, strict=True)
        at_target, at_key = (where.astype(np.min_scalar_type(size))[x.of_row] for where, x, size in places)
        return table_of(tables[t].summed(part), at_target, at_key, shape, sparse)

    for variable, which in (("o", range(1)), ("s", range(1, last)), ("h", range(last, len(tables)))):
        weighted = any(names[t] in records.weights for t in which)
        for part, suffix in enumerate(SUMS if weighted else SUMS[:1]):
            filled = [table(t, part) for t in which]
            if filled:
                arrays[variable + suffix] = stacked(filled) if variable == "s" and records.labels is not None else filled[0]
    found = dataset(arrays, axes, records.labels, records.attrs(stored))
    _add_labels(found.attrs.get("levels", {}), records)
    return found, targets[0], keys[0]


def _add_labels(levels: Mapping[str, Mapping[str, Entry]], records: Records) -> None:
    """Where two tables share no level of a column, and a file of one has labels for the codes of the other: the remedy."""
    inputs = {table.name: table for table in records.inputs}
    columns = {name: [*table.key.columns, *table.target.columns] for name, table in zip(inputs, records.tables, strict=True)}
    apart = [(column, table, entry) for column, tables in levels.items() for table, entry in tables.items() if shares_nothing(entry)]
    for column, table, entry in apart:
        asked, place = next((asked, i) for i, (asked, name) in enumerate(records.stored.items()) if name == column)
        for of, coded, labelled in (("original", "original", table), ("other", table, "original")):
            labels = labels_in(inputs[labelled].source.path, labelled, inputs[labelled].options)[1].get(str(asked), {})
            codes = {str(x) for x in columns[coded][place].labels if x is not MISSING}
            texts = {code: label for x, label in labels.items() if (code := str(canonical(x))) in codes}
            if len(texts) == len(codes) <= MANY:
                entry["remedy"] = {"labels": texts, "of": of}


def locate(request: Request) -> tuple[xr.Dataset, Original, Places, Places, Counts | str | None]:
    """The result of `tabulate`, the records of the original, the indices of each record's target and key on the axes, and its copies.

    If copies cannot be counted, the reason; None if they were not asked for.
    """
    records = read_records(replace(request, by_record=True))
    tables, targets, keys = on_axes(records)
    warn_of_levels(with_compared(tables.attrs, records.copies or {}))
    records.warn_of_codes()
    first, copied = records.tables[0], records.copied
    original = Original(records.inputs[0], records.kept[0] if records.kept else None)
    if original.kept is not None and copied is not None:
        copied = copied[original.kept]
    told = None if records.copies is None else f"Copies cannot be counted: {records.copies.get('not_computed')}."
    return tables, original, targets[first.target.of_row], keys[first.key.of_row], told if copied is None else copied


@dataclass
class Original:
    """The records of a table in memory, or of a file."""

    table: Input
    kept: Places | None  # indices of the records that were counted; None: all

    def in_memory(self, which: Places | None = None) -> MemorySource:
        """All counted records, or those at some indices, in their order."""
        places = which if self.kept is None else self.kept if which is None else self.kept[which]
        if isinstance(self.table.source, FileSource):
            return self.table.source.as_memory(self.table.options, places)
        held = cast(MemorySource, self.table.source)
        return held if places is None else MemorySource(arranged(held.table, places, []), held.name)
