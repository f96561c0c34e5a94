"""Comparison of kernel widths of the membership attack, each at its best threshold."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import pandas as pd
import xarray as xr

from capstats.attacks.membership import Categories, Widths
from capstats.attacks.roc import membership_roc
from capstats.codes.declared_types import Type

_SHOWN = ["best_threshold", "best_difference", "accuracy", "auc", "auc_standard_error"]


def best_membership_width(
    members: Any,
    non_members: Any,
    synthetic: Any,
    *,
    columns: Hashable | Sequence[Hashable],
    widths: Sequence[Widths] | Mapping[str, Widths] = ("low", "medium", "high"),
    categories: Categories = "codes",
    releases: int | Sequence[int] | None = None,
    types: Mapping[Hashable, Type] | None = None,
    **reading: Any,
) -> xr.Dataset:
    """Results of the membership attack for several widths, each at its best threshold, and the best width.

    An attacker does not know which width works best. The best of several is an upper bound for an attacker who uses one of them.

    Parameters
    ----------
    members, non_members : data frame, mapping of columns or path
        Records that were used for synthesis, and records of the same population that were not.
    synthetic, columns, categories, types
        As in `membership_scores`.
    widths : sequence, or mapping {label: widths}
        Widths to compare, each as `membership_scores` takes them; by default the three settings of the source for Adult and Polish. In a
        sequence each width is labelled by its name or its string.
    releases : int or sequence of ints, optional
        Numbers of released tables that are taken together, as in `membership_roc`.
    **reading
        How the tables are read, as in `tabulate`: ``bins`` (cut as `members` says), ``null_values``, ``allow_unused_codes``, and for files
        ``encoding``, ``decimal``, ``memory_limit``, ``spill_dir``; and ``allow_same``, whether two tables may hold the same records.

    Returns
    -------
    Dataset, dims (width), with ``releases`` where there are several released tables
        ``best_threshold``, ``best_difference``, ``accuracy``, ``auc`` and ``auc_standard_error`` of each width, as in `membership_roc`.
        Without the dim ``width``: ``best_width``, the label with the greatest best difference, the first one in case of a tie.

    Raises
    ------
    ValueError, TypeError
        If there are no widths, or two have the same label; or as `membership_roc`.

    See Also
    --------
    membership_roc : the whole curve of one width.

    Notes
    -----
    See theory/membership.md. Threshold and width are chosen with knowledge of the members, so the result is optimistic for the attacker.

    References
    ----------
    PrivacyResults, "Privacy Results for Membership Inference and Maximum Knowledge", section Membership Inference (plots "UI").

    Examples
    --------
    The released ages are those of the members. A narrow kernel finds both; with a wide one a person aged 31 is more typical:

    >>> members, others, released = {"age": [20, 40]}, {"age": [31, 70]}, {"age": [20, 40]}
    >>> widths = {"narrow": 1, "wide": 100}
    >>> found = best_membership_width(members, others, released, columns="age", widths=widths, allow_same=True)
    >>> found.best_difference.values.tolist(), found.best_width.item()
    ([1.0, 0.5], 'narrow')
    """
    if isinstance(widths, (str, bytes)) or not isinstance(widths, (Sequence, Mapping)) or not widths:
        raise ValueError(
            f'`widths` must be several widths to compare, such as ["low", "high"] or {{"narrow": 0.1, "wide": 1}}; got {widths!r}.'
        )
    labelled = list(widths.items()) if isinstance(widths, Mapping) else [(str(width), width) for width in widths]
    labels = [label for label, _ in labelled]
    twice = [label for label in labels if labels.count(label) > 1]
    if twice:
        raise ValueError(f"`widths` has {twice[0]!r} twice. Give each width once, or a mapping with a label for each.")
    options: dict[str, Any] = {"columns": columns, "categories": categories, "releases": releases, "types": types, "at": [0.0], **reading}
    curves = [membership_roc(members, non_members, synthetic, widths=width, **options)[_SHOWN] for _, width in labelled]
    found: xr.Dataset = xr.concat(curves, pd.Index(labels, name="width"))
    found["best_width"] = found["width"][found["best_difference"].argmax("width")].drop_vars("width")
    return found
