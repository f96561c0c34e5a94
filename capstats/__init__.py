"""Disclosure risk of synthetic data in closed form: records are counted once, every measure is a function of the counts.

What most work needs is here. The rest is in rooms, each of which answers one question: `cap`, `disclosure`, `anonymity`, `screening`,
`population`, `laws`, `attacks`, `peers`, `describing`, `auditing`; with `plotting`, `datasets`, `lessons`, `sdmetrics` and `paper` beside
them. They load when asked for.
"""

from importlib.metadata import version
from typing import TYPE_CHECKING

from capstats.codes.names import loaded_later, open_room

if TYPE_CHECKING:
    from capstats import anonymity as anonymity
    from capstats import attacks as attacks
    from capstats import auditing as auditing
    from capstats import cap as cap
    from capstats import datasets as datasets
    from capstats import describing as describing
    from capstats import disclosure as disclosure
    from capstats import laws as laws
    from capstats import lessons as lessons
    from capstats import paper as paper
    from capstats import peers as peers
    from capstats import plotting as plotting
    from capstats import population as population
    from capstats import screening as screening
    from capstats import sdmetrics as sdmetrics
    from capstats.auditing import Audit, audit, audit_targets
    from capstats.cap import (
        average_cap,
        average_cap_interval,
        baseline_cap,
        by_group,
        cap_boxplot,
        cap_ecdf,
        cap_quantiles,
        correct_predictions,
        individual_cap,
        individual_share,
        matched_records,
        summary,
    )
    from capstats.codes.labels import MISSING
    from capstats.counting.tabulate import tabulate
    from capstats.describing import describe
    from capstats.laws import maximum_cap, minimum_cap
    from capstats.tables.counts_files import read_counts, write_counts
    from capstats.tables.dataset import from_counts, merge_counts
    from capstats.tables.domains import collapse, full_domain, observed_domain
    from capstats.tables.levels import LevelsWarning
    from capstats.tables.longform import compare_levels, expand, to_frame
    from capstats.tables.ties import at_most

__version__ = version("capstats")

__all__ = [
    "MISSING",
    "Audit",
    "LevelsWarning",
    "at_most",
    "audit",
    "audit_targets",
    "average_cap",
    "average_cap_interval",
    "baseline_cap",
    "by_group",
    "cap_boxplot",
    "cap_ecdf",
    "cap_quantiles",
    "collapse",
    "compare_levels",
    "correct_predictions",
    "describe",
    "expand",
    "from_counts",
    "full_domain",
    "individual_cap",
    "individual_share",
    "matched_records",
    "maximum_cap",
    "merge_counts",
    "minimum_cap",
    "observed_domain",
    "read_counts",
    "summary",
    "tabulate",
    "to_frame",
    "write_counts",
]

_ROOMS = (
    "anonymity",
    "attacks",
    "auditing",
    "cap",
    "datasets",
    "describing",
    "disclosure",
    "laws",
    "lessons",
    "paper",
    "peers",
    "plotting",
    "population",
    "screening",
    "sdmetrics",
)

_NAMES = {  # by the module that is loaded when one of its names is asked for
    "auditing": "Audit audit audit_targets",
    "cap": "average_cap average_cap_interval baseline_cap by_group cap_boxplot cap_ecdf cap_quantiles "
    "correct_predictions individual_cap individual_share matched_records summary",
    "codes.labels": "MISSING",
    "counting.tabulate": "tabulate",
    "describing": "describe",
    "laws": "maximum_cap minimum_cap",
    "tables.counts_files": "read_counts write_counts",
    "tables.dataset": "from_counts merge_counts",
    "tables.domains": "collapse full_domain observed_domain",
    "tables.levels": "LevelsWarning",
    "tables.longform": "compare_levels expand to_frame",
    "tables.ties": "at_most",
}

if not TYPE_CHECKING:  # where a type checker saw it, every misspelt name would pass
    __getattr__ = loaded_later(__name__, _NAMES, _ROOMS)


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS, "__version__"])


open_room(__name__)
