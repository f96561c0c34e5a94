"""Bounds for how often all of several targets, or any, are guessed right, given their average CAPs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np
import xarray as xr

from capstats.cap.average import correct_by_key
from capstats.laws.attainable.from_anonymity import share_of_records
from capstats.tables.aligned import Aligned, on_same_cells
from capstats.tables.printing import Result
from capstats.tables.table import Floats, Table
from capstats.tables.ties import at_most


def joint_bounds(caps: Any, *, matched: Any = None) -> xr.Dataset:
    """Bounds for the share of records of which all targets are guessed right, and at least one, from the average CAP of each target.

    An intruder who picks a synthetic record with the key of a person reads several targets off it. How often all of them are right
    depends on how they go together, which is not in their average CAPs; these leave a range.

    Parameters
    ----------
    caps : mapping or sequence of numbers or DataArrays, dims (...), or of Datasets
        Of each target its average CAP; or its tables ``o`` and ``s``, as `tabulate` returns them for the same records and keys. From tables
        the bounds are added up key by key, and never wider than from the averages.
    matched : float or DataArray, dims (...), optional
        Share of the original records whose key is in the synthetic table, n_M / n, if unmatched records count 0 in `caps`. Default: 1, as
        with "drop" and "nearest". From tables it is counted.

    Returns
    -------
    Dataset, dims (...)
        ``all_lower`` and ``all_upper``, between which the share of records is, as an expected value, of which all targets are right;
        ``any_lower`` and ``any_upper``, the same for at least one. From 0 to `matched`, over all original records; NaN if there is none.

    Raises
    ------
    ValueError, TypeError
        If `caps` is empty or holds other things, one is not from 0 to `matched`, tables hold different records or keys, or `matched` is
        given with tables.

    See Also
    --------
    capstats.average_cap : of ``tabulate(..., target=[...])`` with all targets, the exact share where the records are at hand.

    Notes
    -----
    See theory/attainable.md#joint-bounds: max(0, sum C_k - (T - 1) g) and min C_k for all of T targets, max C_k and min(g, sum C_k) for
    any, with g the share of matched records. The averages allow no narrower ones.

    References
    ----------
    Frechet (1935), https://doi.org/10.4064/fm-25-1-379-387 (the bounds of intersections and unions).

    Examples
    --------
    >>> joint_bounds({"vote": 0.6, "ideology": 0.5}, matched=0.9)
    Several targets guessed from one record
    <BLANKLINE>
                value
    all_lower  0.2000
    all_upper  0.5000
    any_lower  0.6000
    any_upper  0.9000

    Both targets are certain in the first of two keys and wrong in the second, so that who is right about one is right about both:

    >>> from capstats import from_counts
    >>> tables = from_counts([[2, 0], [0, 2]], [[1, 1], [0, 0]])
    >>> found = joint_bounds([tables, tables])
    >>> float(found.all_lower), float(found.all_upper), float(joint_bounds([0.5, 0.5]).all_lower)
    (0.5, 0.5, 0.0)
    """
    given = dict(caps) if isinstance(caps, Mapping) else dict(enumerate(caps)) if isinstance(caps, Sequence | np.ndarray) else {}
    named = {f"caps[{name!r}]": each for name, each in given.items()}
    if not named:
        raise ValueError("`caps` must be a list, or a mapping, of the average CAPs or the tables of at least one target.")
    of_tables = [isinstance(each, xr.Dataset) for each in named.values()]
    if any(of_tables):
        if not all(of_tables):
            raise TypeError("`caps` must hold average CAPs or tables, not both. Give the tables of all targets, or the numbers of all.")
        if matched is not None:
            raise ValueError("`matched` is counted from the tables in `caps`. Leave it out.")
        bounds = _of_tables(named)
    else:
        share = share_of_records("matched", 1.0 if matched is None else matched)
        shares = [share_of_records(name, each) for name, each in named.items()]
        for name, each in zip(named, shares, strict=True):
            if not bool((at_most(each, share) | each.isnull() | share.isnull()).all()):
                raise ValueError(f"`{name}` must be at most `matched`: a record whose key is not in the synthetic table is never right.")
        bounds = _bounds(shares, share)
    return Result(bounds, attrs={"result": "Several targets guessed from one record"})


def _bounds(right: list[xr.DataArray], most: xr.DataArray) -> dict[str, xr.DataArray]:
    """The four bounds, from how often each target is right and an upper limit for all of them."""
    with xr.set_options(arithmetic_join="exact"):  # type: ignore[no-untyped-call]
        added = sum(right[1:], right[0])
        least, greatest = (reduce(partial(xr.apply_ufunc, extreme), right) for extreme in (np.minimum, np.maximum))
        lower, upper = (added - (len(right) - 1) * most).clip(min=0), xr.apply_ufunc(np.minimum, added, most)
        return {"all_lower": lower, "all_upper": least, "any_lower": greatest, "any_upper": upper}


def _of_tables(named: Mapping[str, xr.Dataset]) -> dict[str, xr.DataArray]:
    """The bounds of each key, added up, over the number of original records."""
    by_key = {}
    for name, tables in named.items():
        if not {"o", "s"} <= set(tables):
            raise TypeError(f"`{name}` must hold the tables `o` and `s`, as tabulate returns them; it has {list(tables)}.")
        numbers = Aligned({"o": tables.o, "s": tables.s}).map(_of_each_key, "numbers", ("part", "key"))
        by_key[name] = numbers.rename(part="target")  # as a table, so that keys are joined by their labels
    arrays, _ = on_same_cells(by_key)
    first, *others = named
    for name in others:
        one, other = (arrays[each].isel(target=slice(1, None)) for each in (first, name))
        if not bool((at_most(one, other) & at_most(other, one)).all()):
            raise ValueError(
                f"`{first}` and `{name}` must have the same number of records of each key, as the same records do. Tabulate them alike, "
                f'and with missing="level", so that none is dropped for a missing target.'
            )
    o_j = arrays[first].isel(target=1)
    bounds = _bounds([arrays[name].isel(target=0) for name in named], o_j)  # 0 in keys without synthetic records, where no guess is right
    return {name: bound.sum("key") / o_j.sum("key") for name, bound in bounds.items()}


def _of_each_key(o: Table, s: Table) -> Floats:
    """Of each key the expected number of right records, the original and the synthetic records: shape (..., 3, key)."""
    return np.stack(np.broadcast_arrays(correct_by_key(o, s), o.key_total, s.key_total), axis=-2)
