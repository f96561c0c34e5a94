"""What the anonymity of a synthetic table says about the average CAP of any original, and the sharp bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import xarray as xr

from capstats.tables.aligned import Aligned, on_same_cells
from capstats.tables.checking import as_counts, shown
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Floats, Table
from capstats.tables.ties import at_most


def anonymity_bounds(s: Any, *, targets: Any = None, crossed: Any = None, matched: Any = 1.0) -> xr.Dataset:
    """Bounds for the average CAP that any original can have with a synthetic table, from its anonymity, and the sharp ones.

    The measures of anonymity need no original. These are their consequences for any original. No bound can be narrower than the
    sharp bounds: some original attains each.

    Parameters
    ----------
    s : array-like or DataArray, dims (target, key) and any others
        Counts of synthetic records.
    targets : array-like or DataArray, dims (target,) and any others, optional
        Shares, or numbers, of matched original records with each target. Where ``o`` is known they are
        ``(o * (s.sum("target") > 0)).sum("key")``.
    crossed : float or DataArray, dims (...), optional
        In place of `targets`, the crossed baseline x over matched original records, sum_i p_i s_i./m with p_i their share of target i: the
        probability to guess right without a key. Where ``o`` is known it is
        ``baseline_cap(o * (s.sum("target") > 0), s, kind="crossed")``. Without either, t, beta and delta bound nothing.
    matched : float or DataArray, dims (...)
        Share of the original records whose key is in `s`, n_M / n. 1 gives bounds of version 2 of average CAP, over matched records;
        the share gives those of version 1, over all records.

    Returns
    -------
    Dataset, dims (..., model)
        One row for each of "k", "alpha", "t", "beta", "delta": ``value``, that of the model for `s`, and ``least_by_model`` and
        ``greatest_by_model``, from 0 to `matched`, between which average CAP is for every original with these targets or this baseline;
        NaN for t, beta and delta if neither is given. And ``least`` and ``greatest``, dims (...), the sharp bounds, which no row improves.
        NaN where `s` has no record,
        where `targets` add up to 0, and where no original has the baseline.

    Raises
    ------
    ValueError, TypeError
        If `s` is not a table of counts (the cell is named), `targets` are no counts or have keys, `crossed` or `matched` is not from 0 to
        1, or both `targets` and `crossed` are given.

    See Also
    --------
    capstats.anonymity.anonymity_profile : more models of one table.
    capstats.baseline_cap, capstats.matched_records
    cap_bounds : bounds from an original, for any synthetic table with given margins.

    Notes
    -----
    See theory/anonymity.md#anonymity-bounds. Rows: k alone says nothing; alpha; x - t and x + t; (1 + beta) x; e^-delta x and e^delta x.
    The lower one of delta takes all targets, the upper one those that occur in their class, so that empty cells do not make it infinite.
    Sharp: with `targets` the sums of p_i min_j q_ij and of p_i max_j q_ij over matched keys; otherwise the ends, at x, of the convex hull
    of the points (s_i./m, q_ij) and of (0, 0), as an original may have targets that `s` lacks.

    References
    ----------
    The models: see `capstats.anonymity`. The bounds: theory/anonymity.md#anonymity-bounds.

    Examples
    --------
    >>> s = [[3, 1], [1, 3]]
    >>> anonymity_bounds(s, crossed=0.5)
    What anonymity says of average CAP (model 5)
    <BLANKLINE>
    model  value  least_by_model  greatest_by_model
    k       4.00          0.0000             1.0000
    alpha   0.75          0.0000             0.7500
    t       0.25          0.2500             0.7500
    beta    0.50          0.0000             0.7500
    delta   0.69          0.2500             1.0000
    <BLANKLINE>
               value
    least     0.2500
    greatest  0.7500

    Three original records in four have the first target, which has a share of 0.5 in both keys; the second has 0.5 or 0.25:

    >>> found = anonymity_bounds([[2, 2], [2, 1], [0, 1]], targets=[3, 1, 0])
    >>> float(found.least), float(found.greatest)
    (0.4375, 0.5)
    """
    # here, since `import capstats` loads laws, but not anonymity
    from capstats.anonymity import anonymity_profile

    if targets is not None and crossed is not None:
        raise ValueError("`targets` and `crossed` were both given, and the baseline follows from the targets. Give one of them.")
    table = as_counts(s, "s")
    share = share_of_records("matched", matched)
    of = anonymity_profile(table, table).sel(table="original", drop=True)
    held = of.k > 0
    nothing, all_of_it = xr.zeros_like(of.alpha).where(held), xr.ones_like(of.alpha).where(held)
    x, *sharp = _of_targets(table, targets) if targets is not None else _of_baseline(table, crossed)
    with xr.set_options(arithmetic_join="exact"):  # type: ignore[no-untyped-call]
        rows = {
            "k": (of.k, nothing, all_of_it),
            "alpha": (of.alpha, nothing, of.alpha),
            "t": (of.t, x - of.t, x + of.t),
            "beta": (of.beta, nothing + 0 * x, (1 + of.beta) * x),
            "delta": (of.delta, np.exp(-of.delta) * x, np.exp(of.delta_occurring) * x),
        }
        value, *bounds = zip(*rows.values(), strict=True)
        least, greatest = ([end.clip(0, 1) * share for end in of_models] for of_models in bounds)
        ends = {name: end.clip(0, 1) * share for name, end in zip(("least", "greatest"), sharp, strict=True)}
    model = xr.DataArray(list(rows), dims="model", name="model")
    columns = {"value": value, "least_by_model": least, "greatest_by_model": greatest}
    found = {name: xr.concat(xr.broadcast(*of), model).transpose(..., "model") for name, of in columns.items()}
    return Result(found | ends, attrs={"result": "What anonymity says of average CAP"})


def share_of_records(name: str, given: Any) -> xr.DataArray:
    """A share of the original records, from 0 to 1 or NaN, as a DataArray."""
    found = given if isinstance(given, xr.DataArray) else xr.DataArray(given)
    if found.dtype.kind not in "iuf" or not (((found >= 0) & (found <= 1)) | found.isnull()).all():
        raise ValueError(f"`{name}` must be a share of the original records, from 0 to 1; got {shown(given)}.")
    return found.drop_attrs()


# --- the sharp bounds -------------------------------------------------------------------------------------------------


def _of_targets(s: xr.DataArray, targets: Any) -> list[xr.DataArray]:
    """The crossed baseline of matched records with these targets, and the least and greatest average CAP."""
    if "key" in getattr(targets, "dims", ()):
        raise ValueError('`targets` must have no dim "key": give the sum over the keys of `s`, (o * (s.sum("target") > 0)).sum("key").')
    arrays, _ = on_same_cells({"s": s, "targets": as_counts(targets, "targets", ("target",))})
    records = arrays["targets"].sum("target")
    weights = arrays["targets"] / records.where(records > 0)
    return [(weights * each).sum("target", skipna=False) for each in _by_target(arrays["s"])]


def _of_baseline(s: xr.DataArray, crossed: Any) -> list[xr.DataArray]:
    """The crossed baseline, NaN if it is not given, and the least and greatest average CAP."""
    x = share_of_records("crossed", np.nan if crossed is None else crossed)
    p, least, greatest = _by_target(s)
    if crossed is None:
        return [x, 0 * greatest.max("target"), greatest.max("target")]
    dims = [["target"], ["target"], []]
    return [x, *(sign * xr.apply_ufunc(_highest, p, sign * end, x, input_core_dims=dims) for sign, end in ((-1, least), (1, greatest)))]


def _by_target(s: xr.DataArray) -> list[xr.DataArray]:
    """The share of each target, and its least and greatest share in a key with records: dims (..., target)."""

    def formula(s: Table) -> Floats:
        s_j, records = s.key_total, s.total[..., None]
        greatest = s.like(ratio(s.values, s.on_cells(s_j), 0.0)).target_greatest()
        inverse = s.like(ratio(s.on_cells(s_j), s.values, 0.0)).target_greatest()  # of the least share above 0
        everywhere = s.like((s.values > 0).astype(np.int64)).target_total == (s_j > 0).sum(-1, keepdims=True)
        least = np.where(everywhere, ratio(np.ones_like(inverse), inverse, 0.0), 0.0)
        return np.where(records[..., None] > 0, np.stack([ratio(s.target_total, records, 0.0), least, greatest], axis=-1), np.nan)

    found = Aligned({"s": s}).map(formula, "shares", ("target", "part"))
    return [found.isel(part=part) for part in range(3)]


def _highest(p: Floats, y: Floats, x: Floats) -> Floats:
    """The greatest ordinate at x of the convex hull of the points (p, y), arrays (..., target), and (0, 0); NaN outside."""
    p, y = (np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1) for values in (p, y))
    most = p.max(-1)
    x = np.where(at_most(x, most), np.minimum(x, most), np.nan)[..., None]
    found = np.full(x.shape, -np.inf)
    for i in range(p.shape[-1]):  # on the line from each point at or below x to each point at or above x
        p_i, y_i = p[..., [i]], y[..., [i]]
        ordinate = np.where(p > p_i, y_i + ratio(x - p_i, p - p_i, 0.0) * (y - y_i), np.maximum(y, y_i))
        found = np.maximum(found, np.where((p_i <= x) & (x <= p), ordinate, -np.inf).max(-1, keepdims=True))
    return np.where(found > -np.inf, found, np.nan)[..., 0]
