"""Mean and variance of the average CAP of a random release."""

from __future__ import annotations

import xarray as xr

from capstats.cap.neighbours import Convention, Unmatched, check_convention, check_unmatched, key_columns
from capstats.laws.models.model import Model, checked_model, for_each_m
from capstats.tables.table import Counts


@for_each_m
def expected_cap(o: Counts, model: Model, *, unmatched: Convention = "zero") -> xr.DataArray:
    """Mean of average CAP over all releases that a model of synthesis can make of an original, exactly.

    It is what a release made in this way is to be held against: a release with a much greater average CAP was not
    made in this way, or has it by chance.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records, on the domain that the table shows: `Uniform` and `Dirichlet` reach cells without records too.
    model : Model
        How releases are made, with its parameters: `Uniform`, `Bootstrap`, `Independent`, `Dirichlet` or `Given`, which place m records in
        the cells of the table; `Permuted`, which permutes the targets of one release; or `Partial`, `Pram` or `Swap`, which keep the keys.
    unmatched : {"zero", "drop", "nearest"}
        Version 1 or 2 of the average, or the one in which unmatched keys use the nearest ones, for `Bootstrap` and `Given` alone. The mean
        of version 2 is over the releases in which it is defined.

    Returns
    -------
    DataArray, dims (...)
        From 0 to 1; larger is riskier. NaN where `o` has no record, or where no release has the average.

    Raises
    ------
    ValueError, TypeError
        If `model` is not a model, its parameters do not fit `o`, `o` is not a table of counts (the cell is named), or version 2 would
        take too much work.

    See Also
    --------
    variance_cap, capstats.average_cap

    Notes
    -----
    See theory/models.md#expected-cap, for version 2 theory/models.md#expected-cap-drop and for `Given` theory/models.md#generator;
    theory/perturbation.md#permutation-moments for `Permuted`; theory/perturbation.md#partial-synthesis, theory/perturbation.md#pram and
    theory/perturbation.md#swap for those that keep the keys.

    References
    ----------
    Johnson, Kotz and Balakrishnan (1997), Discrete Multivariate Distributions, chapters 35 and 40, for the two urns.

    Examples
    --------
    Two records in two cells of one key. Drawn with replacement, they come from one cell, either one, or from both, with probability 1/2
    each; average CAP is 1/2 in each case:

    >>> from capstats.laws import Bootstrap
    >>> float(expected_cap([[1], [1]], Bootstrap(2)))
    0.5

    Each record has a key of its own. A release of two records has both keys with probability 1/2, otherwise one of the two:

    >>> float(expected_cap([[1, 0], [0, 1]], Bootstrap(2)))
    0.75
    """
    check_convention(unmatched)
    aligned = (model := checked_model(model, o)).aligned(o)
    if unmatched == "nearest":
        codes = key_columns(aligned, '`unmatched` "nearest"')
        return aligned.map(lambda *tables: model.nearest(codes, *tables), "expected_cap")
    return aligned.map(lambda *tables: model.mean(*tables, unmatched=unmatched), "expected_cap")


@for_each_m
def variance_cap(o: Counts, model: Model, *, unmatched: Unmatched = "zero") -> xr.DataArray:
    """Variance of average CAP over all releases that a model of synthesis can make of an original, exactly.

    Its root is how far the average CAP of one release is from `expected_cap` by chance alone.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records, on the domain that the table shows.
    model
        As in `expected_cap`.
    unmatched : {"zero", "drop"}
        Version 1 or 2 of the average. With nearest keys it is that of draws, of `sample_tables`.

    Returns
    -------
    DataArray, dims (...)
        From 0 to 1/4. NaN where `o` has no record, or where no release has the average.

    Raises
    ------
    ValueError, TypeError
        As in `expected_cap`.

    See Also
    --------
    expected_cap

    Notes
    -----
    See theory/models.md#expected-cap, for version 2 theory/models.md#expected-cap-drop and for `Given` theory/models.md#generator;
    theory/perturbation.md#permutation-moments for `Permuted`; theory/perturbation.md#partial-synthesis, theory/perturbation.md#pram and
    theory/perturbation.md#swap for those that keep the keys. Pairs of keys are grouped by their weights: the cost grows with the square
    of the number of distinct weights under `Uniform` and `Dirichlet`, and with their number, beyond 4,096, under the others.

    References
    ----------
    Johnson, Kotz and Balakrishnan (1997), Discrete Multivariate Distributions, chapters 35 and 40, for the two urns.

    Examples
    --------
    Average CAP is 1 with both keys in the release and 1/2 otherwise, with probability 1/2 each:

    >>> from capstats.laws import Bootstrap
    >>> float(variance_cap([[1, 0], [0, 1]], Bootstrap(2)))
    0.0625
    """
    try:
        check_unmatched(unmatched)
    except ValueError as error:
        raise ValueError(f"{error} For nearest keys estimate it from the `average_cap` of draws of `sample_tables`.") from None
    model = checked_model(model, o)
    return model.aligned(o).map(lambda *tables: model.variance(*tables, unmatched=unmatched), "variance_cap")
