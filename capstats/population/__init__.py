"""From a sample to its population, and to single people: who is unique, and whom others can find.

Where only the sample is known, by models or from sampling weights; where the population is known, from its table of counts.
"""

from capstats.codes.names import open_room
from capstats.population.descriptions import singling_out as singling_out
from capstats.population.individual import expected_reidentifications as expected_reidentifications
from capstats.population.individual import household_risk as household_risk
from capstats.population.individual import individual_risk as individual_risk
from capstats.population.links import linkability as linkability
from capstats.population.registers import population_profile as population_profile
from capstats.population.special_uniques import dis_suda as dis_suda
from capstats.population.special_uniques import minimal_sample_uniques as minimal_sample_uniques
from capstats.population.special_uniques import suda_scores as suda_scores
from capstats.population.uniqueness import population_uniqueness as population_uniqueness

open_room(__name__)
