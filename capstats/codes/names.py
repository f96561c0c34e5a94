"""Reserved names, the names under which columns are stored, and hints at the nearest name."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable

# Reserved names: dims, variables and arguments of tables and results, which a column or level of that name would hide.
_RESULTS = (
    "o s h key target original synthetic holdout draw keyset quantile at radius distance tau reason least greatest average_cap change "
    "individual_cap nearest_distance minimal_cells weap prosecutor_risk "
    "o_records o_squares s_records s_squares h_records h_squares"
)


_OF_KEYS = "records synthetic_records matched share certain original_certain correct cap disclosed unique replicated"


_OF_CELLS = "o_counted o_excluded o_report s_counted s_excluded s_report flagged column label"


_OF_BOXES = (
    "lower_whisker lower_quartile median upper_quartile upper_whisker average original_cap individual "
    "average_rank baseline_cap outliers outlier_records"
)


_SELECTION = "indexers method tolerance drop missing_dims"


RESERVED = frozenset(f"{_RESULTS} {_OF_KEYS} {_OF_CELLS} {_OF_BOXES} {_SELECTION}".split())


def free_name(column: Hashable, taken: Iterable[Hashable]) -> str:
    """The name under which a column is stored: its own, or with a trailing ``_`` (more until it is free)."""
    taken = set(taken)
    name = column if isinstance(column, str) else f"{column}_"
    while not name or name in RESERVED or name in taken:
        name += "_"
    return name


def hint(name: Hashable, names: Iterable[Hashable]) -> str:
    """The end of an error message about an unknown name: the nearest known one, or all of them."""
    known = list(names)
    if not known:
        return " It has none."
    folded = {str(n).casefold(): n for n in reversed(known)}
    near = difflib.get_close_matches(str(name).casefold(), folded, n=1)
    if near:
        return f" Did you mean {folded[near[0]]!r}?"
    return f" It has {', '.join(map(repr, known[:20]))}{', ...' if len(known) > 20 else ''}."
