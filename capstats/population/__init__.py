"""From a sample to its population, and to single people: who is unique, and whom others can find.

Where only the sample is known, by models or from sampling weights; where the population is known, from its table of counts.
"""

from capstats.codes.names import open_room
from capstats.population.descriptions import singling_out
from capstats.population.individual import expected_reidentifications, household_risk, individual_risk
from capstats.population.links import linkability
from capstats.population.registers import population_profile
from capstats.population.special_uniques import dis_suda, minimal_sample_uniques, suda_scores
from capstats.population.uniqueness import population_uniqueness

__all__ = [
    "dis_suda",
    "expected_reidentifications",
    "household_risk",
    "individual_risk",
    "linkability",
    "minimal_sample_uniques",
    "population_profile",
    "population_uniqueness",
    "singling_out",
    "suda_scores",
]

open_room(__name__)
