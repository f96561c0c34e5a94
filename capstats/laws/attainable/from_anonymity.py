"""What the anonymity of a synthetic table says about the average CAP of any original."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.tables.aligned import Aligned
from capstats.tables.checking import as_counts, shown
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Floats, Table

MODELS = ["k", "l", "alpha", "t", "beta", "delta"]


def anonymity_bounds(s: Any, *, crossed: Any = None, matched: Any = 1.0) -> xr.Dataset:
    """Bounds for the average CAP that any original can have with a synthetic table, from k, l, alpha, t, beta and delta of this table.

    The measures of anonymity need no original. This is what they promise about it, whoever is in it.

    Parameters
    ----------
    s : array-like or DataArray, dims (target, key) and any others
        Counts of synthetic records.
    crossed : float or DataArray, dims (...), optional
        The crossed baseline x over matched original records, sum_i p_i s_i./m with p_i their share of target i: the probability to guess
        right without a key. Where ``o`` is known it is ``baseline_cap(o * (s.sum("target") > 0), s, kind="crossed")``. Without it, t, beta
        and delta bound nothing.
    matched : float or DataArray, dims (...)
        Share of the original records whose key is in `s`, n_M / n. 1 gives bounds of version 2 of average CAP, over matched records;
        the share gives those of version 1, over all records.

    Returns
    -------
    Dataset, dims (..., model)
        One row for each of "k", "l", "alpha", "t", "beta", "delta": ``value``, that of the model for `s`, and ``lower`` and ``upper``,
        from 0 to `matched`, between which average CAP is for every original with this baseline; NaN for t, beta and delta without
        `crossed`. And ``least`` and ``greatest``, dims (...), the tightest of all. NaN where `s` has no record.

    Raises
    ------
    ValueError, TypeError
        If `s` is not a table of counts (the cell is named), or `crossed` or `matched` is not from 0 to 1.

    See Also
    --------
    capstats.anonymity.anonymity_profile : more models of one table.
    capstats.baseline_cap, capstats.matched_records
    cap_bounds : bounds from an original, for any synthetic table with given margins.

    Notes
    -----
    See theory/anonymity.md#anonymity-bounds: k alone says nothing; max_j (1 - (l_j - 1) / s_.j) for l; alpha; x - t and x + t; (1 + beta)
    x; e^-delta x and e^delta x. The lower one of delta takes all targets, the upper one those that occur in their class, so that empty
    cells do not make it infinite. With weights the number of records of a target is unknown, and l is NaN.

    References
    ----------
    The models: see `capstats.anonymity`. The bounds: theory/anonymity.md#anonymity-bounds.

    Examples
    --------
    >>> s = [[3, 1], [1, 3]]
    >>> anonymity_bounds(s, crossed=0.5)
    What anonymity says of average CAP (model 6)
    <BLANKLINE>
    model  value   lower   upper
    k       4.00  0.0000  1.0000
    l       2.00  0.0000  0.7500
    alpha   0.75  0.0000  0.7500
    t       0.25  0.2500  0.7500
    beta    0.50  0.0000  0.7500
    delta   0.69  0.2500  1.0000
    <BLANKLINE>
               value
    least     0.2500
    greatest  0.7500
    """
    # here, since `import capstats` loads laws, but not anonymity
    from capstats.anonymity import alpha_k_anonymity, beta_likeness, delta_disclosure, l_diversity, t_closeness

    table = as_counts(s, "s")
    share = _share("matched", matched)
    x = _share("crossed", np.nan if crossed is None else crossed)
    alpha_k = alpha_k_anonymity(table)
    held = alpha_k.k > 0
    nothing, all_of_it = xr.zeros_like(alpha_k.alpha).where(held), xr.ones_like(alpha_k.alpha).where(held)
    t, beta, delta = t_closeness(table), beta_likeness(table), delta_disclosure(table)
    occurring = delta_disclosure(table, kind="occurring")
    with xr.set_options(arithmetic_join="exact"):  # type: ignore[no-untyped-call]
        rows = {
            "k": (alpha_k.k, nothing, all_of_it),
            "l": (l_diversity(table), nothing, Aligned({"s": table}).map(_greatest_with_l, "l")),
            "alpha": (alpha_k.alpha, nothing, alpha_k.alpha),
            "t": (t, x - t, x + t),
            "beta": (beta, nothing + 0 * x, (1 + beta) * x),
            "delta": (delta, np.exp(-delta) * x, np.exp(occurring) * x),
        }
        columns = {
            "value": [row[0] for row in rows.values()],
            "lower": [(row[1].clip(0, 1) * share) for row in rows.values()],
            "upper": [(row[2].clip(0, 1) * share) for row in rows.values()],
        }
    model = xr.DataArray(MODELS, dims="model", name="model")
    found = {name: xr.concat(xr.broadcast(*of), model).transpose(..., "model") for name, of in columns.items()}
    found |= {"least": found["lower"].max("model"), "greatest": found["upper"].min("model")}
    return Result(found, attrs={"result": "What anonymity says of average CAP"})


def _share(name: str, given: Any) -> xr.DataArray:
    found = given if isinstance(given, xr.DataArray) else xr.DataArray(given)
    if found.dtype.kind not in "iuf" or not (((found >= 0) & (found <= 1)) | found.isnull()).all():
        raise ValueError(f"`{name}` must be a share of the original records, from 0 to 1; got {shown(given)}.")
    return found.drop_attrs()


def _greatest_with_l(s: Table) -> Floats:
    """Greatest share that a target can have where the others of its class have a record each."""
    if s.values.dtype.kind != "i":
        return np.full(s.total().shape, np.nan)
    targets = s.like((s.values > 0).astype(np.int64)).key_total()
    most = np.where(targets > 0, 1 - ratio(targets - 1, s.key_total(), 0.0), -np.inf).max(-1)
    return np.where(s.total() > 0, most, np.nan)
