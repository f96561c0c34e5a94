"""What CAP could have been: its bounds over all synthetic tables, the tables that attain them, and random synthetic tables."""

from capstats.laws.bounds import cap_bounds, maximum_cap, minimal_cells, minimal_table, minimum_cap
from capstats.laws.certainty import expected_disclosure
from capstats.laws.distribution import cap_law
from capstats.laws.fixed_margins import cap_bounds
from capstats.laws.law import Law
from capstats.laws.moments import expected_cap, variance_cap
from capstats.laws.synthesis import sample_tables

__all__ = [
    "Law",
    "cap_bounds",
    "cap_law",
    "expected_cap",
    "expected_disclosure",
    "maximum_cap",
    "minimal_cells",
    "minimal_table",
    "minimum_cap",
    "sample_tables",
    "variance_cap",
]
