"""Correct Attribution Probability (CAP): how often a person's target is guessed from the synthetic records with the same keys.

Of each person and on average, its distribution over people, the guesses that it is compared with, neighbours of keys without an exact
synthetic match, and standard errors.
"""

from capstats.cap.average import average_cap, correct_predictions, matched_records
from capstats.cap.baselines import baseline_cap, goodman_kruskal_lambda, goodman_kruskal_tau
from capstats.cap.comparison import normalized_cap, protected_records, target_distance
from capstats.cap.distribution import cap_boxplot, cap_ecdf, cap_quantiles
from capstats.cap.groups import by_group
from capstats.cap.individual import individual_cap
from capstats.cap.neighbours import nearest_distance
from capstats.cap.overview import summary
from capstats.cap.uncertainty import average_cap_interval, individual_share
from capstats.codes.names import open_room

__all__ = [
    "average_cap",
    "average_cap_interval",
    "baseline_cap",
    "by_group",
    "cap_boxplot",
    "cap_ecdf",
    "cap_quantiles",
    "correct_predictions",
    "goodman_kruskal_lambda",
    "goodman_kruskal_tau",
    "individual_cap",
    "individual_share",
    "matched_records",
    "nearest_distance",
    "normalized_cap",
    "protected_records",
    "summary",
    "target_distance",
]

open_room(__name__)
