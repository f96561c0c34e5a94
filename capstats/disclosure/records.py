"""Risk of each key and of each record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

import numpy as np
import xarray as xr

from capstats.cap.average import correct_by_key
from capstats.cap.individual import individual_cap
from capstats.cap.neighbours import without_nearest
from capstats.codes.checks import check_choice, shown
from capstats.counting.compared import NotCompared
from capstats.counting.records import locate
from capstats.counting.request import Columns, Reading, Request, shows_options
from capstats.disclosure.attribute import among, disclosed, tables_of
from capstats.sources.memory import arranged
from capstats.tables.aligned import Aligned, same_or_span
from capstats.tables.backing import values_at
from capstats.tables.checking import given_tables, weights_of
from capstats.tables.printing import Result
from capstats.tables.sums import certain, ratio
from capstats.tables.table import Array, Counts, Release, Table

OF_THE_KEY = {  # columns of record_risk, and the variables of key_summary that they are taken from
    "certain": "certain",
    "original_certain": "original_certain",
    "key_records": "records",
    "key_synthetic_records": "synthetic_records",
    "unique": "unique",
    "replicated": "replicated",
}
ADDED = ("cap", "cap_nearest", "disclosed", *OF_THE_KEY, "copies")
SMALL_IS_RISKY = ("key_records", "key_synthetic_records")


def key_summary(o: Counts, s: Release = None, *, counted: Counts | None = None) -> xr.Dataset:
    """Risk of each key: its numbers of records, the certainty of the synthetic table, and the expected number of correct attributions.

    The averages show how large the risk is; this shows which keys cause it.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records.
    counted : same, optional
        Counts of those records of `o` that may count in ``correct`` and ``disclosed``; see `exclude`.

    Returns
    -------
    Dataset, dims (..., key)
        - ``records``, ``synthetic_records``: o_.j and s_.j;
        - ``matched``: whether s_.j > 0;
        - ``share``: share of the most frequent target among the synthetic records, NaN if there are none;
        - ``certain``: whether that share is 1;
        - ``original_certain``: the same for the original records;
        - ``correct``: expected number of correct attributions;
        - ``cap``: the average CAP of the original records with the key, NaN if there are none;
        - ``disclosed``: records that `disco` counts;
        - ``unique``: whether exactly one original record has the key;
        - ``replicated``: whether exactly one original and one synthetic record have the key. ``unique`` and ``replicated`` are omitted if
          counts are fractional or sums of sampling weights.

        ``attrs["records"]`` is the number of original records (the least and the greatest where several tables differ).
        With sampling weights ``records`` and others are their sums, and ``attrs["weights"]`` is their column.

    Raises
    ------
    ValueError, TypeError
        If the tables are not counts or disagree, or `counted` exceeds `o` in a cell.

    See Also
    --------
    record_risk : the same for each record. plotting.plot_key_summary

    Notes
    -----
    See theory/cap.md#record-risk: summed over keys, ``correct`` and ``disclosed`` are the numerators of average CAP and DiSCO.

    References
    ----------
    Raab, Nowok and Dibben (2024), "Practical privacy metrics for synthetic data", https://doi.org/10.48550/arXiv.2406.16826.

    Examples
    --------
    >>> found = key_summary([[3, 2, 1], [1, 2, 0]], [[2, 1, 0], [0, 1, 0]])
    >>> found.correct.values.tolist(), found.disclosed.values.tolist(), found.unique.values.tolist()
    ([3.0, 2.0, 0.0], [3, 0, 0], [False, False, True])
    """
    o, s = given_tables({"o": o, "s": s}).values()
    aligned = tables_of(counted, o=o, s=s)

    def of_keys(name: str, formula: Callable[..., Array]) -> xr.DataArray:
        """What a formula says of the keys, also of one table alone, for each pair of an original and a synthetic table."""

        def spread(o: Table, s: Table, *counted: Table) -> Array:
            found = formula(o, s, *counted)
            return np.broadcast_to(found, np.broadcast_shapes(found.shape, o.key_total.shape, s.key_total.shape))

        return aligned.map(spread, name, ("key",))

    found = {
        "records": of_keys("records", lambda o, *_: o.key_total),
        "synthetic_records": of_keys("synthetic_records", lambda _, s, *__: s.key_total),
        "matched": of_keys("matched", lambda _, s, *__: s.key_total > 0),
        "share": of_keys("share", lambda _, s, *__: ratio(s.key_greatest(), s.key_total, np.nan)),
        "certain": of_keys("certain", lambda _, s, *__: certain(s).key_total > 0),
        "original_certain": of_keys("original_certain", lambda o, *_: certain(o).key_total > 0),
        "correct": of_keys("correct", lambda o, s, *counted: correct_by_key(among(o, *counted), s)),
        "cap": of_keys("cap", lambda o, s, *_: ratio(correct_by_key(o, s), o.key_total, np.nan)),
        "disclosed": of_keys("disclosed", lambda o, s, *counted: disclosed(o, s, *counted).key_total),
    }
    if found["records"].dtype.kind == found["synthetic_records"].dtype.kind == "i" and weights_of(o) is None and weights_of(s) is None:
        found["unique"] = found["records"] == 1
        found["replicated"] = found["unique"] & (found["synthetic_records"] == 1)
    return Result(found, attrs={"result": "Risk by key", "records": same_or_span(aligned.totals("o")), **aligned.weights})


@shows_options
def record_risk(
    original: Any,
    synthetic: Any = None,
    *,
    keys: Columns | None = None,
    target: Columns | None = None,
    sort_by: str | None = None,
    top: int | None = None,
    allow_same: bool = False,
    copy_columns: int = 0,
    **reading: Unpack[Reading],
) -> Any:
    """The original records, each with its disclosure risk.

    Use it before a release to find the records that are disclosed, and those that are unique in both data sets.

    Parameters
    ----------
    original : data frame or mapping of columns, in memory; or path
        The confidential records: pandas, polars, pyarrow, any eager frame that narwhals knows, or {column: values}. A file is read into
        memory as a whole, unless `top` is given; of CSV all columns of the result but the added ones are texts.
    synthetic : data frame, mapping of columns, or path
        The records to be released, one table, as `tabulate` takes it.
    keys, target, types, bins, null_values, allow_unused_codes, backing
        As in `tabulate`.
    encoding, decimal, sheet, skip, rename, memory_limit, spill_dir, progress
        As in `tabulate`.
    missing : {"level", "drop"}
        Whether a missing value is one more level of its column, so that every record has a result; or the records with a missing key or
        target are left out.
    weights, counts : column name, or pair of names, optional
        As in `tabulate`: the records are counted with them.
    allow_same : bool
        Whether two of the tables may hold the same records, as in `audit`.
    copy_columns : int
        Most columns over which whole records are compared, as in `audit`; 0, the default: they are not.
    sort_by : str, optional
        One of the columns below. The riskiest records come first: the greatest values, or the smallest of ``key_records`` and
        ``key_synthetic_records``; ties keep their order. The columns below are then placed first, followed
        by the keys, the target and the other columns of `original`. By default rows and columns keep their order.
    top : int, optional
        With `sort_by`, only this number of records, the riskiest. Of a file, the other records are not read into memory.

    Returns
    -------
    data frame of the same library (of pandas for a file, of pyarrow for one of Arrow), or mapping
        The rows of `original` (with their index; those of a file are numbered from 0), and after its columns, or before them with
        `sort_by`:

        - ``cap``: individual CAP, the share of the key's synthetic records that have the record's target; 0 if there are none;
        - ``cap_nearest``: the same, but with the synthetic records of the nearest keys if there are none with the record's own; omitted
          where comparing the keys takes long (tens of thousands of unmatched keys in ten columns or more);
        - ``disclosed``: whether the first share is 1, so that an intruder is certain and right; its mean is `disco`;
        - ``certain``: whether all synthetic records with the key have the same target, right or wrong;
        - ``original_certain``: the same for the original records with the key;
        - ``key_records``, ``key_synthetic_records``: original and synthetic records with the record's key;
        - ``unique``: whether no other original record has the key;
        - ``replicated``: whether the record is unique and exactly one synthetic record has the key. ``unique`` and ``replicated`` are
          omitted if counts are fractional or sums of sampling weights;
        - ``copies``, with `copy_columns`: synthetic records that are identical to the record in all columns that are compared.

    Raises
    ------
    TypeError
        If `original` is a lazy frame, which has no rows in memory, or counts, which do not say which record is which.
    ValueError
        If there are several synthetic tables, `original` already has one of these columns, `sort_by` is not one of them, both
        tables hold the same records, unless `allow_same`, copies cannot be counted, as with more than `copy_columns` columns; or as
        `tabulate`.

    See Also
    --------
    key_summary : the risk of each key, from counts.

    Notes
    -----
    See theory/cap.md#record-risk.

    References
    ----------
    Baillargeon and Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets", Definition 1.

    Examples
    --------
    >>> original = {"sex": ["f", "m", "f"], "sick": ["no", "yes", "yes"]}
    >>> found = record_risk(original, {"sex": ["m", "f", "f"], "sick": ["yes", "no", "no"]}, keys="sex", target="sick")
    >>> found["cap"].tolist(), found["replicated"].tolist()
    ([1.0, 1.0, 0.0], [False, True, False])

    The person at the highest risk first:

    >>> found = record_risk(original, {"sex": ["m", "f", "f"], "sick": ["yes", "no", "no"]}, keys="sex", target="sick", sort_by="cap")
    >>> found["sex"], list(found)[:2]
    (['f', 'm', 'f'], ['cap', 'cap_nearest'])
    """
    if sort_by is not None:
        check_choice(sort_by, "sort_by", ADDED)
    if top is not None and (sort_by is None or not isinstance(top, int) or top < 0):
        raise ValueError(f"`top` must be a number of records, 0 or more, and is given with `sort_by`; got {shown(top)}.")
    given = {"keys": keys, "target": target, "allow_same": allow_same, "copy_columns": copy_columns}
    return riskiest(Request.of(reading, original=original, synthetic=synthetic, **given), sort_by, top)[0]


def riskiest(request: Request, sort_by: str | None, top: int | None, messages: list[str] | None = None) -> tuple[Any, int]:
    """What `record_risk` returns, and how many records there are; with ``messages``, copies that cannot be counted are no error."""
    tables, original_records, i, j, copies = locate(request)
    if "s" not in tables or tables.s.ndim > 2:
        raise ValueError("`synthetic` must be one table. Call record_risk once for each of several tables.")
    by_key = key_summary(tables.o, tables.s)
    cap = values_at(individual_cap(tables.o, tables.s).variable.data, i, j)
    columns = {"cap": cap}
    if not (why := without_nearest(Aligned({"o": tables.o, "s": tables.s}))):
        columns["cap_nearest"] = values_at(individual_cap(tables.o, tables.s, unmatched="nearest").variable.data, i, j)
    columns["disclosed"] = cap == 1
    columns |= {column: by_key[variable].values[j] for column, variable in OF_THE_KEY.items() if variable in by_key}
    if isinstance(copies, str):
        if messages is None or sort_by == "copies":
            raise NotCompared(copies)
        messages.append(f"warning: {copies}")
    elif copies is not None:
        columns["copies"] = copies
    if sort_by == "copies" and copies is None:
        raise ValueError("`sort_by` is 'copies', which are counted with `copy_columns` (--copy-columns). Give it.")
    if sort_by is not None and sort_by not in columns:
        if sort_by == "cap_nearest":
            raise ValueError(f"`sort_by` is 'cap_nearest', which is not computed: {why}.")
        raise ValueError(
            f"`sort_by` is {sort_by!r}, which counts whole records: it is not defined where counts are fractional or weighted."
        )
    if sort_by is None:
        return original_records.in_memory().with_columns(columns), len(cap)
    risk = columns[sort_by].astype(np.float64) * (1 if sort_by in SMALL_IS_RISKY else -1)
    order, first = np.argsort(risk, kind="stable"), [*columns, *request.columns]
    if top is None:
        return arranged(original_records.in_memory().with_columns(columns), order, first), len(cap)
    found = original_records.in_memory(order[:top]).with_columns({name: x[order[:top]] for name, x in columns.items()})
    return arranged(found, None, first), len(cap)
