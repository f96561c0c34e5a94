"""The tables of records of one call, and what each is read as: its distinct keys and targets, labels of the wanted types, and counts."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from capstats.codes.bins import Cut, Numbers, Spec, code_numbers, cut_at_points, cut_by_counts, finite_values, usual_ends, with_codes
from capstats.codes.by_table import ALL, by_table, check_tables, names
from capstats.codes.checks import is_name, shown
from capstats.codes.column import Column, Counts, Places, Sums, occurring, parts_of
from capstats.codes.declared_types import Type, as_type, parsed
from capstats.codes.labels import MISSING, Label, canonical, canonicals, kind_of
from capstats.codes.missing_codes import Codes, MissingCodes, Quoted, in_quotes, likely_codes, quoted_alone
from capstats.sources.door import is_frame, is_path, open_source
from capstats.sources.source import Options, Query, Source
from capstats.tables.levels import callers, warn_of_bins

Weight = Hashable | None
NO_CODES = Codes(())
MANY = 500_000  # records from which a second thread saves time


@dataclass(frozen=True)
class Input:
    """One table of records, and the column of weights, which is summed in place of counting records."""

    source: Source
    options: Options = field(default_factory=Options)  # how it is read
    weight: Weight = None
    sampling: bool = False  # whether it holds sampling weights, which are not numbers of records
    by_record: bool = False  # whether its rows are its records, in their order, equal ones not merged
    held: dict[str, Any] = field(default_factory=dict, repr=False)  # a reading of many columns, by `hold`; its caller clears it

    def hold(self, columns: Sequence[Hashable]) -> None:
        """Read these columns now, from which `rows` answers until ``held`` is cleared."""
        found, sums = self.rows(columns)
        self.held.update(columns=dict(zip(columns, found, strict=True)), sums=sums)

    def rows(
        self, columns: Sequence[Hashable], cuts: Mapping[Hashable, Cut] = MappingProxyType({}), most: int | None = None
    ) -> tuple[list[Column], Sums]:
        """The result of `Source.rows` for all rows, or for the first ones."""
        held = self.held.get("columns", {})
        if cuts or not set(columns) <= held.keys():
            return self.source.rows(Query(columns, self.weight, self.sampling, cuts, self.by_record, self.options, most))
        return [held[c] for c in columns], self.held["sums"]

    @cached_property
    def name(self) -> str:
        """Its name in messages."""
        return self.source.name


def inputs_of(
    original: Any, synthetic: Any, holdout: Any, weights: Any, counts: Any, options: Options, called: Mapping[str, str]
) -> tuple[list[Input], list[Label] | None]:
    """All tables, in the order original, synthetic ones, holdout; and the labels of several synthetic ones."""
    labels, several, names = released(synthetic)
    of_weights, of_counts = (_of_tables(given, name, synthetic, labels) for given, name in ((weights, "weights"), (counts, "counts")))
    given = {called.get("original", "original"): original, **dict(zip(names, several, strict=True))}
    given |= {} if holdout is None and "holdout" not in called else {called.get("holdout", "holdout"): holdout}
    inputs = []
    for table, weight, number in zip(opened(given, options), of_weights, of_counts, strict=False):
        if weight is not None and number is not None:
            raise ValueError(
                f"`{table.name}` has both `weights` ({weight!r}) and `counts` ({number!r}): a row is one weighted record, or represents "
                f"several. Give one of them, and None for `{table.name}` in the other."
            )
        column = number if weight is None else weight
        inputs.append(table if column is None else replace(table, weight=column, sampling=weight is not None))
    return inputs, labels


def opened(tables: Mapping[str, Any], options: Options) -> list[Input]:
    """The tables by their names in messages, with options for each; an error where an option names another table."""
    if given := options.given:
        check_tables(given, list(tables))
    found = []
    for name, table in tables.items():
        own = options.of_table(name) if given else options
        source = open_source(table, name, own)
        of_csv_alone = isinstance(own.decimal, str) and own.decimal != "." and not source.is_csv
        found.append(Input(source, replace(own, decimal=".") if of_csv_alone else own))
    return found


def column_names(table: Any, name: str) -> list[Hashable]:
    """The columns of a table, which has this name in messages."""
    (found,) = opened({name: table}, Options())
    return list(found.source.names(found.options))


def _of_tables(given: Any, argument: str, synthetic: Any, labels: Sequence[Label] | None) -> list[Weight]:
    """The column that `weights` or `counts` names for the original, each synthetic table and the holdout."""
    if isinstance(given, tuple) and len(given) in (2, 3):
        of_o, of_s, of_h = (*given, given[0])[:3]
    elif isinstance(given, (list, tuple)) or not (given is None or is_name(given)):
        raise ValueError(f"`{argument}` must be a column name, or a pair of them for original and synthetic records; got {shown(given)}.")
    else:
        of_o = of_s = of_h = given
    if labels is None:
        return [of_o, *([] if synthetic is None else [of_s]), of_h]
    if isinstance(of_s, Mapping):
        if set(of_s) != set(synthetic):
            raise ValueError(f"`{argument}` is for the synthetic tables {list(of_s)!r}; they are {list(synthetic)!r}. Give one for each.")
        own = [of_s[x] for x in synthetic]
    else:
        own = list(of_s) if isinstance(of_s, list) else [of_s] * len(labels)
    if len(own) != len(labels):
        raise ValueError(f"`{argument}` has {len(own)} names for {len(labels)} synthetic tables. Give one for each.")
    return [of_o, *own, of_h]


def released(synthetic: Any) -> tuple[list[Label] | None, list[Any], list[str]]:
    """The labels of several synthetic tables (None for one or none), the tables, and their names in messages."""
    if isinstance(synthetic, Mapping) and any(is_path(x) or is_frame(x) for x in synthetic.values()):  # else columns of one table
        labels, several = [canonical(x) for x in synthetic], list(synthetic.values())
    elif isinstance(synthetic, (list, tuple)):
        labels, several = list(range(len(synthetic))), list(synthetic)
    else:
        return (None, [], []) if synthetic is None else (None, [synthetic], ["synthetic"])
    if not labels or len(set(labels)) < len(labels):
        raise ValueError(f"`synthetic` must be at least one table, with distinct labels; got the labels {labels!r}.")
    return labels, several, [f"synthetic[{label!r}]" for label in labels]


def files_read(tables: Sequence[Input]) -> dict[str, Any]:
    """The given paths by table, and under ``files`` all files of these paths; empty where no path was given.

    Files are relative where the path is, so that a report does not say where the folder lies.
    """
    paths: dict[str, Any] = {}
    stand_for: dict[str, Any] = {}
    for name, of in groupby(tables, lambda table: table.name.partition("[")[0]):
        sources = [table.source for table in of]
        if any(source.path for source in sources):
            given = [source.path or None for source in sources]
            named = [source.path and [os.path.relpath(x) if _is_relative(source.path) else x for x in source.files] for source in sources]
            paths[name], stand_for[name] = (given, [x or None for x in named]) if name == "synthetic" else (given[0], named[0])
    return {**paths, "files": stand_for} if paths else {}


def _is_relative(path: str) -> bool:
    return not (Path(path).is_absolute() or path.startswith("~"))


# --- one table as its distinct rows -----------------------------------------------------------------------------------


@dataclass
class Part:
    """The distinct keys of a table, or its distinct targets, as columns of codes; and the index of each distinct row's key or target."""

    columns: list[Column]
    of_row: Places
    used: list[frozenset[str]] = field(default_factory=list)  # which codes each column holds, as Python writes them
    quoted: set[str] = field(default_factory=set)  # texts in quotes that would be codes without them

    def only(self, rows: Places) -> Part:
        """The part for these rows."""
        held, of_row = np.unique(self.of_row[rows], return_inverse=True)
        return Part([Column(c.codes[held], c.labels, ordered=c.ordered) for c in self.columns], of_row)


@dataclass
class Counted:
    """The distinct rows of one table, and how often (or with what weight) each occurs."""

    key: Part
    target: Part
    sums: Sums

    def __post_init__(self) -> None:
        self.counts = self.sums[0]  # how often each row occurs, or the sum of its weights

    def summed(self, part: int) -> Counts:
        """One of the three sums of sampling weights; without them the counts, since each record then weighs 1."""
        if len(self.sums) > 1:
            return self.sums[part]
        return self.counts.astype(np.float64) if part == 2 else self.counts


def find_cuts(table: Input, specs: Mapping[Hashable, Spec]) -> dict[Hashable, Cut]:
    """Where columns are cut, from the values of the original without codes of missing values."""
    if not specs:
        return {}
    options = table.options
    options.display.step(f"cutting {', '.join(map(str, specs))}")
    codes = {column: options.codes.of(column) for column in specs}

    def looked(asked: Mapping[Hashable, Spec]) -> dict[Hashable, tuple[Numbers, Counts]]:
        query = Query(list(asked), table.weight, options=options)
        return dict(zip(asked, table.source.values(query, list(asked.values())), strict=True))

    all_values = {c: replace(spec, how="quantile") for c, spec in specs.items() if spec.how == "width" and not table.source.in_memory}
    found = looked({c: all_values[c] if c in all_values and codes[c].given else spec for c, spec in specs.items()})
    unsure = {c: spec for c, spec in all_values.items() if not codes[c].given and usual_ends(found[c][0].values, found[c][0].kind)}
    if unsure:  # the least or greatest value may be a code, which the other values show
        found |= looked(unsure)
    cuts = {}
    for column, spec in specs.items():
        (numbers, counts), wanted = found[column], options.type_of(column)
        if spec.how == "points":
            cut = cut_at_points(spec.points, numbers.kind, wanted, column)
        else:
            of_codes = list(code_numbers(codes[column], numbers.kind))
            if of_codes:
                counts = np.where(np.isin(numbers.values, of_codes), 0, counts)
            cut = cut_by_counts(spec, numbers, counts, wanted, column)
            if len(cut.labels) < spec.number:
                warn_of_bins(column, spec.number, len(cut.labels) if len(finite_values(numbers, counts)[0]) else 0)
        cuts[column] = cut
    return cuts


def each(tables: Sequence[Input], work: Callable[[Input], Any]) -> list[Any]:
    """The results of the work on each table; long tables in memory are read by two threads, since numpy releases the interpreter's lock."""
    if not all(table.source.in_memory for table in tables) or sum(table.source.size or 0 for table in tables) < MANY:
        return list(map(work, tables))
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(work, tables))


def read(
    table: Input,
    key_columns: Sequence[Hashable],
    target_columns: Sequence[Hashable],
    cuts: Mapping[Hashable, Cut],
) -> Counted:
    """A table as its distinct keys, its distinct targets and the counts of its distinct rows; without target columns, with one target."""
    (key, *others), sums = _read(table, [*key_columns, *target_columns], cuts, len(key_columns) if target_columns else None)
    (target,) = others or [Part([], np.zeros(len(sums[0]), np.intp))]
    return Counted(key, target, sums)


def read_rows(table: Input, columns: Sequence[Hashable], cuts: Mapping[Hashable, Cut] = MappingProxyType({})) -> tuple[Part, Counts]:
    """A table as its distinct rows and their counts."""
    (rows,), sums = _read(table, columns, cuts)
    return rows, sums[0]


def _read(table: Input, columns: Sequence[Hashable], cuts: Mapping[Hashable, Cut], first: int | None = None) -> tuple[list[Part], Sums]:
    """The distinct rows of a table, as one part or as two (first columns and others), with labels of the wanted types; their counts."""
    name, options = table.source.name, table.options
    types: Mapping[Hashable, Any] = options.types or {}
    codes_of = {c: options.codes.of(c) for c in columns} if options.null_values is not None else dict.fromkeys(columns, NO_CODES)
    cuts = {c: with_codes(replace(cut, declared=types.get(c)), codes_of[c]) for c, cut in cuts.items()}
    options.display.step(f"reading {name}")
    found, sums = table.rows(columns, cuts)
    n = len(found[0].codes)
    if n == 0:
        raise ValueError(f"`{name}` is empty: it has no record.")
    step = options.display.step(f"{'counting' if table.source.in_memory else 'ordering distinct rows of'} {name}", rows=n)
    distinct, sums = parts_of(found, sums, first, step.advance, by_record=table.by_record)
    records = sums[1] if len(sums) > 1 else sums[0]  # the number of records, not their weights
    parts: list[Part] = []
    for of_columns, of_row in distinct:
        held = np.bincount(of_row, records, len(of_columns[0])) if types else None
        part = Part([], of_row)
        for i, codes in enumerate(of_columns, start=len(parts[0].columns) if parts else 0):
            asked, column = columns[i], Column(codes, found[i].labels, ordered=found[i].ordered)
            missing = codes_of[asked]
            if asked in cuts:
                column, used = _binned(column, cuts[asked])
            else:
                if missing.given and missing.words:
                    part.quoted.update(str(x) for x in column.labels if isinstance(x, Quoted))
                column, used = labelled(asked, column, held, types.get(asked), missing, name)
            part.columns.append(column)
            part.used.append(frozenset(repr(missing.given[i]) for i in used))
        parts.append(part)
    return parts, sums


def _binned(column: Column, cut: Cut) -> tuple[Column, frozenset[int]]:
    """A column of bins under their names, codes as missing values; and which codes it holds."""
    if not cut.meanings:
        return column, frozenset()
    meanings = [cut.meanings.get(label, MISSING) for label in column.labels]
    used = [x for i in np.unique(column.codes).tolist() if isinstance(x := meanings[i], frozenset)]
    labels = [MISSING if isinstance(x, frozenset) else x for x in meanings]
    return Column(column.codes, labels, ordered=column.ordered), frozenset().union(*used)


def labelled(
    asked: Hashable, column: Column, records: Counts | None, wanted: Type | None, missing: Codes, table: str
) -> tuple[Column, frozenset[int]]:
    """A column of labels of the wanted type, codes as missing values; and which codes it holds.

    Its labels are those that occur, or all where their order is the caller's.
    ``records`` is the number of records of each row; it is known where a type is wanted.
    """
    codes, labels, ordered = column.codes, column.labels, column.ordered
    present = np.flatnonzero(np.bincount(codes, minlength=len(labels)))
    if not ordered and (len(present) < len(labels) or isinstance(labels, range)):  # an order includes labels that have no record
        column = occurring(column)
        codes, labels, present = column.codes, column.labels, np.arange(len(present))
    means = missing.all_matching(labels, wanted) if missing.given else {}
    if means or (missing.given and missing.words):
        all_labels = labels.tolist() if isinstance(labels, np.ndarray) else labels
        labels = [MISSING if i in means else canonical(x) for i, x in enumerate(all_labels)]
    held: frozenset[int] = frozenset().union(*(means[i] for i in present.tolist() if i in means))
    if wanted is not None:
        used, sizes = present.tolist(), np.bincount(codes, records, len(labels))[present].tolist()
        labels = labels.tolist() if isinstance(labels, np.ndarray) else list(labels)
        for i, label in zip(used, as_type([labels[i] for i in used], wanted, str(asked), table, sizes), strict=True):
            labels[i] = label
        for i in set(range(len(labels))) - set(used):
            labels[i] = labels[i] if labels[i] is MISSING else parsed(labels[i], wanted)  # an unused category need not convert
        if not isinstance(wanted, str):  # the levels in their order come first, the column's own labels map to them
            place_of = {label: i for i, label in enumerate([*canonicals(wanted), MISSING])}
            codes = np.array([place_of.get(label, 0) for label in labels])[codes]
            labels, ordered = list(place_of), True
    return Column(codes, labels, ordered=ordered), held


def check_codes(
    options: Options,
    inputs: Sequence[Input],
    columns: Sequence[Hashable],
    tables: Sequence[Sequence[Part]],
    cuts: Mapping[Hashable, Cut],
    *,
    whole: bool = False,
) -> None:
    """Raise where a code that means missing occurs in no table; each table is given as parts, which together have the columns.

    Where ``whole`` records are compared, a code may be one of the other columns.
    """
    for key, given in by_table("null_values", options.null_values).items() if options.null_values is not None else ():
        codes = MissingCodes.of_argument(given, options.allow_unused_codes)
        held = [(table, parts) for table, parts in zip(inputs, tables, strict=True) if names(key, table.name)]
        used: dict[Hashable, set[str]] = {column: set() for column in columns}
        labels: dict[Hashable, list[Sequence[Label] | Places]] = {column: [] for column in columns}
        quoted: set[str] = set()
        for table, parts in held:
            found = [(column, which) for part in parts for column, which in zip(part.columns, part.used, strict=True)]
            for name, (column, which) in zip(columns, found, strict=True):
                used[name] |= which
                labels[name] += [] if name in cuts else [column.labels]
            of_table = {word for part in parts for word in part.quoted}
            quoted |= of_table
            for word in sorted(of_table & set(map(str, codes.everywhere or ()))):
                if not any({repr(word), repr(in_quotes(word))} & which for _, which in found):
                    warnings.warn(quoted_alone(word, table.name), UserWarning, stacklevel=callers())
        first = {c: [next((x for x in own if x is not MISSING), MISSING) for own in several] for c, several in labels.items()}
        kinds = {c: {kind_of(canonical(x)) for x in several if x is not MISSING} for c, several in first.items()}
        likely = partial(_likely, cuts, labels)
        elsewhere = partial(_used_elsewhere, [table for table, _ in held], columns) if whole else set
        codes.check_used(used, kinds, likely, elsewhere=elsewhere, quoted=quoted, within="" if key == ALL else str(key))


def _likely(cuts: Mapping[Hashable, Cut], labels: Mapping[Hashable, Sequence[Any]], column: Hashable) -> Sequence[Label]:
    """The levels of a column that look like codes; of one that is cut, those of the original."""
    if column in cuts:
        return cuts[column].likely
    return likely_codes(dict.fromkeys(canonical(x) for own in labels[column] for x in own))


def _used_elsewhere(tables: Sequence[Input], columns: Sequence[Hashable]) -> set[str]:
    """The codes that the other columns of the tables hold."""
    used: set[str] = set()
    for table in tables:
        of_table = table.source.names(table.options)
        for column in [c for c in of_table if c not in columns and c != table.weight]:
            with suppress(TypeError, ValueError):  # a column that was not asked for
                used |= read_rows(table, [column])[0].used[0]
    return used


def without_missing(counted: Counted) -> tuple[Counted, int | float, Places]:
    """The rows without a missing value, the number of records of the others, and the indices of the rows that are kept."""
    rows = np.flatnonzero(_complete(counted.key) & _complete(counted.target))
    left = Counted(counted.key.only(rows), counted.target.only(rows), [values[rows] for values in counted.sums])
    return left, (counted.summed(1).sum() - left.summed(1).sum()).item(), rows


def _complete(part: Part) -> Any:
    keep = np.ones(int(part.of_row.max(initial=0)) + 1, bool)
    for column in part.columns:
        if not isinstance(column.labels, np.ndarray):  # an array, which holds integers
            keep &= np.array([label is not MISSING for label in column.labels])[column.codes]
    return keep[part.of_row]
