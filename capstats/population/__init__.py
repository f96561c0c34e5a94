"""From the sample to the population: what the counts of the records at hand say about everybody."""

from capstats.population.special_uniques import dis_suda, minimal_sample_uniques, suda_scores

__all__ = ["dis_suda", "minimal_sample_uniques", "suda_scores"]
