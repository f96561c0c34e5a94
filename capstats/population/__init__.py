"""From the records at hand to other people: what groups of insiders, and publications taken together, give away of the others."""

from capstats.population.coalitions import group_disclosure, subtraction_attribution


__all__ = ["group_disclosure", "subtraction_attribution"]
