"""Small ledgers, several published tables of the same few people, and what is true of every table of all columns that agrees with them.

The rules by which tables are published are written anew here, count by count, and integer programmes (HiGHS) answer by what was published.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import LinearConstraint, milp
from scipy.sparse import csr_array, vstack

from capstats.disclosure import Published

KINDS = ("exact", "rounded to the nearest", "rounded at random", "suppressed", "suppressed twice", "mixed")
GREATEST = 60  # a count that is looked at; all of the people are fewer


@dataclass(frozen=True)
class Rule:
    """How counts are published; ``twice``: cells may have been suppressed to protect others."""

    base: int = 1
    how: str | None = "nearest"  # None: the rule of rounding is not known
    zeros: str = "rounded"
    suppressed: tuple[int, int] | None = None
    twice: bool = False

    def publishes(self, count: int, shown: int | None) -> bool:
        """Whether a count may be published so; ties may go either way."""
        hidden = self.suppressed is not None and self.suppressed[0] <= count <= self.suppressed[1]
        if shown is None:
            return self.twice or hidden
        if shown % self.base or (self.zeros == "kept" and (shown == 0) != (count == 0)):
            return False
        if self.zeros == "kept" and shown == self.base and count < self.base:
            return True  # it would have become 0
        return 2 * abs(count - shown) <= self.base if self.how == "nearest" else abs(count - shown) < self.base

    def interval(self, shown: int | None) -> tuple[float, float]:
        """The least and the greatest count that is published so."""
        if shown is None and self.twice:
            return 0, np.inf
        fits = [count for count in range(GREATEST) if self.publishes(count, shown)]
        return fits[0], fits[-1]

    def publish(self, count: int, rng: np.random.Generator) -> int | None:
        """One way to publish a count."""
        if (self.suppressed and self.suppressed[0] <= count <= self.suppressed[1]) or (self.twice and rng.random() < 0.25):
            return None
        low, rest = divmod(count, self.base)
        up = 2 * rest >= self.base if self.how == "nearest" else rng.random() < rest / self.base
        shown = self.base * (low + (rest > 0 and up))
        return self.base if self.zeros == "kept" and count and not shown else int(shown)

    @property
    def options(self) -> dict[str, Any]:
        """The rule as `Published` takes it."""
        rounded = None if self.base == 1 else self.base if self.how is None else (self.base, self.how)
        return {"rounded": rounded, "zeros": self.zeros, "suppressed": self.suppressed, "secondary": self.twice}


@dataclass(frozen=True)
class Table:
    """A published table: its columns, the group of each of their levels, its rule, and each of its cells as it is shown."""

    columns: tuple[int, ...]
    groups: tuple[list[int], ...]
    rule: Rule
    shown: dict[tuple[int, ...], int | None]
    from_original: bool  # whether it is left to the library to make it

    @property
    def published(self) -> Published:
        names = [f"c{c}" for c in self.columns]
        coarse = {name: of for name, of in zip(names, self.groups, strict=True) if len(set(of)) < len(of)}
        bins = {name: {f"{name}_{i}": f"{name}_group{group}" for i, group in enumerate(of)} for name, of in coarse.items()}
        if self.from_original:
            return Published(names, bins=bins, **self.rule.options)
        label = {name: (lambda i, name=name: f"{name}_group{i}" if name in coarse else f"{name}_{i}") for name in names}
        rows = [(*(label[name](i) for name, i in zip(names, cell, strict=True)), shown) for cell, shown in self.shown.items()]
        frame = pd.DataFrame(rows, columns=[*names, "people"]).astype({"people": "Int64"})
        return Published(table=frame, bins=bins, **self.rule.options)


@dataclass(frozen=True)
class Case:
    """People, (people, columns), the last column the target; some of the others are keys."""

    people: np.ndarray
    keys: tuple[int, ...]
    tables: list[Table]
    kind: str

    @property
    def sizes(self) -> list[int]:
        return [int(x) + 1 for x in self.people.max(0)]

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of `published_bounds`."""
        original = pd.DataFrame({f"c{c}": [f"c{c}_{i}" for i in self.people[:, c]] for c in range(self.people.shape[1])})
        keys = [f"c{c}" for c in self.keys]
        return {"original": original, "keys": keys, "target": list(original)[-1], "published": [t.published for t in self.tables]}

    @property
    def cells(self) -> np.ndarray:
        return np.array(list(product(*map(range, self.sizes))))

    def programme(self) -> Programme:
        return Programme(self.cells, [(self.cells_of(t), *self.limits(t)) for t in self.tables])

    def cells_of(self, table: Table) -> np.ndarray:
        """The published cell of each joint cell."""
        places = {cell: i for i, cell in enumerate(table.shown)}
        grouped = np.stack([np.array(of)[self.cells[:, c]] for c, of in zip(table.columns, table.groups, strict=True)], axis=1)
        return np.array([places[tuple(x)] for x in grouped.tolist()])

    def limits(self, table: Table) -> tuple[np.ndarray, np.ndarray]:
        return tuple(np.array([table.rule.interval(x) for x in table.shown.values()]).T)

    def block(self, key: tuple[int, ...], targets: list[int]) -> np.ndarray:
        """Whether each joint cell has this key and one of these targets."""
        cells = self.cells
        return (cells[:, list(self.keys)] == key).all(1) & np.isin(cells[:, -1], targets)

    def pure(self) -> dict[tuple[int, ...], tuple[int, int]]:
        """The keys whose people have one target: this target, and the number of people."""
        found: dict[tuple[int, ...], list[int]] = {}
        for person in self.people.tolist():
            found.setdefault(tuple(person[c] for c in self.keys), []).append(person[-1])
        return {key: (of[0], len(of)) for key, of in found.items() if len(set(of)) == 1}

    def true_claims(self, *, whole: bool = True) -> dict[tuple[int, ...], int]:
        """The keys whose target is the same in every table that agrees, and their people: one integer programme a key.

        ``whole=False``: in every table of real numbers, too, by linear programmes.
        """
        programme, targets = self.programme(), range(self.sizes[-1])
        claims = {}
        for key, (target, people) in self.pure().items():
            others = self.block(key, [x for x in targets if x != target])
            if not (programme.possible(others) if whole else programme.possible_in_parts(others)):
                claims[key] = people
        return claims


class Programme:
    """All tables of whole numbers of people in joint cells that agree with what was published."""

    def __init__(self, cells: np.ndarray, tables: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> None:
        n = len(cells)
        places = [csr_array((np.ones(n), (which, np.arange(n))), (len(a), n)) for which, a, _ in tables]
        self.system = vstack(places, format="csr")
        for name in ("indices", "indptr"):  # older versions of scipy take no others
            setattr(self.system, name, getattr(self.system, name).astype(np.int32))
        self.least, self.greatest = (np.concatenate([x[i] for x in tables]).astype(float) for i in (1, 2))

    def possible(self, cells: np.ndarray) -> bool:
        """Whether somebody may be in one of these joint cells."""
        rows = vstack([self.system, csr_array(cells[None].astype(float))], format="csr")
        limits = LinearConstraint(rows, np.r_[self.least, 1], np.r_[self.greatest, np.inf])
        found = milp(np.zeros(len(cells)), integrality=1, constraints=limits)
        assert found.status in (0, 2), found.message
        return bool(found.status == 0)

    def possible_in_parts(self, cells: np.ndarray) -> bool:
        """Whether a part of somebody may be in one of these joint cells, where numbers of people need not be whole.

        The most is a vertex of small integers, 0 or no small fraction, of which the tolerance of HiGHS, 1e-7, is far.
        """
        found = milp(-cells.astype(float), constraints=LinearConstraint(self.system, self.least, self.greatest))
        assert found.status in (0, 3), found.message
        assert found.status == 3 or not 1e-6 < -found.fun < 1e-3, found.fun
        return bool(found.status == 3 or -found.fun > 1e-6)

    def least_of(self, weights: np.ndarray) -> float:
        """The least sum of people times weights; -inf where nothing limits it."""
        found = milp(weights.astype(float), integrality=1, constraints=LinearConstraint(self.system, self.least, self.greatest))
        assert found.status in (0, 3, 4), found.message
        return float(found.fun) if found.status == 0 else -np.inf


def rule_of(kind: str, rng: np.random.Generator) -> Rule:
    if kind == "mixed":
        return rule_of(rng.choice(KINDS[:-1]), rng)
    if kind == "exact":
        return Rule()
    if kind.startswith("rounded"):
        how = "nearest" if "nearest" in kind else rng.choice(np.array(["random", None], object))
        return Rule(int(rng.choice([2, 3])), how, str(rng.choice(["kept", "kept", "rounded"])))
    return Rule(suppressed=(1, int(rng.integers(1, 3))), twice="twice" in kind)


def case(seed: int) -> Case:
    """A random ledger: 3 or 4 columns of 2 to 4 levels, 4 to 25 people, 1 to 4 tables; the kind goes by the seed."""
    rng, kind = np.random.default_rng(seed), KINDS[seed % len(KINDS)]
    columns, n = int(rng.choice([3, 4, 4])), int(rng.integers(4, 31))
    people = rng.integers(0, 12, (n, columns)) % rng.integers(2, 5, columns)
    follow = rng.random(n) < rng.choice([0, 0.5, 0.9])  # how many have the target that goes with two of their keys
    people[follow, -1] = people[follow, :2].sum(1) % (people[:, -1].max() + 1)
    people = np.stack([np.unique(x, return_inverse=True)[1].ravel() for x in people.T], axis=1)  # each level has somebody
    others = list(range(columns - 1))
    if rng.random() < 0.3:
        others.remove(int(rng.choice(others)))  # a column that is neither key nor target
    choices = [x for size in range(1, columns + 1) for x in combinations(range(columns), size)]
    sizes = np.array([len(x) for x in choices], float)
    weights = np.where(sizes == columns, 0.05, 2.0**sizes) * [3 if columns - 1 in x else 1 for x in choices]
    chosen = rng.choice(len(choices), int(rng.choice([1, 2, 3, 3, 4, 4])), p=weights / weights.sum(), replace=False)
    tables = [table(people, choices[i], rule_of(kind, rng), rng) for i in chosen]
    return Case(people, tuple(others), tables, kind)


def table(people: np.ndarray, columns: tuple[int, ...], rule: Rule, rng: np.random.Generator) -> Table:
    sizes = people.max(0) + 1
    groups = []
    for c in columns:
        coarse = sizes[c] > 2 and rng.random() < 0.15
        groups.append(np.unique(rng.integers(0, 2, sizes[c]), return_inverse=True)[1].tolist() if coarse else list(range(sizes[c])))
    counts = dict.fromkeys(product(*[range(max(of) + 1) for of in groups]), 0)
    for person in people.tolist():
        counts[tuple(of[person[c]] for c, of in zip(columns, groups, strict=True))] += 1
    shown = {cell: rule.publish(count, rng) for cell, count in counts.items()}
    fixed = rule.how == "nearest" and not rule.twice
    return Table(columns, tuple(groups), rule, shown, bool(fixed and rng.random() < 0.5))
