"""A release among its sisters: what its generator gives on average, and whether one of its releases is seldom as low."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import xarray as xr

from capstats.auditing.compute import total_of
from capstats.auditing.holdout import AT_MOST
from capstats.cap.average import average_cap
from capstats.codes.checks import shown
from capstats.laws.distribution.average import cap_law
from capstats.laws.models import Model
from capstats.laws.moments.expected import expected_cap, variance_cap
from capstats.tables.table import Floats
from capstats.tables.ties import at_most

FEWEST = 2  # further releases, of which there is a standard error
RULE = f"`generator` must be a model, a function that gives one, or {FEWEST} further releases or more"


def among_sisters(tables: xr.Dataset, generator: Any, counted: Callable[[Any], xr.Dataset]) -> dict[str, xr.DataArray]:
    """Mean and standard deviation of average CAP over releases of a generator, and the probability that one is as low as each release.

    The generator is a model, a function of the original's counts that gives one, or further releases, of which ``counted`` makes counts.
    """
    if isinstance(generator, Model | type):
        return _of_model(tables, generator)
    if callable(generator):
        model = generator(tables.o)
        if not isinstance(model, Model):
            raise TypeError(f"`generator` must return a model of capstats.laws, such as laws.Given; it returned {shown(model)}.")
        return _of_model(tables, model)
    if not isinstance(generator, (list, tuple, Mapping, xr.Dataset)):
        raise TypeError(f"{RULE}; got {shown(generator)}.")
    return _of_releases(tables, (generator if isinstance(generator, xr.Dataset) else counted(generator)).s)


def _of_releases(tables: xr.Dataset, further: xr.DataArray) -> dict[str, xr.DataArray]:
    """Further releases and this one are exchangeable: the rank of this one has a known law."""
    found, caps = average_cap(tables.o, further).values, average_cap(tables.o, tables.s)
    if (k := found.size) < FEWEST:
        raise ValueError(f"{RULE}; got {k}.")
    deviation, as_low = found.std(ddof=1), at_most(found, caps.values[..., None]).sum(-1)
    return {
        "generator_mean": xr.DataArray(found.mean()),
        "generator_mean_error": xr.DataArray(deviation / k**0.5),
        "generator_deviation": xr.DataArray(deviation),
        "generator_p_value": caps.copy(data=(1 + as_low) / (k + 1)).assign_attrs(method=f"the rank among {k:,} further releases"),
    }


def _of_model(tables: xr.Dataset, model: Any) -> dict[str, xr.DataArray]:
    """The numbers of a model, for releases of as many records as each release has."""
    caps = average_cap(tables.o, tables.s)
    if tables.s.dtype.kind != "i" or "s_records" in tables:
        raise ValueError("A model as `generator` draws records without weights, and the release is weighted. Give further releases of it.")
    m = np.broadcast_to(total_of(tables.s).values, caps.shape)
    values, methods = np.empty((3, *caps.shape)), {}
    for size in np.unique(m).tolist():
        of_size = m == size
        values[:, of_size], methods[size] = _at(tables.o, _sized(model, size), caps.values[of_size])
    names = ("generator_mean", "generator_deviation", "generator_p_value")
    found = {name: caps.copy(data=of_name) for name, of_name in zip(names, values, strict=True)}
    found["generator_p_value"].attrs["method"] = "; ".join(dict.fromkeys(methods.values()))
    return found


def _sized(model: Any, m: int) -> Any:
    """The model of releases of m records."""
    own = getattr(model, "m", m)
    if not isinstance(model, Model) or own == m:
        return model
    if own is None:
        return replace(model, m=m)  # type: ignore[call-arg] # a model whose field is m
    raise ValueError(f"`generator` draws {own:,} records, and the release has {m:,}. Leave out `m`, which is then that of the release.")


def _at(o: xr.DataArray, model: Any, caps: Floats) -> tuple[Floats, str]:
    """Mean, standard deviation and the probability of at most each average CAP; and how the latter is known."""
    mean = expected_cap(o, model)
    if mean.ndim:
        raise ValueError(f"`generator` must be one generator; it has the dims {mean.dims}. Choose one of them.")
    deviation = max(variance_cap(o, model).item(), 0.0) ** 0.5
    try:
        law = cap_law(o, model, rng=0, level=0.99)
    except ValueError:  # weights, or too many cells
        below = np.maximum(mean.item() - caps, 0)
        p = np.where(below > 0, deviation**2 / np.maximum(deviation**2 + below**2, np.finfo(float).tiny), 1.0)
        method = f"{model!r}: {AT_MOST} (Cantelli)"
    else:
        p, method = law.cdf(caps).greatest.values, law.about
    return np.stack([np.full(caps.shape, mean.item()), np.full(caps.shape, deviation), p]), method
