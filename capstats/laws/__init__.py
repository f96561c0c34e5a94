"""What CAP could have been: over all releases, under chance, and under a guarantee.

The modules, in the order of the chapters of theory/README.md. The first of each line is the door, those in brackets are what it needs.

- any release: `bounds`; `fixed_margins` (`transportation`); `risk_utility`, `on_the_frontier`; `from_anonymity`
- models of a random release: `models`; `synthesis` (`divisions`); `noise`
- mean and variance: `moments` (`cells`, `urns`, `shares` where records are placed in cells; `dropped`, `matched_sets`, `generating` for
  version 2; `margins` for permutations; `kept_keys`); `certainty`; `noisy_cap`; `calibration` (`saturated`, `brackets`)
- the law: the room `distribution`
- one release: `permutation` (`tails`); `privacy`, `privacy_audits`
"""

from capstats.laws.bounds import maximum_cap, minimal_cells, minimal_table, minimum_cap
from capstats.laws.calibration import calibrate
from capstats.laws.certainty import expected_disclosure
from capstats.laws.distribution.average import cap_law, pooled_law
from capstats.laws.distribution.law import Law
from capstats.laws.distribution.protected_share import protected_law
from capstats.laws.distribution.tail_bound import cap_tail_bound
from capstats.laws.fixed_margins import cap_bounds
from capstats.laws.from_anonymity import anonymity_bounds
from capstats.laws.models import Bootstrap, Dirichlet, Independent, Model, Partial, Permuted, Pram, Swap, Uniform
from capstats.laws.moments import expected_cap, expected_cap_bounds, variance_cap
from capstats.laws.noise import noisy_counts
from capstats.laws.noisy_cap import expected_noisy_cap
from capstats.laws.on_the_frontier import frontier_tables
from capstats.laws.permutation import membership_test, permutation_test
from capstats.laws.privacy import dp_bound, dp_epsilon, dp_mechanism
from capstats.laws.privacy_audits import dp_audit, dp_audit_release
from capstats.laws.risk_utility import frontier
from capstats.laws.synthesis import sample_tables

__all__ = [
    "Bootstrap",
    "Dirichlet",
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
    "cap_tail_bound",
    "dp_audit",
    "dp_audit_release",
    "dp_bound",
    "dp_epsilon",
    "dp_mechanism",
    "expected_cap",
    "expected_cap_bounds",
    "expected_disclosure",
    "expected_noisy_cap",
    "frontier",
    "frontier_tables",
    "maximum_cap",
    "membership_test",
    "minimal_cells",
    "minimal_table",
    "minimum_cap",
    "noisy_counts",
    "permutation_test",
    "pooled_law",
    "protected_law",
    "sample_tables",
    "variance_cap",
]
