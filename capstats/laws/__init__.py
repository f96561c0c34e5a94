"""What CAP could have been: its bounds over all synthetic tables, the tables that attain them, and random synthetic tables."""

from capstats.laws.bounds import maximum_cap, minimal_cells, minimal_table, minimum_cap
from capstats.laws.fixed_margins import cap_bounds
from capstats.laws.from_anonymity import anonymity_bounds
from capstats.laws.on_the_frontier import frontier_tables
from capstats.laws.risk_utility import frontier
from capstats.laws.synthesis import sample_tables

__all__ = [
    "anonymity_bounds",
    "cap_bounds",
    "frontier",
    "frontier_tables",
    "maximum_cap",
    "minimal_cells",
    "minimal_table",
    "minimum_cap",
    "sample_tables",
]
