"""Disclosure risk of synthetic data in closed form: records are counted once, every measure is a function of the counts."""

from importlib.metadata import version

from capstats.counts.labels import MISSING
from capstats.counts.longform import expand, to_frame
from capstats.counts.tables import from_counts, full_domain, merge_counts, observed_domain
from capstats.counts.tabulate import tabulate
from capstats.laws.bounds import cap_bounds, minimal_cells, minimal_table, minimum_cap
from capstats.laws.synthesis import sample_tables
from capstats.risk.baselines import baseline_cap
from capstats.risk.cap import (
    at_most,
    average_cap,
    cap_ecdf,
    cap_quantiles,
    correct_predictions,
    individual_cap,
    matched_records,
)

__version__ = version("capstats")

__all__ = [
    "MISSING",
    "at_most",
    "average_cap",
    "baseline_cap",
    "cap_bounds",
    "cap_ecdf",
    "cap_quantiles",
    "correct_predictions",
    "expand",
    "from_counts",
    "full_domain",
    "individual_cap",
    "matched_records",
    "merge_counts",
    "minimal_cells",
    "minimal_table",
    "minimum_cap",
    "observed_domain",
    "sample_tables",
    "tabulate",
    "to_frame",
]
