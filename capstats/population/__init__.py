"""From the sample to the population: who is unique in the population, not only in the file."""

from capstats.population.poisson_lognormal import poisson_lognormal_uniqueness
from capstats.population.uniqueness import population_uniqueness

__all__ = [
    "poisson_lognormal_uniqueness",
    "population_uniqueness",
]
