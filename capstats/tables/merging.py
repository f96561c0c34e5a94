"""Tables that counted different records, added up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import xarray as xr

from capstats.codes.labels import Label
from capstats.tables.axes import axis_of, join
from capstats.tables.backing import Data, added, widened
from capstats.tables.dataset import as_tables, dataset, synthetic_labels


def merge_counts(*tables: xr.Dataset) -> xr.Dataset:
    """Sum of tables that counted different records: the counts of shards add up to the count of the whole.

    Parameters
    ----------
    *tables : Dataset
        Results of `tabulate` or `from_counts` with the same key and target columns, cut alike, and the same synthetic tables.

    Returns
    -------
    Dataset
        On the union of their keys and targets; attrs as in the first, with the numbers of dropped records added.

    Raises
    ------
    ValueError, TypeError
        If there is nothing to merge, or the tables differ in variables, columns, missing-value policy, bins, synthetic labels, or in
        which of them have sampling weights; or if two of them hold the counts of one file (see `read_counts`).

    Notes
    -----
    Counts add over shards, and so do sums of weights and of squared weights; measures do not, but for those of a fixed `s` over shards of
    `o`: see theory/average-cap.md.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 2.1.

    Examples
    --------
    >>> from capstats import from_counts
    >>> a = from_counts([[1, 2]], key_labels={"sex": ["f", "m"]})
    >>> b = from_counts([[3, 4]], key_labels={"sex": ["m", "x"]})
    >>> merge_counts(a, b).o.values.tolist()
    [[1, 5, 4]]
    """
    if not tables:
        raise ValueError("There is nothing to merge: give at least one Dataset.")
    parts = [as_tables(table) for table in tables]
    first = parts[0]
    for i, other in enumerate(parts[1:], start=1):
        if first.attrs.get("unlabelled") and dict(first.sizes) != dict(other.sizes):
            raise ValueError(
                f"Tables without labels must have the same shape; tables[0] has {dict(first.sizes)}, tables[{i}] {dict(other.sizes)}. "
                f"Label their keys and targets."
            )
        theirs = _described(other)
        for what, own in _described(first).items():
            if own != theirs[what]:
                raise ValueError(f"Tables to merge must have the same {what}; got {own!r} and {theirs[what]!r}.")
    names = [f"tables[{i}]" for i in range(len(parts))]
    orders = _category_orders(parts)
    axes, places = {}, {}
    for dim in ("target", "key"):
        axes[dim], places[dim] = join([axis for part in parts if (axis := axis_of(part.o, dim)) is not None], names, orders)
    shape = (len(axes["target"]), len(axes["key"]))
    sums: dict[str, Data] = {}
    for part, t, k in zip(parts, places["target"], places["key"], strict=True):
        for name in map(str, part.data_vars):
            wide = widened(part[name].variable.data, t, k, shape)
            sums[name] = added(sums[name], wide) if name in sums else wide
    attrs = dict(first.attrs)
    if "dropped" in attrs:
        attrs["dropped"] = {name: sum(part.attrs["dropped"][name] for part in parts) for name in attrs["dropped"]}
    if orders:
        attrs["categories"] = orders
    merged = dataset(sums, axes, synthetic_labels(first), attrs)
    merged.encoding = _origin(parts)
    return merged


def _origin(parts: Sequence[xr.Dataset]) -> dict[str, Any]:
    """What the files of the parts tell: their digests, each once; and the files that were counted, where all parts tell them."""
    digests = [digest for part in parts for digest in part.encoding.get("digests", [])]
    if len(set(digests)) < len(digests):
        raise ValueError(
            "Two of the tables hold the counts of one file, which would be added up twice. Give each file once; for different records "
            "with the same counts, set `encoding` of one of the tables to {}."
        )
    found: dict[str, Any] = {"digests": digests} if digests else {}
    if all(part.encoding.get("different_records") for part in parts):
        found["different_records"] = True
    return found


def _described(tables: xr.Dataset) -> dict[str, Any]:
    """What tables that are merged must have in common."""
    return {
        "variables": sorted(map(str, tables.data_vars)),
        "columns": (tables.attrs.get("key_columns"), tables.attrs.get("target_columns")),
        "missing-value policies": tables.attrs.get("missing"),
        "tables with sampling weights": sorted(tables.attrs.get("weights", ())),
        "bins": tables.attrs.get("bins"),
        "synthetic tables": synthetic_labels(tables) or [],
    }


def _category_orders(parts: Sequence[xr.Dataset]) -> dict[str, list[Label]]:
    """The category order of each column over all parts: the first one's, then what the others add."""
    orders: dict[str, list[Label]] = {}
    for part in parts:
        for column, labels in part.attrs.get("categories", {}).items():
            orders[column] = list(dict.fromkeys([*orders.get(column, []), *labels]))
    return orders
