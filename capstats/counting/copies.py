"""Records of a release that are copies of real ones: identical to one of the original in all columns that are compared, or in all but one.

`compared` defines which records are identical; `beyond_chance` tests whether there are more of them than chance explains.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from capstats.codes.bins import Cut
from capstats.codes.column import Counts, Places
from capstats.codes.labels import MISSING
from capstats.codes.names import in_cell
from capstats.counting.beyond_chance import Copies, beyond_chance, by_multiplicities
from capstats.counting.compared import (
    IDENTIFIER,
    Known,
    Lookup,
    Meeting,
    NotCompared,
    Rows,
    columns_in_common,
    meet,
    over_readable,
    read_rows_of,
)
from capstats.counting.identifiers import naming
from capstats.counting.many_rows import many_rows
from capstats.counting.reading import Input, read_rows
from capstats.sources.memory import MemorySource
from capstats.sources.whole_records import together

COLUMNS = 50  # columns that are compared by default, at most
NEAR = 20  # columns up to which records that agree in all columns but one are searched
MOST_VALUES = 1 << 25  # numbers held for these, at most
LEVELS = 1000  # labels of a key column up to which copies are counted by its levels
Keys = Mapping[Hashable, Cut | None]  # the key columns of the tables, and where each is cut


class Real:
    """Original and holdout over some of their columns, prepared for comparison with releases."""

    def __init__(self, original: Rows, holdout: Rows | None, *, near: bool):
        self.original, self.near = original, near and len(original.columns) > 1
        self.known = Known(original, near=self.near)
        self.holdout = None if holdout is None else Known(holdout, near=self.near)

    @cached_property
    def people(self) -> tuple[Lookup, list[Places]]:
        """The distinct records of original and holdout, and their counts in each of these tables."""
        numbers = self.known.numbers
        if self.holdout is None:
            return self.known.lookup, [self.known.counts]
        numbers = np.concatenate([numbers, self.holdout.numbers[self.known.times(self.holdout.numbers) == 0]])
        return Lookup(numbers), [self.known.times(numbers), self.holdout.times(numbers)]

    def meet(self, release: Known) -> tuple[list[Places], list[Places]]:
        """How often each distinct record of a release occurs in the original, and in the holdout, if any; and multiplicities.

        The latter are those of distinct records in the original, in the release and in the holdout, and the number of records with these.
        """
        lookup, counts = self.people
        which, at = lookup.found(release.numbers)
        alone = np.delete(release.counts, which)
        times = [np.zeros(len(release.numbers), np.int64) for _ in counts]
        for own, of_table in zip(times, counts, strict=True):
            own[which] = of_table[at]
        s = np.zeros(len(counts[0]), np.int64)
        s[at] = release.counts[which]
        o, *h = (np.concatenate([x, 0 * alone]) for x in counts)
        return times, together([[o, np.concatenate([s, alone]), *h, np.ones(len(o), np.int64)]])


def find_copies(inputs: Sequence[Input], most: int, keys: Keys, records: Sequence[float]) -> tuple[Copies, Counts | None]:
    """How many records of each release are copies of the original's, and of the holdout's, or why that is not computed.

    Where the original is read record by record, also how many records of the one release each is identical to. ``inputs`` are original,
    releases and holdout, as `inputs_of` gives them, ``records`` how many they have; if too many, `many_rows` compares them. Columns
    with an identifier, such as row numbers, are left out, those that some table cannot give as labels, and of each release those that share
    no level with the original. Copies in each release are counted by level of the key columns, too, as the tables have them, with `types`
    and `bins`.
    """
    common, left_out, others = columns_in_common(inputs)
    try:
        if not 0 < len(common) <= most:
            raise NotCompared(f"the tables have {len(common)} columns in common, and 1 to {most} are compared (--copy-columns)")
        if (many := many_rows(inputs, records, len(common))) is not None:
            return many.copies(common, left_out, others), None

        def work(columns: Sequence[Hashable], unread: dict[str, str]) -> tuple[Copies, Counts | None]:
            holdout = inputs[-1] if inputs[-1].name == "holdout" else None
            search = Search(inputs[0], holdout, columns, left_out | unread, others, keys)
            for release in inputs[1 : len(inputs) - (holdout is not None)]:
                search.add(release)
            return search.described, search.times

        return over_readable(inputs, common, work)
    except NotCompared as why:
        return {"not_computed": str(why)}, None


class Search:
    """Copies in one release after the other, compared with original and holdout over all columns that are no identifiers."""

    def __init__(
        self,
        original: Input,
        holdout: Input | None,
        columns: Sequence[Hashable],
        left_out: Mapping[str, str],
        others: Mapping[str, Mapping[str, str]],
        keys: Keys,
    ):
        rows = read_rows_of(original, columns)
        kept = [i for i in range(len(columns)) if not rows.identifies(i)]
        self.identifiers = naming(rows, [i for i in range(len(columns)) if i not in kept])
        if not kept:
            raise NotCompared("in all columns each record of the original has a value of its own")
        self.columns, self.original, self.keys, self.by_record = [columns[i] for i in kept], rows.only(kept), keys, original.by_record
        left_out = {**left_out, **{str(c): IDENTIFIER for i, c in enumerate(columns) if i not in kept}}
        self.described: Copies = {"columns": list(map(str, self.columns)), "left_out": left_out}
        self.others = others  # of each release, columns that are not compared, and why
        self.near = 1 < len(kept) <= NEAR and len(kept) * len(rows.counts) <= MOST_VALUES
        if not self.near:
            self.described["near"] = f"not computed: it is for 2 to {NEAR} columns, and for {MOST_VALUES:,} values of the original"
        self.holdout: Rows | None = None
        self.judges = False  # whether the holdout is valid as a measure of chance
        self.real: dict[tuple[int, ...], Real] = {}  # by the columns that a release is compared over
        self.times: Counts | None = None  # the number of identical records in the release, of each row of the original
        if holdout is not None:
            self._compare_holdout(meet(self.original, read_rows_of(holdout, self.columns), same_source=True))
        self.described["releases"] = []

    def _compare_holdout(self, meeting: Meeting) -> None:
        self.described |= {"holdout_apart": meeting.apart, "holdout_spelled": meeting.spelled}
        self._add_levels(meeting, "holdout")
        self.holdout = meeting.rows
        of_original, held = Real(self.original.only(meeting.kept), None, near=False), Known(self.holdout.only(meeting.kept))
        (times,), (o, h, n) = of_original.meet(held)
        if same := beyond_chance(o, h, None, n).found:
            self.described["holdout_in_original"] = int(held.counts[times > 0].sum())
        self.judges = not same and not meeting.apart

    def add(self, release: Input) -> None:
        """Compare one more release."""
        meeting = meet(self.original, read_rows_of(release, self.columns))
        over = tuple(meeting.kept or range(len(self.columns)))
        if over not in self.real:
            self.real[over] = Real(self.original.only(over), self.holdout and self.holdout.only(over), near=self.near)
        real, rows = self.real[over], meeting.rows.only(over)
        held = Known(rows)
        (times, *others), (o, s, *h, n) = real.meet(held)
        apart = {**self.described.get("holdout_apart", {}), **self.others[release.name], **meeting.apart}
        for values in self.identifiers:
            apart |= values.found_in(release)
        found = by_multiplicities(o, s, h[0] if h else None, n, self.judges, apart)
        found |= {"columns": len(over), "spelled": {**real.original.merged, **rows.merged, **meeting.spelled}}
        if real.near:
            found["near_copied_records"] = real.known.near(rows, held, times)
            if real.holdout is not None:
                found["holdout_near_copied_records"] = real.holdout.near(rows, held, *others)
        found["copied_by_level"] = _by_level(meeting.rows, (times > 0)[held.of_row], release, self.keys)
        self._add_levels(meeting, release.name)
        self.described["releases"].append(found)
        if self.by_record:
            self.times = held.times(self.original.only(over).numbers)

    def _add_levels(self, meeting: Meeting, table: str) -> None:
        """Add the comparison of levels, for columns whose levels do not match."""
        for column, entry in meeting.entries.items():
            self.described.setdefault("levels", {}).setdefault(column, {})[table] = {**entry, "examples": []}


def _by_level(rows: Rows, copied: Any, table: Input, keys: Keys) -> dict[str, dict[str, int]]:
    """The number of copied records at each level of the key columns, with levels as in the tables: cut, and of their type."""
    found: dict[str, dict[str, int]] = {}
    at = np.flatnonzero(copied)
    for name, labels in rows.labelled.items():
        if name not in keys or len(labels) > LEVELS:
            continue
        codes = rows.codes[list(rows.columns).index(name)]
        cuts = {} if (cut := keys[name]) is None else {name: cut}
        values = [None if x is MISSING else x for x in labels]
        if (decimal := table.options.decimal) != "." and (cuts or table.options.type_of(name) == "number"):
            values = [x.replace(decimal, ".") if isinstance(x, str) else x for x in values]
        part, _ = read_rows(Input(MemorySource({name: values}, "synthetic"), table.options, by_record=True), [name], cuts)
        levels = [in_cell(part.columns[0].labels[code]) for code in part.columns[0].codes[part.of_row].tolist()]
        own = found.setdefault(str(name), {})
        for i in np.flatnonzero(n := np.bincount(codes[at], rows.counts[at], len(levels))):
            own[levels[i]] = own.get(levels[i], 0) + int(n[i])
    return found
