"""All privacy models of the original and the synthetic table."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import xarray as xr

from capstats.anonymity.classes import (
    check_targets,
    classes_per_record,
    distinct_targets,
    greatest_share,
    least_entropy,
    number_of_classes,
    recursive_factor,
    smallest_class,
)
from capstats.anonymity.closeness import (
    basic_likeness,
    by_value,
    enhanced_likeness,
    equal_distance,
    log_ratio,
    ordered_distance,
)
from capstats.tables.aligned import Aligned, same_or_span
from capstats.tables.checking import given_tables, weights_of
from capstats.tables.printing import Result
from capstats.tables.table import Array, Counts, Release, Table

Model = Callable[[Table], Array]


def anonymity_profile(o: Counts, s: Release = None, *, l: int = 2) -> xr.Dataset:  # noqa: E741
    """The privacy models of the original and of the synthetic table, side by side.

    None of the models compares the two tables: a 5-anonymous synthetic table can be a copy of the original. Use them together with
    average CAP, not instead of it.

    Parameters
    ----------
    o, s : array-like or DataArray, dims (target, key) and any others
        Counts of original and synthetic records. With sampling weights the class sizes estimate those in the population, and k is
        not that of the table; pass ``tables.o_records`` for the models of the records themselves.
    l : int
        Number of targets for the recursive diversity.

    Returns
    -------
    Dataset, dims (..., table) with ``table`` "original", "synthetic"
        - ``classes``, the number of classes; ``uniques``, the number of unique records;
        - ``k``, ``distinct_l`` and ``entropy_l``, ``recursive_c`` for the given l, ``t`` and ``ordered_t``, as their own functions;
        - ``alpha``, of (alpha, k)-anonymity: the greatest share of a target in a class, max r_ij; smaller is safer, as all that follow;
        - ``beta``, of beta-likeness: the greatest relative increase of a share, max (r_ij - p_i) / p_i. ``enhanced_beta``: the same number
          if no cell exceeds its -ln p_i, and infinite otherwise, since then no beta is satisfied;
        - ``delta``, of delta-disclosure: max |ln(r_ij / p_i)| over classes and targets with p_i > 0, infinite if a class lacks a target.
          ``delta_occurring``: over the targets that occur in the class, as in ARX (with base 2) and pyCANON;
        - ``prosecutor``, the greatest prosecutor risk 1 / k, and ``marketer``.

        For a table without records `classes` and `uniques` are 0 and the others NaN. ``ordered_t`` is also NaN with several target
        columns, and ``uniques``, ``prosecutor`` and ``marketer`` are also NaN if counts are fractional or sums of sampling weights. The
        attrs ``original_records`` and ``synthetic_records`` are the numbers of records (the least and the greatest if several tables
        differ).

    Raises
    ------
    ValueError, TypeError
        If `l` is not a positive integer, a table does not hold counts (the cell is named), or the tables differ in shape or labels.

    See Also
    --------
    k_anonymity, l_diversity, t_closeness, prosecutor_risk, marketer_risk, class_sizes

    Notes
    -----
    See theory/anonymity.md#anonymity. For one table, give it as both. The rows are the targets of both tables; this affects ``ordered_t``
    only. Where one target alone is sensitive, alpha is ``individual_cap(o, o).sel(target=...).max("key")``.

    References
    ----------
    Wong, Li, Fu and Wang (2006), "(alpha, k)-anonymity", https://doi.org/10.1145/1150402.1150499.
    Cao and Karras (2012), "Publishing microdata with a robust privacy guarantee", Definitions 2 and 3,
    https://doi.org/10.14778/2350229.2350255.
    Brickell and Shmatikov (2008), "The cost of privacy", https://doi.org/10.1145/1401890.1401904.

    Examples
    --------
    >>> models = anonymity_profile([[20, 5], [30, 45]], [[8, 7], [25, 60]])
    >>> models.k.values.tolist(), models.alpha.values.round(3).tolist()
    ([50.0, 33.0], [0.9, 0.896])
    """
    check_targets(l)
    o, s = given_tables({"o": o, "s": s}).values()
    aligned = Aligned({"o": by_value(o), "s": by_value(s)})
    axis = aligned.axes["target"]
    unordered = 0 if axis is None or axis.nlevels == 1 else np.nan
    models: dict[str, Model] = {
        "classes": number_of_classes,
        "uniques": lambda x: np.asarray((x.key_total == 1).sum(-1)),
        "k": smallest_class,
        "alpha": greatest_share,
        "distinct_l": distinct_targets,
        "entropy_l": least_entropy,
        "recursive_c": lambda x: recursive_factor(x, l),
        "t": equal_distance,
        "ordered_t": lambda x: ordered_distance(x, aligned.sizes["target"]) + unordered,
        "beta": basic_likeness,
        "enhanced_beta": enhanced_likeness,
        "delta": lambda x: log_ratio(x, occurring=False),
        "delta_occurring": lambda x: log_ratio(x, occurring=True),
        "prosecutor": lambda x: 1 / smallest_class(x),
        "marketer": classes_per_record,
    }
    found = {name: aligned.map(_side_by_side(model), name, ("table",)) for name, model in models.items()}
    counts_records = [aligned.whole[name] and weights_of(table) is None for name, table in {"o": o, "s": s}.items()]
    if not all(counts_records):
        for name in ("uniques", "prosecutor", "marketer"):
            found[name] = found[name].where(xr.DataArray(counts_records, dims="table"))
    records = {f"{name}_records": same_or_span(aligned.totals(table)) for name, table in (("original", "o"), ("synthetic", "s"))}
    return Result(found, attrs={"result": "Anonymity profile", **records}).assign_coords(table=["original", "synthetic"])


def _side_by_side(model: Model) -> Callable[[Table, Table], Array]:
    return lambda o, s: np.stack(np.broadcast_arrays(model(o), model(s)), axis=-1)
