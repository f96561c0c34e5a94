"""Which columns, levels and records make the risk, and what their removal or merging would leave of it."""

from capstats.codes.names import open_room
from capstats.screening.influence import cap_influence, rank_removals
from capstats.screening.key_subsets import sweep
from capstats.screening.merging import rank_merges

__all__ = ["cap_influence", "rank_merges", "rank_removals", "sweep"]

open_room(__name__)
