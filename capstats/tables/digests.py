"""The digest of the records behind a table: of its content, independent of the source and the order."""

from __future__ import annotations

import hashlib
import json

import numpy as np
import xarray as xr

from capstats.codes.labels import canonical
from capstats.tables.axes import axis_of
from capstats.tables.backing import filled


def digest_of(table: xr.DataArray, records: xr.DataArray | None = None) -> str:
    """SHA-256 of the labels and counts of a table, independent of the order of its columns, labels and records.

    ``records`` are the numbers of records of a table of sampling weights, whose digest follows.
    """
    (target, key), counts = filled(table.variable.data)
    columns = {}
    for dim, places in (("key", key), ("target", target)):
        axis = axis_of(table, dim)
        if axis is not None:
            for level, codes, name in zip(axis.levels, axis.codes, axis.names, strict=True):
                columns[f"{dim} {name}"] = (level, np.asarray(codes)[places])
    digest = hashlib.sha256()
    ranks = []
    for name, (level, codes) in sorted(columns.items()):
        used, place = np.unique(codes, return_inverse=True)
        labels = [f"{type(label).__name__} {label!r}" for label in map(canonical, level[used])]
        rank = np.argsort(np.argsort(labels))
        digest.update(json.dumps([name, sorted(labels)]).encode())
        ranks.append(rank[place])
    order = np.lexsort(ranks)
    for column in ranks:
        digest.update(column[order].astype("<i8").tobytes())
    if counts.dtype.kind == "i":
        digest.update(counts[order].astype("<i8").tobytes())
    else:  # sums of weights depend on the order of the records in their last digits
        digest.update(json.dumps([f"{x:.9g}" for x in counts[order].tolist()]).encode())
    return digest.hexdigest() if records is None else f"{digest.hexdigest()} {digest_of(records)}"


def digests_of(tables: xr.Dataset) -> list[str]:
    """The digests of the originals in a Dataset of counts: of the whole, and of the parts and files that were added."""
    kept = list(tables.encoding.get("digests", []))
    return kept if not filled(tables.o.variable.data)[1].any() else [*kept, digest_of(tables.o, tables.get("o_records"))]
