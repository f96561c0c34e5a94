"""Who is found and whose target is disclosed with certainty: certain attribution, uniques, and the risk of each key and each record.

Exclusions and checks say which of these disclosures are no secret of a person.
"""

from capstats.codes.names import open_room
from capstats.disclosure.attribute import dio, dis, disco, share_replicated, share_unique
from capstats.disclosure.exclusions import exclude, one_way_check, two_way_check
from capstats.disclosure.published import Published, published_bounds
from capstats.disclosure.records import key_summary, record_risk
from capstats.disclosure.targeted import tcap

__all__ = [
    "Published",
    "dio",
    "dis",
    "disco",
    "exclude",
    "key_summary",
    "one_way_check",
    "published_bounds",
    "record_risk",
    "share_replicated",
    "share_unique",
    "tcap",
    "two_way_check",
]

open_room(__name__)
