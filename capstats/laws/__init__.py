"""What CAP could have been: over all releases, under chance, and under a guarantee.

The rooms:

- `attainable`: the least and greatest CAP of any release, with given margins, at a distance, or of given anonymity
- `models`: how random releases come from an original, a class each, with mean and variance of average CAP and `sample_tables`
- `moments`: `expected_cap` and `variance_cap`, expected disclosure, calibration
- `distribution`: the distribution function, density and quantiles
- `guarantees`: tests by permutation, differential privacy and its audits, noise
"""

from capstats.codes.names import open_room
from capstats.laws.attainable.extremes import maximum_cap as maximum_cap
from capstats.laws.attainable.extremes import minimal_cells as minimal_cells
from capstats.laws.attainable.extremes import minimal_table as minimal_table
from capstats.laws.attainable.extremes import minimum_cap as minimum_cap
from capstats.laws.attainable.from_anonymity import anonymity_bounds as anonymity_bounds
from capstats.laws.attainable.risk_utility import frontier as frontier
from capstats.laws.attainable.risk_utility import frontier_tables as frontier_tables
from capstats.laws.attainable.several_targets import joint_bounds as joint_bounds
from capstats.laws.attainable.with_margins import cap_bounds as cap_bounds
from capstats.laws.distribution.average import cap_law as cap_law
from capstats.laws.distribution.law import Law as Law
from capstats.laws.guarantees.audits import dp_audit as dp_audit
from capstats.laws.guarantees.averages import dp_average_bound as dp_average_bound
from capstats.laws.guarantees.noise import noisy_counts as noisy_counts
from capstats.laws.guarantees.one_record import dp_bound as dp_bound
from capstats.laws.guarantees.one_record import dp_epsilon as dp_epsilon
from capstats.laws.guarantees.one_record import dp_mechanism as dp_mechanism
from capstats.laws.guarantees.one_release import dp_audit_release as dp_audit_release
from capstats.laws.guarantees.permutation import membership_test as membership_test
from capstats.laws.guarantees.permutation import permutation_test as permutation_test
from capstats.laws.models.cell_urns import Bootstrap as Bootstrap
from capstats.laws.models.cell_urns import Dirichlet as Dirichlet
from capstats.laws.models.cell_urns import Independent as Independent
from capstats.laws.models.cell_urns import Uniform as Uniform
from capstats.laws.models.given import Given as Given
from capstats.laws.models.model import Model as Model
from capstats.laws.models.partial import Partial as Partial
from capstats.laws.models.permuted import Permuted as Permuted
from capstats.laws.models.pram import Pram as Pram
from capstats.laws.models.sampling import sample_tables as sample_tables
from capstats.laws.models.swap import Swap as Swap
from capstats.laws.moments.calibration import calibrate as calibrate
from capstats.laws.moments.disclosure import expected_disclosure as expected_disclosure
from capstats.laws.moments.expected import expected_cap as expected_cap
from capstats.laws.moments.expected import variance_cap as variance_cap

open_room(__name__)
