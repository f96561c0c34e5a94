"""Which columns, levels and records make the risk, and what their removal or merging would leave of it."""

from capstats.screening.influence import cap_influence, rank_removals
from capstats.screening.key_subsets import sweep
from capstats.screening.merging import cap_after_merge, rank_merges

__all__ = ["cap_after_merge", "cap_influence", "rank_merges", "rank_removals", "sweep"]
