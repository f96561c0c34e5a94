"""The numbers of other packages, computed from the same counts, under the names and in the units that those packages use."""

from capstats.codes.names import open_room
from capstats.peers.protection import as_sdmetrics, disclosure_protection
from capstats.peers.riskutility import as_riskutility, rapid
from capstats.peers.synthpop import as_synthpop

__all__ = ["as_riskutility", "as_sdmetrics", "as_synthpop", "disclosure_protection", "rapid"]

open_room(__name__)
