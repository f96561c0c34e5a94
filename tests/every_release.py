"""Every release that a synthesis model can make of a small table, with its exact probability: the oracle of the closed forms."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from typing import Any

from capstats import laws

Rows = tuple[tuple[int, ...], ...]  # one row a target, one column a key


def class_of(model: str) -> type[laws.Model]:
    """The class of the library that `every_release` enumerates under this name."""
    own: type[laws.Model] = getattr(laws, "Permuted" if model == "permutation" else model.capitalize())
    return own


def made(model: str, m: int | None = None, **told: Any) -> laws.Model:
    """The model of the library with these options; fractions as floats."""
    own = class_of(model)
    told = {name: float(value) if isinstance(value, Fraction) else value for name, value in told.items() if value is not None}
    for name in {"matrix", "p"} & set(told):
        if not hasattr(told[name], "dims"):
            told[name] = [[float(x) for x in row] for row in told[name]]
    return own(**told) if m is None else own(m, **told)


def rows(table: Any) -> Rows:
    return tuple(tuple(int(x) for x in row) for row in table)


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Every way to put ``total`` records into so many cells."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def multinomial(counts: Sequence[int], shares: Sequence[Fraction]) -> Fraction:
    """Probability of these counts where each record falls into a cell by itself."""
    found = Fraction(math.factorial(sum(counts)))
    for count, share in zip(counts, shares, strict=True):
        found *= share**count / math.factorial(count)
    return found


def urn(counts: Sequence[int], weights: Sequence[Fraction]) -> Fraction:
    """Probability of these counts where each record is drawn from an urn and put back with one more of its kind."""

    def rising(a: Fraction, times: int) -> Fraction:
        return math.prod((a + i for i in range(times)), start=Fraction(1))

    found = Fraction(math.factorial(sum(counts))) / rising(sum(weights, Fraction(0)), sum(counts))
    for count, weight in zip(counts, weights, strict=True):
        found *= rising(weight, count) / math.factorial(count)
    return found


def every_release(o: Any, m: int | None = None, *, model: str, **told: Any) -> dict[Rows, Fraction]:
    """Each table that can be released, with its probability; what public functions take as floats is a fraction."""
    o = rows(o)
    targets, keys, n = len(o), len(o[0]), sum(map(sum, o))
    cells = [o[i][j] for i in range(targets) for j in range(keys)]
    if model in ("uniform", "bootstrap", "independent", "dirichlet", "given"):
        assert m is not None
        law = urn if model in ("uniform", "dirichlet") else multinomial
        weights = {
            "uniform": lambda: [Fraction(1) for _ in cells],
            "dirichlet": lambda: [Fraction(x) + Fraction(told["alpha"]) for x in cells],
            "given": lambda: [Fraction(x) for row in told["p"] for x in row],
            "bootstrap": lambda: [Fraction(x, n) for x in cells],
            "independent": lambda: [Fraction(sum(o[i]) * sum(row[j] for row in o), n * n) for i in range(targets) for j in range(keys)],
        }[model]()
        found = {fold(counts, keys): law(counts, weights) for counts in compositions(m, len(cells))}
        return {table: probability for table, probability in found.items() if probability}
    if model == "permutation":
        return permuted(rows(told["s"]))
    if model == "swap":
        return swapped(o, told["records"])
    by_key = [_of_key([row[j] for row in o], model, o, told) for j in range(keys)]
    releases: dict[Rows, Fraction] = {}
    for columns in product(*(column.items() for column in by_key)):
        table = tuple(zip(*(column for column, _ in columns), strict=True))
        releases[table] = math.prod((p for _, p in columns), start=Fraction(1))
    return releases


def law_of(measure: Callable[[Any, Rows], Fraction | None], o: Any, model: str, told: dict[str, Any]) -> dict[Fraction | None, Fraction]:
    """The probability of each value of a measure of an original and a release."""
    exact = {name: Fraction(value) if isinstance(value, float) else value for name, value in told.items()}
    found: dict[Fraction | None, Fraction] = defaultdict(Fraction)
    for table, probability in every_release(o, exact.pop("m", None), model=model, **exact).items():
        found[measure(o, table)] += probability
    return dict(sorted(found.items()))


def _of_key(column: list[int], model: str, o: Rows, told: dict[str, Any]) -> dict[tuple[int, ...], Fraction]:
    """The targets that one key can get, where keys keep their records and do not depend on each other."""
    if model == "partial":
        weights = [Fraction(x) + Fraction(told["alpha"]) for x in column]
        law = {counts: urn(counts, weights) if sum(column) else Fraction(1) for counts in compositions(sum(column), len(column))}
        return {counts: probability for counts, probability in law.items() if probability}
    n, margin = sum(map(sum, o)), [Fraction(sum(row)) for row in o]
    theta = Fraction(told.get("theta", 0))
    own = [[(1 - theta) * (a == b) + theta * margin[b] / n for b in range(len(o))] for a in range(len(o))]
    matrix = [[Fraction(x) for x in row] for row in told["matrix"]] if "matrix" in told else own
    law = {(0,) * len(column): Fraction(1)}
    for a, count in enumerate(column):
        for _ in range(count):
            after: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
            for counts, probability in law.items():
                for b, share in enumerate(matrix[a]):
                    if share:
                        after[tuple(x + (i == b) for i, x in enumerate(counts))] += probability * share
            law = dict(after)
    return law


def fold(counts: Sequence[int], keys: int) -> Rows:
    return tuple(tuple(counts[i : i + keys]) for i in range(0, len(counts), keys))


def records(table: Rows) -> list[tuple[int, int]]:
    """The (target, key) of every record."""
    return [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]


def counted(found: Sequence[tuple[int, int]], targets: int, keys: int) -> Rows:
    table = [[0] * keys for _ in range(targets)]
    for i, j in found:
        table[i][j] += 1
    return rows(table)


@cache
def permuted(s: Rows) -> dict[Rows, Fraction]:
    """Every assignment of the targets of a table to its keys, equally likely."""
    held = records(s)
    releases: dict[Rows, Fraction] = defaultdict(Fraction)
    for targets in permutations([i for i, _ in held]):
        table = counted([(i, j) for i, (_, j) in zip(targets, held, strict=True)], len(s), len(s[0]))
        releases[table] += Fraction(1, math.factorial(len(held)))
    return dict(releases)


def swapped(o: Rows, records_swapped: int) -> dict[Rows, Fraction]:
    """Every choice of so many records, and every permutation of their targets, equally likely."""
    held = records(o)
    choices = list(combinations(range(len(held)), records_swapped))
    releases: dict[Rows, Fraction] = defaultdict(Fraction)
    for chosen in choices:
        for order in permutations(chosen):
            after = list(held)
            for place, taken in zip(chosen, order, strict=True):
                after[place] = (held[taken][0], held[place][1])
            releases[counted(after, len(o), len(o[0]))] += Fraction(1, len(choices) * math.factorial(records_swapped))
    return dict(releases)


def average_cap(o: Any, s: Rows, unmatched: str = "zero") -> Fraction | None:
    """Average CAP in fractions; None where it is undefined."""
    o = rows(o)
    totals = [sum(column) for column in zip(*s, strict=True)]
    n = sum(sum(row[j] for row in o) for j, total in enumerate(totals) if total or unmatched == "zero")
    right = sum((Fraction(o[i][j] * s[i][j], total) for i in range(len(o)) for j, total in enumerate(totals) if total), Fraction(0))
    return right / n if n else None


def disclosed(o: Any, s: Rows) -> dict[str, Fraction]:
    """Of the original records the shares that are disclosed, of a pure key, and matched."""
    n, found = sum(map(sum, o)), {"disco": 0, "dis": 0, "matched": 0}
    for i, j in product(range(len(o)), range(len(o[0]))):
        held = [row[j] for row in s]
        pure = sum(map(bool, held)) == 1
        for name, counts in (("disco", pure and held[i] > 0), ("dis", pure), ("matched", any(held))):
            found[name] += counts * o[i][j]
    return {name: Fraction(count, n) for name, count in found.items()}


def moments(releases: dict[Rows, Fraction], measure: Any) -> tuple[Fraction, Fraction]:
    """Mean and variance of a measure over releases, given that it is defined."""
    values = [(measure(table), probability) for table, probability in releases.items()]
    defined = sum((probability for value, probability in values if value is not None), Fraction(0))
    mean = sum((value * probability for value, probability in values if value is not None), Fraction(0)) / defined
    square = sum((value**2 * probability for value, probability in values if value is not None), Fraction(0)) / defined
    return mean, square - mean**2
