"""What CAP could have been: its bounds over all synthetic tables, the tables that attain them, and random synthetic tables."""

from capstats.laws.bounds import cap_bounds, maximum_cap, minimal_cells, minimal_table, minimum_cap
from capstats.laws.certainty import expected_disclosure
from capstats.laws.moments import expected_cap, expected_cap_bounds, variance_cap
from capstats.laws.synthesis import sample_tables

__all__ = [
    "cap_bounds",
    "expected_cap",
    "expected_cap_bounds",
    "expected_disclosure",
    "maximum_cap",
    "minimal_cells",
    "minimal_table",
    "minimum_cap",
    "sample_tables",
    "variance_cap",
]
