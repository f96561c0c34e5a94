"""One report on the disclosure risk of one or several synthetic tables, with how its numbers came to be."""

from capstats.auditing.audits import Audit, audit
from capstats.auditing.descriptions import Description, describe

__all__ = [
    "Audit",
    "Description",
    "audit",
    "describe",
]
