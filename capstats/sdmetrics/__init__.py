"""SDMetrics' CAP metrics under SDMetrics' names, computed from counts instead of row by row.

Replace ``from sdmetrics.single_table import DisclosureProtection`` with ``from capstats.sdmetrics import DisclosureProtection``. Calls,
parameter names, results and types of exceptions are those of SDMetrics 0.32.0. The differences are cases in which SDMetrics is wrong or
raises an error: docs/coming-from/concordance.md, section "The SDMetrics drop-in".

All numbers are protections, one minus a risk. The score of DisclosureProtection is ``cap_protection / baseline_protection``, at most 1:
one minus average CAP, over one minus the chance of a guess that takes all sensitive values for equally frequent.

As in SDMetrics, values are compared by Python's equality (1, 1.0 and True are equal, 1 and "1" are not), regardless of the column types,
and a column may be both known and sensitive. `disclosure_protection` and `tabulate` raise an error in both cases.
"""

from capstats.codes.names import open_room
from capstats.sdmetrics.categorical import CategoricalCAP as CategoricalCAP
from capstats.sdmetrics.categorical import CategoricalGeneralizedCAP as CategoricalGeneralizedCAP
from capstats.sdmetrics.categorical import CategoricalZeroCAP as CategoricalZeroCAP
from capstats.sdmetrics.protection import DisclosureProtection as DisclosureProtection
from capstats.sdmetrics.protection import DisclosureProtectionEstimate as DisclosureProtectionEstimate

open_room(__name__)
