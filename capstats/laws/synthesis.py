"""Random synthetic tables under named models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from capstats.laws.divisions import LARGEST, Counts, by_probability, from_urn, matched_at_random, shared_out, without_replacement
from capstats.laws.kept_keys import check_fits, check_whole
from capstats.laws.models import Synthesis, in_order_of
from capstats.laws.models.named import Named
from capstats.tables.backing import is_sparse
from capstats.tables.checking import is_integer, shown
from capstats.tables.dense import Dense
from capstats.tables.mapping import Aligned
from capstats.tables.sums import check_integers
from capstats.tables.table import Array


def sample_tables(
    o: Any,
    m: int | None = None,
    *,
    model: Named = "uniform",
    draws: int,
    rng: Any = None,
    alpha: float | None = None,
    s: Any = None,
    matrix: Any = None,
    theta: float | None = None,
    swapped: int | None = None,
) -> xr.DataArray:
    """Random synthetic tables under a named model.

    They show the average CAP that releases of this kind have: of tables unrelated to the original, or of everyday ways to change it.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key)
        Counts of original records. The model "uniform" uses only the I x J cells and their labels.
    m : int, optional
        Number of records of each synthetic table, at least 1; for the first four models only.
    model : {"uniform", "bootstrap", "independent", "dirichlet", "permutation", "partial", "pram", "swap"}
        "uniform": every I x J table with m records has the same probability, as in Figures 1 and 2 of the paper. "bootstrap": m records
        drawn from the original ones with replacement. "independent": target and key drawn independently from the margins of `o`.
        "dirichlet": m records from an urn that holds o_ij + alpha balls for each cell, every ball put back with one more of its cell.
        "permutation": the targets of the table `s` permuted at random. "partial": keys are kept; the o_.j targets of each key come
        from an urn with o_ij + alpha balls. "pram": keys are kept; every record draws its target from the row of its own in `matrix`, or
        with probability `theta` from the target margin of `o`. "swap": the targets of `swapped` records, chosen at random, are
        permuted at random among them.
    draws : int
        Number of tables, at least 1.
    rng : None, int, or numpy Generator
        Passed to ``numpy.random.default_rng``.
    alpha : float, optional
        Added to every cell under "dirichlet" and "partial"; from 0.
    s : same as `o`, optional
        The release whose margins the model "permutation" keeps.
    matrix : array-like, shape (I, I), optional
        Under "pram", the probability that target a (row) is released as target b (column); targets in the order of `o`, or
        labelled by the dim "target" for the rows.
    theta : float, optional
        Under "pram", in place of `matrix`: the probability that a target is drawn anew; from 0 to 1.
    swapped : int, optional
        Number of records whose targets are permuted under "swap", from 0 to the number of records.

    Returns
    -------
    DataArray of int, dims (draw, target, key)
        Random tables. Each sums to m, to the records of `s`, or to those of `o`.

    Raises
    ------
    ValueError, TypeError
        If `draws` is not a positive integer, the model is unknown, an option is missing, does not belong to the model or does not fit
        `o`, `o` is not one table of counts, or it holds no record that the model could use; if `o` holds weights under "partial",
        "pram" or "swap".

    See Also
    --------
    expected_cap, variance_cap : moments of average CAP over these tables, exactly.

    Notes
    -----
    See theory/uniform-tables.md (stars and bars; no rounded probability is used) and, for all other models, theory/sampling.md.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 4.
    Feller (1968), An Introduction to Probability Theory and Its Applications, volume 1, section II.5.
    Johnson, Kotz and Balakrishnan (1997), Discrete Multivariate Distributions, chapters 35, 39 and 40.

    Examples
    --------
    >>> s = sample_tables([[1, 2], [3, 4]], 10, draws=3, rng=1)
    >>> s.dims, s.sum(["target", "key"]).values.tolist()
    (('draw', 'target', 'key'), [10, 10, 10])

    Swaps keep both margins:

    >>> s = sample_tables([[1, 2], [3, 4]], model="swap", swapped=5, draws=3, rng=1)
    >>> s.sum("key").values.tolist(), s.sum("target").values.tolist()
    ([[3, 7], [3, 7], [3, 7]], [[4, 6], [4, 6], [4, 6]])
    """
    synthesis = Synthesis.of(model, m=m, alpha=alpha, s=s, matrix=in_order_of(o, matrix), theta=theta, swapped=swapped)
    draws, rng = check_draws(draws), np.random.default_rng(rng)
    aligned = one_table({"o": o} if s is None else {"o": o, "s": s})
    return aligned.wrap(_drawn(aligned, synthesis, draws, rng), "s", ("target", "key"), before=("draw",))


def check_draws(draws: Any) -> int:
    """A number of random tables as an int of at least 1."""
    if not is_integer(draws) or draws < 1:
        raise ValueError(f"`draws` must be a number of tables, an integer of at least 1; got {shown(draws)}.")
    return int(draws)


def one_table(tables: Mapping[str, Any]) -> Aligned:
    """Tables without further dims, aligned."""
    aligned = Aligned(tables)
    if aligned.shape:
        names = " and ".join(f"`{name}`" for name in tables)
        raise ValueError(f"{names} must be one table of (target, key); it also has {aligned.dims}. Choose one table.")
    return aligned


def as_array(aligned: Aligned, name: str) -> Array:
    """The values of one of the tables, shape (target, key)."""
    place = list(aligned.whole).index(name)
    data = aligned.map(lambda *tables: tables[place], name, ("target", "key")).variable.data
    return np.asarray(data.todense() if is_sparse(data) else data)


def _drawn(aligned: Aligned, synthesis: Synthesis, draws: int, rng: np.random.Generator) -> Counts:
    """Tables of a model: shape (draws, target, key)."""
    shape = (aligned.sizes["target"], aligned.sizes["key"])
    if synthesis.model == "uniform":
        return _compositions(draws, shape[0] * shape[1], _number(synthesis.m), rng).reshape(-1, *shape)
    if synthesis.model == "permutation":
        return _permuted(as_array(aligned, "s"), draws, rng)
    o = as_array(aligned, "o")
    if synthesis.model not in SATURATED:
        check_fits(Dense(o), synthesis)
        check_whole(Dense(o), synthesis)
        return KEPT[synthesis.model](_held(o, "o"), synthesis, draws, rng)
    weights = _held(
        {"bootstrap": o, "independent": np.outer(o.sum(1), o.sum(0)), "dirichlet": o + (synthesis.alpha or 0)}[synthesis.model], "o"
    )
    divide = from_urn if synthesis.model == "dirichlet" else by_probability
    return shared_out(np.full(draws, _number(synthesis.m)), weights.reshape(-1), divide, rng).reshape(-1, *shape)


def _held(table: Array, name: str) -> Array:
    if not table.any():
        raise ValueError(f"`{name}` holds no record, so that the model has nothing to draw from. Give a table with records.")
    return table


def _number(m: int | None) -> int:
    return m or 0


def _permuted(s: Array, draws: int, rng: np.random.Generator) -> Counts:
    """Tables with the margins of one."""
    check_integers(Dense(s), "s", ": its records are permuted", "Give unweighted counts of records.")
    _check_size(_held(s, "s"))
    targets, keys = np.broadcast_to(s.sum(1), (draws, s.shape[0])), np.broadcast_to(s.sum(0), (draws, s.shape[1]))
    return matched_at_random(targets, keys, rng)


def _from_urns(o: Array, synthesis: Synthesis, draws: int, rng: np.random.Generator) -> Counts:
    """Each key draws as many targets as it has records."""
    records = np.broadcast_to(o.sum(0), (draws, o.shape[1]))
    return np.swapaxes(shared_out(records, o.T + (synthesis.alpha or 0), from_urn, rng), -1, -2)


def _recoded(o: Array, synthesis: Synthesis, draws: int, rng: np.random.Generator) -> Counts:
    """Each record draws its target by the row of its own."""
    theta, matrix = synthesis.theta or 0.0, synthesis.matrix
    rows = (1 - theta) * np.eye(len(o)) + theta * o.sum(1) / o.sum() if matrix is None else matrix
    found = np.zeros((draws, *o.shape), np.int64)
    for records, row in zip(o, rows, strict=True):
        found += np.swapaxes(shared_out(np.broadcast_to(records, (draws, len(records))), row, by_probability, rng), -1, -2)
    return found


def _swapped(o: Array, synthesis: Synthesis, draws: int, rng: np.random.Generator) -> Counts:
    """The targets of some records are permuted."""
    _check_size(o)
    chosen = shared_out(np.full(draws, synthesis.swapped), o.reshape(-1), without_replacement, rng).reshape(-1, *o.shape)
    return o - chosen + matched_at_random(chosen.sum(-1), chosen.sum(-2), rng)


def _check_size(table: Array) -> None:
    if table.sum() >= LARGEST:
        raise ValueError(f"Records are permuted in tables of fewer than {LARGEST:,} records; got {table.sum():,}. Draw from another model.")


SATURATED = ("bootstrap", "independent", "dirichlet")
KEPT = {"partial": _from_urns, "pram": _recoded, "swap": _swapped}


def _compositions(draws: int, cells: int, m: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Uniform draws among the ways to put m records into cells: the gaps between cells - 1 bars at m + cells - 1 positions."""
    places, bars = m + cells - 1, cells - 1
    if bars**2 < places:  # independent bars rarely coincide: repeat the draws in which they do
        found = np.sort(rng.integers(0, places, (draws, bars)), axis=1)
        again = np.flatnonzero((np.diff(found, axis=1) == 0).any(1))
        while len(again):
            found[again] = np.sort(rng.integers(0, places, (len(again), bars)), axis=1)
            again = again[(np.diff(found[again], axis=1) == 0).any(1)]
    else:
        found = np.sort([rng.choice(places, bars, replace=False, shuffle=False) for _ in range(draws)], axis=1)
    ends = np.full((draws, 1), places)
    return np.diff(found, axis=1, prepend=np.full((draws, 1), -1), append=ends) - 1
