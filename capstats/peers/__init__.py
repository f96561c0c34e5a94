"""The numbers of other packages, computed from the same counts, under the names and in the units that those packages use."""

from capstats.codes.names import open_room
from capstats.peers.protection import as_sdmetrics as as_sdmetrics
from capstats.peers.protection import disclosure_protection as disclosure_protection
from capstats.peers.riskutility import as_riskutility as as_riskutility
from capstats.peers.riskutility import rapid as rapid
from capstats.peers.synthpop import as_synthpop as as_synthpop

open_room(__name__)
