"""Distance between the target distribution of a class and that of the whole table: t-closeness, beta-likeness and delta-disclosure."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr

from capstats.anonymity.classes import greatest, number_of_classes
from capstats.codes.checks import check_choice
from capstats.codes.column import in_order
from capstats.codes.labels import MISSING, canonicals, kind_of
from capstats.tables.aligned import Aligned
from capstats.tables.axes import index_of, indexed, names_of
from capstats.tables.checking import given_tables
from capstats.tables.sums import attribution, ratio
from capstats.tables.table import Array, Counts, Floats, Table
from capstats.tables.ties import at_most

Distance = Literal["equal", "ordered"]


def _margin(x: Table) -> Array:
    """The share of each target in the table, p_i, in a shape that broadcasts against the cells."""
    return x.on_targets(ratio(x.target_total, x.total[..., None], 0.0))


def _lift(x: Table) -> Table:
    """r_ij / p_i, and 0 where the key or the target has no record."""
    r = attribution(x, x.key_total, 0.0)
    return r.like(ratio(r.values, np.broadcast_to(_margin(x), r.values.shape), 0.0))


def equal_distance(x: Table) -> Floats:
    """Greatest sum_i |r_ij - p_i| / 2 of a class, computed as the sum of the positive differences."""
    r = attribution(x, x.key_total, 0.0)
    return greatest(r.like(np.maximum(r.values - _margin(x), 0.0)).key_total, x)


def ordered_distance(x: Table, targets: int) -> Floats:
    """Greatest sum_i |R_ij - P_i| / (I - 1) of a class."""
    return greatest(x.rank_distance() / max(targets - 1, 1), x)


def basic_likeness(x: Table) -> Floats:
    """Greatest (r_ij - p_i) / p_i."""
    return greatest(_lift(x).key_greatest() - 1, x)


def enhanced_likeness(x: Table) -> Floats:
    """Greatest (r_ij - p_i) / p_i; infinite where some (r_ij - p_i) / p_i exceeds -ln p_i."""
    lift, p = _lift(x).values, _margin(x)
    allowed = 1 - np.log(np.where(p > 0, p, 1.0))
    beyond = ~at_most(lift, np.broadcast_to(allowed, lift.shape))
    never = greatest(x.like(beyond.astype(np.int64)).key_greatest(), x) > 0
    return np.where(never, np.inf, basic_likeness(x))


def log_ratio(x: Table, *, occurring: bool) -> Floats:
    """Greatest |ln(r_ij / p_i)|, of all targets of the table or of those that occur in the class."""
    lift = _lift(x)
    logs = np.abs(np.log(np.where(lift.values > 0, lift.values, 1.0)))
    delta = greatest(lift.like(logs).key_greatest(), x)
    if occurring:
        return delta
    held = x.like((x.values > 0).astype(np.int64)).total
    return np.where(held < (x.target_total > 0).sum(-1) * number_of_classes(x), np.inf, delta)


def t_closeness(o: Counts, *, distance: Distance = "equal") -> xr.DataArray:
    """Distance between the target distribution of a class and that of the whole table, greatest over classes.

    If a class has the distribution of the whole table, knowing a person's class tells nothing more about the target.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of the records of one table; a release is given as ``tables.s``.
    distance : {"equal", "ordered"}
        The earth mover's distance. With "equal" any two targets are at distance 1. With "ordered" numbers, dates and times have the order
        of their values and all others that of the rows, and neighbouring targets are at distance 1 / (I - 1). All I rows count, including
        those without records. "ordered" needs one target column; a level for missing values is last.

    Returns
    -------
    DataArray, dims (...)
        The smallest t for which the table is t-close, from 0 to 1, smaller is safer: max over classes of sum_i |r_ij - p_i| / 2, or
        of sum_i |R_ij - P_i| / (I - 1) with cumulated shares R and P, 0 when I = 1. NaN if the table has no record.

    Raises
    ------
    ValueError, TypeError
        If `distance` is unknown, or "ordered" with several target columns, or `o` is not a table of counts (the cell is named).

    See Also
    --------
    anonymity_profile : beta and delta, relative differences.

    Notes
    -----
    See theory/anonymity.md#anonymity.

    References
    ----------
    Li, Li and Venkatasubramanian (2007), "t-closeness", https://doi.org/10.1109/ICDE.2007.367856.

    Examples
    --------
    Three targets, two classes; the first is two steps from the second:

    >>> table = [[2, 0], [0, 0], [0, 2]]
    >>> float(t_closeness(table)), float(t_closeness(table, distance="ordered"))
    (0.5, 0.5)
    >>> table = [[2, 0], [0, 2], [0, 0]]
    >>> float(t_closeness(table)), float(t_closeness(table, distance="ordered"))
    (0.5, 0.25)
    """
    check_choice(distance, "distance", get_args(Distance))
    if distance == "equal":
        return Aligned({"o": o}).map(equal_distance, "t_closeness")
    aligned = Aligned({"o": by_value(*given_tables({"o": o}).values())})
    axis = aligned.axes["target"]
    if axis is not None and axis.nlevels > 1:
        raise ValueError(
            f'`distance` "ordered" needs one target column, whose levels have an order; `o` has {names_of(axis)}. '
            f'Count it with one of them as target, or give distance="equal".'
        )
    return aligned.map(lambda x: ordered_distance(x, aligned.sizes["target"]), "t_closeness")


def by_value(table: Any) -> Any:
    """A table with its targets sorted by value, if they are numbers, dates or times; otherwise in the order of the rows."""
    if not isinstance(table, xr.DataArray) or "target" not in table.dims:
        return table
    table = indexed(table, ("target",))
    index = index_of(table, "target")
    if index is None or isinstance(index, pd.MultiIndex):
        return table
    labels = canonicals(index)
    kinds = {kind_of(label) for label in labels if label is not MISSING}
    if len(kinds) != 1 or kinds & {"text", "other"}:
        return table
    at = {label: i for i, label in enumerate(labels)}
    return table.isel(target=[at[label] for label in in_order(labels, *kinds)])
