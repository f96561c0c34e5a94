"""One report on the disclosure risk of one or several synthetic tables, with how its numbers came to be."""

from capstats.auditing.audits import Audit, audit

__all__ = [
    "Audit",
    "audit",
]
