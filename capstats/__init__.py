"""Disclosure risk of synthetic data in closed form: records are counted once, every measure is a function of the counts."""

from importlib.metadata import version

from capstats.audit import Audit, audit
from capstats.counts.labels import MISSING
from capstats.counts.longform import expand, to_frame
from capstats.counts.primitives import at_most
from capstats.counts.tables import from_counts, full_domain, merge_counts, observed_domain
from capstats.counts.tabulate import tabulate
from capstats.laws.bounds import cap_bounds, maximum_cap, minimal_cells, minimal_table, minimum_cap
from capstats.laws.synthesis import sample_tables
from capstats.risk.baselines import baseline_cap
from capstats.risk.cap import average_cap, correct_predictions, individual_cap, matched_records
from capstats.risk.distribution import cap_boxplot, cap_ecdf, cap_quantiles
from capstats.risk.sweep import sweep

__version__ = version("capstats")

__all__ = [
    "MISSING",
    "Audit",
    "at_most",
    "audit",
    "average_cap",
    "baseline_cap",
    "cap_bounds",
    "cap_boxplot",
    "cap_ecdf",
    "cap_quantiles",
    "correct_predictions",
    "expand",
    "from_counts",
    "full_domain",
    "individual_cap",
    "matched_records",
    "maximum_cap",
    "merge_counts",
    "minimal_cells",
    "minimal_table",
    "minimum_cap",
    "observed_domain",
    "sample_tables",
    "sweep",
    "tabulate",
    "to_frame",
]
