"""Privacy models of one table: how large the classes of equal keys are, and how the targets are spread within them.

k-anonymity, l-diversity, t-closeness and their relatives, for the original or for a synthetic table.
"""

from capstats.anonymity.classes import class_sizes as class_sizes
from capstats.anonymity.classes import k_anonymity as k_anonymity
from capstats.anonymity.classes import l_diversity as l_diversity
from capstats.anonymity.classes import marketer_risk as marketer_risk
from capstats.anonymity.classes import prosecutor_risk as prosecutor_risk
from capstats.anonymity.closeness import t_closeness as t_closeness
from capstats.anonymity.models import anonymity_profile as anonymity_profile
from capstats.codes.names import open_room

open_room(__name__)
