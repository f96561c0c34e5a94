"""What CAP could have been: its bounds over all synthetic tables, the tables that attain them, and random synthetic tables."""

from capstats.laws.bounds import maximum_cap, minimal_cells, minimal_table, minimum_cap
from capstats.laws.fixed_margins import cap_bounds
from capstats.laws.synthesis import sample_tables

__all__ = [
    "cap_bounds",
    "maximum_cap",
    "minimal_cells",
    "minimal_table",
    "minimum_cap",
    "sample_tables",
]
