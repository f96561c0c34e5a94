"""What differential privacy promises about CAP: the sharp bound, the mechanism that attains it, and the epsilon for a wanted bound."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import xarray as xr

from capstats.cap.neighbours import Convention, check_convention
from capstats.codes.checks import check_choice
from capstats.tables.aligned import Aligned
from capstats.tables.axes import index_of
from capstats.tables.checking import as_counts, shown
from capstats.tables.printing import Result
from capstats.tables.table import Floats
from capstats.tables.ties import at_most

Adjacency = Literal["substitution", "add-remove"]

HALVINGS = 110  # of the interval for epsilon, enough for the digits of small ones


def dp_bound(prior: Any, epsilon: Any, *, unmatched: Convention = "zero", adjacency: Adjacency = "substitution") -> xr.Dataset:
    """Greatest expected CAP of one record that any epsilon-differentially private release allows, where all other records are known.

    Who must guess a person's target without the release names the likeliest one and is right with probability p_(1). A private release
    can help only so much: this is the most that the guess from it can be right, if the prior holds all that the other records tell.

    It is no bound of average CAP, which also counts what a release says about groups, and may be near 1 for every epsilon.

    Parameters
    ----------
    prior : array-like or DataArray, dim (target,) and any others; or a table of counts, dims (target, key)
        What is known of the record's target before the release, also from all other records: probabilities that add up to 1, or counts of
        which the shares of the targets are taken.
    epsilon : float or array-like
        Privacy parameter, at least 0; inf is no privacy. A sequence gives the dim "epsilon".
    unmatched : {"zero", "drop", "nearest"}
        What the record counts where its key is not in the release: 0, nothing (the bound is for its expected CAP given that it is
        matched), or what the nearest keys have. "zero" and "nearest" have the same bound.
    adjacency : {"substitution", "add-remove"}
        What epsilon is about: a change of one record's target, its key unchanged, which a claim about the substitution of a whole record
        covers; or one record added or removed. A change is two such steps, but the bound is smaller than with 2 * epsilon.

    Returns
    -------
    Dataset, dims (..., epsilon)
        ``bound``, of the expected CAP of one record, from the modal guess to 1; ``guess``, the modal guess p_(1), which is the bound at
        epsilon 0; ``gain``, their difference, with its own digits where it is small;
        and ``targets``, the number of likeliest targets among which the attaining mechanism answers (see `dp_mechanism`). NaN, and 0
        targets, where a table of counts has no record.

    Raises
    ------
    ValueError, TypeError
        If the prior is negative or does not add up to 1, `epsilon` is negative or no number, `adjacency` is another word, or a table is
        not one of counts.

    See Also
    --------
    dp_epsilon : the epsilon for a wanted bound.
    dp_mechanism : the mechanism that attains the bound.
    dp_average_bound : what epsilon promises about average CAP.
    dp_audit : refutes a claimed epsilon.
    noisy_counts : releases whose average CAP shows what an epsilon leaves on a table.

    Notes
    -----
    See theory/guarantees.md#dp-bound, also for a table with bound 0.5025 and average CAP 0.919. With P_s the sum of the s largest p, the
    bound is the largest e^eps P_s / (e^eps + s - 1) over s = 1..I; for "drop" it is p_(1) e^eps / (1 - p_(1) + p_(1) e^eps). The target of
    the record has the prior given all that the intruder knows, which may be all other records.

    Where records are added or removed, see theory/guarantees.md#dp-bound-records: the s-th likeliest target, s > 1, adds
    (p_(s) - e^(-2 eps) p_(1)) / (1 + e^-eps) to p_(1) where that is positive, for at most e^eps targets; "drop" has the bound of 2 eps.

    References
    ----------
    Dwork, McSherry, Nissim and Smith (2006), https://doi.org/10.1007/11681878_14.
    Ghazi, Golowich, Kumar, Manurangsi and Zhang (2021), https://doi.org/10.48550/arXiv.2102.06062 (the bound of "substitution").
    Alvim, Andres, Chatzikokolakis, Degano and Palamidessi (2011), https://doi.org/10.1007/978-3-642-29420-4_3, for a uniform prior.

    Examples
    --------
    Two targets, equally likely, and odds of at most 3 to 1: no guess is right with more than 3/4.

    >>> import numpy as np
    >>> found = dp_bound([0.5, 0.5], np.log(3))
    >>> round(float(found.bound), 4), float(found.guess), int(found.targets)
    (0.75, 0.5, 2)

    With a likely target this epsilon is worth nothing beyond the guess that needs no release:

    >>> round(float(dp_bound([0.8, 0.2], np.log(3)).gain), 4)
    0.0

    Where the claim is about records added or removed, the intruder may be right with 5/6; with 2 epsilon it would be 9/10:

    >>> round(float(dp_bound([0.5, 0.5], np.log(3), adjacency="add-remove").bound), 4)
    0.8333
    """
    check_convention(unmatched)
    check_choice(adjacency, "adjacency", get_args(Adjacency))
    p, epsilon = _sorted(_prior(prior)), epsilons(epsilon)
    guess = p.isel(target=0, drop=True)
    steps = 2 if adjacency == "add-remove" and unmatched == "drop" else 1
    odds, lost = np.exp(-steps * epsilon), -np.expm1(-steps * epsilon)
    if unmatched == "drop":
        whole = guess + (1 - guess) * odds
        bound, gain = guess / whole, guess * (1 - guess) * lost / whole
        targets = bound.notnull().astype(np.int64)
    elif adjacency == "add-remove":
        gain, missed, targets = xr.apply_ufunc(_added, p, epsilon, input_core_dims=[["target"], []], output_core_dims=[[], [], []])
        gain, targets = gain.where(guess.notnull()), (targets * guess.notnull()).astype(np.int64)
        bound = (1 - missed).where(missed < 0.5, guess + gain)
    else:
        s = xr.DataArray(np.arange(1, p.sizes["target"] + 1), dims="target")
        values = p.cumsum("target", skipna=False) / (1 + (s - 1) * odds)
        gains = ((p - guess).cumsum("target", skipna=False) + (s - 1) * guess * lost) / (1 + (s - 1) * odds)
        bound, gain = values.max("target", skipna=False), gains.max("target", skipna=False)
        targets = (1 + at_most(bound, values).argmax("target")) * bound.notnull()
    found = {"bound": bound, "guess": guess, "gain": gain, "targets": targets}
    heading = "Expected CAP of one record, all others known, under differential privacy"
    return Result(found, attrs={"result": heading, "unmatched": unmatched, "adjacency": adjacency})


def dp_epsilon(prior: Any, risk: Any, *, unmatched: Convention = "zero", adjacency: Adjacency = "substitution") -> xr.DataArray:
    """Greatest epsilon whose bound on the expected CAP of one record is at most a wanted risk, where all other records are known.

    The way back from `dp_bound`: how much privacy must be asked for, so that what a person's own record adds makes no guess right with
    more than this probability. It keeps no average CAP below it.

    Parameters
    ----------
    prior : array-like or DataArray, dim (target,) and any others; or a table of counts, dims (target, key)
        As in `dp_bound`.
    risk : float or array-like
        Wanted bound, from 0 to 1; a sequence gives the dim "risk".
    unmatched, adjacency
        As in `dp_bound`.

    Returns
    -------
    DataArray, dims (..., risk)
        Epsilon, from 0; inf where no release can exceed the risk. NaN where the risk is below the
        modal guess, which no mechanism can prevent, and where a table of counts has no record.

    Raises
    ------
    ValueError, TypeError
        If the prior is negative or does not add up to 1, `risk` is not from 0 to 1, `adjacency` is another word, or a table is not one of
        counts.

    See Also
    --------
    dp_bound

    Notes
    -----
    See theory/guarantees.md#dp-bound: e^eps P_s / (e^eps + s - 1) is at most r if and only if P_s <= r or eps <= ln(r (s - 1) / (P_s - r)).
    Where records are added or removed (theory/guarantees.md#dp-bound-records), it is found by bisection.

    References
    ----------
    Dwork, McSherry, Nissim and Smith (2006), https://doi.org/10.1007/11681878_14.
    Ghazi, Golowich, Kumar, Manurangsi and Zhang (2021), https://doi.org/10.48550/arXiv.2102.06062 (the bound).

    Examples
    --------
    >>> import numpy as np
    >>> round(float(np.exp(dp_epsilon([0.5, 0.5], 0.75))), 4)
    3.0
    """
    check_convention(unmatched)
    check_choice(adjacency, "adjacency", get_args(Adjacency))
    p, wanted = _sorted(_prior(prior)), numbers(risk, "risk", 1.0)
    least = p.isel(target=0, drop=True)
    if adjacency == "add-remove" and unmatched != "drop":
        limit: xr.DataArray = xr.apply_ufunc(_greatest, p, wanted, input_core_dims=[["target"], []])
    else:
        if unmatched == "drop":
            excess, whole = wanted - least, least * (1 - wanted)
        else:
            rest = p.isel(target=slice(None, None, -1)).cumsum("target", skipna=False).isel(target=slice(None, None, -1))
            whole = 1 - wanted - rest.shift(target=-1, fill_value=0)  # P_s - r, without cancellation where r is near 1
            excess = (wanted - p).cumsum("target", skipna=False)  # r (s - 1) - (P_s - r)
        bounded = at_most(whole, 0, rtol=1e-14, scale=1)
        limits: xr.DataArray = xr.apply_ufunc(np.log1p, (excess / whole.where(~bounded)).clip(min=0)).where(~bounded, np.inf)
        limit = limits.min("target", skipna=False) if "target" in limits.dims else limits
        limit = limit / (2 if adjacency == "add-remove" else 1)
    return limit.where(at_most(least, wanted)).transpose(..., "risk", missing_dims="ignore").rename("dp_epsilon")


def dp_mechanism(
    prior: Any,
    epsilon: Any,
    *,
    unmatched: Convention = "zero",
    adjacency: Adjacency = "substitution",
    counts: Literal["public"] | None = None,
) -> xr.DataArray:
    """Probabilities with which the mechanism that attains `dp_bound` releases each target of a record.

    Randomised response among the likeliest targets: it tells the true one with the largest probability that epsilon allows, and any other
    of them otherwise. It is private if the prior was fixed without the records that it protects: the prior decides which answers are
    possible, so that a prior computed from these records tells of them.

    Parameters
    ----------
    prior : array-like or DataArray, dim (target,) and any others; or a table of counts, dims (target, key)
        Probabilities that are public, such as equal ones or those of an older publication; or counts that are.
    epsilon : float or array-like
        As in `dp_bound`.
    unmatched, adjacency
        As in `dp_bound`.
    counts : {"public"}, optional
        For a table of counts: the declaration that they are public, or of other people than those whose records are to be released.

    Returns
    -------
    DataArray, dims (..., target, released)
        Probability that a record with a target is released with another, or the same, as its only record. With "zero" and "nearest" rows
        add up to 1, and the s likeliest targets alone are released; with "drop" only the likeliest is, and what is missing to 1 is the
        probability that the record is not released. NaN where a table of counts has no record. Where records are added or removed, the
        coordinate ``without`` holds the probabilities of a program that has no record of this key, or more than one: with it, the program
        is private on all data sets.

    Raises
    ------
    ValueError, TypeError
        If the prior is a table of counts that are not declared public, is negative or does not add up to 1, `epsilon` is negative or no
        number, `adjacency` is another word, or a table is not one of counts.

    See Also
    --------
    dp_bound
    noisy_counts : private for counts that are not public.
    expected_cap : with ``Pram(matrix=...)`` of this matrix, what it does to all records of a table, each by itself. That keeps an epsilon
        for changes of targets; a program that releases the number of records that it reads keeps none for added or removed ones.

    Notes
    -----
    See theory/guarantees.md#dp-bound. Targets that are never released are answered as if any of the others were true, with equal
    probability. From the margins (1087, 400) at epsilon 1 target 2 is released with probability 0.731 where it is true, from (1088, 399)
    never. With "add-remove" see theory/guarantees.md#dp-bound-records.

    References
    ----------
    Warner (1965), https://doi.org/10.1080/01621459.1965.10480775 (randomised response).
    Ghazi, Golowich, Kumar, Manurangsi and Zhang (2021), https://doi.org/10.48550/arXiv.2102.06062 (among the likeliest targets).

    Examples
    --------
    >>> import numpy as np
    >>> dp_mechanism([0.5, 0.4, 0.1], np.log(3)).values.round(4).tolist()
    [[0.75, 0.25, 0.0], [0.25, 0.75, 0.0], [0.5, 0.5, 0.0]]

    With the record its target is released at most 3 times as often as without it, and the other one at least a third as often:

    >>> found = dp_mechanism([0.5, 0.5], np.log(3), adjacency="add-remove")
    >>> found.values.round(4).tolist(), found.without.values.round(4).tolist()
    ([[0.9167, 0.0833], [0.25, 0.75]], [0.75, 0.25])
    """
    if counts is not None:
        check_choice(counts, "counts", ("public",), ", or left out")
    if counts is None and _is_table(prior):
        raise ValueError(
            "`prior` is a table of counts. If the mechanism releases the records that were counted, it is not private: the counts decide "
            'which answers are possible. Give probabilities that were fixed without these records, or counts="public" if the counts are '
            "public, such as those of an older publication."
        )
    p, epsilon = _prior(prior), epsilons(epsilon)
    odds = np.exp(-epsilon)
    s = dp_bound(prior, epsilon, unmatched=unmatched, adjacency=adjacency).targets
    axis = p.get_axis_num("target")
    place = p.copy(data=np.argsort(np.argsort(-p.values, axis=axis, kind="stable"), axis=axis))
    rank = place.drop_vars(list(place.indexes)).rename(target="released")
    if (labels := index_of(p, "target")) is not None:
        rank = rank.assign_coords(released=labels.to_flat_index().rename("released"))
    same, possible = place == rank, rank < s
    if adjacency == "add-remove":
        without, hit = _said(place, s, epsilon, unmatched)
        before = _said(rank, s, epsilon, unmatched)[0].where(s > 0)
        others = (1 - hit) / (1 - without).where(without < 1, 1) if unmatched != "drop" else odds
        changed = (same * hit + ~same * before * others).where(s > 0)
        return changed.transpose(..., "target", "released").rename("dp_mechanism").assign_coords(without=before)
    chance = possible * (same + ~same * odds)  # up to a constant, where the mechanism may release the true target
    among = (chance / (1 + (s - 1) * odds)).where(place < s, possible / s.clip(min=1))
    found = chance / (1 + odds) if unmatched == "drop" else among
    channel: xr.DataArray = found.where(s > 0).transpose(..., "target", "released").rename("dp_mechanism")
    return channel


def _added(p: Floats, epsilon: Floats) -> tuple[Floats, Floats, Floats]:
    """For added or removed records: the bound minus the modal guess, 1 minus the bound, and the number of targets that may be released.

    ``p`` (..., target) is sorted. Without the record, the likeliest target has all the probability; then each other target that can raise
    the bound gets a piece of it, 1 / (1 + e^epsilon). There are e^epsilon pieces.
    """
    odds, guess = np.exp(-epsilon)[..., None], p[..., :1]
    others, rank = p[..., 1:], np.arange(1, p.shape[-1])
    pays = others - guess - guess * np.expm1(-2 * epsilon)[..., None]  # others - e^(-2 epsilon) guess
    moved = _moved(rank, epsilon[..., None]) * (pays > 1e-15 * guess)
    gained = moved * pays / (1 + odds)
    kept = np.where(moved == 1, odds * (others + odds * guess) / (1 + odds), others - gained)
    return gained.sum(-1), kept.sum(-1), 1.0 + (moved > 0).sum(-1)


def _moved(rank: Any, epsilon: Any) -> Any:
    """Probability mass assigned to the target of this rank (0 = most likely)."""
    with np.errstate(over="ignore"):
        return (np.exp(epsilon) - (rank - 1)).clip(0, 1)


def _greatest(p: Floats, risk: Floats) -> Floats:
    """The greatest epsilon for added or removed records whose bound is at most the risk, by bisection; ``p`` (..., target) is sorted."""
    guess = p[..., 0]
    below, above = (risk - guess).clip(min=0), 1 - risk
    low, high = np.zeros(below.shape), np.full(below.shape, 80 + np.log(p.shape[-1]))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        gain, missed, _ = _added(p, middle)
        kept = np.where(below < above, gain <= below, missed >= above)
        low, high = np.where(kept, middle, low), np.where(kept, high, middle)
    return np.where((above > 0) & (guess < 1), low, np.inf)


def _said(rank: xr.DataArray, s: xr.DataArray, epsilon: xr.DataArray, unmatched: Convention) -> tuple[xr.DataArray, xr.DataArray]:
    """Probability of releasing the target of this rank without the record, and with it if it is the true one, among s targets."""
    odds = np.exp(-epsilon)
    piece, first = odds / (1 + odds), rank == 0
    if unmatched == "drop":
        return first * piece, first / (1 + odds)
    moved = _moved(rank, epsilon) * (rank < s)
    away = (piece * (s - 1)).clip(max=1 - piece)  # from the most likely target
    return (1 - away).where(first, piece * moved), (1 - odds * away).where(first, moved / (1 + odds))


def _prior(prior: Any) -> xr.DataArray:
    """Probabilities of the targets, dims (..., target): as given, or the shares in a table of counts."""
    if _is_table(prior):
        totals = Aligned({"prior": prior}).map(lambda o: o.target_total, "prior", ("target",))
        return totals / totals.sum("target").where(totals.sum("target") > 0)
    p = as_counts(prior, "prior", ("target",), exact=False).astype(np.float64)
    total = p.sum("target", skipna=False)
    if not ((p >= 0).all() and bool((np.abs(total - 1) <= 1e-9).all())):
        raise ValueError(
            "`prior` must hold probabilities, from 0, that add up to 1 over the targets; they do not. Divide them by their sum, or give a "
            "table of counts with dims (target, key)."
        )
    return p / total


def _is_table(prior: Any) -> bool:
    """Whether it holds counts by key and target rather than probabilities of targets."""
    dims = getattr(prior, "dims", None)
    return "key" in dims if dims is not None else np.ndim(prior) > 1


def _sorted(p: xr.DataArray) -> xr.DataArray:
    """The probabilities of the targets, in descending order, without labels."""
    p = p.transpose(..., "target")
    coords = {name: x for name, x in p.coords.items() if "target" not in x.dims}
    return xr.DataArray(-np.sort(-p.values, axis=-1), coords, p.dims)


def epsilons(epsilon: Any) -> xr.DataArray:
    """A privacy parameter, or several of them along the dim "epsilon"."""
    return numbers(epsilon, "epsilon", np.inf)


def numbers(given: Any, name: str, most: float) -> xr.DataArray:
    """One number, or several along a dim of this name, from 0 to ``most``."""
    try:
        found = given.astype(np.float64) if isinstance(given, xr.DataArray) else np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"`{name}` must hold numbers; got {type(given).__name__}.") from error
    if not isinstance(found, xr.DataArray):
        if found.ndim > 1:
            raise ValueError(f"`{name}` must be a number or a sequence of numbers; it has {found.ndim} dimensions.")
        found = xr.DataArray(found, {name: found} if found.ndim else {}, (name,) * found.ndim)
    if not bool(((found >= 0) & (found <= most)).all()):
        raise ValueError(f"`{name}` must be {'at least 0' if most == np.inf else f'from 0 to {most:g}'}; got {shown(given)}.")
    return found
