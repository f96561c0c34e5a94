"""One report on the disclosure risk of one or several synthetic tables, with how its numbers came to be."""

from typing import TYPE_CHECKING

from capstats.codes.names import loaded_later

if TYPE_CHECKING:
    from capstats.auditing.audits import Audit as Audit
    from capstats.auditing.audits import audit as audit
    from capstats.auditing.several_targets import TargetAudits as TargetAudits
    from capstats.auditing.several_targets import audit_targets as audit_targets
else:  # what reads or prints a report does not wait for what makes one
    __getattr__ = loaded_later(__name__, {"audits": "Audit audit", "several_targets": "TargetAudits audit_targets"})
