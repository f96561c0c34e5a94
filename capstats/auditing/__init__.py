"""One report on the disclosure risk of one or several synthetic tables, with how its numbers came to be."""

from capstats.auditing.audits import Audit, audit
from capstats.auditing.descriptions import Description, describe
from capstats.auditing.several_targets import TargetAudits, audit_targets

__all__ = ["Audit", "Description", "TargetAudits", "audit", "audit_targets", "describe"]
