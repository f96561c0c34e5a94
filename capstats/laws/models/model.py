"""The base class of the models of a random release, and the check of a model given by the caller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import wraps
from typing import Any, Self, TypeVar, cast

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from capstats.codes.checks import check_integer, check_number, shown
from capstats.codes.column import Ints
from capstats.tables.aligned import Aligned
from capstats.tables.table import EXACT, Array, Counts, Floats

CALLS = [
    "Uniform(m)",
    "Bootstrap(m)",
    "Independent(m)",
    "Dirichlet(m, alpha=1)",
    "Given(m, p=[[0.5], [0.5]])",
    "Permuted(s)",
    "Partial(alpha=1)",
    "Pram(theta=0.1)",
    "Swap(records=10)",
]


@dataclass(frozen=True, repr=False, eq=False)
class Model:
    """A model by which a random release may come from an original: one of the classes of `capstats.laws`, from `Uniform` to `Swap`.

    A model holds its parameters, which are checked where it is made. Its formulas take the original as a table, and for `Permuted` the
    release after it, both aligned; `expected_cap`, `sample_tables` and the other functions of `capstats.laws` call them.
    """

    def aligned(self, o: Counts) -> Aligned:
        """The arguments of its formulas, as aligned tables."""
        return Aligned({"o": o})

    def arrays(self, aligned: Aligned) -> list[Array]:
        """The same as arrays (target, key), from which releases are drawn."""
        return [aligned.as_array(name) for name in aligned.whole]

    def check(self, *tables: Any) -> None:
        """Raise where the parameters do not fit the tables."""

    def mean(self, *tables: Any, **unmatched: Any) -> Floats:
        """Expected average CAP, with ``unmatched`` as in `average_cap`: shape (...); NaN where it is undefined."""
        raise NotImplementedError

    def nearest(self, codes: list[Ints], *tables: Any) -> Floats:  # noqa: ARG002
        """Expected average CAP where unmatched keys use the nearest ones, from the codes of the keys: shape (...)."""
        raise ValueError(
            f'The mean with `unmatched="nearest"` is known for `Bootstrap` and `Given`, not for `{self!r}`. '
            "Draw releases with `sample_tables` and average their `average_cap`."
        )

    def variance(self, *tables: Any, **unmatched: Any) -> Floats:
        """Variance of average CAP: shape (...); NaN where it is undefined."""
        raise NotImplementedError

    def draw(self, *tables: Any, **draws_and_rng: Any) -> NDArray[np.int64]:
        """Random releases, from tables as arrays (target, key): shape (draws, target, key)."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """The model with its parameters; for a table or a matrix only the shape."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        shown = (f"{name}={_shown(value)}" for name, value in given.items() if value is not None)
        return f"{type(self).__name__}({', '.join(shown)})"

    def _set(self, **checked: Any) -> None:
        """Store checked parameters; to be called once, when a model is made."""
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def matching(self, o: Any) -> Self:  # noqa: ARG002
        """The model for this original, with its labels in the order of those of `o`."""
        return self


def checked_model(model: Any, o: Any, *, limit: bool = False) -> Model:
    """The given model, checked and matched to this original; with ``limit`` its number of records may be missing."""
    if not isinstance(model, Model):
        word = model if isinstance(model, str) else getattr(model, "__name__", "")
        meant = [call for call in CALLS if len(word) >= 4 and call[:4].lower() == word[:4].lower()]  # "permutation" is Permuted
        calls = [f"laws.{call}" for call in meant or CALLS]
        got = model if isinstance(model, type) else shown(model)
        raise TypeError(f"`model` must be a model, {' or '.join(filter(None, [', '.join(calls[:-1]), calls[-1]]))}; got {got}.")
    if getattr(model, "m", 0) is None and not limit:
        raise ValueError(f"`{model!r}` is the limit of large releases, which only `cap_law` accepts. Give it a number of records, `m`.")
    if isinstance(getattr(model, "m", 0), tuple):
        raise ValueError(f"`{model!r}` has several numbers of records, and one is needed here. Give `m` one of them.")
    return model.matching(o)


F = TypeVar("F", bound=Callable[..., Any])


def for_each_m(function: F) -> F:
    """A function of an original and a model that maps over several numbers of records of the model, along a new first dim ``m``."""

    @wraps(function)
    def mapped(o: Counts, model: Any, **options: Any) -> Any:
        numbers = getattr(model, "m", None)
        if not isinstance(numbers, tuple):
            return function(o, model, **options)
        if "rng" in options:  # one stream for all of them
            options["rng"] = np.random.default_rng(options["rng"])
        return xr.concat([function(o, replace(model, m=m), **options) for m in numbers], pd.Index(numbers, name="m"))

    return cast(F, mapped)


def check_records(m: Any) -> int:
    """The number of synthetic records as an int of at least 1."""
    return check_integer(m, "m", "a number of synthetic records, an integer from 1 to below 2**53", least=1, most=EXACT - 1)


def check_alpha(alpha: Any) -> float:
    """The weight that is added to every cell, as a float."""
    return check_number(alpha, "alpha", "a number from 0, added to every cell", least=0, excluded=[np.inf])


def _shown(value: Any) -> str:
    return repr(value) if np.ndim(value) == 0 else f"<{' x '.join(map(str, np.shape(value)))}>"


def check_held(table: Array, name: str) -> Array:
    """The table, if it has records to draw from; otherwise an error."""
    if not table.any():
        raise ValueError(f"`{name}` holds no record, so that the model has nothing to draw from. Give a table with records.")
    return table
