"""Closed forms against all releases of all small originals: every original with few records, up to the order of its targets and keys."""

from __future__ import annotations

import math
from functools import cache
from itertools import permutations, product

import numpy as np
import pytest
import xarray as xr
from every_release import compositions, every_release, made, rows

from capstats import average_cap
from capstats.disclosure import dis, disco
from capstats.laws import Permuted, expected_cap, expected_disclosure, variance_cap

pytestmark = pytest.mark.slow

SHAPES = [(1, 1), (1, 3), (3, 1), (2, 2), (2, 3), (3, 2), (3, 3)]  # targets, keys
CELL_MODELS = {"uniform": {}, "bootstrap": {}, "independent": {}, "dirichlet": {"alpha": 0.75}}
KEPT_MODELS = [("partial", {"alpha": 0.75}), ("pram", {"theta": 0.25}), *(("swap", {"records": k}) for k in (0, 1, 2))]
each_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)
ROUNDING = {"rtol": 1e-12, "atol": 1e-13}


@cache
def originals(shape, most):
    """One of each class of tables that differ in the order of targets and keys only, with 1 to ``most`` records."""
    found = {}
    for n in range(1, most + 1):
        for cells in compositions(n, math.prod(shape)):
            table = np.reshape(cells, shape)
            orders = product(permutations(range(shape[0])), permutations(range(shape[1])))
            found[max(table[np.ix_(a, b)].tobytes() for a, b in orders)] = table
    return xr.DataArray(np.stack(list(found.values())), dims=("original", "target", "key"))


def probabilities(o, s, m, model, alpha=0.0):
    """Probability of each release given each original, by its definition; shape (original, draw)."""
    n = o.sum(("target", "key"))
    factorials = xr.apply_ufunc(np.vectorize(math.factorial), s).prod(("target", "key"))
    if model in ("bootstrap", "independent"):
        shares = o / n if model == "bootstrap" else o.sum("key") * o.sum("target") / n**2
        return math.factorial(m) * (shares**s).prod(("target", "key")) / factorials
    weights = xr.ones_like(o, float) if model == "uniform" else o + alpha
    rising = xr.concat([weights**0] + [weights + i for i in range(m)], "step").cumprod("step")
    total = weights.sum(("target", "key"))
    below = math.prod((total + i for i in range(m)), start=xr.ones_like(total))
    return math.factorial(m) * rising.isel(step=s).prod(("target", "key")) / factorials / below


def check(measure, probability, mean, variance=None):
    """Moments of a measure, given that it is defined, are those of a sum over all releases."""
    defined = (probability * measure.notnull()).sum("draw")
    first = (probability * measure).sum("draw") / defined.where(defined > 0)
    np.testing.assert_allclose(mean.transpose(*first.dims), first, **ROUNDING)
    if variance is not None:
        second = (probability * (measure - first) ** 2).sum("draw") / defined.where(defined > 0)
        np.testing.assert_allclose(variance.transpose(*first.dims), second, **ROUNDING)


@pytest.mark.parametrize(("n", "m"), [(3, 4), (4, 6)], ids=["few records", "more records"])
@each_shape
def test_mean_variance_and_disclosure_where_records_are_placed_in_cells(shape, n, m):
    o = originals(shape, n)
    for records in range(1, m + 1):
        s = xr.DataArray([np.reshape(c, shape) for c in compositions(records, math.prod(shape))], dims=("draw", "target", "key"))
        averages = {unmatched: average_cap(o, s, unmatched=unmatched) for unmatched in ("zero", "drop")}
        shares = {"disco": disco(o, s), "dis": dis(o, s)}
        for model, told in CELL_MODELS.items():
            probability = probabilities(o, s, records, model, **told)
            np.testing.assert_allclose(probability.sum("draw"), 1, **ROUNDING)
            drawn = made(model, records, **told)
            for unmatched, average in averages.items():
                check(average, probability, *(f(o, drawn, unmatched=unmatched) for f in (expected_cap, variance_cap)))
            expected = expected_disclosure(o, drawn)
            for name, share in shares.items():
                check(share, probability, expected[name])


def check_listed(o, model, own, unmatched, **told):
    """The same of average CAP, over the releases of the first original, which are those of all of them."""
    every = every_release(o.values.reshape(-1, *o.shape[-2:])[0], model=model, **told)
    s = xr.DataArray(np.array(list(every)), dims=("draw", "target", "key"))
    probability = xr.DataArray([float(p) for p in every.values()], dims="draw")
    check(average_cap(o, s, unmatched=unmatched), probability, *(f(o, own, unmatched=unmatched) for f in (expected_cap, variance_cap)))


@pytest.mark.parametrize(("n", "m"), [(3, 4), (4, 5)], ids=["few records", "more records"])
@each_shape
def test_mean_and_variance_where_keys_are_kept_or_the_targets_of_a_release_are_permuted(shape, n, m):
    for o, (model, told) in product(originals(shape, n), KEPT_MODELS):
        if told.get("records", 0) <= int(o.sum()):
            check_listed(o, model, made(model, **told), "zero", **told)
    for released, unmatched in product(originals(shape, m), ("zero", "drop")):
        check_listed(originals(shape, n), "permutation", Permuted(released), unmatched, s=rows(released.values))
