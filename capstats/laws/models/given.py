"""A generator whose probabilities are known: every record of a release falls into a cell by itself."""

# ruff: noqa: D102 -- methods are documented at `Model`
from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import ArrayLike

from capstats.codes.checks import shown
from capstats.codes.column import Ints
from capstats.laws.models.cell_moments import ROUNDING, Cells, nearest_mean
from capstats.laws.models.cell_urns import CellUrn
from capstats.laws.models.conditionals import SLACK, Step, cell_probabilities, described, labels_of_cells
from capstats.tables.aligned import Aligned
from capstats.tables.checking import CELLS
from capstats.tables.sums import ratio
from capstats.tables.table import Array, Counts, Floats, Table


@dataclass(frozen=True, repr=False, eq=False)
class Given(CellUrn):
    """A generator by its probabilities: each of m independent records has target i and key j with probability ``p[i, j]``.

    Its mean and variance are those over all releases that the generator can make, without making one. It is no model of a program whose
    records depend on each other: one that rejects or repeats draws, adjusts margins, or fits its parameters anew for each release. Where
    parameters are drawn for each release, give `p` a dim for these draws: the mean of a release is the mean of the means, its variance the
    mean of the variances plus the variance of the means.

    Parameters
    ----------
    m : int, optional
        Number of synthetic records, at least 1. Without it, the limit of large releases, which only `cap_law` knows.
    p : array-like or DataArray, dims (target, key) and any others
        Probabilities. With labels they go to the cells of `o` with these labels, without labels by position. They may sum to less than 1:
        the other records have keys that `p` does not show.
    key_weights : array-like or DataArray, dims (key,) and any others, optional
        Probability of each key, with all targets. By default the sum of `p`, which is right where `p` has every target that the generator
        gives.

    Raises
    ------
    ValueError
        If `m` is no number of records; with an `o`, if probabilities are negative, sum to more than 1 or do not fit its cells, or
        a key weighs less than its cells.

    See Also
    --------
    Bootstrap : the case p = o / n.
    capstats.audit : ``generator`` says where a release is among others of its generator; one that gives no probabilities is sampled.

    Notes
    -----
    See theory/models.md#generator.

    References
    ----------
    Johnson, Kotz and Balakrishnan (1997), Discrete Multivariate Distributions, chapter 35, for multinomial tables.

    Examples
    --------
    A generator that has learned the shares of two keys, and half of what the first says about the target:

    >>> from capstats.laws import Given, expected_cap, variance_cap
    >>> o = [[30, 10], [10, 50]]
    >>> generator = Given(100, p=[[0.25, 0.1], [0.15, 0.5]])
    >>> round(float(expected_cap(o, generator)), 4), round(float(variance_cap(o, generator)), 6)
    (0.6583, 0.000611)

    Two keys, two even targets, two records: each key is matched with probability 3/4, and a guess is then right with probability 1/2:

    >>> float(expected_cap([[1, 0], [0, 1]], Given(2, p=[[0.25, 0.25], [0.25, 0.25]])))
    0.375
    """

    _: KW_ONLY
    p: ArrayLike | xr.DataArray
    key_weights: ArrayLike | xr.DataArray | None = None

    @classmethod
    def from_conditionals(cls, o: Counts, m: int | None = None, *, columns: Mapping[str, Any]) -> Self:
        """The generator that draws one column after the other: a Bayesian network, or a sequence of classification trees.

        Parameters
        ----------
        o : DataArray, dims (target, key)
            The original, with labels: the cells of which probabilities are wanted.
        m : int, optional
            Number of synthetic records, as in `Given`.
        columns : mapping
            For each column, in the order of drawing: a pandas Series of probabilities, whose index has the column and those that it
            depends on, by name, as ``groupby(parents)[column].value_counts(normalize=True)`` gives it; or a fitted classifier with
            ``predict_proba``, ``classes_`` and ``feature_names_in_``, such as a tree of scikit-learn. Columns that `o` lacks are
            summed out.

        Returns
        -------
        Given
            With `p` in the cells of `o`, and with key weights over all targets that the generator draws.

        Raises
        ------
        ValueError, TypeError
            If `o` has no labels, a column of it is not drawn or has other labels, what draws a column is neither of the two or names no
            columns, columns are not in the order of drawing, probabilities do not sum to 1 or lack a combination that is drawn, or summing
            out would take a table of more than 2**27 cells.

        Notes
        -----
        See theory/models.md#generator. A tree that draws from the records in its leaf draws by the shares in this leaf, ``predict_proba``.

        References
        ----------
        Nowok, Raab and Dibben (2016), https://doi.org/10.18637/jss.v074.i11, for synthesis column by column.
        Zhang et al. (2017), PrivBayes, https://doi.org/10.1145/3134428, for synthesis by Bayesian networks.
        Zhang and Poole (1996), https://doi.org/10.1613/jair.305, for the elimination of variables.

        Examples
        --------
        >>> import capstats
        >>> from capstats.laws import Given, expected_cap
        >>> voters = capstats.datasets.anes96()
        >>> o = capstats.tabulate(voters, voters, keys=["PID", "educ"], target="vote").o
        >>> party = voters.groupby("educ", observed=True)["PID"].value_counts(normalize=True)
        >>> vote = voters.groupby("PID", observed=True)["vote"].value_counts(normalize=True)
        >>> network = {"educ": voters["educ"].value_counts(normalize=True), "PID": party, "vote": vote}
        >>> round(float(expected_cap(o, Given.from_conditionals(o, len(voters), columns=network))), 6)
        0.840602
        """
        if not isinstance(columns, Mapping):
            raise TypeError(f"`columns` must be a mapping of each column to what draws it; got {shown(columns)}.")
        return cls(m, **cell_probabilities(o, [Step(str(column), by) for column, by in columns.items()]))

    @classmethod
    def from_datasynthesizer(cls, o: Counts, m: int | None = None, *, description: Mapping[str, Any]) -> Self:
        """The generator that DataSynthesizer describes, in its mode of correlated attributes.

        Parameters
        ----------
        o, m
            As in `from_conditionals`.
        description : mapping
            What it writes as JSON, with ``bayesian_network``, ``conditional_probabilities`` and ``attribute_description``. The columns
            of `o` must be categorical there; numbers are drawn anywhere in its intervals.

        Returns
        -------
        Given
            As of `from_conditionals`.

        Raises
        ------
        ValueError
            As in `from_conditionals`; if it is of another mode, or a column of `o` is described as numbers.

        Notes
        -----
        For a combination of parents that the description lacks, a value is drawn from ``distribution_probabilities`` of its attribute, as
        later versions of DataSynthesizer do; earlier ones left such records out.

        References
        ----------
        Ping, Stoyanovich and Howe (2017), https://doi.org/10.1145/3085504.3091117.
        """
        return cls(m, **cell_probabilities(o, described(o, description)))

    @classmethod
    def from_function(cls, o: Counts, m: int | None = None, *, probabilities: Callable[[pd.DataFrame], ArrayLike]) -> Self:
        """The generator whose probabilities a function gives: of a copula, a network with weights, or any other with a density.

        Parameters
        ----------
        o, m
            As in `from_conditionals`; `o` must show every target that the generator draws.
        probabilities : callable
            Takes a data frame of cells, with the columns of the target and of the key, and returns the probability of each row.

        Returns
        -------
        Given
            With `p` in all cells of `o`.

        Raises
        ------
        ValueError
            If `o` has no labels, or there is not one probability for each cell.

        Examples
        --------
        >>> from capstats import from_counts
        >>> from capstats.laws import Given, expected_cap
        >>> tables = from_counts([[3, 1], [1, 3]], key_labels={"sex": ["f", "m"]}, target_labels={"sick": ["no", "yes"]})
        >>> even = Given.from_function(tables.o, 8, probabilities=lambda cells: [1 / 4] * len(cells))
        >>> round(float(expected_cap(tables.o, even)), 4)  # (1 - (1/2)^8) / 2
        0.498
        """
        own = labels_of_cells(o)
        frame = own["target"].merge(own["key"], how="cross").infer_objects()
        found = np.asarray(probabilities(frame), np.float64)
        if found.shape != (len(frame),):
            raise ValueError(f"`probabilities` must return one number for each of {len(frame)} cells; it returned the shape {found.shape}.")
        return cls(m, p=Aligned({"o": o}).wrap(found.reshape(len(own["target"]), -1), "p", CELLS))

    def aligned(self, o: Counts) -> Aligned:
        by_key = {} if self.key_weights is None else {"key_weights": self.key_weights}
        return Aligned({"o": o, "p": self.p}, by_key, inexact=("p",))

    def arrays(self, aligned: Aligned) -> list[Array]:
        """The original and the probabilities, which sum to 1 with an additional target and key for all others."""
        o, p = super().arrays(aligned)
        weight = aligned.map(lambda _, p, *w: self._weight(p, *w), "key_weights", ("key",)).values
        others = np.maximum(weight - p.sum(-2), 0)
        outside = np.maximum(1 - weight.sum(-1), 0)
        more = (int((others.sum(-1) > ROUNDING).any()), int((outside > ROUNDING).any()))
        o, p = (np.pad(table, [(0, 0)] * len(aligned.shape) + [(0, size) for size in more]) for table in (o, p))
        if more[0]:
            p[..., -1, : others.shape[-1]] = others
        if more[1]:
            p[..., 0, -1] = outside
        return [o, p]

    def cells(self, o: Table, *given: Any) -> Cells:
        p, *w = given
        weight = self._weight(p, *w)
        shares, others = ratio(p.values, o.on_cells(weight), 0.0), ratio(np.maximum(weight - p.key_total, 0), weight, 0.0)
        found = Cells.of(o, self.urn, weight, shares, others)
        outside = 1 - weight.sum(-1, keepdims=True)
        outside = np.broadcast_to(np.where(outside > ROUNDING, outside, 0.0), (*found.mean.shape[:-1], 1))
        return replace(found, records=np.broadcast_to(weight, found.mean.shape), outside=outside)

    def _weight(self, p: Table, key_weights: Array | None = None) -> Floats:
        """The weight of each key, checked."""
        of_targets = p.key_total
        weight = of_targets if key_weights is None else np.maximum(key_weights, of_targets)
        if key_weights is not None and (of_targets > key_weights * (1 + SLACK)).any():
            raise ValueError("`key_weights` must be at least the sum of `p` over targets; it is less for a key. Add all targets up.")
        if (weight.sum(-1) > 1 + SLACK).any():
            what = "p" if key_weights is None else "key_weights"
            raise ValueError(f"`{what}` must sum to at most 1; it sums to {weight.sum(-1).max():.12g}. Give probabilities, not counts.")
        return np.asarray(weight, np.float64)

    def limit(self, o: Table, *given: Any) -> Floats:
        """The limit of average CAP for large releases, which contain every key of the generator."""
        cells = self.cells(o, *given)
        return ratio((cells.mean * (cells.weight() > 0)).sum(-1), o.total, np.nan)

    def nearest(self, codes: list[Ints], o: Table, *given: Any) -> Floats:
        p, *w = given
        weight = self._weight(p, *w)
        if (weight.sum(-1) < 1 - SLACK).any():
            raise ValueError(
                '`unmatched="nearest"` needs all keys that the generator can give, as one of them may be the nearest; '
                f"those of `p` have the probability {weight.sum(-1).min():.12g}. Give `p` on all keys, such as those of `full_domain`."
            )
        return nearest_mean(o, p, weight, codes, self.urn)
