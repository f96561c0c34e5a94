"""The numbers of other packages, computed from the same counts, under the names and in the units that those packages use."""

from capstats.peers.concordance import as_riskutility, as_sdmetrics, as_sdnist, as_synthgauge, as_synthpop
from capstats.peers.protection import disclosure_protection

__all__ = [
    "as_riskutility",
    "as_sdmetrics",
    "as_sdnist",
    "as_synthgauge",
    "as_synthpop",
    "disclosure_protection",
]
