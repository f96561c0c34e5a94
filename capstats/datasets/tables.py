"""The tables printed by Baillargeon and Charest, as labelled counts, and the errata of their text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import xarray as xr

from capstats.datasets.bundled import FACTS
from capstats.tables.dataset import from_counts

ERRATA: Final[tuple[str, ...]] = (
    ("Table 3 (O_1) is missing from the text; section 4 determines it: 900 records spread evenly, so 100 in each of the nine cells."),
    ("Table 4 (O_2) as printed sums to 1000 (400 + 250 + 350), where section 4 says 900; the printed table is kept."),
    ('Section 4 says that S_a and S_e are given in "Tables 5 and 6"; they are Tables 9 and 10.'),
    (
        "The proof of Theorem 2 has o_min^alpha / n > 0, which must be >= 0: a key with"
        " an empty cell can be emptied without lowering the average CAP. A note left in"
        " the text, in French, says so and proposes to keep the table with most empty keys."
    ),
    ("Section 3.1 writes CAP_S(x_l) for what Definition 1 writes CAP_{x_l}(S)."),
    ("The proof of Lemma 1 fixes the key K_alpha and ends with cells in C_j; they are those in C_alpha."),
    (
        "Section 4 concludes that the average CAP of O with O is one of the larger ones that"
        " O has. It need not be: in section 2.3 it is .67, and .684 with the table S."
    ),
)
"""Where the text of Baillargeon and Charest needs correction, one sentence each.

Printed counts are kept as they are, so a measure of O_2 divides by 1000, not by 900.
"""

_PAPER: Final = 'M. Baillargeon and A.-S. Charest, "A Closer Look at the CAP Risk Measure for Synthetic Datasets"'

_ORIGINALS: Final = {
    "O_1": [[100, 100, 100], [100, 100, 100], [100, 100, 100]],  # Table 3, from prose
    "O_2": [[400, 0, 0], [0, 250, 0], [0, 0, 350]],  # Table 4
    "O_3": [[0, 176, 204], [0, 78, 93], [127, 163, 59]],  # Table 5
    "O_4": [[0, 0, 62], [197, 136, 134], [74, 99, 198]],  # Table 6
}

_SYNTHETICS: Final = {
    "a": [[114, 118, 77], [104, 44, 134], [105, 86, 118]],  # Table 9
    "b": [[24, 36, 15], [226, 113, 213], [216, 54, 3]],  # Table 7
    "e": [[67, 97, 153], [37, 114, 101], [169, 14, 148]],  # Table 10
    "g": [[129, 137, 99], [2, 131, 147], [91, 111, 53]],  # Table 8
}


def smoking() -> xr.Dataset:
    """Tables 1 and 2 of the paper: health by smoking, original and synthetic.

    Each table has one hundred people. An intruder knows whether a person smokes and
    wants to learn whether the person is sick.

    Returns
    -------
    xr.Dataset
        `o` (Table 1) and `s` (Table 2), dims ``("target", "key")``, shape 2 x 2: target
        column ``health`` (Sick, Healthy), key column ``smoking`` (Smoking,
        Non-smoking). Counts of records, 100 in each table.

    See Also
    --------
    paper_originals, paper_synthetics : The 3 x 3 tables of the paper's section 4.

    Notes
    -----
    Source: Baillargeon and Charest [1]_, Tables 1 and 2.

    Licence: published counts, used as facts; no copyright is claimed in them.

    References
    ----------
    .. [1] M. Baillargeon and A.-S. Charest, "A Closer Look at the CAP Risk Measure for
       Synthetic Datasets", section 2.3.

    Examples
    --------
    A sick smoker is one of 20 among 50 smokers in the original, one of 8 among 33 in
    the synthetic table:

    >>> tables = smoking()
    >>> tables.o.values.tolist()
    [[20, 5], [30, 45]]
    >>> tables.s.values.tolist()
    [[8, 7], [25, 60]]
    >>> smokers = tables.sel(smoking="Smoking")
    >>> round(float(smokers.o.sel(target="Sick").item() / smokers.o.sum()), 4)
    0.4
    >>> round(float(smokers.s.sel(target="Sick").item() / smokers.s.sum()), 4)
    0.2424
    """
    tables = from_counts(
        [[20, 5], [30, 45]],  # Table 1
        [[8, 7], [25, 60]],  # Table 2
        key_labels={"smoking": ["Smoking", "Non-smoking"]},
        target_labels={"health": ["Sick", "Healthy"]},
    )
    return tables.assign_attrs(source=f"{_PAPER}, Tables 1 and 2", licence=FACTS)


def paper_originals() -> xr.DataArray:
    """The paper's four original tables O_1 to O_4, from no to full information.

    In O_1 the target is independent of the key, in O_2 the key determines it; O_3 and
    O_4 are in between.

    Returns
    -------
    xr.DataArray
        `o`, dims ``("original", "target", "key")``, shape 4 x 3 x 3: labels ``O_1`` to
        ``O_4``, target column ``T`` (T_1 to T_3), key column ``K`` (K_1 to K_3). Counts
        of records: 900 in each table, except 1000 in O_2.

    See Also
    --------
    paper_synthetics : The synthetic tables that the paper compares with them.
    ERRATA : Why O_1 is taken from the text, and why O_2 has 1000 records.

    Notes
    -----
    Source: Baillargeon and Charest [1]_, Tables 4 to 6; O_1 (Table 3, missing from the
    text) from the prose of section 4.

    Licence: published counts, used as facts; no copyright is claimed in them.

    References
    ----------
    .. [1] M. Baillargeon and A.-S. Charest, "A Closer Look at the CAP Risk Measure for
       Synthetic Datasets", section 4.

    Examples
    --------
    >>> o = paper_originals()
    >>> o.sel(original="O_3").values.tolist()
    [[0, 176, 204], [0, 78, 93], [127, 163, 59]]
    >>> o.sum(["target", "key"]).values.tolist()
    [900, 1000, 900, 900]

    In O_3 everyone with key K_1 has target T_3:

    >>> o.sel(original="O_3", K="K_1").values.tolist()
    [0, 0, 127]
    """
    return _labelled(_ORIGINALS, "original", "o", "Tables 4 to 6; O_1 from the prose of section 4")


def paper_synthetics() -> xr.DataArray:
    """The paper's four synthetic tables S_a, S_b, S_e and S_g, drawn at random.

    The paper draws twenty tables of 900 records and prints these four.

    Returns
    -------
    xr.DataArray
        `s`, dims ``("synthetic", "target", "key")``, shape 4 x 3 x 3: labels ``a``,
        ``b``, ``e``, ``g``, target column ``T`` (T_1 to T_3), key column ``K`` (K_1 to
        K_3). Counts of records, 900 in each table.

    See Also
    --------
    paper_originals : The original tables, with the same targets and keys.

    Notes
    -----
    Source: Baillargeon and Charest [1]_, Tables 9 (a), 7 (b), 10 (e) and 8 (g).

    Licence: published counts, used as facts; no copyright is claimed in them.

    References
    ----------
    .. [1] M. Baillargeon and A.-S. Charest, "A Closer Look at the CAP Risk Measure for
       Synthetic Datasets", section 4.

    Examples
    --------
    >>> s = paper_synthetics()
    >>> s.sel(synthetic="a").values.tolist()
    [[114, 118, 77], [104, 44, 134], [105, 86, 118]]

    An intruder who guesses the most frequent target of each key of S_a (T_1, T_1, T_2)
    is right for 134 of the 900 records of O_4, as the paper states:

    >>> o_4, s_a = paper_originals().sel(original="O_4"), s.sel(synthetic="a")
    >>> int(o_4.where(s_a == s_a.max("target"), 0).sum())
    134
    """
    return _labelled(_SYNTHETICS, "synthetic", "s", "Tables 7 to 10")


def _labelled(tables: Mapping[str, list[list[int]]], dim: str, name: str, source: str) -> xr.DataArray:
    """3 x 3 tables along a dim, under the labels of the paper."""
    keys, targets = {"K": ["K_1", "K_2", "K_3"]}, {"T": ["T_1", "T_2", "T_3"]}
    any_table = next(iter(tables.values()))  # `o` is required, but not used here
    stacked: xr.DataArray = from_counts(any_table, tables, key_labels=keys, target_labels=targets)["s"]
    found = stacked.rename(synthetic=dim).assign_attrs(source=f"{_PAPER}, {source}", licence=FACTS)
    found.name = name
    return found
