"""Bounds of what several published tables of counts of the same people give away together, and how tables are published."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.bins import check_bins, cut_at_points, cut_by_counts, cut_column, label_numbers
from capstats.codes.checks import check_choice, is_integer, shown
from capstats.codes.column import one_kind
from capstats.codes.labels import MISSING, Label, canonical, kind_of
from capstats.codes.names import check_named, hint_of_data, in_cell, listed
from capstats.counting.reading import column_names
from capstats.counting.request import Columns, Reading, Request, chosen_columns, shows_options
from capstats.counting.tabulate import counted
from capstats.disclosure.ledger import LONGEST, Cells, Ledger, People, flat
from capstats.tables.axes import coords_of_all, free_name, multi_index, names_of
from capstats.tables.dataset import as_tables
from capstats.tables.longform import to_frame
from capstats.tables.printing import Result, count, many
from capstats.tables.table import Array, Floats, Index

Rows = tuple[list[list[Label]], Floats]  # the labels of a table as it was published, by column, and its counts, NaN if not shown
LARGEST = 1 << 25  # cells of a published table
FEW = 10  # tables, up to which those that a claim needs are found unasked
TYPED = ("number", "bool", "date", "datetime")  # kinds of labels that texts are read as


@dataclass(frozen=True)
class Published:
    """A table of counts that was published, and by which rule.

    Parameters
    ----------
    columns : column name or sequence of names, optional
        The columns of the table; by default all of `table` but the last.
    table : data frame, mapping of columns, path, or Dataset, optional
        The counts as they were published, in long form: a row a cell, the counts in the last column; or crossed, as by
        `pandas.crosstab` without margins. Cells that are not listed are published as 0; those without a number (missing, "*", "<5") are not
        shown. By default the table is made from the original.
    bins : mapping of column to bins, or to {level: label}, optional
        Coarser levels of columns in this table: ``{"age": [18, 65]}`` as in `tabulate`, or ``{"age": {18: "18-19", 19: "18-19"}}``, where
        levels that are not named stay as they are.
    rounded : int or (int, "nearest" | "random"), optional
        Counts are rounded to multiples: a count is within half of it ("nearest"), or within all of it but one ("random", or where the rule
        is not known).
    zeros : {"rounded", "kept"}
        Whether a small count may be rounded to 0, or 0 is published for 0 alone.
    suppressed : (int, int), optional
        Counts from the first to the second number are not shown. Without it, a cell that is not shown holds any count.
    secondary : bool, optional
        Whether cells that are not shown may have been suppressed to protect others, and so hold any count; by default so of a `table`.

    Raises
    ------
    ValueError, TypeError
        If there are neither columns nor a table, or a rule is not such as above.

    See Also
    --------
    published_bounds

    Notes
    -----
    See theory/certainty.md#published. Where a rule is not known, leave it out or take the wider one: no claim is then false.

    References
    ----------
    Hundepool et al. (2012), Statistical Disclosure Control, chapter 4 (rounding and suppression of tables of counts).

    Examples
    --------
    Counts of 1 to 4 are not shown, others are rounded to multiples of 5:

    >>> Published(["age", "health"], rounded=(5, "nearest"), suppressed=(1, 4)).columns
    ['age', 'health']
    """

    columns: Columns | None = None
    table: Any = None
    bins: Mapping[Hashable, Any] | None = None
    rounded: int | tuple[int, Literal["nearest", "random"]] | None = None
    zeros: Literal["rounded", "kept"] = "rounded"
    suppressed: tuple[int, int] | None = None
    secondary: bool | None = None

    def __post_init__(self) -> None:
        if self.columns is None and self.table is None:
            raise TypeError("Give `columns`, the columns of the published table, or `table`, its counts.")
        if not isinstance(self.bins, Mapping | None):
            raise TypeError(f"`bins` must be a mapping of columns to cut points, or to {{level: label}}; got {shown(self.bins)}.")
        check_choice(self.zeros, "zeros", ("rounded", "kept"))
        (base, rule), hidden = self.rounding, (0, 0) if self.suppressed is None else self.suppressed
        if not is_integer(base) or base < 1 or rule not in (None, "nearest", "random"):
            raise ValueError(f"`rounded` must be such as 5, (5, 'nearest') or (5, 'random'); got {shown(self.rounded)}.")
        if not (isinstance(hidden, (tuple, list)) and len(hidden) == 2 and all(map(is_integer, hidden)) and 0 <= hidden[0] <= hidden[1]):
            raise ValueError(f"`suppressed` must be the least and greatest count that is not shown, as (1, 4); got {shown(hidden)}.")

    def __str__(self) -> str:
        """The rule, as reports name it."""
        (base, rule), hidden = self.rounding, self.suppressed
        rounded = f"rounded to {base}{f' ({rule})' if rule else ''}{', zeros kept' if self.zeros == 'kept' else ''}" if base > 1 else ""
        not_shown = f"{hidden[0]} to {hidden[1]} not shown" if hidden else ""
        return ", ".join(filter(None, [rounded, not_shown, f"coarser {listed([*self.bins])}" if self.bins else ""]))

    @property
    def rounding(self) -> tuple[int, str | None]:
        """The multiple to which counts are rounded, 1 for none, and the rule, if it is known."""
        given: Any = 1 if self.rounded is None else self.rounded
        return (given[0], given[1]) if isinstance(given, (tuple, list)) and len(given) == 2 else (given, None)

    def publish(self, counts: Array, rng: np.random.Generator) -> Floats:
        """Counts as the rule publishes them; NaN for those that are not shown."""
        base, rule = self.rounding
        low, rest = np.divmod(counts, base)
        up = rng.random(counts.shape) * base < rest if rule == "random" else 2 * rest >= base
        found = base * (low + up).astype(np.float64)  # up is False where nothing is left
        if self.zeros == "kept":
            found[(counts > 0) & (found == 0)] = base
        least, greatest = self.suppressed or (0, -1)
        return np.where((counts >= least) & (counts <= greatest), np.nan, found)

    def interval(self, published: Floats) -> tuple[Floats, Floats]:
        """The least and the greatest count that is published as each of these."""
        base, rule = self.rounding
        near = base // 2 if rule == "nearest" else base - 1
        least, greatest = np.maximum(published - near, 0), published + near
        if self.zeros == "kept":
            least, greatest = np.where(published == base, 1, least), np.where(published == 0, 0, greatest)
        wide = self.suppressed is None or (self.table is not None if self.secondary is None else self.secondary)
        a, b = (0, np.inf) if wide or self.suppressed is None else self.suppressed
        return np.where(np.isnan(published), a, least), np.where(np.isnan(published), b, greatest)


@shows_options
def published_bounds(
    original: Any,
    *,
    published: Sequence[Any],
    keys: Columns | None = None,
    target: Columns | None = None,
    exact: bool = False,
    needed: bool | None = None,
    rng: int | np.random.Generator | None = None,
    **reading: Unpack[Reading],
) -> xr.Dataset:
    """What several tables of counts of the same people, published over the years, say together about one of their columns.

    Three tables that give nobody away can do so together: each rules out some answers for a person, and one is left.

    Parameters
    ----------
    original : data frame, mapping of columns, path; or Dataset, DataArray
        The confidential records, as in `tabulate`, or their counts by all columns that follow. Sampling weights are refused.
    published : list of column names, of `Published`, or of counts as they were published
        The tables. ``["educ", "age", "vote"]`` is the exact table of these columns, made from the original; a data frame, path or Dataset
        in long form holds exact counts, but for those that are not shown; `Published` has rounding, suppression and coarser levels.
    keys, target : column name or sequence of names
        What is known of a person, and what is to be kept secret; all key columns, and the target, of counts.
    exact : bool
        Whether one linear programme looks for claims that propagation misses. Its certificate is checked in integers. After 60 s it is
        given up, as the printed answer then says.
    needed : bool, optional
        Whether to find which tables each claim needs; by default of at most ten tables, since of more it takes very many readings.
    rng : int or Generator, optional
        Of the random rounding of tables that are made from the original.
    **reading
        Options of `tabulate`, for records; `bins` there holds for the tables as well.

    Returns
    -------
    Dataset, dims (target, key)
        ``least`` and ``greatest``, numbers of people in every table of all columns that agrees with what was published; ``least_share`` and
        ``greatest_share`` of the people of the key. ``certain``, the number of people whose target follows from all tables together, and
        ``is_certain`` (key) those keys; ``certain_one_by_one`` from one of them, whichever, ``certain_from_worst`` from the one that says
        most; ``open``, the people with one target a key in the original of whom it was not shown. ``needed`` (table, key): the tables that
        a claim needs, found by leaving out one after the other, so that none of them can be left out, but another choice may be smaller;
        all tables for a claim of the linear programme alone.

    Raises
    ------
    ValueError, TypeError
        If the original contradicts a table (the cell and its rule are named); a column is not in the original; counts are weighted or
        fractional; more than 2**24 combinations of levels are possible; or a table has more than 2**25 cells.

    See Also
    --------
    dio : the share of people whom the original itself gives away.
    capstats.audit : ``published=`` beside a release.

    Notes
    -----
    See theory/certainty.md#published. No claim is false if the tables are of the same people and rounded and suppressed as they say; a
    count that nothing limits is taken to be below 2**29. Only people with one target a key in the original can be certain. Claims may be
    missed, by the linear programme too, which knows no whole numbers; where a further table splits the cells, even one that was found.

    References
    ----------
    Fienberg (1999), "Frechet and Bonferroni bounds for multi-way tables of counts", Statistical Data Protection, 115-129.
    Gusfield (1988), "A graph theoretic approach to statistical data security", SIAM Journal on Computing 17, 552-571.
    Freund, Roundy and Todd (1985), "Identifying the set of always-active constraints in a system of linear inequalities" (exact=True).

    Examples
    --------
    Six people of 18 and 19 are well, five of 18 are, so one of 19 is; likewise no one of 19 is sick. Neither table says so alone:

    >>> import capstats
    >>> ages, answers = {"age": [18, 19, 20]}, {"health": ["well", "sick"]}
    >>> people = capstats.from_counts([[5, 1, 7], [3, 0, 4]], key_labels=ages, target_labels=answers)
    >>> one = Published(["age", "health"], bins={"age": {18: "18-19", 19: "18-19"}})
    >>> other = Published(["age", "health"], bins={"age": {19: "19-20", 20: "19-20"}})
    >>> found = published_bounds(people, published=[one, other])
    >>> found.least.sel(target="well").values.tolist(), int(found.certain), int(found.certain_one_by_one)
    ([5, 1, 7], 1, 0)
    """
    given = isinstance(original, (xr.Dataset, xr.DataArray))
    if given and reading:
        raise TypeError(f"Counts were read already: leave out {listed(sorted(reading))}.")
    if not given:
        if keys is None or target is None:
            raise TypeError("`keys` and `target` are missing: name the columns that are known of a person, and the one to be kept secret.")
        by = {"keys": [*chosen_columns(keys, "keys"), *more_columns(published, keys, target)], "target": target}
        original = counted(Request.of(reading, original=original, synthetic=None, **by))
    ledger, _ = opened(published, original, keys, target, np.random.default_rng(rng))
    people, (codes, which, counts) = ledger.people, ledger.known
    pure = np.bincount(np.unique(np.stack([which, people.by(ledger.target)[1]]), axis=1)[0]) == 1
    joint, ended = ledger.certified(pure & ~ledger.certain()) if exact else (ledger.joint, True)
    least, greatest = ledger.limits(joint)
    certain = (greatest > 0).sum(0) == 1
    found: dict[str, Any] = {"certain": int(counts[certain].sum()), **ledger.totals, "open": int(counts[pure & ~certain].sum())}
    others, most = least.sum(0) - least, greatest.sum(0) - greatest
    least_share = np.where(most == 0, greatest > 0, least / np.maximum(least + most, 1))
    greatest_share = greatest / np.maximum(greatest + others, 1)
    cells = {"least": least.astype(np.int64), "greatest": greatest.astype(np.int64)}
    cells |= {"least_share": least_share, "greatest_share": greatest_share}
    rows = flat([np.asarray(code) for code in people.axes["target"].codes], [len(people.levels[c]) for c in ledger.target])
    found |= {name: (("target", "key"), x[rows]) for name, x in cells.items()} | {"is_certain": ("key", certain)}
    if needed or (needed is None and len(ledger.tables) <= FEW):
        found["needed"] = ("table", "key"), ledger.needed(certain)
    stored = [free_name(names_of(people.axes["key"])[c], [*found, "table", "needed"]) for c in ledger.keys]
    axis = multi_index(codes[ledger.keys], [people.levels[c] for c in ledger.keys], stored)
    names = {"table": [" x ".join(people.columns[c] for c in t.columns) for t in ledger.tables]}
    coords: dict[Any, Any] = {**coords_of_all({"key": axis, "target": people.axes["target"]}), **names}
    alone = [count(x) for x in ledger.totals.values()]
    apart = f" together ({alone[0]} if each is read by itself, {alone[1]} from the worst)" if len(ledger.tables) > 1 else ""
    text = f"{count(found['certain'])} of {count(counts.sum())} people are certain from {many(len(ledger.tables), 'table')}{apart}"
    return Result(found, coords, {"result": text if ended else f"{text}; the linear programme did not end within {LONGEST:g} s"})


# --- reading: the original by all columns, and the tables as they are published ----------------------------------------


def more_columns(published: Any, keys: Any, target: Any) -> list[str]:
    """The columns of the tables that are neither keys nor target."""
    known = {*map(str, [*chosen_columns(keys, "keys"), *chosen_columns(target, "target")])}
    return list(dict.fromkeys(x for _, _, of in _listed(published) for x in of if x not in known))


def _listed(published: Any) -> list[tuple[Published, list[Hashable], list[str]]]:
    """The tables with their rules: the names of columns of counts as they were published, and the columns of the original."""
    if isinstance(published, (str, Mapping)) or not isinstance(published, Sequence) or not len(published):
        raise TypeError(f"`published` must be a list of tables, such as [['educ', 'vote'], Published(...)]; got {shown(published)}.")
    found = []
    for i, x in enumerate(published):
        if isinstance(x, str) and "." not in x:
            raise TypeError(f"`published[{i}]` is {x!r}; give a list of columns, [[{x!r}, ...], ...], a table of counts, or a path.")
        rule = x if isinstance(x, Published) else Published(x) if isinstance(x, (list, tuple)) else Published(table=x)
        rule = replace(rule, table=_long(rule.table))
        names = [] if rule.table is None else column_names(rule.table, f"published[{i}]")
        chosen = chosen_columns(rule.columns or names[:-1], f"published[{i}]")
        found.append((rule, names, list(dict.fromkeys(map(str, chosen)))))
    return found


def _long(table: Any) -> Any:
    """Counts in the forms in which pandas and capstats have them, as a data frame with the counts in the last column."""
    if isinstance(table, (xr.Dataset, xr.DataArray)):
        tables = as_tables(table if isinstance(table, xr.Dataset) else table.to_dataset(name="o"))
        names = [*tables.attrs["key_columns"], *tables.attrs["target_columns"], "o"]
        return to_frame(tables).iloc[:, : len(names)].set_axis(names, axis=1)
    if isinstance(table, pd.DataFrame) and all(x is not None for x in table.columns.names):  # one that is crossed
        table = table.stack(list(range(table.columns.nlevels)), future_stack=True)
    table = table.to_frame("n") if isinstance(table, pd.Series) else table
    has_index = isinstance(table, pd.DataFrame) and any(x is not None for x in table.index.names)
    return table.reset_index() if has_index else table


def opened(published: Any, original: Any, keys: Any, target: Any, rng: np.random.Generator) -> tuple[Ledger, list[Published]]:
    """The tables and their rules, from counts of the original by all columns; an error where the original contradicts one."""
    people, given = People.of(original), _listed(published)
    first, known = people.axes["key"].nlevels, people.columns
    chosen = list(map(str, chosen_columns(keys or known[:first], "keys")))
    check_named("keys", chosen, known[:first], "no key column of the counts")
    if target is not None and sorted(map(str, chosen_columns(target, "target"))) != sorted(known[first:]):
        raise ValueError(f"`target` must be that of the counts, {known[first:]}; got {shown(target)}. Leave it out, or count them anew.")
    check_named("published", [x for _, _, of in given for x in of], known, "no column of the original")
    for i, (rule, names, of) in enumerate(given):
        check_named("bins", rule.bins or (), of, "no column of the published table")
        check_named(f"published[{i}]", of if names else (), list(map(str, names)), "no column of its table")
    at = [[known.index(x) for x in of] for _, _, of in given]
    rows = [_read(i, rule, names, at[i], people) if names else None for i, (rule, names, _) in enumerate(given)]
    tables = [cells_of(i, rule, at[i], rows[i], people, rng) for i, (rule, *_) in enumerate(given)]
    return Ledger(people, tables, [known.index(x) for x in chosen]), [rule for rule, *_ in given]


def _read(i: int, rule: Published, held: Sequence[Hashable], at: Sequence[int], people: People) -> Rows:
    """The cells of a table as it was published: their labels by column, and their counts, NaN for those that are not shown.

    Levels that the original lacks are added to its levels.
    """
    counts, base, called, own = held[-1], rule.rounding[0], f"published[{i}]", {str(x): x for x in held}
    names = [own[people.columns[c]] for c in at]  # in the table, those of the original
    kinds = {name: one_kind(_grouped(people, c, rule)[0], name, "original") for name, c in zip(names, at, strict=True)}
    types: Any = {**{name: kind for name, kind in kinds.items() if kind in TYPED}, counts: "text"}
    by = {"keys": names, "target": counts, "called": {"original": called}}
    read = People.of(counted(Request.of({"types": types}, original=rule.table, synthetic=None, **by)))
    *codes, shown_as = np.repeat(read.codes, read.counts, axis=1)
    labels = [[level[j] for j in code] for level, code in zip(read.levels, codes, strict=False)]
    for c, of in zip(at, labels, strict=True):
        if people.columns[c] not in (rule.bins or {}):
            people.levels[c].extend(x for x in dict.fromkeys(of) if x not in people.levels[c])
    values = []
    for text in ("" if x is MISSING else str(x).strip().removesuffix(".0") for x in read.levels[-1]):
        is_shown = not text.startswith("<") and any(map(str.isdigit, text))
        if is_shown and (not text.isdecimal() or int(text) % base):
            wanted = "a number of people" if base == 1 else f"a multiple of {base}, as `rounded` says"
            advice = "Give counts without signs or separators, and leave those empty that are not shown."
            raise ValueError(f"Column {counts!r} of `{called}`, the last one, has {text!r}, which is not {wanted}. {advice}")
        values.append(float(text) if is_shown else math.nan)
    if np.isnan(values).all() and len(values) > 1:
        raise ValueError(f"Column {counts!r} of `{called}`, the last one, has no number. Put the counts of its cells last.")
    return labels, np.array(values)[shown_as]


def _grouped(people: People, c: int, rule: Published) -> tuple[list[Label], Index]:
    """The groups of a column in a published table, and the group of each level."""
    name, levels = people.columns[c], people.levels[c]
    given = (rule.bins or {}).get(name, {})
    if not isinstance(given, Mapping):
        counts = np.bincount(people.codes[c], people.counts, len(levels)).astype(np.int64)
        spec, numbers = check_bins({name: given}, [name], {})[name], label_numbers(levels, counts, None, name, "original")
        by_points = spec.how == "points"
        cut = cut_at_points(spec.points, numbers.kind, None, name) if by_points else cut_by_counts(spec, numbers, counts, None, name)
        column = cut_column(numbers, cut, name, "original")
        return list(column.labels), column.codes.astype(np.int64)
    labels = {canonical(level): canonical(label) for level, label in given.items()}
    as_text = {str(x): label for x, label in labels.items()} | {f"{x}.0": label for x, label in labels.items() if isinstance(x, int)}
    groups = [labels.get(x, as_text.get(x, x) if isinstance(x, str) else x) for x in levels]
    if given and groups == levels:
        near = hint_of_data(next(iter(labels)), dict.fromkeys(levels), "level")
        raise ValueError(f"`bins` of a published table names no level that column {name!r} has.{near}")
    if len({kind_of(x) for x in groups if x is not MISSING}) > 1:  # as in a file that has 20 below "18-19"
        groups = [x if x is MISSING else str(x) for x in groups]
    codes, found = pd.factorize(pd.Series(groups, dtype=object), use_na_sentinel=False)
    return list(found), codes


def cells_of(i: int, rule: Published, at: Sequence[int], read: Rows | None, people: People, rng: np.random.Generator) -> Cells:
    """A table as it was published, or as it is made from the original; an error where the original contradicts it."""
    labels, groups = zip(*(_grouped(people, c, rule) for c in at), strict=True)
    more, values = read or ([[]] * len(at), np.zeros(0))
    index = [{x: j for j, x in enumerate(dict.fromkeys([*of, *own]))} for of, own in zip(labels, more, strict=True)]
    shape = tuple(map(len, index))
    if math.prod(shape) > LARGEST:
        raise ValueError(f"`published[{i}]` has more than 2**25 cells. Group levels (bins=), or leave out a column.")
    here = flat([group[people.codes[c]] for group, c in zip(groups, at, strict=True)], shape)
    held = np.bincount(here, people.counts, math.prod(shape)).astype(np.int64)
    own = flat([np.array([of[x] for x in column], np.int64) for of, column in zip(index, more, strict=True)], shape)
    times = np.bincount(own, minlength=len(held))
    shown_as = rule.publish(held, rng) if read is None else np.zeros(len(held))
    shown_as[own] = values
    least, greatest = rule.interval(shown_as)
    wrong = (held < least) | (held > greatest) | (times > 1)
    if wrong.any():
        place = int(wrong.argmax())
        cell = zip(at, index, np.unravel_index(place, shape), strict=True)
        where = ", ".join(f"{people.columns[c]} = {in_cell(list(of)[j])}" for c, of, j in cell)
        by_rule = " to ".join(dict.fromkeys(f"{x[place]:g}" for x in (least, greatest)))
        told = f"the cell {where} holds {by_rule} people by its rule, and the original has another number. "
        told += "Correct it (totals are no levels), rule or bins"
        if times[place] == 0:  # the cell itself is confidential
            told = f"the original has people in {many(int((wrong & (times == 0)).sum()), 'cell')} not listed, which means 0. "
            told += "List counts that are not shown without a number"
        if times[place] > 1:
            told = f"the cell {where} is listed twice. Give each cell one row"
        raise ValueError(f"Published table {i} ({listed([people.columns[c] for c in at])}): {told}.")
    return Cells(at, groups, least.reshape(shape), greatest.reshape(shape))


def coarser(table: Cells, rule: Published, people: People, rng: np.random.Generator) -> tuple[Cells, str] | None:
    """A table made from the original with the levels of its smallest key column in pairs, neighbours together; and that column."""
    keys = [i for i, c in enumerate(table.columns) if c < people.axes["key"].nlevels and table.least.shape[i] > 1]
    if not keys:
        return None
    c = table.columns[least := min(keys, key=lambda i: table.least.shape[i])]
    pairs = dict(zip(people.levels[c], (table.groups[least] // 2).tolist(), strict=True))
    rule = replace(rule, columns=table.columns, table=None, bins={**(rule.bins or {}), people.columns[c]: pairs})
    return cells_of(0, rule, table.columns, None, people, rng), people.columns[c]
