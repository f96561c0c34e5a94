"""Which columns, levels and records make the risk, and what their removal or merging would leave of it."""

from capstats.codes.names import open_room
from capstats.screening.influence import cap_influence as cap_influence
from capstats.screening.influence import rank_removals as rank_removals
from capstats.screening.key_subsets import sweep as sweep
from capstats.screening.merging import rank_merges as rank_merges

open_room(__name__)
