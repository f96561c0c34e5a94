"""Privacy models of one table: how large the classes of equal keys are, and how the targets are spread within them.

k-anonymity, l-diversity, t-closeness and their relatives, for the original or for a synthetic table.
"""

from capstats.anonymity.classes import class_sizes, k_anonymity, l_diversity, marketer_risk, prosecutor_risk
from capstats.anonymity.closeness import t_closeness
from capstats.anonymity.models import anonymity_profile
from capstats.codes.names import open_room

__all__ = [
    "anonymity_profile",
    "class_sizes",
    "k_anonymity",
    "l_diversity",
    "marketer_risk",
    "prosecutor_risk",
    "t_closeness",
]

open_room(__name__)
