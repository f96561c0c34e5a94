"""From a sample to its population: how likely it is that a record of the sample is linked to the right person outside.

Where only the sample is known, from its weights or by a model; where the population is known, from its table of counts.
"""

from capstats.population.individual import expected_reidentifications, household_risk, individual_risk
from capstats.population.registers import delta_presence, journalist_risk, k_map, population_marketer_risk, population_profile

__all__ = [
    "delta_presence",
    "expected_reidentifications",
    "household_risk",
    "individual_risk",
    "journalist_risk",
    "k_map",
    "population_marketer_risk",
    "population_profile",
]
