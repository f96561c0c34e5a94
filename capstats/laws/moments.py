"""Mean and variance of the average CAP of a random release: what it would be on average, and how far chance takes it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import xarray as xr

from capstats.cap.neighbours import Unmatched, check_unmatched
from capstats.laws.cells import BY_CELL, cells_mean, cells_variance
from capstats.laws.dropped import SLACK, dropped_bounds, dropped_mean, dropped_variance
from capstats.laws.kept_keys import kept_mean, kept_variance
from capstats.laws.margins import margins_mean, margins_variance
from capstats.laws.models import Model, Synthesis, in_order_of
from capstats.tables.aligned import Aligned
from capstats.tables.printing import Result
from capstats.tables.table import Floats


def expected_cap(
    o: Any,
    m: int | None = None,
    *,
    model: Model,
    unmatched: Unmatched = "zero",
    alpha: float | None = None,
    s: Any = None,
    matrix: Any = None,
    theta: float | None = None,
    swapped: int | None = None,
) -> xr.DataArray:
    """Mean of average CAP over all releases that a model of synthesis can make of an original, exactly.

    It is what a release made in this way is to be held against: a release with a much greater average CAP was not
    made in this way, or has it by chance.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records, on the domain that the table shows: "uniform" and "dirichlet" reach cells without records too.
    m : int, optional
        Number of synthetic records, at least 1; for the first four models.
    model : str
        "uniform": every table of m records is equally likely. "bootstrap": m records drawn from the original, with replacement.
        "independent": the same, target and key apart. "dirichlet": the posterior predictive of the saturated model, with ``alpha``
        added to each cell. "permutation": the targets of the release ``s``, permuted. Keys kept: "partial", "pram" and "swap"; the targets
        of each key drawn anew with ``alpha``, changed by ``matrix`` or ``theta``, or permuted among ``swapped`` records.
    unmatched : {"zero", "drop"}
        Version 1 or 2 of the average. The mean of version 2 is over the releases in which it is defined.
    alpha : float, optional
        Weight added to each cell, at least 0; for "dirichlet" and "partial".
    s : array-like or DataArray, dims (target, key) and any others, optional
        The release whose margins are kept, for "permutation".
    matrix : array-like, shape (I, I), optional
        For "pram": row a has the probabilities of what target a becomes, in the order of the targets of `o`.
    theta : float, optional
        For "pram" instead of a matrix: the share of targets that are drawn anew from the margin of `o`.
    swapped : int, optional
        For "swap": the number of records among which targets are permuted.

    Returns
    -------
    DataArray, dims (...)
        From 0 to 1; larger is riskier. NaN where `o` has no record, or where no release has the average.

    Raises
    ------
    ValueError, TypeError
        If the options are not those of the model, `o` is not a table of counts (the cell is named), or version 2 would take too much work.

    See Also
    --------
    variance_cap, expected_cap_bounds, capstats.average_cap

    Notes
    -----
    See theory/expected-cap.md and, for version 2, theory/expected-cap-drop.md for the models that place records in cells;
    theory/permutation-moments.md for "permutation"; theory/partial-synthesis.md, theory/pram.md and theory/swap.md for those that keep the
    keys.

    References
    ----------
    Johnson, Kotz and Balakrishnan (1997), Discrete Multivariate Distributions, chapters 35 and 40, for the two urns.

    Examples
    --------
    Two records in two cells of one key. Drawn with replacement, they come from one cell, either one, or from both, with probability 1/2
    each; average CAP is 1/2 in each case:

    >>> float(expected_cap([[1], [1]], 2, model="bootstrap"))
    0.5

    Each record has a key of its own. A release of two records has both keys with probability 1/2, otherwise one of the two:

    >>> float(expected_cap([[1, 0], [0, 1]], 2, model="bootstrap"))
    0.75
    """
    check_unmatched(unmatched)
    synthesis = Synthesis.of(model, m=m, alpha=alpha, s=s, matrix=in_order_of(o, matrix), theta=theta, swapped=swapped)
    return _of_release(
        o, synthesis, unmatched, "expected_cap", (dropped_mean if unmatched == "drop" else cells_mean, margins_mean, kept_mean)
    )


def variance_cap(
    o: Any,
    m: int | None = None,
    *,
    model: Model,
    unmatched: Unmatched = "zero",
    alpha: float | None = None,
    s: Any = None,
    matrix: Any = None,
    theta: float | None = None,
    swapped: int | None = None,
) -> xr.DataArray:
    """Variance of average CAP over all releases that a model of synthesis can make of an original, exactly.

    Its root is how far the average CAP of one release is from `expected_cap` by chance alone.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records, on the domain that the table shows.
    m, model, unmatched, alpha, s, matrix, theta, swapped
        As in `expected_cap`.

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
    See theory/expected-cap.md and, for version 2, theory/expected-cap-drop.md for the models that place records in cells;
    theory/permutation-moments.md for "permutation"; theory/partial-synthesis.md, theory/pram.md and theory/swap.md for those that keep the
    keys. Pairs of keys are grouped by their weights, so that the cost grows with the square of the number of distinct weights, not of
    keys.

    References
    ----------
    Johnson, Kotz and Balakrishnan (1997), Discrete Multivariate Distributions, chapters 35 and 40, for the two urns.

    Examples
    --------
    Average CAP is 1 with both keys in the release and 1/2 otherwise, with probability 1/2 each:

    >>> float(variance_cap([[1, 0], [0, 1]], 2, model="bootstrap"))
    0.0625
    """
    check_unmatched(unmatched)
    synthesis = Synthesis.of(model, m=m, alpha=alpha, s=s, matrix=in_order_of(o, matrix), theta=theta, swapped=swapped)
    return _of_release(
        o,
        synthesis,
        unmatched,
        "variance_cap",
        (dropped_variance if unmatched == "drop" else cells_variance, margins_variance, kept_variance),
    )


def expected_cap_bounds(
    o: Any,
    m: int | None = None,
    *,
    model: Model,
    alpha: float | None = None,
    s: Any = None,
    matrix: Any = None,
    theta: float | None = None,
    swapped: int | None = None,
) -> xr.Dataset:
    """Proved bounds of the mean of average CAP, version 2, for tables of any size.

    The exact mean, `expected_cap` with ``unmatched="drop"``, can take too much work for large tables. The bounds take little, and are close
    where there are many keys.

    Parameters
    ----------
    o : array-like or DataArray, dims (target, key) and any others
        Counts of original records, on the domain that the table shows.
    m, model, alpha, s, matrix, theta, swapped
        As in `expected_cap`.

    Returns
    -------
    Dataset, dims (...)
        ``lower`` and ``upper``, from 0 to 1, which hold the mean of version 2 over the releases in which it is defined. Under "uniform",
        "permutation" and the models that keep the keys they are the exact mean, rounded down and up. NaN where `o` has no record, or
        where no release has the average.

    Raises
    ------
    ValueError, TypeError
        As in `expected_cap`.

    See Also
    --------
    expected_cap

    Notes
    -----
    See theory/expected-cap-drop.md. The width is the range of the shares for which an attribution is right at a key, times the squared
    coefficient of variation of the number of matched records.

    References
    ----------
    Cochran (1977), Sampling Techniques, 3rd edition, section 6.8, on the bias of a ratio, of which this is the exact form.

    Examples
    --------
    One synthetic record, drawn from two cells with one and three original records in keys of their own: it is right for all records that
    have its key, always. With two targets in the second key it is not:

    >>> found = expected_cap_bounds([[1, 0], [0, 3]], 1, model="bootstrap")
    >>> round(float(found.lower), 9), round(float(found.upper), 9)
    (1.0, 1.0)
    >>> found = expected_cap_bounds([[10, 20], [30, 20]], 8, model="bootstrap")
    >>> round(float(found.lower), 4), round(float(found.upper), 4)
    (0.5624, 0.5626)
    """
    synthesis = Synthesis.of(model, m=m, alpha=alpha, s=s, matrix=in_order_of(o, matrix), theta=theta, swapped=swapped)
    if model in BY_CELL:
        found = Aligned({"o": o}).map(lambda o: dropped_bounds(o, synthesis), "expected_cap", ("part",))
        lower, upper = found.isel(part=0), found.isel(part=1)
    else:
        mean = _of_release(o, synthesis, "drop", "expected_cap", (dropped_mean, margins_mean, kept_mean))
        lower, upper = mean * (1 - SLACK), (mean * (1 + SLACK)).clip(max=1)
    return Result({"lower": lower, "upper": upper}, attrs={"result": "Bounds of the expected average CAP of matched records"})


def _of_release(o: Any, synthesis: Synthesis, unmatched: Unmatched, name: str, formulas: Sequence[Callable[..., Floats]]) -> xr.DataArray:
    """The formula of the model: by cell, for given margins, or for kept keys, of which the two versions agree."""
    by_cell, by_margins, by_key = formulas
    if synthesis.model == "permutation":
        aligned = Aligned({"o": o, "s": synthesis.s})
        return aligned.map(lambda o, s: by_margins(o, s, dropped=unmatched == "drop"), name)
    formula = by_cell if synthesis.model in BY_CELL else by_key
    return Aligned({"o": o}).map(lambda o: formula(o, synthesis), name)
