"""Who is found and whose target is disclosed with certainty: certain attribution, uniques, and the risk of each key and each record.

Exclusions and checks say which of these disclosures are no secret of a person.
"""

from capstats.codes.names import open_room
from capstats.disclosure.attribute import dio as dio
from capstats.disclosure.attribute import dis as dis
from capstats.disclosure.attribute import disco as disco
from capstats.disclosure.attribute import share_replicated as share_replicated
from capstats.disclosure.attribute import share_unique as share_unique
from capstats.disclosure.exclusions import exclude as exclude
from capstats.disclosure.exclusions import one_way_check as one_way_check
from capstats.disclosure.exclusions import two_way_check as two_way_check
from capstats.disclosure.published import Published as Published
from capstats.disclosure.published import published_bounds as published_bounds
from capstats.disclosure.records import key_summary as key_summary
from capstats.disclosure.records import record_risk as record_risk
from capstats.disclosure.targeted import tcap as tcap

open_room(__name__)
