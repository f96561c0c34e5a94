"""Random splits of people, with releases that keep a claim of privacy or none; and how often a true claim may be refuted."""

import numpy as np
import xarray as xr


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
