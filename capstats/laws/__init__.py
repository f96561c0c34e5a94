"""What CAP could have been: over all releases, under chance, and under a guarantee.

The rooms:

- `attainable`: the least and greatest CAP of any release, with given margins, at a distance, or of given anonymity
- `models`: how random releases come from an original, a class each, with mean and variance of average CAP and `sample_tables`
- `moments`: `expected_cap` and `variance_cap`, expected disclosure, calibration
- `distribution`: the distribution function, density and quantiles
- `guarantees`: tests by permutation, differential privacy and its audits, noise
"""

from capstats.codes.names import open_room
from capstats.laws.attainable.extremes import maximum_cap, minimal_cells, minimal_table, minimum_cap
from capstats.laws.attainable.from_anonymity import anonymity_bounds
from capstats.laws.attainable.risk_utility import frontier, frontier_tables
from capstats.laws.attainable.several_targets import joint_bounds
from capstats.laws.attainable.with_margins import cap_bounds
from capstats.laws.distribution.average import cap_law
from capstats.laws.distribution.law import Law
from capstats.laws.guarantees.audits import dp_audit
from capstats.laws.guarantees.averages import dp_average_bound
from capstats.laws.guarantees.noise import noisy_counts
from capstats.laws.guarantees.one_record import dp_bound, dp_epsilon, dp_mechanism
from capstats.laws.guarantees.one_release import dp_audit_release
from capstats.laws.guarantees.permutation import membership_test, permutation_test
from capstats.laws.models.cell_urns import Bootstrap, Dirichlet, Independent, Uniform
from capstats.laws.models.given import Given
from capstats.laws.models.model import Model
from capstats.laws.models.partial import Partial
from capstats.laws.models.permuted import Permuted
from capstats.laws.models.pram import Pram
from capstats.laws.models.sampling import sample_tables
from capstats.laws.models.swap import Swap
from capstats.laws.moments.calibration import calibrate
from capstats.laws.moments.disclosure import expected_disclosure
from capstats.laws.moments.expected import expected_cap, variance_cap

__all__ = [
    "Bootstrap",
    "Dirichlet",
    "Given",
    "Independent",
    "Law",
    "Model",
    "Partial",
    "Permuted",
    "Pram",
    "Swap",
    "Uniform",
    "anonymity_bounds",
    "calibrate",
    "cap_bounds",
    "cap_law",
    "dp_audit",
    "dp_audit_release",
    "dp_average_bound",
    "dp_bound",
    "dp_epsilon",
    "dp_mechanism",
    "expected_cap",
    "expected_disclosure",
    "frontier",
    "frontier_tables",
    "joint_bounds",
    "maximum_cap",
    "membership_test",
    "minimal_cells",
    "minimal_table",
    "minimum_cap",
    "noisy_counts",
    "permutation_test",
    "sample_tables",
    "variance_cap",
]

open_room(__name__)
