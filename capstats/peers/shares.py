"""The numbers of synthgauge and SDNist, from counts: shares of records, both DiSCO."""

from __future__ import annotations

from typing import Any

import xarray as xr

from capstats.disclosure.attribute import dio, disco
from capstats.peers.reports import each_table


def as_synthgauge(tables: xr.Dataset) -> dict[Any, Any]:
    """The number of synthgauge's ``tcap_score()``, a share, which is DiSCO.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with `s`.

    Returns
    -------
    dict
        ``tcap_score``. With several synthetic tables, one such dictionary for each of their labels.

    Raises
    ------
    ValueError, TypeError
        If there is no `s`.

    Notes
    -----
    See theory/concordance.md.

    References
    ----------
    ONS Data Science Campus, synthgauge 2.2.0, https://github.com/datasciencecampus/synthgauge.

    Examples
    --------
    >>> import capstats
    >>> as_synthgauge(capstats.from_counts([[3, 2], [1, 4]], [[2, 1], [0, 1]]))
    {'tcap_score': 0.3}
    """
    return each_table(tables, lambda one: {"tcap_score": disco(one.o, one.s).item()})


def as_sdnist(tables: xr.Dataset) -> dict[Any, Any]:
    """The numbers of SDNist's K-DiSCO for one target and one key, which are shares.

    Parameters
    ----------
    tables : Dataset
        Result of `tabulate` or `from_counts`, with `s`.

    Returns
    -------
    dict
        ``DiSCO``, ``DiO`` and ``DiSCO - DiO``. With several synthetic tables, one such dictionary for each of their labels.

    Raises
    ------
    ValueError, TypeError
        If there is no `s`.

    Notes
    -----
    See theory/concordance.md.

    References
    ----------
    NIST, SDNist 2.5, https://github.com/usnistgov/SDNist.

    Examples
    --------
    >>> import capstats
    >>> as_sdnist(capstats.from_counts([[3, 2], [0, 5]], [[2, 1], [0, 1]]))
    {'DiSCO': 0.3, 'DiO': 0.3, 'DiSCO - DiO': 0.0}
    """

    def numbers(one: xr.Dataset) -> dict[str, float]:
        found, before = disco(one.o, one.s).item(), dio(one.o).item()
        return {"DiSCO": found, "DiO": before, "DiSCO - DiO": found - before}

    return each_table(tables, numbers)
