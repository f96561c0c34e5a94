"""What CAP could have been: its bounds over all synthetic tables, the tables that attain them, and random synthetic tables."""

from capstats.laws.bounds import maximum_cap, minimal_cells, minimal_table, minimum_cap
from capstats.laws.calibration import calibrate
from capstats.laws.fixed_margins import cap_bounds
from capstats.laws.moments import expected_cap, variance_cap
from capstats.laws.noise import noisy_counts
from capstats.laws.synthesis import sample_tables

__all__ = [
    "calibrate",
    "cap_bounds",
    "expected_cap",
    "maximum_cap",
    "minimal_cells",
    "minimal_table",
    "minimum_cap",
    "noisy_counts",
    "sample_tables",
    "variance_cap",
]
