"""Correct Attribution Probability (CAP): how often a person's target is guessed from the synthetic records with the same keys.

Of each person and on average, its distribution over people, the guesses that it is compared with, neighbours of keys without an exact
synthetic match, and standard errors.
"""

from capstats.cap.average import average_cap as average_cap
from capstats.cap.average import correct_predictions as correct_predictions
from capstats.cap.average import matched_records as matched_records
from capstats.cap.baselines import baseline_cap as baseline_cap
from capstats.cap.baselines import goodman_kruskal_lambda as goodman_kruskal_lambda
from capstats.cap.baselines import goodman_kruskal_tau as goodman_kruskal_tau
from capstats.cap.comparison import normalized_cap as normalized_cap
from capstats.cap.comparison import protected_records as protected_records
from capstats.cap.comparison import target_distance as target_distance
from capstats.cap.distribution import cap_boxplot as cap_boxplot
from capstats.cap.distribution import cap_ecdf as cap_ecdf
from capstats.cap.distribution import cap_quantiles as cap_quantiles
from capstats.cap.groups import by_group as by_group
from capstats.cap.individual import individual_cap as individual_cap
from capstats.cap.neighbours import nearest_distance as nearest_distance
from capstats.cap.overview import summary as summary
from capstats.cap.uncertainty import average_cap_interval as average_cap_interval
from capstats.cap.uncertainty import individual_share as individual_share
from capstats.codes.names import open_room

open_room(__name__)
