"""Singling out: how often a description that fits one synthetic record fits one original record.

The work is to count all descriptions; their rate and the law of the number of successes follow from two sums.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, Unpack

import numpy as np
import xarray as xr

from capstats.codes.checks import check_choice, check_integer, check_number
from capstats.codes.column import Places
from capstats.codes.declared_types import parsed
from capstats.codes.labels import MISSING, canonical, kind_of
from capstats.codes.progress import Progress
from capstats.counting.joint_rows import JointRows, joint_rows
from capstats.counting.lattice import Lattice
from capstats.counting.request import Columns, Reading, Request, shows_options
from capstats.tables.axes import level_index, names_of
from capstats.tables.dataset import VERSION
from capstats.tables.printing import Result
from capstats.tables.table import Array, Floats, ratio
from capstats.tables.ties import TIE

Duplicates = Literal["distinct", "all"]


@shows_options
def singling_out(
    original: Any,
    synthetic: Any,
    *,
    columns: Columns,
    subset_size: int,
    duplicates: Duplicates = "distinct",
    holdout: Any = None,
    attacks: int | None = None,
    quantiles: float | Sequence[float] = (0.025, 0.5, 0.975),
    limit: int = 4096,
    allow_same: bool = False,
    **reading: Unpack[Reading],
) -> xr.Dataset:
    """How often a description that fits exactly one synthetic record fits exactly one original record.

    An intruder reads descriptions such as "widowed, aged 30 to 39, in the village" off the release. Each that fits one person of the
    original singles this person out, although the intruder knows nobody. anonymeter tries some descriptions at random; here all of them
    are counted.

    Parameters
    ----------
    original, synthetic : data frame, lazy frame, mapping of columns, or path; several of `synthetic`
        The confidential and the released records, as in `tabulate`.
    columns : column name or sequence of names
        The columns that descriptions are made of, none of them numbers: see Raises.
    subset_size : int
        Number of columns in a description, from 1 to all. Every subset of this size is used.
    duplicates : {"distinct", "all"}
        Whether records that are alike in all columns count as one, in each table, as in anonymeter; or every record counts.
    holdout : data frame, lazy frame, mapping of columns, or path, optional
        Records of the same population that were not used for synthesis.
    attacks : int, optional
        A number of attacks, each with another description drawn at random from those that fit one synthetic record: how many would
        succeed.
    quantiles : float or sequence of floats
        Probabilities, from 0 to 1, of the quantiles of that number.
    limit : int
        Greatest number of subsets to count.
    allow_same : bool
        Whether two of the tables may hold the same records, as in `audit`.
    missing, null_values, allow_unused_codes, types, bins, counts, encoding, decimal, sheet, skip, rename, memory_limit, spill_dir, progress
        As in `tabulate`. A missing value is a level: "profession not known" describes a person as well. `weights` is an error, and
        `backing` has no effect.

    Returns
    -------
    Dataset, with dim ``synthetic`` for several synthetic tables
        - ``predicates``: Q, descriptions that fit exactly one synthetic record;
        - ``hits``: H, those of them that fit exactly one original record;
        - ``rate``: H / Q, from 0 to 1; NaN if Q = 0;
        - ``any_predicate``: the probability that the values of a random synthetic record on a random subset, unique or not, fit exactly one
          original record.

        With `holdout`: ``sample_size``, the number of records of original or holdout, whichever is smaller; ``original`` and ``holdout``,
        the expected rate if this number of random records of each is kept, which is the rate itself for the smaller one; and their
        ``difference``, from -1 to 1, whose expected value is 0 if the release does not depend on who is in the holdout. It has no standard
        error, since we know no estimator that is proved: descriptions of one person succeed together.

        With `attacks`: ``tried``, the smaller of `attacks` and Q, since no description is used twice; and of the number of successes the
        ``expected_successes``, the ``standard_deviation`` and, with dim ``quantile``, the ``successes``. With Q attacks or more it is H.

        ``attrs["records"]`` is the number of original records that count, ``attrs["subsets"]`` that of subsets.

    Raises
    ------
    TypeError
        If a column holds numbers that are neither cut into `bins` nor categories by `types`. A description by equal numbers would fit one
        record nearly always; anonymeter describes numbers by "at least" and "at most", which are not provided. In CSV files a column whose
        texts are all numbers is one, unless `types` says something else.
    ValueError
        If `subset_size` is not from 1 to the number of columns, there are more subsets than `limit`, `duplicates` is unknown, `weights` are
        given, or two tables hold the same records, unless `allow_same`; or as `tabulate`.

    See Also
    --------
    linkability
    disclosure.share_replicated : the numerator for one subset, in records; with `screening.sweep` for each subset.

    Notes
    -----
    See theory/population.md#singling-out: the number of successes has the hypergeometric law of H marked descriptions among Q. Each subset
    takes time in proportion to the number of distinct rows of all tables.

    References
    ----------
    Giomi, Boenisch, Wehmeyer and Tasnadi (2023), https://doi.org/10.56553/popets-2023-0055, section 5.
    Cohen and Nissim (2020), https://doi.org/10.1073/pnas.1914598117, for predicate singling out.

    Examples
    --------
    Four values fit one synthetic record: a, b and c of the first column, x of the second. Of these only a fits one original record:

    >>> original = {"first": ["a", "b", "b"], "second": ["x", "x", "y"]}
    >>> synthetic = {"first": ["a", "b", "c"], "second": ["x", "y", "y"]}
    >>> found = singling_out(original, synthetic, columns=["first", "second"], subset_size=1, attacks=2)
    >>> int(found.predicates), int(found.hits), float(found.rate)
    (4, 1, 0.25)
    >>> float(found.expected_successes), found.successes.values.tolist()
    (0.5, [0, 0, 1])
    """
    check_choice(duplicates, "duplicates", ("distinct", "all"))
    if attacks is not None:
        check_integer(attacks, "attacks", "a number of attacks, 0 or more", least=0)
    asked = list(quantiles) if isinstance(quantiles, (Sequence, np.ndarray)) and not isinstance(quantiles, str) else [quantiles]
    levels = [check_number(q, "quantiles", "probabilities from 0 to 1", least=0, most=1) for q in asked]
    given = {"original": original, "synthetic": synthetic, "holdout": holdout}
    by: dict[str, Any] = {"keys": columns, "keys_argument": "columns", "target": None, "target_argument": None}
    request = Request.of(reading, **given, **by, allow_same=allow_same)
    k = len(request.key_columns)
    check_integer(subset_size, "subset_size", f"from 1 to {k}, the number of columns", least=1, most=k)
    check_integer(limit, "limit", "a number of subsets, at least 1", least=1)
    subsets = math.comb(k, subset_size)
    if subsets > limit:
        raise ValueError(
            f"{k} columns have {subsets} subsets of {subset_size}, more than `limit`={limit}. Give fewer columns, or a larger limit."
        )
    with Progress(reading.get("progress")) as shown:
        rows = joint_rows(request, shown)
        _check_categories(rows)
        o, h, released = rows.original, rows.holdout, np.stack(rows.synthetic)
        counts = np.stack([o, *released])
        if duplicates == "distinct":
            counts = (counts > 0).astype(np.int64)
        lattice = Lattice([[counts]], rows.axis, [], names_of(rows.axis), None, {}, "dense")
        samples = [] if h is None else [Sample(x, min(o.sum(), h.sum()), duplicates) for x in (o, h)]
        predicates, hits, any_hits = np.zeros((3, len(released)), np.int64)
        expected = np.zeros((len(samples), len(released)))
        step = shown.step("counting descriptions", rows=subsets)
        for keyset in lattice.walk({subset_size}):
            of_o, of_s = np.split(keyset.tables[0][0], [1])
            unique, hit = of_s == 1, of_o == 1
            predicates += unique.sum(1)
            hits += (unique & hit).sum(1)
            any_hits += (of_s * hit).sum(1)
            for total, sample in zip(expected, samples, strict=True):
                total += sample.hits(unique, keyset.places)
            step.advance(1)
    rate, of_any = ratio(hits, predicates, np.nan), any_hits / (subsets * counts[1:].sum(1))
    found: dict[str, Array] = {"predicates": predicates, "hits": hits, "rate": rate, "any_predicate": of_any}
    if samples:
        found["sample_size"] = np.full(len(released), samples[0].size)
        found["original"], found["holdout"] = (ratio(x, predicates, np.nan) for x in expected)
        found["difference"] = found["original"] - found["holdout"]
    attrs = {"result": "Singling out", **rows.attrs, "records": int(counts[0].sum()), "subsets": subsets, "capstats": VERSION}
    coords: dict[str, Any] = {} if rows.labels is None else {"synthetic": level_index(rows.labels)}
    variables: dict[str, Any] = {name: (("synthetic",), values) for name, values in found.items()}
    if attacks is not None:
        variables |= _successes(predicates, hits, attacks, levels)
        coords["quantile"] = levels
    result = Result(variables, coords, attrs)
    return result.isel(synthetic=0) if rows.labels is None else result


def _check_categories(rows: JointRows) -> None:
    """Raise where a column holds numbers that are no categories; numbers in CSV files are texts, unless `types` has another type."""
    inputs = rows.records.inputs
    options, from_csv = inputs[0].options, all(table.source.is_csv for table in inputs)
    for column, labels, ordered in zip(rows.axis.names, rows.axis.levels, rows.ordered, strict=True):
        present = [x for x in map(canonical, labels) if x is not MISSING]
        if not present or ordered:
            continue
        is_number = kind_of(present[0]) == "number"
        if from_csv and options.type_of(column) is None:
            is_number = all(parsed(str(x).replace(options.decimal, "."), "number") is not MISSING for x in present)
        if is_number:
            categories = "'text'" if options.type_of(column) is None else "[levels in order]"
            raise TypeError(
                f"Column {column!r} holds numbers, and a description by an equal number nearly always fits one record. Cut it, as with "
                f"bins={{{column!r}: 10}}, or, where its numbers are codes of categories, say types={{{column!r}: {categories}}}."
            )


@dataclass(frozen=True)
class Sample:
    """A simple random sample, without replacement, of ``size`` of the records of a table, given by the counts of its distinct rows."""

    counts: Array
    size: int
    duplicates: Duplicates

    @cached_property
    def absent(self) -> Floats:
        """The probability that none of c records is drawn, for each c until it is 0 in floating point: it is at most exp(-c size / n)."""
        n = int(self.counts.sum())
        c = np.arange(min(n, 750 * n // self.size + 1))
        return np.cumprod(np.append(1.0, np.maximum(n - self.size - c, 0) / (n - c)))

    def hits(self, unique: Array, places: Places) -> Floats:
        """The expected number of unique descriptions that fit exactly one drawn record, or one distinct row among the drawn ones.

        ``places`` are the descriptions that fit the rows.
        """
        held = np.flatnonzero(self.counts)
        counts, at = self.counts[held], places[held]
        fitting = np.bincount(at, counts, unique.shape[1]).astype(np.int64)[at]
        own, times = (counts, 1) if self.duplicates == "distinct" else (1, counts)
        others, everyone = (self.absent[np.minimum(c, len(self.absent) - 1)] for c in (fitting - own, fitting))
        return np.asarray(unique[:, at] @ (times * (others - everyone)))


def _successes(predicates: Array, hits: Array, attacks: int, levels: Sequence[float]) -> dict[str, Any]:
    """The law of the number of successes: expectation, standard deviation and quantiles for each synthetic table."""
    tried = np.minimum(attacks, predicates)
    rate = ratio(hits, predicates, 0.0)
    variance = tried * rate * (1 - rate) * (predicates - tried) / np.maximum(predicates - 1, 1)
    found = []
    for q, h, a in zip(predicates.tolist(), hits.tolist(), tried.tolist(), strict=True):
        x, p = hypergeometric(q, h, a)
        places = np.searchsorted(np.cumsum(p), np.array(levels) * (1 - TIE))
        found.append(np.where(np.array(levels) == 1, x[-1], x[np.minimum(places, len(x) - 1)]))
    return {
        "tried": (("synthetic",), tried),
        "expected_successes": (("synthetic",), tried * rate),
        "standard_deviation": (("synthetic",), np.sqrt(variance)),
        "successes": (("synthetic", "quantile"), np.array(found)),
    }


def hypergeometric(items: int, marked: int, draws: int) -> tuple[Array, Floats]:
    """The hypergeometric law: the possible numbers of marked ones among the draws, and the probability of each.

    Ratios of neighbouring probabilities are multiplied from the mode outwards: differences of log-gammas lose digits.
    """
    least, most = max(0, draws - (items - marked)), min(draws, marked)
    x = np.arange(least, most + 1)
    below = x[:-1].astype(np.float64)
    steps = np.log((marked - below) * (draws - below)) - np.log((below + 1) * (items - marked - draws + below + 1))
    mode = min(max((draws + 1) * (marked + 1) // (items + 2), least), most) - least
    logs = np.concatenate([-np.cumsum(steps[:mode][::-1])[::-1], [0.0], np.cumsum(steps[mode:])])
    p = np.exp(logs)
    return x, np.asarray(p / p.sum())
