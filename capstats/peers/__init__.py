"""The numbers of other packages, computed from the same counts, under the names and in the units that those packages use."""

from capstats.peers.protection import as_sdmetrics, disclosure_protection
from capstats.peers.reports import as_sdnist, as_synthgauge
from capstats.peers.riskutility import as_riskutility, rapid
from capstats.peers.synthpop import as_synthpop

__all__ = ["as_riskutility", "as_sdmetrics", "as_sdnist", "as_synthgauge", "as_synthpop", "disclosure_protection", "rapid"]
