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
    from capstats.auditing import Audit as Audit
    from capstats.auditing import audit as audit
    from capstats.auditing import audit_targets as audit_targets
    from capstats.cap import average_cap as average_cap
    from capstats.cap import average_cap_interval as average_cap_interval
    from capstats.cap import baseline_cap as baseline_cap
    from capstats.cap import by_group as by_group
    from capstats.cap import cap_boxplot as cap_boxplot
    from capstats.cap import cap_ecdf as cap_ecdf
    from capstats.cap import cap_quantiles as cap_quantiles
    from capstats.cap import correct_predictions as correct_predictions
    from capstats.cap import individual_cap as individual_cap
    from capstats.cap import individual_share as individual_share
    from capstats.cap import matched_records as matched_records
    from capstats.cap import summary as summary
    from capstats.codes.labels import MISSING as MISSING
    from capstats.counting.tabulate import tabulate as tabulate
    from capstats.describing import describe as describe
    from capstats.laws import maximum_cap as maximum_cap
    from capstats.laws import minimum_cap as minimum_cap
    from capstats.tables.counts_files import read_counts as read_counts
    from capstats.tables.counts_files import write_counts as write_counts
    from capstats.tables.dataset import from_counts as from_counts
    from capstats.tables.dataset import merge_counts as merge_counts
    from capstats.tables.domains import collapse as collapse
    from capstats.tables.domains import full_domain as full_domain
    from capstats.tables.domains import observed_domain as observed_domain
    from capstats.tables.levels import LevelsWarning as LevelsWarning
    from capstats.tables.longform import compare_levels as compare_levels
    from capstats.tables.longform import expand as expand
    from capstats.tables.longform import to_frame as to_frame
    from capstats.tables.ties import at_most as at_most

__version__ = version("capstats")

_ROOMS = "anonymity attacks auditing cap datasets describing disclosure laws lessons paper peers plotting population screening sdmetrics"

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
    return sorted(" ".join([*_NAMES.values(), _ROOMS, "__version__"]).split())


open_room(__name__)
