"""Random splits of people, with releases that keep a claim of privacy or none; and how often a true claim may be refuted."""

from functools import cache
from itertools import combinations

import numpy as np
import xarray as xr
from scipy.optimize import linprog
from scipy.sparse import coo_array, kron


def at_most_level(refuted):
    """The share of false alarms is not above .05 by more than chance explains, at four standard errors."""
    return np.mean(refuted) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / np.size(refuted))


def tables(records, shape, dim):
    """A table of each row of cells."""
    found = np.stack([np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape) for cells in records])
    return xr.DataArray(found, dims=(dim, "target", "key"))


def halves(people, number, shape, dim, rng):
    """Random halves of people in random cells: the cells of the first halves, and the tables of both."""
    pool = rng.integers(0, shape[0] * shape[1], people)
    splits = np.stack([rng.permutation(pool) for _ in range(number)])
    inside, outside = np.split(splits, 2, axis=1)
    return inside, tables(inside, shape, dim), tables(outside, shape, dim)


def randomised_halves(epsilon):
    """2,000 halves of 60 people, released by randomised response of whole records, each kept with odds e^epsilon against any other one."""
    rng, shape = np.random.default_rng(22), (2, 3)
    inside, o, h = halves(60, 2000, shape, "run", rng)
    kept = rng.random(inside.shape) < (np.exp(epsilon) - 1) / (np.exp(epsilon) + 5)
    return o, tables(np.where(kept, inside, rng.integers(0, 6, inside.shape)), shape, "run"), h


def halves_with_many_keys():
    """40 halves of 600 people with 1,000 keys."""
    return halves(600, 40, (3, 1000), "repetition", np.random.default_rng(24))[1:]


@cache
def originals(people, inside=None):
    """All sets of people, or all of one size."""
    return [frozenset(x) for size in range(people + 1) for x in combinations(range(people), size) if inside in (None, size)]


def greatest(value, epsilon, adjacency, given=None):
    """The greatest sum of value[original][release] P(release | original) over all private mechanisms: a linear programme.

    ``value`` is a mapping from originals; with substitution it holds all of one size, with added or removed records all. ``given``, alike,
    is an event: the sum is divided by that of its probabilities, which the programme, being homogeneous, sets to 1.
    """
    sets, gain = list(value), np.array(list(value.values()), dtype=float)
    apart = 1 if adjacency == "add-remove" else 2
    near = [(a, b) for a, x in enumerate(sets) for b, y in enumerate(sets) if len(x ^ y) == apart]
    first, second = np.array(near, int).reshape(-1, 2).T
    rows = np.arange(len(near))
    differences = coo_array((np.ones(len(near)), (rows, first)), (len(near), len(sets)))
    differences = differences - np.exp(epsilon) * coo_array((np.ones(len(near)), (rows, second)), (len(near), len(sets)))
    limits = kron(differences, np.eye(gain.shape[1]))
    sums = np.kron(np.eye(len(sets)), np.ones(gain.shape[1]))
    held, to = sums, np.ones(len(sets))
    if given is not None:
        held, to = np.vstack([sums[1:] - sums[0], np.ravel(list(given.values()))]), np.append(np.zeros(len(sets) - 1), 1)
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    found = linprog(-gain.ravel(), limits, np.zeros(limits.shape[0]), held, to, method="highs", options=tight)
    assert found.status == 0
    return -found.fun
