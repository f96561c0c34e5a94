"""The Dataset of counts: ``o``, ``s`` and ``h`` on the same cells, labelled, with what is known of them in its attrs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import pandas as pd
import xarray as xr

from capstats.codes.labels import Label, level_index
from capstats.tables.axes import coords_of
from capstats.tables.backing import Data
from capstats.tables.levels import codes_among, compared, parts_of
from capstats.tables.results import Result

VERSION = version("capstats")
SUMS = ("", "_records", "_squares")  # what is kept of each table with sampling weights: o, o_records, o_squares
TABLES = {"original": "o", "synthetic": "s", "holdout": "h"}


def dataset(
    tables: Mapping[str, Data],
    axes: Mapping[str, pd.MultiIndex],
    synthetic: Sequence[Label] | None,
    attrs: Mapping[str, Any],
) -> xr.Dataset:
    """Aligned arrays of shape (target, key), or (synthetic, target, key), as a labelled Dataset."""
    coords = coords_of("key", axes["key"]).merge(coords_of("target", axes["target"])).coords
    if synthetic is not None:
        coords = coords.merge({"synthetic": level_index(synthetic)}).coords
    own = attrs_of_tables(attrs.get("weights", {}))
    variables = {name: (("synthetic", "target", "key")[3 - values.ndim :], values, own.get(name, {})) for name, values in tables.items()}
    kept = {name: value for name, value in attrs.items() if name not in ("levels", "unmatched_tables")}
    if not attrs.get("unlabelled"):
        of_cut = {column: codes for column, codes in kept.pop("likely_codes", {}).items() if column in attrs.get("bins", {})}
        codes = {**of_cut, **codes_among(axes)}
        kept |= {**compared(axes, parts_of(tables, synthetic)), **({"likely_codes": codes} if codes else {})}
    return Result(variables, coords, {**kept, "capstats": VERSION})


def attrs_of_tables(weights: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """What a table of sampling weights says in its own attrs, so that a measure that is given it alone knows."""
    return {TABLES[table.partition("[")[0]]: {"weights": column} for table, column in weights.items()}


def as_tables(tables: Any) -> xr.Dataset:
    """The Dataset that `tabulate` or `from_counts` returned, or an error that says so."""
    if not isinstance(tables, xr.Dataset) or "o" not in tables:
        raise TypeError(f"`tables` must be the Dataset that tabulate or from_counts returns, with `o`; got {type(tables).__name__}.")
    bare = [dim for dim in ("target", "key") if dim not in tables.indexes]
    if bare:
        raise ValueError(f"`tables` has no labels along {' and '.join(map(repr, bare))}. Make it with tabulate or from_counts.")
    return tables


def synthetic_labels(tables: xr.Dataset) -> list[Label] | None:
    """The labels of the synthetic tables of such a Dataset; None where there is one table or none."""
    return list(tables.indexes["synthetic"]) if "synthetic" in tables.indexes else None
