"""Any measure by groups of people: by the levels of a key column, or by the combinations of several."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import count
from typing import Any, cast

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.names import check_named
from capstats.tables.axes import axis_of, free_name, names_of
from capstats.tables.backing import summed
from capstats.tables.dataset import as_tables
from capstats.tables.printing import Result, label_text

PEOPLE = ("o", "h")  # the tables whose records belong to groups, with what is kept of their weights


def by_group(measure: Callable[..., Any], tables: xr.Dataset, by: Hashable | list[Any], **options: Any) -> xr.Dataset:
    """A measure of each group of people, and of everybody: an average can hide a group that a release exposes.

    Parameters
    ----------
    measure : function
        A measure that takes the Dataset, such as `average_cap`, `cap_quantiles` or `disclosure.disco`, or a function of your own.
    tables : Dataset
        Result of `tabulate` or `from_counts`.
    by : column name, tuple of names, or list of them
        Key columns. A name gives one group a level, a tuple one a combination of levels.
    **options
        Passed to the measure.

    Returns
    -------
    Dataset, dims (group, ...)
        ``records``, the original records of each group, and what the measure returned, under its name. ``group`` reads "column = level";
        the first is "everybody", without whom a number of a group is neither high nor low.
        Along other dims there is what any group has, as outliers in `cap_boxplot` or sizes in `anonymity.class_sizes`: where a group lacks
        it, whole numbers are 0 and others NaN. What the result of the measure calls ``group`` is ``group_``.

    Raises
    ------
    ValueError, TypeError
        If a name of `by` is no key column, `by` is empty, `measure` is no function or returns nothing that has dims, or lists that cannot
        stand beside each other, or `tables` is no such Dataset.

    See Also
    --------
    summary : everybody, in one sentence.
    capstats.disclosure.key_summary : the numbers of each key.

    Notes
    -----
    See theory/cap.md#average-cap, part 5: average CAP of everybody is the mean of that of the groups of a column, weighted by their
    records. Original and holdout keep the people of a group; the release stays whole, as an intruder has it. Keys of others stay without
    records, which changes a measure that depends on the cells of the table and not on its records, such as `minimum_cap`.

    References
    ----------
    Bird et al. (2020), Fairlearn: a toolkit for assessing and improving fairness in AI (measures by group).

    Examples
    --------
    >>> import capstats
    >>> people = {"sex": ["f", "f", "m", "m"], "vote": ["a", "b", "a", "a"]}
    >>> tables = capstats.tabulate(people, {"sex": ["f", "m", "m"], "vote": ["a", "a", "b"]}, keys="sex", target="vote")
    >>> found = by_group(capstats.average_cap, tables, by="sex")
    >>> dict(zip(found.group.values.tolist(), found.average_cap.values.tolist(), strict=True))
    {'everybody': 0.5, 'sex = f': 0.5, 'sex = m': 0.5}
    """
    tables = as_tables(tables)
    if not callable(measure):
        raise TypeError(f"`measure` must be a function of tables, such as capstats.average_cap; got {type(measure).__name__}.")
    axis = cast(pd.MultiIndex, axis_of(tables.o, "key"))
    places = {**dict(zip(tables.attrs["key_columns"], count(), strict=False)), **dict(zip(names_of(axis), count(), strict=False))}
    chosen = by if isinstance(by, list) else [by]
    if not chosen:
        raise ValueError("`by` is empty: give at least one key column.")
    groups: list[tuple[str, Any]] = [("everybody", np.ones(len(axis), bool))]
    for columns in (tuple(map(str, x)) if isinstance(x, tuple) else (str(x),) for x in chosen):
        check_named("by", columns, places, "no key column")
        at = [places[x] for x in columns]
        held, group_of = np.unique(np.column_stack([axis.codes[x] for x in at]), axis=0, return_inverse=True)
        for i, codes in enumerate(held.tolist()):
            labels = [label_text(axis.levels[x][code]) for x, code in zip(at, codes, strict=True)]
            groups.append((", ".join(map(" = ".join, zip(columns, labels, strict=True))), group_of.ravel() == i))
    parts, records = [], []
    for _, own in groups:
        part = tables.assign({x: (a.dims, a.variable.data * own, a.attrs) for x, a in tables.data_vars.items() if str(x)[0] in PEOPLE})
        found = measure(part, **options)
        if isinstance(found, xr.DataArray):
            found = found.to_dataset(name=getattr(measure, "__name__", "value") if found.name in (None, "o", "s", "h") else found.name)
        if not isinstance(found, xr.Dataset):
            raise TypeError(f"`measure` must return a DataArray or a Dataset; got {type(found).__name__}.")
        names = {*found.variables, *found.dims}
        parts.append(found.rename(group=free_name("group", names)) if "group" in names else found)
        records.append(np.asarray(summed(part.get("o_records", part.o).variable.data, (-2, -1))).item())
    bare = {str(dim) for part in parts for dim in part.dims if dim not in part.indexes}  # of other sizes in other groups
    parts = [part.assign_coords({dim: range(part.sizes[dim]) for dim in bare & set(part.dims)}) for part in parts]
    index = pd.Index([text for text, _ in groups], name="group")
    try:
        none = {name: 0 for part in parts for name, x in part.data_vars.items() if x.dtype.kind in "iu"}
        joined = xr.concat(parts, index, join="outer", fill_value=none, combine_attrs="drop_conflicts").drop_vars(bare)
    except ValueError as error:  # labels that occur twice in one result cannot be found in another
        raise ValueError(
            f"The results of the groups are lists that cannot stand beside each other: {str(error).rstrip('.')}. Give a `measure` that "
            f"returns their length or average."
        ) from error
    own = {"records": ("group", records)} if "records" not in joined else {}
    weights = {name: x for name, x in joined.attrs.items() if name == "weights"}
    return Result({**own, **joined.data_vars}, joined.coords, {"result": "By group", **weights})
