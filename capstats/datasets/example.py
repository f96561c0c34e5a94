"""Bundled original data with a synthetic table: the arguments of an audit."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from capstats.codes.checks import check_choice
from capstats.counting.tabulate import tabulate
from capstats.datasets.bundled import anes96, titanic
from capstats.tables.longform import to_frame

SHRINKAGE = 0.2  # weight of the independence model in the probabilities of the synthetic cells


def example(name: Literal["titanic", "anes96"], *, seed: int = 0) -> dict[str, Any]:
    """Arguments of `capstats.audit` for bundled data and a seeded synthetic table.

    The synthetic table has the size of the original. The probability of a cell is 0.8 times its share plus 0.2 times the product of
    the shares of its target and its key (independence).

    Parameters
    ----------
    name : {"titanic", "anes96"}
        Survival by class, sex and age on the Titanic; or the vote by schooling and party in the election study of 1996.
    seed : int
        Passed to ``numpy.random.default_rng``.

    Returns
    -------
    dict
        ``original``, ``synthetic``, ``keys``, ``target``, ``counts`` and ``provenance``.

    Raises
    ------
    ValueError
        If the name is unknown.

    Examples
    --------
    >>> from capstats import audit
    >>> found = audit(**example("titanic", seed=1))
    >>> int(found.measures.original_records), int(found.measures.synthetic_records)
    (2201, 2201)
    """
    check_choice(name, "name", ("titanic", "anes96"))
    if name == "titanic":
        frame, keys, target, counts = titanic(), ["Class", "Sex", "Age"], "Survived", "count"
    else:
        frame, keys, target, counts = anes96(), ["educ", "PID"], "vote", None
    tables = tabulate(frame, keys=keys, target=target, counts=counts)
    share = (tables.o / tables.o.sum()).values
    independent = share.sum(1, keepdims=True) * share.sum(0, keepdims=True)
    p = (1 - SHRINKAGE) * share + SHRINKAGE * independent
    s = np.random.default_rng(seed).multinomial(int(tables.o.sum()), p.ravel() / p.sum()).reshape(p.shape)
    cells = to_frame(tables.assign(s=(("target", "key"), s)))
    description = f"{name}, with the same number of synthetic records drawn from 0.8 cell shares + 0.2 independence"
    made = {"example": description, "seed": seed, "source": frame.attrs["source"]}
    return {"original": cells, "synthetic": cells, "keys": keys, "target": target, "counts": ("o", "s"), "provenance": made}
