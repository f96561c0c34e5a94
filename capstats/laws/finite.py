"""The law of average CAP over releases of finitely many records: exact where tables are few, otherwise between bounds on a grid."""

from __future__ import annotations

import math
from collections import Counter, deque
from fractions import Fraction
from typing import Any

import numpy as np

from capstats.laws.atoms import LISTED, Atoms
from capstats.laws.cells import BY_CELL
from capstats.laws.dealt import dealt_law
from capstats.laws.few import Column, TooManyError, few_tables, transitions
from capstats.laws.grid import Grid, units_of
from capstats.laws.integer_urns import IntegerUrn, of_total
from capstats.laws.kept_keys import check_fits
from capstats.laws.law import Law
from capstats.laws.mixing import ROUNDING, mixed
from capstats.laws.models import Synthesis
from capstats.laws.numerators import MOST, Key, TooLongError, numerators, released, rounded_down, rounding
from capstats.tables.aligned import Aligned
from capstats.tables.backing import is_sparse
from capstats.tables.dense import Dense
from capstats.tables.table import Array, Floats

CELLS_OF_KEYS = 1 << 27  # records x values of the grid x different keys
FINEST = 1 << 17  # values of a grid; eight times as many where key totals are kept
COARSEST = 1 << 10


def finite_law(o: Any, synthesis: Synthesis) -> Law:
    """The law under a model that was told its number of records: `Atoms` where tables are few, else a `Grid`, else an error."""
    counts, s = whole_tables(o, synthesis)
    try:
        return _atoms(counts, s, synthesis)
    except TooManyError:
        if s is not None and (law := _dealt(counts, s, synthesis)):
            return law
        if synthesis.model in ("permutation", "swap"):
            raise ValueError(
                f'The law of the model "{synthesis.model}" is given for few tables only, and here they are too many. `expected_cap` and '
                f"`variance_cap` have its moments; `sample_tables` draws from it. Permutations of two targets have a law for many."
            ) from None
    try:
        return _placed(counts, synthesis) if synthesis.model in BY_CELL else _kept(counts, synthesis)
    except TooLongError:
        raise ValueError(
            f'The law of the model "{synthesis.model}" is out of reach for this table and number of records. `cap_tail_bound` bounds its '
            f"tails for given key totals, `expected_cap` and `variance_cap` have its moments, `sample_tables` draws from it; for "
            f'"uniform", `cap_law` without `m` is the limit of many records.'
        ) from None


def whole_tables(o: Any, synthesis: Synthesis) -> tuple[Array, Array | None]:
    """The counts of the original as an array (target, key), and those of the release whose targets are permuted."""
    aligned = Aligned({"o": o} if synthesis.s is None else {"o": o, "s": synthesis.s})
    if aligned.shape:
        raise ValueError(f"A law is that of one table; the tables also have {aligned.dims}. Choose one table.")
    found: list[Array] = []
    for place, name in enumerate(aligned.whole):
        if not aligned.whole[name]:
            raise ValueError(f"`{name}` must hold integers for the law of finitely many records; got fractional counts. Leave out weights.")
        table = aligned.map(lambda *tables, place=place: tables[place], name, ("target", "key"))
        found.append(table.data.todense() if is_sparse(table.data) else table.values)
    check_fits(Dense(found[0]), synthesis)
    return found[0], found[1] if len(found) > 1 else None


def said(synthesis: Synthesis, how: str) -> str:
    """The model and how its law is computed, for printing."""
    return f"{synthesis.model}{'' if synthesis.m is None else f', m = {synthesis.m:,}'}; {how}"


def _atoms(o: Array, s: Array | None, synthesis: Synthesis) -> Atoms:
    """All tables: average CAP is an integer over n times the least common multiple of the key totals."""
    totals = range(1, synthesis.m + 1) if synthesis.m else [int(x) for x in (o if s is None else s).sum(0) if x]
    if synthesis.m and math.comb(synthesis.m + len(o), len(o)) > LISTED:
        raise TooManyError
    common = math.lcm(*totals)

    def value(column: Column, j: int) -> int:
        return sum(int(x) * y for x, y in zip(o[:, j], column, strict=True)) * (common // max(sum(column), 1))

    weights = few_tables(o, synthesis, value, s)
    if len(weights) > LISTED:
        raise TooManyError
    return Atoms(weights, int(o.sum()) * common, about=said(synthesis, "all tables"))


# --- records placed in cells ------------------------------------------------------------------------------------------


def _placed(o: Array, synthesis: Synthesis) -> Grid:
    """Records placed in cells: given the key totals the keys are independent; each is rounded, then they are mixed over the totals."""
    m, n, urn = synthesis.m or 0, int(o.sum()), IntegerUrn.of(o, synthesis)
    every = [Key.of(o[:, j], urn, j) for j in range(o.shape[1])]
    keys = Counter(key for key in every if key.counts)
    length = CELLS_OF_KEYS // ((m + 1) * len(keys))
    length = min(FINEST, 1 << max(length.bit_length() - 1, 0))
    if length < COARSEST or sum(key.work(m) for key in keys) > MOST:
        raise TooLongError
    greatest = sum(key.counts[-1] * power for key, power in keys.items())
    common = math.lcm(*range(1, m + 1)) if any(len(key.counts) > 1 for key in keys) else 1
    of_unit, units = units_of(greatest, length, [common])
    length = 1 << (greatest * of_unit // units).bit_length()
    everything = int(urn.weights.sum())
    tables, totals = [], []
    for key, power in keys.items():
        law = of_total(sum(key.weights), key.grows, everything, m)
        table = np.zeros((m + 1, key.counts[-1] * of_unit // units + 1))
        table[0, 0] = law[0]
        for r, sums in enumerate(numerators(key, m, everything)):
            if r and law[r]:
                table[r] = law[r] * rounded_down(sums, key, r, of_unit, units)
        tables.append((table, power))
        totals += power * [law]
    values, error = mixed(tables, length)
    certain = of_all(totals, m)
    relative = sum(power * (rounding(key, m) + 8 * (m + 2) * ROUNDING) for key, power in keys.items())
    ends = sorted((key.counts[-1] for key in keys.elements()), reverse=True)[:m]
    rounded = sum(power for key, power in keys.items() if units > 1 or (len(key.counts) > 1 and of_unit % common))
    unit, span = Fraction(units, of_unit * n), (min(key.counts[0] for key in keys) / n, sum(ends) / n)
    return Grid.of(values, certain, (error, relative), unit, rounded, span, said(synthesis, "rounded to a grid"))


def of_all(laws: list[Floats], m: int) -> float:
    """The probability that independent numbers of records sum to m."""
    found = laws[0]
    for law in laws[1:]:
        found = np.convolve(found, law)[: m + 1]
    return float(found[m])


def _dealt(o: Array, s: Array, synthesis: Synthesis) -> Grid | None:
    """A release with two targets that are permuted, the rarer one first; None where it has more, or too many records."""
    rows = np.argsort(s.sum(1), kind="stable")[-2:]
    length = CELLS_OF_KEYS // ((int(s[rows[0]].sum()) + 1) * s.shape[1])
    length = min(FINEST, 1 << max(length.bit_length() - 1, 0))
    if s[rows].sum() < s.sum() or length < COARSEST:
        return None
    return dealt_law(o[rows], s[rows], int(o.sum()), length, said(synthesis, "rounded to a grid"))


# --- keys that keep their records -------------------------------------------------------------------------------------


def _kept(o: Array, synthesis: Synthesis) -> Grid:
    """Keys that keep their records are independent: each is rounded to a grid, then they are added."""
    n, urn = int(o.sum()), IntegerUrn.of(o, synthesis) if synthesis.model == "partial" else None
    chances = np.array(transitions(o, synthesis), dtype=np.float64) if urn is None else np.zeros(0)
    columns = Counter((tuple(o[:, j].tolist()), () if urn is None else tuple(urn.weights[:, j])) for j in np.flatnonzero(o.sum(0)))

    laws, work, relative, ends = [], 0.0, 0.0, np.zeros(2)
    for (column, _), power in columns.items():
        r, counts = sum(column), np.array(column)[:, None]
        if urn is None:
            key, law = released(counts[:, 0], chances)
            possible = np.where(chances > 0, counts[:, 0], -1)
            least, most = np.where(chances > 0, counts[:, 0], r).min(1) @ counts[:, 0] / r, possible.max(1) @ counts[:, 0] / r
        else:
            key = Key.of(counts[:, 0], IntegerUrn.of(counts, synthesis), 0)
            work += key.work(r)
            if work > MOST:
                raise TooLongError
            law = deque(numerators(key, r, sum(key.weights)), maxlen=1)[0]
            least, most = key.counts[0], key.counts[-1]
        laws.append((key, law, r, power))
        relative += power * rounding(key, r)
        ends += power * np.array([least, most])
    greatest = sum(key.counts[-1] * power for key, _, _, power in laws)
    length = min(8 * FINEST, 1 << (CELLS_OF_KEYS // len(laws)).bit_length() - 1)
    if length < COARSEST:
        raise TooLongError
    of_unit, units = units_of(greatest, length, [r for key, _, r, _ in laws if len(key.counts) > 1])
    length = 1 << (greatest * of_unit // units).bit_length()
    tables = [(rounded_down(law, key, r, of_unit, units)[None], power) for key, law, r, power in laws]
    values, error = mixed(tables, length)
    rounded = sum(power for key, _, r, power in laws if units > 1 or (len(key.counts) > 1 and of_unit % r))
    unit, span = Fraction(units, of_unit * n), (float(ends[0]) / n, float(ends[1]) / n)
    return Grid.of(values, 1.0, (error, relative), unit, rounded, span, said(synthesis, "rounded to a grid"))
