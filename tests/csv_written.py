"""CSV files as bytes, compressed or not, also odd ones; and the records that are read from them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

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


def written(folder: Path, data: bytes | str, name: str = "t.csv") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_bytes(FORMS.get(path.suffix.lower(), FORMS[""])(data.encode() if isinstance(data, str) else data))
    return path


def counted(table: Any, columns: list[Any], weight: Any = None, **options: Any) -> Counter[Any]:
    """Records of a file or another table as it was read, with their multiplicity or weight."""
    found, sums = open_source(table, "original").rows(Query(columns, weight, True, options=Options(**options)))
    total: Counter[Any] = Counter()
    for i, n in enumerate(sums[0].tolist() if sums else [1] * len(found[0].codes)):
        total[tuple(c.labels[int(c.codes[i]) - c.first] for c in found)] += n
    return total


SIGNS = st.sampled_from(["a", "b", "1", " ", '"', '""', ",", "\n", "\r", "\r\n", "ä", "\u2028", "#", "'", "\\", "\t", ";", ".5"])


CELLS = st.one_of(
    st.sampled_from(["", '""', "x", " x ", '"x"', '"a,b"', '"a\nb"', '"a""b"', '"a\r\nb"', '"\r"', 'a"b', ' "x"', '"x" ', "NA", "é" * 40]),
    st.lists(SIGNS, max_size=5).map("".join),
)


@st.composite
def files(draw: Any) -> bytes:
    """A header of one to three columns and rows that mostly fit it, with line ends that mostly are of one kind."""
    width = draw(st.integers(1, 3))
    ends = draw(st.sampled_from([["\n"], ["\r\n"], ["\r"], ["\n", "\r\n"], ["\n", "\r", "\r\n", "\n\n", "\r\n\r\n"]]))
    names = draw(
        st.sampled_from([["a", "b", "c"], ['"a"', "b", "c"], ['"a\nx"', "b", "c"], ['"a\r\nx"', '"b"', "c"], ["a", '"b""c"', "d"]])
    )
    lines = [names[:width]]
    for _ in range(draw(st.integers(0, 6))):
        lines.append(draw(st.lists(CELLS, min_size=width, max_size=width)))
        if draw(st.integers(0, 19)) == 0:
            lines[-1].append(draw(CELLS))
        if draw(st.integers(0, 19)) == 0:
            lines[-1].pop()
    text = draw(st.sampled_from(["", "", "\ufeff"])) + "".join(",".join(line) + draw(st.sampled_from(ends)) for line in lines)
    data = (text if draw(st.booleans()) else text.rstrip("\r\n")).encode()
    if draw(st.integers(0, 29)) == 0:
        at = draw(st.integers(0, len(data)))
        data = data[:at] + draw(st.sampled_from([b"\0", b"\xff", b"\xe9", b'"'])) + data[at:]
    return data
