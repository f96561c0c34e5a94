"""From the sample to the population: who is unique, who can be singled out or linked, and what groups of people can learn."""

from capstats.population.linkability import linkability
from capstats.population.singling_out import singling_out

__all__ = ["linkability", "singling_out"]
