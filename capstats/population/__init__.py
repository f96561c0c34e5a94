"""From the records at hand to other people: what groups of insiders, and publications taken together, give away of the others."""

from capstats.population.coalitions import group_disclosure, subtraction_attribution
from capstats.population.codings import differencing

__all__ = ["differencing", "group_disclosure", "subtraction_attribution"]
