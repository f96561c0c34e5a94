"""Probabilities of cells under generators that draw one column after the other: Bayesian networks and sequences of classifiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from math import prod
from operator import mul
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from capstats.codes.labels import MISSING, canonicals
from capstats.tables.aligned import Aligned
from capstats.tables.axes import names_of
from capstats.tables.checking import CELLS
from capstats.tables.table import Array, Counts, Floats

MOST_CELLS = 2**27  # cells of an intermediate table
SLACK = 1e-9  # the tolerance for probabilities that sum to 1


@dataclass(frozen=True)
class Step:
    """How one column is drawn: its levels, with probabilities that depend on its parents, columns that are drawn before."""

    column: str
    by: Any  # a Series of probabilities, or a fitted classifier

    def __post_init__(self) -> None:
        if isinstance(self.by, pd.Series):
            if self.column not in map(str, self.by.index.names):
                raise ValueError(f"The index of the probabilities of {self.column!r} must have this name, beside those of its parents.")
        elif not all(hasattr(self.by, name) for name in ("predict_proba", "classes_", "feature_names_in_")):
            raise TypeError(
                f"{self.column!r} must be drawn by a Series of probabilities, or by a classifier that was fitted to named columns and "
                f"has `predict_proba`; got {type(self.by).__name__}."
            )

    @cached_property
    def parents(self) -> list[str]:
        """The columns that the step depends on."""
        names = list(self.by.index.names) if isinstance(self.by, pd.Series) else list(self.by.feature_names_in_)
        return [str(name) for name in names if name != self.column]

    @cached_property
    def _at(self) -> list[tuple[Array, pd.Index]]:
        """For a Series: the indices of its entries in the levels of each parent and of the column, and these levels."""
        index = [self.by.index.get_level_values(name) for name in [*self.parents, self.column]]
        return [pd.factorize(as_labels(labels), use_na_sentinel=False) for labels in index]

    @cached_property
    def table(self) -> Floats:
        """For a Series: its probabilities by parents and level; 0 for a combination that it lacks."""
        sizes = [len(levels) for _, levels in self._at]
        check_size(prod(sizes), self.column)
        found = np.zeros(sizes)
        found[tuple(codes for codes, _ in self._at)] = self.by.to_numpy(np.float64)
        sums = found.sum(-1)
        if not (found >= 0).all() or not ((abs(sums - 1) < SLACK) | (sums == 0)).all():
            raise ValueError(f"The probabilities of {self.column!r} must be at least 0 and sum to 1 for each combination of its parents.")
        return found

    @cached_property
    def levels(self) -> pd.Index:
        """The levels that can be drawn."""
        return self._at[-1][1] if isinstance(self.by, pd.Series) else as_labels(self.by.classes_)

    def probabilities(self, parents: pd.DataFrame) -> Floats:
        """The probability of each level for each row of parents; 0 for rows that a Series lacks."""
        if isinstance(self.by, pd.Series):
            at = [levels.get_indexer(pd.Index(parents[name])) for name, (_, levels) in zip(self.parents, self._at, strict=False)]
            known = np.logical_and.reduce([codes >= 0 for codes in at], axis=0) if at else np.ones(len(parents), bool)
            return np.asarray(self.table[tuple(at)] * known[:, None], np.float64)
        group = parents.groupby(self.parents, sort=False, dropna=False).ngroup().to_numpy()
        first = np.unique(group, return_index=True)[1]
        rows = parents.iloc[first].map(lambda label: None if label is MISSING else label).infer_objects()
        return np.asarray(self.by.predict_proba(rows), np.float64)[group]


def as_labels(labels: Iterable[Any]) -> pd.Index:
    """Labels in the form in which tables hold them."""
    return pd.Index(canonicals(labels), dtype=object, tupleize_cols=False)


def cell_probabilities(o: Counts, steps: Sequence[Step]) -> dict[str, xr.DataArray]:
    """The probability of each cell of `o`, and of each key with all its targets; other columns are summed out, one after the other."""
    own = labels_of_cells(o)
    needed = {str(column) for frame in own.values() for column in frame}
    lacking = needed - {step.column for step in steps}
    if lacking:
        raise ValueError(f"The generator does not draw the column {min(lacking)!r} of `o`. Give the columns of `o` that it draws.")
    steps = _needed(steps, needed)
    for place, step in enumerate(steps):
        late = set(step.parents) - {before.column for before in steps[:place]}
        if late:
            raise ValueError(
                f"{step.column!r} depends on {min(late)!r}, which is not drawn before it. Give columns in the order of drawing."
            )
    _check_complete(steps)
    columns = {step.column: step.levels for step in steps}
    for frame in own.values():
        for column in map(str, frame):
            if not frame[column].isin(columns[column]).any():
                raise ValueError(f"No label of the column {column!r} of `o` is one that the generator draws. Give both the same labels.")
    factors: dict[tuple[str, ...], xr.Variable] = {}
    p = _product(steps, _places(own, columns), factors).transpose(*CELLS)
    weight = _product(_needed(steps, map(str, own["key"])), _places({"key": own["key"]}, columns), factors)
    aligned = Aligned({"o": o})
    return {"p": aligned.wrap(p.values, "p", CELLS), "key_weights": aligned.wrap(weight.values, "key_weights", ("key",))}


def _needed(steps: Sequence[Step], columns: Iterable[str]) -> list[Step]:
    """The steps that some columns depend on; the probabilities of later steps sum to 1."""
    needed, found = set(columns), []
    for step in reversed(steps):
        if step.column in needed:
            found.append(step)
            needed |= set(step.parents)
    return found[::-1]


def labels_of_cells(o: Counts) -> dict[str, pd.DataFrame]:
    """The labels of the targets and of the keys, a column each; raise where there are none, or the cells are too many."""
    found = {}
    for dim, axis in Aligned({"o": o}).axes.items():
        if axis is None:
            raise ValueError(f"`o` must have labels, by which the generator knows its cells; its {dim}s have none. Tabulate the records.")
        found[dim] = pd.DataFrame({name: as_labels(axis.get_level_values(name)) for name in names_of(axis)}, dtype=object)
    check_size(prod(map(len, found.values())), "the cells of `o`")
    return found


def _places(own: Mapping[str, pd.DataFrame], columns: Mapping[str, pd.Index]) -> dict[str, pd.DataFrame]:
    """The labels of each dim of the factors: the given ones, and a dim for each other column."""
    held = {str(column) for frame in own.values() for column in frame}
    others = {column: levels for column, levels in columns.items() if column not in held}
    return {**own, **{f"column {column}": pd.DataFrame({column: levels}, dtype=object) for column, levels in others.items()}}


def _product(steps: Sequence[Step], places: Mapping[str, pd.DataFrame], known: dict[tuple[str, ...], xr.Variable]) -> xr.Variable:
    """The product of all conditional probabilities, summed over the dims of single columns; known factors are reused."""
    dim_of = {str(column): dim for dim, frame in places.items() for column in frame}
    factors = []
    for step in steps:
        name = (step.column, *(dim_of[column] for column in (step.column, *step.parents)))
        if name not in known:
            known[name] = _factor(step, places, dim_of)
        factors.append(known[name])
    left = {dim for dim in places if dim not in CELLS and any(dim in factor.dims for factor in factors)}
    while left:
        beside = {dim: {str(other) for factor in factors if dim in factor.dims for other in factor.dims} for dim in sorted(left)}
        sizes = {dim: prod(len(places[other]) for other in others) for dim, others in beside.items()}
        dim = min(sizes, key=lambda dim: sizes[dim])  # whose removal gives the smallest table
        check_size(sizes[dim], dim)
        together = [factor for factor in factors if dim in factor.dims]
        factors = [factor for factor in factors if dim not in factor.dims] + [xr.dot(*together, dim=dim)]
        left.remove(dim)
    return reduce(mul, factors)


def _factor(step: Step, places: Mapping[str, pd.DataFrame], dim_of: Mapping[str, str]) -> xr.Variable:
    """The probability of the level of a column given its parents, where each of them is found along its dim."""
    dims = list(dict.fromkeys(dim_of[parent] for parent in step.parents))
    sizes = [len(places[dim]) for dim in dims]
    check_size(prod(sizes) * len(step.levels), step.column)
    at = dict(zip(dims, np.indices(sizes).reshape(len(dims), prod(sizes)), strict=True))
    parents = pd.DataFrame({p: places[dim_of[p]][p].take(at[dim_of[p]]).array for p in step.parents}, index=range(prod(sizes)))
    table = xr.Variable([*dims, "level"], step.probabilities(parents).reshape(*sizes, -1))
    own = dim_of[step.column]
    level = xr.Variable(own, step.levels.get_indexer(pd.Index(places[own][step.column])))
    along = {own: xr.Variable(own, np.arange(len(level)))} if own in dims else {}
    return table.isel({"level": level, **along}) * (level >= 0)


def _check_complete(steps: Sequence[Step]) -> None:
    """Raise where a table of conditional probabilities lacks a combination of parents that is drawn."""
    levels = {step.column: step.levels for step in steps}
    for step in steps:
        complete = [len(levels[parent]) for parent in step.parents]
        if isinstance(step.by, pd.Series) and (step.table.shape[:-1] != tuple(complete) or not step.table.any(-1).all()):
            total = float(_product(steps, _places({}, levels), {}))
            if total < 1 - SLACK:
                raise ValueError(
                    f"Conditional probabilities are lacking for combinations of parents that are drawn with the probability "
                    f"{1 - total:.3g}, as of {step.column!r}. Say what is drawn there."
                )
            return


def check_size(size: int, column: str) -> None:
    """Raise where an intermediate table would be too large."""
    if size > MOST_CELLS:
        raise ValueError(
            f"The probabilities would take a table of {size:.1e} cells, at {column!r}; the limit is {MOST_CELLS:.1e}. Leave out columns, "
            "or draw releases and average their `average_cap`."
        )


def described(o: Counts, description: Mapping[str, Any]) -> list[Step]:
    """The steps of a description by DataSynthesizer, in its mode of correlated attributes; only categorical attributes have labels."""
    needed = ("attribute_description", "bayesian_network", "conditional_probabilities")
    if not isinstance(description, Mapping) or not all(name in description for name in needed):
        raise ValueError(
            f"`description` must be what DataSynthesizer describes in its mode of correlated attributes, read from JSON, with "
            f"{', '.join(map(repr, needed))}. Columns that are drawn by themselves are those of `from_conditionals`."
        )
    about, tables = description["attribute_description"], description["conditional_probabilities"]
    for column in (str(name) for frame in labels_of_cells(o).values() for name in frame):
        if column in about and not about[column]["is_categorical"]:
            raise ValueError(
                f"DataSynthesizer describes {column!r} as numbers, and draws them anywhere in intervals, which are not the cells of `o`. "
                "Cut the column before it is described, and name it in `attribute_to_is_categorical`; or draw releases and average their "
                "`average_cap`."
            )

    def labels(column: str) -> list[Any]:
        """The labels of the levels 0, 1, ... of an attribute; levels of numbers are intervals and have no label."""
        bins = about[column]["distribution_bins"]
        return [*bins, None] if about[column]["is_categorical"] else [f"interval {place}" for place in range(len(bins) + 1)]

    network = description["bayesian_network"]
    root = network[0][1][0]
    found = []
    for child, parents in [(root, []), *network]:
        rows, size = [tables[root]], len(labels(child))
        if parents:
            otherwise = about[child]["distribution_probabilities"]
            of_parents = product(*(range(len(labels(parent))) for parent in parents))
            rows = [tables[child].get(str(list(at)), otherwise) for at in of_parents]
        shares = [share for row in rows for share in [*row, *[0.0] * (size - len(row))]]  # levels at the end may be omitted
        names = [*parents, child]
        found.append(Step(child, pd.Series(shares, pd.MultiIndex.from_product(list(map(labels, names)), names=names))))
    return found
