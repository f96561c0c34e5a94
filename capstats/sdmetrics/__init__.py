"""SDMetrics' CAP metrics under SDMetrics' own names, counted instead of walked through row by row.

Replace ``from sdmetrics.single_table import DisclosureProtection`` with ``from capstats.sdmetrics import DisclosureProtection``. Calls,
parameter names, results and the types of exceptions are those of SDMetrics 0.32.0; where it is wrong, the number here is right, and
theory/concordance.md says so.

As there, values are compared as Python compares them (1, 1.0 and True are equal, 1 and "1" are not), whatever the columns' types are,
and a column may be known and sensitive at once; `disclosure_protection` and `tabulate` refuse both, as mistakes.
"""

from capstats.sdmetrics.categorical import CategoricalCAP, CategoricalGeneralizedCAP, CategoricalMetric, CategoricalZeroCAP
from capstats.sdmetrics.metric import Goal, Metric
from capstats.sdmetrics.protection import DisclosureProtection, DisclosureProtectionEstimate

__all__ = [
    "CategoricalCAP",
    "CategoricalGeneralizedCAP",
    "CategoricalMetric",
    "CategoricalZeroCAP",
    "DisclosureProtection",
    "DisclosureProtectionEstimate",
    "Goal",
    "Metric",
]
