"""CSV files as bytes, compressed or not, and the records that are read from them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

from capstats.sources.door import open_source
from capstats.sources.source import Options, Query

FORMS = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zip": lambda data: zipped({"t.csv": data}),
}


def zipped(members: dict[str, bytes]) -> bytes:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data)
    return archive.getvalue()


def written(folder: Path, data: bytes, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_bytes(FORMS[path.suffix if path.suffix in FORMS else ""](data))
    return path


def counted(path: Any, columns: list[str], weight: Any = None, **options: Any) -> Counter[Any]:
    found, (counts, *_) = open_source(path, "original").rows(Query(columns, weight, True, options=Options(**options)))
    total: Counter[Any] = Counter()
    for i, n in enumerate(counts.tolist()):
        total[tuple(c.labels[int(c.codes[i]) - c.first] for c in found)] += n
    return total
