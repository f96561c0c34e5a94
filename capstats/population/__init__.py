"""From a sample to its population, and to single people: who is unique, whom others can find, and what insiders learn of them.

Where only the sample is known, by models or from sampling weights; where the population is known, from its table of counts.
"""

from capstats.population.coalitions import group_disclosure, subtraction_attribution
from capstats.population.codings import differencing
from capstats.population.descriptions import singling_out
from capstats.population.individual import expected_reidentifications, household_risk, individual_risk
from capstats.population.links import linkability
from capstats.population.poisson_lognormal import poisson_lognormal_uniqueness
from capstats.population.registers import delta_presence, journalist_risk, k_map, population_marketer_risk, population_profile
from capstats.population.special_uniques import dis_suda, minimal_sample_uniques, suda_scores
from capstats.population.uniqueness import population_uniqueness

__all__ = [
    "delta_presence",
    "differencing",
    "dis_suda",
    "expected_reidentifications",
    "group_disclosure",
    "household_risk",
    "individual_risk",
    "journalist_risk",
    "k_map",
    "linkability",
    "minimal_sample_uniques",
    "poisson_lognormal_uniqueness",
    "population_marketer_risk",
    "population_profile",
    "population_uniqueness",
    "singling_out",
    "subtraction_attribution",
    "suda_scores",
]
