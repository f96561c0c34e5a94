"""Files of counts: a Dataset of tables as Parquet, CSV or JSON, its labels and attrs beside the cells, and a digest of all of it."""

from __future__ import annotations

import csv
import datetime as dt
import hashlib
import io
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, TextIO, get_args

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.checks import check_choice, shown
from capstats.codes.labels import MISSING, Label, canonical, canonicals, kind_of
from capstats.codes.names import in_spreadsheet, printable
from capstats.sources.disk import at_home, opened, replacing
from capstats.sources.parquet import Stored, check_parquet, is_parquet, metadata_of, read_parquet, width_of_parquet, write_parquet
from capstats.tables import counts_json
from capstats.tables.axes import axis_of, coords_of_all, level_index, multi_index
from capstats.tables.backing import Backing, choose_sparse, filled_in, of_cells, unstacked, values_at
from capstats.tables.counts_header import ORIGIN, check_header, need
from capstats.tables.dataset import VERSION, as_tables, dataset, synthetic_labels, with_origin, with_own_origin
from capstats.tables.levels import warn_of_levels
from capstats.tables.printing import Result
from capstats.tables.table import Array, Index

KEY = "capstats counts"  # of the metadata of Parquet; in CSV the comment line begins with it
COMMENT = f"# {KEY} "
FORMAT = 1  # of the files
ENDINGS = (".parquet", ".csv", ".json")
LONGEST = 40  # characters of the name of a version


def write_counts(tables: xr.Dataset, path: str | Path, *, overwrite: bool = False) -> None:
    """Write tables of counts into a file, from which `read_counts` restores them, with everything that an audit reports about the records.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate`, `from_counts` or `merge_counts`.
    path : str or Path
        The file: Parquet (``.parquet``), CSV (``.csv``) or JSON (``.json``). It is as confidential as the original, so its owner alone
        can read it (mode 0600); it also has the names of the files that were counted.
    overwrite : bool
        Whether a file that is there may be replaced.

    Raises
    ------
    FileExistsError, OSError
        If the file is there, unless `overwrite`; or cannot be written.
    ValueError, TypeError
        If `tables` is not such a Dataset; the path has another ending, or is a link or a folder; or labels are neither numbers, texts,
        truth values, dates, dates with a time, nor durations.

    See Also
    --------
    read_counts : the inverse. to_frame : the counts in long form.

    Notes
    -----
    A row holds a key, a target and a count for each table, of the cells that some table fills. Order and kinds of labels, missing values
    and attrs are kept as JSON: in the metadata of Parquet, under "capstats counts", or in the first line of CSV, a comment. A digest
    (SHA-256) of labels, cells and attrs tells a file that was changed. In CSV, cells that a
    spreadsheet would run as formulas begin with an apostrophe. See theory/notation.md.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 2.1.

    Examples
    --------
    >>> import capstats, tempfile
    >>> tables = capstats.from_counts([[1, 2]], [[0, 3]], key_labels={"sex": ["f", "m"]}, target_labels={"sick": ["no"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     capstats.write_counts(tables, f"{folder}/counts.parquet")
    ...     capstats.read_counts(f"{folder}/counts.parquet").identical(tables)
    True
    """
    tables, target = with_own_origin(as_tables(tables)), at_home(path)
    if target.suffix.lower() not in ENDINGS:
        raise ValueError(f"`path` must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}; got {shown(str(path))}.")
    if target.exists() and not overwrite:
        raise FileExistsError(f"{str(path)!r} is there. Give another path, or overwrite=True (--overwrite).")
    header, places, numbers = _listed(tables)
    digest = _digest(header, places, numbers)
    parts = [part for part in tables.encoding.get("digests", []) if part != digest]
    header |= {"format": FORMAT, "capstats": VERSION, "digest": digest, "parts": parts}
    text, kind = json.dumps(header, default=_as_json), target.suffix.lower()
    names, cells = _in_file(header, places, _in_csv if kind == ".csv" else _in_parquet)
    with replacing(target, counts_may=True) as (handle, place):
        if kind == ".parquet":
            write_parquet(place, names, _types(header), [*cells, *numbers], KEY, text)
            return
        with open(handle, "w", encoding="utf-8", newline="", closefd=False) as file:
            if kind == ".json":
                json.dump(counts_json.as_json(header, places, numbers), file, default=_as_json)
                return
            file.write(f"{COMMENT}{_without_formulas(text)}\n")
            _write_rows(file, names, cells, numbers)


def read_counts(path: str | Path, *, backing: Backing = "auto") -> xr.Dataset:
    """Tables of counts from a file that `write_counts` or ``capstats count`` wrote.

    Parameters
    ----------
    path : str or Path
        The file, whatever its name.
    backing : {"auto", "dense", "sparse"}
        How the tables are held, as in `tabulate`.

    Returns
    -------
    Dataset
        As it was written: with the same labels in the same order, the same cells and attrs. What an audit tells of the records, and the
        digest of the file, are in its ``encoding``.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no file of counts, is damaged, or was written by a newer version of capstats.

    See Also
    --------
    write_counts : the inverse. merge_counts : the counts of two files added up. from_counts : a table that somebody else made.

    Notes
    -----
    Other programs can write the JSON: ``{"capstats counts": 1, "key": [{"name": "sex", "levels": ["f", "m"]}], "target": [{"name": "sick",
    "levels": ["no", "yes"]}], "cells": [[0, 1], [1, 1]], "counts": {"o": [3, 4], "s": [2, 5]}}``, in this order. ``cells`` has a list for
    each column, keys first: the places of the levels from 0. ``counts`` has the tables: ``o``, ``s`` (for several releases a list of lists,
    and their labels as ``"synthetic"``), ``h``; with weights also ``o_records`` and ``o_squares``, as `tabulate` gives them, and
    ``"attrs": {"weights": {"original": name}}``. A level is a text, a number, a truth value, null (missing), or a date as
    ``{"capstats counts: date": "2026-01-31"}`` (also ``datetime``).

    Any other table of counts is read as records that stand for several: ``tabulate("published.csv", keys=...,
    target=..., counts="n")``. See theory/notation.md.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", section 2.1.

    Examples
    --------
    >>> import capstats, tempfile
    >>> march, april = (capstats.from_counts([[n, 2]], [[0, 3]], key_labels={"sex": ["f", "m"]}) for n in (1, 4))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     capstats.write_counts(march, f"{folder}/march.csv")
    ...     capstats.write_counts(april, f"{folder}/april.csv")
    ...     both = capstats.merge_counts(*(capstats.read_counts(f"{folder}/{month}.csv") for month in ("march", "april")))
    >>> both.o.values.tolist()
    [[5, 4]]
    """
    check_choice(backing, "backing", get_args(Backing))
    path = at_home(path)
    text = _header_of(path)
    opened(path, counts=True)
    if text is None:
        raise ValueError(
            f"{str(path)!r} is no file of counts that capstats wrote. Give records, or a table of counts, to tabulate: the latter with "
            f"`counts` (--counts), the column of its counts."
        )
    try:
        header = json.loads(text, object_hook=_from_json)
        of_json = counts_json.FORMAT in header
        version, made = header[counts_json.FORMAT if of_json else "format"], str(header.get("capstats"))
        if newer := type(version) is int and version > FORMAT:
            need(len(made) <= LONGEST)
        else:
            need(version == FORMAT)
            if of_json:
                header, places, numbers = counts_json.completed(header)
            check_header(header)
            if not of_json:
                places, numbers = _cells(path, header)
            by_hand = of_json and not header["digest"]
            need(by_hand or header["digest"] == _digest(header, places, numbers))
            tables = _tables(header, places, numbers, backing)
    except counts_json.SchemaError as error:
        raise ValueError(f"{str(path)!r} is no file of counts that capstats wrote, nor does it follow their schema: {error}") from None
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise ValueError(
            f"{str(path)!r} is damaged: its content is not what was written. Restore it from a copy, or count the records again."
        ) from None
    if newer:
        raise ValueError(f"{str(path)!r} was written by capstats {printable(made)}. Read it with that version, or a newer one.")
    if by_hand:
        axes = {dim: axis for dim in ("key", "target") if (axis := axis_of(tables.o, dim)) is not None}
        data = {str(name): array.variable.data for name, array in tables.data_vars.items()}
        tables = dataset(data, axes, synthetic_labels(tables), tables.attrs)
        warn_of_levels({**tables.attrs, "fine_targets": {}})  # as `from_counts` does
        return tables
    return with_origin(tables, {**header["origin"], "digests": [header["digest"], *header["parts"]]})


def is_counts(path: str | Path) -> bool:
    """Whether there is such a file, and capstats wrote counts into it."""
    path = at_home(path)
    return path.is_file() and _header_of(path) is not None


def digest_of_rows(tables: xr.Dataset) -> str | None:
    """SHA-256 of the lines that `write_counts` writes as CSV, sorted, without the comment; None where labels cannot be written.

    Anyone who has the file can compute it: ``tail -n +2 counts.csv | LC_ALL=C sort | sha256sum``.
    """
    try:
        header, places, numbers = _listed(as_tables(tables))
    except TypeError:
        return None
    text = io.StringIO()
    _write_rows(text, *_in_file(header, places, _in_csv), numbers)
    lines = sorted(text.getvalue().encode().splitlines(keepends=True))
    return hashlib.sha256(b"".join(lines)).hexdigest()


# --- the cells --------------------------------------------------------------------------------------------------------


def _listed(tables: xr.Dataset) -> tuple[dict[str, Any], list[Index], list[Array]]:
    """The description of the tables; and, for each filled cell and one cell of each empty key, the indices of its labels and its counts.

    The cells are sorted by key, so that the order of keys is kept, and then by target.
    """
    axes = {dim: axis for dim in ("key", "target") if (axis := axis_of(tables.o, dim)) is not None}
    variables, parts = [], []
    for name, array in tables.data_vars.items():
        if array.dims[-2:] != ("target", "key") or array.dtype.kind not in "iuf":
            raise ValueError(f"`{name}` has the dims {array.dims} and the type {array.dtype}; counts are numbers by (..., target, key).")
        lead = [str(dim) for dim in array.dims[:-2]]
        variables.append({"name": str(name), "dims": lead, "shape": array.shape[:-2], "dtype": str(array.dtype), "attrs": array.attrs})
        of_variable = [array.variable.data]
        for _ in lead:
            of_variable = [part for data in of_variable for part in unstacked(data, 0)]
        parts += of_variable
    targets = len(axes["target"])
    stored = filled_in(parts)
    filled = np.zeros(len(axes["key"]), bool)
    filled[stored // targets] = True
    key, target = np.divmod(np.sort(np.concatenate([stored, np.flatnonzero(~filled) * targets])), targets)
    at = {"key": key, "target": target}
    header = {
        **{
            dim: [{"name": x, "levels": _labels(level)} for x, level in zip(axis.names, axis.levels, strict=True)]
            for dim, axis in axes.items()
        },
        "targets": [np.asarray(codes).tolist() for codes in axes["target"].codes],
        "variables": variables,
        "coords": {dim: _labels(tables.indexes[dim]) for variable in variables for dim in variable["dims"] if dim in tables.indexes},
        "attrs": tables.attrs,
        "origin": {name: value for name, value in tables.encoding.items() if name in ORIGIN},
    }
    header = json.loads(json.dumps(header, default=_as_json), object_hook=_from_json)  # as it will be read
    places = [np.asarray(codes, np.int64)[at[dim]] for dim, axis in axes.items() for codes in axis.codes]
    return header, places, [values_at(part, target, key) for part in parts]


def _in_file(
    header: Mapping[str, Any], places: Sequence[Index], in_file: Callable[[Sequence[Label]], Sequence[str | None]]
) -> tuple[list[str], list[Array]]:
    """The names of all columns, and the labels of the cells as texts."""
    cells = [np.array(in_file(column["levels"]), dtype=object)[at] for column, at in zip(_columns(header), places, strict=True)]
    return [*(column["name"] for column in _columns(header)), *(name for name, _ in _each(header))], cells


def _write_rows(file: TextIO, names: Sequence[str], cells: Sequence[Array], numbers: Sequence[Array]) -> None:
    """Write a line of names, and one for each cell."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(in_spreadsheet, names))
    writer.writerows(zip(*cells, *(x.tolist() for x in numbers), strict=True))


def _cells(path: str | Path, header: Mapping[str, Any]) -> tuple[list[Index], list[Array]]:
    """The indices of the labels of each cell, and its counts; an error where columns are not those described."""
    is_csv, columns = not is_parquet(path), len(_columns(header))
    texts = [(_in_csv if is_csv else _in_parquet)(column["levels"]) for column in _columns(header)]
    width = columns + sum(math.prod(of["shape"]) for of in header["variables"])  # which may be impossibly large
    if is_csv:
        given = _of_csv(path, width)
    else:
        need(width == width_of_parquet(path))
        rows = math.prod(len(column["levels"]) for column in header["key"]) * len(header["targets"][0])  # at most: none occurs twice
        check_parquet(path, _read_as(header), columns, rows, max(len((x or "").encode()) for of in texts for x in of))
        given = read_parquet(path, _read_as(header))
    places = [_places(cells, known) for cells, known in zip(given, texts, strict=False)]
    return places, [x.astype(dtype) for x, (_, dtype) in zip(given[columns:], _each(header), strict=True)]


def _tables(header: Mapping[str, Any], places: Sequence[Index], numbers: Sequence[Array], backing: Backing) -> xr.Dataset:
    """The tables from the indices and counts of their cells.

    Raise where a count is no number of records, a cell occurs twice, or the cells of a key are not together.
    """
    need(all(np.isfinite(x).all() and (x >= 0).all() for x in numbers))
    need(len(places[0]) and not pd.DataFrame(dict(enumerate(places))).duplicated().any())
    k = len(header["key"])
    rows = np.stack(places[:k])
    new = np.concatenate([[True], (rows[:, 1:] != rows[:, :-1]).any(0)])
    key = np.cumsum(new) - 1
    codes = {"key": rows[:, new], "target": np.array(header["targets"])}
    need(not pd.DataFrame(codes["key"].T).duplicated().any())
    axes = {dim: multi_index(codes[dim], [x["levels"] for x in header[dim]], [x["name"] for x in header[dim]]) for dim in codes}
    place = {of: i for i, of in enumerate(zip(*header["targets"], strict=True))}
    target = np.array([place[of] for of in zip(*(x.tolist() for x in places[k:]), strict=True)])
    coords = coords_of_all(axes).merge({dim: level_index(labels) for dim, labels in header["coords"].items()}).coords
    cells = (len(axes["target"]), len(axes["key"]))
    sparse = choose_sparse(backing, len(target), math.prod(cells), len(numbers))
    variables, left = {}, list(numbers)
    for of in header["variables"]:
        n = math.prod(of["shape"])
        values, left = np.stack(left[:n]), left[n:]
        shape = (*of["shape"], *cells)
        member, row = np.nonzero(values)
        at = [*np.unravel_index(member, of["shape"] or [1])[: len(of["shape"])], target[row], key[row]]
        variables[of["name"]] = ((*of["dims"], "target", "key"), of_cells(at, values[member, row], shape, sparse), of["attrs"])
    return Result(variables, coords, header["attrs"])


def _columns(header: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The columns of labels: the name and the levels of each."""
    return [*header["key"], *header["target"]]


def _each(header: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The columns of counts: the name and the type of each."""
    found = []
    for of in header["variables"]:
        labels = [header["coords"].get(dim, range(n)) for dim, n in zip(of["dims"], of["shape"], strict=True)]
        found += [(f"{of['name']}[{', '.join(map(str, x))}]" if x else of["name"], of["dtype"]) for x in product(*labels)]
    return found


def _digest(header: Mapping[str, Any], places: Sequence[Index], numbers: Sequence[Array]) -> str:
    """The SHA-256 of labels, cells and attrs, independent of the format and the version that writes them."""
    content = {name: value for name, value in header.items() if name not in ("format", "capstats", "digest", "parts", "attrs")}
    content["attrs"] = {name: value for name, value in header["attrs"].items() if name != "capstats"}
    found = hashlib.sha256(json.dumps(content, default=_as_json, sort_keys=True).encode())
    for values in (*places, *numbers):
        found.update(values.astype("<f8" if values.dtype.kind == "f" else "<i8").tobytes())
    return found.hexdigest()


# --- labels as they are written ---------------------------------------------------------------------------------------


def _labels(index: pd.Index) -> list[Label]:
    labels = canonicals(index)
    for label in labels:
        if label is not MISSING and kind_of(label) == "other":
            raise TypeError(f"Labels of the type {type(label).__name__} cannot be written. Convert the column to texts.")
    return labels


def _type(levels: Sequence[Label]) -> Stored:
    """The type of a column of Parquet that holds these levels."""
    known = [x for x in levels if x is not MISSING]
    kinds = {kind_of(x) for x in known}
    if kinds == {"number"}:
        whole = all(isinstance(x, int) for x in known)
        if whole and all(-(2**63) <= x < 2**63 for x in known):
            return "BIGINT"
        return "VARCHAR" if whole or any(isinstance(x, int) and abs(x) > 2**53 for x in known) else "DOUBLE"
    return "BOOLEAN" if kinds == {"bool"} else "DATE" if kinds == {"date"} else "VARCHAR"


def _types(header: Mapping[str, Any]) -> list[Stored]:
    """The types of all columns of Parquet."""
    return [*(_type(of["levels"]) for of in _columns(header)), *("DOUBLE" if dtype[0] == "f" else "BIGINT" for _, dtype in _each(header))]


def _read_as(header: Mapping[str, Any]) -> list[Stored]:
    """The types in which the columns of Parquet are read: labels as texts, except fractions, which Python and DuckDB write differently."""
    labels = len(_columns(header))
    return ["VARCHAR" if i < labels and of != "DOUBLE" else of for i, of in enumerate(_types(header))]


def _in_parquet(levels: Sequence[Label]) -> list[str | None]:
    """The levels as texts of their type in Parquet."""
    texts = [None if x is MISSING else _text(x) for x in levels]
    try:
        "".join(x or "" for x in texts).encode()
    except UnicodeEncodeError:
        raise ValueError("Parquet cannot hold half of a pair of surrogates, as a label has it. Write CSV or JSON.") from None
    return texts


def _text(level: Label) -> str:
    if isinstance(level, bool):
        return str(level).lower()
    if isinstance(level, (dt.date, pd.Timedelta)):
        return level.isoformat()
    return level if isinstance(level, str) else repr(level)


def _in_csv(levels: Sequence[Label]) -> list[str]:
    """The levels as distinct texts that a spreadsheet does not run; an empty one is a missing value."""
    found: dict[str, None] = {}
    for level in levels:
        text = in_spreadsheet(level)
        while text in found or (not text and level is not MISSING):
            text += "_"
        found[text] = None
    return list(found)


def _places(cells: Any, levels: Sequence[Any]) -> Index:
    """The index of each cell's level; a KeyError where it is not among the levels."""
    place = {level: i for i, level in enumerate(levels)}
    codes, distinct = pd.factorize(pd.Series(cells, dtype=object), use_na_sentinel=False)
    return np.array([place[None if pd.isna(x) else _text(canonical(x))] for x in distinct], np.int64)[codes]


READERS: dict[str, Callable[[Any], Any]] = {
    f"{KEY}: missing": lambda _: MISSING,
    f"{KEY}: nanoseconds": pd.Timedelta,
    f"{KEY}: datetime": pd.Timestamp,
    f"{KEY}: date": dt.date.fromisoformat,
}


def _as_json(value: Any) -> Any:
    """A value that JSON does not have, as a mapping."""
    if value is MISSING:
        return {f"{KEY}: missing": True}
    if isinstance(value, pd.Timedelta):
        return {f"{KEY}: nanoseconds": value.value}
    if isinstance(value, dt.date):
        return {f"{KEY}: {'datetime' if isinstance(value, dt.datetime) else 'date'}": value.isoformat()}
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise TypeError(f"The attrs of the counts hold {type(value).__name__}, which cannot be written. Convert it to a text.")


def _from_json(found: dict[str, Any]) -> Any:
    """The inverse of `_as_json`."""
    for name in found.keys() & READERS.keys():
        return READERS[name](found[name])
    return found


# --- text -------------------------------------------------------------------------------------------------------------


def _header_of(path: str | Path) -> str | None:
    """The description in a file of counts; None where the file is another one."""
    if is_parquet(path):
        return metadata_of(path, KEY)
    with Path(path).open("rb") as file:
        start = file.read(200)
        file.seek(0)
        if counts_json.START.match(start):
            return file.read().decode("utf-8", "replace")
        if not start.startswith(COMMENT.encode()):
            return None
        file.read(len(COMMENT))
        return file.readline().decode("utf-8", "replace")


def _without_formulas(text: str) -> str:
    """JSON in which no text has a sign with which a formula of a spreadsheet begins; the comment is split at its commas there."""
    return re.sub(r'"(?:[^"\\]|\\.)*"', lambda found: re.sub(r"[=+\-@]", lambda sign: f"\\u{ord(sign[0]):04x}", found[0]), text)


def _of_csv(path: str | Path, columns: int) -> list[Any]:
    """The columns of a CSV file as texts, after its comment and its line of names, which must have the same width."""
    frame = pd.read_csv(path, skiprows=1, header=None, dtype=str, na_filter=False, encoding="utf-8")
    need(frame.shape[1] == columns)
    return [frame[i].to_numpy(object)[1:] for i in range(columns)]
