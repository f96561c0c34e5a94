"""Special uniques: which few columns make a record unique, and how special that makes it (SUDA).

A score is a weighted number of the minimal sets of a record: sets of columns on which no other record agrees with it, while on each
smaller set one does. The search for them, `minimal_sets`, is the hard part.

*The obvious way* takes each of the 2^k subsets of k columns, groups the records by it, and compares each set of each record with all its
subsets: the tests do so. The cost is 2^k sorts of all records.

*The search* uses that a minimal set of a record can only be extended to sets that are not minimal:

1. A set is tried for a record only if the record agrees with another one on every set with one column less. These records are the
   intersection of one bit mask for each smaller set (`shared`), 8 records a byte. Where the intersection is empty, the set and all that
   contain it are left out, so that most subsets of many columns are never grouped.
2. Subsets come before the sets that contain them: `below` adds columns only in front of the first one. So all masks are there when they
   are needed, and the classes of a set follow from those of the set without its first column, by one more digit for the new column.
3. A record that is alone in its class has found a minimal set, and leaves the mask of this set. A record that is alone needs no class of
   its own any more; all of these share class 0.
4. Classes are counted in an array where it is not much longer than the records (GRID), which takes less time than to sort them.

Columns are added in descending order of their number of levels, so that most sets only split a class by a few levels. A mask for each set
is kept: MOST_SUBSETS limits the subsets to 65,536, and with them the memory to that number of bits a record.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from capstats.codes.checks import check_choice, check_integer, check_number
from capstats.codes.labels import MISSING, canonicals
from capstats.counting.lattice import Columns
from capstats.disclosure.attribute import ALONE, records_by_key
from capstats.tables.aligned import Aligned, same_or_span
from capstats.tables.axes import axis_from, names_of
from capstats.tables.checking import check_unweighted
from capstats.tables.printing import Result
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Counts, Floats, Index, group_sums

Rule = Literal["product", "factorial", "normalized", "halving"]
Missing = Literal["level", "skip"]
Mask = NDArray[np.bool_]

MOST_SUBSETS = 1 << 16  # subsets of the key columns
GRID = 16  # counting in a grid is faster than sorting, up to this number of cells for each row


# --- the search -------------------------------------------------------------------------------------------------------


def minimal_sets(codes: Sequence[Array], known: Sequence[Mask], most: int) -> Iterator[tuple[Columns, Mask]]:
    """Sets of at most ``most`` columns; for each, which rows agree with no other row on it, but with one on every smaller set.

    Rows are distinct. A row is left out of sets with a column in which it is not ``known``.
    """
    rows = len(codes[0])
    order = sorted(range(len(codes)), key=lambda c: int(codes[c].max()))  # so that most sets only split a class by a few levels
    digits, sizes = [codes[c].astype(np.intp) for c in order], [int(codes[c].max()) + 1 for c in order]
    shared: dict[Columns, Array] = {(): np.packbits(np.ones(rows, bool))}  # rows that agree with another one on a set of columns

    def below(columns: Columns, classes: Index, number: int) -> Iterator[tuple[Columns, Mask]]:
        """All sets that add columns before the first one: in this order every subset comes before its supersets."""
        for c in range(columns[0] if columns else len(order)):
            found = (c, *columns)
            smaller = [found[:i] + found[i + 1 :] for i in range(len(found))]
            # 1. rows that agree with another row on every smaller set
            if not all(subset in shared for subset in smaller):
                continue
            held = np.unpackbits(reduce(np.bitwise_and, [shared[subset] for subset in smaller]), count=rows).view(bool)
            if len(found) == 1:
                held &= known[order[c]]
            at: Any = np.flatnonzero(held) if 4 * np.count_nonzero(held) < rows else slice(None)  # selecting rows takes time
            # 2. the classes of the set without its first column, split by one digit
            flat, counts = _counted(classes[at] * sizes[c] + digits[c][at], number * sizes[c])
            several, more = counts > 1, c > 0 and len(found) < most
            ids = np.cumsum(several) * several if more else several  # class 0 has the rows that are alone, which no larger set needs
            finer = _at(at, ids.take(flat), rows)
            # 3. rows that are alone now, and shared every smaller set: for these the set is minimal
            alone = held & (finer == 0)
            if alone.any():
                yield tuple(sorted(order[i] for i in found)), alone
                held ^= alone
            if held.any():
                shared[found] = np.packbits(held)
                if more:
                    yield from below(found, finer, int(ids.max()) + 1)

    return below((), np.zeros(rows, np.intp), 1)


def _counted(flat: Index, cells: int) -> tuple[Index, Index]:
    """A class for each number, and the number of rows of each class."""
    if cells <= GRID * max(1 << 16, len(flat)):
        return flat, np.bincount(flat)
    _, of_row, counts = np.unique(flat, return_inverse=True, return_counts=True)
    return of_row, counts


def _at(places: Any, values: Array, length: int) -> Array:
    """The values at their places, which are sorted, and 0 elsewhere."""
    if values.shape[-1] == length:
        return values
    found = np.zeros((*values.shape[:-1], length), values.dtype)
    found[..., places] = values
    return found


@dataclass(frozen=True)
class Keys:
    """The keys of a table and of every member of a batch, with the options of the search for minimal sample uniques."""

    aligned: Aligned
    records: Array  # of each key: shape (..., key)
    axis: pd.MultiIndex
    largest: int  # number of columns of the largest set
    missing: Missing

    @classmethod
    def of(cls, o: Counts, max_size: int | None, missing: Missing) -> Keys:
        """The keys of a table, with the options checked."""
        check_choice(missing, "missing", get_args(Missing))
        check_unweighted(ALONE, o=o)
        aligned = Aligned({"o": o})
        records = aligned.map(records_by_key, "o", ("key",)).values
        axis = aligned.axes["key"]
        axis = axis_from(range(aligned.sizes["key"]), aligned.sizes["key"], "key", "key") if axis is None else axis
        k = axis.nlevels
        ends = f"from 1 to {k}, the number of key columns"
        largest = k if max_size is None else check_integer(max_size, "max_size", ends, least=1, most=k)
        sets = [math.comb(k, size) for size in range(1, largest + 1)]
        if sum(sets) > MOST_SUBSETS:
            fewer = int((np.cumsum(sets, dtype=float) <= MOST_SUBSETS).sum())
            remedy = f"Give max_size={fewer}, or fewer key columns" if fewer else "Give fewer key columns"
            raise ValueError(f"{k} key columns have {sum(sets):,} subsets of up to {largest}, more than {MOST_SUBSETS:,}. {remedy}.")
        return cls(aligned, records, axis, largest, missing)

    @property
    def columns(self) -> list[str]:
        """The names of the key columns."""
        return names_of(self.axis)

    @property
    def levels(self) -> list[tuple[str, list[Any]]]:
        """The key columns with their labels."""
        return list(zip(self.columns, map(canonicals, self.axis.levels), strict=True))

    def minimal(self, held: Index, alone: Mask) -> Iterator[tuple[Columns, Mask]]:
        """Subsets of the key columns; for each, the keys among ``held`` for which it is minimal; only keys ``alone``, with one record."""
        if not len(held):
            return
        codes = [np.asarray(places)[held] for places in self.axis.codes]
        skipped = [[i for i, label in enumerate(labels) if label is MISSING and self.missing == "skip"] for _, labels in self.levels]
        known = [np.isin(places, levels, invert=True) for places, levels in zip(codes, skipped, strict=True)]
        for columns, unique in minimal_sets(codes, known, self.largest):
            yield columns, unique & alone


def weights(rule: Rule, k: int, largest: int) -> Floats:
    """What a minimal sample unique of 1, 2, ..., ``largest`` of k columns adds to the score of its record."""
    check_choice(rule, "rule", get_args(Rule))
    if rule == "product" and largest >= k:
        remedy = f"max_size={k - 1} or less, or " if k > 1 else ""
        raise ValueError(
            f'rule="product" needs `max_size` below {k}, the number of key columns: with all of them every score is 0. '
            f'Give {remedy}rule="factorial".'
        )
    sizes = range(1, largest + 1)
    try:
        if rule == "factorial":
            return np.array([float(math.factorial(k - s)) for s in sizes])
        if rule == "product":
            return np.array([float(math.prod(k - i for i in range(s, largest + 1))) for s in sizes])
        if rule == "normalized":
            return np.array([(2 ** (k - s) - 1) / math.comb(k, s) for s in sizes])
    except OverflowError:
        raise ValueError(f'The weights of rule="{rule}" are too large for floats with {k} key columns. Give rule="halving".') from None
    return np.array([2.0 ** (1 - s) for s in sizes])


# --- results ----------------------------------------------------------------------------------------------------------


def minimal_sample_uniques(o: Counts, *, max_size: int | None = None, missing: Missing = "level") -> xr.Dataset:
    """All minimal sample uniques: for each record, the smallest sets of key columns on which no other record agrees with it.

    A person who is the only doctor in the file is found by the occupation alone. Somebody else may need the age, the sex and the region.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key)
        Counts of the records of one table. Without labels there is one key column, whose levels are the keys.
    max_size : int, optional
        Number of columns of the largest sets to look for; by default all key columns.
    missing : {"level", "skip"}
        Whether a missing value is one more level of its column; or a record has no minimal sample unique with a column in which its
        value is missing, and agrees with no other record on such columns.

    Returns
    -------
    Dataset, dims (msu)
        One entry for each minimal sample unique, by key, then by size: ``keyset``, the names of its columns, and ``msu_size``, their
        number. The index of ``msu`` has the labels of the record in all key columns; ``known``, dims (msu, key_column), tells which columns
        the set has.

    Raises
    ------
    ValueError, TypeError
        If `o` is not a table of counts (the cell is named), has fractional counts or sampling weights (then give ``tables.o_records``),
        or has other dims besides target and key; if `max_size` is not from 1 to the number of key columns, or there are more than
        65,536 subsets of at most `max_size` columns.

    See Also
    --------
    suda_scores

    Notes
    -----
    See theory/population.md#special-uniques. A record has one if and only if its key has no other record, and it is unique on exactly
    those sets of columns that contain one.

    References
    ----------
    Elliot, Manning and Ford (2002), "A computational algorithm for handling the special uniques problem",
    https://doi.org/10.1142/S0218488502001600. Manning, Haglin and Keane (2008), "A recursive search algorithm for statistical disclosure
    assessment", https://doi.org/10.1007/s10618-007-0078-6.

    Examples
    --------
    The last record is the only one from the country, and the only woman without work:

    >>> import capstats
    >>> people = {"area": list("ttttc"), "sex": list("ffmmf"), "works": list("yynyn"), "t": list("aabab")}
    >>> tables = capstats.tabulate(people, keys=["area", "sex", "works"], target="t")
    >>> minimal_sample_uniques(tables.o)
    Minimal sample uniques (msu 5, key_column 3): 5 records
    <BLANKLINE>
    area  sex  works        keyset  msu_size
    c     f    n              area         1
    c     f    n       sex + works         2
    t     m    n      area + works         2
    t     m    n       sex + works         2
    t     m    y       sex + works         2
    <BLANKLINE>
    not shown: known
    """
    keys = Keys.of(o, max_size, missing)
    if keys.aligned.dims:
        dim = keys.aligned.dims[0]
        raise ValueError(f"`o` must be one table; got the dim {dim!r} besides target and key. Choose one, such as o.isel({dim}=0).")
    held = np.flatnonzero(keys.records)
    of_sets = ((columns, held[unique]) for columns, unique in keys.minimal(held, keys.records[held] == 1))
    found = sorted(of_sets, key=lambda pair: (len(pair[0]), pair[0]))
    key = np.concatenate([[], *(places for _, places in found)]).astype(np.intp)
    subset = np.repeat(np.arange(len(found)), [len(places) for _, places in found])
    order = np.argsort(key, kind="stable")
    key, subset = key[order], subset[order]
    names = np.array([" + ".join(keys.columns[c] for c in columns) for columns, _ in found], object)
    size = np.array([len(columns) for columns, _ in found], np.int64)
    known = np.array([[c in columns for c in range(len(keys.columns))] for columns, _ in found]).reshape(-1, len(keys.columns))
    attrs = {"result": "Minimal sample uniques", "records": same_or_span(keys.aligned.totals("o"))}
    coords = xr.Coordinates.from_pandas_multiindex(keys.axis.take(key), "msu")
    coords = coords.assign({"key_column": keys.columns, "known": (("msu", "key_column"), known[subset])})
    return Result({"keyset": ("msu", names[subset]), "msu_size": ("msu", size[subset])}, coords, attrs)


def suda_scores(o: Counts, *, rule: Rule = "factorial", max_size: int | None = None, missing: Missing = "level") -> xr.Dataset:
    """How special each record is, by its minimal sample uniques (SUDA), and which columns and levels make it so.

    A record that few columns single out, or many different sets of columns, is likelier to be unique in the population as well. A score
    compares records of one table; it is not a probability.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of the records of one table; along every other dim each element is a separate table. Without labels there is one key column,
        whose levels are the keys.
    rule : {"product", "factorial", "normalized", "halving"}
        What a minimal sample unique of s columns adds to the score, with A key columns and M for `max_size`:

        - "product": (A - s)(A - s - 1) ... (A - M), as published; M must be given, and be below A;
        - "factorial": (A - s)!, the same with M = A - 1, and 1 for a set of all columns;
        - "normalized": (2**(A - s) - 1) / C(A, s), of the International Household Survey Network (IHSN);
        - "halving": 2**(1 - s).
    max_size, missing
        As in `minimal_sample_uniques`.

    Returns
    -------
    Dataset, dims (..., key), (..., key, key_column), (..., key_column) and (..., column_level)
        - ``suda_score`` of the record of each key: 0 or more, larger is riskier; 0 if the key has several records, or no set of at most
          `max_size` columns singles it out;
        - ``contribution``, with the dim ``key_column``: the share of the score that comes from sets with this column, from 0 to 1, 0 where
          the score is 0. A set counts for each of its columns, so they add up to 1 or more;
        - ``contribution_share``: the same with each set divided equally among its columns, so that they add up to 1;
        - ``column_contribution`` and ``column_share``: the same two of the sum of all scores. NaN if all scores are 0;
        - ``level_contribution``: one ``column_level`` for each level of each key column, with the coordinates ``column`` and ``label``: the
          part of ``column_contribution`` that records with this level have. They add up to it.

        NaN for a key without records.

    Raises
    ------
    ValueError, TypeError
        As in `minimal_sample_uniques`, except that `o` may have other dims; if `rule` is unknown, or is "product" and `max_size` is the
        number of key columns.

    See Also
    --------
    minimal_sample_uniques, dis_suda

    Notes
    -----
    See theory/population.md#special-uniques. "product" is "factorial" divided by (A - M - 1)!, so all contributions are the same.

    References
    ----------
    Elliot, Manning and Ford (2002), https://doi.org/10.1142/S0218488502001600: "factorial" and "product". sdcMicro 5.8.1, ``suda2``:
    "factorial", and "normalized" with ``original_scores=FALSE``. riskutility 0.2.0: "halving".

    Examples
    --------
    The last record is singled out by its area, which adds 2!, and by sex and work together, which add 1!:

    >>> import capstats
    >>> people = {"area": list("ttttc"), "sex": list("ffmmf"), "works": list("yynyn"), "t": list("aabab")}
    >>> tables = capstats.tabulate(people, keys=["area", "sex", "works"], target="t")
    >>> found = suda_scores(tables.o)
    >>> found.suda_score.to_series().to_dict()
    {('c', 'f', 'n'): 3.0, ('t', 'f', 'y'): 0.0, ('t', 'm', 'n'): 2.0, ('t', 'm', 'y'): 1.0}
    >>> found.contribution.sel(key=("c", "f", "n")).values.round(3).tolist()
    [0.667, 0.333, 0.333]
    >>> found.contribution_share.sel(key=("c", "f", "n")).values.round(3).tolist()
    [0.667, 0.167, 0.167]
    >>> found.column_contribution.values.round(3).tolist()
    [0.5, 0.5, 0.667]
    """
    keys = Keys.of(o, max_size, missing)
    weight = weights(rule, len(keys.columns), keys.largest)
    parts = [_member(keys, records, weight) for records in keys.records.reshape(-1, keys.records.shape[-1])]
    score, whole, split = (np.stack(part).reshape(*keys.records.shape[:-1], *part[0].shape) for part in zip(*parts, strict=True))
    total = score.sum(-1)[..., None]
    level = [group_sums(whole[..., c, :], np.asarray(keys.axis.codes[c]), len(labels)) for c, (_, labels) in enumerate(keys.levels)]
    empty = keys.records == 0
    of_key = {
        name: np.where(empty[..., None], np.nan, np.swapaxes(ratio(of, score[..., None, :], 0.0), -1, -2))
        for name, of in (("contribution", whole), ("contribution_share", split))
    }
    variables = {
        "suda_score": keys.aligned.wrap(np.where(empty, np.nan, score), "suda_score", ("key",)),
        "column_contribution": keys.aligned.wrap(ratio(whole.sum(-1), total, np.nan), "column_contribution", ("key_column",)),
        "column_share": keys.aligned.wrap(ratio(split.sum(-1), total, np.nan), "column_share", ("key_column",)),
        "level_contribution": keys.aligned.wrap(ratio(np.concatenate(level, -1), total, np.nan), "level_contribution", ("column_level",)),
        **{name: keys.aligned.wrap(values, name, ("key", "key_column")) for name, values in of_key.items()},
    }
    columns, labels = zip(*((name, label) for name, labels in keys.levels for label in labels), strict=True)
    attrs = {"result": "SUDA scores", "records": same_or_span(keys.aligned.totals("o")), "rule": rule}
    found = Result(variables, attrs=attrs).assign_coords(key_column=keys.columns)
    return found.assign_coords(column=("column_level", list(columns)), label=("column_level", np.array(labels, object)))


def _member(keys: Keys, records: Array, weight: Floats) -> tuple[Floats, Floats, Floats]:
    """The score of each key; of each column and key, the score of the sets with the column, and the same divided among their columns."""
    k, held, sizes = len(keys.columns), np.flatnonzero(records), range(1, keys.largest + 1)
    most = max(math.comb(k, size) for size in sizes)
    number = np.zeros((k + 1, keys.largest, len(held)), np.min_scalar_type(most))  # sets with each column, and all, by size and key
    for columns, unique in keys.minimal(held, records[held] == 1):
        for c in (*columns, k):
            number[c, len(columns) - 1] += unique
    whole, split = (np.einsum("s,csj->cj", of_size, number) for of_size in (weight, weight / sizes))
    return _at(held, whole[-1], len(records)), _at(held, whole[:-1], len(records)), _at(held, split[:-1], len(records))


def dis_suda(
    o: Counts, *, sampling_fraction: float, rule: Rule = "factorial", max_size: int | None = None, missing: Missing = "level"
) -> xr.Dataset:
    """Probability that a match with a unique record is correct, for the file (DIS), and spread over its records by their score (DIS-SUDA).

    DIS is estimated: of the people whom a unique record fits, how many are the right one. DIS-SUDA raises it for special records and lowers
    it for others by a rule of thumb.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of the records of one table; along every other dim each element is a separate table.
    sampling_fraction : float
        Share of the population that the table has, above 0 and at most 1; the records are a simple random sample.
    rule, max_size, missing
        As in `suda_scores`. DIS takes a missing value for a level in either case.

    Returns
    -------
    Dataset, dims (...) and (..., key)
        ``file_dis``, the DIS of the file, from 0 to 1, and NaN if no key has one or two records; ``dis_suda`` of the record of each key,
        from 0 to 1, 0 where its score is 0, and NaN for a key without records; ``suda_score``. Larger is riskier.

    Raises
    ------
    ValueError, TypeError
        As in `suda_scores`; if `sampling_fraction` is not above 0 and at most 1, or there are more than 27 key columns, where a special
        record would have less than others.

    See Also
    --------
    suda_scores

    Notes
    -----
    See theory/population.md#dis-suda. DIS is the estimate of Skinner and Elliot. If all unique records have a score above 0, the mean of
    their DIS-SUDA is never below DIS.

    References
    ----------
    Skinner and Elliot (2002), "A measure of disclosure risk for microdata", https://doi.org/10.1111/1467-9868.00365. Elliot, Manning,
    Mayes, Gurd and Bane (2005), "SUDA: a program for detecting special uniques". sdcMicro 5.8.1 has the same DIS-SUDA up to 4e-8, since it
    computes with single precision.

    Examples
    --------
    Three records are unique, two share a key. One person of two is in the file:

    >>> import capstats
    >>> people = {"area": list("ttttc"), "sex": list("ffmmf"), "works": list("yynyn"), "t": list("aabab")}
    >>> tables = capstats.tabulate(people, keys=["area", "sex", "works"], target="t")
    >>> found = dis_suda(tables.o, sampling_fraction=0.5)
    >>> float(found.file_dis), found.dis_suda.values.round(3).tolist()
    (0.6, [0.768, 0.0, 0.666, 0.456])
    """
    check_number(sampling_fraction, "sampling_fraction", "a fraction above 0 and at most 1", least=0, most=1, excluded=(0,))
    found = suda_scores(o, rule=rule, max_size=max_size, missing=missing)
    k = found.sizes["key_column"]
    q = 1 + (8 - k) / 20
    if q <= 0:
        raise ValueError(f"DIS-SUDA is not defined for {k} key columns: a higher score would lower it. Give 27 or fewer.")
    score = found.suda_score
    records = Aligned({"o": o}).map(lambda x: x.key_total, "records", ("key",))
    uniques, doubles = (records == 1).sum("key"), 2 * (records == 2).sum("key")
    sure, other = uniques * sampling_fraction, doubles * (1 - sampling_fraction)
    held = score > 0
    power = score.where(held) ** -q
    odds_against = other / sampling_fraction * power / power.sum("key")
    of_file = sure / (sure + other).where(uniques + doubles > 0)
    of_key = (1 / (1 + odds_against)).where(held, 0.0).where(records > 0)
    variables = {"file_dis": of_file, "dis_suda": of_key, "suda_score": score}
    return Result(variables, attrs={**found.attrs, "result": "DIS-SUDA", "sampling_fraction": float(sampling_fraction)})
