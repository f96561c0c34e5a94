"""From the sample to the population: who is unique, who can be singled out or linked, and what groups of people can learn."""

from capstats.population.descriptions import singling_out
from capstats.population.links import linkability

__all__ = ["linkability", "singling_out"]
