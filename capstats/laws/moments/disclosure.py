"""Expected disclosure with certainty of a random release, which even a perfect synthesiser has."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from capstats.codes.checks import shown
from capstats.laws.models.cell_moments import Cells
from capstats.laws.models.cell_urns import CellUrn, Independent, Uniform
from capstats.laws.models.model import Model, checked_model, for_each_m
from capstats.laws.models.shares import absent, on_cells_of_targets, targets_of
from capstats.laws.models.urns import Urn
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Counts, Floats, Table


@for_each_m
def expected_disclosure(o: Counts, model: Model) -> xr.Dataset:
    """Means of DiSCO, DiS and the matched share over all releases that a model of synthesis can make of an original, exactly.

    Small releases disclose by chance: a key that only one record has is pure. A release is held against these means, not against 0.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records, on the domain that the table shows: `Uniform` and `Dirichlet` reach cells without records too.
    model : Uniform, Bootstrap, Independent, Dirichlet or Given
        How releases are made. Under `Given`, ``dis`` counts all targets that `p` lacks as one. The models that keep the keys, and
        `Permuted`, are not offered.

    Returns
    -------
    Dataset, dims (...)
        ``disco``, ``dis`` and ``matched``, each from 0 to 1: the mean share of original records whose target is disclosed with
        certainty and correctly, with certainty, and whose key is in the release. disco <= dis <= matched. NaN where `o` has no record.

    Raises
    ------
    ValueError, TypeError
        If the model is another one, or `o` is not a table of counts (the cell is named).

    See Also
    --------
    capstats.disclosure.disco, capstats.disclosure.dis, capstats.disclosure.dio, expected_cap

    Notes
    -----
    See theory/models.md#expected-disclosure.

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    Eight people, each with a key of her own. A release of eight records drawn from them discloses each with probability 1 - (7/8)^8:

    >>> import numpy as np
    >>> from capstats.disclosure import disco
    >>> from capstats.laws import Bootstrap
    >>> people = np.eye(2, dtype=int)[:, [0, 1, 0, 1, 0, 1, 0, 1]]
    >>> found = expected_disclosure(people, Bootstrap(8))
    >>> round(float(found.disco), 4), float(disco(people, people))
    (0.6564, 1.0)
    """
    model = checked_model(model, o)
    if not isinstance(model, CellUrn):
        raise ValueError(
            f"`model` must be one that places each record by itself, Uniform, Bootstrap, Independent, Dirichlet or Given; "
            f"got {shown(model)}. "
            "Draw releases with `sample_tables` and average `capstats.disclosure.disco`."
        )

    return Result(model.aligned(o).numbers(partial(expected_shares, model)), attrs={"result": "Expected disclosure"})


def expected_shares(model: CellUrn, o: Table, *given: Any) -> dict[str, Floats]:
    """Expected shares of records that are disclosed, that have a pure key, and that have a matched key: each (...)."""
    return {name: ratio(of_keys.sum(-1), o.total, np.nan) for name, of_keys in _disclosed(o, model, *given).items()}


def expected_disco(model: CellUrn, o: Table) -> Floats:
    """The first of them alone, for a model without other arguments."""
    return ratio(o.like(o.values * _pure_cells(model.cells(o), model, o)).key_total.sum(-1), o.total, np.nan)


def _disclosed(o: Table, model: CellUrn, *given: Any) -> dict[str, Array]:
    """Expected numbers of records of each key that are disclosed, that have a pure key, and that have a matched key."""
    cells, o_j, unstored = model.cells(o, *given), o.key_total, absent(o)
    of_cells, rest = _pure_cells(cells, model, o, *given), cells.rest()
    of_key = o.like(of_cells).key_total
    if isinstance(model, Independent):
        if unstored.any():
            totals, first, key = np.unique(o_j, return_index=True, return_inverse=True)
            share, others = (x[:, None] * totals for x in _shares_of_targets(o))
            of_key = _pure(cells.urn, share, others, rest[first]).sum(0)[key]
    else:
        targets = targets_of(o)
        alpha = cells.added / targets
        others = cells.records + (targets - 1) * alpha
        of_key = of_key + unstored * _pure(cells.urn, np.full(o_j.shape, alpha), others, rest)
        if given:  # a key may be pure with another target
            known = given[0].key_total
            of_key = of_key + _pure(cells.urn, np.maximum(cells.records - known, 0), known, rest)
    return {"disco": o.like(o.values * of_cells).key_total, "dis": o_j * of_key, "matched": o_j * cells.matched()}


def _pure_cells(cells: Cells, model: CellUrn, o: Table, *given: Any) -> Floats:
    """The probability of each stored cell that it is filled while the others of its key are empty."""
    if isinstance(model, Independent):
        own, others = (on_cells_of_targets(o, x) * o.on_cells(o.key_total) for x in _shares_of_targets(o))
    else:
        targets = targets_of(o)
        alpha = cells.added / targets
        whole = given[0].values if given else np.zeros_like(o.values) if isinstance(model, Uniform) else o.values
        own, others = whole + alpha, o.on_cells(cells.records) - whole + (targets - 1) * alpha
    return _pure(cells.urn, own, others, o.on_cells(cells.rest()))


def _shares_of_targets(o: Table) -> tuple[Floats, Floats]:
    """The share of the records that each target has, and that of all others."""
    n, o_i = o.total[..., None], o.target_total
    return ratio(o_i, n, 0.0), ratio(n - o_i, n, 0.0)


def _pure(urn: Urn, own: Array, others: Array, rest: Array) -> Floats:
    """The probability that a cell of weight ``own`` is filled while the ``others`` of its key are empty."""
    return np.asarray(-np.exp(urn.log_missed(others, own + rest)) * np.expm1(urn.log_missed(own, rest)))
