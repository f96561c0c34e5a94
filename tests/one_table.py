"""Tables for the privacy models of one table, and its classes written out from records."""

from collections import Counter
from fractions import Fraction

import numpy as np
from strategies import count_tables

from capstats.anonymity import anonymity_profile

tables = count_tables(5, 5, most=12)


def profile(table):
    """The privacy models of one table."""
    return anonymity_profile(table, table).sel(table="original", drop=True)


def records(table):
    """One (target, key) pair a record."""
    return [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(int(count))]


def classes(table):
    """The targets of the records of each class, one list a class."""
    found = {}
    for i, j in records(table):
        found.setdefault(j, []).append(i)
    return list(found.values())


def shares(targets):
    """The share of each target among the records of a list."""
    return {i: Fraction(count, len(targets)) for i, count in Counter(targets).items()}


def coarsened(table, to):
    """The table after each key has become another."""
    merged = np.zeros_like(table)
    np.add.at(merged, (slice(None), to), table)
    return merged


def random_tables(seed, number=50):
    """Tables with many empty cells and keys, at least one record in each."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        shape = rng.integers(1, 6), rng.integers(1, 7)
        table = rng.integers(0, rng.integers(2, 9), shape) * (rng.random(shape) < 0.6)
        table[rng.integers(shape[0]), rng.integers(shape[1])] += 1
        yield table
